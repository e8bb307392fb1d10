"""Goals as text: PDDL goal syntax with exact positions.

A :class:`Goal` keeps its source and the span of every subformula, argument and class, so that a check can
point at the error. Names are scene names, in double quotes where PDDL cannot spell them. The syntax itself is
``goal.lark`` with ``tree`` (rules to formulas) and ``syntax`` (errors); a new connective starts there.
``MAX_WORDS`` is part of decoding grammars: answers recorded under another bound (cassettes) are unusable.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from ...domains.diagnostic import Span
from ...domains.errors import clip
from ...domains.formula import Formula
from .syntax import MAX_CHARACTERS, GoalSyntaxError, Path, Source, grammar_text
from .tree import Missing, Place
from .wrapping import Known, unwrapped

__all__ = [
    "MAX_CHARACTERS",
    "MAX_WORDS",
    "Goal",
    "GoalSyntaxError",
    "Missing",
    "Path",
    "grammar_text",
    "parse_answer",
    "parse_goal",
    "parse_wrapped",
]

MAX_WORDS = 1500
"""Longest text of ``(missing "words")``."""


@dataclass(frozen=True)
class Goal:
    """A parsed goal. ``spans`` maps the path of a part to its place in ``source``."""

    formula: Formula
    source: str
    spans: Mapping[Path, Span]

    def __str__(self) -> str:
        return str(self.formula)

    @classmethod
    def of(cls, formula: Formula) -> Goal:
        """Make a goal of a formula that no text said; its source and its spans are those of it as printed.

        Raises :class:`GoalSyntaxError` for one that is too long or too deep to be a goal.
        """
        source = Source(str(formula), "goal")
        return cls(formula, source.text, source.spans(source.read("start")))


def parse_goal(text: str, where: str = "goal") -> Goal:
    """Parse a goal, without looking at a scene; :func:`check` does.

    ``where`` is the name of the text in messages. Raises :class:`GoalSyntaxError` with line and column, the
    expected and the given text; its ``diagnostic`` has code, span and fixes.

    >>> from groundplan import parse_goal
    >>> goal = parse_goal("(exists (?m - mug) (and (clean ?m) (in_room ?m kitchen)))")
    >>> goal.spans[0, 0].column  # the place of (clean ?m)
    25
    >>> print(goal.formula.body)
    (and (clean ?m) (in_room ?m kitchen))
    """
    answer = parse_answer(text, where)
    if isinstance(answer, Missing):
        hint = "name nodes of the scene, or look for what is missing first"
        place = (0, len(text.rstrip()))
        raise Source(text, where).error(place, "missing", "a goal", clip(str(answer)), hint)
    return answer


def parse_answer(text: str, where: str = "answer") -> Goal | Missing:
    """Parse an answer of a model: a goal, or ``(missing "words")`` where the scene does not show enough.

    Raises :class:`GoalSyntaxError` as :func:`parse_goal` does.
    """
    return _answer(Source(text, where))


def parse_wrapped(
    text: str, where: str = "goal", is_fact: Known | None = None, part: Place | None = None
) -> Goal | Missing:
    """Parse the one goal of a text, whatever it is wrapped in: a fence, prose, a PDDL problem (``wrapping``).

    ``is_fact`` tells facts from other brackets, by name and number of arguments; ``part`` is the place of
    what is looked at. Spans and ``source`` are those of the whole text. Raises :class:`GoalSyntaxError`
    where there is no goal, or more than one.

    >>> from groundplan.compiler.goals import parse_wrapped
    >>> goal = parse_wrapped("The goal: `(closed fridge)`")
    >>> print(goal, goal.spans[()].column)
    (closed fridge) 12
    """
    if part in (None, (0, len(text))):
        with suppress(GoalSyntaxError):  # most answers are a goal as they stand
            return parse_answer(text, where)
    return _answer(unwrapped(text, where, is_fact, part).source(text, where))


def _answer(source: Source) -> Goal | Missing:
    text = source.original or source.text
    root = source.read("start")
    if not isinstance(root, Missing):
        return Goal(root.formula, text, source.spans(root))
    if len(root.words) > MAX_WORDS:
        got = f"{len(root.words)} characters"
        raise source.error((0, len(text)), "too-long", f"at most {MAX_WORDS} characters", got)
    return root
