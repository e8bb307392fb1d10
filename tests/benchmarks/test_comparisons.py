"""Comparisons of methods: how well they use a machine, and what they hold in memory.

``pytest tests/benchmarks/test_comparisons.py -m slow -s`` prints the figures of docs/benchmarks.md.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from bench_methods import gold_tools

from groundplan.evaluation.bench import Comparison, LocalProcesses, Progress, run_comparison
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.evaluation.bench.processes import KeptProcess
from groundplan.methods import METHODS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
RUNS = 500
"""Runs for each process: enough that a start and an end of it count little, and that it is replaced twice."""
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20


def runs(number: int) -> Comparison:
    """Return a comparison of as many runs of the method gold, on the office's tasks again and again."""
    tasks = chosen_tasks("office-planning")
    many = [replace(tasks[i % len(tasks)], id=f"{i}") for i in range(number)]
    return Comparison((METHODS["gold"],), tuple(many))


def resident(pid: int) -> float:
    """Return the megabytes that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_MB


def children_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def busy_share() -> float:
    """Return the share of two seconds in which the processors of this machine were at work."""

    def ticks() -> tuple[int, int]:
        fields = [int(n) for n in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
        return sum(fields), fields[3] + fields[4]

    (before, idle), _, (after, idle_after) = ticks(), time.sleep(2), ticks()
    return 1 - (idle_after - idle) / (after - before)


@contextmanager
def started_processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[BaseProcess]]:
    processes: list[BaseProcess] = []
    start = KeptProcess._started

    def noted(kept: KeptProcess) -> BaseProcess:
        processes.append(start(kept))
        return processes[-1]

    with monkeypatch.context() as patched:
        patched.setattr(KeptProcess, "_started", noted)
        yield processes


def test_a_thousand_runs_take_no_more_memory_than_a_hundred(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the runner, and of a process that is never replaced."""
    held: dict[int, tuple[float, float]] = {}
    with started_processes(monkeypatch) as processes:

        def listen(progress: Progress) -> None:
            if progress.done in (100, 1000):
                held[progress.done] = (resident(os.getpid()), resident(processes[-1].pid or 0))

        executor = LocalProcesses(1, recycled_after=10**6)
        run_comparison(runs(1000), gold_tools, tmp_path, executor, listen)
    print("\nMB after 100 and 1000 runs, (runner, process):", held)
    assert len(processes) == 1
    assert all(late <= 1.1 * early for early, late in zip(held[100], held[1000], strict=True)), held


@pytest.mark.parametrize("jobs", sorted({1, 2, os.cpu_count() or 1}))
def test_runs_fill_the_processors_that_they_are_given(tmp_path: Path, jobs: int) -> None:
    """Nearly all work is in the processes; on an idle machine they are busy nearly all the time."""
    if jobs > (os.cpu_count() or 1):
        pytest.skip("needs as many processors")
    number, busy = RUNS * jobs, busy_share()
    comparison = runs(number)
    cpu, own, clock = children_seconds(), time.process_time(), time.monotonic()
    run_comparison(comparison, gold_tools, tmp_path, LocalProcesses(jobs))
    cpu, own, clock = children_seconds() - cpu, time.process_time() - own, time.monotonic() - clock
    by_clock, by_cpu, children = number / clock, number / cpu, cpu / clock
    print(f"\n{jobs} processes, {busy:.0%} of the machine busy before: {by_clock:.1f} runs a second,")
    print(f"{by_cpu:.1f} for one of a processor; children {children:.2f} x the clock, runner {own / cpu:.1%}")
    assert own <= 0.06 * cpu, "the runner itself is no bottleneck"
    if busy > 0.1:
        pytest.skip(f"{busy:.0%} of the machine was busy: no conclusions about the clock")
    assert cpu >= 0.9 * jobs * clock
