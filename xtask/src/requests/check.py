"""Validates request bodies with the types of the vendors' SDKs.

Each line of standard input is an object: `format`, `case`, `body`. The schemas are derived from the SDKs that are installed and
made strict: an object with named properties takes no others. Prints one line for each format, and ends with 1 if a body is wrong or
a planted error is not found.
"""

import collections
import copy
import json
import sys

import encoding
from anthropic.types import message_create_params as anthropic_params
from anthropic.types.beta import message_create_params as anthropic_beta_params
from botocore import loaders, model as botocore_model, validate
from google.genai import types as gemini_types
from jsonschema import Draft202012Validator
from openai.types.chat import completion_create_params as chat_params
from openai.types.responses import response_create_params as responses_params
from pydantic import TypeAdapter, ValidationError


def strict(node):
    """Closes each object, in place; response types in the unions of the SDKs take any other key."""
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node and node.get("additionalProperties") in (None, True):
            node["additionalProperties"] = False
        for value in node.values():
            strict(value)
    elif isinstance(node, list):
        for value in node:
            strict(value)
    return node


def schema(of):
    validator = Draft202012Validator(strict(TypeAdapter(of).json_schema()))

    def errors(body):
        for error in list(validator.iter_errors(body))[:3]:
            yield f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"

    return errors


GEMINI = {
    "systemInstruction": gemini_types.Content,
    "contents": list[gemini_types.Content],
    "tools": list[gemini_types.Tool],
    "generationConfig": gemini_types.GenerationConfig,
}


def gemini(body):
    for key, value in body.items():
        if key not in GEMINI:
            yield f"{key}: unknown"
            continue
        try:
            TypeAdapter(GEMINI[key]).validate_python(value)
        except ValidationError as error:
            yield f"{key}: {str(error)[:300]}"


def converse_shape():
    data = loaders.Loader().load_service_model("bedrock-runtime", "service-2")
    return botocore_model.ServiceModel(data).operation_model("Converse").input_shape


CONVERSE = converse_shape()


def converse(body):
    report = validate.ParamValidator().validate({"modelId": "m", **encoding.sdk_bytes(body)}, CONVERSE)
    if report.has_errors():
        yield report.generate_report()[:300]


ANTHROPIC = schema(anthropic_params.MessageCreateParamsNonStreaming)
ANTHROPIC_BETA = schema(anthropic_beta_params.MessageCreateParamsNonStreaming)


def anthropic(body):
    beta = any(message.get("clear_at") for message in body["messages"])
    return (ANTHROPIC_BETA if beta else ANTHROPIC)(body)


CHAT = schema(chat_params.CompletionCreateParamsNonStreaming)
CHECKS = {
    "anthropic": anthropic,
    "openai-responses": schema(responses_params.ResponseCreateParamsNonStreaming),
    "openai-chat": CHAT,
    "openai-compatible": CHAT,
    "gemini": gemini,
    "bedrock-converse": converse,
}


def put(path, value):
    """Returns a function that sets a value in a copy of a body."""

    def plant(body):
        body = copy.deepcopy(body)
        node = body
        for key in path[:-1]:
            node = node[key]
        if value is None:
            del node[path[-1]]
        else:
            node[path[-1]] = value
        return body

    return plant


def find(items, **wanted):
    for at, item in enumerate(items):
        if all(item.get(key) == value for key, value in wanted.items()):
            return at
    raise LookupError(f"no {wanted}")


def planted(format, body):
    """Returns errors that must be found in a body of the case `neutral`."""
    if format == "anthropic":
        user = find(body["messages"], role="user")
        results = next(at for at, m in enumerate(body["messages"]) if m["content"][0]["type"] == "tool_result")
        yield "temperature", put(["temperature"], 1)
        yield "a misspelt cache mark", put(["system", 0, "cache_contrl"], {})
        yield "an unknown role", put(["messages", user, "role"], "wizard")
        yield "a result without an id", put(["messages", results, "content", 0, "tool_use_id"], None)
        yield "a wrong end of instructions", put(["messages", user, "clear_at"], "next_turn")
        yield "a beta field", put(["messages", user, "output_config"], {"effort": "low"})
    elif format == "openai-responses":
        call = find(body["input"], type="function_call")
        yield "a wrong breakpoint", put(["input", 0, "content", 0, "prompt_cache_breakpoint"], {"mode": "auto"})
        yield "arguments as an object", put(["input", call, "arguments"], {})
        yield "a misspelt id", put(["input", call, "call_idd"], "x")
    elif format.startswith("openai-"):
        tool = find(body["messages"], role="tool")
        yield "a result without an id", put(["messages", tool, "tool_call_id"], None)
        yield "an image in a result", put(["messages", tool, "content"], [{"type": "image_url", "image_url": {"url": "x"}}])
    elif format == "gemini":
        yield "snake case in a part", put(["contents", 0, "parts", 0, "inline"], {})
        yield "an unknown field", put(["systemInstructions"], {})
    elif format == "bedrock-converse":
        yield "an empty text", put(["system", 0, "cachePoint"], {"type": "default"})
        yield "an empty description", put(["toolConfig", "tools", 0, "toolSpec", "description"], "")


def main():
    counts = collections.Counter()
    wrong = collections.defaultdict(list)
    seen = found = 0
    for line in sys.stdin:
        case = json.loads(line)
        format, body = case["format"], case["body"]
        counts[format] += 1
        for error in CHECKS[format](body):
            wrong[format].append(f"{case['case']}: {error}")
        if case["case"] == "neutral":
            for name, plant in planted(format, body):
                seen += 1
                if any(True for _ in CHECKS[format](plant(body))):
                    found += 1
                else:
                    wrong[format].append(f"planted error not found: {name}")
    for format in CHECKS:
        print(f"    {format}: {counts[format]} bodies, {len(wrong[format])} errors")
        for error in wrong[format][:5]:
            print(f"        {error}")
    print(f"    planted errors: {found} of {seen} found")
    missing = [format for format in CHECKS if not counts[format]]
    return 1 if wrong and any(wrong.values()) or missing or seen < 10 else 0


sys.exit(main())
