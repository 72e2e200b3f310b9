"""What Python programmers expect of a module: signatures, types, errors, reports that behave, examples with types; and the
tables and trees of the program as values.
"""

import copy
import importlib.util
import inspect
import io
import json
import pathlib
import pickle
import re
import subprocess
import sys

import pytest

import replaylint
from replaylint import _native
from test_module import BODY, ITEMS, MESSAGES, program


# Options are shown to `inspect` by name, and to type checkers as a typed dictionary: two ways to say one thing.
WITH_OPTIONS = {
    "check": "CheckOptions",
    "fix": "FixOptions",
    "convert": "CheckOptions",
    "diff": "CheckOptions",
    "check_many": "CheckOptions",
    "fix_many": "FixOptions",
    "check_arrow": "CheckOptions",
    "fix_arrow": "FixOptions",
    "tree": "TreeOptions",
    "rebuild": "RebuildOptions",
}


def test_the_stubs_say_what_the_module_has(tmp_path):
    pytest.importorskip("mypy")
    allowed = tmp_path / "allowed"
    # The other modules have their types in them.
    stubs = [each.stem for each in pathlib.Path(replaylint.__file__).parent.glob("*.pyi")]
    assert sorted(stubs) == ["__init__", "_native"]
    allowed.write_text(
        "".join(f"replaylint\\.{name}\n" for name in WITH_OPTIONS) + r"replaylint\.(?!_native)[a-z_]\w*\..*" + "\n"
        r"replaylint\.litellm" + "\n"
    )
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy.stubtest", "replaylint", "--ignore-missing-stub"),
            *("--allowlist", allowed, "--ignore-unused-allowlist"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_options_have_one_table():
    options = importlib.import_module("replaylint._options")
    assert set(options.FixOptions.__annotations__) == set(_native.keywords())
    guarded = set(options.GuardOptions.__annotations__)
    assert guarded == set(_native.keywords()) - {"format", "dialect", "usage", "pointer", "name"}
    stub = (pathlib.Path(replaylint.__file__).parent / "__init__.pyi").read_text()
    for name, table in WITH_OPTIONS.items():
        function, known = getattr(replaylint, name), getattr(options, table).__annotations__
        shown = inspect.signature(function).parameters
        assert [each for each in shown if shown[each].kind is inspect.Parameter.KEYWORD_ONLY][-len(known) :] == list(known)
        assert all(f"    {each}: " in function.__doc__ for each in known), name
        assert re.search(rf"def {name}\(\s*[^)]*\*\*options: Unpack\[{table}\]", stub), name
    page = (pathlib.Path(__file__).resolve().parents[3] / "docs/python.md").read_text()
    rows = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    assert set(_native.keywords()) <= set(re.findall(r"`(\w+)`", rows))


def test_the_name_of_a_file_is_no_conversation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("session.jsonl").write_text(json.dumps(BODY))
    for function in ("check", "fix", "tree", "rebuild"):
        with pytest.raises(replaylint.Error, match=rf"replaylint\.{function}\(pathlib\.Path\('session.jsonl'\)\)"):
            getattr(replaylint, function)("session.jsonl")
    with pytest.raises(replaylint.Error, match="reads the file"):
        replaylint.convert("session.jsonl", "chat")
    with pytest.raises(replaylint.Error, match="reads the file"):
        replaylint.check_many([BODY, "session.jsonl"])
    assert replaylint.check(pathlib.Path("session.jsonl")).counts() == {"RL501": 1}
    assert not replaylint.check("other.jsonl").ok


@pytest.mark.parametrize(
    "call",
    [
        lambda: replaylint.check(None),
        lambda: replaylint.check(42),
        lambda: replaylint.check(True),
        lambda: replaylint.check(dict),
        lambda: replaylint.check(io.StringIO("{}")),
        lambda: replaylint.check(object()),
        lambda: replaylint.check_many(json.dumps(BODY)),
        lambda: replaylint.check_many(BODY),
        lambda: replaylint.fix_many(pathlib.Path("x")),
        lambda: replaylint.check_many([BODY], threads="2"),
        lambda: replaylint.check_many(3),
        lambda: replaylint.convert(BODY, 3),
        lambda: replaylint.diff(BODY, 3),
        lambda: replaylint.check(BODY, target=3),
        lambda: replaylint.check(BODY, select=3),
        lambda: replaylint.check(BODY, select=[3]),
        lambda: replaylint.check(BODY, pointer=b"/x"),
        lambda: replaylint.fix(BODY, lossless="yes"),
        lambda: replaylint.fix(BODY, max_images="2"),
        lambda: replaylint.fix(BODY, max_tokens="2"),
        lambda: replaylint.fix(BODY, max_tokens=(1, 2)),
        lambda: replaylint.fix(BODY, orphans=True),
        lambda: replaylint.rebuild(BODY, last="2"),
        lambda: replaylint.tree(BODY, max_age=3),
        lambda: replaylint.explain(3),
        lambda: replaylint.explain(),
        lambda: replaylint.explain("RL101", error="x"),
        lambda: replaylint.rules(target=3),
        lambda: replaylint.targets(3),
    ],
)
def test_wrong_types_are_type_errors(call):
    with pytest.raises(TypeError) as raised:
        call()
    assert not isinstance(raised.value, replaylint.Error)


@pytest.mark.parametrize("name", ["max_images", "max_image_bytes", "max_image_pixels"])
def test_a_number_that_is_too_small_is_an_error_of_its_option(name):
    with pytest.raises(replaylint.Error, match=f"^{name}: "):
        replaylint.fix(BODY, **{name: -1})


def test_a_report_is_a_collection_and_no_truth():
    both = {"model": "gpt-5", "messages": [*MESSAGES, {"role": "tool", "tool_call_id": "call_9", "content": "22"}]}
    report, fixed = replaylint.check(both), replaylint.fix(both).report
    assert len(report) == 2 == len(report.diagnostics) and len(fixed) == 0 == len(list(fixed))
    assert [found.rule for found in report] == [found.rule for found in report.diagnostics]
    assert report == replaylint.check(both) != fixed and report != replaylint.check(BODY) and report != 2
    for wrong in (lambda: bool(report), lambda: not fixed, lambda: 1 if fixed else 2):
        with pytest.raises(TypeError, match=r"use \.ok, or len\(\)"):
            wrong()
    with pytest.raises(TypeError, match="unhashable"):
        hash(report)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_reports_are_pickled(protocol):
    documents = [BODY, {"model": "gpt-5", "messages": MESSAGES[:1]}, "{nope", {"model": "gpt-5", "input": ITEMS}]
    for document in documents:
        for report in (replaylint.check(document, name="a.json"), replaylint.fix(document).report):
            again = pickle.loads(pickle.dumps(report, protocol))
            assert again == report and again.to_json() == report.to_json() and repr(again) == repr(report)
            for one in [*report.diagnostics, *report.changes]:
                same = pickle.loads(pickle.dumps(one, protocol))
                assert same == one and same.to_dict() == one.to_dict() and repr(same) == repr(one)
            assert copy.deepcopy(report) == report


def printed(*command, **known):
    done = subprocess.run([program(), *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **known)
    return json.loads(done.stdout)


def test_tables_are_those_of_the_program():
    as_json = ("--output-format", "json")
    assert replaylint.rules() == printed("rules", *as_json)["rules"]
    assert replaylint.rules(target="azure") == printed("rules", "--target", "azure", *as_json)["rules"]
    assert replaylint.formats() == printed("formats", *as_json)["formats"]
    assert replaylint.targets() == printed("targets", *as_json)["targets"]
    assert replaylint.targets("nim") == printed("targets", "nim", *as_json)
    assert replaylint.explain("RL101") == printed("explain", "RL101", *as_json)
    message = "No tool output found for function call call_1."
    for text in (message, "no such message"):
        assert replaylint.explain(error=text) == printed("explain", "--error", text, *as_json)
    for wrong, words in (
        (lambda: replaylint.rules(target="opnai"), "unknown target 'opnai'; did you mean 'openai'"),
        (lambda: replaylint.targets("opnai"), "unknown target 'opnai'"),
        (lambda: replaylint.explain("orphan-outputs"), "unknown rule 'orphan-outputs'; did you mean orphan-output"),
    ):
        with pytest.raises(replaylint.Error, match=re.escape(words)):
            wrong()


SESSION = [
    {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s1", "message": MESSAGES[0]},
    {
        "type": "assistant",
        "uuid": "a1",
        "parentUuid": "u1",
        "sessionId": "s1",
        "message": {"role": "assistant", "model": "claude-sonnet-5", "content": [{"type": "text", "text": "Sunny."}]},
    },
]


@pytest.mark.parametrize("document", [BODY, {"model": "gpt-5", "input": [*ITEMS[:1], *ITEMS[:1]]}, SESSION])
def test_tree_is_that_of_the_program(document):
    text = "\n".join(map(json.dumps, document)) if isinstance(document, list) else json.dumps(document)
    told = replaylint.tree(text)
    assert told == printed("tree", "--isolated", "--allow-empty", "--output-format", "json", "-", input=text.encode())
    if document is SESSION:
        assert [turn["name"] for turn in told["conversations"][0]["turns"]]
        assert replaylint.tree(text, show_content=True) != told
    with pytest.raises(replaylint.Error, match="invalid age '1y'"):
        replaylint.tree(text, max_age="1y")


def test_rebuild_is_that_of_the_program():
    text = "\n".join(map(json.dumps, SESSION))
    for options, flags in (
        ({"ask": "Go on."}, ["--ask", "Go on."]),
        ({"ask": "Go on.", "chain": "never"}, ["--ask", "Go on.", "--chain", "never"]),
        ({"last": 1}, ["--last", "1"]),
    ):
        flags = ["rebuild", "--isolated", *flags, "-"]
        assert replaylint.rebuild(text, **options) == printed(*flags, input=text.encode()), options
    for wrong, words in (
        ({"at": "u9"}, "unknown node 'u9'"),
        ({"chain": "sometimes"}, "chain is 'sometimes', but must be one of auto, always, never"),
        ({"last": 1, "max_chars": 9}, "only one of last, max_chars and max_tokens"),
        ({"chain": "always", "last": 1}, "chain='always' sends no history"),
    ):
        with pytest.raises(replaylint.Error, match=re.escape(words)):
            replaylint.rebuild(text, **wrong)
    with pytest.raises(replaylint.Error, match="no conversation found"):
        replaylint.rebuild("{}")


# What the examples need, where it is not the name of their file.
NEEDS = {
    "ag2_agent": "ag2",
    "ag2_window": "ag2",
    "guarded_client": "openai",
    "langchain_middleware": "langchain",
    "litellm_callback": "litellm",
    "openai_agents": "agents",
    "pydantic_ai_history": "pydantic_ai",
}


def test_examples_have_types():
    pytest.importorskip("mypy")
    examples = sorted((pathlib.Path(__file__).resolve().parents[3] / "examples/python").glob("*.py"))
    assert [each.stem for each in examples] == sorted(NEEDS)
    # Not every environment has all of them: LiteLLM wants an older openai than the others.
    files = [str(each) for each in examples if importlib.util.find_spec(NEEDS[each.stem])]
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", *files]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0 and files, done.stdout
