// Validates lists of ModelMessages with the schema of the AI SDK: `modelMessageSchema`, which `generateText` uses.
//
//     node written.mjs FOLDER < lists.json        FOLDER/node_modules contains `ai`
//
// The input is an object of lists by name; the output is an object of errors by name.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import fs from 'node:fs';

const require = createRequire(path.join(path.resolve(process.argv[2]), 'package.json'));
const { modelMessageSchema } = await import(pathToFileURL(require.resolve('ai')).href);

const errors = {};
for (const [name, messages] of Object.entries(JSON.parse(fs.readFileSync(0, 'utf8')))) {
  const failed = messages.map(message => modelMessageSchema.safeParse(message)).filter(result => !result.success);
  if (failed.length > 0) errors[name] = JSON.stringify(failed[0].error.issues).slice(0, 600);
}
process.stdout.write(JSON.stringify(errors));
