"""Keys of the environment: an engine finds them in no process above it, and who needs them keeps them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

HOSTILE = """
import os, pathlib, sys
above, seen = os.getppid(), ""
while above > 1:
    place = pathlib.Path(f"/proc/{above}")
    seen += f"process {above}: {(place / 'environ').read_bytes().decode(errors='replace')}"
    pathlib.Path(sys.argv[1]).write_text(seen)
    above = int((place / "stat").read_text().rsplit(")", 1)[1].split()[1])
"""
RUN = """
import os, subprocess, sys
from groundplan.commands import main
goal = ["--scene", "office", "--goal", "(open fridge)", "--no-split", "--timeout", "20"]
main(["plan", *goal, "--engine-command", sys.argv[1]])
shown = subprocess.run(["printenv", "SOME_CANARY"], capture_output=True).stdout
print(f"process {os.getpid()}:", os.environ["SOME_CANARY"], shown)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_engine_finds_no_key_above_it(tmp_path: Path) -> None:
    program, seen = tmp_path / "hostile.py", tmp_path / "seen.txt"
    program.write_text(HOSTILE)
    command = f"{shlex.join([sys.executable, '-P', str(program), str(seen)])} {{domain}} {{problem}} {{plan}}"
    environment = {**os.environ, "SOME_CANARY": "canary-0123456789", "EMPTY_ONE": ""}
    line = [sys.executable, "-P", "-c", RUN, command]
    ran = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120)
    assert seen.exists(), ran.stderr + ran.stdout
    own, rest = ran.stdout.splitlines()[-1].split(": ")
    assert own in seen.read_text() and "canary-0123456789" not in seen.read_text()
    assert rest == "canary-0123456789 b'canary-0123456789\\n'"
