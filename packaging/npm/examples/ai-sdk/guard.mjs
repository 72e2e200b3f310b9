// Middleware for the Vercel AI SDK that repairs the prompt right before it is sent:
//
//   const model = wrapLanguageModel({ model: openai.chat("gpt-5"), middleware: replaylintGuard() });
//
// Only the order and the ids of messages, calls and results are shown to replaylint; their contents stay where they are.

import { fix } from "replaylint";

/**
 * @param {{ onRepair?: (report: import("replaylint").Fixed<object[]>) => void } & import("replaylint").FixOptions} [options]
 */
export function replaylintGuard({ onRepair, ...options } = {}) {
  return {
    specificationVersion: "v3",
    async transformParams({ params }) {
      const fixed = fix(toChat(params.prompt), { dialect: "chat", target: "chat", as: "request", ...options });
      if (!fixed.changed) return params;
      onRepair?.(fixed);
      return { ...params, prompt: fromChat(fixed.value, params.prompt) };
    },
  };
}

// A prompt as Chat messages; the content of each says which message, or which result, it is.
function toChat(prompt) {
  return prompt.flatMap((message, m) => {
    const content = `#${m}`;
    if (message.role === "tool") {
      return message.content.flatMap((part, p) =>
        part.type === "tool-result" ? [{ role: "tool", tool_call_id: part.toolCallId, content: `#${m}.${p}` }] : []);
    }
    if (message.role !== "assistant") return [{ role: message.role, content }];
    const calls = message.content.filter(isCall).map((part) => ({
      id: part.toolCallId,
      type: "function",
      function: { name: part.toolName, arguments: "{}" },
    }));
    return [{ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) }];
  });
}

// What the provider runs itself is not answered by the client.
function isCall(part) {
  return part.type === "tool-call" && !part.providerExecuted;
}

// The messages of the prompt that are left, in their order, with the calls and results that are left.
function fromChat(messages, prompt) {
  const names = new Map(prompt.flatMap(({ content }) => (Array.isArray(content) ? content : []).filter(isCall))
    .map((part) => [part.toolCallId, part.toolName]));
  const out = [];
  for (const { role, content, tool_calls: calls = [], tool_call_id: id } of messages) {
    const [, m, p] = /^#(\d+)(?:\.(\d+))?$/.exec(content) ?? [];
    const own = prompt[m];
    if (role === "tool") {
      // A result that replaylint added says what it is.
      const part = own?.content[p] ?? { type: "tool-result", toolCallId: id, toolName: names.get(id), output: { type: "error-text", value: content } };
      if (out.at(-1)?.role === "tool") out.at(-1).content.push(part);
      else out.push({ ...own, role: "tool", content: [part] });
    } else if (role === "assistant" && own) {
      const left = new Set(calls.map((call) => call.id));
      const parts = own.content.filter((part) => !isCall(part) || left.has(part.toolCallId));
      if (parts.length > 0) out.push({ ...own, content: parts });
    } else if (own) {
      out.push(own);
    }
  }
  return out;
}
