"""Equal arguments: two parameters may be one object, as PDDL means it, unless a pack wants them to differ."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
import unified_planning.shortcuts as up
from oracles.plans import assert_same_for_unified, both_accept, unified_accepts, val_accepts

from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.normal import normal_form
from groundplan.compiler.pddl import render
from groundplan.compiler.problem import Problem, build
from groundplan.domains.action import PlanAction
from groundplan.domains.ending import Ending
from groundplan.domains.errors import PackError
from groundplan.domains.formula import Atom
from groundplan.domains.pack import Pack, load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.facts import Args
from groundplan.simulator.scene_json import scene_from_json
from groundplan.simulator.step import read_steps
from groundplan.simulator.verification import verify_plan
from groundplan.simulator.world import Effect, Refusal, World

up.get_environment().credits_stream = None

DOMAIN = """(define (domain marks)
  (:requirements :strips :typing :action-costs)
  (:predicates (marked ?i - item) (joined ?i - item) (paired ?i - item) (glue ?i - item) (peer ?i - item))
  (:action pass_mark
    :parameters (?a - item ?b - item)
    :precondition (and (marked ?a) (can_pickup ?b))
    :effect (and (marked ?b) (not (marked ?a)) (increase (total-cost) 100)))
  (:action join
    :parameters (?a - item ?b - item)
    :precondition (and (can_pickup ?a) (can_pickup ?b))
    :effect (and (joined ?a) (increase (total-cost) 100)))
  (:action pair_up
    :parameters (?a - item ?b - item)
    :precondition (and (glue ?a) (peer ?b))
    :effect (and (paired ?a))))
"""
MAPPING = """format = "groundplan-pack"
version = 1
name = "marks"
extends = "household"
[goal]
predicates = ["marked", "joined", "paired"]
[states]
marked = ["(marked ?x)"]
[classes]
glue = ["(glue ?x)", "(peer ?x)"]
[actions.pass_mark]
step = "pass_mark(?a, ?b)"
verb = "pass the mark of {a} to {b}"
[actions.join]
step = "join(?a, ?b)"
verb = "join {a} and {b}"
[actions.pair_up]
event = true
"""
BUDGET = Budget(20)


def marks(folder: Path, distinct: bool = False) -> Pack:
    (folder / "domain.pddl").write_text(DOMAIN, encoding="utf-8")
    switch = "distinct_arguments = true\n" if distinct else ""
    (folder / "mapping.toml").write_text(switch + MAPPING, encoding="utf-8")
    return load_pack(str(folder))


def scene(pack: Pack, *items: str, kind: str = "block") -> Belief:
    """Blocks on a table beside the robot, the first of them marked."""
    nodes = [
        {
            "id": name,
            "type": "object",
            "parent": "table",
            "relation": "ontop_of",
            "classes": [kind],
            "affordances": ["pickup"],
            "state": ["marked"] if number == 0 else [],
        }
        for number, name in enumerate(items)
    ]
    raw = {
        "format": "groundplan-scene",
        "version": 1,
        "name": "marks",
        "nodes": [
            {"id": "office", "type": "room"},
            {"id": "table", "type": "asset", "parent": "office", "affordances": ["release"]},
            *nodes,
            {"id": "robot", "type": "agent", "at": "office"},
        ],
        "links": [],
    }
    return ground(scene_from_json(raw, "marks"), pack)


def problem_for(goal: str, belief: Belief) -> Problem:
    return build(normal_form(parse_goal(goal).formula, belief), belief, nearest=None)


@pytest.mark.parametrize("engine", ["pyperplan", "fast-downward-opt"])
def test_one_thing_may_be_both_arguments(tmp_path: Path, engine: str) -> None:
    belief = scene(marks(tmp_path), "a")
    result = plan_goal(parse_goal("(joined a)"), belief, Engine.named(engine), BUDGET)
    assert result.verified
    assert result.plan == (PlanAction("join", ("a", "a")),)
    both_accept(parse_goal("(joined a)").formula, belief, result.plan)


@pytest.mark.parametrize("engine", ["pyperplan", "fast-downward-opt"])
def test_a_pack_may_want_different_arguments(tmp_path: Path, engine: str) -> None:
    pack = marks(tmp_path, distinct=True)
    alone = plan_goal(parse_goal("(joined a)"), scene(pack, "a"), Engine.named(engine), BUDGET)
    assert alone.ending in (Ending.UNSOLVABLE, Ending.NOT_FOUND)
    assert not alone.domain_fault
    two = scene(pack, "a", "b")
    result = plan_goal(parse_goal("(joined a)"), two, Engine.named(engine), BUDGET)
    assert result.verified
    assert result.plan == (PlanAction("join", ("a", "b")),)
    both_accept(parse_goal("(joined a)").formula, two, result.plan)


def test_different_arguments_are_written_for_engines_with_and_without_equality(tmp_path: Path) -> None:
    problem = problem_for("(joined a)", scene(marks(tmp_path, distinct=True), "a", "b"))
    with_costs, plain = render(problem), render(problem, costs=False)
    assert "(not (= ?a ?b))" in with_costs.domain
    assert ":equality :negative-preconditions" in with_costs.domain
    assert "different" not in with_costs.domain
    assert "=" not in plain.domain
    assert "(different ?a ?b)" in plain.domain
    assert "(different a b)" in plain.problem
    assert "(different a a)" not in plain.problem
    for costs, text in ((True, with_costs), (False, plain)):
        assert_same_for_unified(problem, costs)
        steps = [("join", "a", "a")]
        assert not val_accepts(text, steps)[0]
        assert val_accepts(text, [("join", "a", "b")])[0]
    assert not unified_accepts(problem, [("join", "a", "a")])[0]
    assert unified_accepts(problem, [("join", "a", "b")])[0]


def test_the_simulator_wants_different_arguments_where_the_pack_does(tmp_path: Path) -> None:
    belief = scene(marks(tmp_path, distinct=True), "a", "b")
    refusal = World(belief).perform(PlanAction("join", ("a", "a")))
    assert isinstance(refusal, Refusal)
    assert refusal.message == "cannot join a and a: its arguments must differ"
    verdict = verify_plan(read_steps("join(a, a)"), belief)
    assert [v.message for v in verdict.violations] == ["cannot join a, a: its arguments must differ"]
    assert verify_plan(read_steps("join(a, b)"), belief).executable


def test_an_event_happens_to_one_thing_in_both_roles_unless_the_pack_says_no(tmp_path: Path) -> None:
    same, other = tmp_path / "same", tmp_path / "other"
    same.mkdir()
    other.mkdir()
    assert scene(marks(same), "a", kind="glue").facts.holds("paired", ("a",))
    assert not scene(marks(other, distinct=True), "a", kind="glue").facts.holds("paired", ("a",))
    assert scene(marks(other, distinct=True), "a", "b", kind="glue").facts.holds("paired", ("a",))


def test_what_an_action_adds_it_does_not_delete(tmp_path: Path) -> None:
    """In our simulator, in VAL and in unified-planning alike."""
    belief = scene(marks(tmp_path), "a", "b")
    world = World(belief)
    assert isinstance(world.perform(PlanAction("pass_mark", ("a", "a"))), Effect)
    assert world.holds("marked", ("a",))
    problem = problem_for("(and (marked a) (joined b))", belief)
    steps = [("pass_mark", "a", "a"), ("join", "b", "b")]
    assert val_accepts(render(problem), steps)[0]
    assert unified_accepts(problem, steps)[0]
    home = World(belief)
    assert isinstance(home.perform(PlanAction("goto", ("office", "office"))), Effect)
    assert home.state.stands_at == "office"
    driving = problem_for("(robot_at office)", belief)
    assert val_accepts(render(driving), [("goto", "office", "office")])[0]
    assert unified_accepts(driving, [("goto", "office", "office")])[0]


@pytest.mark.parametrize("engine", ["pyperplan", "fast-downward-opt"])
def test_a_fact_and_its_complement_are_never_both_true(tmp_path: Path, engine: str) -> None:
    pack = marks(tmp_path)
    goal = parse_goal("(not (marked a))")
    alone = plan_goal(goal, scene(pack, "a"), Engine.named(engine), BUDGET)
    assert alone.ending in (Ending.UNSOLVABLE, Ending.NOT_FOUND)
    assert not alone.domain_fault
    two = scene(pack, "a", "b")
    result = plan_goal(goal, two, Engine.named(engine), BUDGET)
    assert result.verified
    both_accept(goal.formula, two, result.plan or ())
    text = render(problem_for("(and (not (marked a)) (joined a))", two))
    assert not val_accepts(text, [("pass_mark same 1", "a", "a"), ("join", "a", "a")])[0]
    assert val_accepts(text, [("pass_mark", "a", "b"), ("join", "a", "a")])[0]


def test_split_actions_come_back_under_the_name_of_the_pack(tmp_path: Path) -> None:
    problem = problem_for("(not (marked a))", scene(marks(tmp_path), "a", "b"))
    assert problem.aliases == {"pass_mark same 1": "pass_mark"}
    assert problem.scene_plan([("pass_mark same 1", "a", "a")]) == (PlanAction("pass_mark", ("a", "a")),)


def test_the_switch_is_a_truth_value(tmp_path: Path) -> None:
    marks(tmp_path)
    (tmp_path / "mapping.toml").write_text('distinct_arguments = "yes"\n' + MAPPING, encoding="utf-8")
    with pytest.raises(PackError, match="distinct_arguments: expected true or false"):
        load_pack(str(tmp_path))


CONTAINERS = ("pickup", "release", "open", "close")


def test_the_household_puts_nothing_into_itself() -> None:
    """All states of two boxes and a room, with every choice of arguments, equal ones included."""
    nodes = [
        {
            "id": name,
            "type": "object",
            "parent": "table",
            "relation": "ontop_of",
            "affordances": list(CONTAINERS),
            "state": ["open"],
        }
        for name in ("box", "crate")
    ]
    raw = {
        "format": "groundplan-scene",
        "version": 1,
        "name": "boxes",
        "nodes": [
            {"id": "office", "type": "room"},
            {"id": "table", "type": "asset", "parent": "office", "affordances": ["release"]},
            *nodes,
            {"id": "robot", "type": "agent", "at": "office"},
        ],
        "links": [],
    }
    belief = ground(scene_from_json(raw, "boxes"), load_pack())
    names = ("office", "table", "box", "crate")
    grounded = [
        PlanAction(action.name, args)
        for action in belief.pack.domain.actions.values()
        for args in product(names, repeat=len(action.parameters))
        if all(belief.has_type(a, p.type) for a, p in zip(args, action.parameters, strict=True))
    ]
    queue = [World(belief)]
    seen: set[frozenset[tuple[str, Args]]] = set()
    while queue:
        world = queue.pop()
        facts = frozenset((a.predicate, a.args) for a in world.state.facts)
        if facts in seen:
            continue
        seen.add(facts)
        for relation in belief.pack.locations:
            assert not any(world.state.facts.holds(relation, (n, n)) for n in names)
        held = world.state.facts.all("holding")
        assert not held or world.state.stands_at != held[0][0]
        for action in grounded:
            after = world.fork()
            if isinstance(after.perform(action), Effect):
                queue.append(after)
    assert len(seen) > 50
    assert any(("inside_of", ("box", "crate")) in state for state in seen)


@pytest.mark.parametrize("name", ["household", "household-locks", "grasif", "search"])
def test_built_in_packs_need_no_switch(name: str) -> None:
    pack = load_pack(name)
    assert not pack.mapping.distinct_arguments
    assert pack.invariants.contained
    into_itself = pack.domain.actions["release_inside"].ground(("box", "box"))
    assert pack.never_applies(into_itself)
    assert not pack.never_applies(pack.domain.actions["goto"].ground(("hall", "hall")))
    assert Atom("stands_at", ("hall",)) in pack.domain.actions["goto"].ground(("hall", "hall")).add
