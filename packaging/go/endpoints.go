package replaylint

import "regexp"

// endpoint is where conversations are sent to, by the end of the path.
type endpoint struct {
	path *regexp.Regexp
	// not matches paths that end alike, and are something else.
	not    *regexp.Regexp
	format string
	// inside are paths to conversations in the body, of which the first counts that leads somewhere; "*" is each element of a
	// list. None: the body itself.
	inside [][]string
	// needs is a member that the body must have, because other bodies are sent there as well.
	needs string
	// Of a URL: the model and the target that it names.
	model  string
	target string
}

var azure = regexp.MustCompile(`\.(openai|cognitiveservices|services\.ai)\.azure\.com$`)

var endpoints = []endpoint{
	{path: regexp.MustCompile(`/responses(/(compact|input_tokens))?$`), format: "responses-request"},
	{path: regexp.MustCompile(`/chat/completions$`), format: "chat-request"},
	// Messages of threads of OpenAI are items, not conversations.
	{path: regexp.MustCompile(`/messages(/count_tokens)?$`), not: regexp.MustCompile(`/threads/[^/]+/messages$`), format: "anthropic-request"},
	{path: regexp.MustCompile(`/messages/batches$`), format: "anthropic-batch"},
	{path: regexp.MustCompile(`/publishers/anthropic/models/[^/]+:(raw|streamRaw)Predict$`), format: "anthropic-request"},
	{path: regexp.MustCompile(`/models/(?P<model>[^/:]+):(generateContent|streamGenerateContent)$`), format: "gemini-request"},
	{path: regexp.MustCompile(`/models/(?P<model>[^/:]+):countTokens$`), format: "gemini-request", inside: [][]string{{"generateContentRequest"}, {}}},
	{path: regexp.MustCompile(`/models/(?P<model>[^/:]+):batchGenerateContent$`), format: "gemini-request", inside: [][]string{
		{"batch", "inputConfig", "requests", "requests", "*", "request"},
		{"batch", "input_config", "requests", "requests", "*", "request"},
	}},
	{path: regexp.MustCompile(`/model/(?P<model>[^/]+)/converse(-stream)?$`), format: "bedrock-request"},
	{path: regexp.MustCompile(`/model/(?P<model>[^/]+)/count-tokens$`), format: "bedrock-request", inside: [][]string{{"input", "converse"}}},
	// What else is invoked has a body of its own for each maker of models.
	{path: regexp.MustCompile(`/model/(?P<model>[^/]+)/invoke(-with-response-stream)?$`), format: "anthropic-request", needs: "anthropic_version"},
}
