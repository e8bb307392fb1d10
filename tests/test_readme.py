"""The README's Python runs, its shell lines parse and run, and its links lead somewhere."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from make_gallery import arguments

from groundplan.commands import cli

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = [
    line.split("   #")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.S)
    for line in block.splitlines()
    if line.startswith("groundplan ")
]


def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "verified"
    assert "turn_on(microwave)" in printed


@pytest.mark.parametrize("line", SHELL)
def test_each_command_of_the_readme_does_what_it_shows(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, arguments(line))
    expected = 1 if "chair2" in line or "why-not" in line else 0
    assert result.exit_code == expected, result.output
    if line.startswith("groundplan scene convert tests/"):
        converted = Path("house.json").read_text(encoding="utf-8")
        (shown,) = re.findall(r"```json\n(.*?)```", TEXT, re.S)
        assert all(node in converted for node in shown.splitlines()) and shown.count("\n") == 2


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", TEXT))))
def test_links_lead_to_files(link: str) -> None:
    assert (ROOT / link).exists(), link


def test_the_picture_of_a_plan_is_what_its_command_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    (line,) = (line for line in SHELL if line.endswith("--svg plan.svg"))
    assert CliRunner().invoke(cli, shlex.split(line)[1:]).exit_code == 0
    kept = (ROOT / "docs" / "images" / "plan.svg").read_text(encoding="utf-8")
    assert kept == (tmp_path / "plan.svg").read_text(encoding="utf-8"), line


def test_the_picture_shows_what_the_command_prints() -> None:
    pytest.importorskip("onnxruntime")
    picture = (ROOT / "docs" / "images" / "demo.svg").read_text(encoding="utf-8")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    shown = html.unescape("".join(texts)).replace("\xa0", " ")
    command = re.search(r"\$ (groundplan .*? --scene office)", shown)
    assert command is not None
    printed = CliRunner().invoke(cli, shlex.split(command[1])[1:]).output
    # A terminal wraps long lines, so blanks and line breaks are not compared.
    assert "".join(shown.split()) == "".join(f"groundplan$ {command[1]}{printed}".split())
