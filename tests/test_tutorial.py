"""The files and commands of the tutorial and of the entry pages, each page run in one folder.

What a page shows is printed, in that order.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from groundplan.commands import cli

DOCS = Path(__file__).parent.parent / "docs"
# A block, and the words before it: a block after "Save this as `NAME`:" is a file.
BLOCK = re.compile(r"(?:Save\s+this\s+as `([\w.]+)`:\n\n)?```(sh|text|json)\n(.*?)```", re.S)
# Files, commands and outputs of each page: what the expression above finds is all that there is.
PAGES = {
    "tutorial.md": (2, 19, 13),
    "start/planning.md": (1, 9, 5),
    "start/goals.md": (4, 13, 10),
    "start/comparing.md": (1, 4, 2),
    "start/robot.md": (0, 10, 4),
}


def exit_code(line: str) -> int:
    """Return the exit code that the comment of a command names; 0 without one."""
    named = re.search(r"# exit code (\d+)$", line)
    return int(named[1]) if named else 0


def done(line: str) -> tuple[int, str]:
    """Return the exit code and the output of a command: ours in this process, others by a shell."""
    words = shlex.split(line, comments=True)
    if words[0] == "groundplan":
        result = CliRunner().invoke(cli, words[1:])
        return result.exit_code, result.output
    shell = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=100)
    return shell.returncode, shell.stdout + shell.stderr


def assert_shown(block: str, printed: str) -> None:
    """Assert that the lines of a block are printed in their order, as long as no `..` is between directly."""
    position = 0
    for part in re.split(r"^\.\.\n", block, flags=re.M):
        place = printed.find(part.rstrip("\n"), position)
        assert place >= 0, f"{part}\nis not in\n{printed[position:]}"
        position = place + len(part.rstrip("\n"))


def contains(whole: object, part: object) -> bool:
    """Return whether a JSON object has all that another one has."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(key in whole and contains(whole[key], value) for key, value in part.items())
    return whole == part


def objects(printed: str) -> list[object]:
    """Return the JSON objects that were printed, a line each, or else the commands of the robot program."""
    lines = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    if not lines:
        (program,) = Path().glob("*/program.json")
        lines = json.loads(program.read_text(encoding="utf-8"))["commands"]
    return lines


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_runs_and_prints_what_is_shown(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    output = ""
    commands = shown = files = 0
    for name, language, block in blocks:
        if name:
            Path(name).write_text(block, encoding="utf-8")
            files += 1
        elif language == "sh":
            output = ""
            for line in block.splitlines():
                code, printed = done(line)
                assert code == exit_code(line), f"{line}\n{printed}"
                output += printed
                commands += 1
        elif language == "json":
            assert any(contains(one, json.loads(block)) for one in objects(output))
            shown += 1
        else:
            assert_shown(block, output)
            shown += 1
    assert 2 * len(blocks) == text.count("\n```")
    assert (files, commands, shown) == PAGES[page]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_read_in_ten_minutes(page: str) -> None:
    """Assert that the prose takes four minutes at most; the rest is for commands and waiting."""
    prose = re.sub(r"```.*?```", "", (DOCS / page).read_text(encoding="utf-8"), flags=re.S)
    assert len(prose.split()) <= 900
