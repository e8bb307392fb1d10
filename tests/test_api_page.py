"""docs/api.md has the public names as the source has them."""

from __future__ import annotations

import importlib

from make_api import FOLDERS, PAGE, ROOT, described, exported, faces, page, source_of


def test_the_reference_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make api`"


def test_the_reference_has_every_public_name() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for package, _ in faces():
        part = text.partition(f"## {package}\n")[2].partition("\n## ")[0]
        for name in importlib.import_module(package).__all__:
            assert f"`{name}`" in part or f"- `{name}(" in part, (package, name)
    assert {folder.name for folder in ROOT.iterdir() if (folder / "__init__.pyi").exists()} == set(FOLDERS)


def test_every_public_name_is_described() -> None:
    """A name without a word on it is of no use in a reference."""
    for _, face in faces():
        for name, file in exported(face):
            first, second, *_ = [*described(name, source_of(name, file)), ""]
            assert name in first and len(second.strip()) > 10, (face, name)
