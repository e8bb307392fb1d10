"""The synthetic reader: the gold answer at rate 0, an error of each kind at rate 1, no model in reports."""

from __future__ import annotations

from functools import cache

import pytest
from draws import draws
from hypothesis import given, settings
from hypothesis import strategies as st
from report_rows import results, row

from groundplan import find_task, load_pack
from groundplan.compiler.goals.goal import Goal
from groundplan.datasets.library import load_set
from groundplan.domains.errors import InputError
from groundplan.domains.formula import conjuncts, names
from groundplan.evaluation.gold_reader import GoldReader
from groundplan.evaluation.judging import JudgedTask
from groundplan.evaluation.plan_errors import wrong_nodes
from groundplan.evaluation.report import report_on
from groundplan.evaluation.synthetic_reader import KINDS, USUAL_RATE, SyntheticReader, read_rates
from groundplan.simulator.view import View

TASKS = [task.id for task in (*load_set("office-planning"), *load_set("office-search"))]


@cache
def case(task_id: str) -> JudgedTask:
    return JudgedTask.of(find_task(task_id), load_pack())


def first_view(held: JudgedTask) -> View:
    return View.first(held.belief.scene)


def written(reader: SyntheticReader) -> Goal:
    held = reader.case
    goal = reader.write("", reader.search("", first_view(held)).scene)
    assert isinstance(goal, Goal)
    return goal


@pytest.mark.parametrize("task_id", TASKS)
def test_at_rate_0_it_is_the_gold_reader(task_id: str) -> None:
    held = case(task_id)
    reader, gold = SyntheticReader(held, {}), GoldReader(held)
    ours, theirs = reader.search("", first_view(held)), gold.search("", first_view(held))
    assert (ours.outcome, ours.view, ours.trace) == (theirs.outcome, theirs.view, theirs.trace)
    assert set(theirs.subgraph) <= set(ours.subgraph)
    if held.is_search:
        assert ours.subgraph == theirs.subgraph
    else:
        assert str(written(SyntheticReader(held, {}))) == str(held.gold)
    assert reader.injected == []


@draws(60, deadline=None)
@given(st.sampled_from(TASKS), st.integers(0, 10**6))
def test_at_rate_1_each_kind_is_put_in(task_id: str, seed: int) -> None:
    held = case(task_id)
    scene = held.belief.scene
    right = GoldReader(held).search("", first_view(held))
    opened = SyntheticReader(held, {"incomplete_search": 1}, seed).search("", first_view(held))
    needed = [step.node for step in right.trace]
    assert len(opened.trace) == max(0, len(needed) - 1)
    if held.is_search:
        for rates in ({"missing_action": 1}, {"wrong_action": 1}):
            chosen = SyntheticReader(held, rates, seed).search("", first_view(held)).subgraph
            assert not set(chosen) & set(right.subgraph)
        return
    gold = held.gold.formula
    less = written(SyntheticReader(held, {"missing_action": 1}, seed))
    assert set(conjuncts(less.formula)) < set(conjuncts(gold)) or less.source.startswith("(robot_at")
    other = written(SyntheticReader(held, {"wrong_action": 1}, seed))
    assert len(wrong_nodes(names(other.formula), held.needed, held.belief)) == 1
    made_up = written(SyntheticReader(held, {"hallucinated_nodes": 1}, seed))
    assert [n for n in dict.fromkeys(names(made_up.formula)) if n not in scene.nodes]


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_the_same_seed_gives_the_same_answers_and_each_answer_its_own_errors(seed: int) -> None:
    held = case("office-planning-long-12")
    rates = dict.fromkeys(KINDS, 0.5)
    one, two = SyntheticReader(held, rates, seed), SyntheticReader(held, rates, seed)
    scene = held.belief.scene
    assert [str(one.write("", scene)) for _ in range(4)] == [str(two.write("", scene)) for _ in range(4)]
    assert one.injected == two.injected


def test_errors_come_at_their_rates() -> None:
    held = case("office-planning-simple-02")
    reader = SyntheticReader(held, {"hallucinated_nodes": 0.3}, seed=4)
    goals = [str(reader.write("", held.belief.scene)) for _ in range(500)]
    assert 0.25 < sum(goal != str(held.gold) for goal in goals) / 500 < 0.35


def test_rates_are_read_strictly() -> None:
    assert read_rates("") == dict.fromkeys(KINDS, USUAL_RATE)
    assert read_rates("wrong_action=0.25, missing_action=1") == {"wrong_action": 0.25, "missing_action": 1}
    for text, words in (
        ("wrong_acton=1", "wrong_action"),
        ("wrong_action", "KIND=RATE"),
        ("wrong_action=1,wrong_action=1", "twice"),
        ("missing_pose=0.1", "no poses"),
        ("wrong_action=1,", "KIND=RATE"),
        *(
            (f"wrong_action={bad}", "from 0 to 1")
            for bad in ("nan", "-0.1", "1.1", "inf", "", "1_0", "x", "²")
        ),
    ):
        with pytest.raises(InputError, match=words):
            read_rates(text)


def test_results_are_marked_in_every_table_and_compared_with_nothing() -> None:
    made = [
        row(m, i, set="office-planning-simple") for m in ("hybrid-naming", "full-scene") for i in range(4)
    ]
    family = [["hybrid-naming", "full-scene"]]
    real = report_on(results(*made, family=family))
    synthetic = report_on(results(*made, family=family, reader="synthetic:wrong_action=0.5"))
    assert any(table.foreign for table in real.tables) and len(synthetic.tables) < len(real.tables)
    assert synthetic.tables and all(t.title.endswith("(reader synthetic)") for t in synthetic.tables)
    titles = " ".join(table.title for table in synthetic.tables)
    assert "Paired" not in titles and "Power" not in titles and "Published" not in titles
    found = {"success": True, "opened": 1, "needed": 1, "rooms": 37}
    searches = row("hybrid", 1, kind="search", set="office-search-simple", measures=found)
    explored = report_on(results(searches, reader="synthetic")).tables
    assert not any("published" in column for table in explored for column in table.columns)
    assert all(chart.title.endswith("(reader synthetic)") for chart in synthetic.charts)
    assert any("no model" in note for note in synthetic.notes)
    assert {line[synthetic.flat.columns.index("reader")] for line in synthetic.flat.rows} == {
        "synthetic:wrong_action=0.5"
    }
