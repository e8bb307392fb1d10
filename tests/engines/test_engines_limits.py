"""What happens when an engine hangs, eats memory, crashes, or the program around it goes away."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from groundplan.domains.ending import Ending
from groundplan.engines.base import Budget, PddlText
from groundplan.engines.programs import processes
from groundplan.engines.programs import server as worker_process
from groundplan.engines.pyperplan import Pyperplan
from groundplan.engines.worker import Job, Worker, decode

JOBS = Path(__file__).parent / "engine_jobs"
MEMORY = 512


@pytest.fixture
def worker():
    own = Worker()
    yield own
    own.close()


def job(name, foreign=False, **request):
    return Job(JOBS / f"{name}.py", request, MEMORY, foreign)


def ending(answer):
    failure = answer.failure(MEMORY)
    return failure and failure[0]


def alive(pid):
    """True for a process that exists and is no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def wait_until(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.02)


def test_a_hang_a_memory_hog_and_a_crash_are_told_apart(worker):
    [hang] = worker.run([job("hang")], 0.3)
    [hog] = worker.run([job("hog")], 20)
    [crash] = worker.run([job("crash", how="signal", number=signal.SIGSEGV)], 20)
    [raised] = worker.run([job("crash", how="exception")], 20)
    assert [ending(hang), ending(hog), ending(crash)] == [
        Ending.TIMED_OUT,
        Ending.OUT_OF_MEMORY,
        Ending.CRASHED,
    ]
    assert hang.seconds < 1.5
    assert "SIGSEGV" in crash.failure(MEMORY)[1]
    assert raised.exit == worker_process.CRITICAL
    assert "ZeroDivisionError: on purpose" in raised.output


def test_a_foreign_memory_hog_is_stopped_too(worker):
    [hog] = worker.run([job("hog", foreign=True)], 20)
    assert ending(hog) is Ending.OUT_OF_MEMORY


def test_a_killed_child_is_a_crash_and_the_worker_goes_on(worker):
    [killed] = worker.run([job("crash", how="signal", number=signal.SIGKILL)], 20)
    before = worker.pid
    [fine] = worker.run([job("crash", how="nothing")], 20)
    assert ending(killed) is Ending.CRASHED
    assert (ending(fine), fine.exit) == (None, 0)
    assert worker.pid == before


def test_output_without_end_is_cut_off(worker):
    [printing] = worker.run([job("crash", how="print")], 1)
    assert ending(printing) is Ending.TIMED_OUT
    assert 0 < len(printing.output) <= worker_process.OUTPUT_TAIL
    [flood] = worker.run([job("crash", how="flood")], 20)
    assert ending(flood) is Ending.CRASHED
    assert flood.killed == "too much output"


def test_an_engine_that_is_not_installed_is_unsupported(worker):
    [answer] = worker.run([job("missing")], 20)
    assert answer.failure(MEMORY) == (Ending.UNSUPPORTED, "not installed: No module named 'no_such_planner'")


def test_a_worker_that_dies_ends_the_call_crashed_and_is_replaced(worker):
    [lost] = worker.run([job("crash", how="worker", number=signal.SIGKILL)], 20)
    assert ending(lost) is Ending.CRASHED
    [fine] = worker.run([job("crash", how="nothing")], 20)
    assert fine.exit == 0


def test_a_worker_that_is_stuck_is_replaced(worker, monkeypatch):
    monkeypatch.setattr("groundplan.engines.worker.GRACE", 0.3)
    worker.run([job("crash", how="nothing")], 20)
    stuck = worker.pid
    [lost] = worker.run([job("crash", how="worker", number=signal.SIGSTOP)], 0.5)
    assert ending(lost) is Ending.CRASHED
    assert not alive(stuck)
    assert worker.run([job("crash", how="nothing")], 20)[0].exit == 0


def test_a_worker_killed_between_calls_is_replaced_unseen(worker):
    worker.run([job("crash", how="nothing")], 20)
    os.kill(worker.pid, signal.SIGKILL)
    wait_until(lambda: not alive(worker.pid))
    assert worker.run([job("crash", how="nothing")], 20)[0].exit == 0


@pytest.mark.parametrize("linger", [0, 60])
def test_programs_that_an_engine_started_do_not_survive_it(worker, tmp_path, linger):
    note = tmp_path / "pids"
    worker.run([job("escape", foreign=True, note=str(note), linger=linger)], 1.5)
    pids = [int(word) for word in note.read_text().split()]
    assert len(pids) == 2
    wait_until(lambda: not any(map(alive, pids)), 2)


@pytest.mark.parametrize("linger", [0, 60])
@pytest.mark.parametrize("foreign", [False, True])
def test_a_storm_of_processes_is_ended_to_the_last(worker, tmp_path, linger, foreign):
    note = tmp_path / "pids"
    request = {"note": str(note), "width": 6, "depth": 3, "heirs": 2000, "linger": linger}
    [ended] = worker.run([job("storm", foreign, **request)], 2.0)
    assert ending(ended) is (Ending.TIMED_OUT if linger else None)
    pids = [int(word) for word in note.read_text().split()]
    assert len(pids) >= (200 if linger else 1)
    wait_until(lambda: not any(map(alive, pids)), 2)
    time.sleep(0.05)
    assert [int(word) for word in note.read_text().split()] == pids  # nobody is left to write
    assert processes.children(worker.pid) == []
    assert worker.run([job("crash", how="nothing")], 20)[0].exit == 0


def test_a_storm_does_not_end_the_job_beside_it(worker, tmp_path):
    calm = job("escape", foreign=True, note=str(tmp_path / "calm"), linger=1.5)
    storm = job("storm", True, note=str(tmp_path / "storm"), width=4, depth=2, heirs=20, linger=0)
    ended = worker.run([calm, storm, storm], 20)
    assert [one.exit for one in ended] == [0, 0, 0] and ended[0].seconds >= 1.5


def test_memory_that_a_foreign_job_shares_counts(worker):
    [hog] = worker.run([job("litter", True, map=900, linger=60)], 20)
    assert ending(hog) is Ending.OUT_OF_MEMORY and hog.killed == "memory"


def test_memory_that_several_processes_share_counts_once(worker):
    [fine] = worker.run([job("litter", True, map=200, forks=3, linger=1)], 20)
    assert (ending(fine), fine.exit) == (None, 0)  # four times 200 MB would be more than the limit


@pytest.mark.parametrize(("files", "size"), [(9, 30), (1, 101)])
def test_a_job_cannot_fill_the_disk(worker, files, size):
    """Neither with many files nor with a large one: the system bounds a file, the folder is watched."""
    [full] = worker.run([Job(JOBS / "litter.py", {"files": files, "size": size}, 100, True)], 20)
    assert full.seconds < 10 and (ending(full) is Ending.CRASHED or full.exit == worker_process.CRITICAL)
    words = "its files took more than its 100 MB" if files > 1 else "File too large"
    assert words in f"{full.killed} {full.output}"


def test_every_job_has_a_folder_that_is_removed(worker):
    for foreign in (False, True):
        [one, two] = worker.run([job("litter", foreign, temporary=True)] * 2, 20)
        [name, folder, named] = one.result.splitlines()
        assert os.path.dirname(name) == folder == named != two.result.splitlines()[1]
        assert folder.startswith(tempfile.gettempdir())
        assert not os.path.exists(folder)


def test_variables_that_the_user_names_are_passed_on(monkeypatch):
    monkeypatch.setenv("LICENCE_SERVER", "here")
    monkeypatch.setenv("SOME_TOKEN", "secret")
    own = Worker(passed_on=("LICENCE_SERVER", "NOT_SET"))
    try:
        [answer] = own.run([job("environment")], 30)
    finally:
        own.close()
    assert decode(answer.result)["program"]["LICENCE_SERVER"] == "here"
    assert "secret" not in answer.result and "NOT_SET" not in answer.result


def test_nothing_is_left_of_thirty_jobs(worker):
    def folders():
        return {
            name
            for name in os.listdir(tempfile.gettempdir())
            if name.startswith(f"groundplan-{os.getpid()}-")
        }

    before = folders()
    for number in range(30):
        worker.run([job("crash", foreign=number % 2 == 0, how="nothing")], 20)
    assert processes.children(worker.pid) == []  # zombies would be listed
    [own] = folders() - before
    assert os.listdir(Path(tempfile.gettempdir()) / own) == []
    pid = worker.pid
    worker.close()
    assert not Path(f"/proc/{pid}").exists()
    assert folders() == before


@pytest.mark.parametrize("foreign", [False, True])
def test_engines_get_what_they_need_of_the_environment_and_no_keys(worker, monkeypatch, foreign):
    for name in [name for name in os.environ if name.startswith("LC_")]:
        monkeypatch.delenv(name)
    keys = "OPENAI_API_KEY ANTHROPIC_API_KEY AWS_SECRET_ACCESS_KEY SOME_TOKEN MY_SERVER DATABASE_URL".split()
    for name in (*keys, "PYTHONSTARTUP", "LANGUAGE", "NOT_LC_ALL", "JAVA_HOME_KEY"):
        monkeypatch.setenv(name, f"canary-{name}")
    needed = {
        "JAVA_HOME": "/opt/jdk", "LC_ALL": "C.UTF-8", "LC_NUMERIC": "C", "LANG": "C", "TZ": "UTC",
        "HOME": "/home/somebody", "LD_LIBRARY_PATH": "/opt/lib", "PATH": os.environ["PATH"],
    }  # fmt: skip
    for name, value in needed.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TMPDIR", tempfile.gettempdir())
    fixed = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    [answer] = worker.run([job("environment", foreign)], 30)
    assert "canary" not in answer.result
    environments = decode(answer.result)
    assert environments.keys() == {"own", "started with", "program"}
    for variables in environments.values():
        assert variables.items() >= (needed | fixed).items()
        assert variables.keys() == needed.keys() | fixed.keys() | {"TMPDIR"}


def test_jobs_run_two_at_a_time_and_share_the_seconds(worker):
    start = time.monotonic()
    answers = worker.run([job("hang")] * 5, 0.5)
    assert {ending(answer) for answer in answers} == {Ending.TIMED_OUT}
    assert time.monotonic() - start < 3


def test_threads_take_turns(worker):
    codes = {}

    def call(number):
        codes[number] = worker.run([job("crash", how="nothing", code=number)], 30)[0].exit

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == {number: number for number in range(8)}


def test_a_busy_worker_does_not_make_a_thread_wait_beyond_its_time(worker):
    worker.run([job("crash", how="nothing")], 20)
    thread = threading.Thread(target=worker.run, args=([job("hang")], 2.0))
    thread.start()
    time.sleep(0.3)
    start = time.monotonic()
    [answer] = worker.run([job("crash", how="nothing")], 0.3)
    assert ending(answer) is Ending.TIMED_OUT
    assert time.monotonic() - start < 1
    thread.join()


def test_a_forked_program_gets_a_worker_of_its_own(worker):
    worker.run([job("crash", how="nothing")], 20)
    mine = worker.pid
    child = os.fork()
    if child == 0:
        ok = worker.run([job("crash", how="nothing", code=5)], 20)[0].exit == 5 and worker.pid != mine
        worker.close()
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert worker.run([job("crash", how="nothing", code=6)], 20)[0].exit == 6
    assert worker.pid == mine


def test_the_limits_of_pyperplan_hold():
    """A task on which breadth-first search runs for hours: stopped by the clock, and by memory."""
    worker = Worker()
    count = 40
    lights = " ".join(f"l{i}" for i in range(count))
    domain = """(define (domain lights) (:requirements :strips) (:predicates (on ?x) (off ?x) (never) (key))
        (:action light :parameters (?x) :precondition (off ?x) :effect (and (on ?x) (not (off ?x))))
        (:action dark :parameters (?x) :precondition (on ?x) :effect (and (off ?x) (not (on ?x))))
        (:action trade :parameters (?x ?y) :precondition (and (on ?x) (off ?y) (key)) :effect
            (and (never) (not (key)) (not (off ?y)))))"""
    goal = "(and (never) (key))"
    problem = f"""(define (problem p) (:domain lights) (:objects {lights})
        (:init (key) {" ".join(f"(off l{i})" for i in range(count))}) (:goal {goal}))"""
    text = PddlText(domain, problem)
    try:
        engine = Pyperplan("bfs", worker)
        slow = engine.solve_text(text, Budget(seconds=1.0))
        large = engine.solve_text(text, Budget(seconds=60.0, memory_mb=80))
        assert slow.ending is Ending.TIMED_OUT
        assert slow.seconds < 2
        assert large.ending is Ending.OUT_OF_MEMORY
        loaded = engine.solve_text(text, Budget(seconds=1.0, memory_mb=1))  # less than it holds at first
        assert loaded.ending is Ending.OUT_OF_MEMORY
        assert not slow.reproducible
        assert processes.children(worker.pid) == []
    finally:
        worker.close()


PROGRAM = """
import sys
from pathlib import Path
from groundplan.engines.worker import Job, SHARED
note = sys.argv[2]
SHARED.run([Job(Path(sys.argv[1]), {"note": note, "linger": 600}, 512, True)], 600)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_program_that_is_stopped_while_planning_leaves_no_process(tmp_path, interruptible, how):
    note = tmp_path / "pids"
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    program = subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM, str(JOBS / "escape.py"), str(note)],
        env=environment,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    wait_until(lambda: note.exists() and len(note.read_text().split()) == 2)
    below = processes.descendants(program.pid)
    assert len(below) == 3  # the worker, the engine, and what the engine started
    if how == signal.SIGINT:
        os.killpg(program.pid, how)  # as a terminal does
    else:
        program.send_signal(how)
    _, errors = program.communicate(timeout=20)
    assert (b"KeyboardInterrupt" in errors) == (how == signal.SIGINT)
    wait_until(lambda: not any(map(alive, below)), 5)
    wait_until(lambda: not [p for p in tmp_path.iterdir() if p.name.startswith("groundplan-")], 5)
