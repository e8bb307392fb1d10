"""Our own planning tasks, on ProcTHOR houses and generated buildings: golds, paraphrases, sealed sets."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import pytest
from make_houses import HOUSES, house_text

from groundplan import Budget, Engine, check, ground, load_pack, load_scene, parse_goal, plan_goal
from groundplan.compiler.comparison import entails
from groundplan.datasets import library
from groundplan.datasets.library import SEALED, find_task, load_set
from groundplan.datasets.scenes import open_scene
from groundplan.datasets.task import Task, original_id
from groundplan.domains.errors import InputError
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import And
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.simulator.belief import Belief
from groundplan.simulator.world import World

FOLDER = Path(library.__file__).parent
SHARED = Path(__file__).parents[3] / "shared" / "data" / "procthor"
OPEN = load_set("household-planning")
ALL = (*OPEN, *(task for name in SEALED for task in load_set(name, sealed=True)))
REWORDED = (*load_set("sayplan"), *ALL)


@cache
def belief(scene: str) -> Belief:
    return ground(load_scene(scene), load_pack())


def test_there_are_as_many_tasks_as_the_comparison_asks_for() -> None:
    assert len(OPEN) == 86
    assert [t.id for t in load_set("house-planning")] == [f"house-planning-{n:02}" for n in range(1, 51)]
    assert [t.id for t in load_set("building-planning")] == [
        f"building-planning-{n:02}" for n in range(1, 37)
    ]
    assert [len(load_set(name, sealed=True)) for name in SEALED] == [42]
    assert len({(t.scene, t.gold.goal) for t in ALL}) == len(ALL)
    for form in ("sometime", "forall", "exists", "(not (exists", "exactly", "at-least", "(or ", "(and "):
        assert sum(form in t.gold.goal for t in ALL) >= 1, form
    for predicate in (
        "hot",
        "cold",
        "clean",
        "filled",
        "open",
        "closed",
        "turned_on",
        "turned_off",
        "in_room",
    ):
        assert sum(f"({predicate} " in t.gold.goal for t in ALL) >= 1, predicate


@pytest.mark.parametrize("task", [t for t in ALL if t.gold.requested], ids=lambda t: t.id)
def test_what_a_gold_adds_to_the_request_is_as_found(task: Task) -> None:
    """A machine that runs already is nobody's errand unless the sentence says so."""
    gold, requested = (parse_goal(text).formula for text in (task.gold.goal, task.gold.requested))
    asked = requested.parts if isinstance(requested, And) else (requested,)
    assert isinstance(gold, And) and set(asked) < set(gold.parts)
    for added in set(gold.parts) - set(asked):
        assert evaluate(added, World(belief(task.scene))), str(added)


@pytest.mark.parametrize("task", ALL, ids=lambda t: t.id)
def test_each_gold_is_a_goal_without_a_finding(task: Task) -> None:
    for text in filter(None, (task.gold.goal, task.gold.requested)):
        goal = parse_goal(text)
        assert str(goal) == text
        report = check(goal, belief(task.scene))
        assert report.ok and not report.diagnostics, "an error, or a goal that is true at the start"


@pytest.mark.slow
@pytest.mark.parametrize("task", ALL, ids=lambda t: t.id)
def test_each_gold_has_a_verified_plan_that_does_something(task: Task) -> None:
    for text in filter(None, (task.gold.goal, task.gold.requested)):
        planned = plan_goal(
            parse_goal(text), belief(task.scene), Engine.named("pyperplan"), Budget(seconds=60)
        )
        assert planned.verified and planned.steps


def test_each_task_is_said_in_four_ways_that_differ() -> None:
    texts = [text for task in REWORDED for text in (task.instruction, *task.paraphrases)]
    assert len(REWORDED) == 90 + len(ALL) and len(texts) == 4 * len(REWORDED)
    assert all(text.strip() == text for text in texts)
    assert all(text[-1] in ".?!" for task in REWORDED for text in task.paraphrases)
    for task in REWORDED:
        ways = {" ".join(sorted(set(text.lower().strip(".?!").split()))) for text in _ways(task)}
        assert len(ways) == 4, task.id


def _ways(task: Task) -> tuple[str, ...]:
    return (task.instruction, *task.paraphrases)


def test_no_two_tasks_on_a_scene_are_asked_for_alike() -> None:
    asks = [(t.scene, way) for t in ALL for way in _ways(t)]
    assert len(set(asks)) == len(asks)


def test_instructions_name_things_as_people_do() -> None:
    """An id such as ``cd2`` occurs in no instruction; rooms are numbered in words, ``office 2``."""
    for task in ALL:
        ids = {n for n in belief(task.scene).scene.nodes if n[-1].isdigit()}
        for way in _ways(task):
            assert not ids & set(way.lower().replace(",", " ").replace(".", " ").split()), way


def test_a_paraphrase_is_the_task_in_other_words() -> None:
    task = find_task("house-planning-03")
    (one, *_) = task.reworded
    assert find_task("house-planning-03~1") == one
    assert (one.gold, one.scene, one.set) == (task.gold, task.scene, task.set)
    assert one.instruction == task.paraphrases[0] and original_id(one.id) == task.id
    assert len(load_set("sayplan-paraphrased")) == 360
    ids = [t.id for t in load_set("house-planning-paraphrased")]
    assert ids[:5] == [
        "house-planning-01",
        *(f"house-planning-01~{n}" for n in (1, 2, 3)),
        "house-planning-02",
    ]
    for wrong in ("house-planning-03~4", "house-planning-03~0", "house-planning-03~", "house-planning-99~1"):
        with pytest.raises(InputError, match="id of a task"):
            find_task(wrong)
    with pytest.raises(InputError, match="name of a set"):
        load_set("nothing-paraphrased")


def test_a_sample_draws_tasks_with_all_their_paraphrases() -> None:
    few = chosen_tasks("house-planning-paraphrased", 3, seed=5)
    assert len(few) == 12 and len({original_id(t.id) for t in few}) == 3
    plain = chosen_tasks("house-planning", 3, seed=5)
    assert [t.id for t in plain] == list(dict.fromkeys(original_id(t.id) for t in few))


def test_a_sealed_set_is_read_only_where_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    raw = {"set": "sealed-try", "tasks": []}
    data = json.dumps(raw).encode()
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "sealed-try.json").write_bytes(data)
    monkeypatch.setattr(library, "files", lambda package: tmp_path)
    monkeypatch.setattr(library, "SEALED", {"sealed-try": hashlib.sha256(data).hexdigest()})
    library._shipped.cache_clear()
    assert load_set("sealed-try", sealed=True) == ()
    for name in ("sealed-try", "sealed-try-paraphrased"):
        with pytest.raises(InputError, match="not sealed"):
            load_set(name)
    with pytest.raises(InputError, match="not sealed"):
        find_task("sealed-try-01")
    with pytest.raises(InputError, match="not sealed"):
        chosen_tasks("sealed-try")
    library._shipped.cache_clear()
    (tmp_path / "tasks" / "sealed-try.json").write_bytes(data + b" ")
    with pytest.raises(InputError, match="the sealed file"):
        load_set("sealed-try", sealed=True)
    library._shipped.cache_clear()


def test_a_building_is_a_scene_by_its_name() -> None:
    building = open_scene("building-1-6-24-50-0-3")
    assert building.name == "building-1-6-24-50-0-3" and building is load_scene(building.name)
    assert len(building.by_type["room"]) == 6 and len(building.by_type["object"]) == 50
    for wrong in ("building-1-6-24-50-0", "building-01-6-24-50-0-3", "building-1-6-24-5000-0-3"):
        with pytest.raises(InputError, match="scene"):
            open_scene(wrong)
    with pytest.raises(InputError, match="sizes of a building"):
        load_scene("building-9-2-24-50-0-3")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the houses are not beside the project")
@pytest.mark.parametrize("name", HOUSES)
def test_the_houses_are_those_of_procthor_with_other_ids(name: str) -> None:
    assert (FOLDER / "scenes" / f"{name}.json").read_text(encoding="utf-8") == house_text(SHARED, name)


def test_the_licence_of_the_houses_is_beside_them() -> None:
    assert "Apache License" in (FOLDER / "scenes" / "LICENSE-ProcTHOR").read_text(encoding="utf-8")


SEALED_GOALS = Path(__file__).parent / "sealed_goals.tsv"


def test_the_sealed_goals_are_those_whose_hash_was_published() -> None:
    text = (Path(__file__).parents[2] / "docs" / "datasets" / "household-tasks.md").read_text(
        encoding="utf-8"
    )
    assert hashlib.sha256(SEALED_GOALS.read_bytes()).hexdigest() in text


def test_the_sealed_tasks_have_the_goals_that_were_published_first() -> None:
    """Three of them name one of several things that nobody can tell apart; any of these will do."""
    rows = [line.split("\t") for line in SEALED_GOALS.read_text(encoding="utf-8").splitlines()]
    tasks = load_set("household-sealed", sealed=True)
    loosened = []
    for number, (task, (scene, *goals)) in enumerate(zip(tasks, rows, strict=True), 1):
        assert task.scene == scene
        now = [task.gold.goal, *filter(None, [task.gold.requested])]
        if now != goals:
            loosened.append(number)
            for narrow, wide in zip(goals, now, strict=True):
                belief = ground(task.load(), load_pack())
                assert entails(parse_goal(narrow).formula, parse_goal(wide).formula, belief) is True
    assert loosened == [14, 29, 40]


@pytest.mark.slow
def test_every_sealed_goal_is_planned_for_and_is_not_so_already() -> None:
    rows = [line.split("\t") for line in SEALED_GOALS.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 42
    for scene, *goals in rows:
        there = ground(open_scene(scene), load_pack())
        for text in goals:
            result = plan_goal(parse_goal(text), there, Engine.named("pyperplan"))
            assert result.verified and result.plan, text
