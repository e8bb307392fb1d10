"""Type check of a formula against a scene: names, classes and types, variables and counts.

Goals and questions share it (``checker``, ``compiler/query``). A diagnostic has the span of its part. A check
belongs here if it looks at one part and its scope; relations between parts are for ``checker``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from unicodedata import normalize

from ...domains.diagnostic import Diagnostic, Fix, Severity, Span, has_errors
from ...domains.errors import clip
from ...domains.formula import (
    ANYTHING,
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
    TrajectoryConstraint,
    TypedVar,
    Var,
    children,
    free_variables,
    quote,
    step_name,
    walk,
)
from ...domains.mapping import ROOM
from ...domains.pack import driving_steps, forbidden_steps
from ...simulator.belief import Belief
from .suggestions import closest, predicates_like
from .syntax import Path
from .unplaced import listed

_OF_RUNS = ("always", "at-most-once", "sometime-after", "sometime-before", "never-do", "sometime")


def _order(diagnostic: Diagnostic) -> tuple[int, str, str, str]:
    start = diagnostic.span.start if diagnostic.span else 0
    return start, diagnostic.severity, diagnostic.code, diagnostic.message


@dataclass
class TypeChecker:
    """Check of one text, whose parts are at ``spans``; diagnostics are collected in ``findings``."""

    spans: Mapping[Path, Span]
    belief: Belief
    findings: list[Diagnostic]

    @property
    def has_errors(self) -> bool:
        return has_errors(tuple(self.findings))

    def report(
        self,
        code: str,
        severity: Severity,
        message: str,
        path: Path,
        fixes: Iterable[str] = (),
        at: Path | None = None,
    ) -> None:
        """Report a finding; ``fixes`` are texts for the part ``at`` a path, by default the finding's."""
        span, mended = self.spans.get(path), self.spans.get(path if at is None else at)
        texts = tuple(Fix(mended, text) for text in fixes) if mended is not None else ()
        self.findings.append(Diagnostic(code, severity, message, span, texts))

    def finish(self) -> tuple[Diagnostic, ...]:
        """Return the diagnostics in the order of the text, each once."""
        return tuple(dict.fromkeys(sorted(self.findings, key=_order)))

    def visit(self, node: Formula, path: Path, scope: dict[str, str], required: bool) -> None:
        """Check a part; ``required`` if every state of the goal makes it true, rather than an alternative."""
        match node:
            case Atom():
                self.atom(node, path, scope)
            case Equal(left, right):
                named = [self.term(t, (*path, i), scope) for i, t in enumerate((left, right))]
                if all(named):
                    self.equality(node, path, required)
            case Exists(variables, _) | Forall(variables, _) | Count(_, _, variables, _):
                self.quantifier(node, variables, path, required)
                self.variables(node, variables, path, scope)
                scope = scope | {v.name: v.type for v in variables}
            case Sometime(body):
                literal = body.part if isinstance(body, Not) else body
                if not isinstance(literal, Atom):
                    message = "sometime takes a literal: an atom or the negation of one"
                    self.report("sometime-literal", "error", message, path)
            case TrajectoryConstraint("never-do", (Atom() as step, _)):
                scope = self.step(step, len(children(node)), path, scope)
        inside = required and isinstance(node, And)
        for index, child in enumerate(children(node)):
            denied = isinstance(node, Not) or (isinstance(node, Imply) and index == 0)
            counted = isinstance(node, Count) and node.kind != "at-least"
            if (denied or counted) and any(isinstance(n, Sometime) for n in walk(child)):
                message = "sometime under a negation, a condition or a bounded count is not supported"
                self.report("unsupported", "error", message, (*path, index))
            self.visit(child, (*path, index), scope, inside)

    def run(self, formula: Formula) -> None:
        """Check that constraints on the run stand where every plan has to keep them, and in no other."""
        stack: list[tuple[Formula, Path, str]] = [(formula, (), "")]
        while stack:
            node, path, inside = stack.pop()
            if inside and isinstance(node, TrajectoryConstraint):
                message = f"{node.kind} under {inside} is not supported: say it alone, in and, or in forall"
                self.report("unsupported", "error", message, path)
            elif isinstance(node, Sometime) and inside in _OF_RUNS:
                self.report("unsupported", "error", f"sometime under {inside} is not supported", path)
            if isinstance(node, TrajectoryConstraint):
                inside = node.kind
            elif not isinstance(node, And | Forall):
                inside = inside or f"{type(node).__name__.lower()}"
            stack += [(child, (*path, index), inside) for index, child in enumerate(children(node))]

    def step(self, step: Atom, first: int, path: Path, scope: dict[str, str]) -> dict[str, str]:
        """Check the pattern of a forbidden step; return the scope of its condition.

        The spans of its arguments, and then of its name, are below ``path`` from the index ``first`` on.
        """
        pack = self.belief.pack
        driving, steps = driving_steps(pack), forbidden_steps(pack)
        name, inner = step_name(step), dict(scope)
        at = (*path, first + len(step.args))
        numbers = sorted(number for other, number in steps if other == name)
        if name in driving:
            message = f"{name} is part of driving: for a place say (never ({pack.standing} place))"
            self.report("unsupported", "error", message, at)
        elif not numbers:
            fixes = closest(name, dict.fromkeys(other for other, _ in sorted(steps)))
            message = f"there is no step {clip(name)} to forbid"
            self.report("unknown-predicate", "error", message, at, fixes)
        elif len(step.args) not in numbers:
            takes = f"{numbers[0]} argument{'s' * (numbers[0] != 1)}"
            message = f"the step {name} has {takes}, not {len(step.args)}"
            self.report("arity", "error", message, at)
        for index, term in enumerate(step.args, first):
            if isinstance(term, Var):
                inner.setdefault(term.name, ANYTHING)
            else:
                self.term(term, (*path, index), scope)
        return inner

    def quantifier(self, node: Formula, variables: tuple[TypedVar, ...], path: Path, required: bool) -> None:
        candidates = self.candidates(variables, path, 1)
        if candidates is None or any(self.belief.unplaced_members(v.type) for v in variables):
            return
        if isinstance(node, Count):
            if node.kind != "at-most" and node.number > candidates:
                message = f"{node.kind} {node.number}, but only {candidates} exist"
                self.report("count", "error" if required else "warning", message, path)
            elif node.kind == "at-most" and node.number >= candidates:
                self.report("vacuous", "warning", f"always true: only {candidates} exist", path)
        elif candidates == 0:
            truth = "always true" if isinstance(node, Forall) else "never true"
            kinds = ", ".join(v.type for v in variables)
            self.report("vacuous", "warning", f"{truth}: the scene has no {kinds}", path)

    def equality(self, node: Equal, path: Path, required: bool) -> None:
        """Report an equality that says nothing: between two names, or of a variable with itself."""
        if node.left == node.right:
            self.report("vacuous", "warning", f"{node} is always true", path)
        elif isinstance(node.left, str) and isinstance(node.right, str):
            message = f"{node} is never true: they are two nodes of the scene"
            self.report(
                "contradiction" if required else "vacuous", "error" if required else "warning", message, path
            )

    def variables(
        self, node: Formula, variables: tuple[TypedVar, ...], path: Path, scope: Mapping[str, str]
    ) -> None:
        """Check that variables are declared once, hide no other, and are used."""
        free = free_variables(node.body) if isinstance(node, Exists | Forall | Count) else frozenset()
        names: set[str] = set()
        for index, variable in enumerate(variables, 1):
            at, shown = (*path, index), f"?{clip(variable.name)}"
            if variable.name in names:
                self.report("duplicate-variable", "error", f"{shown} is declared twice", at)
            elif variable.name in scope:
                message = f"{shown} hides the {shown} of the quantifier around it: give it a name of its own"
                self.report("shadowed-variable", "warning", message, at)
            if variable.name not in free and variable.name not in names:
                self.report("unused-variable", "warning", f"{shown} is declared and not used", at)
            names.add(variable.name)

    def candidates(self, variables: tuple[TypedVar, ...], path: Path, first: int) -> int | None:
        """Count the bindings of variables; ``None``, with a diagnostic, where a class is unknown.

        The span of the first class is below ``path`` at the index ``first``, the others follow.
        """
        number = 1
        for index, variable in enumerate(variables, first):
            members = self.belief.members(variable.type)
            if unplaced := self.belief.unplaced_members(variable.type):
                place = "place is" if len(unplaced) == 1 else "places are"
                message = f"{clip(variable.type)} leaves out {listed(unplaced)}, whose {place} not known"
                self.report("unplaced", "warning", message, (*path, index))
            if not members and not self.known_type(variable.type):
                close = closest(variable.type, [*self.belief.scene.by_class, *self.types()])
                message = f"unknown class or type {clip(variable.type)}"
                if variable.type in self.belief.scene.by_attribute:
                    close = ()
                    message = f"{clip(variable.type)} is an attribute, not a class: say ({variable.type} "
                    message += f"?{variable.name}) of a variable of some class"
                self.report("unknown-class", "error", message, (*path, index), map(quote, close))
                return None
            number *= len(members)
        return number

    def types(self) -> list[str]:
        return [*self.belief.pack.mapping.types, *self.belief.pack.mapping.supertypes, "floor"]

    def known_type(self, name: str) -> bool:
        return self.belief.is_type(name) or name in self.types() or name in self.belief.scene.by_class

    def term(
        self, term: Term, path: Path, scope: dict[str, str], takes: Callable[[str], bool] = bool
    ) -> bool:
        """Check that a term is known; names that it may have meant are those of nodes that a place takes."""
        if isinstance(term, Var):
            if term.name not in scope:
                fixes = [f"?{n}" for n in closest(term.name, scope)]
                message = f"{clip(str(term))} is not declared by a quantifier"
                self.report("unbound-variable", "error", message, path, fixes)
                return False
            return True
        if term not in self.belief.scene.nodes:
            nodes, form = self.belief.scene.nodes, normalize("NFC", term)
            alike = () if term.isascii() else tuple(n for n in nodes if normalize("NFC", n) == form)
            close = alike or closest(term, filter(takes, nodes)) or closest(term, nodes)
            why = f"; {clip(alike[0])} has its accents as other signs (Unicode)" if alike else ""
            message = f"there is no {clip(term)} in the scene{why}"
            self.report("unknown-node", "error", message, path, map(quote, close))
            return False
        return True

    def atom(self, atom: Atom, path: Path, scope: dict[str, str]) -> None:
        public = self.belief.pack.public_predicates()
        name, nodes = atom.predicate, self.belief.scene.nodes
        arity_fits = public.get(name) == len(atom.args)

        def suits(index: int, node: str) -> bool:
            return not arity_fits or self.takes(name, index, {nodes[node].type})

        terms = [
            self.term(term, (*path, index), scope, partial(suits, index))
            for index, term in enumerate(atom.args)
        ]
        if any(a in self.belief.scene.unplaced for a in atom.args):
            self.placeless(atom, path)
        if name in public:
            if len(atom.args) != public[name]:
                count = "1 argument" if public[name] == 1 else f"{public[name]} arguments"
                message = f"{name} takes {count}, not {len(atom.args)}"
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
        close = [quote(p) for p in predicates_like(name, self.belief, partial(self.fits, atom, scope))]
        message = f"unknown predicate, class or attribute {clip(name)}"
        if name[:1] == "=" != name[1:2]:  # names that are compared, and no predicate
            close, message = [f"= {name[1:]}"], "= has a space behind it"
        self.report("unknown-predicate", "error", message, path, close, (*path, len(atom.args)))

    def fits(self, atom: Atom, scope: dict[str, str], name: str) -> bool:
        """Return whether a fact may be so by its types with another predicate, class or attribute."""
        arity = self.belief.pack.public_predicates().get(name)
        if arity is not None:
            return arity == len(atom.args) and all(
                self.takes(name, index, self.kinds(term, scope)) for index, term in enumerate(atom.args)
            )
        if len(atom.args) != 1:
            return False
        [term] = atom.args
        things = self.belief.members(scope.get(term.name, "")) if isinstance(term, Var) else (term,)
        return any(self.belief.classified(name, (thing,)) for thing in things)

    def placeless(self, atom: Atom, path: Path, severity: Severity = "warning") -> None:
        """Report each argument whose place is not known."""
        unreachable = ", so no plan can reach it" if severity == "error" else ""
        for index, term in enumerate(atom.args):
            if isinstance(term, str) and term in self.belief.scene.unplaced:
                message = f"the place of {clip(term)} is not known{unreachable}"
                self.report("place-unknown", severity, message, (*path, index))

    def argument(self, atom: Atom, index: int, term: Term, path: Path, scope: dict[str, str]) -> None:
        """Check that an argument can be of its parameter's type."""
        kinds = self.kinds(term, scope)
        if not self.takes(atom.predicate, index, kinds):
            parameter, is_a = self.parameter_type(atom.predicate, index), " or ".join(sorted(kinds))
            actual = f"{term} is of type {is_a}" if isinstance(term, str) else f"{term} ranges over {is_a}"
            message = f"argument {index + 1} of {atom.predicate} must be of type {parameter}; {actual}"
            self.report("type", "error", message, path)

    def kinds(self, term: Term, scope: Mapping[str, str]) -> set[str]:
        """Return the types of nodes that a term may stand for; none are known of one that is not known."""
        if not isinstance(term, Var):
            return {self.belief.scene.nodes[term].type} if term in self.belief.scene.nodes else set()
        ranged = scope.get(term.name, "")
        kinds = {self.belief.scene.nodes[m].type for m in self.belief.members(ranged)}
        if kinds and not self.belief.is_type(ranged):  # what is unobserved may be of the class, too
            kinds |= set(self.belief.unseen)
        return kinds

    def takes(self, predicate: str, index: int, kinds: Collection[str]) -> bool:
        """Return whether an argument of a predicate may be of one of some types; of none means any."""
        mapping, domain = self.belief.pack.mapping.types, self.belief.pack.domain
        parameter = self.parameter_type(predicate, index)
        return not kinds or any(k in mapping and domain.is_a(mapping[k], parameter) for k in kinds)

    def parameter_type(self, predicate: str, index: int) -> str:
        meaning = self.belief.pack.mapping.derived.get(predicate)
        if meaning == ROOM and index == 1:
            return self.belief.pack.mapping.types.get("room", "room")
        if meaning is not None:
            return "object"
        return self.belief.pack.domain.predicates[predicate].parameters[index].type
