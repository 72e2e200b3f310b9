"""A server that answers as the providers do: a request that they would refuse gets their error, any other the next
answer of a script. Whether it is refused is said by the program, not by the module under test.
"""

import json
import shutil
import subprocess
import sys
import sysconfig
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FORMATS = {
    "/v1/responses": "responses-request",
    "/v1/chat/completions": "chat-request",
    "/v1/messages": "anthropic-request",
}


def program():
    name = "replaylint" + (sysconfig.get_config_var("EXE") or "")
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def refusal(body, format, *options):
    """What the provider would answer to a request that it refuses; ``None`` if it would not."""
    command = [program(), "check", "--isolated", "--output-format", "api-error", "--format", format, "--as", "request"]
    command += options
    done = subprocess.run(command, input=body, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)


def text(words):
    """An answer that ends the turn."""
    return {
        "/v1/responses": {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "model": "gpt-5",
            "status": "completed",
            "output": [
                {
                    "id": "msg_0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f607182",
                    "type": "message",
                    "role": "assistant",
                    "status": "completed",
                    "content": [{"type": "output_text", "text": words, "annotations": []}],
                }
            ],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        },
        "/v1/chat/completions": {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "gpt-5",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": words}},
            ],
        },
        "/v1/messages": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-5",
            "content": [{"type": "text", "text": words}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        },
    }


def call(name, arguments):
    """An answer that calls a tool."""
    arguments = json.dumps(arguments)
    answers = text("")
    answers["/v1/responses"]["output"] = [
        {
            "id": "fc_0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f607182",
            "type": "function_call",
            "call_id": "call_1",
            "name": name,
            "arguments": arguments,
            "status": "completed",
        }
    ]
    answers["/v1/chat/completions"]["choices"] = [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
                ],
            },
        }
    ]
    answers["/v1/messages"].update(
        content=[{"type": "tool_use", "id": "toolu_1", "name": name, "input": json.loads(arguments)}],
        stop_reason="tool_use",
    )
    return answers


class Local(ThreadingHTTPServer):
    """A server on the loopback, for the time of a block."""

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Provider(Local):
    def __init__(self, *answers):
        super().__init__(Handler)
        self.answers = list(answers)
        self.requests = []
        self.statuses = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        path = self.path.split("?")[0]
        self.server.requests.append(json.loads(body))
        refused = refusal(body, FORMATS[path])
        if refused is None:
            answer = self.server.answers.pop(0)[path]
            if self.server.requests[-1].get("stream"):
                return self.stream(answer)
            return self.answer(200, answer)
        error = refused["error"]
        if path == "/v1/messages":
            return self.answer(refused["status"], {"type": "error", "error": error})
        return self.answer(refused["status"], {"error": error})

    def answer(self, status, body):
        self.send(status, "application/json", json.dumps(body).encode())

    def stream(self, message):
        """A message of Anthropic, event by event."""
        words = message["content"][0]["text"]
        start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}}
        end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}
        events = [
            {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
            start,
            delta,
            {"type": "content_block_stop", "index": 0},
            end,
            {"type": "message_stop"},
        ]
        lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
        self.send(200, "text/event-stream", "".join(lines).encode())

    def send(self, status, kind, body):
        self.server.statuses.append(status)
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Recorder(Local):
    """A server that keeps what it is sent, and refuses it: nothing has to be answered in the words of the API."""

    def __init__(self):
        super().__init__(RecordingHandler)
        self.received = []


class RecordingHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.received.append((self.path, self.headers, body))
        said = b'{"error": {"type": "invalid_request_error", "message": "recorded"}, "message": "recorded"}'
        self.send_response(400)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass
