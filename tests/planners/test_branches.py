"""Branches of a goal that are consistent: each implies the goal and excludes nothing of itself."""

from __future__ import annotations

from itertools import islice

from bddl_texts import tidy

from groundplan.compiler.normal import normal_form
from groundplan.datasets.bddl.goal import bddl_goal
from groundplan.datasets.bddl.scene import bddl_scene
from groundplan.datasets.bddl.text import read_bddl
from groundplan.domains.exclusive import consistent
from groundplan.domains.formula import Atom, Formula, conjuncts
from groundplan.domains.pack import load_pack
from groundplan.planners.subgoals.branches import consistent_branches
from groundplan.simulator.belief import Belief, ground


def branches_of(goal: str, most: int = 100) -> tuple[list[Formula], Belief]:
    activity = read_bddl(tidy(goal), "tidy")
    belief = ground(bddl_scene(activity), load_pack())
    form = normal_form(bddl_goal(activity), belief)
    return list(islice(consistent_branches(form, belief, belief.facts), most)), belief


def test_each_thing_is_chosen_for_one_place() -> None:
    found, belief = branches_of(
        "(and (exists (?a - apple.n.01) (inside ?a bowl.n.01_1))"
        " (exists (?a - apple.n.01) (inside ?a bowl.n.01_2)))"
    )
    assert sorted(map(str, found)) == [
        "(and (inside_of apple.n.01_1 bowl.n.01_1) (inside_of apple.n.01_2 bowl.n.01_2))",
        "(and (inside_of apple.n.01_2 bowl.n.01_1) (inside_of apple.n.01_1 bowl.n.01_2))",
    ]
    for branch in found:
        assert consistent([a for a in conjuncts(branch) if isinstance(a, Atom)], belief.exclusive)


def test_what_holds_is_chosen_first() -> None:
    found, _ = branches_of(
        "(and (exists (?b - bowl.n.01) (or (ontop ?b floor.n.01_1) (ontop ?b floor.n.01_2)))"
        " (or (ontop apple.n.01_1 table.n.02_1) (inside apple.n.01_1 electric_refrigerator.n.01_1)))"
    )
    first = "(and (inside_of apple.n.01_1 electric_refrigerator.n.01_1) (ontop_of bowl.n.01_3 floor.n.01_1))"
    assert str(found[0]) == first and len(found) == 12


def test_nothing_is_in_or_on_itself() -> None:
    found, _ = branches_of("(forall (?a - bowl.n.01) (exists (?b - bowl.n.01) (ontop ?a ?b)))")
    assert found == [], "a stack has an end"
    found, _ = branches_of("(and (forn (2) (?a - bowl.n.01) (exists (?b - bowl.n.01) (ontop ?a ?b))))")
    for branch in found:
        above = {a.args[0]: a.args[1] for a in conjuncts(branch) if isinstance(a, Atom)}
        assert all(above.get(above[b]) != b for b in above)


def test_a_contradiction_has_no_branch() -> None:
    both = "(and (ontop A bowl.n.01_1) (or (ontop A bowl.n.01_2) (ontop A bowl.n.01_3)))"
    assert branches_of(both.replace("A", "apple.n.01_1"))[0] == []
