"""Broken, hostile and huge scene files in every format: an error with a place, or a scene that is one.

The samples in ``formats/`` are written by hand after the schemas of the formats. Whoever adds a format adds a
sample, and all of this runs on it.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from draws import draws
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from plain_building import building
from strategies import household

from groundplan.datasets.formats import content, registry
from groundplan.datasets.formats.content import Content, Format
from groundplan.domains.errors import InputError, SceneError
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.scene_json import scene_from_json, scene_text

FOLDER = Path(__file__).parent / "formats"
SAMPLES = sorted(p for p in FOLDER.iterdir() if not p.name.startswith("."))
FILES = [p for p in SAMPLES if p.is_file()]
WRITTEN = [f for f in registry.FORMATS if f.write is not None]
CUTS = 80
"""Places at which each sample is cut."""

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**63, 2**64, 10**400, -(10**400), 1.5, -0.0, 1e308, "", "x", "\0", "\ud800",
    "../../x", "x" * 5000, [], [[]], [None], ["x", "x"], [1, 2, 3], {}, {"id": "x"}, {"x": 1, "y": 2, "z": 3},
)  # fmt: skip
RAW = ("NaN", "Infinity", "-Infinity", "1e400", "-1e400", "9" * 5000, "[" * 2000 + "]" * 2000)
"""Values that Python does not write, put in as text."""


def named(item: Path | Format) -> str:
    return item.name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@cache
def form_of(path: Path) -> Format:
    return registry.detect(Content(path))


def survives(path: Path, form: str = "", item: str = "") -> Scene | None:
    """Read a file; its scene, or nothing where it was refused as it should be."""
    try:
        scene = registry.read(path, form, item)[0]
    except InputError as error:
        assert error.where and error.expected
        assert len(str(error)) < 2000, "an error fits a screen"
        return None
    again = scene_from_json(json.loads(scene_text(scene)), scene.name)
    assert again.hash == scene.hash
    try:
        ground(scene, household())
    except SceneError as error:
        assert error.where
    return scene


def item_of(lines: list[Any]) -> str:
    """What picks the first scene of a file with one a line."""
    return "1" if len(lines) > 1 else ""


def put(folder: Path, data: bytes) -> Path:
    file = folder / "scene"
    file.write_bytes(data)
    return file


def test_every_format_has_a_sample() -> None:
    assert {form_of(p).name for p in SAMPLES} == {f.name for f in registry.FORMATS}


@pytest.mark.parametrize("sample", SAMPLES, ids=named)
def test_samples_are_scenes_that_can_be_planned_in(sample: Path) -> None:
    item = {"delta_scenes.txt": "HOUSE_1", "procthor_compact.jsonl": "1"}.get(sample.name, "")
    scene = registry.read(sample, item=item)[0]
    assert ground(scene, household()).start in scene.nodes


@pytest.mark.parametrize("sample", FILES, ids=named)
def test_a_file_cut_anywhere(sample: Path, folder: Path) -> None:
    data = sample.read_bytes()
    form = form_of(sample).name
    for end in range(0, len(data), max(1, len(data) // CUTS)):
        file = put(folder, data[:end])
        survives(file)
        survives(file, form)


@pytest.mark.parametrize("sample", FILES, ids=named)
@draws(80, by_day=20, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False))
def test_bytes_changed_anywhere(sample: Path, folder: Path, rng: random.Random) -> None:
    data = bytearray(sample.read_bytes())
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data))
        match rng.randrange(4):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                del data[at : at + rng.randint(1, 40)]
            case 2:
                data[at:at] = data[at : at + rng.randint(1, 200)]
            case _:
                data[at:at] = rng.choice(
                    (b"\xff", b"\x00", b'"', b"[", b"{}", b"-", b"(", b"\\", b"e9", b"''")
                )
        data = data or bytearray(b"x")
    file = put(folder, bytes(data))
    survives(file)
    survives(file, form_of(sample).name)


def paths(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value in a document."""
    yield here
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from paths(inner, (*here, key))


def replaced(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(document)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return changed


def documents(sample: Path) -> list[Any]:
    """The JSON documents of a sample: one, or one a line, or none."""
    try:
        text = sample.read_text(encoding="utf-8")
        return [json.loads(text)]
    except UnicodeDecodeError:
        return []
    except json.JSONDecodeError:
        try:
            return [json.loads(line) for line in text.splitlines() if line]
        except json.JSONDecodeError:
            return []


JSON = [p for p in FILES if documents(p)]


@pytest.mark.parametrize("kind", [None, 10**400, "x", [], {}], ids=lambda k: str(k)[:5])
@pytest.mark.parametrize("sample", JSON, ids=named)
@pytest.mark.parametrize("most", [60, pytest.param(250, marks=pytest.mark.slow)])
def test_every_value_of_another_kind(sample: Path, kind: Any, folder: Path, most: int) -> None:
    lines = documents(sample)
    places = list(paths(lines[0]))
    for path in places[:: 1 + len(places) // most]:
        text = "\n".join(map(json.dumps, [replaced(lines[0], path, kind), *lines[1:]]))
        survives(put(folder, text.encode()), "", item_of(lines))


@pytest.mark.parametrize("sample", JSON, ids=named)
@draws(80, by_day=20, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False))
def test_wrong_values_anywhere(sample: Path, folder: Path, rng: random.Random) -> None:
    lines = documents(sample)
    number = rng.randrange(len(lines))
    document = lines[number]
    places = list(paths(document))
    path = rng.choice(places)
    match rng.randrange(4):
        case 0:  # a value of another kind
            text = json.dumps(replaced(document, path, rng.choice(VALUES)))
        case 1:  # a number that is none
            text = json.dumps(replaced(document, path, "@here@")).replace('"@here@"', rng.choice(RAW))
        case 2:  # a value from elsewhere in the document: circles, duplicates, links to the wrong thing
            other = document
            for key in rng.choice(places):
                other = other[key]
            text = json.dumps(replaced(document, path, other))
        case _:  # one more, or one less
            inner = document
            for key in path:
                inner = inner[key]
            if isinstance(inner, list) and inner:
                twice = [*inner, rng.choice(inner)]
                text = json.dumps(replaced(document, path, twice if rng.random() < 0.5 else inner[1:]))
            elif isinstance(inner, dict) and inner:
                gone = rng.choice(list(inner))
                text = json.dumps(replaced(document, path, {k: v for k, v in inner.items() if k != gone}))
            else:
                text = json.dumps(replaced(document, path, [inner]))
    whole = "\n".join([*map(json.dumps, lines[:number]), text, *map(json.dumps, lines[number + 1 :])])
    file = put(folder, whole.encode("utf-8", "surrogatepass"))
    survives(file, "", item_of(lines))
    survives(file, form_of(sample).name, item_of(lines))


@pytest.mark.parametrize("form", registry.FORMATS, ids=named)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n",
        b"{}",
        b"[]",
        b"null",
        b"3",
        b'"text"',
        b"\x00" * 100,
        bytes(range(256)),
        b"\xef\xbb\xbf{}",
        "{}".encode("utf-16"),
        b"[" * 200_000,
        b'{"nodes":' * 50_000,
        b'{"nodes": [], "edges": []}',
        b'{"nodes": {}, "links": []}',
        b'{"nodes": [{"id": 1}], "edges": [[]], "rooms": {}, "format": {}}',
        b"PK\x05\x06" + b"\x00" * 18,
        b"\x80\x04c__builtin__\nexit\n(I1\ntR.",
        b"(define (problem p))",
        b"a = 1\n",
        gzip.compress(b""),
        gzip.compress(gzip.compress(b"{}")),
        b"\x1f\x8b\x08",
        b"\x1f\x8b" + b"\xff" * 50,
    ],
    ids=range(24),
)
def test_what_is_no_scene_at_all(form: Format, data: bytes, folder: Path) -> None:
    file = put(folder, data)
    survives(file)
    survives(file, form.name)


@pytest.mark.parametrize("form", registry.FORMATS, ids=named)
def test_places_that_are_no_file(form: Format, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none", tmp_path / ("x" * 300), Path("/dev/null"), tmp_path / "a\x00b"):
        assert survives(path, form.name) is None
        assert survives(path) is None


@pytest.mark.parametrize("depth", [50, 300, 600, 900, 940, 960, 980, 990])
@pytest.mark.parametrize("sample", [p for p in JSON if len(documents(p)) == 1], ids=named)
def test_values_within_values(sample: Path, depth: int, folder: Path) -> None:
    """Deep enough to be parsed, and too deep to be printed."""
    nested = "[" * depth + "]" * depth
    [document] = documents(sample)
    rng = random.Random(depth)
    for path in rng.sample(list(paths(document))[1:], 12):
        text = json.dumps(replaced(document, path, "@here@")).replace('"@here@"', nested)
        survives(put(folder, text.encode()), form_of(sample).name)


def test_a_small_file_that_inflates_without_end(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(content, "MAX_TEXT", 1 << 20)
    bomb = put(folder, gzip.compress(b" " * (64 << 20)))
    assert bomb.stat().st_size < 1 << 17
    with pytest.raises(SceneError, match="at most 1048576 bytes"):
        registry.read(bomb)


def nested(depth: int) -> Scene:
    """Boxes in boxes."""
    nodes = [Node("room", "room", classes=("room",)), Node("a", "agent", at="room", classes=("agent",))]
    nodes.append(Node("shelf", "asset", "room", classes=("shelf",), affordances=("release",)))
    for number in range(depth):
        above, relation = (f"box{number - 1}", "inside_of") if number else ("shelf", "ontop_of")
        able = ("pickup", "release", "contain")
        nodes.append(Node(f"box{number}", "object", above, relation, ("box",), able))
    return Scene("nested", {n.id: n for n in nodes})


@pytest.mark.parametrize("form", WRITTEN, ids=named)
def test_things_within_things(form: Format, folder: Path) -> None:
    assert form.write is not None
    again = survives(put(folder, form.write(nested(400))))
    assert again is not None
    assert len(again.by_type["object"]) == 400


@pytest.mark.parametrize("form", WRITTEN, ids=named)
def test_circles_of_many(form: Format, folder: Path) -> None:
    """What is in what, closed to a circle by hand in the text that was written."""
    assert form.write is not None
    scene = nested(200)
    text = form.write(scene).decode()
    for old, new in (('"parent": "shelf"', '"parent": "box199"'), ("ontop_of(shelf)", "ontop_of(box199)")):
        text = text.replace(old, new)
    survives(put(folder, text.replace('"related_to": "shelf"', '"related_to": "box199"').encode()))


@pytest.mark.slow
@pytest.mark.parametrize("form", WRITTEN, ids=named)
def test_a_hundred_thousand_nodes(form: Format, folder: Path) -> None:
    assert form.write is not None
    scene = building(2000, 18_000, 80_000)
    again = registry.read(put(folder, form.write(scene)))[0]
    assert len(again.by_type["object"]) == 80_000


@pytest.mark.slow
@pytest.mark.parametrize("form", WRITTEN, ids=named)
def test_a_hundred_thousand_links_and_rooms(form: Format, folder: Path) -> None:
    assert form.write is not None
    rooms = [Node(f"r{i}", "room", classes=("r",)) for i in range(50_000)]
    robot = Node("a", "agent", at="r0", classes=("agent",))
    links = tuple(Link(f"r{i}", f"r{i + 1}", 1.0) for i in range(49_999))
    scene = Scene("row", {n.id: n for n in (*rooms, robot)}, links)
    again = registry.read(put(folder, form.write(scene)))[0]
    assert len(again.links) >= 49_999
