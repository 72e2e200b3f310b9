// The guards are what the SDKs take, of each major version; `tsc --strict` reads it, nothing runs it. Version 4 of
// OpenAI's has the types of node-fetch, which the global `fetch` does not fit either, and version 1 of Google's takes none.

import Anthropic1 from "anthropic-ai-sdk-1";
import Anthropic0 from "anthropic-ai-sdk-0";
import { createOpenAI as createOpenAI7 } from "ai-sdk-openai-7";
import { createOpenAI as createOpenAI6 } from "ai-sdk-openai-6";
import { createOpenAI as createOpenAI5 } from "ai-sdk-openai-5";
import { generateText as generateText7, wrapLanguageModel as wrap7, type ModelMessage as Message7 } from "ai-7";
import { generateText as generateText6, wrapLanguageModel as wrap6, type ModelMessage as Message6 } from "ai-6";
import { generateText as generateText5, wrapLanguageModel as wrap5, type ModelMessage as Message5 } from "ai-5";
import { GoogleGenAI as GoogleGenAI3 } from "google-genai-3";
import { GoogleGenAI as GoogleGenAI2 } from "google-genai-2";
import OpenAI7 from "openai-7";
import OpenAI6 from "openai-6";
import OpenAI5 from "openai-5";

import { guardFetch, guardMessages, guardMiddleware } from "replaylint";

const fetch = guardFetch();
export const clients = [
  new OpenAI7({ fetch }), new OpenAI6({ fetch }), new OpenAI5({ fetch }),
  new Anthropic1({ fetch }), new Anthropic0({ fetch }),
  new GoogleGenAI3({ httpOptions: { fetch } }), new GoogleGenAI2({ httpOptions: { fetch } }),
];
const middleware = guardMiddleware();
export const answers = [
  generateText7({ model: wrap7({ model: createOpenAI7({ fetch })("gpt-5"), middleware }), messages: guardMessages<Message7>([]) }),
  generateText6({ model: wrap6({ model: createOpenAI6({ fetch })("gpt-5"), middleware }), messages: guardMessages<Message6>([]) }),
  generateText5({ model: wrap5({ model: createOpenAI5({ fetch })("gpt-5"), middleware }), messages: guardMessages<Message5>([]) }),
];
