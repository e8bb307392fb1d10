"""Answers as JSON: the schema that constrains them, within the limits of strict structured outputs.

One object is one bracket; its first key is the word after the bracket, so that no two choices begin alike::

    {"answer": {"and": [{"closed": "fridge"}, {"inside_of": "apple1", "arg2": "fridge"}]}}
    {"answer": {"exists": {"?item1": "apple", "holds": {"inside_of": "?item1", "arg2": "fridge"}}}}
    {"answer": {"exactly": 2, "of": {"?item1": "apple", "holds": {"?item1": "rotten"}}}}
    {"answer": {"missing": "a red apple"}}

Strict mode wants an object at the root, every property required and no additional ones, and sets limits
(:data:`STRICT`). Names stand in ``$defs`` once each, and formulas refer to themselves, so the schema stays
small: some 900 names and classes fit, and :func:`measure` tells.

What the schema does not enforce, beyond what ``decoding`` lists, and the check answers: how deep
connectives and quantifiers nest; a variable that is used in a quantifier which declares another (outside of
quantifiers there are none); whether a variable's class affords what is asked of it, as its sort does;
counts beyond what the class has; sides of ``=`` of different sorts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..goals.goal import MAX_WORDS
from .places import Slot
from .templates import MANY, MAX_NUMBER, MAX_PARTS, Construct, Templates
from .vocabulary import MAX_SCOPE, Lexicon

Json = dict[str, object]

ANSWER, HOLDS, OF = "answer", "holds", "of"


@dataclass(frozen=True, slots=True)
class Size:
    """What strict mode limits. ``characters`` are those of property names, definitions and enum values.

    ``depth`` counts objects and arrays inside each other, references followed until one comes back;
    ``largest_enum`` the characters of the largest enum with more than 250 values.
    """

    properties: int
    depth: int
    enum_values: int
    characters: int
    largest_enum: int

    def within(self, limits: Size) -> bool:
        """Whether nothing exceeds the limits."""
        return all(getattr(self, f) <= getattr(limits, f) for f in Size.__slots__)


STRICT = Size(properties=5000, depth=10, enum_values=1000, characters=120_000, largest_enum=15_000)
"""The limits of OpenAI's structured outputs; Azure documents 100, 5, 500, 15,000 and 7,500."""


def key_of(index: int) -> str:
    """The key of an argument or part after the first."""
    return f"arg{index + 1}"


def term_text(name: str) -> str:
    """A name as a JSON value: as it is; in double quotes where it could be taken for something else."""
    return json.dumps(name) if name.startswith(("?", '"')) else name


def schema(words: Lexicon, forms: Templates) -> Json:
    """The JSON schema of answers."""
    return _Builder(words, forms).build()


class _Builder:
    """``inside`` says whether a formula is inside a quantifier, where all variables may occur."""

    def __init__(self, words: Lexicon, forms: Templates) -> None:
        self.words, self.forms = words, forms
        self.variables = [(r, i) for r in words.coarse for i in range(1, MAX_SCOPE + 1)]
        self.defs: dict[str, Json] = {}
        self.named: dict[object, str | None] = {}

    def build(self) -> Json:
        free = {
            "type": "string",
            "pattern": rf'^[^"\\\x00-\x20\x7f][^"\\\x00-\x1f\x7f]{{0,{MAX_WORDS - 1}}}$',
        }
        missing = _object({self.forms.missing.keywords[0]: free})
        return _object({ANSWER: _any_of([*self.goal(), missing])}) | {"$defs": self.defs}

    def define(self, name: str, key: object, make: Callable[[], Iterable[Json]]) -> Json | None:
        """A reference to the definition of a key, made once; ``None`` where nothing can be said."""
        if key not in self.named:
            self.named[key] = name
            self.defs[name] = {}
            found = list(make())
            if found:
                self.defs[name] = _any_of(found)
            else:
                del self.defs[name]
                self.named[key] = None
        known = self.named[key]
        return None if known is None else {"$ref": f"#/$defs/{known}"}

    # Formulas

    def goal(self) -> Iterator[Json]:
        """A formula without variables, where ``sometime`` may stand alone or in the outermost ``and``."""
        part = self.define("part", "part", lambda: [*self.formulas(False), *self.sometimes()])
        yield from self.atoms(False)
        for construct in self.forms.connectives:
            body = part if construct.rule == "conjunction" else self.formula(False)
            yield from self.connective(construct, body)
        yield from self.negated(False)
        yield from self.quantified(False)
        yield from self.sometimes()

    def sometimes(self) -> Iterator[Json]:
        def literals() -> Iterator[Json]:
            for atom in self.atoms(False):
                yield atom
                yield _object({self.forms["negation"].keywords[0]: atom})

        body = self.define("literal", "literal", literals)
        if body is not None:
            yield _object({self.forms["sometime"].keywords[0]: body})

    def formula(self, inside: bool) -> Json | None:
        return self.define(_name("formula", inside), ("formula", inside), lambda: self.formulas(inside))

    def formulas(self, inside: bool) -> Iterator[Json]:
        yield from self.atoms(inside)
        yield from self.negated(inside)
        yield from self.compounds(inside)

    def compounds(self, inside: bool) -> list[Json]:
        def choices() -> Iterator[Json]:
            for construct in self.forms.connectives:
                yield from self.connective(construct, self.formula(inside))
            yield from self.quantified(inside)

        found = self.define(_name("compound", inside), ("compound", inside), choices)
        return [] if found is None else [found]

    def negated(self, inside: bool) -> Iterator[Json]:
        def choices() -> Iterator[Json]:
            yield from self.atoms(inside)
            yield from self.compounds(inside)

        body = self.define(_name("denied", inside), ("denied", inside), choices)
        if body is not None:
            yield _object({self.forms["negation"].keywords[0]: body})

    def connective(self, construct: Construct, body: Json | None) -> Iterator[Json]:
        if body is not None:
            many: Json = {"type": "array", "items": body, "minItems": 1, "maxItems": MAX_PARTS}
            parts = [many if p == MANY else body for p in construct.parts]
            for keyword in construct.keywords:
                yield _object({keyword if i == 0 else key_of(i): part for i, part in enumerate(parts)})

    def quantified(self, inside: bool) -> Iterator[Json]:
        body = self.define(_name("bound", inside), ("bound", inside), lambda: self.bound(inside))
        if body is None:
            return
        numbers: Json = {"type": "integer", "minimum": 0, "maximum": MAX_NUMBER}
        for construct in self.forms.quantifiers:
            for keyword in construct.keywords:
                counted = "NUMBER" in construct.parts
                yield _object({keyword: numbers, OF: body} if counted else {keyword: body})

    def bound(self, inside: bool) -> Iterator[Json]:
        """What is declared, and what holds of it; the outermost variable of a sort is its first."""
        holds = self.formula(True)
        for chosen, index in self.variables:
            if holds is not None and (inside or index == 1):
                named = self.values("class", [term_text(word) for word, _ in chosen.words])
                yield _object({f"?{chosen.sort}{index}": named, HOLDS: holds})

    # Atoms

    def atoms(self, inside: bool) -> list[Json]:
        found = self.define(_name("atom", inside), ("atom", inside), lambda: self.atom(inside))
        return [] if found is None else [found]

    def atom(self, inside: bool) -> Iterator[Json]:
        taken = {HOLDS, OF, *(k for c in (*self.forms.constructs, self.forms.missing) for k in c.keywords)}
        for predicate, arity in self.words.predicates.items():
            terms = [self.term((predicate, i), inside) for i in range(arity)]
            if predicate in taken:
                continue  # a pack's predicate with the name of a connective cannot be told from it here
            if not terms:
                yield _object({predicate: {"type": "boolean", "enum": [True]}})
            else:
                yield _object({predicate if i == 0 else key_of(i): term for i, term in enumerate(terms)})
        for chosen, index in self.variables if inside else ():
            groups = [g for g in self.words.properties if g.types & self.words.sorts[chosen.sort]]
            named = [self.values("property", [term_text(n) for n in g.names]) for g in groups]
            if named:
                yield _object({f"?{chosen.sort}{index}": _any_of(named)})
        if inside:
            types = frozenset(t for r in self.words.coarse for t in self.words.sorts[r.sort])
            names = tuple(f"?{r.sort}{i}" for r, i in self.variables)
            nodes = tuple(i for i, g in enumerate(self.words.nodes) if g.type in types)
            equal = self.forms["equal"].keywords[0]
            yield _object({equal: self.choice((), names), key_of(1): self.choice(nodes, names)})

    def term(self, slot: Slot, inside: bool) -> Json:
        nodes = tuple(i for i, g in enumerate(self.words.nodes) if slot in g.slots)
        names = tuple(f"?{r.sort}{i}" for r, i in self.variables if slot in r.slots) if inside else ()
        return self.choice(nodes, names)

    def choice(self, groups: tuple[int, ...], variables: tuple[str, ...]) -> Json:
        """Nodes of some groups, or variables."""
        sets = [("node", [term_text(n) for n in self.words.nodes[i].names]) for i in groups]
        sets += [("variable", [v]) for v in variables]
        key = ("choice", groups, variables)
        made = self.define(f"term_{len(self.named)}", key, lambda: [self.values(*s) for s in sets])
        return made or {}

    def values(self, name: str, values: Sequence[str]) -> Json:
        enum: Json = {"type": "string", "enum": list(values)}
        return self.define(f"{name}_{len(self.named)}", ("values", tuple(values)), lambda: [enum]) or enum


def _name(what: str, inside: bool) -> str:
    return f"inner_{what}" if inside else what


def _object(properties: Mapping[str, object]) -> Json:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _any_of(choices: Sequence[Json]) -> Json:
    return choices[0] if len(choices) == 1 else {"anyOf": list(choices)}


def measure(schema: Mapping[str, object]) -> Size:
    """Count what strict mode limits."""
    defs = schema.get("$defs")
    assert isinstance(defs, dict)
    properties = enum_values = largest = 0
    characters = sum(map(len, defs))
    for node in _walk(schema):
        inner, values = node.get("properties"), node.get("enum")
        if isinstance(inner, dict):
            properties += len(inner)
            characters += sum(map(len, inner))
        if isinstance(values, list):
            long = sum(len(v) for v in values if isinstance(v, str))
            enum_values += len(values)
            characters += long
            largest = max(largest, long if len(values) > 250 else 0)
    return Size(properties, _depth(schema, defs, frozenset()), enum_values, characters, largest)


def _walk(node: object) -> Iterator[Mapping[str, object]]:
    if isinstance(node, Mapping):
        yield node
        for value in node.values():
            yield from _walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from _walk(value)


def _depth(node: object, defs: Mapping[str, object], seen: frozenset[str]) -> int:
    if not isinstance(node, Mapping):
        return 0
    target = node.get("$ref")
    if isinstance(target, str):
        name = target.rpartition("/")[2]
        return 0 if name in seen else _depth(defs[name], defs, seen | {name})
    inner, choices = node.get("properties"), node.get("anyOf")
    below = list(inner.values()) if isinstance(inner, Mapping) else []
    below += [node["items"]] if "items" in node else []
    deepest = max((_depth(n, defs, seen) for n in choices), default=0) if isinstance(choices, list) else 0
    return max(deepest, 1 + max((_depth(n, defs, seen) for n in below), default=0) if below else 0)
