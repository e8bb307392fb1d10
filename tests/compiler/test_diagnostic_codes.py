"""Every code of `check` and `pack check` is explained, and every explanation's example gets its code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import GoalSyntaxError, parse_goal
from groundplan.compiler.query.query import diagnosed_query
from groundplan.datasets.scenes import load_scene
from groundplan.domains.diagnostic import explained_codes, explained_findings, explained_outcomes
from groundplan.domains.pack import load_pack
from groundplan.pipeline.record import OUTCOMES
from groundplan.planners.proofs.finding import impossible
from groundplan.simulator.belief import ground

ROOT = Path(__file__).parents[2]
OFFICE = ground(load_scene("office"), load_pack())
EXAMPLES = [c for c in explained_codes().values() if c.example]


def codes_of(text: str) -> list[tuple[str, str]]:
    try:
        goal = parse_goal(text)
    except GoalSyntaxError as error:
        if error.diagnostic.code != "question":
            return [(error.diagnostic.code, error.diagnostic.severity)]
        return [(d.code, d.severity) for d in diagnosed_query(text, "question", OFFICE)[1]]
    report = check(goal, OFFICE)
    found = (*report.diagnostics, *(impossible(goal, OFFICE) if report.ok else ()))
    return [(d.code, d.severity) for d in found]


@pytest.mark.parametrize("one", EXAMPLES, ids=lambda c: c.code)
def test_each_example_gets_its_code(one):
    assert (one.code, one.severity) in codes_of(one.example)


def given_codes() -> set[str]:
    """Return the codes of the source: texts that are passed where a diagnostic is made."""
    position = {"report": 0, "Diagnostic": 0, "_Fault": 0, "error": 1}
    codes: set[str] = set()
    for folder in ("compiler", "domains", "planners/proofs", "evaluation/golds"):
        for file in sorted(ROOT.joinpath(folder).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call):
                    continue
                function = node.func
                name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
                method = isinstance(function, ast.Attribute)  # error(..) alone makes an InputError
                if (
                    name not in position
                    or len(node.args) < (2 if name == "_Fault" else 3)
                    or (name == "error" and not method)
                ):
                    continue
                texts = ast.walk(node.args[position[name]])
                codes |= {n.value for n in texts if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return codes


def test_every_code_that_is_given_is_explained_and_documented():
    table = (ROOT / "docs" / "goals.md").read_text(encoding="utf-8")
    assert given_codes() == set(explained_codes())
    assert [c for c in explained_codes() if f"`{c}`" not in table] == []


def finding_codes() -> set[str]:
    """Return the codes of the source: the first argument wherever a finding about a pack is made."""
    files = [
        *sorted(ROOT.joinpath("domains").rglob("*.py")),
        *sorted(ROOT.joinpath("commands").rglob("*.py")),
    ]
    calls = [
        n
        for f in files
        for n in ast.walk(ast.parse(f.read_text(encoding="utf-8")))
        if isinstance(n, ast.Call)
    ]
    made = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "PackFinding"]
    return {ast.literal_eval(c.args[0]) for c in made}


def test_every_code_of_pack_check_is_explained_and_documented():
    table = (ROOT / "docs" / "packs.md").read_text(encoding="utf-8")
    assert len(finding_codes()) >= 14
    assert finding_codes() == set(explained_findings())
    assert [c for c in explained_findings() if f"| `{c}` |" not in table] == []


def test_a_code_means_one_thing():
    names = [*explained_codes(), *explained_findings(), *explained_outcomes()]
    assert [n for n in names if names.count(n) > 1 and n != "unsupported"] == []


def test_every_outcome_is_explained():
    assert tuple(explained_outcomes()) == OUTCOMES
