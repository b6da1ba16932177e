"""An endpoint on loopback in the place of a model: it answers each request with the same words, and keeps the bodies."""

import gzip
import http.server
import json
import threading

# What each request is answered with that has no other answer in `Endpoint.answers`.
ANSWER = "Done."


class Endpoint(http.server.BaseHTTPRequestHandler):
    """Answers as Anthropic, OpenAI and Gemini do, in a stream where that is asked for, and keeps the bodies."""

    protocol_version = "HTTP/1.1"
    requests = []
    # What the next requests are answered with, in the place of the usual answer.
    answers = []

    def do_GET(self):
        self.reply("application/json", json.dumps({"object": "list", "data": [], "models": []}))

    def do_POST(self):
        path = self.path.partition("?")[0]
        raw = self.body()
        body = json.loads(gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw or b"{}")
        self.requests.append((path, body))
        if path.endswith("/count_tokens"):
            answer, events, streams = {"input_tokens": 5}, [], False
        elif path.endswith(":countTokens"):
            answer, events, streams = {"totalTokens": 5}, [], False
        elif path.endswith("/messages"):
            (answer, events), streams = anthropic(body["model"], self.words()), body.get("stream")
        elif path.endswith("/responses"):
            (answer, events), streams = responses(body["model"], self.words()), body.get("stream")
        elif path.endswith("/chat/completions"):
            (answer, events), streams = chat(body["model"], self.words()), body.get("stream")
        elif "enerateContent" in path:
            (answer, events), streams = gemini(self.words()), "stream" in path
        else:
            answer, events, streams = {}, [], False
        if streams:
            named = "".join((f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event)}\n\n" for event in events)
            self.reply("text/event-stream", named + "data: [DONE]\n\n" * path.endswith("/completions"))
        else:
            self.reply("application/json", json.dumps(answer))

    def words(self):
        return self.answers.pop(0) if self.answers else ANSWER

    def body(self):
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline().strip() or b"0", 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def reply(self, kind, answer):
        answer = answer.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def count(text):
    """Returns the tokens of an answer."""
    return len(text.split())


def anthropic(model, text):
    usage, block = {"input_tokens": 5, "output_tokens": count(text)}, {"type": "text", "text": ""}
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "stop_sequence": None, "usage": usage}
    stop = {"stop_reason": "end_turn", "stop_sequence": None}
    return {**answer, "content": [{**block, "text": text}], "stop_reason": "end_turn"}, [
        {"type": "message_start", "message": {**answer, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": usage},
        {"type": "message_stop"},
    ]


def responses(model, text):
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
               "content": [{"type": "output_text", "text": text, "annotations": []}]}
    usage = {"input_tokens": 5, "output_tokens": count(text), "total_tokens": 5 + count(text),
             "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}
    answer = {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": model, "output": [message],
              "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": usage}
    started = {**answer, "status": "in_progress", "output": []}
    return answer, [{"type": "response.created", "sequence_number": 0, "response": started},
                    {"type": "response.output_item.done", "sequence_number": 1, "output_index": 0, "item": message},
                    {"type": "response.completed", "sequence_number": 2, "response": answer}]


def chat(model, text):
    answer = {"id": "chat_1", "created": 1, "model": model}
    message, usage = {"role": "assistant", "content": text}, {"prompt_tokens": 5, "completion_tokens": count(text), "total_tokens": 5 + count(text)}
    whole = {**answer, "object": "chat.completion", "usage": usage,
             "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    chunk = {**answer, "object": "chat.completion.chunk"}
    return whole, [{**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
                   {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}]


def gemini(text):
    usage = {"promptTokenCount": 5, "candidatesTokenCount": count(text), "totalTokenCount": 5 + count(text)}
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}
    answer = {"candidates": [candidate], "usageMetadata": usage}
    return answer, [answer]


def serve():
    """Serves on a free port until this process ends, and returns the address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"
