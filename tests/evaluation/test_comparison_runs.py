"""Comparisons: the order of runs, and that going on after any end gives what an undisturbed one gives."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from bench_methods import Lingering, Troubled, Unloadable, Unready, Written, gold_tools, no_tools

from groundplan.domains.errors import GroundplanError, InputError
from groundplan.domains.storage import own_file as storage_module
from groundplan.evaluation.bench import Comparison, LocalProcesses, Progress, load_results, run_comparison
from groundplan.evaluation.bench import comparison as comparison_module
from groundplan.evaluation.bench import processes as processes_module
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.evaluation.bench.processes import resident_mb
from groundplan.evaluation.bench.program import ROOT, hash_of, program_hash
from groundplan.evaluation.bench.results import MANIFEST, ROWS
from groundplan.evaluation.bench.trial import CellRunner
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.forms.formats import FORMATS
from groundplan.methods import METHODS

TASKS = chosen_tasks("office-planning-simple,office-search-simple", 2)


def two_methods(**changes: object) -> Comparison:
    methods = (Written(), Written("farther", target="pose14"))
    return replace(Comparison(methods, TASKS, ("pyperplan",)), **changes)  # type: ignore[arg-type]


def report(folder: Path) -> dict[str, str]:
    """Return a report in every form, without what a clock measured."""
    made = report_on(load_results(folder), timed=False)
    return {name: write(made) for name, write in FORMATS.items()}


def rows(folder: Path) -> list[dict[str, object]]:
    """Return the rows without their times, in the order of the comparison."""
    return [row.as_json() | {"timings": None} for row in load_results(folder).rows]


def test_runs_are_task_by_task_so_that_all_methods_have_the_same_ones() -> None:
    cells = two_methods(repeats=2, engines=("pyperplan", "fast-downward")).cells
    assert len(cells) == len({cell.key for cell in cells}) == 4 * 2 * 2 * 2
    assert [c.task for c in cells] == [t.id for t in TASKS for _ in range(8)]
    assert [(c.repeat, c.method, c.engine) for c in cells[:4]] == [
        (1, "written", "pyperplan"), (1, "written", "fast-downward"),
        (1, "farther", "pyperplan"), (1, "farther", "fast-downward"),
    ]  # fmt: skip


def test_tasks_of_sets_are_the_first_or_drawn_and_a_larger_sample_holds_a_smaller() -> None:
    first = chosen_tasks("office-planning", 3)
    assert [t.id[-2:] for t in first] == ["01", "02", "03"] * 2
    drawn = {n: {t.id for t in chosen_tasks("office-planning", n, seed=7)} for n in (2, 5, 15)}
    assert drawn[2] < drawn[5] < drawn[15] and len(drawn[15]) == 30
    assert drawn[5] == {t.id for t in chosen_tasks("office-planning", 5, seed=7)}
    assert drawn[5] != {t.id for t in chosen_tasks("office-planning", 5, seed=8)}
    assert len(chosen_tasks("office-planning,office-planning-simple, sayplan")) == 90
    with pytest.raises(InputError, match="did you mean"):
        chosen_tasks("ofice-planning")


def test_tasks_are_named_beside_sets_once_each_and_whatever_the_limit() -> None:
    chosen = chosen_tasks("office-planning-simple-03,office-planning-simple,office-planning-long-01~1", 3)
    assert [t.id[-9:] for t in chosen] == [
        "simple-01", "simple-02", "simple-03", "long-01~1",
    ]  # fmt: skip
    for wrong, words in (
        ("office-planning-simple-99", "the id of a task.*did you mean"),
        ("office-planing-simple", "the name of a set.*did you mean"),
    ):
        with pytest.raises(InputError, match=words):
            chosen_tasks(wrong)


def test_a_comparison_without_runs_or_with_one_name_twice_is_refused() -> None:
    for wrong, words in (
        ({"methods": ()}, "methods"), ({"tasks": ()}, "tasks"), ({"engines": ()}, "engines"),
        ({"methods": (Written(), Written(target="pose14"))}, "written twice"), ({"repeats": 0}, "repeats"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            two_methods(**wrong)


def test_a_finished_folder_is_not_run_again(tmp_path: Path) -> None:
    heard: list[Progress] = []
    run_comparison(two_methods(), no_tools, tmp_path, listen=heard.append)
    assert [p.done for p in heard] == list(range(9)) and heard[-1].seconds_left == 0
    before = (tmp_path / ROWS).read_bytes()
    again: list[Progress] = []
    results = run_comparison(two_methods(), no_tools, tmp_path, listen=again.append)
    assert [p.done for p in again] == [8] and (tmp_path / ROWS).read_bytes() == before
    assert len(results.rows) == results.planned == 8


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"methods": (Written(target="pose9"), Written("farther", target="pose14"))}, "pose9"),
        ({"tasks": TASKS[:3]}, "office-search-simple-02"),
        ({"repeats": 2}, "repeats was 1, now 2"),
        ({"one_handed": True}, "one_handed"),
        ({"settings": {"none": {"temperature": 0.5}}}, "temperature"),
    ],
)
def test_a_folder_of_another_comparison_is_refused_and_stays(tmp_path: Path, changes, words: str) -> None:
    run_comparison(two_methods(), no_tools, tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    with pytest.raises(InputError, match=words):
        run_comparison(two_methods(**changes), no_tools, tmp_path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_methods_in_another_order_or_fewer_go_on_with_what_is_there(tmp_path: Path) -> None:
    run_comparison(two_methods(), no_tools, tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    other_order = (Written("farther", target="pose14"), Written())
    for methods in (other_order[1:], other_order):
        run_comparison(two_methods(methods=methods), no_tools, tmp_path)
        assert (tmp_path / ROWS).read_bytes() == before[ROWS]
    assert load_results(tmp_path).methods == ("farther", "written")


def test_a_changed_program_is_refused_or_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_comparison(two_methods(), no_tools, tmp_path)
    first = json.loads((tmp_path / MANIFEST).read_text())["program"]
    monkeypatch.setattr(comparison_module, "program_hash", lambda: "another")
    with pytest.raises(InputError, match="--changed-program"):
        run_comparison(two_methods(), no_tools, tmp_path)
    for _ in range(2):
        results = run_comparison(two_methods(), no_tools, tmp_path, changed_program=True)
        assert results.manifest["programs"] == [first, "another"] and results.manifest["program"] == first
    assert "2 states of the program" in report(tmp_path)["md"]
    with pytest.raises(InputError, match="repeats"):
        run_comparison(two_methods(repeats=2), no_tools, tmp_path, changed_program=True)


def test_the_hash_of_the_program_is_of_what_decides_runs(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    for name in ("domains", "domains/household", "evaluation", "evaluation/report", "docs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / "docs" / "__init__.py").unlink()
    hashes = {hash_of(tmp_path)}
    for name in ("domains/household/domain.pddl", "evaluation/judging.py", "domains/new.py", "__main__.py"):
        (tmp_path / name).write_text("1")
        hashes.add(hash_of(tmp_path))
        (tmp_path / name).write_text("2")
        hashes.add(hash_of(tmp_path))
    (tmp_path / "domains" / "new.py").rename(tmp_path / "domains" / "renamed.py")
    hashes.add(hash_of(tmp_path))
    assert len(hashes) == 10
    for name in ("evaluation/report/page.py", "domains/__init__.pyi", "docs/page.md", "setup.cfg"):
        (tmp_path / name).write_text("1")
        assert hash_of(tmp_path) in hashes
    assert program_hash() == hash_of(ROOT)


def test_rows_without_a_manifest_are_refused(tmp_path: Path) -> None:
    run_comparison(two_methods(), no_tools, tmp_path)
    (tmp_path / MANIFEST).unlink()
    with pytest.raises(InputError, match="manifest"):
        run_comparison(two_methods(), no_tools, tmp_path)


def test_a_file_of_somebody_else_is_not_touched(tmp_path: Path) -> None:
    for name, text in ((ROWS, "my notes"), (ROWS, "my notes\n"), (MANIFEST, "{}"), (MANIFEST, "notes")):
        folder = tmp_path / f"{name}{len(text)}"
        folder.mkdir()
        (folder / name).write_text(text)
        with pytest.raises(InputError):
            run_comparison(two_methods(), no_tools, folder)
        assert (folder / name).read_text() == text


def test_a_process_that_cannot_begin_ends_the_comparison_without_a_row(tmp_path: Path, capfd) -> None:
    """A method that another process cannot load, say: that is no result of it."""
    with pytest.raises(GroundplanError, match="before it could run"):
        run_comparison(Comparison((Unloadable(),), TASKS), no_tools, tmp_path, LocalProcesses(1))
    assert "cannot be loaded there" in capfd.readouterr().err
    assert not rows(tmp_path)
    run_comparison(two_methods(), no_tools, tmp_path)  # nothing rests on that manifest


def test_a_process_that_never_says_it_can_begin_is_not_waited_for(tmp_path: Path) -> None:
    executor = LocalProcesses(1, seconds=None, start_seconds=2)
    started = time.monotonic()
    with pytest.raises(GroundplanError, match="could not begin in 2 s"):
        run_comparison(Comparison((Unready(),), TASKS), no_tools, tmp_path, executor)
    assert time.monotonic() - started < 60 and not rows(tmp_path)


def test_a_fault_of_a_gold_is_found_before_anything_runs(tmp_path: Path) -> None:
    gold = replace(TASKS[0].gold, goal="(holding nothing_of_the_kind)")
    tasks = (TASKS[0], *(replace(TASKS[0], id=name, gold=gold) for name in ("first", "second")))
    with pytest.raises(InputError, match="gold goal of first"):
        run_comparison(Comparison((Written(),), tasks), no_tools, tmp_path, LocalProcesses(2))
    assert not list(tmp_path.iterdir())


def test_a_task_of_others_whose_goal_cannot_be_had_is_a_row_that_names_the_reason(tmp_path: Path) -> None:
    """A set that others made has such goals, and its other tasks are run."""
    scene, gold = TASKS[0].load(), TASKS[0].gold
    unfit = replace(TASKS[0], id="unfit", base=scene, gold=replace(gold, goal="(filled peppermint)"))
    unsaid = replace(unfit, id="unsaid", gold=replace(gold, goal="", lacking=("nextto", "draped")))
    both = Comparison((METHODS["gold"], Written()), (TASKS[0], unfit, unsaid))
    made = run_comparison(both, no_tools, tmp_path).rows
    assert [(row.task, row.kind, row.outcome) for row in made if row.method == "gold"] == [
        (TASKS[0].id, "plan", "verified"),
        ("unfit", "open", "unsupported"),
        ("unsaid", "open", "unsupported"),
    ]
    reasons = [row.reasons[0] for row in made if row.method == "gold" and row.reasons]
    assert reasons[0].endswith("this task has none: there is no peppermint in the scene")
    assert reasons[1].endswith("this task has none: it asks for nextto, draped, which no pack has")
    assert {row.kind for row in made if row.method == "written" and row.task != TASKS[0].id} == {"open"}
    with pytest.raises(InputError, match="gold goal of own"):
        own = replace(unfit, id="own", base=None)
        run_comparison(Comparison((Written(),), (own,)), no_tools, tmp_path / "own")


def test_the_next_run_is_under_way_before_a_row_is_kept(tmp_path: Path) -> None:
    """Processes do not wait for the disk."""
    comparison = Comparison((Lingering(folder=str(tmp_path)),), TASKS)
    rows = iter(LocalProcesses(1).rows(CellRunner(comparison, no_tools), comparison.cells))
    assert next(rows).task == TASKS[0].id
    until = time.monotonic() + 60
    while not (tmp_path / TASKS[1].id).exists():
        assert time.monotonic() < until, "the second run has not begun"
        time.sleep(0.05)
    assert [row.task for row in rows] == [task.id for task in TASKS[1:]]


def test_memory_is_counted_in_the_pages_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arm machines and some Power machines have pages of 16 or 64 kB."""
    usual, page = resident_mb(), os.sysconf("SC_PAGE_SIZE")
    larger = SimpleNamespace(sysconf=lambda name: 16 * page if name == "SC_PAGE_SIZE" else os.sysconf(name))
    monkeypatch.setattr(processes_module, "os", larger)
    assert usual >= 10 and 15 * usual <= resident_mb() <= 18 * usual


def test_another_machine_may_go_on_and_is_listed(tmp_path: Path) -> None:
    run_comparison(two_methods(), no_tools, tmp_path)
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    manifest["machines"] = [manifest["machines"][0] | {"cores": 4096}]
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    run_comparison(two_methods(), no_tools, tmp_path)
    assert len(json.loads((tmp_path / MANIFEST).read_text())["machines"]) == 2


class Killed(BaseException):
    """The end of the process, in place of one: nothing may catch it."""


def disk(
    kill_at: int, half: bool, error: BaseException | type[BaseException] = Killed, last: bool = True
) -> tuple[SimpleNamespace, list[str]]:
    """Return the module ``os`` with a kill at one of its calls that change the disk, and the list of calls.

    With ``half`` the call is a write of half the bytes, and the kill comes after it. Not ``last``: all calls
    from there on fail alike.
    """
    calls: list[str] = []

    def wrapped(name: str):
        def call(*args, **kwargs):
            calls.append(name)
            if len(calls) - 1 == kill_at or (not last and 0 <= kill_at < len(calls) - 1):
                if half and name == "write":
                    os.write(args[0], bytes(args[1])[: len(args[1]) // 2])
                elif half:
                    getattr(os, name)(*args, **kwargs)
                raise error
            return getattr(os, name)(*args, **kwargs)

        return call

    changing = {name: wrapped(name) for name in ("open", "write", "fsync", "replace", "ftruncate")}
    return SimpleNamespace(**(vars(os) | changing)), calls


BOUNDARIES = pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
"""By day each seventh of the calls that change the disk, from the first on."""


@BOUNDARIES
def test_killed_at_every_write_boundary_a_comparison_goes_on_to_the_same_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    whole, comparison = tmp_path / "whole", two_methods(tasks=TASKS[1:3])
    quiet, calls = disk(-1, False)
    with monkeypatch.context() as patched:
        patched.setattr(storage_module, "os", quiet)
        run_comparison(comparison, no_tools, whole)
    wanted, wanted_rows = report(whole), rows(whole)
    assert len(calls) > 2 * 4 + 5 and len(wanted_rows) == 4
    for kill_at in range(0, len(calls), every):
        for half in (False, True):
            folder = tmp_path / f"{kill_at}-{half}"
            killing, _ = disk(kill_at, half)
            with monkeypatch.context() as patched:
                patched.setattr(storage_module, "os", killing)
                with pytest.raises(Killed):
                    run_comparison(comparison, no_tools, folder)
            run_comparison(comparison, no_tools, folder)
            assert rows(folder) == wanted_rows and report(folder) == wanted, (kill_at, half)


@BOUNDARIES
@pytest.mark.parametrize("once", [True, False])
def test_errors_of_the_disk_at_every_write_boundary_lose_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, once: bool, every: int
) -> None:
    """An error ends the comparison, and it goes on to the same end; none is taken for a row or hidden."""
    whole, comparison = tmp_path / "whole", two_methods(tasks=TASKS[1:3])
    quiet, calls = disk(-1, False)
    with monkeypatch.context() as patched:
        patched.setattr(storage_module, "os", quiet)
        run_comparison(comparison, no_tools, whole)
    for fail_at in range(0, len(calls), every):
        for half in (False, True):
            folder = tmp_path / f"{fail_at}-{half}"
            error = OSError(errno.ENOSPC if half else errno.EIO, "a fault of the disk")
            failing, _ = disk(fail_at, half, error, once)
            heard: list[Progress] = []
            with monkeypatch.context() as patched:
                patched.setattr(storage_module, "os", failing)
                with pytest.raises(OSError, match="a fault of the disk"):
                    run_comparison(comparison, no_tools, folder, listen=heard.append)
            there = len(load_results(folder).rows) if (folder / MANIFEST).exists() else 0
            assert there >= (heard[-1].done if heard else 0), "what was reported as done is there"
            run_comparison(comparison, no_tools, folder)
            assert rows(folder) == rows(whole) and report(folder) == report(whole), (fail_at, half)


def test_killed_again_and_again_while_going_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_comparison(two_methods(), no_tools, tmp_path / "whole")
    folder, moments = tmp_path / "killed", random.Random(5)
    for _ in range(40):
        killing, _ = disk(moments.randint(0, 8), moments.random() < 0.5)
        with monkeypatch.context() as patched:
            patched.setattr(storage_module, "os", killing)
            try:
                run_comparison(two_methods(), no_tools, folder)
            except Killed:
                continue
        break
    run_comparison(two_methods(), no_tools, folder)
    assert rows(folder) == rows(tmp_path / "whole") and report(folder) == report(tmp_path / "whole")


def test_a_row_that_cannot_be_kept_ends_the_comparison_with_the_rows_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_comparison(two_methods(), no_tools, tmp_path / "whole")
    folder, written = tmp_path / "full", iter(range(1000))

    def full(file: int, data: bytes) -> int:
        if next(written) > 3:
            raise OSError(28, "No space left on device")
        return os.write(file, data)

    with monkeypatch.context() as patched:
        patched.setattr(storage_module, "os", SimpleNamespace(**(vars(os) | {"write": full})))
        with pytest.raises(OSError, match="No space"):
            run_comparison(two_methods(), no_tools, folder)
    assert len(load_results(folder).rows) == 3
    run_comparison(two_methods(), no_tools, folder)
    assert rows(folder) == rows(tmp_path / "whole")


def test_processes_give_the_same_rows_as_one(tmp_path: Path) -> None:
    methods = (METHODS["gold"], METHODS["hybrid"])
    comparison = Comparison(methods, TASKS[1:3], readers=("gold",))
    run_comparison(comparison, gold_tools, tmp_path / "inline")
    run_comparison(comparison, gold_tools, tmp_path / "two", LocalProcesses(2))
    assert rows(tmp_path / "inline") == rows(tmp_path / "two")
    assert report(tmp_path / "inline") == report(tmp_path / "two")


def test_a_process_that_ends_or_does_not_end_costs_the_run_that_it_had(tmp_path: Path, capfd) -> None:
    tasks = chosen_tasks("office-planning-simple", 5)
    names = [task.id for task in tasks]
    method = Troubled(killed=(names[0],), left=(names[1],), raising=(names[2],), asleep=(names[3],))
    started = time.monotonic()
    results = run_comparison(Comparison((method,), tasks), no_tools, tmp_path, LocalProcesses(1, 4))
    assert time.monotonic() - started < 100
    endings = [(row.outcome, row.reasons[0], row.reproducible) for row in results.rows]
    assert endings[:3] == [
        ("crashed", "the process of the run ended with signal 9", False),
        ("crashed", "the process of the run ended with exit code 3", False),
        ("crashed", "the process of the run ended with exit code 1", False),
    ]
    assert results.rows[3].outcome == "timed-out" and "its process was ended" in results.rows[3].reasons[0]
    assert results.rows[4].outcome == "not-found" and results.rows[4].reproducible
    assert "a fault of the method" in capfd.readouterr().err


def test_processes_are_replaced_after_some_runs_or_when_they_hold_much(tmp_path: Path) -> None:
    comparison = Comparison((Troubled(),), TASKS)
    for place, executor in enumerate((LocalProcesses(1, recycled_after=2), LocalProcesses(1, max_mb=1))):
        some = replace(comparison, tasks=TASKS[: 3 - place])
        results = run_comparison(some, no_tools, tmp_path / str(place), executor)
        processes = [row.reasons[0] for row in results.rows]
        assert [processes.count(p) for p in dict.fromkeys(processes)] == [[2, 1], [1, 1]][place]


def test_tools_that_cannot_be_made_end_the_comparison(tmp_path: Path) -> None:
    from groundplan.commands.bench import Workshop
    from groundplan.commands.readers import ModelOptions

    comparison = Comparison((METHODS["hybrid"],), TASKS, readers=("recorded:/nowhere/at-all.jsonl",))
    workshop = Workshop({"recorded:/nowhere/at-all.jsonl": ModelOptions()})
    for executor in (None, LocalProcesses(1)):
        with pytest.raises(Exception, match="at-all"):
            run_comparison(comparison, workshop, tmp_path, executor)


def sittings(folder: Path, *, kills: int, seed: int) -> Iterator[int]:
    """Run a comparison by the command line, killed at random moments; yield how many rows there were then.

    Two kills in five come while it starts, the others when it has written a row or two.
    """
    words = "bench --methods gold,hybrid --tasks sayplan --reader gold --jobs 2 --out"
    command = [sys.executable, "-P", "-m", "groundplan", *words.split(), str(folder)]
    moments = random.Random(seed)

    def kept() -> int:
        return (folder / ROWS).read_bytes().count(b"\n") if (folder / ROWS).exists() else 0

    for _ in range(kills):
        wanted = kept() + moments.choice([0, 0, 1, 1, 2])
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and kept() < wanted:
            time.sleep(0.005)
        time.sleep(moments.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        yield kept()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_killed_at_50_random_moments_the_command_goes_on_to_the_same_end(tmp_path: Path) -> None:
    comparison = Comparison((METHODS["gold"], METHODS["hybrid"]), chosen_tasks("sayplan"), readers=("gold",))
    run_comparison(comparison, gold_tools, tmp_path / "whole")
    seen = list(sittings(tmp_path / "killed", kills=50, seed=11))
    assert seen == sorted(seen) and len(set(seen)) > 25, "the kills came while it ran, and nothing was lost"
    assert rows(tmp_path / "killed") == rows(tmp_path / "whole")
    assert report(tmp_path / "killed") == report(tmp_path / "whole")
