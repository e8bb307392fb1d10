"""Outcomes of a run in plain words, and what to try next.

The keys are the outcomes in a run's record (``pipeline.record``) and stay; the words are in ``outcomes.toml``
and may be changed. A new outcome needs an entry there, or a case in :func:`meaning`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files

from ...domains.ending import Ending
from ...domains.errors import clip
from ...engines.registry import is_complete
from ...pipeline.record import Record
from ...pipeline.settling import SO_ALREADY
from ...planners.tidy import NotPutBack

Words = Mapping[str, Mapping[str, str]]

_FILE = tomllib.loads(files(__package__).joinpath("outcomes.toml").read_text(encoding="utf-8"))
OUTCOMES: Words = _FILE["outcomes"]
OF_METHODS: Words = _FILE["methods"]
"""Meaning and advice where a model writes plans or problems, and no goal was written."""
WITHOUT_ENGINE: Words = _FILE["without-engine"]
"""Meaning and advice where a method ended before any engine was asked."""
LEFT: Mapping[str, str] = _FILE["left"]
"""Reasons of what was not put back, where they are said in words of their own."""


def _engine_refused(record: Record) -> bool:
    """Return whether one engine did not take the problem; otherwise no engine supports the goal."""
    unsupported = record.outcome == Ending.UNSUPPORTED.value and bool(record.planning.detail)
    return unsupported and not _event_denied(record)


def _others_plan(record: Record) -> bool:
    """Return whether the simulator refused a plan of an engine that is not listed as complete."""
    if record.outcome != "rejected" or record.engine is None:
        return False
    return bool(record.engine_options.keys() & {"command", "search"}) or not is_complete(record.engine)


def _event_denied(record: Record) -> bool:
    return any(reason.startswith("(not ") for reason in record.reasons)


def _too_large(record: Record) -> bool:
    """Return whether a bound on sizes ended a run, and not the memory of a machine."""
    return record.outcome == Ending.OUT_OF_MEMORY.value and record.planning.reproducible


def _of_method(record: Record) -> Mapping[str, str] | None:
    """Return meaning and advice of a run of a method in which no goal came about."""
    if record.method is not None and record.engine is None and record.outcome in WITHOUT_ENGINE:
        return WITHOUT_ENGINE[record.outcome]
    if record.goal is not None or (record.method is None and record.outcome != "unsupported"):
        return None
    if record.outcome == "unsupported" and record.engine is not None:
        return None
    return OF_METHODS.get(record.outcome)


def meaning(record: Record) -> str:
    """Say in words what the outcome of a run means."""
    if _engine_refused(record):
        return f"{record.engine} does not know what the problem needs"
    if record.outcome == "service-failed" and (record.reader or "").startswith("embedded"):
        return "the embedded reader failed"
    if _too_large(record):
        return "planning was stopped at a bound on sizes"
    if (words := _of_method(record)) is not None:
        return words["meaning"]
    if SO_ALREADY in record.reasons:
        return "the goal that was read already holds, so nothing was planned"
    if record.outcome == Ending.UNSOLVABLE.value:
        acted = record.trajectory.executed or record.trajectory.looks
        world = "world as it was seen" if acted else "scene as it is given"
        goal = (
            f' for the goal read from it, "{clip(record.says or str(record.goal))}"'
            if record.goal_was_read
            else ""
        )
        return f"in the {world} there is no plan{goal}, and that is proved"
    return OUTCOMES.get(record.outcome, {}).get("meaning", record.outcome)


def why_left(one: NotPutBack) -> str:
    """Say in words why something was not put back as it was found."""
    return LEFT.get(one.why) or OUTCOMES[one.why]["meaning"]


def advice(record: Record) -> str:
    """Return advice after a run that did not end verified; empty when there is none."""
    if any(d.code.startswith("unknown-") for d in record.diagnostics if d.severity == "error"):
        return "`groundplan scene show SCENE` lists the names of the scene"
    if (words := _of_method(record)) is not None:
        return words["advice"]
    if _engine_refused(record):
        return "another engine; `groundplan engines` says what each one knows"
    if record.outcome == Ending.UNSUPPORTED.value and _event_denied(record):
        return "say what must hold instead of what must not"
    if _too_large(record):
        return "quantify over a class instead of everything, or plan for the parts of the goal one by one"
    if _others_plan(record):
        source = "the engine command" if "command" in record.engine_options else f"the engine {record.engine}"
        return f"look first at the plan of {source}; where it is right, report a fault of the domain pack"
    other = "pyperplan" if record.engine == "fast-downward" else "fast-downward"
    return OUTCOMES.get(record.outcome, {}).get("advice", "").format(other=other)
