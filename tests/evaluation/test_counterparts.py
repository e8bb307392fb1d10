"""Own lines of printed tables: a line for each printed one, of the runs at hand or of what it needs."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from report_rows import results, row

from groundplan.commands.bench import command as bench
from groundplan.commands.bench import comparison_of
from groundplan.datasets.library import PREPARED
from groundplan.datasets.prepared import BUNDLED
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.papers.counterparts import COUNTS, DRIVER, MEASURES, Folder, counterpart
from groundplan.evaluation.report.papers.published import PUBLISHED, other_sets, printed_tokens
from groundplan.methods import METHODS
from groundplan.methods.method import actions_of

ERRORS = PUBLISHED[3]
OTHERS = other_sets(PREPARED)
"""Sets that are made as a paper says, and are not its own."""


@pytest.mark.parametrize("printed", PUBLISHED, ids=lambda one: f"{one.source[:8]} {one.title[:30]}")
def test_every_printed_line_has_one_here_or_says_what_it_needs(printed) -> None:
    here = printed.here
    assert len(here.lines) == len(printed.rows) and all(len(r) == len(printed.columns) for r in printed.rows)
    methods = [line[0] for line in here.lines if not isinstance(line, str)]
    assert {name.partition(DRIVER)[0] for name in methods} <= {*METHODS, *COUNTS}
    assert {measure for _, measure in here.cells} | ({here.by_reader} - {""}) <= set(MEASURES)
    assert not here.cells or len(here.cells) == len(printed.columns) - here.labels
    own = counterpart([Folder(results(row("none-of-theirs", 1)))], printed, always=True)
    expected = [
        (f"{line[1]}, another set", *r[1 : here.labels]) if line[1] in OTHERS else r[: here.labels]
        for r, line in zip(printed.rows, here.lines, strict=True)
    ]
    assert own is not None and [r[: here.labels] for r in own.rows] == expected
    assert any("97 pass" in note for note in own.notes) is any(line[1] in OTHERS for line in here.lines)
    assert all("not run" in str(line[-1]) or set(methods) <= set(COUNTS) for line in own.rows)


def planned(method: str, reader: str, *right: bool):
    """Return runs of a system on both sets of planning tasks."""
    return [
        row(method, i, one, reader=reader, set=f"office-planning-{kind}", key=f"{method}{reader}{kind}{i}")
        for kind in ("simple", "long")
        for i, one in enumerate(right)
    ]


def test_lines_of_a_table_are_the_runs_of_each_system() -> None:
    parts = (("sayplan", "a", True, False), ("sayplan", "b", False, False), ("hybrid", "a", True))
    made = results(*(one for part in parts for one in planned(*part)))
    own = counterpart([Folder(made)], PUBLISHED[2])
    assert own is not None
    lines = [(line[0], getattr(line[1], "value", None), line[-2], line[-1]) for line in own.rows]
    assert lines[2:] == [
        ("SayPlan", 0.5, 4, "sayplan, a, pyperplan"), ("SayPlan", 0.0, 4, "sayplan, b, pyperplan"),
    ]  # fmt: skip
    assert [line[1:3] for line in lines[:2]] == [(None, 0), (None, 0)]
    assert "not run: groundplan bench --methods llm-as-planner" in str(lines[1][-1])


def test_errors_are_those_of_refused_plans_over_both_sets() -> None:
    made = results(*planned("sayplan", "a", True, False), *planned("hybrid", "b", True))
    wrong = {"errors": ["wrong_action"], "execution_errors": ["wrong_action"], "success": False}
    erring = replace(made, rows=(replace(made.rows[0], measures=wrong), *made.rows[1:]))
    errors = counterpart([Folder(erring)], ERRORS)
    assert errors is not None and errors.rows[2][3].value == 1 / 4
    simple = replace(made, rows=tuple(r for r in made.rows if r.set.endswith("simple")))
    half = counterpart([Folder(simple)], ERRORS)
    told = str(half.rows[2][-1]) if half is not None else ""
    assert told.startswith("in part: 2 runs; not run: "), "the paper's table is over both sets"
    assert counterpart([Folder(results(row("hybrid", 1)))], ERRORS) is None


def test_a_table_whose_columns_are_models_has_a_column_for_each_reader() -> None:
    of_set = {"set": "office-search-simple", "kind": "search"}
    rows = [
        row("sayplan", i, i < right, reader=reader, key=f"{reader}{i}", **of_set)
        for reader, right in (("a", 3), ("b", 1))
        for i in range(4)
    ]
    own = counterpart([Folder(results(*rows))], PUBLISHED[0])
    assert own is not None and own.columns == ("scene", "task", "a, pyperplan", "b, pyperplan", "by")
    assert [cell.value for cell in own.rows[0][2:4]] == [0.75, 0.25] and own.rows[0][4] == "sayplan"
    assert own.rows[1][2:4] == (None, None) and "not run: groundplan bench" in own.rows[1][4]


def test_a_table_whose_columns_are_models_keeps_the_printed_ones_without_a_run() -> None:
    own = counterpart([Folder(results(row("hybrid", 1)))], PUBLISHED[0], always=True)
    assert own is not None and own.columns == (*PUBLISHED[0].columns, "by")
    assert {line[2:5] for line in own.rows} == {(None, None, None)}


def of_every_paper() -> list[str]:
    """Return the commands of a report without a run."""
    made = report_on(results(row("hybrid", 1)), papers=True)
    texts = (str(cell) for table in made.tables for line in table.rows for cell in line)
    return list(dict.fromkeys(re.findall(r"not run: groundplan bench (.*)", "\n".join(texts))))


@pytest.mark.parametrize("words", of_every_paper())
def test_every_command_that_is_printed_can_be_given(words: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("GROUNDPLAN_DATA", str(tmp_path))
    options = bench.make_context("bench", shlex.split(words)).params
    assert options["reader"] and options["pack"] and options["out"] == Path("DIR")
    sets = options["tasks"].split(",")
    if set(sets) & set(PREPARED) - set(BUNDLED):
        with pytest.raises(InputError, match=r"the prepared set .* datasets prepare"):
            comparison_of(options)
        return
    comparison, readers = comparison_of(options)
    assert comparison.pack == options["pack"] and list(readers) == list(options["reader"])
    pack = load_pack(comparison.pack)
    assert all(a is None or a.are_in(pack) for a in map(actions_of, comparison.methods))


def test_every_paper_has_its_commands() -> None:
    commands = of_every_paper()
    methods = {shlex.split(words)[1] for words in commands}
    assert methods == {
        "sayplan", "llm-as-planner", "llm+p-sayplan", "sayplan-star", "sayplan-lite", "lookplangraph",
        "known-positions", "saynav", "saynav-memory",
    }  # fmt: skip
    packs = {shlex.split(w)[1]: shlex.split(w)[shlex.split(w).index("--pack") + 1] for w in commands}
    assert packs["sayplan-lite"] == "grasif" and packs["lookplangraph"] == "grasif-looking"


def test_tokens_of_scenes_and_sizes_of_tasks_are_counted_without_a_run(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("GROUNDPLAN_DATA", str(tmp_path))
    of_title = {one.title[:8] + one.source[:6]: one for one in PUBLISHED}
    nothing = [Folder(results(row("hybrid", 1)))]
    tokens = counterpart(nothing, of_title["Table 2:SayPla"])
    (office, full, collapsed, saved, _, _, by), _ = tokens.rows
    assert office == "office" and saved == round(100 * (1 - collapsed / full), 1)
    assert by == "groundplan scene tokens --scene office"
    sizes = counterpart(nothing, of_title["Table 1:LookPl"])
    assert [sizes.rows[0][1], *(round(n, 1) for n in sizes.rows[0][2:5])] == [25, 37, 189.1, 2.4]
    assert "not run: prepare it from" in sizes.rows[1][-1] and "datasets prepare" in sizes.rows[2][-1]
    for name in ("office", "home"):
        printed = printed_tokens(name)
        saved = 100 * (1 - printed.tokens["collapsed"] / printed.tokens["full"])
        assert abs(saved - printed.saved) < 0.1
    kinds = counterpart(nothing, of_title["Table 5:SayPla"])
    assert [line[0] for line in kinds.rows] == [*"room asset object agent edges full collapsed".split()]
    assert kinds.rows[4][1] == 323 and kinds.rows[6][2:4] == (tokens.rows[1][2], 9.53)


def test_every_printed_task_of_sayplan_has_a_line_without_a_run() -> None:
    tables = {table.title: table for table in report_on(results(row("hybrid", 1)), papers=True).tables}
    paths = tables["Paths of searches, beside SayPlan's tables 13 to 16"]
    plans = tables["SayPlan's appendix G, without a run here"]
    assert len(plans.rows) == 30 and all("not run" in line[-1] for line in plans.rows)
    assert len(paths.rows) == 180
    assert not any("13 to 16" in t.title for t in report_on(results(row("hybrid", 1))).tables)


def test_unlike_results_have_lines_of_their_own_that_name_their_folder() -> None:
    household, looking = results(*planned("sayplan", "a", True)), results(*planned("sayplan", "a", False))
    own = counterpart([Folder(household, "one"), Folder(looking, "two")], PUBLISHED[2])
    lines = [(line[0], line[1].value, line[-1]) for line in own.rows[2:]]
    assert lines == [
        ("SayPlan", 1.0, "sayplan, a, pyperplan (one)"), ("SayPlan", 0.0, "sayplan, a, pyperplan (two)"),
    ]  # fmt: skip
    found = [replace(row("sayplan", 1, kind="search", reader="a"), set="office-search-simple")]
    by_reader = counterpart([Folder(results(*found), "one"), Folder(results(*found), "two")], PUBLISHED[0])
    assert by_reader.columns[2:4] == ("a, pyperplan (one)", "a, pyperplan (two)")


def test_lines_that_are_left_out_name_the_pack_of_the_paper_and_a_part_that_is_missing() -> None:
    made = results(*planned("sayplan", "a", True, False))
    simple = replace(made, rows=tuple(r for r in made.rows if r.set.endswith("simple")))
    own = counterpart([Folder(simple)], PUBLISHED[2])
    assert own is not None
    by = str(own.rows[2][-1])
    assert by.startswith("sayplan, a, pyperplan; not run: groundplan bench --methods sayplan")
    assert "--tasks office-planning-long" in by and "--pack household-shut" in by
    assert any("the simulator of the paper is household-shut" in note for note in own.notes)
    of_theirs = replace(simple, manifest={**simple.manifest, "pack": {"name": "household-shut"}})
    again = counterpart([Folder(of_theirs)], PUBLISHED[2])
    assert again is not None and not any("simulator of the paper" in note for note in again.notes)
