"""Bodies that must be valid, and bodies that must not be: whether the judge itself still finds what it is there for."""

import json

import judge
import known

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}

VALID = {
    "chat": {"model": "m", "messages": [{"role": "user", "content": "Hi"}],
             "tools": [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]},
    "responses": {"model": "m", "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
                                          {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]},
    "anthropic": {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "Hi"}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}]}],
               "generationConfig": {"topK": 4, "responseSchema": {"type": "OBJECT"}},
               "tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": SCHEMA}]}]},
    "bedrock": {"messages": [{"role": "user", "content": [{"text": "Hi"}]}],
                "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}]}},
}

# A target, what makes its valid body wrong, and the error that must be found: type and path.
WRONG = [
    ("chat", {"top_k": 4}, "extra_forbidden", "top_k"),
    ("chat", {"messages": [{"role": "user", "content": [{"type": "text", "txt": "Hi"}]}]}, "extra_forbidden", "messages[].content[].txt"),
    ("chat", {"messages": [{"role": "assistant", "tool_calls": [{"type": "function", "id": "c", "function": {"name": "f"}}]}]},
     "missing", "messages[].tool_calls[].function.arguments"),
    ("chat", {"n": "2"}, "int_type", "n"),
    ("responses", {"input": [{"type": "function_call", "call_id": "c", "name": "f"}]}, "missing", "input[].arguments"),
    ("responses", {"reasoning": {"effort": "low", "depth": 1}}, "extra_forbidden", "reasoning.depth"),
    ("anthropic", {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": "x"}]}]},
     "missing", "messages[].content[].tool_use_id"),
    ("anthropic", {"tool_choice": {"type": "auto", "names": ["f"]}}, "extra_forbidden", "tool_choice.names"),
    ("gemini", {"generationConfig": {"top_k": 4}}, "extra_forbidden", "generationConfig.top_k"),
    ("gemini", {"toolConfig": {"functionCallingConfig": {"mode": "SOMETIMES"}}}, "enum", "toolConfig.functionCallingConfig.mode"),
    ("gemini", {"topK": 4}, "extra_forbidden", "topK"),
    ("bedrock", {"inferenceConfig": {"topK": 4}}, "unknown member", "inferenceConfig.topK"),
    ("bedrock", {"messages": [{"role": "tool", "content": []}]}, "enum", "messages[].role"),
    ("bedrock", {"messages": [{"role": "user", "content": [{"toolResult": {"toolUseId": "a b", "content": []}}]}]},
     "pattern", "messages[].content[].toolResult.toolUseId"),
    ("bedrock", {"messages": [{"role": "user", "content": [{"toolResult": {"content": []}}]}]},
     "missing required field", "messages[].content[].toolResult"),
    ("bedrock", {"toolConfig": {"tools": []}}, "length", "toolConfig.tools"),
]

# A target, a body, and whether its only errors are known strictness.
STRICT = [
    ("responses", {"input": [{"type": "reasoning", "summary": []}]}, True),
    ("responses", {"input": [{"type": "code_interpreter_call", "status": "completed", "code": "", "container_id": "c", "outputs": []}]}, False),
]


def hold():
    """Raises if the judge calls a valid body wrong, or misses an error."""
    for target, body in VALID.items():
        wrong = judge.judge(target, json.dumps(body).encode())
        if wrong:
            raise AssertionError(f"{target}: a valid body is refused: {wrong}")
    for target, change, kind, path in WRONG:
        wrong = judge.judge(target, json.dumps(VALID[target] | change).encode())
        if (kind, path) not in [(each.kind, each.path) for each in wrong]:
            raise AssertionError(f"{target}: {kind} at {path} is not found in {change}, but {wrong}")
    for target, change, excused in STRICT:
        wrong = judge.judge(target, json.dumps(VALID[target] | change).encode())
        if not wrong or all(known.reason(target, each) for each in wrong) != excused:
            raise AssertionError(f"{target}: known strictness should {'' if excused else 'not '}cover {wrong}")
