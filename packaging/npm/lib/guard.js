// What is about to be sent is repaired right before. A guard raises nothing of its own, unless it is strict: what it cannot judge or
// repair is sent as it is.

import { fromChat, toChat } from "./ai-sdk.js";
import { ReplaylintError } from "./replaylint.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The guards, over the functions of the library. */
export function guards(library) {
  return {
    guardFetch(fetch, options) {
      // The global one may be replaced later.
      const send = fetch ?? ((...given) => globalThis.fetch(...given));
      const guard = new Guard(library, options);
      const guarded = async (input, init) => send(...(await guard.request(input, init)));
      return Object.assign(guarded, fetch);
    },

    guardMessages(messages, options) {
      return new Guard(library, options).messages(messages);
    },

    guardMiddleware(options) {
      const guard = new Guard(library, options);
      return {
        specificationVersion: "v3",
        async transformParams({ params }) {
          const prompt = guard.messages(params.prompt);
          return prompt === params.prompt ? params : { ...params, prompt };
        },
      };
    },
  };
}

class Guard {
  constructor(library, { onChange, reportOnly = false, strict = false, ...options } = {}) {
    // A mistake in the options is one of the programmer, to be reported now.
    library.request("https://localhost/chat/completions", "{}", options, true);
    Object.assign(this, { library, options, onChange, reportOnly, strict });
  }

  /** What is given to `fetch`, with the body repaired. */
  async request(input, init) {
    try {
      const text = await textOf(input, init);
      if (text === undefined) return [input, init];
      const { href } = new URL(input instanceof Request ? input.url : input, "http://localhost");
      const headers = init?.headers ?? (input instanceof Request ? input.headers : undefined);
      const repairs = !this.reportOnly && !isSigned(headers);
      const checked = this.library.request(href, text, this.options, repairs);
      for (const report of checked.found) this.#say(report, checked.endpoint);
      return checked.text === text ? [input, init] : sent(input, init, headers, checked.text);
    } catch (error) {
      if (this.strict) throw error;
      return [input, init];
    }
  }

  /** Messages, or a prompt, of the AI SDK. */
  messages(messages) {
    try {
      const chat = toChat(messages);
      const left = this.#judged(chat);
      return left === chat ? messages : fromChat(left, messages);
    } catch (error) {
      if (this.strict) throw error;
      return messages;
    }
  }

  // Chat messages to send: a repair is made only where nothing remains that the provider would refuse.
  #judged(chat) {
    const options = { target: "chat", ...this.options, dialect: "chat", as: "request", name: "messages" };
    if (!this.reportOnly) {
      const { value, changed, ...report } = this.library.fix(chat, options);
      if (report.summary.errors === 0) {
        if (changed) this.#say(report, options.name);
        return value;
      }
    }
    const report = this.library.check(chat, options);
    if (report.summary.errors > 0) this.#say({ ...report, changes: [] }, options.name);
    return chat;
  }

  #say(report, endpoint) {
    try {
      this.onChange?.({ ...report, endpoint });
    } catch (error) {
      if (this.strict) throw error;
    }
    const refused = report.diagnostics.find(({ severity }) => severity === "error");
    if (this.strict && refused !== undefined) {
      throw new ReplaylintError(`${endpoint}: the request would be refused: ${refused.rule} at ${refused.pointer || "/"}`);
    }
  }
}

/** The text of a body in JSON; nothing for any other, and for a stream. */
async function textOf(input, init) {
  const own = init?.body ?? undefined;
  if (typeof own === "string") return json(own);
  if (own instanceof ArrayBuffer || ArrayBuffer.isView(own)) return json(decoder.decode(own));
  // The body of a request object can be read once; a copy is read.
  if (own === undefined && input instanceof Request && input.headers.get("content-type")?.includes("json")) {
    return json(await input.clone().text());
  }
}

function json(text) {
  return /^\s*\{/.test(text) ? text : undefined;
}

// A signature of AWS covers the body.
function isSigned(headers) {
  return headers !== undefined && (new Headers(headers).get("authorization") ?? "").startsWith("AWS4-");
}

function sent(input, init, headers, text) {
  const left = new Headers(headers);
  // `fetch` sets it.
  left.delete("content-length");
  if (init?.body == null) return [new Request(input, { body: text, headers: left }), init];
  return [input, { ...init, body: typeof init.body === "string" ? text : encoder.encode(text), headers: left }];
}
