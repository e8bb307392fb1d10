"""Goal drift: every way to ask for less is found, and asking for something else or for more is none.

The oracle for weakenings is the definition of truth: where a world makes the repaired goal true and the first
one false, something was lost.
"""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest
from draws import draws
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from strategies import beliefs, formulas, walked

from groundplan.compiler.comparison.drift import drifted
from groundplan.compiler.comparison.entailment import equivalent
from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import open_scene
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import And, Formula, Imply, Not, Or, conjuncts
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.pipeline.hybrid import Request, run
from groundplan.planners.proofs.impossible import impossible_sets
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Node
from groundplan.simulator.scene_json import scene_from_json

SETTINGS = draws(40, by_day=20, suppress_health_check=list(HealthCheck))

ON, OPEN, ORANGE = "(turned_on microwave)", "(open microwave)", "(ontop_of orange1 lunch_table)"
FIRST = f"(and {ON} {OPEN} {ORANGE})"
BOTTLES = "(?w - bottle_water) (ontop_of ?w table5)"
COOLED = "(and (inside_of orange1 fridge) (closed fridge))"


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_set("office-planning")[1].load(), load_pack())


def porch() -> Belief:
    """A porch with nothing but a sledge that takes things: being there is more than being carried there."""
    nodes = [
        {"id": "den", "type": "room"},
        {"id": "porch", "type": "room"},
        {"id": "bench", "type": "asset", "parent": "den", "affordances": ["release"]},
        {
            "id": "sledge",
            "type": "object",
            "parent": "porch",
            "relation": "inside_of",
            "affordances": ["pickup", "release"],
        },
        {
            "id": "lamp",
            "type": "object",
            "parent": "bench",
            "relation": "ontop_of",
            "affordances": ["pickup"],
        },
        {"id": "robot", "type": "agent", "at": "den"},
    ]
    raw = {"format": "groundplan-scene", "version": 1, "name": "porch", "nodes": nodes}
    return ground(
        scene_from_json({**raw, "links": [{"a": "den", "b": "porch", "length": 2.0}]}, "scene"), load_pack()
    )


def test_a_goal_that_cannot_be_keeps_only_what_it_says(office: Belief) -> None:
    """From what the scene rules out all follows, so nothing is to be taken to follow from it."""
    impossible = "(filled orange1)"  # nothing fills an orange, and the check does not know
    both, first = (parse_goal(f"(and {impossible} {part})") for part in (OPEN, "(opened microwave)"))
    assert check(both, office).ok
    assert drifted([both], parse_goal(impossible), office) == f"the repair dropped {OPEN}"
    assert drifted([first], parse_goal(impossible), office) == "the repair dropped (opened microwave)"
    assert not drifted([both], both, office) and not drifted([first], both, office)


@pytest.mark.parametrize(
    ("first", "repaired", "lost"),
    [
        ("(and (holding lamp) (robot_at porch))", "(in_room lamp porch)", True),
        ("(holding lamp)", "(in_room lamp porch)", False),
        ("(and (in_room lamp porch) (holding lamp))", "(in_room lamp porch)", True),
        ("(forall (?x - item) (and (in_room ?x porch) (robot_at porch)))", "(in_room lamp porch)", True),
        ("(in_room lamp porch)", "(and (holding lamp) (robot_at porch))", False),
        ("(in_room lamp porch)", "(and (in_room lamp porch) (in_room sledge den))", False),
    ],
)
def test_a_form_that_asks_for_more_than_its_goal_keeps_nothing(first: str, repaired: str, lost: bool) -> None:
    belief, asked, answer = porch(), parse_goal(first), parse_goal(repaired)
    assert bool(drifted([asked], answer, belief)) == lost
    assert not equivalent(asked.formula, answer.formula, belief)
    for goal in (asked, answer):
        assert equivalent(goal.formula, Not(Not(goal.formula)), belief)


WEAKER = {
    "dropped": (FIRST, ORANGE),
    "already true": (FIRST, f"(and (closed fridge) (closed microwave) {ORANGE})"),
    "the opposites": (FIRST, f"(and (turned_off microwave) (closed microwave) {ORANGE})"),
    "negations": (FIRST, f"(and (not (holding apple2)) (not (holding banana1)) {ORANGE})"),
    "at least none": (FIRST, f"(and (at-least 0 (?x - item) (holding ?x)) {OPEN} {ORANGE})"),
    "at most any": (FIRST, f"(and {ON} {OPEN} (at-most 900 (?x - item) (ontop_of ?x lunch_table)))"),
    "itself": (FIRST, f"(and {ON} {OPEN} (= orange1 orange1))"),
    "at some time": (FIRST, f"(and (sometime {ON}) {OPEN} {ORANGE})"),
    "something at some time": (FIRST, f"(and (sometime (robot_at kitchen)) {ON} {OPEN})"),
    "under a condition": (FIRST, f"(and (imply (holding orange1) {ON}) {OPEN} {ORANGE})"),
    "a choice by De Morgan": (FIRST, f"(and (not (and (not {ON}) (not {OPEN}))) {OPEN} {ORANGE})"),
    "a choice with something true": (FIRST, f"(and (or (and {ON}) (closed fridge)) {OPEN} {ORANGE})"),
    "a choice of the whole": (FIRST, f"(or {FIRST} (open fridge))"),
    "anything that is on": (FIRST, f"(and (exists (?x - asset) (turned_on ?x)) {OPEN} {ORANGE})"),
    "the room only": (FIRST, f"(and {ON} {OPEN} (in_room orange1 cafeteria))"),
    "said twice": (FIRST, f"(and {OPEN} {OPEN} (not (not {OPEN})) {ORANGE})"),
    "two names of one fact": (FIRST, f"(and {OPEN} (not (closed microwave)) {ORANGE})"),
    "what follows anyway": (FIRST, f"(and {ON} {OPEN} (not (inside_of orange1 fridge)))"),
    "one for two": (FIRST, f"(and (hot bread) {ORANGE})"),
    "one for two, twice": (FIRST, f"(and (hot bread) (or (hot bread) (hot bread)) {ORANGE})"),
    "two with one way out": (
        FIRST,
        f"(and (or (hot bread) (holding apple2)) (or (hot bread) (holding apple1)) {ORANGE})",
    ),
    "inside a quantifier": (
        f"(exists (?x - orange) (and (inside_of ?x microwave) {ON} {OPEN}))",
        "(exists (?x - orange) (inside_of ?x microwave))",
    ),
    "for some instead of all": (f"(forall {BOTTLES})", f"(exists {BOTTLES})"),
    "at least instead of exactly": (f"(exactly 3 {BOTTLES})", f"(at-least 3 {BOTTLES})"),
    "fewer": (f"(at-least 3 {BOTTLES})", f"(at-least 2 {BOTTLES})"),
    "what was true must stay": (COOLED, "(inside_of orange1 fridge)"),
    "what was true for another truth": (COOLED, "(and (inside_of orange1 fridge) (not (holding apple2)))"),
    "beside an affordance": (f"(and {ON} {ORANGE} (closed chair2))", OPEN),
    "beside two kinds of errors": (f"(and {ON} {ORANGE} (open unicorn) (closed chair2))", ORANGE),
    "beside a contradiction": ("(and (hot bread) (holding apple1) (holding apple2))", "(holding apple2)"),
    "a stronger kept part": (f"(and {ON} (exists (?x - orange) (hot ?x)))", "(hot orange1)"),
    "a kept part for all": (f"(and {ON} (exists (?x - orange) (hot ?x)))", "(forall (?x - orange) (hot ?x))"),
    "true already, after errors": (f"(and {ON} (closed chair2))", "(closed fridge)"),
    "true already, after nothing but an error": ("(inside_of orange1 fridgee)", "(closed fridge)"),
    "something else for every part": (FIRST, "(and (hot bread) (open fridge) (holding apple2))"),
    "standing somewhere": (ORANGE, "(robot_at kitchen)"),
    "anything held": (ORANGE, "(exists (?x - item) (holding ?x))"),
    "one thing held": (ORANGE, "(exactly 1 (?x - item) (holding ?x))"),
    "anything held beside a kept part": (
        f"(and {ORANGE} {ON})",
        f"(and {ON} (exists (?x - item) (holding ?x)))",
    ),
    "a choice that speaks of it": (ORANGE, "(or (holding knife) (hot orange1))"),
    "a choice for each": (
        f"(and {ON} {ORANGE})",
        f"(and {ON} (forall (?x - orange) (or (holding knife) (hot ?x))))",
    ),
    "the opposite, after an error": ("(inside_of orange1 fridgee)", "(not (inside_of orange1 fridge))"),
    "the rest, after errors": ("(and (inside_of orange1 fridgee) (closed fridgee))", "(closed fridge)"),
    "another thing, after an error": ("(inside_of orange1 fridgee)", "(not (inside_of apple1 fridge))"),
    "at most anything, after an error": (
        "(inside_of orange1 fridgee)",
        "(at-most 99 (?x - item) (inside_of ?x fridge))",
    ),
    "holding something": (f"(and {ORANGE} (closed chair2))", "(holding knife)"),
    "a place on the way": (f"(and {ORANGE} (hot bread))", f"(and {ORANGE} (robot_at kitchen))"),
}  # fmt: skip


def drift(first: Goal, repaired: Goal, belief: Belief) -> str:
    """Return the drift where nothing is impossible but what a first goal with errors has of it."""
    sets = () if check(first, belief).ok else impossible_sets(first, belief)
    return drifted([first], repaired, belief, impossible=[part for one in sets for part in one.parts])


@pytest.mark.parametrize("case", WEAKER)
def test_asking_for_less_is_drift(case: str, office: Belief) -> None:
    first, repaired = map(parse_goal, WEAKER[case])
    assert check(repaired, office).ok
    assert drift(first, repaired, office)


ALLOWED = {
    "the same": (FIRST, FIRST),
    "in another order": (FIRST, f"(and {ORANGE} {OPEN} {ON})"),
    "by De Morgan": (FIRST, f"(not (or (not {ON}) (not {OPEN}) (not {ORANGE})))"),
    "under a quantifier": (FIRST, f"(forall (?x - orange) (and {ON} {OPEN} {ORANGE}))"),
    "by the opposite": (FIRST, f"(and {ON} (not (closed microwave)) {ORANGE})"),
    "by the opposite of what is true": (COOLED, "(and (inside_of orange1 fridge) (not (open fridge)))"),
    "more": (FIRST, f"(and {ORANGE} {OPEN} {ON} (hot bread))"),
    "another name": (FIRST, f"(and {ON} {OPEN} (ontop_of apple2 lunch_table))"),
    "another place": (FIRST, f"(and {ON} {OPEN} (inside_of orange1 recycling_bin))"),
    "another name in what is true": (
        "(and (inside_of orange1 fridge) (closed cabinet3))",
        COOLED,
    ),
    "the opposite of what cannot be had with a kept part": (FIRST, f"(and {ON} (closed microwave) {ORANGE})"),
    "another thing of the same kind for every part": (
        FIRST,
        "(and (turned_on dishwasher) (open fridge) (ontop_of bread lunch_table))",
    ),
    "renamed": ("(exists (?x - orange) (hot ?x))", "(exists (?o - orange) (hot ?o))"),
    "all for some": ("(exists (?x - orange) (hot ?x))", "(forall (?x - orange) (hot ?x))"),
    "one of them for some": ("(exists (?x - orange) (inside_of ?x fridge))", "(inside_of orange1 fridge)"),
    "both for either": ("(or (open fridge) (open microwave))", "(and (open fridge) (open microwave))"),
    "one for either": ("(or (open fridge) (open microwave))", "(open fridge)"),
    "exactly for at least": (f"(at-least 2 {BOTTLES})", f"(exactly 3 {BOTTLES})"),
    "at the end for at some time": ("(sometime (open fridge))", "(open fridge)"),
    "a place for its room": ("(in_room orange1 cafeteria)", ORANGE),
    "a thing for its room": ("(robot_at kitchen)", "(robot_at fridge)"),
    "a class for its members": (
        "(and (ontop_of bread lunch_table) (ontop_of butter lunch_table) (ontop_of cheese lunch_table))",
        "(forall (?x - food) (ontop_of ?x lunch_table))",
    ),
    "a class for things elsewhere": (
        "(and (inside_of apple1 fridge) (inside_of apple2 fridge))",
        "(forall (?x - apple) (inside_of ?x microwave))",
    ),
    "another class": (
        "(forall (?x - apple) (inside_of ?x fridge))",
        "(forall (?x - orange) (inside_of ?x fridge))",
    ),
    "without what follows": (f"(and {ORANGE} (in_room orange1 cafeteria))", ORANGE),
    "elsewhere, with what followed": (
        f"(and {ORANGE} (in_room orange1 cafeteria))",
        "(ontop_of orange1 table1)",
    ),
    "without an invented name": (f"(and {ON} (open unicorn))", ON),
    "an invented name put right": ("(closed frige)", "(closed fridge)"),
    "an invented predicate put right": ("(shut fridge)", "(closed fridge)"),
    "another name, said by the opposite": (
        "(and (hot bread) (open cabinet3))",
        "(and (hot bread) (not (closed fridge)))",
    ),
    "another machine, said by the opposite": ("(turned_on microwave)", "(not (turned_off dishwasher))"),
    "one of a contradiction": ("(and (holding apple1) (holding apple2))", "(holding apple2)"),
    "one of three that exclude each other": (
        "(and (holding apple1) (holding apple2) (inside_of apple2 fridge))",
        "(inside_of apple2 fridge)",
    ),
    "on and off": (
        "(and (turned_on coffee_machine) (turned_off coffee_machine))",
        "(and (sometime (turned_on coffee_machine)) (turned_off coffee_machine))",
    ),
    "a large goal": (
        "(forall (?x - item) (in_room ?x kitchen))",
        "(and (hot bread) (forall (?z - item) (in_room ?z kitchen)))",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ALLOWED)
def test_asking_for_something_else_or_for_more_is_no_drift(case: str, office: Belief) -> None:
    first, repaired = map(parse_goal, ALLOWED[case])
    assert check(repaired, office).ok
    assert drift(first, repaired, office) == ""


def test_what_is_impossible_may_go_and_nothing_else(office: Belief) -> None:
    first, pair = parse_goal(FIRST), parse_goal(f"(and {ON} {OPEN})")
    impossible = conjuncts(pair.formula)
    assert drifted([first], parse_goal(ORANGE), office)
    assert not drifted([first], parse_goal(ORANGE), office, impossible=impossible)
    assert drifted([first], parse_goal(ON), office, impossible=impossible) == f"the repair dropped {ORANGE}"
    every = parse_goal("(forall (?x - banana) (ontop_of ?x desk7))")
    one, other = (parse_goal(f"(ontop_of banana{n} desk7)") for n in (1, 2))
    assert not drifted([every], other, office, impossible=[one.formula])
    assert drifted([every], one, office, impossible=[one.formula])
    # What may go is not new, where it stays: it stands for nothing that was lost.
    pair = "(ontop_of banana1 desk1) (ontop_of banana1 desk2)"
    first, repaired = parse_goal(f"(and {pair} (ontop_of apple2 desk3))"), "(ontop_of banana1 desk1)"
    impossible = conjuncts(parse_goal(f"(and {pair})").formula)
    assert drifted([first], parse_goal(repaired), office, impossible=impossible)


@pytest.fixture(scope="module")
def greenhouse(tmp_path_factory: pytest.TempPathFactory) -> Belief:
    """A pack that says ``lies_on`` for what lies on something and ``beside`` for where the robot is."""
    example = Path(__file__).resolve().parents[2] / "examples" / "greenhouse"
    folder = tmp_path_factory.mktemp("pack") / "greenhouse"
    shutil.copytree(example, folder)
    for file in folder.glob("*.toml"):
        file.write_text(file.read_text().replace("robot_at", "beside"))
    scene = open_scene(str(example / "scene.json"))
    bench = Node("bench2", "asset", "south", "in", ("bench",), ("release",))
    crate = Node("crate1", "object", "bench1", "ontop_of", ("crate",), ("pickup", "release"))
    return ground(replace(scene, nodes={**scene.nodes, "bench2": bench, "crate1": crate}), load_pack(folder))


@pytest.mark.parametrize(
    ("first", "repaired", "drift"),
    [
        ("(beside bench2)", "(beside south)", True),
        ("(beside south)", "(beside bench2)", False),
        ("(lies_on can1 bench2)", "(in_room can1 south)", True),
        (
            "(and (in_room can1 south) (not (in_room can1 north)))",
            "(and (lies_on can1 crate1) (lies_on crate1 bench2))",
            False,
        ),
    ],
)
def test_drift_goes_by_the_predicates_of_the_pack(
    first: str, repaired: str, drift: bool, greenhouse: Belief
) -> None:
    assert check(parse_goal(repaired), greenhouse).ok
    assert bool(drifted([parse_goal(first)], parse_goal(repaired), greenhouse)) is drift


def test_it_says_what_was_lost(office: Belief) -> None:
    first = parse_goal(FIRST)
    weaker = drifted([first], parse_goal(f"(and (sometime {ON}) {OPEN} {ORANGE})"), office)
    assert weaker == f"the repair made {ON} less than it was: (sometime {ON})"
    assert drifted([first], parse_goal(ORANGE), office) == f"the repair dropped {ON} {OPEN}"


def test_the_first_readable_and_the_first_well_formed_goal_both_count(office: Belief) -> None:
    unicorn, chair = parse_goal("(open unicorn)"), parse_goal("(closed chair2)")
    errors = (unicorn.formula, chair.formula)
    readable = parse_goal(f"(and {ON} {unicorn})")
    formed = parse_goal(f"(and {ON} {OPEN} (hot bread))")
    later = parse_goal("(and (hot bread) (holding apple1))")
    before = [readable, chair, formed, later]
    assert drifted(before, parse_goal(f"(and {ON} {OPEN})"), office, impossible=errors)
    assert drifted(before, parse_goal(f"(and {ON} {OPEN} (hot butter))"), office, impossible=errors) == ""
    # No answer before could be read: a goal that is true already is no answer to what was said about them.
    assert "holds already" in drifted([], parse_goal("(closed fridge)"), office)
    assert drifted([], parse_goal("(open fridge)"), office) == ""
    # What goes back anyway is not judged.
    assert drifted([formed], parse_goal("(closed chair2)"), office) == ""


def test_large_goals_take_no_longer_than_their_check(office: Belief) -> None:
    """Nothing is expanded beyond a bound, and entailment is bounded by work."""
    choices = " ".join(
        f"(or (forall (?x - item) (in_room ?x {r})) (hot bread))" for r in ("kitchen", "lobby")
    )
    first = parse_goal(
        f"(and (forall (?x - item) (exists (?y - asset) (inside_of ?x ?y))) {choices} {FIRST})"
    )
    repaired = parse_goal(f"(and (exactly 7 (?x - item) (hot ?x)) {choices})")
    started = time.process_time()
    assert check(first, office).ok and check(repaired, office).ok
    checked = time.process_time() - started
    started = time.process_time()
    assert drifted([first], repaired, office)
    assert time.process_time() - started < 3 * checked + 1


CONSTRAINTS = (
    "(always (closed microwave))",
    "(always (and (closed microwave) (closed cabinet)))",
    "(sometime-before (holding orange1) (open fridge))",
    "(sometime-after (open fridge) (closed fridge))",
    "(at-most-once (robot_at pose13))",
    "(never (do open microwave))",
    "(never (do open fridge) :when (not (hand_free)))",
    "(never (robot_at kitchen))",
    "(forall (?x - apple) (sometime-before (holding ?x) (open fridge)))",
    "(forall (?r - office) (never (robot_at ?r)))",
)
HELD = "(holding orange1)"


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_no_repair_leaves_out_a_trajectory_constraint(constraint: str, office: Belief) -> None:
    """Also not one that is impossible beside the rest, or of a goal with an error elsewhere."""
    repaired, kept = f"(and (open fridge) {HELD})", f"(and {constraint} (open fridge) {HELD})"
    for first in map(parse_goal, (f"(and (open frdge) {HELD} {constraint})", kept)):
        sets = [part for one in impossible_sets(first, office) for part in one.parts]
        for impossible in ([], sets) if sets else ([],):
            lost = drifted([first], parse_goal(repaired), office, impossible=impossible)
            assert lost == f"the repair dropped or changed {parse_goal(constraint)}"
            assert drifted([first], parse_goal(kept), office, impossible=impossible) == ""


@pytest.mark.parametrize(
    ("first", "repaired", "lost"),
    [
        (CONSTRAINTS[2], "(sometime-before (open fridge) (holding orange1))", True),
        (CONSTRAINTS[2], "(sometime-after (holding orange1) (open fridge))", True),
        (CONSTRAINTS[1], "(always (closed microwave))", True),
        (CONSTRAINTS[0], CONSTRAINTS[1], False),
        (CONSTRAINTS[5], "(never (do open ?x))", False),
        (CONSTRAINTS[6], "(never (do open fridge))", False),
        (CONSTRAINTS[7], "(never (or (robot_at kitchen) (robot_at lobby)))", False),
        (CONSTRAINTS[4], "(never (robot_at pose13))", False),
        (CONSTRAINTS[2], "(and (never (holding apple1)) (sometime-before (holding orange1) (open fridge)))",
         False),
        (CONSTRAINTS[0], "(closed microwave)", True),
        (CONSTRAINTS[5], "(never (do close microwave))", True),
        (CONSTRAINTS[6], "(never (do open fridge) :when (hand_free))", True),
        (CONSTRAINTS[8], "(sometime-before (holding apple1) (open fridge))", True),
        (CONSTRAINTS[8], CONSTRAINTS[8].replace("?x", "?y"), False),
        ("(never (robot_at ktchen))", "(never (robot_at kitchen))", False),
        ("(never (robot_at ktchen))", "(always (robot_at kitchen))", True),
        ("(sometime-before (holding orang1) (open fridge))", CONSTRAINTS[2], False),
        (
            "(sometime-before (holding orang1) (open fridge))",
            "(sometime-before (open fridge) (holding orange1))",
            True,
        ),
        ("(never (do opn microwave))", CONSTRAINTS[5], False),
        ("(and (never (do open fridge)) (never (do close fridge)))",
         "(and (never (do close fridge)) (never (do open fridge)))", False),
    ],
)  # fmt: skip
def test_a_trajectory_constraint_is_kept_or_follows(
    first: str, repaired: str, lost: bool, office: Belief
) -> None:
    before, after = (
        parse_goal(f"(and (open frdge) {HELD} {first})"),
        parse_goal(f"(and (open fridge) {HELD} {repaired})"),
    )
    assert check(after, office).ok
    assert bool(drift(before, after, office)) is lost


def test_a_run_does_not_go_where_its_goal_forbade_it(office: Belief) -> None:
    """The orange is in the kitchen: that it cannot be had is told, and the prohibition is not given up."""
    model = ScriptedModel.of(f"(and {HELD} (open cabinet) (never (robot_at kitchen)))", *[HELD] * 2)
    record = run(
        Request(office, "Take the orange, open the cabinet, never enter the kitchen."),
        Engine.named("pyperplan"),
        ModelReader(model, office.pack),
    )
    assert (record.outcome, record.plan) == ("goal-drift", ())
    assert record.reasons == ("the repair dropped or changed (always (not (robot_at kitchen)))",)
    told = record.goals[0].feedback[-1]
    assert "may be left out or replaced" in told and "(robot_at kitchen)" not in told


@pytest.mark.parametrize(
    ("again", "outcome"),
    [
        (f"(and {HELD} (never (robot_at pose13)))", "verified"),
        (f"(and (open fridge) {HELD} (never (robot_at pose13)))", "verified"),
        (HELD, "goal-drift"),
        (f"(and {HELD} (never (robot_at pose14)))", "goal-drift"),
    ],
)
def test_a_goal_written_again_after_a_further_search_keeps_the_constraints(
    again: str, outcome: str, office: Belief
) -> None:
    """The first answer names the orange, which is in a kitchen that nobody opened."""

    def move(command: str, node: str = "") -> str:
        return json.dumps({"move": {"chain_of_thought": "", "command": command, "node": node}})

    first = f"(and {HELD} (never (robot_at pose13)))"
    said = [
        move("expand", "lobby"),
        move("terminate"),
        first,
        move("expand", "kitchen"),
        move("terminate"),
        again,
    ]
    record = run(
        Request(office, "Take the orange, but never go through pose13."),
        Engine.named("pyperplan"),
        ModelReader(ScriptedModel.of(*said), office.pack, search_protocol="dialogue"),
    )
    assert record.goals[0].reopened and record.goals[-1].by == "write"
    assert record.outcome == outcome, record.reasons
    if outcome == "goal-drift":
        lost = "the goal that was written again dropped or changed (always (not (robot_at pose13)))"
        assert record.reasons == (lost,)


def test_a_run_ends_where_a_goal_with_errors_is_repaired_into_less(office: Belief) -> None:
    found = [office.scene.room_of(n) or "" for n in ("microwave", "orange1", "lunch_table", "chair2")]
    moves = [("expand", room) for room in dict.fromkeys(found)] + [("terminate", "")]
    said = [json.dumps({"move": {"chain_of_thought": "", "command": c, "node": n}}) for c, n in moves]
    model = ScriptedModel.of(*said, f"(and {ON} {ORANGE} (closed chair2))", "(closed chair2)", OPEN)
    record = run(
        Request(office, "Cook."),
        Engine.named("pyperplan"),
        ModelReader(model, office.pack, search_protocol="dialogue"),
    )
    assert [str(r.goal) for r in record.goals][1:] == ["(closed chair2)", OPEN]
    assert (record.outcome, record.plan) == ("goal-drift", ())
    assert record.reasons == (f"the repair dropped {ON} {ORANGE}",)


def read(formula: Formula, belief: Belief) -> Goal:
    goal = Goal.of(formula)
    assume(check(goal, belief).ok)
    return goal


def already(goal: Goal, belief: Belief) -> bool:
    return any(d.code == "already-true" for d in check(goal, belief).diagnostics)


@SETTINGS
@given(st.data())
def test_the_same_goal_or_more_never_drifts(data: st.DataObject) -> None:
    belief = data.draw(beliefs())
    first = read(data.draw(formulas(belief, sometime=True)), belief)
    more = read(And((data.draw(formulas(belief, 1)), first.formula)), belief)
    assume(not already(first, belief) and not already(more, belief))
    assert drifted([first], first, belief) == ""
    assert drifted([first], more, belief) == ""


@SETTINGS
@given(st.data())
def test_a_weaker_goal_always_drifts(data: st.DataObject) -> None:
    """Where a part is dropped, or made a choice or conditional so that a world does without it."""
    belief = data.draw(beliefs())
    world = data.draw(walked(belief))

    def one(true: bool) -> Formula:
        formula = data.draw(formulas(belief, 1))
        return formula if evaluate(formula, world) == true else Not(formula)

    kept, lost, other = (one(True), one(True)), one(False), one(True)
    weaker = [And(), Or((other, lost)), Imply(other, Or((lost, other))), Not(And((Not(lost), Not(other))))]
    place = data.draw(st.integers(0, 2))
    first = read(And((*kept[:place], lost, *kept[place:])), belief)
    repaired = read(And((data.draw(st.sampled_from(weaker)), *kept)), belief)
    assert evaluate(repaired.formula, world) and not evaluate(first.formula, world)
    assert drifted([first], repaired, belief)
