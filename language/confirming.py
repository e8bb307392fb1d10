"""Requests for what may be so already: those that ask for confirmation, and those that forbid.

"Make sure that the fridge is closed" is done where the fridge is closed, and "Do not open the fridge" where
nobody opens it; any other request for what is so already is most likely misread, and whoever drives a reader
sends its goal back. An instruction is judged clause by clause: one that also asks for something else ("Make
sure that it is tidy. Heat the kebab.") is never done before anything is done. A clause counts by the way it
begins, and one that is not known counts as a request: a needless question is cheap, a false success is not.
The words are those of English; more may be added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from ..compiler.comparison.conjuncts import requirements
from ..domains.formula import (
    And,
    Atom,
    Cardinality,
    Count,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    TrajectoryConstraint,
    walk,
)
from .english.lexicon import BE, DETERMINERS, NEGATIVES, OBJECTS, POLITE, PREPOSITIONS, STATES

_Kind = Literal["confirms", "forbids"]

_SENTENCE = re.compile(r"[.!?;:](?=\s|\Z)|[\n()]|\s[-–—]+\s|—")
_JOINT = re.compile(
    r"\s*,\s*(?:and|then|but|or|nor|so|while|plus)?\b|\b(?:and|then|but|or|nor|so|while|plus)\b"
)
_COURTESY = re.compile(
    rf"(?:thank you\b\s*|(?:{'|'.join(sorted(POLITE))}|also|and|then|there)\b\s*"
    r"|(?:can|could|would|will) you\b\s*|you (?:should|must|need to|have to)\b(?! not\b| never\b)\s*"
    r"|(?:i|we) (?:want|need|would like|expect) you to\b\s*|i'd like you to\b\s*"
    r"|if (?:it is |it's )?(?:possible|convenient|ok|okay)\b\s*)*"
)
_CONFIRMS = re.compile(
    r"(?:always )?(?:ensure|leave(?! (?:to|for)\b)|stay|remain|check|confirm|verify|test (?:that|if|whether)"
    r"|keep(?! (?:on )?(?!every|any|some|no)\w+ing\b)|(?:make|be) (?:quite |very )?(?:sure|certain)"
    r"|see (?:to it|that|if|whether))\b\s*"
)
_ORDERED = re.compile(r"(?:that )?(?:(?:you|we|i|the robot)\b|(?=to\b|not to\b|never to\b))\s*(?:will )?")
"""What makes an order of a confirmation: "make sure to heat it", "be sure that you heat it"."""
_FORBIDS = re.compile(
    r"(?:(?:to )?(?:do not|don'?t|never)|(?:to not|not to|never to)|avoid|refrain from|no (?=\w+ing\b)"
    r"|(?:nobody|no one|nothing) (?=(?:may|must|should|shall|can)\b))"
    r"\b(?!\s*(?:mind|forget|hesitate|fail|stop|worry|bother|wait|rest|just|only|merely|to)\b)\s*"
)
_TURNS = re.compile(r"\b(?:until|till|unless|without|before|instead|except|but)\b")
"""Words by which a prohibition asks for something after all: "do not stop until it is hot"."""
_UP_TO = r"\b(?:(?!\b(?:that|which|who)\b).)*?"
_SUBJECT = rf"(?:{'|'.join(sorted(DETERMINERS | OBJECTS | {'you', 'everything'}))}){_UP_TO}"
_MODAL = r"(?:must|should|shall|may|can|has to|have to|needs to|need to|ought to)"
_SHALL_STAY = re.compile(
    rf"(?:{_SUBJECT}\b{_MODAL}|let{_UP_TO}) (?:still |always )?"
    r"(?:stay|remain|be kept|be left|be still|still be)\b"
)
_SHALL_NOT = re.compile(rf"{_SUBJECT}\b(?:must|should|shall|may|can)(?: not|n'?t| never|not)\b")
_GOES_ON = (DETERMINERS | OBJECTS | PREPOSITIONS | NEGATIVES | BE) - {"one", "no", "never"}
"""First words of what goes on with the clause before: "the fridge is closed and *the* microwave is off"."""
_LIMITS = re.compile(rf"\b(?:{'|'.join(sorted(NEGATIVES))}|at most|only)\b|n'?t\b")


_ALIKE = {"open": "door", "close": "door", "heat": "heat", "cool": "heat", "wash": "dirt", "clean": "dirt"}
"""States of one kind: "not open" may be written as closed, and nothing about a door says that it is hot."""


def confirms(instruction: str) -> bool:
    """Return whether all that an instruction asks for may be so, as each of its clauses confirms or forbids.

    >>> confirms("Make sure that the fridge is closed, please.")
    True
    >>> confirms("Make sure that it is tidy. Heat the kebab.")
    False
    """
    kinds = list(_kinds(instruction))
    return bool(kinds) and None not in kinds


def may_hold_already(instruction: str, goal: Formula) -> bool:
    """Return whether a goal that holds before anything is done may be what an instruction asks for.

    It may if every clause confirms or forbids; and where some requirement of the goal brings nothing about
    (that something is not so, or was so at some time), if the instruction forbids. A goal that requires
    nothing is asked for by no instruction, nor is one without the kind of state that an instruction names:
    that the kebab is in the fridge is not what "make sure that the kebab is hot" confirms.
    """
    parts = requirements(goal)
    if not parts or not confirms(instruction):
        return False
    predicates = (part.predicate for part in walk(goal) if isinstance(part, Atom))
    if _states(_plain(instruction)) - _states(" ".join(predicates)):
        return False
    return bool(_LIMITS.search(_plain(instruction))) or not any(map(_forbids, parts))


def _states(text: str) -> set[str]:
    """Return the kinds of states that a text, or the predicates of a goal, mentions."""
    senses = (STATES.get(word) for word in re.findall(r"[a-z]+", text))
    return {_ALIKE[sense] for sense in senses if sense in _ALIKE}


def _plain(instruction: str) -> str:
    return re.sub(r"[\"“”*]", "", instruction.replace("’", "'").lower())


def _kinds(instruction: str) -> Iterator[_Kind | None]:
    """Yield what each clause does, ``None`` for one that may ask for something; courtesies are no clauses."""
    for sentence in _SENTENCE.split(_plain(instruction)):
        before: _Kind | None = None
        joints = [*_JOINT.finditer(sentence)]
        for joint, end in zip([None, *joints], [*(j.start() for j in joints), len(sentence)], strict=True):
            at = joint.end() if joint is not None else 0
            clause = " ".join(sentence[at:end].split())
            clause = clause[_COURTESY.match(clause).end() :]  # type: ignore[union-attr]
            if not re.search(r"\w", clause):
                continue
            kind = _kind(clause)
            if kind is None and before is not None:
                either = joint is not None and before == "forbids" and joint[0].strip(" ,") in ("or", "nor")
                if either or clause.split()[0] in _GOES_ON:
                    kind = before
            yield kind
            before = kind


def _kind(clause: str) -> _Kind | None:
    """Return what a clause does by the way it begins, ``None`` for any other."""
    if _FORBIDS.match(clause) or _SHALL_NOT.match(clause):
        return "forbids" if not _TURNS.search(clause) else None
    head = _CONFIRMS.match(clause)
    if head is not None:
        order = _ORDERED.match(clause, head.end())
        if order is None:
            return "confirms"
        return _kind(clause[order.end() :].removeprefix("to ")) or _kind(clause[order.end() :])
    return "confirms" if _SHALL_STAY.match(clause) else None


def _forbids(part: Formula) -> bool:
    """Return whether a requirement brings nothing about: a prohibition, a limit, or one on the run."""
    match part:
        case TrajectoryConstraint("always", (body,)):
            return _forbids(body)  # "keep the fridge closed" confirms that it is
        case Not() | Sometime() | TrajectoryConstraint():
            return True
        case And(parts) | Or(parts):
            return bool(parts) and all(map(_forbids, parts))
        case Forall(_, body) | Exists(_, body) | Imply(_, body):
            return _forbids(body)
        case Count(kind, number) | Cardinality(kind, number):
            return kind == "at-most" or (kind == "exactly" and number == 0)
    return False
