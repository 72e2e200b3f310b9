// A conversation that was cut to its last messages, sent to a local server that refuses what the API refuses: the answers
// come from `replaylint check --output-format api-error`, so the native command is needed. REPLAYLINT names it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, wrapLanguageModel } from "ai";

import { replaylintGuard } from "./guard.mjs";

const command = process.env.REPLAYLINT ?? "replaylint";
const skip = spawnSync(command, ["--version"]).status === 0 ? false : "no native replaylint: REPLAYLINT names none";
const MODEL = "gpt-5";

const call = (id, city) => ({ role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "weather", input: { city } }] });
const result = (id, value) => ({ role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: "weather", output: { type: "text", value } }] });
const conversation = [
  { role: "user", content: "What is the weather in Rome?" },
  call("call_1", "Rome"),
  result("call_1", "22 degrees"),
  { role: "assistant", content: "It is 22 degrees." },
  { role: "user", content: "And in Oslo?" },
  call("call_2", "Oslo"),
  result("call_2", "4 degrees"),
];
// The window begins between a call and its result.
const window = conversation.slice(2);

let server;
let received;

before(async () => {
  received = [];
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      received.push(JSON.parse(body));
      const judged = spawnSync(command, ["check", "--target", "chat", "--as", "request", "--output-format", "api-error", "-"], { input: body, encoding: "utf8" });
      const answer = judged.status === 0 ? reply() : JSON.parse(judged.stdout);
      response.writeHead(judged.status === 0 ? 200 : 400, { "content-type": "application/json" });
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
});
after(() => server.close());

function reply() {
  const message = { role: "assistant", content: "It is 4 degrees." };
  return { id: "chatcmpl-1", object: "chat.completion", created: 0, model: MODEL, choices: [{ index: 0, message, finish_reason: "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
}

function model() {
  const { port } = server.address();
  return createOpenAI({ apiKey: "none", baseURL: `http://127.0.0.1:${port}/v1` }).chat(MODEL);
}

test("without the guard the request is refused", { skip }, async () => {
  await assert.rejects(generateText({ model: model(), messages: window, maxRetries: 0 }), (error) => {
    assert.equal(error.statusCode, 400);
    assert.match(error.message, /messages with role 'tool' must be a response to a pre(ceeding|ceding) message with 'tool_calls'/i);
    return true;
  });
});

test("with the guard it passes", { skip }, async () => {
  const repairs = [];
  const guarded = wrapLanguageModel({ model: model(), middleware: replaylintGuard({ onRepair: (report) => repairs.push(report) }) });
  const { text } = await generateText({ model: guarded, messages: window, maxRetries: 0 });
  assert.equal(text, "It is 4 degrees.");
  assert.deepEqual(repairs.flatMap((report) => report.changes.map((change) => change.rule)), ["RL502"]);
  const sent = received.at(-1).messages;
  assert.deepEqual(sent.map((message) => message.role), ["assistant", "user", "assistant", "tool"]);
  assert.equal(sent.at(-1).content, "4 degrees");
});

test("a whole conversation is sent as it is", { skip }, async () => {
  const guarded = wrapLanguageModel({ model: model(), middleware: replaylintGuard({ onRepair: () => assert.fail("repaired") }) });
  await generateText({ model: guarded, messages: conversation });
  assert.equal(received.at(-1).messages.length, conversation.length);
});

test("without the guard's own repairs nothing of a message changes", async () => {
  const prompt = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Rome and Oslo?" }] },
    { role: "assistant", content: [{ type: "text", text: "Both." }, ...call("call_1", "Rome").content, ...call("call_2", "Oslo").content] },
    { role: "tool", content: result("call_2", "4 degrees").content },
    { role: "user", content: [{ type: "text", text: "Well?" }] },
  ];
  const { transformParams } = replaylintGuard();
  const { prompt: stubbed } = await transformParams({ params: { prompt } });
  assert.deepEqual(stubbed.map((message) => message.role), ["system", "user", "assistant", "tool", "user"]);
  assert.deepEqual(stubbed.slice(0, 3), prompt.slice(0, 3));
  assert.deepEqual(stubbed[3].content.map((part) => part.toolCallId).sort(), ["call_1", "call_2"]);
  assert.deepEqual(stubbed[3].content.find((part) => part.toolCallId === "call_2"), result("call_2", "4 degrees").content[0]);
  const dropped = await replaylintGuard({ orphans: "drop" }).transformParams({ params: { prompt } });
  assert.deepEqual(dropped.prompt[2].content.map((part) => part.toolCallId ?? part.type), ["text", "call_2"]);
});
