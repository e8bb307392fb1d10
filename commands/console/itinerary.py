"""A verified plan grouped for people: by subgoal (errand), by room, with drives on one line and with events.

Events are what happens by itself, such as heating in a running microwave. Steps must keep their order, their
numbers and their printed form, so that what is shown can be run again; how they are grouped may be changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...pipeline.record import Record
from ...robot.program import Program
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


def itinerary(record: Record, program: Program) -> list[Entry]:
    """Return the entries of a verified plan, in order."""
    listed = errands(record, program)
    subgoals = record.planning.assembly.subgoals
    errand_of = [listed.index(_errand(conjunct, subgoals)) for conjunct in program.goal]
    entries: list[Entry] = []
    for number, (command, (_, step)) in enumerate(
        zip(program.commands, record.planning.printed, strict=True), 1
    ):
        errand = errand_of[command.serves] if command.serves is not None else None
        notes = tuple(f"{w.event.replace('_', ' ')}: {words}" for w in command.waits_for for words in w.words)
        first, length = number, round(command.metres * 1000)
        steps: tuple[Step, ...] = (step,)
        before = entries[-1] if entries else None
        if before is not None and before.drive and step.name == "goto" and before.errand == errand:
            entries.pop()
            first, steps = before.first, (*before.steps, step)
            length, notes = before.length + length, before.notes + notes
        entries.append(Entry(first, number, steps, errand, command.pose, length, notes))
    return entries
