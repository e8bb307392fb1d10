"""A world seen through an eye: what a robot knows is what was described, and the true world decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal, read_steps
from groundplan.acting import Episode
from groundplan.acting.acting import act_in, result_in
from groundplan.language.vision import Described, DescribedWorld, Sighting, TrueEye, UnreadableDescription
from groundplan.language.vision.eye import Eye, named_of
from groundplan.simulator.belief import Belief
from groundplan.simulator.observations import Observations, Spot, StepOutcome
from groundplan.simulator.scene import Node
from groundplan.simulator.sensing import Environment, with_hidden

OFFICE = load_scene("office")
TRUTH = ground(OFFICE, load_pack())
ENGINE = Engine.named("pyperplan")
TO_KITCHEN = tuple(f"goto({hop})" for hop in TRUTH.routes.route("pose8", "kitchen").hops)


def there(name: str, parent: str = "kitchen_bench", relation: str = "ontop_of") -> Described:
    """Return what is said of a thing, both called as their ids are."""
    return Described(named_of(name), relation, named_of(parent))


@dataclass
class Says:
    """An eye that says the next of its descriptions of a node, the last one again and again."""

    of: Mapping[str, Sequence[Sequence[Described] | None]]
    whole: bool = True
    errs: bool = True
    asked: list[Sighting] = field(default_factory=list)

    def describe(self, sighting: Sighting) -> tuple[Described, ...]:
        self.asked.append(sighting)
        said = self.of.get(sighting.node, [()])
        times = sum(one.node == sighting.node for one in self.asked)
        now = said[min(times, len(said)) - 1]
        if now is None:
            raise UnreadableDescription("description", "a list", "nothing")
        return tuple(now)


class Robot:
    """A robot that does what it is told in the office, and believes what it is told."""

    def __init__(self, eye: Eye, start: Belief | None = None, truth: Belief = TRUTH) -> None:
        self.belief = start or with_hidden(truth)
        self.world = DescribedWorld(Environment(truth), eye, self.belief, lambda: self.belief)
        self.seen = self.take(self.world.look())

    def do(self, *steps: str) -> StepOutcome:
        outcome = StepOutcome(True, 0, self.seen)
        for step in read_steps("\n".join(steps)):
            outcome = self.world.act(step)
            self.seen = self.take(outcome.observations)
        return outcome

    def take(self, seen: Observations) -> Observations:
        self.belief = self.belief.observe(seen)
        return seen

    def place(self, name: str) -> str | None:
        node = self.belief.scene.nodes.get(name)
        return node.parent if node is not None else None


def test_without_faults_a_robot_sees_what_the_truth_shows() -> None:
    plain, seen = Environment(TRUTH), Environment(TRUTH)
    belief = with_hidden(TRUTH)
    world = DescribedWorld(seen, TrueEye(), belief, lambda: belief)
    assert world.look() == plain.look()
    for step in read_steps("\n".join((*TO_KITCHEN, "access(fridge)", "open(fridge)"))):
        outcome = plain.act(step)
        assert world.act(step) == outcome
        belief = belief.observe(outcome.observations)
    agreed = world.counts
    assert agreed.looks > 2 and agreed.there == agreed.described == agreed.nodes == agreed.edges > 3


def test_what_the_eye_misses_is_not_known_until_another_look_shows_it() -> None:
    robot = Robot(Says({"kitchen": [(), (there("orange1"),)]}))
    robot.do(*TO_KITCHEN)
    assert "orange1" not in robot.belief.scene.nodes and Spot("kitchen") in robot.belief.looked
    robot.do("access(kitchen_bench)")
    assert "orange1" not in robot.belief.scene.nodes  # the same look
    robot.do("goto(pose25)", "goto(kitchen)")
    assert robot.place("orange1") == "kitchen_bench"
    assert robot.belief.scene.nodes["orange1"].affordances == OFFICE.nodes["orange1"].affordances


def test_what_holds_things_is_seen_to_even_where_these_are_missed() -> None:
    robot = Robot(Says({}))
    robot.do(*TO_KITCHEN)
    bench = robot.belief.scene.nodes["kitchen_bench"]
    assert robot.belief.facts.holds("carrier", (bench.id,))


def test_a_thing_that_is_described_by_another_name_cannot_be_handled_by_it() -> None:
    robot = Robot(Says({"kitchen": [(there("hammer7"),)]}))
    robot.do(*TO_KITCHEN)
    assert robot.place("hammer7") == "kitchen_bench"
    outcome = robot.do("access(kitchen_bench)", "pickup(hammer7)")
    assert not outcome.done and outcome.message == "nothing here is hammer7"
    assert robot.place("hammer7") is None and "orange1" not in robot.belief.scene.nodes


def test_a_goal_about_what_was_only_described_is_never_reached() -> None:
    robot = Robot(Says({"kitchen": [(there("hammer7"),)]}))
    robot.do(*TO_KITCHEN)
    goal = parse_goal("(not (ontop_of hammer7 desk1))").formula
    assert Environment(TRUTH).judge(goal).reached  # nothing is true of what there is not
    verdict = robot.world.judge(goal)
    assert not verdict.reached and "hammer7 was described" in verdict.unsatisfied[0]
    assert robot.world.judge(parse_goal("(ontop_of orange1 kitchen_bench)").formula).reached


@pytest.mark.parametrize("goal", ["(holding orange1)", "(ontop_of orange1 table1)"])
def test_a_thing_that_is_taken_for_the_one_of_the_goal_verifies_nothing(goal: str) -> None:
    """The eye calls what lies on the desk by the name of the orange, which is in the kitchen."""
    other = next(
        n for n in OFFICE.nodes.values() if n.type == "object" and OFFICE.room_of(n.id) == "jasons_office"
    )
    place, room = other.parent or "", "jasons_office"
    eye = Says({room: [(there("orange1", place),)]})
    belief = with_hidden(TRUTH, named=["orange1"])
    episode = Episode(Request(belief, goal=parse_goal(goal)), engine=ENGINE, still=False)
    world = DescribedWorld(Environment(TRUTH), eye, belief, lambda: episode.belief)
    act_in(world, episode)
    assert episode.finish is not None and not result_in(world, episode).verified
    assert episode.finish.outcome == "not-found"
    tried = [entry for entry in episode.log if "orange1" in str(getattr(entry, "step", ""))]
    assert tried and not any(entry.outcome.done for entry in tried)  # type: ignore[union-attr]


def test_an_eye_that_errs_proves_nothing_impossible() -> None:
    belief = with_hidden(TRUTH, named=["orange1"])
    goal = parse_goal("(ontop_of orange1 table1)")
    episode = Episode(Request(belief, goal=goal), engine=ENGINE, still=False)
    world = DescribedWorld(Environment(TRUTH), Says({}), belief, lambda: episode.belief)
    act_in(world, episode)
    assert episode.finish is not None and episode.finish.outcome == "not-found"


def two_pears() -> Belief:
    pear = replace(OFFICE.nodes["orange1"], id="pear1", classes=("pear",), position=None)
    tray = replace(pear, id="tray1", classes=("tray",))
    second = replace(pear, id="pear2", parent="tray1")
    return ground(OFFICE.changed(add=(pear, tray, second)), load_pack())


def test_numbers_only_tell_things_of_one_name_apart() -> None:
    """A model cannot know which of two pears the scene numbers first: the place says which is meant."""
    said = (there("tray1"), there("pear1", "tray1"), there("pear2"))
    robot = Robot(Says({"kitchen": [said]}, whole=False), truth=two_pears())
    robot.do(*TO_KITCHEN)
    assert (robot.place("pear1"), robot.place("pear2")) == ("kitchen_bench", "tray1")
    assert robot.do("access(kitchen_bench)", "pickup(pear1)").done


def test_a_wrong_relation_is_believed_where_it_can_be() -> None:
    said = (there("orange1", "fridge"), there("banana9", "kitchen_bench", "inside_of"))
    robot = Robot(Says({"kitchen": [said]}))
    robot.do(*TO_KITCHEN)
    nodes = robot.belief.scene.nodes
    assert nodes["orange1"].parent == "fridge" and nodes["banana9"].relation == "ontop_of"
    assert robot.do("access(kitchen_bench)", "pickup(orange1)").done  # it is there, whatever was said
    assert robot.place("orange1") == robot.belief.scene.agent.id


def test_what_was_handled_is_known_and_no_description_moves_it() -> None:
    robot = Robot(Says({"kitchen": [(there("orange1"),), (there("orange1", "fridge"),)]}))
    robot.do(*TO_KITCHEN)
    robot.do("access(kitchen_bench)", "pickup(orange1)", "goto(pose25)", "goto(kitchen)")
    assert robot.place("orange1") == robot.belief.scene.agent.id
    robot.do("access(kitchen_bench)", "release(orange1)", "goto(pose25)", "goto(kitchen)")
    assert robot.place("orange1") == "kitchen_bench"


def test_a_picture_that_is_missing_or_cannot_be_read_shows_no_place() -> None:
    robot = Robot(Says({"kitchen": [None, ()]}))
    robot.do(*TO_KITCHEN)
    assert Spot("kitchen") not in robot.belief.looked and robot.world.counts.unreadable == 1
    robot.do("goto(pose25)", "goto(kitchen)")
    assert Spot("kitchen") in robot.belief.looked
    belief = with_hidden(TRUTH)
    world = DescribedWorld(Environment(TRUTH), Says({}), belief, lambda: belief, lambda spot: None)
    assert world.look().spots == ()


def test_of_what_was_seen_in_part_the_words_are_reported() -> None:
    jar = replace(there("jar1"), states=("closed",))
    robot = Robot(Says({"kitchen": [(jar,)]}, whole=False))
    robot.do(*TO_KITCHEN)
    assert [(part.node, part.words) for part in robot.seen.in_part] == [("jar1", ("closed",))]


def test_a_name_of_what_is_only_supposed_is_taken_from_no_description() -> None:
    supposed = Node("unseen_mug", "object", relation="unknown", classes=("mug",), affordances=("pickup",))
    start = with_hidden(TRUTH)
    with_it = start.on(start.scene.changed(add=(supposed,)))
    world = DescribedWorld(
        Environment(TRUTH), Says({"kitchen": [(there("unseen_mug"),)]}), start, lambda: with_it
    )
    for step in read_steps("\n".join(TO_KITCHEN)):
        outcome = world.act(step)
    assert "unseen_mug" not in {node.id for node in outcome.observations.nodes}


def test_a_description_of_what_cannot_be_breaks_nothing() -> None:
    """It puts things into another room, into themselves and nowhere, and calls one like the robot."""
    agent = OFFICE.agent.id
    said = (
        there("cup1", OFFICE.agent.parent or ""),
        there(agent),
        there("kitchen"),
        there("plate7", "plate8"),
        there("plate8", "plate7"),
        Described(('a(b) "c;', 1), "ontop_of", ("floor", 1)),
        there("pen1", "nowhere"),
    )
    robot = Robot(Says({"kitchen": [said]}))
    before = {name: node.type for name, node in robot.belief.scene.nodes.items()}
    robot.do(*TO_KITCHEN)
    nodes = robot.belief.scene.nodes
    assert all(nodes[name].type == kind for name, kind in before.items())
    assert {name for name in nodes if name not in before} == {'a(b) "c;1', "agent1"}
    assert nodes['a(b) "c;1'].parent == "kitchen" and nodes["agent1"].type == "object"


def test_nothing_is_described_to_be_in_the_robot() -> None:
    robot = Robot(Says({"kitchen": [(there("cup1", OFFICE.agent.id),)]}))
    robot.do(*TO_KITCHEN)
    assert "cup1" not in robot.belief.scene.nodes
