#!/usr/bin/env python3
"""A mock of the providers' APIs that refuses what they refuse, in their words: for tests of agents and of error handling.

    mock_server.py [PORT]

It prints its address. Requests that would pass get a short answer.
"""

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FORMATS = {
    "/v1/responses": "responses-request",
    "/v1/chat/completions": "chat-request",
    "/v1/messages": "anthropic-request",
}


class Mock(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path not in FORMATS:
            return self.answer(404, {"error": {"message": f"unknown path {self.path}"}})
        command = ["replaylint", "check", "--output-format", "api-error", "--format", FORMATS[self.path], "--as", "request"]
        said = subprocess.run(command, input=body, stdout=subprocess.PIPE).stdout
        refused = json.loads(said or "null")
        if refused:
            return self.answer(refused["status"], {"type": "error", "error": refused["error"]})
        self.answer(200, {"ok": True})

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Mock)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
