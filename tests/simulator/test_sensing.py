"""Beliefs and observations: nothing is believed but what was given or seen, and what is seen is so."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import InputError, SceneError
from groundplan.domains.evaluate import evaluate
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.facts import Facts
from groundplan.simulator.observations import Observations, Spot, StepOutcome, outcome_from_json
from groundplan.simulator.scene import PLACE_UNKNOWN, THINGS, Scene, node_key
from groundplan.simulator.sensing import Environment, Move, OpenBelief, spots_of, unexplored, with_hidden
from groundplan.simulator.sensing.snapshot import believed_after, scene_now
from groundplan.simulator.step import Step
from groundplan.simulator.world import Effect, World

PACK = load_pack()
OFFICE = ground(load_scene("office"), PACK)
NEXT = next(iter(OFFICE.scene.neighbours["pose8"]))


def atoms(facts: Facts) -> set[str]:
    return {str(atom) for atom in facts}


def keys(scene: Scene) -> dict[str, list[object]]:
    """The nodes of a scene without coordinates: those of a thing are only where it was first."""
    return {i: node_key(replace(n, position=None)) for i, n in scene.nodes.items()}


def wandering(truth: Belief, seed: int, count: int) -> World:
    """Return a world in which a robot has done things at random."""
    world, draw = World(truth), random.Random(seed)
    names = list(truth.scene.nodes)
    verbs = ("pickup", "release", "open", "close", "turn_on", "turn_off", "access", "goto")
    done = 0
    while done < count:
        here = world.state.here
        links, state = world.scene.neighbours.get(here, {}), world.state
        near = [n for n in names if n in links or state.room_of(n) == here]
        done += isinstance(world.apply(Step(draw.choice(verbs), (draw.choice(near or names),))), Effect)
    return world


@pytest.mark.parametrize("seed", range(8))
def test_a_state_as_a_scene_gives_the_same_state_again(seed: int) -> None:
    truth = ground(furnished_building(Sizes(1, 4, 12, 16, 0), seed), PACK)
    world = wandering(truth, seed, 60)
    again = truth.on(scene_now(world))
    stands = f"({PACK.at} {world.state.stands_at})"
    assert atoms(again.facts) - {f"({PACK.at} {again.start})"} == atoms(world.state.facts) - {stands}


def test_a_step_changes_in_the_belief_what_it_changes_in_the_world() -> None:
    belief, world = OFFICE, World(OFFICE)
    for name in (*OFFICE.routes.route("pose8", "kitchen").hops,):
        effect = world.apply(Step("goto", (name,)))
        assert isinstance(effect, Effect)
    for verb, name in (("access", "fridge"), ("open", "fridge"), ("pickup", "banana2"), ("close", "fridge")):
        trial = World(belief) if verb != "access" else world
        effect = trial.apply(Step(verb, (name,)))
        assert isinstance(effect, Effect)
        belief = believed_after(belief, trial, effect)
    assert belief.scene.nodes["banana2"].parent == OFFICE.scene.agent.id
    assert belief.scene.agent.at == "fridge" and "closed" in belief.scene.nodes["fridge"].state
    assert belief.log == (), "the effects of a step are no observation"


def everything_seen(truth: Belief, belief: Belief) -> Belief:
    """Return the belief of a robot that was everywhere with every door open, by what it saw there alone."""
    for name, node in truth.scene.nodes.items():
        if "open" in node.affordances:
            truth = truth.on(truth.scene.changed(change={name: {"state": ("open",)}}))
    for room in (n for n in truth.scene.nodes.values() if n.type in ("room", "pose")):
        there = truth.scene.changed(
            change={truth.scene.agent.id: {"at": room.id, "parent": truth.scene.agent.parent}}
        )
        belief = belief.observe(Environment(truth.on(there)).look())
    return belief


@pytest.mark.parametrize("seed", range(10))
def test_a_belief_holds_what_was_given_or_seen_and_at_the_end_all_there_is(seed: int) -> None:
    truth = ground(furnished_building(Sizes(1, 4, 12, 16, 0), seed), PACK)
    environment = Environment(truth, seed=seed)
    draw = random.Random(seed)
    for start in (with_hidden(truth), unexplored(truth)):
        belief, given = start, keys(start.scene)
        seen: dict[str, list[object]] = {}
        for _ in range(40):
            look = environment.look()
            seen |= {n.id: node_key(replace(n, position=None)) for n in look.nodes}
            belief = belief.observe(look)
            for name, key in keys(belief.scene).items():
                unplaced = belief.scene.nodes[name].relation == PLACE_UNKNOWN
                assert seen.get(name, given.get(name)) == key or (unplaced and name in {*seen, *given}), name
            near = sorted(look.here for _ in (0,)) + [e for w in look.ways for e in (w.a, w.b)]
            environment.act(Step("goto", (draw.choice(near),)))
        whole = everything_seen(truth, belief)
        doors = {n for n, node in truth.scene.nodes.items() if "open" in node.affordances}
        robot = truth.scene.agent.id
        believed, true = keys(whole.scene), keys(truth.scene)
        assert believed.keys() == true.keys()
        same = [n for n in true if n not in doors and n != robot]
        assert [n for n in same if believed[n] != true[n]] == []
        assert all(spot in whole.looked for spot in spots_of(whole))


def test_after_everything_was_seen_the_links_are_the_true_ones() -> None:
    truth = ground(furnished_building(Sizes(1, 3, 4, 1, 0), 1), PACK)
    whole = everything_seen(truth, unexplored(truth))

    def ends(scene: Scene) -> set[tuple[str, ...]]:
        return {tuple(sorted((x.a, x.b))) for x in scene.links}

    assert ends(whole.scene) == ends(truth.scene) != ends(unexplored(truth).scene)


def test_a_contradiction_touches_one_thing_and_no_other() -> None:
    kitchen = OFFICE.scene.nodes["kitchen"]
    bench = OFFICE.scene.nodes["kitchen_bench"]
    bread = OFFICE.scene.nodes["bread"]
    rest = [OFFICE.scene.nodes[n] for n in ("butter", "chips", "kale_leaves2")]
    others = [n for n in OFFICE.scene.nodes.values() if n.parent == "kitchen" and n.id != "kitchen_bench"]
    moved = replace(bread, parent="coffee_machine")
    sight = Observations("kitchen", (kitchen, *others, bench, moved, *rest), (), (Spot("kitchen"),))
    after = OFFICE.observe(sight)
    assert [(c.node, c.seen is None) for c in after.log] == [("bread", False), ("orange1", True)]
    touched = {n for n in OFFICE.scene.nodes if after.scene.nodes[n] != OFFICE.scene.nodes[n]}
    assert touched == {"bread", "orange1"}
    assert after.scene.nodes["orange1"].affordances == ("pickup",), "what it is, is still known"
    assert OFFICE.scene.nodes["orange1"].parent == "kitchen_bench" and OFFICE.log == ()
    assert after.observe(sight) is after, "seen twice changes nothing"


def test_what_is_behind_a_door_stays_as_believed_until_that_is_open() -> None:
    kitchen, fridge = OFFICE.scene.nodes["kitchen"], OFFICE.scene.nodes["fridge"]
    shut = OFFICE.observe(Observations("kitchen", (kitchen, fridge), (), (Spot("kitchen"),)))
    assert shut.scene.nodes["banana2"].parent == "fridge"
    opened = replace(fridge, state=("open",))
    sight = Observations("kitchen", (kitchen, opened), (), (Spot("kitchen"), Spot("fridge", "inside_of")))
    assert shut.observe(sight).scene.nodes["banana2"].relation == PLACE_UNKNOWN


# The true world


def test_steps_fail_as_often_as_they_should_and_then_change_nothing() -> None:
    environment = Environment(OFFICE, failure=0.2, seed=5)
    step, back = Step("goto", (NEXT,)), Step("goto", ("pose8",))
    done = 0
    for _ in range(1000):
        here = environment.look().here
        outcome = environment.act(step if here == "pose8" else back)
        assert outcome.done == (outcome.observations.here != here) and outcome.done == bool(outcome.moved_mm)
        done += outcome.done
    assert 760 <= done <= 840
    same = [Environment(OFFICE, failure=0.2, seed=5) for _ in range(2)]
    tries = [[environment.act(step).done for _ in range(20)] for environment in same]
    assert tries[0] == tries[1], "an episode can be repeated"


def test_a_refused_step_says_why_and_a_stuck_one_never_works() -> None:
    environment = Environment(OFFICE, stuck=[Step("goto", (NEXT,))])
    refused = environment.act(Step("open", ("fridge",)))
    assert not refused.done and "fridge" in refused.message and refused.moved_mm == 0
    assert not any(environment.act(Step("goto", (NEXT,))).done for _ in range(20))


def test_somebody_else_moves_things_but_not_what_the_robot_holds() -> None:
    moves = [Move(1, "orange1", "inside_of", "drawer"), Move(2, "orange1", "ontop_of", "desk1")]
    environment = Environment(OFFICE, moves=moves)
    environment.act(Step("goto", (NEXT,)))
    assert environment.judge(parse_goal("(inside_of orange1 drawer)").formula).reached
    environment.act(Step("goto", ("pose8",)))
    judgement = environment.judge(parse_goal("(inside_of orange1 drawer)").formula)
    assert not judgement.reached and "desk1" in judgement.unsatisfied[0]
    with pytest.raises(KeyError):
        Environment(OFFICE, moves=[Move(1, "orange99", "ontop_of", "desk1")])
    with pytest.raises(ValueError, match="probability"):
        Environment(OFFICE, failure=1.5)


def test_the_metres_of_a_world_are_those_of_its_routes() -> None:
    environment = Environment(OFFICE)
    steps = [Step("goto", (hop,)) for hop in OFFICE.routes.route("pose8", "kitchen").hops]
    moved = [environment.act(step).moved_mm for step in steps]
    assert sum(moved) == environment.moved_mm == OFFICE.routes.distance("pose8", "kitchen")


def test_outcomes_travel_as_json_and_nothing_else_does() -> None:
    outcome = Environment(OFFICE).act(Step("goto", (NEXT,)))
    assert outcome_from_json(outcome.as_json()) == outcome
    for broken in (
        None,
        {},
        outcome.as_json() | {"done": 1},
        outcome.as_json() | {"moved_mm": -1},
        outcome.as_json() | {"observations": {"here": "x", "nodes": {}, "ways": [], "spots": []}},
        outcome.as_json() | {"observations": {"here": "x", "nodes": [], "ways": [[1]], "spots": []}},
        outcome.as_json() | {"observations": {"here": "x", "nodes": [], "ways": [], "spots": [["a", 1]]}},
    ):
        with pytest.raises(InputError):
            outcome_from_json(broken)


# Three values


def unlooked(belief: Belief) -> tuple[Spot, ...]:
    return tuple(s for s in spots_of(belief) if s not in belief.looked)


@pytest.mark.parametrize(
    ("goal", "value", "matter"),
    [
        ("(not (exists (?c - banana) (in_room ?c kitchen)))", None, {"kitchen", "inside_of fridge"}),
        ("(exists (?x - banana) (inside_of ?x fridge))", None, {"kitchen", "inside_of fridge"}),
        ("(forall (?x - banana) (in_room ?x kitchen))", None, {"lobby", "inside_of cabinet3"}),
        ("(exactly 0 (?x - banana) (inside_of ?x fridge))", None, {"inside_of fridge"}),
        ("(at-most 1 (?x - banana) (inside_of ?x fridge))", None, {"inside_of fridge"}),
        ("(inside_of orange1 fridge)", None, {"inside_of fridge"}),
        ("(closed fridge)", True, set()),
        ("(forall (?d - desk) (open ?d))", False, set()),
        ("(exists (?x - desk) (in_room ?x nikos_office))", True, set()),
    ],
)
def test_what_may_be_unseen_leaves_a_goal_open(goal: str, value: bool | None, matter: set[str]) -> None:
    belief = with_hidden(OFFICE, named=["orange1"])
    state = OpenBelief(belief, unlooked(belief), ["orange1"])
    formula = parse_goal(goal).formula
    assert state.decide(formula) is value
    mattering = set(map(str, state.matters(formula)))
    assert matter <= mattering
    if "kitchen" in goal and goal.startswith("(not"):
        assert "lobby" not in mattering, "only the kitchen has to be looked through"
    if "forall" in goal and value is None:
        assert "kitchen" not in mattering, "one in the kitchen would be where it should be"


def test_a_goal_is_decided_when_the_places_that_matter_were_exhausted() -> None:
    belief = with_hidden(OFFICE)
    formula = parse_goal("(not (exists (?c - unicorn) (in_room ?c kitchen)))").formula
    left = list(OpenBelief(belief, unlooked(belief)).matters(formula))
    while left:
        assert OpenBelief(belief, unlooked(belief)).decide(formula) is None
        belief = replace(belief, looked=belief.looked | {left.pop()})
    assert OpenBelief(belief, unlooked(belief)).decide(formula) is True


def test_a_belief_that_is_not_marked_open_is_decided_as_ever() -> None:
    for goal, value in (
        ("(exists (?x - banana) (inside_of ?x fridge))", True),
        ("(not (exists (?c - banana) (in_room ?c kitchen)))", False),
        ("(exactly 1 (?x - banana) (inside_of ?x fridge))", True),
    ):
        assert OpenBelief(OFFICE, spots_of(OFFICE)).decide(parse_goal(goal).formula) is value


@pytest.mark.parametrize("seed", range(12))
def test_what_is_decided_is_so_whatever_is_unseen(seed: int) -> None:
    """Never a wrong word about the true world, with half of its spots looked at."""
    truth = ground(furnished_building(Sizes(1, 4, 12, 16, 0), seed), PACK)
    draw = random.Random(seed)
    all_spots = spots_of(truth)
    looked = frozenset(s for s in all_spots if draw.random() < 0.5)
    hidden = [n for n in truth.scene.by_type["object"] if not _covered(n, truth, looked)]
    belief = replace(with_hidden(truth, hidden), looked=looked)
    state = OpenBelief(belief, tuple(s for s in spots_of(belief) if s not in looked))
    classes = sorted({c for n in truth.scene.by_type["object"] for c in truth.scene.nodes[n].classes})
    rooms = truth.scene.by_type["room"]
    world, decided = World(truth), 0
    for _ in range(60):
        kind, room, number = draw.choice(classes), draw.choice(rooms), draw.randrange(3)
        text = draw.choice(
            (
                f"(forall (?x - {kind}) (in_room ?x {room}))",
                f"(not (exists (?x - {kind}) (in_room ?x {room})))",
                f"(exists (?x - {kind}) (in_room ?x {room}))",
                f"(exactly {number} (?x - {kind}) (in_room ?x {room}))",
                f"(at-most {number} (?x - {kind}) (in_room ?x {room}))",
                f"(at-least {number} (?x - {kind}) (in_room ?x {room}))",
            )
        )
        formula = parse_goal(text).formula
        value = state.decide(formula)
        decided += value is not None
        assert value in (None, evaluate(formula, world)), text
    assert decided


def _covered(name: str, truth: Belief, looked: frozenset[Spot]) -> bool:
    """Return whether a robot that looked at some spots has seen a thing."""
    node, room = truth.scene.nodes[name], truth.scene.room_of(name)
    chain = [name, *truth.scene.ancestors(name)]
    needed = {Spot(str(room))}
    for one in chain:
        parent = truth.scene.nodes[one].parent
        spot = Spot(str(parent), truth.scene.nodes[one].relation)
        if spot in spots_of(truth) and truth.scene.nodes[one].type in THINGS:
            needed.add(spot)
    return node.type == "object" and needed <= looked


def test_a_robot_of_its_own_may_report_too(tmp_path: object) -> None:
    outcome = StepOutcome(True, 0, Observations("pose8"))
    assert outcome_from_json(outcome.as_json()) == outcome


def test_no_thing_that_is_seen_has_the_name_of_one_that_there_may_be() -> None:
    marked = replace(OFFICE.scene.nodes["banana2"], id="\0\x000.0")
    with pytest.raises(SceneError, match="without two null characters"):
        OFFICE.observe(Observations("kitchen", (marked,)))


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ({"here": ""}, "observations: here: expected the id of a room or pose"),
        ({"here": "\0\0"}, "observations: here: expected the id of a room or pose"),
        ({"ways": {}}, "ways: expected a list"),
        ({"ways": [["hall", "kitchen", True]]}, "ways[0]: expected a length of 0 to 1000000 m, got True"),
        ({"ways": [["hall", "kitchen", 10**400]]}, "ways[0]: expected a length"),
        ({"ways": [["hall", "kitchen", float("nan")]]}, "ways[0]: expected a length"),
        ({"ways": [["hall", "kitchen", -1]]}, "ways[0]: expected a length"),
        ({"ways": [["hall", None, 1.0]]}, "ways[0]: expected ids of two places, and of the door, got None"),
        ({"ways": [["hall", "kitchen", 1.0, 3]]}, "ways[0]: expected ids of two places, and of the door"),
        ({"ways": [["hall", "kitchen"]]}, "ways[0]: expected two places, a length"),
        ({"spots": [["fridge", "inside_of"], ["fridge"]]}, "spots[1]: expected a node and a relation"),
        ({"spots": [["\0\x000.0", "inside_of"]]}, "spots[0]: expected a node and a relation"),
        (
            {"nodes": [{"id": "\0\x000.0", "type": "object"}]},
            "nodes[0].id: expected an id that does not begin",
        ),
    ],
)
def test_reports_are_refused_with_the_place_of_what_is_wrong(seen: dict[str, object], said: str) -> None:
    whole: dict[str, object] = {"here": "hall", "nodes": [], "ways": [], "spots": []}
    with pytest.raises(InputError) as error:
        outcome_from_json({"done": True, "moved_mm": 0, "message": "", "observations": whole | seen})
    assert said in str(error.value)


@pytest.mark.parametrize("moved", [-1, True, 1.5, None, "3", 10**400])
def test_what_was_moved_is_a_number_of_millimetres(moved: object) -> None:
    outcome = StepOutcome(True, 0, Observations("pose8")).as_json()
    with pytest.raises(InputError, match="moved_mm: expected millimetres, 0 to"):
        outcome_from_json(outcome | {"moved_mm": moved})
