"""Grammars that constrain a model's answer to goals over a subgraph, and to ``(missing "words")``.

:func:`decoding_grammar` gives the grammar as Lark text (llguidance, and what builds on it: vLLM and SGLang
with that backend, OpenAI's custom tools), as GBNF (llama.cpp) or as a JSON schema (strict structured
outputs). The forms come from ``goal.lark`` (``decoding_templates``), the names from the scene
(``decoding_words``).

What is admitted, in canonical spelling (one space between words, no comments): ``and``, ``or`` and
``imply`` up to :data:`MAX_LEVELS` deep below each quantifier, with at most :data:`MAX_PARTS` parts; ``not``
before anything but ``not``; quantifiers over one variable each, at most three inside each other; counts up
to :data:`MAX_NUMBER`; predicates over nodes and variables that fit; classes, attributes and ``=`` over
variables; ``sometime`` over a literal without variables, alone or as a part of the outermost ``and``. So
every answer ends.

What no form enforces, and the check or the planner answers: contradictions, facts said twice, goals that
are true already, ``not`` of what nothing undoes (``(not (dirty plate))``), things that cannot come together
(an item in itself, a number that other parts of the goal rule out), and whether a variable's class affords
what is asked of it where it is not the outermost variable: there only its sort counts. The JSON schema also
lets a count exceed what the class has (the check reports it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..domains.formula import quote
from ..simulator.grounding import Belief
from .decoding_templates import MANY, Construct, Templates, templates
from .decoding_words import Bound, Lexicon, Range, Scope, Slot, lexicon
from .goal import MAX_WORDS

Form = Literal["lark", "gbnf", "json-schema"]

MAX_LEVELS = 3
"""How deep ``and``, ``or`` and ``imply`` nest below a quantifier, and outside of all."""
MAX_PARTS = 32
"""Most parts of an ``and`` or ``or``."""
MAX_NUMBER = 20
"""Largest number of a count."""


@dataclass(frozen=True, slots=True)
class Text:
    """Literal text: one bracket, space, quote or word, so that a longest-match lexer never errs."""

    text: str


@dataclass(frozen=True, slots=True)
class Ref:
    """Whatever a rule gives."""

    rule: str


@dataclass(frozen=True, slots=True)
class Some:
    """One to ``most`` times a rule, with spaces between."""

    rule: str
    most: int


@dataclass(frozen=True, slots=True)
class Free:
    """Free words: up to ``most`` printable characters that need no escape in a string."""

    most: int


Symbol = Text | Ref | Some | Free
_OPEN, _SPACE, _CLOSE = Text("("), Text(" "), Text(")")
Row = tuple[Symbol, ...]


@dataclass(frozen=True)
class Grammar:
    """A context-free grammar over characters; the first rule is where it starts.

    A rule in ``lists`` gives only fixed texts, which no other rule's list repeats in the same place.
    """

    rules: dict[str, tuple[Row, ...]] = field(default_factory=dict)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)


def decoding_grammar(
    belief: Belief, ids: Iterable[str] | None, form: Form, source: str | None = None
) -> str | dict[str, object]:
    """The grammar of answers over a subgraph, the whole scene where ``ids`` is ``None``.

    ``source`` replaces the grammar of the goal language. The same input gives the same grammar.
    """
    from . import decoding_gbnf, decoding_lark, decoding_schema

    words, forms = lexicon(belief, ids), templates(source)
    if form == "json-schema":
        return decoding_schema.schema(words, forms)
    grammar = build(words, forms)
    return decoding_lark.render(grammar) if form == "lark" else decoding_gbnf.render(grammar)


def build(words: Lexicon, forms: Templates) -> Grammar:
    """The grammar of answers as text."""
    return _Builder(words, forms).build()


class _Builder:
    def __init__(self, words: Lexicon, forms: Templates) -> None:
        self.words, self.forms = words, forms
        self.grammar = Grammar()
        self.scopes: dict[Scope, int] = {}
        self.named: dict[object, str | None] = {}
        self.listed: dict[tuple[str, ...], str] = {}
        self.nodes = [
            self.list_of(f"{_plain(g.type)}_node", [quote(n) for n in g.names]) for g in words.nodes
        ]
        self.properties = [self.list_of("property", [quote(n) for n in g.names]) for g in words.properties]
        self.fitting: dict[Slot, tuple[int, ...]] = {
            (predicate, i): tuple(n for n, g in enumerate(words.nodes) if (predicate, i) in g.slots)
            for predicate, arity in words.predicates.items()
            for i in range(arity)
        }
        self.classes: dict[tuple[Range, int], Symbol] = {}

    def build(self) -> Grammar:
        self.grammar.rules["start"] = ()
        missing = self.forms.missing
        answers = [self.bracket(missing, [[Text('"'), Free(MAX_WORDS), Text('"')]])]
        top = self.goal()
        if top is not None:
            answers.insert(0, (Ref(top),))
        self.grammar.rules["start"] = tuple(answers)
        return self.grammar

    def rule(self, name: str, key: object, make: Callable[[], Iterable[Row]]) -> str | None:
        """The rule of a key, made once; ``None`` where nothing can be said."""
        if key not in self.named:
            self.named[key] = name
            self.grammar.rules[name] = ()  # keeps its place before what it refers to
            alternatives = tuple(make())
            if alternatives:
                self.grammar.rules[name] = alternatives
            else:
                del self.grammar.rules[name]
                self.named[key] = None
        return self.named[key]

    def list_of(self, name: str, texts: Sequence[str]) -> Symbol:
        """One of some fixed texts."""
        if len(texts) == 1:
            return Text(texts[0])
        found = self.listed.get(tuple(texts))
        if found is None:
            found = name if name not in self.grammar.lists else f"{name}_{len(self.grammar.lists)}"
            self.listed[tuple(texts)] = found
            self.grammar.lists[found] = tuple(texts)
        return Ref(found)

    def bracket(self, construct: Construct, parts: Sequence[Sequence[Symbol]]) -> Row:
        """``(keyword part part)``."""
        keyword = self.list_of(construct.rule + "_word", construct.keywords)
        symbols: list[Symbol] = [_OPEN, keyword]
        for part in parts:
            symbols += [_SPACE, *part]
        return (*symbols, _CLOSE)

    def number_of(self, scope: Scope) -> int:
        return self.scopes.setdefault(scope, len(self.scopes))

    # Formulas

    def goal(self) -> str | None:
        """A formula without variables, where ``sometime`` may stand alone or in the outermost ``and``."""
        part = self.rule("part", "part", lambda: [*self.formulas((), MAX_LEVELS - 1), *self.sometimes()])

        def alternatives() -> Iterable[Row]:
            for construct in self.forms.connectives:
                body = part if construct.rule == "conjunction" else self.formula((), MAX_LEVELS - 1)
                yield from self.connective(construct, body)
            for found in (self.literal(()), self.quantified(())):
                if found is not None:
                    yield (Ref(found),)
            yield from self.negated((), MAX_LEVELS)
            yield from self.sometimes()

        return self.rule("goal", "goal", alternatives)

    def sometimes(self) -> Iterable[Row]:
        body = self.literal(())
        if body is not None:
            yield self.bracket(self.forms["sometime"], [[Ref(body)]])

    def formula(self, scope: Scope, level: int) -> str | None:
        number = self.number_of(scope)
        key = ("formula", number, level)
        return self.rule(f"formula_{number}_{level}", key, lambda: self.formulas(scope, level))

    def formulas(self, scope: Scope, level: int) -> Iterable[Row]:
        for found in (self.literal(scope), self.compound(scope, level)):
            if found is not None:
                yield (Ref(found),)
        yield from self.negated(scope, level)

    def negated(self, scope: Scope, level: int) -> Iterable[Row]:
        body = self.compound(scope, level)
        if body is not None:
            yield self.bracket(self.forms["negation"], [[Ref(body)]])

    def compound(self, scope: Scope, level: int) -> str | None:
        """A quantified formula or, above level 0, joined ones."""

        def alternatives() -> Iterable[Row]:
            if level:
                for construct in self.forms.joined:
                    yield from self.connective(construct, self.formula(scope, level - 1))
            quantified = self.quantified(scope)
            if quantified is not None:
                yield (Ref(quantified),)

        number = self.number_of(scope)
        return self.rule(f"compound_{number}_{level}", ("compound", number, level), alternatives)

    def connective(self, construct: Construct, body: str | None) -> Iterable[Row]:
        if body is not None:
            parts = [[Some(body, MAX_PARTS) if p == MANY else Ref(body)] for p in construct.parts]
            yield self.bracket(construct, parts)

    def quantified(self, scope: Scope) -> str | None:
        def alternatives() -> Iterable[Row]:
            for construct in self.forms.quantifiers:
                for chosen in self.words.choices(scope):
                    inside = self.words.bind(scope, chosen)
                    body = self.formula(inside, MAX_LEVELS)
                    index = 1 + sum(b.sort == chosen.sort for b in scope)
                    if body is not None:
                        declared = self.declared(chosen, index, "NUMBER" in construct.parts)
                        rest = len(construct.parts) - construct.parts.index("variables") - 1
                        yield self.bracket(construct, [[Ref(declared)], *[[Ref(body)]] * rest])

        number = self.number_of(scope)
        return self.rule(f"quantified_{number}", ("quantified", number), alternatives)

    def declared(self, chosen: Range, index: int, counted: bool) -> str:
        """``(?item1 - class)``, after a number that the class reaches where things are counted."""
        variable = Bound(chosen.sort, index, chosen.slots).name

        def variables(least: int) -> Row:
            head = (_OPEN, Text(f"?{variable}"), _SPACE, Text(self.forms.dash), _SPACE)
            return (*head, self.class_of(chosen, least), _CLOSE)

        def alternatives() -> Iterable[Row]:
            if not counted:
                yield variables(1)
                return
            below = -1
            for size in sorted({min(size, MAX_NUMBER) for _, size in chosen.words}):
                numbers = self.list_of(f"number_{below + 1}", [str(n) for n in range(below + 1, size + 1)])
                yield (numbers, _SPACE, *variables(size))
                below = size

        key = ("declared", chosen, index, counted)
        name = f"{'counted' if counted else 'declared'}_{variable}_{len(self.named)}"
        return self.rule(name, key, alternatives) or name

    def class_of(self, chosen: Range, least: int) -> Symbol:
        """A type or class of a range that has at least so many nodes."""
        if (chosen, least) not in self.classes:
            texts = [quote(word) for word, size in chosen.words if min(size, MAX_NUMBER) >= least]
            self.classes[chosen, least] = self.list_of(f"class_{_plain(chosen.sort)}", texts)
        return self.classes[chosen, least]

    # Literals

    def literal(self, scope: Scope) -> str | None:
        number = self.number_of(scope)

        def alternatives() -> Iterable[Row]:
            atom = self.rule(f"atom_{number}", ("atom", number), lambda: self.atoms(scope))
            if atom is not None:
                yield (Ref(atom),)
                yield self.bracket(self.forms["negation"], [[Ref(atom)]])

        return self.rule(f"literal_{number}", ("literal", number), alternatives)

    def atoms(self, scope: Scope) -> Iterable[Row]:
        alike: dict[tuple[str, ...], list[str]] = {}
        for predicate, arity in self.words.predicates.items():
            terms = tuple(self.term(scope, (predicate, i)) for i in range(arity))
            alike.setdefault(terms, []).append(quote(predicate))
        for terms, predicates in alike.items():
            named = self.list_of("predicate", predicates)
            spaced = [s for term in terms for s in (_SPACE, Ref(term))]
            yield (_OPEN, named, *spaced, _CLOSE)
        for bound in scope:
            for group, named in zip(self.words.properties, self.properties, strict=True):
                if group.types & self.words.sorts[bound.sort]:
                    yield (_OPEN, named, _SPACE, Text(f"?{bound.name}"), _CLOSE)
            yield from self.equal(scope, bound)

    def equal(self, scope: Scope, bound: Bound) -> Iterable[Row]:
        """A variable is a node of its sort, or another variable whose sort overlaps."""
        types = self.words.sorts[bound.sort]
        others = tuple(b.name for b in scope if b != bound and types & self.words.sorts[b.sort])
        groups = [i for i, g in enumerate(self.words.nodes) if g.type in types]
        named = self.choice(tuple(groups), others)
        yield self.bracket(self.forms["equal"], [[Text(f"?{bound.name}")], [Ref(named)]])

    def term(self, scope: Scope, slot: Slot) -> str:
        """What an argument may be: the nodes and the variables in scope that fit."""
        return self.choice(self.fitting[slot], tuple(b.name for b in scope if slot in b.slots))

    def choice(self, groups: tuple[int, ...], variables: tuple[str, ...]) -> str:
        def alternatives() -> Iterable[Row]:
            for index in groups:
                yield (self.nodes[index],)
            for name in variables:
                yield (Text(f"?{name}"),)

        name = f"term_{len(self.named)}"
        return self.rule(name, ("choice", groups, variables), alternatives) or name


def _plain(word: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in word.lower())
