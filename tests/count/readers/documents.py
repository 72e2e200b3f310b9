"""Documents of one JSON value: Cline, the Vercel AI SDK, LangChain, pydantic-ai, OpenHands, AG2, exports of chats."""

import files
from readers import blocks
from said import call, note, result, text, texts


def cline(path):
    whole = files.document(path)
    values = whole if isinstance(whole, list) else whole["messages"]
    said = [text(whole["system_prompt"])] if isinstance(whole, dict) and whole.get("system_prompt") else []
    return [said + [found for value in values for found in blocks.message(value["content"])]]


def vercel(path):
    said = []
    for message in files.document(path):
        for part in message["parts"] if "parts" in message else as_list(message["content"]):
            kind = part["type"]
            if kind == "text":
                said.append(text(part["text"]))
            elif kind == "tool-call":
                said.append(call(part["toolName"]))
            elif kind == "tool-result":
                said.append(result())
            elif kind == "dynamic-tool" or kind.startswith("tool-") and "toolCallId" in part:
                said.append(call(part.get("toolName", kind.removeprefix("tool-"))))
                said += [result()] if part["state"].startswith("output-") else []
    return [said]


def as_list(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def langchain(values):
    said = []
    for value in values:
        kind = value.get("type")
        if kind == "constructor":
            kind = {"HumanMessage": "human", "AIMessage": "ai", "SystemMessage": "system", "ToolMessage": "tool"}[value["id"][-1]]
            value = value["kwargs"]
        value = value.get("data", value)
        if kind == "tool":
            said.append(result())
            continue
        said += texts(value.get("content"))
        said += [call(made["name"]) for made in value.get("tool_calls") or []]
    return said


def langchain_file(path):
    whole = files.document(path)
    return [langchain(whole if isinstance(whole, list) else [whole])]


def langgraph_state(path):
    whole = files.document(path)
    return [langchain(whole.get("values", whole)["messages"])]


def pydantic(path):
    said = []
    for message in files.document(path):
        for part in message["parts"]:
            kind = part.get("part_kind", part.get("kind"))
            if kind in ("system-prompt", "user-prompt", "text"):
                said += texts(part["content"])
            elif kind == "tool-call":
                said.append(call(part["tool_name"]))
            elif kind in ("tool-return", "retry-prompt"):
                said.append(result() if part.get("tool_name") else text(part["content"]))
    return [said]


def openhands(path):
    said = []
    for event in files.records(path):
        kind = event.get("kind")
        if kind == "SystemPromptEvent":
            said += texts(event["system_prompt"])
        elif kind == "MessageEvent":
            said += texts(event["llm_message"]["content"])
        elif kind == "ActionEvent":
            said += texts(event["thought"]) + [call(event["tool_name"])]
        elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
            said.append(result())
        elif event.get("action") == "message":
            said.append(text(event["args"]["content"]))
        elif "tool_call_metadata" in event and "action" in event:
            answer = event["tool_call_metadata"]["model_response"]["choices"][0]["message"]
            said += texts(answer.get("content"))
            said += [call(made["function"]["name"]) for made in answer["tool_calls"]]
        elif "tool_call_metadata" in event:
            said.append(result())
    return [said]


def ag2(path):
    said = []
    for event in files.records(path):
        kind = event["__event__"].rsplit(".", 1)[-1]
        if kind == "ModelRequest":
            said += [text(part["content"]) for part in event["parts"]]
        elif kind == "ModelResponse":
            message = event.get("message") or {}
            said += [text(message["content"])] if message.get("content") else []
            said += [call(made["name"]) for made in (event.get("tool_calls") or {}).get("calls", [])]
        elif kind == "ToolResultsEvent":
            said += [result() for _ in event["results"]]
    return [said]


def chatgpt(path):
    """The path from the current node to the root."""
    histories = []
    for chat in files.records(path):
        mapping = chat["mapping"]
        node = chat.get("current_node") or next(key for key, value in reversed(mapping.items()) if not value.get("children"))
        back = []
        while node:
            back.append(mapping[node].get("message"))
            node = mapping[node].get("parent")
        said = []
        for message in reversed([message for message in back if message]):
            content = message["content"]
            kind = content.get("content_type")
            if message["author"]["role"] == "tool":
                said.append(result())
                continue
            if message.get("recipient", "all") != "all":
                said.append(call(message["recipient"].replace(".", "_")))
                continue
            if kind in ("thoughts", "reasoning_recap"):
                continue
            if kind == "user_editable_context":
                said += [text(content[key]) for key in ("user_profile", "user_instructions") if content.get(key)]
                continue
            words = content.get("parts") or [content.get("text")]
            said += [text(part) for part in words if isinstance(part, str)]
        histories.append(said)
    return histories


def claude_ai(path):
    return [[said for message in chat["chat_messages"] for said in (blocks.message(message.get("content")) or texts(message["text"]))] for chat in files.records(path)]


def atif(path):
    """A trajectory of Harbor: the message of a step, its calls, and what they gave. What has no partner, or shares its id with
    another one, is a text."""
    said = []
    for step in files.document(path)["steps"]:
        said += [found for found in texts(step.get("message")) if found != text("")]
        results = (step.get("observation") or {}).get("results") or []
        answered, paired, alone = {one.get("source_call_id") for one in results}, {}, []
        for one in step.get("tool_calls") or []:
            name, id_ = one["function_name"], one["tool_call_id"]
            if id_ in answered and id_ not in paired:
                paired[id_] = call(name)
            else:
                alone.append(note(f"[called {name} "))
        said += alone + list(paired.values())
        of_calls = [paired.pop(one.get("source_call_id"), None) for one in results]
        said += [result() for known in of_calls if known] + [note("[result: ") for known in of_calls if not known]
    return [said]


def grok(path):
    return [[text(turn.get("response", turn)["message"]) for turn in chat["responses"]] for chat in files.document(path)["conversations"]]


def continue_session(path):
    """Each item is a message, what the user attached to it, and the states of its calls: one result each."""
    said = []
    for item in files.document(path)["history"]:
        message = item["message"]
        summary = item.get("conversationSummary")
        if summary is not None:
            said = [text(summary)]
            continue
        if message["role"] in ("thinking", "tool"):
            continue
        said += [text(attached["content"]) for attached in item.get("contextItems") or []]
        said += texts(message.get("content"))
        said += [call(made["function"]["name"]) for made in message.get("toolCalls") or []]
        said += [result() for _ in item.get("toolCallStates") or []]
    return [said]
