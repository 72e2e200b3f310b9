// Every call of the SDKs that sends a conversation: how each is made with `fetch`, and where it goes. The table of
// docs/javascript.md has the same rows.

const ORPHAN = {
  responses: [
    { role: "user", content: "What is the weather in Rome?" },
    { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" },
    { role: "user", content: "And in Oslo?" },
  ],
  chat: [
    { role: "user", content: "What is the weather in Rome?" },
    { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }] },
    { role: "user", content: "And in Oslo?" },
  ],
  anthropic: [
    { role: "user", content: "What is the weather in Rome?" },
    { role: "assistant", content: [{ type: "text", text: "I look." }, { type: "tool_use", id: "toolu_1", name: "weather", input: {} }] },
    { role: "user", content: "And in Oslo?" },
  ],
  gemini: [
    { role: "user", parts: [{ text: "What is the weather in Rome?" }] },
    { role: "user", parts: [{ functionResponse: { name: "weather", response: { degrees: 22 } } }] },
    { role: "user", parts: [{ text: "And in Oslo?" }] },
  ],
  // What a window leaves that begins behind a call. A call without a result is refused by the AI SDK itself. Its version 4 has
  // `result` for `output`, and `parameters` for `inputSchema`.
  ai: [
    { role: "user", content: "What is the weather in Rome?" },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "call_1", toolName: "weather", result: "22", output: { type: "text", value: "22" } }] },
    { role: "user", content: "And in Oslo?" },
  ],
};

const GPT = "gpt-5";
// Version 4 of the AI SDK sends a temperature, which models that reason refuse.
const PLAIN = "gpt-4.1";
const CLAUDE = "claude-sonnet-4-5";
const GEMINI = "gemini-2.5-pro";

async function drained(stream) {
  for await (const _ of await stream) continue;
}

const responses = { model: GPT, input: ORPHAN.responses };
const chat = { model: GPT, messages: ORPHAN.chat };
const messages = { model: CLAUDE, max_tokens: 64, messages: ORPHAN.anthropic };
const counted = { model: CLAUDE, messages: ORPHAN.anthropic };
const contents = { model: GEMINI, contents: ORPHAN.gemini };
const batch = { requests: [{ custom_id: "one", params: messages }, { custom_id: "two", params: { ...messages, messages: [{ role: "user", content: "Hi." }] } }] };
const history = ORPHAN.gemini.slice(0, 2);

/** `make` gives a client that sends with `fetch` to the provider at `url`, of the `modules` of a major version. */
export const SDKS = {
  openai: {
    majors: [7, 6, 5, 4],
    make({ default: OpenAI, AzureOpenAI }, { url, fetch }) {
      const options = { apiKey: "none", maxRetries: 0, fetch };
      const azure = new AzureOpenAI({ ...options, endpoint: url, apiVersion: "2025-03-01-preview" });
      return Object.assign(new OpenAI({ ...options, baseURL: `${url}/v1` }), { azure });
    },
  },
  "@anthropic-ai/sdk": {
    majors: [1, 0],
    make: ({ default: Anthropic }, { url, fetch }) => new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0, fetch }),
  },
  "@google/genai": {
    majors: [3, 2, 1],
    make: ({ GoogleGenAI }, { url, fetch }) => new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url, fetch, retryOptions: { attempts: 1 } } }),
    // Version 1 takes no `fetch`: the global one is replaced.
    replaced: [1],
  },
  ai: {
    majors: [7, 6, 5, 4],
    make: (ai, given) => ({ ...ai, ...given }),
  },
};

// The providers of the AI SDK have majors of their own.
const AI_PARTS = { "@ai-sdk/openai": 3, "@ai-sdk/anthropic": 3, "@ai-sdk/google": 3, "@ai-sdk/amazon-bedrock": 2 };

/** The packages of a major version of an SDK: the name that they are installed under, what is installed, and its version. */
export function packages(sdk, major) {
  const alias = (name) => `${name.replace("@", "").replace("/", "-")}-${major}`;
  const parts = sdk === "ai" ? Object.entries(AI_PARTS).map(([name, behind]) => ({ alias: alias(name), name, version: major - behind })) : [];
  return [{ alias: alias(sdk), name: sdk, version: major }, ...parts];
}

/** The modules of a major version of an SDK, as one. */
export async function load(sdk, major) {
  const modules = await Promise.all(packages(sdk, major).map(({ alias }) => import(alias)));
  return Object.assign({}, ...modules);
}

const all = (sdk) => SDKS[sdk].majors;
const since = (sdk, major) => all(sdk).filter((own) => own >= major);

const openai = (call, path, run, majors = all("openai")) => ({ sdk: "openai", call, path, run, majors });
const anthropic = (call, path, run, majors = all("@anthropic-ai/sdk")) => ({ sdk: "@anthropic-ai/sdk", call, path, run, majors });
const google = (call, path, run, majors = all("@google/genai")) => ({ sdk: "@google/genai", call, path, run, majors });

function ai(provider, path, streamed, model, majors = all("ai")) {
  const call = (which) => (client) => {
    // Without tools some providers leave out calls and results.
    const schema = client.jsonSchema({ type: "object", properties: {}, additionalProperties: false });
    const tools = { weather: { inputSchema: schema, parameters: schema } };
    const options = { model: model(client), tools, messages: ORPHAN.ai, maxRetries: 0 };
    if (which === "generateText") return client.generateText(options);
    return failing(client.streamText({ ...options, onError() {} }).fullStream);
  };
  return [
    { sdk: "ai", call: `generateText, ${provider}`, path, run: call("generateText"), majors },
    { sdk: "ai", call: `streamText, ${provider}`, path: streamed, run: call("streamText"), majors },
  ];
}

async function failing(stream) {
  for await (const part of stream) if (part.type === "error") throw part.error;
}

export const ENDPOINTS = [
  openai("responses.create", "/responses", (client) => client.responses.create(responses)),
  openai("responses.create, stream", "/responses", (client) => drained(client.responses.create({ ...responses, stream: true }))),
  openai("responses.stream", "/responses", (client) => client.responses.stream(responses).finalResponse(), since("openai", 5)),
  openai("responses.parse", "/responses", (client) => client.responses.parse(responses)),
  openai("responses.compact", "/responses/compact", (client) => client.responses.compact(responses), since("openai", 6)),
  openai("responses.inputTokens.count", "/responses/input_tokens", (client) => client.responses.inputTokens.count(responses), since("openai", 6)),
  openai("decisions.create", "/decisions", (client) => client.decisions.create({ ...responses, questions: [] }), since("openai", 7)),
  openai("chat.completions.create", "/chat/completions", (client) => client.chat.completions.create(chat)),
  openai("chat.completions.create, stream", "/chat/completions", (client) => drained(client.chat.completions.create({ ...chat, stream: true }))),
  openai("chat.completions.stream", "/chat/completions", (client) => client.chat.completions.stream(chat).finalChatCompletion(), since("openai", 5)),
  openai("chat.completions.parse", "/chat/completions", (client) => client.chat.completions.parse(chat), since("openai", 5)),
  openai("beta.chat.completions.stream", "/chat/completions", (client) => client.beta.chat.completions.stream(chat).finalChatCompletion(), [4]),
  openai("beta.chat.completions.parse", "/chat/completions", (client) => client.beta.chat.completions.parse(chat), [4]),
  openai("post", "/chat/completions", (client) => client.post("/chat/completions", { body: chat })),
  openai("AzureOpenAI: responses.create", "/responses", ({ azure }) => azure.responses.create(responses)),
  openai("AzureOpenAI: chat.completions.create", "/chat/completions", ({ azure }) => azure.chat.completions.create(chat)),
  anthropic("messages.create", "/messages", (client) => client.messages.create(messages)),
  anthropic("messages.create, stream", "/messages", (client) => drained(client.messages.create({ ...messages, stream: true }))),
  anthropic("messages.stream", "/messages", (client) => client.messages.stream(messages).finalMessage()),
  anthropic("messages.parse", "/messages", (client) => client.messages.parse(messages)),
  anthropic("messages.countTokens", "/messages/count_tokens", (client) => client.messages.countTokens(counted)),
  anthropic("messages.batches.create", "/messages/batches", (client) => client.messages.batches.create(batch)),
  anthropic("beta.messages.create", "/messages", (client) => client.beta.messages.create(messages)),
  anthropic("beta.messages.stream", "/messages", (client) => client.beta.messages.stream(messages).finalMessage()),
  anthropic("beta.messages.countTokens", "/messages/count_tokens", (client) => client.beta.messages.countTokens(counted)),
  anthropic("beta.messages.batches.create", "/messages/batches", (client) => client.beta.messages.batches.create(batch)),
  google("models.generateContent", ":generateContent", (client) => client.models.generateContent(contents)),
  google("models.generateContentStream", ":streamGenerateContent", (client) => drained(client.models.generateContentStream(contents))),
  google("models.countTokens", ":countTokens", (client) => client.models.countTokens(contents)),
  google("chats.sendMessage", ":generateContent", (client) => client.chats.create({ model: GEMINI, history }).sendMessage({ message: "And?" })),
  google("chats.sendMessageStream", ":streamGenerateContent", (client) => drained(client.chats.create({ model: GEMINI, history }).sendMessageStream({ message: "And?" }))),
  google("batches.create", ":batchGenerateContent", (client) => client.batches.create({ model: GEMINI, src: [{ contents: ORPHAN.gemini }] })),
  ...ai("@ai-sdk/openai responses", "/responses", "/responses", ({ createOpenAI, url, fetch }) => createOpenAI({ apiKey: "none", baseURL: `${url}/v1`, fetch }).responses(PLAIN)),
  ...ai("@ai-sdk/openai chat", "/chat/completions", "/chat/completions", ({ createOpenAI, url, fetch }) => createOpenAI({ apiKey: "none", baseURL: `${url}/v1`, fetch }).chat(PLAIN)),
  ...ai("@ai-sdk/anthropic", "/messages", "/messages", ({ createAnthropic, url, fetch }) => createAnthropic({ apiKey: "none", baseURL: `${url}/v1`, fetch })(CLAUDE)),
  ...ai("@ai-sdk/google", ":generateContent", ":streamGenerateContent", ({ createGoogleGenerativeAI, url, fetch }) => createGoogleGenerativeAI({ apiKey: "none", baseURL: `${url}/v1beta`, fetch })(GEMINI)),
  // For version 4 of the AI SDK Bedrock has no API keys: everything is signed.
  ...ai("@ai-sdk/amazon-bedrock", "/converse", "/converse-stream", ({ createAmazonBedrock, url, fetch }) => createAmazonBedrock({ apiKey: "none", region: "us-east-1", baseURL: url, fetch })("anthropic.claude-sonnet-4-5-20250929-v1:0"), since("ai", 5)),
];

/** The rows of the table in the docs. */
export function rows() {
  return ENDPOINTS.map(({ sdk, majors, call, path }) => [sdk, majors.toSorted((a, b) => a - b).join(", "), call, path]);
}
