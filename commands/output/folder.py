"""Folders and files of results: the check before any work is done, and the writing at the end.

A folder is written beside its place and then renamed to it, so that it is there whole or not at all. With
``--force`` the folder of an earlier run is first moved aside, by a rename too, and removed at last. It may
hold nothing but files that its own record, or table of symbols, lists: what else is in it is the user's, and
then nothing is done. A verb checks its place first, so that nobody waits, or pays a model, for what cannot be
written; both must stay, and messages may be changed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import resources
from pathlib import Path

from ...domains.errors import InputError, clip
from ...domains.storage.likeness import make_alike, refuse_irreplaceable, refuse_special, status_of
from ...domains.storage.own_file import keep_safe, replace_whole, write_new
from ...domains.storage.temporary import discard, temporary_path, try_out
from .seals import as_bytes, own_files

SHIPPED = ("datasets/scenes", "datasets/tasks", "domains")
"""Folders of the package whose files are never replaced."""
TRIAL = 1 << 16
"""Bytes that must fit on the disk before work is done for a place."""


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


def check_folder(target: Path, force: bool | None, own: Collection[str] | None = None) -> None:
    """Check that a folder of results can be written, before any work is done for it.

    ``force`` is ``None`` where the user has no such option. ``own`` are the files that may be replaced, where
    these are not what a record or a table of symbols lists.

    Raises :class:`InputError` where something is in the way.
    """
    with _explained(target):
        place = _real(target)
        if target.is_symlink() and not target.exists():
            raise InputError(str(target), "a folder", "a link that leads nowhere")
        if target.exists() and not target.is_dir():
            raise InputError(str(target), "a folder", "a file", "choose another name")
        above = next(p for p in place.parents if p.exists())
        if not above.is_dir():
            raise InputError(str(target), "a path of folders", f"the file {above}")
        owner = try_out(above, TRIAL)
        if target.exists():
            _refuse_folder(target, place, owner)
            _refuse_files(target, place, force, own)


def write_folder(
    target: Path, files: Mapping[str, str], force: bool | None = False, own: Collection[str] | None = None
) -> None:
    """Write texts as the files of a folder. Raises :class:`InputError`; then what was there is as it was."""
    check_folder(target, force, own)
    with _explained(target):
        place = _real(target)
        with ExitStack() as undo:
            for missing in [p for p in reversed(place.parents) if not p.exists()]:
                undo.callback(_remove, missing)
                missing.mkdir(exist_ok=True)
            part, old = temporary_path(place.parent), temporary_path(place.parent)
            replaced: list[str] = []
            undo.callback(_settle, part, old, place, files, replaced)
            part.mkdir(0o700 if place.exists() else 0o777)
            for name, text in files.items():
                write_new(part / name, as_bytes(text), place / name)
            if place.exists():
                _make_folder_alike(part, place)
                os.rename(place, old)
                replaced += _refuse_files(target, old, force, own)  # again: nothing comes there any more
            keep_safe(part)
            os.rename(part, place)
            keep_safe(place.parent)


def check_file(target: Path, force: bool) -> None:
    """Check that a file can be written, before any work is done for it. Raises :class:`InputError`."""
    with _explained(target):
        place = _place_of_file(target)
        if target.exists() and _is_shipped(target):
            got = "one that comes with groundplan"
            raise InputError(str(target), "a file of your own", got, "write to another file")
        if target.is_dir():
            raise InputError(str(target), "the name of a file", "a folder")
        refuse_special(place)
        if status_of(place) is not None and not force:
            raise InputError(str(target), "a new file", "one that exists", "use --force to replace it")
        refuse_irreplaceable(place)
        try_out(place.parent, TRIAL)


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


def write_file(target: Path, content: str | bytes, force: bool = False) -> None:
    """Write one file, whole or not at all. Raises :class:`InputError`."""
    check_file(target, force)
    with _explained(target):
        replace_whole(_place_of_file(target), content, force)


def _refuse_folder(target: Path, place: Path, owner: int) -> None:
    """Refuse a folder that another one cannot take the place of; ``owner`` is that of new ones."""
    got = ""
    if place.stat().st_uid != owner:
        got = f"one that belongs to user {place.stat().st_uid}"
    elif os.path.ismount(place):
        got = "a mount point"
    elif place == Path.cwd():
        got = "the one that you are in"
    if got:
        hint = "name a new folder" if got.endswith("to") else "name a new folder in it"
        raise InputError(str(target), "a folder that another may replace", got, hint)


def _refuse_files(
    target: Path, place: Path, force: bool | None, own: Collection[str] | None
) -> Sequence[str]:
    """Return the files of a folder, which is at ``place`` now, if they may all be replaced.

    Raises :class:`InputError` for the first that may not.
    """
    names = sorted(os.listdir(place))
    if names and not force:
        hint = "choose another name" if force is None else "use --force to replace its results"
        raise InputError(str(target), "a new or empty folder", "one with files", hint)
    listed = own_files(place) if own is None else own
    for name in names:
        refuse_irreplaceable(place / name)
        if name not in listed:
            got, hint = "one that no earlier run beside it lists", "move it, or write elsewhere"
            raise InputError(str(target / name), "a result of an earlier run", got, hint)
    return names


def _make_folder_alike(part: Path, old: Path) -> None:
    descriptor = os.open(part, os.O_RDONLY | os.O_DIRECTORY)
    try:
        make_alike(descriptor, old)
    finally:
        os.close(descriptor)


def _settle(part: Path, old: Path, place: Path, files: Iterable[str], replaced: Iterable[str]) -> None:
    """Remove what was moved aside where the new folder is in its place; otherwise put it back.

    Raises :class:`InputError` where the place is taken.
    """
    if not part.exists():
        _remove(old, replaced)
        return
    try:
        if old.exists():
            os.rename(old, place)
    except OSError as error:
        got = f"one that another run wrote; the results that were there are in {old}"
        raise InputError(str(place), "a folder that nobody else writes to", got) from error
    finally:
        _remove(part, files)


def _remove(folder: Path, files: Iterable[str] = ()) -> None:
    """Remove files of a folder, and the folder where nothing else is in it."""
    for name in files:
        discard(folder / name)
    with suppress(OSError):
        folder.rmdir()


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
