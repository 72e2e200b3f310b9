"""Chat Completions of OpenAI, and of the many servers that speak it."""

import json

from . import Part, texts


def parts(body):
    out = []
    for message in body.get("messages", []):
        role = message.get("role")
        if role in ("user", "assistant"):
            said = texts(message.get("content"))
            if said:
                out.append(Part(role, "text", said))
            for call in message.get("tool_calls") or ():
                out.append(Part(role, "call", json.dumps(call), call.get("id")))
        elif role == "tool":
            out.append(Part("user", "result", texts(message.get("content")), message.get("tool_call_id")))
    return out


def refusal(body):
    open_calls, answered, group = {}, {}, set()
    for at, message in enumerate(body.get("messages", [])):
        role = message.get("role")
        if role == "tool":
            id = message.get("tool_call_id")
            if id in answered:
                return f"Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{answered[id]}] and messages[{at}]."
            if id not in group:
                return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
            answered[id] = at
            open_calls.pop(id, None)
            continue
        if open_calls:
            return unanswered(open_calls)
        calls = message.get("tool_calls") or () if role == "assistant" else ()
        group = {call.get("id") for call in calls}
        open_calls = dict.fromkeys(call.get("id") for call in calls)
        answered = {}
    return unanswered(open_calls) if open_calls else None


def unanswered(calls):
    return (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {', '.join(map(str, calls))}"
    )


def error(message):
    return {"error": {"message": message, "type": "invalid_request_error", "param": "messages", "code": None}}


def tools(body):
    for tool in body.get("tools") or ():
        if "function" in tool:
            yield tool["function"]["name"], tool["function"].get("parameters") or {}


def reply(body, answer):
    message = {"role": "assistant", "content": answer.text}
    if answer.call:
        name, arguments = answer.call
        function = {"name": name, "arguments": json.dumps(arguments)}
        message["tool_calls"] = [{"id": f"call_{answer.serial:024x}", "type": "function", "function": function}]
    reason = "tool_calls" if answer.call else "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    rest = {"object": "chat.completion", "created": 1, "model": body.get("model"), "usage": usage}
    return {"id": f"chatcmpl-{answer.serial}", "choices": [choice], **rest}


def events(body, answer):
    whole = reply(body, answer)
    choice = whole["choices"][0]
    base = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    deltas = [{"role": "assistant", "content": choice["message"]["content"]}]
    for at, call in enumerate(choice["message"].get("tool_calls", ())):
        deltas.append({"tool_calls": [{"index": at, **call}]})
    for delta in deltas:
        yield None, base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield None, base | last | {"usage": whole["usage"]}
    yield None, "[DONE]"
