"""Things whose place nobody knows: goals range over the others and say so, and nothing is proved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundplan.compiler.certificates.certificate import Certificate, Refused
from groundplan.compiler.certificates.checker import check_certificate
from groundplan.compiler.certificates.records import recheck
from groundplan.compiler.goals import unplaced
from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.goals.unplaced import unplaced_in, unplaced_named
from groundplan.compiler.query.answers import find
from groundplan.compiler.query.query import parse_query
from groundplan.domains.errors import SceneError
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.engines.result import PlanResult
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.english.lexical import Lexical
from groundplan.pipeline.hybrid import Request, run
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import PLACE_UNKNOWN, Link, Node, Scene
from groundplan.simulator.scene_json import node_from_json, node_to_json
from groundplan.simulator.world import World

HEATER = ("open", "close", "release", "turn_on", "turn_off")
NODES = (
    Node("kitchen", "room", affordances=("release",), classes=("kitchen",)),
    Node("hall", "room", affordances=("release",), classes=("hall",)),
    Node("table1", "asset", "hall", classes=("table",), affordances=("release",)),
    Node("microwave1", "asset", "kitchen", classes=("microwave",), affordances=HEATER),
    Node("microwave2", "asset", None, PLACE_UNKNOWN, classes=("microwave",), affordances=HEATER),
    Node("cup1", "object", "table1", "ontop_of", ("cup",), ("pickup",)),
    Node("cup2", "object", None, PLACE_UNKNOWN, ("cup",), ("pickup",)),
    Node("cup3", "object", "microwave2", "inside_of", ("cup",), ("pickup",)),
    Node("robot", "agent", classes=("agent",), at="hall"),
)
FLAT = Scene("flat", {n.id: n for n in NODES}, (Link("kitchen", "hall", 4.0),))
KNOWN = FLAT.changed(remove=["microwave2", "cup2"])
PACK = load_pack()


@pytest.fixture(scope="module")
def belief() -> Belief:
    return ground(FLAT, PACK)


def planned(goal: str, belief: Belief, engine: str = "pyperplan") -> PlanResult:
    return plan_goal(parse_goal(goal), belief, Engine.named(engine))


def codes(goal: str, belief: Belief) -> list[tuple[str, str]]:
    return [(d.severity, d.code) for d in check(parse_goal(goal), belief).diagnostics]


def test_what_is_in_a_thing_without_a_place_has_none_either() -> None:
    assert list(FLAT.unplaced) == ["microwave2", "cup2", "cup3"]
    assert FLAT.room_of("cup3") is None and not KNOWN.unplaced


def test_the_place_is_written_and_read_and_nothing_else_may_lack_one() -> None:
    cup = FLAT.nodes["cup2"]
    assert node_from_json(node_to_json(cup), "x") == cup
    assert node_to_json(cup)["relation"] == "unknown"
    with pytest.raises(SceneError, match="a parent"):
        FLAT.changed(change={"cup1": {"parent": None}})
    with pytest.raises(SceneError, match="a relation"):
        FLAT.changed(change={"cup1": {"relation": PLACE_UNKNOWN}})
    with pytest.raises(SceneError, match="a relation"):
        FLAT.changed(change={"hall": {"relation": PLACE_UNKNOWN}})


def test_the_simulator_has_it_nowhere_and_cannot_reach_it(belief: Belief) -> None:
    world = World(belief)
    assert world.state.room_of("cup2") is None and not world.holds("in_room", ("cup2", "kitchen"))
    assert world.holds("closed", ("microwave2",)) and world.holds("inside_of", ("cup3", "microwave2"))
    assert not belief.routes.connected("hall", "microwave2")


@pytest.mark.parametrize(
    "goal",
    [
        "(forall (?c - cup) (in_room ?c kitchen))",
        "(not (exists (?c - cup) (in_room ?c hall)))",
        "(exactly 1 (?c - cup) (in_room ?c kitchen))",
    ],
)
def test_goals_range_over_what_has_a_place_and_say_so(goal: str, belief: Belief) -> None:
    result = planned(goal, belief)
    assert result.verified and result.unplaced == ("cup2", "cup3")
    assert ("warning", "unplaced") in codes(goal, belief)
    assert unplaced_in(parse_goal(goal).formula, belief) == ("cup2", "cup3")


def test_a_goal_that_speaks_of_none_of_them_says_nothing(belief: Belief) -> None:
    goal = "(and (hot cup1) (forall (?t - table) (not (ontop_of cup1 ?t))))"
    assert codes(goal, belief) == [] and unplaced_in(parse_goal(goal).formula, belief) == ()
    assert planned(goal, belief).verified, "the microwave without a place is in nobody's way"


@pytest.mark.parametrize(
    "goal",
    [
        "(in_room cup2 kitchen)",
        "(not (in_room cup2 kitchen))",
        "(and (holding cup1) (not (holding cup2)))",
        "(open microwave2)",
        "(inside_of cup1 microwave2)",
    ],
)
def test_a_goal_that_wants_one_by_name_is_refused(goal: str, belief: Belief) -> None:
    assert codes(goal, belief) == [("error", "place-unknown")]
    record = run(Request(belief, goal=parse_goal(goal)), Engine.named("pyperplan"))
    assert record.outcome == "goal-error" and record.unplaced


def test_a_state_that_holds_already_and_an_alternative_are_warned_of(belief: Belief) -> None:
    assert ("warning", "place-unknown") in codes("(closed microwave2)", belief)
    either = "(or (open microwave2) (holding cup1))"
    assert ("warning", "place-unknown") in codes(either, belief)
    assert planned(either, belief).verified


@pytest.mark.parametrize("number", [2, 3])
def test_more_than_have_a_place_is_no_error_and_not_proved_impossible(number: int, belief: Belief) -> None:
    goal = f"(at-least {number} (?c - cup) (in_room ?c kitchen))"
    assert codes(goal, belief) == [("warning", "unplaced")]
    result = planned(goal, belief)
    assert result.ending.value == "not-found" and result.certificate is None
    assert "the places of microwave2, cup2, cup3 are not known" in result.reasons


def test_no_proof_is_given_or_accepted_where_a_place_is_not_known(belief: Belief) -> None:
    goal = "(exists (?c - cup) (and (ontop_of ?c table1) (holding ?c)))"
    proof = planned(goal, ground(KNOWN, PACK))
    assert proof.ending.value == "unsolvable" and proof.certificate is not None
    assert planned(goal, belief).ending.value == "not-found"
    forged: Certificate = replace(proof.certificate, scene=FLAT.hash)
    with pytest.raises(Refused, match="microwave2 is not known"):
        check_certificate(forged, belief, parse_goal(goal).formula)


def test_a_record_is_held_to_its_list(belief: Belief) -> None:
    goal = parse_goal("(forall (?c - cup) (in_room ?c kitchen))")
    record = run(Request(belief, goal=goal), Engine.named("pyperplan")).as_json()
    assert recheck(record, belief, goal.formula)["unplaced"].status == "rechecked"
    short = recheck({**record, "unplaced": ["cup2"]}, belief, goal.formula)["unplaced"]
    assert short.status == "refused" and "cup3" in short.detail
    bounded = {**record, "bound": record["cost"], "optimal": True}
    assert recheck(bounded, belief, goal.formula)["bound"].status == "not checked"


def test_no_plan_is_the_cheapest_where_a_place_is_not_known(belief: Belief) -> None:
    goal = "(holding cup1)"
    assert planned(goal, ground(KNOWN, PACK), "fast-downward-opt").optimal
    result = planned(goal, belief, "fast-downward-opt")
    assert result.verified and not result.optimal and result.bound is None
    assert "not proved to be the cheapest plan" in result.reasons[-1]
    assert planned("(hand_free)", belief, "fast-downward-opt").optimal, "nothing costs less than nothing"


def test_questions_leave_them_out_and_note_it(belief: Belief) -> None:
    result = find(parse_query("(find (?c - cup) (not (in_room ?c kitchen)))"), belief)
    assert [a.nodes for a in result.answers] == [("cup1",)]
    assert result.notes == ("left out, since the places of cup2, cup3 are not known",)
    assert find(parse_query("(find (?t - table))"), belief).notes == ()


@pytest.mark.parametrize("words", ["bring all cups to the kitchen", "bring the cup to the kitchen"])
def test_a_goal_that_a_reader_wrote_does_not_forget_those_that_it_could_not_see(
    words: str, belief: Belief
) -> None:
    record = run(Request(belief, words), Engine.named("pyperplan"), EmbeddedReader(Lexical(), PACK))
    assert record.verified and str(record.goal) == "(and (in_room cup1 kitchen) (hand_free))"
    assert record.unplaced == ("cup2", "cup3")
    assert not run(Request(belief, goal=parse_goal(str(record.goal))), Engine.named("pyperplan")).unplaced


def test_the_record_lists_them_and_a_sight_of_them_ends_it(belief: Belief) -> None:
    goal = parse_goal("(forall (?c - cup) (in_room ?c kitchen))")
    record = run(Request(belief, goal=goal), Engine.named("pyperplan"))
    assert record.verified and record.unplaced == ("cup2", "cup3")
    assert record.as_json()["unplaced"] == ["cup2", "cup3"]
    there = {"cup2": {"parent": "table1", "relation": "ontop_of"}, "cup1": {"parent": "kitchen"}}
    truth = ground(FLAT.changed(change=there), PACK)
    seen = run(Request(belief, goal=goal, world=truth), Engine.named("pyperplan"))
    assert seen.verified and seen.unplaced == ("cup3",)
    observed = [(o.node, o.believed) for o in seen.trajectory.observations]
    assert ("cup2", "place not known [pickup]") in observed


@pytest.mark.parametrize("words", ["Put cup2 on table1.", "put CUP 2 on the table", "Take cup2 and cup1."])
def test_an_instruction_that_names_a_thing_without_a_place_moves_no_other(words: str, belief: Belief) -> None:
    record = run(Request(belief, words), Engine.named("pyperplan"), EmbeddedReader(Lexical(), PACK))
    assert record.outcome == "not-understood" and not record.plan
    assert record.failures == ("not understood: the place of cup2 is not known",)
    assert not unplaced_named("Put cup1 on table2.", FLAT) and not unplaced_named("cup22", FLAT)


@pytest.mark.parametrize(
    ("words", "declined"),
    [
        ("Put the dirty cup on table1.", True),
        ("put the big dirty cup on the table", True),
        ("Bring all dirty cups to the kitchen.", True),
        ("Take the dirty coffee cup to the kitchen.", True),
        ("Put the cup that is dirty on table1.", True),
        ("Take the cup which is big and dirty to the kitchen.", True),
        ("Bring all cups that are dirty to the kitchen.", True),
        ("Bring the cup that's dirty to the kitchen.", True),
        ("Bring the cup that is not dirty to the kitchen.", False),
        ("Bring the cup that is blue to the kitchen.", False),
        ("Bring the cup to the kitchen.", False),
        ("Bring the blue cup to the kitchen.", False),
        ("Bring the dirty table and the cup to the kitchen.", False),
        ("Bring the dirty cupboard to the kitchen.", False),
    ],
)
def test_an_instruction_that_describes_what_has_no_place_moves_no_other(words: str, declined: bool) -> None:
    change = {
        "cup1": {"attributes": ("blue",)},
        "cup2": {"state": ("dirty",), "attributes": ("big", "blue"), "classes": ("cup", "coffee cup")},
    }
    flat = FLAT.changed(change=change)
    record = run(
        Request(ground(flat, PACK), words), Engine.named("pyperplan"), EmbeddedReader(Lexical(), PACK)
    )
    said = record.failures == ("not understood: the place of cup2 is not known",)
    assert said == declined and bool(unplaced_named(words, flat)) == declined
    if declined:
        assert record.outcome == "not-understood" and not record.plan
        known = flat.changed(change={"cup1": {"state": ("dirty",), "attributes": ("big",)}})
        assert bool(unplaced_named(words, known)) == ("coffee" in words), "another one fits"


def test_the_things_of_a_class_are_looked_at_once_however_many_have_no_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words_of_placed, looked = unplaced._words_of_placed, []

    def counting(sort: str, scene: Scene) -> frozenset[str]:
        looked.append(sort)
        return words_of_placed(sort, scene)

    monkeypatch.setattr(unplaced, "_words_of_placed", counting)
    cup = FLAT.nodes["cup2"]
    assert (
        unplaced_named("bring the dirty cup", FLAT.changed([replace(cup, id=f"c{n}") for n in range(9)]))
        == ()
    )
    assert sorted(looked) == ["cup", "microwave"]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("state", "attributes"),
    [(("dirty",), ("dirty",)), (("a",), ("a a",)), (("and",), ()), (("dirty",), ("-",))],
)
def test_an_instruction_that_says_one_word_again_and_again_is_read_at_once(
    state: tuple[str, ...], attributes: tuple[str, ...]
) -> None:
    flat = FLAT.changed(change={"cup2": {"state": state, "attributes": attributes}})
    again = " ".join(state * 100)
    assert unplaced_named(f"{again} plate", flat) == ()
    assert unplaced_named(f"the cup that is {again} plate", flat) == ("cup2",)
    assert unplaced_named(f"{again} cup", flat) == ("cup2",)
    assert unplaced_named("the cup", flat) == ()
