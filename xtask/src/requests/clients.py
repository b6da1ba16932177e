"""The official SDKs send bodies of preface to an endpoint on loopback, over twenty turns.

The endpoint compares what arrives with what preface printed, and answers as the service does: in a stream, with reasoning, parallel
tool calls and, once for each service, an error that the SDK retries. The history of the next turn is made from what the SDK returned.
At the end every recorded request has to extend the one before. The argument is the program.
"""

import base64
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

TURNS = 20
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()


class Endpoint:
    """A service on loopback: it expects one body, and answers with prepared bytes."""

    def __init__(self):
        self.expected = None
        self.answer = b""
        self.kind = "application/json"
        self.refuse = False
        self.problems = []
        self.requests = 0
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                endpoint.requests += 1
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if endpoint.refuse:
                    endpoint.refuse = False
                    self.reply(503, "application/json", b'{"error":{"type":"overloaded_error","message":"busy"}}')
                    return
                body.pop("stream", None)
                if body != endpoint.expected:
                    endpoint.problems.append(f"another body arrived: {difference(endpoint.expected, body)}")
                self.reply(200, endpoint.kind, endpoint.answer)

            def reply(self, status, kind, answer):
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                """A client that closes its connection is no problem."""

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"


def difference(expected, found, path="$"):
    """Names the first place where two JSON values differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(expected.keys() | found.keys()):
            if expected.get(key) != found.get(key):
                return difference(expected.get(key), found.get(key), f"{path}.{key}")
    if isinstance(expected, list) and isinstance(found, list):
        for at, (one, other) in enumerate(zip(expected, found)):
            if one != other:
                return difference(one, other, f"{path}[{at}]")
    return f"{path}: {json.dumps(expected)[:200]} was sent as {json.dumps(found)[:200]}"


def events(pairs):
    """Writes server-sent events."""
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in pairs).encode()


def calls(turn):
    """The tool calls of a turn: two at once in every second one."""
    if turn % 2:
        return [(f"call_{turn}a", "Read", {"file_path": f"src/{turn}.rs"}), (f"call_{turn}b", "Bash", {"command": "ls"})]
    return []


class Anthropic:
    format, model = "anthropic", "claude-opus-5-5"

    def __init__(self, endpoint):
        import anthropic

        self.client = anthropic.Anthropic(api_key="none", base_url=endpoint.address, max_retries=2)

    def answer(self, turn):
        blocks = [
            ({"type": "thinking", "thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": f"Thought {turn}."},
                {"type": "signature_delta", "signature": base64.b64encode(f"signed {turn}".encode()).decode()},
            ]),
            ({"type": "text", "text": ""}, [{"type": "text_delta", "text": f"Answer {turn}."}]),
        ]
        for call, name, arguments in calls(turn):
            start = {"type": "tool_use", "id": call, "name": name, "input": {}}
            blocks.append((start, [{"type": "input_json_delta", "partial_json": json.dumps(arguments)}]))
        usage = {"input_tokens": 10, "output_tokens": 5}
        message = {"id": f"msg_{turn}", "type": "message", "role": "assistant", "model": self.model, "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": usage}
        out = [("message_start", {"type": "message_start", "message": message})]
        for at, (start, deltas) in enumerate(blocks):
            out.append(("content_block_start", {"type": "content_block_start", "index": at, "content_block": start}))
            for delta in deltas:
                out.append(("content_block_delta", {"type": "content_block_delta", "index": at, "delta": delta}))
            out.append(("content_block_stop", {"type": "content_block_stop", "index": at}))
        stop = "tool_use" if calls(turn) else "end_turn"
        out.append(("message_delta", {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                                      "usage": {"output_tokens": 5}}))
        out.append(("message_stop", {"type": "message_stop"}))
        return "text/event-stream", events(out)

    def send(self, body):
        with self.client.messages.stream(**body) as stream:
            message = stream.get_final_message()
        return [{"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in message.content]}]

    def results(self, turn):
        found = []
        for call, name, _ in calls(turn):
            content = [{"type": "text", "text": f"result of {call}"}]
            if name == "Read":
                content.append({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}})
            found.append({"type": "tool_result", "tool_use_id": call, "content": content, "is_error": name == "Bash"})
        return [{"role": "user", "content": found}] if found else []


class Responses:
    format, model = "openai-responses", "gpt-6.2"

    def __init__(self, endpoint):
        import openai

        self.client = openai.OpenAI(api_key="none", base_url=endpoint.address, max_retries=2)

    def answer(self, turn):
        output = [
            {"type": "reasoning", "id": f"rs_{turn}", "summary": [], "encrypted_content": f"sealed {turn}"},
            {"type": "message", "id": f"msg_{turn}", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": f"Answer {turn}.", "annotations": []}]},
        ]
        for call, name, arguments in calls(turn):
            output.append({"type": "function_call", "id": f"fc_{call}", "call_id": call, "name": name,
                           "arguments": json.dumps(arguments), "status": "completed"})
        response = {"id": f"resp_{turn}", "object": "response", "created_at": 1, "status": "completed", "model": self.model,
                    "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
        started = {**response, "status": "in_progress", "output": []}
        pairs = [("response.created", {"type": "response.created", "sequence_number": 0, "response": started}),
                 ("response.completed", {"type": "response.completed", "sequence_number": 1, "response": response})]
        return "text/event-stream", events(pairs)

    def send(self, body):
        last = None
        for event in self.client.responses.create(**body, stream=True):
            if event.type == "response.completed":
                last = event.response
        return [item.model_dump(exclude_none=True, mode="json") for item in last.output]

    def results(self, turn):
        return [{"type": "function_call_output", "call_id": call, "output": f"result of {call}"} for call, _, _ in calls(turn)]


class Chat:
    format, model = "openai-chat", "gpt-6.2"

    def __init__(self, endpoint):
        import openai

        self.client = openai.OpenAI(api_key="none", base_url=endpoint.address, max_retries=2)

    def answer(self, turn):
        def chunk(delta, finish=None):
            return {"id": f"chat_{turn}", "object": "chat.completion.chunk", "created": 1, "model": self.model,
                    "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

        out = [chunk({"role": "assistant", "content": f"Answer {turn}."})]
        for at, (call, name, arguments) in enumerate(calls(turn)):
            out.append(chunk({"tool_calls": [{"index": at, "id": call, "type": "function",
                                              "function": {"name": name, "arguments": json.dumps(arguments)}}]}))
        out.append(chunk({}, "tool_calls" if calls(turn) else "stop"))
        data = "".join(f"data: {json.dumps(one)}\n\n" for one in out) + "data: [DONE]\n\n"
        return "text/event-stream", data.encode()

    def send(self, body):
        text, found = "", {}
        for chunk in self.client.chat.completions.create(**body, stream=True):
            delta = chunk.choices[0].delta
            text += delta.content or ""
            for call in delta.tool_calls or []:
                one = found.setdefault(call.index, {"type": "function", "function": {"name": "", "arguments": ""}})
                one["id"] = call.id or one["id"]
                one["function"]["name"] += call.function.name or ""
                one["function"]["arguments"] += call.function.arguments or ""
        message = {"role": "assistant", "content": text}
        if found:
            message["tool_calls"] = [found[at] for at in sorted(found)]
        return [message]

    def results(self, turn):
        return [{"role": "tool", "tool_call_id": call, "content": f"result of {call}"} for call, _, _ in calls(turn)]


def run(service, program):
    endpoint = Endpoint()
    client, program = service(endpoint), os.path.abspath(program)
    with tempfile.TemporaryDirectory() as home:
        project = os.path.join(home, "project")
        os.makedirs(project)
        with open(os.path.join(project, "CLAUDE.md"), "w", encoding="utf-8") as file:
            file.write("Use tabs.\n")
        names = ("PREFACE_HOME", "PREFACE_STORE", "CLAUDE_CONFIG_DIR")
        clean = {name: value for name, value in os.environ.items() if name not in names and not name.startswith("XDG_")}
        environment = {**clean, "HOME": home}

        def preface(*words):
            ran = subprocess.run([program, *words], cwd=project, env=environment, capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                raise SystemExit(f"{' '.join(words)}: {ran.stderr}")
            return ran.stdout

        history, chat = [], os.path.join(home, "chat.json")

        def exchange(turn, *event):
            """Sends the history, and adds what the SDK returns."""
            with open(chat, "w", encoding="utf-8") as file:
                json.dump(history, file)
            body = preface("build", "--conversation", "c", "--preset", "claude-code", "--tools", "Read,Bash", "--messages", chat,
                           "--format", service.format, "--model", service.model, "--max-output-tokens", "1024", *event)
            endpoint.expected = json.loads(body)
            endpoint.kind, endpoint.answer = client.answer(turn)
            history.extend(client.send(endpoint.expected))

        for turn in range(1, TURNS + 1):
            content = [{"type": "text", "text": f"Task {turn}."}] if service is Anthropic else f"Task {turn}."
            history.append({"role": "user", "content": content})
            endpoint.refuse = turn == 3
            exchange(turn, *(["--event", '{"type":"file-opened","path":"a.rs"}'] if turn % 5 == 0 else []))
            results = client.results(turn)
            if results:
                history += results
                # The next number is even: its answer has no calls.
                exchange(turn + 1)
        recorded = json.loads(preface("conversation", "history", "c", "--requests", "--format", "json"))
    # The endpoint notices a body that is not the one of preface.
    problems = list(endpoint.problems)
    endpoint.answer = client.answer(2)[1]
    client.send({**endpoint.expected, "model": "another"})
    if len(endpoint.problems) != len(problems) + 1:
        problems.append("the endpoint did not notice a changed body")
    return endpoint, recorded["entries"], problems


def main():
    failed = False
    for service in (Anthropic, Responses, Chat):
        endpoint, recorded, problems = run(service, sys.argv[1])
        for request in recorded:
            comparison = request.get("comparison")
            if comparison and not comparison["extends"]:
                problems.append(f"request {request['number']}: {comparison['change']['what']}")
        print(f"{service.format}: {len(recorded)} requests in {TURNS} turns, {endpoint.requests} sent, {len(problems)} problems")
        for problem in problems[:5]:
            print(f"  {problem}")
        failed = failed or bool(problems) or len(recorded) < TURNS
    sys.exit(1 if failed else 0)


main()
