"""Goal conditions of verbs that put things somewhere, and what all verbs need: a fact for each node.

A thing goes in or on one of some places; a place may also say where the thing is, and what is there already
may be what is meant. Where the words leave that open, :class:`NoReferent` must be raised: a guess would be
planned for and verified. The verbs themselves are in ``verbs.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...domains.formula import Formula, conjunction, disjunction
from ...simulator.scene import Node
from ..english.links import NodeMatch, NoReferent, several
from ..english.phrases import Phrase, says_all
from .frames import Frame
from .meanings import FLOORS, Context, Meaning, Meanings

EACH = frozenset({"each", "every", "both"})
"""Words by which as many things as are said go to each of some places."""


def linked(meanings: Meanings, frame: Frame, context: Context, affordance: str = "pickup") -> list[NodeMatch]:
    """The nodes that the phrases of a frame mean; "it" is the last of them from now on."""
    matches: list[NodeMatch] = []
    for phrase in frame.items:
        # "The apple on the desk and the one in the bowl": one of the kind just said.
        now = replace(context, last=matches[-1]) if matches and phrase.head in ("one", "ones") else context
        matches.append(meanings.items(phrase, now, affordance=affordance))
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
        able = meanings.need(match.nodes, affordance, match.phrase, what)
        if match.phrase.kind == "all" and len(able) < len(match.nodes):
            odd = next(n for n in match.nodes if n not in able)
            raise NoReferent(f"{odd.id} cannot be {what}", match.phrase, final=True)


def carried(meanings: Meanings) -> Callable[[Node], bool]:
    return lambda n: meanings.can(n, "pickup")


def lay_down(
    meanings: Meanings,
    matches: Sequence[NodeMatch],
    relation: str,
    places: Sequence[Node],
    shut: bool = False,
    rooms: frozenset[str] = frozenset(),
) -> Meaning:
    """Things in or on one of some places; with ``shut``, behind a closed door.

    What is anywhere in ``rooms`` is there already.
    """
    affording(meanings, matches, "pickup", "picked up")

    def there(n: Node) -> bool:
        # A thing that was heated or washed on the way may end where it was at first.
        here = n.parent in {p.id for p in places} or meanings.scene.room_of(n.id) in rooms
        return here and n.id not in meanings.touched

    def fits(n: Node) -> bool:
        return meanings.can(n, "pickup") and not there(n)

    def say(n: Node) -> Formula:
        if n.id in meanings.scene.nodes and there(n) and meanings.scene.room_of(n.id) in rooms:
            return disjunction([meanings.fact("room", n.id, r) for r in sorted(rooms)])  # where it is
        laid = [meanings.laid(n, relation, [p]) for p in places]
        if shut:
            laid = [conjunction([x, meanings.fact("close", p.id)]) for x, p in zip(laid, places, strict=True)]
        return disjunction(laid)

    for match in matches:
        present = [n.id for n in match.nodes if there(n)]
        if present and match.phrase.kind == "the" and len(match.nodes) > 1:
            raise NoReferent(
                f"{present[0]} is there already; say which other one", match.phrase, match.ids[:5]
            )
    here = {n.parent for x in matches for n in x.nodes}
    if len(places) > 1 and not any(fits(n) for x in matches for n in x.nodes):
        places = [p for p in places if p.id not in here] or places  # another of them
    for match in matches:
        if match.phrase.kind != "all" and not any(map(fits, (n for x in matches for n in x.nodes))):
            raise NoReferent(f"{match.ids[0]} is there already", match.phrase, match.ids[:3])
    matches = [_as_many_more(match, sum(map(there, match.nodes))) for match in matches]
    loose = [match.phrase.kind in ("all", "count") or not any(map(fits, match.nodes)) for match in matches]
    parts = [
        fact_for_each(meanings, [x], say, carried(meanings) if every else fits, places)
        for x, every in zip(matches, loose, strict=True)
    ]
    ids = tuple(dict.fromkeys(i for x in parts for i in x.nodes))
    return Meaning(conjunction([x.formula for x in parts]), ids)


def _as_many_more(match: NodeMatch, present: int) -> NodeMatch:
    """So many things besides those that are there already: "put two socks in the wardrobe"."""
    phrase = match.phrase
    number = (phrase.number or 0) + present
    if phrase.kind != "count" or number > len(match.nodes):
        return match
    return replace(match, phrase=replace(phrase, number=number))


def put(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    matches = linked(meanings, frame, context)
    nodes = [n for match in matches for n in match.nodes]
    assert frame.to is not None
    _check_left(meanings, frame, context, nodes)
    places = meanings.destination(frame.relation, frame.to, context, nodes)
    floor = frame.to.head in FLOORS and all(p.type == "room" for p in places)
    relation = "floor" if floor else frame.relation
    if context.pending is not None and context.pending[0] in nodes:
        context.pending = None
    _goes_there(meanings, frame, context)
    apart = frame.to.text.lower().split()[0] in EACH
    if apart and context.place is not None and {p.id for p in places} != set(context.place.ids):
        raise NoReferent(f"what is asked for does not go in or on '{frame.to}'", frame.to, final=True)
    counted = ("a", "all", "count") if apart else ("a", "all")
    if frame.to.kind == "all" and len(places) > 1 and all(p.kind in counted for p in frame.items):
        each = [lay_down(meanings, matches, relation, [p]) for p in places]  # "a bottle on each chair"
        return Meaning(
            conjunction([x.formula for x in each]), tuple(dict.fromkeys(i for x in each for i in x.nodes))
        )
    to = context.place.nodes if context.place is not None and frame.to.kind != "person" else ()
    rooms = frozenset(n.id for n in to if n.type == "room") if relation != "floor" else frozenset()
    staying = [_staying(meanings, match, frame.mood, places, rooms) for match in matches]
    if all(staying):
        context.stays |= {n.id for nodes in staying for n in nodes}
        kept = [NodeMatch(m.phrase, n) for m, n in zip(matches, staying, strict=True)]

        def stays(n: Node) -> Formula:
            if n.parent in {p.id for p in places}:
                return meanings.laid(n, relation, places)
            return disjunction([meanings.fact("room", n.id, r) for r in sorted(rooms)])

        return fact_for_each(meanings, kept, stays, carried(meanings), places)
    one_by_one = any(m.phrase.text.lower().startswith(("each ", "every ")) for m in matches)
    several = not one_by_one and (len(matches) > 1 or matches[0].phrase.kind in ("all", "count"))
    if frame.to.kind == "a" and several and len(places) > 1:
        return _together(meanings, matches, relation, places, by_room=bool(rooms))
    return lay_down(meanings, matches, relation, places, rooms=rooms)


def _check_left(meanings: Meanings, frame: Frame, context: Context, nodes: Sequence[Node]) -> None:
    """Raise :class:`NoReferent` where the same thing is to be put somewhere and to be left where it is."""
    moved = {n.id for n in nodes}
    left = sorted(moved & context.stays)
    if left and (moved <= context.stays or any(p.kind == "all" for p in frame.items)):
        raise NoReferent(f"{left[0]} is to be left where it is", None, final=True)
    if frame.mood in ("stay", "keep") and any(p.kind != "it" for p in frame.items):
        check_unmoved(meanings, nodes)


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
            is_there = meanings.linker.link(meanings.resolve_owner(here, replace(context)))
        except NoReferent:
            continue
        at = f"{frame.relation} {where}"
        reason = f"it is not said whether '{at}' is where '{phrase}' goes or where it is: say 'to {where}'"
        raise NoReferent(reason, None, is_there.ids[:5])


def _together(
    meanings: Meanings, matches: Sequence[NodeMatch], relation: str, places: Sequence[Node], by_room: bool
) -> Meaning:
    """Things that go to one of several places, all to the same: "the pens in a box"."""
    groups: dict[str, list[Node]] = {}
    for place in places:
        groups.setdefault((meanings.scene.room_of(place.id) or place.id) if by_room else place.id, []).append(
            place
        )
    rooms = [frozenset([name]) if by_room else frozenset[str]() for name in groups]
    each = [
        lay_down(meanings, matches, relation, group, rooms=r)
        for group, r in zip(groups.values(), rooms, strict=True)
    ]
    return Meaning(
        disjunction([x.formula for x in each]), tuple(dict.fromkeys(i for x in each for i in x.nodes))
    )


def _staying(
    meanings: Meanings, match: NodeMatch, mood: str, places: Sequence[Node], rooms: frozenset[str]
) -> tuple[Node, ...]:
    """The things of a match that are at a place where they are to be left; none where all are brought there.

    "The pens should be on the desk" is about all of them, "leave the pens on the desk" about those there.
    Raises :class:`NoReferent` where that is not clear: several might be left there and none is there yet,
    "keep the pens on the desk" where others are elsewhere, "leave two pens" where others are there.
    """
    phrase = match.phrase
    if mood not in ("stay", "keep", "be") or meanings.touched & set(match.ids):
        return ()
    spots = {p.id for p in places}
    there = tuple(n for n in match.nodes if n.parent in spots or meanings.scene.room_of(n.id) in rooms)
    if not there and len(match.nodes) > 1 and phrase.kind == "the":
        raise several(phrase, match.ids)
    some = bool(there) and len(there) < len(match.nodes)
    if phrase.kind == "all" and some and (mood == "be" or (mood == "keep" and says_all(phrase))):
        return ()
    if (
        (phrase.kind == "all" and mood == "keep" and some)
        or (phrase.kind == "a" and mood != "be" and len(there) > 1)
        or (phrase.kind == "count" and there and len(there) != phrase.number)
    ):
        raise NoReferent(f"{there[0].id} is there already, so '{phrase}' is not clear", None)
    return there
