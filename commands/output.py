"""Atomic writing: a file or a folder of results is there whole or not at all.

A folder of results is written under a hidden temporary name beside its place and renamed when everything is
in it; a single file likewise. Whatever goes wrong on the way (a full disk, Ctrl-C), the temporary name is
removed and what was there before stays. New files keep the mode, and where possible the owner and group, of
those that they replace; others get what the umask gives. A new file of results is named in :data:`RESULTS`;
that nothing is half written or lost must hold after every change.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Container, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ..domains.errors import InputError, clip

RESULTS = frozenset(
    "certificate.json domain.pddl goal.txt plan.txt problem.pddl program.json record.json symbols.json"
    " timings.json".split()
)
"""The names of all files that this package writes to a folder of results; others are not removed there."""


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
    """Check that a folder of results could be written, before any work is done for it.

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


def write_folder(
    target: Path, files: Mapping[str, str], force: bool = False, replaced: Container[str] = RESULTS
) -> None:
    """Write texts as the files of a folder, all or none; old files named in ``replaced`` are removed.

    Raises :class:`InputError`.
    """
    check_folder(target, force)
    with _explained(target):
        place = target.resolve()
        with ExitStack() as undo:
            for folder in _missing(place.parent):
                folder.mkdir(exist_ok=True)
                undo.callback(_remove_if_empty, folder)
            staging = _beside(place)
            undo.callback(_discard, staging)
            staging.mkdir()
            if place.exists():  # first of all: a new file gets its group from the folder, if that says so
                _copy_status(place.stat(), staging)
            for name, text in files.items():
                _write(staging / name, text, place / name)
            _exchange(staging, place, replaced)
            undo.pop_all()


def write_file(target: Path, text: str, force: bool = False) -> None:
    """Write one file, whole or not at all. Raises :class:`InputError`."""
    with _explained(target):
        if target.is_dir():
            raise InputError(str(target), "the name of a file", "a folder")
        if target.exists() and not force:
            raise InputError(str(target), "a new file", "one that exists", "use --force to replace it")
        staging = _beside(target.resolve())
        with ExitStack() as undo:
            undo.callback(staging.unlink, missing_ok=True)
            _write(staging, text, target.resolve())
            staging.replace(target.resolve())


def _write(path: Path, text: str, replaced: Path) -> None:
    """Write a new file, with the mode of the one that it replaces if there is one.

    Half a surrogate pair, which JSON can hold and UTF-8 cannot, is written as JSON's escape.
    """
    old = _regular(replaced)
    if old is not None:
        path.touch(mode=0o600)  # nobody reads on the way what the old one kept to its owner
    path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    if old is not None:
        _copy_status(old, path)


def _regular(path: Path) -> os.stat_result | None:
    """Return the status of a path that is a file; ``None`` for a link, a device or nothing."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _copy_status(old: os.stat_result, path: Path) -> None:
    """Give a path the mode of what it replaces, and its owner and group where that is permitted."""
    new = path.stat()
    if new.st_gid != old.st_gid:
        with suppress(OSError):
            os.chown(path, -1, old.st_gid)
    if new.st_uid != old.st_uid:
        with suppress(OSError):
            os.chown(path, old.st_uid, -1)
    mode = stat.S_IMODE(old.st_mode)
    if stat.S_IMODE(path.stat().st_mode) != mode:
        path.chmod(mode)


def _missing(folder: Path) -> list[Path]:
    """Return the folders that have to be made so that a folder exists, the highest first."""
    return [p for p in reversed((folder, *folder.parents)) if not p.exists()]


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _discard(staging: Path) -> None:
    """Remove an unfinished folder, whatever the mode that it has from the one it was to replace."""
    with suppress(OSError):
        staging.chmod(0o700)
    shutil.rmtree(staging, ignore_errors=True)


def _beside(place: Path) -> Path:
    return place.parent / f".groundplan-{secrets.token_hex(6)}"


def _exchange(staging: Path, place: Path, replaced: Container[str]) -> None:
    """Rename a finished folder to its place; an old one is moved away first and back if that fails.

    What lies in the old one and is not to be replaced moves to the new one.
    """
    if not place.exists() or not any(place.iterdir()):
        staging.rename(place)
        return
    old = _beside(place)
    with ExitStack() as undo:
        place.rename(old)
        undo.callback(old.rename, place)
        staging.rename(place)
        undo.pop_all()
    for entry in sorted(old.iterdir()):
        if entry.name not in replaced and not (place / entry.name).exists():
            entry.rename(place / entry.name)
    shutil.rmtree(old, ignore_errors=True)
