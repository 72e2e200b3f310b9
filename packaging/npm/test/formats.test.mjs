// Nothing traps: each stored format of the checkout goes through each function. What traps here has no clock, no files and no
// threads, and works everywhere else.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import * as lint from "../lib/node.js";

const root = fileURLToPath(new URL("../../../testdata/", import.meta.url));
const LARGEST = 1 << 18;
const files = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path);
    return /\.(jsonl?|sse|txt)$/.test(entry.name) && statSync(path).size < LARGEST ? [path] : [];
  });

const calls = {
  check: (text) => lint.check(text),
  fix: (text) => lint.fix(text),
  diff: (text) => lint.diff(text, text),
  "the page of a check": (text) => lint.page(text, {}),
  "the page of a fix": (text) => lint.page(text, {}, { fixed: true, content: true }),
};
for (const dialect of ["responses", "chat", "anthropic", "gemini", "bedrock"]) {
  calls[`convert to ${dialect}`] = (text) => lint.convert(text, dialect);
}

test("no function traps on any stored format", () => {
  const all = ["formats", "readme", "tree", "cases", "broken"].flatMap((folder) => files(join(root, folder)));
  assert.ok(all.length > 200, `${all.length} files`);
  const trapped = [];
  for (const path of all) {
    const text = readFileSync(path);
    for (const [name, call] of Object.entries(calls)) {
      try {
        call(text);
      } catch (error) {
        if (!(error instanceof lint.ReplaylintError)) trapped.push(`${path}: ${name}: ${error}`);
      }
    }
  }
  assert.deepEqual(trapped, []);
});
