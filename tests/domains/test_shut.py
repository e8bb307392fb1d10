"""The pack ``household-shut``: what is closed takes nothing, as in SayPlan's simulator."""

from __future__ import annotations

import pytest

from groundplan import Engine, ground, load_pack, load_scene, parse_goal, plan_goal
from groundplan.simulator.belief import Belief
from groundplan.simulator.step import read_steps
from groundplan.simulator.verification import verify_plan


def office(pack: str) -> Belief:
    scene = load_scene("office")
    return ground(scene.changed(change={scene.agent.id: {"at": "kitchen"}}), load_pack(pack))


INTO = "access(kitchen_bench)\npickup(orange1)\naccess({place})\n{more}release(orange1)"


@pytest.mark.parametrize(
    ("pack", "place", "more", "fits"),
    [
        ("household", "fridge", "", True),
        ("household-shut", "fridge", "", False),
        ("household-shut", "rubbish_bin", "", False),
        ("household-shut", "fridge", "open(fridge)\n", True),
        ("household-shut", "kitchen_bench", "", True),
    ],
)
def test_what_was_not_opened_takes_nothing(pack: str, place: str, more: str, fits: bool) -> None:
    belief = office(pack)
    done = verify_plan(read_steps(INTO.format(place=place, more=more)), belief)
    assert done.executable == fits, done.feedback()
    assert fits or any(f"{place} is closed" in line for line in done.feedback())


def test_plans_open_first() -> None:
    belief = office("household-shut")
    result = plan_goal(parse_goal("(inside_of orange1 fridge)"), belief, Engine.named("pyperplan"))
    assert result.verified and "open(fridge)" in list(map(str, result.steps))
