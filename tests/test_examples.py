"""Every example runs in a process of its own and prints what its first lines promise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
PRINTS = {
    "read_an_instruction.py": ["verified (and (hot chicken_kebab)", "kitchen pick chicken_kebab fridge"],
    "own_pack.py": ["verified", "draw_water(can1)", "water(bed3)"],
    "own_method.py": ["one-try 1.0", "gold 1.0"],
    "why_not.py": ["error[affordance]", "error[unknown-node]", "unsolvable closed set of states"],
    "drive_from_program.py": ["switch_on microwave", "waits for: ['(hot noodles)']", "goal: True"],
    "simulate_a_plan.py": ["False", "cannot pick up banana2: fridge is closed"],
}


def test_every_example_is_listed() -> None:
    assert sorted(PRINTS) == sorted(p.name for p in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", sorted(PRINTS))
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    path = EXAMPLES / name
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 40
    done = subprocess.run(
        [sys.executable, "-P", str(path)], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    for text in PRINTS[name]:
        assert text in done.stdout
