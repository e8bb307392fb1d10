"""PDDL domains that models write: a bounded reader, and the same domain under numbered names for an engine.

A model's text never reaches an engine. What is read is the STRIPS of packs (:mod:`~groundplan.domains.pddl`),
and beyond that negated conditions and equality, which models write everywhere: both become facts of their own
(``not-open``, ``same-object``), which effects keep and the initial state gets. What else a domain may have
(quantifiers, conditional effects, constants) is refused with its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from math import prod

from ...domains.action import Action
from ...domains.errors import InputError, clip
from ...domains.formula import Atom, TypedVar, Var
from ...domains.pddl import Domain, Predicate, read_domain
from ...domains.sexpr import Expression, Word, read
from .problem_text import MAX_FACTS, MAX_TEXT, WrittenProblem

MAX_ACTIONS, MAX_PARAMETERS = 100, 8
MAX_DEPTH = 40
SAME, NOT = "same-object", "not-"
"""The predicate that stands for ``=``, and the beginning of those that stand for a negation."""
_SKIPPED = frozenset((":requirements", ":functions"))


@dataclass(frozen=True)
class WrittenDomain:
    """A domain with positive conditions only; ``negated`` are the predicates that have a complement."""

    domain: Domain
    negated: tuple[str, ...] = ()

    @cached_property
    def plain(self) -> Domain:
        """The domain that problems and goals are written in: without what was added to it."""
        added = {SAME, *(NOT + name for name in self.negated)}
        kept = {name: p for name, p in self.domain.predicates.items() if name not in added}
        return replace(self.domain, predicates=kept)

    def completed(self, problem: WrittenProblem) -> WrittenProblem:
        """Add to an initial state what is the same, and what does not hold of predicates with a complement.

        Raises :class:`InputError` where that is too much.
        """
        init = dict.fromkeys(problem.init)
        if SAME in self.domain.predicates:
            init |= dict.fromkeys(Atom(SAME, (name, name)) for name in problem.objects)
        for name in self.negated:
            kinds = [p.type for p in self.domain.predicates[name].parameters]
            ranges = [[o for o, t in problem.objects.items() if self.domain.is_a(t, kind)] for kind in kinds]
            if prod(map(len, ranges)) > MAX_FACTS:
                hint = "write conditions without negation, or name fewer objects"
                raise InputError("problem", f"at most {MAX_FACTS} facts that do not hold", "more", hint)
            false = (args for args in product(*ranges) if Atom(name, args) not in init)
            init |= dict.fromkeys([Atom(NOT + name, args) for args in false])
        return replace(problem, init=tuple(init))


def read_written_domain(text: str) -> WrittenDomain:
    """Read a domain that a model wrote, with words around it or without.

    Raises :class:`InputError` for what is no domain in the fragment above, and beyond the bounds.
    """
    if len(text) > MAX_TEXT:
        raise InputError("domain", f"at most {MAX_TEXT} characters", str(len(text)))
    start, end = text.find("(define"), text.rfind(")")
    if not 0 <= start < end:
        raise InputError("domain", "(define (domain ...) ...)", clip(text))
    match read(text[start : end + 1], "domain"):
        case (Expression() as define, *_):
            positive = _Positive()
            domain = read_domain(positive.domain(define), "domain")
        case _:
            raise InputError("domain", "(define (domain ...) ...)", clip(text))
    for action in domain.actions.values():
        if len(action.parameters) > MAX_PARAMETERS:
            got = f"{len(action.parameters)} in {clip(action.name)}"
            raise InputError("domain", f"at most {MAX_PARAMETERS} parameters of an action", got)
    negated = tuple(positive.negated)
    return WrittenDomain(
        replace(domain, actions={n: _kept(a, negated) for n, a in domain.actions.items()}), negated
    )


def _kept(action: Action, negated: tuple[str, ...]) -> Action:
    """Let the effects of an action on a predicate that is negated somewhere keep its complement."""
    lost = [a for a in action.delete if a.predicate in negated and a not in action.add]
    gained = [a for a in action.add if a.predicate in negated]
    add = (*action.add, *(Atom(NOT + a.predicate, a.args) for a in lost))
    return replace(
        action, add=add, delete=(*action.delete, *(Atom(NOT + a.predicate, a.args) for a in gained))
    )


@dataclass
class _Positive:
    """Rewrites a domain without negation and equality; ``negated`` are the predicates that were negated."""

    negated: dict[str, None] = field(default_factory=dict)
    equality: bool = False

    def domain(self, define: Expression) -> str:
        """Return the text of the domain. Raises :class:`InputError`."""
        sections = [s for s in define.items[1:] if _head(s) not in (*_SKIPPED, ":action")]
        actions = [s for s in define.items[1:] if isinstance(s, Expression) and s.head() == ":action"]
        if len(actions) > MAX_ACTIONS:
            raise InputError("domain", f"at most {MAX_ACTIONS} actions", str(len(actions)))
        last = [self._action(section) for section in actions]
        declared = [p for s in sections if _head(s) == ":predicates" for p in _parts(s) if _head(p)]
        extra = [f"({NOT}{_text(p)[1:]}" for p in declared if _head(p) in self.negated]
        if self.equality:
            pair = f"({SAME} ?a - object ?b - object)"
            extra += [pair, *([f"({NOT}{pair[1:]}"] if SAME in self.negated else [])]
        return "\n".join(["(define", *map(_text, sections), f"(:predicates {' '.join(extra)})", *last, ")"])

    def _action(self, section: Expression) -> str:
        parts = {":parameters": "()", ":precondition": "()", ":effect": "()"}
        for key, value in zip(section.items[2::2], section.items[3::2], strict=False):
            name = key.text.lower() if isinstance(key, Word) else ""
            if name not in parts:
                raise InputError(f"domain:{key.line}:{key.column}", ":precondition and the like", clip(name))
            match name:
                case ":precondition":
                    parts[name] = f"(and {' '.join(map(self._condition, _conjuncts(value)))})"
                case ":effect":
                    kept = (_text(v) for v in _conjuncts(value) if _head(v) not in ("increase", "decrease"))
                    parts[name] = f"(and {' '.join(kept)})"
                case _:
                    parts[name] = _text(value)
        title = section.items[1] if len(section.items) > 1 else section
        if not isinstance(title, Word) or title.text.startswith((":", "?")):
            raise InputError(
                f"domain:{title.line}:{title.column}", "the name of an action", clip(_text(title))
            )
        return f"(:action {title.text} {' '.join(f'{key} {value}' for key, value in parts.items())})"

    def _condition(self, item: Expression | Word) -> str:
        parts = _parts(item)
        if _head(item) != "not" or len(parts) != 1 or not _head(parts[0]):
            return self._fact(item)
        fact = self._fact(parts[0])
        self.negated[SAME if _head(parts[0]) == "=" else _head(parts[0])] = None
        return f"({NOT}{fact[1:]}"

    def _fact(self, item: Expression | Word) -> str:
        if _head(item) == "=":
            self.equality = True
            return _text(item).replace("=", SAME, 1)
        return _text(item)


def _head(item: Expression | Word) -> str:
    return item.head() if isinstance(item, Expression) else ""


def _parts(item: Expression | Word) -> tuple[Expression | Word, ...]:
    return item.items[1:] if isinstance(item, Expression) else ()


def _conjuncts(item: Expression | Word, depth: int = 0) -> list[Expression | Word]:
    """Return the parts of a conjunction, of conjunctions in it too; none of an empty list."""
    if depth > MAX_DEPTH:
        raise InputError("domain", f"conditions at most {MAX_DEPTH} deep", "more")
    if isinstance(item, Expression) and not item.items:
        return []
    if isinstance(item, Expression) and item.head() == "and":
        return [part for inner in item.items[1:] for part in _conjuncts(inner, depth + 1)]
    return [item]


def _text(item: Expression | Word, depth: int = 0) -> str:
    if isinstance(item, Word):
        return item.text
    if depth > MAX_DEPTH:
        raise InputError(f"domain:{item.line}:{item.column}", f"brackets at most {MAX_DEPTH} deep", "more")
    return f"({' '.join(_text(part, depth + 1) for part in item.items)})"


@dataclass(frozen=True)
class Numbered:
    """A domain under numbered names, which is what an engine gets, and the way back from its plans."""

    domain: Domain
    actions: Mapping[str, str]
    """The name of each numbered action."""
    _types: Mapping[str, str]
    _predicates: Mapping[str, str]

    @classmethod
    def of(cls, domain: Domain) -> Numbered:
        """Number the types, predicates, actions and variables of a domain."""
        types = {"object": "object"} | _numbers("t", (t for t in domain.types if t != "object"))
        predicates, actions = _numbers("p", domain.predicates), _numbers("a", domain.actions)
        numbered = Domain(
            "written",
            {types[t]: types.get(above, "") for t, above in domain.types.items()},
            {
                predicates[p.name]: Predicate(predicates[p.name], _variables(p.parameters, types))
                for p in domain.predicates.values()
            },
            {
                actions[a.name]: _action(a, actions[a.name], types, predicates)
                for a in domain.actions.values()
            },
        )
        return cls(numbered, {number: name for name, number in actions.items()}, types, predicates)

    def problem(self, problem: WrittenProblem) -> WrittenProblem:
        """Return a problem of the domain in the same names; its objects keep theirs."""
        init, goal = (
            tuple(Atom(self._predicates[a.predicate], a.args) for a in atoms)
            for atoms in (problem.init, problem.goal)
        )
        return WrittenProblem({o: self._types[t] for o, t in problem.objects.items()}, init, goal)


def _numbers(letter: str, names: Iterable[str]) -> dict[str, str]:
    return {name: f"{letter}{index}" for index, name in enumerate(names, 1)}


def _variables(parameters: Iterable[TypedVar], types: Mapping[str, str]) -> tuple[TypedVar, ...]:
    return tuple(TypedVar(f"v{i}", types[p.type]) for i, p in enumerate(parameters, 1))


def _action(action: Action, name: str, types: Mapping[str, str], predicates: Mapping[str, str]) -> Action:
    variables = _variables(action.parameters, types)
    renamed = {p.name: Var(v.name) for p, v in zip(action.parameters, variables, strict=True)}

    def facts(atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple(
            Atom(
                predicates[a.predicate],
                tuple(renamed[t.name] if isinstance(t, Var) else t for t in a.args),
            )
            for a in atoms
        )

    return Action(name, variables, facts(action.precondition), facts(action.add), facts(action.delete))
