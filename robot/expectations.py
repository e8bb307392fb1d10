"""Facts that hold before and after a command, and the events that it sets going, for a monitor.

They are computed from the actions that the simulator carried out, by their preconditions and effects. Facts
that no action changes are left out, since nothing can be learnt by checking them; another choice is made in
:func:`expectation`. What events bring about is waited for and not expected at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ..domains.action import PlanAction, unify
from ..domains.formula import Atom, Formula, GroundAtom, Not, is_ground_atom, walk
from ..domains.pack import Pack
from ..simulator.routes import Routes
from ..simulator.step import Step
from ..simulator.world import World
from .skill import Expectation, Skill, Waiting


def expectation(
    happened: Sequence[PlanAction], pack: Pack, stood_at: str, passed: Sequence[GroundAtom] = ()
) -> Expectation:
    """Return what one command needs and what it changes; ``passed`` lets it through doors.

    A command may be several actions, stepping back from a box and driving off; what an earlier one brings
    about is not needed before. One without any action leaves the robot where it ``stood_at``; a door is
    worked from where it stood, which may be the other side.
    """
    before: dict[GroundAtom, None] = {}
    changed: dict[GroundAtom, bool] = {}
    for action in happened:
        ground = pack.domain.actions[action.name].ground(action.args)
        if action.event:
            # An event may bring a fact back that the command undid.
            for fact in ground.add:
                if not changed.get(fact, True):
                    del changed[fact]
            continue
        for fact in ground.precondition:
            if fact.predicate in pack.fluents and fact not in changed:
                beyond = fact.predicate == pack.at and not any(a.predicate == pack.at for a in ground.delete)
                before[Atom(pack.at, (stood_at,)) if beyond and stood_at else fact] = None
        changed |= dict.fromkeys(ground.delete, False)
        changed |= dict.fromkeys(ground.add, True)
    if not before and not changed:
        here = Atom(pack.at, (stood_at,))
        return Expectation((here,), (here,))
    before |= dict.fromkeys(passed)
    return Expectation(tuple(before), tuple(f if holds else Not(f) for f, holds in changed.items()))


def hops_of(step: Step, world: World) -> tuple[str, ...]:
    """Return the poses and rooms of a drive up to its end, in the world before it; none for other steps."""
    here, drives = world.state.anchor, ("goto", world.pack.mapping.room_step)
    if step.name not in drives or len(step.args) != 1 or step.args == (here,):
        return ()
    (target,) = step.args
    if step.name == "goto" or not world.belief.routes.connected(here, target):
        return (target,)
    shut = frozenset(ends for ends in world.scene.doors if world.state.is_shut(*ends))
    return tuple(Routes(world.scene, shut | world.belief.shut_ways).route(here, target).hops)


def doors_passed(hops: Sequence[str], world: World) -> tuple[GroundAtom, ...]:
    """Return what lets the robot through the doors on the way of a drive, in the world before it."""
    scene, passable = world.scene, world.pack.mapping.passable
    if passable is None or not scene.doors:
        return ()
    doors = filter(None, (scene.doors.get(ends, "") for ends in pairwise((world.state.anchor, *hops))))
    return tuple(Atom(passable.predicate, (door,)) for door in dict.fromkeys(doors))


def awaited(happened: Sequence[PlanAction], pack: Pack) -> tuple[Waiting, ...]:
    """Return the events that followed a command, with their facts and the pack's words for them."""
    events = []
    for action in happened:
        if action.event:
            ground = pack.domain.actions[action.name].ground(action.args)
            words = tuple(pack.words(f.predicate, f.args, True) for f in ground.add)
            needs = tuple(fact for fact in ground.precondition if fact.predicate in pack.fluents)
            events.append(Waiting(action.name, action.args, needs, ground.add, words))
    return tuple(events)


def with_needs(commands: Sequence[Skill], goal: Sequence[Formula], pack: Pack) -> list[Skill]:
    """Return the commands with ``needed`` set for what they wait for, from the last one to the first.

    An event is needed where the goal mentions one of its facts, and where a later command or another needed
    event has it as a condition. Without a goal, or where a fact is about places, that is taken for granted.
    """
    mentioned = [n for part in goal for n in walk(part) if isinstance(n, Atom)]
    places = (*pack.locations, pack.mapping.robot_held.predicate, pack.at)
    later: set[GroundAtom] = set()

    def rests_on(fact: GroundAtom) -> bool:
        needed_anyway = not goal or fact.predicate in places or fact in later
        return needed_anyway or any(unify(atom, fact) is not None for atom in mentioned)

    marked: list[Skill] = []
    for command in reversed(commands):
        waits: list[Waiting] = []
        for waiting in reversed(command.waits_for):
            needed = any(map(rests_on, waiting.facts))
            if needed:
                later.update(pack.domain.actions[waiting.event].ground(waiting.arguments).precondition)
            waits.append(replace(waiting, needed=needed))
        later.update(filter(is_ground_atom, command.expects.before))
        marked.append(replace(command, waits_for=tuple(reversed(waits))))
    return marked[::-1]
