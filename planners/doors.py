"""Doors between rooms in a plan: opened before the robot goes through, closed behind it where the goal asks.

Planners drive by routes that lead through every door which some action could open, so that what they find
impossible is impossible. What they leave out is put in here: a closed door on the way is opened from the
robot's side, and closed again behind the robot where the goal does not hold otherwise. The simulator, for
which a closed door is in the way, has the last word on the plan. A door that has to be unlocked first stays
shut here; packs may ask for more than one action. Where a door is closed again, and in which order, may be
changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

from ..domains.action import PlanAction
from ..domains.evaluate import evaluate
from ..domains.formula import Atom, Formula
from ..simulator.belief import Belief
from ..simulator.verification import watched
from ..simulator.world import Refusal, World

LONGEST_DETOUR = 8
"""Most actions that are left out at once because work on a door from its other side made them needless."""

FEW_DOORS = 5
"""Doors of which every choice is tried when some have to be closed again."""


def through_doors(plan: Sequence[PlanAction], belief: Belief, goal: Formula) -> tuple[PlanAction, ...]:
    """Return a plan with the doors on its ways opened, and closed again where the goal needs that.

    In a scene without doors on links, and where a door cannot be opened in one action, it is the plan itself.
    """
    if not belief.scene.doors:
        return tuple(plan)
    passage = _Passage(belief, goal)
    actions = passage.opened(plan)
    if actions is None or not passage.opened_doors:
        return tuple(plan)
    for doors in _choices(list(dict.fromkeys(passage.opened_doors))):
        closed = actions
        for door in doors:
            closed = passage.closed_behind(door, closed)
        if passage.reaches(closed):
            return tuple(passage.without_detours(closed))
    return tuple(actions)


def shut_on_the_way(plan: Sequence[PlanAction], belief: Belief, goal: Formula) -> str | None:
    """Return the shut door at which a plan ends, ``None`` where no door is in its way."""
    world, passage = World(belief), _Passage(belief, goal)
    for action in plan:
        if (shut := passage.first_shut(action, world)) is not None:
            return shut[1]
        if isinstance(world.perform(action), Refusal):
            break
    return None


def _choices(doors: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield which doors to close again: none, one, and so on; of many at most one, or all."""
    sizes = range(len(doors) + 1) if len(doors) <= FEW_DOORS else (0, 1, len(doors))
    for size in sizes:
        yield from combinations(doors, size)


@dataclass
class _Passage:
    """Ways of a plan through doors; ``opened_doors`` are those that were opened for them, in order."""

    belief: Belief
    goal: Formula
    opened_doors: list[str] = field(default_factory=list)

    def reaches(self, actions: Sequence[PlanAction]) -> bool:
        """Test whether actions can be done, through open doors alone, and the goal holds at the end."""
        world = World(self.belief, watched(self.goal, self.belief))
        for action in actions:
            if self.first_shut(action, world) is not None or isinstance(world.perform(action), Refusal):
                return False
        return evaluate(self.goal, world)

    def without_detours(self, actions: list[PlanAction]) -> list[PlanAction]:
        """Leave out what is done between two visits of a place, where the goal is reached without it."""
        world, places = World(self.belief), []
        for action in actions:
            places.append(world.state.stands_at)
            world.perform(action)
        places.append(world.state.stands_at)
        for start in range(len(actions)):
            ends = range(min(len(actions), start + LONGEST_DETOUR), start, -1)
            for end in ends:
                shorter = [*actions[:start], *actions[end:]]
                same = places[start] == places[end] or end == len(actions)
                if same and self.reaches(shorter):
                    return self.without_detours(shorter)
        return actions

    def opened(self, plan: Sequence[PlanAction]) -> list[PlanAction] | None:
        """Return the plan with each door opened before a drive through it; ``None`` where one stays shut."""
        world, done, todo = World(self.belief), [], list(reversed(plan))
        while todo:
            action = todo.pop()
            shut = self.first_shut(action, world)
            if shut is not None:
                here, door = shut
                opening = self._works(door, world, makes_passable=True)
                self.opened_doors.append(door)
                if len(self.opened_doors) > 2 * len(plan) * len(self.belief.scene.doors):
                    return None
                if opening is None:  # the plan itself may have shut it for good, which can wait
                    later = [a for a in plan if not self._changes(a, door, makes_passable=False)]
                    return self.opened(later) if len(later) < len(plan) else None
                source, target = action.args
                # Along the way so far no door is shut, so these drives are done as they stand.
                todo += reversed(self._drives(source, here, door, opening, target))
                continue
            if action.args and action.args[0] in self.opened_doors and self._is_done(action, world):
                continue
            if isinstance(world.perform(action), Refusal):
                return None
            done.append(action)
        return done

    def closed_behind(self, door: str, actions: Sequence[PlanAction]) -> list[PlanAction]:
        """Return actions with a door closed after the last drive through it, if that can be done."""
        worlds = [World(self.belief)]
        last: tuple[int, str] | None = None
        for number, action in enumerate(actions):
            for here, there in self._hops(action):
                if self.belief.scene.doors.get((here, there)) == door:
                    last = number, there
            worlds.append(worlds[-1].fork())
            worlds[-1].perform(action)
        if last is None:
            return list(actions)
        number, beyond = last
        world = worlds[number]
        source, target = actions[number].args
        navigation = self.belief.pack.navigation.name
        world.perform(PlanAction(navigation, (source, beyond)))
        closing = self._works(door, world, makes_passable=False)
        if closing is None:
            return list(actions)
        drives = self._drives(source, beyond, door, closing, target)
        return [*actions[:number], *drives, *actions[number + 1 :]]

    def _drives(self, source: str, here: str, door: str, work: PlanAction, target: str) -> list[PlanAction]:
        """Return a drive to one side of a door, the work on it, and the rest of the drive to the target."""
        navigation = self.belief.pack.navigation.name
        own_room = self.belief.scene.nodes[door].parent == here
        stop = door if own_room else here
        drives = [PlanAction(navigation, (source, stop))] if source != stop else []
        return [*drives, work, *([PlanAction(navigation, (stop, target))] if stop != target else [])]

    def first_shut(self, action: PlanAction, world: World) -> tuple[str, str] | None:
        """Return the place before the first door in the way of a drive that is shut, and the door."""
        for here, there in self._hops(action):
            if door := world.state.is_shut(here, there):
                return here, door
        return None

    def _hops(self, action: PlanAction) -> list[tuple[str, str]]:
        """Return the places of a drive in pairs, none of them for another action."""
        if not self.belief.pack.mapping_of(action.name).navigation:
            return []
        routes, (source, target) = self.belief.routes, action.args
        if not routes.connected(source, target):
            return []
        return list(pairwise((routes.anchor(source), *routes.route(source, target).hops)))

    def _is_done(self, action: PlanAction, world: World) -> bool:
        """Test whether opening a door on the way has done already what an action of the plan is for."""
        ground = self.belief.pack.domain.actions[action.name].ground(action.args)
        moves = any(a.predicate == self.belief.pack.at for a in (*ground.add, *ground.delete))
        return not moves and all(world.state.facts.holds(a.predicate, a.args) for a in ground.add)

    def _works(self, door: str, world: World, makes_passable: bool) -> PlanAction | None:
        """Return the action that opens or closes a door from where a drive to it ends, if one can be done."""
        for action in self.belief.pack.manipulations:
            work = PlanAction(action.name, (door,))
            if len(action.parameters) != 1 or not self._changes(work, door, makes_passable):
                continue
            unmet = world.state.unmet(action.ground((door,)))
            if action.allows((door,)) and all(a.predicate == self.belief.pack.at for a in unmet):
                return work
        return None

    def _changes(self, work: PlanAction, door: str, makes_passable: bool) -> bool:
        """Test whether an action makes a door passable, or makes it not passable any more."""
        passable = self.belief.pack.mapping.passable
        ground = self.belief.pack.domain.actions[work.name].ground(work.args)
        effects = ground.add if makes_passable else ground.delete
        return passable is not None and Atom(passable.predicate, (door,)) in effects
