"""Measures the library as `cargo xtask python` has installed it.

    python measure.py           the time of a warm build, from Python and inside of the extension module, in turns
    python measure.py --soak    10,000 builds on 8 threads: equal results, flat memory
"""

from __future__ import annotations

import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from preface import Preface

BUILDS, THREADS = 10_000, 8
NOW = "2026-11-23T12:00:00Z"

# What is resident may grow by this much between the first thousand builds and the last, in MB.
GROWTH = 8.0


def resident() -> float:
    """Returns the resident memory of this process, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1000


def ratio(engine: Preface, project: Path) -> None:
    def python() -> float:
        began = time.perf_counter()
        engine.build(project, trust="once").text
        return time.perf_counter() - began

    def rust() -> float:
        return engine._engine.measure(str(project), 1)

    # One build of each in turns: what else runs on the machine slows both down alike.
    pairs = [(python(), rust()) for _ in range(550)][50:]
    one, other = (median(pair[side] for pair in pairs) for side in (0, 1))
    print(f"  | a warm build: {one * 1e6:.0f} µs from Python, {other * 1e6:.0f} µs in Rust, ratio {one / other:.2f}")


def soak(engine: Preface, project: Path) -> None:
    expected = engine.build(project, trust="once", now=NOW)

    def build(_: int) -> bool:
        prompt = engine.build(project, trust="once", now=NOW)
        return prompt.text == expected.text and prompt.parts == expected.parts

    sizes = [resident()]
    began = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as threads:
        for _ in range(10):
            assert all(threads.map(build, range(BUILDS // 10))), "a build differs"
            sizes.append(resident())
    seconds = time.perf_counter() - began
    growth = sizes[-1] - sizes[1]
    shown = ", ".join(f"{size:.0f}" for size in sizes)
    print(f"  | {BUILDS} builds on {THREADS} threads in {seconds:.0f} s, all equal; resident MB: {shown}")
    assert growth <= GROWTH, f"{growth:.1f} MB more after {BUILDS} builds than after {BUILDS // 10}"


with tempfile.TemporaryDirectory() as directory:
    root = Path(directory)
    project = root / "project"
    project.mkdir()
    (project / "AGENTS.md").write_text("Use tabs.\n" * 100)
    measured = soak if sys.argv[1:] == ["--soak"] else ratio
    measured(Preface(home=root / "home"), project)
