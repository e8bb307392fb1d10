"""Method ``hybrid-looking``: a reader writes the goal of an instruction, the robot looks for what it names.

The reader sees a scene with the unobserved things that the instruction names (``supposing``), and
searches, writes and repairs as in :func:`groundplan.run`; what it wrote is planned for there, so that a goal
that cannot be reached even if everything is where it is said to be goes back to it. Then
:class:`Episode` acts in the world. Beliefs of where things are come from the similarity of names,
or with ``asks`` from the model that reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

from ...acting.acting import NOT_ALL_SEEN
from ...acting.beliefs.asking import USUAL, AskedLikelihood
from ...acting.beliefs.naming import task_priors
from ...acting.beliefs.spots import SimilarityPriors, SpotPriors
from ...acting.episode import Episode
from ...acting.policies.likely import LeastExpectedCost
from ...acting.policies.policy import Policy, Priors
from ...compiler.goals.goal import Goal, Missing
from ...domains.formula import conjunction, conjuncts, names
from ...engines.base import Budget
from ...engines.engine import Engine
from ...engines.result import NOT_PLANNED
from ...language.chat.prompt_form import version
from ...language.embedded.supposing import SOMEWHERE, Supposition, suppose, suppose_named
from ...language.questions.answering import ask
from ...language.reader import Reader, Tried
from ...language.vision.eye import TrueEye
from ...pipeline.events import Listener, ignore
from ...pipeline.hybrid import MAX_REPAIRS, REPAIRED, run
from ...pipeline.record import Record, Round
from ...pipeline.settling import EarlierGoal
from ...planners.request import Request
from ...simulator.belief import Belief
from ...simulator.sensing.hiding import with_hidden
from ..method import Limits, Tools, unsupported
from ..scene_texts import as_told, record_of
from .seeking import acted

NO_PLAN = "there is no plan for the goal read from it, even if everything is where it is said to be"
"""The reason where a goal is unsolvable in the scene in which things were supposed."""
NO_QUESTIONS = "not understood: a question is answered from what is known, and here not everything was seen"
"""The reason for which no question is answered in a world that was not seen."""


def read_instruction(
    instruction: str,
    belief: Belief,
    reader: Reader,
    engine: Engine,
    budget: Budget | None = None,
    tidy: bool = True,
    listener: Listener = ignore,
    earlier: EarlierGoal | None = None,
) -> tuple[Record, Goal | None, Supposition]:
    """Read an instruction about a world that is known in part, or have an ``earlier`` goal of it repaired.

    Return the record of reading and of planning where things were supposed, the goal that came of it, if
    any, and the supposition whose nodes it may name.
    """
    supposition = suppose(instruction, belief) if belief.unseen else Supposition(belief)
    if belief.unseen and ask(instruction, belief) is not None:
        return Record("not-understood", instruction=instruction, failures=(NO_QUESTIONS,)), None, supposition
    request = Request(supposition.belief, instruction, tidy=tidy)
    record = run(request, engine, reader, budget, listener, earlier=earlier)
    if belief.unseen and isinstance(record.goal, Missing):  # what a model names may be there, unseen
        more = suppose_named(record.goal.words, instruction, belief)
        if more.phrases.keys() > supposition.phrases.keys():
            supposition = more
            again = replace(request, belief=more.belief)
            record = run(again, engine, reader, budget, listener, earlier=earlier)
    new = record.goals[len(earlier.record.goals) if earlier is not None else 0 :]
    goal = record.goal if record.verified else _goal_that_needs_more(new)
    if not isinstance(goal, Goal):
        if record.outcome == "unsolvable":
            record = replace(record, outcome="not-found", failures=(NO_PLAN, *record.failures))
        return _in_words(record, supposition), None, supposition
    if SOMEWHERE in names(goal.formula):
        reason = f"the goal names {SOMEWHERE}, which stands for places that nobody knows"
        return replace(record, outcome="goal-error", failures=(reason,)), None, supposition
    return record, goal, supposition


def _in_words(record: Record, supposition: Supposition) -> Record:
    """Return a record whose reasons call what is supposed by the words of the instruction."""

    words = {name: f"'{phrase}' (not seen yet)" for name, phrase in supposition.phrases.items()}

    def said(reason: str) -> str:
        return re.sub(r"\w+", lambda word: words.get(word[0], word[0]), reason)

    planning = replace(record.planning, reasons=tuple(map(said, record.planning.reasons)))
    return replace(record, failures=tuple(map(said, record.failures)), planning=planning)


def _goal_that_needs_more(goals: Sequence[Round]) -> Tried | None:
    """Return the first goal that was well formed, and had no plan as far as everything was seen."""
    return next((one.goal for one in goals if NOT_ALL_SEEN in one.feedback), None)


def to_be_repaired(episode: Episode, record: Record) -> EarlierGoal | None:
    """Return the goal of an episode for its reader to repair; ``None`` where the world has not refuted it.

    ``record`` is that of its reading.
    """
    finish, number = episode.finish, sum(one.by == "repair" for one in record.goals)
    if finish is None or finish.outcome not in REPAIRED or number >= MAX_REPAIRS:
        return None
    reasons = dict.fromkeys((*finish.reasons, *episode.tries.planning.reasons))
    written = [part for part in conjuncts(episode.goal.formula) if part not in record.added]
    goal = Goal.of(conjunction(written))
    return EarlierGoal(goal, record, finish.outcome, tuple(reasons), finish.places)


@dataclass(frozen=True, slots=True)
class Instructed:
    """Acting for an instruction in a world of which movable things are hidden; places by ``policy``.

    With ``asks`` the model says where things usually are; ``descriptions`` of nodes are told of, or not. An
    ``eye``, if any, tells the robot of things.
    """

    acts: ClassVar[bool] = True
    tells_as: ClassVar[str] = "listing"
    name: str = "hybrid-looking"
    policy: Policy = field(default_factory=LeastExpectedCost)
    asks: bool = False
    descriptions: bool = True
    eye: TrueEye | None = None

    @property
    def prompts(self) -> tuple[str, ...]:
        """The names of the prompts that it asks a model with, beside the reader's."""
        return (USUAL.name,) if self.asks else ()

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Read, look and act in the true world of a request until the goal holds as far as is known."""
        record = self._looked(as_told(request, self.descriptions), tools, limits)
        return record_of(self.name, request, record)

    def _looked(self, request: Request, tools: Tools, limits: Limits) -> Record:
        reader, engine = tools.reader, tools.engine
        if reader is None or engine is None or request.instruction is None:
            return unsupported(request, f"{self.name} needs an instruction, a reader and an engine")
        if request.search_only:
            return unsupported(request, f"{self.name} acts, and does not answer where something is")
        priors = self._priors(tools, request.instruction)
        if priors is None:
            return unsupported(request, f"{self.name} needs {'a model' if self.asks else 'embeddings'}")
        start = request.belief
        if start.unseen:
            start = with_hidden(start)  # what a gold names is not known by name
        record, goal, supposition = read_instruction(
            request.instruction, start, reader, engine, limits.budget(), request.tidy, tools.listen
        )
        names_given = dict.fromkeys(supposition.phrases)
        kept = replace(record, task=request.task, method=self.name, supposed=names_given)
        if self.asks:
            prompts: dict[str, object] = {USUAL.name: version(USUAL.text(tools.own_prompts))}
            of_reader = record.usage.get("prompts")
            prompts |= of_reader if isinstance(of_reader, dict) else {}
            kept = replace(kept, usage={**record.usage, "prompts": prompts})
        if goal is None:
            return kept
        begin = partial(
            Episode,
            replace(request, belief=start, goal=goal),
            self.policy,
            engine,
            limits.budget(),
            priors=task_priors(priors, goal.formula, request.instruction),
            supposition=supposition,
        )
        kept = replace(kept, outcome="not-found", planning=NOT_PLANNED)
        world = request.world or request.belief
        return acted(kept, begin, replace(request, belief=start, world=world), limits, self.eye)

    def _priors(self, tools: Tools, instruction: str) -> Priors | None:
        if self.asks:
            model, own = tools.model, tools.own_prompts
            return SpotPriors(AskedLikelihood(model, own=own)) if model is not None else None
        return SimilarityPriors(tools.similarity, instruction) if tools.similarity is not None else None
