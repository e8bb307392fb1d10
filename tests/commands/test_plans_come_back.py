"""Plans that were written elsewhere or before: by other planners, as robot programs, without poses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import unified_planning.shortcuts as up
from papers_example import FIRST_PLAN, SECOND_PLAN, example
from unified_planning.io import PDDLReader, PDDLWriter

from groundplan import Budget, Engine
from groundplan.commands import main
from groundplan.engines.base import PddlText

GOAL = "(and (inside_of orange1 fridge) (or (open microwave) (open cabinet4)) (hot coffee_mug))"
ORANGE = "(and (inside_of orange1 fridge) (closed fridge))"


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    """Return a folder with a compiled goal and the plan of pyperplan's own command line for it."""
    folder = tmp_path_factory.mktemp("outside")
    arguments = ["compile", "--scene", "office", "--goal", GOAL, "--no-costs", "--out", str(folder)]
    assert main(arguments) == 0
    program = Path(sys.executable).with_name("pyperplan")
    files = [str(folder / name) for name in ("domain.pddl", "problem.pddl")]
    subprocess.run([program, "-H", "hff", "-s", "gbf", *files], check=True, capture_output=True, timeout=60)
    return folder, (folder / "problem.pddl.soln").read_text()


def simulate(cli, plan: str, *options: object, goal: str = GOAL):
    given = ("--scene", "office", "--goal", goal, "--plan", "-", "--json", *options)
    return cli("simulate", *given, stdin=plan)


def test_a_planners_plan_for_what_was_compiled_is_verified(cli, outside):
    folder, plan = outside
    assert "(end-acting" in plan  # an action of the compilation, not of the pack
    ran = simulate(cli, plan, "--symbols", folder / "symbols.json")
    assert (ran.code, ran.json["verified"], ran.json["violations"]) == (0, True, [])
    assert ran.json["plan"][-1].startswith(("open(", "turn_on(", "access(", "release("))
    # VAL's form of the same plan: upper case, times, durations, comments.
    timed = "".join(f"{n}.00: {line.upper()} [1.0] ; as VAL\n" for n, line in enumerate(plan.splitlines()))
    assert simulate(cli, "\ufeff" + timed, "--symbols", folder / "symbols.json").json == ran.json


@pytest.mark.parametrize("engine", ["pyperplan", "kairos"])
def test_what_the_run_has_to_keep_is_in_what_is_compiled(cli, tmp_path, engine):
    goal = (
        "(and (holding orange1) (sometime-before (holding orange1) (open fridge))"
        " (never (do pickup ?x) :when (closed microwave)) (never (robot_at pose13)))"
    )
    plain = ["--no-costs"] if engine == "pyperplan" else []
    told = cli("compile", "--scene", "office", "--goal", goal, *plain, "--out", tmp_path / "pddl")
    assert told.code == 0 and "What the run has to keep is" in told.out
    domain, problem, symbols = sorted((tmp_path / "pddl").iterdir())
    assert ("(always (not (stands_at pose13)))" in problem.read_text()) is (engine == "kairos")
    if engine == "kairos":
        pytest.importorskip("kairos")
    text = PddlText(domain.read_text(), problem.read_text())
    answer = Engine.named(engine).solve_text(text, Budget(30))
    plan = "".join(f"({' '.join(step)})\n" for step in answer.plan)
    ran = simulate(cli, plan, "--symbols", symbols, goal=goal)
    assert ran.code == 0 and ran.json["verified"]
    assert {"open(fridge)", "open(microwave)"} <= set(ran.json["plan"])


def test_what_unified_plannings_writer_writes_comes_back_by_its_table(cli, tmp_path):
    cli("compile", "--scene", "office", "--goal", GOAL, "--to", "unified", "--out", tmp_path / "pddl")
    domain, problem, symbols = sorted((tmp_path / "pddl").iterdir())
    read = PDDLReader().parse_problem(str(domain), str(problem))
    up.get_environment().credits_stream = None
    with up.OneshotPlanner(name="fast-downward") as planner:
        planner.skip_checks = True  # its reader makes real numbers of whole ones
        plan = PDDLWriter(read).get_plan(planner.solve(read).plan)
    ran = simulate(cli, plan, "--symbols", symbols)
    assert ran.code == 0 and ran.json["verified"]
    cli("compile", "--scene", "office", "--goal", GOAL, "--out", tmp_path / "ours")
    assert (tmp_path / "ours" / "domain.pddl").read_text() != domain.read_text()


def test_every_action_of_a_planners_plan_counts(cli, outside):
    folder, plan = outside
    lines = [line for line in plan.splitlines() if not line.startswith(("(end-acting", "(show-", "(heat"))]
    for left_out in range(len(lines)):
        fewer = "\n".join(lines[:left_out] + lines[left_out + 1 :])
        ran = simulate(cli, fewer, "--symbols", folder / "symbols.json")
        assert ran.code == 1 and not ran.json["verified"], lines[left_out]


def test_an_action_must_apply_as_it_stands(cli):
    plan = "(goto pose8 kitchen_bench)\n(pickup_inside orange1 kitchen_bench)\n"
    ran = simulate(cli, plan, goal="(holding orange1)")
    [violation] = ran.json["violations"]  # as a printed step, pickup(orange1) would do
    assert violation["step"] == "pickup_inside(orange1, kitchen_bench)"
    assert "orange1 is not inside kitchen_bench" in violation["message"]
    assert simulate(cli, plan.replace("_inside", "_on"), goal="(holding orange1)").code == 0


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("(goto pose8)", "2 arguments of goto"),
        ("(teleport fridge)", "expected an action of the problem, got teleport"),
        ("(goto pose8 ridge)", "expected an object of the problem, got ridge"),
        ("(goto pose8 kitchen\n", "an action in parentheses"),
        ("(goto pose8 kitchen)\n()", "standard input:2"),
    ],
)
def test_what_is_no_plan_is_refused_with_its_line(cli, plan, expected):
    ran = cli("simulate", "--scene", "office", "--plan", "-", stdin=plan)
    assert ran.code == 2 and expected in ran.err


@pytest.mark.parametrize(
    "table", ["", "[]", "{}", '{"types": {}, "predicates": {}, "actions": [], "objects": {}}', '{"types": 1}']
)
def test_what_is_no_table_of_symbols_is_refused(cli, tmp_path, table):
    file = tmp_path / "symbols.json"
    file.write_text(table)
    ran = simulate(cli, "(goto pose8 kitchen)", "--symbols", file)
    assert ran.code == 2 and "symbols.json" in ran.err


def test_a_robot_program_comes_back_as_the_plan_it_was(cli, tmp_path):
    out = tmp_path / "out"
    planned = cli("plan", "--scene", "office", "--goal", ORANGE, "--json", "--out", out)
    program = json.loads((out / "program.json").read_text())
    assert planned.json["program"] == program
    for file in (out / "program.json", out / "plan.txt", out / "record.json"):
        ran = cli("simulate", "--scene", "office", "--goal", ORANGE, "--plan", file, "--json")
        assert (ran.code, ran.json["plan"]) == (0, planned.json["plan"]), file
    program["commands"][3]["printed"] = None
    ran = simulate(cli, json.dumps(program))
    assert ran.code == 2 and "commands[3].printed" in ran.err


def test_a_robot_program_is_held_to_its_own_goal_and_expectations(cli, tmp_path):
    program = cli("plan", "--scene", "office", "--goal", ORANGE, "--json").json["program"]
    file = tmp_path / "program.json"

    def ran(*options):
        file.write_text(json.dumps(program))
        return cli("simulate", "--scene", "office", "--plan", file, *options)

    asked = ran("--json")
    assert (asked.code, asked.json["verified"], asked.json["goal_value"]) == (0, True, True)
    assert asked.json["unexpected"] == []
    assert ran("--goal", "(open fridge)", "--json").json["goal_value"] is False
    assert ran("--route").code == 2
    program["commands"][0]["expects"]["before"].append("(open fridge)")
    told = ran("--json").json
    assert not told["verified"] and told["executable"]
    [one] = told["unexpected"]
    assert (one["index"], one["when"], one["fact"]) == (0, "before", "(open fridge)")
    shown = ran()
    assert shown.code == 1 and shown.last == "executable, but not as the program expects: 1 fact otherwise"
    assert "(open fridge) is expected before, but fridge is not open" in shown.out
    program["hashes"]["scene"] = "0" * 64
    assert "the program was made for another scene" in ran().out
    program["commands"][0]["expects"]["before"].pop()
    other = ran("--json")
    assert other.code == 1 and [d["key"] for d in other.json["unexpected"]] == ["hashes.scene"]
    program["goal"][0] = "(inside_of orange1 nowhere)"
    wrong = ran()
    assert wrong.code == 2 and "nowhere" in wrong.err
    plain = cli("simulate", "--scene", "office", "--plan", "-", "--json", stdin="goto(pose13)")
    assert plain.json["unexpected"] is None


def test_without_a_verified_plan_there_is_no_program(cli):
    goal = "(and (open microwave) (turned_on microwave))"
    ran = cli("plan", "--scene", "office", "--goal", goal, "--json")
    assert ran.code == 1 and ran.json["program"] is None


def test_the_papers_coffee_for_tom_replays_with_poses_filled_in(cli, tmp_path):
    raw = example()
    machine = next(a for a in raw["nodes"]["asset"] if a["id"] == "coffee_machine")
    machine["affordances"].append("release")  # the paper puts the mug there, its graph does not say so
    scene = tmp_path / "home.json"
    scene.write_text(json.dumps(raw))

    def replay(plan: str, *options: str):
        goal = "(and (filled coffee_mug) (in_room coffee_mug toms_room))"
        given = ("--scene", scene, "--goal", goal, "--plan", "-", "--json", *options)
        return cli("simulate", *given, stdin=plan)

    assert replay(FIRST_PLAN, "--route").json["violations"][0]["message"].endswith("wardrobe1 is closed")
    unrouted = replay(SECOND_PLAN).json["violations"]
    assert unrouted[0]["message"].endswith("it is not next to bobs_room")
    ran = replay(SECOND_PLAN, "--route")
    assert (ran.code, ran.json["verified"]) == (0, True)
    steps = ran.json["plan"]
    assert steps[4:9] == ["goto(pose1)", "goto(toms_room)", "goto(pose5)", "goto(kitchen)", steps[8]]


def test_routes_are_filled_in_only_where_one_leads(cli):
    plan = "goto(kitchen)\ngoto(nowhere)\ngoto(fridge)\n"
    ran = cli("simulate", "--scene", "office", "--plan", "-", "--route", "--json", stdin=plan)
    assert ran.json["plan"][-3:] == ["goto(kitchen)", "goto(nowhere)", "goto(fridge)"]
    assert ran.json["violations"][0]["step"] == "goto(nowhere)"
    ran = cli("simulate", "--scene", "office", "--plan", "-", "--route", stdin="(goto pose8 kitchen)")
    assert ran.code == 2 and "--route" in ran.err


def test_nothing_after_done_is_carried_out(cli):
    plan = "goto(pose13)\ndone()\ngoto(pose9)\nopen(nothing)\n"
    ran = simulate(cli, plan, goal="(robot_at pose13)")
    assert (ran.code, ran.json["verified"]) == (0, True)
    assert ran.json["ignored"] == ["goto(pose9)", "open(nothing)"]
    told = cli("simulate", "--scene", "office", "--goal", "(robot_at pose9)", "--plan", "-", stdin=plan)
    assert told.code == 1 and "ignored after done(): 2 steps" in told.out


@pytest.mark.parametrize(("plan", "steps"), [("goto(pose13)\n", 1), ("", 0), ("[]", 0)])
def test_without_a_goal_nothing_is_called_verified(cli, plan, steps):
    given = ("simulate", "--scene", "office", "--plan", "-")
    ran = cli(*given, stdin=plan)
    assert ran.code == 0 and ran.last.startswith(f"executable: {steps} step{'s' * (steps != 1)}, ")
    assert ran.last.endswith(" metres; no goal was given, so nothing was verified")
    ran = cli(*given, "--json", stdin=plan)
    assert (ran.code, ran.json["executable"], ran.json["verified"], ran.json["goal_value"]) == (
        0,
        True,
        None,
        None,
    )
    ran = cli(*given, "--json", "--goal", "(closed fridge)", stdin=plan)
    assert (ran.code, ran.json["verified"], ran.json["goal_value"]) == (0, True, True)
