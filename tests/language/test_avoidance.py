"""What is forbidden on the way, or wanted first, in sentences on four scenes: read as meant, or declined."""

from __future__ import annotations

import tomllib
from pathlib import Path

from groundplan import ground, load_pack, load_scene
from groundplan.compiler.certificates.constraints import without_constraints
from groundplan.compiler.goals import Goal
from groundplan.domains.formula import conjuncts, constraints
from groundplan.language.embedded.avoidance import restricted
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.simulator.belief import Belief
from groundplan.simulator.view import View

TABLE = tomllib.loads((Path(__file__).parent / "avoidance_sentences.toml").read_text(encoding="utf-8"))


def read(text: str, belief: Belief) -> Goal | None:
    reader = EmbeddedReader()
    search = reader.search(text, View.first(belief.scene))
    written = reader.write(text, search.scene) if search.outcome == "found" else None
    return written if isinstance(written, Goal) else None


def outcome(row: dict[str, object], belief: Belief) -> str:
    """Return whether a sentence was ``read``, ``declined``, or read as something else."""
    goal = read(str(row["text"]), belief)
    if goal is None:
        return "declined"
    kept = [str(part) for part in conjuncts(goal.formula) if constraints(part)]
    if kept != row["kept"] or not kept:
        return f"else: {goal}"
    if row["plain"]:
        plain = read(str(row["plain"]), belief)
        if plain is None or without_constraints(goal.formula) != plain.formula:
            return f"else: {goal}"
    return "read"


def test_sentences_are_read_as_meant_or_declined() -> None:
    outcomes: dict[str, str] = {}
    for scene, rows in TABLE.items():
        belief = ground(load_scene(scene), load_pack())
        outcomes |= {f"{scene}: {row['text']}": outcome(row, belief) for row in rows}
    wrong = {text: what for text, what in outcomes.items() if what not in ("read", "declined")}
    assert len(outcomes) >= 60
    assert wrong == {}
    meant = [f"{scene}: {row['text']}" for scene, rows in TABLE.items() for row in rows if row["kept"]]
    missed = [text for text in meant if outcomes[text] != "read"]
    assert len(missed) <= 0.3 * len(meant), missed


def test_what_forbids_nothing_is_left_alone() -> None:
    for text in (
        "Bring me the orange.",
        "Put it in the fridge, not on the table.",
        "",
        "Never mind.",
        "without",
    ):
        assert restricted(text) is None
