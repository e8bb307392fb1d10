"""Reports: what the tables count, on rows made by hand, and every form of them."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from bench_methods import Written, no_tools
from report_rows import hostile, results, row

from groundplan.datasets.library import find_task
from groundplan.domains.errors import InputError
from groundplan.evaluation.bench import Comparison, RunRow, load_results, run_comparison
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.engine_tables import engine_seconds, engines
from groundplan.evaluation.report.error_tables import kinds_of_errors
from groundplan.evaluation.report.failures import why_failed
from groundplan.evaluation.report.forms.formats import FORMATS
from groundplan.evaluation.report.pairs import pairs
from groundplan.evaluation.report.papers.appendices import (
    order_overlap,
    paths_explored,
    plans_by_task,
    rooms_explored,
)
from groundplan.evaluation.report.papers.counterparts import Folder
from groundplan.evaluation.report.papers.published import SAYPLANS
from groundplan.evaluation.report.search_tables import searching, tokens_by_step
from groundplan.evaluation.report.statistics import Interval, clopper_pearson, holm, mcnemar, wilson
from groundplan.evaluation.report.tables import (
    BUDGETS,
    budgets,
    clusters,
    endings,
    flat,
    information,
    planning,
    spending,
)
from groundplan.methods import method_named
from groundplan.methods.variants import with_ablations, with_scene_texts


def column(table, name: str) -> list[object]:
    return [line[table.columns.index(name)] for line in table.rows]


def test_shares_are_over_runs_with_intervals_over_tasks() -> None:
    table = planning(results(*(row("m", i, i < 7) for i in range(10))))
    assert column(table, "n") == [10] and column(table, "success") == [wilson(7, 10)]
    assert column(table, "executable") == [wilson(10, 10)] and column(table, "intent_skip") == [wilson(0, 10)]


def test_what_was_not_judged_in_time_is_in_no_share_and_is_said() -> None:
    left = ["intent", "errors", "execution_errors", "wrong_nodes"]
    known = {"executable": False, "success": False, "intent": True, "errors": ["missing_pose"]}
    unknown = {**known, **dict.fromkeys(left), "unchecked": left}
    made = results(row("m", 0, measures=known), row("m", 1, measures=unknown))
    table, kinds = planning(made), kinds_of_errors(made)
    assert column(table, "intent") == [wilson(1, 1)] and column(table, "success") == [wilson(0, 2)]
    assert kinds is not None and column(kinds, "missing pose")[1] == wilson(1, 1)
    assert any("intent of 1 run, errors of 1 run" in note for note in report_on(made).notes)
    (line,) = planning(results(row("m", 1, measures=unknown))).rows
    assert line[table.columns.index("intent")] is None


def test_what_a_method_cannot_do_counts_nowhere_and_what_an_engine_cannot_is_a_failure() -> None:
    cannot = row("m", 1, False, outcome="unsupported", record={"engine": None})
    refused = row("m", 2, False, outcome="unsupported")
    table = planning(results(row("m", 0), cannot, refused))
    assert column(table, "n") == [2] and column(table, "success") == [wilson(1, 2)]
    ends = endings(results(row("m", 0), cannot, refused))
    assert column(ends, "unsupported") == [2] and column(ends, "runs") == [3]
    assert [r.key for r in report_on(results(row("m", 0), cannot, refused)).failures] == [refused.key]


def test_cost_is_beside_the_bound_of_the_gold_plan_or_its_cost() -> None:
    gold = [row("gold", 1, record={"engine": "e", "bound": 8.0}), row("gold", 2, record={"engine": "e"})]
    dear = {"success": True, "executable": True, "cost": 20.0}
    table = planning(results(*gold, row("m", 1, measures=dear), row("m", 2, measures=dear)))
    assert column(table, "cost") == [pytest.approx((10 / 8 + 1) / 2), pytest.approx((20 / 8 + 2) / 2)]
    assert column(planning(results(row("m", 1))), "cost") == [None]
    failed = row("m", 1, measures={"success": False, "cost": 99.0})
    assert column(planning(results(*gold, failed)), "cost")[1] is None


def test_invented_names_count_runs() -> None:
    table = planning(results(row("m", 1, invented=("x", "y")), row("m", 2)))
    assert column(table, "invented") == [clopper_pearson(1, 2)]


def test_success_at_a_budget_of_tokens_takes_both_success_and_tokens() -> None:
    spent = [400, 501, 900, 40_000]
    rows = [row("m", i, i != 2, tokens={"prompt": n - 1, "completion": 1}) for i, n in enumerate(spent)]
    table = budgets(results(*rows))
    assert [column(table, str(b))[0].value for b in BUDGETS] == [0.25, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    assert budgets(results(row("m", 1))) is None


def test_what_was_kept_is_beside_what_was_charged_and_not_known_of_old_rows() -> None:
    old = {"calls": 4, "prompt": 100, "completion": 20}
    new = old | {"kept_calls": 3, "kept_tokens": 90, "served_cached": 40, "served_prompt": 110}
    table = spending(results(row("old", 1, tokens=old), row("new", 1, tokens=new), row("new", 2, tokens=old)))
    assert column(table, "calls") == [4, 4]
    assert column(table, "kept_calls") == [None, 3] and column(table, "kept_tokens") == [None, 90]
    assert column(table, "served_cached") == [None, 40] and "-: not known" in table.notes[0]


def test_pairs_use_the_tasks_that_both_ran_and_holm_over_the_family_alone() -> None:
    ours = [row("hybrid-naming", i, i < 9) for i in range(10)]
    other = [row("full-scene", i, i in (0, 9)) for i in range(9)] + [row("full-scene", 11)]
    third = [row("llm+p", i, i < 8) for i in range(10)]
    gold = [row("gold", i) for i in range(10)]
    family = [["hybrid-naming", "full-scene"], ["hybrid-naming", "llm+p"]]
    made = results(*ours, *other, *third, *gold, family=family)
    table = pairs(made)
    assert column(table, "tasks") == [9, 10, 10]
    assert [column(table, c) for c in ("only first", "only second")] == [[8, 1, 0], [0, 0, 1]]
    raw = [mcnemar(8, 0), mcnemar(1, 0)]
    corrected = holm([*raw, 1.0, 1.0])[:2]  # of the four that were fixed, two were not run
    assert column(table, "p") == [*raw, 1.0] and column(table, "p (Holm)") == [*corrected, None]
    assert corrected[0] == 4 * raw[0] and "not run" in table.notes[0] and "sayplan-lite" in table.notes[0]
    assert column(table, "role") == ["family", "family", "exploratory"]
    free = pairs(replace(made, manifest={**made.manifest, "family": []}))
    assert column(free, "role") == ["exploratory"] * 3 and column(free, "p (Holm)") == [None] * 3


def test_pairs_with_repeats_compare_means_of_tasks() -> None:
    ours = [row("hybrid", i, True, repeat=k) for i in range(4) for k in (1, 2)]
    other = [row("gold", i, k == 1, repeat=k) for i in range(4) for k in (1, 2)]
    table = pairs(results(*ours, *other))
    assert column(table, "only first") == [2.0] and column(table, "p") == [2 / 16]


def test_a_task_with_its_paraphrases_is_one_cluster() -> None:
    """Four sentences that always agree are worth one; intervals and tests are over tasks."""

    def said(method: str, task: int, success: bool) -> list[RunRow]:
        one = row(method, task, success)
        return [one, *(replace(one, key=f"{one.key}~{n}", task=f"{one.task}~{n}") for n in (1, 2, 3))]

    better = [r for task in range(12) for r in said("hybrid-naming", task, task < 9)]
    worse = [r for task in range(12) for r in said("sayplan", task, task < 3)]
    made = results(*better, *worse, family=[["hybrid-naming", "sayplan"]])
    table = clusters(made)
    assert table is not None and column(table, "n") == [48, 48] and column(table, "tasks") == [12, 12]
    assert column(table, "correlation") == [1, 1] and column(table, "effective n") == [12, 12]
    (share, _) = column(planning(made), "success")
    assert isinstance(share, Interval) and share.method == "BCa" and share.low < 0.55
    compared = pairs(made)
    assert column(compared, "tasks") == [12] and column(compared, "p") == [mcnemar(6, 0)]
    alone = results(*(r for r in (*better, *worse) if "~" not in r.task))
    assert clusters(alone) is None


def test_pairs_compare_runs_that_both_made_where_one_is_not_finished() -> None:
    """A paraphrase that one method has not run yet says nothing about the other."""
    first = row("hybrid-naming", 1, True)
    reworded = replace(first, key="again", task="t1~1", measures={"success": False})
    made = results(first, reworded, row("sayplan", 1, True), family=[["hybrid-naming", "sayplan"]])
    assert column(pairs(made), "only second") == [0] and column(pairs(made), "tasks") == [1]


def test_search_stands_between_opening_all_and_opening_none() -> None:
    def search(task: int, opened: int, needed: int, success: bool) -> RunRow:
        measures = {"success": success, "answered": True, "precision": needed / opened if opened else None,
                    "opened": opened, "needed": needed, "rooms": 10}  # fmt: skip
        return row("m", task, kind="search", outcome="answered", measures=measures)

    table = searching(results(search(1, 4, 2, True), search(2, 0, 0, True), search(3, 1, 1, False)))
    assert column(table, "method") == ["m", "(open all)", "(open none)"]
    assert column(table, "success") == [wilson(2, 3), wilson(3, 3), wilson(1, 3)]
    assert column(table, "precision") == [0.75, pytest.approx(0.1), None]
    assert column(table, "opened") == [pytest.approx(5 / 3), 10.0, 0.0]


def test_rooms_opened_stand_beside_those_of_the_paper() -> None:
    def search(task: str, opened: int, **fields: object) -> RunRow:
        measures = {"success": True, "opened": opened, "needed": 1, "rooms": 37, "repeated": opened - 1}
        kept = {"kind": "search", "outcome": "answered", "set": "office-search-simple", "measures": measures}
        return replace(row("m", 1, **kept), key=task, task=task, **fields)

    trace = {"trace": [{"tokens": 900}, {"tokens": 0}, {"tokens": 950}]}
    first = search("office-search-simple-01", 4, record=trace)
    made = results(first, search("office-search-simple-06", 1), search("office-search-simple-07", 2))
    table = rooms_explored(made)
    assert column(table, "m") == [4, 1, 2, 7]
    assert column(table, "SayPlan (GPT-4), published") == [9, 4, 2, 15]
    assert column(table, "Human, published") == [8, 7, 1, 16]
    assert column(searching(made), "stagnated")[0] == wilson(2, 3)
    steps = tokens_by_step(made)
    assert steps.rows[0][steps.columns.index("step 1") :][:3] == (900, 950, None)


def test_a_report_says_what_each_system_sees_under_the_table_of_plans() -> None:
    methods = with_scene_texts([method_named(n) for n in ("hybrid", "sayplan", "llm+p", "gold")],
                               ["own", "described", "listing+described", "undescribed"])  # fmt: skip
    methods = with_ablations(methods, ["search", "memory"])
    made = results(
        *(row(name, 1) for name in (*(m.name for m in methods), "mine", "hybrid with scene text no"))
    )
    made.manifest["methods"].update({m.name: repr(m) for m in methods})
    made.manifest["pack"] = {"name": "household-shut", "one_handed": True}
    table = information(made)
    sees = dict(zip(column(table, "method"), column(table, "sees"), strict=True))
    assert list(sees) == [m.name for m in methods]
    listed, plain = "a listing of rooms, things, states, attributes", "SayPlan's JSON of rooms, poses, links"
    searched = "what its reader's search shows; then "
    assert sees["hybrid"] == f"{searched}{listed}; with descriptions"
    assert sees["hybrid without search"] == f"{listed}; with descriptions"
    assert sees["hybrid with scene text undescribed"] == f"{searched}{listed}; no descriptions"
    assert sees["sayplan"].startswith(plain) and sees["sayplan"].endswith("attributes; no descriptions")
    assert sees["sayplan with scene text described"] == sees["sayplan"].replace("; no", "; with")
    assert sees["sayplan with scene text listing+described"] == f"{listed}; with descriptions"
    assert sees["sayplan without memory"] == f"{sees['sayplan']}; not what was opened before"
    assert sees["llm+p"].endswith("attributes; with descriptions")
    gets = dict(zip(column(table, "method"), column(table, "gets"), strict=True))
    assert "collapsed scene" in gets["hybrid"] and gets["hybrid without search"] == "the whole scene"
    assert "household-shut" in table.notes[1]
    report = report_on(made)
    titles = [table.title for table in report.tables]
    assert titles.index("What each system sees") == titles.index("Planning") + 1
    assert ("pack", "household-shut (one-handed)") in report.facts


def test_what_a_single_method_sees_is_said_and_what_no_row_says_is_not_made_up() -> None:
    one = information(results(row("sayplan", 1)))
    assert column(one, "sees") == ["not recorded"] and "Rana" in column(one, "from")[0]
    assert information(results(row("mine", 1))) is None
    both = results(row("hybrid", 1), row("hybrid", 2, reader="embedded"), row("gold", 1, reader="none"))
    both.manifest["methods"].update({name: repr(method_named(name)) for name in ("hybrid", "gold")})
    table = information(both)
    lines = [(line[0], line[1], str(line[3])[:27]) for line in table.rows]
    assert lines == [
        ("hybrid", "openai:m", "what its reader's search sh"),
        ("hybrid", "embedded", "no text: the scene as data;"),
        ("gold", "none", "None"),
    ]


def test_the_order_of_rooms_is_held_against_that_of_people() -> None:
    assert order_overlap("abc", "abc") == 1.0 and order_overlap("abc", "xyz") == 0.0
    assert order_overlap("abc", "cba") == 2 * 1 / 6 and order_overlap("ab", "axbyz") == 2 * 2 / 7
    trace = [{"command": "expand", "node": n} for n in ("kitchen", "kitchen")]
    record = {"engine": "e", "trace": trace}
    found = replace(
        row("m", 1, kind="search", record=record), set="office-search-simple", task="office-search-simple-02"
    )
    table = rooms_explored(results(found))
    assert (
        column(table, "m: order")[0] == 1.0 and column(table, "SayPlan (GPT-4), published: order")[0] == 1.0
    )


def test_the_path_of_each_search_stands_beside_those_of_the_paper_and_of_people() -> None:
    record = {"engine": "e", "trace": [{"command": "expand", "node": n} for n in ("cafeteria", "kitchen")]}
    kept = {"kind": "search", "record": record, "set": "office-search-simple"}
    found = replace(row("m", 1, **kept), task="office-search-simple-04")
    table = paths_explored([Folder(results(found))])
    assert table.rows == (
        ("office-search-simple-04", "SayPlan (GPT-4), published", 2, 1.0, "kitchen, cafeteria"),
        ("office-search-simple-04", "Human, published", 2, 1.0, "kitchen, cafeteria"),
        ("office-search-simple-04", "m", 2, 0.5, "cafeteria, kitchen"),
    )
    every = paths_explored([Folder(results(found))], always=True)
    assert len(every.rows) == 60 * 3 and sum("not run" in line[1] for line in every.rows) == 59
    assert paths_explored([Folder(results(row("m", 1)))]) is None


def test_plans_stand_beside_those_of_the_papers_appendix() -> None:
    def planned(task: int, success: bool, record: dict[str, object]) -> RunRow:
        name = f"office-planning-long-{task:02}"
        measures = {"success": success}
        return replace(
            row("m", 1), set="office-planning-long", key=name, task=name, measures=measures, record=record
        )

    made = results(planned(2, True, {"attempts": [{}, {}, {}]}), planned(15, False, {"goals": ["(a)"]}))
    table = plans_by_task(made)
    assert table is not None and [cells[1:] for cells in table.rows] == [
        (1, 2, "yes", "yes", 1),
        (0, 0, "no", "no", 5),
    ]
    printed = {
        name: [sum(cells[i] == "yes" for cells in of_set) for i in (0, 1)]
        for name, of_set in SAYPLANS.items()
    }
    assert printed == {"office-planning-simple": [14, 15], "office-planning-long": [11, 13]}, "table 3"
    assert all(len(of_set) == 15 for of_set in SAYPLANS.values())


def test_engines_are_compared_by_the_gold_goals_and_their_own_statistics() -> None:
    counts = {"expanded": 10, "plan_length": 4}
    ours = row("gold", 1, record={"engine": "pyperplan", "statistics": counts, "optimal": True})
    other = row(
        "gold", 1, False, engine="fast-downward", record={"engine": "x", "statistics": {"expanded": 4}}
    )
    table = engines(results(ours, other))
    assert column(table, "engine") == ["pyperplan", "fast-downward"] and column(table, "solved") == [1, 0]
    assert column(table, "by all") == [0, 0] and column(table, "expanded") == [None, None]
    said = {
        "pyperplan": {"expanded": 10, "plan_length": 4},
        "fast-downward": {"expanded": 4, "plan_cost": 1500},
    }
    solved = [row("gold", 2, engine=e, record={"engine": e, "statistics": n}) for e, n in said.items()]
    table = engines(results(ours, other, *solved))
    assert column(table, "by all") == [1, 1] and column(table, "expanded") == [10, 4]
    assert column(table, "plan_length") == [4, None] and column(table, "plan_cost") == [None, 1.5]
    assert column(table, "optimal") == [1, 0] and engines(results(row("hybrid", 1))) is None
    slow = {"engine": 2.0, "engine_search": 1.5}
    timed = [replace(one, timings=slow) for one in solved]
    seconds = engine_seconds(results(replace(ours, timings={"engine": 90.0}), other, *timed))
    assert column(seconds, "engine s") == [2, 2] and column(seconds, "search s") == [1.5, 1.5]
    assert seconds.timed and engine_seconds(results(row("hybrid", 1))) is None


def test_a_report_says_what_was_not_run_who_knew_the_gold_and_what_a_clock_decided() -> None:
    made = results(row("m", 1, reproducible=False), reader="gold")
    unfinished = replace(made, manifest={**made.manifest, "runs": 7})
    text = FORMATS["md"](report_on(unfinished))
    assert "6 of 7 runs have not been made" in text and "knows the gold goals" in text
    assert "decided by a clock" in text and "runs: 1 of 7" in text
    assert "knows the gold goals" not in FORMATS["md"](report_on(results(row("m", 1))))


def test_published_figures_stand_beside_and_are_marked_as_theirs() -> None:
    with_paper = FORMATS["md"](report_on(results(row("m", 1, set="office-planning-long"))))
    assert "Published by others: SayPlan" in with_paper and "probably swapped" in with_paper
    assert "Table 1" not in with_paper, "search figures stand beside searches"
    assert "Published" not in FORMATS["md"](report_on(results(row("m", 1))))


def test_a_failed_run_shows_what_was_asked_the_gold_and_what_of_it_does_not_hold(tmp_path: Path) -> None:
    tasks = chosen_tasks("office-planning-simple-02,office-search-simple-02")
    made = run_comparison(Comparison((Written(),), tasks), no_tools, tmp_path)
    answers = ", ".join(tasks[1].gold.answers)
    text, page = (FORMATS[form](report_on(made)) for form in ("md", "html"))
    assert f"  - instruction: {tasks[0].instruction}\n" in text and tasks[0].instruction in page
    assert f"  - gold: {tasks[0].gold.goal}\n" in text and f"<h4>Gold</h4><pre>{tasks[0].gold.goal}" in page
    unmet = "(inside_of orange1 fridge) does not hold at the end: orange1 is not inside fridge; it is at "
    unmet += "kitchen_bench"
    assert f"  - unmet: {unmet}\n" in text
    assert f"<h4>Unmet parts of the gold</h4><pre>{unmet}</pre>" in page
    assert f"  - gold: {tasks[1].gold.query} = {answers}\n" in text
    assert f"{tasks[1].gold.answers[0]} was not handed on" in text
    other = {**made.manifest["tasks"], tasks[0].id: {"gold": "of another version", "scene": ""}}
    changed = FORMATS["md"](report_on(replace(made, manifest={**made.manifest, "tasks": other})))
    assert tasks[0].gold.goal not in changed and "orange1 is not inside fridge" in changed
    old = replace(made, rows=tuple(replace(r, measures={"success": False}) for r in made.rows))
    assert "orange1 is not inside" not in FORMATS["md"](report_on(old))


def test_why_a_run_failed_is_said_in_words() -> None:
    task = find_task("office-search-simple-02")
    opened = [{"command": "expand", "node": "lobby"}] * 3
    searched = row("m", 0, False, kind="search", record={"subgraph": list("abcdefghij"), "trace": opened})
    searched = replace(searched, measures={"success": False, "answered": False, "needed": 2, "opened": 1})
    assert why_failed(searched, task) == (
        f"right is {', '.join(task.gold.answers)}; handed on was a, b, c, d, e, f, g, h, .. (10 in all)",
        "2 moves opened again what was open",
    )
    measures = {**searched.measures, "precision": 1.0}
    all_shown = replace(searched, record={**searched.record, "shown": list("jihgfedcba")})
    assert "the search named no answer: all that it had shown was handed on" in why_failed(all_shown, task)
    none = replace(task, gold=replace(task.gold, answers=()))
    assert why_failed(replace(searched, measures=measures), none)[:2] == (
        "right is that nothing fits; handed on was a, b, c, d, e, f, g, h, .. (10 in all)",
        "of 2 rooms that had to be looked into 1 were opened",
    )
    plans = [{"steps": ["a"]}, {"steps": ["b"]}, "", {"steps": ["b"]}]
    written = row("m", 0, False, record={"attempts": plans, "trace": None})
    measures = {"success": False, "errors": ["missing_pose"], "acting": {"false_done": True}}
    assert why_failed(replace(written, measures=measures), None) == (
        "the plan reaches the goal that was written; that goal asks for something else than the gold",
        "the robot said that it was done, and what was asked for did not hold",
        "a drive was left out",
        "the last 2 plans that were written are the same",
    )
    assert why_failed(row("m", 0), task) == ()


def test_notes_are_words_that_every_form_shows_alike() -> None:
    report = report_on(results(row("gold", 1), row("m", 1)))
    assert "Endings" in [table.title for table in report.tables]
    # A backtick would be shown as it is in HTML, and with a backslash in Markdown.
    assert [note for table in report.tables for note in table.notes if "`" in note] == []


def test_csv_has_a_line_for_each_set_and_method_with_fractions() -> None:
    made = results(
        *(row("m", i, i < 1, tokens={"calls": 2, "prompt": 10, "completion": 5}) for i in range(3))
    )
    (line,) = csv.DictReader(io.StringIO(FORMATS["csv"](report_on(made))))
    assert list(line)[:8] == "method engine reader set n intent executable success".split()
    assert (line["method"], line["n"], line["success"], line["executable"]) == ("m", "3", "0.333333", "1")
    assert (line["calls"], line["prompt_tokens"], line["answered"]) == ("2", "10", "")
    assert "seconds" in line and "seconds" not in FORMATS["csv"](report_on(made, timed=False))
    assert flat(made).columns[-1] == "seconds"


class Page(HTMLParser):
    """Collects the tags and addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.names: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        addresses = ("href", "xlink:href", "src", "srcset", "action")
        self.links += [value or "" for name, value in attrs if name in addresses]
        self.names += [value or "" for name, value in attrs if name == "id"]


def test_a_page_is_one_file_that_loads_and_runs_nothing_and_shows_each_failed_run() -> None:
    made = report_on(hostile())
    text = FORMATS["html"](made)
    page = Page()
    page.feed(text)
    assert all(link.startswith("#") for link in page.links)
    assert not {"script", "img", "image", "link", "iframe", "object", "foreignobject"} & set(page.tags)
    assert text.count("url(") == text.count("url(#") and "@import" not in text
    assert "default-src &#x27;none&#x27;" in text
    assert {link[1:] for link in page.links} <= set(page.names) and len(page.names) == len(set(page.names))
    assert "\x1b" not in text and text.count("&lt;script&gt;") > 10
    assert text.count('<details class="run"') == 1 and "Names that do not exist" in text
    assert page.tags.count("table") == len(made.tables)
    assert page.tags.count("svg") == len(made.charts) == 4


def test_texts_of_rows_mean_nothing_in_markdown_and_latex() -> None:
    made = report_on(hostile())
    lines = FORMATS["md"](made).splitlines()
    bars = {
        line.count("|") - line.count("\\|") for line in lines if line.startswith("| ") and "pyperplan" in line
    }
    assert "<script" not in "".join(lines).replace("\\<script", "") and bars
    assert bars <= {len(table.columns) + 1 for table in made.tables}
    tables = [line for line in lines if line.startswith("| ")]
    assert tables and all(line.endswith(" |") for line in tables)
    tex = FORMATS["latex"](made)
    body = [line for line in tex.splitlines() if "alert" in line and not line.startswith("%")]
    assert body and all(
        "\\textless{}script\\textgreater{}" in line and "\\_\\$\\%\\&" in line for line in body
    )


@pytest.mark.parametrize("form", FORMATS)
def test_no_form_commands_a_terminal(form: str) -> None:
    text = FORMATS[form](report_on(hostile()))
    assert all(c.isprintable() or c == "\n" for c in text)


def test_an_interval_in_a_report_names_its_ends() -> None:
    text = FORMATS["md"](report_on(results(*(row("m", i, i < 5) for i in range(10)))))
    ends = wilson(5, 10)
    assert f"50.0 ({100 * ends.low:.1f} to {100 * ends.high:.1f})" in text
    assert isinstance(ends, Interval)


def test_folders_that_hold_no_comparison_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="groundplan bench"):
        load_results(tmp_path)
    methods = (Written(),)
    run_comparison(Comparison(methods, chosen_tasks("office-planning-simple", 2)), no_tools, tmp_path)
    manifest, rows = (tmp_path / "manifest.json"), (tmp_path / "rows.jsonl")
    good = manifest.read_text()
    for key, value in (("format", "another"), ("methods", []), ("runs", "2"), ("tasks", 1), ("family", {})):
        manifest.write_text(json.dumps(json.loads(good) | {key: value}))
        with pytest.raises(InputError, match="manifest"):
            load_results(tmp_path)
    manifest.write_text(good)
    first = json.loads(rows.read_text().splitlines()[0])
    for key, value in (
        ("kind", "x"),
        ("measures", []),
        ("repeat", "1"),
        ("reasons", {}),
        ("reproducible", 1),
    ):
        rows.write_text(json.dumps(first | {key: value}) + "\n")
        with pytest.raises(InputError, match=key):
            load_results(tmp_path)
    rows.write_text(json.dumps(first) + '\n{"engine":"half')
    assert len(load_results(tmp_path).rows) == 1


def test_wilson_intervals_are_those_of_the_literature() -> None:
    none, some = wilson(0, 10), wilson(81, 263)
    assert (none.low, round(none.high, 4)) == (0.0, 0.2775)  # Newcombe 1998, table I
    assert (round(some.low, 4), round(some.high, 4)) == (0.2553, 0.3662)
