/** What the systems' own repairs are tested with, held against the examples that take their place. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { findingsOf, messagesAt, type ChatMessage } from "./iterate.js";
import { messagesForApi, type ApiMessage, type KodeMessage } from "./kode.js";

interface Named {
  name: string;
  /** What the library does not do yet. */
  todo?: string;
}
interface KodeCase extends Named {
  given: KodeMessage[];
  sent: ApiMessage[];
}
interface IterateCase extends Named {
  events: [offset: number, type: string, payload: object][];
  requests: Record<string, ChatMessage[]>;
  findings?: string[];
}

function cases<C extends Named>(system: string): C[] {
  const folder = process.env.CASES;
  if (folder === undefined) throw new Error("CASES names the folder of the cases");
  return JSON.parse(readFileSync(join(folder, `${system}.json`), "utf8")).cases;
}

const options = ({ todo }: Named) => (todo === undefined ? {} : { todo });

for (const own of cases<KodeCase>("kode")) {
  test(`Kode: ${own.name}`, options(own), () => {
    const blocks = ({ role, content }: ApiMessage) => ({ role, content: typeof content === "string" ? [{ type: "text", text: content }] : content });
    assert.deepEqual(messagesForApi(own.given).map(blocks), own.sent);
  });
}

for (const own of cases<IterateCase>("iterate")) {
  test(`iterate: ${own.name}`, options(own), () => {
    const events = own.events.map(([offset, type, payload]) => ({
      type: `events.iterate.com/${type}`,
      payload,
      offset,
      createdAt: `2026-10-01T08:00:${String(offset).padStart(2, "0")}.000Z`,
    }));
    for (const [offset, messages] of Object.entries(own.requests)) {
      const protocol = messages[0]?.content === "PROTOCOL" ? "PROTOCOL" : undefined;
      assert.deepEqual(messagesAt(events, Number(offset), protocol), messages);
    }
    if (own.findings !== undefined) assert.deepEqual(findingsOf(events), own.findings);
  });
}
