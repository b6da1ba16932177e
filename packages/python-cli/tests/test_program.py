"""The wheel of the program, as `cargo xtask python` has installed it into an empty environment:

BINARY   the program that the wheel was made from
COMMAND  the command of the environment
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

BINARY, COMMAND = os.environ["BINARY"], os.environ["COMMAND"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("project")
    (project / "AGENTS.md").write_bytes("Use tabs. Größe: \N{GRINNING FACE}\r\n".encode())
    return project


def run(program: str, words: list[str], project: Path) -> tuple[int, bytes, bytes]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(project.parent)}
    ran = subprocess.run([program, *words], cwd=project, env=environment, capture_output=True)
    return ran.returncode, ran.stdout, ran.stderr


def test_the_command_is_the_program_itself() -> None:
    assert Path(COMMAND).read_bytes() == Path(BINARY).read_bytes()


def test_the_command_prints_its_version(project: Path) -> None:
    code, out, errors = run(COMMAND, ["--version"], project)
    assert (code, out, errors) == (0, f"preface {os.environ['VERSION']}\n".encode(), b"")


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--preset", "claude-code", "--model", "claude-opus-5-5", "--tools", "read,bash"],
        ["--trust", "once", "--format", "json"],
        ["--preset", "no-such-preset"],
    ],
)
def test_a_build_prints_the_same_bytes_diagnostics_and_exit_code(words: list[str], project: Path) -> None:
    full = ["build", "--now", "2026-11-23T12:00:00Z", "--tz", "UTC", *words]
    assert run(COMMAND, full, project) == run(BINARY, full, project)
