"""Step 7 of a decoding grammar (steps: ``decoding/__init__.py``): the same goals as JSON, by a strict schema.

``rules`` admits the same goals but for the gaps below, and ``json_form`` reads the keys: the three change
together, and recorded answers (cassettes) are unusable then. Strict mode requires an object at the root,
every property required and no additional ones. Names stand in ``$defs`` once each, and formulas refer to
themselves, so the schema stays small: some 900 names and classes fit into the 1,000 values of an enum that
OpenAI allows. One object is one bracket; its first key is the word after the bracket, so that no two choices
begin alike::

    {"answer": {"and": [{"closed": "fridge"}, {"inside_of": "apple1", "arg2": "fridge"}]}}
    {"answer": {"exists": {"?item1": "apple", "holds": {"inside_of": "?item1", "arg2": "fridge"}}}}
    {"answer": {"exactly": 2, "of": {"?item1": "apple", "holds": {"?item1": "rotten"}}}}
    {"answer": {"missing": "a red apple"}}

Beyond the gaps that ``grammar`` lists, the schema leaves to the check: how deep connectives and quantifiers
nest; a variable that is used in a quantifier which declares another (outside of quantifiers there are none);
whether a variable's class affords what is asked of it, as its sort does; counts beyond what the class has;
sides of ``=`` of different sorts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from ..goals.goal import MAX_WORDS
from .arguments import Argument
from .json_schema import Json, any_of, list_of, object_schema, one_of
from .templates import MANY, MAX_NUMBER, MAX_PARTS, Construct, Templates
from .vocabulary import MAX_SCOPE, Vocabulary

ANSWER, HOLDS, OF = "answer", "holds", "of"


def key_of(index: int) -> str:
    """Return the key of an argument or part after the first."""
    return f"arg{index + 1}"


def term_text(name: str) -> str:
    """Return a name as a JSON value: in double quotes where it could be taken for something else."""
    return json.dumps(name) if name.startswith(("?", '"')) else name


def schema(vocabulary: Vocabulary, forms: Templates, may_miss: bool = True) -> Json:
    """Build the JSON schema of answers; without ``may_miss`` of goals alone, where there can be any."""
    return _Builder(vocabulary, forms).build(may_miss)


class _Builder:
    """Builder of one schema.

    ``inside`` says whether a formula is inside a quantifier, where all variables may occur. The methods
    return the choices for something; none where nothing can be said.
    """

    def __init__(self, vocabulary: Vocabulary, forms: Templates) -> None:
        self.vocabulary, self.forms = vocabulary, forms
        self.variables = [(r, i) for r in vocabulary.by_sort.values() for i in range(1, MAX_SCOPE + 1)]
        self.defs: dict[str, Json] = {}
        self.references: dict[object, list[Json]] = {}

    def build(self, may_miss: bool = True) -> Json:
        free = {
            "type": "string",
            "pattern": rf'^[^"\\\x00-\x20\x7f][^"\\\x00-\x1f\x7f]{{0,{MAX_WORDS - 1}}}$',
        }
        missing = object_schema({self.forms.missing.keywords[0]: free})
        goals = [*self.goal()]
        answers = goals if goals and not may_miss else [*goals, missing]
        return object_schema({ANSWER: any_of(answers)}) | {"$defs": self.defs}

    def define(self, name: str, make: Callable[[], Iterable[Json]], key: object = None) -> list[Json]:
        """Return a reference to the definition of a key, made once; the key is the name unless given."""
        key = key or name
        if key not in self.references:
            self.references[key] = [{"$ref": f"#/$defs/{name}"}]
            self.defs[name] = {}  # keeps its place before what it refers to
            choices = list(make())
            if choices:
                self.defs[name] = any_of(choices)
            else:
                del self.defs[name]
                self.references[key] = []
        return self.references[key]

    # Formulas

    def goal(self) -> Iterator[Json]:
        """A formula without variables, where ``sometime`` may stand alone or in the outermost ``and``."""
        part = self.define("part", lambda: [*self.formulas(False), *self.sometimes()])
        yield from self.atoms(False)
        for construct in self.forms.connectives:
            body = part if construct.rule == "conjunction" else self.formula(False)
            yield from self.connective(construct, body)
        yield from self.negated(False)
        yield from self.quantified(False)
        yield from self.sometimes()

    def form(self, rule: str, bodies: Iterable[Json]) -> Iterator[Json]:
        """A form with one part."""
        for body in bodies:
            yield object_schema({self.forms[rule].keywords[0]: body})

    def sometimes(self) -> Iterator[Json]:
        def literals() -> Iterator[Json]:
            for atom in self.atoms(False):
                yield atom
                yield from self.form("negation", [atom])

        return self.form("sometime", self.define("literal", literals))

    def formula(self, inside: bool) -> list[Json]:
        return self.define(_name("formula", inside), lambda: self.formulas(inside))

    def formulas(self, inside: bool) -> Iterator[Json]:
        yield from self.atoms(inside)
        yield from self.negated(inside)
        yield from self.compounds(inside)

    def compounds(self, inside: bool) -> list[Json]:
        def choices() -> Iterator[Json]:
            for construct in self.forms.connectives:
                yield from self.connective(construct, self.formula(inside))
            yield from self.quantified(inside)

        return self.define(_name("compound", inside), choices)

    def negated(self, inside: bool) -> Iterator[Json]:
        bodies = self.define(_name("denied", inside), lambda: [*self.atoms(inside), *self.compounds(inside)])
        return self.form("negation", bodies)

    def connective(self, construct: Construct, bodies: Iterable[Json]) -> Iterator[Json]:
        for body in bodies:
            many = list_of(body, MAX_PARTS)
            parts = [many if p == MANY else body for p in construct.parts]
            for keyword in construct.keywords:
                yield object_schema(
                    **{keyword if i == 0 else key_of(i): part for i, part in enumerate(parts)}
                )

    def quantified(self, inside: bool) -> Iterator[Json]:
        numbers: Json = {"type": "integer", "minimum": 0, "maximum": MAX_NUMBER}
        for body in self.define(_name("bound", inside), lambda: self.bound(inside)):
            for construct in self.forms.quantifiers:
                for keyword in construct.keywords:
                    counted = "NUMBER" in construct.parts
                    yield object_schema({keyword: numbers, OF: body} if counted else {keyword: body})

    def bound(self, inside: bool) -> Iterator[Json]:
        """A declaration with its condition; the outermost variable of a sort is its first."""
        for holds in self.formula(True):
            for chosen, index in self.variables:
                if inside or index == 1:
                    classes = self.values("class", map(term_text, sorted(word for word, _ in chosen.words)))
                    yield object_schema({f"?{chosen.sort}{index}": classes, HOLDS: holds})

    # Atoms

    def atoms(self, inside: bool) -> list[Json]:
        return self.define(_name("atom", inside), lambda: self.atom(inside))

    def atom(self, inside: bool) -> Iterator[Json]:
        taken = {HOLDS, OF, *(k for c in (*self.forms.constructs, self.forms.missing) for k in c.keywords)}
        for predicate, arity in self.vocabulary.predicates.items():
            terms = [self.term((predicate, i), inside) for i in range(arity)]
            if predicate in taken:
                continue  # a pack's predicate with the name of a connective cannot be told from it here
            if not terms:
                yield object_schema({predicate: {"type": "boolean", "enum": [True]}})
            else:
                yield object_schema(
                    **{predicate if i == 0 else key_of(i): term for i, term in enumerate(terms)}
                )
        if not inside:
            return
        for chosen, index in self.variables:
            groups = [g for g in self.vocabulary.properties if g.types & self.vocabulary.sorts[chosen.sort]]
            properties = [self.values("property", map(term_text, g.names)) for g in groups]
            if properties:
                yield object_schema({f"?{chosen.sort}{index}": any_of(properties)})
        types = frozenset(t for sort in self.vocabulary.by_sort for t in self.vocabulary.sorts[sort])
        names = tuple(f"?{r.sort}{i}" for r, i in self.variables)
        nodes = tuple(i for i, g in enumerate(self.vocabulary.nodes) if g.type in types)
        equal = self.forms["equal"].keywords[0]
        yield object_schema({equal: self.choice((), names), key_of(1): self.choice(nodes, names)})

    def term(self, argument: Argument, inside: bool) -> Json:
        nodes = tuple(i for i, g in enumerate(self.vocabulary.nodes) if argument in g.arguments)
        fitting = (f"?{r.sort}{i}" for r, i in self.variables if argument in r.arguments)
        return self.choice(nodes, tuple(fitting) if inside else ())

    def choice(self, groups: tuple[int, ...], variables: tuple[str, ...]) -> Json:
        """A node of some groups, or a variable."""

        def values() -> Iterator[Json]:
            for group in groups:
                yield self.values("node", map(term_text, self.vocabulary.nodes[group].names))
            for variable in variables:
                yield self.values("variable", [variable])

        choices = self.define(f"term_{len(self.references)}", values, (groups, variables))
        return choices[0] if choices else {}

    def values(self, name: str, values: Iterable[str]) -> Json:
        """One of some texts; the same texts are one definition under the first name."""
        key = tuple(values)
        enum = one_of(key)
        return self.define(f"{name}_{len(self.references)}", lambda: [enum], ("values", key))[0]


def _name(word: str, inside: bool) -> str:
    return f"inner_{word}" if inside else word
