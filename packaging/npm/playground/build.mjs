// Puts the playground together: the page of --output-format html, the WebAssembly and its JavaScript, in one file.
// node packaging/npm/playground/build.mjs [FILE]; packaging/npm/build.sh makes what it needs. By default docs/playground.html.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const at = (path) => new URL(path, import.meta.url);
const read = (path) => readFileSync(at(path), "utf8");
const to = process.argv[2] ?? fileURLToPath(at("../../../docs/playground.html"));

const page = "../../../src/report/html/page/";
const scripts = ["list.js", "model.js", "row.js", "arcs.js", "page.js"].map((name) => read(page + name)).join("");
const wasm = gzipSync(readFileSync(at("../dist/replaylint_bg.wasm")), { level: 9 }).toString("base64");

// One script has no modules to import: what they export are its own names.
const plain = (source) => source.replace(/^import .*$/gm, "").replace(/^export (default )?(?=(async )?(function|class|const|let)\b)/gm, "").replace(/^export \{[^}]*\};?$/gm, "");
const glue = `const glue = (() => {\n${plain(read("../dist/replaylint.js"))}\nreturn { initSync, default: __wbg_init, forget, version, check, fix, convert, diff, page, run };\n})();\n`;
const script = [glue, plain(read("../lib/engine.js")), plain(read("../lib/replaylint.js")), read("playground.js")].join("\n");
const isSafe = (source) => !/<\/script/i.test(source);
if (![scripts, script].every(isSafe)) throw new Error("a script holds its own end");

const style = read(page + "page.css") + read("playground.css");
const module = `\n${script}`;
const hash = (text) => createHash("sha256").update(text).digest("base64");
const html = read(page + "page.html")
  // The playground runs WebAssembly, and a module besides the page's script.
  .replace("/*SCRIPT-HASH*/'", () => `${hash(scripts)}' 'sha256-${hash(module)}' 'wasm-unsafe-eval'`)
  .replace("/*STYLE-HASH*/", () => hash(style))
  .replace("<title>replaylint</title>", "<title>replaylint playground</title>")
  .replace("/*STYLE*/", () => style)
  .replace('<script type="application/json" id="data">/*DATA*/</script>', () => `<script type="text/plain" id="wasm">${wasm}</script>`)
  .replace("/*SCRIPT*/", () => scripts)
  .replace("</body>", () => `<script type="module">${module}</script>\n</body>`);
writeFileSync(to, html);
console.log(`${to}: ${(html.length / 1e6).toFixed(2)} MB`);
