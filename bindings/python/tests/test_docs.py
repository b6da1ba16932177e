"""The blocks of Python in the documentation run, one after the other, and print what their comments state."""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from preface import Preface, Store

ROOT = Path(__file__).resolve().parents[3]
PAGES = ["docs/tasks/use-it-from-python.md", "docs/tasks/a-support-bot.md", "bindings/python/README.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^`([^`\n]+)`:\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^ *print\(.*\) +# (.+)$", re.MULTILINE)


class Block(SimpleNamespace):
    """A block of an answer, as the SDK has it."""

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return vars(self)


class Messages:
    """The client of a service: takes a request as its SDK does, and calls the tool of an order once."""

    called = False

    def create(self, *, model: str, max_tokens: int, messages: list[Any], **others: Any) -> Any:
        assert messages and max_tokens == 4096, (model, others)
        usage = SimpleNamespace(input_tokens=10, cache_read_input_tokens=0)
        content = [Block(type="text", text="Done.")]
        if not self.called and any(tool["name"] == "find_order" for tool in others.get("tools", [])):
            self.called = True
            content = [Block(type="tool_use", id="t1", name="find_order", input={"number": "7"})]
        return SimpleNamespace(content=content, usage=usage)


@pytest.mark.parametrize("page", PAGES)
def test_each_block_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = tmp_path / "work" / "app"
    app.mkdir(parents=True)
    (app / "AGENTS.md").write_text("Use tabs.")
    for name in [name for name in os.environ if name != "PATH"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(app)
    names: dict[str, Any] = {
        "client": SimpleNamespace(messages=Messages()),
        "cwd": app,
        "engine": Preface(home=tmp_path),
        "model": "claude-opus-5-5",
        "Store": Store,
        "Path": Path,
        "Agent": lambda *arguments, **options: options["instructions"],
        "dynamic_prompt": lambda function: function,
    }
    text = (ROOT / page).read_text(encoding="utf-8")
    for name, content in FILE.findall(text):
        file = tmp_path / name[2:] if name.startswith("~/") else app / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    blocks = BLOCK.findall(text)
    assert blocks
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, page, "exec"), names)
        for expected in PRINTED.findall(block):
            if not expected.startswith("or "):
                assert expected in printed.getvalue(), block
