"""Things at poses of rooms: what planning says of them, against a search that tries every step."""

import pytest
from oracles.places import verdicts
from strategies import household

from groundplan import Engine, parse_goal, plan_goal
from groundplan.domains.errors import SceneError
from groundplan.simulator.belief import ground
from groundplan.simulator.routes import Routes
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.sensing.hiding import with_hidden
from groundplan.simulator.sensing.sight import observations_of
from groundplan.simulator.world import World


@pytest.mark.parametrize("first", range(0, 24, 8))
def test_every_verdict_is_that_of_trying_every_step(first: int) -> None:
    said = [(seed, text, v) for seed in range(first, first + 8) for text, v in verdicts(seed, 4)]
    assert not [line for line in said if line[2] not in ("right", "refused")]
    assert len([line for line in said if line[2] == "right"]) > 20


def flat() -> Scene:
    """Two rooms, each with a pose; a cup stands at the one in the kitchen."""
    nodes = [
        Node("kitchen", "room"),
        Node("hall", "room"),
        Node("p1", "pose", "kitchen"),
        Node("p2", "pose", "hall"),
        Node("table", "asset", "p1", classes=("table",), affordances=("release",)),
        Node("cup", "object", "p1", "ontop_of", affordances=("pickup",)),
        Node("agent", "agent", at="p2"),
    ]
    links = [Link("kitchen", "p1", 2.0), Link("p1", "p2", 5.0), Link("p2", "hall", 2.0)]
    return Scene("flat", {node.id: node for node in nodes}, tuple(links))


def test_a_robot_at_a_pose_of_a_room_is_in_the_room_and_so_is_what_stands_there() -> None:
    world = World(ground(flat(), household()))
    assert world.state.around("cup") == ["cup", "p1", "kitchen"]
    state = world.state
    assert (state.anchor, state.anchor_of("cup"), state.room_of("cup")) == ("p2", "p1", "kitchen")
    assert world.holds("robot_at", ("hall",))
    assert not world.holds("robot_at", ("kitchen",))


def test_a_thing_at_a_pose_is_reached_from_there_and_from_nowhere_else() -> None:
    belief = ground(flat(), household())
    result = plan_goal(parse_goal("(ontop_of cup table)"), belief, Engine.named("pyperplan"))
    assert list(map(str, result.steps)) == ["goto(p1)", "pickup(cup)", "access(table)", "release(cup)"]
    world = World(belief)
    refused = world.apply(result.steps[2])
    assert "it is at p1, the robot is at p2" in str(refused)


def test_no_plan_is_called_the_cheapest_where_a_pose_may_be_nearer_than_its_room() -> None:
    belief = ground(flat(), household())
    engine = Engine.named("pyperplan")
    driven = plan_goal(parse_goal("(robot_at kitchen)"), belief, engine)
    assert driven.verified
    assert driven.bound_mm is None


def test_from_a_pose_of_a_room_the_robot_sees_what_is_in_the_room() -> None:
    truth = ground(flat(), household())
    seen = observations_of(World(truth))
    assert seen.here == "hall"
    assert {link.a for link in seen.ways} | {link.b for link in seen.ways} == {"hall", "p1", "p2"}
    believed = with_hidden(truth)
    assert "cup" not in believed.scene.nodes
    there = ground(flat().changed(change={"agent": {"at": "p1"}}), household())
    after = believed.observe(observations_of(World(there)))
    assert after.scene.nodes["cup"].parent == "p1"
    gone = ground(flat().changed(remove=["cup"], change={"agent": {"at": "p1"}}), household())
    missed = after.observe(observations_of(World(gone)))
    assert list(missed.scene.unplaced) == ["cup"], "all of the room is seen, and the cup is not there"


def test_a_pose_carries_things_and_stands_on_no_thing() -> None:
    with pytest.raises(SceneError, match="expected a room, pose, asset, object or agent as parent"):
        flat().changed(add=[Node("house", "building"), Node("ball", "object", "house", "ontop_of")])


def test_a_room_of_many_poses_asks_for_no_route_from_each(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [Node("hall", "room"), *(Node(f"p{n}", "pose", "hall") for n in range(400))]
    nodes.append(Node("agent", "agent", at="p399"))
    links = [Link(f"p{n}", f"p{n + 1}", 1.0) for n in range(399)] + [Link("hall", "p0", 1.0)]
    sources: list[str] = []
    search = Routes._search
    monkeypatch.setattr(
        Routes, "_search", lambda self, source: sources.append(source) or search(self, source)
    )
    belief = ground(Scene("long", {node.id: node for node in nodes}, tuple(links)), household())
    assert plan_goal(parse_goal("(robot_at hall)"), belief, Engine.named("pyperplan")).verified
    assert len(set(sources)) < 5
