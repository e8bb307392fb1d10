"""What verbs mean that change a state: open, switch, heat, wash, brew. One function a verb."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...domains.formula import And, Atom, Formula, Sometime, conjunction
from ...simulator.scene import Node
from .context import Context, Meaning
from .frames import Frame
from .links import Gap, Link
from .meanings import Meanings
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
    return Meaning(formula, tuple(dict.fromkeys(nodes)), min((x.confidence for x in links), default=1.0))


def affording(m: Meanings, links: Sequence[Link], affordance: str, what: str) -> None:
    for link in links:
        able = m.need(link.nodes, affordance, link.phrase, what)
        if link.phrase.kind == "all" and len(able) < len(link.nodes):
            odd = next(n for n in link.nodes if n not in able)
            raise Gap(f"{odd.id} cannot be {what}", link.phrase, 0.5)


def change(
    affordance: str, predicate: str, state: str, what: str
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
        return said_of(m, links, lambda n: Atom(predicate, (n.id,)), changes if some else fits)

    return verb


def off_again(m: Meanings, machines: Sequence[Node]) -> list[Formula]:
    """What is off now is off in the end."""
    return [Atom("turned_off", (n.id,)) for n in machines if m.can(n, "turn_off") and not m.running(n)]


def stop(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = [m.items(p, context, loose=True) for p in frame.items]
    for link in links:
        if not any(m.running(n) for n in link.nodes):
            raise Gap(f"nothing known that is on is '{link.phrase}'", link.phrase, 0.3, link.ids[:3])
    return said_of(m, links, lambda n: Atom("turned_off", (n.id,)), m.running)


def achieved(
    m: Meanings, frame: Frame, context: Context, predicate: str, tool: str
) -> tuple[list[Link], list[Node], Callable[[Node], Formula]]:
    links = linked(m, frame, context)
    affording(m, links, "pickup", "picked up")
    machines = list(m.linker.link(tool_for(tool)).nodes)
    return links, machines, lambda n: Atom(predicate, (n.id,))


def carried(m: Meanings) -> Callable[[Node], bool]:
    return lambda n: m.can(n, "pickup")


def using(m: Meanings, frame: Frame, ability: str) -> None:
    """What it is done with or in must be able to do it."""
    able = m.linker.link(tool_for(ability)).ids
    if frame.to is not None and not set(m.linker.link(frame.to).ids) & set(able):
        raise Gap(f"nothing is known to {ability} with that is '{frame.to}'", frame.to, 0.4)


def heat(m: Meanings, frame: Frame, context: Context) -> Meaning:
    using(m, frame, "heat")
    links, machines, say = achieved(m, frame, context, "hot", "heat")
    return said_of(m, links, say, carried(m), machines, off_again(m, machines))


def cool(m: Meanings, frame: Frame, context: Context) -> Meaning:
    using(m, frame, "cool")
    links, machines, say = achieved(m, frame, context, "cold", "cool")
    return said_of(m, links, say, carried(m), machines)


def clean(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    nodes = [n for link in links for n in link.nodes]
    if any("dirty" in n.state for n in nodes):
        tool = "wash" if all(m.can(n, "pickup") for n in nodes) and frame.verb != "clean" else "wipe"
    elif all(m.can(n, "pickup") for n in nodes):
        tool = "wash"
    else:
        raise Gap(f"{nodes[0].id} is not dirty", links[0].phrase, 0.5)
    using(m, frame, tool)
    tools = m.linker.link(tool_for(tool)).nodes
    dirty = any("dirty" in n.state for n in nodes)
    if not dirty and all("clean" in n.state for n in nodes):
        raise Gap(f"{nodes[0].id} is clean already", links[0].phrase, 0.5)
    context.changed = frozenset({"clean", "dirty"})
    say = lambda n: Atom("clean", (n.id,))  # noqa: E731
    return said_of(m, links, say, lambda n: "dirty" in n.state or not dirty or len(nodes) == 1, tools)


def care(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    if not all("dirty" in n.state for link in links for n in link.nodes):
        raise Gap(f"it is not said what to do about '{links[0].phrase}'", None, 0.3)
    return clean(m, Frame("wash", frame.items), context)


def coffee(m: Meanings, frame: Frame, context: Context) -> Meaning:
    machines = m.linker.link(tool_for("brew")).nodes
    vessels = m.linker.link(Phrase("something to drink with", ("drink",), "tool")).nodes
    mugs = [v for v in vessels if "dirty" not in v.state] or list(vessels)
    here = frame.to is not None and frame.to.kind == "person" and frame.to.words[:1] in (("me",), ("us",))
    if frame.to is not None and not (here and context.speaker is None):
        desks = m.destination("to", frame.to, context, ())
        own = [v for v in mugs if context.person and v in m.linker.owned(mugs, context.person)]
        mug = (own or mugs)[0]
        context.pending = (mug, tuple(desks))
    else:
        mug = mugs[0]
    context.last = Link(Phrase("a coffee", ("coffee",)), (mug,))
    said = conjunction([Atom("filled", (mug.id,)), *off_again(m, machines)])
    return Meaning(said, (mug.id, *(n.id for n in machines)))


def fill(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    machines = m.linker.link(tool_for("brew")).nodes
    say = lambda n: Atom("filled", (n.id,))  # noqa: E731
    return said_of(m, links, say, lambda n: m.linker.capable(n, "vessel"), machines, off_again(m, machines))


def check(m: Meanings, frame: Frame, context: Context) -> Meaning:
    links = linked(m, frame, context)
    affording(m, links, "turn_on", "turned on")
    running = [n.id for link in links for n in link.nodes if m.running(n)]
    if running:
        raise Gap(f"{running[0]} is on already", None, 0.5)

    def say(n: Node) -> Formula:
        return And((Sometime(Atom("turned_on", (n.id,))), Atom("turned_off", (n.id,))))

    return said_of(m, links, say, lambda n: m.can(n, "turn_on"))
