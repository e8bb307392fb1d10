"""Reading BDDL, the language of BEHAVIOR's activities: objects with WordNet synsets, initial state, goal.

BDDL looks like PDDL with counting (``forn``, ``forpairs``, ``fornpairs``). A text is read as the ``bddl``
package 3.6.0 (``parsing.py``) reads it, which fixes the rules here; the bounds are ours and may be changed.
Case is ignored, ``:goal`` counts up to its first formula, unknown
sections and stray words are passed over, and a name may be written with a question mark, ``?apple.n.01_1``,
where it stands for the object. The goal stays as it was written
(:attr:`Activity.goal`): ``goal.bddl_goal`` turns it into a goal of the package's own language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...domains.errors import SceneError, clip
from ...domains.sexpr import Expression, Word, read

MAX_CHARACTERS = 200_000
"""Fifteen times the longest problem of BEHAVIOR-1K."""
MAX_DEPTH = 100
"""Deepest nesting of a goal, on which the recursion over goals relies."""

AGENT = "agent.n.01"
"""The synset of the robot."""

CONNECTIVES = frozenset(("and", "or", "not", "imply", "forall", "exists", "forn", "forpairs", "fornpairs"))
_TYPED = {"forall": (0, 1), "exists": (0, 1), "forn": (1, 1), "forpairs": (0, 2), "fornpairs": (1, 2)}
"""The number of numbers and of typed variables before the body."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A literal of the initial state; ``holds`` is false under ``not``."""

    predicate: str
    args: tuple[str, ...]
    holds: bool
    line: int


@dataclass(frozen=True, slots=True)
class Quantifier:
    """The parts of a quantified goal; ``number`` is there for ``forn`` and ``fornpairs``."""

    kind: str
    number: int
    variables: tuple[tuple[str, str], ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Activity:
    """One problem file. ``objects`` maps each object to its synset; ``goal`` is its expression as written."""

    name: str
    objects: Mapping[str, str]
    init: tuple[Fact, ...]
    goal: Expression
    where: str

    def members(self, synset: str) -> tuple[str, ...]:
        """Return the objects declared with exactly a synset, in order: the range of a quantifier."""
        return tuple(o for o, c in self.objects.items() if c == synset)

    def predicates(self) -> frozenset[str]:
        """Return every predicate of the initial state and of the goal."""
        heads = (part.head() for part in subgoals(self.goal))
        return frozenset(f.predicate for f in self.init) | (frozenset(heads) - CONNECTIVES)


def read_bddl(text: str, where: str) -> Activity:
    """Read a problem file. Raises :class:`SceneError` with line and column."""
    if len(text) > MAX_CHARACTERS:
        raise SceneError(where, f"at most {MAX_CHARACTERS} characters", str(len(text)))
    expressions = read(text.lower(), where, SceneError)
    define = expressions[0] if len(expressions) == 1 else None
    if not isinstance(define, Expression) or define.head() != "define":
        raise SceneError(where, "one (define (problem NAME) ...)", f"{len(expressions)} expressions")
    sections = {s.head(): s for s in define.items[1:] if isinstance(s, Expression)}
    for needed in ("problem", ":objects", ":init", ":goal"):
        if needed not in sections:
            raise SceneError(where, f"a section ({needed} ...)", "none", "the file may be truncated")
    named = sections["problem"].items[-1]
    objects = _objects(sections[":objects"], where)
    init = tuple(_fact(item, where) for item in sections[":init"].items[1:])
    goal = sections[":goal"].items[1] if len(sections[":goal"].items) > 1 else sections[":goal"]
    if not isinstance(goal, Expression) or goal.head() == ":goal":
        raise fail(goal, where, "a goal in brackets", "something else")
    activity = Activity(_word(named, where), objects, init, goal, where)
    list(subgoals(goal, where))  # raises where a part is not well-formed
    return activity


_WORDS = re.compile(r"(.+)\.[a-z]\.\d+\Z")


def words_of(synset: str, between: str = "_") -> str:
    """Return the words of a synset: ``carton__of__milk.n.01`` is ``carton_of_milk``."""
    match = _WORDS.match(synset)
    return (match.group(1) if match else synset).replace("__", between)


def subgoals(goal: Expression, where: str = "goal") -> Iterator[Expression]:
    """Yield every part of a goal, outermost first. Raises :class:`SceneError` for no goal or one too deep."""
    stack = [(goal, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise fail(node, where, f"a goal at most {MAX_DEPTH} deep", "a deeper one")
        yield node
        stack.extend((below, depth + 1) for below in reversed(operands(node, where)))


def operands(node: Expression, where: str = "goal") -> tuple[Expression, ...]:
    """Return the direct parts of a connective or quantifier; none of an atom."""
    head = node.head()
    if head in _TYPED:
        return (quantifier(node, where).body,)
    if head not in CONNECTIVES:
        if not head or head.startswith((":", "?")):
            raise fail(node, where, "a predicate or connective in brackets", head or "a list")
        return ()
    parts = tuple(_node(item, where) for item in node.items[1:])
    arity = {"not": 1, "imply": 2}.get(head, len(parts))
    if len(parts) != arity:
        raise fail(node, where, f"{arity} parts of {head}", str(len(parts)))
    return parts


def quantifier(node: Expression, where: str = "goal") -> Quantifier:
    """Take a quantified goal apart. Raises :class:`SceneError`."""
    kind = node.head()
    numbers, variables = _TYPED[kind]
    if len(node.items) != numbers + variables + 2:
        form = " ".join(["(N)"] * numbers + ["(?x - synset)"] * variables)
        raise fail(node, where, f"({kind} {form} goal)", f"{len(node.items) - 1} parts")
    number = 0
    if numbers:
        inner = node.items[1]
        text = _word(inner.items[0], where) if isinstance(inner, Expression) and len(inner.items) == 1 else ""
        if not (text.isascii() and text.isdigit() and len(text) <= 6):
            raise fail(inner, where, "a number in brackets", clip(text) or "something else")
        number = int(text)
    typed = tuple(_typed(item, where) for item in node.items[1 + numbers : -1])
    return Quantifier(kind, number, typed, _node(node.items[-1], where))


def atom(node: Expression, where: str = "goal") -> tuple[str, tuple[str, ...]]:
    """Return the predicate and the names of an atom, without question marks."""
    return node.head(), tuple(_word(item, where).strip("?") for item in node.items[1:])


def goal_atoms(activity: Activity) -> Iterator[tuple[str, tuple[tuple[str, ...], ...], bool]]:
    """Yield the atoms of the goal: predicate, the objects that each argument ranges over, polarity."""
    stack: list[tuple[Expression, dict[str, str], bool]] = [(activity.goal, {}, True)]
    while stack:
        node, scope, positive = stack.pop()
        head = node.head()
        if head not in CONNECTIVES:
            predicate, names = atom(node, activity.where)
            stands_for = (activity.members(scope[n]) if n in scope else (n,) for n in names)
            yield predicate, tuple(stands_for), positive
            continue
        inner = scope
        if head.startswith("for") or head == "exists":
            inner = scope | dict(quantifier(node, activity.where).variables)
        for index, part in enumerate(operands(node, activity.where)):
            denied = head == "not" or (head == "imply" and index == 0)
            stack.append((part, inner, positive != denied))


def fail(at: Expression | Word, where: str, expected: str, got: str, hint: str = "") -> SceneError:
    """Return an error with line and column."""
    return SceneError(f"{where}:{at.line}:{at.column}", expected, clip(got), hint)


def _typed(item: Expression | Word, where: str) -> tuple[str, str]:
    """Read a variable and its synset: ``(?x - apple.n.01)``."""
    words = [_word(i, where) for i in item.items] if isinstance(item, Expression) else []
    if len(words) != 3 or words[1] != "-" or not words[0].strip("?"):
        raise fail(item, where, "(?x - synset)", " ".join(words) or "something else")
    return words[0].strip("?"), words[2]


def _objects(section: Expression, where: str) -> dict[str, str]:
    objects: dict[str, str] = {}
    pending: list[str] = []
    words = iter(section.items[1:])
    for item in words:
        word = _word(item, where)
        if word != "-":
            pending.append(word)
            continue
        synset = next(words, None)
        if synset is None:
            raise fail(item, where, "a synset after the dash", "nothing")
        for name in pending:
            if objects.setdefault(name, _word(synset, where)) != _word(synset, where):
                raise fail(synset, where, f"one synset for {clip(name)}", f"{objects[name]} too")
        pending = []
    return objects | dict.fromkeys(pending, "object")


def _fact(item: Expression | Word, where: str) -> Fact:
    node = _node(item, where)
    holds = node.head() != "not"
    if not holds:
        if len(node.items) != 2:
            raise fail(node, where, "(not (fact))", f"{len(node.items) - 1} parts")
        node = _node(node.items[1], where)
    if not node.head() or node.head() in CONNECTIVES:
        raise fail(node, where, "a fact or its negation", node.head() or "a list")
    predicate, args = atom(node, where)
    return Fact(predicate, args, holds, node.line)


def _node(item: Expression | Word, where: str) -> Expression:
    if not isinstance(item, Expression):
        raise fail(item, where, "brackets", item.text)
    return item


def _word(item: Expression | Word, where: str) -> str:
    if not isinstance(item, Word):
        raise fail(item, where, "a word", "brackets")
    return item.text
