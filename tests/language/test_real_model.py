"""A real model behind a real HTTP server: llama.cpp with a GGUF file, asked over the office.

Validity is asserted, not correctness: the smallest model that there is in CI gets few goals right. Needs
``xllamacpp`` and the path of a model in ``GROUNDPLAN_GGUF``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from groundplan.commands import main
from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Goal, Missing
from groundplan.datasets.library import find_task
from groundplan.datasets.scenes import load_scene
from groundplan.domains.formula import names
from groundplan.domains.pack import load_pack
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.dialogue import UNOPENED
from groundplan.language.chat.servers.budget import Allowance
from groundplan.language.chat.servers.cassette import RecordingModel
from groundplan.language.chat.servers.local import LocalModel
from groundplan.language.reader import Unreadable
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Scene
from groundplan.simulator.scene_json import scene_text
from groundplan.simulator.view import View

WEIGHTS = os.environ.get("GROUNDPLAN_GGUF", "")

pytestmark = [
    pytest.mark.skipif(not WEIGHTS, reason="needs a model: GROUNDPLAN_GGUF=FILE"),
    pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="needs groundplan[local]"),
    pytest.mark.timeout(900),
]

SECONDS = 600.0
"""For one answer: a core that is shared reads some tens of tokens a second."""

TASKS = tuple(f"office-planning-simple-{n}" for n in ("02", "08", "12", "13", "14"))
"""Office tasks that are all about the kitchen, so that the model reads one room instead of 37."""

WRONG = {"syntax", "unknown-node", "unknown-predicate", "unknown-class", "unbound-variable", "arity", "type"}


def kitchen(scene: Scene, *more: str) -> Scene:
    """The kitchen of an office with all that is in it, and the robot in its door."""
    rooms = ("kitchen", *more)
    inside = [n for n in scene.nodes if n in rooms or set(scene.ancestors(n)) & set(rooms)]
    nodes = {n: scene.nodes[n] for n in inside if scene.nodes[n].type != "agent"}
    agent = scene.by_type["agent"][0]
    nodes[agent] = replace(scene.nodes[agent], parent="kitchen", relation="in", at=None)
    links = tuple(x for x in scene.links if x.a in nodes and x.b in nodes)
    return Scene("kitchen", nodes, links)


@pytest.fixture(scope="module")
def model() -> Iterator[LocalModel]:
    with closing(LocalModel.serve(Path(WEIGHTS), Allowance(seconds=3600.0), {"timeout": SECONDS})) as served:
        yield served


def valid(goal: object, scene: Scene) -> None:
    """A goal that can be read and names only what there is, or a plain word that something is missing."""
    assert isinstance(goal, Goal | Missing), goal
    if isinstance(goal, Goal):
        assert set(names(goal.formula)) <= set(scene.nodes)
        found = check(goal, ground(scene, load_pack())).diagnostics
        assert not {d.code for d in found} & WRONG, [str(d) for d in found]


@pytest.mark.parametrize("names", [TASKS[:1], pytest.param(TASKS[1:], marks=pytest.mark.slow)])
def test_every_goal_under_the_grammar_is_valid(model: LocalModel, names: tuple[str, ...]) -> None:
    reader = ModelReader(model, load_pack(), search_protocol="dialogue")
    for name in names:
        task = find_task(name)
        scene = kitchen(task.load())
        valid(reader.write(task.instruction, scene), scene)
    assert reader.meter.as_json()["forms"] == {"gbnf": len(names)}


@pytest.mark.slow
def test_a_whole_answer_under_the_schema_is_valid(model: LocalModel, tmp_path: Path) -> None:
    """The schema cannot bound how many parts a goal has, so a model that goes on and on is cut off."""
    pinned = LocalModel(replace(model.profile, form="json-schema"), Allowance(seconds=3600.0))
    reader = ModelReader(
        RecordingModel(pinned, cassette := tmp_path / "c.jsonl"), load_pack(), search_protocol="dialogue"
    )
    task = find_task(TASKS[0])
    scene = kitchen(task.load())
    goal = reader.write(task.instruction, scene)
    reply = json.loads(cassette.read_text())["reply"]
    assert reply["form"] == "json-schema"
    if reply["finish"] == "length":
        assert isinstance(goal, Unreadable) and "expected a goal" in goal.feedback
    else:
        valid(goal, scene)
    pinned.close()


def test_every_step_of_a_search_is_a_move(model: LocalModel) -> None:
    scene = kitchen(load_scene("office"))
    found = ModelReader(model, load_pack(), search_protocol="dialogue").search(
        "Put the orange into the fridge.", View.collapsed(scene)
    )
    assert found.trace
    turned_down = [step.thought for step in found.trace if step.command == "rejected"]
    assert turned_down in ([], [UNOPENED])


@pytest.mark.slow
def test_a_run_over_the_command_line_plays_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kitchen.json").write_text(scene_text(kitchen(load_scene("office"))))
    asked = ["plan", "Put the orange into the fridge.", "--scene", str(tmp_path / "kitchen.json"), "--json"]
    cassette = str(tmp_path / "cassette.jsonl")
    live = ["--reader", f"local:{WEIGHTS}", "--record", cassette, "--answer-timeout", str(SECONDS)]
    code = main([*asked, *live, "--max-seconds", "3600"])
    told = json.loads(capsys.readouterr().out)
    assert told["outcome"] not in ("service-failed", "cancelled"), told["reasons"]
    assert told["usage"]["calls"] == len(Path(cassette).read_text().splitlines())

    def refuse(*arguments: object, **more: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert main([*asked, "--reader", f"recorded:{cassette}"]) == code
    assert json.loads(capsys.readouterr().out) | {"timings": 0} == told | {"timings": 0}
