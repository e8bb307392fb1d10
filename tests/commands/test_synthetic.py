"""`bench --reader synthetic` and `report --prices`, as users run them."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundplan.evaluation.bench import load_results

PRICES = """
date = 2026-11-01
currency = "USD"
[models."gpt-4o"]
prompt = 2.5
completion = 10
"""


@pytest.mark.usefixtures("inline")
def test_bench_runs_the_synthetic_reader(cli, tmp_path: Path) -> None:
    def bench(out: str, *options: str):
        sets = ("--methods", "hybrid", "--tasks", "office-planning-simple,office-search-simple")
        return cli("bench", *sets, "--limit", "2", "--seed", "3", "--out", tmp_path / out, *options)

    assert bench("right", "--reader", "synthetic:wrong_action=0").code == 0
    assert all(row.succeeded for row in load_results(tmp_path / "right").rows)
    assert bench("wrong", "--reader", "synthetic:hallucinated_nodes=1,missing_action=1").code == 0
    rows = load_results(tmp_path / "wrong").rows
    assert not any(row.succeeded for row in rows if row.kind == "plan")
    assert all(row.invented for row in rows if row.kind == "plan")
    assert not any(row.holds("answered") for row in rows if row.kind == "search")
    report = cli("report", tmp_path / "wrong")
    assert report.code == 0 and "reader synthetic" in report.out and "Published by others" not in report.out
    assert bench("twice", "--reader", "synthetic", "--repeats", "2").code == 0


def test_rates_that_are_none_are_refused_before_anything_is_written(cli, tmp_path: Path) -> None:
    def bench(*options: str):
        tasks = ("--methods", "hybrid", "--tasks", "office-planning")
        return cli("bench", *tasks, "--out", tmp_path / "no", *options)

    refused = bench("--reader", "synthetic:all=1")
    assert refused.code == 2 and "KIND=RATE" in refused.err
    assert bench("--reader", "synthetic", "--temperature", "1").code == 2
    assert bench("--reader", "synthetic", "--repeats", "2").code == 2, "the same every time without a seed"
    assert bench("--reader", "synthetic:").code == 2
    assert not (tmp_path / "no").exists()


@pytest.mark.usefixtures("inline")
def test_report_takes_prices(cli, tmp_path: Path) -> None:
    out, file = tmp_path / "results", tmp_path / "prices.toml"
    tasks = ("--tasks", "office-planning-simple", "--limit", "1")
    assert cli("bench", "--methods", "gold", *tasks, "--out", out).code == 0
    assert cli("report", out, "--prices", file).code == 2
    file.write_text(PRICES, encoding="utf-8")
    shown = cli("report", out, "--prices", file)
    assert shown.code == 0 and "Money (USD)" in shown.out and "2026-11-01" in shown.out
