"""Places that an instruction names: things are often said to be there.

"Wash the mug that is on the kitchen table and bring it to the desk in office 4." Such a name is that of the
place where the goal needs a thing, or else says where it is. Of the things that the goals of houses and
generated buildings name, all 16 are in the other room that the instruction names, where it names one, and 21
of 28 at the other furniture that it names (``tools/measure_nearness.py``). :class:`NamedPlacePriors` believes
so with the probabilities :data:`SHARE_ROOM` and :data:`SHARE_FURNITURE`, less than was counted.

Nothing of an instruction is parsed for it: names of rooms and furniture are compared with the words of its
clauses, so that a "kitchen towel" mentions the kitchen. That costs looks at most, since a belief excludes
nothing. What a reader makes of an instruction is in ``acting.certainty.placeholders``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ...domains.formula import Formula, names
from ...domains.mapping import AROUND
from ...language.english.words import name_words, singular, tokens
from ...simulator.belief import Belief
from ...simulator.observations.observation import Spot
from ...simulator.scene import Scene
from ...simulator.sensing.spots import spots_of
from ..looking import onward_of
from ..policies.policy import Priors
from .mixture import MixedPriors
from .nearness import NearGoalPriors, room_of
from .spots import furniture_has_spots

SHARE_ROOM = 0.75
"""Probability that a thing is in a room that the instruction names and the goal does not need it in."""

SHARE_FURNITURE = 0.5
"""Probability that it is at furniture that the instruction names and the goal does not need it at."""


_CLAUSES = re.compile(r"[.!?;,:](?=\s|$)")
_DENIALS = frozenset(
    "no not never nor neither without except outside avoid avoiding don't doesn't isn't aren't wasn't can't"
    " won't shouldn't".split()
)
"""Words of a clause that does not say where a thing is."""


@dataclass
class NamedPlacePriors(MixedPriors):
    """Priors for things of a goal: those of ``inner``, and likelier where an instruction names a place."""

    inner: Priors
    goal: Formula
    instruction: str

    def favoured(self, thing: str, belief: Belief) -> Iterable[tuple[Collection[Spot], float]]:
        """Yield the spots of rooms that are named, and those of furniture."""
        rooms, furniture = named_elsewhere(self.instruction, self.goal, belief)
        spots = spots_of(belief)
        yield {spot for spot in spots if room_of(spot.node, belief) in rooms}, SHARE_ROOM
        around = set() if furniture_has_spots(belief) else {room_of(name, belief) for name in furniture}
        yield {s for s in spots if s.node in (around if s.relation == AROUND else furniture)}, SHARE_FURNITURE


def named_elsewhere(instruction: str, goal: Formula, belief: Belief) -> tuple[frozenset[str], frozenset[str]]:
    """Return the rooms and the furniture that an instruction names, and that are none of its goal.

    Rooms of the goal are those of the places where it needs things, too. "The counter of the kitchen" is none
    in another room. Places in a clause that denies something are left out.
    """
    things = tuple(names(goal))
    onward = onward_of(goal, belief, things, belief.start)
    places = {place for there in onward.values() for place in there}
    meant = {*things, *(room_of(place, belief) for place in places)}
    clauses = [clause for clause in _CLAUSES.split(instruction) if not _DENIALS & set(tokens(clause))]
    others = [m for clause in clauses for m in mentions(clause, belief.scene) if not m & meant]
    named = frozenset[str]().union(*others)
    rooms = frozenset(name for name in named if belief.scene.nodes[name].type == "room")
    furniture = named - rooms
    return rooms, frozenset(name for name in furniture if room_of(name, belief) in rooms) or furniture


def task_priors(inner: Priors, goal: Formula, instruction: str) -> Priors:
    """Return priors that know what is asked for, too: where a goal needs things, or where they are said."""
    return NamedPlacePriors(NearGoalPriors(inner, goal), goal, instruction)


def mentions(instruction: str, scene: Scene) -> tuple[frozenset[str], ...]:
    """Return for each name of a room or of furniture in a text the nodes that it may mean, in order.

    The longest name counts: the table of "dining table" is no other table. A number after the name counts
    where nodes have one.

    >>> from groundplan.datasets.scenes import load_scene
    >>> mentions("Take the mug from Jason's office to the lunch table.", load_scene("office"))
    (frozenset({'jasons_office'}), frozenset({'lunch_table'}))
    """
    row = [token.replace("'", "") for token in tokens(instruction)]
    begins: dict[str, list[int]] = {}
    for start, token in enumerate(row):
        for form in {token, singular(token)}:
            begins.setdefault(form, []).append(start)
    spans: dict[tuple[int, int], frozenset[str]] = {}
    for called, numbered in _by_words(scene).items():
        everyone = frozenset[str]().union(*numbered.values())
        without = numbered.get("", frozenset())
        for start in begins.get(called[0], ()):
            end = start + len(called)
            if not _same(row[start:end], called):
                continue
            after = row[end] if end < len(row) else ""
            meant = numbered.get(after, frozenset()) | without if after.isdigit() else everyone
            if meant:
                spans[start, end] = spans.get((start, end), frozenset()) | meant
    return tuple(
        spans[start, end]
        for start, end in sorted(spans)
        if not any(a <= start and end <= b and (a, b) != (start, end) for a, b in spans)
    )


def _by_words(scene: Scene) -> dict[tuple[str, ...], dict[str, frozenset[str]]]:
    """Return rooms and furniture by the words of their names, and then by the number behind these."""
    groups: dict[tuple[str, ...], dict[str, set[str]]] = {}
    for name, node in scene.nodes.items():
        if node.type in ("room", "asset"):
            words = name_words(name)
            called = tuple(word for word in words if not word.isdigit())
            number = next((word for word in reversed(words) if word.isdigit()), "")
            if called:
                groups.setdefault(called, {}).setdefault(number, set()).add(name)
    return {called: {n: frozenset(who) for n, who in of.items()} for called, of in groups.items()}


def _same(row: Sequence[str], called: Sequence[str]) -> bool:
    *first, last = row
    return first == [*called[:-1]] and called[-1] in (last, singular(last))
