"""The APIs that agents call: how a request is read, when it is refused, and how an answer is written.

Each module has
* `parts(body)`: what the history holds, as a list of `Part`, without instructions;
* `refusal(body)`: the words with which the provider refuses the history, or None;
* `reply(body, answer)`: the answer as one JSON value;
* `events(body, answer)`: the same as server-sent events, pairs of a name (or None) and a value;
* `tools(body)`: the tools that may be called, as pairs of a name and the JSON schema of the arguments.
"""

import base64
import hashlib
from dataclasses import dataclass, field


@dataclass
class Part:
    """One piece of a history. `kind` is text, call, result or reasoning; `id` pairs calls and results."""

    role: str
    kind: str
    text: str = ""
    id: str | None = None


@dataclass
class Answer:
    """What the model says: a text, and a call of a tool unless `call` is None."""

    text: str
    call: tuple[str, dict] | None = None
    # Unique in a run of the server; ids and tokens derive from it.
    serial: int = 0
    thought: str = field(default="")


def token(seed: str) -> str:
    """An opaque token over `seed` whose change is noticed: encrypted reasoning, a signature."""
    body = seed.encode() + b"|" + hashlib.sha256(b"wire" + seed.encode()).digest() * 4
    return base64.b64encode(body).decode()


def genuine(text: object, seed: str | None = None) -> bool:
    """Whether `token` has written this, for this seed if one is given."""
    if not isinstance(text, str):
        return False
    try:
        said = base64.b64decode(text, validate=True).split(b"|", 1)[0].decode()
    except (ValueError, UnicodeDecodeError):
        return False
    return text == token(said) and (seed is None or said == seed)


def texts(content: object) -> str:
    """All strings of a content: a text, or parts with one."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return "\n".join(filter(None, (texts(content.get(key)) for key in ("text", "content", "output"))))
    if isinstance(content, list):
        return "\n".join(filter(None, map(texts, content)))
    return ""
