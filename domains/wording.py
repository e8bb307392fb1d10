"""Wording of a pack: how chat models are told of its facts, and which fact each verb of a request asks for.

``language.toml`` lies beside ``domain.pddl`` and ``mapping.toml`` and may be left out. It changes no goal's
meaning and no plan, so it is not part of the pack's hash; prompts have versions of their own. Its tables may
grow here, but no reader may know a predicate that neither this file nor the mapping names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

from .errors import InputError, PackError, clip, did_you_mean
from .files import parse_toml, read_text
from .formula import Atom, Var
from .sexpr import Expression, Word, read

FILE = "language.toml"
MAX_BYTES = 65_536
"""Most bytes of a wording file: a prompt has to fit in a small model's window."""

SENSES: Mapping[str, int] = {
    "open": 1, "close": 1, "on": 1, "off": 1, "heat": 1, "cool": 1, "wash": 1, "clean": 1, "fill": 1,
    "hold": 1, "free": 0, "go": 1, "inside": 2, "ontop": 2, "room": 2,
}  # fmt: skip
"""Senses of verbs and prepositions that a reader of sentences may know, each with the number of its things.

``free`` is the empty hand; ``inside``, ``ontop`` and ``room`` are where a thing ?x is put: in, on or in the
room ?y. A check ("see whether it works") is ``on`` at some time and ``off`` in the end.
"""

_TABLES: Mapping[str, frozenset[str]] = {
    "": frozenset({"format", "version", "prompt", "reads"}),
    "prompt": frozenset({"omit", "notes", "facts", "examples"}),
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
class Wording:
    """All that a pack's ``language.toml`` says.

    ``facts`` has a word for each argument of a predicate, in the order in which prompts list them; predicates
    in ``omit`` are not listed, all others with the types of their arguments. ``reads`` has the fact of a
    sense over ``?x`` and ``?y``.
    """

    facts: Mapping[str, tuple[str, ...]]
    omit: tuple[str, ...]
    notes: tuple[str, ...]
    examples: tuple[Example, ...]
    reads: Mapping[str, Atom]

    def fact(self, sense: str, *names: str) -> Atom | None:
        """The fact that a sense asks for of some things, or ``None`` where the pack has no such sense."""
        pattern = self.reads.get(sense)
        if pattern is None:
            return None
        binding = dict(zip(("x", "y"), names, strict=False))
        return Atom(pattern.predicate, tuple(binding[a.name] for a in pattern.args if isinstance(a, Var)))


Source = tuple[str, Mapping[str, object]]
"""The tables of one file and its name for messages."""


def wording_source(folder: Traversable, where: str) -> tuple[Source, ...]:
    """Return the tables of a folder's wording file; none where there is no such file."""
    file, name = folder.joinpath(FILE), f"{where}/{FILE}"
    if isinstance(file, Path):
        if not file.exists():
            return ()
        text = read_text(file, MAX_BYTES, PackError)
    elif file.is_file():  # a built-in pack in an archive
        text = file.read_text(encoding="utf-8")
    else:
        return ()
    return ((name, parse_toml(text, name, PackError)),)


def read_wording(sources: Sequence[Source], predicates: Mapping[str, int]) -> Wording | None:
    """Check and join wording files, what is extended first; ``None`` where there are none.

    ``predicates`` are those of goals with their arity. Raises :class:`PackError` naming file and key.
    """
    joined = None
    for where, raw in sources:
        own = _Reader(where, raw, predicates).read()
        joined = own if joined is None else _extended(joined, own)
    return joined


def _extended(base: Wording, own: Wording) -> Wording:
    """Join two wordings: lists are joined, what both say of one predicate or sense is as ``own`` says."""
    return Wording(
        {**base.facts, **own.facts},
        (*(p for p in base.omit if p not in own.facts), *own.omit),
        base.notes + own.notes,
        base.examples + own.examples,
        {**base.reads, **own.reads},
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
        self.check_keys(self.raw, "")
        prompt = self.table(self.raw, "prompt", "prompt")
        self.check_keys(prompt, "prompt")
        reads = self.table(self.raw, "reads", "reads")
        self.check_keys(reads, "reads")
        facts = self.table(prompt, "facts", "prompt.facts")
        omit = self.lines(prompt.get("omit", []), "prompt.omit")
        for name in omit:
            self.arity(name, "prompt.omit")
        return Wording(
            {name: self.arguments(name, value) for name, value in facts.items()},
            omit,
            self.lines(prompt.get("notes", []), "prompt.notes"),
            self.examples(prompt.get("examples", [])),
            {sense: self.pattern(sense, value) for sense, value in reads.items()},
        )

    def check_keys(self, table: Iterable[str], name: str) -> None:
        for key in table:
            if key not in _TABLES[name]:
                at = f"{name}.{key}" if name else key
                keys = sorted(_TABLES[name])
                hint = did_you_mean(key, keys) or f"there are {', '.join(keys)}"
                raise self.fail(at, "a key of this table", key, hint)

    def table(self, table: Mapping[str, object], key: str, at: str) -> Mapping[str, object]:
        value = table.get(key, {})
        if not isinstance(value, dict):
            raise self.fail(at, "a table", value)
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

    def examples(self, value: object) -> tuple[Example, ...]:
        if not isinstance(value, list):
            raise self.fail("prompt.examples", "a list of tables", value)
        examples = []
        for index, raw in enumerate(value):
            at = f"prompt.examples[{index}]"
            if not isinstance(raw, dict):
                raise self.fail(at, "task, scene and goal", raw)
            self.check_keys(raw, "prompt.examples")
            task, scene, goal = (self.line(raw.get(k), f"{at}.{k}") for k in ("task", "scene", "goal"))
            self.node(goal, f"{at}.goal", "one goal such as (open box1)")
            examples.append(Example(task, scene, goal))
        return tuple(examples)

    def pattern(self, sense: str, value: object) -> Atom:
        at = f"reads.{sense}"
        things = ("?x", "?y")[: SENSES[sense]]
        expected = f"one fact over {' and '.join(things)}" if things else "one fact without variables"
        node = self.node(self.line(value, at), at, expected)
        arity = self.arity(node.head(), at)
        args = [i.text if isinstance(i, Word) else "" for i in node.items[1:]]
        if len(args) != arity:
            raise self.fail(at, f"{arity} arguments for {node.head()}", value)
        if sorted(args) != sorted(things):
            raise self.fail(at, expected, value)
        return Atom(node.head(), tuple(Var(a[1:]) for a in args))

    def node(self, text: str, at: str, expected: str) -> Expression:
        try:
            expressions = read(text, f"{self.where}: {at}")
        except InputError as error:
            raise PackError(error.where, error.expected, error.got, error.hint) from error
        if len(expressions) != 1 or not isinstance(expressions[0], Expression):
            raise self.fail(at, expected, text)
        return expressions[0]
