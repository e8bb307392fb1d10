"""Goal conditions of the verbs: one function each, and the table of all that the reader can do.

A function takes a frame and gives the condition that holds when it is done, as the affordances of its nodes
allow; a new one is entered in ``VERBS``. Facts come from the pack by their sense (``facts.py``): no function
may name a predicate. Two habits of tidy work are part of it: a container that was closed is closed again, and
a machine that was off is off again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...domains.formula import TRUE, And, Formula, Not, Sometime, conjunction
from ...simulator.scene import Node
from ..english.phrases import NodeMatch, NoReferent, Phrase, is_speaker, several
from ..english.words import is_plural, name_words
from .frames import Frame
from .meanings import (
    Meaning,
    Meanings,
    PutTarget,
    affording,
    fact_for_each,
    lay_down,
    linked,
    put,
    together,
)
from .referents import Context, is_bin, is_container, is_movable, is_running
from .verb_rules import HERE

Verb = Callable[[Meanings, Frame, Context], Meaning]


STATES_SAID = ("open", "on")
"""States that a thing has only where a scene says so."""


def tool_for(verb: str) -> Phrase:
    return Phrase(f"something to {verb} with", (verb,), "tool")


def change(
    affordance: str, sense: str, state: str, what: str
) -> Callable[[Meanings, Frame, Context], Meaning]:
    """Verbs that change one state of an asset."""

    def verb(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
        matches = linked(meanings, frame, context, affordance)
        affording(meanings, matches, affordance, what)

        def fits(n: Node) -> bool:
            return affordance in n.affordances

        def changes(n: Node) -> bool:
            return fits(n) and state in n.state

        if frame.mood in ("left", "stay"):
            matches = [_left_so(meanings, match, sense, state) for match in matches]
        # Of several, the one that is not yet so is meant.
        some = any(changes(n) for match in matches if match.phrase.kind != "all" for n in match.nodes)
        return fact_for_each(
            meanings, matches, lambda n: meanings.fact(sense, n.id), changes if some else fits
        )

    return verb


def _left_so(meanings: Meanings, match: NodeMatch, sense: str, state: str) -> NodeMatch:
    """Those that are left as they are, or as a request before leaves them: "leave the cabinet open".

    Raises :class:`NoReferent` where a thing is not so now (what is said to be neither is closed, and off),
    and nothing before is about it.
    """
    ids = {a for i in meanings.touched for a in (i, *meanings.scene.ancestors(i))}
    is_so = {
        n.id for n in match.nodes if (sense in n.state if sense in STATES_SAID else state not in n.state)
    }
    so = tuple(n for n in match.nodes if n.id in ids | is_so)
    if not so or (match.phrase.kind == "all" and len(so) < len(match.nodes)):
        odd = next(n for n in match.nodes if n not in so)
        reason = f"it cannot be left so: {odd.id} is {state}"
        raise NoReferent(reason, None, match.ids[:5], final=True)
    return NodeMatch(match.phrase, so)


def off_again(meanings: Meanings, machines: Sequence[Node]) -> list[Formula]:
    """Machines that are off now are off in the end."""
    return [meanings.fact("off", n.id) for n in machines if "turn_off" in n.affordances and not is_running(n)]


def stop(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    matches = [meanings.referents.items(p, context, loose=True) for p in frame.items]
    return fact_for_each(meanings, matches, lambda n: meanings.fact("off", n.id), is_running)


def using(
    meanings: Meanings, frame: Frame, ability: str, alone: bool = True
) -> Callable[[Node], list[Formula]]:
    """The facts of a thing that must hold at some time for the machine or cloth that is named to be used.

    The thing was in the machine, or the cloth on the thing. Nothing where the tools that are named are all
    those known for an ability, and that ability is the only one (``alone``). Raises :class:`NoReferent` where
    what is named cannot do what it is for.
    """
    able = meanings.linker.link(tool_for(ability)).nodes
    if frame.to is None:
        return lambda n: []
    named = set(meanings.linker.link(frame.to).ids)
    tools = [n.id for n in able if n.id in named]
    if not tools:
        raise NoReferent(f"nothing is known to {ability} with that is '{frame.to}'", frame.to)
    if alone and len(tools) == len(able):
        return lambda n: []
    if ability == "wipe":
        return lambda n: [Sometime(meanings.fact("ontop", tools[0], n.id))]
    return lambda n: [Sometime(meanings.fact("inside", n.id, tools[0]))]


def treat(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    """Things are heated or cooled, by the machine that is named, which is off again in the end."""
    used = using(meanings, frame, frame.verb)
    matches = linked(meanings, frame, context)
    affording(meanings, matches, "pickup", "picked up")
    machines = meanings.linker.link(tool_for(frame.verb)).nodes

    def done(n: Node) -> Formula:
        return conjunction([meanings.fact(frame.verb, n.id), *used(n)])

    return fact_for_each(meanings, matches, done, is_movable, machines, off_again(meanings, machines))


def clean(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    matches = linked(meanings, frame, context)
    nodes = [n for match in matches for n in match.nodes]
    dirty = any("dirty" in n.state for n in nodes)
    portable = all(map(is_movable, nodes))
    if dirty:
        tool = "wash" if portable and frame.verb != "clean" else "wipe"
    elif portable:
        tool = "wash"
    else:
        raise NoReferent(f"{nodes[0].id} is not dirty", matches[0].phrase)
    used = using(meanings, frame, tool, alone=not (dirty and portable))
    tools = meanings.linker.link(tool_for(tool)).nodes
    if not dirty and all("clean" in n.state for n in nodes):
        raise NoReferent(f"{nodes[0].id} is clean already", matches[0].phrase)
    context.changed = frozenset({"clean", "dirty"})

    def fits(n: Node) -> bool:
        return "dirty" in n.state or not dirty or len(nodes) == 1

    def done(n: Node) -> Formula:
        return conjunction([meanings.fact("clean", n.id), *used(n)])

    return fact_for_each(meanings, matches, done, fits, tools)


def care(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    matches = linked(meanings, frame, context)
    if not all("dirty" in n.state for match in matches for n in match.nodes):
        raise NoReferent(f"it is not said what to do about '{matches[0].phrase}'")
    return clean(meanings, Frame("wash", frame.items), context)


def coffee(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    machines = meanings.linker.link(tool_for("brew")).nodes
    vessels = meanings.linker.link(Phrase("something to drink with", ("drink",), "tool")).nodes
    mugs = [v for v in vessels if "dirty" not in v.state] or list(vessels)
    here = is_speaker(frame.to) and context.speaker is None
    desks: list[Node] = []
    if frame.to is not None and not here:
        desks = meanings.destinations.of("to", frame.to, context, ())
        own = [v for v in mugs if context.person and v in meanings.linker.names.owned(mugs, context.person)]
        mug = (own or mugs)[0]
    else:
        mug = mugs[0]
    context.last = NodeMatch(Phrase("a coffee", ("coffee",)), (mug,))
    served = [meanings.fact("hold", mug.id)] if here else [meanings.laid(mug, "to", desks)] if desks else []
    context.returns = context.returns or here
    formula = conjunction([meanings.fact("fill", mug.id), *off_again(meanings, machines), *served])
    return Meaning(formula, (mug.id, *(n.id for n in (*machines, *desks))))


def fill(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    matches = linked(meanings, frame, context)
    machines = meanings.linker.link(tool_for("brew")).nodes
    filled, drinks = lambda n: meanings.fact("fill", n.id), lambda n: meanings.facts.capable(n, "drink")
    return fact_for_each(meanings, matches, filled, drinks, machines, off_again(meanings, machines))


def check(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    matches = linked(meanings, frame, context)
    affording(meanings, matches, "turn_on", "turned on")
    running = [n.id for match in matches for n in match.nodes if is_running(n)]
    if running:
        raise NoReferent(f"{running[0]} is on already")

    def say(n: Node) -> Formula:
        return And((Sometime(meanings.fact("on", n.id)), meanings.fact("off", n.id)))

    return fact_for_each(meanings, matches, say, lambda n: "turn_on" in n.affordances)


def refrigerate(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    machines = [n for n in meanings.linker.link(tool_for("cool")).nodes if "release" in n.affordances]
    return lay_down(PutTarget(meanings, "in", machines), linked(meanings, frame, context))


def give(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    assert frame.to is not None
    if frame.to.kind != "person":
        raise NoReferent(f"it is not known who '{frame.to}' is")
    if is_speaker(frame.to) and context.speaker is None:
        return hold(meanings, replace(frame, relation="back"), context)
    places = meanings.destinations.of_person(frame.to, context)  # first: "bring Will his drone"
    return lay_down(PutTarget(meanings, "to", places), linked(meanings, frame, context))


def away(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    matches = linked(meanings, frame, context)
    nodes = [n for match in matches for n in match.nodes]
    if frame.to is not None:
        chosen = meanings.destinations.of("in", frame.to, context, nodes)
        if not all(is_bin(n) for n in chosen):
            raise NoReferent(f"{chosen[0].id} is no bin", frame.to)
        return lay_down(PutTarget(meanings, "in", chosen), matches)
    bins = meanings.linker.link(Phrase("a bin", ("bin",), "a")).nodes
    fitting = meanings.destinations.bins(bins, nodes)
    if not fitting:
        raise NoReferent(
            f"no bin known takes {nodes[0].id}", Phrase("a rubbish bin", ("rubbish", "bin"), "a")
        )
    return lay_down(PutTarget(meanings, "in", fitting), matches)


def absent(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    """Things are not at a place any more: "no vodka in the supplies station"."""
    assert frame.to is not None
    place = meanings.linker.place(meanings.referents.resolve_owner(frame.to, context))
    where = {n.id for n in place.nodes}
    every = (meanings.referents.resolve_owner(replace(p, kind="all"), context) for p in frame.items)
    nodes = [n for p in every for n in meanings.linker.link(p).nodes]
    nodes = [n for n in nodes if where & set(meanings.scene.ancestors(n.id)) and is_movable(n)]
    if not nodes:
        raise NoReferent(f"nothing of the kind is known at '{frame.to}'", frame.items[0])

    def gone(n: Node) -> Formula:
        if place.nodes[0].type == "room":
            return conjunction([Not(meanings.fact("room", n.id, r)) for r in place.ids])
        return Not(meanings.facts.placement(n))

    ids = (*(n.id for n in nodes), *place.ids)
    return Meaning(And((*map(gone, nodes), meanings.fact("free"))), ids)


def store(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    matches = linked(meanings, frame, context)
    nodes = [n for match in matches for n in match.nodes]
    if frame.to is None:
        rooms = frozenset(meanings.scene.room_of(n.id) for n in nodes)
        where = frame.items[0]
    else:
        where = meanings.referents.resolve_owner(frame.to, context)
        target = meanings.linker.place(where)
        if target.nodes[0].type != "room":
            places = meanings.destinations.of("in", frame.to, context, nodes)
            shut = all(is_container(p) for p in places)
            return lay_down(PutTarget(meanings, "in", places, shut), matches)
        rooms = frozenset(target.ids)

    def stores(n: Node) -> bool:
        if n.type != "asset" or not is_container(n) or meanings.scene.room_of(n.id) not in rooms:
            return False
        closable = "close" in n.affordances and "release" in n.affordances and "turn_on" not in n.affordances
        return closable and not is_bin(n) and not meanings.facts.capable(n, "cool")

    places = [n for n in meanings.linker.names.things if stores(n)]
    if not places or len(rooms) > 1:
        inside = tuple(sorted(r for r in rooms if r is not None))
        raise NoReferent(f"it is not known where to store '{frame.items[0]}'", where, (), inside)
    return lay_down(PutTarget(meanings, "in", places, shut=True), matches)


def hold(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    matches = linked(meanings, frame, context)
    affording(meanings, matches, "pickup", "picked up")
    outside = [_outside(meanings, m.phrase) for m in matches]
    if len(matches) > 1 or (matches[0].phrase.kind in ("all", "count") and len(matches[0].nodes) > 1):
        if frame.relation == "back":
            return lay_down(
                PutTarget(meanings, "to", meanings.destinations.of_person(HERE, context)), matches
            )
        if not all(outside):
            raise NoReferent("the robot has one hand, and it is not said where several things go")
        # "take the cups out of the kitchen": in as many ways as it takes
        ways = zip(matches, outside, strict=True)
        left = [fact_for_each(meanings, [m], gone, is_movable) for m, gone in ways if gone]
        return together([*left, Meaning(meanings.fact("free"), ())])
    phrase, nodes = matches[0].phrase, matches[0].nodes
    names = (nodes[0].id.rstrip("0123456789_"), *nodes[0].classes)
    many = is_plural(phrase.head) and not any(name_words(c)[-1:] == (phrase.head,) for c in names)
    if phrase.kind == "all" and many:  # but "the scissors" are one
        reason = f"'{phrase}' asks for several, there is one in what was seen"
        raise NoReferent(reason, phrase, matches[0].ids)
    context.returns = context.returns or frame.relation == "back"
    gone = outside[0]

    def say(n: Node) -> Formula:
        return conjunction([meanings.fact("hold", n.id), *([gone(n)] if gone is not None else ())])

    return fact_for_each(meanings, matches, say, is_movable)


def _outside(meanings: Meanings, phrase: Phrase) -> Callable[[Node], Formula] | None:
    """Return the condition of leaving a room ("out of the cafeteria"); ``None`` for what is no room."""
    sources = [where for relation, where in phrase.places if relation == "from"]
    left = [n for where in sources[:1] for n in meanings.linker.place(where).nodes]
    if not left or any(n.type != "room" for n in left):
        return None
    return lambda n: conjunction([Not(meanings.fact("room", n.id, r.id)) for r in left])


def go(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    assert frame.to is not None
    if is_speaker(frame.to) and context.speaker is None:
        here = meanings.destinations.here()
        return Meaning(meanings.fact("go", here.id), (here.id,))
    to = context.speaker if is_speaker(frame.to) and context.speaker is not None else frame.to
    match = meanings.linker.place(meanings.referents.resolve_owner(to, context))
    nodes = [n for n in match.nodes if n.type != "object"]
    if len(nodes) > 1 and frame.to.kind == "a" and not frame.items:
        at = meanings.each(NodeMatch(frame.to, tuple(nodes)), lambda n: meanings.fact("go", n.id))
        return Meaning(at, match.ids)
    if len(nodes) != 1:
        raise several(frame.to, match.ids, "places")
    context.went = frozenset(r for n in nodes if (r := meanings.scene.room_of(n.id)) is not None)
    context.rooms = context.went
    return Meaning(meanings.fact("go", nodes[0].id), (nodes[0].id,))


def find(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    matches = linked(meanings, frame, context)
    ids = tuple(dict.fromkeys(i for match in matches for i in match.ids))
    return Meaning(TRUE, ids)


def empty(meanings: Meanings, frame: Frame, context: Context) -> Meaning:
    matches = linked(meanings, frame, context)
    if len(matches) != 1 or len(matches[0].nodes) != 1:
        raise several(frame.items[0], matches[0].ids)
    box = matches[0].nodes[0]
    contents = (meanings.scene.nodes[i] for i in meanings.scene.children.get(box.id, ()))
    inside = [n for n in contents if n.type == "object"]
    if not inside:
        raise NoReferent(f"nothing known is in {box.id}")
    gone = [Not(meanings.facts.placement(n)) for n in inside]
    return Meaning(And((*gone, meanings.fact("free"))), (box.id, *(n.id for n in inside)))


VERBS: dict[str, Verb] = {
    "open": change("open", "open", "closed", "opened"),
    "close": change("close", "close", "open", "closed"),
    "on": change("turn_on", "on", "off", "turned on"),
    "off": change("turn_off", "off", "on", "turned off"),
    "stop": stop,
    "heat": treat,
    "cool": treat,
    "fridge": refrigerate,
    "wash": clean,
    "clean": clean,
    "care": care,
    "coffee": coffee,
    "fill": fill,
    "put": put,
    "give": give,
    "away": away,
    "store": store,
    "hold": hold,
    "go": go,
    "find": find,
    "empty": empty,
    "absent": absent,
    "check": check,
}
