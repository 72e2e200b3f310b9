// A server that answers as the providers do: a request that they would refuse gets an error, any other the least that an SDK takes.

import { createServer } from "node:http";

import { check } from "replaylint";

const WORDS = "Yes.";

// By the end of the path, which the server judges on its own: what the body is, and the answers.
const JUDGED = [
  [/\/responses$/, "responses-request", { whole: response, events: () => responseEvents() }],
  [/\/responses\/compact$/, "responses-request", { whole: () => ({ id: "resp_1", object: "response.compaction", created_at: 1, output: [], usage: {} }) }],
  [/\/responses\/input_tokens$/, "responses-request", { whole: () => ({ object: "response.input_tokens", input_tokens: 1 }) }],
  [/\/decisions$/, "responses-request", { whole: () => ({ id: "dec_1", object: "decision", created_at: 1, model: "gpt-6-luna", answers: [], usage }) }],
  [/\/chat\/completions$/, "chat-request", { whole: completion, events: () => completionEvents() }],
  [/\/messages$/, "anthropic-request", { whole: message, events: () => messageEvents() }],
  [/\/messages\/count_tokens$/, "anthropic-request", { whole: () => ({ input_tokens: 1 }) }],
  [/\/messages\/batches$/, "anthropic-batch", { whole: () => ({ id: "msgbatch_1", type: "message_batch", processing_status: "in_progress" }) }],
  [/:generateContent$/, "gemini-request", { whole: candidate }],
  [/:streamGenerateContent$/, "gemini-request", { events: () => sse([candidate()]) }],
  [/:countTokens$/, "gemini-request", { whole: () => ({ totalTokens: 1 }) }],
  [/:batchGenerateContent$/, "gemini-request", { inner: (body) => body.batch.inputConfig.requests.requests.map(({ request }) => request), whole: () => ({ name: "batches/1", metadata: { state: "BATCH_STATE_PENDING" } }) }],
  [/\/converse$/, "bedrock-request", { whole: turn }],
  [/\/converse-stream$/, "bedrock-request", { events: () => "" }],
];

/** A provider on this machine. `seen`: what arrived, and how it was answered. */
export async function provider() {
  const seen = [];
  const server = createServer(async (request, reply) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const path = decodeURIComponent(request.url.split("?")[0]);
    const [, format, { inner = (body) => [body], whole, events }] = JUDGED.find(([pattern]) => pattern.test(path)) ?? [];
    const body = JSON.parse(bytes.toString());
    const errors = inner(body).flatMap((one) => check(one, { format, as: "request" }).diagnostics).filter(({ severity }) => severity === "error");
    const length = request.headers["content-length"];
    const status = errors.length > 0 ? 400 : 200;
    seen.push({ path, status, body, rules: errors.map(({ rule }) => rule), fits: length === undefined || Number(length) === bytes.length });
    if (errors.length > 0) return answer(reply, 400, { type: "error", error: { type: "invalid_request_error", code: 400, message: errors[0].api_message ?? errors[0].message } });
    if (events !== undefined && (whole === undefined || body.stream)) {
      reply.writeHead(200, { "content-type": "text/event-stream" });
      return reply.end(events());
    }
    return answer(reply, 200, whole());
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}`, seen, close: () => server.close() };
}

function answer(reply, status, body) {
  reply.writeHead(status, { "content-type": "application/json" });
  reply.end(JSON.stringify(body));
}

function sse(events, named = false) {
  return events.map((event) => `${named ? `event: ${event.type}\n` : ""}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");
}

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };

function response() {
  const content = [{ type: "output_text", text: WORDS, annotations: [], logprobs: [] }];
  const output = [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content }];
  return { id: "resp_1", object: "response", created_at: 1, model: "gpt-5", status: "completed", incomplete_details: null, error: null, output, parallel_tool_calls: true, tool_choice: "auto", tools: [], usage };
}

function responseEvents() {
  const whole = response();
  const [item] = whole.output;
  return sse([
    { type: "response.created", sequence_number: 0, response: { ...whole, status: "in_progress", output: [] } },
    { type: "response.output_item.added", sequence_number: 1, output_index: 0, item: { ...item, content: [] } },
    { type: "response.content_part.added", sequence_number: 2, item_id: item.id, output_index: 0, content_index: 0, part: { ...item.content[0], text: "" } },
    { type: "response.output_text.delta", sequence_number: 3, item_id: item.id, output_index: 0, content_index: 0, delta: WORDS, logprobs: [] },
    { type: "response.output_item.done", sequence_number: 4, output_index: 0, item },
    { type: "response.completed", sequence_number: 5, response: whole },
  ], true);
}

function completion() {
  const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: WORDS } }];
  return { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "gpt-5", choices, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
}

function completionEvents() {
  const chunk = (delta, finish_reason) => ({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-5", choices: [{ index: 0, delta, finish_reason }] });
  return sse([chunk({ role: "assistant", content: WORDS }, null), chunk({}, "stop"), "[DONE]"]);
}

function message() {
  const content = [{ type: "text", text: WORDS }];
  return { id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5", content, stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
}

function messageEvents() {
  return sse([
    { type: "message_start", message: { ...message(), content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: WORDS } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ], true);
}

function candidate() {
  const content = { role: "model", parts: [{ text: WORDS }] };
  return { candidates: [{ index: 0, content, finishReason: "STOP" }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
}

function turn() {
  const output = { message: { role: "assistant", content: [{ text: WORDS }] } };
  return { output, stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, metrics: { latencyMs: 1 } };
}
