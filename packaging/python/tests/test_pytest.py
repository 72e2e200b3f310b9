"""The plugin for pytest, in a pytest of its own."""

import json
import os
import subprocess
import sys

import pytest

import replaylint.pytest

OPEN = [
    {"role": "user", "content": "What is the weather in Rome?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}],
    },
]
WHOLE = {"model": "gpt-5", "messages": OPEN[:1]}
BROKEN = {"model": "gpt-5", "messages": OPEN}
SECRET = "What is the weather"


def run(folder, *arguments):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(folder), *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    return done.returncode, done.stdout


def test_a_conversation_is_asserted(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "from replaylint.pytest import assert_replayable as plain\n"
        f"OPEN = {OPEN!r}\n"
        "def test_whole(assert_replayable): assert_replayable(OPEN[:1], target='openai', dialect='chat')\n"
        "def test_open(assert_replayable): assert_replayable(OPEN)\n"
        "def test_plain(): plain(OPEN, dialect='chat')\n"
        "def test_log(assert_replayable): assert_replayable(OPEN, usage='log')\n"
        "def test_option(assert_replayable): assert_replayable(OPEN, target='opnai')\n"
    )
    code, said = run(tmp_path, "-v")
    assert code == 1 and "2 passed, 3 failed" in said.replace("3 failed, 2 passed", "2 passed, 3 failed"), said
    assert said.count("RL501 /1/tool_calls/0: ") == 2 * 2, said
    # Only the finding is shown: no frames of the plugin.
    assert "pytest.py" not in said.split("test_option")[0] and "unknown target 'opnai'" in said


def test_a_run_does_not_load_the_native_module_and_can_leave_the_plugin_out(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import sys\n"
        "def test_light(): assert 'replaylint.pytest' in sys.modules and 'replaylint._native' not in sys.modules\n"
    )
    (tmp_path / "test_without.py").write_text("import sys\ndef test_out(): assert 'replaylint' not in sys.modules\n")
    assert run(tmp_path, "test_it.py")[0] == 0
    code, said = run(tmp_path, "-p", "no:replaylint", "test_without.py")
    assert code == 0, said
    assert "unrecognized arguments" in run(tmp_path, "-p", "no:replaylint", "--replaylint-cassettes")[1]


def interaction(body, status, url="https://api.openai.com/v1/chat/completions"):
    request = {"method": "POST", "uri": url, "body": json.dumps(body), "headers": {}}
    return {"request": request, "response": {"status": {"code": status}, "headers": {}, "body": {"string": "{}"}}}


@pytest.mark.parametrize("suffix", [".yaml", ".json", ".har"])
def test_cassettes_are_judged(tmp_path, suffix):
    folder = tmp_path / "tests" / "cassettes" / "weather"
    folder.mkdir(parents=True)
    exchanges = [
        interaction(WHOLE, 200),
        interaction(BROKEN, 200),
        interaction(BROKEN, 400),
        interaction(WHOLE, 400),
        interaction(BROKEN, 429),
        interaction({"input": "x"}, 200, "https://api.openai.com/v1/embeddings"),
    ]
    if suffix == ".har":
        entries = [
            {
                "request": {"method": "POST", "url": one["request"]["uri"], "postData": {"text": one["request"]["body"]}},
                "response": {"status": one["response"]["status"]["code"], "content": {"text": "{}"}},
            }
            for one in exchanges
        ]
        text = json.dumps({"log": {"entries": entries}})
    else:
        # JSON is YAML.
        text = json.dumps({"version": 1, "interactions": exchanges})
    (folder / f"rome{suffix}").write_text(text)
    (folder / "other.json").write_text('{"a": 1}')
    (folder / "torn.yaml").write_text("interactions:\n- request: {method: [\n")
    code, said = run(tmp_path, "-v", "--replaylint-cassettes", "--ignore", str(folder / "torn.yaml"))
    assert code == 1 and "2 failed, 2 passed" in said, said
    assert f"rome{suffix}::1:chat/completions FAILED" in said and f"rome{suffix}::2:chat/completions PASSED" in said
    assert "recorded as accepted, judged as rejected\nRL501 /messages/1/tool_calls/0" in said
    assert "recorded as refused, and nothing was found in the request" in said
    assert SECRET not in said
    assert run(tmp_path)[0] == 5
    code, said = run(tmp_path, "--replaylint-cassettes", str(folder / "torn.yaml"))
    assert code != 0 and "torn.yaml: not valid YAML" in said, said


def test_a_cassette_of_vcrpy_is_read(tmp_path):
    vcr = pytest.importorskip("vcr")
    openai = pytest.importorskip("openai")
    from provider import Recorder

    folder = tmp_path / "cassettes"
    folder.mkdir()
    with Recorder() as server:
        client = openai.OpenAI(api_key="none", base_url=server.url + "/v1", max_retries=0)
        with vcr.use_cassette(str(folder / "made.yaml")):
            for body in (BROKEN, WHOLE):
                with pytest.raises(openai.BadRequestError):
                    client.chat.completions.create(**body)
    code, said = run(tmp_path, "-v", "--replaylint-cassettes")
    # The server refuses everything: the first for a reason, the second for none.
    assert "made.yaml::0:chat/completions PASSED" in said and "made.yaml::1:chat/completions FAILED" in said, said


def test_the_plain_function_is_the_fixture():
    with pytest.raises(pytest.fail.Exception, match="RL501"):
        replaylint.pytest.assert_replayable(OPEN, dialect="chat")
