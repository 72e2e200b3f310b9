// Which request a URL takes, by the end of its path, and where in the body the conversation is. Everything that is not here is
// none of the guard's business.

/**
 * `format`: what the body is read as. `pointer`: where the conversation is, if it is not the body itself; `*` is each element,
 * and of several pointers those count that lead somewhere.
 *
 * @type {{ path: RegExp, format: string, pointers?: string[], needs?: string }[]}
 */
const ENDPOINTS = [
  { path: /\/responses(\/(compact|input_tokens))?$/, format: "responses-request" },
  // Questions about a conversation.
  { path: /\/decisions$/, format: "responses-request" },
  { path: /\/chat\/completions$/, format: "chat-request" },
  // Messages of OpenAI's threads are items, not conversations.
  { path: /(?<!\/threads\/[^/]+)\/messages(\/count_tokens)?$/, format: "anthropic-request" },
  { path: /\/messages\/batches$/, format: "anthropic-batch" },
  { path: /\/publishers\/anthropic\/models\/[^/]+:(raw|streamRaw)Predict$/, format: "anthropic-request" },
  { path: /\/models\/(?<model>[^/:]+):(generateContent|streamGenerateContent)$/, format: "gemini-request" },
  { path: /\/models\/(?<model>[^/:]+):countTokens$/, format: "gemini-request", pointers: ["/generateContentRequest", ""] },
  { path: /\/models\/(?<model>[^/:]+):batchGenerateContent$/, format: "gemini-request", pointers: ["/batch/inputConfig/requests/requests/*/request", "/batch/input_config/requests/requests/*/request"] },
  { path: /\/model\/(?<model>[^/]+)\/converse(-stream)?$/, format: "bedrock-request" },
  // What else is invoked has a body of its own for each maker of models.
  { path: /\/model\/(?<model>[^/]+)\/invoke(-with-response-stream)?$/, format: "anthropic-request", needs: "anthropic_version" },
  { path: /\/model\/(?<model>[^/]+)\/count-tokens$/, format: "bedrock-request", pointers: ["/input/converse"] },
];

/** The endpoint of a URL; nothing if no conversation is sent there. */
export function endpointOf(url) {
  const { hostname, pathname } = new URL(url, "http://localhost");
  const path = pathname.replace(/\/$/, "");
  for (const { path: pattern, ...endpoint } of ENDPOINTS) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const azure = /\.(openai|cognitiveservices|services\.ai)\.azure\.com$/.test(hostname) && endpoint.format === "responses-request";
    const model = match.groups?.model && decodeURIComponent(match.groups.model);
    return { ...endpoint, name: match[0].split(/\/models?\/[^/:]+/).at(-1).replace(/^[/:]/, ""), ...(azure && { target: "azure" }), ...(model && { model }) };
  }
}

/** The pointers to the conversations of a body. */
export function pointersOf(body, { pointers = [""] }) {
  for (const pointer of pointers) {
    const found = expanded(body, pointer.split("/").slice(1));
    if (found.length > 0) return found;
  }
  return [];
}

function expanded(value, [name, ...rest], before = "") {
  if (name === undefined) return value !== null && typeof value === "object" ? [before] : [];
  if (value === null || typeof value !== "object") return [];
  const names = name === "*" ? Object.keys(value) : name in value ? [name] : [];
  return names.flatMap((own) => expanded(value[own], rest, `${before}/${own}`));
}
