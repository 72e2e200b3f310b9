"""The examples for frameworks, each with its real package against a server that refuses what the providers refuse."""

import asyncio
import importlib.util
import pathlib

import pytest

from provider import Provider, text

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples/python"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_openai_agents(tmp_path):
    agents = pytest.importorskip("agents")
    openai = pytest.importorskip("openai")
    example = load("openai_agents")
    question = {"role": "user", "content": "What is the weather in Rome?"}
    # The SDK itself leaves out calls that have no output, but not the reverse.
    orphan = {"type": "function_call_output", "call_id": "call_9", "output": "22 degrees"}

    async def run(ask):
        with Provider(text("Yes.")) as provider:
            client = openai.AsyncOpenAI(api_key="none", base_url=provider.url + "/v1", max_retries=0)
            agents.set_default_openai_client(client, use_for_tracing=False)
            session = agents.SQLiteSession("user-1", tmp_path / f"{ask.__name__}.db")
            await session.add_items([question, orphan])
            try:
                answer = await ask("Are you still there?", session)
            except openai.BadRequestError as error:
                answer = error.message
            stored = [item.get("type", "message") for item in await session.get_items()]
            return answer, provider.statuses, stored

    async def without(words, session):
        config = agents.RunConfig(session_input_callback=lambda history, new: [*history, *new])
        return await agents.Runner.run(agents.Agent(name="Assistant", model="gpt-5"), words, session=session, run_config=config)

    answer, statuses, _ = asyncio.run(run(without))
    assert "call_9" in answer and statuses == [400]
    answer, statuses, stored = asyncio.run(run(example.ask))
    assert (answer, statuses) == ("Yes.", [200])
    # What happened is still there.
    assert stored == ["message", "function_call_output", "message", "message"]


def test_ag2():
    ag2 = pytest.importorskip("ag2")
    from ag2.config import OpenAIConfig
    from ag2.events import ModelRequest, ModelResponse, TextInput, ToolCallEvent, ToolCallsEvent
    from ag2.stream import MemoryStream

    openai = pytest.importorskip("openai")
    example = load("ag2_agent")

    async def run(make):
        with Provider(text("Yes.")) as provider:
            agent = make(api_key="none", base_url=provider.url + "/v1", max_retries=0)
            stream = MemoryStream()
            # The process ended before the tool was run, and the history was loaded again.
            opened = ToolCallsEvent([ToolCallEvent(id="call_1", name="weather", arguments='{"city": "Rome"}')])
            question = ModelRequest([TextInput("What is the weather in Rome?")])
            await stream.history.replace([question, ModelResponse(tool_calls=opened)])
            reply = await agent.ask("Are you still there?", stream=stream)
            return reply.body, provider.statuses

    def without(**options):
        return ag2.Agent("assistant", config=OpenAIConfig(model="gpt-5", **options))

    with pytest.raises(openai.BadRequestError, match="call_1"):
        asyncio.run(run(without))
    assert asyncio.run(run(example.make_agent)) == ("Yes.", [200])


@pytest.mark.parametrize("kind", ["openai", "responses", "anthropic"])
def test_langchain(kind):
    agents = pytest.importorskip("langchain.agents")
    from langchain_core.messages import AIMessage, HumanMessage

    example = load("langchain_middleware")
    opened = {"name": "weather", "args": {"city": "Rome"}, "id": "toolu_1" if kind == "anthropic" else "call_1"}
    history = [
        HumanMessage("What is the weather in Rome?"),
        AIMessage("", tool_calls=[opened]),
        HumanMessage("Are you still there?"),
    ]

    def run(make):
        with Provider(text("Yes.")) as provider:
            done = make(model(kind, provider)).invoke({"messages": history})
            return done["messages"][-1].text, provider.statuses

    with pytest.raises(Exception, match="call_1|toolu_1"):
        run(lambda model: agents.create_agent(model, tools=[]))
    assert run(example.make_agent) == ("Yes.", [200])


def model(kind, provider):
    if kind == "anthropic":
        made = pytest.importorskip("langchain_anthropic").ChatAnthropic
        return made(model="claude-sonnet-5", api_key="none", base_url=provider.url, max_retries=0, max_tokens=100)
    made = pytest.importorskip("langchain_openai").ChatOpenAI
    return made(
        model="gpt-5",
        api_key="none",
        base_url=provider.url + "/v1",
        max_retries=0,
        use_responses_api=kind == "responses",
    )
