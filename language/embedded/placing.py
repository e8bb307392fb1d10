"""Goal conditions of verbs that put things somewhere, and what all verbs need: a fact for each node.

A thing goes in or on one of some places; a place may also say where the thing is, and what is there already
may be what is meant. Where the words leave that open, :class:`NoReferent` must be raised: a guess would be
planned for and verified. The verbs themselves are in ``verbs.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...domains.formula import Formula, conjunction, disjunction
from ...simulator.scene import Node
from ..english.links import NodeMatch, NoReferent, several
from ..english.phrases import Phrase, says_all
from .affordances import able, is_movable
from .frames import Frame
from .meanings import Meaning, Meanings
from .referents import Context

_EACH = frozenset({"each", "every", "both"})
"""Words by which as many things as are said go to each of some places."""


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
