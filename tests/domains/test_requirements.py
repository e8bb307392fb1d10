"""Requirements of facts: those that some action does without exclude no goal and no plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains.formula import Atom, Var
from groundplan.domains.pack import Pack, load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene_json import scene_from_json

GREENHOUSE = Path(__file__).resolve().parents[2] / "examples" / "greenhouse"

DOMAIN = """(define (domain hooks)
  (:predicates (hook ?x - object) (vacant ?x - object))
  (:action hang
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (hook ?x) (vacant ?x))
    :effect (and (ontop_of ?i ?x) (hand_free) (not (holding ?i)) (not (vacant ?x)))))
"""
MAPPING = """format = "groundplan-pack"
version = 1
name = "hooks"
extends = "household"
[goal]
predicates = ["vacant"]
[affordances]
hook = ["(hook ?x)", "(vacant ?x)", "(carrier ?x)"]
[requires]
hot = ["(turned_off ?x)"]
[actions.hang]
step = "release(?i)"
skill = "hang"
verb = "hang up {i}"
"""


@pytest.fixture
def hooks(tmp_path: Path) -> Pack:
    (tmp_path / "domain.pddl").write_text(DOMAIN, encoding="utf-8")
    (tmp_path / "mapping.toml").write_text(MAPPING, encoding="utf-8")
    return load_pack(str(tmp_path))


def hall(pack: Pack) -> Belief:
    """A coat on a chair, and a hook in the next room."""
    raw = {
        "format": "groundplan-scene",
        "version": 1,
        "name": "hall",
        "nodes": [
            {"id": "hall", "type": "room"},
            {"id": "closet", "type": "room"},
            {"id": "chair", "type": "asset", "parent": "hall", "affordances": ["release"]},
            {"id": "peg", "type": "asset", "parent": "closet", "affordances": ["hook"]},
            {"id": "wall", "type": "asset", "parent": "closet"},
            {
                "id": "coat",
                "type": "object",
                "parent": "chair",
                "relation": "ontop_of",
                "affordances": ["pickup"],
            },
            {"id": "robot", "type": "agent", "at": "hall"},
        ],
        "links": [{"a": "hall", "b": "closet", "length": 4}],
    }
    return ground(scene_from_json(raw, "hall"), pack)


@pytest.mark.parametrize(
    "name",
    ["household", "household-locks", "household-shut", "grasif", "grasif-looking", "search", str(GREENHOUSE)],
)
def test_all_requirements_of_the_packs_here_count(name: str) -> None:
    pack = load_pack(name)
    assert pack.requirements.excess == ()
    assert pack.requirements.needed == pack.mapping.requires


def test_what_an_action_does_without_is_not_required(hooks: Pack) -> None:
    assert [(e.predicate, str(e)) for e in hooks.requirements.excess] == [
        ("ontop_of", "(can_release ?y) does not count: hang does not need it"),
        ("hot", "(turned_off ?x) does not count: actions change it"),
    ]
    pickup = (Atom("can_pickup", (Var("x"),)),)
    assert hooks.requirements.pickup == pickup
    assert hooks.requirements.needed["ontop_of"] == pickup


def test_the_check_and_the_plan_follow_the_actions(hooks: Pack) -> None:
    belief = hall(hooks)
    for text in ("(ontop_of coat peg)", "(and (in_room coat closet) (hand_free))"):
        goal = parse_goal(text)
        assert check(goal, belief).diagnostics == ()
        result = plan_goal(goal, belief, Engine.named("pyperplan"), Budget(20))
        assert result.verified
        assert [a.name for a in result.plan or ()][-1] == "hang"


def test_a_requirement_of_every_action_is_still_asked_for(hooks: Pack) -> None:
    goal = parse_goal("(inside_of coat wall)")
    assert [d.code for d in check(goal, hall(hooks)).diagnostics] == ["affordance"]
