"""Folders and files of results: the check before any work is done, and the writing at the end.

Own files are those that the record, or the table of symbols, of an earlier run lists: with ``--force`` they
are replaced, and removed where a run has none under that name. All other files of a folder are the user's,
also under a name that results have: then nothing is written. A verb checks its place first, so that
nobody waits, or pays a model, for what cannot be written; that must stay, and messages may be changed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from ...domains.errors import InputError, clip
from ...domains.storage.likeness import refuse_special, status_of
from ...domains.storage.temporary import is_temporary, left_behind, remove_left_behind
from .placing import alone_in, place_files, try_out
from .seals import RESULTS, as_bytes, own_files

SHIPPED = ("datasets/scenes", "datasets/tasks", "domains")
"""Folders of the package whose files are never replaced."""


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


def check_folder(
    target: Path, force: bool | None, replaced: Collection[str] = RESULTS, written: Collection[str] = ()
) -> None:
    """Check that a folder of results can be written, before any work is done for it.

    ``force`` is ``None`` where the user has no such option. Outside of :data:`RESULTS`, ``replaced`` are
    files that an earlier run listed; ``written`` are names to write, as far as they are known.

    Raises :class:`InputError` where something is in the way.
    """
    with _explained(target):
        if target.is_symlink() and not target.exists():
            raise InputError(str(target), "a folder", "a link that leads nowhere")
        if target.exists() and not target.is_dir():
            raise InputError(str(target), "a folder", "a file", "choose another name")
        place = _real(target)
        if not target.exists():
            above = next(p for p in place.parents if p.exists())
            if not above.is_dir():
                raise InputError(str(target), "a path of folders", f"the file {above}")
            remove_left_behind(above)
            try_out(above)
            return
        remove_left_behind(place, signs=False)
        _refuse_files(target, place, force)
        with alone_in(place):
            try_out(place, [place / name for name in sorted(replaced)])
        _refuse_files_of_others(target, place, replaced, written)


def write_folder(
    target: Path, files: Mapping[str, str], force: bool | None = False, replaced: Collection[str] = RESULTS
) -> None:
    """Write texts as the files of a folder, the last of them last of all; remove others of ``replaced``.

    Raises :class:`InputError`; then the folder is as it was.
    """
    check_folder(target, force, replaced, files)
    with _explained(target):
        place = _real(target)
        data = {name: as_bytes(text) for name, text in files.items()}
        removed = sorted(set(replaced) - files.keys())

        def refuse() -> None:
            remove_left_behind(place, signs=False)
            _refuse_files(target, place, force)
            _refuse_files_of_others(target, place, replaced, files)

        place_files(place, data, removed, refuse)


def check_file(target: Path, force: bool) -> None:
    """Check that a file can be written, before any work is done for it. Raises :class:`InputError`."""
    with _explained(target):
        place = _place_of_file(target)
        if target.exists() and _is_shipped(target):
            got = "one that comes with groundplan"
            raise InputError(str(target), "a file of your own", got, "write to another file")
        remove_left_behind(place.parent)
        if target.is_dir():
            raise InputError(str(target), "the name of a file", "a folder")
        refuse_special(place)
        _refuse_file(target, place, force)
        with alone_in(place.parent):
            try_out(place.parent, [place])


def refuse_input(target: Path, *sources: Path) -> None:
    """Refuse to replace what a command reads: a source under any name, or a file in a folder that is one.

    Raises :class:`InputError`.
    """
    for source in sources:
        try:
            folder = target.exists() and source.is_dir() and _real(source) in _real(target).parents
            same = folder or source.samefile(target)
        except (OSError, ValueError):  # what cannot be reached is explained where it is read or written
            continue
        if same:
            got = f"one in {clip(str(source))}, which is read" if folder else "the one that is read"
            raise InputError(str(target), "another file than the input", got, "write to another file")


def write_file(target: Path, text: str, force: bool = False) -> None:
    """Write one file, whole or not at all. Raises :class:`InputError`."""
    check_file(target, force)
    with _explained(target):
        place = _place_of_file(target)
        data = {place.name: as_bytes(text)}
        place_files(place.parent, data, (), lambda: _refuse_file(target, place, force))


def _refuse_files(target: Path, place: Path, force: bool | None) -> None:
    """Refuse a folder that has files, unless they may be replaced."""
    if not force and not all(map(is_temporary, os.listdir(place))):
        hint = "choose another name" if force is None else "use --force to replace its results"
        raise InputError(str(target), "a new or empty folder", "one with files", hint)


def _refuse_files_of_others(
    target: Path, place: Path, replaced: Collection[str], written: Collection[str]
) -> None:
    """Refuse a folder where a file that no run wrote has the name of a result."""
    if left_behind(place):  # a run was ended here, maybe before its record was in place
        return
    own = own_files(place) | (set(replaced) - RESULTS)
    for name in sorted(RESULTS.intersection(replaced).union(written) - own):
        if status_of(place / name) is not None:
            got, hint = "one that no earlier run beside it lists", "move it, or write elsewhere"
            raise InputError(str(target / name), "a result of an earlier run", got, hint)


def _refuse_file(target: Path, place: Path, force: bool) -> None:
    """Refuse a file that is there, unless it may be replaced."""
    if status_of(place) is not None and not force:
        raise InputError(str(target), "a new file", "one that exists", "use --force to replace it")


def _is_shipped(target: Path) -> bool:
    """Return whether a file is data of the package, such as a scene: all later runs would read another."""
    package = resources.files(__package__.partition(".")[0])
    folders = (package.joinpath(name) for name in SHIPPED)
    return any(isinstance(f, Path) and _real(f) in _real(target).parents for f in folders)


def _real(target: Path) -> Path:
    """Return where a folder is, once and for all, so that links on the way cannot lead elsewhere later."""
    return Path(os.path.realpath(target))


def _place_of_file(target: Path) -> Path:
    """Return where a file is; its own name is not followed where it is a link."""
    if not target.name:
        raise InputError(str(target), "the name of a file", "a folder")
    return _real(target.parent) / target.name
