// The page of --output-format html in a browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { Bench, skipPages as skip } from "./support.mjs";

const bench = new Bench();
before(() => skip || bench.open());
after(() => bench.close());

const SECRET = "the heron flies at dusk";
const rs = (n) => `rs_${String(n).padStart(48, "0")}`;
const turns = (n, breaks = () => false) => Array.from({ length: n }, (_, t) => [
  { role: "user", content: `${SECRET} ${t}` },
  { type: "reasoning", id: rs(t), summary: [], encrypted_content: "gAAAA" },
  { type: "function_call", id: `fc_${String(t).padStart(48, "0")}`, call_id: `call_a${t}`, name: "weather", arguments: "{}" },
  { type: "function_call", id: `fc_1${String(t).padStart(47, "0")}`, call_id: `call_b${t}`, name: "news", arguments: "{}" },
  { type: "function_call_output", call_id: `call_b${t}`, output: "none" },
  { type: "function_call_output", call_id: breaks(t) ? `call_lost${t}` : `call_a${t}`, output: "22" },
  { role: "assistant", content: [{ type: "output_text", text: `Warm ${t}.` }] },
]).flat();
const body = (n, breaks) => ({ model: "gpt-5", store: false, input: turns(n, breaks) });

const whole = async (page) => {
  assert.deepEqual(page.complaints, []);
  assert.equal(page.asked.length, 1, `nothing but the page is asked for: ${page.asked}`);
  await page.close();
};
const texts = (page, selector) => page.$$eval(selector, (all) => all.map((own) => own.textContent));
const current = (page) => page.$eval(".item.current", (own) => own.dataset.key);

test("findings are at their items, with the provider's sentence", { skip }, async () => {
  const page = await bench.show(bench.make("check", bench.write("a.json", body(3, (t) => t === 1))));
  const cards = await page.$$eval(".card.error", (all) => all.map((card) => ({
    at: card.closest(".item").querySelector(".at").textContent.split(" ")[0],
    code: card.querySelector(".code").textContent,
    api: card.querySelector("q").textContent,
  })));
  assert.deepEqual(cards, [
    { at: "/input/9", code: "RL101", api: "No tool output found for function call call_a1." },
    { at: "/input/12", code: "RL102", api: "No tool call found for function call output with call_id call_lost1." },
  ]);
  assert.deepEqual(await texts(page, ".chip.error"), ["2 errors"]);
  assert.deepEqual(await texts(page, ".turn"), ["1", "2", "3"]);
  await whole(page);
});

test("arcs join calls with their results", { skip }, async () => {
  const page = await bench.show(bench.make("check", bench.write("a.json", body(4, (t) => t === 2))), { height: 1400 });
  const { items } = JSON.parse(await page.$eval("#data", (own) => own.textContent)).docs[0];
  const arcs = await page.$$eval(".arc.pair", (all) => all.map((arc) => {
    const box = arc.getBoundingClientRect();
    const middle = (key) => {
      const row = document.querySelector(`[data-key="${key}"] .row`).getBoundingClientRect();
      return row.top + row.height / 2;
    };
    const [call, output] = arc.dataset.ends.split(" ");
    return { call, output, off: Math.max(Math.abs(box.top - middle(call)), Math.abs(box.bottom - middle(output))) };
  }));
  assert.equal(arcs.length, 7, "one call has no result");
  const item = (key) => items[key.split(".")[1]];
  for (const { call, output, off } of arcs) {
    assert.deepEqual([item(call).kind, item(output).kind], ["function_call", "function_call_output"]);
    assert.equal(item(call).call_id, item(output).call_id);
    assert.ok(off < 2, `an arc ends ${off} pixels beside its row`);
  }
  const frames = await page.$$eval(".frame", (all) => all.length);
  assert.ok(frames >= 3, "groups are framed");
  await page.hover('[data-key="0.2"] .row');
  assert.deepEqual(await page.$$eval(".arc.lit", (all) => all.map((arc) => arc.dataset.ends)), ["0.2 0.5"]);
  await whole(page);
});

test("filters by rule and severity, and by what has findings", { skip }, async () => {
  const page = await bench.show(bench.make("check", bench.write("a.json", body(5, (t) => t === 1))));
  const codes = () => texts(page, ".card .code");
  await page.click(".entry-rule:has-text('RL102')");
  assert.deepEqual([...new Set(await codes())], ["RL102"]);
  await page.click(".chip.only");
  assert.deepEqual(await page.$$eval(".item", (all) => all.map((own) => own.dataset.key)), ["0.12"]);
  await page.click(".entry-rule:has-text('RL102')");
  assert.equal((await page.$$(".item")).length, 2);
  await page.click(".chip.only");
  await page.click(".chip.error");
  assert.deepEqual((await texts(page, ".card.error")), []);
  await whole(page);
});

test("search goes to ids, keys go from finding to finding", { skip }, async () => {
  const page = await bench.show(bench.make("check", bench.write("a.json", body(2000, (t) => t % 400 === 7))));
  await page.keyboard.press("/");
  await page.keyboard.type("call_a1234");
  assert.equal(await page.textContent(".hits"), "2");
  assert.equal(await current(page), `0.${1234 * 7 + 2}`);
  await page.keyboard.press("Enter");
  assert.equal(await current(page), `0.${1234 * 7 + 5}`);
  assert.ok(await page.isVisible(".item.current"));
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  const at = (t, n) => `0.${t * 7 + n}`;
  await page.evaluate("page.select(null)");
  const seen = [];
  for (const key of ["j", "j", "j", "k", "J"]) {
    await page.keyboard.press(key);
    seen.push(await current(page));
  }
  assert.deepEqual(seen, [at(7, 2), at(7, 5), at(407, 2), at(7, 5), at(8, 0)]);
  await page.keyboard.press("?");
  assert.ok(await page.isVisible("dialog.keys"));
  await page.keyboard.press("Escape");
  assert.ok(!(await page.isVisible("dialog.keys")));
  await page.keyboard.press("Enter");
  assert.match(await page.textContent(".item.current .details"), /"role": "user"/);
  await whole(page);
});

test("content is on the page only if that was asked for", { skip }, async () => {
  const path = bench.write("a.json", body(2, () => true));
  for (const command of ["check", "fix"]) {
    assert.ok(!readFileSync(bench.make(command, path), "utf8").includes(SECRET), command);
    assert.ok(readFileSync(bench.make(command, "--show-content", path), "utf8").includes(SECRET), command);
  }
  const page = await bench.show(bench.make("check", "--show-content", path));
  assert.match(await page.textContent('[data-key="0.0"] .says'), new RegExp(SECRET));
  await whole(page);
});

test("text of a conversation is never markup", { skip }, async () => {
  const evil = '</script><script>hacked = 1</script><img src=x onerror="hacked = 1">\u2028<!--';
  const input = [{ role: "user", content: evil }, { type: "function_call_output", call_id: evil, output: evil }, { type: "function_call", call_id: "call_1", name: evil, arguments: evil }];
  const page = await bench.show(bench.make("check", "--show-content", bench.write("a.json", { model: "gpt-5", input })));
  assert.equal(await page.evaluate("typeof hacked"), "undefined");
  assert.ok((await page.textContent('[data-key="0.0"] .says')).includes("</script><script>hacked = 1</script>"));
  assert.equal(await page.$(".scroller img"), null);
  await whole(page);
});

test("of 10,000 items only those near the window are drawn", { skip }, async () => {
  const page = await bench.show(bench.make("check", bench.write("a.json", body(1500, (t) => t % 100 === 3))));
  assert.equal(await page.evaluate("page.list.entries.length"), 1500 * 7 + 1);
  const drawn = await page.evaluate(async () => {
    let most = 0;
    const rows = new Map();
    const scroller = document.querySelector(".scroller");
    while (scroller.scrollTop + scroller.clientHeight < scroller.scrollHeight - 1) {
      const before = scroller.scrollTop;
      scroller.scrollTop += 2000;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      if (scroller.scrollTop === before) break;
      most = Math.max(most, document.querySelectorAll(".entry").length);
      // Rows follow each other without a gap.
      const all = [...document.querySelectorAll(".stage > .entry")];
      all.slice(1).forEach((own, n) => rows.set(Math.round(own.getBoundingClientRect().top - all[n].getBoundingClientRect().bottom), own.dataset.key));
    }
    return { most, gaps: [...rows.keys()], last: [...document.querySelectorAll(".item")].at(-1).dataset.key };
  });
  assert.ok(drawn.most > 20 && drawn.most < 160, `${drawn.most} rows are drawn at a time`);
  assert.deepEqual(drawn.gaps, [0]);
  assert.equal(drawn.last, `0.${1500 * 7 - 1}`);
  await whole(page);
});

test("dark and light, wide and narrow", { skip }, async () => {
  const path = bench.make("check", bench.write("a.json", body(3, (t) => t === 1)));
  const back = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0]);
  const light = await bench.show(path);
  const dark = await bench.show(path, { scheme: "dark" });
  assert.ok((await back(light)) > 200 && (await back(dark)) < 60);
  await whole(light);
  await whole(dark);
  const narrow = await bench.show(path, { width: 360, height: 640 });
  assert.ok(await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.ok(!(await narrow.isVisible(".entry-rule")));
  await narrow.click(".bar .menu");
  assert.ok(await narrow.isVisible(".entry-rule"));
  await whole(narrow);
});

test("a repair shows what was fixed and what is left", { skip }, async () => {
  const input = [{ role: "user", content: "Hi" }, { role: "assistant", content: [{ type: "text", text: "Hello" }] },
    { type: "function_call_output", call_id: "call_9", output: "x" }, { role: "user", content: [{ type: "input_image" }] }];
  const page = await bench.show(bench.make("fix", bench.write("a.json", { model: "gpt-5", input })));
  const states = await page.$$eval(".card .state", (all) => all.map((own) => [own.closest(".card").querySelector(".code").textContent, own.textContent]));
  assert.ok(states.some(([code, state]) => code === "RL102" && state === "fixed"), `${states}`);
  assert.match(await page.textContent(".hunk"), /output_text/);
  assert.ok(await page.$(".item.dropped"));
  const left = JSON.parse(await page.$eval("#data", (own) => own.textContent)).summary.errors;
  assert.equal(states.filter(([, state]) => state === "left").length > 0, left > 0);
  await whole(page);
});

test("diff, convert and tree have pages", { skip }, async () => {
  const one = bench.write("a.json", body(3));
  const other = bench.write("b.json", { ...body(3), input: turns(3).filter((_, n) => n !== 6).map((item, n) => (n === 0 ? { ...item, content: "Hello" } : item)) });
  const diff = await bench.show(bench.make("diff", one, other));
  assert.deepEqual(await texts(diff, ".fate"), ["changed", "removed"]);
  await diff.keyboard.press("o");
  assert.equal((await diff.$$(".item")).length, 2);
  await whole(diff);

  const convert = await bench.show(bench.make("convert", "--to", "chat", "-o", `${bench.folder}/chat.json`, one));
  assert.ok((await texts(convert, ".card .code")).includes("RL901"));
  await whole(convert);

  const line = (uuid, parentUuid, type, message) => JSON.stringify({
    parentUuid, isSidechain: false, userType: "external", cwd: "/", sessionId: "s", version: "2.0.0", gitBranch: "", type, message, uuid, timestamp: "2026-01-01T00:00:00.000Z" });
  const said = (text) => ({ id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [{ type: "text", text }] });
  const log = [line("u1", null, "user", { role: "user", content: "one" }), line("a1", "u1", "assistant", said("1")),
    line("u2", "a1", "user", { role: "user", content: "two" }), line("a2", "u2", "assistant", said("2")),
    line("u3", "a1", "user", { role: "user", content: "other" }), line("a3", "u3", "assistant", said("3"))].join("\n");
  const path = bench.write("session.jsonl", `${log}\n`);
  const tree = await bench.show(bench.make("tree", path));
  assert.equal((await tree.$$(".history")).length, 2);
  assert.equal((await tree.$$(".arc.fork")).length, 1);
  await whole(tree);
  const branches = await bench.show(bench.make("check", path));
  assert.equal((await branches.$$(".history .link")).length, 1, "a branch says where it leaves");
  await whole(branches);
});

test("numbers of turns and items stand apart, however long", { skip }, async () => {
  const page = await bench.show(bench.make("check", bench.write("a.json", body(180, (t) => t === 150))), { height: 900 });
  for (const key of ["1049", "1050", "1259"]) {
    await page.evaluate((i) => { location.hash = `#0.${i}`; location.reload(); }, key);
    await page.waitForSelector(`[data-key="0.${key}"]`);
  }
  const overlaps = await page.$$eval(".number", (all) => all.filter((own) => {
    const turn = own.querySelector(".turn");
    if (!turn) return false;
    const text = document.createRange();
    text.selectNode(own.lastChild);
    return turn.getBoundingClientRect().right > text.getBoundingClientRect().left;
  }).map((own) => own.textContent));
  assert.deepEqual(overlaps, []);
  assert.ok((await texts(page, ".turn")).some((turn) => turn.length === 3));
  await page.close();
});

test("a finding has a command to copy", { skip }, async () => {
  const path = bench.write("a b.json", body(3, (t) => t === 1));
  const page = await bench.show(bench.make("check", path));
  const commands = await texts(page, ".command code");
  assert.deepEqual([...new Set(commands)], [`replaylint fix -w '${path}'`]);
  await page.click(".command .link");
  await page.waitForFunction(() => document.querySelector(".command .link").textContent === "copied");
  await whole(page);
});
