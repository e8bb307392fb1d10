"""Goals whose branches exclude each other: one that goes together is chosen, whatever engine plans for it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from bddl_texts import tidy

from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.bddl.goal import bddl_goal
from groundplan.datasets.bddl.scene import bddl_scene
from groundplan.datasets.bddl.text import read_bddl
from groundplan.datasets.scenes import load_scene
from groundplan.domains.ending import Ending
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget, PddlText, TextEngine, TextResult
from groundplan.engines.engine import Engine
from groundplan.engines.registry import get_engine
from groundplan.engines.result import PlanResult
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import ground

APPLES = (
    "(and (exists (?a - apple.n.01) (inside ?a bowl.n.01_1))"
    " (exists (?a - apple.n.01) (inside ?a bowl.n.01_2)))"
)
BOTH = "(and (ontop A bowl.n.01_1) (or (ontop A bowl.n.01_2) (ontop A bowl.n.01_3)))"


def planned(goal: str) -> PlanResult:
    activity = read_bddl(tidy(goal), "tidy")
    belief = ground(bddl_scene(activity), load_pack())
    return plan_goal(Goal.of(bddl_goal(activity)), belief, Engine.named("pyperplan"))


@pytest.mark.parametrize(
    "goal",
    [
        APPLES,
        "(forpairs (?a - apple.n.01) (?b - bowl.n.01) (inside ?a ?b))",
        "(forn (2) (?a - bowl.n.01) (exists (?b - bowl.n.01) (ontop ?a ?b)))",  # no circle of bowls
        "(and (forpairs (?a - apple.n.01) (?b - bowl.n.01) (ontop ?a ?b))"
        " (forn (2) (?a - bowl.n.01) (exists (?b - bowl.n.01) (ontop ?a ?b))))",
    ],
)
def test_each_thing_is_chosen_for_one_place(goal: str) -> None:
    assert planned(goal).verified


def test_what_holds_is_chosen_first() -> None:
    goal = (
        "(and (exists (?b - bowl.n.01) (or (ontop ?b floor.n.01_1) (ontop ?b floor.n.01_2)))"
        " (or (ontop apple.n.01_1 table.n.02_1) (inside apple.n.01_1 electric_refrigerator.n.01_1)))"
    )
    assert planned(goal).cost == 0


def test_a_contradiction_has_no_branch() -> None:
    result = planned(BOTH.replace("A", "apple.n.01_1"))
    assert result.ending is Ending.UNSOLVABLE and result.certificate is not None


@dataclass(frozen=True, slots=True)
class _OnlyConjunctions(TextEngine):
    """An engine that gives up where it has to choose, as one does that looks for the best plan of many."""

    name: str = "patient-opt"
    supports_costs: bool = True

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        if "end-acting" in text.domain:
            return TextResult(Ending.NOT_FOUND, engine=self.name)
        return get_engine("fast-downward").solve_text(text, budget)


def test_an_optimal_engine_gets_a_choice_where_it_finds_nothing_among_all() -> None:
    engine = Engine("patient-opt", _OnlyConjunctions())
    assert engine.optimal
    office = ground(load_scene("office"), load_pack())
    goal = parse_goal("(exactly 3 (?x - snack) (in_room ?x meeting_room4))")
    result = plan_goal(goal, office, engine)
    assert result.verified and result.assembly.solver is not None
    assert result.bound is None and not result.optimal
