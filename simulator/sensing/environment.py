"""The hidden true world: a robot acts in it step by step, and is told only what it sees.

:class:`Environment` alone holds the truth. What a method gets of it are outcomes: whether a step was done,
the millimetres driven, and what is seen from where the robot is then. Steps fail with a given probability,
some always (a stuck drawer); things are moved by somebody else between steps. All of that is drawn from a
seed, so that an episode can be repeated. Whoever judges an episode asks :meth:`Environment.judge`, no method
may.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...domains.evaluate import evaluate
from ...domains.formula import FALSE, TRUE, Atom, Formula, GroundAtom, Not, Sometime, names, rebuild
from ..belief import Belief, close_under_events
from ..facts import Facts
from ..observations.observation import Observations, StepOutcome
from ..step import Step
from ..verification import explain, watched
from ..world import Effect, Refusal, World
from .sight import observations_of

FAILED = "it did not work"
"""The message of a step that failed by chance."""


@dataclass(frozen=True, slots=True)
class Move:
    """A thing that somebody else puts elsewhere, after ``after`` steps that the robot has tried."""

    after: int
    thing: str
    relation: str
    parent: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdict on a goal in the true world; ``unsatisfied`` says what is not so."""

    reached: bool
    unsatisfied: tuple[str, ...] = ()


class Robot(Protocol):
    """A robot that sees and acts; :class:`Environment` is a simulated one."""

    def look(self) -> Observations:
        """Return what is seen from where the robot is."""
        ...

    def act(self, step: Step) -> StepOutcome:
        """Do a step, and return what came of it."""
        ...


class TrueWorld(Robot, Protocol):
    """A world that a robot acts in, and that whoever judges may ask."""

    def judge(self, goal: Formula) -> Judgement: ...


class Environment:
    """A true world with failures and other people in it, behind a door: steps in, outcomes out.

    ``failure`` is the probability that a step which could be done is not done and changes nothing; ``stuck``
    are steps that never work. ``moves`` are carried out in order of their times; one of a thing that the
    robot holds or reaches into, or to a place inside the thing itself, does not happen. Nor does one of a
    thing that the robot has put down, unless with ``undoing``: what others undo behind its back no robot can
    know of. Raises ``ValueError`` for a probability that is none, and ``KeyError`` for a move of what the
    world does not have.

    >>> from groundplan import ground, load_pack, load_scene, read_steps
    >>> from groundplan.simulator.sensing import Environment
    >>> environment = Environment(ground(load_scene("office"), load_pack()))
    >>> outcome = environment.act(*read_steps("goto(pose13)"))
    >>> outcome.done, outcome.observations.here, environment.moved_mm == outcome.moved_mm
    (True, 'pose13', True)
    """

    __slots__ = (
        "__done",
        "__drawn",
        "__failure",
        "__handled",
        "__moves",
        "__start",
        "__stuck",
        "__tried",
        "__undoing",
        "__world",
        "_mm",
    )

    def __init__(
        self,
        truth: Belief,
        *,
        failure: float = 0.0,
        stuck: Sequence[Step] = (),
        moves: Sequence[Move] = (),
        undoing: bool = False,
        seed: int = 0,
    ) -> None:
        if not 0 <= failure <= 1:
            raise ValueError(f"a probability is from 0 to 1, got {failure}")
        for move in moves:
            truth.scene.nodes[move.thing], truth.scene.nodes[move.parent]
            truth.pack.mapping.relations[move.relation]
        self.__start, self.__world = truth, World(truth)
        self.__failure, self.__stuck = failure, frozenset(stuck)
        self.__moves = sorted(moves, key=lambda move: move.after)
        self.__drawn = random.Random(seed)
        self.__undoing, self.__handled = undoing, set[str]()
        self.__tried = 0
        self.__done: list[Step | Move] = []
        self._mm = 0

    @property
    def moved_mm(self) -> int:
        """The millimetres that the robot has driven so far."""
        return self._mm

    def look(self) -> Observations:
        """Return what the robot sees from where it is."""
        return observations_of(self.__world)

    def act(self, step: Step) -> StepOutcome:
        """Try a step, and return what came of it and what is seen then; one that fails changes nothing."""
        world = self.__world
        chance = self.__drawn.random()  # drawn for every step, so that episodes differ by their steps alone
        trial = world.fork()
        effect = trial.apply(step)
        if isinstance(effect, Refusal):
            outcome = (False, 0, effect.message)
        elif step in self.__stuck or chance < self.__failure:
            outcome = (False, 0, FAILED)
        else:
            self.__world = trial
            self.__done.append(step)
            self._mm += effect.length
            self.__handled.update(_picked_up(effect, world))
            outcome = (True, effect.length, "")
        self.__tried += 1
        self.__others_move()
        done, moved, message = outcome
        return StepOutcome(done, moved, self.look(), message)

    def judge(self, goal: Formula) -> Judgement:
        """Return whether a goal holds in the true world now, with all that was so on the way.

        Nothing is true of a thing that the goal names and the world does not have.
        """
        absent = [name for name in names(goal) if name not in self.__start.scene.nodes]
        if absent:
            goal = _false_of(goal, frozenset(absent))
        world = World(self.__start, watched(goal, self.__start))
        for event in self.__done:
            if isinstance(event, Move):
                _carry_out(event, world)
            else:
                world.apply(event)
        if evaluate(goal, world):
            return Judgement(True)
        return Judgement(False, (*(f"there is no {name}" for name in absent), *explain(goal, world)))

    def __others_move(self) -> None:
        while self.__moves and self.__moves[0].after <= self.__tried:
            move = self.__moves.pop(0)
            free = self.__undoing or move.thing not in self.__handled
            if free and _carry_out(move, self.__world):
                self.__done.append(move)


def _false_of(goal: Formula, absent: frozenset[str]) -> Formula:
    """Return a goal in which every fact of one of some things is false."""
    if isinstance(goal, Sometime):  # over a literal
        left = _false_of(goal.body, absent)
        return goal if left == goal.body else TRUE if isinstance(left, Not) else FALSE
    if isinstance(goal, Atom):
        return FALSE if any(isinstance(a, str) and a in absent for a in goal.args) else goal
    return rebuild(goal, lambda part: _false_of(part, absent))


def _picked_up(effect: Effect, world: World) -> list[str]:
    """Return the things that the robot held during a step."""
    schemas, held = world.pack.domain.actions, world.pack.mapping.robot_held.predicate
    grounds = (schemas[action.name].ground(action.args) for action in effect.actions)
    return [a.args[0] for g in grounds for a in (*g.add, *g.delete) if a.predicate == held]


def _carry_out(move: Move, world: World) -> bool:
    """Put a thing elsewhere, where that can be; return whether it was moved."""
    mapping, state, facts = world.pack.mapping, world.state, world.state.facts
    held = facts.holds(mapping.robot_held.predicate, (move.thing,))
    if held or move.thing in state.around(state.stands_at):
        return False
    if move.thing in state.around(move.parent) or state.above(move.thing) is None:
        return False
    undone = _places(move.thing, world, facts)
    for atom in undone:
        facts.discard(atom.predicate, atom.args)
    there = Atom(mapping.relations[move.relation].predicate, (move.thing, move.parent))
    facts.add(there.predicate, there.args)
    close_under_events(facts, world.belief, [there], undone)
    return True


def _places(thing: str, world: World, facts: Facts) -> list[GroundAtom]:
    relations = world.pack.locations
    return [Atom(p, args) for p in relations for args in facts.with_argument(p, 0, thing)]
