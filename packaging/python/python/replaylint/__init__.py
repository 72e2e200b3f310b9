"""Check, repair, convert and compare LLM conversations before a provider rejects them.

A conversation is whatever is at hand: the body of a request or its list of items (``dict``, ``list``, objects of an
SDK), JSON or JSON Lines as ``str`` or bytes, or a path. What goes in comes out: ``fix`` returns objects for objects,
text for text and bytes for bytes.

    >>> import replaylint
    >>> fixed, report = replaylint.fix(messages, dialect="chat")
"""

__all__ = [
    "Change",
    "Converted",
    "Diagnostic",
    "Diff",
    "Error",
    "Fixed",
    "Guard",
    "RejectedError",
    "Report",
    "Table",
    "check",
    "check_arrow",
    "check_many",
    "convert",
    "diff",
    "explain",
    "fix",
    "fix_arrow",
    "fix_many",
    "formats",
    "rebuild",
    "rules",
    "targets",
    "tree",
]


def __getattr__(name):
    # The native module is loaded on its first use: pytest imports this package for its plugin in every run.
    if name in __all__ or name == "__version__":
        from . import _api

        globals()[name] = value = getattr(_api, name)
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return [*globals(), *__all__, "__version__"]
