"""Why a call failed. The extension module makes these."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Location:
    """A place in a file; `line` and `column` count from 1."""

    path: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        numbers = [self.line] if self.column is None else [self.line, self.column]
        return ":".join([self.path, *(str(number) for number in numbers if number is not None)])


class PrefaceError(Exception):
    """A call that failed. What does not stop a call is a `Diagnostic` of the prompt.

    `code` stays the same over versions; `help` is what to do next.
    """

    def __init__(
        self, code: str, message: str, help: str | None = None, location: Location | None = None
    ) -> None:
        super().__init__(code, message, help, location)
        self.code = code
        self.message = message
        self.help = help
        self.location = location

    def __str__(self) -> str:
        where = "" if self.location is None else f" ({self.location})"
        return f"{self.message}{where}" + ("" if self.help is None else f"\nhelp: {self.help}")


class UsageError(PrefaceError):
    """An argument is not valid, or names something that does not exist."""


class UntrustedError(PrefaceError):
    """Text of the project is not trusted, and `trust="require"` does not accept that it is left out."""


class TooLargeError(PrefaceError):
    """What must not be cut is larger than the budget."""


class InternalError(PrefaceError):
    """A bug of preface. Please report it."""
