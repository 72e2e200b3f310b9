"""Messages whose content is a list of blocks, as the Messages API of Anthropic has them, and what agents made of it."""

from said import call, note, result, text

TEXT = {"text"}
CALL = {"tool_use", "toolCall", "tool_call", "toolRequest"}
RESULT = {"tool_result", "toolResponse", "toolResult"}


def message(content):
    if isinstance(content, str):
        return [text(content)]
    said = []
    for block in content or []:
        kind = block.get("type")
        if kind in TEXT:
            said.append(text(block.get("text", "")))
        elif kind in CALL:
            named = block.get("toolCall", block)
            said.append(call(named.get("value", named).get("name")))
        elif kind in RESULT:
            said.append(result())
        elif kind == "file" and "content" in block:
            said.append(note("<file_content"))
    return said
