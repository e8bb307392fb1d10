"""Conditions on nodes: what is asked for of all of them, of one or of so many, and where things are put.

One of several nodes becomes ``or``, ``exists`` or ``exactly``. Which nodes a phrase means is said by
``referents``; the verbs are in ``verbs.py``. A thing goes in or on one of some places; a place may also say
where the thing is, and what is there already may be what is meant. Where the words leave that open,
:class:`NoReferent` must be raised: a guess would be planned for and verified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...domains.formula import (
    TRUE,
    Atom,
    Count,
    Exists,
    Formula,
    TypedVar,
    Var,
    conjunction,
    disjunction,
    rebuild,
    walk,
)
from ...simulator.scene import Node
from ..english.linking import Linker
from ..english.phrases import NodeMatch, NoReferent, Phrase, says_all, several
from ..english.words import name_words, singular
from .frames import Frame
from .referents import FLOORS, Context, Destinations, Referents, able, is_closed, is_container, is_movable

MAX_CHOICES = 8
"""More nodes than this that fit "the X" are too many to choose from."""
_EACH = frozenset({"each", "every", "both"})
"""Words by which as many things as are said go to each of some places."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The goal condition that a clause asks for, and the nodes that it is about.

    ``again`` is one of several things that a clause before was about as well: "heat a soup and bring *it*";
    ``lasts`` is "stay" where it is to be so on the way, too.
    """

    formula: Formula
    nodes: tuple[str, ...]
    again: NodeMatch | None = None
    lasts: str = ""


def generalise(formula: Formula, name: str, variable: Var) -> Formula:
    """A formula with a variable in the place of a name."""
    if isinstance(formula, Atom):
        return Atom(formula.predicate, tuple(variable if a == name else a for a in formula.args))
    return rebuild(formula, lambda part: generalise(part, name, variable))


class Meanings:
    """The conditions of requests in one scene, after the requests before."""

    def __init__(self, linker: Linker) -> None:
        self.linker, self.scene, self.facts = linker, linker.scene, linker.facts
        self.fact = linker.facts.fact
        self.referents = Referents(linker)
        self.destinations = Destinations(self.referents)
        self.touched: frozenset[str] = frozenset()
        self.opened: frozenset[str] = frozenset()
        """What a request before asks to be opened."""
        self.placed: frozenset[str] = frozenset()
        """What requests before put somewhere."""

    def follow(self, parts: Sequence[Meaning]) -> None:
        """Note what requests before the next one are about."""
        self.touched = frozenset(i for p in parts for i in p.nodes if p.formula != TRUE)
        opened = self._atoms("open", [p.formula for p in parts])
        self.opened = frozenset(str(a.args[0]) for a in opened)
        served = {a.args[0] for a in self._atoms("fill", [p.formula for p in parts])}
        moved = (p for p in parts if any(self._atoms(s, [p.formula]) for s in ("inside", "ontop", "room")))
        movable = (i for p in moved for i in p.nodes if self.scene.nodes[i].type == "object")
        self.placed = frozenset(movable) - served

    def _atoms(self, sense: str, formulas: Iterable[Formula]) -> list[Atom]:
        """The facts of a sense in some formulas."""
        fact = self.facts.predicate(sense)
        return [a for f in formulas for a in walk(f) if isinstance(a, Atom) and a.predicate == fact]

    def each(
        self, match: NodeMatch, say: Callable[[Node], Formula], fits: Callable[[Node], bool] | None = None
    ) -> Formula:
        """A condition on all of the nodes, or on one of them, as the determiner of the phrase says."""
        phrase = match.phrase
        nodes = [n for n in match.nodes if fits is None or fits(n)]
        if not nodes:
            raise NoReferent(f"nothing that fits '{phrase}' can be used so", phrase, match.ids[:3])
        if phrase.kind == "count":
            return self._number(match, nodes, say)
        if phrase.kind in ("all", "held") or len(nodes) == 1:
            return conjunction([say(n) for n in nodes])
        kinds = bool(phrase.words) and self.linker.names.is_of_kinds(phrase.head, nodes)
        if phrase.kind != "a" and (kinds or nodes[0].type != "object"):  # it matters which "the X" is
            gap = several(phrase, [n.id for n in nodes])
            gap.final = kinds
            raise gap
        described = self._described(phrase, nodes, say) if len(nodes) == len(match.nodes) else None
        if described is not None:
            return Exists(*described)
        if len(nodes) > MAX_CHOICES:
            raise NoReferent(f"{len(nodes)} things fit '{phrase}'", phrase, match.ids[:5])
        return disjunction([say(n) for n in nodes])

    def _number(self, match: NodeMatch, nodes: Sequence[Node], say: Callable[[Node], Formula]) -> Formula:
        """So many of a kind, whichever."""
        number = match.phrase.number or 0
        if len(nodes) == number == len(match.nodes):
            return conjunction([say(n) for n in nodes])
        described = self._described(match.phrase, nodes, say)
        if described is None or len(nodes) < len(match.nodes) or number > len(nodes):
            reason = f"'{match.phrase}' asks for {number}, there are {len(nodes)} in what was seen"
            raise NoReferent(reason, match.phrase, match.ids[:5])
        return Count("exactly", number, *described)

    def _described(
        self, phrase: Phrase, nodes: Sequence[Node], say: Callable[[Node], Formula]
    ) -> tuple[tuple[TypedVar, ...], Formula] | None:
        """A class and its attributes in place of nodes; ``None`` where the phrase says more than these."""
        kind = _kind_said(phrase, nodes)
        if kind is None or phrase.places or phrase.owner:
            return None
        adjectives = [w for w in phrase.words[:-1] if w not in name_words(kind)]
        if not all(word in n.attributes for word in adjectives for n in nodes):
            return None
        stand_in = Node("?x", nodes[0].type, nodes[0].parent, affordances=nodes[0].affordances)
        body = generalise(say(stand_in), "?x", Var("x"))
        return (TypedVar("x", kind),), conjunction([*(Atom(w, (Var("x"),)) for w in adjectives), body])

    def laid(self, item: Node, relation: str, places: Sequence[Node]) -> Formula:
        """A thing in or on one of some places, doors left as they were or as they were asked for."""
        return disjunction([self._laid(item, relation, place) for place in places])

    def _laid(self, item: Node, relation: str, place: Node) -> Formula:
        if place.type == "room" and relation != "floor":
            return self.fact("room", item.id, place.id)
        if place.type == "room" or relation == "on" or not is_container(place):
            return self.fact("ontop", item.id, place.id)
        inside = self.fact("inside", item.id, place.id)
        if is_closed(place) and place.id not in self.opened:
            return conjunction([inside, self.fact("close", place.id)])
        return inside


def _kind_said(phrase: Phrase, nodes: Sequence[Node]) -> str | None:
    """The class of some nodes that a phrase names, the one that says most: bottle_water before bottle."""
    head, rest = singular(phrase.head), phrase.words[:-1]
    shared = [c for c in nodes[0].classes if all(c in n.classes for n in nodes)]
    named = [c for c in shared if phrase.words and head in map(singular, name_words(c))]
    return max(named, key=lambda c: sum(w in name_words(c) for w in rest), default=None)


# Things put somewhere


def linked(meanings: Meanings, frame: Frame, context: Context, affordance: str = "pickup") -> list[NodeMatch]:
    """The nodes that the phrases of a frame mean; "it" is the last of them from now on."""
    matches: list[NodeMatch] = []
    for phrase in frame.items:
        # "The apple on the desk and the one in the bowl": one of the kind just said.
        now = replace(context, last=matches[-1]) if matches and phrase.head in ("one", "ones") else context
        matches.append(meanings.referents.items(phrase, now, affordance=affordance))
    if matches:
        context.before, context.last = context.last, matches[-1]
        many = Phrase("them", ("them",), "all")
        context.many = (
            NodeMatch(many, tuple(n for x in matches for n in x.nodes)) if len(matches) > 1 else None
        )
    return matches


def fact_for_each(
    meanings: Meanings,
    matches: Sequence[NodeMatch],
    say: Callable[[Node], Formula],
    fits: Callable[[Node], bool],
    also: Sequence[Node] = (),
    extra: Sequence[Formula] = (),
) -> Meaning:
    formula = conjunction([*(meanings.each(match, say, fits) for match in matches), *extra])
    nodes = [i for match in matches for i in match.ids] + [n.id for n in also]
    return Meaning(formula, tuple(dict.fromkeys(nodes)))


def affording(meanings: Meanings, matches: Sequence[NodeMatch], affordance: str, what: str) -> None:
    for match in matches:
        fitting = able(match.nodes, affordance, match.phrase, what)
        if match.phrase.kind == "all" and len(fitting) < len(match.nodes):
            odd = next(n for n in match.nodes if n not in fitting)
            raise NoReferent(f"{odd.id} cannot be {what}", match.phrase, final=True)


def together(parts: Sequence[Meaning]) -> Meaning:
    """The conditions of some parts as one, about all of their nodes."""
    return Meaning(conjunction([part.formula for part in parts]), _nodes_of(parts))


def _nodes_of(parts: Sequence[Meaning]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(i for part in parts for i in part.nodes))


@dataclass(frozen=True)
class PutTarget:
    """Places of which things are to be in or on one, with ``shut`` behind a closed door.

    What is anywhere in ``rooms`` is there already. ``supposed`` are places taken for the only ones of their
    name, to see what is asked for then: what is at them already may be what is meant.
    """

    meanings: Meanings
    relation: str
    places: Sequence[Node]
    shut: bool = False
    rooms: frozenset[str] = frozenset()
    supposed: bool = False

    def holds(self, node: Node) -> bool:
        """Return whether a thing is at such a place now."""
        at_place = node.parent in {p.id for p in self.places}
        return at_place or self.meanings.scene.room_of(node.id) in self.rooms

    def has(self, node: Node) -> bool:
        """Return whether a thing is there and stays: one that is heated on the way may come back there."""
        return self.holds(node) and node.id not in self.meanings.touched

    def takes(self, node: Node) -> bool:
        return is_movable(node) and not self.has(node)

    def fact(self, node: Node) -> Formula:
        """The condition that a thing is there in the end."""
        scene = self.meanings.scene
        if node.id in scene.nodes and self.has(node) and scene.room_of(node.id) in self.rooms:
            return self.in_rooms(node)
        choices = []
        for place in self.places:
            closed = [self.meanings.fact("close", place.id)] if self.shut else []
            choices.append(conjunction([self.meanings.laid(node, self.relation, [place]), *closed]))
        return disjunction(choices)

    def in_rooms(self, node: Node) -> Formula:
        return disjunction([self.meanings.fact("room", node.id, r) for r in sorted(self.rooms)])


def lay_down(target: PutTarget, matches: Sequence[NodeMatch]) -> Meaning:
    """Things in or on one of some places."""
    meanings = target.meanings
    affording(meanings, matches, "pickup", "picked up")
    for match in matches:
        present = [n.id for n in match.nodes if target.has(n)]
        if present and match.phrase.kind == "the" and len(match.nodes) > 1 and not target.supposed:
            reason = f"{present[0]} is there already; say which other one"
            raise NoReferent(reason, match.phrase, match.ids[:5])
    nodes = [n for match in matches for n in match.nodes]
    some = next((match for match in matches if match.phrase.kind != "all"), None)
    if some is not None and not any(map(target.takes, nodes)):
        raise NoReferent(f"{some.ids[0]} is there already", some.phrase, some.ids[:3])
    parts = []
    for match in (_as_many_more(m, sum(map(target.has, m.nodes))) for m in matches):
        there = target.supposed and any(map(target.has, match.nodes))
        every = there or match.phrase.kind in ("all", "count") or not any(map(target.takes, match.nodes))
        fits = is_movable if every else target.takes
        say = target.in_rooms if there and target.rooms else target.fact
        parts.append(fact_for_each(meanings, [match], say, fits, target.places))
    return together(parts)


def _as_many_more(match: NodeMatch, present: int) -> NodeMatch:
    """So many things besides those that are there already: "put two socks in the wardrobe"."""
    phrase = match.phrase
    number = (phrase.number or 0) + present
    if phrase.kind != "count" or number > len(match.nodes):
        return match
    return replace(match, phrase=replace(phrase, number=number))


def put(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    """Things are brought to a place, or to each of some; what is to stay there already may be meant."""
    assert frame.to is not None
    matches = linked(meanings, frame, context)
    nodes = [n for match in matches for n in match.nodes]
    if frame.mood in ("stay", "keep") and any(p.kind != "it" for p in frame.items):
        check_unmoved(meanings, nodes)
    target = _target(meanings, frame, context, nodes)
    _goes_there(meanings, frame, context)
    if _is_distributed(frame, target, context):  # "a bottle on each chair"
        return together(
            [lay_down(replace(target, places=[p], rooms=frozenset()), matches) for p in target.places]
        )
    staying = [_staying(target, match, frame.mood) for match in matches]
    if all(staying):
        kept = [NodeMatch(m.phrase, there) for m, there in zip(matches, staying, strict=True)]
        return _left_there(target, kept)
    if frame.to.kind == "a" and len(target.places) > 1 and _are_several(matches):
        groups = [lay_down(group, matches) for group in _one_by_one(target)]
        whole = disjunction([part.formula for part in groups])  # all to the same: "the pens in a box"
        return Meaning(whole, _nodes_of(groups))
    return lay_down(target, matches)


def _target(meanings: Meanings, frame: Frame, context: Context, nodes: Sequence[Node]) -> PutTarget:
    """The places of the things of a frame."""
    assert frame.to is not None
    places = meanings.destinations.of(frame.relation, frame.to, context, nodes)
    if frame.to.head in FLOORS and all(p.type == "room" for p in places):
        return PutTarget(meanings, "floor", places)
    named = context.place.nodes if context.place is not None and frame.to.kind != "person" else ()
    rooms = frozenset(n.id for n in named if n.type == "room")
    linker, to = meanings.linker, frame.to
    supposed = any(linker.names.named(linker.scene.nodes[i], to) for i in linker.excluded)
    return PutTarget(meanings, frame.relation, places, rooms=rooms, supposed=supposed)


def _is_distributed(frame: Frame, target: PutTarget, context: Context) -> bool:
    """Return whether each of some places gets what is said: "a bottle on each chair".

    Raises :class:`NoReferent` where nothing goes to one of the places that are named.
    """
    to = frame.to
    assert to is not None
    each = to.text.lower().split()[0] in _EACH
    if each and context.place is not None and {p.id for p in target.places} != set(context.place.ids):
        raise NoReferent(f"what is asked for does not go in or on '{to}'", to, final=True)
    counted = ("a", "all", "count") if each else ("a", "all")
    return to.kind == "all" and len(target.places) > 1 and all(p.kind in counted for p in frame.items)


def _left_there(target: PutTarget, kept: Sequence[NodeMatch]) -> Meaning:
    """Things are left where they are, in or on one of some places."""
    meanings, spots = target.meanings, {p.id for p in target.places}

    def stays(n: Node) -> Formula:
        laid = n.parent in spots
        return meanings.laid(n, target.relation, target.places) if laid else target.in_rooms(n)

    return fact_for_each(meanings, kept, stays, is_movable, target.places)


def _are_several(matches: Sequence[NodeMatch]) -> bool:
    """Return whether several things are moved together, and not one by one: "the pens", not "each pen"."""
    if any(m.phrase.text.lower().startswith(("each ", "every ")) for m in matches):
        return False
    return len(matches) > 1 or matches[0].phrase.kind in ("all", "count")


def _one_by_one(target: PutTarget) -> Iterator[PutTarget]:
    """Each of the rooms of some places; each of the places where no room is named."""
    groups: dict[str, list[Node]] = {}
    for place in target.places:
        room = target.meanings.scene.room_of(place.id) if target.rooms else None
        groups.setdefault(room or place.id, []).append(place)
    for name, places in groups.items():
        yield replace(target, places=places, rooms=frozenset([name]) if target.rooms else frozenset())


def check_unmoved(meanings: Meanings, nodes: Sequence[Node]) -> None:
    """Raise :class:`NoReferent` where what is to be left where it is was to be put elsewhere before."""
    twice = next((n.id for n in nodes if n.id in meanings.placed), None)
    if twice is not None:
        raise NoReferent(f"{twice} is to be moved, and to be left where it is", None, (twice,), final=True)


def _goes_there(meanings: Meanings, frame: Frame, context: Context) -> None:
    """Raise :class:`NoReferent` where a place says of a thing where it is, and not where it goes.

    "Get the pillows from the bed in the bedroom" and "pick up the socks in the hall" name no place to put
    them where there are such things: of these verbs, and after "from" or "off", only "to" surely does.
    """
    where = frame.to
    if where is None or where.kind in ("person", "it") or frame.relation not in ("in", "on"):
        return
    for phrase in frame.items:
        source = any(relation in ("from", "off") for relation, _ in phrase.places)
        if phrase.kind == "it" or not (source or frame.mood == "got"):
            continue
        here = replace(phrase, places=(*phrase.places, (frame.relation, where)))
        try:
            is_there = meanings.linker.link(meanings.referents.resolve_owner(here, replace(context)))
        except NoReferent:
            continue
        at = f"{frame.relation} {where}"
        reason = f"it is not said whether '{at}' is where '{phrase}' goes or where it is: say 'to {where}'"
        raise NoReferent(reason, None, is_there.ids[:5])


def _staying(target: PutTarget, match: NodeMatch, mood: str) -> tuple[Node, ...]:
    """The things of a match that are at a place where they are to be left; none where all are brought there.

    "The pens should be on the desk" is about all of them, "leave the pens on the desk" about those there.
    Raises :class:`NoReferent` where that is not clear: several might be left there and none is there yet,
    "keep the pens on the desk" where others are elsewhere, "leave two pens" where others are there.
    """
    phrase, kind = match.phrase, match.phrase.kind
    if mood not in ("stay", "keep", "be") or target.meanings.touched & set(match.ids):
        return ()
    there = tuple(filter(target.holds, match.nodes))
    if not there:
        if len(match.nodes) > 1 and kind == "the":
            raise several(phrase, match.ids)
        return ()
    some = len(there) < len(match.nodes)
    if kind == "all" and some and (mood == "be" or (mood == "keep" and says_all(phrase))):
        return ()
    unclear = {
        "all": mood == "keep" and some,
        "a": mood != "be" and len(there) > 1,
        "count": len(there) != phrase.number,
    }
    if unclear.get(kind):
        raise NoReferent(f"{there[0].id} is there already, so '{phrase}' is not clear")
    return there
