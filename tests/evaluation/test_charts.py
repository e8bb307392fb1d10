"""Charts: what is drawn, on rows made by hand, and the drawings and pages as files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from report_rows import HOSTILE, hostile, results, row

from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.chart import Chart, SystemLook
from groundplan.evaluation.report.charts import charts_of, tokens_of_steps
from groundplan.evaluation.report.forms.formats import FORMATS
from groundplan.evaluation.report.forms.plots import PlotsMissing, _look, colour_of, svg_of
from groundplan.evaluation.report.statistics import wilson
from groundplan.evaluation.report.tables import BUDGETS

NO_ORIGIN = "not an origin"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def spent(prompt: int) -> dict[str, object]:
    return {"prompt": prompt, "completion": 0, "calls": 1}


def made() -> dict[str, Chart]:
    trace = [{"command": "name", "node": "", "tokens": 700}, {"command": "expand", "node": "x", "tokens": 0}]
    goals = [{"goal": "g", "tokens": n} for n in (300, 500)]
    record = {"engine": "e", "trace": trace, "goals": goals}
    rows = [row("m", i, i < 2, tokens=spent(900 * (i + 1)), record=record) for i in range(3)]
    rows = [replace(r, timings={"search": 2.0, "plan": 1.0, "engine": 0.5, "run": 4.0}) for r in rows]
    gold = [row("gold", i, record={"engine": "e", "bound": 5.0}, timings={"run": 1.0}) for i in range(3)]
    return {chart.name: chart for chart in charts_of(results(*rows, *gold))}


def test_success_within_tokens_has_the_intervals_of_the_table_and_a_level_without_a_model() -> None:
    ours, gold = made()["success-plan"].series
    assert [p.x for p in ours.points] == list(BUDGETS) and not ours.level and gold.level
    assert [round(p.y, 1) for p in ours.points] == [0, 33.3, 66.7, 66.7, 66.7, 66.7, 66.7]
    share = wilson(2, 3)
    assert (ours.points[2].low, ours.points[2].high) == (100 * share.low, 100 * share.high)
    assert {p.y for p in gold.points} == {100.0}
    assert "success-search" not in made()


def test_steps_are_answers_and_stages_fill_the_run_and_costs_are_beside_the_bound() -> None:
    charts = made()
    assert [(p.x, p.y) for p in charts["steps"].series[0].points] == [(1, 700), (2, 300), (3, 500)]
    assert len(charts["steps"].series) == 1, "gold takes no tokens"
    stages = {s.name: [p.x for p in s.points] for s in charts["stages"].series}
    assert stages == {"search": [2.0, 0.0], "plan": [1.0, 0.0], "rest": [1.0, 1.0]}
    assert charts["stages"].categories == ("m", "gold")
    costs = {s.name: [p.x for p in s.points] for s in charts["cost"].series}
    assert costs == {"m": [2.0, 2.0], "gold": [2.0, 2.0, 2.0]}
    assert tokens_of_steps({"trace": "no", "attempts": [{"tokens": 4}, {"tokens": "x"}, 3]}) == [4.0]


def test_without_times_no_chart_has_any_and_lines_name_engines_where_there_are_several() -> None:
    rows = [row("m", 1, engine=name, timings={"run": 1.0}) for name in ("a", "b")]
    charts = charts_of(results(*rows))
    assert [chart.name for chart in charts] == ["shares-plan", "endings", "stages"]
    assert all(chart.categories == ("m (a)", "m (b)") == tuple(chart.looks) for chart in charts)
    assert all(chart.looks["m (b)"] == SystemLook(1, 0) for chart in charts), (
        "one method: a colour for each engine"
    )
    assert [c.name for c in charts_of(results(*rows), timed=False)] == ["shares-plan", "endings"]


def test_a_method_has_one_colour_and_each_of_its_readers_another_mark() -> None:
    systems = [(f"m{i}", reader) for i in range(11) for reader in ("a", "b", "c")]
    rows = [row(method, 1, reader=reader, key=f"{method}{reader}") for method, reader in systems]
    (chart,) = (c for c in charts_of(results(*rows)) if c.name == "shares-plan")
    looks = {name: _look(chart, series) for name, series in zip(chart.looks, chart.series, strict=True)}
    colours = {method: {looks[f"{method} ({r})"]["color"] for r in "abc"} for method, _ in systems}
    assert all(len(of) == 1 for of in colours.values()) and len(set.union(*colours.values())) == 11
    assert len({looks[f"m0 ({r})"]["marker"] for r in "abc"}) == 3
    assert len({looks[f"m0 ({r})"]["linestyle"] for r in "abc"}) == 3
    assert len({colour_of(number) for number in range(60)}) == 60


def test_shares_have_the_intervals_of_the_table_and_endings_their_counts() -> None:
    charts = made()
    share = wilson(2, 3)
    ours, gold = charts["shares-plan"].series
    assert [(p.x, p.low, p.high) for p in ours.points] == [
        (100 * share.value, 100 * share.low, 100 * share.high)
    ]
    assert gold.points[0].x == 100.0 and charts["shares-plan"].categories == ("m", "gold")
    assert {s.name: [p.x for p in s.points] for s in charts["endings"].series} == {"verified": [3, 3]}


def test_tokens_by_size_are_means_over_the_tasks_of_a_size() -> None:
    rows = [row("m", i, tokens=spent(100 * i)) for i in (1, 2, 3)]
    of = results(*rows)
    sized = replace(
        of, manifest={**of.manifest, "tasks": {f"t{i}": {"nodes": n} for i, n in ((1, 9), (2, 9), (3, 40))}}
    )
    (chart,) = (c for c in charts_of(sized) if c.name == "sizes")
    assert [(p.x, p.y) for p in chart.series[0].points] == [(9, 150), (40, 300)]
    assert "sizes" not in {c.name for c in charts_of(of)}, "older manifests do not have the sizes"


def test_looks_and_spl_have_a_point_for_each_run() -> None:
    looks = [row("m", i, measures={"acting": {"looks": i}, "success": True}) for i in (3, 1)]
    walked = [row("w", i, kind="search", measures={"spl": 0.5 * i, "success": True}) for i in (0, 1)]
    charts = {chart.name: chart for chart in charts_of(results(*looks, *walked))}
    assert [p.x for p in charts["looks"].series[0].points] == [1, 3]
    assert [p.x for p in charts["spl"].series[0].points] == [0, 0.5]


def solved(engine: str, task: int, seconds: float, expanded: int, success: bool = True):
    record = {"engine": engine, "statistics": {"expanded": expanded}}
    timings = {"engine": seconds, "run": seconds}
    return row("gold", task, success, engine=engine, record=record, timings=timings, key=f"{engine}{task}")


def test_engines_have_coverage_over_time_and_their_work_side_by_side() -> None:
    rows = [
        solved("a", 1, 2.0, 10),
        solved("a", 2, 1.0, 30),
        solved("b", 1, 5.0, 7),
        solved("b", 2, 9.0, 99, False),
    ]
    charts = {chart.name: chart for chart in charts_of(results(*rows))}
    times = {s.name: [(p.x, p.y) for p in s.points] for s in charts["coverage"].series}
    assert times == {"gold (a)": [(1.0, 1), (2.0, 2)], "gold (b)": [(5.0, 1)]}
    assert [(p.x, p.y) for p in charts["engines"].series[0].points] == [(10, 7)]
    assert charts["engines"].x == "gold (a)" and "coverage" not in {
        c.name for c in charts_of(results(*rows), False)
    }


@pytest.mark.parametrize("name", ["success-plan", "shares-plan", "steps", "stages", "cost", "endings"])
def test_a_drawing_is_the_same_bytes_and_well_formed_and_keeps_to_itself(name: str) -> None:
    chart = made()[name]
    text = svg_of(chart)
    assert text == svg_of(chart) and len(text) < 100_000
    assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    ids = re.findall(r' id="([^"]*)"', text)
    assert ids and len(ids) == len(set(ids)) and all(i.startswith(f"{name}-") for i in ids)
    assert all(link in ids for link in re.findall(r'(?:href="#|url\(#)([^")]*)', text))
    assert "<!--" not in text and "metadata" not in text and "date" not in text.lower()


def test_names_of_methods_are_text_in_drawings() -> None:
    """No formula, no tag, no end of a comment; letters that the font lacks are boxes."""
    chart = made()["stages"]
    strange = ("$\\frac{1}{0}$", HOSTILE, "--><script>", "中文\x00" + "x" * 500)
    text = svg_of(replace(chart, categories=strange[: len(chart.categories)]))
    text += svg_of(replace(chart, categories=strange[-len(chart.categories) :]))
    assert "script" not in text and len(text) < 200_000


def test_without_matplotlib_a_page_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundplan.evaluation.report.forms.plots.can_draw", lambda: False)
    monkeypatch.setattr("groundplan.evaluation.report.forms.page.can_draw", lambda: False)
    text = FORMATS["html"](report_on(hostile()))
    assert "groundplan[report]" in text and "<svg" not in text
    with pytest.raises(PlotsMissing, match="groundplan"):
        svg_of(made()["cost"])


def requests_of(browser: str, page: Path, folder: Path) -> tuple[str, str, set[str]]:
    """Open a page; return its elements, what the browser complained of, and the addresses that it asked for.

    Requests of the browser itself have no origin; none of any kind leaves the machine.
    """
    log = folder / "net.json"
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--enable-logging=stderr",
             "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom",
             f"--user-data-dir={folder}/profile", f"--log-net-log={log}"]  # fmt: skip
    ran = subprocess.run([browser, *words, page.as_uri()], capture_output=True, text=True, timeout=100)
    assert ran.returncode == 0
    events = [event.get("params", {}) for event in json.loads(log.read_text())["events"]]
    ours = {str(e["url"]) for e in events if "url" in e and e.get("initiator", NO_ORIGIN) != NO_ORIGIN}
    return ran.stdout, ran.stderr, ours


@pytest.mark.slow
def test_a_page_opens_from_a_file_and_asks_no_network(tmp_path: Path) -> None:
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        pytest.skip("needs Chromium")
    page, other = tmp_path / "report.html", tmp_path / "other.html"
    page.write_text(FORMATS["html"](report_on(hostile())), encoding="utf-8")
    elements, complaints, addresses = requests_of(browser, page, tmp_path / "one")
    assert "Runs that failed" in elements and elements.count("<svg") == 2
    assert "CONSOLE" not in complaints, "nothing in the page was refused, so it tried nothing"
    assert addresses == set()
    picture = "http://127.0.0.1:9/picture.png"
    other.write_text(f'<img src="{picture}">', encoding="utf-8")
    assert requests_of(browser, other, tmp_path / "two")[2] == {picture}, "the log shows what pages ask for"
    other.write_text(page.read_text().replace("</body>", f'<img src="{picture}"></body>'), encoding="utf-8")
    _, complaints, addresses = requests_of(browser, other, tmp_path / "three")
    assert addresses == set() and "Content Security Policy" in complaints, "the policy of the page holds"
