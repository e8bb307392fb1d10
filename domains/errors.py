"""Exceptions of the package: one root, and leaves for what a caller can act on.

An :class:`InputError` says where, what was expected, what was given and what to try; those four are fields,
so that a program can use them too, and must stay. Another leaf is worth its name where a caller would catch
it alone.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GroundplanError(Exception):
    """Root of every exception that the package raises on purpose.

    Its subclasses say what a caller can act on: :class:`InputError` (a file, a name or a text that cannot be
    used) with :class:`SceneError`, :class:`PackError` and :class:`GoalError`, and :class:`NoRoute`.

    >>> from groundplan import GroundplanError, load_scene
    >>> try:
    ...     load_scene("offcie")
    ... except GroundplanError as error:
    ...     print(error)
    scene: expected the name of ...; did you mean 'office'?
    """


class InputError(GroundplanError, ValueError):
    """Input from outside (a file, a name, a formula) that cannot be used; exit code 2."""

    def __init__(self, where: str, expected: str, got: str, hint: str = "") -> None:
        self.where, self.expected, self.got, self.hint = where, expected, got, hint
        text = f"{where}: expected {expected}, got {got}"
        super().__init__(f"{text}; {hint}" if hint else text)


class UnsupportedInput(InputError):
    """Well-formed input that does not go with other input; ``problem`` is a sentence of its own."""

    def __init__(self, where: str, problem: str, hint: str = "") -> None:
        self.where, self.expected, self.got, self.hint = where, problem, "", hint
        text = f"{where}: {problem}"
        Exception.__init__(self, f"{text}; {hint}" if hint else text)


class SceneError(InputError):
    """A scene file or scene graph that breaks the rules of the format."""


class PackError(InputError):
    """A domain pack (PDDL file or mapping file) that cannot be used."""


class GoalError(InputError):
    """A goal that cannot be used; ``diagnostics`` of the check say why."""


class NoRoute(GroundplanError):
    """Two places of the scene that no traversable link connects."""

    def __init__(self, source: str, target: str) -> None:
        self.source, self.target = source, target
        super().__init__(f"no route from {source} to {target}")


def clip(value: object, limit: int = 80) -> str:
    """Show a value in a message: one line, printable, at most ``limit`` characters."""
    text = (repr(value) if not isinstance(value, str) else value)[: limit + 1]
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def counted(number: int, thing: str) -> str:
    """Return a number of things in words; a plural takes an s."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def nearest(name: str, names: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Return the names closest in spelling, best first; none when nothing is close."""
    short = name[:100]
    pool = [n for n in names if len(n) <= 100]
    folded = {n.casefold(): n for n in reversed(pool)}
    same = folded.get(short.casefold())
    close = difflib.get_close_matches(short.casefold(), list(folded), n=count, cutoff=0.6)
    return tuple(dict.fromkeys(([same] if same else []) + [folded[c] for c in close]))[:count]


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a hint of the form ``did you mean 'a' or 'b'?``; empty when nothing is close."""
    close = nearest(name, names)
    return f"did you mean {' or '.join(repr(clip(c)) for c in close)}?" if close else ""
