"""The classes that callers use, over the extension module."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, ParamSpec, Protocol, TypeAlias, TypeVar

from . import _preface
from ._errors import UsageError
from ._values import Absent, Block, Diagnostic, Part, diagnostic, part

PathLike: TypeAlias = str | os.PathLike[str]
Tool: TypeAlias = str | Mapping[str, Any]
Variable: TypeAlias = str | bool | Sequence[str] | Sequence[Mapping[str, str | None]] | None
P = ParamSpec("P")
T = TypeVar("T")
Trust = Literal["recorded", "require", "once", "deny"]
HookEvent = Literal["resources_discover", "input", "before_agent_start", "context"]
Format = Literal[
    "anthropic", "bedrock-converse", "gemini", "openai-chat", "openai-compatible", "openai-responses"
]


class Readable(Protocol):
    """An open file."""

    def read(self) -> str | bytes: ...


def _with_arguments_of(
    model: Callable[P, T],
) -> Callable[[Callable[..., Coroutine[Any, Any, T]]], Callable[P, Coroutine[Any, Any, T]]]:
    """Gives a coroutine function the arguments of another function, for type checkers and for `help`."""

    def decorate(function: Callable[..., Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        setattr(function, "__signature__", inspect.signature(model))
        return function

    return decorate


class Preface:
    """Builds system prompts on this machine. Threads can share it; nothing is read before a prompt is built.

    `home` takes the place of the user's home directory, and no environment variable but `PATH` is read: for services and tests,
    whose prompts must not depend on who runs them. Without it settings and trust records are the user's, as for the
    command `preface`.
    """

    def __init__(self, home: PathLike | None = None) -> None:
        self._engine = _preface.Engine(None if home is None else _path("home", home))

    @property
    def presets(self) -> list[str]:
        """The names of the presets that ship with preface."""
        return self._engine.presets()

    def build(
        self,
        directory: PathLike = ".",
        *,
        preset: str | None = None,
        profile: PathLike | None = None,
        model: str | None = None,
        agent: str | None = None,
        tools: Iterable[Tool] | None = None,
        variables: Mapping[str, Variable] | None = None,
        settings: Mapping[str, Any] | None = None,
        trust: Trust = "recorded",
        trust_pins: str | Mapping[str, Any] | None = None,
        budget: int | None = None,
        tokenizer: str | None = None,
        now: str | datetime | None = None,
        time_zone: str | None = None,
        template: str | None = None,
        template_text: str | None = None,
        events: Iterable[Mapping[str, Any]] = (),
    ) -> Prompt:
        """Builds the system prompt of a directory. What is not given comes from the user's settings, else from the preset.

        preset: a preset, or a profile of the user, by name; `profile` is a file and comes before it.
        model: the name of the model, as the service knows it.
        agent: the agent whose prompt it is, instead of the main conversation's.
        tools: the active tools: names, or definitions with `name`, `description`, `input_schema`.
        variables: values by `type:name`, with the types of their declarations; `None` removes a variable.
        settings: settings by path (`sections.environment.disable`) and options of the profile.
        trust: "recorded" leaves out text of the project that the user has not trusted, "require" raises `UntrustedError` then,
            "once" includes everything in this build, "deny" nothing. `trust_pins` is what `preface trust export` printed, as text or parsed.
        budget: the most tokens, counted by `tokenizer`.
        now: the instant, instead of now; `time_zone`: the zone by name, instead of the machine's.
        template: the stored template for a profile that takes one: `NAME`, `NAME@LABEL` or `NAME@3`.
        template_text: the text for it, in place of a stored template.
        events: events that call for reminders in the messages of a request.

        Raises `UsageError`, `UntrustedError`, `TooLargeError`, or `PrefaceError` for a file that cannot be used; and `TypeError`
        for an argument of the wrong type.
        """
        return Prompt(
            self._engine.build(
                *_arguments(
                    directory,
                    preset=preset,
                    profile=profile,
                    model=model,
                    agent=agent,
                    tools=tools,
                    variables=variables,
                    settings=settings,
                    trust=trust,
                    trust_pins=trust_pins,
                    budget=budget,
                    tokenizer=tokenizer,
                    now=now,
                    time_zone=time_zone,
                    template=template,
                    template_text=template_text,
                    events=events,
                )
            )
        )

    @_with_arguments_of(build)
    async def abuild(self, *arguments: Any, **options: Any) -> Prompt:
        """Builds on another thread, as `build` does, while the event loop goes on."""
        return await asyncio.to_thread(self.build, *arguments, **options)

    def conversation(
        self,
        id: str,
        directory: PathLike = ".",
        *,
        store: Store | None = None,
        preset: str | None = None,
        profile: PathLike | None = None,
        model: str | None = None,
        agent: str | None = None,
        tools: Iterable[Tool] | None = None,
        variables: Mapping[str, Variable] | None = None,
        settings: Mapping[str, Any] | None = None,
        trust: Trust = "recorded",
        trust_pins: str | Mapping[str, Any] | None = None,
        budget: int | None = None,
        tokenizer: str | None = None,
        now: str | datetime | None = None,
        time_zone: str | None = None,
        template: str | None = None,
        template_text: str | None = None,
        events: Iterable[Mapping[str, Any]] = (),
    ) -> Conversation:
        """Opens a conversation in a store: the first call builds the prompt and stores it, later ones read it. Without a store the
        conversation holds its prompt itself, and its requests are not recorded.

        id: 1 to 255 bytes without control characters. The other arguments are those of `build`; a later call with others gets the
        stored prompt and diagnostics about what differs. `events` go with the first request.

        Raises what `build` raises, and `PrefaceError` for a store that cannot be used.
        """
        if store is not None and not isinstance(store, Store):
            raise _wrong("store", "a Store", store)
        arguments = _arguments(
            directory,
            preset=preset,
            profile=profile,
            model=model,
            agent=agent,
            tools=tools,
            variables=variables,
            settings=settings,
            trust=trust,
            trust_pins=trust_pins,
            budget=budget,
            tokenizer=tokenizer,
            now=now,
            time_zone=time_zone,
            template=template,
            template_text=template_text,
            events=events,
        )
        handle = None if store is None else store._handle
        return Conversation(self._engine.conversation(handle, _text("id", id) or "", *arguments))

    @staticmethod
    def from_snapshot(snapshot: str | bytes | os.PathLike[str] | Readable) -> Prompt:
        """Builds a prompt again from its snapshot: JSON, a path, or an open file. Nothing else is read.

        The snapshot is that of `Prompt.snapshot` or of `preface build --save-snapshot`, on whatever machine.
        """
        if isinstance(snapshot, os.PathLike):
            with open(snapshot, "rb") as file:
                given: object = file.read()
        elif isinstance(snapshot, (str, bytes)):
            given = snapshot
        elif callable(getattr(snapshot, "read", None)):
            given = snapshot.read()
        else:
            given = snapshot
        if isinstance(given, str):
            given = given.encode()
        if not isinstance(given, bytes):
            raise _wrong("snapshot", "JSON, a path or an open file", snapshot)
        return Prompt(_preface.Prompt.from_snapshot(given))


class Prompt:
    """A system prompt that knows the origin of each of its bytes. `Preface.build` makes it."""

    def __init__(self, handle: _preface.Prompt) -> None:
        self._handle = handle

    @cached_property
    def text(self) -> str:
        """The text, which `preface build` prints."""
        return self._handle.text()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<preface.Prompt {self.fingerprint}>"

    @cached_property
    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    @property
    def preset(self) -> str:
        """The name of the preset or profile that made it."""
        name: str = self._document["preset"]
        return name

    @property
    def fingerprint(self) -> str:
        """The digest of the text, `blake3:` and 64 hexadecimal digits."""
        digest: str = self._document["fingerprint"]
        return digest

    @property
    def tokens(self) -> int:
        """The tokens of the text; an estimate where the tokenizer is one."""
        count: int = self._document["tokens"]["count"]
        return count

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts, in order. Their texts, one after the other, are the text."""
        text = self.text.encode()
        return tuple(part(each, text) for each in self._document["parts"])

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The text, cut where caches may end, the most stable first."""
        return tuple(Block(text, stability) for text, stability in self._handle.blocks())  # type: ignore[arg-type]

    @cached_property
    def static_prefix(self) -> str:
        """The beginning of the text that is equal for every conversation."""
        return self._handle.static_prefix()

    @cached_property
    def absent(self) -> tuple[Absent, ...]:
        """The sections that are not in the prompt, with the reasons."""
        return tuple(Absent(each["section"], each["reason"], each["why"]) for each in self._document["absent"])

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was left out, cut, changed or looks wrong."""
        return tuple(diagnostic(each) for each in self._document["diagnostics"])

    @cached_property
    def snapshot(self) -> str:
        """Everything that the prompt was built from, as JSON. `Preface.from_snapshot` gives the same bytes on every machine."""
        return self._handle.snapshot()

    def to_json(self) -> str:
        """Returns the prompt as JSON, as `preface build --format json` prints it."""
        return self._handle.json()

    def request(
        self,
        format: Format,
        *,
        model: str | None = None,
        messages: Sequence[Any] | None = None,
        max_output_tokens: int | None = None,
        cache_key: str | None = None,
        cache_ttl: str | None = None,
        compaction: str | None = None,
    ) -> Request:
        """Returns the body of a request in the format of a service, with cache marks and the tools of the prompt.

        messages: the history, oldest first, in the shape of Anthropic or OpenAI; objects of their SDKs are converted.
        cache_key: the id that requests with the same prefix share.
        cache_ttl: the lifetime of the cache marks as the service writes it, such as `1h`; without it that of the model.
        compaction: instructions that stand behind the prompt in this request alone.

        Raises `UsageError` for messages that are not valid.
        """
        options = _request_options(model, messages, max_output_tokens, cache_key, cache_ttl, compaction)
        body, diagnostics = self._handle.request(_text("format", format) or "", options)
        return Request(body, tuple(diagnostic(each) for each in json.loads(diagnostics)))


class Request(dict[str, Any]):
    """The body of a request: `client.messages.create(**request)`.

    `body` has its bytes, which are the same for the same inputs; `diagnostics` what is sent in another shape or not at all. A request
    of a conversation has its `number` there, from 1, and `extends`: whether the one before is its beginning; `None` for the first.
    """

    def __init__(
        self,
        body: str,
        diagnostics: tuple[Diagnostic, ...],
        number: int | None = None,
        extends: bool | None = None,
    ) -> None:
        super().__init__(json.loads(body))
        self.body = body
        self.diagnostics = diagnostics
        self.number = number
        self.extends = extends


class Store:
    """Where prompts and requests of conversations are stored. Threads can share it, a process that is forked cannot."""

    def __init__(self, handle: _preface.Store) -> None:
        self._opened = handle
        self._process = os.getpid()

    @property
    def _handle(self) -> _preface.Store:
        _same_process(self._process)
        return self._opened

    @staticmethod
    def memory() -> Store:
        """Makes a store that ends with the process."""
        return Store(_preface.Store.memory())

    @staticmethod
    def sqlite(file: PathLike) -> Store:
        """Opens a store in a SQLite file, which is made where it does not exist. Several processes can share it.

        Raises `PrefaceError` for a file that cannot be opened, or is no store.
        """
        return Store(_preface.Store.sqlite(_path("file", file)))


class Conversation:
    """A prompt that is built once, and requests that each extend the one before. `Preface.conversation` opens it."""

    def __init__(self, handle: _preface.Conversation) -> None:
        self._opened = handle
        self._process = os.getpid()

    @property
    def _handle(self) -> _preface.Conversation:
        _same_process(self._process)
        return self._opened

    def __repr__(self) -> str:
        return f"<preface.Conversation {self.id!r}>"

    @property
    def id(self) -> str:
        """The id."""
        return self._handle.state()[0]

    @property
    def text(self) -> str:
        """The prompt, without what hooks change for one run."""
        return self._handle.state()[1]

    @property
    def is_new(self) -> bool:
        """True if opening it built the prompt."""
        return self._handle.state()[2]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the last call that built or read the prompt, or called hooks."""
        return tuple(diagnostic(each) for each in json.loads(self._handle.state()[3]))

    def remind(self, event: Mapping[str, Any]) -> None:
        """Adds an event that calls for a reminder in the next request. The reminder stays at its place in later requests.

        Raises `UsageError` for an event that the profile does not know.
        """
        self._handle.remind(_json(_mapping("event", event)))

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the active tools."""
        return tuple(self._handle.tools())

    def on(self, event: HookEvent, function: Callable[[dict[str, Any]], Mapping[str, Any] | None]) -> None:
        """Adds a hook: a function that is called with what happens, and returns what it changes, or None.

        event: `input`, `before_agent_start`, `context`, or `resources_discover`, which the next `reload` calls. What a call has, and what an
        answer may have, is in `docs/reference/hooks.md`. An exception is reported as a diagnostic. The function must not use the conversation.
        """

        def call(asked: str) -> str:
            answer = function(json.loads(asked))
            return "" if answer is None else _json(_mapping("answer", answer))

        self._handle.on(_text("event", event) or "", getattr(function, "__name__", "program"), call)

    def submit(self, text: str, messages: Sequence[Any] = ()) -> list[Any] | None:
        """Takes a message of the user and begins a run: what hooks change holds for the requests of this run alone.

        Returns the history with the message and those that hooks added; None if a hook handled the message, and nothing is to be sent.
        """
        history = self._handle.submit(_text("text", text) or "", _json(_list("messages", messages, None)))
        return None if history is None else list(json.loads(history))

    def finish(self) -> None:
        """Ends the run: the next request has the prompt without what hooks changed."""
        self._handle.finish()

    def set_active_tools(self, names: Iterable[str]) -> None:
        """Switches to these tools. Whether the prompt follows at once or at the next compaction is the profile's business (`rebuild`)."""
        self._handle.set_active_tools(_list("names", names, (str,)))

    def register_tool(self, tool: Mapping[str, Any]) -> None:
        """Registers a tool of the program, a dict with `name`, `description`, `input_schema`. It is active if its name is new."""
        self._handle.register_tool(_json(_mapping("tool", tool)))

    def reload(self) -> bool:
        """Reads settings, files, skills and extensions again. Returns true if the prompt changed, which is the profile's business."""
        return self._handle.reload()

    def request(
        self,
        format: Format,
        *,
        model: str | None = None,
        messages: Sequence[Any] | None = None,
        max_output_tokens: int | None = None,
        cache_ttl: str | None = None,
        compaction: str | None = None,
    ) -> Request:
        """Returns the body of the next request and records it. The arguments are those of `Prompt.request`."""
        options = _request_options(model, messages, max_output_tokens, None, cache_ttl, compaction)
        body, diagnostics, number, extends = self._handle.request(_text("format", format) or "", options)
        return Request(body, tuple(diagnostic(each) for each in json.loads(diagnostics)), number, extends)

    def compact(self) -> str:
        """Builds the prompt again for a history that is about to be summarized; returns the instructions for the summary.

        `request(…, compaction=instructions)` makes the request for it.
        """
        return self._handle.compact()

    def refresh(self) -> bool:
        """Builds the prompt again from what is there now. Returns true if it changed: the cache begins anew then."""
        return self._handle.refresh()

    def record_usage(
        self,
        number: int,
        *,
        input_tokens: int,
        cache_read_tokens: int = 0,
        cache_write_tokens: int = 0,
        output_tokens: int = 0,
    ) -> None:
        """Records what the service counted for a request; `input_tokens` has the cached ones, too."""
        self._handle.record_usage(number, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens)


def _arguments(directory: PathLike, **options: Any) -> tuple[str, str]:
    """Returns the directory, and the other choices as JSON."""
    now, tools, profile = options["now"], options["tools"], options["profile"]
    if isinstance(now, datetime):
        if now.tzinfo is None:
            raise UsageError("cli/usage", "`now` has no time zone", "give a `datetime` with `tzinfo`")
        now = now.isoformat()
    texts = ("preset", "model", "agent", "trust", "tokenizer", "time_zone", "template", "template_text")
    choices = {
        **{name: _text(name, options[name]) for name in texts},
        "tools": None if tools is None else _list("tools", tools, (str, Mapping)),
        "variables": _variables(options["variables"] or {}),
        "settings": _mapping("settings", options["settings"] or {}),
        "budget": _number("budget", options["budget"]),
        "now": _text("now", now),
        "events": _list("events", options["events"], (Mapping,)),
        "profile": None if profile is None else _path("profile", profile),
        "trust_pins": _pins(options["trust_pins"]),
    }
    return _path("directory", directory), _json(choices)


def _request_options(
    model: str | None,
    messages: Sequence[Any] | None,
    max_output_tokens: int | None,
    cache_key: str | None,
    cache_ttl: str | None,
    compaction: str | None,
) -> str:
    return _json(
        {
            "model": _text("model", model),
            "messages": None if messages is None else _list("messages", messages, None),
            "max_output_tokens": _number("max_output_tokens", max_output_tokens),
            "cache_key": _text("cache_key", cache_key),
            "cache_ttl": _text("cache_ttl", cache_ttl),
            "compaction": _text("compaction", compaction),
        }
    )


def _same_process(process: int) -> None:
    """Refuses what was opened before a fork: it waits for threads that the new process does not have."""
    if process != os.getpid():
        message = "the store was opened before this process was forked"
        raise UsageError("cli/usage", message, "open the store and the conversation in this process")


def _wrong(name: str, wanted: str, value: object) -> TypeError:
    return TypeError(f"`{name}` takes {wanted}, not {type(value).__name__}")


def _text(name: str, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _wrong(name, "a str", value)


def _number(name: str, value: object) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise _wrong(name, "an int", value)


def _path(name: str, value: object) -> str:
    """Returns a path in which `~` is expanded."""
    if isinstance(value, (str, os.PathLike)):
        path = os.fspath(value)
        if isinstance(path, str):
            return os.path.expanduser(path)
    raise _wrong(name, "a str or a path", value)


def _pins(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return _json(_mapping("trust_pins", value))
    raise _wrong("trust_pins", "the text of `preface trust export` or its JSON", value)


def _list(name: str, value: object, items: tuple[type, ...] | None) -> list[Any]:
    # A text is iterable, too, and never what is meant.
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise _wrong(name, "a list", value)
    values = list(value)
    for index, item in enumerate(values):
        if items is not None and not isinstance(item, items):
            wanted = " or ".join("a str" if each is str else "a dict" for each in items)
            raise _wrong(f"{name}[{index}]", wanted, item)
    return values


def _mapping(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _wrong(name, "a dict", value)
    for key in value:
        if not isinstance(key, str):
            raise _wrong(f"{name}[{key!r}]", "a str as key", key)
    return dict(value)


def _variables(value: object) -> dict[str, Any]:
    variables = _mapping("variables", value)
    return {name: _variable(f"variables[{name!r}]", each) for name, each in variables.items()}


def _variable(name: str, value: object) -> Any:
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, (bytes, Mapping)) or not isinstance(value, Iterable):
        raise _wrong(name, "a str, a bool or a list", value)
    return _list(name, value, (str, Mapping))


def _json(options: dict[str, Any] | list[Any]) -> str:
    return json.dumps(options, default=_plain, allow_nan=False)


def _plain(value: object) -> Any:
    """Returns an object of an SDK, or a mapping of another kind, as JSON has it."""
    dump: Callable[..., Any] | None = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json", exclude_unset=True)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"not a value of JSON: {type(value).__name__}")
