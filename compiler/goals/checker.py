"""Static check of a goal against a scene: names, types, affordances, contradictions, emptiness.

A compiler front end: every finding is a :class:`Diagnostic` with code, severity, span, message and, where
possible, a fix. The same findings go to people, to editors and back to a model. Checks are added here if they
need no planning; unsolvability is found by the planners. Codes stay: ``drift``, editors and tests match them.
Checks that questions share are in ``types``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from ...domains.deadline import LimitReached, check_time
from ...domains.diagnostic import Diagnostic, Severity, has_errors
from ...domains.errors import GoalError, clip
from ...domains.evaluate import evaluate
from ...domains.exclusive import clash
from ...domains.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Not,
    Or,
    as_ground,
    children,
    conjuncts,
    declared,
    is_ground_atom,
    substitute,
)
from ...simulator.belief import Belief
from ...simulator.verification import watched
from ...simulator.world import World
from ..forms import holds_now
from ..normal import Expanded, expanded
from ..whereabouts import unmet_requirement
from .goal import Goal, Path
from .places import RequiredPlaces
from .types import TypeChecker
from .unplaced import listed

MAX_INSTANCES = 2_000
"""Most instances of one ``forall`` or ``exists`` that are compared with the rest of a conjunction."""

MAX_PART = 200
"""Most characters of a part that a message shows."""
FEW_INSTANCES = 20
"""Instances of an ``exists`` up to which a proof with a certificate is short, and left to the planner."""

MAX_BINDINGS = 20_000
"""Most bindings for which a goal is evaluated by its definition."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Diagnostics of a goal or question in the order of the text; the goal's normal form, if made.

    ``cut`` is the limit that ended the check early, if one did; the diagnostic ``unchecked`` says so, too.
    """

    diagnostics: tuple[Diagnostic, ...]
    normal: Expanded | None = None
    cut: LimitReached | None = None

    @property
    def ok(self) -> bool:
        """True if there are no errors; there may be warnings."""
        return not has_errors(self.diagnostics)

    def raise_errors(self, where: str = "goal", expected: str = "a goal that fits the scene") -> None:
        """Raise :class:`GoalError` for the first error, if there is one; a limit that was met is none.

        Raises that :class:`LimitReached` then: a goal that was not checked is not a wrong one.
        """
        for finding in self.diagnostics:
            if finding.code == "unchecked" and self.cut is not None:
                raise self.cut
            if finding.severity == "error":
                place = f"{where}:{finding.span.line}:{finding.span.column}" if finding.span else where
                fix = f"try {' or '.join(map(str, finding.fixes))}" if finding.fixes else ""
                raise GoalError(place, expected, finding.message, fix)


def check(goal: Goal, belief: Belief) -> CheckReport:
    """Check a goal against a scene and its pack. Errors are diagnostics of the report; none is raised.

    A limit that ends the check gives the diagnostic ``unchecked``, beside those that there are by then.

    >>> from groundplan import check, ground, load_pack, load_scene, parse_goal
    >>> belief = ground(load_scene("office"), load_pack())
    >>> check(parse_goal("(open fridge)"), belief).ok
    True
    >>> print(*check(parse_goal("(hot fridg)"), belief).diagnostics)
    1:6: error[unknown-node]: there is no fridg in the scene (try fridge)
    """
    checker = _Checker(goal.spans, belief, [], goal)
    cut: LimitReached | None = None
    try:
        checker.run(goal.formula)
        checker.visit(goal.formula, (), {}, True)
        if not checker.has_errors:
            checker.conjunction()
            if not checker.has_errors:
                checker.places()
            if not checker.has_errors:
                checker.choices()
            checker.already_true()
    except LimitReached as limit:
        cut = limit
        checker.report("unchecked", "error", f"the check was not finished: {limit}", ())
    return CheckReport(checker.finish(), checker.normal, cut)


@dataclass
class _Checker(TypeChecker):
    """Checks of a goal beyond its types: contradictions, impossible facts, emptiness."""

    goal: Goal
    normal: Expanded | None = None

    def parts(self) -> Iterator[tuple[Formula, bool, Path]]:
        """Yield what every plan must make true, or false, with the places: atoms, and other parts whole."""
        for node, path in _conjuncts(self.goal.formula):
            yield (node.part, False, (*path, 0)) if isinstance(node, Not) else (node, True, path)

    def placeless(self, atom: Atom, path: Path, severity: Severity = "warning") -> None:
        """Report things without a known place; an error where every plan must bring something about."""
        for part, truth, where in self.parts():
            if where == path and isinstance(part, Atom) and not self.settled(part, truth):
                severity = "error"
        super().placeless(atom, path, severity)

    def settled(self, atom: Atom, truth: bool) -> bool:
        """Return whether a literal has its truth now, and by no fact about a place."""
        pack = self.belief.pack
        about_places = (pack.mapping.robot_held.predicate, *pack.locations, *pack.mapping.derived)
        if atom.predicate in about_places or not is_ground_atom(atom):
            return False
        return World(self.belief).holds(atom.predicate, atom.args) == truth

    def conjunction(self) -> None:
        """Check the parts that must hold together."""
        seen: set[tuple[Formula, bool]] = set()
        positive: list[GroundAtom] = []
        for part, truth, path in self.parts():
            check_time("checking the goal")
            if (part, truth) in seen:
                self.report("redundant", "warning", f"{clip(str(part), MAX_PART)} is said twice", path)
                continue
            if (part, not truth) in seen:
                self.report("contradiction", "error", f"{clip(str(part), MAX_PART)} and its negation", path)
            seen.add((part, truth))
            if not is_ground_atom(part):
                continue
            if truth:
                self.affordance(part, path)
                self.exclusive(part, path, positive)
                positive.append(part)
            else:
                self.irreversible(part, path)

    def places(self) -> None:
        """Check that facts which must hold together leave every thing, and the robot, in one room."""
        places = RequiredPlaces(self.belief)
        reported: set[Path] = set()
        for atom, path in self.required(self.goal.formula):
            conflict = places.add(atom)
            if conflict is not None and path not in reported:
                reported.add(path)
                self.report("contradiction", "error", str(conflict), path)

    def choices(self) -> None:
        """Check that something can be chosen for each ``exists``: none where all bring a contradiction."""
        for node, path in _conjuncts(self.goal.formula):
            if isinstance(node, Exists) and (conflict := self.choice_conflict(node)) is not None:
                message = f"nothing can be chosen: {conflict}, and so with all others"
                self.report("contradiction", "error", message, path)

    def choice_conflict(self, node: Exists) -> str | None:
        """Return the contradiction that the first of many choices brings, where each of them brings one.

        Only things that can be carried are gone through: of furniture, one that is unobserved yet may stand
        where none of these does.
        """
        members = [self.belief.members(v.type) for v in node.variables]
        if any(self.belief.scene.nodes[name].type != "object" for names in members for name in names):
            return None
        if not FEW_INSTANCES < prod(map(len, members)) <= MAX_INSTANCES:
            return None
        first = None
        for body in self.instances(node):
            check_time("checking the goal")
            conflict = self.fact_conflict([*filter(is_ground_atom, conjuncts(body))])
            if conflict is None:
                return None
            first = first or conflict
        return first

    def fact_conflict(self, facts: Sequence[GroundAtom]) -> str | None:
        """Return why some facts cannot hold together, by two that exclude each other or by rooms."""
        places = RequiredPlaces(self.belief)
        for index, atom in enumerate(facts):
            excluded = clash(atom, facts[:index], self.belief.exclusive) if index else None
            if excluded is not None:
                return f"{excluded.first} and {excluded.second} cannot both hold"
            if (conflict := places.add(atom)) is not None:
                return str(conflict)
        return None

    def instances(self, node: Exists | Forall) -> Iterator[Formula]:
        """Yield the body of a quantifier for each choice of its variables."""
        members = (self.belief.members(v.type) for v in node.variables)
        names = [v.name for v in node.variables]
        for instance in itertools.product(*members):
            yield substitute(node.body, dict(zip(names, instance, strict=True)))

    def required(self, formula: Formula, above: Path = ()) -> Iterator[tuple[GroundAtom, Path]]:
        """Yield the positive ground facts that every plan must make true, those of ``forall`` too.

        At most :data:`MAX_INSTANCES` of each ``forall``; a contradiction beyond is left to the planner.
        """
        for node, path in _conjuncts(formula, above):
            if isinstance(node, Atom):
                yield as_ground(node), path
            elif isinstance(node, Forall):
                for body in reversed(list(itertools.islice(self.instances(node), MAX_INSTANCES))):
                    yield from self.required(body, (*path, 0))

    def affordance(self, atom: GroundAtom, path: Path) -> None:
        args = atom.args
        if self.belief.facts.holds(atom.predicate, args):
            return
        need = unmet_requirement(atom.predicate, args, self.belief, self.belief.facts)
        if need is not None and need.predicate not in self.belief.unused.predicates:
            why = self.belief.pack.words(need.predicate, need.args, False)
            message = f"{atom} cannot be reached: {why}{self.others_for(atom, need)}"
            self.report("affordance", "error", message, path)

    def others_for(self, atom: GroundAtom, need: GroundAtom) -> str:
        """Name some things that have what one of a fact lacks, those of its class first."""
        lacking = next((i for i, name in enumerate(atom.args) if name in need.args), None)
        if lacking is None:
            return ""
        args, nodes, facts = atom.args, self.belief.scene.nodes, self.belief.facts
        classes = set(nodes[args[lacking]].classes)
        others = [
            n
            for n in nodes
            if self.takes(atom.predicate, lacking, {nodes[n].type})
            and unmet_requirement(
                atom.predicate, (*args[:lacking], n, *args[lacking + 1 :]), self.belief, facts
            )
            is None
        ]
        others.sort(key=lambda n: classes.isdisjoint(nodes[n].classes))
        return f"; possible with {listed(others)}" if others else "; nothing here can"

    def exclusive(self, atom: GroundAtom, path: Path, others: list[GroundAtom]) -> None:
        # Without others nothing has to be shown of the pack, which takes a while.
        contradiction = clash(atom, others, self.belief.exclusive) if others else None
        if contradiction is not None:
            first, second = contradiction.first, contradiction.second
            message = f"{first} and {second} cannot both hold (exclusive group {contradiction.group})"
            self.report("contradiction", "error", message, path)

    def irreversible(self, atom: GroundAtom, path: Path) -> None:
        """Report a negation that no action of the pack can bring about."""
        pack = self.belief.pack
        if atom.predicate not in pack.domain.predicates or not self.belief.facts.holds(
            atom.predicate, atom.args
        ):
            return
        if any(d.predicate == atom.predicate for a in pack.domain.actions.values() for d in a.delete):
            return
        instead = pack.mapping.instead.get(atom.predicate)
        fixes = (str(Atom(instead, atom.args)),) if instead else ()
        message = f"nothing makes {atom} false once it is true"
        self.report("irreversible", "error", message, path[:-1], fixes)

    def already_true(self) -> None:
        if self.goal.formula == TRUE:
            self.report("vacuous", "warning", "an empty conjunction is always true", ())
            return
        if self.goal.formula == FALSE:
            self.report("vacuous", "warning", "an empty disjunction is never true", ())
            return
        try:
            self.normal = expanded(self.goal.formula, self.belief)
        except GoalError as error:
            self.report("too-large", "error", str(error), ())
            return
        if (truth := _constant(self.goal.formula)) is not None:
            decided = f"{'always' if truth else 'never'} true"
            message = f"the goal is {decided}: empty conjunctions and disjunctions decide it"
            self.report("vacuous", "warning", message, ())
            return
        true = holds_now(self.normal.form, World(self.belief))
        if not true and expanded_size(self.goal.formula, self.belief) <= MAX_BINDINGS:
            # The normal form may ask for a little more than the goal says; the definition decides.
            true = evaluate(self.goal.formula, World(self.belief, watched(self.goal.formula, self.belief)))
        if true:
            self.report("already-true", "warning", "the goal holds before anything is done", ())


def expanded_size(node: Formula, belief: Belief, derived: int = 1) -> int:
    """Estimate the number of atoms that a formula expands to; one that is derived counts so often."""
    if isinstance(node, Atom) and node.predicate in belief.pack.mapping.derived:
        return derived
    inner = sum(expanded_size(c, belief, derived) for c in children(node)) or 1
    return inner * prod(max(1, len(belief.members(v.type))) for v in declared(node))


def _conjuncts(formula: Formula, path: Path = ()) -> Iterator[tuple[Formula, Path]]:
    """Yield the parts of conjunctions within conjunctions, with their places, in the order of the text."""
    stack = [(formula, path)]
    while stack:
        node, path = stack.pop()
        if isinstance(node, And):
            stack += [(p, (*path, i)) for i, p in reversed(list(enumerate(node.parts)))]
        else:
            yield node, path


def _constant(node: Formula) -> bool | None:
    """Return the truth of a formula that empty connectives decide by themselves, ``None`` for others."""
    match node:
        case Not(part):
            truth = _constant(part)
            return None if truth is None else not truth
        case Imply(left, right):
            return _constant(Or((Not(left), right)))
        case And(parts) | Or(parts):
            deciding, truths = isinstance(node, Or), {_constant(p) for p in parts}
            return deciding if deciding in truths else None if None in truths else not deciding
    return None
