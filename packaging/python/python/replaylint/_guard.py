"""A guard for clients: the body of each request is repaired right before it is sent.

There is one hook for each kind of client, at the place where it makes a request of a method's arguments. All endpoints
pass there, retries and copies of the client too, and what comes after it sees the body that is sent: signatures of AWS,
the length, the client's own logging. An exception raised there reaches the caller as it is; one raised while a request
is sent is taken for a failure of the connection by some clients, and tried again.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from . import _native
from ._repair import _LOG, Repairer

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from ._options import GuardOptions
    from ._repair import AnyLogger, OnChange

# Headers of the body that is replaced.
_OF_BODY = (b"content-length", b"transfer-encoding")


class Guard:
    """Repairs the conversations in each request that a client sends.

        client = openai.OpenAI()
        guard = replaylint.Guard(client)

    The client is one of ``openai``, ``anthropic`` or ``google-genai``, sync or async, the ``httpx`` client that one of
    them is given, or a client or session of ``boto3``. All endpoints that take conversations are guarded; others, and
    websockets, are not touched.

    A repair is made only if nothing remains that the provider would reject; otherwise the request is sent as it is. What
    was changed is logged by the logger ``replaylint.guard``, without content: repairs that lose something as warnings,
    others as information. The guard raises nothing of its own.

    ``on_change`` is called with the report and the name of the endpoint for each conversation that is repaired, or that
    would be rejected. ``mode="report"`` changes nothing. With ``strict=True`` a request that would be rejected is not
    sent: ``RejectedError`` is raised.

    ``guard.off()`` removes it, ``guard.on()`` puts it back; ``with guard.off():`` does both. As a context manager the
    guard is removed at the end.
    """

    def __init__(
        self,
        client: Any,
        *,
        logger: AnyLogger = _LOG,
        mode: Literal["repair", "report"] = "repair",
        strict: bool = False,
        on_change: OnChange | None = None,
        **options: Unpack[GuardOptions],
    ) -> None:
        self._repairer = Repairer(logger=logger, mode=mode, strict=strict, on_change=on_change, **options)
        self._hooks = list(_hooks_of(client, self._through))
        self._active = False
        self.on()

    def on(self) -> Self:
        """Guard the client, and copies of it that share its connections."""
        if not self._active:
            self._active = True
            for hook in self._hooks:
                hook.put()
        return self

    def off(self) -> AbstractContextManager[Self]:
        """Leave the client as it was. As a context manager: until its end."""
        if self._active:
            self._active = False
            for hook in self._hooks:
                hook.remove()
        return _Pause(self)

    def __enter__(self) -> Self:
        return self.on()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.off()

    def _through(self, repair: Callable[[_Body, Any], Any], request: Any) -> Any:
        """A request, repaired by what knows its kind."""
        # Where another hook was put over this one, it stays there without effect.
        if not self._active:
            return request
        try:
            return repair(self._repairer.body, request)
        except _native.Error:
            # Of a strict guard: whatever else happens is no reason not to send a request.
            raise
        except Exception as error:
            self._repairer.give_up(error)
            return request


class _Pause:
    def __init__(self, guard: Any) -> None:
        self._guard = guard

    def __enter__(self) -> Any:
        return self._guard

    def __exit__(self, *_: object) -> None:
        self._guard.on()


_Body = Callable[[str, bytes], "bytes | None"]
_Through = Callable[[Callable[[_Body, Any], Any], Any], Any]


def _hooks_of(client: Any, through: _Through) -> Iterator[_Method | _Event]:
    """The places of a client at which its requests are made."""
    meta = getattr(client, "meta", None)
    events = getattr(meta, "events", None) or getattr(client, "events", None)
    service = getattr(getattr(meta, "service_model", None), "service_name", "bedrock-runtime")
    google = getattr(client, "_api_client", None)
    http = client if hasattr(client, "build_request") else getattr(client, "_client", None)
    if hasattr(events, "register") and service == "bedrock-runtime":
        yield _Event(events, through)
    elif hasattr(google, "_build_request"):
        yield _Method(google, "_build_request", functools.partial(through, _google_request))
    elif hasattr(http, "build_request"):
        yield _Method(http, "build_request", functools.partial(through, _http_request))
    else:
        kinds = "openai, anthropic, google-genai, httpx, or boto3 for Bedrock's runtime"
        raise TypeError(f"{type(client).__name__} is not a client of {kinds}")


class _Method:
    """A method of an object whose result passes through a function."""

    def __init__(self, owner: Any, name: str, through: Callable[[Any], Any]) -> None:
        self._owner, self._name, self._through = owner, name, through
        self._put: Any = None
        self._before: Any = None

    def put(self) -> None:
        members = self._owner.__dict__
        if self._put is not None:
            # Something else was put over it; it is still called.
            return
        method, self._before = getattr(self._owner, self._name), members.get(self._name)

        @functools.wraps(method)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            return self._through(method(*args, **kwargs))

        members[self._name] = self._put = guarded

    def remove(self) -> None:
        members = self._owner.__dict__
        if members.get(self._name) is not self._put:
            return
        if self._before is None:
            del members[self._name]
        else:
            members[self._name] = self._before
        self._put = None


class _Event:
    """A handler of an event of botocore, before the request is signed."""

    def __init__(self, events: Any, through: _Through) -> None:
        self._events, self._through = events, through
        self._id = f"replaylint-{id(self)}"

    def put(self) -> None:
        self._events.register("before-call.bedrock-runtime", self._called, unique_id=self._id)

    def remove(self) -> None:
        self._events.unregister("before-call.bedrock-runtime", self._called, unique_id=self._id)

    def _called(self, params: dict[str, Any], **_: Any) -> None:
        # What a handler returns is taken for the answer.
        self._through(_aws_request, params)


def _http_request(body: _Body, request: Any) -> Any:
    """A request of httpx, of whatever name and version."""
    if request.method != "POST" or "content-encoding" in request.headers:
        return request
    if "application/json" not in request.headers.get("content-type", ""):
        # A file, or parts of a form.
        return request
    try:
        content = request.content
    except RuntimeError:
        # A stream, which can be read once.
        return request
    repaired = body(str(request.url), content)
    if repaired is None:
        return request
    headers = [(name, value) for name, value in request.headers.raw if name.lower() not in _OF_BODY]
    return type(request)(
        request.method, request.url, headers=headers, content=repaired, extensions=request.extensions
    )


def _google_request(body: _Body, request: Any) -> Any:
    """A request of google-genai, before the transport is chosen: aiohttp knows no hooks."""
    if isinstance(request.data, dict) and request.method.upper() == "POST" and _native.endpoint(request.url):
        repaired = body(request.url, _dumped(request.data))
        if repaired is not None:
            request.data = json.loads(repaired)
    return request


def _aws_request(body: _Body, request: dict[str, Any]) -> dict[str, Any]:
    """A request of botocore."""
    content = request.get("body")
    if isinstance(content, str):
        content = content.encode()
    if isinstance(content, (bytes, bytearray)):
        repaired = body(request["url"], bytes(content))
        if repaired is not None:
            request["body"] = repaired
            for name in [name for name in request["headers"] if name.lower() == "content-length"]:
                del request["headers"][name]
    return request


def _dumped(value: object) -> bytes:
    from . import _api

    return _native.dump(value, _api._plain)
