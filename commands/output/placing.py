"""Placing of files in a folder: all are written aside, kept safe on disk, and then renamed one by one.

The unfinished files lie in the folder itself, so that their places need no other disk and no right that the
folder does not give. Whatever goes wrong before the last rename, an error of the disk or Ctrl-C, what was
there is put back; after a kill in the middle the files of two runs lie side by side, which the last one that
is renamed shows (``seals``). Files under other names are neither opened nor moved. One run at a time writes
in a folder (``flock`` on the folder itself, where there are locks). A change here must keep each of these.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ...domains.errors import InputError
from ...domains.storage.likeness import make_alike, refuse_irreplaceable, status_of
from ...domains.storage.own_file import keep_safe, write_all, write_new
from ...domains.storage.temporary import (
    NEW_FILE,
    discard,
    remove_left_behind,
    sign_of_life,
    temporary_path,
)

PATIENCE = 60.0
"""Seconds to wait for another run that is writing to the same folder."""

PAUSE = 0.01
TRIAL = 1 << 16
"""Bytes that must fit on the disk before work is done for a place."""

_NO_LOCKS = (errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOLCK, errno.EBADF, errno.EINVAL)
_NO_LINKS = (errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EPERM, errno.EMLINK)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other runs from writing to a folder. Raises :class:`InputError` if one does not end."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:  # it may not be listed, and so not be locked
        yield
        return
    try:
        _lock(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                raise
        else:
            return
        if time.monotonic() > end:
            raise InputError(
                str(folder), "a folder to write to", "one that another run is writing to", "wait for its end"
            )
        time.sleep(PAUSE)


def try_out(folder: Path, replaced: Collection[Path] = ()) -> None:
    """Write as much as usual results to a file in a folder and remove it; it is made like those to replace.

    Raises :class:`InputError` for what must not be replaced, :class:`OSError` for what the disk, the quota or
    the permissions do not allow.
    """
    path = temporary_path(folder)
    with ExitStack() as cleanup:
        cleanup.callback(discard, path)
        descriptor = os.open(path, NEW_FILE, 0o600)
        cleanup.callback(os.close, descriptor)
        write_all(descriptor, bytes(TRIAL))
        owner = os.fstat(descriptor).st_uid
        for old in replaced:
            refuse_irreplaceable(old, owner)
            if status_of(old) is not None:
                make_alike(descriptor, old)
        os.unlink(path)


def place_files(
    folder: Path, files: Mapping[str, bytes], removed: Collection[str], refuse: Callable[[], None]
) -> None:
    """Write files to a folder, made where it is missing, in their order, and remove those in ``removed``.

    The last of ``files`` appears, or is replaced, when all else is done. ``refuse`` is called when no other
    run can come between, and raises :class:`InputError` where something is in the way by now.

    Raises :class:`InputError` and :class:`OSError`; then everything is as it was.
    """
    with ExitStack() as undo, ExitStack() as cleanup:
        for missing in _missing(folder):
            undo.callback(_remove_if_empty, missing)
            missing.mkdir(exist_ok=True)
            keep_safe(missing.parent)
        cleanup.enter_context(alone_in(folder))
        refuse()
        owner = os.fstat(cleanup.enter_context(sign_of_life(folder))).st_uid
        for name in (*files, *removed):
            refuse_irreplaceable(folder / name, owner)
        finished: dict[str, Path] = {}
        for name, data in files.items():
            finished[name] = temporary_path(folder)
            cleanup.callback(discard, finished[name])
            write_new(finished[name], data, folder / name)
        _rename(folder, finished, removed)
        undo.pop_all()
        remove_left_behind(folder)


def _rename(folder: Path, finished: Mapping[str, Path], removed: Collection[str]) -> None:
    """Rename finished files to their places, the last one after all else is done and kept safe."""
    *first, last = finished
    with _interrupts_later(), ExitStack() as cleanup, ExitStack() as undo:
        renaming = _Renaming(folder, cleanup, undo)
        for name in first:
            renaming.put(finished[name], folder / name)
        for name in removed:
            renaming.remove(folder / name)
        keep_safe(folder)
        renaming.put(finished[last], folder / last)
        keep_safe(folder)
        undo.pop_all()


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Hold Ctrl-C back until the end of a block, so that no second one can end the undoing of the first.

    The handler is exchanged, since a signal that this thread blocks is given to another thread, and Python
    then interrupts the main one all the same. Only the main thread is interrupted, or may exchange it.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    try:
        signal.signal(signal.SIGINT, lambda number, _: came.append(number))
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


class _Renaming:
    """Renames in a folder that can be taken back as long as another name keeps each old file."""

    def __init__(self, folder: Path, cleanup: ExitStack, undo: ExitStack) -> None:
        self.folder, self.cleanup, self.undo = folder, cleanup, undo

    def put(self, finished: Path, place: Path) -> None:
        """Rename a finished file to its place."""
        if status_of(place) is not None:
            self._keep_old(place)
            os.rename(finished, place)
            return
        self.undo.callback(_take_back, place, os.lstat(finished))
        try:
            os.link(finished, place)  # unlike a rename it fails where a file has come there meanwhile
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            os.rename(finished, place)
        else:
            os.unlink(finished)

    def remove(self, place: Path) -> None:
        """Remove a file of an earlier run, if there is one."""
        if status_of(place) is not None:
            self._keep_old(place)
            os.unlink(place)

    def _keep_old(self, place: Path) -> None:
        """Give an old file a second name until all is done; on a disk without links nothing can be undone."""
        spare = temporary_path(self.folder)
        self.cleanup.callback(discard, spare)
        try:
            os.link(place, spare, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
        else:
            self.undo.callback(_put_back, spare, place)


def _missing(folder: Path) -> list[Path]:
    """Return the folders that have to be made so that a folder exists, the highest first."""
    return [p for p in reversed((folder, *folder.parents)) if not p.exists()]


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _put_back(spare: Path, place: Path) -> None:
    with suppress(OSError):
        os.rename(spare, place)


def _take_back(place: Path, finished: os.stat_result) -> None:
    """Remove a new file from its place, if it is the one that was put there."""
    with suppress(OSError):
        status = place.lstat()
        if (status.st_dev, status.st_ino) == (finished.st_dev, finished.st_ino):
            os.unlink(place)
