// What the types say of the results; `tsc --strict` reads it, nothing runs it.

import init, { ReplaylintError, check, convert, diff, explain, fix, type Diagnostic, type Fixed, type Options } from "replaylint";

interface Message {
  role: string;
  content: string;
}

const options: Options = { target: "openai", store: false, dialect: "chat", select: ["RL1"] };
const messages: Message[] = [{ role: "user", content: "Hi" }];
const fixed: Fixed<Message[]> = fix(messages, { ...options, orphans: "stub" });
const shrunk: Message[] = fix(messages, { images: "shrink", maxImagePixels: 2000 }).value;
const roles: string[] = fixed.value.map((message) => message.role);
const text: string = fix("{}").value;
const bytes: Uint8Array = fix(new Uint8Array()).value;
const errors: Diagnostic[] = check(text, options).diagnostics.filter(({ severity }) => severity === "error");
const requests: unknown[] = convert(messages, "gemini", options).requests;
const pointer: string | undefined = diff(messages, messages, options).histories[0]?.entries[0]?.after?.pointer;
const rule: string | null | undefined = explain("…").recognised[0]?.rule;
await init();
// @ts-expect-error: there is no such option
check(text, { tagret: "openai" });
// @ts-expect-error: there is no such dialect
convert(text, "latin");
try {
  check(bytes);
} catch (error) {
  if (error instanceof ReplaylintError) console.log(error.help, shrunk, roles, errors, requests, pointer, rule);
}
