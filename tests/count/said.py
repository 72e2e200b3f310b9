"""What a reader hands over: a history is a list of these.

Texts are compared by what they say, calls by the name of the tool, results by their number: ids are made up where a store has none, and a
result may be written in another form.
"""


def text(value):
    return ("text", value)


def call(name):
    return ("call", name or "")


def result():
    return ("result", "")


def note(beginning):
    """A text of which a store has only the parts: a conversion writes one that begins so."""
    return ("note", beginning)


def texts(content, types=("text", "input_text", "output_text")):
    """The texts of a content: a string, or a list of parts and strings."""
    if isinstance(content, str):
        return [text(content)]
    if isinstance(content, dict):
        content = [content]
    found = []
    for part in content or []:
        if isinstance(part, str):
            found.append(text(part))
        elif isinstance(part, dict) and part.get("type") in types and isinstance(part.get("text"), str):
            found.append(text(part["text"]))
    return found
