"""The faces: public names of the package and its folders, loaded when asked for, with examples that run."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import groundplan

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (
    *("domains", "simulator", "compiler", "language", "engines", "datasets", "planners", "acting"),
    *("pipeline", "robot", "methods", "evaluation", "commands"),
)
PACKAGES = [
    "groundplan",
    *(
        ".".join(("groundplan", *path.parent.relative_to(ROOT).parts))
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("__init__.py"))
    ),
]
LIMIT = 0.050
"""Seconds of processor time that `import groundplan` may take above bare Python."""


def folder_of(package: str) -> Path:
    return ROOT.joinpath(*package.split(".")[1:])


def submodules(package: str) -> set[str]:
    folder = folder_of(package)
    folders = {path.parent.name for path in folder.glob("*/__init__.py")}
    return folders | {path.stem for path in folder.glob("*.py")} - {"__init__"}


def stub_of(package: str) -> ast.Module:
    """Return the stub of a package, which type checkers read and from which its names are loaded."""
    return ast.parse((folder_of(package) / "__init__.pyi").read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", PACKAGES)
def test_each_name_of_a_face_can_be_had(package: str) -> None:
    module = importlib.import_module(package)
    assert len(module.__all__) == len(set(module.__all__))
    assert [name for name in module.__all__ if getattr(module, name, None) is None] == []
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_of_a_face_hides_a_module(package: str) -> None:
    module = importlib.import_module(package)
    hidden = [name for name in module.__all__ if name in submodules(package)]
    assert hidden == [], "importing the module would replace the name"


@pytest.mark.parametrize("package", [p for p in PACKAGES if (folder_of(p) / "__init__.pyi").exists()])
def test_type_checkers_see_what_a_face_lists(package: str) -> None:
    body = stub_of(package).body
    imported = [a.asname or a.name for node in body if isinstance(node, ast.ImportFrom) for a in node.names]
    (listed,) = [ast.literal_eval(node.value) for node in body if isinstance(node, ast.Assign)]
    assert sorted(imported) == sorted(listed)
    assert sorted(importlib.import_module(package).__all__) == sorted(listed)


def test_a_name_that_no_face_has_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"^No groundplan\.simulator attribute Scenes$"):
        getattr(importlib.import_module("groundplan.simulator"), "Scenes")  # noqa: B009  # mypy knows better
    with pytest.raises(ImportError, match=r"^cannot import name 'no_such_name' from 'groundplan'"):
        exec("from groundplan import no_such_name")


def child(code: str, cwd: Path) -> tuple[str, float]:
    """Run code in a fresh Python; return its output and the processor time that it took."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, cwd=cwd, timeout=60, check=True
    )
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return done.stdout, used


def test_importing_the_package_loads_none_of_its_folders(tmp_path: Path) -> None:
    code = "import sys, groundplan; print(*[name for name in sys.modules if 'groundplan.' in name])"
    assert child(code, tmp_path)[0].split() == []
    used = code.replace("groundplan;", "groundplan; groundplan.load_scene;")
    assert "groundplan.datasets.scenes" in child(used, tmp_path)[0].split()


def test_plans_and_scenes_load_no_method_of_comparison(tmp_path: Path) -> None:
    verbs = "import sys, groundplan.commands.plan, groundplan.commands.scene"
    code = f"{verbs}; print(*[name for name in sys.modules if 'groundplan.methods.' in name])"
    assert child(code, tmp_path)[0].split() == []


def test_importing_the_package_takes_no_time(tmp_path: Path) -> None:
    bare = min(child("pass", tmp_path)[1] for _ in range(5))
    for _ in range(4):  # another process may be in the way
        if min(child("import groundplan", tmp_path)[1] for _ in range(5)) < bare + LIMIT:
            return
    pytest.fail(f"`import groundplan` takes more than {LIMIT} s")


@pytest.mark.parametrize("name", groundplan.__all__)
def test_each_name_of_the_package_has_an_example_that_runs(name: str) -> None:
    tests = doctest.DocTestFinder(recurse=False).find(getattr(groundplan, name), name, globs={})
    assert any(test.examples for test in tests), f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for test in tests:
        runner.run(test)
    assert runner.failures == 0
