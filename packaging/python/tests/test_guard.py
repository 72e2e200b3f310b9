"""Guards on the real clients, against a server that refuses what the providers refuse."""

import asyncio
import gc
import logging
import weakref

import pytest

import replaylint
from provider import Provider, call, text

openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")

SECRET = "the-secret-question"
QUESTION = {"role": "user", "content": SECRET}
AGAIN = {"role": "user", "content": "Are you still there?"}
TOOL = {"type": "object", "properties": {"city": {"type": "string"}}}


def responses(client, history):
    tools = [{"type": "function", "name": "weather", "parameters": TOOL, "strict": False}]
    return client.responses.create(model="gpt-5", input=history, tools=tools)


def chat(client, history):
    tools = [{"type": "function", "function": {"name": "weather", "parameters": TOOL}}]
    return client.chat.completions.create(model="gpt-5", messages=history, tools=tools)


def messages(client, history, api="messages"):
    api = client.beta.messages if api == "beta" else client.messages
    tools = [{"name": "weather", "input_schema": TOOL}]
    return api.create(model="claude-sonnet-5", max_tokens=100, messages=history, tools=tools)


# How a history is sent, and how the answer goes on in it. The items are objects of the SDK, as they come.
SENDERS = {
    "responses": (responses, lambda answer: list(answer.output)),
    "chat": (chat, lambda answer: [answer.choices[0].message]),
    "messages": (messages, lambda answer: [{"role": "assistant", "content": answer.content}]),
    "beta": (
        lambda client, history: messages(client, history, "beta"),
        lambda answer: [{"role": "assistant", "content": answer.content}],
    ),
}


def make(which, provider, kind=""):
    if which in ("responses", "chat"):
        return getattr(openai, f"{kind}OpenAI")(api_key="none", base_url=provider.url + "/v1", max_retries=0)
    return getattr(anthropic, f"{kind}Anthropic")(api_key="none", base_url=provider.url, max_retries=0)


def converse(client, which):
    """Two turns; the tool of the first is never run."""
    send, go_on = SENDERS[which]
    history = [QUESTION]
    history += go_on(send(client, history))
    return send(client, [*history, AGAIN])


async def converse_async(client, which):
    send, go_on = SENDERS[which]
    history = [QUESTION]
    history += go_on(await send(client, history))
    return await send(client, [*history, AGAIN])


def answers():
    return call("weather", {"city": "Rome"}), text("Yes.")


@pytest.mark.parametrize("which", SENDERS)
def test_without_a_guard_the_second_request_is_refused(which):
    with Provider(*answers()) as provider:
        client = make(which, provider)
        with pytest.raises((openai.BadRequestError, anthropic.BadRequestError), match="call_1|toolu_1"):
            converse(client, which)
        assert provider.statuses == [200, 400]


@pytest.mark.parametrize("which", SENDERS)
def test_with_a_guard_it_passes(which, caplog):
    caplog.set_level(logging.INFO)
    with Provider(*answers()) as provider:
        client = make(which, provider)
        replaylint.Guard(client, orphans="drop")
        converse(client, which)
        assert provider.statuses == [200, 200]
        key = "input" if which == "responses" else "messages"
        assert len(provider.requests[1][key]) == 2
        # Nothing but the history was changed.
        assert provider.requests[1]["tools"] == provider.requests[0]["tools"]
    said = [record.getMessage() for record in caplog.records if record.name == "replaylint.guard"]
    assert len(said) == 1 and "drop the unanswered call (lossy)" in said[0]
    assert SECRET not in caplog.text and "Rome" not in "".join(said)


@pytest.mark.parametrize("which", SENDERS)
def test_asynchronous_clients_are_guarded_too(which):
    async def run(guarded):
        with Provider(*answers()) as provider:
            async with make(which, provider, "Async") as client:
                if guarded:
                    replaylint.Guard(client)
                await converse_async(client, which)
            return provider.statuses

    with pytest.raises((openai.BadRequestError, anthropic.BadRequestError)):
        asyncio.run(run(False))
    assert asyncio.run(run(True)) == [200, 200]


def test_the_call_is_kept():
    with Provider(*answers()) as provider:
        client = make("chat", provider)
        replaylint.Guard(client)
        converse(client, "chat")
        assert [message["role"] for message in provider.requests[1]["messages"]] == [
            "user",
            "assistant",
            "tool",
            "user",
        ]


def test_streams_are_guarded():
    history = [QUESTION, {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]}]
    with Provider(text("Yes.")) as provider:
        client = make("messages", provider)
        replaylint.Guard(client)
        with client.messages.stream(model="claude-sonnet-5", max_tokens=100, messages=[*history, AGAIN]) as stream:
            assert stream.get_final_text() == "Yes."


def test_views_and_copies_are_guarded():
    with Provider(*answers(), *answers()) as provider:
        client = make("chat", provider)
        client.chat.completions.with_raw_response.create(model="gpt-5", messages=[QUESTION])
        guard = replaylint.Guard(client)
        broken = [QUESTION, {"role": "tool", "tool_call_id": "call_9", "content": "22 degrees"}, AGAIN]
        client.chat.completions.with_raw_response.create(model="gpt-5", messages=broken)
        client.with_options(timeout=9).chat.completions.create(model="gpt-5", messages=iter(broken))
        guard.off()
        with pytest.raises(openai.BadRequestError):
            client.chat.completions.with_raw_response.create(model="gpt-5", messages=broken)
        assert provider.statuses == [200, 200, 200, 400]


def test_copies_go_off_with_the_client_and_are_not_kept():
    broken = [{"role": "tool", "tool_call_id": "call_9", "content": "22 degrees"}, AGAIN]
    with Provider(text("1"), text("2")) as provider:
        client = make("chat", provider)
        guard = replaylint.Guard(client)
        copy = client.with_options(timeout=9).copy()
        kept = weakref.ref(client.with_options(timeout=9))
        gc.collect()
        assert kept() is None
        copy.chat.completions.create(model="gpt-5", messages=broken)
        guard.off()
        with pytest.raises(openai.BadRequestError):
            copy.chat.completions.create(model="gpt-5", messages=broken)
        guard.on()
        copy.chat.completions.create(model="gpt-5", messages=broken)


def test_a_guard_goes_off_and_on():
    broken = [QUESTION, {"role": "tool", "tool_call_id": "call_9", "content": "22 degrees"}, AGAIN]
    with Provider(text("1"), text("2")) as provider:
        client = make("chat", provider)

        def send():
            return client.chat.completions.create(model="gpt-5", messages=broken)

        with replaylint.Guard(client) as guard:
            send()
            with guard.off():
                with pytest.raises(openai.BadRequestError):
                    send()
            send()
        with pytest.raises(openai.BadRequestError):
            send()
        assert "create" not in vars(client.chat.completions)


def test_what_cannot_be_repaired_is_sent_as_it_is(caplog):
    # With only lossless repairs there is none for an unanswered call.
    with Provider(*answers()) as provider:
        client = make("responses", provider)
        replaylint.Guard(client, lossless=True, orphans="drop")
        with pytest.raises(openai.BadRequestError):
            converse(client, "responses")
        assert [item.get("type", "message") for item in provider.requests[1]["input"]] == [
            "message",
            "function_call",
            "message",
        ]
    assert "not repaired, sent as it is: RL101 at /input/1" in caplog.text


def test_a_guard_raises_nothing_of_its_own(monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError(SECRET)

    with Provider(text("Yes.")) as provider:
        client = make("chat", provider)
        replaylint.Guard(client)
        monkeypatch.setattr(replaylint._guard._native, "fix", broken)
        client.chat.completions.create(model="gpt-5", messages=[QUESTION])
    assert "a request was not checked: RuntimeError" in caplog.text and SECRET not in caplog.text


def test_what_is_whole_is_sent_as_the_same_objects():
    sent = {}
    with Provider(text("Yes."), text("Yes.")) as provider:
        client = make("chat", provider)
        original = client.chat.completions.create
        client.chat.completions.create = lambda **kwargs: sent.update(kwargs) or original(**kwargs)
        guard = replaylint.Guard(client)
        history = [QUESTION]
        client.chat.completions.create(model="gpt-5", messages=history, extra_body={"top_k": 3})
        assert sent["messages"] is history and sent["extra_body"] == {"top_k": 3}
        guard.off()
        assert client.chat.completions.create(model="gpt-5", messages=history) is not None


def test_mistakes_are_reported_at_once():
    client = openai.OpenAI(api_key="none")
    with pytest.raises(replaylint.Error, match="did you mean 'openai'"):
        replaylint.Guard(client, target="opnai")
    with pytest.raises(TypeError, match="unexpected keyword argument 'orphan'"):
        replaylint.Guard(client, orphan="stub")
    with pytest.raises(TypeError, match="not a client"):
        replaylint.Guard(object())
