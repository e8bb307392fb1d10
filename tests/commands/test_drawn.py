"""Pictures of scenes and runs: everything that is read and every ending draws, and texts stay texts."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html import escape
from itertools import combinations
from pathlib import Path

import pytest
from drawn_tasks import generated_tasks, pick_and_place
from draws import draws
from hypothesis import given
from hypothesis import strategies as st
from make_gallery import arguments, exit_code, views
from strategies import HOSTILE, household, scenes

from groundplan import Engine, Record, Request, ground, load_scene, parse_goal, run
from groundplan.commands.pictures.picture import picture_of, picture_of_scene
from groundplan.commands.pictures.png import png_of
from groundplan.commands.pictures.shapes import WIDTH, Drawing, Words, width_of
from groundplan.commands.pictures.svg import svg_of
from groundplan.compiler.goals.goal import Goal
from groundplan.datasets.formats.registry import FORMATS
from groundplan.datasets.library import SETS, find_scene, load_set
from groundplan.datasets.scenes import SCENES
from groundplan.datasets.task import Task
from groundplan.domains.pack import load_pack
from groundplan.pipeline.record import OUTCOMES
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Link, Node, Scene

SAMPLES = Path(__file__).parents[1] / "datasets" / "formats"
SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {"svg", "title", "rect", "circle", "polyline", "text"}
OFFICE = ("--scene", "office")
NOODLES = "(and (hot noodles) (turned_off microwave))"
PAYLOADS = (
    "</text><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a\u202eb",
    "\0\x1b]52;c;!\x07",
    "&lt;",
)


def read(text: str) -> ET.Element:
    """Return a picture as a tree, of which nothing can run, load or lead elsewhere."""
    root = ET.fromstring(text)
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in DRAWN
        assert not {"href", "style", "class", "id"} & set(element.attrib)
        assert not any(name.startswith("on") or "url" in value for name, value in element.attrib.items())
    return root


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def sound(drawing: Drawing) -> ET.Element:
    """Check that all of a picture is on its paper, and return it as a tree."""
    for shape in drawing.shapes:
        if isinstance(shape, Words):
            shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor]
            left = shape.x - shift * width_of(shape.text, shape.size, shape.bold)
            right = left + width_of(shape.text, shape.size, shape.bold)
            assert left >= 0 and right <= WIDTH, shape
            assert shape.size - 4 <= shape.y <= drawing.height and shape.text.isprintable(), shape
    return read(svg_of(drawing))


@cache
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


def ran(belief: Belief, goal: str) -> Record:
    return run(Request(belief, goal=parse_goal(goal)), Engine.named("pyperplan"))


def test_a_run_writes_its_picture_and_every_way_to_draw_it_gives_the_same(cli, tmp_path):
    out, svg, png = tmp_path / "out", tmp_path / "a.svg", tmp_path / "a.png"
    done = cli("plan", *OFFICE, "--goal", NOODLES, "--out", out, "--svg", svg, "--png", png)
    assert done.code == 0 and f"written to {svg}" in done.out
    assert svg.read_bytes() == (out / "plan.svg").read_bytes() and png.read_bytes().startswith(b"\x89PNG")
    for number, what in enumerate((out, out / "record.json")):
        again = tmp_path / f"{number}.svg"
        assert cli("view", what, *OFFICE, "--svg", again).last == f"written to {again}"
        assert again.read_bytes() == svg.read_bytes()
    shown = texts(read(svg.read_text(encoding="utf-8")))
    assert shown[:2] == ["Heat noodles. Turn off microwave.", "✓ verified"]
    assert "1,3" not in shown and any(text.startswith("2  microwave in kitchen: ") for text in shown)
    assert {"kitchen", "microwave", "noodles"} <= set(shown)


def test_the_picture_of_a_run_is_rechecked(cli, tmp_path):
    assert cli("plan", *OFFICE, "--goal", NOODLES, "--out", tmp_path / "a").code == 0
    assert cli("certify", tmp_path / "a", *OFFICE, "--json").json["fields"]["files"]["status"] == "rechecked"
    picture = tmp_path / "a" / "plan.svg"
    picture.write_text(picture.read_text().replace("verified", "best of all"))
    record = json.loads((tmp_path / "a" / "record.json").read_text())
    record["files"]["plan.svg"] = hashlib.sha256(picture.read_bytes()).hexdigest()
    (tmp_path / "a" / "record.json").write_text(json.dumps(record))
    (tmp_path / "a" / "timings.json").unlink()
    finding = cli("certify", tmp_path / "a", *OFFICE, "--json").json["fields"]["files"]
    assert finding["status"] == "refused" and "plan.svg" in finding["detail"]


@pytest.mark.parametrize(
    ("sentence", "outcome", "words"),
    [
        ("Which offices have no cabinet?", "answered", "Answer: "),
        ("Sing me a song about it.", "not-understood", "✗ not understood"),
    ],
)
def test_runs_without_a_plan_write_a_picture_too(cli, tmp_path, sentence, outcome, words):
    pytest.importorskip("onnxruntime")
    cli("plan", sentence, *OFFICE, "--out", tmp_path / "out")
    assert json.loads((tmp_path / "out" / "record.json").read_text())["outcome"] == outcome
    shown = texts(read((tmp_path / "out" / "plan.svg").read_text(encoding="utf-8")))
    assert shown[0] == sentence and any(text.startswith(words) for text in shown)
    if outcome == "answered":
        files = cli("certify", tmp_path / "out", *OFFICE, "--json").json["fields"]["files"]
        assert files["status"] == "rechecked"


def test_an_unsolvable_goal_is_drawn_with_its_reasons(cli, tmp_path):
    goal = "(and (open microwave) (turned_on microwave))"
    assert cli("plan", *OFFICE, "--goal", goal, "--out", tmp_path / "out").code == 1
    shown = texts(read((tmp_path / "out" / "plan.svg").read_text(encoding="utf-8")))
    record = json.loads((tmp_path / "out" / "record.json").read_text())
    assert "✗ unsolvable" in shown and "microwave" in shown
    assert " ".join(shown).replace("  ", " ").count(record["reasons"][0][:60]) == 1


def test_the_step_that_failed_is_marked_at_its_place():
    record = {
        "outcome": "rejected",
        "plan": ["goto(pose13)", "goto(kitchen)", "access(fridge)", "pickup(banana2)", "open(fridge)"],
        "violations": [{"index": 3, "message": "cannot pick up banana2: fridge is closed"}],
    }
    shown = texts(sound(picture_of(record, office())))
    assert "step 4: cannot pick up banana2: fridge is closed" in shown and "✗ 1" in shown
    assert (
        "✗ 1  fridge in kitchen: pickup(banana2)" in shown
    )  # and what would have come after it is not there


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_is_drawn(outcome):
    record: dict[str, object] = {
        "outcome": outcome,
        "plan": ["goto(kitchen)"],
        "reasons": ["a reason"],
        "metres": 1.5,
    }
    shown = texts(sound(picture_of(record, office())))
    good = outcome in ("verified", "answered", "executable")
    assert f"{'✓' if good else '✗'} {outcome.replace('-', ' ')}" in shown
    assert ("a reason" in shown) != good


@pytest.mark.parametrize(
    "record",
    [
        {}, {"plan": None, "violations": 3, "answers": [3, {"id": 4}], "metres": "x"},
        {"plan": ["no step", 3]},
        {"goal": "(((", "says": 7, "reasons": {"a": 1}, "opened": ["nowhere", None]},
        {"plan": ["goto(nowhere)", "access(kitchen)", "done()", "goto(kitchen)"]},
        {"violations": [{"index": 10**30, "message": "x"}], "plan": ["goto(kitchen)"]},
        {"instruction": "word " * 9000, "says": "x" * 9000, "reasons": ["y" * 9000] * 50, "outcome": "z"},
    ],
)  # fmt: skip
def test_what_is_no_record_of_ours_is_drawn_as_far_as_it_goes(record):
    sound(picture_of(record, office()))


@pytest.mark.parametrize("name", [*SCENES, *sorted(p.name for p in SAMPLES.iterdir())])
def test_every_scene_that_comes_along_and_every_format_is_drawn(cli, tmp_path, name):
    what = name if name in SCENES else SAMPLES / name
    item = () if name in SCENES else _item(cli, what)
    target = tmp_path / "a.svg"
    assert cli("scene", "show", what, *item, "--svg", target).code == 0
    assert cli("view", what, *item, "--svg", tmp_path / "b.svg", "--png", tmp_path / "b.png").code == 0
    assert target.read_bytes() == (tmp_path / "b.svg").read_bytes()
    shown = texts(read(target.read_text(encoding="utf-8")))
    assert any("room" in text for text in shown[:3])


def _item(cli, what: Path) -> tuple[str, ...]:
    """Return the option for the first of several scenes of a file; none for one of one."""
    refused = cli("view", what, "--svg", "/dev/null/x").err  # the place is refused first
    assert "expected" in refused
    several = cli("scene", "show", what).err
    return (
        ("--item", several.split("choose one: ")[1].split(",")[0].strip()) if "choose one" in several else ()
    )


def test_the_samples_are_of_every_format():
    """A format without a sample would not be drawn above."""
    assert len({p.name.partition(".")[0] for p in SAMPLES.iterdir()}) >= len(FORMATS)


@pytest.mark.parametrize(("scene", "level"), [("office", "kitchen"), ("home", "floor1"), ("home", "lobby0")])
def test_a_room_is_drawn_alone(cli, tmp_path, scene, level):
    assert cli("scene", "show", scene, "--room", level, "--svg", tmp_path / "a.svg").code == 0
    shown = texts(read((tmp_path / "a.svg").read_text(encoding="utf-8")))
    assert shown[0] == level and not any(text in ("cafeteria", "floor0") for text in shown)


@cache
def bare_office() -> Scene:
    """The office without any position."""
    scene = load_scene("office")
    return Scene("bare", {i: replace(n, position=None) for i, n in scene.nodes.items()}, scene.links)


def overlapping(drawing: Drawing) -> Iterator[tuple[Words, Words]]:
    """Yield the names in a picture that overlap; those on a mark are meant to be there."""
    names = [s for s in drawing.shapes if isinstance(s, Words) and s.fill != "#ffffff"]
    areas = [(w.x, w.y - w.size * 0.7, w.x + width_of(w.text, w.size, w.bold), w.y) for w in names]
    for (one, a), (other, b) in combinations(zip(names, areas, strict=True), 2):
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]:
            yield one, other


@pytest.mark.parametrize(
    "scene", [load_scene("office"), load_scene("home"), bare_office()], ids=lambda s: s.name
)
def test_no_name_is_written_over_another(scene):
    assert not list(overlapping(picture_of_scene(scene)))
    belief = ground(scene, load_pack())
    record = ran(belief, str(pick_and_place(belief, 6, 1)))
    assert record.verified
    drawing = picture_of(record.as_json(), belief)
    assert not list(overlapping(drawing))
    sound(drawing)


def test_texts_are_no_wider_than_is_assumed():
    pytest.importorskip("matplotlib")
    from matplotlib.textpath import TextPath

    for text in (
        "meeting_room1",
        "MOBILE_ROBOTICS",
        "mmwwMW@%",
        "1  desk9 in phd_bay1: pickup",
        "жижа",
        "Ünïcödé",
    ):
        assert TextPath((0, 0), text, size=100).get_extents().width <= 107 * width_of(text, 1.0)


def test_floors_are_drawn_apart_in_the_order_of_their_heights():
    home = load_scene("home")
    shown = texts(sound(picture_of_scene(home)))
    assert [t for t in shown if t.startswith("floor")] == ["floor0", "floor1", "floor2"]
    belief = ground(home, load_pack())
    dashed = 'stroke-dasharray="5 4"'
    one = svg_of(picture_of({"plan": ["goto(kitchen0)"], "outcome": "verified"}, belief))
    record = ran(belief, "(and (in_room apple0 bedroom1) (in_room wine_bottle0 kitchen1))")
    assert svg_of(picture_of(record.as_json(), belief)).count(dashed) == 1 + one.count(dashed) + 1


def test_of_a_very_large_building_only_some_floors_are_drawn():
    nodes = [Node("agent", "agent", at="r0-0")]
    for floor in range(9):
        nodes.append(Node(f"f{floor}", "floor"))
        nodes += [Node(f"r{floor}-{n}", "room", f"f{floor}", position=(n, 1, floor)) for n in range(150)]
    links = tuple(Link(f"r{floor}-0", f"r{floor + 1}-0", 3) for floor in range(8))
    scene = Scene("tower", {n.id: n for n in nodes}, links)
    shown = texts(sound(picture_of_scene(scene)))
    assert "7 other floors are not drawn" in shown and "f0" in shown and "f8" not in shown
    belief = ground(scene, load_pack())
    shown = texts(sound(picture_of({"plan": ["goto(r8-0)"], "outcome": "verified"}, belief)))
    assert {"f0", "f8"} <= set(shown)


def test_things_in_no_room_are_listed():
    nodes = [Node("site", "building"), Node("hall", "room", "site"), Node("bench", "asset", "site")]
    nodes += [Node("lost", "object", None, "unknown"), Node("key", "object", "bench", "ontop_of")]
    shown = texts(sound(picture_of_scene(Scene("outside", {n.id: n for n in nodes}))))
    assert {"hall", "bench", "lost", "in no room", "place not known"} <= set(shown)


def odd(*positions: tuple[float, float, float] | None) -> Scene:
    nodes = [Node(f"r{n}", "room", position=position) for n, position in enumerate(positions)]
    return Scene("odd", {n.id: n for n in nodes})


@pytest.mark.parametrize(
    "scene",
    [
        odd(), odd(None), odd((0, 0, 0)), odd((0, 0, 0), (0, 0, 0)), odd((1e308, 0, 0), (-1e308, 0, 0)),
        odd((0, 0, 0), (0, 1e-300, 0)), odd((0, 0, 0), (50, 0, 0)), odd((0, 0, 0), (0, 50, 0)),
        odd((0, 0, 0), (3, 1, 0), None), odd((0, 0, 0), (1e6, 1e-6, 0)),
    ],
)  # fmt: skip
def test_odd_positions_are_drawn(scene):
    shown = texts(sound(picture_of_scene(scene)))
    assert not scene.nodes or "r0" in shown
    assert ("rooms without a position" in shown) == (
        len(scene.nodes) == 3 and scene.nodes["r2"].position is None
    )


@given(
    scenes(hostile=None, connected=False), st.sampled_from([*HOSTILE, *PAYLOADS]), st.booleans(), st.randoms()
)
@draws(200)
def test_any_small_scene_is_drawn_and_hostile_names_are_text(scene, instruction, positions, rng):
    if positions:
        places = {i: (rng.uniform(-9, 9), rng.uniform(-9, 9), 0.0) for i in scene.nodes if rng.random() < 0.8}
        moved = {i: replace(n, position=places.get(i)) for i, n in scene.nodes.items()}
        scene = Scene(scene.name, moved, scene.links)
    sound(picture_of_scene(scene))
    belief = ground(scene, household())
    steps = [f"{verb}({json.dumps(name)})" for name in scene.nodes for verb in ("goto", "access", "pickup")]
    record = {"outcome": instruction, "instruction": instruction, "reasons": [instruction], "plan": steps}
    root = sound(picture_of(record, belief))
    if len(instruction) < 60:
        assert escape(texts(root)[0]) in svg_of(picture_of(record, belief))


def test_an_outcome_of_control_characters_is_escaped():
    outcome = "\0\x1b]52;c;!\a"
    root = sound(
        picture_of({"outcome": outcome, "instruction": "Go."}, ground(load_scene("home"), household()))
    )
    assert any(one.endswith("\\u0000\\u001b]52;c;!\\u0007") for one in texts(root))
    assert (root.findtext("{*}title") or "").startswith("Go.: \\u0000\\u001b]")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payloads_in_names_are_shown_as_they_are(payload):
    nodes = [Node("kitchen", "room"), Node(payload, "asset", "kitchen"), Node("agent", "agent", at="kitchen")]
    shown = texts(sound(picture_of_scene(Scene(payload, {n.id: n for n in nodes}))))
    visible = "".join(c for c in payload if c.isprintable())
    assert any(visible[:20] in t for t in shown) or any("\\u" in t for t in shown)
    assert not any("\u202e" in t or "\0" in t for t in shown)


def test_the_same_input_gives_the_same_bytes_in_any_process(tmp_path):
    code = (
        "import sys; from groundplan.commands import main;"
        "sys.exit(main(['view', 'office-planning-long-03', '--svg', sys.argv[1], '--png', sys.argv[2]]))"
    )
    drawn = []
    for seed in ("0", "1"):
        files = [str(tmp_path / f"{seed}.svg"), str(tmp_path / f"{seed}.png")]
        subprocess.run(
            [sys.executable, "-P", "-c", code, *files], check=True, env=os.environ | {"PYTHONHASHSEED": seed}
        )
        drawn.append([Path(f).read_bytes() for f in files])
    assert drawn[0] == drawn[1]


def test_a_picture_needs_matplotlib_for_png_alone(cli, tmp_path, monkeypatch):
    monkeypatch.setattr("groundplan.commands.picture_files.can_draw", lambda: False)
    refused = cli("view", "office", "--png", tmp_path / "a.png")
    assert refused.code == 2 and "groundplan[report]" in refused.err and "--svg" in refused.err
    assert cli("view", "office", "--svg", tmp_path / "a.svg").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("offfice", "--svg", "SVG"), "did you mean 'office'"),
        (("office-planning-simple-99", "--svg", "SVG"), "the id of a task"),
        (("office", "--scene", "home", "--svg", "SVG"), "is no record of one"),
        (("RUN", "--svg", "SVG"), "name it with --scene"),
        (
            ("RUN", "--scene", "office", "--row", "x", "--svg", "SVG"),
            "a folder that `groundplan bench` wrote",
        ),
        (("RUN", "--scene", "home", "--svg", "SVG"), "is this the scene?"),
        (("RUN", "--scene", "office", "--svg", "RUN/plan.svg"), "use --force to replace it"),
    ],
)
def test_what_cannot_be_drawn_is_said(cli, tmp_path, arguments, words):
    run_folder = tmp_path / "run"
    if any("RUN" in a for a in arguments):
        assert cli("plan", *OFFICE, "--goal", "(robot_at pose13)", "--out", run_folder).code == 0
    given_ = [a.replace("RUN", str(run_folder)).replace("SVG", str(tmp_path / "a.svg")) for a in arguments]
    refused = cli("view", *given_)
    assert refused.code == 2 and words in refused.err
    assert not (tmp_path / "a.svg").exists()


def test_a_run_of_a_task_needs_no_scene(cli, tmp_path):
    out = tmp_path / "out"
    assert cli("plan", "--task", "office-planning-simple-02", "--out", out).code == 0
    assert cli("view", out, "--svg", tmp_path / "a.svg").code == 0
    assert (tmp_path / "a.svg").read_bytes() == (out / "plan.svg").read_bytes()
    shutil.copy(out / "record.json", tmp_path / "mine.json")
    assert cli("view", tmp_path / "mine.json", "--svg", tmp_path / "b.svg").code == 0
    assert (tmp_path / "b.svg").read_bytes() == (out / "plan.svg").read_bytes()


def _golds() -> list[Task]:
    return [task for name in SETS for task in load_set(name) if task.gold.goal and not task.hidden]


def _drawn(task: Task) -> None:
    belief = ground(task.load(), load_pack("grasif" if task.set.startswith("grasif") else "household"))
    record = run(Request(belief, goal=Goal.of(parse_goal(task.gold.goal).formula)), Engine.named("pyperplan"))
    drawing = picture_of(record.as_json(), belief)
    root = sound(drawing)
    assert len(record.plan) == 0 or "Stops" in texts(root)
    assert not list(overlapping(drawing))


@pytest.mark.parametrize("task", _golds()[::16], ids=lambda t: t.id)
def test_plans_for_gold_goals_are_drawn(task):
    _drawn(task)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", SETS)
def test_every_plan_for_a_gold_goal_is_drawn(name):
    for task in _golds():
        if task.set == name:
            _drawn(task)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("scene", ["office", "home", "house-1", "house-5", "bare", "building"])
def test_generated_plans_are_drawn(scene, cli, tmp_path):
    """Fifty tasks in each of six scenes."""
    if scene == "building":
        assert cli("scene", "generate", "--floors", 3, "--rooms", 40, "-o", tmp_path / "b.json").code == 0
    loaded = (
        bare_office()
        if scene == "bare"
        else find_scene(str(tmp_path / "b.json") if scene == "building" else scene)
    )
    belief = ground(loaded, load_pack())
    tasks = [t for t in generated_tasks(belief, 150, seed=35) if t.gold.goal][:50]
    assert len(tasks) == 50
    for task in tasks:
        record = ran(belief, task.gold.goal)
        drawing = picture_of(record.as_json(), belief)
        sound(drawing)
        assert not list(overlapping(drawing))


@pytest.mark.slow
def test_a_building_of_a_hundred_thousand_nodes_is_drawn_small(cli, tmp_path):
    assert cli("scene", "generate", "--nodes", 100_000, "-o", tmp_path / "b.json").code == 0
    scene = find_scene(str(tmp_path / "b.json"))
    for one in (
        scene,
        Scene("bare", {i: replace(n, position=None) for i, n in scene.nodes.items()}, scene.links),
    ):
        text = svg_of(sound_drawing(one))
        assert len(text) < 400_000


def sound_drawing(scene: Scene) -> Drawing:
    drawing = picture_of_scene(scene)
    sound(drawing)
    return drawing


def test_the_commands_of_the_documents_draw_and_its_picture_is_todays(cli, tmp_path, monkeypatch):
    docs = Path(__file__).parents[2] / "docs"
    text = (docs / "outputs.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for title in ("Pictures", "Pages"):
        section = text.split(f"\n## {title}\n")[1].split("\n## ")[0]
        (block,) = re.findall(r"```sh\n(.*?)```", section, re.S)
        for line in block.splitlines():
            assert cli(*shlex.split(line, comments=True)[1:]).code == 0, line
    assert Path("noodles.html").read_bytes() == Path("again.html").read_bytes()
    assert Path("again.svg").read_bytes() == Path("coffee/plan.svg").read_bytes()
    assert Path("home.svg").read_bytes() == Path("home2.svg").read_bytes()
    assert (docs / "images" / "home.svg").read_bytes() == Path("home.svg").read_bytes()


@pytest.mark.usefixtures("inline")
def test_the_gallery_shows_what_its_commands_draw(cli, tmp_path, monkeypatch):
    """The screenshots are looked at by people; here the pages that they are of are made."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("shapely")
    monkeypatch.chdir(tmp_path)
    for view in views():
        for name, content in view.files:
            Path(name).write_text(content, encoding="utf-8")
        for command in view.commands:
            assert cli(*arguments(command)).code == exit_code(command), command
        if view.picture.suffix == ".svg":
            drawn = Path(view.picture.name).read_bytes()
            assert view.picture.read_bytes() == drawn, "run `python tools/make_gallery.py`"
        else:
            assert Path(view.opened[0]).exists() and view.picture.stat().st_size < 130_000
    assert len(views()) >= 10


def test_the_png_has_the_shapes_of_the_drawing():
    pytest.importorskip("matplotlib")
    drawing = picture_of_scene(load_scene("office"))
    data = png_of(drawing)
    assert int.from_bytes(data[16:20], "big") == 2 * WIDTH
    assert int.from_bytes(data[20:24], "big") == pytest.approx(2 * drawing.height, abs=2)
    assert png_of(drawing) == data
