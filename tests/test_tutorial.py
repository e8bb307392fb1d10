"""The files and commands of the tutorial, run in one folder: what it shows is printed, in that order."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from groundplan.commands import cli

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
# A block, and the words before it: a block after "Save this as `NAME`:" is a file.
BLOCK = re.compile(r"(?:Save this as `([\w.]+)`:\n\n)?```(sh|text|json)\n(.*?)```", re.S)
BLOCKS = BLOCK.findall(TEXT)


def exit_code(line: str) -> int:
    """Return the exit code that the comment of a command names; 0 without one."""
    named = re.search(r"# exit code (\d+)$", line)
    return int(named[1]) if named else 0


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


def test_every_command_of_the_tutorial_runs_and_prints_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    output = ""
    commands = shown = files = 0
    for name, language, block in BLOCKS:
        if name:
            Path(name).write_text(block, encoding="utf-8")
            files += 1
        elif language == "sh":
            output = ""
            for line in block.splitlines():
                result = CliRunner().invoke(cli, shlex.split(line, comments=True)[1:])
                assert result.exit_code == exit_code(line), f"{line}\n{result.output}"
                output += result.output
                commands += 1
        elif language == "json":
            (program,) = Path().glob("*/program.json")
            listed = json.loads(program.read_text(encoding="utf-8"))["commands"]
            assert any(contains(command, json.loads(block)) for command in listed)
            shown += 1
        else:
            assert_shown(block, output)
            shown += 1
    # The expressions above find all blocks of the page.
    assert 2 * len(BLOCKS) == TEXT.count("\n```")
    assert (files, commands, shown) == (2, 19, 13)


def test_the_tutorial_is_read_in_ten_minutes() -> None:
    """Assert that the prose takes four minutes at most; the rest is for commands and waiting."""
    prose = re.sub(r"```.*?```", "", TEXT, flags=re.S)
    assert len(prose.split()) <= 900
