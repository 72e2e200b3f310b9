from collections.abc import Iterable
from typing import Generic, Literal, NamedTuple, TypedDict, TypeVar

from typing_extensions import TypeAlias, Unpack

from ._guard import Guard as Guard
from ._native import (
    Change as Change,
    Converted as Converted,
    Diagnostic as Diagnostic,
    Diff as Diff,
    Error as Error,
    Report as Report,
)

__version__: str
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

_Dialect: TypeAlias = Literal["responses", "chat", "anthropic", "gemini", "bedrock"]
_C = TypeVar("_C")

class _CheckOptions(TypedDict, total=False):
    target: str | None
    """The API that the conversation is replayed to; ``replaylint targets`` lists them."""
    format: str | None
    """The stored format, where it is not to be detected; ``replaylint formats`` lists them."""
    dialect: _Dialect | None
    """The conversation is a list of items or messages of this dialect, without a request around it."""
    store: bool | None
    """Whether the server stores the items."""
    model: str | None
    """The model, where the conversation does not name one."""
    effort: str | None
    """The reasoning effort, where the conversation does not name one."""
    usage: Literal["request", "log"] | None
    """Whether an unanswered call at the end is an error (request) or still pending (log)."""
    pointer: str | None
    """JSON Pointer from each record to the conversation."""
    select: str | Iterable[str] | None
    """Only these rules, by code, prefix or name."""
    ignore: str | Iterable[str] | None
    """All but these rules."""
    name: str | None
    """What reports call the conversation."""
    for_model: str | None
    """The model that goes on with the conversation: MODEL, TARGET:MODEL or TARGET."""
    account_changed: bool | None
    """The conversation goes on in another account than the one that wrote it."""

class _FixOptions(_CheckOptions, total=False):
    orphans: Literal["auto", "drop", "stub", "text"] | None
    """What is done with unanswered calls: drop them, or add a placeholder output."""
    reasoning: Literal["auto", "reference", "inline", "keep", "strip"] | None
    """What is done with reasoning."""
    images: str | None
    """What is done with images: drop, keep-last=N, or shrink those above a limit."""
    max_images: int | None
    """All but the last so many images become a text."""
    max_image_bytes: int | None
    """Images of more bytes, in base64, become a text, or are shrunk."""
    max_image_pixels: int | None
    """Images of which a side has more pixels become a text, or are shrunk."""
    max_tokens: int | tuple[int, str] | None
    """Shorten to about so many tokens, from the oldest end; with what is kept: (120_000, "prompts,last=3")."""
    lossless: bool | None
    """Only fixes that lose nothing the model saw."""
    fix_warnings: bool | None
    """Also fixes of warnings that are off by default."""

class Fixed(NamedTuple, Generic[_C]):
    conversation: _C
    report: Report

def check(conversation: object, **options: Unpack[_CheckOptions]) -> Report: ...
def fix(conversation: _C, **options: Unpack[_FixOptions]) -> Fixed[_C]: ...
def convert(conversation: object, to: _Dialect, **options: Unpack[_CheckOptions]) -> Converted: ...
def diff(before: object, after: object, **options: Unpack[_CheckOptions]) -> Diff: ...
def check_many(
    conversations: Iterable[object], *, threads: int = 0, **options: Unpack[_CheckOptions]
) -> list[Report | Error]: ...
def fix_many(
    conversations: Iterable[_C], *, threads: int = 0, **options: Unpack[_FixOptions]
) -> list[Fixed[_C] | Error]: ...
