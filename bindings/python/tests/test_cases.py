"""The cases of `cases/`, built on real directories by the command and by the library: the same document, or the same error.

CASES    the output of the example `case_steps` of `preface-testkit`
BINARY   the command
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from preface import Preface, PrefaceError

BINARY = os.environ["BINARY"]
CASES = [json.loads(line) for line in Path(os.environ["CASES"]).read_text().splitlines()]

# What a turn may have that the library or the command has no argument for, on a real machine.
NOT_EXPRESSIBLE = ["conversation", "follow", "homeless", "os", "roots", "tool", "trust_home"]

# The turns that are compared at least, so that none is left out by accident.
AT_LEAST = 590


class NotExpressible(Exception):
    """The case needs something that a real directory, the command or the library does not have."""


class Place:
    """A case's home directory and project below a temporary directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home/user"
        self.project = self.home / "project"
        self.project.mkdir(parents=True)

    def path(self, path: str) -> Path:
        if path == "~" or path.startswith("~/"):
            return self.home / path[2:]
        if not path.startswith("/"):
            return self.project / path
        if path == "/home/user":
            return self.home
        if not path.startswith("/home/user/"):
            raise NotExpressible("a path outside of the home directory")
        return self.home / path.removeprefix("/home/user/")

    def put(self, path: str, kind: str, value: Any) -> None:
        if path.startswith("bundled/"):
            raise NotExpressible("a bundled file")
        at = self.path(path)
        at.parent.mkdir(parents=True, exist_ok=True)
        if kind == "directory":
            at.mkdir(exist_ok=True)
            return
        if at.is_dir() and not at.is_symlink():
            shutil.rmtree(at)
        at.unlink(missing_ok=True)
        match kind:
            case "file":
                at.write_bytes(bytes(value))
            case "link":
                outside = value.startswith("~") or value.startswith("/")
                at.symlink_to(self.path(value) if outside else value)
            case "same":
                at.hardlink_to(self.path(value))
            case "pipe":
                os.mkfifo(at)
            case "gone":
                pass
            case _:
                raise NotExpressible(f"{kind} entries")


def command(words: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([BINARY, *words], capture_output=True)


def by_command(place: Place, turn: dict[str, Any]) -> Any:
    """Returns the document, or the error."""
    words = ["build", "--format", "json", "-C", str(directory(place, turn))]
    words += ["--now", turn["now"] or "2026-03-07T14:55:05Z", "--tz", turn["zone"] or "UTC"]
    for name in ["preset", "model", "agent", "budget", "trust"]:
        if turn[name] is not None:
            words += [f"--{name}={turn[name]}"]
    if turn["profile"] is not None:
        words += [f"--profile={place.path(turn['profile'])}"]
    if turn["tools"] is not None:
        words += ["--tools", ",".join(turn["tools"]) or "none"]
    words += [f"--set={each}" for each in turn["set"]]
    given = {name: value if isinstance(value, str) else json.dumps(value) for name, value in turn["variable"].items()}
    words += [f"--variable={name}={value}" for name, value in given.items()]
    words += [f"--event={json.dumps(event)}" for event in turn["event"]]
    if turn["template"] is not None:
        text = place.root / "template"
        text.write_bytes(turn["template"].encode())
        store = ["--store", f"sqlite:{place.root}/templates.db"]
        set_template = command(["template", "set", str(text), *store])
        if set_template.returncode != 0:
            raise NotExpressible("a template that no store takes")
        words += store
    ran = command(words)
    if ran.returncode != 0:
        error = json.loads(ran.stderr.splitlines()[-1])["error"]
        # The profile `stud` has a code of its own for the output of the command.
        code = "trust/required" if error["code"] == "HeadlessTrustRequired" else error["code"]
        return {"error": error["message"], "code": code}
    return json.loads(ran.stdout)


def by_library(place: Place, turn: dict[str, Any]) -> Any:
    """Returns the document, or the error."""
    settings = dict(each.split("=", 1) for each in turn["set"])
    if len(settings) != len(turn["set"]):
        raise NotExpressible("a setting that is given twice")
    engine = Preface() if turn["env"] else Preface(home=place.home)
    try:
        prompt = engine.build(
            directory(place, turn),
            preset=turn["preset"],
            profile=None if turn["profile"] is None else place.path(turn["profile"]),
            model=turn["model"],
            agent=turn["agent"],
            tools=turn["tools"],
            variables=turn["variable"],
            settings=settings,
            trust="recorded" if turn["trust"] in (None, "ask") else turn["trust"],
            budget=turn["budget"],
            now=turn["now"] or "2026-03-07T14:55:05Z",
            time_zone=turn["zone"] or "UTC",
            template_text=turn["template"],
            events=turn["event"],
        )
    except PrefaceError as error:
        return {"error": error.message, "code": error.code}
    assert "".join(part.text for part in prompt.parts) == prompt.text
    assert "".join(span.text for part in prompt.parts for span in part.spans) == prompt.text
    assert "".join(block.text for block in prompt.blocks) == prompt.text
    assert Preface.from_snapshot(prompt.snapshot).text == prompt.text
    return json.loads(prompt.to_json())


def differing(command_result: Any, library_result: Any, at: str = "") -> list[str]:
    """Returns the places at which two values of JSON differ, but for help: the command adds its flags to that."""
    if isinstance(command_result, dict) and isinstance(library_result, dict):
        return [
            line
            for key in dict.fromkeys([*command_result, *library_result])
            if key != "help"
            for line in differing(command_result.get(key), library_result.get(key), f"{at}.{key}")
        ]
    if isinstance(command_result, list) and isinstance(library_result, list) and len(command_result) == len(library_result):
        pairs = enumerate(zip(command_result, library_result))
        return [line for index, (one, other) in pairs for line in differing(one, other, f"{at}[{index}]")]
    if command_result == library_result:
        return []
    return [f"{at}: command: {command_result!r}", f"{at}: library: {library_result!r}"]


def directory(place: Place, turn: dict[str, Any]) -> Path:
    return place.project if turn["cwd"] is None else place.path(turn["cwd"])


def play(case: dict[str, Any], place: Place) -> tuple[list[str], Counter[str]]:
    """Returns the differences, and how many turns were compared or left out for which reason."""
    differences, counts = [], Counter[str]()
    for step in case["steps"]:
        try:
            if "put" in step:
                place.put(**step["put"])
                continue
            turn = step["turn"]
            # A directory of the case's machine is one of this place.
            env = turn["env"].items()
            os.environ.update({name: str(place.path(value)) if value.startswith("/") else value for name, value in env})
            if turn["action"] in ("grant", "revoke"):
                words = [str(place.path(path)) for path in turn["paths"]]
                choice = [] if turn["preset"] is None else [f"--preset={turn['preset']}"]
                choice += [] if turn["profile"] is None else [f"--profile={place.path(turn['profile'])}"]
                where = ["-C", str(directory(place, turn))]
                command(["trust", turn["action"], *where, *choice, *words])
                continue
            if turn["action"] not in (None, "build"):
                raise NotExpressible("an action that is no build")
            for name in NOT_EXPRESSIBLE:
                if turn[name]:
                    raise NotExpressible(name)
            command_result, library_result = by_command(place, turn), by_library(place, turn)
        except NotExpressible as why:
            counts[str(why)] += 1
            if "put" in step:
                break
            continue
        if turn["template"] is not None:
            # A stored template has a version, a text that is given has none.
            names = ["text", "error"]
            command_result = {name: command_result.get(name) for name in names}
            library_result = {name: library_result.get(name) for name in names}
        counts["compared"] += 1
        if lines := differing(command_result, library_result):
            title = f"{case['file']} ({case['name']}), line {step['line']}"
            differences.append("\n".join([title, *lines]))
    return differences, counts


def test_every_case_gives_what_the_command_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results = []
    for number, case in enumerate(CASES):
        place = Place(tmp_path / str(number))
        # Arguments may name files relative to the working directory.
        monkeypatch.chdir(place.project)
        # Without a home of its own the library reads the environment, as the command does.
        environment = {"PATH": os.environ["PATH"], "HOME": str(place.home)}
        with mock.patch.dict(os.environ, environment, clear=True):
            results.append(play(case, place))
    differences = [difference for found, _ in results for difference in found]
    counts = sum((counted for _, counted in results), Counter[str]())
    compared = counts.pop("compared")
    assert not differences, f"{len(differences)} builds differ:\n\n" + "\n\n".join(differences[:10])
    with capsys.disabled():
        print(f"\n  | {len(CASES)} cases: {compared} builds equal to the command's, {counts.total()} not expressible:", end=" ")
        print(", ".join(f"{why} {count}" for why, count in counts.most_common()), flush=True)
    assert compared >= AT_LEAST
