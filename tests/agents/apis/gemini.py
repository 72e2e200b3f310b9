"""generateContent of Gemini."""

import json

from . import Part, genuine, token

COUNTS = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
AFTER_USER = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
AFTER_CALL = "Please ensure that function response turn comes immediately after a function call turn."


def parts(body):
    out = []
    for content in body.get("contents", []):
        role = "assistant" if content.get("role") == "model" else "user"
        for part in content.get("parts", []):
            if "functionCall" in part:
                out.append(Part(role, "call", json.dumps(part), part["functionCall"].get("id")))
            elif "functionResponse" in part:
                out.append(Part(role, "result", json.dumps(part), part["functionResponse"].get("id")))
            elif part.get("thought"):
                out.append(Part(role, "reasoning"))
            elif "text" in part:
                out.append(Part(role, "text", part["text"]))
    return out


def refusal(body):
    rows = body.get("contents", [])
    if not rows:
        return "* GenerateContentRequest.contents: contents is not specified"
    before = None
    for at, content in enumerate(rows):
        given = content.get("parts", [])
        if not given:
            return f"* GenerateContentRequest.contents[{at}].parts: contents.parts must not be empty."
        calls = [part["functionCall"] for part in given if "functionCall" in part]
        responses = [part["functionResponse"] for part in given if "functionResponse" in part]
        previous = [part for part in (before or {}).get("parts", []) if "functionCall" in part]
        if calls and (before is None or before.get("role") == "model"):
            return AFTER_USER
        if responses and not previous:
            return AFTER_CALL
        if len(responses) != len(previous):
            return COUNTS
        for part in given:
            signature = part.get("thoughtSignature")
            if signature not in (None, "skip_thought_signature_validator") and not genuine(signature):
                return "Thought signature is not valid."
        before = content
    if any("functionCall" in part for part in rows[-1].get("parts", [])):
        return COUNTS
    return None


def error(message):
    return {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}


def tools(body):
    for tool in body.get("tools") or ():
        for function in tool.get("functionDeclarations") or ():
            yield function["name"], function.get("parametersJsonSchema") or function.get("parameters") or {}


def reply(body, answer):
    given = [{"text": answer.text}]
    if answer.call:
        name, arguments = answer.call
        given.append({"functionCall": {"name": name, "args": arguments}, "thoughtSignature": token(answer.thought)})
    candidate = {"content": {"role": "model", "parts": given}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 9, "totalTokenCount": 18}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "wire", "responseId": f"r{answer.serial}"}


def events(body, answer):
    yield None, reply(body, answer)
