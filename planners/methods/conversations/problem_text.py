"""PDDL problems that models write: the domain they are shown, a bounded reader, and what an engine gets.

A model's text never reaches an engine. It is read by :func:`read_written`, checked against the pack's domain,
and written anew with numbered objects; :class:`WrittenProblem` has the table back to the names. Domains have
no costs, because no model can write the distances between all places: plans are short in actions instead.
Goals are conjunctions of facts, as all engines here take them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....compiler.decoding.dialects import Dialect, GbnfDialect, LarkDialect, literal
from ....compiler.symbols import SymbolTable, symbols
from ....domains.action import Action
from ....domains.errors import InputError, clip, did_you_mean
from ....domains.formula import Atom, TypedVar, Var
from ....domains.pack import Pack
from ....domains.pddl import Domain
from ....domains.sexpr import Expression, Word, read
from ....language.chat.servers.model import Constraint
from ....simulator.belief import Belief
from ...engines.base import PddlText

MAX_TEXT = 60_000
"""Most characters of a problem that is read."""
MAX_OBJECTS = 2_000
MAX_FACTS = 20_000
MOST_OBJECTS, MOST_FACTS, MOST_GOALS = 300, 1000, 50
"""Objects, facts and conjuncts under a grammar, whose size grows with them."""


def domain_text(domain: Domain) -> str:
    """Return a pack's domain as PDDL without costs; its events are actions like others."""
    types = [f"    {name} - {above}" for name, above in domain.types.items() if name != "object"]
    predicates = [
        f"    ({' '.join([p.name, _typed(p.parameters)]).strip()})" for p in domain.predicates.values()
    ]
    actions = [_action(action) for action in domain.actions.values()]
    head = [f"(define (domain {domain.name})", "  (:requirements :strips :typing)"]
    return "\n".join(
        [*head, "  (:types", *types, "  )", "  (:predicates", *predicates, "  )", *actions, ")", ""]
    )


def _typed(parameters: Iterable[TypedVar]) -> str:
    return " ".join(f"?{p.name} - {p.type}" for p in parameters)


def _action(action: Action) -> str:
    effect = [*map(_fact, action.add), *(f"(not {_fact(a)})" for a in action.delete if a not in action.add)]
    return (
        f"  (:action {action.name}\n    :parameters ({_typed(action.parameters)})\n"
        f"    :precondition (and {' '.join(map(_fact, action.precondition))})\n"
        f"    :effect (and {' '.join(effect)}))"
    )


def _fact(atom: Atom) -> str:
    args = (f"?{a.name}" if isinstance(a, Var) else a for a in atom.args)
    return f"({' '.join([atom.predicate, *args])})"


def scene_symbols(belief: Belief) -> SymbolTable:
    """Return the symbols by which a problem calls the nodes of a scene; packs' own names stay."""
    domain = belief.pack.domain
    nodes = (n.id for n in belief.scene.nodes.values() if belief.pack.mapping.types.get(n.type))
    return symbols(domain.types, domain.predicates, domain.actions, nodes)


@dataclass(frozen=True, slots=True)
class WrittenProblem:
    """A problem as a model wrote it, in its symbols: objects with their types, the facts, and the goal."""

    objects: Mapping[str, str]
    init: tuple[Atom, ...]
    goal: tuple[Atom, ...]

    def names(self) -> Mapping[str, str]:
        """Return the symbol of each numbered object of :meth:`text`."""
        return {f"o{index}": symbol for index, symbol in enumerate(self.objects, 1)}

    def text(self, domain: Domain) -> PddlText:
        """Return what an engine gets: the domain, and the problem with numbered objects."""
        numbered = {symbol: number for number, symbol in self.names().items()}
        objects = " ".join(f"{numbered[s]} - {kind}" for s, kind in self.objects.items())
        facts, goal = (" ".join(_renamed(a, numbered) for a in atoms) for atoms in (self.init, self.goal))
        problem = (
            f"(define (problem written) (:domain {domain.name})\n(:objects {objects})\n(:init {facts})\n"
            f"(:goal (and {goal})))\n"
        )
        return PddlText(domain_text(domain), problem)


def _renamed(atom: Atom, names: Mapping[str, str]) -> str:
    return f"({' '.join([atom.predicate, *(names[str(a)] for a in atom.args)])})"


def true_problem(belief: Belief, goal: Sequence[Atom], table: SymbolTable) -> str:
    """Return the problem that a belief and a goal are, as an example for a model: all objects and facts."""
    types = belief.pack.mapping.types
    objects = (f"{s} - {types[belief.scene.nodes[n].type]}" for n, s in table.objects.items())
    facts = (_renamed(a, table.objects) for a in belief.facts)
    conjuncts = " ".join(_renamed(a, table.objects) for a in goal)
    return (
        f"(define (problem p) (:domain {belief.pack.domain.name}) (:objects {' '.join(objects)})"
        f" (:init {' '.join(facts)}) (:goal (and {conjuncts})))"
    )


def read_written(text: str, domain: Domain) -> WrittenProblem:
    """Read a problem that a model wrote, with words around it or without.

    Raises :class:`InputError` for what is no problem of the domain, and beyond the bounds.
    """
    if len(text) > MAX_TEXT:
        raise InputError("problem", f"at most {MAX_TEXT} characters", str(len(text)))
    start, end = text.find("(define"), text.rfind(")")
    if not 0 <= start < end:
        raise InputError("problem", "(define (problem ...) ...)", clip(text))
    match read(text[start : end + 1], "problem"):
        case (Expression() as define,):
            return _Reader(domain).problem(define)
    raise InputError("problem", "one (define (problem ...) ...)", "several expressions")


class _Reader:
    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.objects: dict[str, str] = {}

    def fail(self, at: Expression | Word, expected: str, got: str, hint: str = "") -> InputError:
        return InputError(f"problem:{at.line}:{at.column}", expected, clip(got), hint)

    def problem(self, define: Expression) -> WrittenProblem:
        sections = {s.head(): s for s in define.items[1:] if isinstance(s, Expression)}
        for head in ("problem", ":objects", ":init", ":goal"):
            if head not in sections:
                raise self.fail(define, f"a section ({head} ...)", "none")
        self.declare(sections[":objects"])
        init = tuple(dict.fromkeys(self.fact(item) for item in sections[":init"].items[1:]))
        goal = tuple(self.conjuncts(sections[":goal"]))
        if len(init) + len(goal) > MAX_FACTS:
            raise InputError("problem", f"at most {MAX_FACTS} facts", str(len(init) + len(goal)))
        return WrittenProblem(self.objects, init, goal)

    def declare(self, section: Expression) -> None:
        waiting: list[str] = []
        words = iter(section.items[1:])
        for item in words:
            if not isinstance(item, Word):
                raise self.fail(item, "the name of an object", "a list")
            if item.text != "-":
                waiting.append(item.text.lower())
                continue
            kind = next(words, None)
            name = kind.text.lower() if isinstance(kind, Word) else ""
            if name not in self.domain.types:
                raise self.fail(item, "a type of the domain", name, did_you_mean(name, self.domain.types))
            self.objects |= dict.fromkeys(waiting, name)
            waiting = []
        self.objects |= dict.fromkeys(waiting, "object")
        if len(self.objects) > MAX_OBJECTS:
            raise self.fail(section, f"at most {MAX_OBJECTS} objects", str(len(self.objects)))

    def conjuncts(self, section: Expression) -> Iterator[Atom]:
        parts = section.items[1:]
        if len(parts) == 1 and isinstance(parts[0], Expression) and parts[0].head() == "and":
            parts = parts[0].items[1:]
        if not parts:
            raise self.fail(section, "a conjunction of facts", "nothing")
        yield from map(self.fact, parts)

    def fact(self, item: Expression | Word) -> Atom:
        if not isinstance(item, Expression):
            raise self.fail(item, "a fact in brackets", item.text)
        predicate = self.domain.predicates.get(item.head())
        if predicate is None:
            hint = did_you_mean(item.head(), self.domain.predicates)
            raise self.fail(item, "a predicate of the domain", item.head(), hint)
        args = tuple(i.text.lower() if isinstance(i, Word) else "" for i in item.items[1:])
        if len(args) != predicate.arity:
            raise self.fail(item, f"{predicate.arity} arguments for {predicate.name}", str(len(args)))
        for name, parameter in zip(args, predicate.parameters, strict=True):
            if name not in self.objects:
                raise self.fail(item, "an object of :objects", name, did_you_mean(name, self.objects))
            if not self.domain.is_a(self.objects[name], parameter.type):
                raise self.fail(
                    item, f"a {parameter.type} in {predicate.name}", f"{name} - {self.objects[name]}"
                )
        return Atom(predicate.name, args)


def problem_constraint(pack: Pack, objects: Sequence[str]) -> Constraint:
    """Return the problems that name only some objects, as Lark and GBNF."""
    return Constraint(
        "pddl-problem",
        None,
        lambda: _grammar(pack.domain, objects, LarkDialect()),
        lambda: _grammar(pack.domain, objects, GbnfDialect()),
        json_mode=False,
    )


def _grammar(domain: Domain, objects: Sequence[str], dialect: Dialect) -> str:
    """Return the grammar of problems in a dialect: one line, a space between the items of a list."""
    name, kind, fact, typed = (
        dialect.words("name"),
        dialect.words("kind"),
        dialect.rule("fact"),
        dialect.rule("typed"),
    )
    arities = sorted({p.arity for p in domain.predicates.values()})
    head = literal(f"(define (problem p) (:domain {domain.name}) (:objects ")
    body = [dialect.some(typed, MOST_OBJECTS), literal(") (:init "), dialect.some(fact, MOST_FACTS)]
    body += [literal(") (:goal (and "), dialect.some(fact, MOST_GOALS), literal(")))")]
    lines = [
        dialect.definition(dialect.start, [" ".join([head, *body])]),
        dialect.definition(typed, [f"{name} {literal(' - ')} {kind}"]),
        dialect.definition(fact, [dialect.rule(f"fact_{n}") for n in arities]),
    ]
    for n in arities:
        predicate = dialect.words(f"predicate_{n}")
        args = " ".join(f"{literal(' ')} {name}" for _ in range(n))
        row = " ".join(filter(None, (literal("("), predicate, args, literal(")"))))
        lines.append(dialect.definition(dialect.rule(f"fact_{n}"), [row]))
        spelt = (literal(p.name) for p in domain.predicates.values() if p.arity == n)
        lines.append(dialect.definition(predicate, spelt))
    lines.append(dialect.definition(kind, (literal(t) for t in domain.types)))
    lines.append(dialect.definition(name, (literal(o) for o in objects)))
    return "\n".join(lines) + "\n"
