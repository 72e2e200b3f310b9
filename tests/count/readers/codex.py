"""Rollouts of Codex: what `response_item` records hold, after compactions and rollbacks; and the events of `codex exec --json`."""

import files
from said import call, result, text, texts

CALLS = {"function_call", "custom_tool_call"}
RESULTS = {"function_call_output", "custom_tool_call_output"}


def item(value):
    kind = value.get("type", "message" if "role" in value else None)
    if kind == "message":
        return texts(value.get("content"))
    if kind in CALLS:
        return [call(value.get("name"))]
    if kind in RESULTS:
        return [result()]
    if kind == "local_shell_call":
        return [call("local_shell")]
    return []


def read(path):
    history = []
    for line in files.lines(path):
        payload = line.get("payload")
        if line.get("type") == "response_item":
            history.append(payload)
        elif line.get("type") == "compacted" and payload.get("replacement_history") is not None:
            history = list(payload["replacement_history"])
        elif line.get("type") == "event_msg" and payload.get("type") == "thread_rolled_back":
            for _ in range(payload.get("num_turns", 0)):
                prompts = [n for n, value in enumerate(history) if value.get("role") == "user"]
                history = history[: prompts[-1]] if prompts else history
        elif "payload" not in line and line.get("type") in CALLS | RESULTS | {"message"}:
            history.append(line)
    return [[said for value in history for said in item(value)]]


def events(path):
    """`codex exec --json`: an item counts as it was last told."""
    items = {}
    for line in files.lines(path):
        if line.get("type", "").startswith("item."):
            items[line["item"]["id"]] = line["item"]
    said = []
    for value in items.values():
        kind = value.get("type", value.get("item_type"))
        if kind in ("agent_message", "assistant_message"):
            said.append(text(value["text"]))
        elif kind in ("command_execution", "file_change", "mcp_tool_call", "web_search"):
            said.append(call(value.get("tool", kind)))
            if value.get("status") in ("completed", "failed"):
                said.append(result())
    return [said]
