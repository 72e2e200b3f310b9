"""Guards on the real clients, against a server that refuses what the providers refuse."""

import asyncio
import gc
import json
import logging
import pickle
import weakref

import pytest

import replaylint
from provider import Provider, Recorder, call, text

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
        assert "build_request" not in vars(client._client)


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


class Failing:
    def check(self, *_):
        raise RuntimeError(SECRET)


def test_a_guard_raises_nothing_of_its_own(caplog):
    with Provider(text("Yes.")) as provider:
        client = make("chat", provider)
        guard = replaylint.Guard(client)
        guard._repairer._checker = Failing()
        client.chat.completions.create(model="gpt-5", messages=[QUESTION])
    assert "a request was not checked: RuntimeError" in caplog.text and SECRET not in caplog.text


def test_a_strict_guard_sends_nothing_unchecked():
    with Provider() as provider:
        client = make("chat", provider)
        guard = replaylint.Guard(client, strict=True)
        guard._repairer._checker = Failing()
        with pytest.raises(replaylint.Error, match="not sent, because it could not be checked: RuntimeError"):
            client.chat.completions.create(model="gpt-5", messages=[QUESTION])
        assert provider.statuses == []


@pytest.mark.parametrize("kind", ["", "Async"])
@pytest.mark.parametrize("which", ["chat", "responses", "messages"])
def test_a_strict_guard_raises_its_own_error_and_sends_nothing(which, kind):
    # Only lossless repairs, and there is none for an unanswered call. The SDKs retry; nothing is tried again.
    broken = {
        "chat": [{"role": "tool", "tool_call_id": "call_9", "content": "22"}, AGAIN],
        "responses": [{"type": "function_call_output", "call_id": "call_9", "output": "22"}, AGAIN],
        "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9", "content": "22"}]}],
    }[which]
    told = []
    with Provider() as provider:
        client = make(which, provider, kind).with_options(max_retries=2)
        options = {"lossless": True, "strict": True}
        replaylint.Guard(client, **options, on_change=lambda report, endpoint: told.append((report, endpoint)))

        async def run():
            await SENDERS[which][0](client, broken)

        with pytest.raises(replaylint.RejectedError, match="not sent, because .* would reject it: RL") as raised:
            asyncio.run(run()) if kind else SENDERS[which][0](client, broken)
        assert provider.statuses == []
    assert told == [(raised.value.report, raised.value.endpoint)]
    assert not raised.value.report.ok and not raised.value.report.changed
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.report) == (str(raised.value), raised.value.report)


@pytest.mark.parametrize("strict", [False, True])
def test_a_guard_that_only_reports_changes_nothing(strict, caplog):
    broken = [QUESTION, {"role": "tool", "tool_call_id": "call_9", "content": "22 degrees"}, AGAIN]
    told = []
    with Provider() as provider:
        client = make("chat", provider)
        replaylint.Guard(client, mode="report", strict=strict, on_change=lambda *what: told.append(what))
        with pytest.raises(replaylint.RejectedError if strict else openai.BadRequestError):
            client.chat.completions.create(model="gpt-5", messages=broken)
        assert [request["messages"] for request in provider.requests] == ([] if strict else [broken])
    ((report, endpoint),) = told
    assert endpoint == "chat/completions" and report.counts() == {"RL502": 1} and not report.changed
    assert "sent as it is: RL502 at /messages/1" in caplog.text


def test_a_callback_is_told_of_changes_and_cannot_break_a_request(caplog):
    broken = [QUESTION, {"role": "tool", "tool_call_id": "call_9", "content": "22 degrees"}, AGAIN]
    told = []

    def tell(report, endpoint):
        told.append((report, endpoint))
        raise RuntimeError(SECRET)

    with Provider(text("Yes."), text("Yes.")) as provider:
        client = make("chat", provider)
        replaylint.Guard(client, on_change=tell)
        client.chat.completions.create(model="gpt-5", messages=broken)
        client.chat.completions.create(model="gpt-5", messages=[QUESTION])
        assert provider.statuses == [200, 200]
    ((report, endpoint),) = told
    assert (endpoint, report.ok, report.changes[0].rule) == ("chat/completions", True, "RL502")
    assert "on_change raised RuntimeError" in caplog.text and SECRET not in caplog.text


def test_each_conversation_of_a_batch_is_for_itself():
    def request(name, messages):
        return {"custom_id": name, "params": {"model": "claude-sonnet-5", "max_tokens": 9, "messages": messages}}

    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]}
    batch = [request("whole", [QUESTION]), request("open", [QUESTION, use, AGAIN]), request("twice", [QUESTION, use, AGAIN])]
    told = []
    with Recorder() as server:
        client = anthropic.Anthropic(api_key="none", base_url=server.url, max_retries=0)
        if not hasattr(client.messages, "batches"):
            pytest.skip("anthropic has no messages.batches in this version")
        replaylint.Guard(client, on_change=lambda report, endpoint: told.append((report, endpoint)))
        with pytest.raises(anthropic.BadRequestError):
            client.messages.batches.create(requests=batch)
        sent = json.loads(server.received[0][2])["requests"]
    assert sent[0] == batch[0]
    assert [len(one["params"]["messages"]) for one in sent] == [1, 4, 4]
    assert all(one["params"]["messages"][2]["content"][0]["type"] == "tool_result" for one in sent[1:])
    assert [(report.changes[0].path, endpoint) for report, endpoint in told] == [
        (f"messages/batches/requests/{n}/params", "messages/batches") for n in (1, 2)
    ]


def test_what_is_whole_is_sent_as_it_came():
    with Recorder() as server:
        client = openai.OpenAI(api_key="none", base_url=server.url + "/v1", max_retries=0)
        guard = replaylint.Guard(client)
        body = b'{ "model": "gpt-5",\n "messages": [ {"role": "user", "content": "\\u00e9"} ] }'
        for _ in range(2):
            request = client._client.build_request(
                "POST", "/chat/completions", content=body, headers={"content-type": "application/json", "x": "1"}
            )
            client._client.send(request)
            guard.off()
        assert [sent for _, _, sent in server.received] == [body, body]
        assert server.received[0][1].items() == server.received[1][1].items()


def test_a_stream_is_left_alone():
    openai_client = openai.OpenAI(api_key="none", base_url="http://127.0.0.1:1/v1")
    replaylint.Guard(openai_client, strict=True)
    request = openai_client._client.build_request(
        "POST", "/responses", content=iter([b"{}"]), headers={"content-type": "application/json"}
    )
    assert "content-length" not in request.headers


def test_the_http_client_itself_can_be_guarded():
    broken = [QUESTION, {"role": "tool", "tool_call_id": "call_9", "content": "22 degrees"}, AGAIN]
    with Provider(text("Yes.")) as provider:
        http = openai.DefaultHttpxClient()
        replaylint.Guard(http)
        client = openai.OpenAI(api_key="none", base_url=provider.url + "/v1", max_retries=0, http_client=http)
        client.chat.completions.create(model="gpt-5", messages=broken)
        assert provider.statuses == [200]


def test_two_guards_go_off_in_any_order():
    broken = [QUESTION, {"role": "tool", "tool_call_id": "call_9", "content": "22 degrees"}, AGAIN]
    client = openai.OpenAI(api_key="none", base_url="http://127.0.0.1:1/v1")
    first, second = replaylint.Guard(client, mode="report"), replaylint.Guard(client)
    body = {"model": "gpt-5", "messages": broken}
    headers = {"content-type": "application/json"}

    def is_repaired():
        request = client._client.build_request("POST", "/chat/completions", json=body, headers=headers)
        return json.loads(request.content) != body

    assert is_repaired()
    first.off()
    assert is_repaired()
    second.off()
    assert not is_repaired()
    second.on()
    assert is_repaired()


def test_mistakes_are_reported_at_once():
    client = openai.OpenAI(api_key="none")
    with pytest.raises(replaylint.Error, match="did you mean 'openai'"):
        replaylint.Guard(client, target="opnai")
    with pytest.raises(TypeError, match="unexpected keyword argument 'orphan'"):
        replaylint.Guard(client, orphan="stub")
    with pytest.raises(TypeError, match="not a client"):
        replaylint.Guard(object())
    with pytest.raises(replaylint.Error, match="mode is 'log', but must be one of repair, report"):
        replaylint.Guard(client, mode="log")
    with pytest.raises(TypeError, match="on_change: int is not callable"):
        replaylint.Guard(client, on_change=3)
    with pytest.raises(TypeError, match="'format' is no option of a guard"):
        replaylint.Guard(client, format="chat-request")


def test_what_google_sends_and_json_cannot_hold_is_left_to_it(caplog):
    genai = pytest.importorskip("google.genai")
    with Recorder() as server:
        client = genai.Client(api_key="none", http_options={"base_url": server.url})
        replaylint.Guard(client)
        with pytest.raises(TypeError, match="JSON serializable"):
            client._api_client.request("post", "models/m:generateContent", {"contents": [{"parts": [1j]}]})
        assert server.received == []
    assert "a request was not checked: TypeError" in caplog.text
