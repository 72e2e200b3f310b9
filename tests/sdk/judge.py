"""What the official SDK of an API finds wrong with a request's body: type of the error, path, and message."""

import base64
import functools
import json
import re

import pydantic

import shapes

# Members that say which type of a union an object is.
TAGS = {"type", "role"}


class Wrong:
    """One error. It carries keys and types, never what the conversation says."""

    def __init__(self, kind, path, message, at, of=None):
        self.kind, self.path, self.message, self.at = kind, path, message, at
        # The type or role of the object that the error is in.
        self.of = of

    def __repr__(self):
        return f"{self.kind} {self.path} {self.message}"


def judge(dialect, text):
    """The errors of a body, given as bytes."""
    if dialect == "bedrock":
        return judge_shape(json.loads(text))
    try:
        # The names as they go over the wire only: google-genai takes those of Python, too.
        adapter(dialect).validate_json(text, strict=True, by_alias=True, by_name=False)
        return []
    except pydantic.ValidationError as refused:
        errors = refused.errors(include_url=False, include_context=True, include_input=False)
        return list(narrowed(errors, json.loads(text)))


@functools.cache
def adapter(dialect):
    return pydantic.TypeAdapter(shapes.request_type(dialect))


class Branch:
    """Errors by where they are: below a key of the body, or in one type of a union. pydantic lists those of all types."""

    def __init__(self):
        self.errors, self.keys, self.types = [], {}, {}

    def add(self, error, loc, data, path):
        if not loc:
            self.errors.append((error, path))
            return
        step, missing = loc[0], error["type"] == "missing" and len(loc) == 1
        found = missing or isinstance(data, dict) and step in data or isinstance(data, list) and isinstance(step, int)
        if found:
            inside = None if missing else data[step]
            self.keys.setdefault(step, Branch()).add(error, loc[1:], inside, (*path, step))
        else:
            self.types.setdefault(step, Branch()).add(error, loc[1:], data, path)

    def cost(self):
        """How far a value is from the type: another tag is further than a wrong member."""
        own = sum(cost(error, path) for error, path in self.errors)
        below = sum(branch.cost() for branch in self.keys.values())
        return own + below + min((branch.cost() for branch in self.types.values()), default=0)

    def best(self):
        yield from self.errors
        for branch in self.keys.values():
            yield from branch.best()
        if self.types:
            yield from min(self.types.values(), key=Branch.cost).best()


def cost(error, path):
    if path and path[-1] in TAGS and error["type"] in ("literal_error", "missing"):
        return 1000
    if error["type"] in ("extra_forbidden", "missing", "literal_error", "enum"):
        return 1
    return 100


def narrowed(errors, data):
    """The errors in the types that the values are nearest to."""
    root = Branch()
    for error in errors:
        root.add(error, error["loc"], data, ())
    for error, at in root.best():
        # The library's message says what was expected, and never repeats the value.
        yield Wrong(error["type"], general(at), error["msg"], pointer(at), kind_of(data, at[:-1]))


def kind_of(data, at):
    for step in at:
        data = data[step]
    return (data.get("type") or data.get("role")) if isinstance(data, dict) else None


def general(at):
    """A path with all elements of an array as one: `messages[].content[].text`."""
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in at).lstrip(".")


def pointer(at):
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in at)


def judge_shape(body):
    """The errors of a Converse body: what botocore validates, and what only the service does (enums, patterns, lengths,
    unknown members)."""
    import botocore.validate

    shape = shapes.bedrock_shape()
    # The model's name goes into the URL.
    whole = {"modelId": "anthropic.claude-3-haiku-20240307-v1:0", **body}
    report = botocore.validate.ParamValidator().validate(whole, shape)
    wrong = [of_report(*error) for error in report._errors]
    walk_shape(shape, body, (), wrong)
    return wrong


def of_report(kind, name, details):
    path = re.sub(r"\[\d+\]", "[]", name).lstrip(".")
    details = {key: value for key, value in details.items() if key not in ("value", "param")}
    what = details.get("required_name") or details.get("unknown_param") or details.get("valid_types") or ""
    return Wrong(kind, path, str(what), name)


def walk_shape(shape, value, at, wrong):
    kind = shape.type_name
    limits = shape.metadata | raw(shape)
    if kind == "structure" and isinstance(value, dict):
        if shape.metadata.get("document") or getattr(shape, "is_document_type", False):
            return
        for name, inner in value.items():
            member = shape.members.get(name)
            if member is None:
                wrong.append(Wrong("unknown member", general((*at, name)), "", pointer((*at, name))))
            else:
                walk_shape(member, inner, (*at, name), wrong)
    elif kind == "list" and isinstance(value, list):
        for ix, inner in enumerate(value):
            walk_shape(shape.member, inner, (*at, ix), wrong)
    elif kind == "map" and isinstance(value, dict):
        for name, inner in value.items():
            walk_shape(shape.key, name, (*at, name), wrong)
            walk_shape(shape.value, inner, (*at, name), wrong)
    elif kind == "blob" and isinstance(value, str):
        try:
            base64.b64decode(value, validate=True)
        except ValueError:
            wrong.append(Wrong("base64", general(at), "not base64", pointer(at)))
    elif kind == "string" and isinstance(value, str):
        if "enum" in limits and value not in limits["enum"]:
            wrong.append(Wrong("enum", general(at), f"one of {', '.join(limits['enum'])}", pointer(at)))
        if "pattern" in limits and re.fullmatch(limits["pattern"], value, re.DOTALL) is None:
            wrong.append(Wrong("pattern", general(at), limits["pattern"], pointer(at)))
    size = len(value) if kind in ("string", "list", "map") and hasattr(value, "__len__") else None
    if size is not None and not limits.get("min", 0) <= size <= limits.get("max", size):
        allowed = f"{limits.get('min', 0)} to {limits.get('max', 'any')}"
        wrong.append(Wrong("length", general(at), f"{allowed} long", pointer(at)))


def raw(shape):
    """What botocore's own reading of the model leaves out."""
    return {name: shape._shape_model[name] for name in ("pattern",) if name in shape._shape_model}
