"""PDDL problems that models write: the domain they are shown, a bounded reader, and what an engine gets.

A model's text never reaches an engine. It is read by :func:`read_written`, checked against the pack's domain,
and written anew with numbered objects; :class:`WrittenProblem` has the table back to the names. Domains have
no costs, because no model can write the distances between all places: plans are short in actions instead.
Goals are conjunctions of facts, as all engines here take them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...compiler.decoding.dialects import Dialect, GbnfDialect, LarkDialect, literal
from ...compiler.symbols import SymbolTable, symbols
from ...domains.action import Action
from ...domains.errors import InputError, clip, did_you_mean
from ...domains.formula import Atom, TypedVar, Var
from ...domains.mapping import Rule
from ...domains.pack import Pack
from ...domains.pddl import Domain, Predicate
from ...domains.sexpr import Expression, Word, read
from ...engines.base import PddlText
from ...language.chat.servers.model import Constraint
from ...simulator.belief import Belief
from .declining import declined_text

MAX_TEXT = 60_000
"""Most characters of a problem that is read."""
MAX_OBJECTS = 2_000
MAX_FACTS = 20_000
MOST_OBJECTS, MOST_FACTS, MOST_GOALS = 300, 1000, 50
"""Objects, facts and conjuncts under a grammar, whose size grows with them."""


def domain_text(domain: Domain) -> str:
    """Return a pack's domain as PDDL without costs; its events are actions like others."""
    types = [f"    {name} - {above}" for name, above in domain.types.items() if name != "object"]
    predicates = [f"    {_head(p)}" for p in domain.predicates.values()]
    actions = [_action(action) for action in domain.actions.values()]
    head = [f"(define (domain {domain.name})", "  (:requirements :strips :typing)"]
    return "\n".join(
        [*head, "  (:types", *types, "  )", "  (:predicates", *predicates, "  )", *actions, ")", ""]
    )


def described(pack: Pack) -> dict[str, object]:
    """Return a pack's domain in words, from which a model is to write it: types, predicates, actions."""
    domain = pack.domain

    def words(atoms: tuple[Atom, ...]) -> str:
        facts = (
            (a.predicate, tuple(f"?{t.name}" if isinstance(t, Var) else t for t in a.args)) for a in atoms
        )
        return ", ".join(pack.words(predicate, args, True) for predicate, args in facts)

    def action(one: Action) -> str:
        head = f"{one.name}({_typed(one.parameters).replace(' ?', ', ?')})"
        gone = tuple(a for a in one.delete if a not in one.add)
        after = f"{words(one.add)}{f'; no longer: {words(gone)}' if gone else ''}"
        return f"{head}: {words(one.precondition)}. After it: {after}"

    return {
        "types": [f"{name} - {above}" for name, above in domain.types.items() if name != "object"],
        "predicates": [
            f"{_head(p)}: {pack.words(p.name, tuple(f'?{v.name}' for v in p.parameters), True)}"
            for p in domain.predicates.values()
        ],
        "actions": [action(one) for one in domain.actions.values()],
    }


def _head(predicate: Predicate) -> str:
    return f"({' '.join([predicate.name, _typed(predicate.parameters)]).strip()})"


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


def scene_symbols(belief: Belief, shown: Collection[str] | None = None) -> SymbolTable:
    """Return the symbols by which a problem calls the nodes of a scene; packs' own names stay.

    With ``shown`` only those of some of its nodes, the same as without.
    """
    domain = belief.pack.domain
    nodes = (n.id for n in belief.scene.nodes.values() if belief.pack.mapping.types.get(n.type))
    table = symbols(domain.types, domain.predicates, domain.actions, nodes)
    if shown is None:
        return table
    return replace(table, objects={n: s for n, s in table.objects.items() if n in shown})


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


def defaults(pack: Pack) -> tuple[Rule, ...]:
    """Return the rules for what holds of every thing of some types where nothing that it excludes is stated.

    A scene that is shown to a model leaves these facts out, and so may a problem that it writes.
    """
    return tuple(rule for rule in pack.mapping.rules if not rule.when)


def with_defaults(problem: WrittenProblem, domain: Domain, pack: Pack) -> WrittenProblem:
    """Return a problem of a domain with the facts that :func:`defaults` make of its initial state."""
    init = dict.fromkeys(problem.init)
    for rule in defaults(pack):
        declared = domain.predicates.get(rule.add.predicate)
        if declared is None or declared.arity != 1:
            continue
        kinds = {pack.mapping.types[t] for t in rule.types if t in pack.mapping.types} & domain.types.keys()
        for name, kind in problem.objects.items():
            stated = any(Atom(other.predicate, (name,)) in init for other in rule.unless)
            fits = domain.is_a(kind, declared.parameters[0].type)
            if fits and not stated and any(domain.is_a(kind, one) for one in kinds):
                init[Atom(rule.add.predicate, (name,))] = None
    return replace(problem, init=tuple(init))


def true_problem(belief: Belief, goal: Sequence[Atom], table: SymbolTable) -> str:
    """Return the problem that a belief and a goal are, as an example for a model: all objects and facts.

    Those that :func:`with_defaults` adds again are left out.
    """
    types, usual = belief.pack.mapping.types, {rule.add.predicate for rule in defaults(belief.pack)}
    objects = (f"{s} - {types[belief.scene.nodes[n].type]}" for n, s in table.objects.items())
    facts = (_renamed(a, table.objects) for a in belief.facts if a.predicate not in usual)
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


def read_goals(text: str, domain: Domain, objects: Mapping[str, str]) -> tuple[tuple[Atom, ...], ...]:
    """Read goals that a model wrote in their order, each ``(:goal ...)``, ``(and ...)`` or a single fact.

    Words between them say nothing. Raises :class:`InputError` for none, for too many, and for a goal that
    does not fit the domain or names another object.
    """
    if len(text) > MAX_TEXT:
        raise InputError("goals", f"at most {MAX_TEXT} characters", str(len(text)))
    reader = _Reader(domain, dict(objects), "goals")
    heads = {":goal", "and", *domain.predicates}
    body = text[text.find("(") : text.rfind(")") + 1]
    lists = (item for item in read(body, "goals") if isinstance(item, Expression) and item.head() in heads)
    goals = [tuple(reader.conjuncts(item if item.head() == ":goal" else _goal(item))) for item in lists]
    if not 0 < len(goals) <= MOST_GOALS:
        raise InputError("goals", f"1 to {MOST_GOALS} goals such as (:goal (and ...))", str(len(goals)))
    return tuple(goals)


def _goal(item: Expression) -> Expression:
    return Expression((Word(":goal", item.line, item.column), item), item.line, item.column)


def _says_nothing(item: Expression | Word) -> bool:
    """Return whether an entry of an initial state has nothing to add: a negated fact, or a number."""
    return isinstance(item, Expression) and item.head() in ("not", "=")


class _Reader:
    def __init__(self, domain: Domain, objects: dict[str, str] | None = None, where: str = "problem") -> None:
        self.domain = domain
        self.objects = objects if objects is not None else {}
        self.where = where

    def fail(self, at: Expression | Word, expected: str, got: str, hint: str = "") -> InputError:
        return InputError(f"{self.where}:{at.line}:{at.column}", expected, clip(got), hint)

    def problem(self, define: Expression) -> WrittenProblem:
        sections = {s.head(): s for s in define.items[1:] if isinstance(s, Expression)}
        for head in ("problem", ":objects", ":init", ":goal"):
            if head not in sections:
                raise self.fail(define, f"a section ({head} ...)", "none")
        self.declare(sections[":objects"])
        stated = (item for item in sections[":init"].items[1:] if not _says_nothing(item))
        init = tuple(dict.fromkeys(self.fact(item) for item in stated))
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


def problem_constraint(domain: Domain, objects: Sequence[str]) -> Constraint:
    """Return the problems of a domain that name only some objects, as Lark and GBNF."""
    return _constraint("pddl-problem", domain, objects, _problem_start)


def goals_constraint(domain: Domain, objects: Sequence[str]) -> Constraint:
    """Return lists of goals of a domain that name only some objects, as Lark and GBNF."""
    return _constraint("pddl-goals", domain, objects, _goals_start)


Start = Callable[[Domain, Dialect], Iterator[str]]


def _constraint(name: str, domain: Domain, objects: Sequence[str], start: Start) -> Constraint:
    def grammar(dialect: Dialect) -> str:
        return "\n".join([*start(domain, dialect), *_fact_rules(domain, objects, dialect)]) + "\n"

    return Constraint(
        name, None, lambda: grammar(LarkDialect()), lambda: grammar(GbnfDialect()), json_mode=False
    )


def _problem_start(domain: Domain, dialect: Dialect) -> Iterator[str]:
    """Yield the rules of a problem: one line, a space between the items of a list."""
    fact, typed = dialect.rule("fact"), dialect.rule("typed")
    head = literal(f"(define (problem p) (:domain {domain.name}) (:objects ")
    body = [dialect.some(typed, MOST_OBJECTS), literal(") (:init "), dialect.some(fact, MOST_FACTS)]
    body += [literal(") (:goal (and "), dialect.some(fact, MOST_GOALS), literal(")))")]
    yield dialect.definition(dialect.start, [" ".join([head, *body]), declined_text(dialect)])
    yield dialect.definition(typed, [f"{dialect.words('name')} {literal(' - ')} {dialect.words('kind')}"])
    yield dialect.definition(dialect.words("kind"), (literal(t) for t in domain.types))


def _goals_start(domain: Domain, dialect: Dialect) -> Iterator[str]:
    goal = dialect.rule("goal")
    yield dialect.definition(dialect.start, [dialect.some(goal, MOST_GOALS)])
    inside = dialect.some(dialect.rule("fact"), MOST_GOALS)
    yield dialect.definition(goal, [f"{literal('(:goal (and ')} {inside} {literal('))')}"])


def _fact_rules(domain: Domain, objects: Sequence[str], dialect: Dialect) -> Iterator[str]:
    name = dialect.words("name")
    arities = sorted({p.arity for p in domain.predicates.values()})
    yield dialect.definition(dialect.rule("fact"), [dialect.rule(f"fact_{n}") for n in arities])
    for n in arities:
        predicate = dialect.words(f"predicate_{n}")
        args = " ".join(f"{literal(' ')} {name}" for _ in range(n))
        row = " ".join(filter(None, (literal("("), predicate, args, literal(")"))))
        yield dialect.definition(dialect.rule(f"fact_{n}"), [row])
        spelt = (literal(p.name) for p in domain.predicates.values() if p.arity == n)
        yield dialect.definition(predicate, spelt)
    yield dialect.definition(name, (literal(o) for o in objects))
