"""Unfinished files: their names, and the trial of whether a place takes one.

Every name is new, so what a kill left behind is in nobody's way: it may be removed by hand. No file under
another name may be touched here; how a name is built may be changed.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import ExitStack, suppress
from pathlib import Path

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
"""Flags by which a file is opened that must not be there yet."""

_NAME = re.compile(r"\.groundplan-[0-9a-f]{16}\.part")


def temporary_path(folder: Path) -> Path:
    """Return a new name for an unfinished file or folder in a folder."""
    return folder / f".groundplan-{secrets.token_hex(8)}.part"


def is_temporary(name: str) -> bool:
    """Return whether a file name is one of those that :func:`temporary_path` gives."""
    return _NAME.fullmatch(name) is not None


def discard(path: Path) -> None:
    """Remove an unfinished file, if it is there."""
    with suppress(OSError):
        os.unlink(path)


def try_out(folder: Path, size: int = 0) -> int:
    """Write so many bytes to a file in a folder and remove it; return the owner that new files have there.

    Raises :class:`OSError` for what the disk, the quota or the permissions do not allow.
    """
    path = temporary_path(folder)
    with ExitStack() as cleanup:
        cleanup.callback(discard, path)
        descriptor = os.open(path, NEW_FILE, 0o600)
        cleanup.callback(os.close, descriptor)
        while size > 0:
            size -= os.write(descriptor, bytes(size))
        return os.fstat(descriptor).st_uid
