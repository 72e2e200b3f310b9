"""Check, repair, convert and compare LLM conversations before a provider rejects them.

A conversation is whatever is at hand: the body of a request or its list of items (``dict``, ``list``, objects of an
SDK), JSON or JSON Lines as ``str`` or bytes, or a path. What goes in comes out: ``fix`` returns objects for objects,
text for text and bytes for bytes.

    >>> import replaylint
    >>> fixed, report = replaylint.fix(messages, dialect="chat")
"""

import json as _json
import os as _os
from typing import NamedTuple as _NamedTuple

from ._guard import Guard
from ._native import (
    Change,
    Converted,
    Diagnostic,
    Diff,
    Error,
    Report,
    __VERSION__ as __version__,
    check as _check,
    check_many as _check_many,
    convert as _convert,
    diff as _diff,
    dump as _dump,
    fix as _fix,
    fix_many as _fix_many,
)

__all__ = [
    "Change",
    "Converted",
    "Diagnostic",
    "Diff",
    "Error",
    "Fixed",
    "Guard",
    "Report",
    "check",
    "check_many",
    "convert",
    "diff",
    "fix",
    "fix_many",
]


class Fixed(_NamedTuple):
    """A conversation after its repair, and what is to be said about it."""

    conversation: object
    report: Report


def check(conversation, **options):
    """Report what a provider would reject."""
    text, _, options = _read(conversation, options)
    return _check(text, options)


def fix(conversation, **options):
    """Repair a conversation as far as it is legal for its target; what nothing is wrong with is returned itself."""
    text, back, options = _read(conversation, options)
    repaired, report = _fix(text, _as_list(conversation, text, options))
    return Fixed(conversation if repaired is None else back(repaired), report)


def convert(conversation, to, **options):
    """Convert to requests of another dialect: responses, chat, anthropic, gemini or bedrock."""
    text, _, options = _read(conversation, options)
    return _convert(text, to, options)


def diff(before, after, **options):
    """Compare two conversations item by item."""
    old, _, options = _read(before, options)
    new, _, options = _read(after, options)
    return _diff(old, new, options)


def check_many(conversations, *, threads=0, **options):
    """``check`` for many conversations on several threads: a report, or an ``Error``, for each."""
    return _check_many([_text(each)[0] for each in conversations], threads, options)


def fix_many(conversations, *, threads=0, **options):
    """``fix`` for many conversations on several threads: a ``Fixed``, or an ``Error``, for each."""
    conversations = list(conversations)
    read = [_text(each) for each in conversations]
    results = _fix_many([text for text, _ in read], threads, options)
    return [
        result
        if isinstance(result, Error)
        else Fixed(conversation if result[0] is None else back(result[0]), result[1])
        for conversation, (_, back), result in zip(conversations, read, results)
    ]


def _read(conversation, options):
    """A conversation as bytes, the way back, and the options with its name."""
    text, back = _text(conversation)
    if isinstance(conversation, _os.PathLike):
        options = {"name": _os.fspath(conversation), **options}
    return text, back, options


def _text(conversation):
    if isinstance(conversation, bytes):
        return conversation, bytes
    if isinstance(conversation, str):
        # A lone surrogate has no UTF-8. It is passed on to be reported, not refused here.
        return conversation.encode("utf-8", "surrogatepass"), _decode
    if isinstance(conversation, (bytearray, memoryview)):
        return bytes(conversation), type(conversation)
    if isinstance(conversation, _os.PathLike):
        with open(conversation, "rb") as file:
            return file.read(), bytes
    return _dump(conversation, _plain), _json.loads


def _decode(text):
    return text.decode("utf-8", "surrogatepass")


def _as_list(conversation, text, options):
    """Options for a list of items: its dialect, where its items tell.

    A list by itself is recognised by its items, and a repair may remove those.
    """
    if not isinstance(conversation, (list, tuple)) or any(options.get(key) for key in ("dialect", "format", "pointer")):
        return options
    name = _check(text, {**options, "select": "RL004", "ignore": None}).format
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
