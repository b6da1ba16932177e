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
PAGES = ["docs/tasks/use-it-from-python.md", "bindings/python/README.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^ *print\(.*\) +# (.+)$", re.MULTILINE)


class Messages:
    """The client of a service: takes a request as its SDK does."""

    def create(self, *, model: str, max_tokens: int, messages: list[Any], **others: Any) -> Any:
        assert messages and max_tokens == 4096, (model, others)
        usage = SimpleNamespace(input_tokens=10, cache_read_input_tokens=0)
        return SimpleNamespace(content=[{"type": "text", "text": "Done."}], usage=usage)


@pytest.mark.parametrize("page", PAGES)
def test_each_block_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = tmp_path / "work" / "app"
    app.mkdir(parents=True)
    (app / "AGENTS.md").write_text("Use tabs.")
    for name in [name for name in os.environ if name != "PATH"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
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
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    assert blocks
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, page, "exec"), names)
        for expected in PRINTED.findall(block):
            if not expected.startswith("or "):
                assert expected in printed.getvalue(), block
