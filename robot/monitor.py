"""A robot program watched while it is carried out in simulation: where the world is not as it expects.

The monitor reads nothing but the program: it does a command's printed step, and looks at the facts that the
command names and at where the robot's base is. Any difference is a fault of the program (changed, or made
for another scene or pack), or a world that differs. A step that would break a rule of the program in the
world as it is, is not done. A robot's own monitor does the same with its sensors in place of the simulator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..domains.deadline import check_time
from ..domains.formula import Atom, Formula, Not, as_ground, names
from ..domains.storage.json_record import KEY, JsonRecord
from ..simulator.belief import Belief
from ..simulator.step import DONE
from ..simulator.verification import broken_by
from ..simulator.world import Refusal, World
from .program import Program


@dataclass(frozen=True, slots=True)
class Deviation(JsonRecord):
    """A fact that is not as a command expects; ``when`` is ``before``, ``after`` or ``waits_for``.

    Of a rule, which is the ``fact`` then, it is ``rule`` where the command would break it, and ``end`` where
    something of it is due behind the last command.
    """

    index: int
    printed: str = field(metadata={KEY: "step"})
    when: str
    fact: str
    message: str


def deviations(program: Program, belief: Belief) -> tuple[Deviation, ...]:
    """Carry a program out in simulation and return what is not as it expects, in order.

    It ends at ``done()``, at a step that a rule forbids, and at one that cannot be done: which one, and why,
    is said by :func:`~groundplan.simulator.verification.verify_plan`. A rule that is broken at the start, or
    about what the scene does not have, forbids nothing.
    """
    nodes = belief.scene.nodes
    rules = [c for c in program.rules.constraints() if all(name in nodes for name in names(c))]
    world, pack = World(belief, rules), belief.pack
    differing: list[Deviation] = []
    last = (0, "")
    for index, (command, step) in enumerate(zip(program.commands, program.steps(), strict=True)):
        check_time("comparing the program with the world")
        if step == DONE:
            break
        differing += _differing(index, command.printed, "before", command.expects.before, world)
        trial = world.fork()
        if isinstance(trial.apply(step), Refusal):
            return tuple(differing)
        if broken := broken_by(world, trial):
            rule = program.rules.written(broken[0])
            differing.append(Deviation(index, command.printed, "rule", rule, f"{broken[0]} would be broken"))
            return tuple(differing)
        world, last = trial, (index, command.printed)
        differing += _differing(index, command.printed, "after", command.expects.after, world)
        here = world.state.anchor
        if command.pose not in ("", here):
            base, message = Atom(pack.standing, (command.pose,)), pack.words(pack.standing, (here,), True)
            differing.append(Deviation(index, command.printed, "after", str(base), message))
        for waiting in command.waits_for:
            differing += _differing(index, command.printed, "waits_for", waiting.facts, world)
    for one in rules:
        if one not in world.memory.broken and not world.happened(one):
            differing.append(Deviation(*last, "end", program.rules.written(one), f"{one} is due"))
    return tuple(differing)


def _differing(
    index: int, printed: str, when: str, facts: Sequence[Formula], world: World
) -> Iterator[Deviation]:
    for fact in facts:
        atom = fact.part if isinstance(fact, Not) else fact
        if isinstance(atom, Atom) and (message := _difference(atom, isinstance(fact, Atom), world)):
            yield Deviation(index, printed, when, str(fact), message)


def _difference(atom: Atom, expected: bool, world: World) -> str:
    """Say how a fact is, where that is not as expected; an empty text where it is."""
    predicate, args = atom.predicate, as_ground(atom).args
    declared = world.pack.domain.predicates.get(predicate)
    if declared is None or len(declared.parameters) != len(args):
        return f"the pack {world.pack.name} has no fact {atom}"
    unknown = next((name for name in args if name not in world.scene.nodes), None)
    if unknown is not None:
        return f"there is no {unknown} in {world.scene.name}"
    holds = world.state.facts.holds(predicate, args)
    return world.pack.words(predicate, args, holds) if holds != expected else ""
