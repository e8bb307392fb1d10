"""Binary graphs of Spark-DSG (``.sparkdsg``), through the ``spark_dsg`` package where that is installed.

The package's own reader is C++, so it runs in a process of its own, within limits of time and memory, and
what it writes is read as any JSON. The limits may be changed.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from ....domains.deadline import check_time, time_left
from ....domains.errors import SceneError, clip
from ..content import Content

MARK = b"SPARK_DSG"
SECONDS, MEMORY = 60.0, 4_000_000_000
_PROGRAM = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
import spark_dsg
spark_dsg.DynamicSceneGraph.load(sys.argv[1]).save(sys.argv[2], False)
"""


def is_binary(content: Content) -> bool:
    """Return whether a file is a binary graph, by its first bytes."""
    return MARK in content.head and not content.head.lstrip().startswith(b"{")


def as_json(content: Content) -> object:
    """Return a binary graph as JSON, without its meshes. Raises :class:`SceneError`."""
    if find_spec("spark_dsg") is None:
        hint = "pip install --no-deps spark-dsg; or save the graph as JSON where it was made: "
        hint += 'graph.save("house.json", False)'
        got = "a binary one, which only the package spark_dsg reads, and it is not installed"
        raise SceneError(content.where, "a Spark-DSG graph in JSON", got, hint)
    with TemporaryDirectory(prefix="groundplan-") as folder:
        source, target = Path(folder, "graph.sparkdsg"), Path(folder, "graph.json")
        source.write_bytes(content.data)
        command = [sys.executable, "-P", "-c", _PROGRAM, str(source), str(target)]
        check_time("reading a binary graph")
        left = time_left()
        seconds = SECONDS if left is None else min(SECONDS, left)
        try:
            done = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            check_time("reading a binary graph")
            expected = f"a graph that is read in {SECONDS:g} s"
            raise SceneError(content.where, expected, "a longer one") from None
        if done.returncode != 0:
            message = done.stderr.decode("utf-8", "replace").strip().splitlines()
            got = clip(message[-1], 300) if message else f"its exit code {done.returncode}"
            raise SceneError(content.where, "a graph that the package spark_dsg reads", got)
        return Content(target).json
