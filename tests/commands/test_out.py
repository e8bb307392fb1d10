"""`--out` writes everything or nothing."""

import errno
import json
import os
import resource
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

GOAL = "(inside_of orange1 fridge)"
FILES = [
    "domain.pddl", "goal.txt", "plan.svg", "plan.txt", "problem.pddl", "program.json", "record.json",
    "symbols.json", "timings.json",
]  # fmt: skip


def test_out_holds_all_that_a_run_gives(cli, tmp_path):
    out = tmp_path / "new" / "run"
    ran = cli("plan", "--scene", "office", "--goal", GOAL, "--out", out)
    assert ran.code == 0
    assert sorted(p.name for p in out.iterdir()) == FILES
    assert [p.name for p in out.parent.iterdir()] == ["run"]
    steps = (out / "plan.txt").read_text().splitlines()
    record = json.loads((out / "record.json").read_text())
    assert steps == record["plan"] and "timings" not in record
    assert [c["printed"] for c in json.loads((out / "program.json").read_text())["commands"]] == steps
    assert json.loads((out / "timings.json").read_text())
    again = cli("simulate", "--scene", "office", "--plan", out / "plan.txt", "--goal", f"@{out / 'goal.txt'}")
    assert again.code == 0


def test_the_same_run_writes_the_same_bytes(cli, tmp_path):
    for name in ("a", "b"):
        assert cli("plan", "--task", "office-planning-long-03", "--out", tmp_path / name).code == 0
    for name in FILES:
        if name != "timings.json":
            assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_a_run_without_a_plan_leaves_its_record(cli, tmp_path):
    goal = "(and (open microwave) (turned_on microwave))"
    assert cli("plan", "--scene", "office", "--goal", goal, "--out", tmp_path / "o").code == 1
    names = {p.name for p in (tmp_path / "o").iterdir()}
    assert "record.json" in names and not names & {"plan.txt", "program.json"}


def test_a_folder_with_files_is_only_replaced_by_force_and_only_where_they_are_results(cli, tmp_path):
    out = tmp_path / "o"
    run = ("plan", "--scene", "office", "--goal", GOAL, "--out", out)
    assert cli(*run).code == 0
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    ran = cli(*run)
    assert ran.code == 2 and "--force" in ran.err and ran.out == ""
    (out / "mine.txt").write_text("mine")
    ran = cli(*run, "--force")
    assert ran.code == 2 and f"{out / 'mine.txt'}: expected a result of an earlier run" in ran.err
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before | {"mine.txt": b"mine"}
    (out / "mine.txt").unlink()
    hopeless = "(and (open microwave) (turned_on microwave))"
    assert cli("plan", "--scene", "office", "--goal", hopeless, "--out", out, "--force").code == 1
    assert not (out / "program.json").exists()
    assert cli(*run, "--force").code == 0
    assert sorted(p.name for p in out.iterdir()) == FILES and [p.name for p in tmp_path.iterdir()] == ["o"]


LISTING = '{"files": {"problem.pddl": ""}}'
"""The record of an earlier run, as far as another run reads it."""


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    """Set the umask as a shell does, to be put back."""
    old = os.umask(0o022)
    yield os.umask
    os.umask(old)


@pytest.mark.parametrize("folder_mode", [0o2775, 0o700, 0o1777, 0o755])
@pytest.mark.parametrize("verb", ["plan", "compile"])
def test_a_replaced_folder_and_its_files_keep_their_modes(cli, tmp_path, umask, verb, folder_mode):
    out = tmp_path / "o"
    out.mkdir()
    for name, own in {"problem.pddl": 0o640, "record.json": 0o600}.items():
        (out / name).write_text(LISTING if name == "record.json" else "old")
        (out / name).chmod(own)
    out.chmod(folder_mode)
    umask(0o027)
    assert cli(verb, "--scene", "office", "--goal", GOAL, "--out", out, "--force").code == 0
    assert oct(mode(out)) == oct(folder_mode)
    assert (out / "problem.pddl").read_text() != "old" and mode(out / "problem.pddl") == 0o640
    assert mode(out / "domain.pddl") == 0o640  # a new one
    if verb == "plan":
        assert mode(out / "record.json") == 0o600 and mode(out / "plan.txt") == 0o640


@pytest.mark.parametrize("own", [0o700, 0o2770])
def test_an_empty_folder_keeps_its_mode(cli, tmp_path, umask, own):
    out = tmp_path / "o"
    out.mkdir()
    out.chmod(own)
    assert cli("compile", "--scene", "office", "--goal", GOAL, "--out", out).code == 0
    assert oct(mode(out)) == oct(own)
    assert {mode(file) for file in out.iterdir()} == {0o644}


@pytest.mark.parametrize(("mask", "folders", "files"), [(0o022, 0o755, 0o644), (0o077, 0o700, 0o600)])
def test_what_is_new_gets_what_the_umask_gives(cli, tmp_path, umask, mask, folders, files):
    umask(mask)
    out = tmp_path / "new" / "o"
    assert cli("compile", "--scene", "office", "--goal", GOAL, "--out", out).code == 0
    assert (mode(out.parent), mode(out)) == (folders, folders)
    assert {mode(file) for file in out.iterdir()} == {files}
    assert cli("scene", "convert", "office", tmp_path / "office.json").code == 0
    assert mode(tmp_path / "office.json") == files


@pytest.mark.parametrize(
    "arguments", [("scene", "convert", "office"), ("scene", "generate", "--nodes", "60", "-o")], ids=" ".join
)
@pytest.mark.parametrize("own", [0o600, 0o640, 0o664, 0o444, 0o200])
def test_a_replaced_scene_keeps_its_mode_and_a_link_is_not_followed(cli, tmp_path, umask, arguments, own):
    target, link = tmp_path / "scene.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(own)
    link.symlink_to(target)
    ran = cli(*arguments, link, "--force")
    assert ran.code == 2 and "got a link" in ran.err and str(link) in ran.err
    assert link.is_symlink() and target.stat().st_size == 3
    assert cli(*arguments, target, "--force").code == 0
    assert oct(mode(target)) == oct(own)
    target.chmod(0o600)
    assert target.read_text() != "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.json", "scene.json"]


def test_nobody_else_can_read_a_private_file_while_it_is_replaced(cli, tmp_path, umask, monkeypatch):
    target = tmp_path / "scene.json"
    target.write_text("old")
    target.chmod(0o600)
    write = os.write
    modes = set()

    def watched(descriptor, data):
        count = write(descriptor, data)
        modes.add(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return count

    monkeypatch.setattr(os, "write", watched)
    assert cli("scene", "convert", "office", target, "--force").code == 0
    assert modes == {0o600}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("own", [0o555, 0o300])
def test_a_folder_that_its_owner_locked_stays_as_it_is(cli, tmp_path, own):
    out = tmp_path / "o"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    out.chmod(own)
    ran = cli("compile", "--scene", "office", "--goal", GOAL, "--out", out, "--force")
    locked = mode(out)
    out.chmod(0o700)
    assert ran.code == 2 and str(out) in ran.err and locked == own
    assert [p.name for p in tmp_path.iterdir()] == ["o"] and [p.name for p in out.iterdir()] == ["mine.txt"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_what_belonged_to_another_group_is_its_owners_alone_and_a_folder_of_others_stays(
    cli, tmp_path, umask
):
    out = tmp_path / "o"
    out.mkdir()
    (out / "problem.pddl").write_text("old")
    (out / "record.json").write_text(LISTING)
    os.chown(out / "problem.pddl", 0, 34567)
    (out / "problem.pddl").chmod(0o660)
    run = ("compile", "--scene", "office", "--goal", GOAL, "--out", out, "--force")
    assert cli(*run).code == 0 and mode(out / "problem.pddl") == 0o600
    os.chown(out, 12345, 23456)
    ran = cli(*run)
    assert ran.code == 2 and "one that belongs to user 12345" in ran.err
    assert (out.stat().st_uid, out.stat().st_gid) == (12345, 23456)


def test_a_file_in_the_way_is_left_alone(cli, tmp_path):
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        ran = cli("plan", "--scene", "office", "--goal", GOAL, "--out", out)
        assert ran.code == 2 and "file" in ran.err
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("verb", ["plan", "compile"])
def test_a_read_only_place(cli, tmp_path, verb):
    if os.geteuid() == 0:
        where = Path("/proc/groundplan")  # root may write anywhere else
    else:
        tmp_path.chmod(0o555)
        where = tmp_path / "out"
    ran = cli(verb, "--scene", "office", "--goal", GOAL, "--out", where)
    assert ran.code == 2 and str(where) in ran.err and "choose another place" in ran.err
    assert "verified:" not in ran.out
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing_half_written(cli, tmp_path, monkeypatch):
    kept = tmp_path / "kept"
    assert cli("plan", "--scene", "office", "--goal", GOAL, "--out", kept).code == 0
    before = {p.name: p.read_bytes() for p in kept.iterdir()}
    write = os.write
    count = iter(range(100))

    def full(descriptor, data):
        if next(count) == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    ran = cli("plan", "--scene", "office", "--goal", GOAL, "--out", kept, "--force")
    assert ran.code == 2 and "No space left on device" in ran.err
    assert "verified:" not in ran.out
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
    assert {p.name: p.read_bytes() for p in kept.iterdir()} == before


def test_a_rename_that_fails_puts_the_old_folder_back(cli, tmp_path, monkeypatch):
    out = tmp_path / "o"
    run = ("plan", "--scene", "office", "--goal", GOAL, "--out", out)
    assert cli(*run).code == 0
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    rename = os.rename
    calls = []

    def failing(source, target):
        calls.append(target)
        if len(calls) == 2:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    assert cli(*run, "--force").code == 2 and len(calls) == 3
    assert [p.name for p in tmp_path.iterdir()] == ["o"]
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_a_real_limit_on_file_size_ends_with_a_message(tmp_path):
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    code = "import sys; from groundplan.commands import main; sys.exit(main(sys.argv[1:]))"
    arguments = ["plan", "--scene", "office", "--goal", GOAL, "--out", str(tmp_path / "new" / "o")]
    child = subprocess.run(
        [sys.executable, "-P", "-B", "-c", code, *arguments],
        preexec_fn=small_files,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert child.returncode == 2
    assert "File too large" in child.stderr and "Traceback" not in child.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.EAGAIN, "Resource temporarily unavailable"), "the operating system refused something"),
        (OSError(errno.ENOSPC, "No space left on device", "/tmp/copy"), "/tmp/copy"),
        (OSError(errno.EMFILE, "Too many open files", b"/tmp/\xff"), "/tmp/\ufffd"),
        (OSError(errno.EIO, "Input/output error", 7), "the operating system refused something"),
    ],
)
def test_an_error_of_the_system_is_not_called_a_failure_to_write(cli, monkeypatch, error, message):
    def refused():
        raise error

    monkeypatch.setattr("groundplan.commands.engines.available_engines", refused)
    ran = cli("engines")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"Error: {message}: {error.strerror}\n"


def test_a_full_standard_output_is_an_error_without_a_traceback():
    code = "import sys; from groundplan.commands import main; sys.exit(main(sys.argv[1:]))"
    with open("/dev/full", "w") as full:
        child = subprocess.run(
            [sys.executable, "-P", "-c", code, "tasks", "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert child.returncode == 2
    assert child.stderr == "Error: cannot write: No space left on device\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "--scene", "office", "--goal", GOAL],
        ["plan", "--scene", "office", "--goal", GOAL, "--json"],
        ["scene", "show", "office"],
        ["--help"],
    ],
    ids=" ".join,
)
def test_a_reader_that_goes_away_is_neither_an_error_message_nor_a_missing_plan(arguments):
    code = "import sys; from groundplan.commands import main; sys.exit(main(sys.argv[1:]))"
    reading, writing = os.pipe()
    os.close(reading)
    child = subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert (child.returncode, child.stderr) == (141, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_in_the_middle_of_a_long_text(unbuffered):
    code = "import sys; from groundplan.commands import main; sys.exit(main(sys.argv[1:]))"
    with subprocess.Popen(
        [sys.executable, "-P", "-c", code, "scene", "generate", "--nodes", "3000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    ) as child:
        assert child.stdout is not None and child.stderr is not None
        assert len(child.stdout.read(50)) == 50
        child.stdout.close()
        assert child.stderr.read() == b"" and child.wait(60) == 141


def test_head_gets_its_line():
    program = "import sys; from groundplan.commands import main; sys.exit(main(sys.argv[1:]))"
    command = f"{shlex.quote(sys.executable)} -P -c '{program}' scene show office | head -1"
    child = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert child.stderr == "" and child.stdout.startswith("office")


@pytest.mark.parametrize("name", ["goal.txt", "plan.txt", "record.json"])
@pytest.mark.parametrize("verb", ["plan", "compile"])
def test_a_file_of_the_user_under_the_name_of_a_result_is_left_alone(cli, tmp_path, verb, name):
    (tmp_path / "sub").mkdir()
    mine = tmp_path / name
    mine.write_text(f"{GOAL} ; my notes")
    goal = f"@{mine}" if name == "goal.txt" else GOAL
    ran = cli(verb, "--scene", "office", "--goal", goal, "--out", tmp_path, "--force")
    assert ran.code == 2 and f"{mine}: expected a result of an earlier run" in ran.err and not ran.out
    assert mine.read_text() == f"{GOAL} ; my notes" and len([*tmp_path.iterdir()]) == 2
