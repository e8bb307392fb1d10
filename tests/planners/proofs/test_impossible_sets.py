"""Impossible parts of a goal: each set is impossible, no part of it can be left out, and the rest can be had.

The oracle tries all actions in all states that can be reached; where these are too many, a plan that the
simulator accepts shows that a goal is possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
from draws import draws
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from oracles.reached import states
from strategies import beliefs, walked

from groundplan.compiler.certificates.checker import check_certificate
from groundplan.compiler.comparison.drift import parts_lost
from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.scenes import open_scene
from groundplan.domains.deadline import limited
from groundplan.domains.formula import Atom, Formula, GroundAtom, conjunction, conjuncts
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.pipeline.audit import Audit
from groundplan.pipeline.leeway import Leeway
from groundplan.planners.classical import plan_goal
from groundplan.planners.proofs.impossible import further_sets, impossible_sets
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import PLACE_UNKNOWN

SETTINGS = draws(300, by_day=15, suppress_health_check=list(HealthCheck))
MOST_STATES = 600
MOST_CONJUNCTS = 6


@cache
def office() -> Belief:
    return ground(open_scene("office"), load_pack())


def possible(parts: Sequence[Formula], belief: Belief) -> bool | None:
    """Return whether parts of a goal can be had together, by brute force; ``None`` where it is not known."""
    formula = conjunction(tuple(parts))
    met, complete = states(belief, formula, MOST_STATES)
    if met or complete:
        return met
    planned = plan_goal(Goal.of(formula), belief, Engine.named("pyperplan"), Budget(seconds=20))
    return True if planned.verified else None


def opposed(data: st.DataObject, belief: Belief) -> tuple[GroundAtom, ...]:
    """Draw one or more facts that no plan brings about, or that exclude each other."""
    scene = belief.scene
    things = [n for n in scene.by_type["object"] if "pickup" in scene.nodes[n].affordances]
    places = [n for n in scene.by_type["asset"] if "release" in scene.nodes[n].affordances]
    doors = [n for n in scene.by_type["asset"] if "open" in scene.nodes[n].affordances]
    kinds: list[tuple[GroundAtom, ...]] = [
        (Atom("filled", (scene.by_type["object"][0],)),),
        *((Atom("dirty", (n,)),) for n in scene.by_type["object"] if "dirty" not in scene.nodes[n].state),
        *((Atom("open", (n,)), Atom("closed", (n,))) for n in doors),
        *((Atom("holding", (a,)), Atom("holding", (b,))) for a in things for b in things if a < b),
        *((Atom("ontop_of", (t, p)), Atom("holding", (t,))) for t in things for p in places),
        *(
            (Atom("ontop_of", (t, a)), Atom("ontop_of", (t, b)))
            for t in things
            for a in places
            for b in places
            if a < b
        ),
    ]
    return data.draw(st.sampled_from(kinds))


@pytest.mark.timeout(1200)
@SETTINGS
@given(st.data())
def test_sets_are_impossible_and_minimal_and_the_rest_is_possible(data: st.DataObject) -> None:
    belief = data.draw(beliefs(assets=3, objects=2, rooms=2))
    world = data.draw(walked(belief))
    public = belief.pack.mapping.goal_predicates
    reached = [a for a in world.state.facts if a.predicate in public]
    assume(reached)
    parts = dict.fromkeys(data.draw(st.lists(st.sampled_from(reached), max_size=3, unique=True)))
    for _ in range(data.draw(st.integers(1, 2))):
        parts |= dict.fromkeys(opposed(data, belief))
    goal = Goal.of(conjunction(data.draw(st.permutations(list(parts)))[:MOST_CONJUNCTS]))
    errors = {d.code for d in check(goal, belief).diagnostics if d.severity == "error"}
    assume(not errors & {"type", "arity"})
    with limited(120):
        sets = impossible_sets(goal, belief)
    rest = list(conjuncts(goal.formula))
    for one in sets:
        assert one.proof is not None and one.reasons
        assert check_certificate(one.proof.certificate, belief, conjunction(one.parts))
        assert possible(one.parts, belief) is not True
        for part in one.parts:
            assert possible([p for p in one.parts if p != part], belief) is True, (part, one)
            rest.remove(part)
    assert possible(rest, belief) is not False, (rest, sets)


@pytest.mark.timeout(1200)
@draws(60, by_day=3, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_exactly_the_parts_of_smallest_sets_may_be_left_out(data: st.DataObject) -> None:
    """By brute force: of all that a repair leaves out, each part is in some smallest impossible set."""
    belief = data.draw(beliefs(assets=2, objects=2, rooms=2))
    public = belief.pack.mapping.goal_predicates
    reached = [a for a in data.draw(walked(belief)).state.facts if a.predicate in public]
    assume(reached)
    facts = dict.fromkeys(data.draw(st.lists(st.sampled_from(reached), max_size=2, unique=True)))
    for _ in range(2):
        facts |= dict.fromkeys(opposed(data, belief))
    parts = tuple(facts)[:5]
    goal = Goal.of(conjunction(parts))
    assume(all(check(Goal.of(part), belief).ok for part in parts))
    groups = [group for size in range(1, len(parts) + 1) for group in combinations(parts, size)]
    possibly = {group: possible(group, belief) for group in groups}
    assume(None not in possibly.values() and not possibly[parts])
    smallest = [
        group
        for group in groups
        if not possibly[group] and all(possibly[g] for g in combinations(group, len(group) - 1) if g)
    ]
    with limited(120):
        for kept in groups[:-1]:
            leeway = Leeway([goal])
            leeway.learn(goal, belief, ())
            audit = Audit(Goal.of(conjunction(kept)), belief)
            if not audit.report.ok or "already-true" in {d.code for d in audit.report.diagnostics}:
                continue
            lost = parts_lost(parts, audit.goal, audit.laws)
            may_go = all(any(part in group for group in smallest) for part in lost)
            assert (leeway.drift(audit, True, False) == "") is may_go, (kept, lost, smallest)


def found(goal: str, belief: Belief | None = None) -> list[str]:
    sets = impossible_sets(parse_goal(goal), belief or office())
    return [" ".join(map(str, one.parts)) for one in sets]


GOLD = "(inside_of orange1 fridge) (closed fridge)"


@pytest.mark.parametrize(
    ("goal", "sets"),
    [
        (f"(and {GOLD})", []),
        (f"(and {GOLD} (dirty desk1) (closed chair2))", ["(dirty desk1)", "(closed chair2)"]),
        (
            f"(and (holding apple1) {GOLD} (open microwave) (holding apple2) (turned_on microwave))",
            ["(open microwave) (turned_on microwave)", "(holding apple1) (holding apple2)"],
        ),
        (f"(and {GOLD} (heated bread) (hot unicorn))", ["(heated bread)", "(hot unicorn)"]),
        (
            "(forall (?x - banana) (and (in_room ?x lobby) (filled ?x)))",
            ["(forall (?x - banana) (filled ?x))"],
        ),
        ("(at-least 20 (?x - item) (filled ?x))", ["(at-least 20 (?x - item) (filled ?x))"]),
        ("(and (not (in_room microwave kitchen)) (open fridge))", ["(not (in_room microwave kitchen))"]),
        (
            "(and (forall (?x - orange) (inside_of ?x fridge)) (ontop_of orange1 desk1))",
            ["(inside_of orange1 fridge) (ontop_of orange1 desk1)"],
        ),
    ],
)  # fmt: skip
def test_the_parts_that_cannot_be(goal: str, sets: list[str]) -> None:
    assert sorted(found(goal)) == sorted(sets)


def test_sets_that_overlap_are_found_for_what_was_left_out() -> None:
    goal = parse_goal("(and (holding apple1) (holding apple2) (holding orange1) (open fridge))")
    first = impossible_sets(goal, office())
    assert len(first) == 1 and len(first[0].parts) == 2
    parts = goal.formula.parts
    left = [p for p in parts[:3] if p not in first[0].parts]
    more = further_sets(left, parts, first, office())
    assert len(more) == 1 and left[0] in more[0].parts and len(more[0].parts) == 2
    assert all(parts[3] not in one.parts for one in further_sets(parts[3:], parts, first, office()))


def test_what_is_nowhere_counts_where_all_places_were_looked_at() -> None:
    scene = office().scene
    lost = replace(scene.nodes["orange1"], parent=None, relation=PLACE_UNKNOWN)
    belief = ground(replace(scene, nodes={**scene.nodes, "orange1": lost}), office().pack)
    goal = parse_goal("(and (inside_of orange1 fridge) (open fridge))")
    assert impossible_sets(goal, belief) == ()
    (one,) = impossible_sets(goal, belief, places=("kitchen", "lobby"))
    assert (one.parts, one.proof, one.places) == (goal.formula.parts[:1], None, ("kitchen", "lobby"))
