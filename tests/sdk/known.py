"""Where an SDK's types are stricter than its API: errors that prove nothing against a conversion.

Each row is the target, the type of the error, the path, the types of the objects that it is about (all, if none is named), and the
evidence. Everything else is a failure.
"""

ACCEPTED = "recorded requests without it were accepted"
UNTYPED = "the SDK no longer types it; the models before Claude Opus 4.7 take it"

KNOWN = [
    ("responses", "missing", "input[].id", {"message", "assistant"}, f"output messages: {ACCEPTED}"),
    ("responses", "missing", "input[].id", {"reasoning"}, f"reasoning: {ACCEPTED}"),
    ("responses", "missing", "input[].status", {"message", "assistant"}, f"output messages: {ACCEPTED}"),
    ("responses", "missing", "input[].content[].annotations", {"output_text"}, f"output text: {ACCEPTED}"),
    ("responses", "missing", "input[].content[].detail", {"input_image"}, f"images: {ACCEPTED}; it has a default"),
    ("responses", "missing", "input[].output[].detail", {"input_image"}, "images in outputs: as in messages"),
    ("anthropic", "extra_forbidden", "temperature", None, UNTYPED),
    ("anthropic", "extra_forbidden", "top_p", None, UNTYPED),
    ("anthropic", "extra_forbidden", "top_k", None, UNTYPED),
]


def reason(target, wrong):
    """Why an error proves nothing, or None."""
    for row_target, kind, path, types, why in KNOWN:
        if (row_target, kind, path) == (target, wrong.kind, wrong.path) and (types is None or wrong.of in types):
            return why
    return None
