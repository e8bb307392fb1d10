"""Kinds of faults for which an answer of a reader is turned down, one word each, for records and tables.

A code of the check (``affordance``, ``contradiction``, ..) and an outcome of planning (``unsolvable``,
``not-found``, ..) are kinds of their own; here are the rest, and which of them counts. Records hold the
words: a new fault is a new word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from ..compiler.goals.goal import Goal, Missing
from ..domains.diagnostic import Diagnostic
from ..language.chat.doubts import Doubts
from ..language.reader import NotUnderstood, Unreadable, Written

NOT_UNDERSTOOD = "not-understood"
UNREADABLE = "unreadable"
"""Text that is no goal."""
MISSING = "missing"
"""A request to take up the search again, where there is nothing left to search."""
SHOWN = "shown"
"""A request to look for what is shown already."""
NOT_SHOWN = "not-shown"
"""A goal for which there is no plan with what the search showed, and one with what it did not show."""
HIDDEN_NAME = "hidden-name"
"""A name of the scene that no search has shown."""
UNKNOWN_NAME = "unknown-name"
"""A node, class or predicate that does not exist."""
HOLDS_ALREADY = "so-already"
"""A goal that holds before anything is done."""
UNSUPPORTED_NAME = "unsupported-name"
"""A name of the scene that nothing in the instruction mentions."""
LEFT_OUT = "left-out"
"""A thing that the instruction mentions and the goal does not."""
DOUBTED = frozenset((UNSUPPORTED_NAME, LEFT_OUT))
"""Faults for which an answer is sent back once; the next one with any of them ends the run."""
TOO_LARGE = "too-large"
"""A goal that passed the check and has too many parts to be planned for."""
Trigger = Literal["check", "search", "planner", "simulator"]
"""Part of the pipeline that turned a goal down."""
TRIGGERS: tuple[Trigger, ...] = get_args(Trigger)
_SEARCHED = frozenset((MISSING, SHOWN, NOT_SHOWN, HIDDEN_NAME, "search-exhausted"))
_PLANNED = frozenset(("unsolvable", "not-found"))
_FULFILLED = frozenset(("already-true", "vacuous"))
_NAMES = frozenset(("unknown-node", "unknown-class", "unknown-predicate"))


def fault_of(
    written: Written, outcome: str, diagnostics: Sequence[Diagnostic] = (), hidden: bool = False
) -> str:
    """Return the kind of fault of an answer that came to an outcome; empty for a verified plan.

    ``hidden`` is true for a goal that names what no search has shown. Of several errors of the check, names
    count first, then the one that stands first.
    """
    match written:
        case NotUnderstood():
            return NOT_UNDERSTOOD
        case Unreadable():
            return UNREADABLE
        case Missing():
            return MISSING
        case Goal():
            pass
    if hidden:
        return HIDDEN_NAME
    if outcome == "verified":
        return ""
    if outcome != "goal-error":
        return outcome
    codes = [d.code for d in diagnostics if d.severity == "error"]
    if codes:
        return UNKNOWN_NAME if _NAMES.intersection(codes) else codes[0]
    return HOLDS_ALREADY if _FULFILLED.intersection(d.code for d in diagnostics) else TOO_LARGE


def fault_of_doubts(doubts: Doubts) -> str:
    """Return the kind of fault of a goal that is doubted; empty for no doubts."""
    if doubts.unsupported:
        return UNSUPPORTED_NAME
    return LEFT_OUT if doubts else ""


def trigger_of(fault: str, acted: bool) -> Trigger:
    """Return what turned an answer down, by its fault; the simulator where the world had been acted in."""
    if acted:
        return "simulator"
    if fault in _SEARCHED:
        return "search"
    return "planner" if fault in _PLANNED else "check"
