"""Plans made wrong on purpose: one error of one kind in a plan that is right, where a seed draws it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from groundplan.compiler.normal import normal_form
from groundplan.domains.formula import Formula
from groundplan.evaluation.plan_errors import reachable, seen_nodes
from groundplan.pipeline.record import PlanAttempt, Record
from groundplan.simulator.belief import Belief
from groundplan.simulator.step import Step
from groundplan.simulator.world import Effect, World


def record_of(steps: Sequence[Step], **fields: object) -> Record:
    """Return the record of a method that wrote a plan, which was refused; one without a step is accepted."""
    refused = ("refused",) if steps else ()
    return Record("rejected", attempts=(PlanAttempt("", tuple(steps), refused),), **fields)  # type: ignore[arg-type]


def without_drive(steps: Sequence[Step], belief: Belief, seed: int) -> Record:
    """Leave out a drive that the next drive depends on."""
    return _first_refused(_shuffled(_leaving_out(steps, ("goto",)), seed), belief)


def without_action(steps: Sequence[Step], belief: Belief, seed: int) -> Record:
    """Leave out a step that is no drive."""
    others = tuple(dict.fromkeys(step.name for step in steps if step.name != "goto"))
    return _shuffled(_leaving_out(steps, others), seed)[0]


def with_wrong_action(steps: Sequence[Step], belief: Belief, seed: int) -> Record:
    """Put a step in the place of another that nothing makes possible: a switch on what has none."""
    handling = [i for i, s in enumerate(steps) if s.name in ("pickup", "open", "access", "close", "turn_off")]
    index = Random(seed).choice(handling)
    name = "turn_on" if not belief.facts.holds("can_turn_on", (steps[index].args[0],)) else "pickup"
    return record_of([*steps[:index], Step(name, steps[index].args), *steps[index + 1 :]])


def with_made_up_node(steps: Sequence[Step], belief: Belief, seed: int) -> Record:
    """Give a node that the plan handles a name that the scene does not have."""
    name = Random(seed).choice([s.args[0] for s in steps if s.name not in ("goto", "done")])
    made_up = f"{name}_of_nobody"
    return record_of([Step(s.name, tuple(made_up if a == name else a for a in s.args)) for s in steps])


def after_incomplete_search(steps: Sequence[Step], belief: Belief, seed: int, gold: Formula) -> Record:
    """Keep a room from being opened, and end the plan before it handles what is there.

    Where the gold goal does not depend on any one room, none is opened.
    """
    scene, form = belief.scene, normal_form(gold, belief)
    used = [n for s in steps if s.name != "goto" for n in s.args]
    rooms = [r for r in scene.by_type["room"] if any(scene.room_of(n) == r for n in used)]
    for closed in Random(seed).sample(rooms, len(rooms)):
        opened = [r for r in rooms if r != closed]
        record = _searched(_before(steps, tuple(scene.descendants(closed))), opened, belief)
        if not reachable(form, seen_nodes(record, belief), belief):
            return record
    return _searched((), (), belief)


def _before(steps: Sequence[Step], nodes: Sequence[str]) -> Sequence[Step]:
    """Return a plan up to the drive to what it handles first among some nodes."""
    first = next(i for i, s in enumerate(steps) if s.name != "goto" and set(s.args) & set(nodes))
    while first and steps[first - 1].name == "goto":
        first -= 1
    return steps[:first]


def _searched(steps: Sequence[Step], opened: Sequence[str], belief: Belief) -> Record:
    shown = tuple(n for room in opened for n in belief.scene.descendants(room))
    return record_of(steps, opened=tuple(opened), shown=shown, trace=({"command": "expand"},))


def _leaving_out(steps: Sequence[Step], names: Sequence[str]) -> list[Record]:
    return [record_of([*steps[:i], *steps[i + 1 :]]) for i, s in enumerate(steps) if s.name in names]


def _shuffled(records: list[Record], seed: int) -> list[Record]:
    return Random(seed).sample(records, len(records))


def _first_refused(records: list[Record], belief: Belief) -> Record:
    return next(record for record in records if not all(_accepted(record.plan, belief)))


def _accepted(steps: Sequence[Step], belief: Belief) -> Iterator[bool]:
    world = World(belief)
    return (isinstance(world.apply(step), Effect) for step in steps)
