// The library on objects, texts and bytes, over functions on bytes and JSON.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class ReplaylintError extends Error {
  constructor(message, help) {
    super(help ? `${message} (${help})` : message);
    this.name = "ReplaylintError";
    this.help = help ?? undefined;
  }
}

// What was given, as bytes. Lists and objects are written as JSON.
function documentOf(input) {
  if (typeof input === "string") return { kind: "text", bytes: encoder.encode(input), list: false };
  if (input instanceof Uint8Array) return { kind: "bytes", bytes: input, list: false };
  if (input instanceof ArrayBuffer) return { kind: "bytes", bytes: new Uint8Array(input), list: false };
  if (input === null || typeof input !== "object") {
    throw new TypeError("a text, bytes, an object or a list is expected");
  }
  return { kind: "object", bytes: encoder.encode(JSON.stringify(input)), list: Array.isArray(input) };
}

// `engine` calls a function of the WebAssembly; see node.js and web.js.
export function library(engine) {
  function call(name, ...given) {
    try {
      return engine(name, given);
    } catch (error) {
      if (typeof error !== "string") throw error;
      const { message, help } = JSON.parse(error);
      throw new ReplaylintError(message, help);
    }
  }

  const optionsOf = (options) => JSON.stringify(options ?? {});

  return {
    version: () => call("version"),

    check(input, options) {
      const { bytes, list } = documentOf(input);
      return JSON.parse(call("check", bytes, optionsOf(options), list));
    },

    fix(input, options) {
      const { kind, bytes, list } = documentOf(input);
      const fixed = call("fix", bytes, optionsOf(options), list);
      const { text } = fixed;
      const report = JSON.parse(fixed.report);
      fixed.free();
      if (text === undefined) return { value: input, changed: false, ...report };
      const value = kind === "bytes" ? text : kind === "text" ? decoder.decode(text) : JSON.parse(decoder.decode(text));
      return { value, changed: true, ...report };
    },

    // What is sent instead of the body of a request, and what is to be said of it; for the guards.
    request(url, text, options, repairs) {
      const checked = call("check_request", url, encoder.encode(text), optionsOf(options), repairs);
      const { text: body } = checked;
      const said = JSON.parse(checked.report);
      checked.free();
      return { text: body === undefined ? text : decoder.decode(body), ...said };
    },

    convert(input, to, options) {
      const { bytes, list } = documentOf(input);
      return JSON.parse(call("convert", bytes, to, optionsOf(options), list));
    },

    diff(before, after, options) {
      const [old, changed] = [documentOf(before), documentOf(after)];
      return JSON.parse(call("diff", old.bytes, changed.bytes, optionsOf(options), old.list && changed.list));
    },

    explain: (message) => JSON.parse(call("run", ["explain", "--output-format", "json", `--error=${message}`])),

    // The data of the page to look at, for the playground.
    page(input, options, { fixed = false, content = false } = {}) {
      return JSON.parse(call("page", documentOf(input).bytes, optionsOf(options), fixed, content));
    },

    // A command that opens no file.
    run: (...args) => call("run", args),
  };
}
