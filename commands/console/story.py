"""A run told in the terminal, stage by stage: instruction, search, goal, plan, verification, robot program.

Search, goal and observations are printed as soon as they are there, so that a long search is not a blank
screen; plan, verification and program come at the end. The last line must stay (``verified: N steps, M
metres`` from ``terminal.closing``, with the goal in words and the instruction where a reader wrote the goal,
and what that leaves out as impossible; ``answered:`` for a question; or the outcome and its meaning, on
standard error where there is no answer at all); the rest of the layout may be changed. A new event needs a
case in ``_show``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from ...acting.trajectory import Observation
from ...compiler.goals.goal import Goal, Missing
from ...compiler.goals.unplaced import left_out
from ...domains.diagnostic import Diagnostic, has_errors
from ...domains.errors import clip
from ...domains.formula import And, Atom, names
from ...language.chat.servers.model import ChatRequest, Reply
from ...language.questions.answering import Answer
from ...language.reader import (
    ModelAsked,
    NotUnderstood,
    ReaderEvent,
    ReplyPiece,
    SearchResult,
    SearchStep,
    Unreadable,
    Written,
)
from ...language.sentences.saying import say
from ...pipeline.clarifying import Clarification
from ...pipeline.events import (
    Checked,
    Event,
    GoalRelaxed,
    GoalWritten,
    MoveRefused,
    Observed,
    PlanJudged,
    Planned,
    PutBack,
    SearchDone,
)
from ...pipeline.record import Record
from ...pipeline.relaxing import Relaxed
from ...planners.tidy import NotPutBack
from ...robot.program import Program
from ...simulator.belief import Belief
from ...simulator.scene import Scene
from ...simulator.verification import KeptRule
from ...simulator.view import View
from ..case import Case
from ..kinds import beside, classes_of
from .conversation import show_by_model, show_call, show_judged
from .diagnostics import show_diagnostics
from .house import show_house
from .itinerary import Entry, errands, itinerary
from .losses import reading_note
from .outcomes import advice, meaning, why_left
from .pretty import pretty
from .terminal import BAD, GOOD, HEAD, NAME, QUIET, UNSURE, Piece, Screen, closing, number_of
from .tree import closed, open_tree, picture, sizes, tree

NEXT_STAGE = {
    SearchDone: "writing the goal",
    GoalWritten: "checking the goal",
    Checked: "planning",
    Planned: "verifying",
    Observed: "acting",
}
"""What is done next after an event, as the spinner says it."""


@dataclass(frozen=True, slots=True)
class RunInput:
    """The input of a run: an instruction for a reader, or the text of a goal and where it comes from."""

    instruction: str | None
    goal: str | None
    where: str = "goal"


def show_rules(screen: Screen, rules: Sequence[KeptRule]) -> None:
    """Print each rule of the operator, whether the run kept it, and what broke it where."""
    breakers = {"start": "the scene as it was given", "robot": "the robot", "others": "others"}
    for one in rules:
        sign: Piece = ("✓ ", GOOD) if one.kept else ("✗ ", UNSURE)
        words = ", a rule" if one.kept else ", a rule that the run leaves due"
        if one.broken_by is not None:
            words = f", a rule: broken by {breakers[one.broken_by]}"
            words += f", seen after step {one.broken_at}" if one.broken_at else ", seen at the start"
        screen.line((one.rule, NAME), (words, QUIET if one.kept else UNSURE), prefix=["  ", sign])


def show_put_back(
    screen: Screen, belief: Belief, added: tuple[Atom, ...], left: tuple[NotPutBack, ...]
) -> None:
    """Say what was added to the goal to leave it as found, and what could not be."""
    if added:
        screen.line(say(And(added), belief), prefix=["  ", ("put back as found: ", QUIET)])
    for one in left:
        fact = belief.pack.words(one.fact.predicate, one.fact.args, True)
        screen.line(("not put back: ", UNSURE), f"{fact}: {why_left(one)}", prefix=["  "])


class Story:
    """Story of one run as it goes on. Errors go to standard error, everything else to standard output."""

    def __init__(self, case: Case, run_input: RunInput, reader: str | None, method: str = "") -> None:
        self.case, self.input, self.reader = case, run_input, reader
        self.screen = Screen()
        self.source = run_input.goal or ""
        self.rounds = 0
        self.written = ""
        self.trouble: tuple[str, ...] = ()
        self.asked = False
        self.sums: Sequence[str] = ()
        scene = case.belief.scene
        task = f", task {case.task.id}" if case.task is not None else ""
        self.screen.line((run_input.instruction or "A goal from the command line", HEAD))
        self.screen.line(
            (f"in {scene.name}{task}: {sizes(scene)}; the robot is at {case.belief.start}", QUIET)
        )
        if method:
            by = f", with {reader}" if reader is not None and run_input.goal is None else ""
            self.screen.line((f"{method}{by}", QUIET), prefix=[("method ", QUIET)])
        if note := reading_note(scene):
            self.screen.line((note, UNSURE))
        if (
            run_input.goal is not None
            and case.task is not None
            and not method
            and run_input.where.startswith("gold")
        ):
            note = "Planning for the gold goal of the task; --reader embedded reads its instruction instead."
            self.screen.line((note, UNSURE))

    def called(self, number: int, request: ChatRequest, reply: Reply) -> None:
        """Print a call of a method's model."""
        self.written = ""
        show_call(self.screen, number, request, reply)
        self.screen.progress("working on the answer", ())

    def working(self) -> AbstractContextManager[object]:
        """Show the stage of the run and its seconds, as long as the context lasts."""
        return self.screen.busy("searching" if self.input.goal is None else "checking the goal")

    def tell(self, event: Event | ReaderEvent) -> None:
        """Print the result of a stage, or show the progress of a reader."""
        self._show(event)
        if (stage := NEXT_STAGE.get(type(event))) is not None:
            self.screen.progress(stage, ())

    def _show(self, event: Event | ReaderEvent) -> None:
        match event:
            case SearchDone(search):
                self._search(search)
            case GoalWritten(written):
                self._answer(written)
            case GoalRelaxed(relaxed):
                self._relaxed(relaxed)
            case Checked(diagnostics):
                self._check(diagnostics)
            case Observed(observation):
                self._observed(observation)
            case PutBack(_, added, left):
                show_put_back(self.screen, self.case.belief, added, left)
            case Planned(result):
                self.trouble = result.reasons
            case PlanJudged() | MoveRefused():
                show_judged(self.screen, event)
            case View():
                self.screen.progress("searching ...", picture(event))
            case SearchStep(command, node):
                self.screen.progress(f"{command} {node}".strip())
            case ModelAsked(purpose):
                self.written = ""
                self.screen.progress(f"asking the model: {purpose}" if purpose else "asking the model")
            case ReplyPiece(text):
                self.written += text
                self.screen.progress(f"writing: {self.written[-60:]}")
            case _:
                assert_never(event)

    # Stages

    def _search(self, search: SearchResult) -> None:
        scene = self.case.belief.scene
        opened = [n for n in search.view.memory if scene.nodes[n].type == "room"]
        rooms = len(scene.by_type.get("room", ()))
        self._reasons()
        requested = any(step.tokens for step in search.trace) or str(self.reader).startswith("embedded")
        by = str(self.reader) if requested else "the words of the instruction, without a request"
        self.screen.heading("Search", f"by {by}: {len(opened)} of {rooms} rooms opened")
        if search.outcome != "found":
            self.screen.line((f"opened: {', '.join(opened) or 'none'}", QUIET), prefix=["  "])
            return
        # A model passes on all that is visible: closed rooms, poses and the agent are not worth lines then.
        view = search.view
        beside = {n.id for n in view.visible if n.type in ("pose", "agent")} | set(view.closed)
        passed_on = beside.issubset(search.subgraph)
        chosen = [n for n in search.subgraph if not passed_on or n not in beside]
        kept = {i for node in chosen for i in (node, *scene.ancestors(node))}
        empty = [n for n in view.memory if n not in kept]
        everything = len(search.subgraph) == len(view.visible)
        if passed_on and not everything:
            for guides, words in closed(view):
                self.screen.line(words, prefix=[guides])
        for guides, name in open_tree(view) if everything else tree(scene, kept, chosen):
            self.screen.line(name, prefix=[guides])
        if empty:
            self.screen.line((f"opened without use: {', '.join(empty)}", QUIET), prefix=["  "])

    def _answer(self, written: Written) -> None:
        match written:
            case Goal():
                self._goal(written)
            case Unreadable():
                self._unreadable(written)
            case Missing(words):
                self.trouble = (f"the scene shows no {words}",)
            case NotUnderstood():
                pass  # it ends the run, and its reason is printed there
            case _:
                assert_never(written)

    def _unreadable(self, answer: Unreadable) -> None:
        self.rounds += 1
        self.screen.heading("No goal", f"attempt {self.rounds}")
        self.screen.line((answer.text, UNSURE), prefix=["  "])
        self.trouble = (answer.feedback,)

    def _observed(self, observation: Observation) -> None:
        now = observation.seen if observation.seen is not None else "not there"
        difference = f"{observation.node} was believed {observation.believed}; it is {now}"
        self.screen.line(("observed: ", UNSURE), difference, prefix=["  "])

    def _goal(self, goal: Goal) -> None:
        self.written = ""
        self.source, self.rounds = goal.source, self.rounds + 1
        self._reasons()
        self.screen.heading("Goal", "" if self.rounds == 1 else f"attempt {self.rounds}")
        width = (self.screen.width or 100) - 2
        for line in pretty(str(goal), max(40, width)).splitlines():
            words = line.lstrip()
            self.screen.line((words, NAME), prefix=["  " + " " * (len(line) - len(words))])
        self.screen.line(say(goal.formula, self.case.belief), prefix=["  ", ("in words: ", QUIET)])
        if classes := classes_of(names(goal.formula), self.case.belief.scene):
            self.screen.line(classes, prefix=["  ", ("names: ", QUIET)])

    def ask(self, question: Clarification) -> int | None:
        """Ask a person which reading is meant: by its number or the name of its thing."""
        show_question(self.screen, question)
        self.asked = True
        nodes = [reading.node for reading in question.ambiguity.readings]
        for _ in range(MAX_ASKED):
            words = self.screen.ask(f"Answer 1 to {len(nodes)}, or with a name; an empty line for none.")
            if not words:
                return None
            if words in nodes:
                return nodes.index(words)
            if words.isdecimal() and 0 < int(words) <= len(nodes):
                return int(words) - 1
        return None

    def _relaxed(self, relaxed: Relaxed) -> None:
        self._goal(relaxed.correction.goal)
        for words in relaxed.words:
            self.screen.line(("relaxed: ", UNSURE), words, prefix=["  "])

    def _reasons(self) -> None:
        """Say why there is another search or goal."""
        for reason in self.trouble:
            self.screen.line(("but ", UNSURE), reason, prefix=["  "])
        self.trouble = ()

    def _check(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Show warnings; errors end the run and are shown then, or are what a repair is about."""
        telling = (d for d in diagnostics if d.severity == "error" or d.code == "already-true")
        self.trouble = tuple(d.message for d in telling)
        show_diagnostics(
            self.screen,
            [d for d in diagnostics if d.severity == "warning"],
            self.source,
            self.input.where,
            self.case.belief.scene,
        )

    # The end

    def end(
        self, record: Record, program: Program | None, out: Sequence[Path], sums: Sequence[str] = ()
    ) -> None:
        """Print plan, verification and program, or what happened instead; then the last line.

        ``out`` are folders and files that were written; ``sums`` are lines about a method and its model,
        which stand before that.
        """
        self.sums = sums
        if "graph" in record.house:
            show_house(self.screen, record.house)
        if record.answer is not None:
            self._answered(record.answer, out)
            return
        if record.outcome in ("executable", "answered"):
            last = show_by_model(self.screen, record)
            self._written(self.screen, out)
            self.screen.line()
            self.screen.line((last, GOOD))
            return
        if program is None:
            self._no_plan(record, out)
            return
        entries = itinerary(record, program)
        _show_plan(self.screen, record, program, entries, self.case.belief.scene)
        _show_verification(self.screen, record, program)
        _show_program(self.screen, program, entries)
        self._written(self.screen, out)
        if (reading := record.reading) is not None:
            for lead, words in (
                ("the goal says nothing of: ", reading.unused),
                ("the instruction says nothing of: ", reading.unsupported),
                ("the goal has no part for: ", reading.forgotten),
            ):
                if words:
                    self.screen.line()
                    self.screen.line((lead, UNSURE), ", ".join(f"'{w}'" for w in words))
        _say_cut(self.screen, record)
        self.screen.line()
        self.screen.line((_last_line(record), GOOD))

    def _answered(self, answer: Answer, out: Sequence[Path]) -> None:
        """Print the answer to a question: nothing was planned, and nothing is claimed of a plan."""
        self.screen.heading("Question", "answered from the scene; no plan")
        for line in pretty(answer.query).splitlines():
            self.screen.line((line, NAME), prefix=["  "])
        for note in answer.notes:
            self.screen.line((note, UNSURE), prefix=["  "])
        self._written(self.screen, out)
        self.screen.line()
        self.screen.line((f"answered: {answer.words}", GOOD))

    def _written(self, screen: Screen, out: Sequence[Path]) -> None:
        if out or self.sums:
            screen.line()
        for line in self.sums:
            screen.line((line, HEAD))
        for place in out:
            screen.line("written to ", (str(place), NAME))

    def _no_plan(self, record: Record, out: Sequence[Path]) -> None:
        """Say what happened, why, and what to try; on standard error where it is one."""
        screen = self.screen if record.exit_code == 1 else Screen(error=True)
        if screen is not self.screen:
            self.screen.flush()
        if record.clarification is not None and not self.asked:
            show_question(screen, record.clarification)
        screen.heading("No plan")
        if record.planning.proof:
            screen.line(("proof: ", QUIET), record.planning.proof, prefix=["  "])
        if record.outcome == "goal-error" and has_errors(record.diagnostics):
            scene = self.case.belief.scene
            show_diagnostics(screen, record.diagnostics, self.source, self.input.where, scene)
        else:
            for reason in record.reasons:
                screen.line(reason, prefix=["  "])
        for violation in record.planning.verification.violations:
            step = clip(str(violation.step), 200)
            screen.line(f"step {violation.index + 1}, {step}: {violation.message}", prefix=["  "])
        if advice(record):
            screen.line(("try: ", GOOD), advice(record), prefix=["  "])
        _say_cut(screen, record)
        self._written(screen, out)
        screen.line()
        screen.line((f"{record.outcome}: {meaning(record)}", BAD))


def _show_plan(
    screen: Screen, record: Record, program: Program, entries: Sequence[Entry], scene: Scene
) -> None:
    parts = errands(record, program)
    several = len({e.errand for e in entries if e.errand is not None}) > 1
    best = ", proved optimal" if record.planning.optimal else ""
    best += " for the goal read from it" if best and record.goal_was_read else ""
    screen.heading("Plan", f"{number_of(len(record.plan), 'step')}, by {record.engine}{best}")
    assembly = record.planning.assembly
    if assembly.reason:
        screen.line((f"{assembly.mode}: {assembly.reason}", QUIET), prefix=["  "])
    for reason in record.planning.reasons:
        screen.line(reason, prefix=["  "])
    if not record.plan:
        screen.line("nothing has to be done: the goal already holds", prefix=["  "])
    wide = max((len(_numbers(e)) for e in entries), default=0)
    errand: int | None = None
    place = ""
    for entry in entries:
        if several and entry.errand is not None and entry.errand != errand:
            errand, place = entry.errand, ""
            screen.line((parts[errand], NAME), prefix=["  "])
        if entry.place != place:
            place = entry.place
            drive = f"  {entry.length / 1000:.2f} metres" if entry.length else ""
            screen.line((place, HEAD), (drive, QUIET), prefix=["    "])
        number: Piece = (f"{_numbers(entry):>{wide}}", QUIET)
        style = QUIET if entry.drive else ""
        args = [] if entry.drive else [name for step in entry.steps for name in step.args]
        classes = (beside(args, scene), QUIET)
        steps = " ".join(map(str, entry.steps))
        screen.line((steps, style), classes, prefix=["      ", number, "  "])
        for note in entry.notes:
            screen.line((f"→ {note}", GOOD), prefix=[" " * (wide + 10)])


def _show_verification(screen: Screen, record: Record, program: Program) -> None:
    events = sum(a.event for a in record.planning.plan or ())
    happened = f", {number_of(events, 'event')} happened" if events else ""
    every = "" if len(record.plan) == 1 else "all "
    screen.heading(
        "Verification",
        f"{every}{number_of(len(record.plan), 'step')} can be done in simulation{happened}",
    )
    if record.planning.cut_off:
        work = ", ".join(record.planning.cut_off)
        screen.line((f"the time limit cut off: {work}", UNSURE), prefix=["  "])
    if record.beyond_search:
        screen.line(("no search showed: ", UNSURE), ", ".join(record.beyond_search), prefix=["  "])
    if record.unplaced:
        screen.line((left_out(record.unplaced), UNSURE), prefix=["  "])
    for number, conjunct in enumerate(program.goal, 1):
        mark = f"{number:>{len(str(len(program.goal)))}} " if len(program.goal) > 1 else ""
        screen.line((conjunct, NAME), prefix=["  ", ("✓ ", GOOD), (mark, QUIET)])
    show_rules(screen, record.rules)


def _show_program(screen: Screen, program: Program, entries: Sequence[Entry]) -> None:
    note = "skill, arguments, place, part of the goal"
    screen.heading("Robot program", f"{number_of(len(program.commands), 'command')}: {note}")
    rows: list[tuple[Piece, ...]] = []
    for entry in entries:
        commands = program.commands[entry.first - 1 : entry.last]
        arguments = [", ".join(c.arguments) for c in commands]
        if len(arguments) > 2:
            arguments = [arguments[0], "…", arguments[-1]]
        served = commands[-1].serves
        serves = f"{served + 1}" if served is not None else ""
        skill: Piece = (commands[-1].skill, HEAD)
        numbers: Piece = (_numbers(entry), QUIET)
        rows.append((numbers, skill, " ".join(arguments), (entry.place, QUIET), (serves, QUIET)))
    screen.rows(rows)


def show_question(screen: Screen, question: Clarification) -> None:
    """List the readings of an instruction, each with what it would cost, or why it cannot be had."""
    screen.heading("Question", question.question)
    for number, result in enumerate(question.plans):
        cost = f"{result.cost:.2f} metres" if result.verified else result.outcome
        style = GOOD if result.verified else UNSURE
        screen.line(question.choice(number), (f"  {cost}", style), prefix=[f"  {number + 1}. "])
        for reason in result.reasons[-1:]:  # rules come last
            screen.line((reason, QUIET), prefix=["     "])


def _say_cut(screen: Screen, record: Record) -> None:
    """Say that the model's server read only a part of a prompt."""
    if cut := record.usage.get("cut_prompts"):
        prompts = "a prompt" if cut == 1 else f"{cut} prompts"
        words = f"the model's server most likely cut {prompts}: it counts less than half of the tokens"
        screen.line()
        screen.line((words, UNSURE), "; give it a larger context")


MAX_ASKED = 3
"""Times that a person is asked again after an answer that is none."""
MAX_QUOTED = 300
"""Characters of the goal and of the instruction in the last line."""


def _last_line(record: Record) -> str:
    """Say for which goal the plan is verified, and what that was read from, where a reader wrote it."""
    steps, length = len(record.plan), record.planning.verification.length_mm
    goal, words = (clip(text or "", MAX_QUOTED) for text in (record.says, record.instruction))
    if record.relaxed is not None:
        changed = "".join(f"; relaxed: {clip(change, MAX_QUOTED)}" for change in record.relaxed.words)
        return closing(steps, length, f'verified for the relaxed goal "{goal}"') + changed
    if not record.goal_was_read or record.says is None:
        return closing(steps, length)
    without = (
        f'; without "{clip(one.says, MAX_QUOTED)}": {clip(one.why, MAX_QUOTED)}' for one in record.dropped
    )
    return closing(steps, length, f'verified for the goal "{goal}", read from "{words}"') + "".join(without)


def _numbers(entry: Entry) -> str:
    return str(entry.first) if entry.first == entry.last else f"{entry.first}–{entry.last}"
