"""PDDL domain files: types, predicates and action schemas of the fragment that packs may use.

The fragment is ``:strips :typing :action-costs`` with positive conditions. Anything outside is rejected with
its place, because a pack that is half understood plans the wrong thing. The fragment may grow by a section in
``domain`` or a case in ``action``, if the simulator and both writers of problems follow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .action import Action
from .errors import PackError, clip, did_you_mean
from .formula import Atom, Term, TypedVar, Var
from .sexpr import Expression, Word, read

REQUIREMENTS = frozenset({":strips", ":typing", ":action-costs"})
COST, DISTANCE = "total-cost", "distance"
"""Functions that a domain may have: what is minimized, and the length of a route."""
KEYWORDS = frozenset(
    "and or not = imply exists forall when increase decrease assign sometime missing".split()
)


@dataclass(frozen=True, slots=True)
class Predicate:
    name: str
    parameters: tuple[TypedVar, ...]

    @property
    def arity(self) -> int:
        return len(self.parameters)


@dataclass(frozen=True, slots=True)
class Domain:
    """A PDDL domain; ``types`` maps each type to its parent, with ``object`` as the root."""

    name: str
    types: dict[str, str]
    predicates: dict[str, Predicate]
    actions: dict[str, Action]
    places: Mapping[tuple[str, str], str] = field(default_factory=dict, compare=False)
    """File, line and column of each ``("type", name)``, ``("predicate", name)`` and ``("action", name)``."""

    def place(self, kind: str, name: str) -> str:
        return self.places.get((kind, name), "")

    def is_a(self, type_name: str, ancestor: str) -> bool:
        """Return whether a type is the ancestor or below it."""
        return is_a(type_name, ancestor, self.types)

    def fluents(self) -> frozenset[str]:
        """Return the predicates that some action or event changes."""
        return frozenset(a.predicate for act in self.actions.values() for a in act.add + act.delete)


def is_a(type_name: str, ancestor: str, types: Mapping[str, str]) -> bool:
    """Return whether a type is the ancestor or below it, where each of some types has its parent."""
    while type_name != ancestor and type_name in types:
        type_name = types[type_name]
    return type_name == ancestor


def read_domain(text: str, where: str, extends: Domain | None = None) -> Domain:
    """Read the text of a domain file, on top of the domain that it extends.

    Raises :class:`PackError` with line and column.
    """
    match read(text, where, PackError):
        case (Expression() as define,) if define.head() == "define":
            return _Reader(where, extends).domain(define)
        case expressions:
            raise PackError(where, "one (define (domain NAME) ...)", f"{len(expressions)} expressions")


class _Reader:
    def __init__(self, where: str, extends: Domain | None = None) -> None:
        self.where = where
        self.types = dict(extends.types) if extends else {"object": ""}
        self.predicates = dict(extends.predicates) if extends else {}
        self.actions = dict(extends.actions) if extends else {}
        self.base = frozenset(self.types)
        self.places = dict(extends.places) if extends else {}

    def note(self, kind: str, name: str, at: Expression | Word) -> None:
        self.places[kind, name] = f"{self.where}:{at.line}:{at.column}"

    def fail(self, at: Expression | Word, expected: str, got: str, hint: str = "") -> PackError:
        return PackError(f"{self.where}:{at.line}:{at.column}", expected, clip(got), hint)

    def domain(self, define: Expression) -> Domain:
        name = ""
        for section in define.items[1:]:
            if not isinstance(section, Expression):
                raise self.fail(section, "a section in brackets", section.text)
            match section.head():
                case "domain":
                    name = self.word(section.items[1] if len(section.items) > 1 else section)
                case ":requirements":
                    self.requirements(section)
                case ":types":
                    self.declare_types(section)
                case ":predicates":
                    for item in section.items[1:]:
                        self.predicate(item)
                case ":functions":
                    self.functions(section)
                case ":action":
                    self.action(section)
                case other:
                    raise self.fail(section, "a section of a STRIPS domain", other or "nothing")
        self.check_types()
        return Domain(name, self.types, self.predicates, self.actions, self.places)

    def declare_types(self, section: Expression) -> None:
        for item in section.items[1:]:
            if isinstance(item, Word):
                self.places.setdefault(("type", item.text.lower()), f"{self.where}:{item.line}:{item.column}")
        for name, parent in self.typed(section.items[1:], default="object"):
            if name in self.base and name != "object" and self.types[name] != parent:
                raise self.fail(
                    section, f"{name} - {self.types[name]}, as in the pack that is extended", parent
                )
            self.types[name] = parent

    def check_types(self) -> None:
        """Check that every type leads up to ``object``, each looked at once."""
        rooted: set[str] = set()
        for type_name in self.types:
            above = [type_name]
            passed = {type_name}
            while above[-1] not in rooted and (parent := self.types[above[-1]]):
                where = self.places.get(("type", above[-1]), self.where)
                if parent not in self.types:
                    hint = did_you_mean(parent, self.types)
                    raise PackError(where, "declared types", f"{above[-1]} - {clip(parent)}", hint)
                above.append(parent)
                if parent in passed:
                    raise PackError(where, "types without cycles", clip(" - ".join(above)))
                passed.add(parent)
            rooted |= passed

    def functions(self, section: Expression) -> None:
        """Check the declared functions: there are costs and routes, and no other numbers."""
        for item in section.items[1:]:
            if isinstance(item, Expression) and item.head() not in (COST, DISTANCE):
                hint = "write amounts as facts (full, half_full, empty): there are no other numbers"
                raise self.fail(item, f"({COST}) and ({DISTANCE} ?from ?to)", item.head() or "nothing", hint)

    def requirements(self, section: Expression) -> None:
        for item in section.items[1:]:
            if self.word(item) not in REQUIREMENTS:
                hint = "write conditions as positive conjunctions, with complementary predicates"
                raise self.fail(item, " ".join(sorted(REQUIREMENTS)), self.word(item), hint)

    def word(self, item: Expression | Word) -> str:
        if not isinstance(item, Word):
            raise self.fail(item, "a word", "a list")
        return item.text.lower()

    def typed(self, items: tuple[Expression | Word, ...], default: str) -> list[tuple[str, str]]:
        """Read a typed list ``a b - t c``; the names before a dash share its type."""
        result: list[tuple[str, str]] = []
        pending: list[str] = []
        words = iter(items)
        for item in words:
            if self.word(item) != "-":
                pending.append(self.word(item))
                continue
            type_item = next(words, None)
            if type_item is None:
                raise self.fail(item, "a type after the dash", "nothing")
            result += [(name, self.word(type_item)) for name in pending]
            pending = []
        return result + [(name, default) for name in pending]

    def variables(self, items: tuple[Expression | Word, ...], at: Expression | Word) -> tuple[TypedVar, ...]:
        result = []
        for name, type_name in self.typed(items, "object"):
            if not name.startswith("?"):
                raise self.fail(at, "variables that start with ?", name)
            if type_name not in self.types:
                raise self.fail(at, "a declared type", type_name, did_you_mean(type_name, self.types))
            result.append(TypedVar(name[1:], type_name))
        if len({v.name for v in result}) != len(result):
            raise self.fail(at, "different variables", " ".join(f"?{v.name}" for v in result))
        return tuple(result)

    def predicate(self, item: Expression | Word) -> None:
        if not isinstance(item, Expression) or not item.items:
            raise self.fail(item, "a predicate in brackets", "something else")
        name = item.head()
        if name in self.predicates:
            raise self.fail(item, "each predicate once", name)
        if not name or name in KEYWORDS:
            raise self.fail(item, "a name that PDDL does not use itself", name or "nothing")
        self.predicates[name] = Predicate(name, self.variables(item.items[1:], item))
        self.note("predicate", name, item)

    def action(self, section: Expression) -> None:
        name = self.word(section.items[1]) if len(section.items) > 1 else ""
        if not name or name in self.actions:
            raise self.fail(section, "each action once, with a name", name or "no name")
        fields: dict[str, Expression] = {}
        for key, value in zip(section.items[2::2], section.items[3::2], strict=False):
            if not isinstance(value, Expression):
                raise self.fail(value, f"brackets after {self.word(key)}", value.text)
            if self.word(key) in fields:
                raise self.fail(key, "each field once", self.word(key))
            fields[self.word(key)] = value
        if set(fields) != {":parameters", ":precondition", ":effect"}:
            raise self.fail(section, ":parameters, :precondition and :effect", " ".join(sorted(fields)))
        parameters = self.variables(fields[":parameters"].items, section)
        scope = {p.name: p.type for p in parameters}
        pre = tuple(self.atom(i, scope) for i in self.conjuncts(fields[":precondition"]))
        add: list[Atom] = []
        delete: list[Atom] = []
        cost: int | None = 0
        priced = False
        for item in self.conjuncts(fields[":effect"]):
            match item.head():
                case "not":
                    inner = item.items[1] if len(item.items) == 2 else item
                    if not isinstance(inner, Expression):
                        raise self.fail(item, "(not (fact))", "something else")
                    delete.append(self.atom(inner, scope))
                case "increase":
                    if priced:
                        raise self.fail(item, f"one (increase ({COST}) ...)", "a second one")
                    cost, priced = self.cost(item, parameters), True
                case _:
                    add.append(self.atom(item, scope))
        self.actions[name] = Action(name, parameters, pre, tuple(add), tuple(delete), cost)
        self.note("action", name, section)

    def conjuncts(self, node: Expression) -> list[Expression]:
        items = node.items[1:] if node.head() == "and" else (node,) if node.items else ()
        for item in items:
            if not isinstance(item, Expression):
                raise self.fail(item, "a condition in brackets", item.text)
        return [i for i in items if isinstance(i, Expression)]

    def cost(self, item: Expression, parameters: tuple[TypedVar, ...]) -> int | None:
        """Return the cost of an action; ``None`` for the length of the route between two parameters."""
        expected = f"(increase ({COST}) N) or (distance ?from ?to)"
        changed = item.items[1] if len(item.items) == 3 else item
        if not isinstance(changed, Expression) or changed.head() != COST or len(changed.items) != 1:
            got = (
                changed.head()
                if isinstance(changed, Expression) and changed is not item
                else "something else"
            )
            raise self.fail(item, expected, got, "no other number can be changed")
        amount = item.items[2]
        if isinstance(amount, Expression):
            if amount.head() != DISTANCE:
                raise self.fail(item, expected, amount.head() or "nothing")
            ends = [f"?{p.name}" for p in parameters[:2]]
            if [w.text.lower() for w in amount.items[1:] if isinstance(w, Word)] != ends or len(ends) < 2:
                got = " ".join(w.text if isinstance(w, Word) else "(...)" for w in amount.items)
                hint = "a route leads from the first parameter of the driving action to the second"
                raise self.fail(amount, f"({DISTANCE} {' '.join(ends) or '?from ?to'})", f"({got})", hint)
            return None
        if not re.fullmatch("[0-9]{1,12}", amount.text):
            raise self.fail(item, "a cost in whole millimetres", amount.text)
        return int(amount.text)

    def atom(self, item: Expression, scope: dict[str, str]) -> Atom:
        name = item.head()
        if name not in self.predicates:
            hint = did_you_mean(name, self.predicates)
            raise self.fail(item, "a declared predicate in a positive condition", name or "nothing", hint)
        args: list[Term] = []
        for arg in item.items[1:]:
            word = self.word(arg)
            if not word.startswith("?") or word[1:] not in scope:
                raise self.fail(arg, "a parameter of the action", word)
            args.append(Var(word[1:]))
        arity = self.predicates[name].arity
        if len(args) != arity:
            raise self.fail(item, f"{arity} arguments for {name}", str(len(args)))
        return Atom(name, tuple(args))
