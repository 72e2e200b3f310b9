from collections.abc import Iterable
from typing import Any, Generic, NamedTuple, TypeVar, overload

from typing_extensions import Unpack

from ._guard import Guard as Guard
from ._native import (
    Batch as _Batch,
    Change as Change,
    Converted as Converted,
    Diagnostic as Diagnostic,
    Diff as Diff,
    Error as Error,
    Report as Report,
    Table as Table,
    _ArrowArray,
    _ArrowStream,
)
from ._options import CheckOptions, Dialect, FixOptions, RebuildOptions, TreeOptions
from ._repair import RejectedError as RejectedError

__version__: str
__all__ = [
    "Change",
    "Converted",
    "Diagnostic",
    "Diff",
    "Error",
    "Fixed",
    "Guard",
    "RejectedError",
    "Report",
    "Table",
    "check",
    "check_arrow",
    "check_many",
    "convert",
    "diff",
    "explain",
    "fix",
    "fix_arrow",
    "fix_many",
    "formats",
    "rebuild",
    "rules",
    "targets",
    "tree",
]

_C = TypeVar("_C")

class Fixed(NamedTuple, Generic[_C]):
    conversation: _C
    report: Report

def check(conversation: object, **options: Unpack[CheckOptions]) -> Report: ...
def fix(conversation: _C, **options: Unpack[FixOptions]) -> Fixed[_C]: ...
def convert(conversation: object, to: Dialect, **options: Unpack[CheckOptions]) -> Converted: ...
def diff(before: object, after: object, **options: Unpack[CheckOptions]) -> Diff: ...
def check_many(
    conversations: Iterable[object], *, threads: int = 0, **options: Unpack[CheckOptions]
) -> list[Report | Error]: ...
def fix_many(
    conversations: Iterable[_C], *, threads: int = 0, **options: Unpack[FixOptions]
) -> list[Fixed[_C] | Error]: ...
@overload
def check_arrow(transcripts: _ArrowArray, *, threads: int = 0, **options: Unpack[CheckOptions]) -> _Batch: ...
@overload
def check_arrow(transcripts: _ArrowStream, *, threads: int = 0, **options: Unpack[CheckOptions]) -> Table: ...
@overload
def fix_arrow(transcripts: _ArrowArray, *, threads: int = 0, **options: Unpack[FixOptions]) -> _Batch: ...
@overload
def fix_arrow(transcripts: _ArrowStream, *, threads: int = 0, **options: Unpack[FixOptions]) -> Table: ...
def tree(conversation: object, **options: Unpack[TreeOptions]) -> dict[str, Any]: ...
def rebuild(conversation: object, **options: Unpack[RebuildOptions]) -> dict[str, Any]: ...
def rules(*, target: str | None = None) -> list[dict[str, Any]]: ...
def explain(rule: str | None = None, *, error: str | None = None) -> dict[str, Any]: ...
def formats() -> list[dict[str, Any]]: ...
def targets(name: str | None = None) -> Any: ...
