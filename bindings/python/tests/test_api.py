"""The API of the package, as `cargo xtask python` has installed it."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import pickle
import sys
import threading
import time
from dataclasses import FrozenInstanceError
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import preface
from preface import (
    InternalError,
    Location,
    Origin,
    Preface,
    PrefaceError,
    TooLargeError,
    UntrustedError,
    UsageError,
    _preface,
)

NOW = "2026-11-23T12:00:00Z"

PROFILE = """
home = { global = ["config:preface"], project = ".preface" }

[section.a]
text = "A [app:name]."

[section.b]
text = "B."
when = { all = ["system:os"] }

[orders]
main = ["a", "b"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    (project / "AGENTS.md").write_text("Use tabs. Größe: \N{GRINNING FACE}")
    return project


@pytest.fixture
def engine(tmp_path: Path) -> Preface:
    return Preface(home=tmp_path / "home")


def test_a_prompt_is_its_text_in_parts_and_blocks(engine: Preface, project: Path) -> None:
    prompt = engine.build(project, trust="once", tools=["read"], now=NOW)
    assert str(prompt) == prompt.text
    assert "".join(part.text for part in prompt.parts) == prompt.text
    assert "".join(block.text for block in prompt.blocks) == prompt.text
    assert prompt.blocks[0].stability == "static" and prompt.blocks[0].text == prompt.static_prefix
    start, end = prompt.parts[1].range
    assert prompt.text.encode()[start:end].decode() == prompt.parts[1].text
    assert prompt.preset == "default"
    assert prompt.fingerprint.startswith("blake3:") and prompt.fingerprint in repr(prompt)
    assert prompt.tokens > 100
    assert json.loads(prompt.to_json())["text"] == prompt.text


def test_each_byte_has_an_origin(engine: Preface, project: Path) -> None:
    prompt = engine.build(project, trust="once")
    spans = [span for part in prompt.parts for span in part.spans if span.origin.scope == "project"]
    size = (project / "AGENTS.md").stat().st_size
    assert [(span.text, span.origin) for span in spans] == [
        ((project / "AGENTS.md").read_text(), Origin("file", "AGENTS.md", "project", (0, size)))
    ]
    assert str(spans[0].origin) == "AGENTS.md"
    assert any(str(origin) == "[prompt:cwd]" for part in prompt.parts for origin in part.origins)


def test_what_is_left_out_is_reported(engine: Preface, project: Path) -> None:
    prompt = engine.build(project)
    [diagnostic] = [each for each in prompt.diagnostics if each.code == "trust/untrusted"]
    assert diagnostic.severity == "warning" and diagnostic.help is not None
    assert str(diagnostic).startswith("warning: ")
    assert "project-context" in [absent.section for absent in prompt.absent]


def test_values_are_frozen(engine: Preface, project: Path) -> None:
    part = engine.build(project).parts[0]
    with pytest.raises(FrozenInstanceError):
        part.text = "other"  # type: ignore[misc]
    assert {part: 1}[part] == 1


def test_paths_are_texts_or_paths(engine: Preface, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = engine.build(project, now=NOW).text
    assert engine.build(str(project), now=NOW).text == expected
    monkeypatch.setenv("HOME", str(project.parent))
    assert engine.build("~/project", now=NOW).text == expected
    monkeypatch.chdir(project)
    assert engine.build(now=NOW).text == expected
    assert Preface(home=str(project.parent / "home")).build(now=NOW).text == expected


def test_a_path_need_not_be_utf_8(engine: Preface, tmp_path: Path) -> None:
    directory = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    directory.mkdir()
    assert f"{tmp_path}/\\u{{fffd}}" in engine.build(directory).text


def test_tools_are_names_or_definitions(engine: Preface, project: Path) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    weather = {"name": "weather", "description": "Returns the weather.", "input_schema": schema}
    prompt = engine.build(project, tools=("read", weather))
    assert "Returns the weather." in prompt.text
    tools = prompt.request("anthropic", model="claude-opus-5-5")["tools"]
    assert [tool["name"] for tool in tools] == ["read", "weather"]
    assert tools[1]["input_schema"] == schema
    assert "# Tools" not in engine.build(project, tools=[]).text


def test_variables_and_settings(engine: Preface, project: Path) -> None:
    (project / "p.toml").write_text(PROFILE)
    options: dict[str, Any] = {"profile": project / "p.toml", "variables": {"app:name": "Tea"}}
    assert engine.build(project, **options).text == "A Tea.\n\nB."
    options["variables"]["system:os"] = None
    assert engine.build(project, **options).text == "A Tea."
    options["settings"] = {"sections.a.disable": True}
    assert engine.build(project, **options).text == ""


def test_the_instant_is_a_text_or_a_datetime(engine: Preface, project: Path) -> None:
    instant = datetime(2026, 11, 23, 12, tzinfo=timezone.utc)
    prompt = engine.build(project, now=instant, time_zone="UTC")
    assert prompt.text == engine.build(project, now=NOW, time_zone="UTC").text
    assert "2026-11-23" in prompt.text
    with pytest.raises(UsageError, match="`now` has no time zone"):
        engine.build(project, now=datetime(2026, 11, 23))


def test_a_snapshot_gives_the_same_bytes(engine: Preface, project: Path) -> None:
    prompt = engine.build(project, trust="once")
    saved = project.parent / "snapshot.json"
    saved.write_text(prompt.snapshot)
    for given in (prompt.snapshot, prompt.snapshot.encode(), saved, saved.open(), saved.open("rb")):
        again = Preface.from_snapshot(given)
        assert again.text == prompt.text and again.parts == prompt.parts
    with pytest.raises(PrefaceError) as caught:
        Preface.from_snapshot("{}")
    assert type(caught.value) is PrefaceError


def test_a_request_is_a_body_for_an_sdk(engine: Preface, project: Path) -> None:
    class Block:
        """An object of an SDK."""

        def model_dump(self, **how: Any) -> dict[str, str]:
            assert how == {"mode": "json", "exclude_unset": True}
            return {"type": "text", "text": "Done."}

    prompt = engine.build(project, model="claude-opus-5-5")
    history = [
        {"role": "user", "content": "Fix the tests."},
        {"role": "assistant", "content": [Block()]},
        {"role": "user", "content": "Thanks."},
    ]
    request = prompt.request("anthropic", messages=history, max_output_tokens=100)
    assert json.loads(request.body) == request
    assert request["model"] == "claude-opus-5-5" and request["max_tokens"] == 100
    assert [message["role"] for message in request["messages"]] == ["user", "assistant", "user"]
    assert request["system"][0]["text"] == prompt.static_prefix
    assert request.diagnostics == ()
    responses = prompt.request("openai-responses", model="gpt-6.2-sol", messages=history, cache_ttl="12h")
    assert (responses["model"], responses["prompt_cache_options"]) == ("gpt-6.2-sol", {"ttl": "12h"})
    with pytest.raises(UsageError, match="unknown format: `anthropik`"):
        prompt.request("anthropik")  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        prompt.request("anthropic", messages=[{"content": "without a role"}])


def test_an_unknown_name_is_a_usage_error(engine: Preface, project: Path) -> None:
    with pytest.raises(UsageError) as caught:
        engine.build(project, preset="defualt")
    error = caught.value
    assert (error.code, error.message, error.help, error.location) == (
        "cli/usage",
        "unknown preset: `defualt`",
        "did you mean `default`?",
        None,
    )
    assert str(error) == "unknown preset: `defualt`\nhelp: did you mean `default`?"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (UsageError, str(error))


def test_an_error_in_a_file_has_its_place(engine: Preface, project: Path) -> None:
    profile = project / "p.toml"
    profile.write_text(PROFILE.replace('"B."', "1"))
    with pytest.raises(PrefaceError) as caught:
        engine.build(project, profile=profile)
    error = caught.value
    assert type(error) is PrefaceError
    assert error.location is not None and error.location.line == 8
    assert error.location.path == str(profile) and str(profile) not in error.message
    assert f"({profile}:8" in str(error)


def test_untrusted_text_can_be_an_error(engine: Preface, project: Path) -> None:
    with pytest.raises(UntrustedError) as caught:
        engine.build(project, trust="require")
    assert caught.value.code == "trust/required"


def test_a_budget_that_cannot_be_kept_is_an_error(engine: Preface, project: Path) -> None:
    with pytest.raises(TooLargeError) as caught:
        engine.build(project, budget=1)
    assert caught.value.code == "budget/over"


def test_a_panic_is_an_exception(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InternalError, match="internal error: on purpose") as caught:
        _preface.panic()
    assert caught.value.help is not None and "report this bug" in caught.value.help
    assert "panicked" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"directory": 3}, "`directory` takes a str or a path, not int"),
        ({"directory": b"/tmp"}, "`directory` takes a str or a path, not bytes"),
        ({"preset": 3}, "`preset` takes a str, not int"),
        ({"profile": ["p.toml"]}, "`profile` takes a str or a path, not list"),
        ({"tools": "read"}, "`tools` takes a list, not str"),
        ({"tools": {"name": "read"}}, "`tools` takes a list, not dict"),
        ({"tools": ["read", 3]}, "`tools[1]` takes a str or a dict, not int"),
        ({"variables": ["a:b"]}, "`variables` takes a dict, not list"),
        ({"variables": {"a:b": 3}}, "`variables['a:b']` takes a str, a bool or a list, not int"),
        ({"settings": {3: "a"}}, "`settings[3]` takes a str as key, not int"),
        ({"settings": {"a": object()}}, "not a value of JSON: object"),
        ({"budget": "many"}, "`budget` takes an int, not str"),
        ({"budget": True}, "`budget` takes an int, not bool"),
        ({"now": 3}, "`now` takes a str, not int"),
        ({"events": ["file-modified"]}, "`events[0]` takes a dict, not str"),
        ({"home": 3}, "unexpected keyword argument 'home'"),
    ],
)
def test_a_wrong_type_is_a_type_error(engine: Preface, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        engine.build(**arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"trust": "all"}, "unknown variant `all`, expected one of `recorded`, `once`, `deny`, `require`"),
        ({"budget": -1}, "not a whole number that fits here"),
        ({"variables": {"name": "x"}}, "`name`"),
        ({"tools": [{"nam": "x"}]}, "not a tool: unknown field `nam`"),
        ({"preset": "\ud800"}, "unexpected end of hex escape"),
        ({"now": "yesterday"}, "yesterday"),
    ],
)
def test_a_wrong_value_is_a_usage_error(engine: Preface, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        engine.build(**arguments)
    assert message in caught.value.message


def test_the_presets_are_listed(engine: Preface) -> None:
    assert "claude-code" in engine.presets and preface.__version__ == os.environ["VERSION"]


def test_an_event_loop_builds_on_other_threads(engine: Preface, project: Path) -> None:
    async def builds() -> list[str]:
        prompts = await asyncio.gather(*(engine.abuild(project, now=NOW, trust="once") for _ in range(4)))
        return [prompt.text for prompt in prompts]

    assert set(asyncio.run(builds())) == {engine.build(project, now=NOW, trust="once").text}


def test_other_threads_run_while_a_prompt_is_built(engine: Preface, project: Path) -> None:
    turns, seen, done = 0, list[int](), threading.Event()

    def build() -> None:
        # A build is short: another thread may wake up too late for one, but not for all.
        for _ in range(200):
            before = turns
            engine._engine.build(str(project), OPTIONS)
            seen.append(turns - before)
        done.set()

    interval = sys.getswitchinterval()
    # No thread has to give way: others run only where one lets them.
    sys.setswitchinterval(60)
    try:
        thread = threading.Thread(target=build)
        thread.start()
        while not done.is_set():
            turns += 1
            time.sleep(0)
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(seen) == 200 and any(seen)


NONE = ["preset", "model", "agent", "tools", "budget", "tokenizer", "now", "time_zone", "template", "template_text"]
OPTIONS = json.dumps(
    dict.fromkeys(NONE) | {"variables": {}, "settings": {}, "trust": "once", "events": []}
)


def test_a_place_is_printed_as_compilers_do() -> None:
    assert [str(Location("a")), str(Location("a", 1)), str(Location("a", 1, 2))] == ["a", "a:1", "a:1:2"]


def test_a_conversation_keeps_its_prompt_and_extends_its_requests(
    engine: Preface, project: Path, tmp_path: Path
) -> None:
    store = preface.Store.sqlite(tmp_path / "preface.db")

    def opened() -> preface.Conversation:
        return engine.conversation("c1", project, store=store, preset="claude-code", model="claude-opus-5-5")

    chat = opened()
    assert (chat.id, chat.is_new) == ("c1", True)
    chat.remind({"type": "todo-list-empty"})
    history: list[dict[str, Any]] = [{"role": "user", "content": "Fix the tests."}]
    first = chat.request("anthropic", messages=history)
    assert (first.number, first.extends) == (1, None)
    assert "<system-reminder>" in first.body
    chat.record_usage(1, input_tokens=9)
    with pytest.raises(PrefaceError):
        chat.record_usage(7, input_tokens=9)

    later = opened()
    assert (later.is_new, later.text) == (False, chat.text)
    history += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Thanks."}]
    second = later.request("anthropic", messages=history)
    assert (second.number, second.extends) == (2, True)
    assert second["messages"][: len(first["messages"])] == first["messages"]

    instructions = later.compact()
    assert instructions[:20] in later.request("anthropic", messages=history, compaction=instructions).body
    assert later.refresh() is False


def test_hooks_change_a_run_and_tools_the_prompt(engine: Preface, project: Path) -> None:
    chat = engine.conversation("c1", project, preset="pi", model="claude-opus-5-5", tools=["read", "bash"], now=NOW)
    calls = []

    def tone(call: dict[str, Any]) -> dict[str, Any]:
        calls.append((call["event"], call["prompt"], len(call["messages"])))
        return {"system_prompt": call["system_prompt"] + "\nBe brief.", "message": {"content": "By the way."}}

    def shy(call: dict[str, Any]) -> dict[str, Any] | None:
        return {"handled": True} if call["prompt"] == "/help" else None

    chat.on("before_agent_start", tone)
    chat.on("input", shy)
    assert chat.submit("/help") is None
    history = chat.submit("Fix the tests.")
    assert history is not None and [each["role"] for each in history] == ["user", "custom"]
    assert calls == [("before_agent_start", "Fix the tests.", 1)]
    request = chat.request("anthropic", messages=history)
    assert "Be brief." in request.body and "Be brief." not in chat.text
    assert (request.number, request.extends) == (None, None)
    chat.finish()
    assert "Be brief." not in chat.request("anthropic", messages=history).body

    chat.set_active_tools(["read"])
    assert list(chat.tools) == ["read"] and "- bash:" not in chat.text
    chat.register_tool({"name": "deploy", "description": "Deploys a branch."})
    assert list(chat.tools) == ["read", "deploy"] and "deploy" in chat.text
    assert not chat.reload()


def test_a_hook_that_fails_is_reported(engine: Preface, project: Path) -> None:
    chat = engine.conversation("c1", project, preset="pi", model="claude-opus-5-5")
    chat.on("before_agent_start", lambda call: 1 / 0)  # type: ignore[arg-type, return-value]
    chat.on("before_agent_start", lambda call: {"sytem_prompt": "x"})
    assert chat.submit("Fix the tests.") is not None
    failed = [each.message for each in chat.diagnostics if each.code == "hook/error"]
    assert len(failed) == 2 and "ZeroDivisionError" in failed[0] and "sytem_prompt" in failed[1]
    with pytest.raises(UsageError, match="unknown event"):
        chat.on("tool_call", lambda call: None)  # type: ignore[arg-type]
    with pytest.raises(PrefaceError, match="the conversation has no store"):
        chat.record_usage(1, input_tokens=1)


def test_a_profile_may_keep_its_prompt_while_the_tools_change(engine: Preface, project: Path) -> None:
    store = preface.Store.memory()
    chat = engine.conversation("c1", project, store=store, model="claude-opus-5-5", tools=["read", "bash"], now=NOW)
    text = chat.text
    chat.set_active_tools(["read"])
    assert chat.text == text
    request = chat.request("anthropic", messages=[{"role": "user", "content": "Fix the tests."}])
    assert [tool["name"] for tool in request["tools"]] == ["read"]
    assert "conversation/tools" in [each.code for each in request.diagnostics]
    chat.compact()
    assert chat.text != text


def test_trust_pins_are_what_an_export_printed(engine: Preface, project: Path) -> None:
    for pins in ("{", {"no": "export"}):
        with pytest.raises(PrefaceError) as caught:
            engine.build(project, trust_pins=pins)
        assert "pins" in str(caught.value)
    with pytest.raises(TypeError, match="`trust_pins` takes the text of `preface trust export` or its JSON, not int"):
        engine.build(project, trust_pins=1)  # type: ignore[arg-type]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork")
def test_a_forked_process_builds_and_opens_stores_of_its_own(engine: Preface, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    store = preface.Store.sqlite(file)
    chat = engine.conversation("c1", project, store=store, now=NOW)
    prompt = engine.build(project, now=NOW)
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()

    def in_the_new_process() -> None:
        answers.put(engine.build(project, now=NOW).text == prompt.text)
        for use in (lambda: engine.conversation("c2", project, store=store), lambda: chat.text, chat.refresh):
            try:
                answers.put(repr(use()))
            except UsageError as error:
                answers.put(error.message)
        own = engine.conversation("c2", project, store=preface.Store.sqlite(file), now=NOW)
        answers.put(own.is_new)
        answers.put(own.request("anthropic", messages=[]).number)

    process = context.Process(target=in_the_new_process)
    process.start()
    process.join(60)
    process.kill()
    assert process.exitcode == 0
    forked = "the store was opened before this process was forked"
    assert [answers.get() for _ in range(6)] == [True, forked, forked, forked, True, 1]
    assert chat.refresh() is False


def test_a_conversation_refuses_what_is_wrong(engine: Preface, project: Path, tmp_path: Path) -> None:
    store = preface.Store.memory()
    with pytest.raises(UsageError):
        engine.conversation("", project, store=store)
    with pytest.raises(TypeError, match="`store` takes a Store, not str"):
        engine.conversation("c1", project, store="preface.db")  # type: ignore[arg-type]
    with pytest.raises(PrefaceError):
        preface.Store.sqlite(tmp_path)
