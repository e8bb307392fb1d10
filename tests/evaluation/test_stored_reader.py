"""Answers that were stored before as a reader of a comparison: by task, whatever the prompt is now."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from groundplan.commands import main
from groundplan.domains.errors import InputError
from groundplan.evaluation.bench import load_results
from groundplan.evaluation.bench.stored import StoredModel
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.tables import planning
from groundplan.language.chat.servers.model import ChatRequest, Constraint, Message, ServiceError

OWN = Path(__file__).parent / "stored_answers.jsonl"
LARGE = Path(__file__).parents[3] / "shared" / "data" / "strong_model" / "office_planning.jsonl.gz"
TASK = "office-planning-simple-02"
METHODS = "hybrid-naming,sayplan,llm-as-planner,llm+p-sayplan,llm+p"


pytestmark = pytest.mark.usefixtures("inline")


def bench(out: Path, *words: str) -> int:
    return main(["bench", "--scene-text", "described,undescribed", "--out", str(out), *words])


def asked(schema: str, *lines: str) -> ChatRequest:
    constraint = Constraint(schema, dict)
    return ChatRequest(
        (Message("system", "a prompt of today"), Message("user", "\n".join(lines))), constraint
    )


def test_methods_with_and_without_descriptions_stand_in_one_table(tmp_path: Path) -> None:
    out = tmp_path / "results"
    assert bench(out, "--methods", METHODS, "--tasks", TASK, "--reader", f"stored:{OWN}") == 0
    results = load_results(out)
    rows = {row.method: row for row in results.rows}
    assert len(rows) == 10 and all(row.succeeded for row in rows.values()), rows
    table = planning(results)
    assert table is not None and len(table.rows) == 10
    plain, told = (rows[f"sayplan{end}"].tokens for end in ("", " with scene text described"))
    assert told["prompt"] > plain["prompt"] and told["completion"] == plain["completion"]
    wrote = {name: rows[name].record["attempts"][-1]["text"] for name in ("llm-as-planner", "llm+p-sayplan")}
    assert "goto(pose13)" in wrote["llm-as-planner"] and "goto(pose13)" not in wrote["llm+p-sayplan"]
    calls = sum(row.tokens["calls"] for row in results.rows)
    note = next(note for note in report_on(results).notes if "stored" in note)
    assert f"{calls} of its {calls} calls got an answer that was written to another prompt" in note
    assert not (out / "searches").exists()  # nobody is asked whose answers others could need
    assert isinstance(results.readers[f"stored:{OWN}"]["model"], str)  # the hash of the file
    assert main(["replay", str(out)]) == 0


def test_the_answers_of_a_large_model_are_given_to_baselines_with_descriptions(tmp_path: Path) -> None:
    if not LARGE.exists():
        pytest.skip("the stored answers are not part of the project")
    tasks = "office-planning-long-02,office-planning-long-03"
    assert bench(tmp_path, "--methods", METHODS, "--tasks", tasks, "--reader", f"stored:{LARGE}") == 0
    rows = load_results(tmp_path).rows
    assert len(rows) == 20
    assert {(row.method.partition(" ")[0], row.task) for row in rows if not row.succeeded} <= {
        ("llm+p", "office-planning-long-02")  # which was not told of the room of any asset
    }
    assert sum(int(str(row.tokens.get("foreign_calls", 0))) for row in rows) > 10


def test_a_request_gets_the_answer_whose_fields_are_most_like_its_own(tmp_path: Path) -> None:
    model = StoredModel.open(OWN, TASK)
    task = 'instruction: "Refrigerate the orange left on the kitchen bench."'
    first = model.ask(asked("sayplan-search", task, "3D scene graph: {}"))
    then = model.ask(asked("sayplan-search", task, "3D scene graph: {}", 'memory: ["kitchen"]'))
    assert "expand_node" in first.text and "verify_plan" in then.text
    assert first.foreign and first.usage.source == "counted" and first.usage.completion > 10
    assert model.ask(asked("sayplan-search", task, "3D scene graph: {}")).text == first.text
    stored = json.loads(OWN.read_text().splitlines()[0])
    same = ChatRequest(
        tuple(Message(m["role"], m["content"]) for m in stored["messages"]), asked("goal").constraint
    )
    assert not model.ask(same).foreign
    packed = tmp_path / "answers.jsonl.gz"
    packed.write_bytes(gzip.compress(OWN.read_bytes()))
    assert StoredModel.open(packed, TASK).ask(asked("goal", "task")).text == stored["answer"]


@pytest.mark.parametrize("request_made", [asked("delta-items", "x"), ChatRequest((Message("user", "x"),))])
def test_what_nobody_answered_is_answered_by_nothing(request_made: ChatRequest) -> None:
    with pytest.raises(ServiceError) as refused:
        StoredModel.open(OWN, TASK).ask(request_made)
    assert refused.value.kind == "not-stored" and TASK in str(refused.value)
    with pytest.raises(ServiceError, match="no answer for another-task is stored under the schema goal"):
        StoredModel.open(OWN, "another-task").ask(asked("goal", "x"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a stored answer a line"),
        ("no JSON\n", ":1:"),
        ('{"task": "t"}\n', "task, schema, messages and answer"),
        ('\n{"task": "t", "schema": 3, "messages": [{"role": "user", "content": "x"}], "answer": "a"}\n',
         ":2: schema"),
        ('{"task": "t", "schema": null, "messages": ["x", {"role": 3}], "answer": "a"}\n',
         "messages and answer"),
    ],
)  # fmt: skip
def test_files_that_hold_no_stored_answers(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(text)
    with pytest.raises(InputError) as found:
        StoredModel.open(file, "t")
    assert words in str(found.value)
    assert bench(tmp_path / "out", "--methods", "sayplan", "--tasks", TASK, "--reader", f"stored:{file}") == 2
    assert "answers.jsonl" in capsys.readouterr().err


def test_a_run_for_which_nothing_is_stored_counts_in_no_measure(tmp_path: Path) -> None:
    tasks = f"{TASK},office-planning-simple-05"
    given = ("--methods", "hybrid-naming", "--tasks", tasks, "--reader", f"stored:{OWN}")
    assert bench(tmp_path / "out", *given) == 0
    outcomes = {row.task: row.outcome for row in load_results(tmp_path / "out").rows}
    assert outcomes["office-planning-simple-05"] == "unsupported" != outcomes[TASK]
    report = report_on(load_results(tmp_path / "out"))
    table = next(table for table in report.tables if table.title == "Planning")
    assert {line[4] for line in table.rows} == {1}, table.rows
    assert "no answer for office-planning-simple-05 is stored" in str(report.tables)


def test_it_is_a_reader_of_comparisons_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", "Put the orange into the fridge.", "--scene", "office", "--reader", f"stored:{OWN}"]
    assert main(words) == 2 and "it is a reader of groundplan bench" in capsys.readouterr().err
    missing = tmp_path / "none.jsonl"
    assert (
        bench(tmp_path / "out", "--methods", "sayplan", "--tasks", TASK, "--reader", f"stored:{missing}") == 2
    )
    assert "none.jsonl" in capsys.readouterr().err
    given = ("--methods", "sayplan", "--tasks", TASK, "--reader", f"stored:{OWN}", "--max-calls", "3")
    assert bench(tmp_path / "out", *given) == 2 and "--max-calls" in capsys.readouterr().err
