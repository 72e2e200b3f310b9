from contextlib import AbstractContextManager
from logging import Logger, LoggerAdapter
from types import TracebackType
from typing import Any

from typing_extensions import Self, Unpack

from . import _FixOptions

class Guard:
    def __init__(
        self, client: Any, *, logger: Logger | LoggerAdapter[Logger] = ..., **options: Unpack[_FixOptions]
    ) -> None: ...
    def on(self) -> Self: ...
    def off(self) -> AbstractContextManager[Self]: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...
