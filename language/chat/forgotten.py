"""Parts of an instruction of which a goal says nothing, told by what cannot be said in another way.

A goal that leaves an errand out passes every check and is planned for. Five things an instruction says
plainly, and a goal for it has to show: what a clause begins with ("heat", "bring"), what that is done to
(:mod:`.errands`), how many of a thing are meant ("both laptops"), things with a word before them that points
to one ("the hammer"), and rooms by name.
What only places a thing ("next to the stapler") or describes it need not be in a goal, and is passed over, so
that little is said of goals that leave nothing out. The words are those of English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import dropwhile

from ...domains.formula import Atom, Count, Exists, Forall, Formula, Not, Sometime, conjuncts, names, walk
from ...simulator.belief import Belief
from ..english import lexicon
from ..english.thesaurus import synonyms
from ..english.words import name_words, singular, tokens
from .errands import MOVED, PLACES, STATED, Unasked, predicates_of, senses_of
from .search.name_index import NameIndex
from .search.opening import MODAL

MOST_LISTED = 3
"""Most things that are listed for one name."""
_CLAUSE = re.compile(r"[.!?;:,]|\b(?:and|then|but)\b", re.IGNORECASE)
_LEADING = lexicon.POLITE | lexicon.MODALS | frozenset(("you", "robot", "then", "also", "to"))
_NO_MOVE = frozenset("leave keep rest stand add set".split())
"""Verbs of a move that often say how a thing stays: "leave it off"."""
_NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_MANY = re.compile(
    rf"\b({'|'.join(_NUMBERS)}|(?<=all )[2-9])\s+(?:of\s+)?(?:the\s+)?((?:[\w'-]+\s*){{1,4}})", re.IGNORECASE
)
_POINTS = (
    r"\b(?:an?|one|the|my|his|her|their|our|your|this)\s+"
    r"(?:(?!(?:that|which|who|and|in|on|of)\b)[\w'-]+\s+){0,2}"
)
"""A word that points to one thing, with at most two that describe it."""
_BECOMES = re.compile(
    r"\b(?:to be|gets?|until (?:it|they) (?:is|are)|leave (?:it|them|the [\w'-]+))\s+(\w+)\s*$", re.IGNORECASE
)
"""A clause that ends in the state of a thing."""
_TRIES = re.compile(
    r"\b(?:check|see|test)\b.*\b(?:works?|working|comes? on|runs?|running)\s*$", re.IGNORECASE
)
"""A clause after which something has to be on for a time."""
_DENIES = re.compile(r"n't\b|\b(?:not|never)\b", re.IGNORECASE)
_HANDS_NOTHING = re.compile(
    r"^(?:give|get)\b.*(?:ing|ed|\ban?\b.*\b(?:wipe|wash|clean|rinse|scrub|dust|polish|test|try|go))\s*$"
    r"|^throw open\b",
    re.IGNORECASE,
)
"""Clauses in which a verb of moving moves nothing: "give it a wipe", "get the radio going"."""
_ASIDE = re.compile(
    r"\b(?:(?:next to|beside|near|behind|opposite|like|except|but|not|or|of|than|with|where|whichever|from)"
    r"|ones? (?:in|on|at|under))\s*$",
    re.IGNORECASE,
)
"""What stands before a thing that only says which other one is meant, or where it is."""
_BY_MEANS = re.compile(r"\b(?:in|on|through|using)\s*$", re.IGNORECASE)
_TOLD = re.compile(r"(?: (?:of|or)\b|(?:\s+[\w'-]+){0,4}?\s+(?:is|are|was|were|has|have)\b)", re.IGNORECASE)
"""What stands behind a thing of which something is told, a measure of another one, or a first choice."""


@dataclass(frozen=True)
class _Goal:
    """Reading of a goal: the parts of a scene that it speaks of."""

    formula: Formula
    belief: Belief

    @cached_property
    def predicates(self) -> frozenset[str]:
        return frozenset(part.predicate for part in walk(self.formula) if isinstance(part, Atom))

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes of which it speaks."""
        ranges = (part for part in walk(self.formula) if isinstance(part, Exists | Forall | Count))
        return tuple(variable.type for part in ranges for variable in part.variables)

    @cached_property
    def touched(self) -> frozenset[str]:
        """The nodes that it names or ranges over, and what those that it names are in or on."""
        scene = self.belief.scene
        named = [name for name in names(self.formula) if name in scene.nodes]
        around = {node for name in named for node in (name, *scene.ancestors(name))}
        return frozenset(around.union(*map(self.belief.members, self.classes)))

    def speaks_of(self, word: str) -> bool:
        """Return whether a node that it names is called by a word, or another one for it: "the rubbish"."""
        scene = self.belief.scene
        words = {singular(word), *synonyms((word,))}
        named = (w for name in names(self.formula) if name in scene.nodes for w in name_words(name))
        return not words.isdisjoint(map(singular, named))

    @cached_property
    def room_words(self) -> frozenset[str]:
        """The last words of the names of rooms."""
        rooms = map(name_words, self.belief.scene.by_type.get("room", ()))
        return frozenset(w for words in rooms for w in [w for w in words if not w.isdigit()][-1:])

    def is_of_a_room(self, after: str) -> bool:
        """Return whether a text goes on with a word for a room: the name before is a part of its name."""
        return not self.room_words.isdisjoint(map(singular, tokens(after[:40])[:1]))

    def is_done_by(self, nodes: Iterable[str]) -> bool:
        """Return whether it asks for what only such machines bring about: "heat it in the microwave"."""
        made = {*predicates_of(("heat", "cool", "wash", "clean", "fill"), self.belief)}
        machines = [self.belief.scene.nodes[n] for n in nodes]
        return not made.isdisjoint(self.predicates) and all(
            node.type == "asset" and ("turn_on" in node.affordances or "open" in node.affordances)
            for node in machines
        )

    @cached_property
    def denied(self) -> frozenset[str]:
        """The nodes that it names in a denial alone."""
        parts = conjuncts(self.formula)
        positive = frozenset(n for part in parts if not isinstance(part, Not) for n in names(part))
        return frozenset(names(self.formula)) - positive


def forgotten(
    instruction: str, formula: Formula, belief: Belief, index: NameIndex
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield words of an instruction of which a goal says nothing, with things that they may mean."""
    goal = _Goal(formula, belief)
    mentions = tuple(index.mentions(instruction))
    verbs = tuple(_verbs(instruction, goal))
    missing = {lexicon.base(verb.lower()) or "" for verb, _ in verbs}
    things = tuple(Unasked(formula, belief).of(instruction, missing))
    yield from (*verbs, *((words, nodes[:MOST_LISTED]) for words, nodes in things))
    heads = {words.split()[-1] for words, _ in things}
    names = dict.fromkeys(name for name, _ in mentions if name and name.split()[-1] not in heads)
    yield from _names(instruction, goal, index, names)
    if goal.classes:
        return
    yield from _numbers(instruction, goal, index)
    for _, rooms in mentions:
        yield from ((room, (room,)) for room in rooms if room not in goal.touched)


def _verbs(instruction: str, goal: _Goal) -> Iterator[tuple[str, tuple[str, ...]]]:
    for clause in _CLAUSE.split(instruction):
        state = _BECOMES.search(clause) if not _DENIES.search(clause) else None
        sense = lexicon.STATES.get(state[1].lower(), "") if state is not None else ""
        if state is not None and not goal.predicates.issuperset(predicates_of((sense,), goal.belief)):
            yield state[1], ()
        if _TRIES.search(clause) and not any(isinstance(part, Sometime) for part in walk(goal.formula)):
            yield clause.strip(), ()
        words = [*dropwhile(_LEADING.__contains__, tokens(clause))]
        stays = not words or words[0] in _NO_MOVE or "care" in words  # it says how a thing stays
        if stays or len(words) < 2 or _HANDS_NOTHING.search(" ".join(words)):
            continue
        senses = senses_of(lexicon.base(words[0]) or "", words)
        moves = not senses.isdisjoint(MOVED) and "empty" not in senses
        brought_about = predicates_of((*senses.intersection(STATED), *(PLACES if moves else ())), goal.belief)
        if brought_about and goal.predicates.isdisjoint(brought_about):
            yield words[0], ()


def _numbers(instruction: str, goal: _Goal, index: NameIndex) -> Iterator[tuple[str, tuple[str, ...]]]:
    for match in _MANY.finditer(instruction):
        number = _NUMBERS.get(match[1].lower()) or int(match[1])
        name = next(iter(index.names_in(match[2])), "")
        nodes = index.called(name).nodes if name else ()
        shown = [n for n in nodes if n in goal.touched and n not in goal.denied]
        if shown and len(shown) < number <= len(nodes):
            rest = tuple(n for n in nodes if n not in shown)[:MOST_LISTED]
            yield f"{match[1]} {name}", rest


def _names(
    instruction: str, goal: _Goal, index: NameIndex, spoken: Iterable[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in spoken:
        fits, head = index.called(name), name.split()[-1]
        pattern = re.escape(head) + r"\b"
        points = _POINTS if head not in MODAL else r"\b(?:an?|the)\s+"
        match = re.search(points + pattern, instruction, re.IGNORECASE)
        if match is None or not fits.whole or not fits.named:
            continue
        before, after = instruction[: match.start()], instruction[match.end() :]
        if _ASIDE.search(before) or _TOLD.match(after) or goal.is_of_a_room(after):
            continue
        if _BY_MEANS.search(before) and goal.is_done_by(fits.nodes):
            continue
        if not goal.speaks_of(head) and goal.touched.isdisjoint((*fits.nodes, *index.called(head).nodes)):
            yield name, fits.nodes[:MOST_LISTED]
