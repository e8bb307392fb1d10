"""make and the folders of users: only new folders become environments, only what make made is removed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with what make needs, and a Python that only says that it was called."""
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / ".ci", folder / ".ci", ignore=shutil.ignore_patterns("venv", "wheels"))
    for name in ("Makefile", "setup.cfg", "pyproject.toml", "requirements.lock", "demo.lock"):
        shutil.copy(ROOT / name, folder)
    python = folder / "python"
    python.write_text('#!/bin/sh\nmkdir -p "$3/bin"; echo made > "$3/pyvenv.cfg"; exit 7\n')
    python.chmod(0o755)
    return folder


def make(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    given = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        ["make", *words, f"PYTHON={folder / 'python'}"],
        cwd=folder,
        env=given | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def contents(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def furnish(folder: Path, kind: str) -> None:
    """Make a folder of somebody else: of files, or an environment of their own."""
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    if kind == "environment":
        (folder / "pyvenv.cfg").write_text("home = /usr/bin\n")
        (folder / "bin").mkdir()
        (folder / "bin" / "python").write_text("mine")


@pytest.mark.parametrize("kind", ["files", "environment"])
@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("target", ["demo", "test", "lint", "clean"])
def test_a_folder_of_somebody_else_is_no_environment(
    checkout: Path, tmp_path: Path, kind: str, link: bool, target: str
) -> None:
    folder = tmp_path / "mine"
    furnish(folder, kind)
    place = tmp_path / "way" if link else folder
    if link:
        place.symlink_to(folder)
    before = contents(folder)
    done = make(checkout, target, f"GROUNDPLAN_VENV={place}")
    assert contents(folder) == before and str(place) in done.stdout + done.stderr
    assert done.returncode == 0 if target == "clean" else "a folder with other files" in done.stderr


def test_the_name_that_other_tools_use_is_refused_or_not_heard(checkout: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    furnish(folder, "files")
    done = make(checkout, "demo", f"VENV={folder}")
    assert done.returncode == 2 and "VENV is called GROUNDPLAN_VENV" in done.stderr
    done = make(checkout, "demo", VENV=str(folder))
    assert "Creating .venv" in done.stdout and (checkout / ".venv").is_dir()
    assert contents(folder) == {"mine.txt": "mine"}


def test_a_file_and_no_name_are_no_environment(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert "got a file" in make(checkout, "demo", f"GROUNDPLAN_VENV={tmp_path / 'file'}").stderr
    assert (tmp_path / "file").read_text() == "mine"
    assert make(checkout, "demo", "GROUNDPLAN_VENV=").returncode == 2


def test_an_environment_that_was_not_finished_is_gone_on_with_and_removed(checkout: Path) -> None:
    for _ in range(2):
        assert "Creating .venv" in make(checkout, "demo").stdout
        assert (checkout / ".venv" / ".made-by-groundplan").is_file()
    assert make(checkout, "clean").returncode == 0
    assert not (checkout / ".venv").exists()


def test_notes_in_an_environment_of_make_outlive_it(checkout: Path) -> None:
    make(checkout, "demo")
    (checkout / ".venv" / "notes.txt").write_text("mine")
    assert ".venv stays: it has other files" in make(checkout, "clean").stdout
    assert contents(checkout / ".venv") == {"notes.txt": "mine"}
    assert "a folder with other files" in make(checkout, "demo").stderr


def test_a_mark_that_is_a_link_is_not_written_through(checkout: Path, tmp_path: Path) -> None:
    """What make began before there was a mark has stamps; a mark that leads elsewhere is not opened."""
    (tmp_path / "notes").write_text("mine")
    venv = checkout / ".venv"
    venv.mkdir()
    for name, text in (("pyvenv.cfg", "made"), (".with-test", "")):
        (venv / name).write_text(text)
    (venv / ".made-by-groundplan").symlink_to(tmp_path / "notes")
    make(checkout, "demo")
    assert (tmp_path / "notes").read_text() == "mine"


def test_compiled_files_of_a_linked_folder_and_saved_benchmarks_stay(checkout: Path, tmp_path: Path) -> None:
    for name in ("own/__init__.py", "own/__pycache__/own.pyc", "own/__pycache__/notes"):
        for folder in (tmp_path / "elsewhere", checkout):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("mine")
    (checkout / "linked").symlink_to(tmp_path / "elsewhere" / "own")
    (checkout / "inner").symlink_to(tmp_path / "elsewhere")
    for name in (".benchmarks/Linux/0001_mine.json", ".ci/venv/notes", ".face/groundplan"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text("mine")
    elsewhere, before = contents(tmp_path / "elsewhere"), contents(checkout)
    assert make(checkout, "clean").returncode == 0
    assert contents(tmp_path / "elsewhere") == elsewhere
    assert before.keys() - contents(checkout).keys() == {"own/__pycache__/own.pyc"}


def test_nothing_is_removed_through_a_link(checkout: Path, tmp_path: Path) -> None:
    places = {".face": "groundplan", "dist": "groundplan.cdx.json", ".mypy_cache": "a"}
    for name, file in places.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text("mine")
        (checkout / name).symlink_to(tmp_path / name)
    assert make(checkout, "clean").returncode == 0
    assert all((checkout / name).is_symlink() for name in places)
    assert (
        "dist: expected a folder of this checkout"
        in make(checkout, "-o", ".venv-release/.made", "sbom").stderr
    )
    assert all((tmp_path / name / file).read_text() == "mine" for name, file in places.items())


def test_what_make_did_not_make_outlives_it(checkout: Path) -> None:
    for name in ("build", "dist", ".face", "notes/__pycache__"):
        (checkout / name).mkdir(parents=True)
        (checkout / name / "mine").write_text("mine")
    (checkout / "dist" / "groundplan.cdx.json").write_text("{}")
    before = contents(checkout)
    make(checkout, "demo")
    make(checkout, "clean")
    left = contents(checkout)
    assert before.keys() - left.keys() == {"dist/groundplan.cdx.json"} and left.items() <= before.items()
