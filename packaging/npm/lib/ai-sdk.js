// Messages of the AI SDK, as far as the order of calls and results is concerned: only the order and the ids of messages, calls
// and results are shown to replaylint; what they contain, files among it, stays where it is.

/** Messages as Chat messages; the content of each says which message, or which result, it is. */
export function toChat(messages) {
  const open = openApprovals(messages);
  return messages.flatMap((message, m) => {
    const content = `#${m}`;
    const parts = partsOf(message);
    if (message.role === "tool") {
      return parts.flatMap((part, p) => (part.type === "tool-result" ? [{ role: "tool", tool_call_id: part.toolCallId, content: `#${m}.${p}` }] : []));
    }
    if (message.role !== "assistant") return [{ role: message.role, content }];
    const calls = parts.filter((part) => isCall(part) && !open.has(part.toolCallId)).map((part) => ({
      id: part.toolCallId,
      type: "function",
      function: { name: part.toolName, arguments: "{}" },
    }));
    return [{ role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) }];
  });
}

/** The messages that are left, in their order, with the calls and results that are left. */
export function fromChat(chat, messages) {
  const open = openApprovals(messages);
  const calls = new Map(messages.flatMap(partsOf).filter(isCall).map((part) => [part.toolCallId, part]));
  const out = [];
  const placed = new Set();
  for (const { role, content, tool_calls: left = [], tool_call_id: id } of chat) {
    const [, m, p] = /^#(\d+)(?:\.(\d+))?$/.exec(content) ?? [];
    const own = messages[m];
    if (role === "tool") {
      const part = own?.content[p] ?? added(calls.get(id), content);
      const others = own && !placed.has(m) ? own.content.filter(({ type }) => type !== "tool-result") : [];
      placed.add(m);
      if (out.at(-1)?.role === "tool") out.at(-1).content.push(...others, part);
      else out.push({ ...own, role: "tool", content: [...others, part] });
    } else if (role === "assistant" && Array.isArray(own?.content)) {
      const ids = new Set(left.map((call) => call.id));
      const parts = own.content.filter((part) => !isCall(part) || ids.has(part.toolCallId) || open.has(part.toolCallId));
      if (parts.length > 0) out.push({ ...own, content: parts });
    } else if (own) {
      out.push(own);
    }
  }
  // Answers to approvals, which the SDK takes from the last message.
  const last = messages.length - 1;
  if (messages[last]?.role === "tool" && !placed.has(String(last))) {
    const others = messages[last].content.filter(({ type }) => type !== "tool-result");
    if (others.length > 0) out.push({ ...messages[last], content: others });
  }
  return out;
}

function partsOf({ content }) {
  return Array.isArray(content) ? content : [];
}

// What the provider runs itself is not answered by the client.
function isCall(part) {
  return part.type === "tool-call" && !part.providerExecuted;
}

// Calls that wait for an approval, or were approved and not yet run: the SDK runs them before it sends anything.
function openApprovals(messages) {
  const parts = messages.flatMap(partsOf);
  const answered = new Set(parts.filter(({ type }) => type === "tool-result").map((part) => part.toolCallId));
  const asked = parts.filter(({ type }) => type === "tool-approval-request").map((part) => part.toolCallId);
  return new Set(asked.filter((id) => !answered.has(id)));
}

// A result that replaylint added says what it is. Before version 5 of the SDK calls have `args`, and results `result`.
function added(call, text) {
  const result = { type: "tool-result", toolCallId: call.toolCallId, toolName: call.toolName };
  return "args" in call ? { ...result, result: text, isError: true } : { ...result, output: { type: "error-text", value: text } };
}
