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
HINT = "Please report it; set GROUNDPLAN_TRACEBACK=1 to print the traceback.\n"


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
    assert memory_line_of(run(fault)).startswith("; set GROUNDPLAN_TRACEBACK=1")


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


def traced(fault, environment=None, limits=None):
    """The traceback that a failed run prints, and the line after it."""
    child = run(fault, {"GROUNDPLAN_TRACEBACK": "1"} | (environment or {}), limits)
    *above, line = child.stderr.splitlines()
    assert line.startswith("groundplan: ") and "GROUNDPLAN_TRACEBACK" not in line
    return "\n".join(above), line


def test_the_traceback_is_printed_before_the_line_where_that_is_asked_for():
    text, line = traced("try:\n    {}['first']\nexcept KeyError:\n    raise ValueError('second\\udc80')")
    assert line == f"{OWN}ValueError: second\\udc80. Please report it."
    assert text.startswith("Traceback (most recent") and "in main" in text
    assert "KeyError: 'first'" in text and text.endswith("ValueError: second\\udc80")


def test_a_recursion_error_has_a_traceback_too():
    text, _ = traced("return fail()")
    assert "RecursionError" in text and len(text) < 20_000


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


def test_an_empty_variable_asks_for_nothing():
    assert line_of(run("raise KeyError('x')", {"GROUNDPLAN_TRACEBACK": ""})) == f"KeyError: 'x'. {HINT}"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        pytest.param(name, key, marks=pytest.mark.slow if (n + k) % 2 else ())
        for n, name in enumerate(("OPENAI_API_KEY", "MY_SERVER_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_ID"))
        for k, key in enumerate(("canary-0123456789-abcdef", "canary'\"\\\\0123456789"))
    ],
)
def test_keys_are_in_neither_the_line_nor_the_traceback(name, key):
    fault = f"import os\nraise KeyError('Bearer ' + os.environ['{name}'] + 'x' * 300)"
    for text in (line_of(run(fault, {name: key})), *traced(fault, {name: key})):
        assert 'KeyError: "Bearer [key]x' in text.replace("'", '"') and "canary" not in text


def test_a_key_is_not_cut_in_two():
    key = "canary" * 20
    line = line_of(run(f"raise KeyError('x' * 150 + '{key}')", {"OPENAI_API_KEY": key}))
    assert "canary" not in line and "[key]" in line


@pytest.mark.parametrize("place", ["kept", "sys.kept"])
def test_memory_that_is_used_up(place):
    def little():
        resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))

    fault = f"{place} = []\nwhile True:\n    {place}.append(bytearray(1 << 12))"
    said = memory_line_of(run(fault, limits=little))
    assert said == "; set GROUNDPLAN_TRACEBACK=1 to print the traceback.\n"
    text, line = traced(fault, {"OPENAI_API_KEY": "canary" * 5}, little)
    assert line == f"groundplan: {NO_MEMORY}." and "canary" not in text
    if place == "kept":  # of the failed run, and let go
        assert "MemoryError" in text


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
