"""What our own code costs beside a model, on the office: at most 10 ms a call over the office tasks.

The model answers at once, but asks for the constraint in one form, as the client does. The whole of a search
step or of a goal's round is measured: prompt, constraint, reading the answer. The constraint of a goal is
made once for a subgraph: repairs use it again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from model_server import move

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import load_scene
from groundplan.domains.formula import names
from groundplan.domains.pack import load_pack
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.protocols import DEFAULT
from groundplan.language.chat.servers.model import ChatRequest
from groundplan.language.chat.servers.profile import GoalForm
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.reader import Attempt, History
from groundplan.simulator.scene import Scene
from groundplan.simulator.view import View

OFFICE, PACK = load_scene("office"), load_pack()
ROOMS = ("kitchen", "cafeteria", "lobby")
GOAL = "(inside_of orange1 fridge)"
SENTENCE = "Put orange1 into fridge."
INSTRUCTION = "Put the orange on the kitchen bench into the fridge."


ANSWERS = {
    "naming": '{"things": ["ripe banana", "clean plate", "fridge", "bin"], "rooms": ["kitchen"]}',
    "query": "(find (?x - banana) (ripe ?x))\n(find (?x - plate) (clean ?x))\n(find (?x - fridge))\n"
    "(find (?x - office) (not (exists (?y - cabinet) (in_room ?y ?x))) :nearest-to lobby :limit 2)",
}


def reader(
    answer: str | Callable[[], str], form: str, protocol: str = DEFAULT, goal_form: GoalForm = "pddl"
) -> ModelReader:
    def answered(request: ChatRequest) -> str:
        assert request.constraint is not None and getattr(request.constraint, form)
        return answer if isinstance(answer, str) else answer()

    return ModelReader(ScriptedModel.always(answered), PACK, search_protocol=protocol, goal_form=goal_form)


def opened(rooms: tuple[str, ...]) -> View:
    view = View.collapsed(OFFICE)
    for room in rooms:
        view = view.expand(room)
    return view


@pytest.mark.parametrize("form", ["schema", "lark", "gbnf"])
@pytest.mark.parametrize("rooms", [(), ROOMS, OFFICE.by_type["room"]], ids=["collapsed", "3 rooms", "whole"])
def test_search_step(rooms: tuple[str, ...], form: str, benchmark: Any) -> None:
    view, asking = opened(rooms), reader(move("terminate"), form)
    found = benchmark(lambda: asking.search(INSTRUCTION, view))
    assert found.outcome == "found"


@pytest.mark.parametrize("form", ["schema", "lark", "gbnf"])
@pytest.mark.parametrize("protocol", ANSWERS)
def test_search_in_one_request(
    protocol: str, form: str, benchmark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Searches of all office tasks by a reader that knows the scene, but none of the instructions.

    Without sentence embeddings: that of an instruction takes another 8 ms. ``extra_info`` has processor times
    in milliseconds, of the mean search and of the longest one, least of five rounds.
    """
    monkeypatch.setattr("groundplan.language.english.embedding.installed", lambda: False)
    tasks = [t for name in ("office-planning", "office-search") for t in load_set(name)]
    rounds: list[list[float]] = []

    def fresh() -> tuple[tuple[ModelReader], dict[str, object]]:
        asking = reader(ANSWERS[protocol], form, protocol)
        asking.search("Warm up.", View.first(OFFICE))
        return (asking,), {}

    def searches(asking: ModelReader) -> None:
        taken = []
        for task in tasks:
            started = time.process_time()
            assert asking.search(task.instruction, View.first(OFFICE)).outcome == "found"
            taken.append(time.process_time() - started)
        rounds.append(taken)

    benchmark.pedantic(searches, setup=fresh, rounds=5)
    benchmark.extra_info["mean"] = round(1000 * min(map(sum, rounds)) / len(tasks), 1)
    benchmark.extra_info["longest"] = round(1000 * min(map(max, rounds)), 1)


@pytest.mark.parametrize("form", ["schema", "lark", "gbnf"])
@pytest.mark.parametrize("rooms", [ROOMS, OFFICE.by_type["room"]], ids=["3 rooms", "whole"])
def test_first_goal(rooms: tuple[str, ...], form: str, benchmark: Any) -> None:
    scene = opened(rooms).subgraph()

    def fresh() -> tuple[tuple[ModelReader, Scene], dict[str, object]]:
        return (reader(GOAL, form), scene), {}

    def write(asking: ModelReader, subgraph: Scene) -> object:
        return asking.write(INSTRUCTION, subgraph)

    assert str(benchmark.pedantic(write, setup=fresh, rounds=50, warmup_rounds=2)) == GOAL


@pytest.mark.parametrize("form", ["schema", "lark", "gbnf"])
@pytest.mark.parametrize("rooms", [ROOMS, OFFICE.by_type["room"]], ids=["3 rooms", "whole"])
def test_first_goal_in_sentences(rooms: tuple[str, ...], form: str, benchmark: Any) -> None:
    scene = opened(rooms).subgraph()

    def fresh() -> tuple[tuple[ModelReader, Scene], dict[str, object]]:
        return (reader(SENTENCE, form, goal_form="sentences"), scene), {}

    def write(asking: ModelReader, subgraph: Scene) -> object:
        return asking.write(INSTRUCTION, subgraph)

    assert str(benchmark.pedantic(write, setup=fresh, rounds=50, warmup_rounds=2)) == GOAL


@pytest.mark.parametrize("form", ["schema", "lark", "gbnf"])
def test_the_office_tasks(form: str, benchmark: Any) -> None:
    """Searches and goals of all planning tasks; each opens the rooms that its gold goal is about."""
    script = []
    for task in load_set("office-planning"):
        named = [a for a in names(parse_goal(task.gold.goal).formula) if a in OFFICE.nodes]
        rooms = dict.fromkeys(OFFICE.room_of(a) or a for a in named) or ["kitchen"]
        script.append((task, [move("expand", r) for r in rooms]))

    def runs() -> int:
        for task, moves in script:
            answers = iter([*moves, move("terminate"), task.gold.goal])
            asking = reader(lambda answers=answers: next(answers), form, "dialogue")
            found = asking.search(task.instruction, View.first(OFFICE))
            assert str(asking.write(task.instruction, found.scene)) == str(parse_goal(task.gold.goal))
        return sum(len(moves) + 2 for _, moves in script)

    calls = benchmark.pedantic(runs, rounds=5)
    assert calls == 112, "docs/benchmarks.md divides by it"


@pytest.mark.parametrize("said", ["pddl", "sentences"])
@pytest.mark.parametrize("rooms", [ROOMS, OFFICE.by_type["room"]], ids=["3 rooms", "whole"])
def test_repair(rooms: tuple[str, ...], said: GoalForm, benchmark: Any) -> None:
    answer = GOAL if said == "pddl" else SENTENCE
    view, asking = opened(rooms), reader(answer, "gbnf", goal_form=said)
    asking.write(INSTRUCTION, view.subgraph())
    tried = Attempt(parse_goal("(closed unicorn)"), ("unknown name",))

    def repair() -> object:
        history = History(INSTRUCTION, view.subgraph(), (tried,))
        return asking.repair(history, ("unknown name",))

    assert str(benchmark(repair)) == GOAL
