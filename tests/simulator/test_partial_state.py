"""Truth in states known in part: as the world's where all is known, and never taken back where more is."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from oracles.random_worlds import PACKS, SceneBuilder, random_world

from groundplan.compiler.forms import holds_now
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.normal import normal_form
from groundplan.datasets.scenes import load_scene
from groundplan.domains.action import PlanAction
from groundplan.domains.evaluate import evaluate, truth
from groundplan.domains.formula import Atom, Formula, Sometime, walk
from groundplan.domains.pack import load_pack
from groundplan.planners.proofs.search import Prover
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.facts import Facts
from groundplan.simulator.partial_state import PartialArgs, PartialState
from groundplan.simulator.scene import Node, Scene
from groundplan.simulator.world import World

HOUSEHOLD = Path(__file__).resolve().parents[2] / "domains" / "household"
OFFICE = ground(load_scene("office"), load_pack())


class Known:
    """A state's facts, some of which nobody knows."""

    def __init__(self, belief: Belief, facts: Facts, hidden: set[tuple[str, PartialArgs]]) -> None:
        self.belief, self.facts, self.hidden = belief, facts, hidden

    def value(self, predicate: str, args: PartialArgs) -> bool | None:
        if any(predicate == p and instance(a, args) for p, a in self.hidden):
            return None
        if None in args:
            return None if self.facts.matching(predicate, args) else False
        return bool(self.facts.matching(predicate, args))

    def spend(self, steps: int = 1) -> None:
        pass


def instance(args: PartialArgs, pattern: PartialArgs) -> bool:
    return all(wide in (None, name) for name, wide in zip(args, pattern, strict=True))


def after_some_actions(belief: Belief, rng: random.Random) -> World:
    """Return a world in which some things are elsewhere than at the start."""
    world, names = World(belief), list(belief.scene.nodes)
    for _ in range(300):
        schema = rng.choice(list(belief.pack.domain.actions.values()))
        fitting = [[n for n in names if belief.has_type(n, p.type)] for p in schema.parameters]
        if all(fitting):
            world.perform(PlanAction(schema.name, tuple(map(rng.choice, fitting))))
    return world


def drawn(seeds: range) -> Iterator[tuple[Belief, World, Formula, random.Random]]:
    for pack in PACKS:
        for seed in seeds:
            rng = random.Random(seed)
            made = random_world(seed, pack)
            world = after_some_actions(made.belief, rng)
            for one in made.goals:
                if not any(isinstance(n, Sometime) for n in walk(one.goal.formula)):
                    yield made.belief, world, one.goal.formula, rng


def ever_less_hidden(belief: Belief, world: World, rng: random.Random) -> list[set[tuple[str, PartialArgs]]]:
    """Return ever smaller sets of hidden facts, true and false ones, down to none."""
    predicates, names = belief.pack.domain.predicates, list(belief.scene.nodes)
    facts: list[tuple[str, PartialArgs]] = [(a.predicate, a.args) for a in world.state.facts]
    for predicate in sorted(belief.pack.fluents):
        arity = predicates[predicate].arity
        facts += [(predicate, tuple(rng.choice(names) for _ in range(arity))) for _ in range(20)]
    hidden = [f for f in dict.fromkeys(facts) if f[0] in belief.pack.fluents]
    rng.shuffle(hidden)
    return [set(hidden[: len(hidden) * left // 4]) for left in (4, 3, 2, 1, 0)]


@pytest.mark.parametrize("grouped", [False, True])
def test_what_is_decided_is_true_and_stays_so(grouped: bool) -> None:
    decided_early = 0
    for belief, world, goal, rng in drawn(range(40, 46)):
        groups = belief.exclusive if grouped else {}
        actual, before = evaluate(goal, world), None
        for hidden in ever_less_hidden(belief, world, rng):
            value = truth(goal, PartialState(belief, Known(belief, world.state.facts, hidden), groups))
            assert value in (None, actual), str(goal)
            assert before is None or value == before, str(goal)
            decided_early += bool(hidden) and value is not None
            before = value
        # Without groups nothing says that a thing is always somewhere, so it might be nowhere.
        assert before is not None or not grouped, str(goal)
    assert decided_early > 50


@pytest.mark.parametrize(
    ("goal", "value"),
    [
        ("(open fridge)", None),
        ("(or (open fridge) (not (open fridge)))", None),
        ("(and (open fridge) (holding fork))", False),
        ("(at-least 1 (?x - fridge) (open ?x))", None),
        ("(at-most 1 (?x - fridge) (open ?x))", True),
        ("(exactly 2 (?x - fridge) (open ?x))", False),
        ("(in_room fork cafeteria)", True),
        ("(in_room apple1 kitchen)", None),
        ("(at-least 2 (?r - room) (in_room apple1 ?r))", False),
        ("(at-most 1 (?i - apple) (holding ?i))", True),  # one hand
        ("(at-least 1 (?i - apple) (holding ?i))", None),
        # Two things may rest on one fact, which is then no rival of itself.
        ("(at-least 2 (?i - apple ?j - banana) (and (holding ?i) (inside_of ?j fridge)))", None),
        ("(forall (?x - fridge) (imply (open ?x) (holding fork)))", None),
    ],
)
def test_three_values(goal: str, value: bool | None) -> None:
    apples = OFFICE.members("apple")
    places = [(args, p) for a in apples for p in OFFICE.pack.locations for args in at(p, a)]
    hidden: set[tuple[str, PartialArgs]] = {(p, args) for args, p in places}
    hidden |= {("holding", (a,)) for a in apples} | {("open", ("fridge",))}
    hidden |= {("inside_of", (b, "fridge")) for b in OFFICE.members("banana")}
    state = PartialState(OFFICE, Known(OFFICE, OFFICE.facts, hidden), OFFICE.exclusive)
    assert truth(parse_goal(goal).formula, state) is value


def at(predicate: str, name: str) -> list[PartialArgs]:
    places = [(name, place) for place in ("fridge", "kitchen_bench", "lunch_table")]
    return [*OFFICE.facts.with_argument(predicate, 0, name), *places]


def test_assumptions_are_taken_back() -> None:
    anywhere: set[tuple[str, PartialArgs]] = {("stands_at", (room,)) for room in OFFICE.members("room")}
    state = PartialState(OFFICE, Known(OFFICE, OFFICE.facts, anywhere), {})
    assert state.holds("robot_at", ("kitchen",)) is None
    state.assumptions.assume(Atom("robot_at", ("kitchen",)), True)
    assert state.holds("robot_at", ("kitchen",)) and state.holds("robot_at", ("lobby",)) is False
    state.assumptions.retract()
    assert state.holds("robot_at", ("lobby",)) is None


def on_floors(seed: int, folder: Path) -> Belief:
    """Return a world with rooms on a floor, furniture on it that is in no room, and parts of furniture."""
    shutil.copytree(HOUSEHOLD, folder, dirs_exist_ok=True)
    mapping = (folder / "mapping.toml").read_text(encoding="utf-8")
    for old, new in (
        ("[types]\n", '[types]\nfloor = "asset"\n'),
        ('"asset", "part"]', '"asset", "part", "floor"]'),
    ):
        assert old in mapping
        mapping = mapping.replace(old, new)
    (folder / "mapping.toml").write_text(mapping, encoding="utf-8")
    rng = random.Random(seed)
    scene = SceneBuilder(rng, "household").scene(seed)
    nodes = {"floor1": Node("floor1", "floor")} | {
        n.id: replace(n, parent="floor1") if n.type == "room" else n for n in scene.nodes.values()
    }
    agent = scene.agent.id
    nodes |= {
        "kiosk": Node("kiosk", "asset", "floor1", "in", ("kiosk",), ("release",)),
        "shelf": Node("shelf", "part", "kiosk", "in", ("shelf",), ("release",)),
        "bread": Node("bread", "object", "shelf", "ontop_of", ("bread",), ("pickup",)),
        agent: replace(nodes[agent], at=rng.choice(["kiosk", scene.agent.at, "room0"])),
    }
    return ground(Scene(scene.name, nodes, scene.links), load_pack(str(folder)))


@pytest.mark.parametrize("seed", range(6))
def test_places_of_any_type_hold_what_the_world_climbs_from(seed: int, tmp_path: Path) -> None:
    belief = on_floors(seed, tmp_path)
    world, rng = after_some_actions(belief, random.Random(seed)), random.Random(seed)
    nodes = belief.scene.nodes
    places = [n for n in nodes if nodes[n].type not in ("object", "agent")]
    goals = [Atom("robot_at", (place,)) for place in places]
    goals += [Atom("in_room", (name, place)) for name in nodes for place in places]
    for hidden in ever_less_hidden(belief, world, rng):
        state = PartialState(belief, Known(belief, world.state.facts, hidden), belief.exclusive)
        for goal in goals:
            assert truth(goal, state) in (None, evaluate(goal, world)), str(goal)
            assert hidden or truth(goal, state) is not None


def test_a_floor_that_the_robot_is_on_is_no_proof(tmp_path: Path) -> None:
    belief = on_floors(0, tmp_path)
    nodes = {n: replace(x, at="kiosk") if x.type == "agent" else x for n, x in belief.scene.nodes.items()}
    belief = ground(Scene("kiosk", nodes, belief.scene.links), belief.pack)
    goal = Atom("robot_at", ("floor1",))
    assert evaluate(goal, World(belief))
    assert Prover(goal, belief).thorough() is None
    assert holds_now(normal_form(goal, belief), belief.facts)
