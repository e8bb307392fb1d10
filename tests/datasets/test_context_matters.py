"""Context Matters task folders: what they hold, which of several is meant, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from groundplan.datasets.formats import context_matters
from groundplan.datasets.formats.registry import read
from groundplan.domains.errors import SceneError
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground

SAMPLE = Path(__file__).parent / "formats" / "context_matters"


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """A folder with three tasks, a domain file and a link to another task."""
    top = tmp_path / "data"
    for name in ("dining/Testville/problem_1", "dining/Testville/problem_2", "laundry/Testville/problem_1"):
        shutil.copytree(SAMPLE, top / name)
    (top / "dining" / "dining-domain.pddl").write_text("(define (domain dining))")
    (top / "dining" / "elsewhere").symlink_to(SAMPLE)
    return top


def test_a_task_is_a_scene_with_a_robot_and_words() -> None:
    scene, form = read(SAMPLE)
    assert form.name == "context-matters"
    ground(scene, load_pack())
    assert scene.agent.at == "home_office_3"
    assert scene.description == "task: set the table for one person; Nothing fancy, and no candles."
    assert scene.nodes["refrigerator_1"].description == "White refrigerator."
    assert scene.nodes["rubbish_bin_4"].type == "asset" and scene.nodes["fork_3"].type == "object"
    assert len(scene.links) == 3, "the robot of these tasks goes from any room to any other"


def test_the_numpy_file_is_preferred_since_it_has_positions(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    folder = shutil.copytree(SAMPLE, tmp_path / "problem_1")
    raw = json.loads((SAMPLE / "Testville.json").read_text(encoding="utf-8"))
    rooms = {
        int(k): {"id": int(k), "scene_category": r["category"], "location": numpy.array([3.0 * int(k), 0, 0])}
        for k, r in raw["rooms"].items()
    }
    fork = {
        "id": 7,
        "class_": "fork",
        "parent_room": 3,
        "location": numpy.zeros((3, 3)),
        "description": "A fork.",
    }
    numpy.savez(folder / "Testville.npz", output={"room": rooms, "object": {7: fork}})
    scene, _ = read(folder)
    assert scene.nodes["fork_7"].position is None and scene.nodes["fork_7"].description == "A fork."
    assert sorted(x.length for x in scene.links) == [3.0, 3.0, 6.0]


def test_a_graph_alone_is_a_scene() -> None:
    scene, form = read(SAMPLE / "Testville.json")
    assert form.name == "context-matters" and scene.agent.at == "kitchen_1"


@pytest.mark.parametrize("item", ["dining/Testville/problem_2", "problem_2", "/problem_2/"])
def test_an_item_is_the_end_of_a_path_below_the_folder(item: str, tasks: Path) -> None:
    assert read(tasks, item=item)[0].name == "Testville/problem_2"


@pytest.mark.parametrize(
    "item", ["", "problem_1", "problem_9", "../data/dining/Testville/problem_2", "lem_2"]
)
def test_an_item_that_means_none_or_several_is_an_error(item: str, tasks: Path) -> None:
    with pytest.raises(SceneError, match="a task folder, or --item"):
        read(tasks, item=item)


def test_links_are_not_followed(tasks: Path) -> None:
    shutil.rmtree(tasks / "dining" / "Testville")
    assert read(tasks)[0].name == "Testville/problem_1"
    (tasks / "laundry" / "up").symlink_to(tasks)
    assert read(tasks)[0].name == "Testville/problem_1"


HALL = '{"rooms": {"1": {"category": "hall"}}, "objects": %s}'


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("init_loc.txt", "bedroom_9", r"init_loc.txt: expected the label of a room"),
        ("init_loc.txt", "fork_3", r"init_loc.txt: expected the label of a room"),
        ("task.txt", "x" * 200_000, r"task.txt: expected at most 100000 characters"),
        ("Testville.json", "{", r"expected a .npz file, or a .json file"),
        ("Testville.json", HALL % "7", r"objects: expected an object"),
        ("Testville.json", HALL % '{"1": {"parent_room": 2}}', r"objects.1.parent_room: expected the number"),
        ("Testville.npz", "PK\x03\x04", r"zip file"),
    ],
)
def test_damage_is_an_error_with_the_file(file: str, text: str, message: str, tmp_path: Path) -> None:
    folder = shutil.copytree(SAMPLE, tmp_path / "problem_1")
    (folder / file).write_text(text, encoding="latin-1")
    with pytest.raises(SceneError, match=message):
        read(folder)


def test_a_folder_without_tasks_is_no_scene(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    with pytest.raises(
        SceneError,
        match=r"a folder that matches none of the folder formats \(context-matters, concept-graphs, hov-sg\)",
    ):
        read(tmp_path)
    with pytest.raises(SceneError, match="0 tasks"):
        read(tmp_path, "context-matters")


def test_the_number_of_linked_rooms_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_matters, "MAX_ROOMS", 2)
    with pytest.raises(SceneError, match="at most 2 rooms"):
        read(SAMPLE)


def test_the_start_is_the_room_of_that_label_whatever_rooms_are_called(tmp_path: Path) -> None:
    folder = tmp_path / "task"
    shutil.copytree(SAMPLE, folder)
    file = folder / "Testville.json"
    graph = json.loads(file.read_text())
    graph["rooms"]["3"]["label"] = "study upstairs"
    graph["rooms"]["2"]["label"] = "home office_3"
    file.write_text(json.dumps(graph))
    for label, room in (("study upstairs", "home_office_3"), ("home office_3", "dining_room_2")):
        (folder / "init_loc.txt").write_text(label)
        assert read(folder)[0].agent.at == room
