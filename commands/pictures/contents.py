"""Contents of a picture, read from the JSON of a record: words, stops, and nodes that matter.

A record may be anybody's file: what is of another type than a record has is left out, and a text that is no
step counts as one that is done where the robot is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...compiler.goals.goal import GoalSyntaxError, parse_goal
from ...domains.errors import InputError, counted
from ...domains.files import mapping, number, objects, texts
from ...domains.formula import names
from ...simulator.belief import Belief
from ...simulator.scene import Scene
from ...simulator.step import Step, read_step
from .journey import NOWHERE, Journey, journey
from .shapes import Point
from .walked import legs_of, walk_facts, way_of

GOOD = ("verified", "answered", "executable")
"""Outcomes that come with an exit code of 0."""


@dataclass(frozen=True, slots=True)
class Contents:
    """Texts and nodes of a picture; the texts are as they are in the record, not escaped yet."""

    outcome: str = ""
    heading: str = ""
    relaxed: str = ""
    """What was asked for and is impossible, in words, where the goal is a part of it."""
    facts: tuple[str, ...] = ()
    """Numbers of the run, in words."""
    goal: str = ""
    """The goal in words, or the answer to a question."""
    reasons: tuple[str, ...] = ()
    journey: Journey = NOWHERE
    marked: tuple[str, ...] = ()
    """Nodes that get their names: what steps, goal or answers are about."""
    answers: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    """Rooms that a search opened."""
    walked: tuple[Point, ...] = ()
    """The way of a search through a house, in metres."""


def contents_of_scene(scene: Scene) -> Contents:
    """Return what there is to say of a scene alone."""
    agents = [scene.nodes[a] for a in scene.by_type.get("agent", ())]
    start = [a.at or a.parent for a in agents] if len(agents) == 1 else []
    kinds = [(len(scene.by_type.get(kind, ())), kind) for kind in ("room", "asset", "object")]
    sizes = ", ".join(counted(many, kind) for many, kind in kinds)
    return Contents(heading=scene.name, facts=(sizes,), journey=Journey(tuple(s for s in start if s)))


def contents_of(record: Mapping[str, object], belief: Belief) -> Contents:
    """Return what a record says of its run."""
    printed = texts(record.get("executed")) or texts(record.get("plan"))
    steps = [_step(text) for text in printed]
    refused, why = _refusal(record) if not record.get("executed") else (None, "")
    way = journey(steps, belief, refused)
    goal, nodes = _text(record, "goal"), belief.scene.nodes
    listed = texts([one.get("id") for one in objects(record.get("answers"))])
    answers = tuple(a for a in listed if a in nodes)
    marked = dict.fromkeys(a for step in steps for a in step.args if step.name != "goto")
    marked |= dict.fromkeys((*_names(goal), *answers))
    words = _text(record, "reply") or _text(record, "says") or goal
    legs = legs_of(record)
    if legs and not steps:
        way = replace(way, way=())
        answers = tuple(n for n in texts(record.get("subgraph")) if n in nodes)
        marked |= dict.fromkeys(answers)
    return Contents(
        outcome=_text(record, "outcome"),
        heading=_text(record, "instruction"),
        relaxed=_text(mapping(record.get("relaxed")), "says"),
        facts=(*walk_facts(record), *_facts(record, len(steps))),
        goal=words,
        reasons=(*((why,) if why else ()), *texts(record.get("reasons"))),
        journey=way,
        marked=tuple(m for m in marked if m in nodes),
        answers=answers,
        walked=way_of(legs),
        opened=_opened(record, belief.scene),
    )


def _opened(record: Mapping[str, object], scene: Scene) -> tuple[str, ...]:
    """Return what a search opened; nothing where the whole scene was given, and so nothing searched."""
    opened = tuple(o for o in texts(record.get("opened")) if o in scene.nodes)
    return () if set(scene.by_type.get("room", ())) <= set(opened) and not record.get("trace") else opened


def _step(text: str) -> Step:
    try:
        return read_step(text, "plan")
    except InputError:
        return Step(text)


def _facts(record: Mapping[str, object], steps: int) -> Iterator[str]:
    if record.get("query"):
        return
    refused = _refusal(record)[0] if not record.get("executed") else None
    if steps:
        which = f", of which number {refused + 1} is refused" if refused is not None else ""
        yield f"{counted(steps, 'step')}{which}"
    driven = record.get("executed") or _text(record, "outcome") in GOOD
    metres = number(record.get("executed_metres") or record.get("metres"))
    if steps and driven and metres is not None:
        yield f"{metres:.2f} metres"
    if record.get("optimal") is True:
        yield "proved optimal"
    if engine := _text(record, "engine"):
        yield engine
    if reader := _text(record, "reader"):
        yield f"read by {reader}"


def _refusal(record: Mapping[str, object]) -> tuple[int | None, str]:
    """Return the index of the step that could not be done, and why."""
    match record.get("violations"):
        case [{"index": int(index), "message": str(message)}, *_]:
            return index, f"step {index + 1}: {message}"
    return None, ""


def _names(goal: str) -> tuple[str, ...]:
    """Return the names in a goal; none where it is no formula."""
    try:
        return tuple(names(parse_goal(goal).formula)) if goal else ()
    except GoalSyntaxError:
        return ()


def _text(record: Mapping[str, object], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""
