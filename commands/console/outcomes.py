"""The outcomes of a run in plain words, and what to try next.

The keys are the outcomes in a run's record (``pipeline.record``) and stay; the words may be changed. A new
outcome needs an entry in :data:`MEANINGS` or a case in :func:`meaning`, and one in :data:`ADVICE` where
something can be tried.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...domains.ending import Ending
from ...domains.errors import clip
from ...engines.registry import is_complete
from ...pipeline.record import Record
from ...pipeline.settling import SO_ALREADY
from ...planners.tidy import IRREVERSIBLE, NOT_TRIED, NotPutBack

MEANINGS: Mapping[str, str] = {
    "not-found": "no plan was found, which does not prove that there is none",
    "timed-out": "planning was stopped at its time limit",
    "out-of-memory": "planning was stopped at its memory limit",
    "crashed": "the planner crashed",
    "unsupported": "no engine supports this goal",
    "goal-error": "the goal cannot be used",
    "goal-drift": "the goal was repaired into one that asks for less, or for what holds already",
    "rejected": "the simulator did not accept the plan",
    "declined": "the reader says that nothing can be done, so nothing was planned",
    "answer-unreadable": "an answer did not have the form that was asked for",
    "not-understood": "the instruction was not understood, so nothing was planned",
    "ambiguous": "the instruction has several readings, and none was chosen",
    "search-exhausted": "the search ended without what a goal needs",
    "service-failed": "the model server failed",
    "cancelled": "the run was cancelled",
    "answered": "the question was answered",
    "executable": "every step can be carried out, and there was no goal to check",
    "out-of-budget": "the limit of model calls, tokens, expanded states or moves was reached",
    "answer-cut": "the limit of tokens of one answer cut the model's answer off",
}

OF_METHODS: Mapping[str, tuple[str, str]] = {
    "rejected": (
        "the simulator refused the last plan that the method allows",
        "another model, or another method (`groundplan methods`)",
    ),
    "goal-error": ("what the model wrote cannot be used", "another model, or a method with a repair"),
    "unsupported": (
        "the method cannot make this run",
        "`groundplan methods` says what each one gets and needs",
    ),
    "answer-unreadable": ("the model's answer has not the form that was asked for", "another model"),
    "declined": ("the model says that nothing can be done", "another model, or say what is meant"),
    "service-failed": (
        "the model server failed",
        "start the server, or give its address with --base-url (`groundplan models --base-url URL` asks it)",
    ),
    "search-exhausted": (
        "the search ended without what a plan needs",
        "another model or method; --out keeps what it was asked and what it answered",
    ),
}
"""Meaning and advice where a model writes plans or problems, and no goal was written."""

WITHOUT_ENGINE: Mapping[str, tuple[str, str]] = {
    "not-found": ("the search ended without all that it looked for", ""),
    "timed-out": ("the method was stopped at its time limit", "give more time with --timeout"),
}
"""Meaning and advice where a method ended before any engine was asked."""

LEFT: Mapping[str, str] = {
    Ending.UNSOLVABLE.value: "together with the goal there is no plan for it, and that is proved",
    NOT_TRIED: "not tried, after others",
    IRREVERSIBLE: "no action brings it about again",
}
"""Reasons of what was not put back, where they are said in words of their own."""

NAMES = "name things as the scene does (`groundplan scene show SCENE`), or give the goal with --goal"

ADVICE: Mapping[str, str] = {
    "unsolvable": "change the goal; `groundplan scene show SCENE` says what there is",
    "not-found": "try another engine, --engine {other}",
    "timed-out": "give more time with --timeout, or try the whole problem in one piece (--no-split), or "
    "another engine, --engine {other}",
    "out-of-memory": "give more memory with --memory, or try another engine, --engine {other}",
    "crashed": "try again, or another engine (`groundplan engines`)",
    "unsupported": "say the goal in another way",
    "goal-drift": "say the instruction in other words, or give the goal with --goal",
    "rejected": "this is a fault of the domain pack or the planner: please report it",
    "not-understood": NAMES,
    "ambiguous": "say which one is meant, or answer the question of --ask at a terminal",
    "search-exhausted": NAMES,
    "service-failed": "give the goal with --goal, which needs no reader",
    "answer-cut": "allow more with --max-answer-tokens, or take another model",
}


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


def _of_method(record: Record) -> tuple[str, str] | None:
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
        return words[0]
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
    return MEANINGS.get(record.outcome, record.outcome)


def why_left(one: NotPutBack) -> str:
    """Say in words why something was not put back as it was found."""
    return LEFT.get(one.why) or MEANINGS[one.why]


def advice(record: Record) -> str:
    """Return advice after a run that did not end verified; empty when there is none."""
    if any(d.code.startswith("unknown-") for d in record.diagnostics if d.severity == "error"):
        return "`groundplan scene show SCENE` lists the names of the scene"
    if (words := _of_method(record)) is not None:
        return words[1]
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
    return ADVICE.get(record.outcome, "").format(other=other)
