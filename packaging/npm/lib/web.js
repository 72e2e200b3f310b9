// The library for browsers: `await init()` before the first call.

import { engineFor } from "./engine.js";
import { guards } from "./guard.js";
import { ReplaylintError, library } from "./replaylint.js";

let engine = null;
const own = library((name, given) => {
  if (engine === null) throw new ReplaylintError("replaylint is not ready", "await init() first");
  return engine(name, given);
});

export let version;
export const { check, fix, convert, diff, explain, page, run } = own;
export const { guardFetch, guardMessages, guardMiddleware } = guards(own);
export { ReplaylintError };

// `source`: a URL, a response, bytes or a module; by default the file beside this one.
export default async function init(source = new URL("../dist/replaylint_bg.wasm", import.meta.url)) {
  if (engine !== null) return;
  engine = await engineFor(await compile(await source));
  version = own.version();
}

async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  const response = source instanceof Response ? source : await fetch(source);
  return WebAssembly.compile(await response.arrayBuffer());
}
