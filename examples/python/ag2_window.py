"""AG2: a history that is cut anywhere, in place of AG2's own sliding window, which repairs what the cut leaves.

``Window`` only cuts. What the cut took the partner of is dropped by a guard, right before the request is sent.
"""

import asyncio
from typing import Any

from ag2 import Agent
from ag2.config import OpenAIResponsesConfig
from ag2.config.openai.mappers import events_to_responses_input
from ag2.context import ConversationContext
from ag2.events import BaseEvent
from fast_depends.pydantic import PydanticSerializer

import replaylint.ag2


class Window:
    """The last events; more of them, if nothing is left of these that the API would accept."""

    name = "window"

    def __init__(self, last: int, model: str) -> None:
        self._last = last
        self._model = model

    async def apply(
        self, prompts: list[str], events: list[BaseEvent], context: ConversationContext
    ) -> tuple[list[str], list[BaseEvent]]:
        cut = max(len(events) - self._last, 0)
        while cut and not self._is_sendable(events[cut:]):
            cut -= 1
        return prompts, events[cut:]

    def _is_sendable(self, events: list[BaseEvent]) -> bool:
        body = {"model": self._model, "input": events_to_responses_input(events, PydanticSerializer())}
        return not replaylint.fix(body, usage="request", orphans="drop").report.errors


def make_config(model: str = "gpt-5", **options: Any) -> OpenAIResponsesConfig:
    return replaylint.ag2.guarded(OpenAIResponsesConfig(model=model, **options), orphans="drop")


def make_agent(last: int = 50) -> Agent:
    config = make_config()
    return Agent("assistant", config=config, assembly=[Window(last, config.model)])


if __name__ == "__main__":
    reply = asyncio.run(make_agent().ask("What is the weather in Rome?"))
    print(reply.body)
