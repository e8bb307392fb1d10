"""Votes: a reader's answers drawn at random, of which the goal that most of them mean is planned for.

    answers -> dropped (unreadable, missing, hidden names, turned down by the check)
            -> candidates: goals that ask for the same, compared by meaning
            -> judged, the one with most votes first, until one has a verified plan

or, where the reader is asked to choose, all candidates are judged, and those with a plan are said back in
words. What check, planner or simulator turns down cannot win, however often it was answered. Of equally many
votes the reader's own first answer counts more, then the answer that came first. The rule may be changed;
an answer's text must never decide, and nothing wins that was not judged like any other goal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..compiler.comparison.equivalence import classes
from ..compiler.goals.goal import Goal
from ..language.reader import Choosing, ReaderError, Sampler, Written
from ..simulator.belief import Belief
from ..simulator.scene import Scene

Judge = Callable[[Goal], str]
"""Judgement of a goal: the outcome of check, planning and simulation."""
Ask = Callable[[Sequence[Goal]], int | None]
"""Question which of some goals is meant: an index, or ``None`` for no clear answer."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Goal of one or several answers that ask for the same.

    ``answers`` are the numbers of these answers: 0 for the reader's own, then the seeds. ``outcome`` is what
    the goal came to, empty where it was not judged.
    """

    goal: Goal
    answers: tuple[int, ...]
    outcome: str = ""

    def as_json(self) -> dict[str, object]:
        return {"goal": str(self.goal), "answers": list(self.answers), "outcome": self.outcome or None}


@dataclass(frozen=True, slots=True)
class Vote:
    """Result of a vote. ``candidates`` are in the order in which they were to be judged.

    ``dropped`` are the numbers of the answers that are no candidates, each with the kind of its fault.
    ``chosen`` is an index of ``candidates``, ``None`` where none was verified; ``by`` says how it was chosen.
    ``stopped`` says why fewer answers were drawn than asked for, or why nobody could be asked to choose.
    """

    number: int
    candidates: tuple[Candidate, ...] = ()
    dropped: Mapping[int, str] = field(default_factory=dict)
    chosen: int | None = None
    by: Choosing = "votes"
    stopped: str = ""

    @property
    def winner(self) -> Candidate | None:
        return self.candidates[self.chosen] if self.chosen is not None else None

    @property
    def share(self) -> float | None:
        """The share of all answers that mean the goal chosen, those that were dropped included.

        ``None`` for no winner, and for one answer alone, which agrees with nothing.
        """
        if self.winner is None or self.number == 1:
            return None
        return round(len(self.winner.answers) / self.number, 4)

    def as_json(self) -> dict[str, object]:
        return {
            "answers": self.number,
            "candidates": [c.as_json() for c in self.candidates],
            "dropped": [{"answer": n, "fault": fault} for n, fault in self.dropped.items()],
            "chosen": self.chosen,
            "by": self.by,
            "share": self.share,
            "stopped": self.stopped or None,
        }


def drawn(
    sampler: Sampler, first: Written, instruction: str, subgraph: Scene
) -> tuple[dict[int, Written], str]:
    """Return the answers of a reader by number, and why the drawing ended early, if it did.

    A limit of the run ends it, and a service that fails: what was drawn by then is worth no less. Raises
    :class:`ReaderError` for an answer that a recording lacks.
    """
    answers = {0: first}
    try:
        for seed in range(1, sampler.voting.votes + 1):
            answers[seed] = sampler.sample(instruction, subgraph, seed)
    except ReaderError as error:
        return answers, _why(error)
    return answers, ""


def asked(
    sampler: Sampler, instruction: str, subgraph: Scene, goals: Sequence[Goal]
) -> tuple[int | None, str]:
    """Ask a reader which of some goals is meant; ``None`` for no clear answer, with what kept it from one.

    As with :func:`drawn`, neither a limit of the run nor a service that fails is an error here.
    """
    try:
        return sampler.choose(instruction, subgraph, goals), ""
    except ReaderError as error:
        return None, _why(error)


def _why(error: ReaderError) -> str:
    """Return why a vote is cut short. Raises the error of a recording: that is not the one of this run."""
    if error.not_recorded:
        raise error
    return str(error)


def hold(
    answers: Mapping[int, Written],
    fault: Callable[[Written], str],
    judge: Judge,
    belief: Belief,
    ask: Ask | None = None,
) -> Vote:
    """Hold a vote between answers, by number.

    ``fault`` names why an answer cannot be a candidate, and is empty for one that can. ``belief`` is what
    the goals that are left are compared over. With ``ask`` the candidates that are verified are asked about,
    where there are several; without a clear answer the votes decide.
    """
    faults = {number: fault(written) for number, written in answers.items()}
    dropped = {number: why for number, why in faults.items() if why}
    goals = {n: w for n, w in answers.items() if n not in dropped and isinstance(w, Goal)}
    numbers = list(goals)
    groups = [
        tuple(numbers[i] for i in group) for group in classes([g.formula for g in goals.values()], belief)
    ]
    groups.sort(key=lambda group: (-len(group), group[0]))
    judged: list[Candidate] = []
    verified: list[int] = []
    for group in groups:
        goal = goals[group[0]]
        outcome = judge(goal) if ask is not None or not verified else ""
        if outcome == "verified":
            verified.append(len(judged))
        judged.append(Candidate(goal, group, outcome))
    chosen = verified[0] if verified else None
    if ask is not None and len(verified) > 1:
        choice = ask([judged[i].goal for i in verified])
        if choice is not None:
            return Vote(len(answers), tuple(judged), dropped, verified[choice], "asked")
    return Vote(len(answers), tuple(judged), dropped, chosen)
