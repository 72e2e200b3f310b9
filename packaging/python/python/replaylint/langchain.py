"""LangChain: middleware that repairs the messages of an agent before each call of its model.

    agent = create_agent(model, tools=tools, middleware=[replaylint.langchain.Repair()])

It works for every provider: the messages are repaired as LangChain stores them, so what only one provider has in them
stays. For a model without an agent, guard its clients: `Guard(model.root_client)`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.messages import messages_from_dict, messages_to_dict

from ._repair import Repairer

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._repair import GuardSettings


class Repair(AgentMiddleware[Any, Any, Any]):
    """The settings are those of `Guard`."""

    def __init__(self, **settings: Unpack[GuardSettings]) -> None:
        super().__init__()
        self._repairer = Repairer(**settings)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        return handler(self._repaired(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        return await handler(self._repaired(request))

    def _repaired(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        stored = messages_to_dict(request.messages)
        repaired = self._repairer.conversation(stored, "langchain", format="langchain-messages")
        if repaired is stored:
            return request
        return request.override(messages=messages_from_dict(repaired))  # type: ignore[arg-type]
