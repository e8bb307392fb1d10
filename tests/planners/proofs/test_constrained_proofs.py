"""Proofs under constraints on the run: none of a goal that some run meets, by a search of all runs."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Sequence
from pathlib import Path

import pytest
from oracles.goal_pairs import small_world
from oracles.reached import key
from small_worlds import drawn_house
from strategies import applicable

from groundplan import ground, load_pack, load_scene, parse_goal
from groundplan.compiler.certificates import Certificate, Refused, check_certificate
from groundplan.compiler.certificates.constraints import for_proofs, kept_by_runs
from groundplan.compiler.certificates.rules import read_rules
from groundplan.compiler.certificates.states import Projection
from groundplan.compiler.goals.goal import Goal
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import Formula, TrajectoryConstraint
from groundplan.planners.proofs.search import Prover
from groundplan.planners.proofs.statements import Statements
from groundplan.simulator.belief import Belief
from groundplan.simulator.world import World

OFFICE = ground(load_scene("office"), load_pack())
MOST = 400
"""Most states of all runs."""
KINDS = ("always", "always", "never", "at-most-once", "sometime-after", "sometime-before", "step")


def ruled(goal: str, rules: str) -> tuple[Formula, Belief, Prover]:
    """Return a goal, the office under rules, and a search for proofs."""
    belief = read_rules(rules, OFFICE)
    formula = parse_goal(goal).formula
    return formula, belief, Prover(formula, belief)


@pytest.mark.parametrize(
    ("goal", "rules"),
    [
        ("(holding orange1)", "(never (do pickup ?x) :when (in_room ?x kitchen))"),
        ("(holding banana2)", "(always (imply (robot_at kitchen) (hand_free)))"),
        ("(inside_of apple1 fridge)", "(always (imply (robot_at kitchen) (hand_free)))"),
        (
            "(ontop_of banana1 kitchen_bench)",
            "(sometime-before (robot_at kitchen) (robot_at pose14))\n(never (do goto pose14 ?x))",
        ),
    ],
)
def test_a_rule_is_to_blame_by_proof_before_any_search(goal: str, rules: str) -> None:
    formula, belief, prover = ruled(goal, rules)
    proof = prover.quick()
    assert proof is not None and proof.certificate.kind == "states" and proof.rules == belief.rules
    assert check_certificate(proof.certificate, belief, formula) == proof.size
    with pytest.raises(Refused):
        check_certificate(proof.certificate, OFFICE, formula)


@pytest.mark.parametrize(
    ("goal", "rules"),
    [
        ("(holding orange1)", "(never (do pickup ?x) :when (in_room ?x lobby))"),
        ("(holding banana2)", "(always (imply (robot_at cafeteria) (hand_free)))"),
        ("(holding banana2)", "(never (do pickup ?x) :when (exists (?y - apple) (inside_of ?x ?y)))"),
        ("(ontop_of banana1 kitchen_bench)", "(sometime-before (robot_at kitchen) (robot_at pose14))"),
    ],
)
def test_rules_that_leave_a_way_are_no_proof(goal: str, rules: str) -> None:
    assert ruled(goal, rules)[2].quick() is None


def test_a_forged_set_of_facts_is_refused() -> None:
    formula, belief, prover = ruled("(holding orange1)", "(always (imply (robot_at kitchen) (hand_free)))")
    proof = prover.quick()
    assert proof is not None
    given = proof.certificate
    fewer = [a for a in given.kept if a.predicate != belief.pack.at]
    assert len(fewer) < len(given.kept)
    forged = Certificate(
        given.kind, given.goal, given.scene, given.pack, given.added, given.deleted, tuple(fewer)
    )
    with pytest.raises(Refused):
        check_certificate(forged, belief, formula)


def condition(draw: random.Random, belief: Belief) -> str:
    """Draw a fact, its negation, or two joined."""
    rooms, things = belief.scene.by_type["room"], belief.scene.by_type["object"]
    assets = belief.scene.by_type.get("asset", ())
    one = [f"(robot_at {draw.choice(rooms)})", "(hand_free)", f"(holding {draw.choice(things)})"]
    one += [f"(in_room {draw.choice(things)} {draw.choice(rooms)})", f"(hot {draw.choice(things)})"]
    if assets:
        asset = draw.choice(assets)
        one += [f"(robot_at {asset})", f"(closed {asset})", f"(ontop_of {draw.choice(things)} {asset})"]
        one += [f"(inside_of {draw.choice(things)} {asset})", f"(turned_on {asset})"]
    first, second = draw.sample(one, 2)
    return draw.choice((first, f"(not {first})", f"(or {first} (not {second}))", f"(and {first} {second})"))


def constraint(draw: random.Random, belief: Belief, kind: str) -> str:
    """Draw a constraint that the start does not break."""
    things, rooms = belief.scene.by_type["object"], belief.scene.by_type["room"]
    while True:
        one = condition(draw, belief)
        text = f"({kind} {one} {condition(draw, belief) if kind.startswith('sometime') else ''})"
        if kind == "step":
            step = draw.choice(("pickup ?x", "pickup ?x", "release ?x", f"pickup {things[0]}"))
            about_it = draw.choice((one, f"(in_room ?x {draw.choice(rooms)})"))
            text = f"(never (do {step}) :when {about_it if '?x' in step else one})"
        if not World(belief, kept_by_runs(parse_goal(text).formula, belief)).memory.broken:
            return text


def drawn(draw: random.Random, folder: Path) -> tuple[Belief, Goal]:
    """Draw a world with machines, whose events happen by themselves, or ways through rooms, and a goal."""
    places = draw.random() < 0.3
    pack = draw.choice(("household", "household", "household-locks"))
    belief = drawn_house(draw) if places else small_world(draw, pack, folder)
    kinds = [draw.choice(KINDS) for _ in range(draw.choice((1, 2, 3)))]
    if places:
        kinds = [kind for kind in kinds if kind != "step"] or ["at-most-once"]
    texts = [condition(draw, belief), *(constraint(draw, belief, kind) for kind in kinds)]
    return belief, parse_goal(f"(and {' '.join(texts)})")


def ends(belief: Belief, run: Sequence[TrajectoryConstraint]) -> list[World] | None:
    """Return the worlds in which runs that keep constraints may end, ``None`` for too many."""
    first = World(belief, run)
    queue, seen = deque([first]), {key(first): first}
    while queue:
        world = queue.popleft()
        for action in applicable(world):
            after = world.fork()
            after.perform(action)
            if after.memory.broken or key(after) in seen:
                continue
            if len(seen) == MOST:
                return None
            seen[key(after)] = after
            queue.append(after)
    return [world for world in seen.values() if all(map(world.happened, run))]


def checked(seeds: range, folder: Path) -> Counter[str]:
    """Count projections to drawn facts, after each had every state in which a run may end."""
    counts = Counter[str]()
    for seed in seeds:
        draw = random.Random(f"constrained proofs {seed}")
        place = folder / str(seed)
        place.mkdir()
        belief, goal = drawn(draw, place)
        run = kept_by_runs(goal.formula, belief)
        worlds, free = ends(belief, run), ends(belief, ())
        if worlds is None or free is None:
            counts["too many states"] += 1
            continue
        narrowed = for_proofs(goal.formula, belief)[1]
        facts = sorted(
            {a for w in free for a in w.state.facts if a.predicate in belief.pack.fluents}, key=str
        )
        for _ in range(6):
            kept = draw.sample(facts, min(len(facts), draw.randint(1, 9)))
            states = Projection(Statements(narrowed), narrowed.exclusive, kept, run)
            shown = {tuple(values.values()) for values in states.reachable(100_000)}
            of_runs, of_all = ({values(w, states) for w in some} for some in (worlds, free))
            assert of_runs <= shown, (seed, str(goal), list(map(str, kept)))
            counts["projections"] += 1
            counts["smaller for the constraints"] += not of_all <= shown
        proof = Prover(goal.formula, belief).thorough()
        met = any(evaluate(goal.formula, world) for world in worlds)
        assert not (met and proof), (seed, str(goal))
        counts["met" if met else "proved" if proof else "open"] += 1
    return counts


def values(world: World, states: Projection) -> tuple[bool, ...]:
    return tuple(world.state.facts.holds(atom.predicate, atom.args) for atom in states.bits)


def test_no_proof_is_of_a_goal_that_a_run_meets(tmp_path: Path) -> None:
    counts = checked(range(12), tmp_path)
    assert counts["smaller for the constraints"] > 2 and counts["met"] and counts["proved"], counts


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_proof_of_many_is_of_a_goal_that_a_run_meets(tmp_path: Path) -> None:
    counts = checked(range(1000, 1600), tmp_path)
    print(dict(counts))
    assert counts["smaller for the constraints"] > 500, counts
