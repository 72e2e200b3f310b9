// Writes a session with pi's own session manager, and reads one back: `pi.mjs write FILE`, `pi.mjs resume FILE`.

import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Packages are not beside this file.
const packages = new URL("../../target/writers/node_modules/", import.meta.url);
const { SessionManager } = await import(new URL("@mariozechner/pi-coding-agent/dist/index.js", packages));

const [, , verb, file] = process.argv;

const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

function answer(content, stopReason) {
  const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };
  return { role: "assistant", content, ...model, usage, stopReason, timestamp: 1 };
}

function asked(text) {
  return { role: "user", content: [{ type: "text", text }], timestamp: 1 };
}

function gave(id, text) {
  const content = [{ type: "text", text }];
  return { role: "toolResult", toolCallId: id, toolName: "read", content, isError: false, timestamp: 1 };
}

if (verb === "write") {
  const session = SessionManager.create("/work", mkdtempSync(join(tmpdir(), "pi-")));
  session.appendMessage(asked("What is here?"));
  const calls = ["toolu_1", "toolu_2"].map((id) => ({ type: "toolCall", id, name: "read", arguments: { path: id } }));
  session.appendMessage(answer(calls, "toolUse"));
  session.appendMessage(gave("toolu_1", "one"));
  session.appendMessage(gave("toolu_2", "two"));
  session.appendMessage(answer([{ type: "text", text: "Two files." }], "stop"));
  session.appendMessage(asked("Thanks"));
  session.appendMessage(answer([{ type: "text", text: "You are welcome." }], "stop"));
  cpSync(session.getSessionFile(), file);
} else {
  const { messages } = SessionManager.open(file).buildSessionContext();
  console.log(JSON.stringify(messages.map((message) => message.role)));
}
