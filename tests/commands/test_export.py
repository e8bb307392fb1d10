"""`groundplan export`, `plan --export` and `check-tree`: what users see, and what is never written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundplan.robot.exports import EXPORT_FORMATS

GOAL = "(and (hot noodles) (turned_off microwave))"
OFFICE = ("--scene", "office")
STEPS = "goto(pose13)\ngoto(pose14)\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run."""
    from click.testing import CliRunner

    from groundplan.commands import cli

    folder = tmp_path_factory.mktemp("runs") / "run"
    result = CliRunner().invoke(cli, ["plan", *OFFICE, "--goal", GOAL, "--out", str(folder)])
    assert result.exit_code == 0, result.output
    return folder


@pytest.mark.parametrize("name", EXPORT_FORMATS)
def test_a_run_is_written_in_each_format(cli, run: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    ran = cli("export", run, *OFFICE, "--to", name, "--out", out)
    assert ran.code == 0, ran.err
    assert f"written: {out}" in ran.out and "15 steps" in ran.out
    files = EXPORT_FORMATS[name].files
    if len(files) == 1:
        assert cli("export", run / "program.json", *OFFICE, "--to", name).out == out.read_text(
            encoding="utf-8"
        )
        again = cli("export", run, *OFFICE, "--to", name, "--out", out)
        assert again.code == 2 and "--force" in again.err
        assert cli("export", run, *OFFICE, "--to", name, "--out", out, "--force").code == 0
    else:
        assert sorted(p.name for p in out.iterdir()) == sorted(files)
        again = cli("export", run, *OFFICE, "--to", name, "--out", out)
        assert again.code == 2 and "--force" in again.err
        assert cli("export", run, *OFFICE, "--to", name, "--out", out, "--force").code == 0
        (out / "notes.txt").write_text("mine", encoding="utf-8")
        assert cli("export", run, *OFFICE, "--to", name, "--out", out, "--force").code == 2


@pytest.mark.parametrize("tree", ["sequence", "reactive"])
def test_a_tree_is_checked_simulated_and_exported_again(cli, run: Path, tmp_path: Path, tree: str) -> None:
    file = tmp_path / "plan.xml"
    assert cli("export", run, *OFFICE, "--to", "btcpp", "--tree", tree, "--out", file).code == 0
    checked = cli("check-tree", file, "--pack", "household")
    assert (checked.code, checked.out) == (0, "no findings\n")
    simulated = cli("simulate", *OFFICE, "--plan", file, "--goal", GOAL)
    assert simulated.code == 0 and "verified: 15 steps" in simulated.out
    assert cli("export", file, *OFFICE, "--to", "steps").out == (run / "plan.txt").read_text(encoding="utf-8")


def test_a_module_is_read_as_a_plan_and_not_run(cli, run: Path, tmp_path: Path) -> None:
    file = tmp_path / "plan_tree.py"
    assert cli("export", run, *OFFICE, "--to", "py-trees", "--out", file).code == 0
    assert cli("simulate", *OFFICE, "--plan", file, "--goal", GOAL).code == 0
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("COMMANDS = [", "COMMANDS = [print('hello'),"), encoding="utf-8")
    ran = cli("simulate", *OFFICE, "--plan", file)
    assert ran.code == 2 and "hello" not in ran.out


def test_a_plan_for_plansys2_is_simulated_with_its_symbols(cli, run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ps"
    assert cli("export", run, *OFFICE, "--to", "plansys2", "--out", folder).code == 0
    plan, symbols = folder / "plan.txt", folder / "symbols.json"
    assert cli("simulate", *OFFICE, "--plan", plan, "--symbols", symbols, "--goal", GOAL).code == 0
    again = cli("export", plan, *OFFICE, "--symbols", symbols, "--to", "steps")
    assert again.out == (run / "plan.txt").read_text(encoding="utf-8")


def test_printed_steps_a_record_and_standard_input_are_plans(cli, run: Path) -> None:
    for plan, options in ((run / "record.json", {}), (run / "plan.txt", {}), ("-", {"stdin": STEPS})):
        ran = cli("export", plan, *OFFICE, "--to", "steps", **options)
        assert ran.code == 0 and ran.out.startswith("goto(pose13)\ngoto(pose14)\n")
    reactive = cli("export", run / "record.json", *OFFICE, "--to", "btcpp", "--tree", "reactive")
    assert '<Holds fact="(hot noodles)"/>' in reactive.out


@pytest.mark.parametrize(
    ("steps", "options", "code", "said"),
    [
        (
            "access(fridge)\n",
            (),
            1,
            "standard input: expected a plan that the simulator accepts",
        ),
        (STEPS, ("--goal", "(robot_at kitchen)"), 1, "expected a plan for the goal"),
        (STEPS, ("--to", "btcpp", "--tree", "reactive"), 2, "give the goal with --goal"),
        (STEPS, ("--to", "nav2-route", "--tree", "reactive"), 2, "use it with btcpp"),
        (STEPS, ("--to", "plansys2"), 2, "name a folder with --out"),
        ("goto pose13", (), 2, "expected a step such as"),
        ("<root>", (), 2, "standard input:1: expected well-formed XML"),
        ('<root BTCPP_format="4"/>', (), 2, "a tree that `groundplan export` wrote"),
        (STEPS, ("--goal", "(open fridje)"), 2, "fridge"),
    ],
)
def test_what_is_no_plan_is_refused(cli, steps: str, options: tuple[str, ...], code: int, said: str) -> None:
    ran = cli("export", "-", *OFFICE, "--to", "steps", *options, stdin=steps)
    assert ran.code == code and said in ran.err + ran.out
    assert "Traceback" not in ran.err


def test_a_program_is_exported_only_where_it_was_made_for_and_as_its_steps_say(
    cli, run: Path, tmp_path: Path
) -> None:
    elsewhere = cli("export", run, "--scene", "home", "--to", "steps")
    assert elsewhere.code == 2 and "the scene that it was made for (office)" in elsewhere.err
    other = cli("export", run, *OFFICE, "--pack", "household-locks", "--to", "steps")
    assert other.code == 2 and "name it with --pack" in other.err
    program = json.loads((run / "program.json").read_text(encoding="utf-8"))
    program["commands"][6]["target"]["position"] = [0.0, 0.0, 0.0]
    changed = tmp_path / "program.json"
    changed.write_text(json.dumps(program), encoding="utf-8")
    ran = cli("export", changed, *OFFICE, "--to", "btcpp")
    assert ran.code == 2 and "access(fridge): expected a program as its printed steps say" in ran.err


def test_what_is_exported_into_the_folder_of_a_run_leaves_its_record_as_it_is(cli, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert cli("plan", *OFFICE, "--goal", "(robot_at pose14)", "--out", folder).code == 0
    assert cli("export", folder, *OFFICE, "--to", "btcpp", "--out", folder / "plan.xml").code == 0
    assert cli("certify", folder, *OFFICE).code == 0
    replaced = cli("plan", *OFFICE, "--goal", "(robot_at pose14)", "--out", folder, "--force")
    assert replaced.code == 2 and "plan.xml" in replaced.err, "it is a file of the user"


def test_a_folder_without_a_plan_is_refused(cli, tmp_path: Path) -> None:
    ran = cli("export", tmp_path, *OFFICE, "--to", "steps")
    assert ran.code == 2 and "a folder that `plan --out` wrote" in ran.err


def test_plan_prints_an_export_alone_or_adds_it_to_the_folder(cli, tmp_path: Path) -> None:
    alone = cli("plan", *OFFICE, "--goal", GOAL, "--export", "steps")
    assert (
        alone.code == 0 and alone.out.splitlines()[0] == "goto(pose13)" and len(alone.out.splitlines()) == 15
    )
    folder = tmp_path / "run"
    ran = cli("plan", *OFFICE, "--goal", GOAL, "--export", "btcpp", "--tree", "reactive", "--out", folder)
    assert ran.code == 0 and "verified: 15 steps" in ran.out
    assert cli("check-tree", folder / "plan.xml", "--pack", "household").code == 0
    certified = cli("certify", folder, *OFFICE)
    assert certified.code == 0 and "those beside the record are of the same run" in certified.out
    tree = (folder / "plan.xml").read_text(encoding="utf-8")
    (folder / "plan.xml").write_text(tree.replace("goto(pose13)", "goto(pose14)"), encoding="utf-8")
    assert cli("certify", folder, *OFFICE).code == 1
    again = cli("plan", *OFFICE, "--goal", GOAL, "--export", "plansys2", "--out", folder, "--force")
    assert again.code == 0 and not (folder / "plan.xml").exists()
    assert (folder / "plansys2-plan.txt").exists() and cli("certify", folder, *OFFICE).code == 0


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (
            ("--goal", "(and (open tap) (closed tap))", "--export", "steps"),
            2,
            "not exported: goal-error",
        ),
        (("--goal", GOAL, "--export", "plansys2"), 2, "name a folder with --out"),
        (("--goal", GOAL, "--export", "steps", "--json"), 2, "leave one out"),
        (("--goal", GOAL, "--tree", "reactive"), 2, "--export btcpp"),
        (("--goal", GOAL, "--export", "steps", "--tree", "reactive"), 2, "use it with btcpp"),
    ],
)
def test_without_a_plan_nothing_is_exported(cli, options: tuple[str, ...], code: int, said: str) -> None:
    ran = cli("plan", *OFFICE, *options)
    assert ran.code == code and said in ran.err and ran.out == ""


def test_a_run_is_kept_where_its_plan_cannot_be_exported(cli, tmp_path: Path) -> None:
    """A mug whose name a tree takes for an entry of the blackboard."""
    nodes = [
        {"id": "kitchen", "type": "room"},
        {"id": "table", "type": "asset", "parent": "kitchen", "affordances": ["release"]},
        {
            "id": "{mug}",
            "type": "object",
            "parent": "table",
            "relation": "ontop_of",
            "affordances": ["pickup"],
        },
        {"id": "robot", "type": "agent", "at": "kitchen"},
    ]
    scene = {"format": "groundplan-scene", "version": 1, "name": "odd", "nodes": nodes, "links": []}
    file, folder = tmp_path / "scene.json", tmp_path / "run"
    file.write_text(json.dumps(scene), encoding="utf-8")
    goal = ("--scene", file, "--goal", '(holding "{mug}")')
    ran = cli("plan", *goal, "--export", "btcpp", "--out", folder)
    assert ran.code == 2 and "give the node another id" in ran.err
    assert cli("certify", folder, "--scene", file).code == 0
    assert cli("plan", *goal, "--export", "py-trees").code == 0


def test_check_tree_says_each_fault_with_its_line(cli, tmp_path: Path) -> None:
    file = tmp_path / "tree.xml"
    file.write_text(
        '<root BTCPP_format="4">\n<BehaviorTree ID="A">\n<Sequence>\n<Opn/>\n<Pick item="a"/>\n</Sequence>\n'
        "</BehaviorTree></root>",
        encoding="utf-8",
    )
    ran = cli("check-tree", file, "--pack", "household")
    assert ran.code == 1
    assert ran.out.splitlines() == [
        f"{file}:4: error: there is no node 'Opn'; did you mean 'Open' or 'LoopInt'? [unknown-node]",
        f"{file}:5: error: Pick lacks its port source [missing-port]",
        "2 errors",
    ]
    found = cli("check-tree", file, "--pack", "household", "--json").json
    assert found["errors"] == 2 and [f["line"] for f in found["findings"]] == [4, 5]
    assert cli("check-tree", tmp_path / "none.xml").code == 2
    assert cli("check-tree", file, "--pack", "houshold").code == 2


def test_check_tree_takes_models_and_entries_from_elsewhere(cli, tmp_path: Path) -> None:
    model, tree = tmp_path / "nodes.xml", tmp_path / "tree.xml"
    say = '<Action ID="Say"><input_port name="text" type="std::string"/></Action>'
    model.write_text(
        f'<root BTCPP_format="4"><TreeNodesModel>{say}</TreeNodesModel></root>', encoding="utf-8"
    )
    text = '<root BTCPP_format="4"><BehaviorTree ID="A"><Say text="{goal}"/></BehaviorTree></root>'
    tree.write_text(text, encoding="utf-8")
    assert cli("check-tree", tree).code == 1
    assert "nothing sets {goal}" in cli("check-tree", tree, "--model", model).out
    assert cli("check-tree", tree, "--model", model, "--set", "goal").code == 0
    assert cli("check-tree", "-", "--model", model, "--set", "goal", stdin=text).code == 0
    model.write_text("<root>", encoding="utf-8")
    assert cli("check-tree", tree, "--model", model).code == 2
