"""The same input gives the same bytes: PDDL, plan and record, in processes with different hash seeds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
CHILD = """
import json, sys
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.normal import normal_form
from groundplan.compiler.pddl import render
from groundplan.compiler.problem import build
from plain_building import building
from groundplan.datasets.library import load_set
from groundplan.domains.pack import load_pack
from groundplan.pipeline.hybrid import Request, run
from groundplan.engines.engine import Engine
from groundplan.simulator.belief import ground

engine = Engine.named(sys.argv[1])
tasks = [(t.load(), t.gold.goal) for t in load_set("office-planning")]
tasks.append((building(8, 20, 60), "(exactly 2 (?a - apple) (exists (?f - fridge) (inside_of ?a ?f)))"))
for number, (scene, text) in enumerate(tasks[:: int(sys.argv[2])]):
    belief = ground(scene, load_pack())
    goal = parse_goal(text)
    for nearest in (3, None) if number == 0 else (3,):
        text = render(build(normal_form(goal.formula, belief), belief, nearest=nearest))
        print(text.domain, text.problem)
    record = run(Request(belief, goal=goal), engine).as_json()
    del record["timings"]
    print(json.dumps(record))
    print(*sorted(map(str, belief.facts)))
"""


@pytest.mark.parametrize(
    ("engine", "every"),
    [
        ("pyperplan", 3),
        pytest.param("pyperplan", 1, marks=pytest.mark.slow),
        pytest.param("fast-downward", 1, marks=pytest.mark.slow),
    ],
)
def test_bytes_do_not_depend_on_the_process(engine: str, every: int) -> None:
    outputs = []
    for seed in ("1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(TESTS)}
        result = subprocess.run(
            [sys.executable, "-P", "-c", CHILD, engine, str(every)],
            capture_output=True,
            env=environment,
            check=False,
        )
        assert result.returncode == 0, result.stderr.decode()[-2000:]
        outputs.append(result.stdout)
    assert outputs[0].count(b'"outcome": "verified"') == len(range(0, 31, every))
    assert outputs[0] == outputs[1]
