"""Pydantic AI: a capability that repairs the history before each request of a run.

    agent = Agent("openai:gpt-5", capabilities=[replaylint.pydantic_ai.repaired_history()])

Versions before 2 take the same function as `history_processors=[replaylint.pydantic_ai.history_processor()]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter

from ._repair import Repairer

if TYPE_CHECKING:
    from pydantic_ai.capabilities import ProcessHistory
    from typing_extensions import Unpack

    from ._repair import GuardSettings


def repaired_history(**settings: Unpack[GuardSettings]) -> ProcessHistory[Any]:
    """The capability. The settings are those of `Guard`."""
    from pydantic_ai.capabilities import ProcessHistory

    return ProcessHistory(history_processor(**settings))


def history_processor(**settings: Unpack[GuardSettings]) -> Callable[[list[ModelMessage]], list[ModelMessage]]:
    """The function that repairs a list of messages, for `history_processors`."""
    repairer = Repairer(**settings)

    def repaired(messages: list[ModelMessage]) -> list[ModelMessage]:
        stored = ModelMessagesTypeAdapter.dump_python(messages, mode="json")
        found = repairer.conversation(stored, "pydantic_ai", format="pydantic-ai-messages")
        return messages if found is stored else ModelMessagesTypeAdapter.validate_python(found)

    return repaired
