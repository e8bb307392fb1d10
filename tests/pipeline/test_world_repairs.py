"""Goals that are wrong for the true world: the simulator reports, the model repairs, and the run goes on.

The cases are made by rule from the things of several scenes. The robot believes the scene; in the true world
a container or a machine does not work, or a thing is fixed or gone. A thing that is elsewhere needs no model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import open_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.pipeline.hybrid import Request, run
from groundplan.pipeline.record import Record
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Node, Scene
from groundplan.simulator.sensing.environment import Environment
from groundplan.simulator.step import Step

SCENES = ("office", "home", "house-3", "house-5")
FAULTS = ("no-door", "no-switch", "fixed", "gone", "elsewhere")


@dataclass(frozen=True)
class Case:
    """One thing of a scene that is otherwise in the true world, and goals that need it."""

    scene: str
    fault: str
    thing: str
    wrong: str
    """The part of the goal that the world makes impossible."""
    other: str
    """A part of the same kind that can be had."""
    rest: str
    """A part that has nothing to do with it."""

    def world(self) -> Belief:
        scene = scene_of(self.scene)
        nodes = dict(scene.nodes)
        node = nodes[self.thing]
        lost = {"no-door": ("open", "close"), "no-switch": ("turn_on", "turn_off"), "fixed": ("pickup",)}
        if self.fault == "gone":
            del nodes[self.thing]
        elif self.fault == "elsewhere":
            shelf = next(n for n in surfaces(scene) if scene.room_of(n) != scene.room_of(self.thing))
            nodes[self.thing] = replace(node, parent=shelf, relation="ontop_of")
        else:
            kept = tuple(a for a in node.affordances if a not in lost[self.fault])
            nodes[self.thing] = replace(node, affordances=kept)
        return ground(replace(scene, nodes=nodes), load_pack())


@cache
def scene_of(name: str) -> Scene:
    return open_scene(name)


@cache
def belief_of(name: str) -> Belief:
    return ground(scene_of(name), load_pack())


def surfaces(scene: Scene) -> list[str]:
    """Places to put things on that nothing has to be opened for."""
    assets = (scene.nodes[n] for n in scene.by_type["asset"])
    return [n.id for n in assets if "release" in n.affordances and "open" not in n.affordances]


def movable(scene: Scene) -> list[str]:
    """Things that lie open, and on which nothing lies."""

    def open_to_view(node: Node) -> bool:
        above = scene.nodes[node.parent or ""]
        return above.type == "asset" and node.relation == "ontop_of" and not scene.children.get(node.id)

    things = (scene.nodes[n] for n in scene.by_type["object"])
    return [n.id for n in things if "pickup" in n.affordances and open_to_view(n)]


def drawn(scene_name: str, fault: str) -> Iterator[Case]:
    """Yield the cases of a scene and a fault, one for each thing that may have it."""
    scene = scene_of(scene_name)
    boxes = [n for n in scene.by_type["asset"] if "closed" in scene.nodes[n].state]
    machines = [n for n in scene.by_type["asset"] if "turn_on" in scene.nodes[n].affordances]
    things, shelves = movable(scene), surfaces(scene)
    rest = f"(robot_at {scene.by_type['room'][-1]})"
    if fault == "no-door":
        for box, thing in zip(boxes, things, strict=False):
            shelf = next(s for s in shelves if s != scene.nodes[thing].parent)
            yield Case(
                scene_name, fault, box, f"(inside_of {thing} {box})", f"(ontop_of {thing} {shelf})", rest
            )
    elif fault == "no-switch":
        for one, other in zip(machines, [*machines[1:], *machines[:1]], strict=True):
            if one != other:
                yield Case(scene_name, fault, one, f"(turned_on {one})", f"(turned_on {other})", rest)
    else:
        for thing, other in zip(things, [*things[3:], *things[:3]], strict=True):
            parents = (scene.nodes[thing].parent, scene.nodes[other].parent)
            shelf = next(s for s in shelves if s not in parents)
            yield Case(
                scene_name, fault, thing, f"(ontop_of {thing} {shelf})", f"(ontop_of {other} {shelf})", rest
            )


def cases(faults: Sequence[str], each: int) -> list[object]:
    """Return cases of each scene and fault, by day the first of each fault."""
    made = []
    for fault in faults:
        for number, name in enumerate(SCENES):
            for place, case in enumerate(list(drawn(name, fault))[:each]):
                marks = pytest.mark.slow if number != FAULTS.index(fault) % 3 or place else ()
                made.append(pytest.param(case, id=f"{fault}-{name}-{case.thing}", marks=marks))
    return made


def move(command: str, node: str = "") -> str:
    return json.dumps({"move": {"chain_of_thought": "", "command": command, "node": node}})


def told(case: Case, *answers: str) -> tuple[Record, ScriptedModel]:
    """Run a case with a model that has seen all rooms, and then gives these answers."""
    belief, scene = belief_of(case.scene), scene_of(case.scene)
    rooms = [r for r in scene.by_type["room"] if scene.children.get(r)]
    model = ScriptedModel.of(*(move("expand", r) for r in rooms), move("terminate"), *answers)
    request = Request(belief, "Do it.", world=case.world())
    return run(
        request, Engine.named("pyperplan"), ModelReader(model, belief.pack, search_protocol="dialogue")
    ), model


def true_end(case: Case, steps: Sequence[Step]) -> Callable[[str], bool]:
    """Carry steps out in the true world, and return what is true there of a goal."""
    environment = Environment(case.world())
    for step in steps:
        assert environment.act(step).done, step
    return lambda goal: environment.judge(parse_goal(goal).formula).reached


def assert_taken(case: Case, record: Record, goal: str) -> None:
    assert record.outcome == "verified", (record.reasons, [(str(r.goal), r.feedback) for r in record.goals])
    assert [r.trigger for r in record.goals] == [None, "simulator"]
    assert record.trajectory.observations and record.goals[0].feedback
    assert true_end(case, record.trajectory.executed)(goal)
    (dropped,) = record.dropped
    assert list(map(str, dropped.parts)) == [case.wrong]
    assert dropped.why == ("every place was looked at" if case.fault == "gone" else "proved impossible")


WRONG = cases(FAULTS[:4], each=3)


@pytest.mark.parametrize("case", WRONG)
def test_the_goal_is_repaired_by_what_the_simulator_reports(case: Case) -> None:
    record, model = told(case, case.wrong, case.other)
    assert_taken(case, record, case.other)
    request = model.history[-1]
    assert request.purpose == "repair" and case.thing in request.messages[-1].content


@pytest.mark.parametrize("case", WRONG)
def test_what_the_world_makes_impossible_may_be_left_out(case: Case) -> None:
    record, _ = told(case, f"(and {case.wrong} {case.rest})", case.rest)
    assert_taken(case, record, case.rest)
    assert "may be left out or replaced" in record.goals[0].feedback[-1]


@pytest.mark.parametrize("case", WRONG)
def test_what_the_world_allows_may_not(case: Case) -> None:
    record, _ = told(case, f"(and {case.wrong} {case.rest})", case.other)
    assert (record.outcome, record.verified) == ("goal-drift", False)
    assert case.rest in record.reasons[0]


@pytest.mark.parametrize("case", WRONG)
def test_a_model_that_has_no_other_goal_ends_with_the_reason(case: Case) -> None:
    record, _ = told(case, case.wrong, case.wrong)
    assert record.outcome in ("unsolvable", "goal-error") and not record.verified
    assert case.thing in " ".join(record.reasons)
    assert not true_end(case, record.trajectory.executed)(case.wrong)


@pytest.mark.parametrize("case", cases(FAULTS[4:], each=3))
def test_a_wrong_belief_needs_no_model(case: Case) -> None:
    record, model = told(case, case.wrong)
    assert record.verified and len(record.goals) == 1 and record.trajectory.observations
    assert [r.purpose for r in model.history if r.purpose != "search"] == ["goal"]
    assert not record.dropped and true_end(case, record.trajectory.executed)(case.wrong)


def test_there_are_cases_of_every_kind() -> None:
    kinds = {(p.values[0].fault, p.values[0].scene) for p in WRONG}  # type: ignore[attr-defined]
    assert len(WRONG) >= 40 and {fault for fault, _ in kinds} == set(FAULTS[:4])
    for case in (p.values[0] for p in WRONG):  # type: ignore[attr-defined]
        belief = belief_of(case.scene)
        state = Environment(belief)
        assert not state.judge(parse_goal(case.wrong).formula).reached
        assert not state.judge(parse_goal(case.other).formula).reached
