"""Pickled data without running it: dictionaries, lists, text, numbers, numpy arrays, and networkx graphs.

A pickle is a program for a stack machine, which can be made to call any function. The standard library's
machine is given a table of the names that it may know (``program``), in a process of its own within limits of
time and memory: damage and excess end that process alone. The limits may be changed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from ....domains.deadline import check_time, time_left
from ....domains.errors import SceneError, clip
from ....simulator.scene_json import parse_json

PROGRAM = Path(__file__).with_name("program.py")
SECONDS = 60.0
MAX_INFLATED = 2 << 30
"""Bytes of the inflated member of a zip file, at most."""


def decoded(data: bytes, where: str, member: str = "") -> object:
    """Return the values of a pickle as JSON has them; ``member`` is the file of it in an ``.npz`` archive.

    Raises :class:`SceneError` for code, damage and excess.
    """
    with TemporaryDirectory(prefix="groundplan-") as folder:
        source = Path(folder, "data")
        source.write_bytes(data)
        command = [sys.executable, "-I", "-S", str(PROGRAM), str(source), member, str(MAX_INFLATED)]
        check_time("decoding a pickle")
        left = time_left()
        seconds = SECONDS if left is None else min(SECONDS, left)
        try:
            done = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            check_time("decoding a pickle")
            raise SceneError(where, f"a pickle that is decoded in {SECONDS:g} s", "a longer one") from None
    if done.returncode != 0:
        got = f"one that ended its reader with exit code {done.returncode}"
        raise SceneError(where, "a pickle of plain data", got)
    answer = parse_json(done.stdout.decode("ascii"), where)
    assert isinstance(answer, dict)
    if "value" not in answer:
        raise SceneError(where, str(answer["expected"]), clip(answer["got"]))
    return answer["value"]
