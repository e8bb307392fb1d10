"""Comparisons on a Dask cluster: a real scheduler and real workers, one of which is killed with a run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from bench_methods import Lingering, Troubled, Unloadable, Written, gold_tools, no_tools

from groundplan.domains.errors import GroundplanError, InputError
from groundplan.evaluation.bench import Comparison, LocalProcesses, Progress, load_results, run_comparison
from groundplan.evaluation.bench import cluster as cluster_module
from groundplan.evaluation.bench.cluster import DaskCluster
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.forms.formats import FORMATS

pytestmark = pytest.mark.timeout(180)
TESTS = Path(__file__).resolve().parent.parent
TASKS = chosen_tasks("office-planning-simple,office-search-simple", 4)


class Site:
    """A scheduler and its workers on this machine, as a user starts them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.start("scheduler", "--port", "0", "--host", "127.0.0.1")
        text = self.heard("scheduler", r"Scheduler at:\s+(tcp://\S+)")
        self.address = text.group(1)

    def start(self, what: str, *words: str, name: str = "", env: dict[str, str] | None = None) -> int:
        log = (self.folder / f"{name or what}.log").open("wb")
        command = [sys.executable, "-P", "-m", "dask", what, *words, "--no-dashboard"]
        given = os.environ | {"PYTHONPATH": str(TESTS)} | (env or {})
        process = subprocess.Popen(command, stdout=log, stderr=log, env=given, cwd=self.folder)
        self.processes.append(process)
        return process.pid

    def worker(self, name: str, *words: str, env: dict[str, str] | None = None) -> int:
        """Start a worker and return the id of its process when it is registered."""
        given = words or ("--no-nanny",)
        pid = self.start("worker", self.address, "--nthreads", "1", *given, name=name, env=env)
        self.heard(name, r"Registered to:")
        return pid

    def heard(self, name: str, pattern: str) -> re.Match[str]:
        for _ in range(600):
            text = (self.folder / f"{name}.log").read_text()
            if match := re.search(pattern, text):
                return match
            time.sleep(0.1)
        raise AssertionError(text)

    def close(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def site(folder: Path) -> Iterator[Site]:
    folder.mkdir(exist_ok=True)
    made = None
    try:
        made = Site(folder)
        yield made
    finally:
        if made is not None:
            made.close()


def kept(folder: Path) -> list[dict[str, object]]:
    return [row.as_json() | {"timings": None} for row in load_results(folder).rows]


def tables(folder: Path) -> dict[str, str]:
    made = report_on(load_results(folder), timed=False)
    return {name: write(made) for name, write in FORMATS.items()}


@pytest.mark.slow
def test_workers_that_are_killed_with_a_run_give_it_to_others_and_rows_are_as_at_home(
    tmp_path: Path,
) -> None:
    """Both workers are killed, one after the other, as soon as they say which run they have; one comes late.

    The runs are of 0.4 s.
    """
    began = tmp_path / "began"
    began.mkdir()
    tasks = chosen_tasks("office-planning-simple,office-search-simple", 15)
    comparison = Comparison((Lingering(folder=str(began)),), tasks, readers=("gold",))
    run_comparison(comparison, gold_tools, tmp_path / "home", LocalProcesses(1))
    for path in began.iterdir():
        path.unlink()
    heard: list[Progress] = []
    with site(tmp_path / "site") as there:
        first, second = there.worker("one"), there.worker("two")

        def listen(progress: Progress) -> None:
            heard.append(progress)
            if progress.done == 2:
                kill_with_a_run(first, began)
            if progress.done == 12:
                kill_with_a_run(second, began)
                there.worker("three")

        with DaskCluster(there.address) as cluster:
            assert cluster.jobs == 2
            run_comparison(comparison, gold_tools, tmp_path / "away", cluster, listen)
            assert cluster.jobs == 1
    assert [p.done for p in heard] == list(range(len(comparison.cells) + 1)), "each run came once"
    twice = [path for path in began.iterdir() if len(path.read_text().split()) == 2]
    assert len(twice) >= 2, "those that the workers had, and what they had not handed over"
    assert kept(tmp_path / "away") == kept(tmp_path / "home")
    assert tables(tmp_path / "away") == tables(tmp_path / "home")


def kill_with_a_run(victim: int, began: Path) -> None:
    """Kill a Dask worker while a process of its own is in the middle of a run: one that has just begun."""
    for _ in range(6000):
        for path in began.iterdir():
            latest = path.read_text().split()[-1:]
            # Files of runs that are over stay; a worker between two runs has none to give to another.
            if latest == [str(victim)] and time.time() - path.stat().st_mtime < 0.1:
                os.kill(victim, signal.SIGKILL)
                return
        time.sleep(0.005)
    raise AssertionError("the worker had no run")


@pytest.mark.slow
def test_failures_on_workers_are_those_of_processes_at_home(tmp_path: Path) -> None:
    """A run that kills its process, raises, or does not end costs that run; the worker goes on."""
    names = [task.id for task in TASKS]
    method = Troubled(killed=(names[0],), left=(names[1],), raising=(names[2],), asleep=(names[3],))
    comparison = Comparison((method,), TASKS[:5])
    with site(tmp_path / "site") as there:
        there.worker("one")
        with DaskCluster(there.address, seconds=10) as cluster:
            results = run_comparison(comparison, no_tools, tmp_path / "away", cluster)
        outcomes = [(row.outcome, row.reproducible) for row in results.rows]
        assert outcomes == [*[("crashed", False)] * 3, ("timed-out", False), ("not-found", True)]
        assert [row.reasons[0].split("with ")[-1] for row in results.rows[:3]] == [
            "signal 9", "exit code 3", "exit code 1",
        ]  # fmt: skip
        with DaskCluster(there.address) as cluster:
            begun = lambda folder, trial: run_comparison(trial, no_tools, tmp_path / folder, cluster)  # noqa: E731
            with pytest.raises(GroundplanError, match="cannot load the methods"):
                begun("unloadable", Comparison((Unloadable(),), TASKS))
            again = begun("again", Comparison((Written(),), TASKS[:2]))
            assert len(again.rows) == 2, "the worker serves the next comparison"


def test_workers_with_another_program_or_other_data_are_refused(tmp_path: Path, monkeypatch) -> None:
    with site(tmp_path / "site") as there:
        with pytest.raises(InputError, match="one with workers"), DaskCluster(there.address, patience=0.5):
            pass
        there.worker("one")
        real = cluster_module.program_hash
        monkeypatch.setattr(cluster_module, "program_hash", lambda: "changed here")
        with pytest.raises(InputError, match="program was"), DaskCluster(there.address):
            pass
        monkeypatch.setattr(cluster_module, "program_hash", real)
        with DaskCluster(there.address) as cluster:
            comparison = Comparison((Written(),), TASKS[:2])
            refused(comparison, cluster, tmp_path / "data", monkeypatch)
            run_comparison(comparison, no_tools, tmp_path / "same", cluster)
        installed = cluster_module.installed()
        monkeypatch.setattr(cluster_module, "installed", lambda: installed | {"daemon": True})
        with pytest.raises(InputError, match="--no-nanny"), DaskCluster(there.address):
            pass


@pytest.mark.slow
def test_a_worker_with_a_nanny_is_refused_unless_it_may_start_processes(tmp_path: Path) -> None:
    with site(tmp_path / "site") as there:
        there.worker("one", "--nanny", env={"DASK_DISTRIBUTED__WORKER__DAEMON": "False"})
        with DaskCluster(there.address) as cluster:
            run_comparison(Comparison((Written(),), TASKS[:2]), no_tools, tmp_path / "same", cluster)
        there.worker("two", "--nanny")
        with pytest.raises(InputError, match="--no-nanny"), DaskCluster(there.address):
            pass


def refused(comparison: Comparison, cluster: DaskCluster, folder: Path, monkeypatch) -> None:
    """A pack that is another one on the worker ends the comparison without a row."""
    manifest = comparison.manifest()
    with monkeypatch.context() as patched:
        patched.setattr(Comparison, "manifest", lambda self: manifest | {"pack": {"hash": "another"}})
        with pytest.raises(GroundplanError, match=r"other data than the manifest: pack"):
            run_comparison(comparison, no_tools, folder, cluster)
    assert load_results(folder).rows == ()
