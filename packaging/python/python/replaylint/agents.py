"""The OpenAI Agents SDK: what a run sends is repaired; its session keeps what happened.

    config = RunConfig(call_model_input_filter=replaylint.agents.model_input_filter())

A run that ends between a call and its output, by an exception or a restart, leaves a session that the API rejects from
then on. The filter is called before each request of a run, with a session or without one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._repair import Repairer

if TYPE_CHECKING:
    from agents.run import CallModelData, ModelInputData
    from typing_extensions import Unpack

    from ._repair import GuardSettings


def model_input_filter(**settings: Unpack[GuardSettings]) -> Callable[[CallModelData[Any]], ModelInputData]:
    """A `call_model_input_filter` that repairs the items of each request. The settings are those of `Guard`."""
    repairer = Repairer(**settings)

    def repaired(data: CallModelData[Any]) -> ModelInputData:
        items = repairer.conversation(list(data.model_data.input), "agents", dialect="responses")
        return dataclasses.replace(data.model_data, input=items)

    return repaired
