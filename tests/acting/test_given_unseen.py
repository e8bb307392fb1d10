"""What was given or concluded and never seen proves nothing: neither a goal nor its opposite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from groundplan import Engine, Request, ground, load_pack, parse_goal
from groundplan.acting import Episode, act_in
from groundplan.acting.acting import result_in
from groundplan.domains.errors import GoalError, SceneError
from groundplan.methods import METHODS, Limits, Tools
from groundplan.simulator.belief import Belief
from groundplan.simulator.observations import Spot, StepOutcome
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.sensing import Environment, Move, unexplored, with_hidden
from groundplan.simulator.step import Step

ENGINE, PACK = Engine.named("pyperplan"), load_pack()
OPENS = ("open", "close", "release")
SWITCH = ("turn_on", "turn_off")


def thing(
    name: str, where: str, relation: str = "ontop_of", can: Sequence[str] = (), state: str = ""
) -> Node:
    kind = name.rstrip("0123456789")
    words = tuple(state.split())
    return Node(name, "object", where, relation, (kind,), ("pickup", *can), words)


def asset(name: str, room: str, can: Sequence[str] = ("release",), state: str = "") -> Node:
    return Node(name, "asset", room, "in", (name,), tuple(can), tuple(state.split()))


FURNITURE = (
    asset("bench", "kitchen"),
    asset("fridge", "kitchen", OPENS, "closed"),
    asset("desk", "hall"),
    asset("shelf", "attic"),
)
LINKS = (Link("hall", "kitchen", 4), Link("hall", "attic", 4))


def house(*nodes: Node, at: str = "hall", links: Sequence[Link] = LINKS, pack: str = "household") -> Belief:
    """Return a hall with a kitchen and an attic, with furniture and what is given besides."""
    rooms = (Node("kitchen", "room"), Node("hall", "room"), Node("attic", "room"))
    listed = (*rooms, *FURNITURE, *nodes, Node("robot", "agent", at=at))
    return ground(Scene("house", {n.id: n for n in listed}, tuple(links)), load_pack(pack))


def acted(given: Belief, truth: Belief, goal: str) -> tuple[Episode, bool]:
    """Act for a goal; return the episode that has ended, and whether the goal holds in the true world."""
    episode, world = Episode(Request(given, goal=parse_goal(goal)), engine=ENGINE), Environment(truth)
    act_in(world, episode)
    return episode, world.judge(episode.goal.formula).reached


def outcome(given: Belief, truth: Belief, goal: str) -> str:
    """Return how acting for a goal ends, where that is true."""
    episode, reached = acted(given, truth, goal)
    assert episode.finish is not None
    assert episode.finish.outcome != ("unsolvable" if reached else "verified"), episode.finish
    return episode.finish.outcome


CARTON = ("open", "close", "release")


@pytest.mark.parametrize(
    ("given", "true", "goal"),
    [
        (thing("lamp1", "bench", can=SWITCH, state="on"), "off", "(turned_on lamp1)"),
        (thing("lamp1", "bench", can=SWITCH, state="off"), "on", "(not (turned_on lamp1))"),
        (thing("carton1", "bench", can=CARTON, state="closed"), "open", "(closed carton1)"),
        (thing("carton1", "bench", can=CARTON, state="closed"), "open", "(forall (?c - carton) (closed ?c))"),
    ],
)
def test_states_of_things_are_seen_before_a_goal_is_verified(given: Node, true: str, goal: str) -> None:
    assert outcome(house(given), house(replace(given, state=(true,))), goal) == "verified"


@pytest.mark.parametrize("goal", ["(exists (?o - orange) (open fridge))", "(exists (?o - orange) (= ?o ?o))"])
def test_that_there_is_a_thing_is_seen_before_a_goal_is_verified(goal: str) -> None:
    orange = thing("orange1", "bench")
    assert outcome(house(orange), house(), goal) == "not-found"
    assert outcome(house(orange), house(orange), goal) == "verified"


@pytest.mark.parametrize("at", ["bench", "shelf"])
@pytest.mark.parametrize("goal", ["(clean plate1)", "(forall (?p - plate) (clean ?p))"])
def test_what_was_washed_where_it_was_not_is_not_clean(goal: str, at: str) -> None:
    washer = asset("dishwasher", "kitchen", (*OPENS, *SWITCH), "closed off")
    dirty = thing("plate1", "dishwasher", "inside_of", ("release",), "dirty")
    truth = house(washer, replace(dirty, parent=at, relation="ontop_of"))
    assert outcome(house(washer, dirty), truth, goal) == "verified"


def test_what_was_chilled_where_it_was_not_is_not_cold() -> None:
    orange = thing("orange1", "fridge", "inside_of")
    truth = house(replace(orange, parent="shelf", relation="ontop_of"))
    episode, reached = acted(house(orange), truth, "(cold orange1)")
    assert reached and Step("pickup", ("orange1",)) in episode.trajectory.executed


def test_what_a_look_does_not_show_was_not_found() -> None:
    laptop = thing("laptop1", "bench")
    goal = "(exists (?l - laptop) (seen ?l))"
    assert outcome(house(laptop, pack="search"), house(pack="search"), goal) == "not-found"
    moved = house(replace(laptop, parent="shelf"), pack="search")
    assert outcome(house(laptop, pack="search"), moved, goal) == "verified"


@pytest.mark.parametrize(
    "goal", ["(not (cold orange1))", "(forall (?o - orange) (not (cold ?o)))", "(and (not (cold orange1)))"]
)
@pytest.mark.parametrize("known", [with_hidden, unexplored])
def test_what_is_cold_from_the_start_is_seen_to_be_cold(goal: str, known: object) -> None:
    """No word of the scene says so: the thing is in a closed fridge."""
    truth = house(thing("orange1", "fridge", "inside_of"))
    hidden = known(truth, named=["orange1"])  # type: ignore[operator]
    assert outcome(hidden, truth, goal) != "verified"
    assert outcome(truth, truth, "(cold orange1)") == "verified"


@pytest.mark.parametrize("known", [with_hidden, unexplored])
@pytest.mark.parametrize("goal", ["(open carton1)", "(closed carton1)", "(sometime (closed carton1))"])
def test_a_thing_that_is_known_by_name_is_in_no_state_yet(goal: str, known: object) -> None:
    truth = house(thing("carton1", "fridge", "inside_of", CARTON, "open"))
    hidden = known(truth, named=["carton1"])  # type: ignore[operator]
    assert hidden.scene.nodes["carton1"].state == ()
    episode, reached = acted(hidden, truth, goal)
    assert reached and episode.trajectory.looks and episode.finish is not None
    assert episode.finish.outcome == "verified"


@pytest.mark.parametrize("known", [with_hidden, unexplored])
def test_a_state_that_nothing_changes_is_seen_too(known: object) -> None:
    """Nothing makes a plate dirty, and a scene says whether it is; so it is of furniture."""
    dirty = thing("plate1", "bench", state="dirty")
    hidden = known(house(dirty), named=["plate1"])  # type: ignore[operator]
    assert outcome(hidden, house(dirty), "(not (dirty plate1))") != "verified"
    assert outcome(hidden, house(dirty), "(dirty plate1)") == "verified"
    hob = asset("hob", "kitchen", state="dirty")
    assert outcome(house(hob), house(hob), "(dirty hob)") == "verified"
    assert outcome(house(hob), house(replace(hob, state=())), "(dirty hob)") != "verified"


def test_what_is_to_have_been_so_was_seen_to_be_so() -> None:
    orange = thing("orange1", "bench")
    goal = "(and (sometime (in_room orange1 kitchen)) (ontop_of orange1 desk))"
    episode, reached = acted(house(orange), house(replace(orange, parent="desk")), goal)
    assert reached and Step("goto", ("kitchen",)) in episode.trajectory.executed
    assert outcome(house(orange), house(orange), goal) == "verified"
    assert outcome(house(orange), house(orange), "(sometime (in_room orange1 kitchen))") == "verified"


@pytest.mark.parametrize("word", ["red", "cup"])
def test_a_thing_of_another_sort_than_given_is_of_that_sort(word: str) -> None:
    cup = replace(thing("cup1", "desk"), attributes=("red",))
    other = replace(cup, attributes=("blue",)) if word == "red" else replace(cup, classes=("jar",))
    given, truth = house(cup), house(other)
    seen = given.observe(Environment(truth).look())
    assert seen.scene.nodes["cup1"].attributes == other.attributes
    assert seen.scene.nodes["cup1"].classes == other.classes
    assert (
        outcome(given, truth, f"(exists (?c - object) (and ({word} ?c) (ontop_of ?c bench)))") != "verified"
    )


def test_what_is_sure_of_a_thing_that_is_not_found_keeps_no_other_part_from_being_done() -> None:
    orange, cup = thing("orange1", "fridge", "inside_of"), thing("cup1", "desk")
    goal = "(and (not (inside_of orange1 fridge)) (ontop_of cup1 bench))"
    assert outcome(house(orange, cup), house(cup), goal) == "verified"
    truth = house(replace(orange, parent="shelf", relation="ontop_of"), cup, links=LINKS[:1])
    assert outcome(with_hidden(truth, named=["orange1", "cup1"]), truth, goal) == "verified"


@pytest.mark.parametrize(
    "goal", ["(in_room orange1 kitchen)", "(holding orange1)", "(sometime (in_room orange1 kitchen))"]
)
def test_nothing_is_true_of_a_thing_that_the_world_does_not_have(goal: str) -> None:
    given, truth = house(thing("orange1", "bench")), house()
    assert outcome(given, truth, goal) != "verified"
    assert outcome(given, truth, f"(not {goal})" if "sometime" not in goal else goal) != "unsolvable"


def test_a_proof_rests_on_no_thing_that_was_only_given() -> None:
    """Nobody holds two oranges; there is one."""
    oranges = thing("orange1", "desk"), thing("orange2", "fridge", "inside_of")
    goal = "(forall (?o - orange) (holding ?o))"
    assert outcome(house(*oranges), house(oranges[0]), goal) == "verified"
    episode, _ = acted(house(*oranges), house(*oranges), goal)
    assert episode.finish is not None and episode.finish.outcome == "unsolvable"


DOOR = asset("door", "hall", (), "closed")
SHUT = (LINKS[0], Link("hall", "attic", 4, "door"))


def test_a_thing_may_be_behind_a_door_that_nothing_opens() -> None:
    orange = thing("orange1", "fridge", "inside_of")
    given = house(DOOR, orange, links=SHUT)
    truth = house(DOOR, replace(orange, parent="shelf", relation="ontop_of"), links=SHUT)
    assert outcome(given, truth, "(ontop_of orange1 shelf)") == "not-found"
    assert outcome(given, given, "(ontop_of orange1 shelf)") == "unsolvable"


def test_a_proof_rests_on_no_tool_that_was_only_given() -> None:
    safe = asset("safe", "attic", ("release",), "closed")
    plate, sponge = thing("plate1", "bench", can=("release",), state="dirty"), thing("sponge", "desk")
    locked = replace(sponge, parent="safe", relation="inside_of")
    assert outcome(house(safe, plate, locked), house(safe, plate, sponge), "(clean plate1)") == "verified"
    shelved = house(safe, plate, replace(sponge, parent="shelf"))  # nobody can look into the safe
    assert outcome(house(safe, plate, locked), shelved, "(clean plate1)") == "verified"
    assert outcome(house(safe, plate, locked), house(safe, plate, locked), "(clean plate1)") == "not-found"


def test_a_proof_rests_on_no_state_of_furniture_that_was_only_given() -> None:
    box, orange = asset("box", "kitchen", ("contain", "release"), "closed"), thing("orange1", "desk")
    truth = house(replace(box, state=("open",)), orange)
    assert outcome(house(box, orange), truth, "(inside_of orange1 box)") == "verified"
    episode, _ = acted(house(box, orange), house(box, orange), "(inside_of orange1 box)")
    assert episode.finish is not None and episode.finish.outcome == "unsolvable"
    assert episode.trajectory.looks == (Spot("kitchen"),)


def test_a_goal_that_is_sure_of_a_thing_without_a_place_ends() -> None:
    """It holds wherever the orange may be, and no plan can name the orange."""
    orange = thing("orange1", "shelf")
    truth = house(orange, at="kitchen", links=LINKS[:1])
    hidden = with_hidden(truth, named=["orange1"])
    assert outcome(hidden, truth, "(exists (?o - orange) (not (in_room ?o kitchen)))") == "verified"
    assert outcome(hidden, truth, "(or (in_room orange1 kitchen) (closed fridge))") == "verified"


class Busy(Environment):
    """A world in which somebody moves a cup to and fro all the time."""

    def __init__(self, truth: Belief, stuck: Step) -> None:
        moves = [Move(i, "cup1", "ontop_of", "desk" if i % 2 else "bench") for i in range(1, 100)]
        super().__init__(truth, stuck=[stuck], moves=moves)


def test_a_step_is_tried_eight_times_whatever_else_is_seen() -> None:
    truth = house(thing("orange1", "desk"), thing("cup1", "bench"))
    request = Request(truth, goal=parse_goal("(holding orange1)"))
    episode = Episode(request, engine=ENGINE, still=False)
    finish = act_in(Busy(truth, Step("pickup", ("orange1",))), episode)
    assert finish is not None and finish.outcome == "not-found"
    assert "pickup(orange1) failed 8 times" in finish.reasons
    tried = [entry.step for entry in episode.log if getattr(entry, "step", None) is not None]
    assert tried.count(Step("pickup", ("orange1",))) == 8


@pytest.mark.parametrize("most", [0, 1, 3])
def test_no_more_steps_are_tried_than_there_may_be(most: int) -> None:
    truth = house(thing("orange1", "bench"))
    request = Request(truth, goal=parse_goal("(ontop_of orange1 shelf)"))
    episode = Episode(request, engine=ENGINE, max_steps=most)
    finish = act_in(Environment(truth), episode)
    assert finish is not None and finish.reasons == (f"out of budget: {most} steps were tried",)
    assert len(episode.trajectory.executed) == most


def test_a_robot_acts_at_a_part_of_furniture() -> None:
    drawer = Node("drawer", "part", "bench", "in", ("drawer",), OPENS, ("closed",))
    truth = house(drawer, thing("spoon1", "drawer", "inside_of"))
    assert outcome(truth, truth, "(open drawer)") == "verified"
    assert outcome(with_hidden(truth, named=["spoon1"]), truth, "(ontop_of spoon1 desk)") == "verified"


def test_a_goal_that_is_none_for_the_world_that_is_seen_ends_as_such() -> None:
    given, truth = house(), house()
    nodes = {**truth.scene.nodes, "fridge": asset("fridge", "kitchen", (), "closed")}
    truth = ground(replace(truth.scene, nodes=nodes), PACK)
    request = Request(given, world=truth, goal=parse_goal("(open fridge)"))
    episode, world = Episode(request, engine=ENGINE), Environment(truth)
    act_in(world, episode)
    with pytest.raises(GoalError, match="fridge cannot be opened"):
        result_in(world, episode)
    record = METHODS["expected-cost-equal"].run(request, Tools(engine=ENGINE), Limits(30))
    assert record.outcome == "goal-error" and "cannot be opened" in record.failures[0]


def test_a_room_is_looked_at_when_a_way_to_it_is_found() -> None:
    """From the kitchen a door is seen that nothing opens; the other way to the attic is not known yet."""
    shut, links = asset("door", "attic", (), "closed"), (*LINKS, Link("kitchen", "attic", 3, "door"))
    truth = house(shut, thing("orange1", "shelf"), at="kitchen", links=links)
    hidden = unexplored(truth, named=["orange1"])
    assert outcome(hidden, truth, "(holding orange1)") == "verified"


def test_nobody_knows_ways_that_were_not_seen() -> None:
    truth = house(at="kitchen", links=(*LINKS, Link("kitchen", "attic", 3)))
    hidden = unexplored(truth)
    assert {(link.a, link.b) for link in hidden.scene.links} == {("hall", "kitchen"), ("kitchen", "attic")}


def test_a_way_that_is_not_there_is_not_tried_again() -> None:
    links = (Link("kitchen", "hall", 1), Link("kitchen", "attic", 9), Link("hall", "attic", 1))
    orange = thing("orange1", "shelf")
    given, truth = house(orange, at="kitchen", links=links), house(orange, at="kitchen", links=links[:2])
    episode, reached = acted(given, truth, "(holding orange1)")
    assert reached and Step("goto", ("kitchen",)) in episode.trajectory.executed
    failed = [e for e in episode.log if getattr(e, "step", None) and not e.outcome.done]  # type: ignore[union-attr]
    assert failed == []


def test_what_is_in_an_open_box_in_a_closed_fridge_is_looked_at_through_the_door() -> None:
    truth = house(thing("box1", "fridge", "inside_of", CARTON, "open"), thing("orange1", "box1", "inside_of"))
    assert outcome(truth, truth, "(in_room orange1 kitchen)") == "verified"


@pytest.mark.parametrize("verb", ["pickup", "goto"])
def test_a_report_that_cannot_be_used_changes_nothing(verb: str) -> None:
    truth = house(thing("orange1", "desk"))
    request, world = Request(truth, goal=parse_goal("(ontop_of orange1 bench)")), Environment(truth)
    episode = Episode(request, engine=ENGINE)
    episode.report(StepOutcome(True, 0, world.look()))
    while (step := episode.next()) is not None:
        result = world.act(step)
        if step.name == verb:
            ghost = Node("ghost", "object", "nowhere", "ontop_of")
            seen = replace(result.observations, nodes=(*result.observations.nodes, ghost))
            before = (episode.belief, episode.trajectory.executed, len(episode.log))
            with pytest.raises(SceneError, match="ghost"):
                episode.report(replace(result, observations=seen))
            assert (episode.belief, episode.trajectory.executed, len(episode.log)) == before
            assert episode.due == step
        episode.report(result)
    assert episode.finish is not None and episode.finish.outcome == "verified"
    assert episode.trajectory.executed_mm == world.moved_mm > 0
    again = Episode.resume(request, episode.log, engine=ENGINE)
    assert again.next() is None and again.finish == episode.finish


RED = replace(thing("cup1", "bench"), attributes=("red",))
FREEZER = replace(asset("freezer", "kitchen", OPENS, "closed"), attributes=("red",))


@pytest.mark.parametrize(
    ("given", "goal"),
    [
        (RED, "(red cup1)"),
        (RED, "(forall (?c - cup) (red ?c))"),
        (RED, "(not (blue cup1))"),
        (RED, "(cup cup1)"),
        (FREEZER, "(red freezer)"),
        (FREEZER, "(exists (?f - freezer) (red ?f))"),
        (FREEZER, "(forall (?f - freezer) (not (blue ?f)))"),
    ],
)
def test_the_sort_of_a_thing_is_seen_before_a_goal_ends(given: Node, goal: str) -> None:
    """Both ways: what was given may be true of it or not."""
    tinted = replace(thing("pen1", "desk"), attributes=("red", "blue"))
    cups = thing("cup9", "desk")
    other = replace(given, attributes=("blue",), classes=("jar",) if goal == "(cup cup1)" else given.classes)
    red = replace(cups, attributes=("red",))
    assert outcome(house(given, tinted, red), house(other, tinted, red), goal) != "verified"
    assert outcome(house(given, tinted, red), house(given, tinted, red), goal) == "verified"
    assert outcome(house(other, tinted, red), house(given, tinted, red), goal) != "unsolvable"


@pytest.mark.parametrize(
    ("goal", "absent", "elsewhere"),
    [
        ("(in_room freezer kitchen)", False, False),
        ("(exists (?f - freezer) (in_room ?f kitchen))", False, False),
        ("(exists (?f - freezer) (= ?f ?f))", False, True),
        ("(exactly 1 (?f - freezer) (= ?f ?f))", False, True),
        ("(exists (?f - freezer) (robot_at hall))", False, True),
        ("(not (in_room freezer attic))", True, False),
    ],
)
def test_that_furniture_is_there_is_seen_before_a_goal_is_verified(
    goal: str, absent: bool, elsewhere: bool
) -> None:
    assert (outcome(house(FREEZER), house(), goal) == "verified") is absent
    moved = replace(FREEZER, parent="attic")
    assert (outcome(house(FREEZER), house(moved), goal) == "verified") is elsewhere
    assert outcome(house(FREEZER), house(FREEZER), goal) == "verified"


@pytest.mark.parametrize(
    "goal",
    [
        "(forall (?f - box) (not (open ?f)))",
        "(exists (?f - box) (not (open ?f)))",
        "(not (exists (?f - box) (open ?f)))",
        "(at-most 0 (?f - box) (open ?f))",
    ],
)
def test_a_proof_rests_on_no_state_of_furniture_that_a_goal_ranges_over(goal: str) -> None:
    box = asset("box", "kitchen", ("contain", "release"), "open")
    assert outcome(house(box), house(replace(box, state=("closed",))), goal) == "verified"
    assert outcome(house(box), house(box), goal) == "unsolvable"


@pytest.mark.parametrize(
    "goal", ["(forall (?c - cup) (in_room ?c hall))", "(exactly 0 (?c - cup) (in_room ?c kitchen))"]
)
def test_a_thing_without_a_place_counts_where_a_goal_ranges_over_it(goal: str) -> None:
    cup = thing("cup1", "bench")
    given = house(replace(cup, parent=None, relation="unknown"))
    episode, _ = acted(given, house(cup), goal)
    assert episode.finish is not None and episode.trajectory.looks
    assert outcome(given, house(replace(cup, parent="desk")), goal) == "verified"


@pytest.mark.parametrize("goal", ["(not (in_room ghost1 attic))", "(not (inside_of cup1 ghost1))"])
def test_what_is_at_none_of_all_places_is_in_none(goal: str) -> None:
    given = house(thing("cup1", "desk"), replace(thing("ghost1", "desk"), parent=None, relation="unknown"))
    assert outcome(given, house(thing("cup1", "desk")), goal) == "verified"


@pytest.mark.parametrize("pack", ["search", "grasif-looking"])
def test_a_thing_that_cannot_be_picked_up_where_it_was_given_is_looked_for(pack: str) -> None:
    cup = thing("cup1", "shelf")
    given, truth = house(cup, pack=pack), house(replace(cup, parent="desk"), pack=pack)
    episode, reached = acted(given, truth, "(holding cup1)")
    assert reached and episode.finish is not None and episode.finish.outcome == "verified"
    assert Step("look_on", ("shelf",)) in episode.trajectory.executed


@pytest.mark.parametrize(
    ("goal", "pack"),
    [
        ("(dirty cup1)", "household"),
        ("(clean cup1)", "household"),
        ("(in_room cup1 hall)", "household"),
        ("(in_room cup1 hall)", "search"),
        ("(in_room cup1 hall)", "grasif-looking"),
    ],
)
def test_an_end_follows_from_what_is_known_then(goal: str, pack: str) -> None:
    """It is the same for a robot that was taken up again: no reason is of a plan of before."""
    given = house(thing("cup1", "shelf", state="dirty"), pack=pack)
    request = Request(given, goal=parse_goal(goal))
    episode = Episode(request, engine=ENGINE)
    act_in(Environment(house(pack=pack)), episode)
    again = Episode.resume(request, episode.log, engine=ENGINE)
    while again.finish is None:
        assert again.next() is None
    assert again.finish == episode.finish
