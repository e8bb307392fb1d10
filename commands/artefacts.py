"""Writing files so that they are there whole or not at all.

A folder of results is written under a hidden temporary name beside its place and renamed when everything is
in it; a single file likewise. Whatever goes wrong on the way (a full disk, Ctrl-C), the temporary name is
removed and what was there before stays.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from ..domains.errors import InputError, clip


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    """Turn an error of the file system into one that says where and what to try."""
    try:
        yield
    except OSError as error:
        hint = "choose another place" if error.errno is not None else ""
        raise InputError(
            str(target), "a place to write to", error.strerror or clip(str(error)), hint
        ) from error


def check_folder(target: Path, force: bool) -> None:
    """Whether a folder of results could be written, before any work is done for it.

    Raises :class:`InputError` where something is in the way.
    """
    with _explained(target):
        if target.is_symlink() and not target.exists():
            raise InputError(str(target), "a folder", "a link that leads nowhere")
        if target.exists() and not target.is_dir():
            raise InputError(str(target), "a folder", "a file", "choose another name")
        if target.exists() and not force and any(target.iterdir()):
            raise InputError(
                str(target), "a new or empty folder", "one with files", "use --force to replace it"
            )
        above = next((p for p in target.resolve().parents if p.exists()), None)
        if above is not None and not above.is_dir():
            raise InputError(str(target), "a path of folders", f"the file {above}")
        if above is not None and not os.access(above, os.W_OK | os.X_OK):
            raise InputError(
                str(target), "a place to write to", f"{above} is read-only", "choose another place"
            )


def write_folder(target: Path, files: Mapping[str, str], force: bool = False) -> None:
    """Write texts as the files of a folder, all or none. Raises :class:`InputError`."""
    check_folder(target, force)
    with _explained(target):
        place = target.resolve()
        made = _make_parents(place.parent)
        staging = _beside(place)
        try:
            staging.mkdir()
            for name, text in files.items():
                _write(staging / name, text)
            _exchange(staging, place)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            for folder in reversed(made):
                with suppress(OSError):
                    folder.rmdir()
            raise


def write_file(target: Path, text: str, force: bool = False) -> None:
    """Write one file, whole or not at all. Raises :class:`InputError`."""
    with _explained(target):
        if target.is_dir():
            raise InputError(str(target), "the name of a file", "a folder")
        if target.exists() and not force:
            raise InputError(str(target), "a new file", "one that exists", "use --force to replace it")
        staging = _beside(target.resolve())
        try:
            _write(staging, text)
            staging.replace(target.resolve())
        except BaseException:
            staging.unlink(missing_ok=True)
            raise


def _write(path: Path, text: str) -> None:
    """Half a surrogate pair, which JSON can hold and UTF-8 cannot, is written as JSON's escape."""
    path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


def _make_parents(folder: Path) -> list[Path]:
    """Make the folders that are missing, and say which."""
    missing = [p for p in (folder, *folder.parents) if not p.exists()]
    made = []
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
        made.append(one)
    return made


def _beside(place: Path) -> Path:
    return place.parent / f".groundplan-{secrets.token_hex(6)}"


def _exchange(staging: Path, place: Path) -> None:
    """Rename a finished folder to its place; an old one is moved away first and back if that fails."""
    if not place.exists() or not any(place.iterdir()):
        staging.rename(place)
        return
    old = _beside(place)
    place.rename(old)
    try:
        staging.rename(place)
    except BaseException:
        old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)
