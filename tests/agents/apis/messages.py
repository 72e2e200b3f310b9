"""Messages of Anthropic."""

import json

from . import Part, genuine, texts, token


def blocks(message):
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def parts(body):
    out = []
    for message in body.get("messages", []):
        role = message.get("role")
        for block in blocks(message):
            kind = block.get("type")
            if kind == "text":
                out.append(Part(role, "text", block.get("text", "")))
            elif kind == "tool_use":
                out.append(Part(role, "call", json.dumps(block), block.get("id")))
            elif kind == "tool_result":
                out.append(Part(role, "result", texts(block.get("content")), block.get("tool_use_id")))
            elif kind in ("thinking", "redacted_thinking"):
                out.append(Part(role, "reasoning"))
    return out


def turns(body):
    """Messages with consecutive ones of a role joined, as the API does before it looks at pairs."""
    out = []
    for message in body.get("messages", []):
        if out and out[-1][0] == message.get("role"):
            out[-1][1].extend(blocks(message))
        else:
            out.append((message.get("role"), list(blocks(message))))
    return out


def refusal(body):
    rows = turns(body)
    if not rows or rows[0][0] != "user":
        return 'messages: first message must use the "user" role'
    seen = set()
    for at, (role, content) in enumerate(rows):
        before = {block.get("id") for block in rows[at - 1][1] if block.get("type") == "tool_use"} if at else set()
        answered = set()
        for place, block in enumerate(content):
            kind = block.get("type")
            if kind == "tool_use":
                if block["id"] in seen:
                    return f"messages.{at}.content.{place}: `tool_use` ids must be unique"
                seen.add(block["id"])
            elif kind == "tool_result":
                id = block.get("tool_use_id")
                if id not in before:
                    return (
                        f"messages.{at}.content.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. "
                        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                    )
                if id in answered:
                    return (
                        f"messages.{at}.content.{place}: each tool_use must have a single result. "
                        f"Found multiple `tool_result` blocks with id: {id}"
                    )
                answered.add(id)
            elif kind == "thinking" and not genuine(block.get("signature"), block.get("thinking") or None):
                return f"messages.{at}.content.{place}: Invalid `signature` in `thinking` block"
            elif kind == "text" and not block.get("text", "").strip():
                return "messages: text content blocks must be non-empty"
        if before - answered:
            return (
                f"messages.{at - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(sorted(before - answered))}. Each `tool_use` block must have a corresponding `tool_result` "
                "block in the next message."
            )
    return None


def error(message):
    return {"type": "error", "error": {"type": "invalid_request_error", "message": message}, "request_id": "req_wire"}


def tools(body):
    for tool in body.get("tools") or ():
        if "input_schema" in tool:
            yield tool["name"], tool["input_schema"]


def reply(body, answer):
    content = []
    if (body.get("thinking") or {}).get("type") in ("enabled", "adaptive"):
        content.append({"type": "thinking", "thinking": answer.thought, "signature": token(answer.thought)})
    content.append({"type": "text", "text": answer.text})
    if answer.call:
        name, arguments = answer.call
        content.append({"type": "tool_use", "id": f"toolu_{answer.serial:024x}", "name": name, "input": arguments})
    usage = {"input_tokens": 9, "output_tokens": 9, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    base = {"id": f"msg_{answer.serial:024x}", "type": "message", "role": "assistant", "model": body.get("model")}
    stop = "tool_use" if answer.call else "end_turn"
    return base | {"content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def events(body, answer):
    whole = reply(body, answer)
    start = whole | {"content": [], "stop_reason": None}
    said = [("message_start", {"message": start})]
    for at, block in enumerate(whole["content"]):
        if block["type"] == "thinking":
            empty = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": block["thinking"]}]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        elif block["type"] == "text":
            empty, deltas = {"type": "text", "text": ""}, [{"type": "text_delta", "text": block["text"]}]
        else:
            empty = block | {"input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        said.append(("content_block_start", {"index": at, "content_block": empty}))
        said += [("content_block_delta", {"index": at, "delta": delta}) for delta in deltas]
        said.append(("content_block_stop", {"index": at}))
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    said.append(("message_delta", {"delta": stop, "usage": whole["usage"]}))
    said.append(("message_stop", {}))
    for name, value in said:
        yield name, {"type": name, **value}
