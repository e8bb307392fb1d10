"""Searching through states: plans without needless metres, and plans where an engine spent all its time."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from oracles.random_worlds import pack_of, random_world

from groundplan.compiler.forms import literals
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.normal import expanded
from groundplan.compiler.relevance import Closure, closure
from groundplan.domains.ending import Ending
from groundplan.domains.formula import Atom
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget, PddlText, TextEngine, TextResult
from groundplan.engines.engine import Engine
from groundplan.engines.registry import get_engine
from groundplan.engines.result import PlanResult
from groundplan.planners.carrying_out import PlanSkeleton, carry_out, reached, world_for
from groundplan.planners.classical import plan_goal
from groundplan.planners.states import search
from groundplan.planners.states.space import StateSpace
from groundplan.planners.states.to_go import ToGo
from groundplan.planners.subgoals import solving
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.world import Refusal

TABLE = ("release",)
THING = {"affordances": ("pickup",), "classes": ("thing",)}
CRATE = {"affordances": ("pickup", "release", "contain"), "classes": ("crate",)}


def row(*nodes: Node, robot: str, lengths: tuple[float, ...] = (1.0, 9.0), pack: str = "household") -> Belief:
    """Three rooms in a row, and what is in them."""
    rooms = [Node(f"room{n}", "room", classes=("room",)) for n in range(len(lengths) + 1)]
    links = tuple(Link(f"room{n}", f"room{n + 1}", metres) for n, metres in enumerate(lengths))
    every = (*rooms, *nodes, Node("robot", "agent", at=robot))
    return ground(Scene("row", {n.id: n for n in every}, links), pack_of(pack))


def planned(belief: Belief, goal: str, engine: Engine | None = None) -> PlanResult:
    result = plan_goal(parse_goal(goal), belief, engine or Engine.named("pyperplan"))
    assert result.verified, result.reasons
    assert result.bound_mm is None
    return result


def asset(name: str, room: str, *able: str, state: tuple[str, ...] = (), kind: str = "table") -> Node:
    return Node(name, "asset", room, "in", (kind,), (*TABLE, *able), state)


def thing(name: str, parent: str, relation: str = "ontop_of") -> Node:
    return Node(name, "object", parent, relation, THING["classes"], THING["affordances"])


def crate(name: str, parent: str) -> Node:
    return Node(name, "object", parent, "ontop_of", CRATE["classes"], CRATE["affordances"])


# Cheaper plans


def test_a_thing_that_only_has_to_lie_somewhere_is_put_down_at_the_nearest_place() -> None:
    """No place is asked for: an engine without costs takes any."""
    far = asset("cabinet", "room2")
    near = asset("shelf", "room1", kind="shelf")
    held = Node("brush", "object", "robot", "inside_hand", ("brush",), ("pickup",))
    belief = row(far, near, held, robot="room0", pack="foundry")
    assert planned(belief, "(exists (?x - item) (inspected ?x))").cost_mm == 1150


def test_a_thing_leaves_a_room_in_passing_by_the_nearest_door() -> None:
    stove = asset("stove", "room1", "turn_on", "turn_off", state=("off",), kind="stove")
    bag = Node("bag", "object", "robot", "inside_hand", ("bag",), CRATE["affordances"])
    belief = row(stove, asset("cabinet", "room2", "open", "close", state=("closed",)), bag, robot="stove")
    result = planned(belief, "(and (sometime (not (in_room bag room1))) (hot bag))")
    assert result.cost_mm == 1300


def test_a_place_is_cleared_without_driving_to_and_fro() -> None:
    """Both could be put down far away, one after the other; the crate is there."""
    things = [thing("plate", "stove"), thing("sponge", "stove"), crate("crate", "fridge")]
    belief = row(asset("stove", "room2"), asset("fridge", "room0"), *things, robot="room0")
    result = planned(belief, "(forall (?x - item) (not (ontop_of ?x stove)))")
    assert result.cost_mm is not None and result.cost_mm <= 11_000  # with the crate; without it 30.3 m


def test_a_choice_by_estimates_is_mended_where_another_one_costs_less() -> None:
    """The third thing need not be put down: what is held in another room counts there."""
    fridge = asset("fridge", "room1", "open", "close", state=("open",))
    things = [thing(f"thing{n}", "fridge", "inside_of") for n in range(3)]
    floor = Node("room0", "room", classes=("room",), affordances=("release",))
    belief = row(fridge, *things, floor, robot="room1", lengths=(5.4, 0.5))
    result = planned(belief, "(exists (?r - room) (exactly 2 (?x - item) (in_room ?x ?r)))")
    assert result.cost_mm == 600 and result.assembly.order is None


def test_plans_that_cost_no_more_than_they_must_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*args: object) -> None:
        raise AssertionError("a search for what cannot cost less")

    monkeypatch.setattr(search, "_search", never)
    belief = row(asset("table", "room0"), asset("desk", "room2"), thing("plate", "table"), robot="room1")
    assert planned(belief, "(ontop_of plate desk)").cost_mm == 11_200


@pytest.mark.parametrize("goal", ["(turned_on lamp)", "(or (turned_on lamp) (ontop_of plate table2))"])
def test_what_the_nearest_action_costs_is_known_before_states_are_searched_through(
    goal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An estimate made before there were actions must not be kept: with it every state would be looked at."""

    def never(*args: object) -> None:
        raise AssertionError("states are looked at, and the plan cannot cost less")

    monkeypatch.setattr(StateSpace, "following", never)
    lamp = asset("lamp", "room1", "turn_on", "turn_off", state=("off",), kind="lamp")
    tables = [asset("table", "room2"), asset("table2", "room2")]
    belief = row(lamp, *tables, thing("plate", "table"), robot="room0")
    assert planned(belief, goal).cost_mm == 1100


def test_what_parts_depend_on_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search takes the actions of the parts planned for, where their literals are those of the goal."""
    seen: list[list[object]] = []

    def counted(asked: Iterable[tuple[Atom, bool]], *more: Any) -> Closure:
        seen.append(of_part := [*asked])
        return closure(of_part, *more)

    monkeypatch.setattr(solving, "closure", counted)
    belief = row(asset("table", "room0"), asset("desk", "room2"), thing("plate", "table"), robot="room1")
    planned(belief, "(not (ontop_of plate table))")
    assert len(seen) == 1


def test_an_optimal_engine_keeps_its_own_plan() -> None:
    belief = row(asset("table", "room0"), asset("desk", "room2"), thing("plate", "table"), robot="room1")
    engine, budget = Engine.named("pyperplan-opt"), Budget(100)  # a busy machine's, too
    result = plan_goal(parse_goal("(not (ontop_of plate table))"), belief, engine, budget)
    assert result.verified and "below its cost" not in result.assembly.why


# Where an engine spends all of its time


@dataclass
class Slow(TextEngine):
    """An engine that runs out of time with problems whose goal has a word in it."""

    word: str = ""
    name: str = "slow"
    supports_costs: bool = False
    seconds: list[float] = field(default_factory=list)

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        if self.word in text.problem.split("(:goal")[1]:
            self.seconds.append(budget.seconds)
            return TextResult(Ending.TIMED_OUT, reproducible=False)
        return get_engine("pyperplan").solve_text(text, budget)


def test_where_an_engine_has_no_plan_in_time_states_are_searched_through() -> None:
    door = asset("cabinet", "room1", "open", "close", state=("closed",))
    table = asset("table", "room0")
    belief = row(table, asset("desk", "room2"), door, thing("plate", "table"), robot="room1")
    slow = Slow("ontop_of")
    result = planned(belief, "(and (ontop_of plate desk) (open cabinet))", Engine("slow", slow))
    assert result.cost_mm == 11_300 and "search of states" in result.assembly.why
    assert not result.reproducible and slow.seconds


def test_no_search_stands_in_for_an_engine_that_never_answers() -> None:
    belief = row(asset("table", "room0"), asset("desk", "room2"), thing("plate", "table"), robot="room1")
    result = plan_goal(parse_goal("(ontop_of plate desk)"), belief, Engine("slow", Slow()))
    assert result.ending is Ending.TIMED_OUT


def test_a_hopeless_part_leaves_time_for_all_parts_together() -> None:
    """Room2 has no place: the tray can only be held there, with the box on it."""
    things = [Node(n, "object", "table", "ontop_of", (n,), ("pickup", "release")) for n in ("tray", "box")]
    belief = row(asset("table", "room0"), *things, robot="room0")
    slow = Slow("hand_free")
    goal = "(and (in_room tray room2) (in_room box room2) (robot_at room2))"
    assert planned(belief, goal, Engine("slow", slow)).cost_mm == 10_300
    assert slow.seconds and all(seconds < 20 for seconds in slow.seconds)  # of 30: none of them gets all


# States and the world


@pytest.mark.parametrize("seed", range(12))
def test_states_agree_with_the_world_on_what_can_be_done_and_on_the_goal(seed: int) -> None:
    """Random walks: the simulator does every step at the same cost, and the same goals hold."""
    draw = random.Random(seed)
    world = random_world(seed, draw.choice(("household", "household-locks", "foundry")))
    belief = world.belief
    for goal in world.goals:
        form = expanded(goal.goal.formula, belief, whole=True).form
        space = StateSpace(belief, belief.facts)
        to_go = ToGo(form, space)
        actions = closure(literals(form), belief, belief.facts).actions.values()
        space.add_actions([a for a in actions if not belief.pack.mapping_of(a.name).navigation])
        stops = search._stops(form, space)
        run = world_for(form, belief)
        state, place = space.start, space.start_place
        for _ in range(25):
            assert (to_go.goal(state, place) == 0) == reached(form, run), (str(goal), place)
            options = sorted(space.following(state, place, stops), key=lambda o: str(o[3]))
            if not options:
                break
            _, state, place, action = draw.choice(options)
            done = carry_out(PlanSkeleton((action,)), run, lenient=False)
            assert not isinstance(done, Refusal), done


def test_actions_that_a_goal_depends_on_keep_to_their_types(tmp_path: Path) -> None:
    """A fact may be of things and furniture while one action that makes it true takes things only."""
    folder = tmp_path / "paint"
    folder.mkdir()
    domain = """(define (domain paint) (:requirements :strips :typing :action-costs)
      (:predicates (painted ?x - object))
      (:action dip :parameters (?i - item) :precondition ()
       :effect (and (painted ?i) (increase (total-cost) 0)))
      (:action brush :parameters (?x - asset) :precondition (stands_at ?x)
       :effect (and (painted ?x) (increase (total-cost) 300))))"""
    (folder / "domain.pddl").write_text(domain)
    (folder / "mapping.toml").write_text(
        """format = "groundplan-pack"
version = 1
name = "paint"
extends = "household"
domain = "domain.pddl"
[goal]
predicates = ["painted"]
[actions.dip]
step = "dip(?i)"
skill = "dip"
verb = "dip {i}"
[actions.brush]
step = "brush(?x)"
skill = "brush"
verb = "brush {x}"
"""
    )
    scene = row(asset("table1", "room1"), robot="room0").scene
    belief = ground(scene, load_pack(str(folder)))
    actions = closure([(Atom("painted", ("table1",)), True)], belief, belief.facts, None).actions
    assert {name for name, _ in actions} == {"brush"}
    assert planned(belief, "(painted table1)").cost_mm == 1300
