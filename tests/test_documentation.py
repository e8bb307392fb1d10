"""The documents name modules and files that exist; the map of the architecture leaves no folder out.

Also what a release needs: notes of changes in one form, and one version everywhere.
"""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import click
import pytest
from make_api import MADE

from groundplan import __version__
from groundplan.commands import cli

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (
    *("domains", "simulator", "compiler", "language", "engines", "datasets", "planners", "acting"),
    *("pipeline", "robot", "methods", "evaluation", "commands"),
)
# All but the changelog, which says what was so at a release.
DOCUMENTS = sorted(
    {*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "examples" / "README.md"}
    - {ROOT / "CHANGELOG.md"}
)
# `compiler/goals/goal.lark`, `engines.base.TextEngine`
NAME = re.compile(
    rf"`((?:(?:groundplan\.)?(?:{'|'.join((*FOLDERS, 'tests', 'examples', 'changes'))})[/.]|tools/)[\w./-]*)`"
)


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def exists(name: str) -> bool:
    """Return whether a path, or the dotted name of a module or of what it defines, is in the repository."""
    if "/" in name:
        return (ROOT / name).exists() or (ROOT / f"{name}.py").exists()
    parts = name.removeprefix("groundplan.").split(".")
    for length in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:length])
        module = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        if module.is_file():
            rest = parts[length:]
            return not rest or rest[0] in defined(module)
    return False


def defined(module: Path) -> set[str]:
    """Return the names that a module defines."""
    names: set[str] = set()
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
    return names


@pytest.mark.parametrize("path", DOCUMENTS, ids=label)
def test_modules_and_files_that_a_document_names_exist(path: Path) -> None:
    mentioned = [n for n in NAME.findall(path.read_text(encoding="utf-8")) if not n.endswith(".toml")]
    assert [name for name in dict.fromkeys(mentioned) if not exists(name)] == []


LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)")


def anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=label)
def test_links_of_a_document_lead_to_files_and_headings(path: Path) -> None:
    lost = []
    for link, anchor in dict.fromkeys(LINK.findall(path.read_text(encoding="utf-8"))):
        place = path.parent / link if link else path
        if not place.exists() or (anchor and anchor not in anchors(place)):
            lost.append(f"{link}#{anchor}")
    assert lost == []


def test_the_index_names_every_document() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link).resolve() for link, _ in LINK.findall(index.read_text(encoding="utf-8"))}
    assert {path for path in DOCUMENTS if "decisions" not in path.parts} - linked - {index} == set()


BY_HAND = [path for path in (*DOCUMENTS, ROOT / "CHANGELOG.md") if label(path) not in MADE]


@pytest.mark.parametrize("path", BY_HAND, ids=label)
def test_lines_have_120_characters_at_most(path: Path) -> None:
    """Rows of tables, commands and data are as long as what is in them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    whole = ("|", "groundplan ", "{")
    assert [line for line in lines if len(line) > 120 and not line.lstrip().startswith(whole)] == []


def runs_of_words(text: str) -> list[str]:
    """Return the words between two marks, in paragraphs; brackets, quotes and code count one word."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"^(\s*\||#| {4,}\S).*", "", text, flags=re.M)
    text = re.sub(r"`[^`]*`|\"[^\"]*\"", "code", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\([^()]*\)", "", text)
    runs = re.split(r"[.!?:;](?=\s)|\n\s*\n|^\s*(?:[-*]|\d+\.) ", text, flags=re.M)
    return [" ".join(word for word in run.split() if re.search(r"\w", word)) for run in runs]


@pytest.mark.parametrize("path", BY_HAND, ids=label)
def test_no_more_than_30_words_are_between_two_marks(path: Path) -> None:
    runs = runs_of_words(path.read_text(encoding="utf-8"))
    assert [run for run in runs if len(run.split()) > 30] == []


PYTHON = [
    pytest.param(code, id=f"{label(path)}-{number}")
    for path in DOCUMENTS
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.S))
]


@pytest.mark.parametrize("code", PYTHON)
def test_the_python_of_the_documents_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "document", "exec"), {})
    assert capsys.readouterr().out


def commands(text: str) -> list[str]:
    """Return the commands in the code of a document, those over several lines in one."""
    fenced = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    plain = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    indented = re.findall(r"^ {4}(groundplan .*(?:\n {4,}.*)*)", plain, re.M)
    lines = re.sub(r"\\\n\s*", " ", "\n".join([*fenced, *indented])).splitlines()
    return list(dict.fromkeys(line.strip() for line in lines if line.strip().startswith("groundplan ")))


COMMANDS = [
    pytest.param(line, id=f"{label(path)}: {line[11:60]}")
    for path in DOCUMENTS
    for line in commands(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("line", COMMANDS)
def test_the_verbs_and_options_of_a_command_exist(line: str) -> None:
    """Those marked `sh` in the README, the tutorial, the entry pages and the gallery are run as well."""
    words = shlex.split(line, comments=True)[1:]
    command: click.Command | None = cli
    context = click.Context(cli, **cli.context_settings)  # the options for help are kept
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        command = command.get_command(context, words.pop(0))
    assert command is not None, line
    options = command.get_params(context)
    known = {name for option in options for name in (*option.opts, *option.secondary_opts)}
    given = {word.partition("=")[0] for word in words if re.fullmatch(r"--[a-z][^\s]*", word)}
    assert given <= known | {"--help"}, line


def map_rows() -> list[tuple[str, str, str]]:
    """Return the rows of the map: folder, the modules to start at, and the whole line."""
    rows = []
    outer = ""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for line in text.split("## The map")[1].split("\n## ")[0].splitlines():
        if not line.startswith("| ") or line.startswith("| folder"):
            continue
        first, _, start = (cell.strip() for cell in line.strip("|").split("|"))
        folders = [name.rstrip("/") for name in re.findall(r"`([\w/]+)`", first)]
        if not first.startswith("-"):
            outer = folders[0]
        inside = f"{outer}/" if first.startswith("-") else ""
        rows += [(f"{inside}{folder}", start, line) for folder in folders]
    return rows


def test_the_map_has_every_folder_and_no_other() -> None:
    packages = {
        path.parent.relative_to(ROOT).as_posix()
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("__init__.py")
    }
    on_the_map = {folder for folder, _, _ in map_rows()}
    rows = {folder: line for folder, _, line in map_rows()}
    assert on_the_map <= packages
    # A folder of one format is named in the row of the formats.
    left_out = {
        name
        for name in packages - on_the_map
        if f"`{name.rsplit('/', 1)[-1]}/`" not in rows.get(name.rsplit("/", 1)[0], "")
    }
    assert left_out == set()


def test_the_map_starts_readers_at_what_is_there() -> None:
    lost = []
    for folder, start, line in map_rows():
        places = [ROOT / folder] if line.count("/` `") == 0 else [(ROOT / folder).parent]
        for name in re.findall(r"`([\w/.-]+)`", start):
            if not any((place / name).exists() or (place / f"{name}.py").exists() for place in places):
                lost.append(f"{folder}: {name}")
    assert lost == []


def test_a_change_is_one_bullet_of_a_few_lines() -> None:
    for path in sorted(path for path in (ROOT / "changes").iterdir() if path.name != "README.md"):
        assert path.suffix == ".md"
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        assert text.endswith(".\n"), path
        assert lines[0].startswith("- "), path
        assert all(line.startswith("  ") for line in lines[1:]), path
        assert len(lines) <= 3 and len(text) <= 600, path


def test_the_changelog_has_sections_of_versions_only() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert headings
    assert [name for name in headings if not re.match(r"\d+\.\d+\.\d+\b", name)] == [], (
        "a change is a file in changes/"
    )


def test_the_citation_has_the_version_of_the_package() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
