"""Contents of Gemini, and the stores made of them: Gemini CLI, Qwen Code, recordings, Google ADK, AI Studio."""

import files
from said import call, result, text


def parts(values):
    said = []
    for part in values or []:
        if isinstance(part, str):
            said.append(text(part))
        elif "functionCall" in part or "function_call" in part:
            said.append(call((part.get("functionCall") or part.get("function_call"))["name"]))
        elif "functionResponse" in part or "function_response" in part:
            said.append(result())
        elif part.get("text") and not part.get("thought"):
            said.append(text(part["text"]))
    return said


def as_parts(content):
    if isinstance(content, str):
        return [{"text": content}]
    if isinstance(content, dict):
        return [content]
    return [{"text": part} if isinstance(part, str) else part for part in content or []]


def cli(path):
    """Records applied in order: a message of a known id replaces the older one at its place, `$rewindTo` deletes from a message on."""
    try:
        whole = files.document(path)
        lines = [whole]
    except ValueError:
        lines = files.lines(path)
    messages = {}
    for line in lines:
        if "$rewindTo" in line:
            order = list(messages)
            kept = order[: order.index(line["$rewindTo"])] if line["$rewindTo"] in messages else []
            messages = {key: messages[key] for key in kept}
        elif "id" in line and "type" in line:
            messages[line["id"]] = line
        else:
            held = line.get("$set", line).get("messages")
            if held is not None:
                messages = {message["id"]: message for message in held}
    said = []
    for message in messages.values():
        content = as_parts(message.get("content"))
        if message["type"] == "user":
            words = "".join(part.get("text", "") for part in content).strip()
            answers = any("functionResponse" in part for part in content)
            if answers or (words and not words.startswith(("/", "?", "<session_context>", "<hook_context>"))):
                said += parts(content)
        elif message["type"] == "gemini":
            said += parts(content)
            if not any("functionCall" in part for part in content):
                said += [call(made["name"]) for made in message.get("toolCalls") or []]
            said += [result() for made in message.get("toolCalls") or [] if made.get("result") is not None]
    return [said]


def qwen(path):
    """From the last line to the root."""
    lines = [line for line in files.lines(path) if "uuid" in line]
    known = {line["uuid"]: line for line in lines}
    back, at = [], lines[-1] if lines else None
    while at:
        back.append(at)
        at = known.get(at.get("parentUuid"))
    said = []
    for line in reversed(back):
        if line.get("type") in ("user", "assistant", "tool_result"):
            said += parts((line.get("message") or {}).get("parts"))
    return [said]


def recording(path):
    histories = []
    for line in files.lines(path):
        responses = line["response"] if isinstance(line["response"], list) else [line["response"]]
        if line.get("method") not in ("generateContent", "generateContentStream"):
            continue
        candidates = [candidate for response in responses for candidate in (response.get("candidates") or [])[:1]]
        said = [found for candidate in candidates for found in parts((candidate.get("content") or {}).get("parts"))]
        histories.append(said)
    return histories


def adk(path):
    return [[said for event in files.document(path)["events"] for said in parts((event.get("content") or {}).get("parts"))]]


def ai_studio(path):
    prompt = files.document(path)
    said = parts((prompt.get("systemInstruction") or {}).get("parts"))
    if isinstance(prompt.get("systemInstruction"), dict) and "text" in prompt["systemInstruction"]:
        said.append(text(prompt["systemInstruction"]["text"]))
    for chunk in prompt["chunkedPrompt"]["chunks"]:
        if chunk.get("isThought"):
            continue
        if chunk.get("text"):
            said.append(text(chunk["text"]))
        elif chunk.get("parts"):
            said += parts(chunk["parts"])
    return [said]
