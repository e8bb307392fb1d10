"""The narrow closure looks at what a goal can depend on, not at all that a large building holds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from groundplan.compiler.relevance import NEAREST, closure
from groundplan.compiler.relevance.completeness import Completeness
from groundplan.domains.action import Action
from groundplan.domains.formula import Atom, Var
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.facts import Facts
from groundplan.simulator.routes import Routes
from groundplan.simulator.scene import Link, Node, Scene

TABLES = 60


def row_of_rooms() -> Belief:
    """Rooms in a row, ten metres apart, with a table in each; a crate with a pear on the first one."""
    nodes = [Node("robot", "agent", at="room0")]
    for number in range(TABLES):
        nodes.append(Node(f"room{number}", "room"))
        nodes.append(Node(f"table{number}", "asset", parent=f"room{number}", affordances=("release",)))
    crate = {"affordances": ("pickup", "release", "contain"), "relation": "ontop_of"}
    nodes.append(Node("crate", "object", parent="table0", **crate))  # type: ignore[arg-type]
    nodes.append(Node("pear", "object", parent="crate", relation="inside_of", affordances=("pickup",)))
    links = tuple(Link(f"room{n}", f"room{n + 1}", 10.0) for n in range(TABLES - 1))
    return ground(Scene("row", {n.id: n for n in nodes}, links), load_pack())


def test_lengths_are_looked_up_once_for_each_place_that_distances_start_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    belief, starts = row_of_rooms(), list[str]()
    lengths = Routes.lengths

    def counted(self: Routes, anchor: str) -> object:
        starts.append(anchor)
        return lengths(self, anchor)

    monkeypatch.setattr(Routes, "lengths", counted)
    names = closure([(Atom("ontop_of", ("crate", "table0")), False)], belief, belief.facts, NEAREST).names
    assert 0 < len(starts) < TABLES / 2
    assert "table1" in names and f"table{TABLES - 1}" not in names


def test_where_furniture_could_be_moved_to_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    belief, movers = row_of_rooms(), list[str]()
    achieved = Completeness.achieved_for_others

    def noted(
        self: Completeness, achiever: Action, effect: Atom, bound: Atom, relevant: Facts
    ) -> Iterator[Atom | None]:
        movers.extend(a for a in bound.args[:1] if not isinstance(a, Var))
        return achieved(self, achiever, effect, bound, relevant)

    monkeypatch.setattr(Completeness, "achieved_for_others", noted)
    facts = belief.facts.copy()
    facts.discard("stands_at", ("room0",))
    facts.add("stands_at", ("crate",))
    closure([(Atom("ontop_of", ("crate", "table5")), True)], belief, facts, NEAREST)
    assert not [name for name in movers if name.startswith("table")]
