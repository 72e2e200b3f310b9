/**
 * Kode: the messages that its loop hands to the model, in place of its own `normalizeMessagesForAPI`. What is left out of a
 * request stays in the session.
 */

import { convert, fix } from "replaylint";

/** A message as Kode holds it in memory: of the user, of the model, or of a tool that reports while it runs. */
export interface KodeMessage {
  type: "user" | "assistant" | "progress";
  uuid: string;
  isApiErrorMessage?: boolean;
  message?: { role: "user" | "assistant"; content: string | object[]; id?: string; model?: string };
}

export interface ApiMessage {
  role: "user" | "assistant";
  content: string | object[];
}

/** In order, without errors of the API, parts of one answer together, and every call with its result. */
export function messagesForApi(messages: readonly KodeMessage[]): ApiMessage[] {
  // Lines of a session, each linked to the one before.
  const lines = messages.map((message, n) => JSON.stringify({ ...message, parentUuid: messages[n - 1]?.uuid ?? null }));
  const repaired = fix(lines.join("\n"), { format: "kode-session", as: "request", orphans: "drop" });
  const [request] = convert(repaired.value, "anthropic", { format: "kode-session" }).requests;
  return (request?.messages ?? []) as ApiMessage[];
}
