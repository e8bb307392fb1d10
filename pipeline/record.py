"""The record of one run: the input, the goals that were tried, the answer of planning, and what proves it.

A record is data for people and programs: outcomes, exit codes and JSON keys are fixed, keys may be added. The
same input, with a model's answers recorded, gives the same record as long as no clock or signal decided
(``reproducible``); times live apart in ``timings``, and nothing else here may be taken from a clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..acting.trajectory import NOTHING_DONE, Trajectory
from ..compiler.shown_part import CompileForm
from ..domains.diagnostic import Diagnostic
from ..domains.formula import GroundAtom
from ..domains.storage.json_record import JsonRecord, plain
from ..engines.result import NOT_PLANNED, PlanResult, metres
from ..language.questions.answering import Answer
from ..language.reader import Tried
from ..planners.tidy import NotPutBack
from ..simulator.scene import Loss
from ..simulator.step import Step
from ..simulator.verification import KeptRule
from .clarifying import Clarification
from .faults import Trigger
from .leeway import Dropped, inline
from .relaxing import Relaxed
from .understanding import Understanding

AS_READ = "this is proved of the goal read from it; that the instruction asks for this goal is not"
"""The reason beside a proof where a reader wrote the goal."""

OUTCOMES = (
    "verified",
    "unsolvable",
    "not-found",
    "timed-out",
    "out-of-memory",
    "crashed",
    "unsupported",
    "goal-error",
    "goal-drift",
    "rejected",
    "not-understood",
    "ambiguous",
    "search-exhausted",
    "service-failed",
    "cancelled",
    "answered",
    "executable",
    "out-of-budget",
    "answer-cut",
    "answer-unreadable",
    "declined",
)

EXIT_CODES: Mapping[str, int] = {
    "verified": 0,
    "answered": 0,
    "executable": 0,
    "cancelled": 130,
    "goal-error": 2,
    "not-understood": 3,
    "ambiguous": 3,
    "search-exhausted": 3,
    "answer-cut": 3,
    "answer-unreadable": 3,
    "declined": 3,
    "service-failed": 3,
}
"""Exit codes of the command line; every other outcome is 1 (no plan, with the ending and why).

A ``goal-error`` is bad input where a person wrote the goal, and a reader that failed (3) where a reader did.
"""


Origin = Literal["write", "repair"]
"""Way in which a goal came about: a reader's first answer, or a repair."""


@dataclass(frozen=True)
class Round(JsonRecord):
    """One goal that was tried, or an answer in its place, the feedback on it, and the tokens that it cost.

    ``added`` and ``dropped`` are the conjuncts that differ from the goal of the round before, where both can
    be read; the feedback of that round is the reason for the change.
    """

    goal: Tried
    feedback: tuple[str, ...] = ()
    tokens: int = 0
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    reopened: bool = False
    """True for a goal that was not judged, but searched for what it lacks."""
    fault: str = ""
    """The kind of fault for which it was turned down; empty where it was not."""
    by: Origin = "write"
    trigger: Trigger | None = None
    """The part of the pipeline that turned down the goal before, for a repair."""
    raw: str = ""
    """The text that the goal was taken out of, clipped; empty where that is the goal alone."""

    def as_json(self) -> dict[str, object]:
        return {
            "goal": str(self.goal),
            "by": self.by,
            "trigger": self.trigger,
            "diff": {"added": list(self.added), "dropped": list(self.dropped)},
            "fault": self.fault or None,
            "feedback": list(self.feedback),
            "reopened": self.reopened,
            "tokens": self.tokens,
            "raw": self.raw or None,
        }


@dataclass(frozen=True)
class PlanAttempt(JsonRecord):
    """A plan that a model wrote, for methods in which it does: its answer, the steps, and what they met.

    ``feedback`` are the words of the simulator that refused it, none where it accepted every step; ``tokens``
    are those of the answer and the request for it.
    """

    text: str
    steps: tuple[Step, ...]
    feedback: tuple[str, ...] = ()
    tokens: int = 0


@dataclass(frozen=True)
class Record:
    """The result of one run, as :func:`run` returns it: the outcome, the plan and what proves it.

    Lengths and costs are metres, here and in :meth:`as_json`; times are seconds.

    Raises ``ValueError`` for an outcome that does not exist, and for one that does not fit the plan.

    >>> from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal, run
    >>> office = ground(load_scene("office"), load_pack())
    >>> record = run(Request(office, goal=parse_goal("(robot_at pose13)")), Engine.named("pyperplan"))
    >>> record.verified, record.exit_code, record.as_json()["plan"]
    (True, 0, ['goto(pose13)'])
    """

    outcome: str
    """One of :data:`OUTCOMES`."""
    task: str | None = None
    """The id of the task, where the run was of one."""
    instruction: str | None = None
    """The instruction that a reader read."""
    goal: Tried | None = None
    """The last goal; where the last answer was no goal, that answer as text."""
    says: str | None = None
    """The last goal in English."""
    added: tuple[GroundAtom, ...] = ()
    """The conjuncts of the goal that no reader wrote: doors and switches restored, and an empty hand."""
    left: tuple[NotPutBack, ...] = ()
    """The facts that could not be restored, with the reasons."""
    dropped: tuple[Dropped, ...] = ()
    """The parts of earlier goals that the last one leaves out, since they are impossible; with the proofs."""
    relaxed: Relaxed | None = None
    """What was asked for and is impossible, where the goal is a part of it that was taken in its place."""
    clarification: Clarification | None = None
    """The question that was asked back, the readings with their prices, and the answer."""
    reading: Understanding | None = None
    """How the instruction was read."""
    answer: Answer | None = None
    """The answer to an instruction that was a question."""
    goals: tuple[Round, ...] = ()
    """The goals that were tried, with the feedback on each."""
    planning: PlanResult = NOT_PLANNED
    """The answer of planning for the last goal."""
    failures: tuple[str, ...] = ()
    """The reasons of a run that ended before planning."""
    subgraph: tuple[str, ...] = ()
    """The nodes that the search handed on."""
    trace: tuple[Mapping[str, object], ...] = ()
    """The steps of the search, in order."""
    engine: str | None = None
    """The name of the engine."""
    reader: str | None = None
    """The name of the reader."""
    usage: Mapping[str, object] = field(default_factory=dict)
    """Calls and tokens of the model, and the constraint of its answers."""
    hashes: Mapping[str, str] = field(default_factory=dict)
    """Hashes of pack and belief before and after the run: nothing but the goal changed."""
    trajectory: Trajectory = NOTHING_DONE
    """What was done in the true world, where there is one; the plan is then the last one that was made."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """The diagnostics of the last goal."""
    unplaced: tuple[str, ...] = ()
    """The things that the goal names or ranges over and whose places are not known."""
    losses: tuple[Loss, ...] = ()
    """What the file of the scene has and the scene has not."""
    engine_options: Mapping[str, object] = field(default_factory=dict)
    """The options of the engine that differ from its defaults."""
    statistics: Mapping[str, int] = field(default_factory=dict)
    """Sums over the engine's problems: ``answers``, ``plans`` of them, states ``expanded``, ``evaluated``
    and ``generated``, ``plan_length``, and ``plan_cost`` in the metric of the problems (millimetres)."""
    method: str | None = None
    """The name of the method that a comparison ran."""
    attempts: tuple[PlanAttempt, ...] = ()
    """The plans that a model wrote, for methods in which it does."""
    opened: tuple[str, ...] = ()
    """The rooms and levels above that the search expanded at some time."""
    shown: tuple[str, ...] = ()
    """The nodes that these showed, beside those of the collapsed scene."""
    invented: tuple[str, ...] = ()
    """The names outside of goals and plans that the model made up."""
    house: Mapping[str, object] = field(default_factory=dict)
    """The walk of a robot through an unexplored house."""
    compile_form: CompileForm | None = None
    """The part of the scene that problems were compiled from; ``None`` where a model wrote the plan."""
    beyond_search: tuple[str, ...] | None = None
    """The nodes of the plan that no search had shown; ``None`` where there was no search."""
    eye: Mapping[str, object] = field(default_factory=dict)
    """What the robot was told of the world in place of the truth: the eye, and how its descriptions agree."""
    supposed: Mapping[str, str | None] = field(default_factory=dict)
    """The placeholders of a reader, each with the thing that was taken for it, or ``None``."""
    timings: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Seconds by stage; records that differ in them alone are equal."""

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise ValueError(f"no outcome {self.outcome!r}")
        if (self.outcome == "verified") != self.verified:
            raise ValueError(f"outcome {self.outcome} with verified={self.verified}")
        proved = self.planning.certificate is not None or self.trajectory.exhausted
        if self.outcome == "unsolvable" and not proved:
            raise ValueError("outcome unsolvable without a certificate or the places that were looked at")
        if self.outcome == "executable" and (not self.attempts or self.attempts[-1].feedback):
            raise ValueError("outcome executable without a plan that the simulator accepted")

    @property
    def plan(self) -> tuple[Step, ...]:
        """The printed steps of the plan, or of the last one that a model wrote; empty without a plan."""
        return self.planning.steps or (self.attempts[-1].steps if self.attempts else ())

    @property
    def planned(self) -> bool:
        """True if there is a plan, which may be one without a step; an answer without one is no plan."""
        written = self.attempts[-1:]
        return self.planning.plan is not None or any(a.steps or not a.feedback for a in written)

    @property
    def executable(self) -> bool:
        """True if the simulator could carry out every step of the plan."""
        return self.planning.verification.executable or self.outcome == "executable"

    @property
    def verified(self) -> bool:
        return self.planning.verified

    @property
    def rules(self) -> tuple[KeptRule, ...]:
        """The rules of the operator: on what was done, as the robot saw it, or else on the plan."""
        return self.trajectory.rules or self.planning.verification.rules

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons for which there is no verified plan, and of what goal a proof is one."""
        read = (AS_READ,) if self.outcome == "unsolvable" and self.goal_was_read else ()
        return (*self.failures, *self.planning.reasons, *read)

    @property
    def goal_was_read(self) -> bool:
        """True if a reader wrote the goal: then all that is proved is said of the goal as it was read."""
        return None not in (self.reader, self.instruction, self.goal)

    @property
    def exit_code(self) -> int:
        if self.outcome == "goal-error" and self.reader is not None:
            return 3
        return EXIT_CODES.get(self.outcome, 1)

    def as_json(self) -> dict[str, object]:
        """The JSON of ``plan --json``; metres, and the times under ``timings``. All keys: docs/records.md."""
        planning, verification = self.planning, self.planning.verification
        actions = planning.plan or ()
        order, answer = planning.assembly.order, self.answer
        return {
            **self._under_their_names("outcome task instruction goal says added left"),
            "dropped_as_impossible": plain(self.dropped),
            **self._under_their_names("relaxed clarification reading"),
            "query": answer.query if answer is not None else None,
            "answers": [p.as_json() for p in answer.places] if answer is not None else [],
            "answer": answer.value if answer is not None else None,
            "reply": answer.words if answer is not None else None,
            "notes": list(answer.notes) if answer is not None else [],
            **self._under_their_names("goals plan"),
            "actions": [{"name": a.name, "args": list(a.args), "event": a.event} for a in actions],
            "cost": planning.cost,
            "bound": planning.bound,
            "optimal": planning.optimal,
            "metres": verification.metres,
            **self._under_their_names("executable verified"),
            "violations": plain(verification.violations),
            **(self._under_their_names("rules") if self.rules else {}),
            **self._under_their_names("subgraph trace engine engine_options statistics reader usage hashes"),
            **self.trajectory.as_json(),
            "diagnostics": [d.as_json() for d in self.diagnostics],
            **self._under_their_names("unplaced losses reasons"),
            "mode": planning.assembly.mode,
            "why": planning.assembly.reason,
            "errands": list(planning.assembly.subgoals),
            "order_cost": metres(order.cost if order else None),
            "order_bound": metres(order.bound if order else None),
            "order_gap": round(order.gap, 4) if order else None,
            "solver": planning.assembly.solver,
            "proof": planning.proof,
            "certificate": inline(planning.certificate),
            "reproducible": planning.reproducible,
            "cut_off": list(planning.cut_off),
            **self._under_their_names("method attempts opened shown compile_form beyond_search invented"),
            **self._under_their_names("house supposed eye timings"),
        }

    def _under_their_names(self, names: str) -> dict[str, object]:
        return {name: plain(getattr(self, name)) for name in names.split()}


def shares_of_time(engine: Mapping[str, float], planning: float) -> dict[str, float]:
    """Return the engine's seconds, what it says of them, and the seconds of planning that were our own."""
    if not engine:
        return {}
    inside = {f"engine_{key}": seconds for key, seconds in engine.items() if key != "engine"}
    within = engine.get("engine", 0.0)
    return {"engine": within, **inside, "own": max(0.0, planning - within)}
