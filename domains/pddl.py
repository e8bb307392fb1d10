"""PDDL domain files: types, predicates and action schemas of the fragment that packs may use.

The fragment is ``:strips :typing :action-costs`` with positive conditions. Anything outside is rejected with
its place, because a pack that is half understood plans the wrong thing. The fragment may grow by a section in
``domain`` or a case in ``action``, if the simulator and both writers of problems follow.
"""

from __future__ import annotations

from dataclasses import dataclass

from .action import Action
from .errors import PackError, clip, did_you_mean
from .formula import Atom, Term, TypedVar, Var
from .sexpr import Expression, Word, read

REQUIREMENTS = frozenset({":strips", ":typing", ":action-costs"})


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

    def is_a(self, type_name: str, ancestor: str) -> bool:
        """Return whether a type is the ancestor or below it."""
        while type_name != ancestor and type_name in self.types:
            type_name = self.types[type_name]
        return type_name == ancestor

    def fluents(self) -> frozenset[str]:
        """Return the predicates that some action or event changes."""
        return frozenset(a.predicate for act in self.actions.values() for a in act.add + act.delete)


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
                    for typed in self.typed(section.items[1:], default="object"):
                        self.types[typed[0]] = typed[1]
                case ":predicates":
                    for item in section.items[1:]:
                        self.predicate(item)
                case ":functions":
                    continue
                case ":action":
                    self.action(section)
                case other:
                    raise self.fail(section, "a section of a STRIPS domain", other or "nothing")
        for type_name, parent in self.types.items():
            if parent and parent not in self.types:
                raise PackError(self.where, "declared types", f"{type_name} - {parent}")
        for type_name in self.types:
            above = [type_name]
            while parent := self.types[above[-1]]:
                if parent in above:
                    raise PackError(self.where, "types without cycles", " - ".join([*above, parent]))
                above.append(parent)
        return Domain(name, self.types, self.predicates, self.actions)

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
        self.predicates[name] = Predicate(name, self.variables(item.items[1:], item))

    def action(self, section: Expression) -> None:
        name = self.word(section.items[1]) if len(section.items) > 1 else ""
        if not name or name in self.actions:
            raise self.fail(section, "each action once, with a name", name or "no name")
        fields: dict[str, Expression] = {}
        for key, value in zip(section.items[2::2], section.items[3::2], strict=False):
            if not isinstance(value, Expression):
                raise self.fail(value, f"brackets after {self.word(key)}", value.text)
            fields[self.word(key)] = value
        if set(fields) != {":parameters", ":precondition", ":effect"}:
            raise self.fail(section, ":parameters, :precondition and :effect", " ".join(sorted(fields)))
        parameters = self.variables(fields[":parameters"].items, section)
        scope = {p.name: p.type for p in parameters}
        pre = tuple(self.atom(i, scope) for i in self.conjuncts(fields[":precondition"]))
        add: list[Atom] = []
        delete: list[Atom] = []
        cost: int | None = 0
        for item in self.conjuncts(fields[":effect"]):
            match item.head():
                case "not":
                    inner = item.items[1] if len(item.items) == 2 else item
                    if not isinstance(inner, Expression):
                        raise self.fail(item, "(not (fact))", "something else")
                    delete.append(self.atom(inner, scope))
                case "increase":
                    cost = self.cost(item)
                case _:
                    add.append(self.atom(item, scope))
        self.actions[name] = Action(name, parameters, pre, tuple(add), tuple(delete), cost)

    def conjuncts(self, node: Expression) -> list[Expression]:
        items = node.items[1:] if node.head() == "and" else (node,) if node.items else ()
        for item in items:
            if not isinstance(item, Expression):
                raise self.fail(item, "a condition in brackets", item.text)
        return [i for i in items if isinstance(i, Expression)]

    def cost(self, item: Expression) -> int | None:
        amount = item.items[2] if len(item.items) == 3 else item
        if isinstance(amount, Expression):
            if amount.head() != "distance":
                raise self.fail(item, "(increase (total-cost) N) or (distance ?from ?to)", amount.head())
            return None
        if not amount.text.isdigit() or len(amount.text) > 12:
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
