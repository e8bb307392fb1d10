"""`--out` writes everything or nothing."""

import errno
import json
import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

GOAL = "(inside_of orange1 fridge)"
FILES = [
    "domain.pddl", "goal.txt", "plan.txt", "problem.pddl", "program.json", "record.json", "symbols.json",
    "timings.json",
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


def test_a_folder_with_files_is_only_replaced_by_force(cli, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    ran = cli("plan", "--scene", "office", "--goal", GOAL, "--out", tmp_path)
    assert ran.code == 2 and "--force" in ran.err and ran.out == ""
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
    (tmp_path / "program.json").write_text("of an earlier run")
    hopeless = "(and (open microwave) (turned_on microwave))"
    assert cli("plan", "--scene", "office", "--goal", hopeless, "--out", tmp_path, "--force").code == 1
    assert not (tmp_path / "program.json").exists()
    assert cli("plan", "--scene", "office", "--goal", GOAL, "--out", tmp_path, "--force").code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*FILES, "mine.txt"])
    assert (tmp_path / "mine.txt").read_text() == "mine"


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
    kept.mkdir()
    (kept / "old.txt").write_text("old")
    write = Path.write_text
    count = iter(range(100))

    def full(self, *arguments, **more):
        if next(count) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(self, *arguments, **more)

    monkeypatch.setattr(Path, "write_text", full)
    ran = cli("plan", "--scene", "office", "--goal", GOAL, "--out", kept, "--force")
    assert ran.code == 2 and "No space left on device" in ran.err
    assert "verified:" not in ran.out
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
    assert [p.name for p in kept.iterdir()] == ["old.txt"]


def test_a_rename_that_fails_puts_the_old_folder_back(cli, tmp_path, monkeypatch):
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "old.txt").write_text("old")
    rename = Path.rename
    calls = []

    def failing(self, target):
        calls.append(target)
        if len(calls) == 2:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    assert cli("plan", "--scene", "office", "--goal", GOAL, "--out", tmp_path / "o", "--force").code == 2
    assert [p.name for p in tmp_path.iterdir()] == ["o"]
    assert [p.name for p in (tmp_path / "o").iterdir()] == ["old.txt"]


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
