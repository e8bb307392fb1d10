"""Audit of the gold goals of a set: what is wrong with each, by the static check, by proof, by its reference.

A finding is *proved* where it follows from the scene and the pack: what the check says, what a certificate
or the simulator shows. It is *decided* where the comparison of goals finds no state of the scene, which
rests on its solver and has no proof that another program rechecks. It is *suspected* where a person has to
say whether it is meant, such as a reference that changes more than the gold asks for. What was not decided
within its limit is named in ``unchecked``, and is no finding.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...compiler.comparison.entailment import Entailment
from ...compiler.comparison.laws import Laws
from ...compiler.comparison.solver import Undecided
from ...compiler.goals.checker import check
from ...compiler.goals.goal import Goal, GoalSyntaxError, parse_goal
from ...compiler.goals.recovery import syntax_errors
from ...compiler.query.answers import find
from ...compiler.query.query import diagnosed_query
from ...datasets.task import Task
from ...domains.diagnostic import Diagnostic, has_errors, of_line
from ...domains.errors import GoalError, InputError
from ...domains.evaluate import evaluate
from ...domains.formula import (
    TRUE,
    Formula,
    GroundAtom,
    Sometime,
    TrajectoryConstraint,
    conjunction,
    conjuncts,
    walk,
)
from ...planners.proofs.finding import impossible
from ...simulator.belief import Belief
from ...simulator.facts import Facts
from ...simulator.step import read_steps
from ...simulator.verification import verify_plan
from ...simulator.world import World, visible
from ..graphs import goal_graph

Basis = Literal["proved", "decided", "suspected"]
_IN_FILE = re.compile(r"(.+?):(\d+)(?=:|\Z)")
MAX_PARTS = 30
"""Most conjuncts of a goal of which each is held against the others."""
SHOWN = 5
"""Most facts that one finding names."""


@dataclass(frozen=True, slots=True)
class GoldText:
    """A gold to audit: its id, the set that it is of, its scene, and where it stands.

    ``where`` names its text in messages, ``file`` and ``line`` are of the file that it is in. Where the text
    is in the file as it is, it begins in ``column``; else that is 0, and places are those of the goal's own
    text. ``steps`` and ``end`` are its reference: printed steps, or a state that it is to lead to.
    """

    id: str
    set: str
    where: str
    belief: Belief
    file: str = ""
    line: int = 0
    column: int = 0
    goal: str = ""
    query: str = ""
    unsolvable: str = ""
    steps: tuple[str, ...] = ()
    end: Belief | None = None

    def key(self, thorough: bool) -> str:
        """Return what its audit depends on: its place, scene, pack and reference."""
        place = (self.id, self.set, self.where, self.file, str(self.line), str(self.column))
        parts = (
            *(*place, self.goal, self.query, self.unsolvable, *self.steps, str(thorough)),
            *(
                self.belief.scene.hash,
                self.belief.pack.hash,
                self.end.scene.hash if self.end is not None else "",
            ),
        )
        return key_of(*parts)

    @classmethod
    def of(cls, task: Task, belief: Belief) -> GoldText:
        """Return the gold of a task."""
        gold, where = task.gold, task.gold_at("query" if task.gold.query else "goal")
        end = None if task.goal_scene is None else goal_graph(task, belief)
        file, _, line = task.place.rpartition(":")
        return cls(
            task.id,
            task.set,
            where,
            belief,
            file,
            int(line or 0),
            goal=gold.goal,
            query=gold.query,
            unsolvable=gold.unsolvable,
            steps=() if end is not None else gold.plan,
            end=end,
        )


def key_of(*parts: str) -> str:
    """Return the hash of texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One thing that is wrong with a gold.

    ``place`` is where it stands, as people name it, with ``file`` and ``line`` where it is in one of a user.
    The span of the diagnostic is of the goal's own text.
    """

    gold: str
    set: str
    place: str
    basis: Basis
    diagnostic: Diagnostic
    file: str = ""
    line: int = 0

    def as_json(self) -> dict[str, object]:
        return {
            "gold": self.gold,
            "set": self.set,
            "place": self.place,
            "file": self.file or None,
            "line": self.line or None,
            "basis": self.basis,
            **self.diagnostic.as_json(),
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> AuditFinding:
        """Return what ``as_json`` gave. Raises ``KeyError`` or ``TypeError`` for another value."""
        gold, set_name, place = (str(raw[key]) for key in ("gold", "set", "place"))
        file, line = raw["file"] or "", raw["line"] or 0
        return cls(gold, set_name, place, raw["basis"], Diagnostic.from_json(raw), file, line)


@dataclass(frozen=True, slots=True)
class AuditedGold:
    """The findings on a gold, and what was not decided of it."""

    findings: tuple[AuditFinding, ...]
    unchecked: tuple[str, ...] = ()


def audit(goal: Goal | str, belief: Belief, steps: Sequence[str] = (), thorough: bool = False) -> AuditedGold:
    """Audit one goal against a scene and, where there is one, the printed steps of its reference plan.

    ``thorough`` searches longer for a proof that no plan reaches it. A text that is no goal is a finding.

    >>> from groundplan import audit, ground, load_pack, load_scene
    >>> office = ground(load_scene("office"), load_pack())
    >>> answer = audit("(and (open fridge) (closed fridge))", office)
    >>> [(one.basis, one.diagnostic.code) for one in answer.findings]
    [('proved', 'contradiction')]
    """
    return audited(GoldText("goal", "", "goal", belief, goal=str(goal), steps=tuple(steps)), thorough)


def audited(gold: GoldText, thorough: bool = False, laws: Laws | None = None) -> AuditedGold:
    """Audit one gold. ``thorough`` searches longer for a proof that no plan reaches it.

    ``laws`` are those of its belief, for golds that share one.
    """
    unchecked: list[str] = []
    pairs: list[tuple[Basis, Diagnostic]] = []
    if gold.query:
        pairs += _of_query(gold)
    elif gold.goal or not gold.unsolvable:
        pairs += _of_goal(gold, thorough, laws or Laws(gold.belief), unchecked)
    findings = tuple(_finding(gold, basis, one) for basis, one in dict.fromkeys(pairs))
    return AuditedGold(findings, tuple(unchecked))


def _finding(gold: GoldText, basis: Basis, one: Diagnostic) -> AuditFinding:
    """Return a finding with its place: in the file where the text is there as it is, else in the text."""
    line, span = gold.line, one.span
    place = gold.where if span is None else f"{gold.where}:{span.line}:{span.column}"
    if gold.column:
        place = f"{gold.file}:{line}"
        if span is not None:
            line += span.line - 1
            place = f"{gold.file}:{line}:{span.column + (gold.column - 1 if span.line == 1 else 0)}"
    return AuditFinding(gold.id, gold.set, place, basis, one, gold.file, line)


def _of_query(gold: GoldText) -> Iterator[tuple[Basis, Diagnostic]]:
    """Yield what is wrong with a gold query."""
    query, diagnostics = diagnosed_query(gold.query, gold.where, gold.belief)
    yield from (("proved", one) for one in diagnostics)
    if query is not None and not has_errors(diagnostics) and not find(query, gold.belief).answers:
        yield "suspected", Diagnostic("vacuous", "warning", "no node of the scene answers the query")


def _of_goal(
    gold: GoldText, thorough: bool, laws: Laws, unchecked: list[str]
) -> Iterator[tuple[Basis, Diagnostic]]:
    """Yield what is wrong with a gold goal; what is not decided is added to ``unchecked``."""
    if not gold.goal.strip():
        yield "proved", Diagnostic("empty", "error", "there is no goal")
        return
    try:
        goal = parse_goal(gold.goal, gold.where)
    except GoalSyntaxError as error:
        yield from (("proved", one) for one in syntax_errors(gold.goal, gold.where, error))
        return
    static = check(goal, gold.belief).diagnostics
    yield from (("proved", one) for one in static)
    if has_errors(static):
        return
    codes = {one.code for one in static}
    if "already-true" not in codes:
        try:
            if without_plan := impossible(goal, gold.belief, thorough):
                yield from (("proved", one) for one in without_plan)
                return
        except GoalError as error:
            unchecked.append(f"impossible: {error}")
    yield from _by_comparison(goal, laws, codes, unchecked)
    yield from _by_reference(goal, gold, unchecked)


def _by_comparison(
    goal: Goal, laws: Laws, codes: set[str], unchecked: list[str]
) -> Iterator[tuple[Basis, Diagnostic]]:
    """Yield that no state makes a goal true, that every one does, or that a part follows from the others."""
    logic = Entailment(laws.belief, laws=laws)
    try:
        if logic.run((goal.formula,)) is None:
            message = "no state of the scene makes it true: its parts exclude each other"
            yield "decided", Diagnostic("contradiction", "error", message)
            return
    except (Undecided, GoalError) as error:
        unchecked.append(f"contradiction: {error}")
        return
    if "vacuous" not in codes and "already-true" in codes and logic.entails(TRUE, goal.formula):
        yield "decided", Diagnostic("vacuous", "warning", "every state of the scene makes it true")
        return
    kept = list(conjuncts(goal.formula))
    if len(kept) > MAX_PARTS:
        unchecked.append(f"redundant: more than {MAX_PARTS} parts")
        return
    for part in tuple(kept) if "redundant" not in codes else ():
        others = [one for one in kept if one is not part]
        if others and logic.entails(conjunction(others), part):
            kept = others
            yield "decided", Diagnostic("redundant", "warning", f"{part} follows from the rest of the goal")


def _by_reference(goal: Goal, gold: GoldText, unchecked: list[str]) -> Iterator[tuple[Basis, Diagnostic]]:
    """Yield that a reference misses the goal, or changes what it does not ask for."""
    if gold.end is not None:
        if any(isinstance(part, Sometime | TrajectoryConstraint) for part in walk(goal.formula)):
            unchecked.append("reference: a state does not tell what was so before")
            return
        facts, reference = gold.end.facts, "the goal graph"
        holds = verify_plan((), gold.end, goal.formula).goal_value
    elif gold.steps:
        steps = read_steps("\n".join(gold.steps), f"plan of {gold.id}")
        run = verify_plan(steps, gold.belief, goal.formula)
        if not run.executable:
            message = f"the reference plan cannot be carried out: {run.feedback()[0]}"
            yield "proved", Diagnostic("not-reached", "error", message)
            return
        world = World(gold.belief)
        for step in steps:
            world.apply(step)
        holds, facts, reference = run.goal_value, world.state.facts, "the reference plan"
    else:
        return
    if not holds:
        yield "proved", Diagnostic("not-reached", "error", f"it does not hold where {reference} ends")
        return
    if free := _not_asked(goal.formula, gold.belief, facts):
        words = ", ".join(map(str, free[:SHOWN])) + (", ..." if len(free) > SHOWN else "")
        message = f"{reference} also brings about what it holds without: {words}"
        yield "suspected", Diagnostic("asks-less", "warning", message)


def _not_asked(goal: Formula, belief: Belief, facts: Facts) -> list[GroundAtom]:
    """Return the new facts of a state that a goal does without: it holds with the thing as it was, too."""
    if any(isinstance(part, Sometime | TrajectoryConstraint) for part in walk(goal)):
        return []
    before, after = dict.fromkeys(visible(belief)), dict.fromkeys(visible(belief, facts))
    new = [atom for atom in after if atom not in before and atom.args]
    free: list[GroundAtom] = []
    for thing in dict.fromkeys(atom.args[0] for atom in new):
        undone = facts.copy()
        for atom in after:
            if atom.args[:1] == (thing,):
                undone.discard(atom.predicate, atom.args)
        for atom in before:
            if atom.args[:1] == (thing,):
                undone.add(atom.predicate, atom.args)
        if evaluate(goal, World(belief, facts=undone)):
            free += [atom for atom in new if atom.args[0] == thing]
    return free


def of_fault(error: InputError, set_name: str) -> AuditFinding:
    """Return the finding for a line of a file that is no task, or whose goal cannot be read."""
    one = error.diagnostic if isinstance(error, GoalSyntaxError) else of_line(error)
    file = _IN_FILE.match(error.where)
    name, line = (file[1], int(file[2])) if file is not None else ("", 0)
    return AuditFinding(error.where, set_name, error.where, "proved", one, name, line)


def counted_by_code(findings: Sequence[AuditFinding]) -> Mapping[tuple[str, str, str], int]:
    """Return how many golds of each set have a finding of each code, by set, code and severity."""
    golds: dict[tuple[str, str, str], dict[str, None]] = {}
    for one in findings:
        key = one.set, one.diagnostic.code, one.diagnostic.severity
        golds.setdefault(key, {})[one.gold] = None
    return {key: len(names) for key, names in sorted(golds.items())}
