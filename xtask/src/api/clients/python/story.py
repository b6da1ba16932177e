"""The story of a template and a conversation, through the client that is made from the service's own description.

    python story.py URL ROOT
"""

import sys

from preface_client import Client
from preface_client.api.conversations import compact, explain, forget, prompt, refresh, turn
from preface_client.api.system_prompt import analyze, system_prompt_get, system_prompt_put, variables
from preface_client.models import (
    Analysis,
    AnalyzeWrite,
    BuildOptions,
    Change,
    CompactionBody,
    CompactionReply,
    ConstructReason,
    ExplainReply,
    Problem,
    PromptReply,
    RefreshReply,
    Stability,
    TemplateReply,
    TemplateWrite,
    TurnBody,
    VariablesReply,
)

url, root = sys.argv[1:]
client = Client(base_url=url)


def report(what: str) -> None:
    print(f"Python: {what}", flush=True)


def is_a(kind, answer, status):
    """The answer's document, which has a type of the client."""
    assert answer.status_code == status, answer
    assert isinstance(answer.parsed, kind), answer.parsed
    return answer.parsed


# The template.
first = system_prompt_get.sync_detailed(client=client)
assert "[prompt:cwd]" in is_a(TemplateReply, first, 200).template
assert first.headers["Preface-Version"] == "0"
known = first.headers["ETag"]
assert system_prompt_get.sync_detailed(client=client, if_none_match=known).status_code == 304
report("read the default template")

text = "In [prompt:cwd] for [prompt:model]."
put = system_prompt_put.sync_detailed(
    client=client, if_match=known, body=TemplateWrite(template=text, note="shorter")
)
assert is_a(TemplateReply, put, 200).template == text
assert put.headers["Preface-Version"] == "1"
stale = system_prompt_put.sync_detailed(client=client, if_match=known, body=TemplateWrite(template="lost"))
problem = is_a(Problem, stale, 412)
assert problem.type_ == "urn:preface:problem:stale", problem
assert problem.request_id == stale.headers["X-Request-Id"]
report("wrote one with If-Match; an older tag is answered 412 with a problem document")

listed = is_a(VariablesReply, variables.sync_detailed(client=client, cwd=root), 200).variables
assert [(one.type_, one.name) for one in listed[:2]] == [("system", "time"), ("system", "date")]
(cwd,) = [one for one in listed if (one.type_, one.name) == ("prompt", "cwd")]
assert (cwd.value, cwd.stability) == (root, Stability.CONVERSATION)
report("listed the variables")

body = AnalyzeWrite(template="[if prompt:model]a[endif]")
analysis = is_a(Analysis, analyze.sync_detailed(client=client, body=body), 200)
assert [str(token.kind) for token in analysis.tokens] == ["if", "text", "endif"]
report("analyzed a template")

# The conversation.
id = "story/1 ü"
built = is_a(PromptReply, turn.sync_detailed(id, client=client, body=TurnBody(options=BuildOptions(directory=root, model="m-1"))), 201)
assert built.system_prompt == f"In {root} for m-1.", built
assert (built.constructed, built.revision, built.reason) == (True, 1, ConstructReason.FIRST_TURN)
later = is_a(PromptReply, turn.sync_detailed(id, client=client), 200)
assert later.system_prompt == built.system_prompt and not later.constructed
assert later.created_at == built.created_at and later.created_at.tzinfo is not None
report("a first turn (201), and a later one (200) with the same bytes")

body = CompactionBody(instructions="Sum it up.")
compacted = is_a(CompactionReply, compact.sync_detailed(id, client=client, body=body), 200)
assert compacted.system_prompt.startswith(f"In {root} for m-1.")
assert compacted.system_prompt.endswith("Sum it up.")
assert (compacted.revision, compacted.reason) == (2, ConstructReason.COMPACTION)
report("a compaction")

answer = explain.sync_detailed(id, client=client)
explained = is_a(ExplainReply, answer, 200)
assert explained.document.text == f"In {root} for m-1."
origins = [origin.to_dict() for part in explained.document.parts for origin in part.origins]
assert any(one["kind"] == "stored" and one["version"] == 1 for one in origins), origins
assert any(one["kind"] == "variable" and one["key"] == "prompt:cwd" for one in origins), origins
assert any(variable.variable == "prompt:model" and variable.exists for variable in explained.variables)
report("explained where it came from")

state = answer.headers["ETag"]
refreshed = is_a(
    RefreshReply, refresh.sync_detailed(id, client=client, if_match=state, body=TurnBody(options=BuildOptions(model="m-2"))), 200
)
difference = refreshed.difference
assert not difference.same and difference.parts[0].change == Change.CHANGED
assert difference.first_difference.offset == len(f"In {root} for m-".encode())
assert refreshed.revision == 3
report("a refresh with the difference")

assert is_a(Problem, forget.sync_detailed(id, client=client, if_match=state), 412).code == "stale"
assert forget.sync_detailed(id, client=client).status_code == 204
gone = is_a(Problem, prompt.sync_detailed(id, client=client), 404)
assert gone.code == "unknown-conversation"
report("forgot the conversation")
