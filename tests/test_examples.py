"""Every example runs in a process of its own and prints what its first lines promise."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
NOTEBOOK = EXAMPLES / "compare.ipynb"
PRINTS = {
    "read_an_instruction.py": ["verified (and (hot chicken_kebab)", "kitchen pick chicken_kebab fridge"],
    "act_step_by_step.py": ["verified after", "counted: True", "true world: True"],
    "trace_and_replay.py": ["cut off after", "verified", "replays: True", "does not replay: line"],
    "own_pack.py": ["verified", "draw_water(can1)", "water(bed3)"],
    "own_method.py": ["one-try 1.0", "gold 1.0"],
    "own_model_method.py": ["executable", "the robot is not at cabinet5", "'calls': 2"],
    "unified_planning_problem.py": [
        "planning: VALID",
        "simulator: verified",
        "microwave waits for: ['heat']",
    ],
    "why_not.py": [
        "error[affordance]",
        "error[unknown-node]",
        "impossible closed set of states",
        "nearest (",
    ],
    "drive_from_program.py": ["switch_on microwave", "waits for: ['(hot noodles)']", "goal: True"],
    "rules_of_an_operator.py": ["free: verified, 32.84", "ruled: verified, 51.20", "kept (sometime-before"],
    "simulate_a_plan.py": ["False", "cannot pick up banana2: fridge is closed"],
}


def test_every_example_is_listed() -> None:
    assert sorted(PRINTS) == sorted(p.name for p in EXAMPLES.glob("*.py"))


@pytest.fixture(scope="module")
def one_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which all examples run one after the other, as readers try them."""
    return tmp_path_factory.mktemp("examples")


@pytest.mark.parametrize("name", sorted(PRINTS))
def test_an_example_runs(name: str, one_folder: Path) -> None:
    path = EXAMPLES / name
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 40
    done = subprocess.run(
        [sys.executable, "-P", str(path)], cwd=one_folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    for text in PRINTS[name]:
        assert text in done.stdout


def test_the_notebook_is_kept_without_outputs() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) == 5 and all(cell["outputs"] == [] for cell in code)
    assert all(cell["execution_count"] is None for cell in code)


@pytest.mark.slow
def test_the_notebook_runs_a_comparison_and_plots_it(tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(NOTEBOOK, 4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    printed = "".join(output.text for output in outputs if output.output_type == "stream")
    assert "72 runs of 24 instructions" in printed
    assert re.search(r"^gold +success 1\.00 ", printed, re.M) and re.search(
        r"^hybrid +success 0\.", printed, re.M
    )
    assert sum("image/png" in output.get("data", ()) for output in outputs) == 1
    assert list(tmp_path.iterdir()) == [], "nothing is left beside the notebook"
