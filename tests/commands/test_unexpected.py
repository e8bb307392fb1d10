"""An error that nobody thought of: exit code 70, one line, and a traceback only where the user wants it."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from groundplan.commands.unexpected import NO_MEMORY, report

# The entry point as `groundplan` runs it, with a verb that fails as the test says.
PROGRAM = """
import sys
import groundplan.commands.engines as verb

def fail():
{fault}

verb.command.callback = lambda **options: fail()
from groundplan.__main__ import main
sys.argv = ["groundplan", "engines"]
main()
"""
OWN = "groundplan: an error of groundplan itself: "
HINT = "Please report it; set GROUNDPLAN_TRACEBACK=FILE to keep the traceback.\n"


def run(fault, environment=None, limits=None, **more):
    """Run the entry point with a fault in its verb."""
    lines = "\n".join("    " + line for line in fault.splitlines())
    plain = {k: v for k, v in os.environ.items() if k not in ("GROUNDPLAN_TRACEBACK", "PYTHONUNBUFFERED")}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    return subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM.format(fault=lines)],
        env=plain | (environment or {}),
        preexec_fn=limits,
        text=True,
        timeout=60,
        check=False,
        **streams,
    )


def line_of(child):
    """The one line that a failed run says."""
    assert child.returncode == 70, child.stderr
    assert child.stderr.count("\n") == 1 and child.stderr.endswith("\n")
    assert child.stderr.startswith(OWN)
    return child.stderr.removeprefix(OWN)


def memory_line_of(child):
    """The rest of the line that a run without memory says."""
    assert child.returncode == 2, child.stderr
    assert child.stderr.count("\n") == 1 and child.stderr.endswith("\n")
    assert child.stderr.startswith(f"groundplan: {NO_MEMORY}")
    return child.stderr.removeprefix(f"groundplan: {NO_MEMORY}")


@pytest.mark.parametrize(
    "fault",
    [
        "raise MemoryError",
        "raise ImportError('libx.so: failed to map segment from shared object')",
        "raise ImportError('libx.so: cannot allocate memory in static TLS block')",
    ],
)
def test_memory_that_is_refused_is_no_error_of_groundplan(fault):
    assert memory_line_of(run(fault)).startswith("; set GROUNDPLAN_TRACEBACK=FILE")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("raise KeyError('x')", "KeyError: 'x'"),
        ("return fail()", "RecursionError: maximum recursion depth exceeded"),
        ('raise RuntimeError("can\'t start new thread")', "RuntimeError: can't start new thread"),
        ("from decimal import no_such_name", "ImportError: cannot import name 'no_such_name'"),
        ("raise ExceptionGroup('two', [ValueError('a'), KeyError('b')])", "ExceptionGroup: two"),
        ("raise AssertionError", "AssertionError"),
    ],
)
def test_an_unexpected_error_is_one_line_and_a_code_of_its_own(fault, words):
    child = run(fault)
    line = line_of(child)
    assert line.startswith(words) and line.endswith(f". {HINT}")
    assert child.stdout == ""


def test_what_was_printed_before_stays():
    child = run("print('before')\nraise KeyError('x')")
    assert line_of(child) == f"KeyError: 'x'. {HINT}" and child.stdout == "before\n"


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        ("raise KeyboardInterrupt", 130, "cancelled\n"),
        ("sys.exit(5)", 5, ""),
        (
            "from groundplan.domains.errors import InputError\nraise InputError('here', 'a', 'b')",
            2,
            "Error: ",
        ),
    ],
)
def test_other_ends_stay_what_they_are(fault, code, words):
    child = run(fault)
    assert child.returncode == code and child.stderr.lstrip().startswith(words)
    assert OWN not in child.stderr and "Traceback" not in child.stderr


def test_the_message_is_short_and_printable():
    line = line_of(run("raise ValueError('one\\ntwo\\x1b]52;c;eA==\\x07\\u202e\\udc80' + 'x' * 10**6)"))
    assert line.startswith("ValueError: one\\u000atwo\\u001b]52;c;eA==\\u0007\\u202e\\udc80xxx")
    assert line.endswith(f"x…. {HINT}") and len(line) == 200 + len(f". {HINT}")


def test_an_error_that_cannot_say_what_it_is():
    fault = "class Odd(Exception):\n    def __str__(self):\n        raise KeyError('inner')\nraise Odd"
    line = line_of(run(fault))
    assert "Odd" in line and "inner" not in line


def test_the_traceback_is_kept_where_the_user_wants_it(tmp_path):
    file = tmp_path / "trace.txt"
    earlier = "of an earlier run, much longer than this one\n"
    file.write_text("Traceback of groundplan\n" + earlier * 1000)
    fault = "try:\n    {}['first']\nexcept KeyError:\n    raise ValueError('second\\udc80')"
    line = line_of(run(fault, {"GROUNDPLAN_TRACEBACK": str(file)}))
    assert line == (f"ValueError: second\\udc80. Please report it with its traceback, which is in {file}.\n")
    text = file.read_text()
    assert text.startswith("Traceback of groundplan\nTraceback (most recent") and "earlier" not in text
    assert "KeyError: 'first'" in text and text.endswith("ValueError: second\\udc80\n")
    assert "in run_command_line" in text or "in main" in text


FOREIGN = [
    "buy milk",
    "\n",
    "Traceback of my walk\n",
    '{"nodes":[]}',
    "Traceback (most recent call last):\n  of Ann's",
]


@pytest.mark.parametrize("text", FOREIGN)
def test_a_file_of_something_else_is_not_replaced_by_a_traceback(tmp_path, text):
    file = tmp_path / "notes.txt"
    file.write_text(text)
    line = line_of(run("raise KeyError('x')", {"GROUNDPLAN_TRACEBACK": str(file)}))
    assert line.endswith(f"could not be written to {file}: the file holds something else.\n")
    assert file.read_text() == text


@pytest.mark.parametrize("way", ["a link", "2 names (hard links)", "a link "])
def test_a_traceback_is_written_through_no_link(tmp_path, way):
    name, other = tmp_path / "trace.txt", tmp_path / "other"
    if way == "2 names (hard links)":
        other.touch()
        name.hardlink_to(other)
    else:
        name.symlink_to(other)
        if way == "a link ":
            other.touch()
    line = line_of(run("raise KeyError('x')", {"GROUNDPLAN_TRACEBACK": str(name)}))
    assert f"could not be written to {name}: " in line and way.strip() in line
    assert not other.exists() or other.read_bytes() == b""


def test_a_recursion_error_has_a_traceback_too(tmp_path):
    file = tmp_path / "trace.txt"
    line_of(run("return fail()", {"GROUNDPLAN_TRACEBACK": str(file)}))
    assert "RecursionError" in file.read_text() and len(file.read_text()) < 20_000


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("folder", "Is a directory"),
        ("missing/trace.txt", "No such file or directory"),
        ("pipe", "No such device or address"),
        ("/dev/full", "No space left on device"),
        ("x" * 300, "File name too long"),
    ],
)
def test_a_traceback_that_cannot_be_written_is_said_in_the_same_line(tmp_path, place, why):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    name = tmp_path / place
    line = line_of(run("raise KeyError('x')", {"GROUNDPLAN_TRACEBACK": str(name)}))
    shown = str(name) if len(str(name)) <= 200 else str(name)[:199] + "…"
    assert line == f"KeyError: 'x'. Please report it; its traceback could not be written to {shown}: {why}.\n"


INTERRUPT = "import os, signal, time\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(9)\n"


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (f"{INTERRUPT}finally:\n    pass", "cancelled\n"),
        (f"{INTERRUPT}except KeyboardInterrupt:\n    raise ImportError('half loaded')", ""),
        (f"{INTERRUPT}except KeyboardInterrupt:\n    raise SystemError('unreported exception')", ""),
    ],
)
def test_ctrl_c_is_no_error_whatever_a_module_that_is_loaded_makes_of_it(fault, said):
    child = run(fault)
    assert (child.returncode, child.stdout, child.stderr.lstrip()) == (130, "", said)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_while_the_command_line_is_loaded_is_silent(tmp_path):
    stop = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
    (tmp_path / "click.py").write_text(stop)
    child = subprocess.run(
        [sys.executable, "-P", "-c", "from groundplan.__main__ import main; main()"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (child.returncode, child.stdout, child.stderr) == (130, "", "")


def test_an_empty_name_of_a_file_is_none():
    assert line_of(run("raise KeyError('x')", {"GROUNDPLAN_TRACEBACK": ""})) == f"KeyError: 'x'. {HINT}"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        pytest.param(name, key, marks=pytest.mark.slow if (n + k) % 2 else ())
        for n, name in enumerate(("OPENAI_API_KEY", "MY_SERVER_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_ID"))
        for k, key in enumerate(("canary-0123456789-abcdef", "canary'\"\\\\0123456789"))
    ],
)
def test_keys_are_in_neither_the_line_nor_the_traceback(tmp_path, name, key):
    file = tmp_path / "trace.txt"
    fault = f"import os\nraise KeyError('Bearer ' + os.environ['{name}'] + 'x' * 300)"
    line = line_of(run(fault, {"GROUNDPLAN_TRACEBACK": str(file), name: key}))
    for text in (line, file.read_text()):
        assert 'KeyError: "Bearer [key]x' in text.replace("'", '"') and "canary" not in text


def test_a_key_is_not_cut_in_two():
    key = "canary" * 20
    line = line_of(run(f"raise KeyError('x' * 150 + '{key}')", {"OPENAI_API_KEY": key}))
    assert "canary" not in line and "[key]" in line


@pytest.mark.parametrize("place", ["kept", "sys.kept"])
def test_memory_that_is_used_up(tmp_path, place):
    def little():
        resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))

    file = tmp_path / "trace.txt"
    fault = f"{place} = []\nwhile True:\n    {place}.append(bytearray(1 << 12))"
    assert (
        memory_line_of(run(fault, limits=little))
        == "; set GROUNDPLAN_TRACEBACK=FILE to keep the traceback.\n"
    )
    environment = {"GROUNDPLAN_TRACEBACK": str(file), "OPENAI_API_KEY": "canary" * 5}
    line = memory_line_of(run(fault, environment, little))
    if place == "kept":  # of the failed run, and let go
        assert line.endswith(f"which is in {file}.\n") and "MemoryError" in file.read_text()


def test_streams_that_are_gone_or_full():
    fault = "print('before')\nraise KeyError('x')"
    with open("/dev/full", "w") as full:
        assert line_of(run(fault, stdout=full)) == f"KeyError: 'x'. {HINT}"
        assert run(fault, stderr=full).returncode == 70
    for number in (1, 2):
        assert run(fault, limits=lambda number=number: os.close(number)).returncode == 70


def test_the_module_is_an_entry_point_too(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import platform\nimport groundplan.datasets.scenes as scenes\n"
        "def broken(*arguments, **more): raise LookupError('injected')\nscenes.load_scene = broken\n"
    )
    child = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "groundplan",
            "plan",
            "--scene",
            "office",
            "--goal",
            "(closed cabinet5)",
        ],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        cwd=Path(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert child.stdout == "" and line_of(child) == f"LookupError: injected. {HINT}"


@pytest.mark.parametrize(("limit", "code"), [(60 << 20, 2), (resource.RLIM_INFINITY, 70)])
def test_a_library_that_fails_without_a_word_is_short_of_memory_only_under_a_limit(monkeypatch, limit, code):
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (limit, resource.RLIM_INFINITY))
    assert report(SystemError("error return without exception set")) == code
    assert report(SystemError("<function f> returned NULL without setting an exception")) == code
    assert report(SystemError("something else")) == 70
