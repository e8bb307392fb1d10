"""Every verb: exit codes, JSON keys, what is written."""

import importlib
import json
from pathlib import Path

import pytest

from groundplan.commands.console.pretty import pretty
from groundplan.commands.console.sections import SECTIONS
from groundplan.commands.readers import ModelOptions
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import open_scene
from groundplan.domains.formula import Atom
from groundplan.simulator.step import Step, read_steps

ORANGE = "(and (inside_of orange1 fridge) (closed fridge))"
STEPS = """goto(pose13)\ngoto(pose14)\ngoto(pose23)\ngoto(pose24)\ngoto(pose25)\ngoto(kitchen)
access(kitchen_bench)\npickup(orange1)\naccess(fridge)\nopen(fridge)\nrelease(orange1)\nclose(fridge)\n"""
PLAN_KEYS = (
    "outcome task instruction goal goals plan actions cost bound optimal executable verified violations"
    " subgraph engine reader hashes timings"
).split()
PROMPTS = Path(__file__).parents[2] / "language" / "chat" / "prompts"
READER_OPTIONS = ["--from", *(f"--{n.replace('_', '-')}" for n in ModelOptions.__slots__ if n != "place")]
FACTS = Path(__file__).parents[3] / "shared" / "data" / "sayplan_office_facts.json"


def test_help_names_every_verb(cli):
    ran = cli("--help")
    assert ran.code == 0
    for verb in ("plan", "find", "simulate", "check", "compile", "scene", "tasks", "engines", "models"):
        assert f"\n  {verb}" in ran.out
        assert cli(verb, "--help").code == 0


def test_plan_ends_with_the_line_that_scripts_look_for(cli):
    ran = cli("plan", "--scene", "office", "--goal", ORANGE)
    assert (ran.code, ran.err) == (0, "")
    assert ran.last == "verified: 12 steps, 32.84 metres"
    assert "orange1 is cold" in ran.out


@pytest.mark.parametrize("goal", [["--goal", ORANGE], ["--task", "office-planning-simple-02"]])
@pytest.mark.parametrize("option", READER_OPTIONS)
def test_options_of_a_reader_say_nothing_of_a_goal(cli, goal, option):
    scene = ["--scene", "office"] if goal[0] == "--goal" else []
    value = "7" if any(w in option for w in ("max", "seed", "timeout", "temp", "context")) else "nowhere"
    value = f"search={PROMPTS / 'search.md'}" if option == "--prompt" else value
    ran = cli("plan", *scene, *goal, option, value)
    assert (ran.code, ran.out) == (2, "")
    assert f"{option} says how an instruction is read; a goal is planned for as it stands" in ran.err
    assert ("with --reader the instruction of the task is read" in ran.err) == (goal[0] == "--task")


def test_options_of_a_reader_are_refused_together_where_a_goal_is_given(cli):
    ran = cli("plan", "--scene", "office", "--goal", ORANGE, "--search", "query", "--seed", "3", "--json")
    assert (ran.code, ran.out) == (2, "") and "--seed, --search say how an instruction is read" in ran.err


def test_plan_prints_the_record_as_json(cli):
    ran = cli("plan", "--scene", "office", "--goal", ORANGE, "--json")
    assert (ran.code, ran.err) == (0, "")
    record = ran.json
    assert set(PLAN_KEYS) <= set(record)
    assert record["outcome"] == "verified" and record["verified"] and record["executable"]
    assert record["plan"] == STEPS.split()
    assert [a for a in record["actions"] if a["event"]] == [
        {"name": "chill", "args": ["orange1", "fridge"], "event": True}
    ]
    assert record["reader"] is None and record["engine"] == "pyperplan"


def test_plan_reads_an_instruction(cli):
    ran = cli("plan", "Put the orange on the kitchen bench into the fridge.", "--scene", "office")
    assert ran.code == 0, ran.err
    assert ran.last.startswith(
        'verified for the goal "Put orange1 into fridge. Close fridge.", read from "Put'
    )
    assert ran.last.endswith(": 12 steps, 32.84 metres")
    assert "1 of 37 rooms opened" in ran.out


def test_a_search_by_names_is_shown_without_closed_rooms_and_poses(cli):
    tape = Path(__file__).parents[1] / "language" / "cassettes" / "qwen2.5-coder-1.5b-naming.jsonl"
    ran = cli("plan", "--task", "office-planning-simple-13", "--reader", f"recorded:{tape}")
    assert ran.code == 0, ran.err
    search = ran.out.split("Search  ")[1].split("Goal\n")[0]
    assert "  35 rooms closed\n" in search
    assert "chicken_kebab" in search
    assert [name for name in ("admin", "pose1", "agent", "tobis_office") if name in search] == []


def test_plan_for_a_task_uses_its_gold_goal_and_says_so(cli):
    ran = cli("plan", "--task", "office-planning-simple-15")
    assert ran.code == 0
    assert "gold goal" in ran.out
    told = cli("plan", "--task", "office-planning-simple-15", "--json").json
    assert told["task"] == "office-planning-simple-15" and told["reader"] is None
    assert told["instruction"] == "Throw what the agent is holding in the bin."


def test_plan_for_a_task_with_a_reader_reads_its_instruction(cli):
    told = cli("plan", "--task", "office-planning-simple-01", "--reader", "embedded", "--json").json
    assert told["goal"] == "(closed cabinet5)"
    assert told["reader"].startswith("embedded") and told["subgraph"] == ["cabinet5"]


def test_an_instruction_that_is_not_understood_plans_nothing(cli):
    ran = cli("plan", "Sing the blues until the cows come home.", "--scene", "office")
    assert ran.code == 3
    assert "not-understood: " in ran.err and "--goal" in ran.err
    told = cli("plan", "Sing the blues until the cows come home.", "--scene", "office", "--json")
    assert told.code == 3
    assert told.json["plan"] == [] and told.json["goal"] is None


def test_a_goal_without_a_plan_says_why_and_what_to_try(cli):
    ran = cli("plan", "--scene", "office", "--goal", "(and (open microwave) (turned_on microwave))")
    assert ran.code == 1
    assert ran.last.startswith(("unsolvable: ", "not-found: "))
    assert "try: " in ran.out


def test_one_handed_is_a_switch_of_the_pack(cli):
    plan = STEPS.replace("pickup(orange1)\naccess(fridge)\n", "pickup(orange1)\naccess(fridge)\n")
    assert cli("simulate", "--scene", "office", "--plan", "-", stdin=plan).code == 0
    ran = cli("simulate", "--scene", "office", "--one-handed", "--plan", "-", stdin=plan)
    assert ran.code == 1 and "hand" in ran.out
    assert (
        cli("plan", "--scene", "office", "--goal", ORANGE, "--one-handed", "--json").json["plan"]
        != STEPS.split()
    )


def test_simulate_tells_truth_in_words_and_json(cli, tmp_path):
    file = tmp_path / "plan.txt"
    file.write_text(STEPS)
    ran = cli("simulate", "--scene", "office", "--plan", file, "--goal", ORANGE)
    assert (ran.code, ran.last) == (0, "verified: 12 steps, 32.84 metres")
    told = cli("simulate", "--scene", "office", "--plan", file, "--goal", ORANGE, "--json").json
    assert (told["executable"], told["verified"], told["goal_value"], told["violations"]) == (
        True,
        True,
        True,
        [],
    )
    short = json.dumps(STEPS.split()[:-1])
    ran = cli("simulate", "--scene", "office", "--plan", "-", "--goal", ORANGE, stdin=short)
    assert ran.code == 1 and "✗ (closed fridge)" in ran.out


def test_simulate_names_the_violation(cli):
    broken = "\n".join(step for step in STEPS.split() if step != "open(fridge)").replace("release", "pickup")
    ran = cli("simulate", "--scene", "office", "--plan", "-", "--json", stdin=broken)
    assert ran.code == 1
    [violation] = ran.json["violations"]
    assert set(violation) == {"index", "step", "unmet", "message"}
    assert violation["index"] == 9 and violation["step"] == "pickup(orange1)"
    assert ran.json["verified"] is False and ran.json["goal_value"] is None


@pytest.mark.skipif(not FACTS.exists(), reason="the facts file is not part of the repository")
def test_the_plans_that_sayplan_printed_replay_as_published(cli, tmp_path):
    planning = json.loads(FACTS.read_text(encoding="utf-8"))["planning"]
    tasks = load_set("office-planning-simple")
    assert [t.instruction for t in tasks] == planning["simple"]
    values = {}
    for task in tasks:
        file = tmp_path / f"{task.id}.txt"
        file.write_text("\n".join(planning["results"][task.instruction]["sayplan_plan"]))
        ran = cli("simulate", "--task", task.id, "--plan", file, "--json")
        assert ran.json["executable"], task.id
        assert ran.code == (0 if ran.json["goal_value"] else 1)
        values[task.id] = ran.json["goal_value"]
    assert [i for i, value in values.items() if not value] == ["office-planning-simple-05"]  # the snack


def test_check_prints_diagnostics_with_spans(cli):
    ran = cli("check", "--scene", "office", "--goal", "(inside_of orange1 fridgee)", "--format", "json")
    assert ran.code == 1
    [found] = ran.json["diagnostics"]
    assert set(found) == {"code", "severity", "message", "span", "fixes"}
    assert found["span"] == {"start": 19, "end": 26, "line": 1, "column": 20}
    assert (found["code"], found["fixes"]) == ("unknown-node", [{"span": found["span"], "text": "fridge"}])
    text = cli("check", "--scene", "office", "--goal", "(and\n  (inside_of orange1 fridgee))")
    assert text.code == 1
    assert "  " + " " * 21 + "^^^^^^^\n" in text.out
    assert text.last == "1 error"


def test_plan_and_check_say_the_goal_in_words(cli):
    goal = ("--scene", "office", "--goal", "(and (closed cabinet5) (not (open fridge)))")
    words = "Close cabinet5. fridge is not open."
    assert cli("check", *goal, "--json").json["says"] == words
    assert f"in words: {words}" in cli("check", *goal).out
    assert cli("plan", *goal, "--json").json["says"] == words
    assert f"in words: {words}" in cli("plan", *goal).out
    assert cli("check", "--scene", "office", "--goal", "(find (?r - room))", "--json").json["says"] is None
    assert cli("plan", "--scene", "office", "--goal", "(and", "--json").json["says"] is None


def test_check_leaves_warnings_at_exit_code_0(cli):
    ran = cli("check", "--scene", "office", "--goal", "(closed fridge)")
    assert ran.code == 0 and "warning[already-true]" in ran.out
    words = "in words: Put orange1 into fridge. Close fridge.\n"
    assert cli("check", "--task", "office-planning-simple-02").out == f"{words}no findings\n"


def test_compile_writes_pddl_that_names_what_it_means(cli, tmp_path):
    ran = cli("compile", "--scene", "office", "--goal", ORANGE, "--out", tmp_path / "pddl")
    assert ran.code == 0
    names = sorted(p.name for p in (tmp_path / "pddl").iterdir())
    assert names == ["domain.pddl", "problem.pddl", "symbols.json"]
    assert "total-cost" in (tmp_path / "pddl" / "problem.pddl").read_text()
    assert json.loads((tmp_path / "pddl" / "symbols.json").read_text())["objects"]["orange1"] == "orange1"
    cli("compile", "--task", "office-planning-simple-02", "--out", tmp_path / "plain", "--no-costs")
    assert "total-cost" not in (tmp_path / "plain" / "problem.pddl").read_text()


def test_scene_show_counts_as_the_paper_does(cli):
    counts = {
        "room": 37, "asset": 73, "object": 78, "agent": 1, "pose": 26, "edges": 218, "collapsed": 105,
    }  # fmt: skip
    for arguments in (("office",), ("--scene", "office")):
        assert counts.items() <= cli("scene", "show", *arguments, "--json").json["counts"].items()
    ran = cli("scene", "show", "office")
    assert ran.code == 0 and "└── desk1" in ran.out
    with_overlay = cli("scene", "show", "--task", "office-planning-simple-14", "--json").json["counts"]
    assert with_overlay["asset"] == 74
    assert "microwave" in cli("scene", "show", "office", "--room", "kitchen").out
    assert cli("scene", "show", "office", "--room", "kitchn").code == 2


def test_scene_list_and_validate(cli):
    names = [s["name"] for s in cli("scene", "list", "--json").json]
    assert names == ["office", "home", *(f"house-{n}" for n in range(1, 9))]
    assert cli("scene", "list").out.startswith("office  37 rooms")
    assert cli("scene", "validate", "office").out == (
        "warning: no affordance that the pack knows: 1 of 74 classes of things: fire_extinguisher (2)\n"
        "valid: office, 37 rooms, 73 assets, 78 objects\n"
    )
    assert cli("scene", "validate", "office", "--json").json["warnings"] == []


def test_scenes_convert_both_ways(cli, tmp_path):
    paper, own = tmp_path / "office.sayplan.json", tmp_path / "office.json"
    assert cli("scene", "convert", "office", paper).code == 0
    assert "desk1" in json.dumps(json.loads(paper.read_text())["nodes"])
    assert cli("scene", "convert", paper, own).code == 0
    assert set(open_scene(str(own)).nodes) == set(open_scene("office").nodes)
    before = own.read_bytes()
    again = cli("scene", "convert", "office", own)
    assert again.code == 2 and "--force" in again.err and own.read_bytes() == before
    assert cli("scene", "convert", "office", own, "--force").code == 0
    assert open_scene(str(own)).hash == open_scene("office").hash
    assert json.loads(cli("scene", "convert", "office", "-", "--to", "sayplan").out)["nodes"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["office.json", "office.sayplan.json"]


def test_tasks_are_listed_and_shown(cli):
    tasks = cli("tasks", "list", "--json").json
    assert len(tasks) >= 60 and all(
        t["goal"].startswith("(find (") == ("-search-" in t["set"]) for t in tasks
    )
    assert all(set(t) == {"id", "set", "scene", "instruction", "goal"} for t in tasks)
    assert len(cli("tasks", "list", "--set", "office-planning-simple", "--json").json) == 15
    assert "Make Niko a coffee" in cli("tasks", "list").out
    ran = cli("tasks", "show", "office-planning-simple-14")
    assert ran.code == 0 and "adds compost_bin" in ran.out
    assert cli("tasks", "show", "office-planning-simple-14", "--json").json["alternatives"]
    assert len(cli("tasks", "show", "--set", "office-planning-long", "--json").json) == 15
    ran = cli("tasks", "show", "house-planning-01")
    assert "Lights out in the bedroom" in ran.out
    assert len(cli("tasks", "show", "house-planning-01", "--json").json["paraphrases"]) == 3
    ran = cli("tasks", "show", "office-search-simple-11")
    assert ran.code == 0 and "luis_office, tobis_office (any 1 of them)" in ran.out
    told = cli("tasks", "show", "office-search-simple-11", "--json").json
    assert told["query"] == told["goal"] and told["any"] == 1 and told["published"] == ["tobis_office"]
    assert "answers  none" in cli("tasks", "show", "office-search-complex-12").out
    ran = cli("tasks", "list", "--set", "office-planing")
    assert ran.code == 2 and "office-planning" in ran.err


def test_engines_are_listed(cli):
    found = {e["name"]: e for e in cli("engines", "--json").json}
    assert found["pyperplan"]["installed"] and "fast-downward" in found
    assert cli("engines").code == 0


@pytest.mark.parametrize("task", load_set("office-planning"), ids=lambda t: t.id)
def test_a_goal_laid_out_over_lines_is_the_same_goal(task):
    formula = parse_goal(task.gold.goal).formula
    for width in (1, 30, 80):
        assert parse_goal(pretty(str(formula), width)).formula == formula


@pytest.mark.parametrize(
    "name",
    [
        "a b", 'a"b', "a\\b", "\x1b]52;c;x\x07", "\u202eabc", "a\x7f", "a\u2028b", "\x85", "\U000e0001x",
        "and", "[/bad]", "a\nb", '"', "(", "é", "\ud800",
    ],
)  # fmt: skip
def test_every_name_survives_a_printed_plan_and_a_printed_goal(name):
    formula, step = Atom("ontop_of", (name, "table")), Step("pickup", (name,))
    assert str(formula).isprintable() and str(step).isprintable()
    assert parse_goal(pretty(str(formula))).formula == formula
    assert read_steps(f"{step}\n{step}\r\n", "plan") == (step, step)


def test_doors_are_put_back_for_a_reader_unless_that_is_not_wanted(cli):
    told = ("plan", "Get the banana.", "--scene", "office", "--json")
    tidy, plain = cli(*told).json, cli(*told, "--no-tidy").json
    assert tidy["added"] == ["(closed fridge)"] and "close(fridge)" in tidy["plan"]
    assert tidy["program"]["goal"] == ["(holding banana2)", "(closed fridge)"]
    assert (
        plain["added"] == [] and "close(fridge)" not in plain["plan"] and plain["goal"] == "(holding banana2)"
    )
    given = cli("plan", "--scene", "office", "--goal", "(holding banana2)", "--json").json
    assert given["added"] == [] and given["plan"] == plain["plan"]


@pytest.mark.parametrize("verb", ["plan", "run", "bench"])
def test_the_help_of_large_verbs_has_sections(cli, verb):
    options = importlib.import_module(f"groundplan.commands.{verb}").command.params
    shown = cli(verb, "--help").out
    sections = shown.split("\n\n")[2:]
    assert [s.split(":")[0] for s in sections if s.startswith("Reader:")] == ["Reader"]
    assert max(s.count("\n  -") for s in sections) < 15
    assert all(o.opts[0] in shown for o in options if o.param_type_name == "option")


def test_sections_of_help_name_options_that_exist():
    verbs = (importlib.import_module(f"groundplan.commands.{v}").command for v in ("plan", "run", "bench"))
    names = {option.name for verb in verbs for option in verb.params}
    assert {name for section in SECTIONS.values() for name in section} <= names


@pytest.mark.parametrize("verb", ["plan", "run"])
def test_a_sentence_beside_a_goal_is_refused_and_not_dropped(cli, verb):
    for more in (["Close the fridge."], ["--reader", "embedded"]):
        ran = cli(verb, *more, "--goal", "(open fridge)", "--scene", "office")
        assert ran.code == 2 and "--goal needs no INSTRUCTION and no --reader" in ran.err and not ran.out


def test_a_check_that_the_clock_cut_off_ends_as_timed_out(cli):
    """Whether the verb's own check is cut off, or the one with which acting begins."""
    goal = f"(forall ({' '.join(f'?{name} - item' for name in 'abcd')}) (or (ontop_of ?a ?b) (under ?c ?d)))"
    for more in ((), ("--knows", "here")):
        ran = cli("run", "--scene", "office", "--goal", goal, "--timeout", "0.3", *more)
        assert ran.code == 1 and "timed-out" in ran.err
