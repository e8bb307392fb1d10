"""End of an episode: how it ended, and the reasons that are always said in the same words."""

from __future__ import annotations

from dataclasses import dataclass

from ..domains.ending import Ending

CUT_OFF = tuple(ending.value for ending in (Ending.TIMED_OUT, Ending.OUT_OF_MEMORY, Ending.CRASHED))
"""Ends that the clock or the machine decided: whether they follow, no replay can say."""
GOAL_ERROR = "goal-error"
"""The outcome where what was seen shows that the goal is none for this world."""
EXHAUSTED = "every place was looked at"
"""The proof that there is no plan, where what the goal needs is at none of the places that there are."""
UNSURE = "it is not sure that the goal holds"
"""The reason where things on which a goal rests can neither be seen nor looked for."""
OTHERS = "others may move things, so nothing that was seen proves that there is no plan"
"""The reason for which nothing is called unsolvable in a world that is not still."""
NO_WAY = "rooms to which nobody has seen a way"
"""What stays unseen for a robot that learns of rooms on its way: it cannot go there to look."""
WAYS = "there are no ways between rooms but those that the robot was told of or has seen"
"""What is taken for granted where a room that no way leads to might help, and the scene may be wrong."""
NO_EXPANSIONS = "the engine expanded all states that it may"
"""The reason for which a robot looks no further: with no more plans, nothing that it sees helps."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of an episode: an outcome of records, and the reasons where that is not *verified*.

    ``places`` are, for *unsolvable*, the spots that were looked at: together they are the proof that what the
    goal needs is nowhere. For *not-found* they are those that were not looked at. ``assumes`` is what a
    *verified* or *unsolvable* goal takes for granted of what nobody has looked at, a sentence each.
    """

    outcome: str
    reasons: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
