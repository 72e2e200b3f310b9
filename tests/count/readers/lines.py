"""Agents that write a line for each message or event: Factory Droid, goose, Kimi, pi, Cursor, Antigravity, Copilot CLI. And the
files of a session of Mistral Vibe, a line each."""

import files
from readers import blocks
from said import call, note, result, text, texts


def droid(path):
    said = []
    for line in files.lines(path):
        if line["type"] == "message":
            said += blocks.message(line["message"]["content"]) if "message" in line else [text(line["text"])]
        elif line["type"] == "tool_call":
            said.append(call(line["toolName"]))
        elif line["type"] == "tool_result":
            said.append(result())
        elif line["type"] == "completion" and (not said or said[-1][0] != "text"):
            said.append(text(line["finalText"]))
    return [said]


def goose(path):
    return [[said for line in files.lines(path) if "role" in line for said in blocks.message(line["content"])]]


def kimi(path):
    """A compaction leaves a summary and the newest messages that the user wrote himself."""
    system, said, prompts = [], [], []
    for line in files.lines(path):
        if line["type"] == "context.append_message":
            message = line["message"]
            said += texts(message["content"])
            said += [call(made["name"]) for made in message.get("toolCalls") or []]
            if message["role"] == "user" and message.get("origin", {}).get("kind", "user") == "user":
                prompts.append(texts(message["content"]))
        elif line["type"] == "context.append_loop_event":
            event = line["event"]
            if event["type"] == "content.part" and event["part"]["type"] == "text":
                said.append(text(event["part"]["text"]))
            elif event["type"] == "tool.call":
                said.append(call(event["name"]))
            elif event["type"] == "tool.result":
                said.append(result())
        elif line["type"] == "context.apply_compaction":
            kept = line["keptUserMessageCount"]
            prompts = prompts[-kept:] if kept else []
            said = [found for prompt in prompts for found in prompt] + [text(line["contextSummary"])]
        elif line["type"] == "config.update" and line.get("systemPrompt"):
            system = [text(line["systemPrompt"])]
    return [system + said]


def pi(path):
    """From the last entry to the root; version 1 is lines in a row. Answers that failed or were cut off are not sent."""
    entries = [line for line in files.lines(path) if line["type"] != "session"]
    known = {line["id"]: n for n, line in enumerate(entries) if "id" in line}
    back, at = [], len(entries) - 1
    while at is not None and at >= 0:
        line = entries[at]
        back.append(line)
        before = at - 1
        at = None if "id" in line and line.get("parentId") is None else known.get(line.get("parentId"), before)
    said = []
    for line in reversed(back):
        message = line.get("message") or {}
        if line["type"] != "message" or message.get("stopReason") in ("error", "aborted"):
            continue
        if message["role"] == "toolResult":
            said.append(result())
        elif message["role"] in ("user", "assistant"):
            said += blocks.message(message.get("content"))
    return [said]


def cursor(path):
    """Where calls have no results, they are notes of text in a conversion."""
    contents = [line["message"]["content"] for line in files.lines(path) if "message" in line]
    said = [found for content in contents for found in blocks.message(content)]
    if any(found[0] == "result" for found in said):
        return [said]
    return [[note(f"[called {found[1]} ") if found[0] == "call" else found for found in said]]


def antigravity(path):
    said = []
    for line in files.lines(path):
        said += [text(line["content"])] if line.get("content") else []
        said += [call(made["name"]) for made in line.get("tool_calls") or []]
    return [said]


def copilot(path):
    said = []
    for line in files.lines(path):
        data = line.get("data") or {}
        if data.get("parentToolCallId"):
            continue
        if line["type"] == "user.message":
            said.append(text(data.get("transformedContent") or data["content"]))
        elif line["type"] == "system.message":
            said.append(text(data["content"]))
        elif line["type"] == "assistant.message":
            said.append(text(data.get("content") or ""))
            said += [call(made["name"]) for made in data.get("toolRequests") or []]
        elif line["type"] == "tool.execution_complete":
            said.append(result())
    return [said]


def vibe(path):
    said = []
    for line in files.lines(path):
        if isinstance(line, dict):
            said += [text(line["core_system_instructions"])] if line.get("core_system_instructions") else []
            continue
        for message in (entry["message"] for entry in line):
            if message["role"] == "tool":
                said.append(result())
                continue
            said += [text(part["text"]) for part in message["content"] if part["type"] == "text"]
            said += [call(part["name"]) for part in message["content"] if part["type"] == "tool_call"]
    return [said]
