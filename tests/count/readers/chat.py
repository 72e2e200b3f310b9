"""Messages as Chat Completions has them, and the logs that hold them: Inspect, LiteLLM, Langfuse, Hermes, Kimi CLI, Grok CLI."""

import files
from said import call, result, text, texts


def message(value):
    if value.get("role") == "tool" or value.get("role") == "function":
        return [result()]
    said = texts(value.get("content"))
    for made in value.get("tool_calls") or []:
        said.append(call((made.get("function") if isinstance(made.get("function"), dict) else made).get("name") or made.get("function")))
    return said


def messages(values):
    return [said for value in values for said in message(value)]


def hermes(path):
    session = files.document(path)
    said = [text(session["system_prompt"])] if session.get("system_prompt") else []
    for value in session["messages"]:
        if value.get("state") == "rewound":
            continue
        if value.get("text") is not None or "tool_results" in value:
            said += [text(value.get("text") or "")]
            said += [call(made.get("tool_name")) for made in value.get("tool_calls") or []]
            said += [result() for _ in value.get("tool_results") or []]
        else:
            said += message(value)
    return [said]


def kimi_cli(path):
    """Lines whose role begins with `_` are the program's, but for the newest system prompt."""
    system, said = [], []
    for line in files.lines(path):
        if line["role"] == "_system_prompt":
            system = [text(line["content"])]
        elif not line["role"].startswith("_"):
            said += message(line)
    return [system + said]


def grok_cli(path):
    said = []
    for line in files.lines(path):
        if line["type"] == "tool_result":
            said.append(result())
        elif line["type"] in ("system", "user", "assistant"):
            said += texts(line.get("content"))
            said += [call(made["name"]) for made in line.get("tool_calls") or []]
    return [said]


def litellm(path):
    log = files.document(path)
    said = messages(log["messages"])
    answer = log.get("response") or {}
    for choice in (answer.get("choices") or [])[:1]:
        said += message(choice["message"])
    for item in answer.get("output") or []:
        said += texts(item.get("content"))
    return [said]


def langfuse(path):
    histories = []
    for seen in files.records(path):
        answer = seen.get("output")
        histories.append(messages(seen["input"]) + (message(answer) if answer else []))
    return histories


def inspect(path):
    if str(path).endswith(".eval"):
        samples = [value for name, value in files.members(path) if name.startswith("samples/")]
    else:
        samples = files.document(path).get("samples") or []
    return [inspect_sample(sample) for sample in samples]


def inspect_sample(sample):
    said = []
    for value in sample["messages"]:
        content = value.get("content")
        if isinstance(content, str) and content.startswith("attachment://"):
            content = sample["attachments"][content.removeprefix("attachment://")]
        if value["role"] == "tool":
            said.append(result())
            continue
        said += texts(content)
        said += [call(made["function"]) for made in value.get("tool_calls") or []]
    return said
