// The library as it is installed: objects, lists, texts and bytes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { crc32, deflateSync } from "node:zlib";

import init, { ReplaylintError, check, convert, diff, explain, fix, page, version } from "replaylint";

const orphan = { type: "function_call_output", call_id: "call_1", output: "22 degrees" };
const user = { role: "user", content: "What is the weather in Rome?" };
const body = () => ({ model: "gpt-5", input: [user, { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" }] });

test("the version is that of the crate", () => {
  const crate = readFileSync(new URL("../../../Cargo.toml", import.meta.url), "utf8");
  assert.equal(version, /^version = "(.+)"$/m.exec(crate)[1]);
  const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(own.version, version);
});

test("a body, its text and its bytes are judged alike", () => {
  const text = JSON.stringify(body());
  for (const input of [body(), text, new TextEncoder().encode(text), new TextEncoder().encode(text).buffer]) {
    const report = check(input);
    const [found] = report.diagnostics;
    assert.deepEqual([found.rule, found.pointer, found.severity], ["RL101", "/input/1", "error"]);
    assert.equal(found.api_message, "No tool output found for function call call_1.");
    assert.equal(report.summary.errors, 1);
    assert.equal(report.inputs[0].format, "responses-request");
  }
});

test("pointers lead into a list of items", () => {
  const report = check([user, orphan], { dialect: "responses" });
  assert.deepEqual([report.diagnostics[0].rule, report.diagnostics[0].pointer], ["RL102", "/1"]);
});

test("fix gives what it was given", () => {
  const input = body();
  const fixed = fix(input, { orphans: "drop" });
  assert.deepEqual(fixed.value, { model: "gpt-5", input: [user] });
  assert.equal(fixed.changed, true);
  assert.equal(input.input.length, 2, "what was given is not changed");
  assert.deepEqual([fixed.changes[0].rule, fixed.changes[0].action, fixed.fixed.dropped], ["RL101", "drop", 1]);
  assert.equal(fixed.summary.errors, 0);

  const items = fix([user, orphan], { dialect: "responses" });
  assert.deepEqual(items.value, [user]);
  const text = '{"model": "gpt-5",  "input": [{"role": "user", "content": "a\\u0062"}, ' + JSON.stringify(orphan) + "]}";
  assert.equal(fix(text).value, '{"model": "gpt-5",  "input": [{"role": "user", "content": "a\\u0062"}]}');
  assert.ok(fix(new TextEncoder().encode(text)).value instanceof Uint8Array);

  const whole = { model: "gpt-5", input: [user] };
  assert.equal(fix(whole).value, whole, "nothing was changed");
  assert.equal(fix(whole).changed, false);
});

test("fix takes the options of the command line", () => {
  const fixed = fix(body(), { orphans: "stub", target: "openai", store: false });
  assert.equal(fixed.value.input.length, 3);
  assert.equal(fixed.fixed.stubbed, 1);
});

// A PNG of one colour.
function png(width, height) {
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    crc.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, crc]);
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = deflateSync(Buffer.alloc((width * 3 + 1) * height));
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  return Buffer.concat([start, chunk("IHDR", header), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}

test("images are shrunk, or become a text", () => {
  const source = { type: "base64", media_type: "image/png", data: png(40, 30).toString("base64") };
  const request = { model: "claude-sonnet-4-5", max_tokens: 9, messages: [{ role: "user", content: [{ type: "image", source }] }] };
  const shrunk = fix(request, { images: "shrink", maxImagePixels: 20 });
  const bytes = Buffer.from(shrunk.value.messages[0].content[0].source.data, "base64");
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [20, 15]);
  assert.equal(shrunk.changes[0].what, "shrink the image");
  for (const options of [{ images: "drop" }, { maxImages: 0 }, { maxImageBytes: 10 }, { maxImagePixels: 20 }]) {
    assert.equal(fix(request, options).value.messages[0].content[0].type, "text");
  }
  assert.throws(() => fix(request, { images: "none" }), /unknown treatment 'none' of images/);
});

test("a conversation is shortened, and judged for the model that goes on", () => {
  const request = { model: "gpt-5", input: [user, { role: "assistant", content: "Rome is sunny." }, user] };
  const short = fix(request, { maxTokens: 10, keep: "prompts,last=1" });
  assert.equal(short.value.input.length, 2);
  assert.match(short.value.input[0].content, /\[1 answer after this was omitted/);
  assert.throws(() => fix(request, { maxTokens: 10, keep: "all" }), /unknown content 'all' to keep/);
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
  const message = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hello", annotations: [] }] };
  const stored = { model: "gpt-5", input: [user, reasoning, message, user] };
  const codes = (options) => check(stored, options).diagnostics.filter((d) => d.severity === "error").map((d) => d.rule);
  assert.deepEqual(codes({}), []);
  assert.ok(codes({ accountChanged: true }).includes("RL208"));
  assert.ok(codes({ forModel: "azure:gpt-5" }).includes("RL208"));
});

test("convert gives requests and losses", () => {
  const { requests, histories, losses } = convert({ model: "gpt-5", input: [user] }, "anthropic");
  assert.equal(histories, 1);
  assert.deepEqual(requests[0].messages, [{ role: "user", content: "What is the weather in Rome?" }]);
  assert.equal(losses.summary.errors, 0);
  const chat = convert([user], "gemini", { dialect: "chat" });
  assert.deepEqual(chat.requests, [{ contents: [{ role: "user", parts: [{ text: "What is the weather in Rome?" }] }] }]);
});

test("diff compares item by item", () => {
  const { summary, histories } = diff({ input: [user] }, { input: [user, { role: "user", content: "Hello?" }] });
  assert.deepEqual([summary.same, summary.added], [1, 1]);
  assert.equal(histories[0].entries[0].after.pointer, "/input/1");
  // Two versions of one changed item go through the differ, which has no clock here.
  assert.equal(diff([user], [{ ...user, content: "What is the weather in Oslo?" }], { dialect: "chat" }).summary.changed, 1);
});

test("explain recognises an error", () => {
  const { recognised } = explain("No tool output found for function call call_123.");
  assert.equal(recognised[0].rule, "RL101");
  assert.equal(recognised[0].captures.call_id, "call_123");
});

test("page gives the data of the page", () => {
  const data = page(body(), { name: "body.json" });
  assert.equal(data.docs[0].items.length, 2);
  assert.equal(data.docs[0].findings[0].item, 1);
  assert.equal(JSON.stringify(data).includes("weather in Rome"), false);
  assert.equal(JSON.stringify(page(body(), {}, { content: true })).includes("weather in Rome"), true);
});

test("what cannot be done is an error with help", () => {
  assert.throws(() => check("{}", { target: "antropic" }), (error) => {
    assert.ok(error instanceof ReplaylintError && error instanceof Error);
    assert.match(error.message, /^unknown target 'antropic'/);
    assert.match(error.help, /did you mean 'anthropic'/);
    return true;
  });
  assert.throws(() => check("{}", { tagret: "openai" }), /unknown option 'tagret'/);
  assert.throws(() => check("{}", { as: "letter" }), /unknown value of 'as': 'letter'/);
  assert.throws(() => convert("{}", "latin"), /unknown dialect 'latin'/);
  assert.throws(() => check(42), TypeError);
});

test("broken text is a finding, not an error", () => {
  assert.equal(check('{"input": [').diagnostics[0].rule, "RL001");
  assert.equal(check("").summary.histories, 0);
  assert.equal(check("[]".repeat(1000)).summary.histories, 0);
});

test("Node needs no init, and takes one", async () => {
  await init();
});

test("a large document", () => {
  const input = Array.from({ length: 20_000 }, (_, n) => ({ type: "function_call", call_id: `call_${n}`, name: "f", arguments: "{}" }));
  const fixed = fix({ model: "gpt-5", input: [user, ...input] }, { orphans: "drop" });
  assert.equal(fixed.fixed.dropped, 20_000);
  assert.equal(fixed.summary.errors, 0);
});
