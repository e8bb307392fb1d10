"""Supervision of a robot by its program alone: what is due, what was confirmed, what is broken.

A :class:`Supervisor` takes reports, one after the other, and answers each with ``continue`` and the command
that is due, ``retry``, ``replan`` or ``stop`` with the reason. It knows the program and what it was told, no
scene and no pack. What nobody has looked at is taken to be as the program says, and never counts as
confirmed: ``stop`` is ``done`` only where each fact that the goal rests on was observed to hold since the
last report on a command.

The command that is due is the last one whose kernel holds (``robot.kernels``). So what holds already is
skipped, and what was undone is done again. The same reports give the same answers.

A command whose guards do not hold might break a rule, so it is not asked for; what a rule leaves due keeps
the goal from being reached (``robot.rules``). What rules ask of the rest of the run is said with ``replan``.

What follows from a fact by the groups in which facts exclude each other (``robot.fact_groups``) is known and
observed as that fact is: a fridge that is seen open is not closed.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...domains.errors import InputError
from ...domains.formula import Formula, GroundAtom, Not, Sometime, TrajectoryConstraint, is_ground_atom
from ..fact_groups import FactLaws
from ..kernels import Kernel, kernels_of
from ..program import Program
from ..rules.evidence import atom_of
from ..rules.rule import RuleMemory
from ..skill import Moment, Skill
from .reports import Advice, RobotReport

MAX_REPORTS = 100_000
"""Most reports on one program."""
TRIES = 3
"""How often a command may fail before a new plan is asked for."""
ROUNDS = 20
"""How often a command may be done again because it was undone, before a new plan is asked for."""


class Supervisor:
    """State of a program that is carried out, as far as is known, and the answer to each report.

    Raises :class:`InputError` for a program without a goal that can be said in facts.
    """

    def __init__(self, program: Program, tries: int = TRIES) -> None:
        self._kernels = kernels_of(program)
        self._commands = program.commands
        self._moments = program.grounds.moments if program.grounds is not None else ()
        self._tries = tries
        self._rules, self._memory = program.rules, RuleMemory(program.rules)
        self._guarded = _guarded(program)
        self._known = _at_first(self._kernels.goal, program)
        self._laws = FactLaws(program.exclusive, program.facts())
        self._observed: set[Formula] = set()
        self._fresh: set[Formula] = set()
        self._happened: set[Formula] = set()
        self._witnessed: set[Formula] = set()
        self._failures: dict[int, int] = {}
        self._rounds: dict[int, int] = {}
        self._due: Kernel | None = None
        self.ended: Advice | None = None
        """The answer after which there is no other one."""
        self.last: Advice | None = None
        self.count = 0
        """The answer to the last report, and how many there were."""

    def take(self, report: RobotReport) -> Advice:
        """Take a report and answer it. After ``replan`` or ``stop`` the answer stays.

        Raises :class:`InputError` for a command that is not of the program.
        """
        seen = self.check(report)
        if self.ended is not None:
            return self.ended
        self.count += 1
        command = self._commands[report.command] if report.command is not None else None
        missing = _missing(command, report.facts, seen) if report.status == "done" else None
        if command is not None and report.status == "done":
            if missing is None:
                self._assume(command)
            self._memory.pass_by(command.guards, shown=missing is None)
            self._memory.see(self._known)
        if command is not None:
            self._fresh.clear()
        self._known.update(seen.items())
        self._memory.see(self._known)
        self._observed |= seen.keys()
        self._fresh |= seen.keys()
        self._note_moments(command if report.status == "done" and missing is None else None)
        advice = self._answer(report, command, missing)
        if advice.word in ("replan", "stop"):
            self.ended = advice
        self.last = advice
        return advice

    def check(self, report: RobotReport) -> dict[GroundAtom, bool]:
        """Return the facts of a report with what follows from them.

        Raises :class:`InputError` for a command that is not of the program, and for facts that contradict
        each other.
        """
        index = report.command
        if index is not None and not 0 <= index < len(self._commands):
            expected = f"the index of one of {len(self._commands)} commands, from 0"
            raise InputError("report: command", expected, str(index))
        seen, clash = self._laws.follow(report.facts)
        if clash is not None:
            shown = " beside ".join(f"{fact}: {str(seen[fact]).lower()}" for fact in dict.fromkeys(clash))
            raise InputError("report: facts", "facts of one state of the world", shown)
        return seen

    def _assume(self, command: Skill) -> None:
        """Take what a command brings about to be so, until somebody looks."""
        self._failures.pop(command.step, None)
        self._rounds[command.step] = self._rounds.get(command.step, 0) + 1
        atoms = {fact: atom_of(fact) for fact in command.expects.after}
        brought = {atom: atom is fact for fact, atom in atoms.items() if is_ground_atom(atom)}
        followed, _ = self._laws.follow(brought)
        self._known.update(followed.items())
        self._observed -= followed.keys()

    def _note_moments(self, command: Skill | None) -> None:
        """Remember what the goal asks to have been: as a command brings it about, and as it was observed."""
        for moment in self._moments:
            fact = Sometime(moment.literal)
            if command is not None and moment.step == command.step:
                self._happened.add(fact)
            if self._is_seen(moment):
                self._happened.add(fact)
                self._witnessed.add(fact)

    def _is_seen(self, moment: Moment) -> bool:
        """Return whether a literal, or all that it rested on in the plan, is observed to hold now."""
        if self._is_observed(moment.literal) and self._has(moment.literal):
            return True
        return bool(moment.facts) and all(self._is_observed(f) and self._has(f) for f in moment.facts)

    def _is_observed(self, fact: Formula) -> bool:
        return atom_of(fact) in self._observed

    def _is_fresh(self, fact: Formula) -> bool:
        return fact in self._witnessed if isinstance(fact, Sometime) else atom_of(fact) in self._fresh

    def _has(self, fact: Formula) -> bool:
        """Return whether a fact is so, as far as is known."""
        if isinstance(fact, Sometime):
            return fact in self._happened
        if isinstance(fact, TrajectoryConstraint):
            return self._memory.is_clear(fact)
        return self._known.get(atom_of(fact), False) != isinstance(fact, Not)

    def _answer(self, report: RobotReport, command: Skill | None, missing: Formula | None) -> Advice:
        if report.status == "aborted":
            why = report.reason or "it gave no reason"
            return Advice("stop", f"the robot gave up: {why}", report.command)
        if self.count >= MAX_REPORTS:
            return Advice("stop", f"there were {MAX_REPORTS} reports, and the goal is not reached")
        if command is not None:
            if report.status == "failed":
                why = f"{command.printed} failed" + (f": {report.reason}" if report.reason else "")
                return self._failure(command, why)
            if missing is not None:
                return self._failure(command, f"{command.printed} is done, but {missing} does not hold")
        return self._next()

    def _failure(self, command: Skill, why: str) -> Advice:
        number = self._failures[command.step] = self._failures.get(command.step, 0) + 1
        following = self._next()
        if following.word != "continue" or following.command != command.step:
            return following
        if number >= self._tries:
            return self._replan(f"{why}; that was try {number} of {self._tries}")
        return Advice("retry", why, command.step, command.printed, look_at=following.look_at)

    def _next(self) -> Advice:
        goal = self._kernels.goal
        if all(map(self._has, goal)):
            facts = (fact for fact in goal if not isinstance(fact, TrajectoryConstraint))
            return self._at_the_goal([fact for fact in facts if not self._is_fresh(fact)])
        fitting = (k for k in reversed(self._kernels.steps) if all(map(self._has, k.before)))
        kernel = next(fitting, None)
        if kernel is None:
            due = [fact for fact in goal if not self._has(fact)]
            if all(isinstance(fact, TrajectoryConstraint) for fact in due):
                return self._replan(f"the rule {self._rules.written(due[0])} leaves something due")
            return self._replan(self._broken())
        self._due = kernel
        if not isinstance(kernel.doing, Skill):
            words = " and ".join(kernel.doing.words) or kernel.doing.event
            return Advice("continue", f"wait until {words}", wait_for=kernel.brings, look_at=kernel.brings)
        return self._command(kernel, kernel.doing)

    def _at_the_goal(self, unseen: list[Formula]) -> Advice:
        if not unseen:
            return Advice("stop", "the goal holds, and each fact of it was observed", done=True)
        missed = [fact for fact in unseen if isinstance(fact, Sometime)]
        if len(missed) == len(unseen):
            return Advice("stop", f"the goal may hold, but nobody saw {missed[0]}")
        look_at = tuple(fact for fact in unseen if not isinstance(fact, Sometime))
        return Advice("continue", "the goal holds if these facts do: look at them", look_at=look_at)

    def _command(self, kernel: Kernel, command: Skill) -> Advice:
        rounds = self._rounds.get(command.step, 0)
        if rounds > ROUNDS:
            return self._replan(f"{command.printed} was done {rounds} times, and is undone again")
        facts = (f for f in kernel.before if not isinstance(f, Sometime | TrajectoryConstraint))
        look_at = tuple(f for f in facts if not self._is_observed(f))
        reason = f"{command.printed} is due" + (" again: it was undone" if rounds else "")
        return Advice("continue", reason, command.step, command.printed, look_at=look_at)

    def _broken(self) -> str:
        """Say which rule keeps a step from being done, or else what the step that was due last rests on."""
        steps = self._kernels.steps
        for kernel in reversed(steps):
            lacking = [fact for fact in kernel.before if not self._has(fact)]
            if all(isinstance(fact, TrajectoryConstraint) or fact in self._guarded for fact in lacking):
                return f"{_named(kernel)} might break the rule {self._of_rule(lacking[0])}"
        due = self._due or (steps[0] if steps else None)
        if due is None:
            return f"{next(f for f in self._kernels.goal if not self._has(f))} does not hold"
        missing = next((f for f in due.before if not self._has(f)), None)
        return f"{_named(due)} rests on {missing}, which does not hold, and no command brings it about"

    def _of_rule(self, lacking: Formula) -> str:
        """Return the rule that asks for something, and why what there is does not do."""
        if isinstance(lacking, TrajectoryConstraint):
            return f"{self._rules.written(lacking)}, by what has been"
        return f"{self._guarded[lacking]}: {lacking} does not hold"

    def _replan(self, reason: str) -> Advice:
        facts = tuple(atom if holds else Not(atom) for atom, holds in self._known.items())
        return Advice("replan", reason, facts=facts, rules=self._memory.left())


def _named(kernel: Kernel) -> str:
    doing = kernel.doing
    return doing.printed if isinstance(doing, Skill) else f"waiting for {doing.event}"


def _missing(command: Skill | None, *seen: Mapping[GroundAtom, bool]) -> Formula | None:
    """Return an effect that does not hold by the first of some facts, which say what was observed."""
    effects = command.expects.after if command is not None else ()
    for facts in seen:
        for effect in effects:
            atom = atom_of(effect)
            if is_ground_atom(atom) and facts.get(atom) is isinstance(effect, Not):
                return effect
    return None


def _guarded(program: Program) -> dict[Formula, str]:
    """Return the facts that rules alone ask for before some command, each with the first such rule."""
    needed = {fact for command in program.commands for fact in command.expects.before}
    guards = (guard for command in program.commands for guard in command.guards)
    facts: dict[Formula, str] = {}
    for guard in guards:
        for fact in guard.facts:
            if fact not in needed:
                facts.setdefault(fact, program.rules.kept[guard.rule].rule)
    return facts


def _at_first(goal: tuple[Formula, ...], program: Program) -> dict[Formula, bool]:
    """Return the facts before the first command, as the program takes them to be.

    What is needed before anything changes it holds, what is brought about first does not.
    """
    truth: dict[Formula, bool] = dict.fromkeys(program.rules.start, True)
    for command in program.commands:
        guards = (fact for guard in command.guards for fact in guard.facts)
        for fact in (*command.expects.before, *guards):
            truth.setdefault(atom_of(fact), not isinstance(fact, Not))
        for fact in command.expects.after:
            truth.setdefault(atom_of(fact), isinstance(fact, Not))
        for waiting in command.waits_for:
            for condition in waiting.conditions:
                truth.setdefault(condition, True)
            for fact in waiting.facts:
                truth.setdefault(fact, False)
    for fact in goal:
        if not isinstance(fact, Sometime | TrajectoryConstraint):
            truth.setdefault(atom_of(fact), not isinstance(fact, Not))
    for fact in program.rules.facts():
        truth.setdefault(fact, False)
    return truth
