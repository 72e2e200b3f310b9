/**
 * iterate: the messages of the request at an offset of an agent's stream, in place of its own fold, and the requests that a
 * restart finds unfinished.
 */

import { check, convert, fix } from "replaylint";

export interface StreamEvent {
  type: string;
  payload: object;
  offset: number;
  createdAt: string;
}

export interface ChatMessage {
  role: "system" | "developer" | "user" | "assistant";
  content: string | object[];
}

/**
 * What the request at `offset` sends: nothing after it, no answer to a request that was not open any more. `protocol` is the text
 * that contracts from version 4 on put first; it is in the code of the agent, not in the stream.
 */
export function messagesAt(events: readonly StreamEvent[], offset: number, protocol?: string): ChatMessage[] {
  const before = events.filter((event) => event.offset <= offset);
  const [request] = convert(linesOf(before), "chat", { format: "iterate-stream" }).requests;
  const { value } = fix((request?.messages ?? []) as ChatMessage[], { dialect: "chat", as: "request", orphans: "drop" });
  return protocol === undefined ? value : [{ role: "system", content: protocol }, ...value];
}

/** What is wrong with a stream, by the codes of its rules: RL620 is a request to recover. */
export function findingsOf(events: readonly StreamEvent[]): string[] {
  return check(linesOf(events), { format: "iterate-stream", select: ["RL62"] }).diagnostics.map(({ rule }) => rule);
}

function linesOf(events: readonly StreamEvent[]): string {
  return events.map((event) => JSON.stringify(event)).join("\n");
}
