// The guards without any SDK: what they change, what they leave alone, and what they throw.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ReplaylintError, guardFetch, guardMessages, guardMiddleware } from "replaylint";

import { rows } from "./sdk/endpoints.mjs";

const URL_ = "https://api.openai.com/v1/chat/completions?key=secret";
const user = { role: "user", content: "What is the weather in Rome?" };
const orphan = { role: "tool", tool_call_id: "call_1", content: "22 degrees" };
const broken = JSON.stringify({ model: "gpt-5", messages: [user, orphan] });
const repaired = { model: "gpt-5", messages: [user] };
// No rule has a repair for it.
const hopeless = JSON.stringify({ model: "gpt-5", messages: [{ role: "nobody", content: "Hi." }, orphan] });

// What `fetch` is given.
async function sent(input, init, options) {
  const reports = [];
  let given;
  const fetch = async (...own) => ((given = own), new Response("{}"));
  await guardFetch(fetch, { onChange: (report) => reports.push(report), ...options })(input, init);
  return { input: given[0], init: given[1], reports };
}

test("a body is repaired, whatever holds it", async () => {
  const headers = { "Content-Length": String(broken.length), authorization: "Bearer none" };
  for (const body of [broken, new TextEncoder().encode(broken), Buffer.from(broken), new TextEncoder().encode(broken).buffer]) {
    for (const own of [headers, new Headers(headers), Object.entries(headers)]) {
      const { init, reports } = await sent(new URL(URL_), { method: "POST", headers: own, body });
      assert.deepEqual(JSON.parse(Buffer.from(init.body).toString()), repaired);
      assert.deepEqual([...new Headers(init.headers)], [["authorization", "Bearer none"]]);
      const [{ endpoint, changes, summary, inputs }] = reports;
      assert.deepEqual([endpoint, changes.map(({ rule }) => rule), summary.errors, inputs[0].format], ["chat/completions", ["RL502"], 0, "chat-request"]);
    }
  }
  const request = new Request(URL_, { method: "POST", headers: { "content-type": "application/json", "x-own": "1" }, body: broken });
  const { input } = await sent(request);
  assert.deepEqual([await input.json(), input.headers.get("x-own"), input.method], [repaired, "1", "POST"]);
});

test("a report has nothing of the conversation, and nothing of the query", async () => {
  const { reports } = await sent(URL_, { method: "POST", body: broken });
  assert.doesNotMatch(JSON.stringify(reports), /Rome|22 degrees|secret/);
});

test("what is no conversation in JSON is given on as it is", async () => {
  const form = new FormData();
  form.set("file", new Blob([broken]));
  const stream = () => new Blob([broken]).stream();
  for (const [url, init] of [
    [URL_, { method: "POST", body: form }],
    [URL_, { method: "POST", body: stream(), duplex: "half" }],
    [URL_, { method: "POST", body: new URLSearchParams("a=b") }],
    [URL_, { method: "POST", body: "[1]" }],
    [URL_, { method: "POST", body: '{"messages": [' }],
    [URL_, { method: "POST", body: Buffer.from([0x7b, 0xff]) }],
    [URL_, undefined],
    ["https://api.openai.com/v1/embeddings", { method: "POST", body: broken }],
    ["https://api.openai.com/v1/threads/thread_1/messages", { method: "POST", body: JSON.stringify(orphan) }],
    ["https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.titan/invoke", { method: "POST", body: broken }],
  ]) {
    const { input, init: own, reports } = await sent(url, init);
    assert.equal(input, url);
    assert.equal(own, init);
    assert.deepEqual(reports, []);
  }
});

test("a sound body is the very same", async () => {
  const init = { method: "POST", body: JSON.stringify(repaired), headers: { "content-length": "9" } };
  assert.equal((await sent(URL_, init)).init, init);
});

test("bodies inside of a body are repaired where they are", async () => {
  const contents = [{ role: "user", parts: [{ text: "Hi." }] }, { role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] }];
  const google = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro";
  const left = [contents[0]];
  const counted = await sent(`${google}:countTokens`, { body: JSON.stringify({ generateContentRequest: { model: "models/gemini-2.5-pro", contents } }) });
  assert.deepEqual(JSON.parse(counted.init.body).generateContentRequest.contents, left);
  const requests = [{ request: { contents } }, { request: { contents: left } }, { request: { contents } }];
  const batch = await sent(`${google}:batchGenerateContent`, { body: JSON.stringify({ batch: { inputConfig: { requests: { requests } } } }) });
  assert.deepEqual(JSON.parse(batch.init.body).batch.inputConfig.requests.requests.map(({ request }) => request.contents), [left, left, left]);
  assert.deepEqual(batch.reports.map(({ endpoint }) => endpoint), ["batchGenerateContent", "batchGenerateContent"]);

  const bedrock = "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0";
  const messages = [{ role: "user", content: [{ text: "Hi." }] }, { role: "assistant", content: [{ text: "I look." }, { toolUse: { toolUseId: "tooluse_1", name: "f", input: {} } }] }, { role: "user", content: [{ text: "Well?" }] }];
  const count = await sent(`${bedrock}/count-tokens`, { body: JSON.stringify({ input: { converse: { messages } } }) }, { orphans: "drop" });
  assert.deepEqual(JSON.parse(count.init.body).input.converse.messages[1].content, [{ text: "I look." }]);
  const invoked = { anthropic_version: "bedrock-2023-05-31", max_tokens: 9, messages: [{ role: "user", content: "Hi." }, { role: "assistant", content: [{ type: "text", text: "I look." }, { type: "tool_use", id: "toolu_1", name: "f", input: {} }] }, { role: "user", content: "Well?" }] };
  for (const url of [`${bedrock}/invoke`, `${bedrock}/invoke-with-response-stream`, "https://vertex/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-5:rawPredict"]) {
    const { init, reports } = await sent(url, { body: JSON.stringify(invoked) }, { orphans: "drop" });
    assert.deepEqual(JSON.parse(init.body).messages[1].content, [{ type: "text", text: "I look." }]);
    assert.ok(url.endsWith(reports[0].endpoint) && /^[\w-]+$/.test(reports[0].endpoint), reports[0].endpoint);
  }
});

test("the host names the target, unless an option does", async () => {
  const targets = async (url, options) => (await sent(url, { body: broken }, options)).reports[0].inputs[0].targets;
  assert.deepEqual(await targets(URL_), ["chat"]);
  assert.deepEqual(await targets("https://api.groq.com/openai/v1/chat/completions"), ["groq"]);
  assert.deepEqual(await targets("https://llm.example/v1/chat/completions", { target: "mistral" }), ["mistral"]);
});

test("a signed body is reported, and not changed", async () => {
  const init = { method: "POST", body: broken, headers: { authorization: "AWS4-HMAC-SHA256 Credential=none" } };
  const { init: own, reports } = await sent(URL_, init);
  assert.equal(own, init);
  assert.deepEqual(reports.map(({ changes, summary }) => [changes.length, summary.errors]), [[0, 1]]);
  await assert.rejects(sent(URL_, init, { strict: true }), ReplaylintError);
});

test("report only", async () => {
  const init = { method: "POST", body: broken };
  const { init: own, reports } = await sent(URL_, init, { reportOnly: true });
  assert.equal(own, init);
  assert.deepEqual(reports.map(({ changes, diagnostics }) => [changes.length, diagnostics[0].rule]), [[0, "RL502"]]);
  const messages = [{ role: "tool", content: [{ type: "tool-result", toolCallId: "call_1", toolName: "f", output: { type: "text", value: "x" } }] }, { role: "user", content: "Hi." }];
  assert.equal(guardMessages(messages, { reportOnly: true }), messages);
});

test("what cannot be repaired is sent as it is, or not at all", async () => {
  const init = { method: "POST", body: hopeless };
  const { init: own, reports } = await sent(URL_, init);
  assert.equal(own, init);
  // Everything that would be refused, and nothing that was half repaired.
  assert.deepEqual(reports.map(({ changes, diagnostics }) => [changes.length, diagnostics.map(({ rule }) => rule)]), [[0, ["RL512", "RL502"]]]);
  await assert.rejects(sent(URL_, init, { strict: true }), (error) => {
    assert.ok(error instanceof ReplaylintError);
    assert.match(error.message, /^chat\/completions: the request would be refused: RL512 at \/messages\/0/);
    return true;
  });
});

test("a callback that fails stops nothing, unless the guard is strict", async () => {
  const options = { onChange: () => { throw new RangeError("own"); } };
  const { init } = await sent(URL_, { method: "POST", body: broken }, options);
  assert.deepEqual(JSON.parse(init.body), repaired);
  await assert.rejects(sent(URL_, { method: "POST", body: broken }, { ...options, strict: true }), RangeError);
});

test("a mistake in the options is reported at once", () => {
  assert.throws(() => guardFetch(fetch, { tagret: "openai" }), /unknown option 'tagret'/);
  assert.throws(() => guardMiddleware({ target: "antropic" }), /unknown target 'antropic'/);
  guardFetch(fetch, { target: "anthropic", orphans: "stub" });
});

test("the global fetch is looked up when it is used, and members of one's own are kept", async () => {
  const own = globalThis.fetch;
  let given;
  const guarded = guardFetch();
  globalThis.fetch = async (...all) => ((given = all), new Response("{}"));
  await guarded(URL_, { method: "POST", body: broken });
  globalThis.fetch = own;
  assert.deepEqual(JSON.parse(given[1].body), repaired);
  assert.equal(guardFetch(Object.assign(async () => new Response(), { preconnect: 1 })).preconnect, 1);
});

const call = (id) => ({ type: "tool-call", toolCallId: id, toolName: "weather", input: { city: "Rome" } });
const result = (id, value) => ({ type: "tool-result", toolCallId: id, toolName: "weather", output: { type: "text", value } });

test("of messages only calls and results are changed", async () => {
  const image = { type: "file", mediaType: "image/png", data: new Uint8Array([1]) };
  const prompt = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Rome and Oslo?" }, image] },
    { role: "assistant", content: [{ type: "text", text: "Both." }, call("call_1"), call("call_2")] },
    { role: "tool", content: [result("call_2", "4 degrees")] },
    { role: "user", content: [{ type: "text", text: "Well?" }] },
  ];
  const { prompt: stubbed } = await guardMiddleware().transformParams({ params: { prompt } });
  assert.deepEqual(stubbed.map(({ role }) => role), ["system", "user", "assistant", "tool", "user"]);
  assert.equal(stubbed[1].content[1], image);
  assert.deepEqual(stubbed[3].content.map(({ toolCallId }) => toolCallId).sort(), ["call_1", "call_2"]);
  assert.deepEqual(stubbed[3].content.find(({ toolCallId }) => toolCallId === "call_2"), result("call_2", "4 degrees"));
  const dropped = guardMessages(prompt, { orphans: "drop" });
  assert.deepEqual(dropped[2].content.map((part) => part.toolCallId ?? part.type), ["text", "call_2"]);
  assert.equal(prompt[2].content.length, 3, "what was given is not changed");
});

test("a call that waits for an approval is left to the SDK", () => {
  const asked = { role: "assistant", content: [call("call_1"), { type: "tool-approval-request", approvalId: "a1", toolCallId: "call_1" }] };
  const approved = { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }] };
  const messages = [{ role: "user", content: "Rome?" }, asked, approved];
  assert.equal(guardMessages(messages), messages);
  // Something else is repaired, and the approval stays.
  const cut = [{ role: "tool", content: [result("call_0", "x")] }, ...messages];
  assert.deepEqual(guardMessages(cut), messages);
});

test("messages of version 4 of the AI SDK", () => {
  const old = { type: "tool-call", toolCallId: "call_1", toolName: "weather", args: {} };
  const [, , { content: [added] }] = guardMessages([{ role: "user", content: "Rome?" }, { role: "assistant", content: [old] }, { role: "user", content: "Well?" }]);
  assert.deepEqual([added.toolCallId, added.isError, typeof added.result], ["call_1", true, "string"]);
});

test("the table in the docs is the one that is tested", () => {
  const docs = readFileSync(new URL("../../../docs/javascript.md", import.meta.url), "utf8");
  const table = /\| SDK \| major versions \| call \| path ends in \|\n\|.*\n((?:\|.*\n)+)/.exec(docs)[1];
  const cells = (line) => line.split("|").slice(1, -1).map((cell) => cell.trim().replaceAll("`", ""));
  assert.deepEqual(table.trim().split("\n").map(cells), rows());
});
