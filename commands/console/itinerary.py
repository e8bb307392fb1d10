"""A verified plan grouped for people: by subgoal (errand), by room, with drives on one line and with events.

Events are what happens by itself, such as heating in a running microwave. Steps must keep their order, their
numbers and their printed form, so that what is shown can be run again; how they are grouped may be changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...domains.pack import Pack
from ...planners.record import Record
from ...robot.program import Program
from ...simulator.belief import Belief
from ...simulator.step import Step


@dataclass(frozen=True, slots=True)
class Entry:
    """Steps from ``first`` to ``last`` (counted from 1) that are shown together: a drive, or one step.

    ``length`` is what is driven, in millimetres; ``notes`` say what happened by itself after the last step.
    """

    first: int
    last: int
    steps: tuple[Step, ...]
    errand: int | None
    place: str
    length: int = 0
    notes: tuple[str, ...] = ()

    @property
    def drive(self) -> bool:
        return self.steps[0].name == "goto"


def errands(record: Record, program: Program) -> list[str]:
    """Return the subgoals of a run as planned; the conjuncts of the goal where those do not match."""
    texts = [_errand(conjunct, record.planning.assembly.subgoals) for conjunct in program.goal]
    return list(dict.fromkeys(texts))


def _errand(conjunct: str, parts: Sequence[str]) -> str:
    """Return the planned part that a conjunct of the goal belongs to."""
    return next((part for part in parts if conjunct == part or f" {conjunct}" in part), conjunct)


def itinerary(record: Record, program: Program, belief: Belief) -> list[Entry]:
    """Return the entries of a verified plan, in order."""
    listed = errands(record, program)
    printed, actions = record.planning.printed, record.planning.plan or ()
    entries: list[Entry] = []
    here = belief.start if belief.start in belief.scene.neighbours else belief.routes.anchor(belief.start)
    for number, (source, step) in enumerate(printed, 1):
        skill = program.commands[number - 1]
        served = skill.serves
        subgoals = record.planning.assembly.subgoals
        errand = listed.index(_errand(program.goal[served], subgoals)) if served is not None else None
        following = printed[number][0] if number < len(printed) else len(actions)
        notes = tuple(
            note
            for action in actions[source + 1 : following]
            if action.event
            for note in happening(action.name, action.args, belief.pack)
        )
        length = 0
        if step.name == "goto" and step.args[0] != here:
            length = belief.scene.neighbours.get(here, {}).get(step.args[0], 0)
        here = skill.pose
        before = entries[-1] if entries else None
        if before is not None and before.drive and step.name == "goto" and before.errand == errand:
            before = entries.pop()
            steps, total = (*before.steps, step), before.length + length
            entries.append(Entry(before.first, number, steps, errand, here, total, before.notes + notes))
        else:
            entries.append(Entry(number, number, (step,), errand, here, length, notes))
    return entries


def happening(event: str, args: tuple[str, ...], pack: Pack) -> list[str]:
    """Return the effects of an event in the words of the pack: ``heat: noodles is hot``."""
    added = pack.domain.actions[event].ground(args).add
    facts = [pack.words(atom.predicate, tuple(map(str, atom.args)), True) for atom in added]
    return [f"{event.replace('_', ' ')}: {words}" for words in facts]
