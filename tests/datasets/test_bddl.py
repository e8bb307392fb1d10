"""BDDL: reading, the scene and the goal that follow, and the goal's meaning against BDDL's own rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from bddl_texts import TIDY, tidy
from draws import draws
from hypothesis import example, given
from hypothesis import strategies as st
from oracles.bddl import facts_of, satisfied

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.bddl.goal import bddl_goal
from groundplan.datasets.bddl.scene import WAY, bddl_scene
from groundplan.datasets.bddl.text import Activity, read_bddl
from groundplan.datasets.behavior import activity_task, bddl_task
from groundplan.datasets.formats.registry import read
from groundplan.domains.errors import InputError, SceneError
from groundplan.domains.evaluate import evaluate
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.world import Refusal, World


def activity(goal: str) -> Activity:
    return read_bddl(tidy(goal), "tidy")


def goal_text(goal: str) -> str:
    return str(bddl_goal(activity(goal)))


@cache
def belief(goal: str = "(and (inside ?apple.n.01_1 ?bowl.n.01_1))") -> Belief:
    return ground(bddl_scene(activity(goal)), load_pack())


# Reading


def test_names_are_read_with_and_without_a_question_mark_and_in_any_case() -> None:
    assert goal_text("(ONTOP ?Apple.n.01_1 table.n.02_1)") == "(ontop_of apple.n.01_1 table.n.02_1)"


def test_of_two_goals_the_first_counts_as_in_the_package() -> None:
    assert goal_text("(ontop apple.n.01_1 table.n.02_1) (not (open electric_refrigerator.n.01_1))") == (
        "(ontop_of apple.n.01_1 table.n.02_1)"
    )


def test_what_a_package_reader_passes_over_is_passed_over() -> None:
    text = TIDY.replace("(:domain omnigibson)", "\\ (:requirements :adl) (:domain omnigibson)")
    again = text.replace("apple.n.01_1 apple.n.01_2 -", "apple.n.01_1 apple.n.01_1 apple.n.01_2 -")
    found = read_bddl(again.replace("GOAL", "(real apple.n.01_1)"), "x")
    assert found.members("apple.n.01") == ("apple.n.01_1", "apple.n.01_2")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "one (define"),
        ("(define (problem a)", "matching brackets"),
        ("(define (problem a))", "a section (:objects ...)"),
        (tidy("word"), "a goal in brackets"),
        (tidy("(forall (?x - apple.n.01))"), "(forall (?x - synset) goal)"),
        (tidy("(forall (?x apple.n.01) (open ?x))"), "(?x - synset)"),
        (tidy("(forn 2 (?x - apple.n.01) (open ?x))"), "a number in brackets"),
        (tidy("(forn (many) (?x - apple.n.01) (open ?x))"), "a number in brackets"),
        (tidy("(not (open a) (open b))"), "1 parts of not"),
        (tidy("(imply (open a))"), "2 parts of imply"),
        (tidy("(and" * 150 + ")" * 150), "at most 100 deep"),
        (tidy("((open a))"), "a predicate or connective"),
        (tidy("(open a)").replace("(:init", "(:init (open (a))"), "a word, got brackets"),
        (tidy("(real apple.n.01_1)").replace("- table.n.02", "- table.n.02 apple.n.01_1 - x"), "one synset"),
    ],
)
def test_a_damaged_text_gets_its_place(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_bddl(text, "file.bddl")
    assert said in str(caught.value) and caught.value.where.startswith("file.bddl")


@draws(100)
@given(st.integers(0, len(TIDY)), st.integers(0, len(TIDY)), st.text("()?- .\n;andnotforx_1", max_size=8))
def test_garbled_problems_give_a_scene_and_a_goal_or_an_error(start: int, end: int, new: str) -> None:
    text = tidy("(and (forpairs (?a - apple.n.01) (?b - bowl.n.01) (inside ?a ?b)))")
    garbled = (
        text[: min(start, end)] + new + text[max(start, end) :] if abs(start - end) < 40 else text[:start]
    )
    try:
        found = read_bddl(garbled, "garbled")
        scene = bddl_scene(found)
        formula = bddl_goal(found)
    except InputError as error:
        assert error.where and error.expected
        return
    parse_goal(str(formula))
    ground(scene, load_pack())


def test_a_problem_of_two_robots_is_refused() -> None:
    two = tidy("(real apple.n.01_1)").replace(
        "agent.n.01_1 - agent.n.01", "agent.n.01_1 agent.n.01_2 - agent.n.01"
    )
    with pytest.raises(SceneError, match=r"one robot \(agent\.n\.01\), got 2"):
        bddl_scene(read_bddl(two, "two"))


def test_a_fact_with_too_few_arguments_gets_its_place_when_the_task_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tidy.bddl"
    path.write_text(tidy("(real apple.n.01_1)").replace("(:init", "(:init (ontop apple.n.01_1)"))
    with pytest.raises(SceneError, match=r"tidy\.bddl:\d+: expected 2 arguments, got 1"):
        bddl_task(path)


def test_large_texts_and_many_pairs_are_bounded() -> None:
    with pytest.raises(InputError, match="at most 200000 characters"):
        read_bddl(tidy("(and)") + " " * 200_000, "x")
    many = " ".join(f"bowl.n.01_{i}" for i in range(9, 150))
    text = TIDY.replace("bowl.n.01_3 -", f"bowl.n.01_3 {many} -")
    goal = "(forpairs (?a - bowl.n.01) (?b - bowl.n.01) (ontop ?a ?b))"
    with pytest.raises(InputError, match="at most 10000 pairs"):
        bddl_goal(read_bddl(text.replace("GOAL", goal), "x"))


# The scene


def test_scene_keeps_what_is_stated_and_says_what_was_chosen() -> None:
    scene = belief().scene
    fridge, apple = scene.nodes["electric_refrigerator.n.01_1"], scene.nodes["apple.n.01_1"]
    assert scene.by_type["room"] == ("kitchen", "living_room")
    assert [(x.a, x.b, x.length) for x in scene.links] == [("kitchen", "living_room", WAY)]
    assert scene.agent.parent == scene.agent.at == "kitchen"
    assert (fridge.type, fridge.parent, fridge.state) == ("asset", "kitchen", ("closed",))
    assert fridge.provenance == {"state": "chosen: closed"}
    assert (apple.type, apple.relation, apple.classes) == ("object", "inside_of", ("apple.n.01", "apple"))
    assert scene.nodes["bowl.n.01_1"].affordances == ("pickup", "release", "contain")
    assert scene.nodes["lamp.n.02_1"].state == ("off",) and not scene.nodes["lamp.n.02_1"].provenance


def test_what_the_goal_wants_elsewhere_can_be_moved_unless_it_holds_things() -> None:
    moved = activity("(and (ontop table.n.02_1 floor.n.01_1) (ontop apple.n.01_1 table.n.02_1))")
    assert bddl_scene(moved).nodes["table.n.02_1"].type == "object"
    loaded = activity("(and (ontop table.n.02_1 floor.n.01_1) (inside apple.n.01_1 table.n.02_1))")
    assert bddl_scene(loaded).nodes["table.n.02_1"].type == "asset"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("(ontop lamp.n.02_1 table.n.02_1)", "(covered lamp.n.02_1 dust.n.01_1)", "a declared object"),
        ("(ontop lamp.n.02_1 table.n.02_1)", "(ontop lamp.n.02_1 stool)", "a declared object"),
        ("(ontop lamp.n.02_1 table.n.02_1)", "(ontop lamp.n.02_1)", "2 arguments"),
        (
            "(inroom table.n.02_1 living_room)",
            "(inroom table.n.02_1 apple.n.01_1)",
            "rooms that are no objects",
        ),
        ("(ontop apple.n.01_2 table.n.02_1)", "(ontop apple.n.01_2 apple.n.01_2)", "without cycles"),
        ("(inroom table.n.02_1 living_room)", "(inroom table.n.02_1 a) (inroom table.n.02_1 b)", "one room"),
    ],
)
def test_what_no_scene_can_hold_is_refused_with_its_place(old: str, new: str, said: str) -> None:
    assert old in TIDY
    with pytest.raises(SceneError, match=said):
        bddl_scene(read_bddl(tidy("(real apple.n.01_1)").replace(old, new), "tidy"))


def test_a_problem_file_is_a_scene_format(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("bddl") / "any.name"
    path.write_text("; a comment first\n" + tidy("(real apple.n.01_1)"), encoding="utf-8")
    scene, known = read(path)
    assert known.name == "bddl" and len(scene.by_type["object"]) == 6
    path.write_text("(define (problem p) (:domain d) (:objects) (:init) (:goal (and)))", encoding="utf-8")
    with pytest.raises(SceneError):
        read(path)


# The goal


@pytest.mark.parametrize(
    ("goal", "ours"),
    [
        ("(not (open electric_refrigerator.n.01_1))", "(closed electric_refrigerator.n.01_1)"),
        ("(toggled_on ?lamp.n.02_1)", "(turned_on lamp.n.02_1)"),
        ("(inroom apple.n.01_1 kitchen)", "(in_room apple.n.01_1 kitchen)"),
        ("(forn (2) (?a - apple.n.01) (open ?a))", "(exactly 2 (?a - apple.n.01) (open ?a))"),
        (
            "(forn (1) (?b - bowl.n.01) (forall (?a - apple.n.01) (inside ?a ?b)))",
            "(exists (?b - bowl.n.01) (forall (?a - apple.n.01) (inside_of ?a ?b)))",
        ),
        (
            "(forpairs (?a - apple.n.01) (?b - bowl.n.01) (inside ?a ?b))",
            "(at-least 2 (?b - bowl.n.01) (exists (?a - apple.n.01) (inside_of ?a ?b)))",
        ),
        (
            "(fornpairs (1) (?b - bowl.n.01) (?a - apple.n.01) (inside ?a ?b))",
            "(at-least 1 (?b - bowl.n.01) (exists (?a - apple.n.01) (inside_of ?a ?b)))",
        ),
        ("(and (real apple.n.01_1))", "(and (and))"),
    ],
)
def test_goals_in_our_language(goal: str, ours: str) -> None:
    assert goal_text(goal) == ours
    assert str(parse_goal(ours).formula) == ours


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("(nextto apple.n.01_1 bowl.n.01_1)", "a predicate that a scene knows"),
        ("(inside apple.n.01_9 bowl.n.01_1)", "did you mean"),
        ("(forall (?x - food.n.01) (open ?x))", "a synset with objects"),
        ("(ontop agent.n.01_1 table.n.02_1)", "a goal about things"),
        ("(forall (?x - agent.n.01) (open ?x))", "a synset of things"),
        ("(inside apple.n.01_1)", "2 arguments"),
    ],
)
def test_goals_that_cannot_be_said_are_refused(goal: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        bddl_goal(activity(goal))
    assert said in str(caught.value) and caught.value.where.startswith("tidy:")


THINGS = ("apple.n.01_1", "apple.n.01_2", "bowl.n.01_1", "bowl.n.01_2", "bowl.n.01_3")
PLACES = (*THINGS[2:], "electric_refrigerator.n.01_1", "table.n.02_1", "floor.n.01_1")
SYNSETS = ("apple.n.01", "bowl.n.01")


def atoms(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    thing = st.sampled_from([*THINGS, *names, *names])
    place = st.sampled_from([*PLACES, *names, *names])
    two = st.tuples(st.sampled_from(("ontop", "inside")), thing, place).map(
        lambda t: f"({t[0]} ?{t[1]} ?{t[2]})"
    )
    door = st.just("(open electric_refrigerator.n.01_1)")
    return st.one_of(two, two, two, door, st.just("(toggled_on lamp.n.02_1)"))


@st.composite
def goals(draw: st.DrawFn, names: tuple[str, ...] = (), depth: int = 3) -> str:
    """A random BDDL goal over the small problem; variables are named apart from each other."""
    kinds = ["atom", "and", "or", "not", "imply", "forall", "exists", "forn", "forpairs", "fornpairs"]
    kind = draw(st.sampled_from(kinds)) if depth else "atom"
    below = depth - 1
    if kind == "atom":
        return draw(atoms(names))
    if kind in ("and", "or"):
        return f"({kind} {' '.join(draw(st.lists(goals(names, below), max_size=3)))})"
    if kind == "not":
        return f"(not {draw(goals(names, below))})"
    if kind == "imply":
        return f"(imply {draw(goals(names, below))} {draw(goals(names, below))})"
    synsets = [draw(st.sampled_from(SYNSETS)) for _ in range(2)]
    new = (f"v{depth}a", f"v{depth}b") if kind.endswith("pairs") else (f"v{depth}a",)
    typed = " ".join(f"(?{v} - {s})" for v, s in zip(new, synsets, strict=False))
    number = f"({draw(st.integers(0, 3))}) " if kind in ("forn", "fornpairs") else ""
    return f"({kind} {number}{typed} {draw(goals((*names, *new), below))})"


@draws(150)
@given(
    goals(),
    st.lists(
        st.sampled_from([("ontop_of", p) for p in PLACES] + [("inside_of", p) for p in PLACES]),
        min_size=5,
        max_size=5,
    ),
    st.booleans(),
)
@example("(forpairs (?a - bowl.n.01) (?b - bowl.n.01) (inside ?a ?b))", [("inside_of", PLACES[1])] * 5, False)
def test_our_goal_means_what_bddl_decides(goal: str, where: list[tuple[str, str]], on: bool) -> None:
    """In states without nesting, where both readings of inside are one; the goal is printed and parsed."""
    world = World(belief())
    for relation in ("ontop_of", "inside_of"):
        for args in world.state.facts.all(relation):
            world.state.facts.discard(relation, args)
    holding = {place for _, place in where[:2]}
    for index, (thing, (relation, place)) in enumerate(zip(THINGS, where, strict=True)):
        if index >= 2 and (place in THINGS or thing in holding):
            relation, place = "ontop_of", "floor.n.01_1"
        world.state.facts.add(relation, (thing, place))
    world.state.facts.add("turned_on" if on else "turned_off", ("lamp.n.02_1",))
    world.state.facts.discard("turned_off" if on else "turned_on", ("lamp.n.02_1",))
    found = activity(goal)
    ours = evaluate(parse_goal(str(bddl_goal(found))).formula, world)
    assert ours == satisfied(found, facts_of(world)), str(bddl_goal(found))


# Plans

SOLVED = (
    "(and (inside ?apple.n.01_2 ?electric_refrigerator.n.01_1) (not (open electric_refrigerator.n.01_1)))",
    "(forpairs (?a - apple.n.01) (?b - bowl.n.01) (inside ?a ?b))",
    "(and (forall (?a - apple.n.01) (exists (?b - bowl.n.01) (inside ?a ?b))) (toggled_on lamp.n.02_1))",
    "(and (ontop ?apple.n.01_2 ?bowl.n.01_1) (inside ?apple.n.01_2 ?electric_refrigerator.n.01_1))",
    "(forn (1) (?b - bowl.n.01) (exists (?a - apple.n.01) (inside ?a ?b)))",
    "(fornpairs (2) (?b - bowl.n.01) (?c - bowl.n.01) (ontop ?b ?c))",
    "(imply (ontop apple.n.01_2 table.n.02_1) (inside bowl.n.01_3 electric_refrigerator.n.01_1))",
)


@pytest.mark.parametrize("goal", SOLVED)
def test_plans_satisfy_the_goal_as_bddl_reads_it(goal: str) -> None:
    found = activity(goal)
    here = ground(bddl_scene(found), load_pack())
    parsed = parse_goal(str(bddl_goal(found)))
    assert check(parsed, here).ok
    planned = plan_goal(parsed, here, Engine.named("pyperplan"), Budget(20.0))
    assert planned.verified, (planned.ending, planned.reasons)
    world = World(here)
    assert not satisfied(found, facts_of(world)), "true before anything is done"
    for step in planned.steps:
        assert not isinstance(world.apply(step), Refusal)
    assert satisfied(found, facts_of(world))


# Substances


LIME = """
(define (problem lime-0) (:domain omnigibson)
    (:objects
        lime.n.06_1 - lime.n.06  half__lime.n.01_1 half__lime.n.01_2 - half__lime.n.01
        carving_knife.n.01_1 - carving_knife.n.01  countertop.n.01_1 - countertop.n.01
        goblet.n.01_1 - goblet.n.01  rum.n.01_1 - rum.n.01  rum__bottle.n.01_1 - rum__bottle.n.01
        mojito.n.01_1 - mojito.n.01  agent.n.01_1 - agent.n.01  floor.n.01_1 - floor.n.01)
    (:init
        (ontop lime.n.06_1 countertop.n.01_1) (ontop carving_knife.n.01_1 countertop.n.01_1)
        (filled rum__bottle.n.01_1 rum.n.01_1) (ontop rum__bottle.n.01_1 countertop.n.01_1)
        (ontop goblet.n.01_1 countertop.n.01_1) (nextto goblet.n.01_1 lime.n.06_1)
        (future half__lime.n.01_1) (future half__lime.n.01_2) (future mojito.n.01_1)
        (inroom countertop.n.01_1 kitchen) (inroom floor.n.01_1 kitchen) (ontop agent.n.01_1 floor.n.01_1))
    (:goal GOAL))
"""


def test_what_is_not_there_yet_hangs_on_what_it_is_made_of() -> None:
    text = LIME.replace("GOAL", "(and (real half__lime.n.01_1) (contains goblet.n.01_1 rum.n.01_1))")
    scene = bddl_scene(read_bddl(text, "lime"))
    first, second = (scene.nodes[f"half__lime.n.01_{n}"] for n in (1, 2))
    assert first.parent == second.parent == "lime.n.06_1"
    assert "first_half" in first.affordances and "second_half" in second.affordances
    assert scene.nodes["rum__bottle.n.01_1"].state == ("filled_with rum.n.01_1", "contains rum.n.01_1")
    lost = {loss.id for loss in scene.losses}
    assert {"nextto goblet.n.01_1 lime.n.06_1", "future mojito.n.01_1"} <= lost


def test_a_drink_is_planned_for_and_is_as_bddl_wants_it() -> None:
    goal = """(and (real half__lime.n.01_2) (contains goblet.n.01_1 rum.n.01_1)
        (forall (?h - half__lime.n.01) (inside ?h goblet.n.01_1)))"""
    drink = read_bddl(LIME.replace("GOAL", goal), "lime")
    mixed = ground(bddl_scene(drink), load_pack("behavior"))
    planned = plan_goal(parse_goal(str(bddl_goal(drink))), mixed, Engine.named("pyperplan"), Budget(30))
    assert planned.verified, planned.reasons
    world = World(mixed)
    assert not satisfied(drink, facts_of(world))
    for step in planned.steps:
        assert not isinstance(world.apply(step), Refusal)
    assert satisfied(drink, facts_of(world))


def test_what_no_pack_can_say_is_named_and_the_task_has_no_goal() -> None:
    wanted = activity("(and (nextto apple.n.01_1 bowl.n.01_1) (touching apple.n.01_1 bowl.n.01_1))")
    task = activity_task(wanted, "tidy", "behavior-1k")
    assert task.gold.goal == "" and task.gold.lacking == ("nextto", "touching")
    assert task.pack == "behavior" and "nextto, touching" in task.gold.rationale


def test_behavior_100_says_of_things_what_is_about_substances() -> None:
    text = TIDY.replace("(:init", "(:init (stained table.n.02_1) (dusty lamp.n.02_1)")
    old = read_bddl(text.replace("GOAL", "(and (not (stained table.n.02_1)) (soaked bowl.n.01_1))"), "old")
    facts = ground(bddl_scene(old), load_pack("behavior")).facts
    assert facts.holds("covered", ("table.n.02_1", "stain.n.02"))
    assert facts.holds("covered", ("lamp.n.02_1", "dust.n.01"))
    assert str(bddl_goal(old)) == (
        "(and (not (covered table.n.02_1 stain.n.02)) (saturated bowl.n.01_1 water.n.06))"
    )
