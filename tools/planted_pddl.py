"""Faults planted in copies of PDDL problems, and how many are found: ``python tools/planted_pddl.py FOLDER``.

A fault of each kind is planted in problems of the folder that have no finding, five each by default; each is
a file of its own in a folder that is removed afterwards. Printed is a line for each kind.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from groundplan.evaluation.golds.pddl_goals import PddlGold, audited_problem, pddl_golds

SECONDS = 20.0
_GOAL = re.compile(r"\(\s*:goal\s*(\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\))", re.S)
_LITERAL = re.compile(r"\((?!and\b|not\b|or\b|exists\b|forall\b|:)[\w-]+(?: +[\w-]+)+\)")


def in_goal(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: _GOAL.sub(lambda match: f"(:goal {change(match[1])}", text, count=1)


def literal(goal: str) -> str:
    return _LITERAL.findall(goal)[-1]


FAULTS: dict[str, tuple[Callable[[str], str], set[str]]] = {
    "unreadable": (lambda text: text[: _GOAL.search(text).end() - 1], {"syntax"}),  # type: ignore[union-attr]
    "empty": (in_goal(lambda goal: "(and)"), {"empty"}),
    "repeated": (in_goal(lambda goal: f"(and {goal} {goal})"), {"redundant"}),
    "contradictory": (
        in_goal(lambda goal: f"(and {literal(goal)} (not {literal(goal)}))"),
        {"contradiction"},
    ),
    "no such object": (
        in_goal(lambda goal: goal.replace(literal(goal), f"{literal(goal)[:-1]}77)")),
        {"pddl"},
    ),
    "no such predicate": (in_goal(lambda goal: f"(and {goal} ({'no_' + literal(goal)[1:]})"), {"pddl"}),
    "too many arguments": (
        in_goal(
            lambda goal: goal.replace(
                literal(goal), f"{literal(goal)[:-1]} {literal(goal).split()[1].rstrip(')')})"
            )
        ),
        {"pddl"},
    ),
    "of the start": (
        lambda text: in_goal(lambda goal: f"(and {_LITERAL.findall(text.partition(':init')[2])[0]})")(text),
        {"already-true"},
    ),
}


def main(folder: Path, domain: Path | None, each: int = 5) -> None:
    golds = [gold for gold in pddl_golds(folder, domain)[0] if gold.path != gold.domain]
    clean: list[PddlGold] = []
    for gold in golds:
        made = audited_problem(gold, False, SECONDS)
        clean += [] if made.findings or made.unchecked else [gold]
    print(f"{len(clean)} of {len(golds)} problems without a finding")
    total = 0
    step = max(1, len(clean) // (each * len(FAULTS)))
    for number, (kind, (plant, codes)) in enumerate(FAULTS.items()):
        hits = 0
        chosen = clean[number * step :: step * len(FAULTS)][:each]
        for gold in chosen:
            with tempfile.TemporaryDirectory() as place:
                path = Path(place, gold.path.name)
                path.write_text(plant(gold.path.read_text(encoding="utf-8")), encoding="utf-8")
                copy = PddlGold(gold.id, gold.set, path, gold.domain, gold.engine)
                kinds = {one.diagnostic.code for one in audited_problem(copy, False, SECONDS).findings}
                hits += bool(kinds & codes)
                if not kinds & codes:
                    print(f"  missed: {kind} in {gold.id}: {sorted(kinds)}")
        total += hits
        print(f"{kind}: {hits} of {len(chosen)}")
    print(f"all: {total} of {each * len(FAULTS)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
