// Sends lists of ModelMessages with the AI SDK, and prints the bodies that its providers would have sent.
//
//     node caught.mjs FOLDER < cases.json        FOLDER/node_modules contains `ai` and the providers
//
// The input is an object of lists by name; the output is an object by name and API of `{ body }`, or of `{ error }` if the SDK
// refuses the list. `fetch` is replaced: nothing is sent, and a download gets a small image or PDF.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import fs from 'node:fs';

const folder = path.resolve(process.argv[2]);
const require = createRequire(path.join(folder, 'package.json'));
const load = name => import(pathToFileURL(require.resolve(name)).href);
const ai = await load('ai');
const { createAnthropic } = await load('@ai-sdk/anthropic');
const { createOpenAI } = await load('@ai-sdk/openai');
const { createGoogle, createGoogleGenerativeAI } = await load('@ai-sdk/google');
const { createAmazonBedrock } = await load('@ai-sdk/amazon-bedrock');
globalThis.AI_SDK_LOG_WARNINGS = false;

const { cases, models, constants } = JSON.parse(fs.readFileSync(0, 'utf8'));

let caught;
const fetch = async (url, init) => {
  caught = JSON.parse(init.body);
  throw new Error('caught');
};
const download = files =>
  Promise.all(
    files.map(async file => {
      if (file.isUrlSupportedByModel) return null;
      const isPdf = file.url.pathname.endsWith('.pdf');
      const data = Buffer.from(isPdf ? constants.pdf : constants.png, 'base64');
      return { data: new Uint8Array(data), mediaType: isPdf ? 'application/pdf' : 'image/png' };
    }),
  );

const key = { apiKey: 'none', fetch };
const apis = {
  anthropic: createAnthropic(key)(models.anthropic),
  chat: createOpenAI(key).chat(models.chat),
  responses: createOpenAI(key).responses(models.responses),
  gemini: (createGoogle ?? createGoogleGenerativeAI)(key)(models.gemini),
  bedrock: createAmazonBedrock({ region: 'us-east-1', ...key })(models.bedrock),
};

/** The bytes that JSON.stringify wrote as an object, and URLs, which it wrote as strings. */
function revive(key, value) {
  if (key === 'url' && typeof value === 'string' && this.type === 'url') return new URL(value);
  if (value === null || typeof value !== 'object') return value;
  if (value.type === 'Buffer' && Array.isArray(value.data)) return new Uint8Array(value.data);
  const keys = Object.keys(value);
  const isBytes = keys.length > 0 && keys.every((key, n) => key === String(n) && Number.isInteger(value[key]));
  return isBytes && !Array.isArray(value) ? new Uint8Array(keys.map(key => value[key])) : value;
}

// Without tools, the provider of Bedrock drops calls and results.
const tools = Object.fromEntries(
  ['weather', 'umbrella', 'delete'].map(name => [
    name,
    ai.tool({ description: name, inputSchema: ai.jsonSchema({ type: 'object' }) }),
  ]),
);

const results = {};
for (const [name, json] of Object.entries(cases)) {
  results[name] = {};
  for (const [api, model] of Object.entries(apis)) {
    caught = undefined;
    let problem;
    try {
      await ai.generateText({
        model,
        messages: JSON.parse(json, revive),
        tools,
        allowSystemInMessages: true,
        maxRetries: 0,
        experimental_download: download,
        // The messages with their content, not references to what the server stored.
        providerOptions: { openai: { store: false } },
      });
    } catch (error) {
      problem = error.message;
    }
    results[name][api] = caught === undefined ? { error: problem } : { body: caught };
  }
}
process.stdout.write(JSON.stringify(results));
