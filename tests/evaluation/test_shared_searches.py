"""Searches that methods share: asked once, charged to each, kept whole or not at all."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from groundplan.evaluation.bench import Account, Comparison, CountedModel, load_results, run_comparison
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.evaluation.bench.shared import SharedSearch
from groundplan.evaluation.judging import JudgedTask
from groundplan.language.chat.servers.model import ChatRequest, Message, Reply, ServiceError, Usage
from groundplan.methods import METHODS, Tools

TASKS = chosen_tasks("office-planning-simple", 1)
SHARING = ("sayplan", "llm-as-planner", "llm+p-sayplan")


@dataclass
class Wavering:
    """A model that never answers the same twice: it opens another room each time, five in a search."""

    name: str = "wavering"
    asked: list[ChatRequest] = field(default_factory=list)
    fails: bool = False

    def ask(self, request: ChatRequest) -> Reply:
        self.asked.append(request)
        if self.fails:
            raise ServiceError("server-error", "no answer")
        number = len(self.asked)
        searching = request.purpose == "search" and number % 5
        command = {"command_name": "expand_node", "node_name": f"phd_bay{number % 5}", "plan": []}
        mode = "exploring" if searching else "planning"
        text = json.dumps({"reasoning": f"answer {number}", "mode": mode, "command": command})
        return Reply(text, "json-schema", Usage(100 + number, 7))


def request(text: str = "a view", purpose: str = "search") -> ChatRequest:
    return ChatRequest((Message("user", text),), None, 10, purpose)


def shared(model: Wavering, folder: Path, scope: str = "task 0") -> SharedSearch:
    return SharedSearch(model, folder / "searches", scope)


@dataclass(frozen=True)
class OneModel:
    """Tools with one model for all runs; ``folder`` is where searches are shared."""

    model: Wavering
    folder: Path

    def __call__(self, case: JudgedTask, seed: int | None, account: Account, keep: ExitStack) -> Tools:
        model = shared(self.model, self.folder, f"{case.task.id} {seed}")
        assert account.cell is not None
        return Tools(CountedModel(replace(model, run=account.cell.key), account))


def compared(folder: Path, model: Wavering, seed: int = 0) -> list[dict[str, object]]:
    comparison = Comparison(tuple(METHODS[name] for name in SHARING), TASKS, readers=("wavering",), seed=seed)
    run_comparison(comparison, OneModel(model, folder), folder)
    return [row.as_json() | {"timings": None} for row in load_results(folder).rows]


def test_three_methods_make_one_search_and_each_is_charged_for_it(tmp_path: Path) -> None:
    model = Wavering()
    rows = compared(tmp_path, model)
    purposes = [r.purpose for r in model.asked]
    assert purposes.count("search") == 5 and set(purposes) == {"search", "plan", "replan"}
    traces = [row["record"]["trace"] for row in rows]  # type: ignore[index]
    assert traces[0] == traces[1] == traces[2] and len(traces[0]) == 5
    charged = [row["tokens"]["purposes"]["search"] for row in rows]  # type: ignore[index]
    served = [row["tokens"]["served_prompt"] for row in rows]  # type: ignore[index]
    assert len(set(charged)) == 1 and charged[0] > 1000 and min(served) > 5 * 100
    assert [row["tokens"]["calls"] for row in rows] == [11, 6, 6]  # type: ignore[index]
    assert [row["tokens"]["kept_calls"] for row in rows] == [0, 5, 5]  # type: ignore[index]
    assert [row["tokens"]["kept_tokens"] for row in rows] == [0, charged[0], charged[0]]  # type: ignore[index]


def test_a_run_that_was_killed_counts_its_own_answers_as_asked(tmp_path: Path) -> None:
    """So its row is the one that it would have had; those that another run asked are counted as kept."""
    whole = compared(tmp_path / "whole", Wavering())
    compared(tmp_path / "killed", Wavering())
    (tmp_path / "killed" / "rows.jsonl").write_text("")
    again = compared(tmp_path / "killed", Wavering())
    kept = [[row["tokens"]["kept_calls"] for row in rows] for rows in (whole, again)]  # type: ignore[index]
    assert kept == [[0, 5, 5], [0, 5, 5]]


def test_what_a_kill_left_of_a_comparison_goes_on_with_the_same_search(tmp_path: Path) -> None:
    whole = compared(tmp_path / "whole", Wavering())
    folder = tmp_path / "killed"
    compared(folder, Wavering())
    lines = (folder / "rows.jsonl").read_text().splitlines(keepends=True)
    (folder / "rows.jsonl").write_text(lines[0] + lines[1][:100])
    again = Wavering()
    rows = compared(folder, again)
    assert [r.purpose for r in again.asked].count("search") == 0 and len(again.asked) == 2
    for one, other in zip(whole, rows, strict=True):
        assert one["record"]["trace"] == other["record"]["trace"]  # type: ignore[index]


def test_other_tasks_seeds_models_and_purposes_are_asked_for_themselves(tmp_path: Path) -> None:
    model = Wavering()
    one = shared(model, tmp_path).ask(request())
    assert shared(model, tmp_path).ask(request()) == one and len(model.asked) == 1
    others = [
        shared(model, tmp_path, "task 1").ask(request()),
        shared(model, tmp_path).ask(request("another view")),
        shared(model, tmp_path).ask(replace(request(), max_tokens=11)),
        shared(model, tmp_path).ask(request(purpose="plan")),
        shared(model, tmp_path).ask(request(purpose="plan")),
        shared(Wavering("second", model.asked), tmp_path).ask(request()),
    ]
    assert len(model.asked) == 7 and len({reply.text for reply in (one, *others)}) == 7


def test_the_same_request_twice_in_a_run_has_two_answers_and_the_next_run_both(tmp_path: Path) -> None:
    model = Wavering()
    first, second = shared(model, tmp_path), shared(model, tmp_path)
    answers = [first.ask(request()), first.ask(request())]
    assert answers[0] != answers[1]
    assert [second.ask(request()), second.ask(request())] == answers and len(model.asked) == 2


@pytest.mark.parametrize(
    "hurt",
    [
        lambda data: b"",
        lambda data: data[:-2],
        lambda data: data[: len(data) // 2],
        lambda data: data[:20] + b"\0" * 20_000 + b"\n",
    ],
)
def test_an_answer_that_was_cut_off_is_asked_again(tmp_path: Path, hurt: Callable[[bytes], bytes]) -> None:
    model = Wavering()
    shared(model, tmp_path).ask(request())
    (path,) = (tmp_path / "searches").iterdir()
    path.write_bytes(hurt(path.read_bytes()))
    again = shared(model, tmp_path).ask(request())
    assert len(model.asked) == 2 and shared(model, tmp_path).ask(request()) == again
    assert len(model.asked) == 2


def test_an_answer_without_its_line_break_is_whole(tmp_path: Path) -> None:
    model = Wavering()
    first = shared(model, tmp_path).ask(request())
    (path,) = (tmp_path / "searches").iterdir()
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert shared(model, tmp_path).ask(request()).text == first.text and len(model.asked) == 1


@pytest.mark.parametrize(
    "other",
    [
        lambda data: data[:20] + b"\xff\n",
        lambda data: data.replace(b'"usage": [', b'"usage": [-'),
        lambda data: data + b"seen by Ann",
        lambda data: data[:-1] + b" Ann",
        lambda data: b'{"finish": "what I have to finish"}\n',
        lambda data: b'{"finish": all of it',
    ],
)
def test_what_is_no_answer_stays_and_everybody_asks(tmp_path: Path, other: Callable[[bytes], bytes]) -> None:
    model = Wavering()
    shared(model, tmp_path).ask(request())
    (path,) = (tmp_path / "searches").iterdir()
    path.write_bytes(there := other(path.read_bytes()))
    assert shared(model, tmp_path).ask(request()) != shared(model, tmp_path).ask(request())
    assert path.read_bytes() == there and len(model.asked) == 3


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    model = Wavering(fails=True)
    for _ in range(2):
        with pytest.raises(ServiceError):
            shared(model, tmp_path).ask(request())
    model.fails = False
    assert shared(model, tmp_path).ask(request()).text and len(model.asked) == 3


def test_where_nothing_can_be_kept_everybody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Wavering()
    elsewhere = tmp_path / "no" / "such"
    shared(model, elsewhere).ask(request())
    assert not elsewhere.exists() and len(model.asked) == 1

    def full(*args: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "write", full)
        shared(model, tmp_path).ask(request())
    shared(model, tmp_path).ask(request())
    assert len(model.asked) == 3


def test_secrets_are_taken_out_of_what_is_kept(tmp_path: Path) -> None:
    model = SharedSearch(Wavering(), tmp_path / "searches", "", lambda text: text.replace("answer 1", "***"))
    model.ask(request())
    (path,) = (tmp_path / "searches").iterdir()
    assert "answer 1" not in path.read_text() and "***" in path.read_text()


def test_whoever_asks_at_the_same_time_waits_for_the_answer(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Slow(Wavering):
        def ask(self, request: ChatRequest) -> Reply:
            begun.set()
            assert go_on.wait(20)
            return super().ask(request)

    model, replies = Slow(), []
    threads = [
        threading.Thread(target=lambda: replies.append(shared(model, tmp_path).ask(request())))
        for _ in range(3)
    ]
    threads[0].start()
    assert begun.wait(20)
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert len(replies) == 3 and len(set(replies)) == 1 and len(model.asked) == 1
