// Calls of the WebAssembly. A fault in it leaves it in no known state: then a new instance of the module takes its place.

import * as glue from "../dist/replaylint.js";

function engine(start) {
  return (name, given) => {
    try {
      return glue[name](...given);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        glue.forget();
        start();
      }
      throw error;
    }
  };
}

// Ready at once.
export function engineOf(module) {
  const start = () => glue.initSync({ module });
  start();
  return engine(start);
}

// For browsers, which do not make large instances while the page waits.
export async function engineFor(module) {
  const start = () => glue.default({ module_or_path: module });
  await start();
  return engine(start);
}
