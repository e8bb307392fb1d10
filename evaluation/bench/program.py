"""Hash of the program: the files of this package that decide what a run comes to.

A comparison is continued by the program that began it, here and on other machines. Versions do not tell two
states of a checkout apart, so the files themselves are hashed: the modules of every folder and the data in
them. Left out is what decides no run: reports and type faces, and scenes and tasks, whose hashes the manifest
has one by one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ...domains.errors import InputError, clip

ROOT = Path(__file__).resolve().parent.parent.parent
"""The folder of the package."""
LEFT_OUT = ("evaluation/report", "datasets/scenes", "datasets/tasks")
"""Folders whose files decide no run, or are hashed elsewhere."""
FACES = ".pyi"


@cache
def program_hash() -> str:
    """Return the hash of the program as it is on the disk when this is first called."""
    return hash_of(ROOT)


def hash_of(root: Path) -> str:
    """Return the hash of the package in a folder: of the paths and contents of its files."""
    total = hashlib.sha256()
    for name in sorted(_names(root)):
        content = hashlib.sha256((root / name).read_bytes()).hexdigest()
        total.update(f"{content} {name}\n".encode())
    return total.hexdigest()


def file_hash(path: Path) -> str:
    """Return the hash of a file. Raises :class:`InputError` for one that cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(clip(str(path), 200), "a readable file", error.strerror or "none") from error


def _names(root: Path) -> Iterator[str]:
    """Yield the paths of files that count, relative to the package; a checkout has others beside."""
    for package in root.iterdir():
        if package.is_file() and package.suffix == ".py":
            yield package.name
        if not (package / "__init__.py").is_file():
            continue
        for path in package.rglob("*"):
            name = path.relative_to(root).as_posix()
            passed = "__pycache__" in path.parts or path.suffix == FACES or path.name.startswith(".")
            if path.is_file() and not passed and not name.startswith(LEFT_OUT):
                yield name
