"""The pack behavior: substances, heat and cold, and words over two nodes."""

from __future__ import annotations

import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains.errors import SceneError
from groundplan.domains.findings.review import review
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.scene_json import scene_from_json, scene_to_json
from groundplan.simulator.sensing.snapshot import scene_now
from groundplan.simulator.step import read_step
from groundplan.simulator.world import Refusal, World

STAIN, DUST, WATER, SOAP = "stain.n.01", "dust.n.01", "water.n.06", "detergent.n.02"


def substance(name: str, kind: str, on: str) -> Node:
    return Node(name, "object", on, "attached_to", (kind,), ("substance",))


def kitchen(*more: Node, table: tuple[str, ...] = ("covered stain1", "covered dust1")) -> Belief:
    """A kitchen and a hall, with a table, a sink, a rag and a bottle of soap."""
    bottle = ("contains soap1", "filled_with soap1")
    nodes = (
        Node("kitchen", "room"),
        Node("hall", "room"),
        Node("robot", "agent", "hall", at="hall"),
        Node("table", "asset", "kitchen", affordances=("cover", "release"), state=table),
        Node("sink", "asset", "kitchen", affordances=("release",), state=("gives water1",)),
        Node("rag", "object", "sink", "ontop_of", ("rag.n.01",), ("pickup",)),
        Node("bottle", "object", "table", "ontop_of", ("bottle",), ("pickup", "hold"), bottle),
        substance("stain1", STAIN, "table"),
        substance("dust1", DUST, "table"),
        substance("water1", WATER, "sink"),
        substance("soap1", SOAP, "bottle"),
        *more,
    )
    scene = Scene("kitchen", {n.id: n for n in nodes}, (Link("kitchen", "hall", 5.0),))
    return ground(scene, load_pack("behavior"))


def plan(goal: str, belief: Belief) -> tuple[str, ...]:
    planned = plan_goal(parse_goal(goal), belief, Engine.named("pyperplan"), Budget(20))
    assert planned.verified, planned.reasons
    return tuple(map(str, planned.steps))


def done(belief: Belief, *steps: str) -> World:
    world = World(belief)
    for step in steps:
        effect = world.apply(read_step(step, "test"))
        assert not isinstance(effect, Refusal), (step, effect)
    return world


def test_the_pack_has_no_findings_and_all_its_groups_are_shown() -> None:
    pack = load_pack("behavior")
    assert not list(review(pack)) and not pack.invariants.unshown


def test_dust_comes_off_dry_and_a_stain_with_soap() -> None:
    dry = plan("(not (covered table dust1))", kitchen())
    assert "wipe(table, dust1)" in dry and not any(s.startswith("soak") for s in dry)
    wet = plan("(not (covered table stain1))", kitchen())
    assert "soak(rag, soap1)" in wet and "wipe_with(table, stain1, soap1)" in wet


def test_without_a_tool_nothing_comes_off_and_that_is_proved() -> None:
    belief = kitchen()
    nodes = {name: node for name, node in belief.scene.nodes.items() if name != "rag"}
    bare = ground(Scene("bare", nodes, belief.scene.links), load_pack("behavior"))
    planned = plan_goal(
        parse_goal("(not (covered table dust1))"), bare, Engine.named("pyperplan"), Budget(20)
    )
    assert planned.outcome == "unsolvable"


def test_what_is_poured_is_in_the_other_vessel() -> None:
    bowl = Node("bowl", "object", "table", "ontop_of", ("bowl",), ("pickup", "hold"))
    belief = kitchen(bowl)
    steps = plan("(and (filled_with bowl soap1) (contains bowl water1))", belief)
    assert any(step.startswith(("fill(", "pour(")) for step in steps)
    assert done(belief, *steps).state.facts.holds("contains", ("bowl", "water1"))


def test_an_oven_cooks_what_lies_on_a_tray_inside_once_it_is_closed_and_on() -> None:
    oven = Node(
        "oven", "asset", "kitchen", "in", ("oven.n.01",), ("open", "close", "turn_on", "turn_off", "release")
    )
    tray = Node("tray", "object", "table", "ontop_of", ("tray",), ("pickup", "release"))
    apple = Node("apple", "object", "tray", "ontop_of", ("apple.n.01",), ("pickup", "cook"))
    belief = kitchen(oven, tray, apple)
    steps = plan("(cooked apple)", belief)
    world = done(belief, *steps)
    assert world.state.facts.holds("closed", ("oven",)) and world.state.facts.holds("hot", ("apple",))
    assert not world.state.facts.holds("cooked", ("tray",)), "only what the scene says cooks"


def test_halves_are_there_once_they_are_cut_and_the_whole_is_not() -> None:
    halves = [
        Node(f"half{n}", "object", "lime", "attached_to", ("half_lime",), ("pickup", f"{which}_half"))
        for n, which in ((1, "first"), (2, "second"))
    ]
    lime = Node("lime", "object", "table", "ontop_of", ("lime",), ("pickup",))
    knife = Node("knife", "object", "sink", "ontop_of", ("carving_knife.n.01",), ("pickup",))
    belief = kitchen(lime, knife, *halves)
    steps = plan("(and (real half1) (ontop_of half2 sink))", belief)
    now = scene_now(done(belief, *steps))
    assert now.nodes["half1"].parent in ("table", "sink") and now.nodes["half2"].parent == "sink"
    assert now.nodes["lime"].parent is None
    refused = World(belief).apply(read_step("pickup(half1)", "test"))
    assert isinstance(refused, Refusal)


# Words over two nodes


def test_words_over_two_nodes_are_read_written_and_kept_up() -> None:
    belief = kitchen()
    assert belief.facts.holds("covered", ("table", "stain1"))
    again = scene_from_json(scene_to_json(belief.scene), "again")
    assert again.nodes["table"].state == ("covered stain1", "covered dust1")
    world = done(
        belief,
        "goto(kitchen)", "access(sink)", "pickup(rag)", "access(table)", "wipe(table, dust1)",
    )  # fmt: skip
    assert scene_now(world).nodes["table"].state == ("covered stain1",)
    soaked = done(belief, "goto(kitchen)", "access(sink)", "pickup(rag)", "soak(rag, water1)")
    assert scene_now(soaked).nodes["rag"].state == ("saturated water1",)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("covered", "a state that the pack knows, got covered"),
        ("open stain1", "a state that the pack knows"),
        ("covered nothing", "a word and a node of the scene, got covered nothing"),
        ("coverd stain1", "a state that the pack knows"),
    ],
)
def test_a_word_without_its_node_is_refused(word: str, said: str) -> None:
    with pytest.raises(SceneError, match=said):
        kitchen(table=(word,))


def test_another_pack_names_the_one_that_has_the_word() -> None:
    with pytest.raises(SceneError, match="--pack behavior"):
        ground(kitchen().scene, load_pack())
