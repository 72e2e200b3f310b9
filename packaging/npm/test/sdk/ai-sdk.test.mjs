// Middleware and messages of the AI SDK, with each of its major versions.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { guardFetch, guardMessages, guardMiddleware } from "replaylint";

import { SDKS, load } from "./endpoints.mjs";
import { provider } from "./provider.mjs";

let server;
before(async () => (server = await provider()));
after(() => server.close());

// Version 4 has other names for what a call is given, and for what it returns.
function conversationOf(major) {
  const call = (id, city) => ({ role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "weather", [major < 5 ? "args" : "input"]: { city } }] });
  const returned = (value) => (major < 5 ? { result: value } : { output: { type: "text", value } });
  const result = (id, value) => ({ role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: "weather", ...returned(value) }] });
  return [
    { role: "user", content: "What is the weather in Rome?" },
    call("call_1", "Rome"),
    result("call_1", "22 degrees"),
    { role: "assistant", content: "It is 22 degrees." },
    { role: "user", content: "And in Oslo?" },
    call("call_2", "Oslo"),
    result("call_2", "4 degrees"),
  ];
}

for (const major of SDKS.ai.majors) {
  const conversation = conversationOf(major);
  const loaded = async () => {
    const ai = await load("ai", major);
    return { ...ai, model: ai.createOpenAI({ apiKey: "none", baseURL: `${server.url}/v1` }).chat("gpt-5") };
  };

  test(`ai ${major}: a window that begins behind a call is repaired by the middleware`, async () => {
    const { generateText, streamText, wrapLanguageModel, model } = await loaded();
    const messages = conversation.slice(2);
    await assert.rejects(generateText({ model, messages, maxRetries: 0 }), ({ statusCode }) => statusCode === 400);
    const reports = [];
    const guarded = wrapLanguageModel({ model, middleware: guardMiddleware({ onChange: (report) => reports.push(report) }) });
    assert.equal((await generateText({ model: guarded, messages, maxRetries: 0 })).text, "Yes.");
    let streamed = "";
    for await (const words of streamText({ model: guarded, messages, maxRetries: 0 }).textStream) streamed += words;
    assert.equal(streamed, "Yes.");
    assert.deepEqual(reports.map(({ endpoint, changes }) => [endpoint, changes.map(({ rule }) => rule)]), Array(2).fill(["messages", ["RL502"]]));
    assert.deepEqual(server.seen.at(-1).body.messages.map(({ role }) => role), ["assistant", "user", "assistant", "tool"]);
  });

  test(`ai ${major}: a whole conversation is sent as it is`, async () => {
    const { generateText, wrapLanguageModel, model } = await loaded();
    const guarded = wrapLanguageModel({ model, middleware: guardMiddleware({ onChange: () => assert.fail("repaired"), strict: true }) });
    await generateText({ model: guarded, messages: conversation });
    assert.equal(server.seen.at(-1).body.messages.length, conversation.length);
  });

  test(`ai ${major}: a call without a result is repaired in the messages, which the SDK refuses otherwise`, async () => {
    const { generateText, wrapLanguageModel, model } = await loaded();
    const messages = [...conversation.slice(0, 2), { role: "user", content: "Well?" }];
    const guarded = wrapLanguageModel({ model, middleware: guardMiddleware() });
    const sent = server.seen.length;
    const outcome = await generateText({ model: guarded, messages, maxRetries: 0 }).then(() => "answered", ({ name }) => name);
    // Older ones leave it to the middleware.
    assert.equal(outcome, major >= 6 ? "AI_MissingToolResultsError" : "answered");
    assert.equal(server.seen.length - sent, major >= 6 ? 0 : 1);
    assert.equal((await generateText({ model, messages: guardMessages(messages), maxRetries: 0 })).text, "Yes.");
    assert.deepEqual(server.seen.at(-1).body.messages.map(({ role }) => role), ["user", "assistant", "tool", "user"]);
    await generateText({ model, messages: guardMessages(messages, { orphans: "drop" }), maxRetries: 0 });
    assert.deepEqual(server.seen.at(-1).body.messages.map(({ role }) => role), ["user", "user"]);
  });
}

for (const major of SDKS.ai.majors) {
  test(`ai ${major}: of a signed request only the middleware can repair anything`, async () => {
    const { createAmazonBedrock, generateText, jsonSchema, wrapLanguageModel } = await load("ai", major);
    const schema = jsonSchema({ type: "object", properties: {} });
    const reports = [];
    const fetch = guardFetch(globalThis.fetch, { onChange: (report) => reports.push(report) });
    const keys = { accessKeyId: "none", secretAccessKey: "none", region: "us-east-1" };
    const model = createAmazonBedrock({ ...keys, baseURL: server.url, fetch })("anthropic.claude-sonnet-4-5-20250929-v1:0");
    const given = { messages: conversationOf(major).slice(2), tools: { weather: { inputSchema: schema, parameters: schema } }, maxRetries: 0 };
    await assert.rejects(generateText({ model, ...given }), ({ statusCode }) => statusCode === 400);
    assert.deepEqual(reports.map(({ endpoint, changes, summary }) => [endpoint, changes.length, summary.errors > 0]), [["converse", 0, true]]);
    assert.equal((await generateText({ model: wrapLanguageModel({ model, middleware: guardMiddleware() }), ...given })).text, "Yes.");
    assert.equal(reports.length, 1);
  });
}

test("the example", async () => {
  const conversation = conversationOf(SDKS.ai.majors[0]);
  const [{ ask }, { createOpenAI }] = await Promise.all([import("./guard.mjs"), load("ai", SDKS.ai.majors[0])]);
  const model = createOpenAI({ apiKey: "none", baseURL: `${server.url}/v1` }).chat("gpt-5");
  assert.equal((await ask(model, conversation.slice(1, 6), { orphans: "drop" })).text, "Yes.");
  assert.deepEqual(server.seen.at(-1).body.messages.map(({ role }) => role), ["assistant", "tool", "assistant", "user"]);
});
