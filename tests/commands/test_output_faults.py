"""Files of users stay as they are, whatever ends a run that writes beside them, and at whatever moment."""

import errno
import itertools
import json
import os
import random
import signal
import stat
import time
from contextlib import contextmanager

import pytest

from groundplan.commands.output.folder import write_file, write_folder
from groundplan.commands.output.seals import RECORD, differences, sealed
from groundplan.domains.errors import InputError
from groundplan.domains.storage.temporary import is_temporary

CALLS = "open write fsync close fchmod rename replace unlink mkdir rmdir".split()
"""All by which the disk is changed, or an error of the disk comes out."""
FOREIGN = {"mine.txt": 0o600, "notes.md": 0o444, ".hidden": 0o640, "sub/deep.txt": 0o755}


def results(word):
    """Return the files of a run; ``program.json`` is not there after a new one."""
    more = {"program.json": "{}"} if word == "old" else {"goal.txt": word}
    return sealed({"plan.txt": f"{word}\n", "problem.pddl": f"({word})\n", **more}, {"run": word}, {})


def bytes_of(word):
    return {name: text.encode() for name, text in results(word).items()}


def furnished(folder):
    """Make a folder with files of the user, and beside them a folder with results of an earlier run."""
    (folder / "sub").mkdir(parents=True)
    for name, mode in FOREIGN.items():
        (folder / name).write_text("mine")
        (folder / name).chmod(mode)
    (folder / "way").symlink_to("nowhere")
    write_folder(folder / "run", results("old"))
    (folder / "run").chmod(0o2750)
    (folder / "run" / "plan.txt").chmod(0o600)
    return folder


def entry(path):
    status = path.lstat()
    kind = stat.S_IFMT(status.st_mode)
    data = path.read_bytes() if kind == stat.S_IFREG else os.readlink(path) if path.is_symlink() else b""
    return oct(status.st_mode), status.st_uid, status.st_gid, data


def state(folder):
    """Return all that there is to say about every file below a folder, but what a kill leaves."""
    paths = (p for p in sorted(folder.rglob("*")) if not any(map(is_temporary, p.parts)))
    return {p.relative_to(folder).as_posix(): entry(p) for p in paths}


def split(folder):
    """Return the files of the user, and the results beside them with their bytes."""
    now = state(folder)
    run = {name.removeprefix("run/"): value[-1] for name, value in now.items() if name.startswith("run/")}
    return {name: value for name, value in now.items() if not name.startswith("run")}, run


def moved_aside(folder):
    """Return the results in the folders that a kill left, those that are whole."""
    parts = [path for path in folder.iterdir() if is_temporary(path.name) and path.is_dir()]
    return [{file.name: file.read_bytes() for file in part.iterdir()} for part in parts]


def code_of(work):
    """Return the exit code of a program that does some work."""
    try:
        work()
    except InputError:
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def in_child(work):
    """Run in a process of its own, which may end anywhere; return its exit code."""
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            code = code_of(work)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@contextmanager
def stopping(number, stop):
    """Put ``stop(call)`` in the place of the given call of those that change the disk; count the calls."""
    count = itertools.count()

    def patched(call):
        def instead(*arguments, **more):
            return (
                stop(lambda: call(*arguments, **more)) if next(count) == number else call(*arguments, **more)
            )

        return instead

    with pytest.MonkeyPatch.context() as patch:
        # fsync is only counted: it is slow, and a kill of a process loses nothing.
        patch.setattr(os, "fsync", lambda descriptor: None)
        for name in CALLS:
            patch.setattr(os, name, patched(getattr(os, name)))
        yield count


def ended(work, number, stop):
    """Return the exit code of work of which one call is stopped: a process of its own is only for a kill.

    That copies this one, which takes longer than the work.
    """

    def stopped():
        with stopping(number, stop):
            work()

    return in_child(stopped) if stop in (killed, killed_after) else code_of(stopped)


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
    "Ctrl-C before": interrupted_before,
    "Ctrl-C after": interrupted_after,
    "kill before": killed,
    "kill after": killed_after,
}


def boundaries(work):
    """Count the calls by which work that goes well changes the disk."""
    with stopping(-1, killed) as count:
        work()
        return next(count)


EACH = [pytest.param(stop, id=name) for name, stop in STOPS.items()]


@pytest.mark.parametrize("stop", EACH)
def test_whatever_ends_a_run_at_whatever_call_files_of_the_user_stay(tmp_path, stop):
    """The results are the old ones or the new ones, whole; after a kill in the middle they lie aside."""

    def work(folder):
        return lambda: write_folder(folder / "run", results("new"), force=True)

    old, new = bytes_of("old"), bytes_of("new")
    number = boundaries(work(furnished(tmp_path / "counted")))
    assert number > 30
    for boundary in range(number):
        folder = furnished(tmp_path / f"{boundary}")
        before, _ = split(folder)
        code = ended(work(folder), boundary, stop)
        assert code in (0, 2, 130, -signal.SIGKILL)
        after, run = split(folder)
        assert after == before
        if not run:
            assert code == -signal.SIGKILL and old in (aside := moved_aside(folder)) and new in aside
        else:
            assert run in (old, new) and (code != 0 or run == new)
            assert stat.S_IMODE((folder / "run").stat().st_mode) == 0o2750
            assert stat.S_IMODE((folder / "run" / "plan.txt").stat().st_mode) == 0o600
        assert code_of(work(folder)) == 0
        after, run = split(folder)
        assert (after, run) == (before, new)


@pytest.mark.parametrize("stop", EACH)
@pytest.mark.parametrize("own", [0o600, None])
def test_whatever_ends_the_writing_of_one_file_all_others_stay(tmp_path, stop, own):
    def work(folder):
        return lambda: write_file(folder / "scene.json", "new", force=own is not None)

    def prepared(name):
        folder = furnished(tmp_path / name)
        if own is not None:
            (folder / "scene.json").write_text("old")
            (folder / "scene.json").chmod(own)
        return folder

    for boundary in range(boundaries(work(prepared("counted")))):
        folder = prepared(f"{boundary}")
        before = state(folder)
        code = ended(work(folder), boundary, stop)
        now = state(folder)
        new = now.pop("scene.json", None)
        old = before.pop("scene.json", None)
        assert now == before
        if own is not None:
            assert new[:3] == old[:3] and new[-1] in (b"old", b"new") and (code != 0 or new[-1] == b"new")
        else:
            assert new is None or new[-1] == b"new" or (new[-1] == b"" and code != 0)
        assert code_of(work(folder)) == (0 if own is not None or new is None else 2)
        left = state(folder)
        del left["scene.json"]
        assert left == before


@pytest.mark.parametrize("stop", EACH)
def test_a_run_that_is_ended_leaves_a_place_that_the_next_one_fills(tmp_path, stop):
    def work(folder):
        return lambda: write_folder(folder / "new" / "run", results("new"))

    for boundary in range(boundaries(work(tmp_path / "counted"))):
        folder = tmp_path / f"{boundary}"
        folder.mkdir()
        ended(work(folder), boundary, stop)
        names = {p.name for p in (folder / "new" / "run").glob("*")}
        assert names in (set(), set(results("new")))
        assert names or not any(value[-1] for value in state(folder).values()), "half of a run"
        assert code_of(work(folder)) == (2 if names else 0)
        assert {p.name for p in (folder / "new" / "run").iterdir()} == set(results("new"))


WRITERS = 12


@pytest.mark.parametrize("force", [False, True])
def test_of_many_writers_one_wins_and_its_results_are_whole(tmp_path, force):
    folder = furnished(tmp_path / "there") if force else tmp_path
    before, _ = split(folder)
    go, start = os.pipe()
    children = []
    for number in range(WRITERS):
        pid = os.fork()
        if pid == 0:
            code = 99
            try:
                os.close(start)
                os.read(go, 1)
                write_folder(folder / "run", results(f"{number}"), force=force)
                code = 0
            except InputError:
                code = 2
            finally:
                os._exit(code)
        children.append(pid)
    os.close(start)  # all begin
    os.close(go)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    assert set(codes) <= {0, 2} and 0 in codes and (force or codes.count(0) == 1)
    after, run = split(folder)
    assert after == before
    assert run in [bytes_of(f"{number}") for number, code in enumerate(codes) if code == 0]
    record = folder / "run" / RECORD
    assert differences(record, json.loads(record.read_text())["files"]) == {}


def test_a_place_that_is_taken_meanwhile_keeps_what_is_there_and_says_where_the_old_results_are(tmp_path):
    folder = furnished(tmp_path / "there")
    rename, calls = os.rename, itertools.count()

    def taken(source, target):
        rename(source, target)
        if next(calls) == 0:  # the old folder is aside
            (folder / "run").mkdir()
            (folder / "run" / "mine.txt").write_text("mine")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "rename", taken)
        with pytest.raises(InputError, match="the results that were there are in "):
            write_folder(folder / "run", results("new"), force=True)
    assert [p.read_text() for p in (folder / "run").iterdir()] == ["mine"]
    assert moved_aside(folder) == [bytes_of("old")]


@pytest.mark.parametrize("kills", [15, pytest.param(50, marks=pytest.mark.slow)])
def test_kills_at_random_moments_of_writing(tmp_path, kills):
    folder = furnished(tmp_path / "there")
    before, _ = split(folder)
    chance = random.Random(7)
    for number in range(kills):
        pid = os.fork()
        if pid == 0:
            try:
                for word in itertools.count():
                    write_folder(folder / "run", results(f"{number} {word}"), force=True)
            finally:
                os._exit(99)
        time.sleep(chance.uniform(0.0, 0.05))
        os.kill(pid, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
        after, run = split(folder)
        assert after == before and (run == {} or differences(folder / "run" / RECORD, listed(run)) == {})
    write_folder(folder / "run", results("last"), force=True)
    assert split(folder) == (before, bytes_of("last"))


def listed(run):
    return json.loads(run[RECORD])["files"]
