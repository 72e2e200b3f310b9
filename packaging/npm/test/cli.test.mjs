// The command, with the flags and exit codes of the native one.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../lib/cli.js", import.meta.url));
const BROKEN = '{"model": "gpt-5", "input": [\n  {"role": "user", "content": "Hi"},\n  {"type": "function_call_output", "call_id": "call_1", "output": "secret"}\n]}\n';
const WHOLE = '{"model": "gpt-5", "input": [\n  {"role": "user", "content": "Hi"}\n]}\n';
let folder;
let file;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "replaylint-"));
  file = join(folder, "body.json");
});
after(() => rmSync(folder, { recursive: true }));

function run(args, input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { input, encoding: "utf8" });
  return { status, stdout, stderr };
}

test("check reports places and exits with 1", () => {
  writeFileSync(file, BROKEN);
  const { status, stdout, stderr } = run(["check", file]);
  assert.equal(stdout, `${file}:3:3: error RL102 function_call_output call_1 has no matching call (/input/1) [fix: drop the output]\n`);
  assert.equal(stderr, "Found 1 error and 0 warnings in 1 conversation; 1 fixable.\n");
  assert.equal(status, 1);
});

test("check reads standard input, and prints JSON", () => {
  const { status, stdout } = run(["check", "--output-format", "json", "-"], BROKEN);
  assert.equal(status, 1);
  const report = JSON.parse(stdout);
  assert.deepEqual([report.diagnostics[0].path, report.summary.errors], ["-", 1]);
  assert.equal(run(["check", "-q", "--ignore", "RL102"], BROKEN).status, 0);
});

test("fix is a filter", () => {
  const { status, stdout, stderr } = run(["fix"], BROKEN);
  assert.equal(stdout, WHOLE);
  assert.equal(stderr, "-:3:3: RL102 drop the output (lossy)\nFixed: 1 change. No errors remain.\n");
  assert.equal(status, 0);
});

test("fix -w keeps a backup, and leaves alone what was written just now", () => {
  writeFileSync(file, BROKEN);
  const fresh = run(["fix", "-w", file]);
  assert.deepEqual([fresh.status, readFileSync(file, "utf8")], [2, BROKEN]);
  assert.match(fresh.stderr, /changed in the last 10 seconds/);
  utimesSync(file, new Date(0), new Date(0));
  assert.equal(run(["fix", "-w", file]).status, 0);
  assert.equal(readFileSync(file, "utf8"), WHOLE);
  assert.equal(readFileSync(`${file}.bak`, "utf8"), BROKEN);
  writeFileSync(file, BROKEN);
  assert.equal(run(["fix", "-w", "--force", file]).status, 0);
  assert.ok(existsSync(`${file}.bak.1`));
  assert.deepEqual(readdirSync(folder).filter((name) => name.endsWith(".tmp")), []);
});

test("-o replaces nothing without --force", () => {
  writeFileSync(file, BROKEN);
  const to = join(folder, "new.json");
  assert.equal(run(["fix", "-o", to, file]).status, 0);
  assert.equal(readFileSync(to, "utf8"), WHOLE);
  assert.equal(run(["fix", "-o", to, file]).status, 2);
  assert.equal(run(["fix", "-o", to, "--force", file]).status, 0);
});

test("convert and diff", () => {
  const converted = run(["convert", "--to", "chat"], WHOLE);
  assert.equal(converted.stdout, '{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}\n');
  assert.equal(converted.status, 0);
  writeFileSync(file, BROKEN);
  const other = join(folder, "other.json");
  writeFileSync(other, WHOLE);
  const { status, stdout } = run(["diff", file, other]);
  assert.equal(stdout, "removed function_call_output call_1 /input/1\n");
  assert.equal(status, 1);
  assert.equal(run(["diff", other, other]).status, 0);
});

test("commands that open no file are those of the library", () => {
  assert.match(run(["explain", "RL102"]).stdout, /orphan-output/);
  assert.match(run(["targets"]).stdout, /anthropic/);
  assert.match(run(["--version"]).stdout, /^replaylint \d+\.\d+\.\d+\n$/);
  assert.equal(run(["--help"]).status, 0);
});

test("misuse and what cannot be read exit with 2", () => {
  for (const args of [[], ["chekc"], ["check", "--tagret", "x"], ["check", join(folder, "none.json")], ["check", folder],
    ["check", "--target", "antropic"], ["convert"], ["diff", file], ["check", "--output-format", "xml"], ["fix", "-w"]]) {
    const { status, stderr } = run(args, WHOLE);
    assert.equal(status, 2, `${args}: ${stderr}`);
    assert.doesNotMatch(stderr, /at file:|node:internal/, `${args}`);
  }
  assert.equal(run(["check"], '{"unknown": true}').status, 2);
});
