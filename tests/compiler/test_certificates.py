"""Certificates of unsolvability: what the checker accepts, and everything that it must refuse."""

from __future__ import annotations

import ast
import io
import itertools
import json
import random
import re
import tokenize
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from oracles.judge import Judge
from oracles.random_worlds import random_world

from groundplan.compiler.certificates import Certificate, Refused, certificate_from_json, check_certificate
from groundplan.compiler.certificates.cases import Cases
from groundplan.compiler.certificates.checker import MAX_CASES, MAX_KEPT, most_steps
from groundplan.compiler.certificates.induction import Induction
from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.datasets.scenes import load_scene
from groundplan.domains.deadline import LimitReached, limited
from groundplan.domains.errors import InputError
from groundplan.domains.exclusive import ExclusionIndex
from groundplan.domains.formula import Atom, Formula
from groundplan.domains.pack import load_pack
from groundplan.planners.proofs.search import Prover
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene_json import read_scene, scene_from_json

ROOT = Path(__file__).resolve().parents[2]
ATTACKS = ROOT.parent / "shared" / "data" / "attack"
OFFICE = ground(load_scene("office"), load_pack())
PACKS = ("household", "household-locks", "foundry")

IMPOSSIBLE = [
    ("(or)", "facts"),
    ("(turned_on fridge)", "facts"),
    ("(inside_of orange1 kitchen_bench)", "facts"),
    ("(not (in_room fridge kitchen))", "facts"),
    ("(exists (?x - desk) (holding ?x))", "facts"),
    ("(and (in_room apple1 aarons_office) (hand_free))", "exclusive"),
    ("(at-least 2 (?i - item) (holding ?i))", "exclusive"),
    ("(forall (?r - room) (exists (?i - item) (in_room ?i ?r)))", "exclusive"),
    ("(and (open microwave) (turned_on microwave))", "states"),
    ("(and (hot bread) (turned_on microwave) (open microwave))", "states"),
]


def proof(goal: Formula, belief: Belief) -> Certificate | None:
    shown = Prover(goal, belief).thorough()
    return None if shown is None else shown.certificate


def accepted(certificate: Certificate, belief: Belief, goal: Formula) -> bool:
    try:
        check_certificate(certificate, belief, goal)
    except Refused:
        return False
    return True


@pytest.mark.parametrize(("text", "kind"), IMPOSSIBLE)
def test_what_cannot_be_in_the_office_has_a_certificate(text: str, kind: str) -> None:
    goal = parse_goal(text).formula
    certificate = proof(goal, OFFICE)
    assert certificate is not None and certificate.kind == kind
    again = certificate_from_json(json.loads(json.dumps(certificate.as_json())), OFFICE)
    assert again == certificate and again.hash == certificate.hash
    assert accepted(again, OFFICE, goal)
    assert not accepted(again, OFFICE, parse_goal("(open fridge)").formula)


def test_a_certificate_grows_with_the_question_and_not_with_the_building() -> None:
    small = proof(parse_goal("(turned_on fridge)").formula, OFFICE)
    assert small is not None and len(small.added) + len(small.deleted) <= 3
    rooms = proof(parse_goal("(forall (?r - room) (exists (?i - item) (in_room ?i ?r)))").formula, OFFICE)
    assert rooms is not None and len(rooms.added) <= 40


def modules(start: str) -> set[str]:
    """Return the modules of the package that a module imports, and those that these import in turn."""
    seen: set[str] = set()
    stack = [start]
    while stack:
        name = stack.pop()
        if name in seen:
            continue
        seen.add(name)
        path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        package = name.split(".")[:-1]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = package[: len(package) - node.level + 1]
                target = [*base, *(node.module or "").split(".")]
                if ROOT.joinpath(*target).with_suffix(".py").is_file():
                    stack.append(".".join(target))
    return seen


CHECKER = ("checker", "cases", "induction", "states", "run_memory")
"""The modules of the checker; the others of its folder read certificates and report on records."""


def test_the_checker_is_a_small_program() -> None:
    folder = ROOT / "compiler" / "certificates"
    assert sum(code_lines((folder / f"{name}.py").read_text(encoding="utf-8")) for name in CHECKER) <= 450


def test_what_is_believed_besides_is_listed_with_its_size() -> None:
    text = (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8")
    listed = {m[1]: int(m[2]) for m in re.finditer(r"^\| `([a-z_/]+\.py)` \| (\d+) \|", text, re.MULTILINE)}
    imported = {
        f"{name.replace('.', '/')}.py"
        for name in modules("domains.exclusive") | modules("simulator.partial_state")
        if name.startswith("domains.checks.") and not name.endswith((".review", ".requirements"))
    }
    assert imported | {"simulator/partial_state.py", "domains/evaluate.py", "simulator/routes.py"} <= set(
        listed
    )
    for name, most in listed.items():
        lines = code_lines((ROOT / name).read_text(encoding="utf-8"))
        assert 0.75 * most < lines <= most, (name, lines)
    decision = (ROOT / "docs" / "decisions" / "0014-certificates.md").read_text(encoding="utf-8")
    for part in ("contained", "placed", "stays", "domains/checks", "networkx"):
        assert part in text and part in decision


def code_lines(text: str) -> int:
    """Return the number of lines that are no blank, comment or docstring."""
    tree, lines = ast.parse(text), set[int]()
    silent = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (*silent, tokenize.ENDMARKER):
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.end_lineno:
            lines -= set(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def test_the_checker_shares_no_pass_with_compiler_and_planners() -> None:
    allowed = ("domains.", "simulator.", "compiler.certificates.", "compiler.goals.")
    for name in ("checker", "records"):
        foreign = [m for m in modules(f"compiler.certificates.{name}") if not m.startswith(allowed)]
        assert foreign == []


ATTACKED = [
    ("scene_crate.json", "household", "(and (in_room apple kitchen) (hand_free))"),
    ("scene_crate.json", "household", "(forall (?f - fruit) (in_room ?f kitchen))"),
    ("scene_notroom.json", "household", "(forall (?f - fruit) (not (in_room ?f kitchen)))"),
    ("scene_paint.json", "workshop", "(painted apple)"),
    ("scene_paint.json", "workshop", "(and (painted apple) (ontop_of apple table))"),
    ("scene_single.json", "workshop", "(forall (?x - block) (in_room ?x r2))"),
]


@pytest.mark.parametrize(("scene", "pack", "text"), ATTACKED)
def test_the_false_proofs_of_old_have_no_certificate(scene: str, pack: str, text: str) -> None:
    if not ATTACKS.is_dir():
        pytest.skip("the scenes of the attack are not here")
    rules = load_pack(str(ATTACKS / pack) if pack == "workshop" else pack)
    belief = ground(read_scene(ATTACKS / scene), rules)
    goal = parse_goal(text).formula
    assert proof(goal, belief) is None
    for kind in ("facts", "exclusive", "states"):
        empty = Certificate(kind, text, belief.scene.hash, rules.hash)
        assert not accepted(empty, belief, goal)
        assert not accepted(replace(empty, added=everything(belief)), belief, goal)


def everything(belief: Belief) -> tuple[tuple[str, tuple[str | None, ...]], ...]:
    """Return the boldest claim: no fact of any predicate is ever added."""
    arity = belief.pack.domain.predicates
    return tuple((p, (None,) * arity[p].arity) for p in sorted(belief.pack.fluents))


def goals(packs: tuple[str, ...], seeds: range) -> Iterator[tuple[Belief, Formula]]:
    for pack in packs:
        for seed in seeds:
            world = random_world(seed, pack)
            for drawn in world.goals:
                if check(drawn.goal, world.belief).ok:
                    yield world.belief, drawn.goal.formula


def no_solvable_goal_is_refuted(seeds: range, most: int) -> None:
    solvable = 0
    for belief, goal in goals(PACKS, seeds):
        certificate = proof(goal, belief)
        verdict = Judge(belief).decide(goal)
        if verdict.solvable:
            solvable += 1
            assert certificate is None, str(goal)
            bold = Certificate("facts", str(goal), "", "", everything(belief))
            assert not accepted(bold, belief, goal)
        if solvable >= most:
            return
    raise AssertionError(f"only {solvable} goals")


def test_goals_that_have_a_plan_have_no_certificate() -> None:
    no_solvable_goal_is_refuted(range(500, 540), 10)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_many_goals_that_have_a_plan_have_no_certificate() -> None:
    no_solvable_goal_is_refuted(range(600, 700), 200)


def mutated(certificate: Certificate, belief: Belief, rng: random.Random) -> Certificate:
    """Return a certificate with one statement changed, added or left out."""
    fluents = sorted(belief.pack.fluents)
    names = list(belief.scene.nodes)

    def pattern() -> tuple[str, tuple[str | None, ...]]:
        predicate = rng.choice(fluents)
        arity = belief.pack.domain.predicates[predicate].arity
        return predicate, tuple(rng.choice([None, rng.choice(names)]) for _ in range(arity))

    def fact() -> Atom:
        predicate = rng.choice(fluents)
        arity = belief.pack.domain.predicates[predicate].arity
        return Atom(predicate, tuple(rng.choice(names) for _ in range(arity)))

    added, deleted, kept = list(certificate.added), list(certificate.deleted), list(certificate.kept)
    way = rng.randrange(7)
    if way == 0 and added:
        index = rng.randrange(len(added))
        predicate, args = added[index]
        position = rng.randrange(len(args)) if args else 0
        changed = tuple(
            rng.choice([None, rng.choice(names)]) if i == position else a for i, a in enumerate(args)
        )
        added[index] = (predicate, changed)
    elif way == 1 and added:
        del added[rng.randrange(len(added))]
    elif way == 2 and kept:
        del kept[rng.randrange(len(kept))]
    elif way == 3:
        true = list(belief.facts)
        deleted.append(rng.choice([a for a in true if a.predicate in belief.pack.fluents]))
    elif way == 4:
        return replace(certificate, kind=rng.choice(["facts", "exclusive", "states"]))
    elif way == 5:
        kept.append(fact())
    else:
        added.append(pattern())
    return replace(certificate, added=tuple(added), deleted=tuple(deleted), kept=tuple(kept))


def mutations_prove_nothing_false(seeds: range, most: int) -> None:
    rng, tried, kept = random.Random(7), 0, 0
    beliefs = list(goals(PACKS, seeds))
    for belief, goal in beliefs:
        certificate = proof(goal, belief)
        if certificate is None:
            continue
        others = [g for b, g in beliefs if b is belief and g != goal]
        for _ in range(4):
            changed = mutated(certificate, belief, rng)
            judged = rng.choice([goal, *others])
            tried += 1
            if accepted(changed, belief, judged):
                kept += 1
                assert Judge(belief).decide(judged).solvable is not True, (str(judged), changed.as_json())
        if tried >= most:
            assert 0 < kept < tried
            return
    raise AssertionError(f"only {tried} mutations")


def test_mutated_certificates_prove_nothing_that_is_false() -> None:
    mutations_prove_nothing_false(range(700, 740), 10)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_many_mutated_certificates_prove_nothing_that_is_false() -> None:
    mutations_prove_nothing_false(range(800, 950), 400)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "another"},
        {"version": 2},
        {"kind": "faith"},
        {"kind": ["facts"]},
        {"goal": 3},
        {"never_added": None},
        {"never_added": [["inside_of"]]},
        {"never_added": [["inside_of", "apple1", "nowhere"]]},
        {"never_added": [[["inside_of"], "apple1", None]]},
        {"never_added": [["inside_of", [[["apple1"]]], None]]},
        {"never_added": [{}]},
        {"never_deleted": [["closed", None]]},
        {"facts": [["can_pickup", "apple1"]]},
        {"facts": "all"},
    ],
    ids=str,
)
def test_a_certificate_that_is_none_is_bad_input(change: dict[str, object]) -> None:
    certificate = Certificate("facts", "(or)", OFFICE.scene.hash, OFFICE.pack.hash)
    with pytest.raises(InputError):
        certificate_from_json(certificate.as_json() | change, OFFICE)


def steps_of(certificate: Certificate, belief: Belief, goal: Formula) -> int:
    """Return the steps that a check takes, whether it accepts the certificate or not."""
    induction = Induction(belief, most_steps(belief), certificate.added, certificate.deleted)
    with suppress(Refused):
        induction.verify()
        Cases(induction, goal, belief.exclusive, MAX_CASES).refuted()
    return most_steps(belief) - induction.steps


@pytest.mark.parametrize(
    "text",
    [
        "(forall (?r - room) (exists (?i - item) (in_room ?i ?r)))",
        "(forall (?i - item) (exists (?j - item) (and (inside_of ?i ?j) (not (= ?i ?j)))))",
    ],
)
def test_a_certificate_that_lacks_rows_takes_bounded_work(text: str) -> None:
    goal = parse_goal(text).formula
    whole = proof(goal, OFFICE) or Certificate("exclusive", text, "", "")
    nothing = replace(whole, kind="exclusive", added=(), deleted=())
    assert not accepted(nothing, OFFICE, goal)
    for rows in ((), whole.added[1:], whole.added[:-1]):
        steps = steps_of(replace(nothing, added=rows), OFFICE, goal)
        assert steps <= most_steps(OFFICE) + 100  # what the last step counted


def test_the_work_of_a_check_grows_with_the_scene_alone() -> None:
    assert most_steps(OFFICE) <= 400_000  # 2 s
    assert most_steps(OFFICE) - 800 * len(OFFICE.scene.nodes) + 800 * 10_000 <= 10_000_000  # 60 s


def links(count: int) -> tuple[Atom, ...]:
    """Return facts of which most exclude many others: every thing is in one place."""
    pairs = itertools.product(OFFICE.scene.nodes, repeat=2)
    return tuple(Atom("inside_of", pair) for pair in itertools.islice(pairs, count))


def test_facts_that_exclude_each_other_are_found_by_one_look_at_each(monkeypatch: pytest.MonkeyPatch) -> None:
    index = ExclusionIndex(OFFICE.exclusive)
    few = (*random.Random(5).sample(links(1_000), 40), *map(Atom, ("hand_free", "hand_free")))
    alike = {pair for facts in index.rivals(few) for pair in itertools.combinations(facts, 2)}
    groups = {atom: {*index.keys(atom.predicate, atom.args)} for atom in few}
    assert alike == {(a, b) for a, b in itertools.combinations(groups, 2) if groups[a] & groups[b]}
    assert alike
    looked_at: list[str] = []
    monkeypatch.setattr(index, "keys", lambda predicate, args: looked_at.append(predicate) or [])
    index.rivals(links(1_000))
    assert len(looked_at) == 1_000


def test_a_certificate_with_too_many_facts_is_refused_before_any_work() -> None:
    goal = parse_goal("(holding apple1)").formula
    certificate = Certificate("states", str(goal), "", "", kept=links(MAX_KEPT + 1))
    with pytest.raises(Refused, match=f"states of {MAX_KEPT + 1} facts, and at most {MAX_KEPT}"):
        check_certificate(certificate, OFFICE, goal)


def test_a_check_of_many_facts_keeps_to_the_time_limit() -> None:
    goal = parse_goal("(holding apple1)").formula
    certificate = Certificate("states", str(goal), "", "", kept=links(MAX_KEPT))
    clock = itertools.count()  # a second for each look at the clock
    with pytest.raises(LimitReached), limited(2, lambda: float(next(clock))):
        check_certificate(certificate, OFFICE, goal)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("(turned_on fridge)", "fixed facts (1 statement)"),
        ("(exists (?i - item) (and (holding ?i) (hand_free)))", "exclusive facts (2 cases)"),
        ("(and (open microwave) (turned_on microwave))", "closed set of states (6 states)"),
    ],
)
def test_a_size_is_said_in_words(text: str, size: str) -> None:
    assert str(Prover(parse_goal(text).formula, OFFICE).thorough()) == size


LARGE = [
    "(at-least 2 (?i - item) (holding ?i))",
    "(exists (?i - item) (and (hand_free) (holding ?i)))",
    "(forall (?r - room) (exists (?i - item) (in_room ?i ?r)))",
    "(at-least 2 (?r - room) (in_room {thing} ?r))",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", LARGE)
def test_certificates_in_a_building_of_ten_thousand_nodes(text: str) -> None:
    building = furnished_building(Sizes(floors=8, rooms=644, assets=600, objects=8_000))
    belief = ground(building, load_pack())
    goal = parse_goal(text.format(thing=belief.members("item")[0])).formula
    certificate = proof(goal, belief)
    assert certificate is not None and accepted(certificate, belief, goal)
    assert not accepted(certificate, belief, parse_goal("(hand_free)").formula)


def test_what_is_no_object_is_bad_input() -> None:
    deep: object = []
    for _ in range(900):
        deep = [deep]
    for raw in (None, [], "facts", 7, {"never_added": deep}, deep):
        with pytest.raises(InputError):
            certificate_from_json(raw, OFFICE)


NODES = [
    {"id": "kitchen", "type": "room"},
    {"id": "cellar", "type": "room"},
    {"id": "table", "type": "asset", "parent": "kitchen", "affordances": ["release"]},
    {"id": "box", "type": "asset", "parent": "kitchen", "affordances": ["close"], "state": ["closed"]},
    {"id": "plate", "type": "object", "parent": "table", "relation": "ontop_of", "affordances": ["pickup"]},
    {"id": "nut", "type": "object", "parent": "box", "relation": "inside_of", "affordances": ["pickup"]},
    {"id": "lamp", "type": "object", "parent": "table", "relation": "ontop_of"},
    {"id": "robot", "type": "agent", "at": "kitchen"},
]


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        (
            "(forall (?x - item) (clean ?x))",
            ["only wash and wipe make it so that plate is clean: nothing here washes; nothing here can wipe"],
        ),
        (
            "(holding nut)",
            [
                "only pickup makes it so that the robot holds nut: box is closed",
                "only open makes it so that box is not closed: box cannot be opened",
            ],
        ),
        (
            "(in_room lamp cellar)",
            [
                "lamp is not in cellar",
                "only pickup makes it so that the robot holds lamp: lamp cannot be picked up",
            ],
        ),
        ("(in_room plate cellar)", ["no place in cellar takes plate, and the robot cannot carry it there"]),
        (
            "(and (open box) (robot_at cellar))",
            ["only open makes it so that box is open: box cannot be opened"],
        ),
        ("(robot_at cellar)", ["no route leads from kitchen to cellar"]),
        (
            "(exists (?a - item ?b - item) (and (not (= ?a ?b)) (ontop_of ?a ?b)))",
            ["only release makes it so that plate is on nut: nothing can be put in or on nut"],
        ),
        (
            "(exists (?a - item) (and (not (= ?a ?a)) (holding ?a)))",
            [
                "no state of the scene as it is known can satisfy "
                "(exists (?a - item) (and (not (= ?a ?a)) (holding ?a)))"
            ],
        ),
    ],
)
def test_an_explanation_begins_with_the_action_that_could_help(text: str, reasons: list[str]) -> None:
    raw = {"format": "groundplan-scene", "version": 1, "name": "small", "nodes": NODES, "links": []}
    shown = Prover(parse_goal(text).formula, ground(scene_from_json(raw, "small"), load_pack())).thorough()
    assert shown is not None and list(shown.reasons) == reasons
