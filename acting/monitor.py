"""Monitor of an episode: whether what it is doing still works, and is still the right thing to do."""

from __future__ import annotations

from collections.abc import Sequence

from ..domains.formula import conjunction, names
from ..simulator.belief import Belief
from ..simulator.observations.observation import Spot
from ..simulator.step import Step
from ..simulator.world import Refusal
from .certainty.knowledge import Knowledge
from .looking import quantified


def other_ways(before: Knowledge, after: Knowledge) -> bool:
    """Return whether ways between rooms are others than before."""
    old, new = before.belief, after.belief
    return new.scene.links != old.scene.links or new.shut_ways != old.shut_ways


def matters(before: Knowledge, after: Knowledge, any_news: bool) -> bool:
    """Return whether what was seen may make another plan possible, or needed; ``any_news`` may as well."""
    changes = after.belief.log[len(before.belief.log) :]
    goal = conjunction([after.goal.formula, *after.run.due])
    if any_news and ((changes and not after.missing) or other_ways(before, after)):
        return True
    named = {*names(goal), *(name for kind in quantified(goal) for name in after.belief.members(kind))}
    return any(change.node in named for change in changes)


def still_works(steps: Sequence[Step], look: Spot | None, knowledge: Knowledge, believed: Belief) -> bool:
    """Return whether the steps that are left can be done, and lead to the end where they are not a look."""
    world = knowledge.run.world_of(believed)
    if any(isinstance(world.apply(step), Refusal) for step in steps):
        return False
    return look is not None or knowledge.open(world).decide(knowledge.run.end) is True
