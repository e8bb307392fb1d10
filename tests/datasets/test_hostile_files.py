"""Files that are made to hold a reader up, lead it elsewhere or use its memory: refused, and at once."""

import gzip
import os
import pickle
import re
import socket
import struct
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundplan.commands.options import read_text
from groundplan.datasets.behavior import bddl_task
from groundplan.datasets.formats import content, registry
from groundplan.datasets.formats.content import Content
from groundplan.datasets.formats.stanford.unpickle import decoded
from groundplan.datasets.formats.taskography.head import begins_problem
from groundplan.datasets.formats.virtualhome.reader import read_graph
from groundplan.datasets.grasif.records import read_records
from groundplan.datasets.grasif.robothow import choose
from groundplan.datasets.prepared import prepared_files
from groundplan.datasets.scenes import open_scene
from groundplan.domains.errors import InputError, SceneError
from groundplan.domains.files import read_bytes, read_regular
from groundplan.domains.pack import load_pack
from groundplan.simulator import scene_json
from groundplan.simulator.scene import default_class
from groundplan.simulator.scene_json import load_json
from groundplan.simulator.step import read_step

pytestmark = pytest.mark.timeout(10)

PROBLEM = b"(define (problem p) (:domain igibson) (:init (inroom a b)))"


@pytest.mark.parametrize("head", [b";" * 100_000, b"; \n" * 60_000, b" " * 200_000, b";\n\n ;" * 40_000])
def test_long_comments_before_a_problem(tmp_path, head):
    path = tmp_path / "problem.pddl"
    path.write_bytes(head + b"\n(define (domain blocks))")
    with pytest.raises(SceneError):
        registry.detect(Content(path))
    assert begins_problem(head + b"\n(define (problem p))")


@pytest.mark.parametrize(
    ("data", "begins"),
    [
        (b"(define (problem p))", True),
        (b"; one\n;two\n\n ( DEFINE\n(Problem)", True),
        (b"; one (define (problem p))", False),
        (b"(define (domain p))", False),
        (b";" * 300_000 + b"\n(define (problem p))", False),
        (b"", False),
    ],
)
def test_how_problems_begin(data, begins):
    assert begins_problem(data) is begins


@pytest.mark.parametrize("middle", ["#" * 100_000, "# \n" * 50_000, "#" * 28, " " * 100_000])
def test_comments_in_python(tmp_path, middle):
    path = tmp_path / "scenes.py"
    path.write_text(f'x = {{"rooms": {{"a": {{"neighbor": [ {middle}\nz], "items": {{}}}}}}}}')
    with pytest.raises(SceneError, match=r"expected literals.* got z"):
        registry.read(path)


@pytest.mark.parametrize(
    "node_id", ["_" * 80_000 + "x", "1" * 80_000 + "x", "1_" * 40_000 + "x", "x" + "1" * 80_000]
)
def test_classes_of_long_ids(node_id):
    assert default_class(node_id) == ("x" if node_id[0] == "x" else node_id)


OLD = re.compile(r"[\s_.\-]*\d+\Z")


@given(st.text("ab1٣_.- \n\x1c²", max_size=12) | st.text(max_size=6))
@example("desk3")
@example("_1")
@example("a1_2")
@example("a_1\n")
def test_the_class_is_the_id_without_its_number(node_id):
    assert default_class(node_id) == (OLD.sub("", node_id) or node_id)


@pytest.fixture(params=["a pipe", "a socket", "a device"])
def odd_file(request, tmp_path):
    """A file that is no regular one, and what it is called."""
    path = tmp_path / "scene.json"
    if request.param == "a pipe":
        os.mkfifo(path)
    elif request.param == "a socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path)[-100:] if len(str(path)) < 100 else os.path.relpath(path))
    else:
        path.symlink_to("/dev/zero")
    return path, request.param


@pytest.mark.parametrize(
    "reader",
    [
        lambda p: registry.read(p),
        lambda p: registry.read(p, "groundplan"),
        lambda p: open_scene(str(p)),
        load_json,
        read_records,
        lambda p: prepared_files("bddl", p),
        lambda p: prepared_files("grasif", p),
        bddl_task,
        lambda p: read_text(str(p)),
    ],
)
def test_only_regular_files_are_read(odd_file, reader):
    path, kind = odd_file
    with pytest.raises(InputError, match=f"expected a regular file, got {kind}"):
        reader(path)


def test_pipes_in_folders(tmp_path):
    os.mkfifo(tmp_path / "house.npz")
    (tmp_path / "task.txt").write_text("Tidy up.")
    with pytest.raises(SceneError, match="got a pipe"):
        registry.read(tmp_path)
    (tmp_path / "house.npz").unlink()
    os.mkfifo(tmp_path / "house.json")
    with pytest.raises(SceneError, match=r"a \.json file that is a scene"):
        registry.read(tmp_path)


def test_a_name_that_becomes_a_pipe(tmp_path, monkeypatch):
    path = tmp_path / "scene.json"
    os.mkfifo(path)
    regular = os.stat(__file__)
    with monkeypatch.context() as patch:
        patch.setattr("groundplan.domains.files.os.stat", lambda name: regular)
        with pytest.raises(InputError, match="got a pipe"):
            read_regular(path, 10)


def test_text_that_the_shell_pipes():
    end, start = os.pipe()
    os.write(start, b"(closed fridge)")
    os.close(start)
    assert read_text(f"/dev/fd/{end}") == "(closed fridge)"
    os.close(end)


SIZES = (1 << 62, 1 << 40, 1 << 31, 100)


@pytest.mark.parametrize("opcode", [b"\x8d", b"\x8e", b"\x96"])
@pytest.mark.parametrize("size", SIZES)
def test_pickles_that_state_lengths_they_lack(tmp_path, opcode, size):
    path = tmp_path / "u.pkl"
    path.write_bytes(b"\x80\x04]" + opcode + struct.pack("<Q", size) + b"a.")
    with pytest.raises(InputError, match="a whole pickle"):
        prepared_files("grasif", path)


@pytest.mark.parametrize("opcode", [b"B", b"X", b"T", b"\x8b"])
def test_pickles_that_state_shorter_lengths_they_lack(tmp_path, opcode):
    path = tmp_path / "u.pkl"
    path.write_bytes(b"\x80\x04]" + opcode + struct.pack("<I", (1 << 31) - 1) + b"a.")
    tracemalloc.start()
    with pytest.raises(InputError, match="a whole pickle"):
        prepared_files("grasif", path)
    assert tracemalloc.get_traced_memory()[1] < 100 << 20
    tracemalloc.stop()


def test_long_text_in_a_pickle_is_read_whole():
    data = pickle.dumps(["x" * 3_000_000, "end"])
    assert decoded(data, "here") == ["x" * 3_000_000, "end"]


def robothow(top):
    """A folder with one program's graphs and an empty folder of programs."""
    for name in ("init_and_final_graphs", "executable_programs"):
        (top / name / "scene" / "run").mkdir(parents=True)
    (top / "init_and_final_graphs/scene/run/file1.json").write_text("{}")
    return top, top / "executable_programs/scene/run"


def test_programs_outside_of_the_folder(tmp_path):
    top, programs = robothow(tmp_path / "robothow")
    secret = tmp_path / "secret.txt"
    secret.write_text("Secret title\n")
    (programs / "file1.txt").symlink_to(secret)
    assert choose(top, load_pack())[1] == {"no program": 1}
    (programs / "file1.txt").unlink()
    (programs.parent / "other").mkdir()
    (programs.parent / "other/file1.txt").symlink_to(secret)
    assert choose(top, load_pack())[1] == {"no program": 1}
    (programs.parent / "other/file1.txt").unlink()
    os.mkfifo(programs / "file1.txt")
    assert choose(top, load_pack())[1] == {"no program": 1}
    (programs / "file1.txt").unlink()
    (programs / "file1.txt").write_text("Title\n")
    assert choose(top, load_pack())[1] == {"graphs": 1}


def test_a_file_that_cannot_be_read_is_inflated_once(tmp_path, monkeypatch):
    monkeypatch.setattr(content, "MAX_TEXT", 1000)
    path = tmp_path / "scene.json.gz"
    path.write_bytes(gzip.compress(b" " * 10_000))
    opened = []
    monkeypatch.setattr(content, "read_bytes", lambda p, n, e: opened.append(p) or read_bytes(p, n, e))
    with pytest.raises(SceneError, match="at most 1000 bytes"):
        registry.detect(Content(path))
    assert opened == [path]


@pytest.mark.parametrize("start", ["", '{"rooms": [{"polygon": []}], "x": '])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_needs_much_memory_is_refused_before_it_is_decoded(tmp_path, monkeypatch, start, packed):
    monkeypatch.setattr(scene_json, "MAX_MEMORY", 10_000_000)
    text = f"{start}[{'[],' * 200_000}[]]{'}' * bool(start)}\n".encode() * (1 + bool(start))
    path = tmp_path / "houses.json"
    path.write_bytes(gzip.compress(text) if packed else text)
    tracemalloc.start()
    with pytest.raises(SceneError, match=r"houses\.json: expected JSON that needs at most 10 MB of"):
        registry.read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12 * len(text)


def boxes(count):
    """Boxes in a room, each inside of all earlier ones."""
    kinds = [{"id": n, "class_name": "box", "properties": ["CONTAINERS"]} for n in range(1, count + 1)]
    room = {"id": 0, "class_name": "hall", "category": "Rooms"}
    edges = [
        {"from_id": n, "relation_type": "INSIDE", "to_id": m} for n in range(1, count + 1) for m in range(n)
    ]
    return {"nodes": [room, *kinds], "edges": edges}


def test_boxes_in_boxes():
    scene = read_graph(boxes(60), "here")
    assert [scene.nodes[f"box{n}"].parent for n in (1, 2, 60)] == ["hall0", "box1", "box59"]
    with pytest.raises(SceneError, match="ON or INSIDE at most 100 others"):
        read_graph(boxes(400), "here")


def test_files_are_read_up_to_a_bound(tmp_path):
    path = tmp_path / "text"
    for size in (0, 4, 5, 6, 100):
        path.write_bytes(b"x" * size)
        assert read_regular(path, 5) == b"x" * min(size, 6)
    if os.path.exists("/proc/self/status"):  # its size is said to be 0
        assert read_regular(Path("/proc/self/status"), 1 << 20).startswith(b"Name:")
        assert len(read_regular(Path("/proc/self/status"), 10)) == 11


@pytest.mark.parametrize(
    "text", ["a(" + " " * 100_000 + "x", "a" * 100_000, "a(" + "x " * 50_000 + ")", "a" + " " * 100_000]
)
def test_long_lines_of_a_plan(text):
    with pytest.raises(InputError):
        read_step(text, "plan")


def test_a_step_of_many_arguments():
    assert len(read_step(f"a({'x,' * 100_000})", "plan").args) == 100_000


STEP = re.compile(r"\s*([A-Za-z_][\w-]*)\s*\(\s*(.*?)\s*\)\s*,?\s*\Z", re.S)


@given(
    st.text('ab1(), \n"\\-', max_size=12),
    st.sampled_from(["", "a(", "a (b"]),
    st.sampled_from(["", ")", ") ,"]),
)
def test_steps_are_lines_of_a_name_and_brackets(middle, before, after):
    text = before + middle + after
    shape = STEP.match(text)
    try:
        step = read_step(text, "plan")
    except InputError as error:
        assert (shape is None) == (error.expected == "a step such as pickup(apple3)")
    else:
        assert shape is not None and step.name == shape.group(1)
        assert bool(step.args) == bool(shape.group(2))
