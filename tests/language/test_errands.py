"""Orders of many errands: what a model without error needs is shown, however long the order."""

from __future__ import annotations

from functools import cache

import pytest
from errands import CarefulModel, order_of

from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.datasets.scenes import load_scene
from groundplan.domains.formula import conjuncts
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.engines.result import NOT_PLANNED
from groundplan.language.chat.listing import MOST_NAMED, MOST_TOKENS
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.meter import count_tokens
from groundplan.pipeline.hybrid import Request, run
from groundplan.simulator.belief import Belief, ground

PACK = load_pack()
MOST_CALLS = 2.5


@cache
def belief(name: str) -> Belief:
    scene = load_scene(name) if name != "building" else furnished_building(Sizes.of_nodes(1000), 0)
    return ground(scene, PACK)


@pytest.fixture(autouse=True)
def without_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is opened does not depend on what is installed."""
    monkeypatch.setattr("groundplan.language.english.embedding.installed", lambda: False)


def without_planning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundplan.pipeline.settling.plan_goal", lambda *goal, **normal: NOT_PLANNED)
    monkeypatch.setattr("groundplan.pipeline.hybrid.REPAIRED", frozenset(("goal-error", "search-exhausted")))


@pytest.mark.parametrize("scene", ["office", "building"])
@pytest.mark.parametrize("protocol", ["words", "naming"])
@pytest.mark.parametrize("by_room", [False, True])
@pytest.mark.parametrize("errands", [1, 8, 16, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 12))])
def test_the_goal_of_every_order_is_written(
    errands: int, by_room: bool, protocol: str, scene: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Goals are not planned for here: what a run needs of its reader is the same without."""
    without_planning(monkeypatch)
    calls = 0
    for seed in range(8):
        order = order_of(belief(scene), errands, seed, by_room)
        model = CarefulModel(belief(scene), order)
        reader = ModelReader(model, PACK, search_protocol=protocol)
        record = run(Request(belief(scene), order.text), Engine.named("pyperplan"), reader)
        last = record.goals[-1].goal
        assert isinstance(last, Goal), (seed, record.reasons)
        assert {*conjuncts(last.formula)} == {*conjuncts(parse_goal(order.goal).formula)}, seed
        calls += len(model.history)
    assert calls <= 8 * MOST_CALLS


@pytest.mark.parametrize("errands", [4, pytest.param(16, marks=pytest.mark.slow)])
def test_an_order_is_planned_for_and_verified(errands: int) -> None:
    order = order_of(belief("office"), errands, 0)
    model = CarefulModel(belief("office"), order)
    reader = ModelReader(model, PACK)
    record = run(Request(belief("office"), order.text), Engine.named("pyperplan"), reader, Budget(300))
    assert record.outcome == "verified" and len(model.history) <= MOST_CALLS, record.reasons


def test_a_prompt_grows_with_the_task_and_not_with_the_building(monkeypatch) -> None:
    """What a task names is in the prompt beyond the usual tokens, and bounded."""
    without_planning(monkeypatch)
    lengths = []
    for errands in (1, 16, 60):
        order = order_of(belief("building"), errands, 0)
        model = CarefulModel(belief("building"), order)
        reader = ModelReader(model, PACK)
        run(Request(belief("building"), order.text), Engine.named("pyperplan"), reader)
        goal = next(r for r in model.history if r.purpose == "goal")
        lengths.append(count_tokens(goal.messages[-1].content.partition("\ntask: ")[0]))
    assert lengths[0] < lengths[1] < lengths[2] < MOST_TOKENS + 20 * MOST_NAMED
