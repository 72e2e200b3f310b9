// Vercel AI SDK: the messages are repaired before the call, because the SDK itself refuses a call without a result; the middleware
// repairs what a step of an agent, or other middleware, makes of them.

import { generateText, wrapLanguageModel } from "ai";
import { guardMessages, guardMiddleware } from "replaylint";

export function ask(model, messages, options) {
  const guarded = wrapLanguageModel({ model, middleware: guardMiddleware(options) });
  return generateText({ model: guarded, messages: guardMessages(messages, options) });
}
