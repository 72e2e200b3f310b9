"""Writes every key of a request that the official SDKs know, one path a line, to testdata/sdk_keys/.

    python tests/sdk/keys.py            writes the five files
    python tests/sdk/keys.py --check    exit code 1 if they are not what it would write

`tools[].function.strict` is a member of an object in an array. The members of all types that may be at a place are listed
together. A path ends at a free-form value (a JSON schema, arguments, metadata), and where a type would contain itself.
"""

import pathlib
import sys
import typing

import shapes

OUT = pathlib.Path(__file__).parents[2] / "testdata" / "sdk_keys"

# Values that are schemas or data of the caller, whatever the SDK knows of their inside.
FREE = {"input_schema", "parameters", "schema", "responseSchema"}
FREE_MODELS = {"Schema", "JSONSchema"}

# Places whose keys are those of another place. Only what the other does not have is listed.
SAME = {"systemInstruction.parts[].": "contents[].parts[].", "input[].tools[].": "tools[]."}


def walk(of, path, above, out):
    """Adds the paths of all keys of a type."""
    if shapes.is_typed_dict(of) or shapes.is_model(of):
        if of in above or shapes.is_model(of) and of.__name__ in FREE_MODELS:
            return
        for name, hint in members(of):
            key = f"{path}.{name}" if path else name
            out.add(key)
            if name not in FREE:
                walk(hint, key, above | {of}, out)
        return
    origin, args = typing.get_origin(of), typing.get_args(of)
    if shapes.is_array(origin):
        walk(args[0], path + "[]", above, out)
    elif origin not in (typing.Literal, dict):
        for arg in args:
            walk(arg, path, above, out)


def members(of):
    if shapes.is_typed_dict(of):
        return shapes.hints(of).items()
    return [(field.alias, field.annotation) for field in of.model_fields.values()]


def walk_shape(shape, path, above, out):
    """The same for a shape of botocore. What the URL carries is not in the body."""
    if shape.type_name == "list":
        walk_shape(shape.member, path + "[]", above, out)
    if shape.type_name != "structure" or shape.name in above:
        return
    for name, member in shape.members.items():
        if member.serialization.get("location") != "uri":
            key = f"{path}.{name}" if path else name
            out.add(key)
            walk_shape(member, key, above | {shape.name}, out)


def keys(dialect):
    out = set()
    if dialect == "bedrock":
        walk_shape(shapes.bedrock_shape(), "", frozenset(), out)
    else:
        walk(shapes.request_type(dialect), "", frozenset(), out)
    return sorted(key for key in out if not repeats(key, out))


def repeats(key, out):
    return any(key.startswith(here) and other + key[len(here) :] in out for here, other in SAME.items())


def main():
    stale = []
    for dialect in shapes.PACKAGES:
        text = f"# The keys of a request in the types of {shapes.version(dialect)}. Written by tests/sdk/keys.py.\n"
        text += "".join(key + "\n" for key in keys(dialect))
        file = OUT / f"{dialect}.txt"
        if "--check" not in sys.argv[1:]:
            OUT.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            stale.append(str(file))
    if stale:
        sys.exit(f"not what tests/sdk/keys.py writes: {', '.join(stale)}")


if __name__ == "__main__":
    main()
