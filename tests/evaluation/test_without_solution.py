"""Tasks without a solution: their golds, their judgement, their table, and the budgets of what they cost."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from groundplan.datasets.library import load_set
from groundplan.datasets.own_tasks import read_own_tasks
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.evaluation.bench import Account, Comparison, CountedModel, load_results, run_comparison
from groundplan.evaluation.bench.comparison import Cell
from groundplan.evaluation.bench.shared import SharedSearch
from groundplan.evaluation.judging import JudgedTask, judge_run
from groundplan.evaluation.report import report_on
from groundplan.language.chat.servers.model import (
    ChatRequest,
    Constraint,
    Message,
    Reply,
    ServiceError,
    Usage,
)
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.methods import METHODS, Limits, Tools
from groundplan.pipeline.record import PlanAttempt, Record
from groundplan.simulator.step import Step

TASKS = load_set("office-unsolvable")
PACK = load_pack()
DRIVE = PlanAttempt("a plan", (Step("goto", ("pose13",)),))
REFUSED = replace(DRIVE, feedback=("no",))


def test_the_set_that_comes_along_has_reasons_and_four_kinds() -> None:
    kinds = [task.gold.rationale.partition(":")[0] for task in TASKS]
    assert len(TASKS) == 24 and {kind: kinds.count(kind) for kind in kinds} == dict.fromkeys(kinds, 6)
    for task in TASKS:
        assert task.graded and task.gold.unsolvable and not task.gold.goal and not task.gold.query


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_the_default_reader_declines_it(task, tmp_path: Path) -> None:
    def tools(case: JudgedTask, seed: int | None, account: Account, keep: ExitStack) -> Tools:
        return Tools(reader=EmbeddedReader(pack=case.belief.pack))

    (row,) = run_comparison(
        Comparison((METHODS["hybrid"],), (task,), readers=("embedded",)), tools, tmp_path
    ).rows
    assert row.kind == "decline" and row.succeeded and not row.holds("executable")


@pytest.mark.parametrize(
    ("record", "judged"),
    [
        (Record("declined"), (True, True, False, False)),
        (Record("not-understood"), (True, False, False, False)),
        (Record("search-exhausted", compile_form="subgraph"), (True, False, False, False)),
        (Record("search-exhausted"), (False, False, False, False)),
        (Record("answer-unreadable"), (False, False, False, False)),
        (Record("answer-cut"), (False, False, False, False)),
        (Record("service-failed"), (False, False, False, False)),
        (Record("out-of-budget"), (False, False, False, False)),
        (Record("rejected", attempts=(REFUSED,)), (False, False, False, True)),
        (Record("executable", attempts=(DRIVE,)), (False, False, False, True)),
    ],
)
def test_what_is_right_for_a_task_without_a_solution(record: Record, judged: tuple[bool, ...]) -> None:
    got = asdict(judge_run(record, JudgedTask.of(TASKS[0], PACK)))
    assert tuple(got[name] for name in ("success", "declined", "proved", "executable")) == judged


def own(tmp_path: Path, **keys: object) -> Path:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"instruction": "Fly.", "scene": "office", **keys}) + "\n")
    return path


def test_a_task_of_a_user_may_have_no_solution(tmp_path: Path) -> None:
    (task,) = read_own_tasks(own(tmp_path, unsolvable="it has no wings"))
    assert task.gold.unsolvable == "it has no wings" and task.graded
    for faulty in ({"unsolvable": "x", "goal": "(hand_free)"}, {"unsolvable": True}):
        with pytest.raises(InputError):
            read_own_tasks(own(tmp_path, **faulty))


def test_the_report_has_a_table_of_them_and_no_measure_of_plans(tmp_path: Path) -> None:
    answers = iter(('{"command": {"command_name": "decline"}, "reasoning": "no voice"}', "?"))

    def tools(case: JudgedTask, seed: int | None, account: Account, keep: ExitStack) -> Tools:
        return Tools(CountedModel(ScriptedModel.of(next(answers)), account))

    comparison = Comparison((METHODS["sayplan"],), TASKS[:2], readers=("m",))
    run_comparison(comparison, tools, tmp_path)
    report = report_on(load_results(tmp_path))
    tables = {table.title: table for table in report.tables}
    (line,) = tables["Tasks without a solution"].rows
    assert line[4] == 2 and [cell.value for cell in line[5:9]] == [0.5, 0.5, 0.0, 0.0]
    assert line[-1] == "answer-unreadable 1, declined 1" and "Planning" not in tables


WORDS = Message("user", "Say yes.")


def test_schemas_count_in_limits_and_budgets() -> None:
    def schema() -> dict[str, object]:
        return {"type": "object", "properties": {f"name{n}": {"type": "string"} for n in range(50)}}

    request = ChatRequest((WORDS,), Constraint("large", schema), 10, "plan")

    class Constrained:
        name = "m"

        def ask(self, request: ChatRequest) -> Reply:
            return Reply("yes", "json-schema", Usage(0, 0, "counted"))

    account = Account(Limits(tokens=100))
    model = CountedModel(Constrained(), account)
    model.ask(request)
    assert account.prompt + account.completion < 100 < account.schema_tokens
    with pytest.raises(ServiceError):
        model.ask(request)


def test_a_kept_answer_is_charged_with_the_seconds_that_it_took(tmp_path: Path) -> None:
    request = ChatRequest((WORDS,), None, 10, "search")

    def asked(run: str) -> Account:
        account = Account(Limits(), Cell("m", "e", "t"))
        model = ScriptedModel.of("yes")
        CountedModel(SharedSearch(model, tmp_path / "searches", "t", run=run), account).ask(request)
        return account

    assert asked("one").kept_seconds == 0
    (file,) = (tmp_path / "searches").iterdir()
    kept = json.loads(file.read_text())
    file.write_text(json.dumps(kept | {"seconds": 2.5}, sort_keys=True) + "\n")
    other = asked("another")
    assert (other.kept_calls, other.kept_seconds) == (1, 2.5)
    again = asked("one")  # after a kill: its own answer, and the time that it took
    assert (again.kept_calls, again.kept_seconds) == (0, 2.5)
    file.write_text(json.dumps(kept | {"seconds": -1.0}, sort_keys=True) + "\n")
    assert asked("another").kept_seconds == 0
