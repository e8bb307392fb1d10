"""Audit of lists of goals in the notation of behaviour-tree planners, without a scene or a domain.

Such a list, as BTPG's test sets are, has a line ``Goals: IsIn_milk_fridge & IsClose_fridge`` for each task:
conjuncts with the name of a predicate and its arguments. What a text shows by itself is *proved*. What the
usual meaning of the names excludes (open and closed, a thing in two places at once, two in one hand) is
*suspected*, since a name may stand for several things.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...domains.diagnostic import Diagnostic
from ...domains.errors import clip
from .goal_audit import AuditedGold, AuditFinding, Basis, key_of

_LINE = re.compile(r"\s*goals?\s*:", re.I)
_NUMBER = re.compile(r"\s*(\d+)\s*\Z")
_ATOM = re.compile(r"[^\W\d_]\w*\Z")
OPPOSITES = (
    ("isopen", "isclose"),
    ("open", "closed"),
    ("isswitchedon", "isswitchedoff"),
    ("isplugged", "isunplugged"),
    ("isclean", "isdirty"),
    ("high", "low"),
)
"""Names of predicates of which a thing has one at a time."""
PLACES = frozenset(("isin", "ison", "in", "on"))
"""Names of predicates that say where their first argument is."""
HOLDING, EMPTY = re.compile(r"(?:is)?(left|right|)holding\Z"), re.compile(r"(?:is)?(left|right|)handempty\Z")
"""Names of predicates that say what a hand holds, their last argument, and that it holds nothing."""
NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class ListedGoal:
    """A goal of a list: its id, the file and the line that it is in, and where its text begins there."""

    id: str
    set: str
    file: str
    line: int
    column: int
    text: str

    def key(self, thorough: bool) -> str:
        """Return what its audit depends on."""
        return key_of(self.id, self.file, str(self.line), self.text)


def is_goal_list(text: str) -> bool:
    """Return whether a text has a line of goals, and no formula before it.

    >>> is_goal_list("1\\nGoals: IsOpen_fridge"), is_goal_list("(open fridge)")
    (True, False)
    """
    return "(" not in text.partition(":")[0] and any(map(_LINE.match, text.splitlines()))


def listed_goals(text: str, path: Path) -> Iterator[ListedGoal]:
    """Yield the goals of a list; the id of each has the number above it, else that of its line."""
    file, number = clip(str(path), 200), ""
    for count, line in enumerate(text.split("\n"), 1):
        if above := _NUMBER.match(line):
            number = above[1]
        elif begin := _LINE.match(line):
            name = f"{path.stem}:{number or f'line {count}'}"
            yield ListedGoal(name, path.stem, file, count, begin.end() + 1, line[begin.end() :])
            number = ""


def audited_line(gold: ListedGoal) -> AuditedGold:
    """Audit a goal of a list."""
    return AuditedGold(tuple(_findings(gold)))


def _findings(gold: ListedGoal) -> Iterator[AuditFinding]:
    if not gold.text.strip():
        yield _finding(gold, 0, "proved", Diagnostic("empty", "error", "there is no goal"))
        return
    times: Counter[str] = Counter()
    claims = _Claims()
    start = 0
    for piece in gold.text.split("&"):
        atom = piece.strip()
        place = start + len(piece) - len(piece.lstrip())
        start += len(piece) + 1
        if not _ATOM.match(atom):
            message = f"expected a name such as IsOpen_fridge, got {clip(atom) or 'nothing'}"
            yield _finding(gold, place, "proved", Diagnostic("syntax", "error", message))
            continue
        times[atom] += 1
        if times[atom] == 2:
            message = f"{clip(atom)} is there twice"
            yield _finding(gold, place, "proved", Diagnostic("redundant", "warning", message))
        if times[atom] == 1 and (why := claims.excluded(atom)):
            yield _finding(gold, place, "suspected", Diagnostic("contradiction", "error", why))


def _finding(gold: ListedGoal, start: int, basis: Basis, one: Diagnostic) -> AuditFinding:
    place = f"{gold.file}:{gold.line}:{gold.column + start}"
    return AuditFinding(gold.id, gold.set, place, basis, one, gold.file, gold.line)


@dataclass(frozen=True)
class _Claims:
    """Claims of the conjuncts of a goal so far: by what there is one of, the value and the conjunct.

    ``inside`` leads from a thing to what it is in or on, perhaps over several at once.
    """

    first: dict[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)
    inside: dict[str, str] = field(default_factory=dict)

    def excluded(self, atom: str) -> str:
        """Add a conjunct, and return why it excludes one before it, or itself; empty where it does not."""
        name, *args = atom.casefold().split("_")
        for key, value, why in _claimed(name, args):
            before, other = self.first.setdefault(key, (value, atom))
            if before != value:
                return f"{clip(other)} and {clip(atom)}{why}"
        if name in PLACES and len(args) == 2:
            if self._outermost(args[1]) == args[0]:
                return f"{clip(atom)}: a thing in or on itself"
            self.inside[args[0]] = args[1]
        return ""

    def _outermost(self, thing: str) -> str:
        """Return what a thing is in at last; the way there is shortened for the next."""
        while (around := self.inside.get(thing)) is not None:
            self.inside[thing] = self.inside.get(around, around)
            thing = around
        return thing


def _claimed(name: str, args: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield what a conjunct says of what there is one of: which, its value, and why no other goes with it."""
    if name in PLACES and len(args) == 2:
        yield ("place", args[0]), f"{name.removeprefix('is')} {args[1]}", ": one thing in two places"
    elif (hand := HOLDING.match(name)) and args:
        if args[-1] != NOTHING:
            yield ("place", args[-1]), "held", ": one thing in two places"
        yield (hand[1], "hand", *args[:-1]), args[-1], ": one hand holds one thing"
    elif hand := EMPTY.match(name):
        yield (hand[1], "hand", *args), NOTHING, ": one hand holds one thing"
    for pair in OPPOSITES:
        if name in pair:
            yield (*pair, *args), name, " exclude each other"
