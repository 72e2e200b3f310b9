"""What AG2's own repair of a cut history is tested with, held against the example that takes its place."""

import asyncio
import json
import pathlib

import pytest

from provider import Provider, text
from test_examples import load

CASES = pathlib.Path(__file__).resolve().parents[3] / "testdata/guards/ag2.json"
BLOB = "gAAAAABk"


def cases():
    for case in json.loads(CASES.read_text())["cases"]:
        # What the library does not do yet.
        marks = [pytest.mark.xfail(reason=case["todo"], strict=True)] if "todo" in case else []
        yield pytest.param(case, id=case["name"], marks=marks)


@pytest.mark.parametrize("case", list(cases()))
def test_ag2_case(case):
    pytest.importorskip("ag2")
    from ag2.context import ConversationContext
    from ag2.stream import MemoryStream
    from fast_depends.pydantic import PydanticSerializer

    example = load("ag2_window")
    model = case.get("model", "gpt-5")

    async def run():
        with Provider(text("Yes.")) as provider:
            given = [event(*written.split(maxsplit=1)) for written in case["given"]]
            context = ConversationContext(MemoryStream())
            _, window = await example.Window(case["last"], model).apply([], given, context)
            options = {"api_key": "none", "base_url": provider.url + "/v1", "max_retries": 0}
            client = example.make_config(model, **options).create()
            await client(window, context, tools=[], response_schema=None, serializer=PydanticSerializer())
            return provider.statuses, provider.requests

    statuses, requests = asyncio.run(run())
    assert statuses == [200]
    assert [short(item) for item in requests[-1]["input"]] == case["sent"]


def event(kind, rest=""):
    """An event, as the cases write it."""
    from ag2 import ToolResult
    from ag2.config.openai.events import OpenAIReasoningEvent, OpenAIServerToolCallEvent, OpenAIServerToolResultEvent
    from ag2.events import (
        ModelMessage,
        ModelRequest,
        ModelResponse,
        TextInput,
        ToolCallEvent,
        ToolCallsEvent,
        ToolResultEvent,
        ToolResultsEvent,
        UsageEvent,
    )
    from openai.types.responses import ResponseFunctionWebSearch, ResponseReasoningItem

    def call(id):
        return ToolCallEvent(id=id, name="weather", arguments="{}")

    if kind == "user:":
        return ModelRequest([TextInput(rest)])
    if kind == "assistant:":
        return ModelResponse(message=ModelMessage(rest))
    if kind == "calls":
        return ModelResponse(tool_calls=ToolCallsEvent([call(id) for id in rest.split()]))
    if kind == "call":
        return call(rest)
    if kind == "outputs":
        results = [ToolResultEvent(parent_id=id, name="weather", result=ToolResult("22")) for id in rest.split()]
        return ToolResultsEvent(results)
    if kind == "usage":
        return UsageEvent()
    if kind.startswith("rs_"):
        item = ResponseReasoningItem(id=kind, type="reasoning", summary=[], encrypted_content=BLOB)
        return OpenAIReasoningEvent("", item=item)
    if rest == "done":
        return OpenAIServerToolResultEvent(parent_id=kind, name="web_search", result=ToolResult("ok"))
    action = {"type": "search", "query": "the weather in Rome"}
    item = ResponseFunctionWebSearch(id=kind, type="web_search_call", status="completed", action=action)
    return OpenAIServerToolCallEvent.from_item(item)


def short(item):
    """An item of a request, as the cases write it."""
    if item.get("type") == "function_call":
        return f"call {item['call_id']}"
    if item.get("type") == "function_call_output":
        return f"output {item['call_id']}"
    if "role" not in item:
        return item["id"]
    content = item["content"]
    return f"{item['role']}: {content if isinstance(content, str) else content[0]['text']}"
