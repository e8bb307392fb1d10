"""Requests for what may be so already: those that ask for confirmation, and those that forbid.

"Make sure that the fridge is closed" is done where the fridge is closed, and "Do not open the fridge" where
nobody opens it; any other request for what is so already is most likely misread, and whoever drives a reader
sends its goal back. The words are those of English; more may be added. A goal that only forbids needs none.
"""

from __future__ import annotations

import re

from ..compiler.comparison.conjuncts import requirements
from ..domains.formula import And, Cardinality, Count, Exists, Forall, Formula, Imply, Not, Or, Sometime

_CONFIRMS = re.compile(
    r"\b(ensure|keep|leave|stay|remain|still|check|confirm|verify|(make|be) (quite |very )?(sure|certain)"
    r"|(see|test) (to it|that|if|whether))\b",
    re.I,
)
_FORBIDS = re.compile(r"\b((do|must|should|may|shall)( not|n['’]?t)|never)\b", re.I)


def confirms(instruction: str) -> bool:
    """Return whether the words of an instruction ask for what may be so: "make sure that it is closed"."""
    return bool(_CONFIRMS.search(instruction))


def may_hold_already(instruction: str, goal: Formula) -> bool:
    """Return whether a goal that holds before anything is done may be what an instruction asks for.

    It may if the instruction confirms or forbids, or if all that the goal requires is that something is not
    so, or was so at some time. A goal that requires nothing is asked for by no instruction.
    """
    parts = requirements(goal)
    if not parts:
        return False
    return confirms(instruction) or bool(_FORBIDS.search(instruction)) or all(map(_forbids, parts))


def _forbids(part: Formula) -> bool:
    """Return whether a requirement brings nothing about: a prohibition, a limit, or ``sometime``."""
    match part:
        case Not() | Sometime():
            return True
        case And(parts) | Or(parts):
            return bool(parts) and all(map(_forbids, parts))
        case Forall(_, body) | Exists(_, body) | Imply(_, body):
            return _forbids(body)
        case Count(kind, number) | Cardinality(kind, number):
            return kind == "at-most" or (kind == "exactly" and number == 0)
    return False
