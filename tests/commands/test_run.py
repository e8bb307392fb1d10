"""`groundplan run`: a goal carried out in a world that is known in part, its trace, and the map of rooms."""

from __future__ import annotations

import json
from pathlib import Path

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal
from groundplan.acting import Episode
from groundplan.commands.console.rooms import room_map
from groundplan.robot import TraceFile
from groundplan.simulator.observations import StepOutcome
from groundplan.simulator.scene_json import scene_text
from groundplan.simulator.sensing import Environment, with_hidden

GOAL = "(holding orange1)"
NEAREST = ("--policy", "nearest-unlooked")
RUN = ("run", "--scene", "office", "--goal", GOAL, "--knows", "furniture", "--failure", "0.2", "--seed", "3")


def test_a_run_says_what_it_does_and_where_it_looks_next(cli) -> None:
    told = cli(*RUN)
    assert told.code == 0 and told.last == "in the true world the goal is reached"
    for words in ("looks next: ", "plans: ", "pickup(orange1)", "failed: it did not work", "sees orange1: "):
        assert words in told.out
    assert "\x1b" not in told.out, "plain output has neither a spinner nor colours"


def test_a_run_without_the_goal_says_why(cli, tmp_path: Path) -> None:
    told = cli("run", "--scene", "office", "--goal", "(and (open microwave) (turned_on microwave))")
    assert told.code == 1 and "unsolvable" in told.out and told.last.endswith("is not reached")


def test_a_scene_that_is_said_to_be_wrong_is_looked_at_before_the_end(cli, tmp_path: Path) -> None:
    scene = load_scene("office")
    moved = scene.changed(change={"orange1": {"parent": "fridge", "relation": "inside_of"}})
    (tmp_path / "moved.json").write_text(scene_text(moved), encoding="utf-8")
    goal = "(not (exists (?o - orange) (inside_of ?o fridge)))"
    told = cli("run", "--scene", "office", "--world", tmp_path / "moved.json", "--goal", goal, "--json")
    assert told.code == 0 and told.json["reached"] and "pickup(orange1)" in told.json["executed"]


def test_a_run_that_was_cut_off_goes_on_to_the_same_end(cli, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    whole = cli(*RUN, "--trace", path, "--json").json
    data = path.read_bytes()
    assert cli("replay", path, "--scene", "office").code == 0
    assert cli(*RUN, "--trace", path).code == 2, "a trace is not written over"
    path.write_bytes(data[: len(data) // 2])
    again = cli(*RUN, "--trace", path, "--resume", "--json")
    assert again.code == 0 and again.json == whole and path.read_bytes() == data
    other = cli(*RUN[:4], "(holding banana2)", *RUN[5:], "--trace", path, "--resume")
    assert other.code == 2 and "line 1: goal is" in other.err and path.read_bytes() == data
    assert cli(*RUN, "--resume").code == 2
    assert cli(*RUN, "--pace", "-1").code == 2
    for option in ("--pace", "--failure"):
        assert "nan is not a number" in cli(*RUN, option, "nan").err
    assert json.loads(data.splitlines()[-1])["outcome"] == whole["outcome"]


def test_a_run_does_not_go_on_in_another_world(cli, tmp_path: Path) -> None:
    """Another seed, other failures or another scene: said with the line, and the trace is left alone."""
    scene, path = load_scene("office"), tmp_path / "trace.jsonl"
    moved = scene.changed(change={"orange1": {"parent": "fridge", "relation": "inside_of"}})
    (tmp_path / "moved.json").write_text(scene_text(moved), encoding="utf-8")
    cli(*RUN, "--trace", path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    data = path.read_bytes()
    for options, said in (
        ((*RUN[:-1], "4"), "line 1: world.seed is 3 in the trace and 4 now"),
        ((*RUN[:-3], "0.5", *RUN[-2:]), "line 1: world.failure is 0.2 in the trace and 0.5 now"),
        ((*RUN[:-4], *RUN[-2:]), "line 1: world.failure is 0.2 in the trace and 0.0 now"),
        (
            (*RUN, "--world", tmp_path / "moved.json"),
            "line 1: settings.confirm is false in the trace and true now",
        ),
    ):
        told = cli(*options, "--trace", path, "--resume")
        assert told.code == 2 and said in told.err and "--seed too" in told.err
        assert path.read_bytes() == data


def test_a_trace_that_says_nothing_of_its_world_is_held_to_what_was_reported(cli, tmp_path: Path) -> None:
    office, path = ground(load_scene("office"), load_pack()), tmp_path / "trace.jsonl"
    request = Request(with_hidden(office, named=["orange1"]), goal=parse_goal(GOAL))
    robot = Environment(office, failure=0.2, seed=3)
    with TraceFile(path) as trace:
        engine = Engine.named("pyperplan")
        episode = Episode(request, engine=engine, confirm=False, recorder=trace)
        episode.report(StepOutcome(True, 0, robot.look()))
        while "it did not work" not in path.read_text():
            step = episode.next()
            assert step is not None
            episode.report(robot.act(step))
    data, number = path.read_bytes(), len(trace.lines)
    told = cli(*RUN[:-4], *NEAREST, "--trace", path, "--resume")
    assert told.code == 2 and f"line {number}: {step} comes to something else in this world" in told.err
    assert path.read_bytes() == data
    assert cli(*RUN, *NEAREST, "--trace", path, "--resume").code == 0
    assert cli("replay", path, "--scene", "office").code == 0


def test_the_map_has_the_robot_s_room_first_and_then_where_it_looks() -> None:
    office = ground(load_scene("office"), load_pack())
    robot, goal = Environment(office), parse_goal("(exists (?b - banana) (holding ?b))")
    episode = Episode(Request(with_hidden(office), goal=goal), engine=Engine.named("pyperplan"))
    episode.report(StepOutcome(True, 0, robot.look()))
    rooms = set(office.scene.by_type["room"])
    seen = 0
    while (step := episode.next()) is not None:
        lines = [(mark[0], words[0]) for mark, words in room_map(episode)]
        assert {words.split(":")[0] for _, words in lines} == rooms
        here = episode.knowledge.run.world.state.here
        if here in rooms:
            assert lines[0][0] == "● " and lines[0][1].startswith(here)
        going = [words for _, words in lines if "looks next: " in words]
        assert len(going) == (episode.log[-1].as_json().get("look") is not None) or len(going) <= 1
        seen += bool(going)
        episode.report(robot.act(step))
    assert seen


FURNITURE = ("--scene", "office", "--knows", "furniture")


def test_a_goal_is_looked_for_where_a_sentence_would_be(cli) -> None:
    told = cli("run", *FURNITURE, "--goal", "(inside_of orange1 fridge)", "--json").json
    assert told["reached"] and len(told["looks"]) <= 3, "in the kitchen first"


def test_a_policy_without_the_beliefs_that_it_needs_is_refused(cli, monkeypatch) -> None:
    monkeypatch.setattr("groundplan.commands.run.embedding.installed", lambda: False)
    for policy in ("expected-cost", "likeliest-first", "likeliest-per-metre"):
        told = cli("run", *FURNITURE, "--goal", GOAL, "--policy", policy)
        assert told.code == 2 and policy in told.err and "groundplan[embedded]" in told.err
    goal = ("run", "--scene", "office", "--goal", "(closed cabinet5)")
    assert cli(*goal).code == cli(*goal, "--policy", "optimistic-nearest").code == 0


def test_what_is_taken_for_granted_is_said_last_and_in_json(cli) -> None:
    goal = ("run", "--scene", "office", "--goal", "(not (exists (?p - phone) (inside_of ?p fridge)))")
    sentence = "the robot was told of every phone that there is"
    assert cli(*goal, "--json").json["assumes"] == [sentence]
    assert cli(*goal).out.splitlines()[-2] == f"takes for granted: {sentence}"
    looked = cli(*goal, "--world", "office", "--json").json
    assert looked["reached"] and looked["assumes"] == [] and "open(fridge)" in looked["executed"]


def test_a_class_that_only_the_world_has_is_looked_for(cli, tmp_path: Path) -> None:
    scene = load_scene("office")
    less = scene.changed(remove=[i for i in scene.nodes if i.startswith("orange")])
    (tmp_path / "less.json").write_text(scene_text(less), encoding="utf-8")
    goal = ("--goal", "(exists (?o - orange) (holding ?o))", "--scene", tmp_path / "less.json")
    told = cli("run", *goal, "--world", "office", "--json")
    assert told.code == 0 and told.json["outcome"] == "verified"
    alone = cli("run", *goal)
    assert alone.code == 2 and "unknown class or type orange" in alone.err


def test_an_instruction_is_read_and_what_it_names_is_looked_for(cli) -> None:
    told = cli("run", "Put the orange left on the kitchen bench in the fridge.", *FURNITURE)
    assert told.code == 0 and told.last == "in the true world the goal is reached"
    assert (
        "supposes unseen_orange: 'the orange on the kitchen bench', said to be at kitchen_bench" in told.out
    )
    assert "takes orange1 for unseen_orange" in told.out
    found = cli("run", "Bring me a banana.", *FURNITURE, "--json").json
    assert found["outcome"] == "verified" and found["reached"]
    assert found["supposed"]["unseen_banana"] in found["goal"]


def test_an_instruction_about_what_is_nowhere_ends_without_the_goal(cli) -> None:
    told = cli("run", "Put the unicorn in the fridge.", *FURNITURE)
    assert told.code == 1 and "nothing that was seen is 'the unicorn'" in told.out
    assert told.last == "in the true world the goal is not reached"


def test_an_instruction_that_is_not_read_does_nothing(cli) -> None:
    for instruction in ("Where is the orange?", "Sing a song."):
        told = cli("run", instruction, *FURNITURE)
        assert told.code == 3 and "looks next" not in told.out
        silent = cli("run", instruction, *FURNITURE, "--json")
        assert silent.code == 3 and silent.json["executed"] == [] and not silent.json["reached"]


def test_the_instruction_of_a_task_is_read_with_a_reader(cli) -> None:
    task = ("run", "--task", "grasif-hidden-10", "--pack", "grasif-looking", "--knows", "furniture")
    assert "monitor" in cli(*task, "--reader", "embedded", "--json").json["supposed"].get(
        "unseen_monitor", ""
    )
    assert cli(*task, "--json").json["supposed"] == {}, "without a reader its gold goal is taken"


def test_options_that_do_not_go_together_are_refused(cli, tmp_path: Path) -> None:
    assert cli("run", "Bring me a banana.", *FURNITURE, "--goal", GOAL).code == 2
    assert cli("run", *FURNITURE, "--goal", GOAL, "--reader", "embedded").code == 2
    assert cli("run", *FURNITURE, "--reader", "embedded").code == 2
    assert cli("run", " ", *FURNITURE).code == 2
    assert cli("run", "Bring me a banana.", *FURNITURE, "--trace", tmp_path / "t.jsonl").code == 2
    assert cli("run", *FURNITURE, "--goal", GOAL, "--temperature", "0.5").code == 2


def test_a_question_about_a_known_scene_is_answered(cli) -> None:
    told = cli("run", "Which cabinet is open?", "--scene", "office")
    assert (told.code, told.last) == (0, "answered: cabinet5, cabinet6.")
    assert cli("run", "Is the fridge open?", "--scene", "office", "--json").json["reply"].startswith("No")


def test_a_goal_about_a_room_that_the_robot_does_not_know_is_refused_with_those_that_it_knows(cli):
    ran = cli("run", "--scene", "office", "--knows", "here", "--goal", "(in_room orange1 kitchen)")
    assert ran.code == 2 and "expected places that the robot knows (" in ran.err
    assert "got kitchen" in ran.err and "--knows furniture" in ran.err


def test_rules_are_kept_where_things_are_looked_for(cli, tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    run = ("run", "--goal", "(holding orange1)", "--scene", "office", "--rules", rules, "--json")
    rules.write_text("(never (robot_at kitchen))")
    for knows in ("furniture", "here"):
        ended = json.loads(cli(*run, "--knows", knows).out)
        assert ended["outcome"] == "not-found" and "goto(kitchen)" not in ended["executed"]
    rules.write_text("(never (robot_at lobby))")
    ended = json.loads(cli(*run, "--knows", "furniture").out)
    assert ended["outcome"] == "verified" and "goto(lobby)" not in ended["executed"]


def test_a_reactive_tree_hands_the_rules_on_to_whoever_plans_again(cli, tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("(never (robot_at lobby))")
    given = ("--goal", "(holding banana2)", "--scene", "office", "--rules", rules)
    tree = cli("plan", *given, "--export", "btcpp", "--tree", "reactive")
    assert tree.code == 0 and 'rules="(always (not (robot_at lobby)))"' in tree.out
    assert cli("plan", *given, "--export", "btcpp").code == 0
