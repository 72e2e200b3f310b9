"""What a guard does with a request, whatever brings the request to it: repairs, reports, says so, and stays out of the way.

Guards of clients have the body of the request; the modules for frameworks have the conversation before there is one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from . import _native

if TYPE_CHECKING:
    from typing_extensions import TypeAlias, Unpack

    from ._options import GuardOptions

    OnChange: TypeAlias = Callable[[_native.Report, str], object]
    AnyLogger: TypeAlias = "logging.Logger | logging.LoggerAdapter[logging.Logger]"

    class GuardSettings(GuardOptions, total=False):
        """What a guard takes, whatever it guards."""

        logger: AnyLogger
        mode: Literal["repair", "report"]
        strict: bool
        on_change: OnChange | None

_T = TypeVar("_T")
_LOG = logging.getLogger("replaylint.guard")
# What is said of a change.
_LOSSES = {"lossless": "lossless", "adds": "lossless and adds a placeholder", "lossy": "lossy"}


class RejectedError(_native.Error):
    """A request that the provider would reject was not sent: a guard with ``strict=True`` could not repair it."""

    report: _native.Report
    endpoint: str

    def __init__(self, report: _native.Report, endpoint: str) -> None:
        errors = report.errors
        first = f"{errors[0].rule} at {errors[0].pointer or '/'}: {errors[0].message}"
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        super().__init__(f"not sent, because {endpoint} would reject it: {first}{more}")
        self.report = report
        self.endpoint = endpoint

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.report, self.endpoint)


class Repairer:
    """Judges what is about to be sent, and says what is sent instead."""

    def __init__(
        self,
        *,
        logger: AnyLogger = _LOG,
        mode: Literal["repair", "report"] = "repair",
        strict: bool = False,
        on_change: OnChange | None = None,
        **options: Unpack[GuardOptions],
    ) -> None:
        if mode not in ("repair", "report"):
            raise _native.Error(f"mode is {mode!r}, but must be one of repair, report")
        if on_change is not None and not callable(on_change):
            raise TypeError(f"on_change: {type(on_change).__name__} is not callable")
        self._log = logger
        self._repairs = mode == "repair"
        self._strict = strict
        self._on_change = on_change
        self._options: dict[str, Any] = dict(options)
        # A mistake in the options is one of the programmer, and is raised here.
        self._checker = _native.RequestChecker(self._repairs, self._options)

    def body(self, url: str, body: bytes) -> bytes | None:
        """The body to send to a URL instead of this one; `None` for this one."""
        found = self._checked(lambda: self._checker.check(url, body))
        if found is None:
            return None
        endpoint, repaired, reports = found
        for report in reports:
            self._say(report, endpoint)
        return repaired

    def conversation(self, conversation: _T, endpoint: str, **known: Any) -> _T:
        """The conversation to send instead of this one, which is returned itself if nothing is wrong with it.

        `known` is what its sender knows of it: the format, the model.
        """

        def check() -> tuple[_T, _native.Report] | None:
            from . import _api

            options = {**self._options, **known, "usage": "request", "name": endpoint}
            if self._repairs:
                fixed = _api.fix(conversation, **options)
                if fixed.report.ok:
                    return (fixed.conversation, fixed.report) if fixed.report.changed else None
            report = _api.check(conversation, **_without_repairs(options))
            return None if report.ok else (conversation, report)

        found = self._checked(check)
        if found is None:
            return conversation
        self._say(found[1], endpoint)
        return found[0]

    def _checked(self, check: Callable[[], _T]) -> _T | None:
        try:
            return check()
        except Exception as error:
            self.give_up(error)
            return None

    def give_up(self, error: Exception) -> None:
        """Says that a request is not checked, and with `strict` that it is not sent for that."""
        if self._strict:
            raise _native.Error(f"not sent, because it could not be checked: {type(error).__name__}") from error
        # An error may quote content.
        self._log.warning("a request was not checked: %s", type(error).__name__)

    def _say(self, report: _native.Report, endpoint: str) -> None:
        """Tells of a conversation that was changed, or that would be rejected."""
        for error in report.errors:
            what = "not repaired, sent as it is" if self._repairs else "sent as it is"
            self._log.warning("%s: %s at %s", what, error.rule, error.pointer)
        for change in report.changes:
            level = logging.WARNING if change.loss == "lossy" else logging.INFO
            loss = _LOSSES[change.loss]
            self._log.log(level, "repaired: %s at %s: %s (%s)", change.rule, change.pointer, change.what, loss)
        if self._on_change is not None:
            try:
                self._on_change(report, endpoint)
            except Exception as error:
                self._log.warning("on_change raised %s", type(error).__name__)
        if self._strict and not report.ok:
            raise RejectedError(report, endpoint)


def _without_repairs(options: dict[str, Any]) -> dict[str, Any]:
    from ._options import CheckOptions

    return {name: value for name, value in options.items() if name in CheckOptions.__annotations__}
