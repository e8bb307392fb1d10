"""docs/records.md has every key of a record, in its order, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from groundplan.acting.trajectory import Observation
from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains.diagnostic import Diagnostic
from groundplan.domains.formula import Atom
from groundplan.language.questions.answering import AnswerPlace
from groundplan.language.reader import SearchStep
from groundplan.pipeline.leeway import Dropped
from groundplan.pipeline.record import PlanAttempt, Record, Round
from groundplan.planners.proofs.impossible import ImpossibleParts
from groundplan.planners.tidy import NotPutBack
from groundplan.simulator.scene import Loss
from groundplan.simulator.step import Step
from groundplan.simulator.verification import Violation

GONE = Atom("filled", ("orange1",))
PAGE = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
KEYS, LISTS = (
    PAGE.split(f"## {title}\n")[1].split("\n## ")[0] for title in ("The keys", "What is in the lists")
)


def rows(section: str) -> dict[str, list[str]]:
    """Return the cells of a table after the first, by the key in the first."""
    lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    return {line[0].strip(" `"): [cell.strip() for cell in line[1:]] for line in lines}


def test_every_key_of_a_record_is_in_the_table():
    always = [key for key, cells in rows(KEYS).items() if not cells[3].startswith("not there without")]
    assert always == [*Record("not-found").as_json(), "program", "files"]
    assert all(len(cells) == 4 and cells[0] and cells[2] and cells[3] for cells in rows(KEYS).values())


def test_keys_that_are_null_are_said_to_be():
    """Nothing is null in a record of no run but what the page says may be."""
    empty = Record("not-found").as_json()
    nulls = [key for key, value in empty.items() if value is None]
    may = {key for key, cells in rows(KEYS).items() if "null" in cells[3] or cells[3] == "as `proof`"}
    assert set(nulls) == may - {"program"}


def test_keys_of_what_is_in_the_lists_are_on_the_page():
    made = {
        "answers": AnswerPlace("cup1", "ontop_of", "table1", "hall"),
        "left": NotPutBack(Atom("closed", ("fridge",)), "unsolvable"),
        "dropped_as_impossible": Dropped((GONE,), ImpossibleParts((GONE,), ("it is gone",))),
        "goals": Round(parse_goal("(open fridge)")),
        "violations": Violation(0, Step("open", ("fridge",)), (), ""),
        "trace": SearchStep("expand", "kitchen"),
        "observations": Observation(0, "fridge", "", ""),
        "diagnostics": Diagnostic("empty", "error", ""),
        "losses": Loss("node", "wall1", ""),
        "attempts": PlanAttempt("open(fridge)", (Step("open", ("fridge",)),)),
    }
    for key, one in made.items():
        named = re.findall(r"`(\w+)`", rows(LISTS)[key][0])
        assert set(one.as_json()) <= set(named), key
    assert list(rows(LISTS)) == [*list(made)[:4], "actions", *list(made)[4:]]
