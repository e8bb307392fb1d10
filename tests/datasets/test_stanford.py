"""Stanford's 3D scene graphs, and pickles that are read without being run."""

from __future__ import annotations

import json
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest
from draws import draws
from hypothesis import given
from hypothesis import strategies as st

from groundplan.datasets.formats.registry import read
from groundplan.datasets.formats.stanford.unpickle import decoded
from groundplan.domains.errors import SceneError
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Scene

numpy = pytest.importorskip("numpy")

SAMPLE = Path(__file__).parent / "formats" / "stanford.scn"


def graph() -> dict[str, Any]:
    """The sample as the ``.npz`` files hold it: by number, with numpy's arrays and numbers."""
    raw = json.loads(SAMPLE.read_text(encoding="utf-8"))
    rooms, objects = ({e["id"]: e for e in raw[k]} for k in ("rooms", "objects"))
    for entry in (*rooms.values(), *objects.values()):
        entry["id"] = numpy.int64(entry["id"])
        if entry["location"] is not None:
            entry["location"] = numpy.array(entry["location"], dtype="f8")
        entry["volume"] = numpy.float32(2.5)
    building = {
        "name": "Testville",
        "room_inst_segmentation": numpy.zeros((30_000, 1)),
        "voxel_resolution": numpy.array([3, 4, 5]),
    }
    camera = {1: {"FOV": 1.2, "rotation": numpy.zeros(4), "name": b"p1"}}
    return {"building": building, "room": rooms, "object": objects, "camera": camera}


def npz(value: object, path: Path, protocol: int | None = None) -> Path:
    """Save like ``numpy.savez_compressed``; with a protocol, the pickle of that protocol."""
    if protocol is None:
        numpy.savez_compressed(path, output=value)
        return path
    array = numpy.empty((), dtype=object)
    array[()] = value
    return packed(pickle.dumps(array, protocol=protocol), path)


def packed(payload: bytes, path: Path, header: bytes | None = None) -> Path:
    if header is None:
        text = b"{'descr': '|O', 'fortran_order': False, 'shape': (), }".ljust(117) + b"\n"
        header = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("output.npy", header + payload)
    return path


@pytest.fixture(scope="module")
def scene() -> Scene:
    found, form = read(SAMPLE)
    assert form.name == "3d-scene-graph"
    ground(found, load_pack())
    return found


def test_furniture_is_fixed_and_all_else_can_be_picked_up(scene: Scene) -> None:
    fridge, apple = scene.nodes["refrigerator_1"], scene.nodes["apple_3"]
    assert (fridge.type, fridge.parent, fridge.relation) == ("asset", "kitchen_1", "in")
    assert fridge.affordances == ("open", "close", "clean", "release")
    assert fridge.attributes == ("made_of_metal", "striped") and fridge.position == (0.5, 0.5, 1)
    assert (apple.type, apple.parent, apple.relation) == ("object", "living_room_2", "ontop_of")
    assert apple.affordances == ("eat", "pickup")
    assert scene.nodes["dining_table_2"].classes == ("dining_table",)
    assert scene.nodes["sink_4"].affordances == ("wash", "clean", "release")
    assert scene.nodes["tv_5"].affordances == ("turn_on", "turn_off")


def test_an_object_in_no_room_is_kept_and_its_place_is_not_known(scene: Scene) -> None:
    assert list(scene.unplaced) == ["vase_6"] and scene.nodes["vase_6"].parent is None
    assert ("place", "vase_6") in [(loss.kind, loss.id) for loss in scene.losses]


def test_floors_are_joined_once_where_their_rooms_are_nearest(scene: Scene) -> None:
    assert scene.nodes["kitchen_1"].parent == "floor_A" and scene.nodes["home_office_3"].parent == "floor_B"
    ways = {(x.a, x.b): x.length for x in scene.links}
    assert ways == {
        ("kitchen_1", "living_room_2"): 4.0,
        ("kitchen_1", "bedroom_4"): 3.0,
        ("bedroom_4", "home_office_3"): 4.5,
    }


@pytest.mark.parametrize("protocol", [None, 0, 1, 2, 3, 4])
def test_the_numpy_file_holds_the_same_scene(protocol: int | None, scene: Scene, tmp_path: Path) -> None:
    found, form = read(npz(graph(), tmp_path / "3DSceneGraph_Testville.npz", protocol))
    assert form.name == "3d-scene-graph" and found.name == "Testville"
    assert found.nodes["floor_A"].parent == "Testville"
    floors = {"floor_A": {"parent": None}, "floor_B": {"parent": None}}
    assert found.changed(change=floors).changed(remove=["Testville"]).hash == scene.hash


class Evil:
    def __init__(self, *reduced: object) -> None:
        self.reduced = reduced

    def __reduce__(self) -> Any:
        return self.reduced


def nested(depth: int) -> bytes:
    return b"]" * depth + b"a" * (depth - 1) + b"."


LAUGHS = b"\x80\x02]q\x00(" + b"NNNNNNNNNNe" + b"".join(
    b"]q" + bytes([i]) + b"(" + (b"h" + bytes([i - 1])) * 10 + b"e" for i in range(1, 12)
) + b"."  # fmt: skip

CODE = {
    "os.system": pickle.dumps({"room": Evil(os.system, ("touch ran",))}),
    "eval": pickle.dumps(Evil(eval, ("open('ran', 'w')",))),
    "exec": pickle.dumps([Evil(exec, ("open('ran', 'w')",))], protocol=0),
    "getattr": b"c__builtin__\ngetattr\n.",
    "numpy reads a file": pickle.dumps(Evil(numpy.fromfile, ("/etc/hostname",))),
    "numpy loads": pickle.dumps(Evil(numpy.load, ("/etc/hostname",))),
    "numpy runs": b"cnumpy.testing\nrunstring\n(X\x01\x00\x00\x001}tR.",
    "an attribute of an allowed name": b"\x80\x04\x8c\x05numpy\x8c\x10ndarray.tofile\x93.",
    "a codec": b"c_codecs\nencode\n(X\x01\x00\x00\x00aX\x03\x00\x00\x00hexetR.",
    "an instance": b"(ios\nsystem\n.",
    "an object": b"(cos\nsystem\nX\x01\x00\x00\x00ao.",
    "a new object": b"\x80\x02cbuiltins\nobject\n)\x81.",
    "a persistent id": b"Pid\n.",
    "an extension": b"\x82\x01.",
    "a call of data": b"X\x01\x00\x00\x00a)R.",
    "state for data": b"]}b.",
}
DAMAGE = {
    "nothing": b"",
    "no end": b"\x80\x02}",
    "an empty stack": b"0.",
    "no mark": b"t.",
    "no memo": b"h\x07.",
    "a list with a list as key": b"}]Ns.",
    "deep lists": nested(100_000),
    "deep tuples": b")" + b"\x85" * 100_000 + b".",
    "deep tuples as a key": b"})" + b"\x85" * 100_000 + b"Ns.",
    "a list in itself": b"]q\x00h\x00a.",
    "a billion laughs": LAUGHS,
    "a huge memo index": b"]r\xff\xff\xff\xff.",
    "a huge text": b"\x8d" + b"\xff" * 7 + b"\x7f" + b"abc.",
    "a huge bytearray": b"\x96" + b"\xff" * 5 + b"\x00\x00\x00.",
    "a huge number": b"\x8b\x00\x10\x00\x00" + b"\x7f" * 4096 + b".",
    "a long decimal": b"L" + b"9" * 10_000 + b"L\n.",
    "a line without end": b"V" + b"a" * 20_000_000,
    "wrong lengths": pickle.dumps(numpy.zeros(9), protocol=2)[:-40] + b".",
}


@pytest.mark.parametrize("name", [*CODE, *DAMAGE])
def test_no_pickle_runs_or_overflows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = packed(CODE.get(name, DAMAGE.get(name, b"")), tmp_path / "graph.npz")
    with pytest.raises(SceneError) as caught:
        read(path)
    assert "output.npy" in caught.value.where
    if name in CODE:
        assert "plain data" in caught.value.expected
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("shape", "dtype", "data"),
    [
        ((1 << 60,), "f8", b""),
        ((-1,), "f8", b""),
        ((10**6, 10**6, 10**6), "O", []),
        ((3,), "f8", b"\0" * 23),
        ((2,), "V7", b"\0" * 14),
        ((2,), "f8", [1, 2]),
        (("a",), "f8", b""),
    ],
)
def test_arrays_whose_shape_and_data_differ_are_refused(shape: Any, dtype: str, data: Any) -> None:
    state = (1, shape, numpy.dtype(dtype), False, data)
    value = pickle.dumps(Evil(numpy.zeros(0).__reduce__()[0], (numpy.ndarray, (0,), b"b"), state))
    with pytest.raises(SceneError, match="a pickle: expected a whole pickle"):
        decoded(value, "a pickle")


def test_zip_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundplan.datasets.formats.stanford.unpickle.MAX_INFLATED", 1 << 20)
    path = packed(b"\x8e" + (1 << 22).to_bytes(8, "little") + b"\0" * (1 << 22) + b".", tmp_path / "bomb.npz")
    assert path.stat().st_size < 1 << 15
    with pytest.raises(SceneError, match="at most 1048576 bytes"):
        read(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[: len(data) // 2], "zip file"),
        (lambda data: data[:-10], "zip file"),
        (lambda data: data.replace(b"output.npy", b"output.npx"), "got a zip file, cut off or without"),
        (lambda data: data[:60] + bytes(40) + data[100:], "zip file|numpy|pickle|whole"),
    ],
)
def test_damaged_archives_are_errors(change: Any, message: str, tmp_path: Path) -> None:
    path = npz(graph(), tmp_path / "graph.npz")
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(SceneError, match=message):
        read(path, "" if "got" in message else "3d-scene-graph" if "zip" in message else "")


def test_an_array_of_numbers_is_no_scene(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"numpy.savez writes a dictionary"):
        read(npz(numpy.zeros(3), tmp_path / "graph.npz"))


@pytest.mark.parametrize(
    ("key", "number", "field", "value", "message"),
    [
        ("object", 1, "parent_room", 9, r"object.1.parent_room: expected the number of a room"),
        ("object", 1, "class_", ["a"], r"object.1.class_: expected a name"),
        ("object", 1, "location", numpy.array([1.0, float("nan"), 2.0]), r"object.1.location"),
        ("object", 1, "action_affordance", [7], r"object.1.action_affordance: expected a list of words"),
        ("room", 2, "scene_category", 7.5, r"room.2.scene_category: expected a name"),
        ("room", 2, "floor_number", [], r"room.2.floor_number: expected a name"),
    ],
)
def test_wrong_fields_are_errors_with_their_place(
    key: str, number: int, field: str, value: object, message: str, tmp_path: Path
) -> None:
    raw = graph()
    raw[key][number][field] = value
    with pytest.raises(SceneError, match=message):
        read(npz(raw, tmp_path / "graph.npz"))


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text() | st.integers(-(2**63), 2**63), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(values, st.integers(0, 5))
@draws(150)
def test_plain_data_is_what_was_pickled(value: object, protocol: int) -> None:
    assert decoded(pickle.dumps(value, protocol), "a pickle") == json.loads(json.dumps(value))


@given(st.binary(max_size=200))
@draws(300)
def test_any_bytes_are_a_value_or_an_error(data: bytes) -> None:
    try:
        decoded(data + b".", "a pickle")
    except SceneError as error:
        assert error.where.startswith("a pickle")


@given(st.data())
@draws(150)
def test_a_changed_pickle_is_a_value_or_an_error(data: st.DataObject) -> None:
    pickled = bytearray(pickle.dumps(numpy.array([graph()["building"]], dtype=object), protocol=2)[:1500])
    for _ in range(data.draw(st.integers(1, 4))):
        pickled[data.draw(st.integers(0, len(pickled) - 1))] = data.draw(st.integers(0, 255))
    try:
        decoded(bytes(pickled), "a pickle")
    except SceneError as error:
        assert error.where.startswith("a pickle")


def test_arrays_become_lists() -> None:
    value = [
        numpy.array([[1, 2], [3, 4]]),
        numpy.array(["ab", "c"]),
        numpy.str_("x"),
        numpy.array(2.5),
        b"no",
    ]
    found = decoded(pickle.dumps(value, protocol=4), "a pickle")
    assert found == [[[1, 2], [3, 4]], ["ab", "c"], "x", 2.5, None]
