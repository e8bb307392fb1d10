"""JSON schemas of every output, held against real outputs, of failures too; unnamed keys are errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from groundplan import Engine, Request, ground, load_pack, parse_goal
from groundplan.acting import Episode, act_in
from groundplan.commands import VERBS
from groundplan.commands.schema import SCHEMAS, output_schema
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import InputError
from groundplan.pipeline.record import OUTCOMES
from groundplan.robot import TraceFile
from groundplan.robot.trace_lines import KINDS
from groundplan.simulator.scene_json import scene_text
from groundplan.simulator.sensing import Environment, Move, with_hidden
from groundplan.simulator.step import Step

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "commands" / "schemas"
CASSETTE = ROOT / "tests" / "language" / "cassettes" / "qwen2.5-coder-1.5b-naming.jsonl"
FORMATS = ROOT / "tests" / "datasets" / "formats"
MOVES = [Move(1, "orange1", "ontop_of", "coffee_machine"), Move(9, "orange1", "ontop_of", "kitchen_bench")]


def strict(schema: Any) -> Any:
    """Return a schema that allows no key which it does not name."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        made.setdefault("additionalProperties", False)
    return made


@cache
def validator(name: str) -> Any:
    schema = strict(output_schema(name))
    # Crawled once: a validator would look for the schemas inside of this one again with every reference.
    known = Registry().with_resource("", DRAFT202012.create_resource(schema)).crawl()
    return jsonschema.Draft202012Validator(schema, registry=known)


def valid(name: str, value: object) -> None:
    errors = [f"{list(e.absolute_path)}: {e.message[:300]}" for e in validator(name).iter_errors(value)]
    assert errors == []


OFFICE = ("--scene", "office")
FRIDGE = "(inside_of banana1 fridge)"
PRINTED: list[tuple[str, int, tuple[object, ...]]] = [
    ("record", 0, ("plan", *OFFICE, "--goal", "(and (hot chicken_kebab) (closed cabinet5))")),
    ("record", 0, ("plan", "--task", "office-planning-simple-01", "--reader", "embedded")),
    ("record", 0, ("plan", "--task", "office-planning-simple-01", "--reader", f"recorded:{CASSETTE}")),
    ("record", 0, ("plan", "Where are the bananas?", *OFFICE)),
    ("record", 1, ("plan", *OFFICE, "--goal", "(and (open microwave) (turned_on microwave))")),
    ("record", 2, ("plan", *OFFICE, "--goal", "(closed chair2)")),
    ("record", 2, ("plan", *OFFICE, "--goal", "(closed nothing_such)")),
    ("record", 3, ("plan", "Colourless green ideas sleep furiously.", *OFFICE)),
    ("record", 3, ("plan", "Close it.", *OFFICE, "--reader", f"recorded:{CASSETTE}")),
    ("record", 0, ("plan", "--scene", FORMATS / "virtualhome.json", "--goal", "(hand_free)")),
    ("bench", 0, ("bench", "--methods", "gold", "--tasks", "office-planning", "--limit", 1, "--out", "OUT")),
    ("check", 0, ("check", *OFFICE, "--goal", FRIDGE)),
    ("check", 1, ("check", *OFFICE, "--goal", "(and (closed chair2) (open aple))")),
    ("check", 1, ("check", *OFFICE, "--goal", "(and")),
    ("check", 1, ("check", *OFFICE, "--goal", "(hot fridg) (open fridge)", "--fix")),
    ("diff", 0, ("diff", "(sometime (holding pepsi))", "(not (ontop_of pepsi desk38))", *OFFICE)),
    ("diff", 0, ("diff", "(open microwave)", "(turned_off microwave)", *OFFICE, "--reachable")),
    ("diff", 2, ("diff", "(open", "(hot fridg)", *OFFICE)),
    ("why-not", 0, ("why-not", "(and (hot pepsi) (open fridge))", *OFFICE)),
    ("why-not", 1, ("why-not", "(and (inside_of apple1 kitchen_bench) (open fridge))", *OFFICE)),
    ("why-not", 2, ("why-not", "(hot fridg) (open fridge)", *OFFICE)),
    ("find", 0, ("find", "(find (?m - meeting_room) :nearest-to kitchen :limit 2)", *OFFICE)),
    ("find", 0, ("find", "(find (?r - office) :most (?d - desk) (in_room ?d ?r))", *OFFICE)),
    ("find", 0, ("find", "(find (?c - cabinet ?r - office) (in_room ?c ?r))", *OFFICE)),
    ("find", 0, ("find", "(find (?c - carrot) (in_room ?c kitchen))", *OFFICE)),
    ("search", 0, ("search", "Close Jason's cabinet.", *OFFICE)),
    ("search", 3, ("search", "Colourless green ideas sleep furiously.", *OFFICE)),
    ("simulate", 1, ("simulate", *OFFICE, "--goal", FRIDGE, "--plan", "PLAN")),
    ("simulate", 0, ("simulate", *OFFICE, "--plan", "EMPTY")),
    ("certify", 0, ("certify", "RECORD", *OFFICE)),
    ("certify", 1, ("certify", "CHANGED", *OFFICE)),
    ("run", 0, ("run", *OFFICE, "--goal", FRIDGE, "--knows", "furniture")),
    ("run", 1, ("run", *OFFICE, "--goal", "(and (open microwave) (turned_on microwave))")),
    ("explain", 0, ("explain",)),
    ("explain", 0, ("explain", "affordance")),
    ("explain", 0, ("explain", "never-true")),
    ("explain", 0, ("explain", "unsolvable")),
    ("scene-list", 0, ("scene", "list")),
    ("scene-show", 0, ("scene", "show", "office")),
    ("scene-show", 0, ("scene", "show", FORMATS / "virtualhome.json", "--pack", "household")),
    ("scene-validate", 0, ("scene", "validate", "home")),
    ("scene-validate", 0, ("scene", "validate", FORMATS / "procthor.json")),
    ("scene-formats", 0, ("scene", "formats")),
    ("scene-scaling", 0, ("scene", "scaling", "--rooms", "5")),
    ("scene-tokens", 0, ("scene", "tokens", *OFFICE)),
    ("pack-check", 0, ("pack", "check", "household")),
    ("pack-check", 0, ("pack", "check", "household", "--scene", "office")),
    ("tasks-list", 0, ("tasks", "list")),
    ("tasks-show", 0, ("tasks", "show", "office-planning-long-02")),
    ("tasks-show", 0, ("tasks", "show", "--set", "home-search-complex")),
    ("tasks-show", 0, ("tasks", "show", "--set", "house-planning")),
    ("datasets-list", 0, ("datasets", "list")),
    ("engines", 0, ("engines",)),
    ("methods", 0, ("methods",)),
    ("methods", 0, ("methods", "sayplan")),
    ("models", 0, ("models",)),
    ("models", 3, ("models", "--base-url", "http://127.0.0.1:9/v1")),
    ("vision", 3, ("vision", "PICTURES", "--reader", "openai:m", "--base-url", "http://127.0.0.1:9/v1")),
    ("cut-off", 1, ("find", "(find (?c - cabinet))", *OFFICE, "--timeout", "0.000001")),
]  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plan that is refused, an empty one, and results of a plan and of an unsolvable goal."""
    from groundplan.commands import main

    folder = tmp_path_factory.mktemp("files")
    (folder / "PLAN").write_text("goto(kitchen)\n")
    (folder / "EMPTY").write_text("done()\n")
    for name, goal in (("solved", FRIDGE), ("unsolvable", "(and (open microwave) (turned_on microwave))")):
        main(["plan", *OFFICE, "--goal", goal, "--out", str(folder / name)])
    main(["compile", *OFFICE, "--goal", FRIDGE, "--out", str(folder / "compiled")])
    (folder / "RECORD").symlink_to(folder / "unsolvable")
    (folder / "PICTURES").mkdir()
    for name in ("a", "b"):
        (folder / "PICTURES" / f"{name}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + name.encode())
        (folder / "PICTURES" / f"{name}.json").write_text("[]")
    record = json.loads((folder / "solved" / "record.json").read_text())
    (folder / "CHANGED").write_text(json.dumps(record | {"cost": 0.001}))
    return folder


def case_id(case: object) -> str:
    return case if isinstance(case, str) else ""


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize(("name", "code", "arguments"), PRINTED, ids=case_id)
def test_what_is_printed_fits_its_schema(cli, tmp_path: Path, files: Path, name, code, arguments) -> None:
    words = ("PLAN", "EMPTY", "RECORD", "CHANGED", "PICTURES")
    made = {word: files / word for word in words} | {"OUT": tmp_path / "out"}
    ran = cli(*(made.get(a, a) if isinstance(a, str) else a for a in arguments), "--json")
    assert ran.code == code, ran.err
    valid(name, ran.json)


def test_what_is_written_fits_its_schema(files: Path, cli, tmp_path: Path) -> None:
    def read(path: Path) -> Any:
        return json.loads(path.read_text(encoding="utf-8"))

    for folder in (files / "solved", files / "unsolvable"):
        valid("record-file", read(folder / "record.json"))
        valid("timings", read(folder / "timings.json"))
    valid("program", read(files / "solved" / "program.json"))
    valid("symbols", read(files / "solved" / "symbols.json"))
    valid("symbols", read(files / "compiled" / "symbols.json"))
    valid("certificate", read(files / "unsolvable" / "certificate.json"))
    valid("plan", read(files / "solved" / "record.json")["plan"])
    for number, arguments in enumerate((("convert", "office"), ("generate", "--rooms", 3))):
        path = tmp_path / f"{number}.json"
        output = (path,) if arguments[0] == "convert" else ("-o", path)
        assert cli("scene", *arguments, *output).code == 0
        valid("scene", read(path))


def test_a_record_of_acting_in_another_world_fits_its_schema(cli, tmp_path: Path) -> None:
    """The robot meets what its scene does not say, looks for a thing, and plans again."""
    moved = load_scene("office").changed(
        change={"orange1": {"parent": "coffee_machine", "relation": "ontop_of"}}
    )
    (tmp_path / "world.json").write_text(scene_text(moved))
    arguments = (*OFFICE, "--goal", "(inside_of orange1 fridge)", "--world", tmp_path / "world.json")
    record = cli("plan", *arguments, "--json").json
    assert record["observations"] and record["executed"]
    valid("record", record)


def test_traces_and_their_replays_fit_their_schemas(cli, tmp_path: Path) -> None:
    """Every kind of line: looks, failures, a repair, a place that is given up, a second sweep, the end."""
    office, kinds = ground(load_scene("office"), load_pack()), set()
    stuck = [Step("open", (name,)) for name in ("fridge", "drawer")]
    for number, (belief, goal, robot, still) in enumerate(
        (
            (office, "(holding orange1)", Environment(office, failure=0.3, moves=MOVES, seed=1), False),
            (
                with_hidden(office, named=["banana2"]),
                "(holding banana2)",
                Environment(office, stuck=stuck),
                False,
            ),
        )
    ):
        path = tmp_path / f"{number}.jsonl"
        request = Request(belief, goal=parse_goal(goal))
        with TraceFile(path) as trace:
            engine = Engine.named("pyperplan")
            act_in(robot, Episode(request, engine=engine, still=still, recorder=trace))
        run = tmp_path / f"run{number}.jsonl"
        failing = ("--failure", 0.3) if number else ()
        cli("run", *OFFICE, "--goal", "(holding orange1)", *failing, "--trace", run)
        valid("trace", json.loads(run.read_text(encoding="utf-8").splitlines()[0]))
        for line in path.read_text(encoding="utf-8").splitlines():
            valid("trace", json.loads(line))
            if '"observe"' in line:
                value = json.loads(line)
                value["outcome"]["observations"]["in_part"] = [["orange1", ["cold"]]]
                valid("trace", value)
            kinds.add(json.loads(line)["kind"])
        for arguments in (OFFICE, ("--scene", "home")):
            valid("replay", cli("replay", path, *arguments, "--json").json)
    assert kinds == set(KINDS)


def test_the_scenes_that_come_along_fit_their_schema() -> None:
    for path in sorted((ROOT / "datasets" / "scenes").glob("*.json")):
        valid("scene", json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize(
    ("methods", "tasks", "more"),
    [
        ("gold,hybrid,full-scene", "office-planning,office-search", ("--reader", "embedded")),
        ("hybrid,full-scene,llm+p,sayplan", "office-planning", ("--reader", "recorded:EMPTY")),
    ],
)
def test_rows_and_manifest_of_a_comparison_fit_their_schema(
    cli, tmp_path: Path, methods, tasks, more
) -> None:
    """Runs that succeed, that fail, and that their method cannot make."""
    (tmp_path / "empty.jsonl").write_text("")
    out = tmp_path / "out"
    more = tuple(one.replace("EMPTY", str(tmp_path / "empty.jsonl")) for one in more)
    assert cli("bench", "--methods", methods, "--tasks", tasks, "--limit", 1, *more, "--out", out).code == 0
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    for row in rows:
        valid("bench-row", row)
    outcomes = {row["outcome"] for row in rows}
    assert outcomes >= ({"verified", "unsupported"} if "gold" in methods else {"service-failed"})
    valid("bench-manifest", json.loads((out / "manifest.json").read_text()))


@pytest.mark.usefixtures("inline")
def test_a_row_with_a_models_calls_fits_its_schema(cli, tmp_path: Path, httpserver) -> None:
    """Its purposes are counts, and it says what the server and the folder had kept."""
    usage = {
        "prompt_tokens": 6000, "completion_tokens": 9, "total_tokens": 6009,
        "prompt_tokens_details": {"cached_tokens": 5000},
    }  # fmt: skip
    message = {"role": "assistant", "content": "(closed cabinet5)"}
    choices = [{"index": 0, "finish_reason": "stop", "message": message}]
    said = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}
    httpserver.expect_request("/v1/chat/completions").respond_with_json({**said, "usage": usage})
    asked = ["--reader", "openai:m", "--base-url", httpserver.url_for("/v1"), "--out", tmp_path / "out"]
    tasks = ["--tasks", "office-planning-simple", "--limit", 1]
    assert cli("bench", "--methods", "full-scene", *tasks, *asked).code == 0
    (row,) = map(json.loads, (tmp_path / "out" / "rows.jsonl").read_text().splitlines())
    valid("bench-row", row)
    assert row["tokens"]["purposes"] and row["tokens"]["kept_calls"] == 0
    assert row["tokens"]["served_cached"] == 5000 * row["tokens"]["calls"]


def test_a_schema_refuses_another_output() -> None:
    """Schemas that accept anything would pass every test above."""
    for name in SCHEMAS:
        for wrong in (7, "text", [7], {"unknown": "a"}, None):
            assert not validator(name).is_valid(wrong), (name, wrong)


def test_every_schema_is_one_of_2020_12_and_says_what_it_is_of() -> None:
    assert {path.name.removesuffix(".schema.json") for path in FOLDER.glob("*.schema.json")} == (
        set(SCHEMAS) - {"program", "trace"} | {"common"}
    )
    for name in SCHEMAS:
        schema = output_schema(name)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema" and schema["title"]
        for reference in references(schema):
            assert jsonschema.Draft202012Validator(schema).evolve(schema={"$ref": reference}) is not None
    assert output_schema("record")["properties"]["outcome"] == {"$ref": "common.schema.json#/$defs/outcome"}
    common = json.loads((FOLDER / "common.schema.json").read_text(encoding="utf-8"))
    assert common["$defs"]["outcome"]["enum"] == list(OUTCOMES)


def references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


def test_every_output_as_json_has_a_schema() -> None:
    """A verb with `--json` that is not among the outputs of the schemas was forgotten."""
    outputs = " ".join(SCHEMAS.values())
    for path in sorted((ROOT / "commands").rglob("*.py")):
        for number in re.findall(r'^@click\.option\("--json"', path.read_text(encoding="utf-8"), re.M):
            words = " ".join(path.relative_to(ROOT / "commands").with_suffix("").parts)
            verb = words.split()[0].replace("_", "-")
            assert verb in VERBS and f"{verb} " in outputs + " schema ", (
                words,
                number,
            )


def test_the_verb_lists_and_prints_schemas(cli) -> None:
    assert "rows.jsonl" in cli("schema").out
    assert {one["name"] for one in cli("schema", "--json").json} == set(SCHEMAS)
    assert cli("schema", "record").json == output_schema("record")
    ran = cli("schema", "recrod")
    assert ran.code == 2 and "did you mean 'record'?" in ran.err
    with pytest.raises(InputError, match="name of a schema"):
        output_schema("common")


def test_the_page_of_outputs_has_each_of_them() -> None:
    page = (ROOT / "docs" / "outputs.md").read_text(encoding="utf-8").split("\n## ")[1]
    named = re.findall(r"^\| .*\| `([a-z-]+)` \|", page, re.M)
    assert sorted(named) == sorted(SCHEMAS)
