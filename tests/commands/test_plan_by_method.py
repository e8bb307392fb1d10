"""`plan --method`: every method on one's own sentence and scene, its conversation told and kept."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import jsonschema
import pytest
from model_server import DIALOGUE, KITCHEN, Script
from perfect_model import PerfectModel
from werkzeug import Request, Response

from groundplan import find_task, load_pack
from groundplan.commands.schema import output_schema
from groundplan.evaluation.judging import JudgedTask
from groundplan.methods import METHODS
from groundplan.methods.groups import GROUPS
from groundplan.methods.own_method import own_method, source_of
from groundplan.methods.variants import FAMILIES
from tests.commands.test_engines_fail import in_terminal

TASK = "office-planning-simple-02"
OFFICE = ("--scene", "office")
GOAL = ("--goal", "(inside_of banana1 fridge)")
OWN = """
from dataclasses import dataclass
from groundplan.pipeline.record import PlanAttempt, Record
from groundplan.simulator.step import Step

@dataclass(frozen=True)
class Stroll:
    name: str = "stroll"

    def run(self, request, tools, limits):
        return Record("executable", attempts=(PlanAttempt("", (Step("goto", ("pose13",)),)),))

class Nameless:
    def run(self, request, tools, limits): ...

class Needy:
    name = "needy"
    def __init__(self, what): ...
    def run(self, request, tools, limits): ...

class Taken(Stroll):
    def __init__(self): object.__setattr__(self, "name", "gold")

broken = 3
"""


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def answered(command: str, node: str = "", plan: tuple[str, ...] = (), mode: str = "exploring") -> str:
    told = {"command_name": command, "node_name": node, "plan": list(plan)}
    return json.dumps({"chain_of_thought": ["so"], "reasoning": "", "mode": mode, "command": told})


@pytest.fixture
def served(httpserver):
    """Options of a reader whose answers are given."""

    def serve(*answers: str) -> tuple[str, ...]:
        httpserver.clear()
        httpserver.expect_request("/v1/chat/completions").respond_with_handler(Script(answers))
        return ("--reader", "openai:m", "--base-url", httpserver.url_for("/v1"))

    return serve


MODELS = [
    name
    for name, method in METHODS.items()
    if getattr(method, "prompts", ()) in FAMILIES.values()
    or name.startswith(("hybrid-na", "hybrid-dia", "query", "full-scene"))
]
FAST = ("hybrid-naming", "sayplan", "llm+p", "lookplangraph")


@pytest.mark.parametrize(
    "name", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in MODELS]
)
def test_every_method_that_asks_a_model_runs_on_a_sentence(
    cli, httpserver, tmp_path: Path, name: str
) -> None:
    pack = "household"
    if name.startswith(("sayplan-star", "sayplan-lite")):
        pack = "grasif"
    if name.startswith("lookplangraph"):
        pack = "grasif-looking"
    task = find_task(TASK)
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(
        PerfectModel(JudgedTask.of(task, load_pack(pack)))
    )
    url = ("--reader", "openai:m", "--base-url", httpserver.url_for("/v1"))
    ran = cli("plan", "--task", TASK, "--pack", pack, "--method", name, *url, "--out", tmp_path / "out")
    assert ran.code == 0, ran.out + ran.err
    hybrid = name.startswith(("hybrid", "query", "full-scene"))
    assert ran.last.startswith("verified " if hybrid else "executable:")
    assert f"by the gold of {TASK}: right" in ran.out and "Call 1, " in ran.out
    kept = json.loads(text_of(tmp_path / "out" / "conversation.json"))
    jsonschema.validate(kept, output_schema("conversation"))
    spent = sum(call["prompt"] for call in kept["calls"])
    assert f"{len(kept['calls'])} call" in ran.out and f"{spent:,} tokens asked" in ran.out
    assert all(call["answer"] and call["messages"] for call in kept["calls"])
    record = json.loads(text_of(tmp_path / "out" / "record.json"))
    assert record["method"] == name and record["usage"]["calls"] >= 1
    assert "conversation.json" in record["files"]


def test_the_conversation_is_told_with_what_the_simulator_says(cli, served, tmp_path: Path) -> None:
    bad = ("goto(kitchen)", "pickup(banana1)", "done()")
    good = ("goto(jasons_office)", "access(cabinet5)", "close(cabinet5)", "done()")
    reader = served(
        answered("expand_node", "garage"),
        answered("expand_node", "jasons_office"),
        answered("verify_plan", "", (), "planning"),
        answered("verify_plan", "", bad, "planning"),
        answered("verify_plan", "", good, "planning"),
    )
    ran = cli("plan", "Close Jason's cabinet.", *OFFICE, "--method", "sayplan", *reader)
    assert ran.code == 0, ran.out
    parts = (
        "method sayplan: SayPlan (Rana et al. 2023",
        "Call 1, search",
        "node_name: garage",
        "refused: expand(garage)",
        "Call 3, search",
        "simulator: pickup(banana1): cannot pick up banana1",
        "Call 5, replan",
        "simulator: accepts ",
        "  close(cabinet5)",
        "5 calls: ",
        "executable: the simulator accepts ",
    )
    places = [ran.out.index(part) for part in parts]
    assert places == sorted(places)
    assert "verified" not in ran.out


def test_the_words_of_a_model_are_escaped_and_bounded(cli, served) -> None:
    words = "\x1b]52;c;aGk=\x07\u202e evil\r" + "x" * 5000 + "\n\n" + "\n".join(["y" * 99] * 80)
    ran = cli("plan", "Close Jason's cabinet.", *OFFICE, "--method", "llm+p", *served(words))
    assert ran.code == 3 and "goal-error: what the model wrote cannot be used" in ran.err
    assert not {"\x1b", "\x07", "\u202e", "\r"} & set(ran.out + ran.err)
    assert "more" in ran.out and len(ran.out) < 8000


def test_a_goal_goes_to_methods_that_take_one(cli) -> None:
    ran = cli("plan", *OFFICE, *GOAL, "--method", "gold")
    assert ran.code == 0 and ran.last.startswith("verified")
    assert cli("plan", "--task", TASK, "--method", "gold", "--json").json["method"] == "gold"
    for words, hint in (
        ((*GOAL, "--method", "sayplan"), "sayplan reads an instruction"),
        (("Wipe it.", "--method", "gold"), "gold is for a goal"),
        (("--method", "sayplan"), "give an INSTRUCTION"),
        (("Wipe it.", "--method", "sayplam"), "did you mean 'sayplan'"),
        (("Wipe it.", "--method", "full-scene", "--world", "home"), ""),
    ):
        refused = cli("plan", *OFFICE, *words)
        assert refused.code in (1, 2) and hint in refused.err, refused.err
    assert "looks for nothing" in refused.err + refused.out


def test_a_method_without_its_tools_says_so(cli) -> None:
    ran = cli("plan", "Close Jason's cabinet.", *OFFICE, "--method", "sayplan")
    assert ran.code == 2 and "a chat model, which sayplan asks" in ran.err
    ran = cli("plan", "Close Jason's cabinet.", *OFFICE, "--method", "least-cost")
    assert ran.code == 1 and "needs a house" in ran.out
    assert "unsupported: the method cannot make this run" in ran.out
    assert cli("plan", "Close Jason's cabinet.", *OFFICE, "--method", "hybrid").code == 0


def test_a_search_task_and_its_limits(cli, served) -> None:
    reader = served(answered("expand_node", "kitchen"), answered("verify_plan", mode="planning"))
    ran = cli("plan", "--task", "office-search-simple-01", "--method", "sayplan", *reader)
    assert ran.code == 0 and ran.last.startswith("answered: the search handed on")
    assert "by the gold of office-search-simple-01: " in ran.out and "opened: kitchen" in ran.out
    short = cli("plan", "Close it.", *OFFICE, "--method", "sayplan", *reader, "--max-calls", "1")
    assert short.code == 1 and "out-of-budget" in short.out


def test_the_list_has_every_method_and_fits_its_width(cli) -> None:
    ran = cli("methods")
    listed = [name.strip() for line in ran.out.splitlines() if line[:1].strip() for name in line.split(",")]
    assert set(METHODS) <= set(listed)
    assert all(len(m) > 10 for group in GROUPS for m in (group.gets,)) and "arXiv:2307.06135" in ran.out
    shown = {entry["name"]: entry for entry in cli("methods", "--json").json["methods"]}
    assert set(shown) == set(METHODS) and shown["gold"]["takes_goal"] and not shown["sayplan"]["acts"]
    assert "whole scene" in cli("methods", "llm+p").out
    assert cli("methods", "sayplam").code == 2
    lines = cli("bench", "--help").out.splitlines()
    assert sum("unconstrained" in line for line in lines) == 0


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "strolls.py").write_text(OWN)
    (tmp_path / "faulty.py").write_text("def (\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p not in ("", str(tmp_path))])
    yield tmp_path
    sys.modules.pop("strolls", None)


def test_a_method_of_ones_own_by_its_place(cli, mine: Path) -> None:
    ran = cli("plan", "Take a walk.", *OFFICE, "--method", "strolls:Stroll")
    assert ran.code == 0 and "1  goto(pose13)" in ran.out and "method stroll" in ran.out
    assert "strolls" in cli("methods", "strolls:Stroll").out
    method = own_method("strolls:Stroll")
    assert method is not None and source_of(method) == mine / "strolls.py"
    assert source_of(METHODS["gold"]) is None and own_method("stroll") is None
    for name, hint in (
        ("strolls:Run", "module:Class that can be imported"),
        ("strolls:broken", "a class with a name and run"),
        ("strolls:Nameless", "a class with a name and run"),
        ("strolls:Needy", "takes no arguments"),
        ("strolls:Taken", "a name that no method has"),
        ("nowhere:Method", "No module named"),
        ("faulty:Method", "SyntaxError"),
        ("os:path", "a class with a name and run"),
        (":", "module:Class"),
    ):
        refused = cli("plan", "Take a walk.", *OFFICE, "--method", name)
        assert refused.code == 2 and hint in refused.err, (name, refused.err)


def test_a_method_of_an_installed_package(cli, mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = mine / "strolls-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: strolls\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[groundplan.methods]\nstroll = strolls:Stroll\n")
    monkeypatch.syspath_prepend(str(mine))
    assert "stroll" in cli("methods").out.splitlines()
    assert cli("methods", "--json").json["entry_points"] == ["stroll"]
    assert cli("plan", "Take a walk.", *OFFICE, "--method", "stroll").code == 0


def test_methods_of_ones_own_are_compared_in_processes(cli, mine: Path) -> None:
    names = "gold,strolls:Stroll"
    words = ("bench", "--methods", names, "--tasks", "office-planning", "--limit", 1, "--out", mine / "out")
    ran = cli(*words)
    assert ran.code == 0 and "stroll" in ran.out
    manifest = json.loads((mine / "out" / "manifest.json").read_text())
    assert " of " in manifest["methods"]["stroll"] and " of " not in manifest["methods"]["gold"]
    (mine / "strolls.py").write_text(OWN + "\n# changed\n")
    again = cli(
        "bench", "--methods", names, "--tasks", "office-planning", "--limit", 1, "--out", mine / "out"
    )
    assert again.code == 2 and "methods.stroll" in again.err


def test_the_example_of_a_method_runs_by_its_place(cli, served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2] / "examples")
    reader = served(
        "goto(jasons_office) close(cabinet5)", "goto(jasons_office) access(cabinet5) close(cabinet5)"
    )
    words = ("plan", "Close Jason's cabinet.", *OFFICE, "--method", "own_model_method:TwoTries")
    ran = cli(*words, *reader)
    assert ran.code == 0 and "Call 2, replan" in ran.out and "the robot is not at cabinet5" in ran.out
    assert ran.last.startswith("executable") and "2 calls: " in ran.out
    monkeypatch.undo()


def test_ctrl_c_keeps_the_conversation(cli, served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def interrupted(*arguments: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("groundplan.methods.conversations.conversation.verify_plan", interrupted)
    plan = answered("verify_plan", "", ("goto(kitchen)",), "planning")
    reader = served(answered("verify_plan", "", (), "planning"), plan)
    ran = cli(
        "plan", "Go to the kitchen.", *OFFICE, "--method", "sayplan", *reader, "--out", tmp_path / "out"
    )
    assert ran.code == 130
    record = json.loads(text_of(tmp_path / "out" / "record.json"))
    assert (record["outcome"], record["method"], record["instruction"]) == (
        "cancelled",
        "sayplan",
        "Go to the kitchen.",
    )
    assert (
        record["usage"]["calls"] == 2
        and record["usage"]["prompt"] > 100
        and record["usage"]["completion"] > 0
    )
    assert len(json.loads(text_of(tmp_path / "out" / "conversation.json"))["calls"]) == 2


def test_a_dialogue_of_the_hybrid_is_told_like_any_other(cli, httpserver) -> None:
    script = Script((*KITCHEN, "(inside_of orange1 fridge)"))
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(script)
    ran = cli(
        "plan",
        "Put the orange in the fridge.",
        *OFFICE,
        "--method",
        "hybrid",
        *DIALOGUE,
        httpserver.url_for("/v1"),
    )
    assert ran.code == 0 and "Call 3, goal" in ran.out and "3 calls: " in ran.out, ran.out
    assert ran.last.startswith("verified for the goal")


@pytest.mark.parametrize("method", [("--method", "hybrid"), ()])
def test_the_line_of_the_stage_says_what_the_model_is_asked_for(httpserver, method: tuple[str, ...]) -> None:
    script = Script(("(inside_of unicorn7 fridge)", "(inside_of orange1 fridge)"))

    def slowly(request: Request) -> Response:
        time.sleep(0.5)  # the line is drawn about twelve times a second
        return script(request)

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(slowly)
    words = ("plan", "Put the orange in the fridge.", *OFFICE, *method, "--reader", "openai:m")
    code, shown = in_terminal(80, *words, "--base-url", httpserver.url_for("/v1"))
    assert code == 0 and 0 < shown.index("asking the model: goal") < shown.index("asking the model: repair")


@pytest.mark.parametrize("name", ["sayplan", "llm+p", "hybrid-naming"])
def test_each_screen_fits_80_columns(httpserver, name: str) -> None:
    case = JudgedTask.of(find_task(TASK), load_pack())
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(PerfectModel(case))
    words = ("plan", "--task", TASK, "--method", name, "--reader", "openai:m")
    url = ("--base-url", httpserver.url_for("/v1"))
    code, shown = in_terminal(80, *words, *url, NO_COLOR="1", TERM="dumb")
    assert code == 0 and "Call 1, " in shown, shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_list_of_methods_fits_80_columns() -> None:
    code, shown = in_terminal(80, "methods", NO_COLOR="1", TERM="dumb")
    assert code == 0 and max(map(len, shown.splitlines())) <= 80
