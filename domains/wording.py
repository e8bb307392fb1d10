"""Wording of a pack: how models are told of its facts, how a wish is said, and what a verb asks for.

``language.toml`` lies beside ``domain.pddl`` and ``mapping.toml`` and may be left out. It changes no goal's
meaning and no plan, so it is not part of the pack's hash; prompts have versions of their own. Its tables may
grow here, but no reader may know a predicate that neither this file nor the mapping names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .deadline import check_time
from .errors import PackError, clip, did_you_mean
from .files import parse_toml
from .formula import Atom, Var
from .sexpr import Expression, Word, read

FILE = "language.toml"

SENSES: Mapping[str, int] = {
    "open": 1, "close": 1, "on": 1, "off": 1, "heat": 1, "cool": 1, "wash": 1, "clean": 1, "fill": 1,
    "hold": 1, "free": 0, "go": 1, "inside": 2, "ontop": 2, "room": 2,
}  # fmt: skip
"""Senses of verbs and prepositions that a reader of sentences may know, each with the number of its things.

``free`` is the empty hand; ``inside``, ``ontop`` and ``room`` are where a thing ?x is put: in, on or in the
room ?y. A check ("see whether it works") is ``on`` at some time and ``off`` in the end.
"""

_KEYS: Mapping[str, frozenset[str]] = {
    "": frozenset({"format", "version", "prompt", "reads", "sentences", "sometime"}),
    "prompt": frozenset({"omit", "notes", "facts", "meanings", "examples", "turns"}),
    "prompt.turns": frozenset({"scene", "answers"}),
    "prompt.examples": frozenset({"task", "scene", "goal"}),
    "reads": frozenset(SENSES),
}


@dataclass(frozen=True, slots=True)
class Example:
    """One request as a chat model is shown it: the task, the scene in words, and the goal to write."""

    task: str
    scene: str
    goal: str


@dataclass(frozen=True, slots=True)
class Turns:
    """Turns of a chat about one scene, as examples: its listing, and tasks with the sentences to answer."""

    scene: tuple[str, ...]
    answers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SentencePattern:
    """A sentence that asks for a fact; ``passing`` where the fact is to hold at some time and not to last."""

    text: str
    predicate: str
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Wording:
    """All that a pack's ``language.toml`` says.

    ``facts`` has a word for each argument of a predicate, in the order in which prompts list them; predicates
    in ``omit`` are not listed, all others with the types of their arguments. ``meanings`` says of a predicate
    what its name does not. ``reads`` has the fact of a
    sense over ``?x`` and ``?y``. ``sentences`` has the sentence that asks for a fact, ``Put {0} on {1}.``,
    and ``sometime`` that which asks that a fact holds at some time on the way, ``Test {0}.``: no two of them
    can say the same words.
    """

    facts: Mapping[str, tuple[str, ...]]
    omit: tuple[str, ...]
    notes: tuple[str, ...]
    examples: tuple[Example, ...]
    reads: Mapping[str, Atom]
    sentences: Mapping[str, str] = field(default_factory=dict)
    sometime: Mapping[str, str] = field(default_factory=dict)
    turns: Turns | None = None
    meanings: Mapping[str, str] = field(default_factory=dict)

    @property
    def patterns(self) -> tuple[SentencePattern, ...]:
        """All sentences that ask for something, in the order of the pack."""
        lasting = [SentencePattern(text, predicate) for predicate, text in self.sentences.items()]
        passing = [SentencePattern(text, predicate, True) for predicate, text in self.sometime.items()]
        return (*lasting, *passing)

    def fact(self, sense: str, *names: str) -> Atom | None:
        """Return the fact that a sense asks for of some things; ``None`` for a sense that the pack lacks."""
        pattern = self.reads.get(sense)
        if pattern is None:
            return None
        binding = dict(zip(("x", "y"), names, strict=False))
        return Atom(pattern.predicate, tuple(binding[a.name] for a in pattern.args if isinstance(a, Var)))


def read_wording(sources: Iterable[tuple[str, str]], predicates: Mapping[str, int]) -> Wording | None:
    """Check and join wording files (name and text), what is extended first; ``None`` where there are none.

    ``predicates`` are those of goals with their arity. Raises :class:`PackError` naming file and key.
    """
    joined = None
    for where, text in sources:
        own = _Reader(where, parse_toml(text, where, PackError), predicates).read()
        joined = own if joined is None else _extended(joined, own)
        _check_distinct(joined, where)
    return joined


def _check_distinct(wording: Wording, where: str) -> None:
    """Check that no sentence can be read as two facts: a hole may stand for any one word.

    Raises :class:`PackError` naming the two.
    """
    alike: dict[tuple[str, int], list[tuple[SentencePattern, list[str]]]] = defaultdict(list)
    for second in wording.patterns:
        check_time("the sentences of a pack")
        own = second.text.removesuffix(".").casefold().split()
        begun = alike[own[0], len(own)]
        for first, words in begun:
            if all(a == b or "{" in a + b for a, b in zip(words, own, strict=True)):
                expected = f"another sentence than that of {first.predicate} ({first.text})"
                hint = "the same words would ask for two facts"
                at = f"{where}: {'sometime' if second.passing else 'sentences'}.{second.predicate}"
                raise PackError(at, expected, clip(second.text), hint)
        begun.append((second, own))


def _extended(base: Wording, own: Wording) -> Wording:
    """Join two wordings: lists are joined, what both say of one predicate or sense is as ``own`` says."""
    return Wording(
        {**base.facts, **own.facts},
        (*(p for p in base.omit if p not in own.facts), *own.omit),
        base.notes + own.notes,
        base.examples + own.examples,
        {**base.reads, **own.reads},
        {**base.sentences, **own.sentences},
        {**base.sometime, **own.sometime},
        own.turns if own.turns is not None else base.turns,
        {**base.meanings, **own.meanings},
    )


class _Reader:
    """One file, checked key by key."""

    def __init__(self, where: str, raw: Mapping[str, object], predicates: Mapping[str, int]) -> None:
        self.where, self.raw, self.predicates = where, raw, predicates

    def fail(self, at: str, expected: str, got: object, hint: str = "") -> PackError:
        return PackError(f"{self.where}: {at}", expected, clip(got), hint)

    def read(self) -> Wording:
        if self.raw.get("format") != "groundplan-language" or self.raw.get("version") != 1:
            raise self.fail("format", '"groundplan-language", version 1', self.raw.get("format"))
        self.table(self.raw, "")
        prompt = self.table(self.raw.get("prompt", {}), "prompt")
        facts, meanings = (self.table(prompt.get(k, {}), f"prompt.{k}") for k in ("facts", "meanings"))
        reads = self.table(self.raw.get("reads", {}), "reads")
        sentences, sometime = (self.table(self.raw.get(k, {}), k) for k in ("sentences", "sometime"))
        examples = prompt.get("examples", [])
        if not isinstance(examples, list):
            raise self.fail("prompt.examples", "a list of tables", examples)
        omit = self.lines(prompt.get("omit", []), "prompt.omit")
        for name in omit:
            self.arity(name, "prompt.omit")
        for name in meanings:
            self.arity(name, "prompt.meanings")
        return Wording(
            {name: self.arguments(name, value) for name, value in facts.items()},
            omit,
            self.lines(prompt.get("notes", []), "prompt.notes"),
            tuple(map(self.example, examples)),
            {sense: self.pattern(sense, value) for sense, value in reads.items()},
            {name: self.sentence(f"sentences.{name}", name, value) for name, value in sentences.items()},
            {name: self.sentence(f"sometime.{name}", name, value) for name, value in sometime.items()},
            self.turns(prompt["turns"]) if "turns" in prompt else None,
            {name: self.line(value, f"prompt.meanings.{name}") for name, value in meanings.items()},
        )

    def table(self, value: object, name: str) -> Mapping[str, object]:
        if not isinstance(value, dict):
            raise self.fail(name, "a table", value)
        keys = _KEYS.get(name, value)
        for key in value:
            if key not in keys:
                at = f"{name}.{key}".lstrip(".")
                hint = did_you_mean(key, keys) or f"there are {', '.join(sorted(keys))}"
                raise self.fail(at, "a key of this table", key, hint)
        return value

    def line(self, value: object, at: str) -> str:
        if not isinstance(value, str) or not value.isprintable() or not value.strip():
            raise self.fail(at, "one line of text", value)
        return value

    def lines(self, value: object, at: str) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise self.fail(at, "a list of lines", value)
        return tuple(self.line(v, at) for v in value)

    def arity(self, predicate: str, at: str) -> int:
        if predicate not in self.predicates:
            hint = did_you_mean(predicate, self.predicates)
            raise self.fail(at, "a predicate that goals may use", predicate, hint)
        return self.predicates[predicate]

    def arguments(self, predicate: str, value: object) -> tuple[str, ...]:
        at = f"prompt.facts.{predicate}"
        arity = self.arity(predicate, at)
        words = self.lines(value, at)
        if len(words) != arity or any(set(" ()") & set(w) for w in words):
            raise self.fail(at, f"{arity} words, one for each argument", value)
        return words

    def sentence(self, at: str, predicate: str, value: object) -> str:
        """Read a sentence that asks for a fact: each argument once, as a word of its own."""
        holes = [f"{{{index}}}" for index in range(self.arity(predicate, at))]
        text = self.line(value, at)
        words = text.removesuffix(".").split()
        if not text.endswith(".") or sorted(w for w in words if set("{}") & set(w)) != holes:
            each = f" with {' and '.join(holes)} once, each as a word of its own" if holes else ""
            raise self.fail(at, f"a sentence{each}, and a full stop", value, 'such as "Put {0} on {1}."')
        if not words or words[0] in holes or set('"()') & set(text):
            raise self.fail(at, "a sentence that begins with a verb, without quotes and brackets", value)
        return text

    def example(self, value: object) -> Example:
        raw = self.table(value, "prompt.examples")
        task, scene, goal = (self.line(raw.get(k), f"prompt.examples.{k}") for k in ("task", "scene", "goal"))
        read(goal, f"{self.where}: prompt.examples.goal", PackError)
        return Example(task, scene, goal)

    def turns(self, value: object) -> Turns:
        raw = self.table(value, "prompt.turns")
        pairs = raw.get("answers", [])
        if not isinstance(pairs, list):
            raise self.fail("prompt.turns.answers", "a list of pairs, a task and its sentences", pairs)
        answers = []
        for pair in pairs:
            texts = self.lines(pair, "prompt.turns.answers")
            if len(texts) != 2:
                raise self.fail("prompt.turns.answers", "pairs: a task and its sentences", pair)
            answers.append((texts[0], texts[1]))
        return Turns(self.lines(raw.get("scene", []), "prompt.turns.scene"), tuple(answers))

    def pattern(self, sense: str, value: object) -> Atom:
        at = f"reads.{sense}"
        things = ("?x", "?y")[: SENSES[sense]]
        expected = f"one fact over {' and '.join(things)}" if things else "one fact without variables"
        expressions = read(self.line(value, at), f"{self.where}: {at}", PackError)
        if len(expressions) != 1 or not isinstance(expressions[0], Expression):
            raise self.fail(at, expected, value)
        predicate, items = expressions[0].head(), expressions[0].items[1:]
        args = [item.text if isinstance(item, Word) else "" for item in items]
        if sorted(args) != sorted(things) or len(args) != self.arity(predicate, at):
            raise self.fail(at, expected, value)
        return Atom(predicate, tuple(Var(a[1:]) for a in args))
