"""Files of a run: what `groundplan plan --out` writes to its folder, by name."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from ..compiler.goals.goal import Goal
from ..compiler.pddl import compile_goal
from ..compiler.problem import Unsupported
from ..compiler.shown_part import compiled_from
from ..domains.deadline import LimitReached, extended
from ..domains.errors import GoalError
from ..pipeline.record import Record
from ..planners.verdict import OWN_SECONDS
from ..robot.program import Program
from .case import Case
from .console.escape import json_text, without_key
from .console.pretty import pretty
from .output.seals import sealed
from .pictures.picture import picture_of
from .pictures.svg import svg_of

CERTIFICATE, PICTURE = "certificate.json", "plan.svg"
PLANNED = ("verified", "rejected", "executable")
"""Outcomes of runs that came to a plan."""


def run_files(record: Record, program: Program | None, case: Case, more: Mapping[str, str]) -> dict[str, str]:
    """Return everything that a run gives, by file name; what depends on the clock is apart.

    A reader that came to no plan leaves the record and its picture alone: its goals are in there, and none of
    them is meant. ``more`` are texts of whoever made the run.
    """
    fields = record.as_json()
    del fields["timings"]
    files = dict(more)
    proof = fields["certificate"]
    if isinstance(proof, dict):
        files[CERTIFICATE] = json_text(proof.pop("content")) + "\n"
        proof["file"] = CERTIFICATE
    if record.reader is None or record.outcome in PLANNED:
        files |= _files_of_plan(record, program, case)
    with extended(OWN_SECONDS):
        files[PICTURE] = svg_of(picture_of(fields, case.belief))
    return sealed({name: without_key(text) for name, text in files.items()}, fields, record.timings)


def _files_of_plan(record: Record, program: Program | None, case: Case) -> dict[str, str]:
    """Return the last goal, what was planned for it, and the problem that engines get for it."""
    files: dict[str, str] = {}
    goal = record.goal if record.outcome != "cancelled" else None
    if isinstance(goal, Goal):
        files["goal.txt"] = pretty(str(goal)) + "\n"
    if record.outcome in PLANNED:
        files["plan.txt"] = "".join(f"{step}\n" for step in record.plan)
    if record.trajectory.executed:
        files["executed.txt"] = "".join(f"{step}\n" for step in record.trajectory.executed)
    if program is not None:
        files["program.json"] = json_text(program.as_json()) + "\n"
    if isinstance(goal, Goal) and record.outcome != "goal-error":
        # Without a problem the record says that no engine was asked, or what a limit ended.
        with suppress(Unsupported, GoalError, LimitReached), extended(OWN_SECONDS):
            belief = compiled_from(case.belief, record.compile_form, record.shown)
            text = compile_goal(goal.formula, belief)
            files |= replace(text, domain=without_key(text.domain), problem=without_key(text.problem)).files()
    return files
