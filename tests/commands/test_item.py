"""One scene of a file, folder or prepared set that holds several: `--item` on every verb with a scene."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from groundplan.commands import cli as verbs
from groundplan.datasets.prepared import prepared_files
from groundplan.datasets.scenes import open_scene

SAMPLES = Path(__file__).parents[1] / "datasets" / "formats"
GOAL = "(exists (?r - room) (robot_at ?r))"


def commands(
    group: click.Command = verbs, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every verb with its words, those of groups too."""
    if not isinstance(group, click.Group):
        yield path, group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        below = group.get_command(context, name)
        assert below is not None
        yield from commands(below, (*path, name))


VERBS = [
    words
    for words, verb in commands()
    if words == ("scene", "convert") or any("--scene" in p.opts for p in verb.params)
]


@pytest.fixture
def houses(tmp_path: Path) -> Path:
    """Return a file with two houses; only the second can be planned in without more."""
    house = (SAMPLES / "procthor_compact.jsonl").read_text(encoding="utf-8")
    file = tmp_path / "houses.jsonl"
    file.write_text(house.replace('"flat.7"', '"first"', 1) + house.replace('"flat.7"', '"second"', 1))
    return file


def words_of(verb: tuple[str, ...], file: Path, out: Path) -> list[object]:
    """Return a whole command line of a verb about one scene of a file."""
    scene: tuple[object, ...] = ("--scene", file)
    more: dict[tuple[str, ...], tuple[object, ...]] = {
        ("plan",): ("--goal", GOAL),
        ("search",): ("find the room",),
        ("find",): ("(find (?r - room) (robot_at ?r))",),
        ("simulate",): ("--plan", out / "steps.txt"),
        ("check",): ("--goal", GOAL),
        ("certify",): (out / "record.json",),
        ("run",): ("--goal", GOAL),
        ("replay",): (out / "trace.jsonl",),
        ("compile",): ("--goal", GOAL, "--out", out / "pddl"),
        ("pack", "check"): ("household",),
        ("scene", "convert"): (file, "-", "--to", "groundplan"),
        ("export",): (out / "steps.txt", "--to", "steps"),
        ("view",): (file, "-o", out / "page.html", "--force"),
        ("diff",): (GOAL, GOAL),
        ("why-not",): (GOAL,),
        ("audit",): (out / "goals.txt",),
    }
    return [*verb, *more.get(verb, ()), *(() if verb in (("scene", "convert"), ("view",)) else scene)]


def test_every_verb_with_a_scene_is_here() -> None:
    assert {w[0] for w in VERBS} >= {
        "plan",
        "search",
        "find",
        "simulate",
        "check",
        "certify",
        "compile",
        "pack",
    }
    assert {("scene", name) for name in ("show", "tokens", "convert", "validate")} <= set(VERBS)


@pytest.mark.parametrize("verb", VERBS, ids="-".join)
def test_every_verb_takes_one_of_several_scenes(
    cli: Callable[..., Any], houses: Path, tmp_path: Path, verb: tuple[str, ...]
) -> None:
    (tmp_path / "steps.txt").write_text("done()")
    (tmp_path / "goals.txt").write_text(GOAL)
    if verb == ("certify",):
        ran = cli("plan", "--scene", houses, "--item", "second", "--goal", GOAL, "--json")
        (tmp_path / "record.json").write_text(ran.out)
    if verb == ("replay",):
        kept = ("--trace", tmp_path / "trace.jsonl")
        assert cli("run", "--scene", houses, "--item", "second", "--goal", GOAL, *kept).code == 0
    words = words_of(verb, houses, tmp_path)
    without = cli(*words)
    assert without.code == 2 and "first, second" in without.err and "--item" in without.err
    unknown = cli(*words, "--item", "third")
    assert unknown.code == 2 and "got third" in unknown.err and "first, second" in unknown.err
    for item in ("second", "2"):
        if verb == ("compile",):
            shutil.rmtree(tmp_path / "pddl", ignore_errors=True)
        # A search may find nothing there (3); what matters is that it searched.
        assert cli(*words, "--item", item).code in ((0, 3) if verb == ("search",) else (0,))


@pytest.mark.parametrize(
    "words",
    [
        ("scene", "show", "office"),
        ("scene", "validate", SAMPLES / "sayplan.json"),
        ("scene", "convert", SAMPLES / "virtualhome.json", "-", "--to", "groundplan"),
        ("scene", "validate", SAMPLES / "context_matters"),
        ("check", "--task", "office-planning-simple-01"),
        ("plan", "--scene", "office", "--world-item", "2", "--goal", GOAL),
        ("pack", "check", "household"),
    ],
    ids=lambda w: " ".join(map(str, w[:2])),
)
def test_an_item_of_one_scene_is_refused(cli: Callable[..., Any], words: tuple[object, ...]) -> None:
    item = () if "--world-item" in words else ("--item", "2")
    ran = cli(*words, *item)
    assert ran.code == 2 and "picks" in ran.err


def test_the_true_world_may_be_one_of_several(cli: Callable[..., Any], houses: Path) -> None:
    given = ("--scene", houses, "--item", "first", "--world", houses, "--goal", GOAL, "--json")
    assert cli("plan", *given).code == 2
    ran = cli("plan", *given, "--world-item", "second")
    assert ran.code == 0 and ran.json["outcome"] == "verified"


def test_a_scene_of_a_prepared_set_is_named_by_its_task(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = tmp_path / "records.jsonl"
    office = json.loads(cli("scene", "convert", "office", "-", "--to", "groundplan").out)
    rows = [
        {"name": f"chore{n}", "human": "", "detailed": "", "init": office, "goal": office} for n in (1, 2)
    ]
    records.write_text("".join(json.dumps({**row, "actions": []}) + "\n" for row in rows))
    home = tmp_path / "home"
    monkeypatch.setenv("GROUNDPLAN_DATA", str(home))
    assert cli("datasets", "prepare", "grasif", "--from", records).code == 0
    for place in ("grasif", home / "grasif"):
        for item in ("chore2", "grasif-chore2"):
            ran = cli("scene", "show", place, "--item", item, "--json")
            assert ran.code == 0 and ran.json["scene"] == "office"
        ran = cli("scene", "show", place)
        assert ran.code == 2 and "2 scenes" in ran.err and "chore1, chore2" in ran.err


def copied(name: str, folder: Path) -> Path:
    """Copy a sample into a folder of its own and return the copy."""
    folder.mkdir(parents=True)
    if (SAMPLES / name).is_dir():
        return Path(shutil.copytree(SAMPLES / name, folder / name))
    return Path(shutil.copy(SAMPLES / name, folder / name))


@pytest.mark.parametrize("name", sorted(p.name for p in SAMPLES.iterdir()))
def test_a_scene_is_the_same_wherever_its_file_lies(tmp_path: Path, name: str) -> None:
    scenes = []
    for folder in ("a", "b/deep er"):
        target = copied(name, tmp_path / folder)
        scenes.append(open_scene(str(target), "HOUSE_1" if name == "delta_scenes.txt" else ""))
    assert scenes[0] == scenes[1] and scenes[0].hash == scenes[1].hash
    assert str(tmp_path) not in repr(scenes[0]) and "deep er" not in repr(scenes[1])


PLACES = {"delta_scenes.txt": ("--item", "HOUSE_1")}


@pytest.mark.parametrize("name", sorted(p.name for p in SAMPLES.iterdir()))
def test_a_record_and_a_conversion_are_the_same_wherever_the_file_lies(
    cli: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    outputs = []
    for folder in ("a", "b/deep er"):
        target = copied(name, tmp_path / folder)
        picked = PLACES.get(name, ())
        ran = cli("plan", "--scene", target, *picked, "--goal", GOAL, "--json")
        record = ran.json
        del record["timings"]
        made = tmp_path / f"{len(outputs)}.json"
        assert cli("scene", "convert", target, made, *picked).code == 0
        outputs.append((ran.code, json.dumps(record), made.read_bytes()))
        assert str(tmp_path) not in outputs[-1][1] and str(tmp_path).encode() not in outputs[-1][2]
    assert outputs[0] == outputs[1]


def test_a_prepared_set_has_the_same_bytes_from_any_folder(tmp_path: Path) -> None:
    made = []
    graph = json.loads((SAMPLES / "virtualhome.json").read_text(encoding="utf-8"))
    record = {"name": "a", "human": "", "detailed": "", "init": graph, "goal": graph, "actions": []}
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "records.jsonl"
        file.write_text(json.dumps(record) + "\n")
        made.append(prepared_files("grasif", file))
    assert made[0] == made[1]
    assert not any(str(tmp_path) in text for text in made[0].values())
