"""The pages that follow from the source are current: public names, JSON schemas, examples."""

from __future__ import annotations

import importlib

import pytest
from make_api import FOLDERS, MADE, PAGE, ROOT, described, exported, faces, schemas_page, source_of

from groundplan.commands.schema import SCHEMAS, output_schema


@pytest.mark.parametrize("name", MADE)
def test_a_page_is_current(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == MADE[name](), "run `make api`"


def test_every_schema_has_its_keys() -> None:
    text = schemas_page()
    for name in SCHEMAS:
        part = text.partition(f"## {name}\n")[2].partition("\n## ")[0]
        keys = output_schema(name).get("properties", {})
        assert isinstance(keys, dict) and all(f"`{key}`" in part for key in keys), name


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
