"""A server on the loopback that stands in for the providers: it answers by a script, records every request, and refuses a
history that the provider would refuse, in the provider's words.

Turn n of a session is the prompt `ask-n`, a call of a shell tool that prints `out-n`, and the text `done-n`. So each
request can be read as the turns that it holds.
"""

import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from apis import Answer, chat, gemini, messages, responses

# Tools that run a command, by the names that agents give them.
SHELLS = (
    "exec_command", "shell_command", "shell", "bash", "Bash", "run_shell_command", "Shell", "terminal", "run_commands",
    "execute_command", "execute_bash", "run_terminal_command", "run_in_terminal",
)
COMMANDS = ("command", "cmd", "commands", "script")
MARKERS = {"text": (("ask", "user"), ("done", "assistant"), ("note", "assistant")), "result": (("out", None),), "call": ()}


def prompt(turn: int) -> str:
    return f"ask-{turn}: run the command, then say done."


def command(turn: int, slow: bool = False) -> str:
    """Prints `out-n`, which the command itself does not contain. It takes a moment, since agents lose the output of a
    command that ends before they listen."""
    # Agents refuse long sleeps.
    wait = "timeout 60 tail -f /dev/null" if slow else "sleep 0.2"
    return f"{wait}; printf out-%s {turn}; sleep 0.1"


@dataclass
class Request:
    """One request for an answer to the turn that was asked. `held` maps a marker (`ask`, `note`, `call`, `out`, `done`)
    to the turns of which the history holds it."""

    path: str
    body: dict
    held: dict = field(default_factory=dict)
    begins: str = ""
    # The texts of all results of calls.
    results: list = field(default_factory=list)
    # The words of the refusal; None if the request was answered.
    refused: str | None = None
    is_main: bool = True


def held(parts):
    out = {name: [] for name in ("ask", "note", "call", "out", "done")}
    for part in parts:
        if part.kind == "call":
            out["call"] += re.findall(r"printf out-%s (\d)", part.text)
        for name, role in MARKERS.get(part.kind, ()):
            if role is None or part.role == role:
                out[name] += re.findall(rf"{name}-(\d)", part.text)
    return {name: "".join(sorted(set(turns))) for name, turns in out.items()}


class Server:
    """Runs until the end of a `with`. `turn` is the turn that is asked now, `calls` whether it calls the tool, `slow` whether
    its command takes a minute."""

    def __enter__(self):
        self.requests: list[Request] = []
        self.turn, self.slow, self.calls, self.serial = 1, False, True, 0
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                try:
                    raw = self.body()
                    outer.post(self, json.loads(raw) if raw else {}, has_half_pair(raw))
                except (BrokenPipeError, ConnectionResetError):
                    pass

            def body(self):
                if "chunked" not in self.headers.get("transfer-encoding", ""):
                    return self.rfile.read(int(self.headers.get("content-length", 0)))
                out = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    out += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return out

            def do_GET(self):
                models = [{"id": "wire", "object": "model", "created": 1, "owned_by": "wire"}]
                send(self, {"object": "list", "data": models} if "models" in self.path else {})

            def log_message(self, *_):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.http = Quiet(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        return self

    def __exit__(self, *_):
        self.http.shutdown()

    def post(self, handler, body, has_half_pair):
        path = handler.path.split("?")[0]
        api = api_of(path)
        if path.endswith("count_tokens") or path.endswith(":countTokens"):
            return send(handler, {"input_tokens": 9, "totalTokens": 9})
        if api is None:
            return send(handler, {"error": {"message": f"nothing is served at {path}"}}, 404)
        given = api.parts(body)
        asked = f"ask-{self.turn}"
        at = max((n for n, part in enumerate(given) if part.role == "user" and asked in part.text), default=None)
        tools = dict(api.tools(body))
        request = Request(path, body, held(given), given[0].role if given else "", is_main=at is not None and bool(tools))
        request.results = [part.text for part in given if part.kind == "result"]
        request.refused = HALF_PAIR if has_half_pair and api is messages else api.refusal(body)
        with self.lock:
            self.serial += 1
            serial = self.serial
            self.requests.append(request)
        if request.refused:
            return send(handler, api.error(request.refused), 400)
        thought = f"thought {self.turn} {serial}"
        if not request.is_main:
            answer = Answer("ok", serial=serial, thought=thought)
        elif not self.calls or any(part.kind == "result" for part in given[at:]):
            answer = Answer(f"done-{self.turn} is said.", serial=serial, thought=thought)
        else:
            call = shell_call(tools, command(self.turn, self.slow))
            answer = Answer(f"note-{self.turn} first.", call, serial, thought)
        if body.get("stream") or "streamGenerateContent" in path:
            stream(handler, api.events(body, answer))
        else:
            send(handler, api.reply(body, answer))


# Anthropic's words; of other APIs no such refusal is known.
HALF_PAIR = "The request body is not valid JSON: no low surrogate in string"


def has_half_pair(raw):
    """Whether a text has half of a surrogate pair, as an escape or as bytes that are not UTF-8."""
    try:
        text = json.dumps(json.loads(raw.decode()), ensure_ascii=False) if raw else ""
        text.encode()
        return False
    except UnicodeError:
        return True


def api_of(path):
    if path.endswith("/responses"):
        return responses
    if path.endswith("/chat/completions"):
        return chat
    if path.endswith("/messages"):
        return messages
    if "enerateContent" in path:
        return gemini
    return None


def shell_call(tools, text):
    """A call of the shell among these tools, with a value for everything that its schema requires."""
    name = next((name for name in SHELLS if name in tools), None)
    if name is None:
        return None
    schema = tools[name]
    fields = schema.get("properties", {})
    key = next((key for key in COMMANDS if key in fields), "command")
    is_list = str(fields.get(key, {}).get("type", "")).lower() == "array"
    arguments = {key: (["bash", "-c", text] if name == "shell" else [text]) if is_list else text}
    for required in schema.get("required", ()):
        if required not in arguments:
            arguments[required] = filler(fields.get(required, {}))
    return name, arguments


def filler(schema):
    if "enum" in schema:
        return schema["enum"][0]
    kind = str(schema.get("type", "string")).lower()
    return {"boolean": False, "integer": 60000, "number": 60000, "array": [], "object": {}}.get(kind, "print a word")


def send(handler, value, status=200):
    data = json.dumps(value).encode()
    handler.send_response(status)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def stream(handler, events):
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.send_header("connection", "close")
    handler.end_headers()
    for name, value in events:
        text = value if isinstance(value, str) else json.dumps(value)
        handler.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode())
    handler.close_connection = True
