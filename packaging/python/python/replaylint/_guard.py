"""A guard for clients: the input of each request is repaired right before it is sent."""

import functools
import json
import logging

from . import _native

# Where clients create messages, the format of the request, and the member that holds its items.
_ENDPOINTS = [
    ("responses", ("create", "parse"), "responses-request", "input"),
    ("chat.completions", ("create", "parse"), "chat-request", "messages"),
    ("messages", ("create", "stream", "parse"), "anthropic-request", "messages"),
    ("beta.messages", ("create", "stream", "parse"), "anthropic-request", "messages"),
]
# Arguments that are not part of the body.
_TRANSPORT = {"extra_headers", "extra_query", "extra_body", "timeout", "text_format"}
# What the methods of these names return is a client of its own.
_COPIES = ("copy", "with_options")
# Views of an endpoint that are made once, of the methods that it has then.
_VIEWS = ("with_raw_response", "with_streaming_response")
_TARGETS = {("AzureOpenAI", "responses-request"): "azure", ("AsyncAzureOpenAI", "responses-request"): "azure"}

# What is said of a change.
_LOSSES = {"lossless": "lossless", "adds": "lossless and adds a placeholder", "lossy": "lossy"}

_LOG = logging.getLogger("replaylint.guard")


class Guard:
    """Repairs the input of each request that a client of ``openai`` or ``anthropic`` sends, sync or async.

        client = openai.OpenAI()
        guard = replaylint.Guard(client)

    A repair is made only if nothing remains that the provider would reject; otherwise the request is sent as it is. What
    was changed is logged by the logger ``replaylint.guard``, without content: repairs that lose something as warnings,
    others as information. The guard raises nothing of its own.

    ``guard.off()`` removes it, ``guard.on()`` puts it back; ``with guard.off():`` does both. As a context manager the
    guard is removed at the end. Options are those of ``fix``.
    """

    def __init__(self, client, *, logger=_LOG, **options):
        # A mistake in the options is one of the programmer, to be reported now.
        _native.fix(b'{"messages": []}', {key: value for key, value in options.items() if key != "target"})
        if options.get("target"):
            _native.check(b'{"messages": []}', {"target": options["target"]})
        self._options = options
        self._log = logger
        self._client = client
        self._patches = []
        self._active = False
        self.on()

    def on(self):
        """Guard the client, and copies that are made of it."""
        if not self._active:
            self._active = True
            for patch in self._wrapped(self._client):
                self._patches.append(patch)
        return self

    def off(self):
        """Leave the client as it was, and copies of it unguarded. As a context manager: until its end."""
        self._active = False
        while self._patches:
            owner, name, before = self._patches.pop()
            if before is None:
                owner.__dict__.pop(name, None)
            else:
                owner.__dict__[name] = before
        return _Pause(self)

    def __enter__(self):
        return self.on()

    def __exit__(self, *_):
        self.off()

    def _wrapped(self, client):
        """Puts the guard on a client, and yields what was there before."""
        found = False
        for path, methods, form, key in _ENDPOINTS:
            endpoint = _at(client, path)
            if endpoint is None:
                continue
            for name in methods:
                method = getattr(endpoint, name, None)
                if method is not None:
                    yield _replaced(endpoint, name, self._guarded(method, client, form, key))
                    found = True
            for name in _VIEWS:
                # A view holds the methods of its time: it is made again, now and when the guard is removed.
                endpoint.__dict__.pop(name, None)
                yield endpoint, name, None
        if not found:
            raise TypeError(f"{type(client).__name__} is not a client of openai or anthropic")
        for name in _COPIES:
            method = getattr(client, name, None)
            if method is not None:
                yield _replaced(client, name, self._copying(method))

    def _guarded(self, method, client, form, key):
        @functools.wraps(method)
        def guarded(*args, **kwargs):
            if self._active:
                kwargs = self._repaired(kwargs, client, form, key)
            # Of an asynchronous method this is what is awaited.
            return method(*args, **kwargs)

        return guarded

    def _copying(self, method):
        @functools.wraps(method)
        def copying(*args, **kwargs):
            copy = method(*args, **kwargs)
            # What was there before is not kept: a client may be copied for each request.
            for _ in self._wrapped(copy):
                pass
            return copy

        return copying

    def _repaired(self, kwargs, client, form, key):
        try:
            return self._repair(kwargs, client, form, key)
        except Exception as error:
            # An error may quote content.
            self._log.warning("a request was not checked: %s", type(error).__name__)
            return kwargs

    def _repair(self, kwargs, client, form, key):
        # An iterator can be read once.
        for name, value in list(kwargs.items()):
            if hasattr(value, "__next__"):
                kwargs = {**kwargs, name: list(value)}
        extra = kwargs.get("extra_body") or {}
        members = {**{name: value for name, value in kwargs.items() if name not in _TRANSPORT}, **extra}
        if not isinstance(members.get(key), (list, tuple)):
            return kwargs
        parts = {}
        for name, value in members.items():
            text = _encoded(value)
            if text is not None:
                parts[name] = text
        body = b"{%s}" % b",".join(b"%s:%s" % (json.dumps(name).encode(), text) for name, text in parts.items())
        options = {"target": _TARGETS.get((type(client).__name__, form)), **self._options}
        options.update(format=form, usage="request", name="request")
        repaired, report = _native.fix(body, options)
        errors = report.errors
        if errors:
            for error in errors:
                self._log.warning("not repaired, sent as it is: %s at %s", error.rule, error.pointer)
            return kwargs
        for change in report.changes:
            level = logging.WARNING if change.loss == "lossy" else logging.INFO
            loss = _LOSSES[change.loss]
            self._log.log(level, "repaired: %s at %s: %s (%s)", change.rule, change.pointer, change.what, loss)
        if repaired is None:
            return kwargs
        return _merged(kwargs, extra, parts, json.loads(repaired))


def _replaced(owner, name, function):
    before = owner.__dict__.get(name)
    owner.__dict__[name] = function
    return owner, name, before


class _Pause:
    def __init__(self, guard):
        self._guard = guard

    def __enter__(self):
        return self._guard

    def __exit__(self, *_):
        self._guard.on()


def _at(client, path):
    for name in path.split("."):
        client = getattr(client, name, None)
    return client


def _encoded(value):
    """A member of the body as JSON; ``None`` for one that is not sent, or not as JSON."""
    from . import _plain

    if type(value).__name__ in ("NotGiven", "Omit"):
        return None
    try:
        return _native.dump(value, _plain)
    except (TypeError, ValueError):
        return None


def _merged(kwargs, extra, parts, body):
    """The arguments with what the repair changed; everything else is the same object as before."""
    kwargs, extra = dict(kwargs), dict(extra)
    for name, text in parts.items():
        place = extra if name in extra else kwargs
        if name not in body:
            del place[name]
        elif body[name] != json.loads(text):
            place[name] = body[name]
    for name in body.keys() - parts.keys():
        extra[name] = body[name]
    if extra or "extra_body" in kwargs:
        kwargs["extra_body"] = extra
    return kwargs
