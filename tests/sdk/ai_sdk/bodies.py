"""The messages of a body of each API without trivial differences, the differences between two, and their classes."""

import dataclasses
import difflib
import json
import re
import tomllib


def is_empty(value):
    return value is None or value == [] or value == {}


def parsed(text):
    """The value of a JSON text; the text if it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def without(value, *keys):
    return {key: own for key, own in value.items() if key not in keys and own is not None}


def blocks(content, kind="text"):
    """Content as a list of blocks."""
    if content is None:
        return []
    return [{"type": kind, "text": content}] if isinstance(content, str) else [without(block) for block in content]


def anthropic(body):
    messages = []
    for message in body["messages"]:
        content = blocks(message["content"])
        for block in content:
            if block["type"] == "tool_result":
                block["content"] = blocks(block.get("content"))
                for own in block["content"]:
                    if "text" in own:
                        own["text"] = parsed(own["text"])
        messages.append({"role": message["role"], "content": content})
    return {"system": blocks(body.get("system")), "messages": messages}


def chat(body):
    messages = []
    for message in body["messages"]:
        message = without(message)
        # The same role by a newer name.
        message["role"] = message["role"].replace("developer", "system")
        message["content"] = blocks(message.get("content"))
        for block in message["content"]:
            if "image_url" in block:
                block["image_url"] = without(block["image_url"])
        for call in message.get("tool_calls", []):
            call["function"]["arguments"] = parsed(call["function"]["arguments"])
        if message["role"] == "tool":
            for block in message["content"]:
                if "text" in block:
                    block["text"] = parsed(block["text"])
        messages.append({key: value for key, value in message.items() if not is_empty(value)})
    return {"messages": messages}


def responses(body):
    items = []
    # Instructions are a system message at the start.
    system = [{"role": "system", "content": body["instructions"]}] if body.get("instructions") else []
    for item in system + body["input"]:
        # Ids are optional for items that are sent in full.
        item = without(item, "status", "id" if item.get("type") not in ("reasoning", "item_reference") else "")
        if "role" in item:
            item["type"] = "message"
            item["role"] = item["role"].replace("developer", "system")
            item["content"] = [without(block, "annotations", "logprobs") for block in blocks(item["content"])]
            for block in item["content"]:
                block["type"] = block["type"].replace("output_text", "text").replace("input_text", "text")
        if item["type"] == "function_call":
            item["arguments"] = parsed(item["arguments"])
        if item["type"] == "function_call_output":
            item["output"] = [without(block) for block in blocks(item["output"])]
            for block in item["output"]:
                block["type"] = block["type"].replace("input_text", "text")
                if "text" in block:
                    block["text"] = parsed(block["text"])
        items.append({key: value for key, value in item.items() if not is_empty(value)})
    return {"input": items}


def gemini(body):
    contents = []
    for content in body["contents"]:
        parts = [without(part) for part in content["parts"]]
        for part in parts:
            if "functionResponse" in part:
                response = part["functionResponse"]["response"]
                # The name of the tool is beside it, and the key of a result is free.
                response = {"error" if key == "error" else "output": own for key, own in response.items() if key != "name"} \
                    if set(response) <= {"name", "content", "output", "result", "error"} else {"output": response}
                part["functionResponse"]["response"] = {
                    key: parsed(own) if isinstance(own, str) else own for key, own in response.items()}
        contents.append({"role": content["role"], "parts": parts})
    return {"system": (body.get("systemInstruction") or {}).get("parts", []), "contents": contents}


def bedrock(body):
    messages = []
    for message in body["messages"]:
        content = [without(block) for block in message["content"]]
        for block in content:
            if "document" in block:
                name_document(block["document"])
            if "toolResult" in block:
                # A result is a success unless it says otherwise.
                if block["toolResult"].get("status") == "success":
                    del block["toolResult"]["status"]
                for own in block["toolResult"]["content"]:
                    if "document" in own:
                        name_document(own["document"])
                    if "text" in own:
                        own["text"] = parsed(own["text"])
                    if "json" in own:
                        own["text"] = own.pop("json")
        messages.append({"role": message["role"], "content": content})
    return {"system": body.get("system") or [], "messages": messages}


def name_document(document):
    """The SDK removes the ending of the name of a file, and numbers those without one; Bedrock allows no dots in it."""
    document["name"] = re.sub(r"( (pdf|txt)|-1)$", "", document["name"])


READERS = {"anthropic": anthropic, "chat": chat, "responses": responses, "gemini": gemini, "bedrock": bedrock}


@dataclasses.dataclass
class Difference:
    """What the SDK has at a path, and what the conversion has. `None`: nothing."""

    path: str
    sdk: object
    ours: object

    def __str__(self):
        def text(value):
            text = json.dumps(value, ensure_ascii=False)
            return text if len(text) < 300 else text[:250] + "…" + text[-40:]

        return f"{self.path or 'the body'}\n    SDK  {text(self.sdk)}\n    ours {text(self.ours)}"


def differences(api, sdk, ours):
    if "error" in sdk or "error" in ours:
        both = "error" in sdk and "error" in ours
        return [] if both else [Difference("", sdk.get("error"), ours.get("error"))]
    found = []
    compare("", READERS[api](sdk["body"]), READERS[api](ours["body"]), found)
    return found


def compare(path, sdk, ours, found):
    if sdk == ours:
        return
    if isinstance(sdk, dict) and isinstance(ours, dict):
        for key in sorted(set(sdk) | set(ours)):
            compare(f"{path}/{key}", sdk.get(key), ours.get(key), found)
    elif isinstance(sdk, list) and isinstance(ours, list):
        compare_lists(path, sdk, ours, found)
    else:
        found.append(Difference(path, sdk, ours))


def compare_lists(path, sdk, ours, found):
    def texts(values):
        return [json.dumps(value, sort_keys=True) for value in values]

    for tag, a, b, c, d in difflib.SequenceMatcher(None, texts(sdk), texts(ours), False).get_opcodes():
        if tag == "equal":
            continue
        if b - a == d - c:
            for n in range(b - a):
                compare(f"{path}/{a + n}", sdk[a + n], ours[c + n], found)
        else:
            found.append(Difference(f"{path}/{a}-", sdk[a:b], ours[c:d]))


@dataclasses.dataclass
class Class:
    """A kind of difference: the APIs, the cases, and regular expressions for the path and both values (`null`: nothing)."""

    name: str
    why: str
    to: list
    cases: str = ""
    path: str = ""
    sdk: str = ""
    ours: str = ""
    used: int = 0

    def explains(self, case, api, difference):
        def matches(pattern, value):
            return re.search(pattern, json.dumps(value, ensure_ascii=False)) is not None

        return (
            api in self.to
            and re.search(self.cases, case) is not None
            and re.search(self.path, difference.path) is not None
            and matches(self.sdk, difference.sdk)
            and matches(self.ours, difference.ours)
        )


def read_classes(file):
    rows = tomllib.loads(file.read_text())
    return [Class(name=name, **row) for name, row in rows.items()]
