"""The static check of a goal against a scene: names, types, affordances, contradictions, emptiness.

A compiler front end: every finding is a :class:`Diagnostic` with code, severity, span, message and, where
possible, a fix. The same findings go to people, to editors and back to a model. What needs search
(unsolvability) is found by the planners.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..domains.diagnostic import Diagnostic, Severity, has_errors
from ..domains.errors import GoalError, clip, nearest
from ..domains.evaluate import evaluate
from ..domains.formula import (
    TRUE,
    And,
    Atom,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Sometime,
    Term,
    TypedVar,
    Var,
    children,
    quote,
    walk,
)
from ..simulator.facts import ground_args
from ..simulator.grounding import Belief
from ..simulator.verification import watched
from ..simulator.world import World
from .exclusive import clash
from .forms import holds_now
from .goal import Goal, Path
from .normal import lacking, normal_form

NAIVE = 20_000
"""Most bindings for which a goal is evaluated by its definition."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found, in the order of the text."""

    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """No errors; there may be warnings."""
        return not has_errors(self.diagnostics)

    def raise_errors(self, where: str = "goal") -> None:
        """Raise :class:`GoalError` for the first error, if there is one."""
        for found in self.diagnostics:
            if found.severity == "error":
                place = f"{where}:{found.span.line}:{found.span.column}" if found.span else where
                fix = f"try {' or '.join(found.fixes)}" if found.fixes else ""
                raise GoalError(place, "a goal that fits the scene", found.message, fix)


def check(goal: Goal, belief: Belief) -> Report:
    """Check a goal against a scene and its pack."""
    checker = Checker(goal, belief)
    checker.visit(goal.formula, (), {}, True)
    if not checker.has_errors:
        checker.conjunction()
        checker.already_true()
    return checker.finish()


@dataclass
class Checker:
    """The findings about one text. ``goal`` gives the spans."""

    goal: Goal
    belief: Belief
    found: list[Diagnostic] = field(default_factory=list)

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self.found)

    def report(
        self, code: str, severity: Severity, message: str, path: Path, fixes: tuple[str, ...] = ()
    ) -> None:
        span = self.goal.spans.get(path)
        self.found.append(Diagnostic(code, severity, message, span, fixes))

    def finish(self) -> Report:
        """What was found, in the order of the text, each once."""

        def order(one: Diagnostic) -> tuple[int, str, str, str]:
            return one.span.start if one.span else 0, one.severity, one.code, one.message

        return Report(tuple(dict.fromkeys(sorted(self.found, key=order))))

    def visit(self, node: Formula, path: Path, scope: dict[str, str], outright: bool) -> None:
        """Check a part. ``outright`` says that the goal asks for the part itself, not for an alternative."""
        match node:
            case Atom():
                self.atom(node, path, scope)
            case Equal(left, right):
                for index, term in enumerate((left, right)):
                    self.term(term, (*path, index), scope)
            case Exists(variables, _) | Forall(variables, _) | Count(_, _, variables, _):
                self.quantifier(node, variables, path, outright)
                scope = scope | {v.name: v.type for v in variables}
            case Sometime(body):
                literal = body.part if isinstance(body, Not) else body
                if not isinstance(literal, Atom):
                    message = "sometime takes a literal: an atom or the negation of one"
                    self.report("sometime-literal", "error", message, path)
        inside = outright and isinstance(node, And)
        for index, child in enumerate(children(node)):
            denied = isinstance(node, Not) or (isinstance(node, Imply) and index == 0)
            counted = isinstance(node, Count) and node.kind != "at-least"
            if (denied or counted) and any(isinstance(n, Sometime) for n in walk(child)):
                message = "sometime under a negation, a condition or a bounded count is not supported"
                self.report("unsupported", "error", message, (*path, index))
            self.visit(child, (*path, index), scope, inside)

    def quantifier(self, node: Formula, variables: tuple[TypedVar, ...], path: Path, outright: bool) -> None:
        candidates = self.candidates(variables, path, 1)
        if candidates is None:
            return
        if isinstance(node, Count):
            if node.kind != "at-most" and node.number > candidates:
                message = f"{node.kind} {node.number}, but only {candidates} exist"
                self.report("count", "error" if outright else "warning", message, path)
            elif node.kind == "at-most" and node.number >= candidates:
                self.report("vacuous", "warning", f"always true: only {candidates} exist", path)
        elif candidates == 0:
            truth = "always true" if isinstance(node, Forall) else "never true"
            kinds = ", ".join(v.type for v in variables)
            self.report("vacuous", "warning", f"{truth}: the scene has no {kinds}", path)

    def candidates(self, variables: tuple[TypedVar, ...], path: Path, first: int) -> int | None:
        """How many bindings variables have; ``None``, and a finding, where a class is unknown.

        The span of the first class is below ``path`` at the index ``first``, the others follow.
        """
        number = 1
        for index, variable in enumerate(variables, first):
            members = self.belief.members(variable.type)
            if not members and not self.known_type(variable.type):
                known = [*self.belief.scene.by_class, *self.types()]
                close = nearest(variable.type, known)
                message = f"unknown class or type {clip(variable.type)}"
                if variable.type in self.belief.scene.by_attribute:
                    close = ()
                    message = f"{clip(variable.type)} is an attribute, not a class: say ({variable.type} "
                    message += f"?{variable.name}) of a variable of some class"
                self.report("unknown-class", "error", message, (*path, index), tuple(map(quote, close)))
                return None
            number *= len(members)
        return number

    def types(self) -> list[str]:
        return [*self.belief.pack.mapped.types, *self.belief.pack.mapped.supertypes, "floor"]

    def known_type(self, name: str) -> bool:
        return name in self.types() or name in self.belief.scene.by_class

    def term(self, term: Term, path: Path, scope: dict[str, str]) -> bool:
        if isinstance(term, Var):
            if term.name not in scope:
                fixes = tuple(f"?{n}" for n in nearest(term.name, scope))
                message = f"{clip(str(term))} is not declared by a quantifier"
                self.report("unbound-variable", "error", message, path, fixes)
                return False
            return True
        if term not in self.belief.scene.nodes:
            fixes = tuple(map(quote, nearest(term, self.belief.scene.nodes)))
            self.report("unknown-node", "error", f"there is no {clip(term)} in the scene", path, fixes)
            return False
        return True

    def atom(self, atom: Atom, path: Path, scope: dict[str, str]) -> None:
        terms = [self.term(a, (*path, i), scope) for i, a in enumerate(atom.args)]
        public = self.belief.pack.public_predicates()
        name = atom.predicate
        if name in public:
            if len(atom.args) != public[name]:
                message = f"{name} takes {public[name]} arguments, not {len(atom.args)}"
                self.report("arity", "error", message, path)
                return
            for index, term in enumerate(atom.args):
                if terms[index]:
                    self.argument(atom, index, term, (*path, index), scope)
            return
        scene = self.belief.scene
        if name in scene.by_class or name in scene.by_attribute or name in self.types():
            if len(atom.args) != 1:
                message = f"{clip(name)} is a class or attribute and takes 1 argument, not {len(atom.args)}"
                self.report("arity", "error", message, path)
            return
        known = [*public, *scene.by_class, *scene.by_attribute]
        message = f"unknown predicate, class or attribute {clip(name)}"
        self.report("unknown-predicate", "error", message, path, tuple(map(quote, nearest(name, known))))

    def argument(self, atom: Atom, index: int, term: Term, path: Path, scope: dict[str, str]) -> None:
        """Whether an argument can be of the type that its predicate wants."""
        wanted = self.parameter_type(atom.predicate, index)
        if isinstance(term, Var):
            kinds = {self.belief.scene.nodes[m].type for m in self.belief.members(scope[term.name])}
        else:
            kinds = {self.belief.scene.nodes[term].type}
        mapped, domain = self.belief.pack.mapped.types, self.belief.pack.domain
        if kinds and not any(k in mapped and domain.is_a(mapped[k], wanted) for k in kinds):
            is_a = " or ".join(sorted(kinds))
            what = f"{term} is of type {is_a}" if isinstance(term, str) else f"{term} ranges over {is_a}"
            message = f"argument {index + 1} of {atom.predicate} must be of type {wanted}; {what}"
            self.report("type", "error", message, path)

    def parameter_type(self, predicate: str, index: int) -> str:
        meaning = self.belief.pack.mapped.derived.get(predicate)
        if meaning == "room" and index == 1:
            return "room"
        if meaning is not None:
            return "object"
        return self.belief.pack.domain.predicates[predicate].parameters[index].type

    def literals(self) -> Iterator[tuple[Atom, bool, Path]]:
        """The ground literals that the goal asks for outright, with their places."""
        stack: list[tuple[Formula, Path]] = [(self.goal.formula, ())]
        while stack:
            node, path = stack.pop()
            if isinstance(node, And):
                stack += [(p, (*path, i)) for i, p in reversed(list(enumerate(node.parts)))]
            elif isinstance(node, Not) and isinstance(node.part, Atom):
                yield node.part, False, (*path, 0)
            elif isinstance(node, Atom):
                yield node, True, path

    def conjunction(self) -> None:
        """Findings about the literals that must hold together."""
        seen: dict[tuple[Atom, bool], Path] = {}
        positive: list[Atom] = []
        for atom, truth, path in self.literals():
            if any(isinstance(a, Var) for a in atom.args):
                continue
            if (atom, truth) in seen:
                self.report("redundant", "warning", f"{atom} is said twice", path)
                continue
            if (atom, not truth) in seen:
                self.report("contradiction", "error", f"{atom} and its negation", path)
            seen[atom, truth] = path
            if truth:
                self.affordance(atom, path)
                self.exclusive(atom, path, positive)
                positive.append(atom)
            else:
                self.irreversible(atom, path)

    def affordance(self, atom: Atom, path: Path) -> None:
        args = ground_args(atom)
        if self.belief.facts.holds(atom.predicate, args):
            return
        need = lacking(atom.predicate, args, self.belief, self.belief.facts)
        if need is not None:
            why = self.belief.pack.words(need.predicate, ground_args(need), False)
            self.report("affordance", "error", f"{atom} cannot be reached: {why}", path)

    def exclusive(self, atom: Atom, path: Path, others: list[Atom]) -> None:
        found = clash(atom, others, self.belief.pack)
        if found is not None:
            message = f"{found.first} and {found.second} cannot both hold ({found.group})"
            self.report("contradiction", "error", message, path)

    def irreversible(self, atom: Atom, path: Path) -> None:
        """A negation that nothing in the pack can bring about."""
        pack = self.belief.pack
        if atom.predicate not in pack.domain.predicates or not self.belief.facts.holds(
            atom.predicate, ground_args(atom)
        ):
            return
        if any(d.predicate == atom.predicate for a in pack.domain.actions.values() for d in a.delete):
            return
        instead = pack.mapped.instead.get(atom.predicate)
        fixes = (str(Atom(instead, atom.args)),) if instead else ()
        message = f"nothing makes {atom} false once it is true"
        self.report("irreversible", "error", message, path[:-1], fixes)

    def already_true(self) -> None:
        if self.goal.formula == TRUE:
            self.report("vacuous", "warning", "an empty conjunction is always true", ())
            return
        try:
            form = normal_form(self.goal.formula, self.belief)
        except GoalError as error:
            self.report("too-large", "error", str(error), ())
            return
        true = holds_now(form, self.belief.facts)
        if not true and self.bindings(self.goal.formula) <= NAIVE:
            # The normal form may ask for a little more than the goal says; the definition decides.
            true = evaluate(self.goal.formula, World(self.belief, watched(self.goal.formula, self.belief)))
        if true:
            self.report("already-true", "warning", "the goal holds before anything is done", ())

    def bindings(self, node: Formula) -> int:
        """About how many bindings evaluating a formula naively looks at."""
        inner = sum(self.bindings(c) for c in children(node)) or 1
        if isinstance(node, Exists | Forall | Count):
            for variable in node.variables:
                inner *= max(1, len(self.belief.members(variable.type)))
        return inner
