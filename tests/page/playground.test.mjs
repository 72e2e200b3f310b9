// The playground in a browser: packaging/npm/playground/build.mjs makes it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { Bench, playground, skipPlayground as skip } from "./support.mjs";

const bench = new Bench();
let page;
before(async () => {
  if (skip) return;
  await bench.open();
  page = await bench.show(playground);
  await page.waitForSelector("html[data-ready]", { timeout: 60_000 });
});
after(async () => {
  await bench.close();
});

const BROKEN = JSON.stringify({ model: "gpt-5", input: [{ role: "user", content: "Hi" }, { type: "function_call_output", call_id: "call_1", output: "x" }] });
const codes = () => page.$$eval(".card .code", (all) => all.map((own) => own.textContent));
const paste = async (text) => {
  await page.click("[data-tab=input]");
  await page.fill(".desk textarea:not([readonly])", text);
  await page.waitForTimeout(500);
};
const product = () => page.inputValue(".desk textarea[readonly]");

test("what is pasted is judged", { skip }, async () => {
  await page.click("text=Example");
  assert.deepEqual(await codes(), ["RL530", "RL531"]);
  await paste(BROKEN);
  assert.deepEqual(await codes(), ["RL102"]);
  assert.match(await page.textContent(".foot .words"), /^1 error, 0 warnings in 2 items, /);
});

test("it is repaired, and the repair can be downloaded and used", { skip }, async () => {
  await paste(BROKEN);
  await page.click("[data-tab=repaired]");
  assert.deepEqual(JSON.parse(await product()).input, [{ role: "user", content: "Hi" }]);
  assert.equal(await page.textContent(".card .state"), "fixed");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(".download")]);
  assert.equal(download.suggestedFilename(), "input.fixed.json");
  assert.equal(readFileSync(await download.path(), "utf8"), await product());
  await page.click(".adopt");
  assert.deepEqual(await codes(), []);
});

test("a change within an item is shown", { skip }, async () => {
  const items = [
    { type: "reasoning", id: "rs_1234567890123456", summary: [], encrypted_content: "gAAA" },
    { type: "function_call", id: "fc_1234567890123456", call_id: "call_1", name: "a", arguments: "{}" },
    { type: "function_call", id: "fc_1234567890123457", call_id: "call_2", name: "a", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "x" },
  ];
  await paste(JSON.stringify({ model: "gpt-5", input: [...items, { role: "user", content: "So?" }] }));
  assert.ok((await codes()).includes("RL101"), await page.textContent(".foot .words"));
  assert.match(await page.textContent("body"), /"id": "fc_1234567890123456"/);
});

test("it is converted", { skip }, async () => {
  await paste(BROKEN);
  await page.click("[data-tab=converted]");
  await page.selectOption(".to select", "gemini");
  assert.deepEqual(JSON.parse(await product()).contents[0], { role: "user", parts: [{ text: "Hi" }] });
  const losses = await page.$$eval(".card", (all) => all.map((card) => [card.closest(".item")?.dataset.key, card.querySelector(".code").textContent]));
  assert.deepEqual(losses, [["0.1", "RL909"]]);
});

test("targets are chosen, and do not fit every history", { skip }, async () => {
  await paste(BROKEN);
  const options = await page.$$eval(".controls select option", (all) => all.map((own) => own.value));
  assert.ok(options.includes("anthropic") && options.includes("openai"));
  await page.click("[data-tab=repaired]");
  await page.selectOption(".controls select >> nth=0", "anthropic");
  assert.match(await page.textContent(".foot .trouble"), /convert/);
  await page.selectOption(".controls select >> nth=0", "");
});

test("an error message is explained", { skip }, async () => {
  await paste("Error code: 400 - {'error': {'message': 'No tool output found for function call call_abc.', 'type': 'invalid_request_error'}}");
  assert.match(await page.textContent(".explained h2"), /RL101 missing-output/);
  const { top } = await page.$eval(".explained", (own) => own.getBoundingClientRect());
  assert.ok(top < 200, "it is where it is seen");
  await paste(BROKEN);
  assert.equal(await page.$(".explained"), null);
});

test("a file can be dropped", { skip }, async () => {
  const data = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "session.json"));
    return transfer;
  }, BROKEN);
  await page.dispatchEvent(".desk", "drop", { dataTransfer: data });
  await page.waitForFunction(() => document.querySelector(".doc .path")?.textContent === "session.json");
  assert.deepEqual(await codes(), ["RL102"]);
});

test("what is not JSON is no fault of the page", { skip }, async () => {
  await paste('{"model": "gpt-5", "input": [');
  assert.deepEqual(await codes(), ["RL001"]);
  await paste("");
  assert.deepEqual(await codes(), []);
});

test("texts can be masked", { skip }, async () => {
  await paste(BROKEN);
  assert.equal(await page.textContent('[data-key="0.0"] .says'), "Hi");
  await page.check(".controls input[type=checkbox]");
  assert.equal(await page.textContent('[data-key="0.0"] .says'), "2 chars");
  await page.uncheck(".controls input[type=checkbox]");
});

test("nothing was asked of a network, and nothing can be", { skip }, async () => {
  const asked = page.asked.filter((url) => !url.startsWith("blob:"));
  assert.equal(asked.length, 1, `${asked}`);
  assert.deepEqual(page.complaints, []);
  const refused = await page.evaluate(() => fetch("http://127.0.0.1:9/").then(() => "sent", (error) => error.name));
  assert.equal(refused, "TypeError");
  assert.match(page.complaints.join(), /Content Security Policy/);
});
