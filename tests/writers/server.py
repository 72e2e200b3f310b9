"""A local server that speaks OpenAI's Responses API and Chat Completions, and Gemini's generateContent, by a script.

Whatever is asked, a question is answered with two calls of the tool `weather`, and their results with a text. So every
library stores what a conversation with parallel calls leaves behind, and nobody's account is needed. Requests are kept,
so that a test can say what a library sends of a session that it has read back.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CITIES = ("Oslo", "Rome")
ANSWER = "It rains in Oslo, and the sun shines in Rome."


class Server:
    """Runs until the end of a `with`. `requests` holds the bodies, `url` the root."""

    def __enter__(self):
        self.requests = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.requests.append(body)
                answer(self, body)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        return self

    def __exit__(self, *_):
        self.http.shutdown()


def answer(handler, body):
    if handler.path.endswith("/responses"):
        send(handler, response(body))
    elif handler.path.endswith("/chat/completions"):
        completion = chat(body)
        stream(handler, chunks(completion)) if body.get("stream") else send(handler, completion)
    elif "generateContent" in handler.path:
        send(handler, gemini(body))
    else:
        send(handler, {"error": {"message": f"no script for {handler.path}"}}, 404)


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
    handler.end_headers()
    for event in events:
        handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
    handler.wfile.write(b"data: [DONE]\n\n")
    handler.close_connection = True


def response(body):
    """Of the Responses API: reasoning, then calls, or a text if the last item is an output."""
    items = body["input"] if isinstance(body["input"], list) else []
    number = sum(item.get("type") == "function_call_output" for item in items)
    answered = bool(items) and items[-1].get("type") == "function_call_output"
    thought = f"rs_{number:031x}{int(answered)}"
    output = [{"type": "reasoning", "id": thought, "summary": [], "encrypted_content": "gAAAAAB" + "x" * 64}]
    if answered:
        content = [{"type": "output_text", "text": ANSWER, "annotations": []}]
        said = {"id": f"msg_{number:032x}", "role": "assistant", "status": "completed", "content": content}
        output.append({"type": "message", **said})
    else:
        for n, city in enumerate(CITIES, number):
            call = {"name": "weather", "arguments": json.dumps({"city": city}), "status": "completed"}
            output.append({"type": "function_call", "id": f"fc_{n:032x}", "call_id": f"call_{n:024x}", **call})
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    rest = {"object": "response", "created_at": 0, "status": "completed", "model": body["model"], "tools": []}
    rest |= {"parallel_tool_calls": True, "tool_choice": "auto", "usage": usage}
    return {"id": f"resp_{number:032x}", "output": output, **rest}


def chat(body):
    messages = body["messages"]
    number = sum(message["role"] == "tool" for message in messages)
    if messages[-1]["role"] == "tool":
        message = {"role": "assistant", "content": ANSWER}
    else:
        function = lambda city: {"name": "weather", "arguments": json.dumps({"city": city})}
        calls = [
            {"id": f"call_{n:024x}", "type": "function", "function": function(city)}
            for n, city in enumerate(CITIES, number)
        ]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    rest = {"object": "chat.completion", "created": 0, "model": body["model"], "usage": usage}
    return {"id": f"chatcmpl-{number}", "choices": [choice], **rest}


def chunks(completion):
    """The same completion as a stream: one chunk with everything, one with the reason of its end."""
    choice = completion["choices"][0]
    delta = dict(choice["message"])
    delta["tool_calls"] = [{"index": n, **call} for n, call in enumerate(delta.get("tool_calls", []))]
    base = {key: completion[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    yield base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield base | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}], "usage": completion["usage"]}


def gemini(body):
    contents = body["contents"]
    answered = any("functionResponse" in part for part in contents[-1]["parts"])
    parts = [{"text": ANSWER}] if answered else [
        {"functionCall": {"name": "weather", "args": {"city": city}}} for city in CITIES
    ]
    if not answered:
        parts[0]["thoughtSignature"] = "c2lnbmF0dXJl"
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "modelVersion": "gemini-3-pro-preview"}
