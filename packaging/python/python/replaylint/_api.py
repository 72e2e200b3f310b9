"""The functions of the package."""

import io as _io
import json as _json
import os as _os
from collections.abc import Mapping as _Mapping
from typing import NamedTuple as _NamedTuple

from . import _native
from ._guard import Guard
from ._native import Change, Converted, Diagnostic, Diff, Error, Report, Table, __VERSION__ as __version__
from ._options import (
    DEFAULTS as _DEFAULTS,
    CheckOptions,
    FixOptions,
    RebuildOptions,
    TreeOptions,
    documented as _documented,
)
from ._repair import RejectedError

__all__ = [
    "Change",
    "Converted",
    "Diagnostic",
    "Diff",
    "Error",
    "Guard",
    "RejectedError",
    "Report",
    "Table",
    "__version__",
]


class Fixed(_NamedTuple):
    """A conversation after its repair, and what is to be said about it."""

    conversation: object
    report: Report


@_documented(CheckOptions)
def check(conversation, **options):
    """Report what a provider would reject."""
    text, _, options = _read(conversation, options, "check")
    return _native.check(text, options)


@_documented(FixOptions)
def fix(conversation, **options):
    """Repair a conversation as far as it is legal for its target; what nothing is wrong with is returned itself."""
    text, back, options = _read(conversation, options, "fix")
    repaired, report = _native.fix(text, _as_list(conversation, text, options))
    return Fixed(conversation if repaired is None else back(repaired), report)


@_documented(CheckOptions)
def convert(conversation, to, **options):
    """Convert to requests of another dialect: responses, chat, anthropic, gemini or bedrock."""
    text, _, options = _read(conversation, options, "convert")
    return _native.convert(text, to, options)


@_documented(CheckOptions)
def diff(before, after, **options):
    """Compare two conversations item by item."""
    old, _, options = _read(before, options, "diff")
    new, _, options = _read(after, options, "diff")
    return _native.diff(old, new, options)


@_documented(CheckOptions)
def check_many(conversations, *, threads=0, **options):
    """``check`` for many conversations on several threads: a report, or an ``Error``, for each."""
    return _native.check_many([_text(each, "check_many")[0] for each in _several(conversations)], threads, options)


@_documented(FixOptions)
def fix_many(conversations, *, threads=0, **options):
    """``fix`` for many conversations on several threads: a ``Fixed``, or an ``Error``, for each."""
    conversations = _several(conversations)
    read = [_text(each, "fix_many") for each in conversations]
    results = _native.fix_many([text for text, _ in read], threads, options)
    return [
        result
        if isinstance(result, Error)
        else Fixed(conversation if result[0] is None else back(result[0]), result[1])
        for conversation, (_, back), result in zip(conversations, read, results)
    ]


@_documented(CheckOptions)
def check_arrow(transcripts, *, threads=0, **options):
    """``check`` for a column of an Arrow library, strings or binary: a table with a row for each of its rows.

    Columns: ``error`` (why a row could not be judged), ``rules`` (a list: the codes of what was found), ``findings`` (a
    list of ``rule``, ``severity``, ``pointer``, ``message``, ``evidence``). All are null where the transcript is.
    """
    return _native.check_arrow(transcripts, threads, options)


@_documented(FixOptions)
def fix_arrow(transcripts, *, threads=0, **options):
    """``fix`` for a column of an Arrow library, strings or binary: a table with a row for each of its rows.

    Columns: ``transcript`` (repaired, of the type of the column), ``changed``, ``error`` (why a row could not be repaired),
    ``findings`` (before the repair, as from ``check_arrow``), ``changes`` (a list of ``rule``, ``pointer``, ``action``,
    ``what``, ``loss``, ``bytes``), ``remaining`` (findings after the repair). All are null where the transcript is.
    """
    return _native.fix_arrow(transcripts, threads, options)


@_documented(TreeOptions)
def tree(conversation, **options):
    """The turns of a conversation, and for each whether the next request can build on its response.

    The result is what ``replaylint tree --output-format json`` prints.
    """
    text, _, options = _read(conversation, options, "tree")
    walk, name, options = _walk(options)
    return _native.tree(text, name, walk, options)


@_documented(RebuildOptions)
def rebuild(conversation, **options):
    """The body of the request that continues a conversation, as ``replaylint rebuild`` prints it."""
    text, _, options = _read(conversation, options, "rebuild")
    walk, name, options = _walk(options)
    body = _native.rebuild(text, name, walk, options)
    if body is None:
        raise Error("no conversation found")
    return _json.loads(body)


def rules(*, target=None):
    """The rules, as ``replaylint rules --output-format json`` prints them; with a target, its severities."""
    return _native.rules(target)["rules"]


def explain(rule=None, *, error=None):
    """What a rule means and how it is fixed, by its code or name; or the rules behind an API's error message.

    The result is what ``replaylint explain --output-format json`` prints.
    """
    if (rule is None) == (error is None):
        raise TypeError("explain() takes a rule, or error=TEXT")
    return _native.explain_rule(rule) if error is None else _native.explain_error(error)


def formats():
    """The stored formats that are read, as ``replaylint formats --output-format json`` prints them."""
    return _native.formats()["formats"]


def targets(name=None):
    """The APIs that conversations are judged for, or all about one of them, as ``replaylint targets`` prints it."""
    found = _native.targets(name)
    return found["targets"] if name is None else found


_WALK = ("at", "ask", "chain", "last", "max_chars", "max_tokens", "max_age", "show_content")


def _walk(options):
    """What only `tree` and `rebuild` take, the name, and the options of all functions."""
    walk = {key: options.get(key, _DEFAULTS.get(key)) for key in _WALK}
    return walk, options.get("name") or "-", {key: value for key, value in options.items() if key not in _WALK}


def _read(conversation, options, function):
    """A conversation as bytes, the way back, and the options with its name."""
    text, back = _text(conversation, function)
    if isinstance(conversation, _os.PathLike):
        options = {"name": _os.fspath(conversation), **options}
    return text, back, options


def _several(conversations):
    if isinstance(conversations, (str, bytes, bytearray, memoryview, _os.PathLike, _Mapping)):
        raise TypeError(f"conversations must be several, not one {type(conversations).__name__}")
    return list(conversations)


def _text(conversation, function):
    if isinstance(conversation, bytes):
        return conversation, bytes
    if isinstance(conversation, str):
        if _is_file(conversation):
            raise Error(
                f"the text is the name of a file, not a conversation; "
                f"replaylint.{function}(pathlib.Path({conversation!r})) reads the file"
            )
        # A lone surrogate has no UTF-8. It is passed on to be reported, not refused here.
        return conversation.encode("utf-8", "surrogatepass"), _decode
    if isinstance(conversation, (bytearray, memoryview)):
        return bytes(conversation), type(conversation)
    if isinstance(conversation, _os.PathLike):
        with open(conversation, "rb") as file:
            return file.read(), bytes
    if conversation is None or isinstance(conversation, (bool, int, float, complex, type, _io.IOBase)):
        raise TypeError(
            "a conversation is a dict, a list, an object of an SDK, text, bytes or a path, "
            f"not {type(conversation).__name__}"
        )
    return _native.dump(conversation, _plain), _json.loads


def _is_file(text):
    # The longest path that a system takes; a conversation has its first bracket long before.
    if len(text) > 4096 or "\n" in text or "\0" in text or text.lstrip()[:1] in ("", "{", "["):
        return False
    return _os.path.isfile(text)


def _decode(text):
    return text.decode("utf-8", "surrogatepass")


def _as_list(conversation, text, options):
    """Options for a list of items: its dialect, where its items tell.

    A list by itself is recognised by its items, and a repair may remove those.
    """
    if not isinstance(conversation, (list, tuple)) or any(options.get(key) for key in ("dialect", "format", "pointer")):
        return options
    name = _native.check(text, {**options, "select": "RL004", "ignore": None}).format
    dialect = _DIALECTS.get(name)
    return {**options, "dialect": dialect} if dialect else options


_DIALECTS = {
    "responses-items": "responses",
    "chat-request": "chat",
    "anthropic-request": "anthropic",
    "gemini-request": "gemini",
    "bedrock-request": "bedrock",
}


def _plain(value):
    """Objects of an SDK as what they send."""
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json", by_alias=True, exclude_unset=True)
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None and not isinstance(value, type):
        return {name: getattr(value, name) for name in fields}
    if hasattr(value, "keys"):
        return dict(value)
    if hasattr(value, "__iter__") and not isinstance(value, (bytes, bytearray)):
        return list(value)
    raise TypeError(f"{type(value).__name__} is not part of a conversation that JSON can hold")
