"""The settings of a model: which there are, what each may be, and how a wrong one is told.

The same settings come from a profile file and from options, so a message names both. It never shows a text
that stood where a setting should be: keys get pasted into the wrong line.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....domains.errors import InputError, clip, did_you_mean
from .model import FORMS

APIS = ("chat", "responses")
UNSENT = "default"
"""As a temperature: none is sent, and the server uses its own."""

FLAGS: Mapping[str, str] = {
    "temperature": "--temperature",
    "seed": "--seed",
    "form": "--form",
    "api": "--api",
    "timeout": "--answer-timeout",
    "max_tokens": "",
}
"""The settings, each with its option; ``max_tokens`` of an answer has none."""

EXPECTED: Mapping[str, str] = {
    "temperature": f"a number from 0 to 2, or {UNSENT}",
    "seed": "a whole number of at most 63 bits",
    "form": f"one of {', '.join(FORMS)}",
    "api": " or ".join(APIS),
    "timeout": "seconds above 0, at most 3600",
    "max_tokens": "a whole number from 1 to 32768",
}


def settings(given: Mapping[str, object], where: str = "") -> dict[str, object]:
    """Check settings; a temperature that is not to be sent becomes ``None``, and what is ``None`` stays so.

    ``where`` goes before the name of a setting in messages. Raises :class:`InputError`.
    """
    for name, value in given.items():
        if value is not None and not _fits(name, value):
            known: Mapping[str, tuple[str, ...]] = {"form": FORMS, "api": APIS}
            hint = did_you_mean(value, known.get(name, ())) if isinstance(value, str) else ""
            raise InputError(where + _label(name), EXPECTED[name], shown(value), hint)
    if given.get("api") == "responses" and given.get("seed") is not None:
        hint = "the responses API has no seed: leave it out, or use the API chat"
        raise InputError(where + _label("seed"), "none with the API responses", "one", hint)
    return {name: None if value == UNSENT else value for name, value in given.items()}


def shown(value: object) -> str:
    """A wrong value for a message: numbers as they are, of all else only the kind."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return clip(value)
    kinds = ((str, "another text"), (list, "a list"), (dict, "a table"))
    return next((words for kind, words in kinds if isinstance(value, kind)), "something else")


def _label(name: str) -> str:
    return f"{name} ({FLAGS[name]})" if FLAGS[name] else name


def _fits(name: str, value: object) -> bool:
    if name == "form":
        return value in FORMS
    if name == "api":
        return value in APIS
    if name == "temperature" and value == UNSENT:
        return True
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    match name:
        case "temperature":
            return 0 <= value <= 2
        case "timeout":
            return 0 < value <= 3600
        case "seed":
            return isinstance(value, int) and -(2**63) <= value < 2**63
    return isinstance(value, int) and 1 <= value <= 32768
