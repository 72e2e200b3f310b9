// Writes a list of UI messages with the Vercel AI SDK, or goes on with one: `node ai.mjs URL write|resume FILE`. The SDK
// is looked for in `target/writers/node_modules`.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('../../target/writers/node_modules/', import.meta.url));
const load = name => import(pathToFileURL(require.resolve(name)));
const { streamText, convertToModelMessages, readUIMessageStream, stepCountIs, tool, validateUIMessages } = await load('ai');
const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible');
const { z } = await load('zod');

const [url, act, file] = process.argv.slice(2);
const provider = createOpenAICompatible({ name: 'local', baseURL: `${url}/v1`, apiKey: 'none' });
const tools = {
  weather: tool({
    description: 'The weather of a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `The weather of ${city}.`,
  }),
};
let number = 0;
const text = text => ({ id: `user-${number++}`, role: 'user', parts: [{ type: 'text', text }] });

async function ask(messages, question) {
  messages = [...messages, text(question)];
  const result = streamText({
    model: provider('gpt-5.4'),
    messages: await convertToModelMessages(messages),
    tools,
    stopWhen: stepCountIs(5),
  });
  let last;
  const stream = result.toUIMessageStream({ generateMessageId: () => `assistant-${number++}` });
  for await (const message of readUIMessageStream({ stream })) last = message;
  return [...messages, last];
}

if (act === 'write') {
  const messages = await ask(await ask([], 'How is the weather?'), 'And tomorrow?');
  writeFileSync(file, JSON.stringify(messages));
} else {
  const messages = await validateUIMessages({ messages: JSON.parse(readFileSync(file, 'utf8')) });
  console.log((await ask(messages, 'And the day after?')).length);
}
