"""The walk of ``docs/robots.md``: from a Hydra file to a tree, a route graph and a monitor."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```(sh|text)\n(.*?)```", re.S)


def blocks() -> list[tuple[str, str]]:
    page = (ROOT / "docs" / "robots.md").read_text(encoding="utf-8")
    walk = page.split("## From a Hydra file to a robot\n")[1].split("\n## ")[0]
    return BLOCK.findall(walk)


def test_every_command_of_the_walk_runs_and_prints_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples" / "hydra", tmp_path / "examples" / "hydra")
    monkeypatch.chdir(tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    printed = ""
    for kind, text in blocks():
        if kind == "text":
            assert text in printed
            continue
        printed = ""
        for line in text.splitlines():
            done = subprocess.run(
                ["bash", "-c", line],
                capture_output=True,
                text=True,
                timeout=100,
                env={**os.environ, "PATH": path},
            )
            printed += done.stdout
            # A monitor ends with 1 where the goal is not reached when its input ends.
            assert done.returncode == ("monitor" in line), done.stderr
    assert json.loads(printed)["printed"] == 'goto("p(5)")'
    graph = json.loads((tmp_path / "route_graph.geojson").read_text())
    assert sum(f["geometry"]["type"] == "Point" for f in graph["features"]) == 12
    assert [kind for kind, _ in blocks()].count("sh") == 4
