"""What a prompt consists of, read from the JSON of `preface build --format json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ._errors import Location

Scope = Literal["bundled", "global", "project"]
Severity = Literal["info", "warning", "error"]
Stability = Literal["static", "conversation", "turn"]


@dataclass(frozen=True)
class Origin:
    """The place that bytes of a prompt came from. `str()` prints it as the command line does.

    `kind` and `name`: "file" and its path, "profile" and its name, "variable" and its name, "template" and its name,
    "caller" and the argument, "hook" and its name. `key` is the key in the profile, the source of the variable, the version of the
    template or the event of the hook; `range` are the bytes of the file or template.
    """

    kind: Literal["file", "profile", "variable", "template", "caller", "hook"]
    name: str
    scope: Scope | None = None
    range: tuple[int, int] | None = None
    key: str | None = None

    def __str__(self) -> str:
        if self.kind == "profile":
            return f"{self.name}.toml {self.key}"
        if self.kind == "variable":
            return f"[{self.name}]"
        if self.kind == "template":
            return f"template {self.name}" if self.key is None else f"template {self.name}@{self.key}"
        if self.kind == "hook":
            return f"hook {self.name} ({self.key})"
        return self.name


@dataclass(frozen=True)
class Span:
    """A run of text with one origin."""

    text: str
    origin: Origin


@dataclass(frozen=True)
class Part:
    """A section of the prompt, with the separator before it. `range` are its bytes in the text as UTF-8."""

    id: str
    text: str
    tokens: int
    stability: Stability
    range: tuple[int, int]
    spans: tuple[Span, ...]
    is_cut: bool

    @property
    def origins(self) -> tuple[Origin, ...]:
        """The origins of its bytes, in order, each once."""
        return tuple(dict.fromkeys(span.origin for span in self.spans))


@dataclass(frozen=True)
class Block:
    """A run of parts that stay the same equally long: a cache may end behind it."""

    text: str
    stability: Stability


@dataclass(frozen=True)
class Absent:
    """A section that is not in the prompt; `why` is the reason for people."""

    section: str
    reason: str
    why: str


@dataclass(frozen=True)
class Diagnostic:
    """Something that was left out, cut, changed or looks wrong. `code` stays the same over versions."""

    code: str
    severity: Severity
    message: str
    location: Location | None = None
    help: str | None = None

    def __str__(self) -> str:
        where = "" if self.location is None else f" ({self.location})"
        return f"{self.severity}: {self.message} [{self.code}]{where}"


def origin(json: dict[str, Any]) -> Origin:
    kind = json["kind"]
    span = json.get("span")
    where = None if span is None else (span[0], span[1])
    if kind == "source":
        return Origin("file", json["path"], json["scope"], where)
    if kind == "literal":
        return Origin("profile", json["profile"], key=json["key"])
    if kind == "variable":
        return Origin("variable", json["key"], key=json["source"])
    if kind == "stored":
        version = json.get("version")
        return Origin("template", json["template"], range=where, key=None if version is None else str(version))
    if kind == "caller":
        return Origin("caller", json["flag"])
    return Origin("hook", json["hook"], key=str(json["event"]))


def part(json: dict[str, Any], text: bytes) -> Part:
    def cut(of: dict[str, Any]) -> str:
        start, end = of["range"]
        return text[start:end].decode()

    return Part(
        id=json["section"],
        text=cut(json),
        tokens=json["tokens"],
        stability=json["stability"],
        range=(json["range"][0], json["range"][1]),
        spans=tuple(Span(cut(span), origin(span["origin"])) for span in json["spans"]),
        is_cut=bool(json["cuts"]),
    )


def diagnostic(json: dict[str, Any]) -> Diagnostic:
    at = json.get("location")
    # A diagnostic about a profile that ships with preface has a location without a path.
    location = Location(at["path"], at.get("line"), at.get("column")) if at and at["path"] else None
    return Diagnostic(json["code"], json["severity"], json["message"], location, json.get("help"))
