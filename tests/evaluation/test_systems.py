"""Methods, readers and engines as systems of one comparison: run, grown, joined, and tested in pairs."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from bench_methods import Written
from report_rows import results, row

from groundplan.domains.errors import InputError
from groundplan.evaluation.bench import Account, Comparison, Inline, Progress, load_results, run_comparison
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.evaluation.bench.joined import load_joined
from groundplan.evaluation.bench.results import MANIFEST, ROWS, System
from groundplan.evaluation.gold_reader import GoldReader
from groundplan.evaluation.judging import JudgedTask
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.forms.formats import FORMATS
from groundplan.evaluation.report.pairs import pairs
from groundplan.evaluation.report.reader_table import quantisation, readers
from groundplan.evaluation.report.search_tables import searching
from groundplan.evaluation.report.statistics import holm, mcnemar
from groundplan.evaluation.report.tables import HEAD, planning
from groundplan.evaluation.synthetic_reader import SyntheticReader
from groundplan.methods import METHODS, Tools

TASKS = chosen_tasks("office-planning-simple", 3)
READERS = ("gold", "always-wrong", "often-wrong")


def tools(case: JudgedTask, seed: int | None, account: Account, keep: ExitStack) -> Tools:
    """Return the reader that the cell names: one knows the gold goals, the others err."""
    assert account.cell is not None
    if account.cell.reader == "none":
        return Tools()
    if account.cell.reader == "gold":
        return Tools(reader=GoldReader(case))
    rate = 1.0 if account.cell.reader == "always-wrong" else 0.5
    return Tools(reader=SyntheticReader(case, {"hallucinated_nodes": rate}, 0))


def comparison(**changes: object) -> Comparison:
    whole = Comparison((METHODS["gold"], METHODS["hybrid"]), TASKS, readers=READERS)
    return replace(whole, **changes)  # type: ignore[arg-type]


def everything(folder: Path) -> dict[str, str]:
    """Return a report in every form, without what a clock measured."""
    made = report_on(load_results(folder), timed=False)
    return {name: write(made) for name, write in FORMATS.items()}


def test_a_method_runs_with_each_reader_and_one_that_asks_none_runs_once(tmp_path: Path) -> None:
    made = run_comparison(comparison(), tools, tmp_path)
    assert made.systems == (
        System("gold", "none", "pyperplan"),
        *(System("hybrid", reader, "pyperplan") for reader in READERS),
    )
    assert made.planned == len(made.rows) == 12 and len({row.key for row in made.rows}) == 12
    right = {system.reader: [row.succeeded for row in made.of(system)] for system in made.systems}
    assert all(right["gold"]) and all(right["none"])
    assert list(made.readers) == ["none", *READERS]
    lines = planning(made)
    assert lines is not None and [line[2] for line in lines.rows] == ["none", *READERS]


def test_an_engine_of_a_command_gets_problems_without_costs_where_it_is_named() -> None:
    planners = {name: "true {domain} {problem} {plan}" for name in ("plain", "priced")}
    whole = comparison(engines=tuple(planners), engine_commands=planners, without_costs=("plain",))
    assert [whole.engine(name).text_engine.supports_costs for name in planners] == [False, True]
    assert whole.manifest()["engines"]["plain"].endswith("{plan}, without costs")
    with pytest.raises(InputError, match="did you mean 'plain'"):
        comparison(engines=("plain",), engine_commands=planners, without_costs=("plan",))


@pytest.mark.parametrize(
    "steps",
    [
        [{"readers": READERS[:1]}, {"readers": READERS[:2]}],
        [{"methods": (METHODS["hybrid"],)}],
        [{"methods": (METHODS["gold"],)}, {"readers": READERS[1:]}],
        [{"engines": ("pyperplan",), "readers": ("often-wrong",)}],
    ],
)
def test_a_folder_that_grew_gives_what_one_comparison_would(tmp_path: Path, steps) -> None:
    run_comparison(comparison(), tools, tmp_path / "one")
    for changes in steps:
        run_comparison(comparison(**changes), tools, tmp_path / "grown")
    assert len(load_results(tmp_path / "grown").rows) < 12
    run_comparison(comparison(), tools, tmp_path / "grown")
    assert everything(tmp_path / "grown") == everything(tmp_path / "one")
    keys = [json.loads((tmp_path / name / MANIFEST).read_text()) for name in ("one", "grown")]
    assert keys[0] == keys[1]


def test_a_folder_that_grew_by_one_reader_at_a_time_has_the_order_of_one_comparison(tmp_path: Path) -> None:
    both = (METHODS["gold"], METHODS["hybrid"], METHODS["full-scene"])
    run_comparison(comparison(methods=both), tools, tmp_path / "one")
    for number, reader in enumerate(READERS):
        run_comparison(comparison(methods=both, readers=(reader,)), tools, tmp_path / "grown")
        run_comparison(comparison(methods=both, readers=(reader,)), tools, tmp_path / str(number))
    assert everything(tmp_path / "grown") == everything(tmp_path / "one")
    joined = load_joined([tmp_path / str(number) for number in range(len(READERS))])
    assert joined.systems == load_results(tmp_path / "one").systems


def test_a_reader_with_other_settings_or_limits_is_not_the_same_one(tmp_path: Path) -> None:
    run_comparison(comparison(settings={"gold": {"temperature": 0}}), tools, tmp_path)
    with pytest.raises(InputError, match=r"readers.gold.temperature was 0, now 1"):
        run_comparison(comparison(settings={"gold": {"temperature": 1}}), tools, tmp_path)
    fewer = replace(comparison().limits, calls=7)
    with pytest.raises(InputError, match=r"readers.gold.limits"):
        run_comparison(
            comparison(settings={"gold": {"temperature": 0}}, reader_limits={"gold": fewer}), tools, tmp_path
        )


class Killed(Exception):
    """Stands for what ends a process."""


@dataclass
class KillsAfter:
    """Listener that ends a comparison after some rows."""

    left: int

    def __call__(self, progress: Progress) -> None:
        self.left -= progress.row is not None
        if not self.left:
            raise Killed


@pytest.mark.parametrize("seed", range(3))
def test_a_comparison_of_readers_that_is_cut_off_anywhere_goes_on(tmp_path: Path, seed: int) -> None:
    run_comparison(comparison(), tools, tmp_path / "one")
    drawn = Random(seed)
    for _ in range(10):
        try:
            run_comparison(comparison(), tools, tmp_path / "cut", Inline(), KillsAfter(drawn.randrange(1, 4)))
        except Killed:
            with (tmp_path / "cut" / ROWS).open("ab") as file:
                file.write(b'{"engine":"py'[: drawn.randrange(14)])
    run_comparison(comparison(), tools, tmp_path / "cut")
    assert everything(tmp_path / "cut") == everything(tmp_path / "one")


def test_folders_with_the_same_tasks_are_joined_and_others_name_the_difference(tmp_path: Path) -> None:
    run_comparison(comparison(), tools, tmp_path / "one")
    for reader in READERS:
        run_comparison(comparison(readers=(reader,)), tools, tmp_path / reader)
    joined = load_joined([tmp_path / reader for reader in READERS])
    whole = load_results(tmp_path / "one")
    assert joined.planned == 12 and joined.systems == whole.systems
    assert [replace(r, timings={}, record={}) for r in joined.rows] == [
        replace(r, timings={}, record={}) for r in whole.rows
    ]
    run_comparison(comparison(tasks=TASKS[:2]), tools, tmp_path / "fewer")
    with pytest.raises(InputError, match=r"tasks.office-planning-simple-03 was"):
        load_joined([tmp_path / "one", tmp_path / "fewer"])
    run_comparison(comparison(methods=(Written("gold"),)), tools, tmp_path / "another-gold")
    with pytest.raises(InputError, match=r"methods.gold was"):
        load_joined([tmp_path / "one", tmp_path / "another-gold"])
    rows = tmp_path / "gold" / ROWS
    rows.write_text(rows.read_text().replace('"outcome":"verified"', '"outcome":"not-found"', 1))
    with pytest.raises(InputError, match=r"the outcome and measures of .*one"):
        load_joined([tmp_path / "one", tmp_path / "gold"])


def test_folders_of_before_rows_named_their_reader_are_joined_by_it(tmp_path: Path) -> None:
    """Their manifests have one reader, and their keys none."""
    for reader in ("gold", "always-wrong"):
        results_there = run_comparison(comparison(readers=(reader,)), tools, tmp_path / reader)
        rows = [
            row.as_json() | {"key": row.key.replace(f" {reader}", "")}
            for row in results_there.rows
            if row.method == "hybrid"
        ]
        for one in rows:
            del one["reader"]
        lines = [json.dumps(one, sort_keys=True, separators=(",", ":")) for one in rows]
        (tmp_path / reader / ROWS).write_text("\n".join(lines) + "\n")
        path = tmp_path / reader / MANIFEST
        manifest = json.loads(path.read_text())
        old = {key: value for key, value in manifest.items() if key not in ("readers", "systems")}
        methods = {"hybrid": manifest["methods"]["hybrid"]}
        path.write_text(json.dumps(old | {"reader": reader, "settings": {}, "methods": methods, "runs": 3}))
    joined = load_joined([tmp_path / "gold", tmp_path / "always-wrong"])
    assert {system.reader: len(joined.of(system)) for system in joined.systems} == {
        "gold": 3,
        "always-wrong": 3,
    }
    assert len(joined.rows) == joined.planned == 6


def test_folders_of_two_states_of_the_program_are_joined_where_it_is_asked_for(tmp_path: Path) -> None:
    for reader in READERS[:2]:
        run_comparison(comparison(readers=(reader,)), tools, tmp_path / reader)
    path = tmp_path / "gold" / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | {"program": "another"}))
    folders = [tmp_path / reader for reader in READERS[:2]]
    with pytest.raises(InputError, match="--changed-program"):
        load_joined(folders)
    joined = load_joined(folders, changed_program=True)
    assert "2 states of the program" in FORMATS["md"](report_on(joined))


def test_readers_are_compared_by_each_method_and_the_family_is_by_each_reader() -> None:
    def runs(method: str, reader: str, right: int):
        return [row(method, i, i < right, reader=reader, key=f"{method} {reader} {i}") for i in range(10)]

    parts = [runs(m, r, right) for m, r, right in (
        ("hybrid-naming", "a", 9), ("hybrid-naming", "b", 3), ("sayplan", "a", 1), ("sayplan", "b", 2)
    )]  # fmt: skip
    made = results(*(one for part in parts for one in part), family=[["hybrid-naming", "sayplan"]])
    table = pairs(made)
    assert table is not None
    assert [(line[0], line[1], line[-1]) for line in table.rows] == [
        ("hybrid-naming (a)", "sayplan (a)", "family"),
        ("hybrid-naming (b)", "sayplan (b)", "family"),
        ("hybrid-naming (a)", "hybrid-naming (b)", "readers"),
        ("sayplan (a)", "sayplan (b)", "readers"),
        ("hybrid-naming (a)", "sayplan (b)", "exploratory"),  # the leader and the next method, across readers
    ]
    p, corrected = ([line[place] for line in table.rows] for place in (6, 7))
    assert p == [mcnemar(8, 0), mcnemar(1, 0), mcnemar(6, 0), mcnemar(0, 1), mcnemar(7, 0)]
    assert corrected[:2] == list(holm([*p[:2], *[1.0] * 6])[:2]), "four fixed comparisons by two readers"
    assert corrected[2:] == [*holm(p[2:4]), None]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Llama-3.3-70B-Instruct-Q4_K_M.gguf", "Q4_K_M"),
        ("llama3.3:70b-instruct-q8_0", "Q8_0"),
        ("model.IQ4_XS.gguf", "IQ4_XS"),
        ("model-bf16", "BF16"),
        ("gpt-4o", ""),
        ("Qwen2.5-7B", ""),
        ("seq2seq", ""),
    ],
)
def test_names_of_models_say_their_quantisation(name: str, found: str) -> None:
    assert quantisation(name) == found


def test_each_reader_stands_with_its_model_quantisation_and_context() -> None:
    settings = {
        "openai:qwen2.5:7b-q8_0 temperature=0.7": {"temperature": 0.7},
        "local:/models/a.gguf": {"context": 4096, "search": "naming"},
        "local:b-IQ2_XXS.gguf context=1": {"limits": {}},
        "recorded:runs/c.jsonl": {},
        "gold": {},
    }
    made = results(row("m", 1))
    table = readers(replace(made, manifest={**made.manifest, "readers": settings}))
    assert [line[1:] for line in table.rows] == [
        ("qwen2.5:7b-q8_0", "Q8_0", None, "temperature 0.7"),
        ("a.gguf", None, 4096, "search naming"),
        ("b-IQ2_XXS.gguf", "IQ2_XXS", 8192, ""),
        ("c.jsonl", None, None, ""),
    ]
    assert [line[0] for line in table.rows] == list(settings)[:4]
    assert readers(results(row("m", 1), reader="embedded")) is None
    assert "## Readers" in FORMATS["md"](report_on(made))


def test_unions_have_a_pooled_line_where_all_their_sets_ran() -> None:
    def of(name: str, *right: bool):
        return [row("m", i, one, set=name, key=f"{name} {i}") for i, one in enumerate(right)]

    simple, long = of("office-planning-simple", True, True), of("office-planning-long", False, True, True)
    table = planning(results(*simple, *long))
    assert table is not None and table.columns[: len(HEAD)] == HEAD
    assert [(line[0], line[4]) for line in table.rows] == [
        ("office-planning-simple", 2), ("office-planning-long", 3), ("office-planning", 5),
    ]  # fmt: skip
    assert table.rows[-1][table.columns.index("success")].value == pytest.approx(4 / 5)
    alone = planning(results(*simple))
    assert alone is not None and len(alone.rows) == 1


def test_the_searches_of_each_scene_and_of_both_have_pooled_lines() -> None:
    counts = {"success": True, "needed": 1, "rooms": 9, "opened": 1}
    rows = [
        row("m", n, kind="search", set=f"{place}-search-{kind}", key=f"{place} {kind} {n}", measures=counts)
        for n, (place, kind) in enumerate((p, k) for p in ("office", "home") for k in ("simple", "complex"))
    ]
    lines = {line[0]: line[4] for line in searching(results(*rows)).rows if line[1] == "m"}
    assert list(lines)[4:] == ["office-search", "home-search", "sayplan-search"]
    assert [lines[name] for name in list(lines)[4:]] == [2, 2, 4]
