"""The official SDKs send bodies of preface to an endpoint on loopback, over twenty turns.

The endpoint compares what arrives with what preface printed, and answers as the service does: in a stream, with reasoning, parallel
tool calls and, once for each service, an error that the SDK retries. The history of the next turn is made from what the SDK returned.
At the end every recorded request has to extend the one before. The SDKs for Python send from this process, those for TypeScript from
`send.js`. The arguments are the program and the directory of `send.js`.
"""

import base64
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

import encoding

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
        # Writes a body as preface writes it, where the SDK uses another spelling that the service reads alike.
        self.read = lambda body: body
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
                body = endpoint.read(body)
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


class Bedrock:
    format, model = "bedrock-converse", "anthropic.claude-opus-5-5"
    api = "anthropic-messages"

    def __init__(self, endpoint):
        from botocore import config, session

        self.client = session.get_session().create_client(
            "bedrock-runtime", region_name="us-east-1", endpoint_url=endpoint.address, aws_access_key_id="none",
            aws_secret_access_key="none", config=config.Config(retries={"max_attempts": 2}))

    def answer(self, turn):
        signature = base64.b64encode(f"signed {turn}".encode()).decode()
        content = [{"reasoningContent": {"reasoningText": {"text": f"Thought {turn}.", "signature": signature}}},
                   {"text": f"Answer {turn}."}]
        content += [{"toolUse": {"toolUseId": call, "name": name, "input": arguments}} for call, name, arguments in calls(turn)]
        answer = {"output": {"message": {"role": "assistant", "content": content}},
                  "stopReason": "tool_use" if calls(turn) else "end_turn", "metrics": {"latencyMs": 1},
                  "usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}}
        return "application/json", json.dumps(answer).encode()

    def send(self, body):
        message = self.client.converse(modelId=self.model, **encoding.sdk_bytes(body))["output"]["message"]
        return [neutral(message["content"], self.api)]

    def results(self, turn):
        return neutral_results(turn)


class Gemini:
    format, model = "gemini", "gemini-3.5-pro"
    api = "google-generative-ai"

    def __init__(self, endpoint):
        from google import genai

        retry = genai.types.HttpRetryOptions(attempts=3, initial_delay=0.01)
        options = genai.types.HttpOptions(base_url=endpoint.address, retry_options=retry)
        self.client = genai.Client(api_key="none", http_options=options)
        endpoint.read = camel_case

    def answer(self, turn):
        parts = [{"text": f"Thought {turn}.", "thought": True}, {"text": f"Answer {turn}."}]
        parts += [{"functionCall": {"id": call, "name": name, "args": arguments}} for call, name, arguments in calls(turn)]
        chunks = [{"candidates": [{"content": {"role": "model", "parts": [part]}}], "modelVersion": self.model} for part in parts]
        return "text/event-stream", "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode()

    def send(self, body):
        config = {key: value for key, value in body.items() if key not in ("contents", "generationConfig")}
        config.update(body.get("generationConfig", {}))
        parts = []
        for chunk in self.client.models.generate_content_stream(model=self.model, contents=body["contents"], config=config):
            parts += [part.model_dump(exclude_none=True, by_alias=True) for part in chunk.candidates[0].content.parts]
        return [neutral(parts, self.api)]

    def results(self, turn):
        return neutral_results(turn)


SNAKE_CASE = {"inline_data": "inlineData", "mime_type": "mimeType", "parameters_json_schema": "parametersJsonSchema"}


def camel_case(node):
    """Spells the keys that the SDK of Google sends with underscores as the service documents them, and drops empty settings."""
    if isinstance(node, dict):
        kept = {key: value for key, value in node.items() if (key, value) != ("generationConfig", {})}
        return {SNAKE_CASE.get(key, key): camel_case(value) for key, value in kept.items()}
    return [camel_case(value) for value in node] if isinstance(node, list) else node


def neutral(blocks, api):
    """Writes blocks of Bedrock or parts of Gemini in the neutral form of a message."""
    content = []
    for block in blocks:
        call = block.get("toolUse") or block.get("functionCall")
        reasoning = block.get("reasoningContent", {}).get("reasoningText")
        if call:
            content.append({"type": "toolCall", "id": call.get("toolUseId") or call["id"], "name": call["name"],
                            "arguments": call.get("input") or call.get("args")})
        elif reasoning:
            content.append({"type": "thinking", "thinking": reasoning["text"], "thinkingSignature": reasoning["signature"]})
        elif not block.get("thought"):
            content.append({"type": "text", "text": block["text"]})
    return {"role": "assistant", "api": api, "content": content}


def neutral_results(turn):
    found = []
    for call, name, _ in calls(turn):
        content = [{"type": "text", "text": f"result of {call}"}]
        if name == "Read":
            content.append({"type": "image", "data": PIXEL, "mimeType": "image/png"})
        found.append({"role": "toolResult", "toolCallId": call, "toolName": name, "content": content, "isError": name == "Bash"})
    return found


class Node:
    """Sends with the SDKs for TypeScript."""

    def __init__(self, directory):
        # SDKs warn about the version of Node.
        environment = {**os.environ, "NODE_NO_WARNINGS": "1"}
        self.process = subprocess.Popen(["node", "send.js"], cwd=directory, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def send(self, service, address, body):
        self.process.stdin.write(json.dumps({"service": service.format, "address": address, "body": body, "model": service.model}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise SystemExit(f"{service.format}: the SDK for TypeScript: {answer['error']}")
        api = getattr(service, "api", None)
        return answer["messages"] if api is None else [neutral(answer["messages"], api)]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def run(service, program, node):
    endpoint = Endpoint()
    client, program = service(endpoint), os.path.abspath(program)
    send = client.send if node is None else lambda body: node.send(service, endpoint.address, body)
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
            history.extend(send(endpoint.expected))

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
    send(json.loads(json.dumps(endpoint.expected).replace("Task 1.", "Task 0.")))
    if len(endpoint.problems) != len(problems) + 1:
        problems.append("the endpoint did not notice a changed body")
    return endpoint, recorded["entries"], problems


def main():
    failed = False
    node = Node(sys.argv[2])
    services = (Anthropic, Responses, Chat, Bedrock, Gemini)
    senders = [(service, "Python", None) for service in services]
    senders += [(service, "TypeScript", node) for service in services]
    for service, language, sender in senders:
        endpoint, recorded, problems = run(service, sys.argv[1], sender)
        for request in recorded:
            comparison = request.get("comparison")
            if comparison and not comparison["extends"]:
                problems.append(f"request {request['number']}: {comparison['change']['what']}")
        sent = f"{len(recorded)} requests in {TURNS} turns, {endpoint.requests} sent"
        print(f"{service.format}, {language}: {sent}, {len(problems)} problems", flush=True)
        for problem in problems[:5]:
            print(f"  {problem}")
        failed = failed or bool(problems) or len(recorded) < TURNS
    node.close()
    sys.exit(1 if failed else 0)


main()
