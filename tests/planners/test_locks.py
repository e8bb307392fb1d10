"""Locked doors and keys: what the simulator refuses, what the planner does about it, what nothing opens."""

from __future__ import annotations

from functools import cache

import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.domains.ending import Ending
from groundplan.domains.errors import SceneError
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.engines.result import PlanResult
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Scene
from groundplan.simulator.step import Step
from groundplan.simulator.world import Refusal, World

SIZES = Sizes(2, 20, 120, 200, 6)


@cache
def building() -> Belief:
    return ground(furnished_building(SIZES, 3), load_pack("household-locks"))


def locked(scene: Scene) -> list[str]:
    return [n.id for n in scene.nodes.values() if "locked" in n.state]


def key_of(scene: Scene, name: str) -> str:
    kind = next(a.removesuffix("_lock") for a in scene.nodes[name].affordances if a.endswith("_lock"))
    return scene.by_class[f"{kind}_key"][0]


def planned(goal: str, belief: Belief) -> PlanResult:
    return plan_goal(parse_goal(goal, "goal"), belief, Engine.named("pyperplan"))


@pytest.mark.parametrize("index", range(SIZES.locks))
def test_every_locked_piece_of_furniture_is_opened_with_its_key(index: int) -> None:
    belief = building()
    name = locked(belief.scene)[index]
    found = planned(f"(open {name})", belief)
    assert found.verified
    steps = [s for s in found.steps if s.name not in ("goto", "access")]
    assert steps[-2:] == [Step("unlock", (name, key_of(belief.scene, name))), Step("open", (name,))]
    assert Step("pickup", (key_of(belief.scene, name),)) in steps


def test_things_behind_two_locks_and_a_door_that_is_locked_again() -> None:
    belief = building()
    full = [n for n in locked(belief.scene) if belief.scene.children.get(n)]
    first, second = full[:2]
    thing = belief.scene.children[first][0]
    assert planned(f"(inside_of {thing} {second})", belief).verified
    again = planned(f"(and (ontop_of {thing} desk1) (locked {first}))", belief)
    assert again.verified
    assert Step("lock", (first, key_of(belief.scene, first))) in again.steps


def test_all_locks_together() -> None:
    found = planned("(forall (?x - furniture) (unlocked ?x))", building())
    assert found.verified
    assert sum(s.name == "unlock" for s in found.steps) == SIZES.locks


def test_the_simulator_says_what_is_missing() -> None:
    belief = building()
    scene, name = belief.scene, locked(belief.scene)[0]
    key = key_of(scene, name)
    wrong = next(k for k in scene.by_class["key"] if k != key)
    world = World(belief)
    world.drive(name)

    def refused(*step: str) -> str:
        answer = world.apply(Step(step[0], step[1:]))
        assert isinstance(answer, Refusal)
        return answer.message

    assert refused("open", name) == f"cannot open {name}: {name} is locked"
    assert f"the robot does not hold {key}" in refused("unlock", name, key)
    assert f"{wrong} is no " in refused("unlock", name, wrong)
    assert f"cannot lock {name}" in refused("lock", name, key)


def test_without_its_key_a_lock_stays_shut() -> None:
    belief = building()
    name = locked(belief.scene)[0]
    scene = belief.scene.changed(remove=[key_of(belief.scene, name)])
    found = planned(f"(open {name})", ground(scene, belief.pack))
    assert found.ending is Ending.UNSOLVABLE
    assert found.proof is not None


def test_a_key_that_is_locked_away_by_its_own_lock_opens_nothing() -> None:
    belief = building()
    name = locked(belief.scene)[0]
    inside = {"parent": name, "relation": "inside_of"}
    scene = belief.scene.changed(change={key_of(belief.scene, name): inside})
    assert planned(f"(open {name})", ground(scene, belief.pack)).ending is Ending.UNSOLVABLE


def test_the_household_alone_knows_no_locks() -> None:
    with pytest.raises(SceneError, match="a state that the pack knows, got locked"):
        ground(building().scene, load_pack())
