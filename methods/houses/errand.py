"""Errands in a house that nobody knows: a search for what an instruction names, then a plan in what was seen.

The explorer looks for the types that the instruction names. What the robot saw by the end is a scene: rooms
without types, doors between those that it saw, things where it saw them, and the robot where it stands. The
pipeline plans in that scene as in any other: a reader writes a goal, and an engine plans from PDDL, which is
in the record (``house.pddl``). The plan of the record begins where the search began, with the way to where it
ended, and is verified in all the house.

Settings of searches (:func:`with_house_settings`) are those of the search of an errand, too: who drives, what
is seen, and from how far. A search with another than the usual setting has it in its name, and is a row of
its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from ...acting.beliefs.likelihood import ROOMS
from ...acting.carried import carried_out
from ...compiler.goals.goal import Goal
from ...compiler.pddl import compile_goal
from ...compiler.problem import Unsupported
from ...compiler.shown_part import compiled_from
from ...domains.deadline import LimitReached, extended
from ...domains.errors import GoalError, InputError, clip, did_you_mean
from ...language.english.chunks import sentences
from ...language.english.phrases import read_phrase
from ...language.english.words import singular
from ...pipeline.hybrid import run
from ...pipeline.record import Record
from ...planners.request import Request
from ...planners.verdict import OWN_SECONDS
from ...simulator.belief import Belief, ground
from ...simulator.navigation.camera import REACH, Noise
from ...simulator.scene import Scene
from ...simulator.step import Step
from ..method import Limits, Method, Needs, Tools, unsupported
from .house_method import DRIVERS, HouseMethod


@dataclass(frozen=True)
class HouseErrand:
    """A search of a house for what an instruction names, and the pipeline in what was seen."""

    name: str
    search: HouseMethod

    @property
    def needs(self) -> Needs:
        """A reader, which writes the goal."""
        return "reader"

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Search, then plan; without all the things the record ends with the search."""
        if request.house is None:
            return unsupported(request, f"{self.name} needs a house with a floor plan to search")
        if tools.reader is None or tools.engine is None:
            return unsupported(request, f"{self.name} needs a reader and an engine")
        kinds = named_kinds(request.instruction or "")
        if not kinds:
            return unsupported(request, f"{self.name} needs an instruction that names things")
        sought = replace(request, house=replace(request.house, targets=kinds), search_only=True)
        searched = replace(self.search.run(sought, tools, limits), method=self.name)
        if searched.outcome != "answered":
            return searched
        belief = ground(seen_scene(request.belief.scene, searched.house), request.belief.pack)
        after = Request(belief, request.instruction, task=request.task, tidy=request.tidy)
        record = run(after, tools.engine, tools.reader, limits.budget(), tools.listen)
        # Reader and engine knew the seen scene alone. The record is of the house, where its plan holds.
        kept = {name: request.belief.scene.hash for name in record.hashes if name.startswith("belief")}
        house = {**searched.house, "seen_scene": belief.scene.hash, "pddl": _problem_of(record, belief)}
        record = replace(record, house=house, method=self.name, hashes={**record.hashes, **kept})
        if not record.verified or not isinstance(record.goal, Goal):
            return record
        steps = (*_way(request.belief, str(searched.house["room"])), *record.plan)
        whole = carried_out(steps, request.belief, record.goal.formula)
        whole = replace(whole, assembly=replace(record.planning.assembly, order=None))
        outcome = record.outcome if whole.verification.verified else "rejected"
        return replace(record, planning=whole, outcome=outcome)


def _problem_of(record: Record, belief: Belief) -> dict[str, str]:
    """Return the problem of a goal in the scene that was seen, by file; nothing where there is none."""
    if not isinstance(record.goal, Goal) or record.outcome in ("goal-error", "cancelled"):
        return {}
    with suppress(Unsupported, GoalError, LimitReached), extended(OWN_SECONDS):
        part = compiled_from(belief, record.compile_form, record.shown)
        return compile_goal(record.goal.formula, part).files()
    return {}


def _way(belief: Belief, room: str) -> tuple[Step, ...]:
    """Return the steps from where the robot stands at first to a room, by the shortest way."""
    start = next(node.at for node in belief.scene.nodes.values() if node.type == "agent")
    hops = belief.routes.route(start or room, room).hops
    return tuple(Step("goto", (hop,)) for hop in hops)


def named_kinds(instruction: str) -> tuple[str, ...]:
    """Return the types of the things that an instruction names, as a camera calls them.

    >>> named_kinds("Find the mug and bring it to the coffee table in the kitchen.")
    ('mug', 'coffee_table')
    """
    kinds: dict[str, None] = {}
    for sentence in sentences(instruction):
        for chunk in sentence:
            phrase = read_phrase(chunk.text) if chunk.kind == "n" else None
            if phrase is not None and not phrase.generic:
                kinds.setdefault("_".join((*phrase.words[:-1], singular(phrase.head))))
    return tuple(kind for kind in kinds if kind not in ROOMS and kind.replace("_", " ") not in ROOMS)


def seen_scene(scene: Scene, house: Mapping[str, Any]) -> Scene:
    """Return the part of a house's scene that is on a robot's map, with the robot in the room of its end."""
    graph = house["graph"]
    shown = {*graph["rooms"], *graph["passages"], *graph["things"]}
    kept = {above for name in shown if name in scene.nodes for above in (name, *scene.ancestors(name))}
    kept |= {name for name, node in scene.nodes.items() if node.type == "agent"}
    gone = [name for name in scene.nodes if name not in kept and scene.nodes[name].type != "building"]
    rooms = {room: {"classes": ("room",)} for room in graph["rooms"] if room in kept}
    agent = {name: {"at": house["room"]} for name in kept if scene.nodes[name].type == "agent"}
    return scene.changed(remove=gone, change={**rooms, **agent})


def with_house_settings(
    methods: Sequence[Method],
    drivers: Sequence[str] = (),
    perceptions: Sequence[str] = (),
    reaches: Sequence[float] = (),
) -> tuple[Method, ...]:
    """Return each search of houses once for each driver, perception and reach; others stay as they are.

    A search with another than the usual one of them has it in its name. Raises :class:`InputError` for the
    name of no driver, a perception that there is not, and where no method searches houses.
    """
    for driver in drivers:
        if driver not in DRIVERS:
            hint = did_you_mean(driver, DRIVERS) or f"there are {', '.join(DRIVERS)}"
            raise InputError("driver", "the name of a driver", clip(driver), hint)
    given = {"driver": drivers, "perception": perceptions, "reach": reaches}
    for option, values in given.items():
        if values and not any(isinstance(m, HouseMethod | HouseErrand) for m in methods):
            raise InputError(option, "a method that searches houses", "none", "such as nearest-door")
    noises = [Noise.read(text) for text in perceptions]
    rows: dict[str, Method] = {}
    for method in methods:
        if not isinstance(method, HouseMethod | HouseErrand):
            rows[method.name] = method
            continue
        for driver, noise, reach in product(drivers or ("oracle",), noises or (None,), reaches or (REACH,)):
            parts = [
                *([f"driver {driver}"] if driver != "oracle" else []),
                *([str(noise)] if noise is not None else []),
                *([f"reach {reach:g}"] if reach != REACH else []),
            ]
            name = " with ".join((method.name, *([", ".join(parts)] if parts else [])))
            search = method.search if isinstance(method, HouseErrand) else method
            search = replace(search, driver=driver, noise=noise, reach=reach)
            changed = (
                replace(method, name=name, search=search)
                if isinstance(method, HouseErrand)
                else replace(search, name=name)
            )
            rows[name] = changed if parts else method
    return tuple(rows.values())
