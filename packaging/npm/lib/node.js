// The library for Node: ready as soon as it is imported.

import { readFileSync } from "node:fs";

import { engineOf } from "./engine.js";
import { guards } from "./guard.js";
import { ReplaylintError, library } from "./replaylint.js";

const module = new WebAssembly.Module(readFileSync(new URL("../dist/replaylint_bg.wasm", import.meta.url)));
const own = library(engineOf(module));

export const { check, fix, convert, diff, explain, page, run } = own;
export const { guardFetch, guardMessages, guardMiddleware } = guards(own);
export const version = own.version();
export { ReplaylintError };

// Browsers must wait for it; here it is ready.
export default async function init() {}
