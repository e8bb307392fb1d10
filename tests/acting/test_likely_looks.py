"""Policies by probability and cost, and priors by names, on situations with a known best look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from groundplan.acting import (
    Episode,
    MeaningLikelihood,
    SimilarityPriors,
    SpotPriors,
    act_in,
)
from groundplan.acting.beliefs import NearGoalPriors, task_priors
from groundplan.acting.beliefs.naming import (
    SHARE_FURNITURE,
    SHARE_ROOM,
    NamedPlacePriors,
    mentions,
    named_elsewhere,
)
from groundplan.acting.beliefs.nearness import SHARE_NEAR
from groundplan.acting.beliefs.spots import FLOOR, LID, RARE, described
from groundplan.acting.looking import candidates, sought_of, views_of
from groundplan.acting.policies.likely import LeastExpectedCost, LikeliestFirst, LikeliestPerMetre
from groundplan.acting.policies.policy import LookOption, NearestUnlooked, Priors, Situation, Uniform
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.mapping import AROUND
from groundplan.domains.pack import load_pack, template_texts
from groundplan.engines.engine import Engine
from groundplan.language.embedded.supposing import suppose
from groundplan.language.english.embedding import installed, load
from groundplan.planners.request import Request
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.observations.observation import Spot
from groundplan.simulator.scene_json import read_scene
from groundplan.simulator.sensing import Environment
from groundplan.simulator.sensing.hiding import with_hidden
from groundplan.simulator.sensing.spots import room_of_spot, spots_of
from groundplan.simulator.world import World

LINE = {"a": 0, "near": 2000, "middle": 10_000, "beside": 11_000, "far": -40_000}
"""Millimetres along a corridor; the robot is at a."""


def situation(chances: dict[str, float], effort: dict[str, int] | None = None, **others: object) -> Situation:
    efforts = {place: 100 for place in chances} | (effort or {})
    options = tuple(
        LookOption(Spot(place), place, abs(LINE[place]), efforts[place], {"cup": chance}, efforts[place] > 0)
        for place, chance in chances.items()
    )
    return Situation("a", options, ("cup",), lambda a, b: abs(LINE[a] - LINE[b]), **others)  # type: ignore[arg-type]


def test_each_policy_weighs_what_it_is_named_for() -> None:
    chances = {"near": 0.02, "middle": 0.3, "beside": 0.28, "far": 0.4}
    drawn = situation(chances)
    assert NearestUnlooked().choose(drawn).place == "near"
    assert LikeliestFirst().choose(drawn).place == "far"
    assert LikeliestPerMetre().choose(drawn).place == "middle"


def test_the_least_expected_cost_takes_on_the_way_what_is_on_the_way() -> None:
    """Per metre the middle is better, but the look at near costs little on the way there."""
    drawn = situation({"near": 0.1, "middle": 0.6, "beside": 0.3}, {"near": 1})
    assert LikeliestPerMetre().choose(drawn).place == "middle"
    assert LeastExpectedCost(look_mm=0).choose(drawn).place == "near"
    assert LeastExpectedCost().choose(drawn).place == "middle", "a look takes time, too"


@pytest.mark.parametrize("policy", [LeastExpectedCost(), LikeliestPerMetre()])
def test_what_is_seen_by_being_there_is_no_look_and_costs_the_way_alone(policy: LeastExpectedCost) -> None:
    chances = {"near": 0.1, "middle": 0.35, "far": 0.1}
    assert policy.choose(situation(chances)).place == "middle"
    assert policy.choose(situation(chances, {"near": 0})).place == "near"


def test_a_closed_place_is_worth_its_effort_only_with_enough_probability() -> None:
    effort = {"near": 30_000}
    assert LeastExpectedCost().choose(situation({"near": 0.2, "middle": 0.8}, effort)).place == "middle"
    assert LeastExpectedCost().choose(situation({"near": 0.9, "middle": 0.1}, effort)).place == "near"


def test_where_every_spot_is_needed_the_way_through_them_is_the_shortest() -> None:
    drawn = situation({"middle": 0.9, "near": 0.0, "beside": 0.1}, all_needed=True)
    assert LeastExpectedCost().choose(drawn).place == "near"


@pytest.mark.parametrize("policy", [LeastExpectedCost(), LikeliestFirst(), LikeliestPerMetre()])
def test_ties_and_what_is_nowhere_likely_have_a_choice(policy: LeastExpectedCost) -> None:
    drawn = situation({"middle": 0.0, "far": 0.0})
    assert policy.choose(drawn) == policy.choose(drawn)
    assert policy.choose(drawn).place == "middle"


class Alike:
    """Similarity of words that share a letter."""

    def scores(self, query: str, texts: list[str]) -> tuple[float, ...]:
        thing = query.split()[-1].rstrip("?")
        return tuple(0.5 if any(thing[0] in word for word in t.split()[-1:]) else 0.1 for t in texts)


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack("household"))


def test_places_whose_names_are_alike_are_likelier_and_none_is_impossible(office: Belief) -> None:
    priors = SimilarityPriors(Alike())  # type: ignore[arg-type]
    fridge, kitchen = Spot("fridge", "inside_of"), Spot("kitchen")
    assert priors.weight("fork", fridge, office) > priors.weight("bun", fridge, office) > 0
    assert priors.weight("ketchup", kitchen, office) > priors.weight("bun", kitchen, office)
    assert kitchen.relation == AROUND


def test_a_thing_is_called_by_its_class_and_not_by_its_number(office: Belief) -> None:
    heard: list[str] = []

    class Listener(Alike):
        def scores(self, query: str, texts: list[str]) -> tuple[float, ...]:
            heard.extend([query, *texts])
            return super().scores(query, texts)

    SimilarityPriors(Listener()).weight("banana1", Spot("fridge", "inside_of"), office)  # type: ignore[arg-type]
    assert heard == ["where is the banana?", "in the kitchen, inside the fridge", "kitchen"]


@pytest.mark.skipif(not installed(), reason="needs the extra `embedded`")
@pytest.mark.parametrize("words", [True, False])
def test_embeddings_expect_food_in_the_fridge(office: Belief, words: bool) -> None:
    priors = SpotPriors(MeaningLikelihood(load())) if words else SimilarityPriors(load())
    fridge, desk = Spot("fridge", "inside_of"), Spot("desk1", "ontop_of")
    assert priors.weight("milk", fridge, office) > 3 * priors.weight("milk", desk, office)


@pytest.mark.parametrize(
    ("goal", "sought"),
    [
        ("(inside_of orange1 fridge)", ("orange1",)),
        ("(and (clean plate) (forall (?b - bin) (not (inside_of plate ?b))))", ("plate",)),
        (
            "(and (exists (?a - apple) (holding ?a)) (not (exists (?c - carrot) (in_room ?c kitchen))))",
            ("apple",),
        ),
        ("(exactly 2 (?a - apple) (inside_of ?a fridge))", ("apple",)),
        ("(at-most 2 (?a - apple) (inside_of ?a fridge))", ("apple",)),
        ("(forall (?c - carrot) (exists (?p - plate) (ontop_of ?c ?p)))", ("plate",)),
        ("(forall (?c - carrot) (inside_of ?c fridge))", ("carrot",)),
        ("(imply (forall (?c - carrot) (inside_of ?c fridge)) (holding orange1))", ("orange1", "carrot")),
        ("(exists (?d - desk) (robot_at ?d))", ()),
    ],
)
def test_what_is_sought_is_what_the_goal_needs(goal: str, sought: tuple[str, ...]) -> None:
    office = ground(load_scene("office"), load_pack())
    known = with_hidden(office, named=("orange1", "plate"))
    assert sought_of(parse_goal(goal).formula, known, tuple(known.scene.unplaced)) == sought


HIDDEN = with_hidden(ground(load_scene("office"), load_pack("grasif-looking")), named=["orange1", "document"])


def options(
    spots: Sequence[Spot], belief: Belief = HIDDEN, priors: Priors | None = None
) -> tuple[LookOption, ...]:
    world = World(belief)
    return candidates(views_of(spots, world)[0], world, ("orange1",), priors or Uniform())


def share_in(room: str, priors: Priors, thing: str, belief: Belief) -> float:
    """Return the probability that a thing is in a room, over all spots, looked at or not."""
    world = World(belief)
    weights = {spot: priors.weight(thing, spot, belief) for spot in spots_of(belief)}
    return sum(w for spot, w in weights.items() if room_of_spot(spot, world) == room) / sum(weights.values())


def test_half_of_the_belief_is_in_the_room_where_the_goal_needs_a_thing() -> None:
    goal = parse_goal("(and (inside_of orange1 fridge) (ontop_of document desk4))").formula
    near, plain = NearGoalPriors(Uniform(), goal), spots_of(HIDDEN)
    for thing, room in (("orange1", "kitchen"), ("document", "wills_office")):
        world = World(HIDDEN)
        before = sum(room_of_spot(spot, world) == room for spot in plain) / len(plain)
        share = share_in(room, near, thing, HIDDEN)
        assert share == pytest.approx(SHARE_NEAR + (1 - SHARE_NEAR) * before) and before < 0.2
    other = "kitchen" if room != "kitchen" else "wills_office"
    assert share_in(other, near, "document", HIDDEN) < 0.1


def test_what_was_looked_at_in_vain_leaves_less_for_the_room_of_the_goal() -> None:
    """A mixture over all spots, so that an empty room is believed less in, and others more."""
    near = NearGoalPriors(Uniform(), parse_goal("(ontop_of orange1 kitchen_bench)").formula)
    world = World(HIDDEN)
    kitchen = [spot for spot in spots_of(HIDDEN) if room_of_spot(spot, world) == "kitchen"]

    def left_in_kitchen(belief: Belief) -> float:
        spots = [spot for spot in spots_of(belief) if spot not in belief.looked]
        listed = options(spots, belief, near)
        rooms = {room_of_spot(c.spot, world) or "": 0.0 for c in listed}
        for c in listed:
            rooms[room_of_spot(c.spot, world) or ""] += c.probability["orange1"]
        return rooms.get("kitchen", 0.0)

    half = replace(HIDDEN, looked=frozenset(kitchen[: len(kitchen) // 2]))
    assert 0 < left_in_kitchen(half) < left_in_kitchen(HIDDEN)


@pytest.mark.parametrize("goal", ["(turned_off coffee_machine)", "(holding orange1)", "(clean plate)"])
def test_a_goal_without_a_place_leaves_the_belief_as_it_is(goal: str) -> None:
    near = NearGoalPriors(Uniform(), parse_goal(goal).formula)
    assert len({near.weight("orange1", spot, HIDDEN) for spot in spots_of(HIDDEN)}) == 1


def test_a_class_is_near_where_the_goal_needs_one_of_it() -> None:
    goal = parse_goal("(exists (?f - snack) (and (healthy ?f) (ontop_of ?f desk2)))").formula
    room = room_of_spot(Spot("desk2", "ontop_of"), World(HIDDEN))
    assert room is not None and share_in(room, NearGoalPriors(Uniform(), goal), "snack", HIDDEN) > 0.5


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Take the mug from Jason's office to the lunch table.", ["jasons_office", "lunch_table"]),
        ("The fridge is in the kitchen", ["fridge", "kitchen"]),
        ("Is it on desk 12, desk 99 or the printer?", ["desk12", "printer2"]),
        (
            "In printing zone 2 or the robot lounge",
            ["printing_zone2", "robot_lounge1 robot_lounge2"],
        ),
        ("All recycling bins", ["recycling_bin"]),
        ("a postdoctoral desktop, a kitchenette", []),
        ("", []),
    ],
)
def test_places_are_named_by_all_their_words_and_by_their_number(text: str, named: list[str]) -> None:
    assert [" ".join(sorted(mention)) for mention in mentions(text, HIDDEN.scene)] == named


def test_an_instruction_that_names_another_room_is_believed_with_three_quarters() -> None:
    goal = parse_goal("(ontop_of orange1 lunch_table)").formula
    priors = NamedPlacePriors(Uniform(), goal, "Bring the orange from Jason's office to the lunch table.")
    spots, world = spots_of(HIDDEN), World(HIDDEN)
    before = sum(room_of_spot(spot, world) == "jasons_office" for spot in spots) / len(spots)
    share = share_in("jasons_office", priors, "orange1", HIDDEN)
    assert share == pytest.approx(SHARE_ROOM + (1 - SHARE_ROOM) * before)
    there = task_priors(Uniform(), goal, "Bring the orange from Jason's office to the lunch table.")
    assert share_in("jasons_office", there, "orange1", HIDDEN) > 0.7


def test_furniture_that_is_named_and_not_needed_is_where_a_thing_is_with_one_half() -> None:
    goal = parse_goal("(ontop_of orange1 desk4)").formula
    priors = NamedPlacePriors(Uniform(), goal, "Take the orange out of the fridge and lay it on Will's desk.")
    weights = {spot: priors.weight("orange1", spot, HIDDEN) for spot in spots_of(HIDDEN)}
    share = sum(w for spot, w in weights.items() if spot.node == "fridge") / sum(weights.values())
    assert SHARE_FURNITURE < share < SHARE_FURNITURE + 0.05


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ("(ontop_of orange1 desk4)", "Put the orange on the desk in Will's office."),
        (
            "(and (inside_of document cabinet4) (ontop_of orange1 desk4))",
            "File it, and put the orange on a desk.",
        ),
        ("(ontop_of orange1 desk4)", "Bring the orange."),
        (
            "(ontop_of orange1 desk4)",
            "The orange isn't in the kitchen. Bring it, but not from the cafeteria.",
        ),
        ("(ontop_of orange1 unseen_tray)", "Put the orange on the tray."),
    ],
)
def test_a_place_of_the_goal_that_is_named_says_nothing_of_where_things_are(goal: str, text: str) -> None:
    assert named_elsewhere(text, parse_goal(goal).formula, HIDDEN) == (frozenset(), frozenset())


def test_furniture_that_is_named_with_its_room_is_none_elsewhere() -> None:
    goal = parse_goal("(ontop_of orange1 desk4)").formula
    text = "The orange is on the desk in Jason's office, or on the printer."
    rooms, furniture = named_elsewhere(text.replace("desk", "cabinet"), goal, HIDDEN)
    assert rooms == {"jasons_office"} and furniture == {"cabinet5"}


def test_in_a_pack_that_sees_tables_from_the_door_a_named_table_is_seen_in_its_room() -> None:
    known = with_hidden(ground(load_scene("office"), load_pack("household")), named=["orange1"])
    goal = parse_goal("(inside_of orange1 fridge)").formula
    priors = NamedPlacePriors(Uniform(), goal, "The orange on the lunch table has to be cold.")
    weights = {spot: priors.weight("orange1", spot, known) for spot in spots_of(known)}
    best = max(weights, key=lambda spot: weights[spot])
    assert best == Spot("cafeteria") and weights[best] / sum(weights.values()) > SHARE_FURNITURE


@pytest.mark.parametrize(
    ("called", "instruction", "phrase"),
    [
        (
            "document",
            "File the freshly printed document in Will's office.",
            "freshly printed document",
        ),
        ("plate", "Take care of the dirty plates", "dirty plates"),
        ("coffee mug", "Bring me a mug.", "coffee mug"),
        ("orange", "Heat it.", "orange"),
        ("orange", "Bring the orange mug, and then both ripe oranges.", "ripe oranges"),
        ("toilet paper", "The toilet paper fell down.", "toilet paper"),
        ("two", "Bring two.", "two"),
    ],
)
def test_a_thing_is_called_as_the_instruction_calls_it(called: str, instruction: str, phrase: str) -> None:
    assert described(called, instruction) == phrase


def test_the_question_where_a_thing_is_has_the_words_of_the_instruction() -> None:
    heard: list[str] = []

    class Listener(Alike):
        def scores(self, query: str, texts: list[str]) -> tuple[float, ...]:
            heard.append(query)
            return super().scores(query, texts)

    priors = SimilarityPriors(Listener(), "Eat the overripe orange.")  # type: ignore[arg-type]
    priors.weight("orange1", Spot("fridge", "inside_of"), HIDDEN)
    assert heard == ["where is the overripe orange?"]


def test_spots_that_seldom_have_a_thing_weigh_less() -> None:
    same = SimilarityPriors(Same())  # type: ignore[arg-type]
    truth = ground(load_scene("office"), load_pack("grasif-looking"))
    movable = next(s for s in spots_of(truth) if truth.scene.nodes[s.node].type == "object")
    usual = same.weight("fork", Spot("desk1", "ontop_of"), truth)
    for spot, factor in (
        (Spot("desk1", "under"), RARE),
        (Spot("desk1", "attached_to"), RARE),
        (movable, RARE),
        (Spot("fridge", "ontop_of"), LID),
        (Spot("kitchen"), FLOOR),
        (Spot("fridge", "inside_of"), 1.0),
    ):
        assert same.weight("fork", spot, truth) == pytest.approx(factor * usual), spot
    assert 0 < RARE < LID < FLOOR < 1


LOOK_ON = """
  (:action look_on
    :parameters (?b - bench)
    :precondition (and (at ?b))
    :effect (and (looked_on ?b) (increase (total-cost) 100)))
)"""
LOOKED = "\n    (looked_on ?b - bench)\n    (vial ?t - thing))"
"""A look, and what was looked at, for a domain in which nothing is inside of a thing."""


@pytest.mark.parametrize("name", ["shelf1", "spectrometer1"])
def test_a_pack_without_insides_has_tops_that_weigh_what_others_do(tmp_path: Path, name: str) -> None:
    texts = template_texts()
    domain = texts["domain.pddl"].replace("\n    (vial ?t - thing))", LOOKED)
    texts["domain.pddl"] = domain.rstrip().removesuffix(")") + LOOK_ON
    texts["mapping.toml"] += (
        '\nlooked_on = ["{0} was looked at", "{0} was not looked at"]\n'
        '\n[look]\nontop_of = "(looked_on ?y)"\n'
        '\n[actions.look_on]\nstep = "look_on(?b)"\nskill = "look"\nverb = "look at {b}"\n'
    )
    texts["scene.json"] = texts["scene.json"].replace('"parent": "shelf1"', f'"parent": "{name}"')
    for file, text in texts.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    truth = ground(read_scene(tmp_path / "scene.json"), load_pack(str(tmp_path)))
    known, goal = with_hidden(truth, named=["vial1"]), parse_goal("(holding vial1)")
    priors = SimilarityPriors(Same())  # type: ignore[arg-type]
    tops = {priors.weight("vial1", spot, known) for spot in spots_of(known) if spot.relation == "ontop_of"}
    assert len(tops) == 1
    request, engine = Request(known, goal=goal), Engine.named("pyperplan")
    episode = Episode(request, LikeliestFirst(), engine, priors=priors)
    finish = act_in(Environment(truth), episode)
    assert finish is not None and finish.outcome == "verified", finish


@pytest.mark.parametrize("table", ["parents", "look"])
def test_a_top_weighs_less_only_where_a_pack_tells_of_insides_that_are_out_of_sight(table: str) -> None:
    truth = ground(load_scene("office"), load_pack("grasif-looking"))
    mapping = truth.pack.mapping
    less = {"parents": mapping.parents, "look": mapping.look, "sight": mapping.sight}
    gone = {t: {r: a for r, a in less[t].items() if r != "inside_of"} for t in {table, "sight"}}
    untold = replace(truth, pack=replace(truth.pack, mapping=replace(mapping, **gone)))
    same = SimilarityPriors(Same())  # type: ignore[arg-type]
    top, other = Spot("fridge", "ontop_of"), Spot("desk1", "ontop_of")
    usual = same.weight("fork", other, truth)
    assert same.weight("fork", top, truth) < usual
    assert same.weight("fork", top, untold) == same.weight("fork", other, untold) == usual


def test_a_room_is_more_than_its_floor_where_that_shows_its_furniture_or_nobody_knows_it(
    office: Belief,
) -> None:
    same = SimilarityPriors(Same())  # type: ignore[arg-type]
    looking = ground(load_scene("office"), load_pack("grasif-looking"))
    unknown = replace(looking, unseen=("object", "asset"))
    floor = same.weight("fork", Spot("kitchen"), looking)
    for belief in (office, unknown):
        assert same.weight("fork", Spot("kitchen"), belief) == pytest.approx(floor / FLOOR)


class Same:
    """Similarity of somebody to whom all texts are alike."""

    def scores(self, query: str, texts: list[str]) -> tuple[float, ...]:
        return (0.3,) * len(texts)


def test_what_one_look_shows_is_one_candidate_with_the_probability_of_all() -> None:
    listed, unreached = options(spots_of(HIDDEN)), views_of(spots_of(HIDDEN), World(HIDDEN))[1]
    table = [c for c in listed if c.spot.node == "kitchen_bench"]
    alone = [c for c in listed if c.spot == Spot("fridge", "inside_of")]
    assert not unreached and len(table) == len(alone) == 1
    on_and_under = [s for s in spots_of(HIDDEN) if s.node == "kitchen_bench"]
    ratio = table[0].probability["orange1"] / alone[0].probability["orange1"]
    assert ratio == pytest.approx(len(on_and_under)) and len(on_and_under) > 1
    assert sum(c.probability["orange1"] for c in listed) == pytest.approx(1)


def test_a_look_that_costs_no_effort_is_one_all_the_same() -> None:
    listed = options(spots_of(HIDDEN))
    acting = {option.spot: option.acts for option in listed}
    assert not acting[Spot("kitchen")] and acting[Spot("desk1", "ontop_of")]
    free = replace(situation({"near": 0.1, "middle": 0.35}, {"near": 0}), here="a")
    assert LikeliestPerMetre().choose(free).place == "near"
    opened = replace(free, candidates=tuple(replace(c, acts=True) for c in free.candidates))
    assert LikeliestPerMetre().choose(opened).place == "middle"


def test_a_supposed_place_that_was_found_leaves_the_beliefs_as_they_are() -> None:
    """Its name is gone from the scene then, and still in the goal that beliefs were made for."""
    truth = ground(load_scene("office"), load_pack("household"))
    known = with_hidden(truth)
    text = "Put the screwdriver in the toolbox and bring the milk carton to desk 38."
    goal = parse_goal(
        "(and (inside_of unseen_screwdriver unseen_toolbox) (ontop_of unseen_milk_carton desk38))"
    )
    episode = Episode(
        Request(known, goal=goal), NearestUnlooked(), Engine.named("pyperplan"),
        priors=task_priors(Uniform(), goal.formula, text), supposition=suppose(text, known),
    )  # fmt: skip
    finish = act_in(Environment(truth), episode)
    assert finish is not None and finish.outcome == "verified", finish
