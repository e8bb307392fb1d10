"""Cohen's kappa, and the sheet for people who label plans without knowing what the rules say of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from label_plans import agreement, compare, load_cases, sheet
from statsmodels.stats.inter_rater import cohens_kappa

from groundplan.evaluation.plan_errors import ERROR_KINDS

HERE = Path(__file__).parent


def test_kappa_of_a_worked_example() -> None:
    """20 both yes, 5 and 10 one yes, 15 both no: agreement 0.7, by chance 0.5, kappa 0.4."""
    first = [True] * 20 + [True] * 5 + [False] * 10 + [False] * 15
    second = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15
    result = agreement(first, second)
    assert result.observed == pytest.approx(0.7) and result.kappa == pytest.approx(0.4)
    assert agreement([True, True], [True, True]).kappa is None
    with pytest.raises(ValueError, match="two labels"):
        agreement([True], [])


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_kappa_is_that_of_statsmodels(pairs: list[tuple[bool, bool]]) -> None:
    result = agreement([a for a, _ in pairs], [b for _, b in pairs])
    table = [[sum(pair == (a, b) for pair in pairs) for b in (True, False)] for a in (True, False)]
    if result.kappa is not None:
        assert result.kappa == pytest.approx(cohens_kappa(table, return_results=False))


def test_the_sheet_shows_plans_and_not_what_the_rules_say() -> None:
    cases = load_cases(HERE / "labelled_plans.json")
    assert len(cases) == 20
    lines = list(sheet(cases))
    text = "\n".join(lines[1:])
    assert all(f"## {case.id}" in text and case.instruction in text for case in cases)
    assert all(step in text for case in cases for step in case.steps)
    assert not any(kind in text for kind in ERROR_KINDS)
    assert all(kind in lines[0] for kind in ERROR_KINDS)


def test_agreement_is_printed_for_each_kind() -> None:
    cases = load_cases(HERE / "labelled_plans.json")[:4]
    labels = {case.id: list(case.kinds()) for case in cases}
    labels["p04"] = ["hallucinated_nodes"]
    lines = list(compare(cases, labels))
    assert lines[0] == "4 plans of 4 labelled"
    assert [line.split()[0] for line in lines[2:7]] == list(ERROR_KINDS)
    assert lines[-1].startswith("p04: people hallucinated_nodes; rules none")
