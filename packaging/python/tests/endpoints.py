"""Every endpoint of openai, anthropic, google-genai and boto3 that sends a conversation, and how it is called.

The table is the one of docs/python-endpoints.md, and every method of the SDKs that takes a conversation is in it or in
`NOT_GUARDED`. The tests are in test_endpoints.py.
"""

import json

TOOL = {"type": "object", "properties": {"city": {"type": "string"}}}
QUESTION = "What is the weather in Rome?"
AGAIN = {"role": "user", "content": "Are you still there?"}

# Histories whose call was never answered, as each API has them.
RESPONSES = [
    {"role": "user", "content": QUESTION},
    {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": "{}"},
    AGAIN,
]
CHAT = [
    {"role": "user", "content": QUESTION},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}],
    },
    AGAIN,
]
MESSAGES = [
    {"role": "user", "content": QUESTION},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}]},
    AGAIN,
]
CONTENTS = [
    {"role": "user", "parts": [{"text": QUESTION}]},
    {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {}}}]},
    {"role": "user", "parts": [{"text": "Are you still there?"}]},
]
CONVERSE = [
    {"role": "user", "content": [{"text": QUESTION}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "toolu_1", "name": "weather", "input": {}}}]},
    {"role": "user", "content": [{"text": "Are you still there?"}]},
]

GPT = {"model": "gpt-5"}
CLAUDE = {"model": "claude-sonnet-5", "max_tokens": 100}
BEDROCK = "us.anthropic.claude-sonnet-4-20250514-v1:0"
CLAUDE_BODY = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 100, "messages": MESSAGES}
PARAMS = {"custom_id": "one", "params": {**CLAUDE, "messages": MESSAGES}}


def call(path, **arguments):
    """Calls a method by its path. What is a context, or an iterator, is opened."""

    def sync(client):
        result = method(client, path)(**arguments)
        if hasattr(result, "__enter__"):
            with result:
                pass
        elif hasattr(result, "__next__"):
            next(result)

    async def asynchronous(client):
        result = method(client, path)(**arguments)
        if hasattr(result, "__await__"):
            result = await result
        if hasattr(result, "__aenter__"):
            async with result:
                pass
        elif hasattr(result, "__anext__"):
            await result.__anext__()

    return sync, asynchronous


def method(client, path):
    for name in path.split("."):
        client = getattr(client, name)
    return client


def schema():
    pydantic = __import__("pydantic")
    return pydantic.create_model("Answer", city=(str, ...))


def view(path, name, **arguments):
    """The view of an endpoint that returns raw responses."""
    *above, last = path.split(".")
    return call(".".join([*above, name, last]), **arguments)


def post(path, body):
    """A request that no method knows."""

    def sync(client):
        client.post(path, body=body, cast_to=object)

    async def asynchronous(client):
        await client.post(path, body=body, cast_to=object)

    return sync, asynchronous


def copied(path, **arguments):
    """A copy of the client, which shares its connections."""
    sync, asynchronous = call(path, **arguments)
    return lambda client: sync(client.with_options(timeout=9)), lambda client: asynchronous(client.with_options(timeout=9))


def chat_of(client):
    types = __import__("google.genai.types", fromlist=["types"])
    return client.chats.create(model="gemini-3-pro-preview", history=[types.Content(**one) for one in contents(CONTENTS[:2])])


def contents(items):
    """Contents by the names that the models of google-genai have in Python."""
    return json.loads(json.dumps(items).replace("functionCall", "function_call"))


def chatting(name):
    def sync(client):
        result = getattr(chat_of(client), name)("Are you still there?")
        if hasattr(result, "__next__"):
            next(result)

    async def asynchronous(client):
        result = await getattr(chat_of(client), name)("Are you still there?")
        if hasattr(result, "__anext__"):
            await result.__anext__()

    return sync, asynchronous


GEMINI = {"model": "gemini-3-pro-preview", "contents": contents(CONTENTS)}
OPENAI_CHAT = {**GPT, "messages": CHAT}
OPENAI_RESPONSES = {**GPT, "input": RESPONSES}
QUESTIONS = {"questions": [{"type": "predicate", "name": "open", "question": "Is a call open?"}]}

# The SDK, the method, the endpoint in the URL, what the caller writes, and the pointer of the conversation in the body.
TABLE = [
    ("openai", "responses.create", "responses", call("responses.create", **OPENAI_RESPONSES), ""),
    ("openai", "responses.create(stream=True)", "responses", call("responses.create", stream=True, **OPENAI_RESPONSES), ""),
    ("openai", "responses.stream", "responses", call("responses.stream", **OPENAI_RESPONSES), ""),
    ("openai", "responses.parse", "responses", lambda: call("responses.parse", text_format=schema(), **OPENAI_RESPONSES), ""),
    ("openai", "responses.compact", "responses/compact", call("responses.compact", **OPENAI_RESPONSES), ""),
    ("openai", "responses.input_tokens.count", "responses/input_tokens", call("responses.input_tokens.count", **OPENAI_RESPONSES), ""),
    ("openai", "decisions.create", "decisions", call("decisions.create", **OPENAI_RESPONSES, **QUESTIONS), ""),
    ("openai", "beta.responses.create", "responses", call("beta.responses.create", **OPENAI_RESPONSES), ""),
    ("openai", "beta.responses.compact", "responses/compact", call("beta.responses.compact", **OPENAI_RESPONSES), ""),
    ("openai", "beta.responses.input_tokens.count", "responses/input_tokens", call("beta.responses.input_tokens.count", **OPENAI_RESPONSES), ""),
    ("openai", "chat.completions.create", "chat/completions", call("chat.completions.create", **OPENAI_CHAT), ""),
    ("openai", "chat.completions.create(stream=True)", "chat/completions", call("chat.completions.create", stream=True, **OPENAI_CHAT), ""),
    ("openai", "chat.completions.stream", "chat/completions", call("chat.completions.stream", **OPENAI_CHAT), ""),
    ("openai", "chat.completions.parse", "chat/completions", lambda: call("chat.completions.parse", response_format=schema(), **OPENAI_CHAT), ""),
    ("openai", "beta.chat.completions.create", "chat/completions", call("beta.chat.completions.create", **OPENAI_CHAT), ""),
    ("openai", "beta.chat.completions.parse", "chat/completions", lambda: call("beta.chat.completions.parse", response_format=schema(), **OPENAI_CHAT), ""),
    ("openai", "beta.chat.completions.stream", "chat/completions", call("beta.chat.completions.stream", **OPENAI_CHAT), ""),
    ("openai", "responses.with_raw_response.create", "responses", view("responses.create", "with_raw_response", **OPENAI_RESPONSES), ""),
    ("openai", "chat.completions.with_streaming_response.create", "chat/completions", view("chat.completions.create", "with_streaming_response", **OPENAI_CHAT), ""),
    ("openai", "with_options(...).responses.create", "responses", copied("responses.create", **OPENAI_RESPONSES), ""),
    ("openai", "post", "responses", post("/responses", OPENAI_RESPONSES), ""),
    ("azure", "responses.create", "responses", call("responses.create", **OPENAI_RESPONSES), ""),
    ("azure", "chat.completions.create", "chat/completions", call("chat.completions.create", **OPENAI_CHAT), ""),
    ("anthropic", "messages.create", "messages", call("messages.create", messages=MESSAGES, **CLAUDE), ""),
    ("anthropic", "messages.create(stream=True)", "messages", call("messages.create", stream=True, messages=MESSAGES, **CLAUDE), ""),
    ("anthropic", "messages.stream", "messages", call("messages.stream", messages=MESSAGES, **CLAUDE), ""),
    ("anthropic", "messages.parse", "messages", lambda: call("messages.parse", output_format=schema(), messages=MESSAGES, **CLAUDE), ""),
    ("anthropic", "messages.count_tokens", "messages/count_tokens", call("messages.count_tokens", model="claude-sonnet-5", messages=MESSAGES), ""),
    ("anthropic", "messages.batches.create", "messages/batches", call("messages.batches.create", requests=[PARAMS]), "/requests/0/params"),
    ("anthropic", "beta.messages.create", "messages", call("beta.messages.create", messages=MESSAGES, **CLAUDE), ""),
    ("anthropic", "beta.messages.stream", "messages", call("beta.messages.stream", messages=MESSAGES, **CLAUDE), ""),
    ("anthropic", "beta.messages.parse", "messages", lambda: call("beta.messages.parse", output_format=schema(), messages=MESSAGES, **CLAUDE), ""),
    ("anthropic", "beta.messages.count_tokens", "messages/count_tokens", call("beta.messages.count_tokens", model="claude-sonnet-5", messages=MESSAGES), ""),
    ("anthropic", "beta.messages.batches.create", "messages/batches", call("beta.messages.batches.create", requests=[PARAMS]), "/requests/0/params"),
    ("anthropic", "beta.prompt_caching.messages.create", "messages", call("beta.prompt_caching.messages.create", messages=MESSAGES, **CLAUDE), ""),
    ("anthropic", "beta.prompt_caching.messages.stream", "messages", call("beta.prompt_caching.messages.stream", messages=MESSAGES, **CLAUDE), ""),
    ("anthropic", "beta.messages.tool_runner", "messages", (lambda client: client.beta.messages.tool_runner(messages=MESSAGES, tools=[], **CLAUDE).until_done(), lambda client: client.beta.messages.tool_runner(messages=MESSAGES, tools=[], **CLAUDE).until_done()), ""),
    ("anthropic", "messages.with_raw_response.create", "messages", view("messages.create", "with_raw_response", messages=MESSAGES, **CLAUDE), ""),
    ("anthropic", "with_options(...).messages.create", "messages", copied("messages.create", messages=MESSAGES, **CLAUDE), ""),
    ("anthropic", "post", "messages", post("/v1/messages", {**CLAUDE, "messages": MESSAGES}), ""),
    ("anthropic-bedrock", "messages.create", "invoke", call("messages.create", messages=MESSAGES, **CLAUDE), ""),
    ("anthropic-bedrock", "messages.create(stream=True)", "invoke-with-response-stream", call("messages.create", stream=True, messages=MESSAGES, **CLAUDE), ""),
    ("anthropic-vertex", "messages.create", "rawPredict", call("messages.create", messages=MESSAGES, **CLAUDE), ""),
    ("anthropic-vertex", "messages.create(stream=True)", "streamRawPredict", call("messages.create", stream=True, messages=MESSAGES, **CLAUDE), ""),
    ("google-genai", "models.generate_content", "generateContent", call("models.generate_content", **GEMINI), ""),
    ("google-genai", "models.generate_content_stream", "streamGenerateContent", call("models.generate_content_stream", **GEMINI), ""),
    ("google-genai", "models.count_tokens", "countTokens", call("models.count_tokens", **GEMINI), ""),
    ("google-genai", "chats.create: send_message", "generateContent", chatting("send_message"), ""),
    ("google-genai", "chats.create: send_message_stream", "streamGenerateContent", chatting("send_message_stream"), ""),
    ("google-genai", "batches.create", "batchGenerateContent", call("batches.create", model="gemini-3-pro-preview", src=[{"contents": contents(CONTENTS)}]), "/batch/inputConfig/requests/requests/0/request"),
    ("boto3", "converse", "converse", call("converse", modelId=BEDROCK, messages=CONVERSE), ""),
    ("boto3", "converse_stream", "converse-stream", call("converse_stream", modelId=BEDROCK, messages=CONVERSE), ""),
    ("boto3", "count_tokens", "count-tokens", call("count_tokens", modelId=BEDROCK, input={"converse": {"messages": CONVERSE}}), "/input/converse"),
    ("boto3", "invoke_model", "invoke", call("invoke_model", modelId=BEDROCK, body=json.dumps(CLAUDE_BODY)), ""),
    ("boto3", "invoke_model_with_response_stream", "invoke-with-response-stream", call("invoke_model_with_response_stream", modelId=BEDROCK, body=json.dumps(CLAUDE_BODY)), ""),
]

# Methods that take something with one of these names...
CONVERSATIONS = {"messages", "input", "contents", "requests", "items", "history", "thread", "events", "src", "body"}
# ...and are not guarded, and why.
NOT_GUARDED = {
    "openai audio.speech.create": "text to speak",
    "openai beta.agents.sessions.create": "a session that the server holds: what is new in it",
    "openai beta.agents.sessions.events.create": "a session that the server holds: what is new in it",
    "openai beta.agents.sessions.stream": "a session that the server holds: what is new in it",
    "openai beta.threads.create": "messages of a thread that the server holds; it has no calls of tools",
    "openai beta.threads.create_and_run": "messages of a thread that the server holds; it has no calls of tools",
    "openai beta.threads.create_and_run_poll": "the same",
    "openai beta.threads.create_and_run_stream": "the same",
    "openai conversations.create": "items of a conversation that the server holds: a part of it",
    "openai conversations.items.create": "items of a conversation that the server holds: a part of it",
    "openai embeddings.create": "texts",
    "openai moderations.create": "texts and images",
    "anthropic beta.messages.thread": "sends nothing itself; its turns are `beta.messages.create`",
    "anthropic beta.sessions.events.send": "events of a session that the server holds",
    "google-genai batches.create_embeddings": "texts",
    "google-genai decisions.create": "questions about steps of the Interactions API",
    "google-genai interactions.create": "steps of the Interactions API, a format of its own that is not read",
    "google-genai webhooks.ping": "a message of the Webhooks API",
    "google-genai models.compute_tokens": "texts of a model that does not answer",
    "google-genai models.embed_content": "texts",
    "boto3 invoke_model_with_bidirectional_stream": "a stream of both sides",
    "boto3 invoke_guardrail_checks": "texts to check, without calls of tools",
}


def resolved(how):
    """How a row is called; some need a package that is imported on use."""
    return how() if callable(how) else how
