// The body of each request is repaired right before it is sent. A guard raises nothing of its own, unless it is strict: what it
// cannot judge or repair is sent as it is.

import { fromChat, toChat } from "./ai-sdk.js";
import { endpointOf, pointersOf } from "./endpoints.js";
import { ReplaylintError } from "./replaylint.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The guards, over `fix` of the library. */
export function guards(fix) {
  return {
    guardFetch(fetch, options) {
      // The global one may be replaced later.
      const send = fetch ?? ((...given) => globalThis.fetch(...given));
      const guard = new Guard(fix, options);
      const guarded = async (input, init) => send(...(await guard.request(input, init)));
      return Object.assign(guarded, fetch);
    },

    guardMessages(messages, options) {
      return new Guard(fix, options).messages(messages);
    },

    guardMiddleware(options) {
      const guard = new Guard(fix, options);
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
  constructor(fix, { onChange, reportOnly = false, strict = false, ...options } = {}) {
    // A mistake in the options is one of the programmer, to be reported now.
    const { target, ...others } = options;
    fix('{"messages":[]}', others);
    fix('{"messages":[]}', { target });
    this.fix = fix;
    this.options = options;
    this.onChange = onChange;
    this.reportOnly = reportOnly;
    this.strict = strict;
  }

  /** What is given to `fetch`, with the body repaired. */
  async request(input, init) {
    try {
      const endpoint = endpointOf(input instanceof Request ? input.url : String(input));
      const body = endpoint && (await textOf(input, init));
      if (body === undefined) return [input, init];
      const headers = init?.headers ?? (input instanceof Request ? input.headers : undefined);
      const text = this.#body(body, endpoint, isSigned(headers));
      return text === body ? [input, init] : sent(input, init, headers, text);
    } catch (error) {
      if (this.strict) throw error;
      return [input, init];
    }
  }

  /** Messages, or a prompt, of the AI SDK. */
  messages(messages) {
    try {
      const options = { target: "chat", ...this.options, dialect: "chat", as: "request", name: "messages" };
      const fixed = this.fix(toChat(messages), options);
      return this.#applies(fixed, { format: "model-messages" }) ? fromChat(fixed.value, messages) : messages;
    } catch (error) {
      if (this.strict) throw error;
      return messages;
    }
  }

  #body(text, endpoint, signed) {
    const body = JSON.parse(text);
    if (endpoint.needs !== undefined && !(endpoint.needs in body)) return text;
    const { format, path, target, model } = endpoint;
    for (const pointer of pointersOf(body, endpoint)) {
      const options = { target, model, ...this.options, format, as: "request", name: "request", ...(pointer && { pointer }) };
      const fixed = this.fix(text, options);
      if (this.#applies(fixed, { format, path, signed })) text = fixed.value;
    }
    return text;
  }

  // Reports a repair, and says whether it is made: only where nothing remains that the provider would refuse.
  #applies({ value: _, ...report }, { format, path, signed = false }) {
    const { errors } = report.summary;
    const applied = report.changed && errors === 0 && !this.reportOnly && !signed;
    if (report.changed || errors > 0) this.#report({ ...report, format, path, applied });
    if (this.strict && errors > 0) {
      const { rule, pointer } = report.diagnostics.find(({ severity }) => severity === "error");
      throw new ReplaylintError(`the request would be refused, and cannot be repaired: ${rule} at ${pointer}`, "the report of onChange has the rest");
    }
    if (this.strict && signed && report.changed) {
      throw new ReplaylintError("the request was signed before it could be repaired", "guard its messages instead");
    }
    return applied;
  }

  #report(report) {
    try {
      this.onChange?.(report);
    } catch (error) {
      if (this.strict) throw error;
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
  const body = init?.body == null || typeof init.body === "string" ? text : encoder.encode(text);
  if (init?.body == null) return [new Request(input, { body: text, headers: left }), init];
  return [input, { ...init, body, headers: left }];
}
