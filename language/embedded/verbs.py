"""Verbs that bring things somewhere, one function each, and the table of all that the reader can do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...domains.formula import TRUE, And, Formula, Not, Sometime, conjunction, disjunction
from ...simulator.scene import Node
from .frames import Frame
from .links import Gap, Link
from .meanings import Context, Meaning, Meanings
from .phrases import Phrase

Verb = Callable[[Meanings, Frame, Context], Meaning]


def tool_for(verb: str) -> Phrase:
    return Phrase(f"something to {verb} with", (verb,), "tool")


def linked(m: Meanings, frame: Frame, context: Context, affordance: str = "pickup") -> list[Link]:
    """What the phrases of a frame mean; what "it" is from now on is the last of them."""
    links = [m.items(p, context, affordance=affordance) for p in frame.items]
    if links:
        context.before, context.last = context.last, links[-1]
        many = Phrase("them", ("them",), "all")
        context.many = Link(many, tuple(n for x in links for n in x.nodes)) if len(links) > 1 else None
    return links


def said_of(
    m: Meanings,
    links: Sequence[Link],
    say: Callable[[Node], Formula],
    fits: Callable[[Node], bool],
    also: Sequence[Node] = (),
    extra: Sequence[Formula] = (),
) -> Meaning:
    formula = conjunction([*(m.each(link, say, fits) for link in links), *extra])
    nodes = [i for link in links for i in link.ids] + [n.id for n in also]
    return Meaning(formula, tuple(dict.fromkeys(nodes)))


def affording(m: Meanings, links: Sequence[Link], affordance: str, what: str) -> None:
    for link in links:
        able = m.need(link.nodes, affordance, link.phrase, what)
        if link.phrase.kind == "all" and len(able) < len(link.nodes):
            odd = next(n for n in link.nodes if n not in able)
            raise Gap(f"{odd.id} cannot be {what}", link.phrase)


def change(
    affordance: str, sense: str, state: str, what: str
) -> Callable[[Meanings, Frame, Context], Meaning]:
    """Verbs that change one state of an asset."""

    def verb(m: Meanings, frame: Frame, context: Context) -> Meaning:
        links = linked(m, frame, context, affordance)
        affording(m, links, affordance, what)

        def fits(n: Node) -> bool:
            return m.can(n, affordance)

        def changes(n: Node) -> bool:
            return fits(n) and state in n.state

        # Of several, the one that is not yet so is meant.
        some = any(changes(n) for link in links if link.phrase.kind != "all" for n in link.nodes)
        return said_of(m, links, lambda n: m.fact(sense, n.id), changes if some else fits)

    return verb


def off_again(m: Meanings, machines: Sequence[Node]) -> list[Formula]:
    """What is off now is off in the end."""
    return [m.fact("off", n.id) for n in machines if m.can(n, "turn_off") and not m.running(n)]


def stop(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = [m.items(p, context, loose=True) for p in frame.items]
    for link in links:
        if not any(m.running(n) for n in link.nodes):
            raise Gap(f"nothing known that is on is '{link.phrase}'", link.phrase, link.ids[:3])
    return said_of(m, links, lambda n: m.fact("off", n.id), m.running)


def achieved(
    m: Meanings, frame: Frame, context: Context, sense: str
) -> tuple[list[Link], list[Node], Callable[[Node], Formula]]:
    links = linked(m, frame, context)
    affording(m, links, "pickup", "picked up")
    machines = list(m.linker.link(tool_for(sense)).nodes)
    return links, machines, lambda n: m.fact(sense, n.id)


def carried(m: Meanings) -> Callable[[Node], bool]:
    return lambda n: m.can(n, "pickup")


def using(m: Meanings, frame: Frame, ability: str) -> None:
    """What it is done with or in must be able to do it."""
    able = m.linker.link(tool_for(ability)).ids
    if frame.to is not None and not set(m.linker.link(frame.to).ids) & set(able):
        raise Gap(f"nothing is known to {ability} with that is '{frame.to}'", frame.to)


def heat(m: Meanings, frame: Frame, context: Context) -> Meaning:
    using(m, frame, "heat")
    links, machines, say = achieved(m, frame, context, "heat")
    return said_of(m, links, say, carried(m), machines, off_again(m, machines))


def cool(m: Meanings, frame: Frame, context: Context) -> Meaning:
    using(m, frame, "cool")
    links, machines, say = achieved(m, frame, context, "cool")
    return said_of(m, links, say, carried(m), machines)


def clean(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    nodes = [n for link in links for n in link.nodes]
    if any("dirty" in n.state for n in nodes):
        tool = "wash" if all(m.can(n, "pickup") for n in nodes) and frame.verb != "clean" else "wipe"
    elif all(m.can(n, "pickup") for n in nodes):
        tool = "wash"
    else:
        raise Gap(f"{nodes[0].id} is not dirty", links[0].phrase)
    using(m, frame, tool)
    tools = m.linker.link(tool_for(tool)).nodes
    dirty = any("dirty" in n.state for n in nodes)
    if not dirty and all("clean" in n.state for n in nodes):
        raise Gap(f"{nodes[0].id} is clean already", links[0].phrase)
    context.changed = frozenset({"clean", "dirty"})

    def fits(n: Node) -> bool:
        return "dirty" in n.state or not dirty or len(nodes) == 1

    return said_of(m, links, lambda n: m.fact("clean", n.id), fits, tools)


def care(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    if not all("dirty" in n.state for link in links for n in link.nodes):
        raise Gap(f"it is not said what to do about '{links[0].phrase}'", None)
    return clean(m, Frame("wash", frame.items), context)


def coffee(m: Meanings, frame: Frame, context: Context) -> Meaning:
    machines = m.linker.link(tool_for("brew")).nodes
    vessels = m.linker.link(Phrase("something to drink with", ("drink",), "tool")).nodes
    mugs = [v for v in vessels if "dirty" not in v.state] or list(vessels)
    here = frame.to is not None and frame.to.kind == "person" and frame.to.words[:1] in (("me",), ("us",))
    if frame.to is not None and not (here and context.speaker is None):
        desks = m.destination("to", frame.to, context, ())
        own = [v for v in mugs if context.person and v in m.linker.names.owned(mugs, context.person)]
        mug = (own or mugs)[0]
        context.pending = (mug, tuple(desks))
    else:
        mug = mugs[0]
    context.last = Link(Phrase("a coffee", ("coffee",)), (mug,))
    said = conjunction([m.fact("fill", mug.id), *off_again(m, machines)])
    return Meaning(said, (mug.id, *(n.id for n in machines)))


def fill(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    machines = m.linker.link(tool_for("brew")).nodes
    return said_of(
        m,
        links,
        lambda n: m.fact("fill", n.id),
        lambda n: m.facts.capable(n, "drink"),
        machines,
        off_again(m, machines),
    )


def check(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    affording(m, links, "turn_on", "turned on")
    running = [n.id for link in links for n in link.nodes if m.running(n)]
    if running:
        raise Gap(f"{running[0]} is on already", None)

    def say(n: Node) -> Formula:
        return And((Sometime(m.fact("on", n.id)), m.fact("off", n.id)))

    return said_of(m, links, say, lambda n: m.can(n, "turn_on"))


def refrigerate(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links, machines, _ = achieved(m, frame, context, "cool")
    machines = [n for n in machines if m.can(n, "release")]
    return _laid(m, links, "in", machines)


def _laid(
    m: Meanings, links: Sequence[Link], relation: str, places: Sequence[Node], shut: bool = False
) -> Meaning:
    """Things in or on one of some places; with ``shut``, behind a closed door."""
    affording(m, links, "pickup", "picked up")

    def fits(n: Node) -> bool:
        # What was done something with may well end where it was.
        return m.can(n, "pickup") and (n.id in m.touched or n.parent not in {p.id for p in places})

    def say(n: Node) -> Formula:
        laid = [m.laid(n, relation, [p]) for p in places]
        if shut:
            laid = [conjunction([x, m.fact("close", p.id)]) for x, p in zip(laid, places, strict=True)]
        return disjunction(laid)

    here = {n.parent for x in links for n in x.nodes}
    if len(places) > 1 and not any(fits(n) for x in links for n in x.nodes):
        places = [p for p in places if p.id not in here] or places  # another of them
    for link in links:
        if link.phrase.kind != "all" and not any(map(fits, (n for x in links for n in x.nodes))):
            raise Gap(f"{link.ids[0]} is there already", link.phrase, link.ids[:3])
    loose = [link.phrase.kind == "all" or not any(map(fits, link.nodes)) for link in links]
    meanings = [
        said_of(m, [x], say, carried(m) if every else fits, places)
        for x, every in zip(links, loose, strict=True)
    ]
    ids = tuple(dict.fromkeys(i for x in meanings for i in x.nodes))
    return Meaning(conjunction([x.formula for x in meanings]), ids)


def put(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    nodes = [n for link in links for n in link.nodes]
    assert frame.to is not None
    places = m.destination(frame.relation, frame.to, context, nodes)
    if context.pending is not None and context.pending[0] in nodes:
        context.pending = None
    if frame.to.kind == "all" and len(places) > 1 and all(p.kind in ("a", "all") for p in frame.items):
        each = [_laid(m, links, frame.relation, [p]) for p in places]  # "a bottle on each chair"
        return Meaning(
            conjunction([x.formula for x in each]), tuple(dict.fromkeys(i for x in each for i in x.nodes))
        )
    return _laid(m, links, frame.relation, places)


def give(m: Meanings, frame: Frame, context: Context) -> Meaning:
    assert frame.to is not None
    if frame.to.kind != "person":
        raise Gap(f"it is not known who '{frame.to}' is", None)
    places = m.person(frame.to, context)  # first: "bring Will his drone"
    return _laid(m, linked(m, frame, context), "to", places)


def away(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    nodes = [n for link in links for n in link.nodes]
    if frame.to is not None:
        chosen = m.destination("in", frame.to, context, nodes)
        if not all(m.is_bin(n) for n in chosen):
            raise Gap(f"{chosen[0].id} is no bin", frame.to)
        return _laid(m, links, "in", chosen)
    bins = m.linker.link(Phrase("a bin", ("bin",), "a")).nodes
    fitting = m.fitting_bins(bins, nodes)
    if not fitting:
        raise Gap(f"no bin known takes {nodes[0].id}", Phrase("a rubbish bin", ("rubbish", "bin"), "a"))
    return _laid(m, links, "in", fitting)


def absent(m: Meanings, frame: Frame, context: Context) -> Meaning:
    """Things are not at a place any more: "no vodka in the supplies station"."""
    assert frame.to is not None
    place = m.linker.place(m.said(frame.to, context))
    where = {n.id for n in place.nodes}
    nodes = [n for p in frame.items for n in m.linker.link(m.said(replace(p, kind="all"), context)).nodes]
    nodes = [n for n in nodes if where & set(m.scene.ancestors(n.id)) and m.can(n, "pickup")]
    if not nodes:
        raise Gap(f"nothing of the kind is known at '{frame.to}'", frame.items[0])

    def gone(n: Node) -> Formula:
        if place.nodes[0].type == "room":
            return conjunction([Not(m.fact("room", n.id, r)) for r in place.ids])
        return Not(m.facts.placement(n))

    ids = (*(n.id for n in nodes), *place.ids)
    return Meaning(And((*map(gone, nodes), m.fact("free"))), ids)


def exchange(m: Meanings, frame: Frame, context: Context) -> Meaning:
    """One thing in the place of another, which is taken away."""
    assert frame.to is not None
    links = linked(m, frame, context)
    if len(links) != 1 or len(links[0].nodes) != 1 or links[0].nodes[0].parent is None:
        raise Gap(f"several things fit '{frame.items[0]}'", frame.items[0], links[0].ids[:5])
    old, other = links[0].nodes[0], m.items(frame.to, context, affordance="pickup")
    home = m.scene.nodes[old.parent or ""]
    new = Link(other.phrase, tuple(n for n in other.nodes if n.id != old.id and n.parent != old.parent))
    laid = _laid(m, [new], "in" if m.container(home) else "on", [home])
    gone = Not(m.facts.placement(old))
    return Meaning(conjunction([gone, laid.formula]), (old.id, *laid.nodes))


def store(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    nodes = [n for link in links for n in link.nodes]
    if frame.to is None:
        rooms = frozenset(m.scene.room_of(n.id) for n in nodes)
        where = frame.items[0]
    else:
        where = m.said(frame.to, context)
        target = m.linker.place(where)
        if target.nodes[0].type != "room":
            places = m.destination("in", frame.to, context, nodes)
            return _laid(m, links, "in", places, shut=all(m.container(p) for p in places))
        rooms = frozenset(target.ids)
    places = [
        n
        for n in m.linker.names.things
        if n.type == "asset" and m.container(n) and m.can(n, "close") and m.can(n, "release")
        and not m.can(n, "turn_on") and not m.is_bin(n) and not m.facts.capable(n, "cool")
        and m.scene.room_of(n.id) in rooms
    ]  # fmt: skip
    if not places or len(rooms) > 1:
        inside = tuple(sorted(r for r in rooms if r is not None))
        raise Gap(f"it is not known where to store '{frame.items[0]}'", where, (), inside)
    return _laid(m, links, "in", places, shut=True)


def hold(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    affording(m, links, "pickup", "picked up")
    if len(links) > 1 or (links[0].phrase.kind == "all" and len(links[0].nodes) > 1):
        raise Gap("the robot has one hand", None)
    return said_of(m, links, lambda n: m.fact("hold", n.id), carried(m))


def go(m: Meanings, frame: Frame, context: Context) -> Meaning:
    assert frame.to is not None
    link = m.linker.place(m.said(frame.to, context))
    nodes = [n for n in link.nodes if n.type != "object"]
    if len(nodes) != 1:
        raise Gap(f"several places fit '{frame.to}'", frame.to, link.ids[:5])
    return Meaning(m.fact("go", nodes[0].id), (nodes[0].id,))


def find(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    ids = tuple(dict.fromkeys(i for link in links for i in link.ids))
    return Meaning(TRUE, ids)


def empty(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    if len(links) != 1 or len(links[0].nodes) != 1:
        raise Gap(f"several things fit '{frame.items[0]}'", frame.items[0], links[0].ids[:5])
    box = links[0].nodes[0]
    inside = [m.scene.nodes[i] for i in m.scene.children.get(box.id, ()) if m.scene.nodes[i].type == "object"]
    if not inside:
        raise Gap(f"nothing known is in {box.id}", None)
    gone = [Not(m.facts.placement(n)) for n in inside]
    return Meaning(And((*gone, m.fact("free"))), (box.id, *(n.id for n in inside)))


VERBS: dict[str, Verb] = {
    "open": change("open", "open", "closed", "opened"),
    "close": change("close", "close", "open", "closed"),
    "on": change("turn_on", "on", "off", "turned on"),
    "off": change("turn_off", "off", "on", "turned off"),
    "stop": stop,
    "heat": heat,
    "cool": cool,
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
    "exchange": exchange,
    "check": check,
}
