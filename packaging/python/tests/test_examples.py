"""The examples for frameworks, each with its real package against a server that refuses what the providers refuse."""

import asyncio
import importlib
import importlib.util
import pathlib

import pytest

from provider import FORMATS, Provider, Recorder, refusal, text

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


@pytest.mark.parametrize("kind", ["OpenAIConfig", "OpenAIResponsesConfig"])
def test_ag2(kind):
    ag2 = pytest.importorskip("ag2")
    config = pytest.importorskip("ag2.config")
    from ag2.events import ModelRequest, ModelResponse, TextInput, ToolCallEvent, ToolCallsEvent
    from ag2.stream import MemoryStream

    example = load("ag2_agent")

    async def run(make):
        with Provider(text("Yes.")) as provider:
            settings = {"model": "gpt-5", "api_key": "none", "base_url": provider.url + "/v1", "max_retries": 0}
            agent = make(getattr(config, kind)(**settings))
            stream = MemoryStream()
            # The process ended before the tool was run, and the history was loaded again.
            opened = ToolCallsEvent([ToolCallEvent(id="call_1", name="weather", arguments='{"city": "Rome"}')])
            question = ModelRequest([TextInput("What is the weather in Rome?")])
            await stream.history.replace([question, ModelResponse(tool_calls=opened)])
            reply = await agent.ask("Are you still there?", stream=stream)
            return reply.body, provider.statuses

    with pytest.raises(Exception, match="call_1"):
        asyncio.run(run(lambda config: ag2.Agent("assistant", config=config)))
    assert asyncio.run(run(example.make_agent)) == ("Yes.", [200])


@pytest.mark.parametrize("kind", ["chat", "anthropic"])
def test_pydantic_ai(kind):
    ai = pytest.importorskip("pydantic_ai")
    from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart

    example = load("pydantic_ai_history")
    # Pydantic AI itself answers calls without outputs, but sends an output whose id is that of an earlier one.
    question = ModelRequest([UserPromptPart("What is the weather in Rome?")])
    call = ModelResponse([ToolCallPart("weather", {"city": "Rome"}, tool_call_id="call_1")])
    result = ModelRequest([ToolReturnPart("weather", "22", tool_call_id="call_1")])
    history = [question, call, result, result]

    def run(ask):
        with Provider(text("Yes.")) as provider:
            return ask(pydantic_model(kind, provider), "Are you still there?", history), provider.statuses

    def without(model, question, history):
        return ai.Agent(model).run_sync(question, message_history=history).output

    try:
        said = run(without)
    except ai.ModelHTTPError as error:
        said = error.status_code
    assert run(example.ask) == ("Yes.", [200])
    assert said == 400


def pydantic_model(kind, provider):
    if kind == "anthropic":
        module = pytest.importorskip("pydantic_ai.models.anthropic")
        settings = {"api_key": "none", "base_url": provider.url}
        name, provided = "claude-sonnet-5", pytest.importorskip("pydantic_ai.providers.anthropic").AnthropicProvider
        return module.AnthropicModel(name, provider=provided(**settings))
    module = pytest.importorskip("pydantic_ai.models.openai")
    provided = pytest.importorskip("pydantic_ai.providers.openai").OpenAIProvider
    return module.OpenAIChatModel("gpt-5", provider=provided(api_key="none", base_url=provider.url + "/v1"))


@pytest.mark.parametrize("kind", ["openai", "openai stream", "anthropic", "responses", "openai async", "anthropic async"])
def test_litellm(kind, monkeypatch):
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm = pytest.importorskip("litellm")
    load("litellm_callback")
    (callback,) = litellm.callbacks
    question, again = ({"role": "user", "content": words} for words in ("What is the weather in Rome?", "Are you still there?"))
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    history = [question, {"role": "assistant", "content": None, "tool_calls": [call]}, again]
    items = [question, {"type": "function_call_output", "call_id": "call_9", "output": "22"}, again]

    def ask(server):
        api, _, how = kind.partition(" ")
        model = "anthropic/claude-sonnet-5" if api == "anthropic" else "openai/gpt-5"
        url = server.url if api == "anthropic" else server.url + "/v1"
        known = {"model": model, "api_key": "none", "api_base": url, "max_retries": 0}
        if api == "responses":
            litellm.responses(input=items, **known)
        elif how == "async":
            asyncio.run(litellm.acompletion(messages=history, max_tokens=9, **known))
        else:
            litellm.completion(messages=history, max_tokens=9, stream=how == "stream", **known)

    verdicts = []
    for callbacks in ([], [callback]):
        monkeypatch.setattr(litellm, "callbacks", callbacks)
        for name in ("input_callback", "success_callback", "failure_callback", "_async_success_callback", "_async_failure_callback"):
            monkeypatch.setattr(litellm, name, [])
        with Recorder() as server:
            with pytest.raises(Exception):
                ask(server)
            path, _, body = server.received[0]
            verdicts.append(refusal(body, FORMATS[path]))
    assert verdicts[0] is not None and verdicts[1] is None


def test_litellm_has_no_strict_guard():
    pytest.importorskip("litellm")
    module = importlib.import_module("replaylint.litellm")
    with pytest.raises(TypeError, match="LiteLLM swallows exceptions"):
        module.Repair(strict=True)


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
