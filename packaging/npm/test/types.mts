// What the types say of the results; `tsc --strict` reads it, nothing runs it.

import init, {
  ReplaylintError, check, convert, diff, explain, fix, guardFetch, guardMessages, guardMiddleware,
  type Diagnostic, type Fixed, type GuardOptions, type GuardReport, type Options,
} from "replaylint";

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
const guard: GuardOptions = { orphans: "drop", reportOnly: true, strict: false, onChange: (report: GuardReport) => console.log(report.endpoint, report.changes.length) };
const guarded: typeof fetch = guardFetch(fetch, guard);
const own: Message[] = guardMessages(messages, guard);
const params: { prompt: Message[]; seed: number } = await guardMiddleware(guard).transformParams({ params: { prompt: own, seed: 1 } });
// @ts-expect-error: the request says what it is
guardFetch(guarded, { format: "chat-request", ...params });
try {
  check(bytes);
} catch (error) {
  if (error instanceof ReplaylintError) console.log(error.help, shrunk, roles, errors, requests, pointer, rule);
}
