"""The options of all functions: their types and what they mean. Signatures, docstrings and stubs read this table."""

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, TypedDict, TypeVar, Union

Dialect = Literal["responses", "chat", "anthropic", "gemini", "bedrock"]
Rules = Union[str, Iterable[str]]
_F = TypeVar("_F", bound=Callable[..., Any])


class Judging(TypedDict, total=False):
    """What a conversation is judged for."""

    target: Annotated[str | None, "The API that the conversation is replayed to; `targets()` lists them."]
    store: Annotated[bool | None, "Whether the server stores the items."]
    model: Annotated[str | None, "The model, where the conversation does not name one."]
    effort: Annotated[str | None, "The reasoning effort, where the conversation does not name one."]
    select: Annotated[Rules | None, "Only these rules, by code, prefix or name."]
    ignore: Annotated[Rules | None, "All but these rules."]
    for_model: Annotated[str | None, "The model that goes on with the conversation: MODEL, TARGET:MODEL or TARGET."]
    account_changed: Annotated[bool | None, "The conversation goes on in another account than the one that wrote it."]


class CheckOptions(Judging, total=False):
    """How a conversation is read."""

    format: Annotated[str | None, "The stored format, where it is not to be detected; `formats()` lists them."]
    dialect: Annotated[
        Dialect | None, "The conversation is a list of items or messages of this dialect, without a request around it."
    ]
    usage: Annotated[
        Literal["request", "log"] | None,
        "Whether an unanswered call at the end is an error (request) or still pending (log).",
    ]
    pointer: Annotated[str | None, "JSON Pointer from each record to the conversation."]
    name: Annotated[str | None, "What reports call the conversation."]


class Repairing(TypedDict, total=False):
    """What a repair may do."""

    orphans: Annotated[
        Literal["auto", "drop", "stub", "text"] | None,
        "What is done with unanswered calls: drop them, add a placeholder output, or make them a text.",
    ]
    reasoning: Annotated[
        Literal["auto", "reference", "inline", "keep", "strip"] | None, "What is done with reasoning."
    ]
    images: Annotated[str | None, "What is done with images: drop, keep-last=N, or shrink those above a limit."]
    max_images: Annotated[int | None, "All but the last so many images become a text."]
    max_image_bytes: Annotated[int | None, "Images of more bytes, in base64, become a text, or are shrunk."]
    max_image_pixels: Annotated[
        int | None, "Images of which a side has more pixels become a text, or are shrunk."
    ]
    max_tokens: Annotated[
        int | tuple[int, str] | None,
        'Shorten to about so many tokens, from the oldest end; with what is kept: (120_000, "prompts,last=3").',
    ]
    lossless: Annotated[bool | None, "Only fixes that lose nothing the model saw."]
    fix_warnings: Annotated[bool | None, "Also fixes of warnings that are off by default."]


class FixOptions(CheckOptions, Repairing, total=False):
    """The options of `fix`."""


class GuardOptions(Judging, Repairing, total=False):
    """The options of a guard: the format, the usage and the place are those of the request."""


class TreeOptions(CheckOptions, total=False):
    """The options of `tree`."""

    max_age: Annotated[str, "Build only on responses up to this age: 45s, 60m, 2h, 30d; 0 for any."]
    show_content: Annotated[bool, "Also the first words of the user in each turn."]


class RebuildOptions(CheckOptions, total=False):
    """The options of `rebuild`."""

    max_age: Annotated[str, "Build only on responses up to this age: 45s, 60m, 2h, 30d; 0 for any."]
    at: Annotated[str | None, "The node to continue after, as `tree` names it; the default is the current leaf."]
    ask: Annotated[str | None, "The next message of the user."]
    chain: Annotated[Literal["auto", "always", "never"], "When to build on the stored response."]
    last: Annotated[int | None, "Keep only the last items, extended to a valid cut."]
    max_chars: Annotated[int | None, "Keep only the last items, at most so many characters."]
    max_tokens: Annotated[int | None, "Keep only the last items, at most about so many tokens."]
    orphans: Annotated[
        Literal["auto", "drop", "stub", "text"] | None, "What is done with unanswered calls; the default is to drop them."
    ]
    reasoning: Annotated[
        Literal["auto", "reference", "inline", "keep", "strip"] | None, "What is done with reasoning."
    ]


# Of options that are not `None` unless they are given.
DEFAULTS: dict[str, object] = {"max_age": "60m", "show_content": False, "chain": "auto"}


def documented(options: type) -> Callable[[_F], _F]:
    """Shows options in the signature and in the docstring of a function that takes them as ``**options``."""

    def document(function: _F) -> _F:
        signature = inspect.signature(function)
        known = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        shown, lines = [], []
        for name, annotation in options.__annotations__.items():
            kind, meaning = annotation.__origin__, annotation.__metadata__[0]
            default = DEFAULTS.get(name)
            shown.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind))
            lines.append(f"    {name}: {meaning}")
        function.__signature__ = signature.replace(parameters=[*known, *shown])  # type: ignore[attr-defined]
        function.__doc__ = f"{inspect.getdoc(function)}\n\nOptions:\n" + "\n".join(lines) + "\n"
        return function

    return document
