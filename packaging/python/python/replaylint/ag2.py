"""AG2: the client that a configuration makes is guarded.

    agent = Agent("assistant", config=replaylint.ag2.guarded(OpenAIResponsesConfig(model="gpt-5")))

AG2 makes a client anew for each turn, so the guard belongs to what makes it. Any configuration works whose client is one
that `Guard` knows: OpenAI's, Anthropic's, Gemini's.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

from ._guard import Guard

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._repair import GuardSettings

_C = TypeVar("_C")


def guarded(config: _C, **settings: Unpack[GuardSettings]) -> _C:
    """The same configuration, of which every client is guarded. The settings are those of `Guard`."""
    kind: Any = type(config)

    class Guarded(kind):  # type: ignore[misc]
        __slots__ = ()

        def create(self) -> Any:
            client = super().create()
            Guard(client._client, **settings)
            return client

    Guarded.__name__ = Guarded.__qualname__ = kind.__name__
    fields = {field.name: getattr(config, field.name) for field in dataclasses.fields(kind) if field.init}
    made: _C = Guarded(**fields)
    return made
