"""The hybrid pipeline: a reader searches and writes a goal; check, planner and simulator do the rest.

    given goal:   settle (check, plan, observe, and plan again where the world differs)        -> Record
    instruction:  _search -> _write -> settle -> _repair, as long as that helps                -> Record

Goals are settled in ``settling``; what a run keeps is in one ``RunState``. The limits and :data:`REPAIRED`
may be changed. Must stay: the reader changes the goal and nothing else (hashes of the pack and of the belief,
the scene as the robot knows it, are taken before and after and stored), and three kinds of failure are kept
apart:

- a *goal fault* (no goal, check failed, so already, unsolvable, no plan found) goes back to the reader with
  the feedback, at most :data:`MAX_REPAIRS` times; a repair that asks for less than the first well-formed goal
  is goal drift and ends the run, but for parts that are proved impossible (``leeway``), and so does any later
  goal that loses a constraint on the run;
- a *belief fault* (the true world is not as believed) is observed on the way, the belief is updated and the
  same goal planned again from the state that was reached;
- a *domain fault* (planner and simulator disagree although belief and world are the same) ends the run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property, partial

from ..compiler.certificates.constraints import rules_hash
from ..compiler.goals.goal import Goal, Missing
from ..compiler.shown_part import beyond_search
from ..domains.deadline import LimitReached, limited, paused
from ..domains.formula import conjuncts, names
from ..engines.base import Budget
from ..engines.engine import Engine
from ..language.reader import (
    Ambiguity,
    History,
    NotUnderstood,
    Reader,
    ReaderError,
    Readings,
    SearchResult,
    Tried,
    Unreadable,
    Written,
)
from ..planners.classical import cut_off
from ..planners.request import ALL_STAGES, Request, Stages
from ..simulator.belief import Belief
from ..simulator.scene import Scene
from ..simulator.view import View
from .clarifying import Answerer, clarification, in_several_ways
from .events import GoalRelaxed, GoalWritten, Listener, SearchDone, ignore
from .faults import DOUBTED, NOT_SHOWN, SHOWN, Trigger, fault_of, fault_of_doubts, trigger_of
from .leeway import Dropped, Leeway
from .record import Origin, Record, Round, shares_of_time
from .relaxing import relaxed
from .reviewing import IMPOSSIBLE, GoalReview
from .settling import (
    SO_ALREADY,
    EarlierGoal,
    Pipeline,
    RunState,
    Verdict,
    can_be_planned_for,
    without_a_goal,
)
from .subgraph import looked_for_in, opened_for, shows_more
from .understanding import goal_in_words, place_in_words, understanding

NOTHING_LEFT = "nothing was found that can be had of it"
"""The reason for which a goal that may be relaxed is not."""
MAX_REPAIRS = 5
"""Repairs of one goal, as many as SayPlan's replans (section 5.2)."""
REPAIRED = frozenset(("goal-error", "answer-cut", "unsolvable", "not-found", "search-exhausted"))
"""Outcomes of one goal after which the reader is asked for another."""
MAX_RAW = 2000
"""Characters that are kept of an answer out of which a goal was taken."""
MAX_SEARCHES = 3
"""Searches in one run: the first, and those that a goal with something missing asks for."""
MAX_LOOKS = 6
"""Searches in one run for kinds of things without which there is no plan, while each shows something new."""

NOT_OPENED = "the goal names {}, which was never opened"
MOST_SHOWN = 6
"""Most things that are listed for a reader that looks for what it was shown."""


class Cancelled(KeyboardInterrupt):
    """Ctrl-C during a run; ``record`` has what there was by then, with the outcome *cancelled*."""

    def __init__(self, record: Record) -> None:
        self.record = record
        super().__init__("the run was cancelled")


def run(
    request: Request,
    engine: Engine,
    reader: Reader | None = None,
    budget: Budget | None = None,
    listener: Listener = ignore,
    clock: Callable[[], float] = time.perf_counter,
    stages: Stages = ALL_STAGES,
    earlier: EarlierGoal | None = None,
    answer: Answerer | None = None,
) -> Record:
    """Search, write a goal, check it, plan, verify, and repair the goal while that helps; return the record.

    ``engine`` plans. ``reader`` turns the instruction of the request into a goal; with a goal given none is
    needed. ``budget`` limits all of the run but the reader's work (30 s), and the memory of engines (2048
    MB). ``listener`` gets an event after each stage, ``clock`` gives the seconds for the timings. ``stages``
    are those of the pipeline that run: all, but in measurements of what each is worth. With an ``earlier``
    goal, of which the world has shown that it is wrong, the reader is asked for its repair at once.
    ``answer`` answers the question of a request that may ``ask``.

    An instruction that cannot be read, a goal without a plan and an engine that fails are outcomes of the
    record, not exceptions. Raises ``ValueError`` when there is neither a goal nor an instruction with a
    reader, and :class:`Cancelled`, which has the record so far, for Ctrl-C.

    >>> from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal, run
    >>> office = ground(load_scene("office"), load_pack())
    >>> record = run(Request(office, goal=parse_goal("(holding banana2)")), Engine.named("pyperplan"))
    >>> record.outcome, str(record.plan[-1])
    ('verified', 'pickup(banana2)')
    """
    state = RunState(request.belief)
    feedback = state.take_up(earlier) if earlier is not None else ()
    limits = budget or Budget()
    if request.goal is not None:
        reader = None
    elif request.search_only and reader is not None and reader.traits.variants is not None:
        reader = reader.traits.variants.for_answers()
    pipeline = Pipeline(request, engine, limits, listener, clock, state, stages)
    before: Mapping[str, str] = {}
    tally = deepcopy(engine.tally)

    def recorded(verdict: Verdict) -> Record:
        hashes = {f"{name}_before": value for name, value in before.items()}
        if before:
            hashes |= {f"{name}_after": value for name, value in given_hashes(request).items()}
        meter = reader.meter if reader is not None else None
        spent = engine.tally.since(tally)
        return Record(
            verdict.outcome,
            task=request.task,
            instruction=request.instruction,
            goal=verdict.goal,
            says=goal_in_words(verdict.goal, request.belief),
            added=verdict.added,
            left=verdict.left,
            reading=understanding(verdict.read, verdict.goal, reader),
            answer=verdict.answer,
            goals=tuple(state.rounds),
            planning=verdict.planning,
            failures=verdict.failures,
            subgraph=state.subgraph,
            trace=tuple(state.trace),
            opened=tuple(state.opened),
            shown=tuple(state.shown),
            engine=engine.name,
            engine_options=engine.options.as_json(),
            statistics=spent.counts,
            reader=reader.name if reader is not None and verdict.answer is None else None,
            usage=meter.as_json() if meter is not None else {},
            hashes=hashes,
            trajectory=state.trajectory,
            diagnostics=verdict.diagnostics,
            unplaced=state.unplaced,
            dropped=_dropped(verdict, state),
            relaxed=state.relaxed,
            clarification=state.clarification,
            losses=request.belief.scene.losses,
            compile_form=pipeline.compile_form,
            beyond_search=(
                beyond_search(verdict.planning.names, request.belief.scene, state.shown)
                if state.searches
                else None
            ),
            timings=state.timings | shares_of_time(spent.seconds, state.timings.get("plan", 0.0)),
        )

    try:
        with limited(limits.seconds):
            before = given_hashes(request)
            if request.goal is not None:
                verdict = pipeline.settle(pipeline.audit(request.goal))
            elif reader is not None and request.instruction is not None:
                verdict = _Conversation(pipeline, state, reader, request.instruction, feedback, answer).hold()
            else:
                raise ValueError("a goal, or an instruction and a reader, is needed")
            if request.relax:
                verdict = _relaxed(verdict, pipeline)
    except LimitReached as cut:  # before there was a goal to settle
        verdict = Verdict(cut.ending.value, request.goal, planning=cut_off(cut))
    except KeyboardInterrupt as interrupt:
        raise Cancelled(recorded(Verdict("cancelled", request.goal))) from interrupt
    return recorded(verdict)


def _relaxed(verdict: Verdict, pipeline: Pipeline) -> Verdict:
    """Settle what can be had of a goal that is impossible; return the verdict itself where nothing can."""
    state, goal = pipeline.state, verdict.goal
    if verdict.outcome not in IMPOSSIBLE or verdict.failures == (SO_ALREADY,) or not isinstance(goal, Goal):
        return verdict
    if not can_be_planned_for(pipeline.audit(goal).report):
        return verdict
    state.relaxed = relaxed(goal, state.belief, pipeline.engine, pipeline.budget)
    if state.relaxed is None:
        return replace(verdict, failures=(*verdict.failures, NOTHING_LEFT))
    pipeline.listener(GoalRelaxed(state.relaxed))
    state.leeway = Leeway([goal], list(state.relaxed.conflicts))
    return replace(pipeline.settle(pipeline.audit(state.relaxed.correction.goal)), read=verdict.read)


def _dropped(verdict: Verdict, state: RunState) -> tuple[Dropped, ...]:
    """Return what the last goal leaves out, as impossible."""
    return state.leeway.dropped(verdict.goal, state.belief) if isinstance(verdict.goal, Goal) else ()


def given_hashes(request: Request) -> Mapping[str, str]:
    """Hashes of the pack, of the belief that the run was given, and of its rules; not of observations."""
    rules = rules_hash(request.belief.rules)
    own = {"pack": request.belief.pack.hash, "belief": request.belief.scene.hash}
    return own if rules is None else own | {"rules": rules}


def _already_shown(missing: str, nodes: Sequence[str], belief: Belief) -> Verdict:
    """Turn down a request to look for what is shown, and say where it is."""
    where = "; ".join(place_in_words(node, belief) for node in nodes[:MOST_SHOWN])
    return Verdict("search-exhausted", Missing(missing), (f"{missing} is shown: {where}",))


@dataclass(frozen=True)
class _Draft:
    """Answer of a reader in one round, over what its search chose.

    ``trigger`` is what a repair is for. ``missing`` says what the goal names and the search does not have;
    ``looked`` is the search for that, which showed nothing new, and ``None`` where none was made.
    """

    written: Written
    by: Origin
    search: SearchResult
    trigger: Trigger | None = None
    missing: str = ""
    looked: SearchResult | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        """Nodes that were missing and are shown already."""
        return self.looked.shown if self.looked is not None else ()


@dataclass(frozen=True)
class _Conversation:
    """The reader's part: from an instruction to goals, until one is settled."""

    pipeline: Pipeline
    state: RunState
    reader: Reader
    instruction: str
    feedback: tuple[str, ...] = ()
    """The reasons for which an earlier goal has to be repaired."""
    answer: Answerer | None = None

    @cached_property
    def _review(self) -> GoalReview:
        return GoalReview(self.pipeline, self.reader.traits)

    def hold(self) -> Verdict:
        """Search, write, and repair as long as that helps; ask first, where that is allowed and needed."""
        try:
            clarifier = self.reader.traits.clarifier if self.pipeline.request.ask else None
            if clarifier is None or self.state.rounds or self._early is not None:
                return self._until_settled()
            ambiguity = clarifier.ambiguity(self.instruction, self.state.belief)
            if isinstance(ambiguity, NotUnderstood):
                self.pipeline.listener(GoalWritten(ambiguity))
                return Verdict("not-understood", failures=(str(ambiguity),))
            return self._until_settled() if ambiguity is None else self._asked(ambiguity)
        except ReaderError as error:
            if error.partial_search is not None:
                self.state.note(error.partial_search)
            return Verdict(error.outcome, failures=(str(error),))

    @cached_property
    def _early(self) -> Verdict | None:
        """The verdict for which no goal is written, if there is one."""
        search_only, forgets = self.pipeline.request.search_only, self.reader.traits.forgets
        return without_a_goal(self.instruction, self.state.belief, search_only, forgets)

    def _asked(self, ambiguity: Ambiguity, search: SearchResult | None = None) -> Verdict:
        """Ask which reading is meant, and settle its goal; nothing is planned for without an answer."""
        state, pipeline = self.state, self.pipeline
        with state.timed("plan", pipeline.clock):
            question = clarification(ambiguity, state.belief, pipeline.engine, pipeline.budget)
        with paused():
            number = self.answer(question) if self.answer is not None else None
        state.clarification = question = replace(question, answer=number)
        if question.chosen is None:
            return Verdict("ambiguous", failures=(question.question,))
        goal = question.chosen.goal
        if search is None:  # nothing was looked for yet
            view = View.first(state.belief.scene)
            shown = tuple(n for n in dict.fromkeys(names(goal.formula)) if n in state.belief.scene.nodes)
            search = opened_for(SearchResult("found", shown, view))
            state.searches = 1
            state.note(replace(search, subgraph=tuple(n for n in shown if n in search.view.ids)))
        pipeline.listener(GoalWritten(goal))
        audit = pipeline.audit(goal, self.reader.traits.place)
        verdict = replace(pipeline.settle(audit), read=audit)
        self._close_round(_Draft(goal, "write", search), verdict.feedback, "")
        return verdict

    def _until_settled(self) -> Verdict:
        """Have goals written and judged, one a round, until one is settled or a repair changes nothing."""
        first = self._first_draft()
        if isinstance(first, Verdict):
            return first
        draft = first
        verdict: Verdict | None = None
        most = MAX_REPAIRS if self.pipeline.stages.repair else 0
        for repairs in range(most + 1):
            completed = self._with_what_it_names(draft)
            if isinstance(completed, Verdict):
                return completed
            draft, done = completed, self.state.trajectory
            if isinstance(draft.written, NotUnderstood):
                self.pipeline.listener(GoalWritten(draft.written))
                verdict = verdict or Verdict("declined" if draft.written.declined else "not-understood")
                return replace(verdict, failures=(*verdict.failures, str(draft.written)))
            self.pipeline.listener(GoalWritten(draft.written))
            verdict, draft = self._judged(draft.written, draft)
            over = repairs == most or self.pipeline.engine.exhausted
            if verdict.outcome not in REPAIRED or self._repeats(draft) or over:
                break
            trigger = trigger_of(self.state.rounds[-1].fault, acted=self.state.trajectory != done)
            search = self._as_it_is_now(draft.search)
            draft = _Draft(self._repair(search, verdict.feedback), "repair", search, trigger)
        assert verdict is not None
        return verdict

    def _first_draft(self) -> _Draft | Verdict:
        """Search, and have a goal written, or an earlier one repaired; else return why there is none."""
        if self.state.rounds:
            self.state.searches = 1
            view = View.first(self.state.belief.scene)
            search = opened_for(SearchResult("found", self.state.subgraph, view), tuple(self.state.opened))
            self.state.revealed = search.scene
            return _Draft(self._repair(search, self.feedback), "repair", search, "simulator")
        if self._early is not None:
            return self._early
        self.state.searches = 1
        search = self._search(View.first(self.state.belief.scene), "")
        if search.outcome != "found":
            return Verdict(search.outcome, failures=(search.reason,) if search.reason else ())
        if self.pipeline.request.search_only:
            return Verdict("answered")
        if not self.pipeline.request.ask or self.reader.traits.readings is None:
            return _Draft(self._write(search), "write", search)
        made, search = self._readings(self.reader.traits.readings, search)
        return self._asked(made, search) if isinstance(made, Ambiguity) else _Draft(made, "write", search)

    def _with_what_it_names(self, draft: _Draft) -> _Draft | Verdict:
        """Search again for what a goal names and the search has not shown, and have the goal written again.

        The verdict is that of a search that failed.
        """
        looked_for: set[str] = set()
        while sought := looked_for_in(draft.written, draft.search):
            missing = sought if isinstance(draft.written, Missing) else NOT_OPENED.format(sought)
            if self.state.searches >= MAX_SEARCHES or sought in looked_for:
                return replace(draft, missing=missing)
            looked_for.add(sought)
            again = self._search_again(draft, sought, missing)
            if again.outcome != "found":
                return Verdict(again.outcome, failures=(again.reason, missing))
            if not shows_more(again, draft.search):  # the same request would get the same answer
                return replace(draft, missing=missing, looked=again)
            draft = _Draft(self._write(again), "write", again)
        return draft

    def _judged(self, written: Tried, draft: _Draft) -> tuple[Verdict, _Draft]:
        """Judge the goal of one round, again with what was found for it, and close the round."""
        if draft.shown:
            verdict = _already_shown(draft.missing, draft.shown, self.state.belief)
        else:
            verdict = self._judge(written, draft)
        fault = fault_of(written, verdict.outcome, verdict.diagnostics, bool(draft.missing))
        if verdict.doubts:
            fault = fault_of_doubts(verdict.doubts)
            if any(turn.fault in DOUBTED for turn in self.state.rounds):  # once is enough
                verdict = replace(verdict, outcome="not-understood")
        fault = SHOWN if draft.shown else NOT_SHOWN if verdict.lacking else fault
        search: SearchResult | None = None
        try:
            search = self._look_for(verdict.lacking, draft.search)
        finally:
            self._close_round(draft, verdict.feedback, fault, reopened=search is not None)
        return (verdict, draft) if search is None else self._judged(written, replace(draft, search=search))

    # The reader's calls

    def _search(self, view: View, reason: str) -> SearchResult:
        with self.state.timed("search", self.pipeline.clock), paused():
            result = self.reader.search(self.instruction, view, reason)
        self.pipeline.listener(SearchDone(result))
        self.state.note(result)
        return result

    def _search_again(self, draft: _Draft, sought: str, missing: str) -> SearchResult:
        """Take the search up again; the answer that asks for it is closed, unless nothing new is shown."""
        written, search = draft.written, draft.search
        assert not isinstance(written, NotUnderstood), "what was not understood lacks nothing"
        again: SearchResult | None = None
        try:
            self.state.searches += 1
            again = self._search(search.view, sought)
        finally:
            if again is None or again.outcome != "found" or shows_more(again, search):
                self._close_round(draft, (missing,), fault_of(written, "", hidden=True), reopened=True)
                self.state.leeway.incomplete += [written] if isinstance(written, Goal) else []
        return again

    def _look_for(self, kinds: Sequence[str], search: SearchResult) -> SearchResult | None:
        """Take the search up again for kinds of things; return the last that showed something new."""
        last: SearchResult | None = None
        state = self.state
        for kind in kinds:
            if kind in state.in_vain or len(state.looked_for) == MAX_LOOKS:
                continue
            state.looked_for.append(kind)
            before = len(state.shown)
            again = self._search((last or search).view, kind)
            if len(state.shown) > before:
                last = again
            else:
                state.in_vain.add(kind)
        return last

    def _write(self, search: SearchResult) -> Written:
        self.state.revealed = scene = search.scene
        with self.state.timed("write", self.pipeline.clock), paused():
            return self.reader.write(self.instruction, scene)

    def _readings(
        self, write: Callable[[str, Scene], Readings], search: SearchResult
    ) -> tuple[Written | Ambiguity, SearchResult]:
        """Have all readings written at once, and again with what they name and was not shown."""
        while True:
            self.state.revealed = search.scene
            with self.state.timed("write", self.pipeline.clock), paused():
                readings = write(self.instruction, search.scene)
            goals = [one for one in readings.written if isinstance(one, Goal)]
            formed = (goal for goal in goals if self.pipeline.audit(goal).report.ok)
            sought = ", ".join(dict.fromkeys(filter(None, (looked_for_in(g, search) for g in formed))))
            if not sought or self.state.searches >= MAX_SEARCHES:
                break
            self.state.searches += 1
            again = self._search(search.view, sought)
            if again.outcome != "found" or not shows_more(again, search):
                break
            search = again
        stands = partial(self._review.is_reading, search)
        return in_several_ways(readings, self.state.belief, stands), search

    def _repair(self, search: SearchResult, feedback: tuple[str, ...]) -> Written:
        history = History(self.instruction, search.scene, self.state.attempts())
        with self.state.timed("repair", self.pipeline.clock), paused():
            return self.reader.repair(history, feedback)

    def _as_it_is_now(self, search: SearchResult) -> SearchResult:
        """Return what a search showed, as the robot knows it now."""
        scene = self.state.belief.scene
        if scene is search.view.scene:
            return search
        search = replace(search, view=View(scene, search.view.expanded, search.view.memory))
        self.state.revealed = opened_for(search).scene
        return opened_for(search)

    def _judge(self, written: Tried, draft: _Draft) -> Verdict:
        """Settle one answer of the reader."""
        match written:
            case Missing(words):
                more = f"no more than {MAX_SEARCHES} searches are made"
                if draft.looked is not None or any(r.goal == written for r in self.state.rounds):
                    more = "searching for it found none"
                return Verdict("search-exhausted", written, (f"the scene shows no {words}, and {more}",))
            case Unreadable(_, feedback, cut):
                return Verdict("answer-cut" if cut else "goal-error", written, (feedback,))
            case Goal():
                audit = self.pipeline.audit(written, self.reader.traits.place)
                return self._review.settle(audit, draft.missing)

    def _close_round(
        self, draft: _Draft, feedback: tuple[str, ...], fault: str, reopened: bool = False
    ) -> None:
        """Keep one goal for the record, with what changed against the goal of the round before."""
        state, written = self.state, draft.written
        assert not isinstance(written, NotUnderstood), "what was not understood is no goal"
        new = tuple(map(str, conjuncts(written.formula))) if isinstance(written, Goal) else ()
        old, state.conjuncts = state.conjuncts, new
        both = bool(state.rounds and old and new)
        added = tuple(c for c in new if c not in old) if both else ()
        dropped = tuple(c for c in old if c not in new) if both else ()
        wrapped = isinstance(written, Goal) and written.source.strip() != str(written)
        raw = written.source[:MAX_RAW] if isinstance(written, Goal) and wrapped else ""
        by, trigger = draft.by, draft.trigger
        state.rounds.append(
            Round(written, feedback, self._tokens(), added, dropped, reopened, fault, by, trigger, raw)
        )

    def _tokens(self) -> int:
        """Count the tokens of the goals that were written since the last round."""
        spent = self.reader.meter.spent("goal", "readings", "repair") if self.reader.meter is not None else 0
        since, self.state.counted_tokens = spent - self.state.counted_tokens, spent
        return since

    def _repeats(self, draft: _Draft) -> bool:
        """Return whether the last goal was judged before, or asks once more for what no search shows."""
        *earlier, latest = self.state.rounds
        if isinstance(latest.goal, Missing):
            before_it = [r.goal for r in earlier if isinstance(r.goal, Missing) and r.fault == latest.fault]
            return latest.goal in before_it or bool(before_it and draft.looked is not None)
        *before, last = self.state.attempts()
        return str(last.goal) in {str(a.goal) for a in before}
