"""LookPlanGraph's loop without a language model: its moves from the beliefs and the goal of the hybrid.

The loop is the same, so that a comparison under the same beliefs shows what the way of deciding is worth.
The mover is told the goal, and plans where what it knows is enough. Until then it looks: at the likeliest of
the spots in its room, as long as that is likelier than another room as such, of which its prompt has the name
alone. It knows no distances, as the prompts of LookPlanGraph have none, and ends when the goal holds as far
as it knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from itertools import zip_longest

from ...acting.looking import look_plan, sought_of
from ...acting.policies.policy import Priors
from ...compiler.goals.checker import check
from ...compiler.goals.goal import Goal
from ...domains.deadline import LimitReached
from ...domains.ending import Ending
from ...domains.mapping import AROUND
from ...engines.base import Budget
from ...engines.engine import Engine
from ...planners.classical import plan_goal
from ...simulator.belief import Belief
from ...simulator.observations.observation import Spot
from ...simulator.sensing.spots import room_of_spot, spots_of
from ...simulator.step import DONE as ENDED
from ...simulator.step import Step
from ...simulator.world import World
from .loop import ACTIONS, DONE, NextMove


@dataclass
class BelievingMover:
    """A mover by priors for a goal; ``engine`` plans, each time within ``budget``."""

    goal: Goal
    priors: Priors
    engine: Engine
    budget: Budget
    _queue: list[Step] = field(default_factory=list)
    _planned_for: int = -1
    """Number of changes of the belief when the steps were planned."""
    _for_goal: bool = False
    """True while the steps are those of a plan for the goal, after which nothing is left to do."""
    _failed_at: int = -1
    """Number of changes of the belief when there was no plan for the goal."""
    _vain: set[Spot] = field(default_factory=set)

    def move(self, belief: Belief, handled: Collection[str] = (), feedback: str = "") -> NextMove:
        """Return the next step of a plan, or of a look; *done* where nothing is left to do or to look at."""
        if feedback or len(belief.log) != self._planned_for:
            self._queue.clear()
            self._for_goal = False
        if not self._queue and not self._for_goal:
            self._queue = self._planned(belief)
            self._planned_for = len(belief.log)
        if not self._queue:
            return NextMove(DONE, belief.scene.agent.id)
        step = self._queue.pop(0)
        return NextMove(step.name, step.args[0])

    def _planned(self, belief: Belief) -> list[Step]:
        """Return the steps of a plan for the goal, or of the next look; none at the end.

        Raises :class:`LimitReached` where the engine has expanded all states that it may.
        """
        if self.engine.exhausted:
            raise LimitReached(Ending.NOT_FOUND, "planning moves", "the limit of expanded states")
        if self._failed_at != len(belief.log) and check(self.goal, belief).ok:
            result = plan_goal(self.goal, belief, self.engine, self.budget)
            if result.verified:
                self._for_goal = True
                return _moves(result.steps, belief)
        self._failed_at = len(belief.log)
        while (spot := self._next_spot(belief)) is not None:
            steps = look_plan(spot, belief, self.engine, self.budget)
            if isinstance(steps, str) or not _moves(steps, belief):
                self._vain.add(spot)
                continue
            return _moves(steps, belief)
        return []

    def _next_spot(self, belief: Belief) -> Spot | None:
        """Return where to look: in this room, or in the room that is likeliest by its name."""
        world = World(belief)
        here = world.state.here
        rooms: dict[str, list[Spot]] = {}
        for spot in spots_of(belief):
            room = room_of_spot(spot, world)
            if room is not None and spot not in belief.looked and spot not in self._vain:
                rooms.setdefault(room, []).append(spot)
        sought = sought_of(self.goal.formula, belief, tuple(belief.scene.unplaced))

        def weight(spot: Spot) -> float:
            return sum(self.priors.weight(thing, spot, belief) for thing in sought)

        others = {room: weight(Spot(room, AROUND)) for room in rooms if room != here}
        best_here = _best(rooms.get(here, ()), weight)
        elsewhere = max(others, key=lambda room: others[room], default=None)
        if best_here is not None and (elsewhere is None or weight(best_here) >= others[elsewhere]):
            return best_here
        return _best(rooms[elsewhere], weight) if elsewhere is not None else None


def _best(spots: Iterable[Spot], weight: Callable[[Spot], float]) -> Spot | None:
    return max(spots, key=weight, default=None)


def _moves(steps: Iterable[Step], belief: Belief) -> list[Step]:
    """Return printed steps as moves: drives between rooms, and no access, which this robot does not need."""
    drives = [
        step for step in steps if step.name != "goto" or belief.scene.nodes[step.args[0]].type == "room"
    ]
    moves = [Step("go_to", step.args) if step.name == "goto" else step for step in drives]
    kept = [step for step in moves if step != ENDED and step.name in ACTIONS]
    # A room that is only driven through is left out: another drive follows.
    return [
        one for one, after in zip_longest(kept, kept[1:]) if {one.name, after and after.name} != {"go_to"}
    ]
