"""Builds system prompts for LLM agents and explains every byte of them.

    from preface import Preface

    prompt = Preface().build("~/work/app", model="claude-opus-5-5")
    prompt.text          # the bytes that `preface build` prints
    prompt.parts         # its parts, each with the origin of every byte
    prompt.diagnostics   # what was left out, cut or changed

A build reads files and calls no model. The interpreter is released meanwhile; `abuild` is for event loops.
"""

from ._api import Conversation, Preface, Prompt, Request, Store
from ._errors import InternalError, Location, PrefaceError, TooLargeError, UntrustedError, UsageError
from ._preface import __version__
from ._values import Absent, Block, Diagnostic, Origin, Part, Span

__all__ = [
    "Absent",
    "Block",
    "Conversation",
    "Diagnostic",
    "InternalError",
    "Location",
    "Origin",
    "Part",
    "Preface",
    "PrefaceError",
    "Prompt",
    "Request",
    "Span",
    "Store",
    "TooLargeError",
    "UntrustedError",
    "UsageError",
    "__version__",
]
