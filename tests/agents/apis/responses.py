"""Responses of OpenAI."""

import json

from . import Part, genuine, texts, token

CALLS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "local_shell_call": "local_shell_call_output",
}
NOUNS = {"function_call": "function call", "custom_tool_call": "custom tool call", "local_shell_call": "local shell call"}


def items(body):
    given = body.get("input", [])
    return given if isinstance(given, list) else [{"type": "message", "role": "user", "content": given}]


def parts(body):
    out = []
    for item in items(body):
        kind = item.get("type", "message")
        if kind == "message" and item.get("role") in ("user", "assistant"):
            out.append(Part(item["role"], "text", texts(item.get("content"))))
        elif kind in CALLS:
            out.append(Part("assistant", "call", json.dumps(item), item.get("call_id")))
        elif kind in CALLS.values():
            out.append(Part("user", "result", texts(item.get("output")), item.get("call_id")))
        elif kind == "reasoning":
            out.append(Part("assistant", "reasoning", "", item.get("id")))
    return out


def refusal(body):
    calls, answered = {}, set()
    outputs = {output: call for call, output in CALLS.items()}
    rows = items(body)
    for at, item in enumerate(rows):
        kind = item.get("type", "message")
        if kind in CALLS:
            if item.get("call_id") in calls:
                return f"Duplicate item found with call_id {item.get('call_id')}. Remove duplicate items from your input and try again."
            calls[item.get("call_id")] = kind
        elif kind in outputs:
            if calls.get(item.get("call_id")) != outputs[kind]:
                return f"No tool call found for {NOUNS[outputs[kind]]} output with call_id {item.get('call_id')}."
            if item["call_id"] in answered:
                return f"Duplicate {kind} for call_id {item['call_id']}."
            answered.add(item["call_id"])
        elif kind == "reasoning":
            sealed = item.get("encrypted_content")
            if sealed is not None and not genuine(sealed.removeprefix("gAAAAAB")):
                return (
                    f"The encrypted content {sealed[:4]}...{sealed[-4:]} could not be verified. "
                    "Reason: Encrypted content could not be decrypted or parsed."
                )
            following = rows[at + 1].get("type", "message") if at + 1 < len(rows) else None
            is_said = following == "message" and rows[at + 1].get("role") == "assistant"
            # Without storage such requests are accepted.
            if body.get("store", True) and item.get("id") and following not in CALLS and following != "reasoning" and not is_said:
                return f"Item '{item['id']}' of type 'reasoning' was provided without its required following item."
    for call, kind in calls.items():
        if call not in answered:
            return f"No tool output found for {NOUNS[kind]} {call}."
    return None


def error(message):
    code = "invalid_encrypted_content" if "encrypted content" in message else None
    return {"error": {"message": message, "type": "invalid_request_error", "param": "input", "code": code}}


def tools(body):
    for tool in body.get("tools") or ():
        if tool.get("type") == "function":
            yield tool["name"], tool.get("parameters") or {}


def output(answer):
    n = answer.serial
    sealed = "gAAAAAB" + token(answer.thought)
    out = [{"type": "reasoning", "id": f"rs_{n:032x}", "summary": [], "encrypted_content": sealed}]
    content = [{"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}]
    out.append({"type": "message", "id": f"msg_{n:032x}", "role": "assistant", "status": "completed", "content": content})
    if answer.call:
        name, arguments = answer.call
        call = {"type": "function_call", "id": f"fc_{n:032x}", "call_id": f"call_{n:024x}", "status": "completed"}
        out.append(call | {"name": name, "arguments": json.dumps(arguments)})
    return out


def reply(body, answer):
    usage = {"input_tokens": 9, "output_tokens": 9, "total_tokens": 18}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    rest = {"object": "response", "created_at": 0, "status": "completed", "model": body.get("model"), "usage": usage}
    rest |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None}
    return {"id": f"resp_{answer.serial:032x}", "output": output(answer), **rest}


def events(body, answer):
    whole = reply(body, answer)
    said = [("response.created", {"response": whole | {"output": [], "status": "in_progress", "usage": None}})]
    for at, item in enumerate(whole["output"]):
        base = {"output_index": at, "item_id": item["id"]}
        start = item | {"status": "in_progress"}
        if item["type"] == "message":
            start |= {"content": []}
            text, part = item["content"][0]["text"], base | {"content_index": 0}
            inside = [
                ("response.content_part.added", part | {"part": item["content"][0] | {"text": ""}}),
                ("response.output_text.delta", part | {"delta": text, "logprobs": []}),
                ("response.output_text.done", part | {"text": text, "logprobs": []}),
                ("response.content_part.done", part | {"part": item["content"][0]}),
            ]
        elif item["type"] == "function_call":
            start |= {"arguments": ""}
            inside = [
                ("response.function_call_arguments.delta", base | {"delta": item["arguments"]}),
                ("response.function_call_arguments.done", base | {"arguments": item["arguments"]}),
            ]
        else:
            start, inside = item, []
        said.append(("response.output_item.added", {"output_index": at, "item": start}))
        said += inside
        said.append(("response.output_item.done", {"output_index": at, "item": item}))
    said.append(("response.completed", {"response": whole}))
    for number, (name, value) in enumerate(said):
        yield name, {"type": name, "sequence_number": number, **value}
