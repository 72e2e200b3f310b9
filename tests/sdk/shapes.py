"""The request types of the official SDKs, made strict: unknown keys are forbidden, and arrays are checked to their end.

The SDKs of OpenAI and Anthropic declare TypedDicts. pydantic ignores unknown keys of a TypedDict by default, and checks an
`Iterable` only as far as somebody iterates over it, so both are changed here, in the classes themselves.

google-genai declares models of what its Python functions take, which is not the body that goes over the wire: one config
holds members of the body and of `generationConfig`. Its converters say where each one goes, so the body is made from them.

botocore ships the service's own model: shapes with required members, enums, patterns and lengths.
"""

import collections.abc
import functools
import inspect
import os
import re
import types as python
import typing
from importlib import metadata

import pydantic
import typing_extensions

PACKAGES = {
    "chat": "openai",
    "responses": "openai",
    "anthropic": "anthropic",
    "gemini": "google-genai",
    "bedrock": "botocore",
}


def version(dialect):
    """`openai 3.54.0`: the package whose types judge a dialect."""
    package = PACKAGES[dialect]
    return f"{package} {metadata.version(package)}"


@functools.cache
def request_type(dialect):
    """The type of a request's body. Bedrock has none: see `bedrock_shape`."""
    if dialect == "chat":
        from openai.types.chat import completion_create_params as params

        return strict(params.CompletionCreateParams)
    if dialect == "responses":
        from openai.types.responses import response_create_params as params

        return strict(params.ResponseCreateParams)
    if dialect == "anthropic":
        from anthropic.types import message_create_params as params

        return strict(params.MessageCreateParams)
    if dialect == "gemini":
        return gemini_body()
    raise ValueError(dialect)


@functools.cache
def bedrock_shape():
    """The members of Converse's request that are its body: the model's name is in the URL."""
    import botocore.session

    model = botocore.session.get_session().get_service_model("bedrock-runtime")
    return model.operation_model("Converse").input_shape


def is_typed_dict(of):
    return typing_extensions.is_typeddict(of)


def is_model(of):
    return isinstance(of, type) and issubclass(of, pydantic.BaseModel)


def hints(of):
    """The members of a TypedDict by name, without `Required` and `NotRequired`."""
    return typing_extensions.get_type_hints(of)


def strict(of, seen=None):
    """A type with unknown keys forbidden in every TypedDict, and every iterable a list. TypedDicts are changed in place."""
    seen = set() if seen is None else seen
    origin, args = typing.get_origin(of), typing.get_args(of)
    if only_python(of):
        return typing_extensions.Never
    if is_typed_dict(of):
        if of in seen:
            return of
        seen.add(of)
        of.__pydantic_config__ = pydantic.ConfigDict(extra="forbid")
        all_hints = typing_extensions.get_type_hints(of, include_extras=True)
        of.__annotations__ = {name: strict(hint, seen) for name, hint in all_hints.items()}
        return of
    if origin is typing.Annotated:
        return strict(args[0], seen)
    if origin is typing.Literal or not args:
        return of
    inner = [strict(arg, seen) for arg in args]
    if origin in (typing.Union, python.UnionType):
        inner = [arg for arg in inner if arg is not typing_extensions.Never]
        return typing.Union[tuple(inner)] if inner else typing_extensions.Never
    if origin in (typing_extensions.Required, typing_extensions.NotRequired):
        return origin[inner[0]]
    if origin is dict:
        return dict[tuple(inner)]
    if is_array(origin):
        return list[inner[0]]
    raise TypeError(f"a kind of type that this does not know: {of}")


def only_python(of):
    """Whether a type is for Python only: an open file, a path, or a part of a response as the object that it was read into."""
    return of is os.PathLike or typing.get_origin(of) in (os.PathLike, typing.IO) or is_model(of)


def is_array(origin):
    """Whether a generic type is written as a JSON array: list, Iterable, and the SDKs' own `SequenceNotStr`."""
    return origin in (list, collections.abc.Iterable, collections.abc.Sequence) or (
        getattr(origin, "__name__", "") == "SequenceNotStr"
    )


def gemini_body():
    """The REST body of `generateContent`, for the Gemini API and for Vertex."""
    from google.genai import models, types

    body, config = {}, {}
    renamed = set()
    for converter in (models._GenerateContentConfig_to_mldev, models._GenerateContentConfig_to_vertex):
        renamed |= place_members(inspect.getsource(converter), types.GenerateContentConfig, body, config)
    for name, field in types.GenerationConfig.model_fields.items():
        if name not in renamed:
            config[field.alias] = field.annotation
    strict_enums()
    base = types.Content.__mro__[1]
    body["contents"] = list[types.Content]
    body["systemInstruction"] = types.Content
    body["tools"] = list[types.Tool]
    body["generationConfig"] = pydantic.create_model("GenerationConfig", __base__=base, **fields(config))
    return pydantic.create_model("GenerateContentRequest", __base__=base, **fields(body))


def fields(members):
    return {name: (typing.Optional[kind], pydantic.Field(None, alias=name)) for name, kind in members.items()}


def place_members(converter, given, body, config):
    """Reads in a converter which members of the SDK's config go into the body, and which into `generationConfig`. Returns those
    that have another name there."""
    renamed = set()
    for part in converter.split("if getv(from_object, ['")[1:]:
        name = part.split("'")[0]
        put = re.search(r"setv\(\s*(to|parent)_object,\s*\['(\w+)'\]", part)
        if put is None:
            continue  # The converter refuses it: this API does not have it.
        field = given.model_fields[name]
        (config if put[1] == "to" else body)[put[2]] = field.annotation
        if put[2] != field.alias:
            renamed.add(name)
    return renamed


def strict_enums():
    """An enum of google-genai takes any string, and any letter case. The API does not."""
    from google.genai import _common

    _common.CaseInSensitiveEnum._missing_ = classmethod(lambda cls, value: None)
