"""Files of users stay as they are, whatever ends a run that writes beside them, and at whatever moment."""

import errno
import fcntl
import itertools
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from groundplan.commands.output.folder import write_file, write_folder
from groundplan.commands.output.seals import RECORD, differences, sealed
from groundplan.domains.errors import InputError
from groundplan.domains.storage.temporary import is_temporary, temporary_path

CALLS = (
    "open write fsync close fchmod fchown setxattr removexattr link rename unlink mkdir rmdir".split()
)  # all by which the disk is changed, or an error of the disk comes out
OWN = {"plan.txt": 0o640, "problem.pddl": 0o604, "program.json": 0o600, RECORD: 0o444}
FOREIGN = {"mine.txt": 0o600, "notes.md": 0o444, ".hidden": 0o640, "sub/deep.txt": 0o755}


def results(word):
    """Return the files of a run; one is not there before, and ``program.json`` is not there after it."""
    return sealed(
        {"plan.txt": f"{word}\n", "problem.pddl": f"({word})\n", "goal.txt": word}, {"run": word}, {}
    )


def furnished(folder):
    """Make a folder with files of an earlier run and of the user, of several modes, times and attributes."""
    (folder / "sub").mkdir(parents=True)
    old = sealed({"plan.txt": "old\n", "problem.pddl": "(old)\n", "program.json": "{}"}, {"run": "old"}, {})
    for name, text in [*((n, t) for n, t in old.items() if n in OWN), *((n, "mine") for n in FOREIGN)]:
        (folder / name).write_text(text)
        give_attribute(folder / name)
        (folder / name).chmod((OWN | FOREIGN)[name])
    (folder / "way").symlink_to("nowhere")
    folder.chmod(0o2750)
    return folder


def give_attribute(path):
    with suppress(OSError):  # a disk without attributes
        os.setxattr(path, "user.note", b"kept")


def attributes(path):
    try:
        names = os.listxattr(path, follow_symlinks=False)
        return {name: os.getxattr(path, name, follow_symlinks=False) for name in names}
    except OSError:
        return {}


def entry(path):
    status = path.lstat()
    kind = stat.S_IFMT(status.st_mode)
    data = path.read_bytes() if kind == stat.S_IFREG else os.readlink(path) if path.is_symlink() else b""
    return oct(status.st_mode), status.st_uid, status.st_gid, status.st_nlink, attributes(path), data


def state(folder):
    """Return all that there is to say about every file below a folder, by its name."""
    return {p.relative_to(folder).as_posix(): entry(p) for p in (folder, *sorted(folder.rglob("*")))}


def in_child(work):
    """Run in a process of its own, which may end anywhere; return its exit code."""
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            work()
            code = 0
        except InputError:
            code = 2
        except KeyboardInterrupt:
            code = 130
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def stopping(number, stop):
    """Put ``stop(call)`` in the place of the given call of those that change the disk; count the calls."""
    count = itertools.count()

    def patched(call):
        def instead(*arguments, **more):
            return (
                stop(lambda: call(*arguments, **more)) if next(count) == number else call(*arguments, **more)
            )

        return instead

    os.fsync = lambda descriptor: None  # only counted: it is slow, and a kill of a process loses nothing
    for name in CALLS:
        setattr(os, name, patched(getattr(os, name)))
    return count


def fails(code):
    def stop(call):
        raise OSError(code, os.strerror(code))

    return stop


def interrupted_before(call):
    raise KeyboardInterrupt


def interrupted_after(call):
    call()
    raise KeyboardInterrupt


def killed(call):
    os.kill(os.getpid(), signal.SIGKILL)


def killed_after(call):
    call()
    os.kill(os.getpid(), signal.SIGKILL)


STOPS = {
    "EIO": fails(errno.EIO),
    "ENOSPC": fails(errno.ENOSPC),
    "EDQUOT": fails(errno.EDQUOT),
    "Ctrl-C before": interrupted_before,
    "Ctrl-C after": interrupted_after,
    "kill before": killed,
    "kill after": killed_after,
}


def boundaries(work):
    """Count the calls by which work that goes well changes the disk."""
    reading, writing = os.pipe()

    def counted():
        count = stopping(-1, killed)
        work()
        number = next(count)
        os.write(writing, str(number).encode())

    assert in_child(counted) == 0
    os.close(writing)
    with open(reading) as pipe:
        return int(pipe.read())


def without_temporaries(entries):
    return {name: value for name, value in entries.items() if not is_temporary(Path(name).name)}


EACH = [
    *(pytest.param(s, 1, id=f"{n}, each call", marks=pytest.mark.slow) for n, s in STOPS.items()),
    *(pytest.param(STOPS[n], 13, id=n) for n in ("EIO", "Ctrl-C after", "kill after")),
]
"""Ends of runs, and how many calls there are from one that is ended to the next."""


@pytest.mark.parametrize(("stop", "stride"), EACH)
def test_whatever_ends_a_run_at_whatever_call_files_of_the_user_stay(tmp_path, stop, stride):
    def work(folder):
        return lambda: write_folder(folder, results("new"), force=True)

    number = boundaries(work(furnished(tmp_path / "counted")))
    assert number > 60
    new = {n: text.encode() for n, text in results("new").items()}
    for boundary in range(stride // 2, number, stride):
        folder = furnished(tmp_path / f"{boundary}")
        before = state(folder)

        def stopped(folder=folder, boundary=boundary):
            stopping(boundary, stop)
            work(folder)()

        code = in_child(stopped)
        assert code in (0, 2, 130, -signal.SIGKILL)
        now = without_temporaries(state(folder))
        foreign = before.keys() - OWN.keys()
        assert {n: now[n] for n in foreign} == {n: before[n] for n in foreign}
        for name in OWN.keys() & now.keys():
            assert now[name][:5] == (*before[name][:3], now[name][3], before[name][4])
        texts = {n: e[-1] for n, e in now.items() if n not in foreign}
        if texts not in (old := {n: before[n][-1] for n in OWN}, new):
            assert code == -signal.SIGKILL, "all or nothing"
            assert all(texts[n] in (old.get(n), new.get(n)) for n in texts)
            listed = json.loads(texts[RECORD])["files"]
            assert differences(folder / RECORD, listed), "a mixture that nobody sees"
        assert in_child(work(folder)) == 0
        left = state(folder)
        assert left.keys() == foreign | new.keys(), "leftovers"
        assert {n: left[n][-1] for n in new} == new
        assert {n: left[n] for n in foreign} == {n: before[n] for n in foreign}


def interrupted_from(number):
    """Send Ctrl-C at each call that changes the disk, from the given one on."""
    count = itertools.count()

    def patched(call):
        def instead(*arguments, **more):
            if next(count) >= number:
                os.kill(os.getpid(), signal.SIGINT)
            return call(*arguments, **more)

        return instead

    os.fsync = lambda descriptor: None
    for name in CALLS:
        setattr(os, name, patched(getattr(os, name)))


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_ctrl_c_again_and_again_leaves_no_mixture(tmp_path, stride):
    def work(folder):
        return lambda: write_folder(folder, results("new"), force=True)

    new = {n: text.encode() for n, text in results("new").items()}
    for boundary in range(0, boundaries(work(furnished(tmp_path / "counted"))), stride):
        folder = furnished(tmp_path / f"{boundary}")
        before = state(folder)

        def stopped(folder=folder, boundary=boundary):
            interrupted_from(boundary)
            work(folder)()

        code = in_child(stopped)
        now = without_temporaries(state(folder))
        texts = {n: e[-1] for n, e in now.items() if n not in FOREIGN and n in OWN.keys() | new.keys()}
        assert texts in ({n: before[n][-1] for n in OWN}, new), boundary
        assert code != 0 or texts == new  # at the very end there may be nothing left to interrupt
        assert {n: e for n, e in now.items() if n not in texts} == {
            n: e for n, e in before.items() if n not in OWN
        }
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(("stop", "stride"), EACH)
@pytest.mark.parametrize("own", [0o600, None])
def test_whatever_ends_the_writing_of_one_file_all_others_stay(tmp_path, stop, stride, own):
    def work(folder):
        return lambda: write_file(folder / "scene.json", "new", force=own is not None)

    def prepared(name):
        folder = furnished(tmp_path / name)
        if own is not None:
            (folder / "scene.json").write_text("old")
            (folder / "scene.json").chmod(own)
        return folder

    for boundary in range(stride // 2, boundaries(work(prepared("counted"))), stride):
        folder = prepared(f"{boundary}")
        before = state(folder)

        def stopped(folder=folder, boundary=boundary):
            stopping(boundary, stop)
            work(folder)()

        code = in_child(stopped)
        now = without_temporaries(state(folder))
        new = now.pop("scene.json", None)
        old = before.pop("scene.json", None)
        assert now == before
        if new is not None and (old is None or new[-1] != old[-1]):
            assert new[-1] == b"new" and (own is None or new[0] == old[0])
        elif code == 0 or own is not None:
            assert code != 0 and new[:3] == old[:3]
        again = in_child(work(folder))
        assert again == (0 if own is not None or new is None else 2)
        left = state(folder)
        assert left.pop("scene.json")[-1] == b"new" and left == before


@pytest.mark.parametrize(("stop", "stride"), EACH)
def test_a_run_that_is_ended_leaves_a_folder_that_the_next_one_fills(tmp_path, stop, stride):
    def work(folder):
        return lambda: write_folder(folder / "new" / "run", results("new"))

    for boundary in range(stride // 2, boundaries(work(tmp_path / "counted")), stride):
        folder = tmp_path / f"{boundary}"
        folder.mkdir()

        def stopped(folder=folder, boundary=boundary):
            stopping(boundary, stop)
            work(folder)()

        code = in_child(stopped)
        names = {p.name for p in (folder / "new" / "run").glob("*") if not is_temporary(p.name)}
        assert names in (set(), set(results("new"))) or code == -signal.SIGKILL
        again = in_child(work(folder))
        assert again == (2 if names else 0)
        if again:
            write_folder(folder / "new" / "run", results("new"), force=True)
        assert {p.name for p in (folder / "new" / "run").iterdir()} == set(results("new"))
        assert sorted(os.listdir(folder)) == ["new"]


WRITERS = 12


@pytest.mark.parametrize("force", [False, True])
def test_of_many_writers_one_wins_without_force_and_all_with_it(tmp_path, force):
    folder = tmp_path / "run"
    if force:
        furnished(folder)
    before = state(folder) if force else {}
    go, start = os.pipe()
    children = []
    for number in range(WRITERS):
        pid = os.fork()
        if pid == 0:
            code = 99
            try:
                os.close(start)
                os.read(go, 1)
                write_folder(folder, results(f"{number}"), force=force)
                code = 0
            except InputError:
                code = 2
            finally:
                os._exit(code)
        children.append(pid)
    os.close(start)  # all begin
    os.close(go)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    assert sorted(codes) == ([0] * WRITERS if force else [0] + [2] * (WRITERS - 1))
    now = state(folder)
    foreign = before.keys() - OWN.keys()
    assert {n: now[n] for n in foreign} == {n: before[n] for n in foreign}
    assert now.keys() - foreign - {"."} == set(results("new"))
    assert differences(folder / RECORD, json.loads((folder / RECORD).read_text())["files"]) == {}
    if not force:
        assert (folder / "goal.txt").read_text() == f"{codes.index(0)}"


def test_only_unfinished_files_of_dead_processes_are_removed(tmp_path, monkeypatch):
    """One process lives, two have ended; of two on other machines one holds its file."""
    folder = tmp_path / "run"
    folder.mkdir()
    alive = temporary_path(folder)
    alive.write_text("")
    parts = alive.name.split("-")
    reused = folder / "-".join((*parts[:3], "1", parts[4]))
    dead = folder / "-".join((*parts[:2], "4194304", *parts[3:]))
    held, left = (folder / "-".join((parts[0], machine, *parts[2:])) for machine in ("0" * 8, "1" * 8))
    mine = folder / ".groundplan-mine"
    for path in (reused, dead, held, left, mine):
        path.write_text("")
    with held.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_folder(folder, results("new"), force=True)
        assert set(os.listdir(folder)) - set(results("new")) == {p.name for p in (alive, held, left, mine)}
        monkeypatch.setattr("groundplan.domains.storage.temporary.MOMENT", -1.0)
        write_folder(folder, results("newer"), force=True)
        assert set(os.listdir(folder)) - set(results("new")) == {p.name for p in (alive, held, mine)}


PROGRAM = "import sys; from groundplan.commands import main; sys.exit(main(sys.argv[1:]))"
GOAL = "(inside_of orange1 fridge)"


def check_users_files(folder, before):
    """Compare a folder with what it was before a run that was ended."""
    now = state(folder)
    foreign = before.keys() - OWN.keys()
    assert {n: now[n] for n in foreign} == {n: before[n] for n in foreign}
    own = OWN.keys() & now.keys()
    assert {n: now[n][:3] for n in own} == {n: before[n][:3] for n in own}


@pytest.mark.parametrize("kills", [15, pytest.param(50, marks=pytest.mark.slow)])
def test_kills_at_random_moments_of_writing(tmp_path, kills):
    folder = furnished(tmp_path / "run")
    before = state(folder)
    chance = random.Random(7)
    for number in range(kills):
        pid = os.fork()
        if pid == 0:
            try:
                for word in itertools.count():
                    write_folder(folder, results(f"{number} {word}"), force=True)
            finally:
                os._exit(99)
        time.sleep(chance.uniform(0.0, 0.05))
        os.kill(pid, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
        check_users_files(folder, before)
    write_folder(folder, results("last"), force=True)
    assert state(folder).keys() == (before.keys() - OWN.keys()) | results("last").keys()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_fifty_kills_at_random_moments_of_a_run(tmp_path):
    folder = furnished(tmp_path / "run")
    before = state(folder)
    command = [sys.executable, "-P", "-c", PROGRAM, "plan", "--scene", "office", "--goal", GOAL]
    command += ["--out", str(folder), "--force"]
    begun = time.monotonic()
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    usual = time.monotonic() - begun
    chance = random.Random(7)
    for _ in range(50):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            time.sleep(chance.uniform(0.0, usual))
            child.kill()
        check_users_files(folder, before)
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    assert not any(is_temporary(path.name) for path in (*folder.iterdir(), *tmp_path.iterdir()))
    assert differences(folder / RECORD, json.loads((folder / RECORD).read_text())["files"]) == {}
