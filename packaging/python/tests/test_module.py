"""The module on objects, text, bytes and files, alone and in batches; and the program that comes with it."""

import base64
import copy
import json
import pathlib
import struct
import subprocess
import sys
import sysconfig
import zlib

import pytest

import replaylint

CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
MESSAGES = [
    {"role": "user", "content": "What is the weather in Rome?"},
    {"role": "assistant", "tool_calls": [CALL]},
    {"role": "user", "content": "And in Oslo?"},
]
BODY = {"model": "gpt-5", "messages": MESSAGES}
ITEMS = [
    {"role": "user", "content": "What is the weather in Rome?"},
    {"type": "function_call_output", "call_id": "call_1", "output": "22 degrees"},
]


@pytest.mark.parametrize("form", [lambda x: x, json.dumps, lambda x: json.dumps(x).encode()])
def test_check_takes_objects_text_and_bytes(form):
    report = replaylint.check(form(BODY))
    assert not report.ok and report.format == "chat-request" and report.targets == ["chat"]
    (error,) = report.errors
    assert (error.rule, error.pointer) == ("RL501", "/messages/1/tool_calls/0")
    assert error.api_message.startswith("An assistant message with 'tool_calls' must be followed")
    assert report.counts() == {"RL501": 1}


def test_bytes_of_other_kinds_and_files(tmp_path):
    data = json.dumps(BODY).encode()
    path = tmp_path / "weather.json"
    path.write_bytes(data)
    for form in (bytearray(data), memoryview(data)):
        assert replaylint.check(form).counts() == {"RL501": 1}
        assert type(replaylint.fix(form).conversation) is type(form)
    (error,) = replaylint.check(path).errors
    assert error.path == str(path)
    assert replaylint.fix(path).conversation.startswith(b"{")
    assert path.read_bytes() == data


def test_the_report_is_what_the_program_prints():
    printed = subprocess.run(
        [program(), "check", "--output-format", "json", "-"], input=json.dumps(BODY).encode(), stdout=subprocess.PIPE
    )
    assert replaylint.check(json.dumps(BODY), name="-").to_dict() == json.loads(printed.stdout)


def test_fix_returns_what_it_was_given():
    before = copy.deepcopy(BODY)
    fixed, report = replaylint.fix(BODY, orphans="drop")
    assert BODY == before
    assert fixed == {"model": "gpt-5", "messages": [MESSAGES[0], MESSAGES[2]]}
    assert report.ok and report.changed
    (change,) = report.changes
    assert (change.rule, change.pointer, change.action, change.loss) == (
        "RL501",
        "/messages/1/tool_calls/0",
        "drop",
        "lossy",
    )
    text, _ = replaylint.fix(json.dumps(BODY), orphans="drop")
    assert isinstance(text, str) and json.loads(text) == fixed
    data, _ = replaylint.fix(json.dumps(BODY).encode(), orphans="drop")
    assert isinstance(data, bytes) and json.loads(data) == fixed


def test_what_is_whole_is_returned_itself():
    for whole in ({"messages": MESSAGES[:1]}, MESSAGES[:1], '{"messages": []}', (MESSAGES[0],)):
        fixed = replaylint.fix(whole)
        assert fixed.conversation is whole and not fixed.report.changed


@pytest.mark.parametrize("dialect", [None, "chat"])
def test_lists_are_repaired_in_place_of_their_request(dialect):
    fixed, report = replaylint.fix(MESSAGES, dialect=dialect, orphans="drop")
    assert fixed == [MESSAGES[0], MESSAGES[2]]
    assert report.changes[0].pointer == "/1/tool_calls/0"


def test_text_of_a_list_needs_its_dialect():
    fixed, report = replaylint.fix(json.dumps(MESSAGES), dialect="chat", orphans="drop")
    assert json.loads(fixed) == [MESSAGES[0], MESSAGES[2]]
    assert report.changes[0].column == json.dumps(MESSAGES).index('{"id"') + 1


def test_a_conversation_is_shortened():
    user = {"role": "user", "content": "What is the weather in Rome?"}
    body = {"model": "gpt-5", "input": [user, {"role": "assistant", "content": "Rome is sunny."}, user]}
    fixed, _ = replaylint.fix(body, max_tokens=10)
    assert "[1 answer after this was omitted" in fixed["input"][0]["content"]
    assert len(replaylint.fix(body, max_tokens=(10, "last=1"))[0]["input"]) == 1
    with pytest.raises(replaylint.Error, match="unknown content 'all' to keep"):
        replaylint.fix(body, max_tokens=(10, "all"))


def test_the_model_and_the_account_that_go_on():
    user = {"role": "user", "content": "Hi"}
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
    text = {"type": "output_text", "text": "Hello", "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "content": [text]}
    body = {"model": "gpt-5", "input": [user, reasoning, message, user]}
    for options in ({"account_changed": True}, {"for_model": "azure:gpt-5"}):
        assert "RL208" in {found.rule for found in replaylint.check(body, **options).diagnostics}


def test_images_are_shrunk_or_replaced():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header, rows = struct.pack(">IIBBBBB", 40, 30, 8, 2, 0, 0, 0), (b"\0" + b"\1\2\3" * 40) * 30
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    url = "data:image/png;base64," + base64.b64encode(png).decode()
    body = {
        "model": "gpt-5",
        "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}],
    }
    fixed, report = replaylint.fix(body, images="shrink", max_image_pixels=20)
    (part,) = fixed["messages"][0]["content"]
    shrunk = base64.b64decode(part["image_url"]["url"].removeprefix("data:image/png;base64,"))
    assert struct.unpack(">II", shrunk[16:24]) == (20, 15)
    assert report.changes[0].what == "shrink the image"
    for options in ({"images": "drop"}, {"max_images": 0}, {"max_image_bytes": 10}, {"max_image_pixels": 20}):
        fixed, _ = replaylint.fix(body, **options)
        assert fixed["messages"][0]["content"][0]["type"] == "text"
    with pytest.raises(replaylint.Error, match="unknown treatment 'none' of images"):
        replaylint.fix(body, images="none")


def test_options_are_those_of_the_program():
    stubbed, _ = replaylint.fix(BODY)
    assert [message["role"] for message in stubbed["messages"]] == ["user", "assistant", "tool", "user"]
    assert replaylint.check(BODY, ignore="RL501").ok
    assert replaylint.check(BODY, select=["RL1", "orphan-output"]).ok
    open_call = {"model": "gpt-5", "messages": MESSAGES[:2]}
    assert not replaylint.check(open_call, usage="request").ok
    assert replaylint.check(open_call, usage="log").ok
    assert replaylint.check({"request": {"body": BODY}}, pointer="/request/body").counts() == {"RL501": 1}
    reference = {"model": "gpt-5", "input": [{"type": "item_reference", "id": "rs_1"}, ITEMS[0]]}
    assert "RL303" in replaylint.check(reference, store=False).counts()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"target": "antropic"}, replaylint.Error, "unknown target 'antropic'; did you mean 'anthropic'?"),
        ({"format": "chat-reqest"}, replaylint.Error, "unknown format 'chat-reqest'; did you mean 'chat-request'?"),
        ({"dialect": "openai"}, replaylint.Error, "unknown dialect 'openai'; the dialects are responses, chat,"),
        ({"select": "RL999"}, replaylint.Error, "unknown rule 'RL999'"),
        ({"pointer": "input"}, replaylint.Error, "invalid JSON Pointer 'input'"),
        ({"usage": "reply"}, replaylint.Error, "usage is 'reply', but must be one of request, log"),
        ({"store": "no"}, TypeError, "store: "),
        ({"tarjet": "openai"}, TypeError, "unexpected keyword argument 'tarjet'"),
    ],
)
def test_mistakes_are_reported_in_the_words_of_the_program(options, error, words):
    with pytest.raises(error) as raised:
        replaylint.check(BODY, **options)
    assert str(raised.value).startswith(words)


def test_a_history_of_another_dialect_is_not_repaired():
    with pytest.raises(replaylint.Error, match="not in the dialect of the target anthropic: convert it first"):
        replaylint.fix(BODY, target="anthropic")


def test_what_is_no_conversation_is_a_finding():
    assert replaylint.check("{nope").counts() == {"RL001": 1}
    assert replaylint.check(b"").counts() == {"RL004": 1}
    assert replaylint.check({"a": 1}).counts() == {"RL004": 1}
    assert not replaylint.check('"\ud800"').ok
    assert replaylint.check({"messages": [{"role": "user", "content": float("nan")}]}).counts() == {"RL001": 1}


def test_objects_that_json_cannot_hold():
    with pytest.raises(TypeError, match="complex is not part of a conversation"):
        replaylint.check({"messages": [{"role": "user", "content": 1j}]})
    with pytest.raises(ValueError, match="[Cc]ircular"):
        loop = []
        loop.append(loop)
        replaylint.check(loop)


def test_convert():
    converted = replaylint.convert(BODY, "anthropic")
    assert converted.histories == 1 and converted.request == converted.requests[0]
    assert converted.request["messages"][1]["content"][0]["type"] == "tool_use"
    assert json.loads(converted.text) == converted.request
    # The call was never answered, and Anthropic wants an answer.
    assert converted.loses and converted.losses.counts()["RL910"] >= 1
    with pytest.raises(replaylint.Error, match="unknown dialect 'claud'"):
        replaylint.convert(BODY, "claud")
    with pytest.raises(replaylint.Error):
        replaylint.convert("{nope", "chat").request
    many = replaylint.convert("\n".join([json.dumps(BODY)] * 3), "gemini")
    assert len(many.requests) == 3
    with pytest.raises(replaylint.Error, match="there are 3 requests; use .requests"):
        many.request


def test_diff():
    fixed, _ = replaylint.fix(MESSAGES, orphans="drop")
    diff = replaylint.diff(MESSAGES, fixed, dialect="chat")
    assert not diff.is_equal and diff.summary["removed"] == 1
    assert diff.histories[0]["entries"][0]["before"]["pointer"].startswith("/1")
    assert replaylint.diff(json.dumps(BODY), BODY).is_equal
    with pytest.raises(replaylint.Error, match="the second document contains no conversation"):
        replaylint.diff(BODY, {"a": 1})


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_batches_are_the_same_as_one_by_one(threads):
    whole = {"messages": MESSAGES[:1]}
    batch = [BODY, json.dumps(BODY), whole, "{nope", json.dumps(whole).encode()] * 50
    reports = replaylint.check_many(iter(batch), threads=threads)
    assert [report.to_dict() for report in reports] == [replaylint.check(each).to_dict() for each in batch]
    fixed = replaylint.fix_many(iter(batch), threads=threads)
    assert [each.conversation for each in fixed] == [replaylint.fix(each).conversation for each in batch]
    assert fixed[2].conversation is whole


def test_lists_in_batches_have_one_dialect():
    fixed = replaylint.fix_many([MESSAGES, MESSAGES[:1]], dialect="chat", orphans="drop")
    assert [each.conversation for each in fixed] == [[MESSAGES[0], MESSAGES[2]], MESSAGES[:1]]


def test_one_that_fails_leaves_the_others_alone():
    first, second = replaylint.fix_many([BODY, {"model": "gpt-5", "input": ITEMS}], target="openai")
    assert isinstance(first, replaylint.Error) and "convert it first" in str(first)
    assert second.conversation["input"] == ITEMS[:1]
    with pytest.raises(replaylint.Error, match="unknown target"):
        replaylint.check_many([BODY], target="nobody")


def test_the_lock_is_released():
    import threading
    import time

    documents, ticks, done = [json.dumps(BODY)] * 20_000, [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.perf_counter()
    replaylint.check_many(documents, threads=1)
    end = time.perf_counter()
    done.set()
    ticker.join()
    # The other thread went on all the while, not only before and after.
    middle = [at for at in ticks if start + (end - start) * 0.2 < at < start + (end - start) * 0.6]
    assert len(middle) > 5


def program():
    return str(pathlib.Path(sysconfig.get_path("scripts")) / ("replaylint" + (sysconfig.get_config_var("EXE") or "")))


def test_the_program_is_there_and_of_the_same_version(tmp_path):
    for command in ([program()], [sys.executable, "-m", "replaylint"]):
        said = subprocess.run([*command, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
        assert said.split() == ["replaylint", replaylint.__version__]
    path = tmp_path / "weather.json"
    path.write_text(json.dumps(BODY))
    assert subprocess.run([sys.executable, "-m", "replaylint", "check", "-q", path]).returncode == 1


def test_man_pages_and_completions_are_there():
    share = pathlib.Path(sysconfig.get_path("data")) / "share"
    assert b"replaylint" in (share / "man/man1/replaylint-check.1").read_bytes()
    assert b"--target" in (share / "bash-completion/completions/replaylint").read_bytes()
