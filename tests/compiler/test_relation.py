"""Relations of goals: pairs with known verdicts, the states that show them, and what must stay unknown."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from groundplan.compiler.comparison import equivalent, relate, solver
from groundplan.compiler.comparison.drift import drifted
from groundplan.compiler.comparison.relation import GoalRelation, changes
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import open_scene
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import Formula
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene


@cache
def office() -> Belief:
    return ground(open_scene("office"), load_pack())


def world(*things: Node, at: str = "kitchen") -> Belief:
    """A kitchen with a table, a hall, and some things."""
    nodes = [
        Node("kitchen", "room"),
        Node("hall", "room", affordances=("release",)),
        Node("table", "asset", "kitchen", "in", (), ("release",)),
        *things,
        Node("robot", "agent", at=at),
    ]
    return ground(Scene("small", {n.id: n for n in nodes}, (Link("kitchen", "hall", 2.0),)), load_pack())


@cache
def trolley() -> Belief:
    """A movable trolley on the floor of the hall, and a mug that it can carry there."""
    carrier = Node("trolley", "object", "hall", "ontop_of", (), ("pickup", "release"))
    return world(carrier, Node("mug", "object", "table", "ontop_of", (), ("pickup",)))


@cache
def crates() -> Belief:
    can = ("pickup", "release")
    return world(*(Node(f"c{n}", "object", "table", "ontop_of", (), can) for n in (1, 2, 3)))


@cache
def tray() -> Belief:
    cup = Node("cup", "object", "table", "ontop_of", (), ("pickup",))
    return world(Node("t", "object", "table", "ontop_of", (), ("pickup", "release")), cup)


def formula(text: str) -> Formula:
    return parse_goal(text).formula


def related(a: str, b: str, belief: Belief) -> GoalRelation:
    """The relation of two goals, with each of its runs looked at once more, and the other way round."""
    one, other = formula(a), formula(b)
    answer, back = relate(one, other, belief), relate(other, one, belief)
    opposite = {"stronger": "weaker", "weaker": "stronger"}
    assert back.relation == opposite.get(answer.relation, answer.relation)
    for name, values in (("a_only", (True, False)), ("b_only", (False, True)), ("both", (True, True))):
        run = answer.sides[name].run
        if run is not None:
            assert (evaluate(one, run), evaluate(other, run)) == values
    return answer


ALL = "(?x - item ?d - asset) (ontop_of ?x ?d)"
PAIRS = [
    ("(hand_free)", "(not (exists (?i - item) (holding ?i)))", "equal"),
    ("(and (inside_of orange1 fridge) (closed fridge))", "(cold orange1)", "stronger"),
    ("(and (inside_of orange1 fridge) (not (cold orange1)))", "(open fridge)", "stronger"),
    ("(hot chicken_kebab)", "(sometime (hot chicken_kebab))", "equal"),
    ("(closed fridge)", "(sometime (closed fridge))", "stronger"),
    ("(and (holding pepsi) (robot_at kitchen))", "(in_room pepsi kitchen)", "stronger"),
    ("(holding pepsi)", "(exists (?r - room) (in_room pepsi ?r))", "overlapping"),
    (f"(at-most 100 {ALL})", f"(at-most 78 {ALL})", "equal"),
    ("(open microwave)", "(turned_off microwave)", "overlapping"),
    ("(sometime (holding pepsi))", "(not (ontop_of pepsi desk38))", "overlapping"),
    ("(not (in_room pepsi kitchen))",
     "(exists (?r - room) (and (in_room pepsi ?r) (not (= ?r kitchen))))", "weaker"),
    ("(exactly 1 (?r - room) (in_room pepsi ?r))", "(exists (?r - room) (in_room pepsi ?r))", "equal"),
    ("(sometime (open fridge))", "(and (sometime (open fridge)) (sometime (closed fridge)))", "equal"),
    ("(open fridge)", "(closed fridge)", "disjoint"),
    ("(inside_of pepsi fridge)", "(ontop_of pepsi fridge)", "disjoint"),
    ("(in_room pepsi kitchen)", "(in_room pepsi lobby)", "disjoint"),
    ("(robot_at fridge)", "(robot_at kitchen)", "stronger"),
    ("(at-least 2 (?x - banana) (hot ?x))", "(exists (?x - banana) (hot ?x))", "stronger"),
]  # fmt: skip


RUNS = [
    ("(and (hot chicken_kebab) (always (closed fridge)))", "(hot chicken_kebab)", "stronger"),
    ("(always (closed fridge))", "(closed fridge)", "stronger"),
    ("(always (closed fridge))", "(and (closed fridge) (never (open fridge)))", "equal"),
    ("(always (closed fridge))", "(sometime (open fridge))", "disjoint"),
    ("(never (robot_at kitchen))", "(never (robot_at fridge))", "stronger"),
    ("(forall (?x - apple) (never (holding ?x)))", "(never (exists (?x - apple) (holding ?x)))", "equal"),
    ("(forall (?r - office) (never (robot_at ?r)))", "(never (robot_at aarons_office))", "stronger"),
    ("(sometime-before (holding orange1) (open fridge))",
     "(imply (holding orange1) (sometime (open fridge)))", "stronger"),
    ("(sometime-before (open fridge) (holding orange1))",
     "(sometime-before (holding orange1) (open fridge))", "overlapping"),
    ("(sometime-after (open fridge) (closed fridge))", "(closed fridge)", "equal"),
    ("(sometime-after (open fridge) (holding orange1))",
     "(imply (sometime (open fridge)) (sometime (holding orange1)))", "stronger"),
    ("(at-most-once (open fridge))", "(never (open fridge))", "weaker"),
    ("(at-most-once (closed fridge))", "(and (at-most-once (closed fridge)) (closed fridge))", "weaker"),
    ("(never (do pickup ?x))", "(never (do pickup pepsi))", "stronger"),
    ("(never (do open fridge) :when (not (hand_free)))", "(never (do open fridge))", "weaker"),
    ("(never (do pickup ?x) :when (inside_of ?x fridge))",
     "(never (do pickup orange1) :when (and (open fridge) (inside_of orange1 fridge)))", "stronger"),
    ("(never (do goto kitchen pose5))", "(never (do goto pose5 ?x))", "weaker"),
    ("(never (do open fridge))", "(never (do close fridge))", "overlapping"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "expected"), RUNS)
def test_pairs_about_the_run(a: str, b: str, expected: str) -> None:
    assert related(a, b, office()).relation == expected


def test_a_witness_has_just_the_states_that_count_and_the_steps_done_in_them() -> None:
    back = related("(at-most-once (open fridge))", "(and)", office()).sides["b_only"].run
    assert back is not None
    assert [world.holds("open", ("fridge",)) for world in back.worlds] == [True, False, True]
    done = related("(never (do pickup ?x))", "(never (do pickup pepsi))", office()).sides["b_only"].run
    assert done is not None and [[str(s) for s in steps] for steps in done.steps] == [
        ['("do pickup" ?x)'],
        [],
    ]
    none = related("(sometime (holding pepsi))", "(never (hand_free))", office())
    assert none.unsatisfiable == ("b",)  # it is free at the start


@pytest.mark.parametrize(("a", "b", "expected"), PAIRS)
def test_pairs_of_the_office(a: str, b: str, expected: str) -> None:
    assert related(a, b, office()).relation == expected


@pytest.mark.parametrize(
    ("make", "a", "b", "expected"),
    [
        (trolley, "(and (holding mug) (robot_at hall))", "(in_room mug hall)", "stronger"),
        (crates, "(ontop_of c1 c2)", "(not (ontop_of c2 c1))", "stronger"),
        (tray, "(robot_at t)", "(not (holding t))", "stronger"),
        (tray, "(and (holding t) (ontop_of cup t) (robot_at hall))", "(in_room cup hall)", "stronger"),
        (tray, "(in_room cup hall)", "(or (in_room t hall) (ontop_of cup hall) (holding cup))", "stronger"),
    ],
)
def test_pairs_about_what_things_can_carry(make: object, a: str, b: str, expected: str) -> None:
    assert callable(make)
    assert related(a, b, make()).relation == expected


def test_what_can_never_hold_and_what_always_does_is_said() -> None:
    two = related("(at-least 2 (?x - item) (holding ?x))", "(open fridge)", office())
    assert (two.unsatisfiable, two.always, two.relation) == (("a",), (), "stronger")
    assert two.sides["both"].empty and two.sides["b_only"].empty is False
    most = related("(at-most 1 (?x - apple) (holding ?x))", "(or (open fridge) (closed fridge))", office())
    assert (most.unsatisfiable, most.always) == ((), ("a", "b"))
    assert related("(closed fridge)", "(sometime (closed fridge))", office()).always == ("b",)
    ring = "(and (ontop_of c1 c2) (ontop_of c2 c3) (ontop_of c3 c1))"
    assert related(ring, "(hand_free)", crates()).unsatisfiable == ("a",)


def test_a_thing_that_is_carried_is_not_a_thing_that_is_held() -> None:
    """What a form that names no carrier took for one goal, and the drift that this hid."""
    held, there = "(and (holding mug) (robot_at hall))", "(in_room mug hall)"
    assert not equivalent(formula(held), formula(there), trolley())
    assert drifted([parse_goal(held)], parse_goal(there), trolley())
    assert not drifted([parse_goal(there)], parse_goal(held), trolley())


def test_alternatives_have_states_of_their_own_beside_what_other_conjuncts_need() -> None:
    """The largest alternative shares its state with another conjunct; the smaller one needs one more."""
    first, second = "(sometime (robot_at pose5))", "(sometime (robot_at pose7))"
    either = f"(or (and {first} (open fridge)) {second})"
    rest = f"{first} (closed fridge) (robot_at pose9)"
    assert related(either, f"(and {rest})", office()).relation == "overlapping"
    assert related(f"(and {rest} {either})", "(hand_free)", office()).relation == "overlapping"


def test_what_can_never_hold_is_said_also_where_both_goals_together_are_too_large() -> None:
    many = " ".join(f"(sometime (robot_at pose{number}))" for number in (1, 2, 3, 4, 5, 6, 7, 9, 10))
    answer = related("(always (open fridge))", f"(and {many})", office())
    assert (answer.relation, answer.unsatisfiable) == ("unknown", ("a",))


def test_a_fact_that_lasts_may_hold_in_a_state_between_only_if_it_does_at_the_end() -> None:
    """What the robot heats on the way is hot in the end."""
    heated = "(sometime (and (inside_of pepsi microwave) (turned_on microwave) (closed microwave)))"
    assert related(heated, "(hot pepsi)", office()).relation == "stronger"
    assert related(f"(and {heated} (not (hot pepsi)))", "(and)", office()).unsatisfiable == ("a",)


def test_what_is_not_decided_is_unknown_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    many = " ".join(f"(sometime (robot_at {room}))" for room in office().scene.by_type["room"][:9])
    assert "more than 8 states" in relate(formula(f"(and {many})"), formula("(open fridge)"), office()).why
    unseen = replace(office(), unseen=("object",))
    every = related("(forall (?x - apple) (holding ?x))", "(hand_free)", unseen)
    assert (every.relation, every.why) == ("unknown", "there may be more of object than was seen")
    nodes = dict(office().scene.nodes)
    nodes["pepsi"] = replace(nodes["pepsi"], parent=None, relation="unknown")
    lost = ground(replace(office().scene, nodes=nodes), load_pack())
    assert related("(holding pepsi)", "(hand_free)", lost).why == "the place of pepsi is not known"
    assert "of item is not known" in related("(exists (?x - item) (holding ?x))", "(hand_free)", lost).why
    assert related("(open fridge)", "(closed fridge)", lost).relation == "disjoint"
    monkeypatch.setattr(solver, "LIMIT", 20)
    counts = [f"(at-least 40 (?x - item) (in_room ?x {room}))" for room in ("kitchen", "lobby")]
    pigeons = related(*counts, office())
    assert pigeons.relation == "unknown" and "limit of 20 conflicts" in pigeons.why


@pytest.mark.parametrize("trays", [3, 14])
def test_a_thing_in_what_is_not_followed_may_be_within_several_places_at_once(trays: int) -> None:
    """On a tray on the table a thing is below the table, in the kitchen and where the robot stands."""
    carried = [
        Node(f"tray{n}", "object", parent="table", relation="ontop_of", affordances=("pickup", "release"))
        for n in range(1, trays + 1)
    ]
    belief = world(Node("table", "asset", parent="kitchen", affordances=("release",)), *carried)
    there = "(robot_at tray1) (robot_at table) (robot_at kitchen)"
    pairs = (
        (f"(and {there})", "(ontop_of tray1 table)"),
        (f"(and {there} (not (ontop_of tray1 table)))", "(hand_free)"),
        (f"(and {there} (in_room tray1 kitchen) (not (ontop_of tray1 table)))", "(holding tray2)"),
    )
    for a, b in pairs:
        made = related(a, b, belief)
        assert made.relation in ("overlapping", "unknown") and not made.unsatisfiable
        assert trays > 3 or made.relation == "overlapping"


def test_a_witness_has_no_facts_that_do_not_matter() -> None:
    office = ground(open_scene("office"), load_pack())
    pairs = [
        ("(open fridge)", "(or (open fridge) (open microwave))"),
        ("(open microwave)", "(turned_off microwave)"),
        ("(open fridge)", "(open microwave)"),
    ]
    for first, second in pairs:
        related = relate(parse_goal(first).formula, parse_goal(second).formula, office)
        facts = [changes(side.run.worlds[-1]) for side in related.sides.values() if side.run is not None]
        assert facts and all(len(one) <= 8 for one in facts)
