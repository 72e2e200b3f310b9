"""LiteLLM: a callback that repairs each request right before LiteLLM sends it.

    litellm.callbacks = [replaylint.litellm.Repair()]

LiteLLM shows a callback the body that it is about to send, and sends the same object: what the callback changes in it is
sent. It is not documented as a place for changes. Bodies that are text by then (those for Bedrock) are not repaired.
LiteLLM swallows exceptions of a callback, so there is no `strict` here.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from litellm.integrations.custom_logger import CustomLogger  # type: ignore[import-not-found,unused-ignore]

from . import _api, _native
from ._repair import Repairer

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._repair import GuardSettings


class Repair(CustomLogger):
    """The settings are those of `Guard`, without `strict`."""

    def __init__(self, **settings: Unpack[GuardSettings]) -> None:
        super().__init__()
        if settings.get("strict"):
            raise TypeError("strict: LiteLLM swallows exceptions of a callback, and sends the request")
        self._repairer = Repairer(**settings)

    def log_pre_api_call(self, model: Any, messages: Any, kwargs: dict[str, Any]) -> None:
        known = kwargs.get("additional_args") or {}
        body = known.get("complete_input_dict")
        if not isinstance(body, dict):
            return
        provider = (kwargs.get("litellm_params") or {}).get("custom_llm_provider")
        url = _url(str(known.get("api_base") or ""), body, provider, model)
        try:
            text = _native.dump(body, _api._plain)
        except (TypeError, ValueError):
            return
        repaired = self._repairer.body(url, text)
        if repaired is not None:
            _replace(body, json.loads(repaired))


def _url(base: str, body: dict[str, Any], provider: object, model: object) -> str:
    """Where the body is sent: the base is the whole URL for some providers, and empty for others."""
    if _native.endpoint(base):
        return base
    if "contents" in body:
        end = f"models/{model}:generateContent"
    elif "input" in body:
        end = "responses"
    elif provider == "anthropic" or "anthropic_version" in body:
        end = "messages"
    else:
        end = "chat/completions"
    return f"{base.rstrip('/') or 'https://unknown'}/{end}"


def _replace(body: dict[str, Any], repaired: dict[str, Any]) -> None:
    for name in body.keys() - repaired.keys():
        del body[name]
    for name, value in repaired.items():
        before = body.get(name)
        if isinstance(before, list) and isinstance(value, list):
            # The list may be in the hands of more than this dictionary.
            before[:] = value
        else:
            body[name] = value
