"""A plugin for pytest, which finds it by itself; `-p no:replaylint` leaves it out.

    def test_history(assert_replayable):
        assert_replayable(build_messages(), target="anthropic")

`pytest --replaylint-cassettes` also judges the requests in recorded cassettes (VCR's YAML and JSON, HTTP archives): a test
each. It fails if a request that the provider accepted is judged as rejected, or one that it refused is not.

pytest imports this module in every run: the native module is loaded on its first use.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

import pytest

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._native import Report
    from ._options import CheckOptions

# As far as cassettes are looked at to tell whether they are recordings.
_HEAD = 4096
_SUFFIXES = (".yaml", ".yml", ".json", ".har")


def assert_replayable(conversation: object, **options: Unpack[CheckOptions]) -> None:
    """Fails the test if a provider would reject the conversation. The options are those of `check`.

    A call without its output at the end is an error, unless `usage="log"` says that it is pending.
    """
    __tracebackhide__ = True
    from . import _api

    report = _api.check(conversation, **{"usage": "request", **options})
    if not report.ok:
        pytest.fail(_words(report), pytrace=False)


@pytest.fixture(name="assert_replayable")
def _assert_replayable() -> Callable[..., None]:
    """`assert_replayable(conversation, **options)` fails the test if a provider would reject the conversation."""
    return assert_replayable


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("replaylint")
    group.addoption(
        "--replaylint-cassettes",
        action="store_true",
        help="also judge the requests in recorded cassettes, below folders whose names contain 'cassette'",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Cassette | None:
    if not parent.config.getoption("--replaylint-cassettes") or file_path.suffix not in _SUFFIXES:
        return None
    if not any("cassette" in folder.name for folder in file_path.parents):
        return None
    from . import _native

    with open(file_path, "rb") as file:
        if not _native.may_be_recording(file.read(_HEAD)):
            return None
    cassette: Cassette = Cassette.from_parent(parent, path=file_path)
    return cassette


class Cassette(pytest.File):
    """A file with recorded requests."""

    def collect(self) -> Iterator[pytest.Item]:
        from . import _native

        try:
            exchanges = _native.exchanges(self.path.read_bytes())
        except _native.Error as error:
            raise self.CollectError(f"{self.path.name}: {error}") from None
        for number, exchange in enumerate(exchanges):
            method, url, _, answer = exchange
            if method.upper() == "POST" and _native.endpoint(url) and answer != "other":
                # The host may be private, and so may be names in the path.
                name = f"{number}:{_native.endpoint(url)}"
                yield RecordedRequest.from_parent(self, name=name, exchange=exchange)


class RecordedRequest(pytest.Item):
    """A recorded request, and the answer to it."""

    def __init__(self, *, exchange: tuple[str, str, bytes, str], **known: Any) -> None:
        super().__init__(**known)
        self._exchange = exchange

    def runtest(self) -> None:
        from . import _native

        _, url, body, answer = self._exchange
        found = _native.RequestChecker(False, {}).check(url, body)
        errors = "" if found is None else "\n".join(_words(report) for report in found[2])
        if answer == "accepted" and errors:
            pytest.fail(f"recorded as accepted, judged as rejected\n{errors}", pytrace=False)
        if answer == "refused" and not errors:
            pytest.fail("recorded as refused, and nothing was found in the request", pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        return str(excinfo.value)


def _words(report: Report) -> str:
    """The errors, a line each, with the provider's own message where it is known."""
    lines = []
    for error in report.errors:
        said = f" (API: {error.api_message})" if error.api_message else ""
        lines.append(f"{error.rule} {error.pointer or '/'}: {error.message}{said}")
    return "\n".join(lines)
