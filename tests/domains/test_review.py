"""Findings about packs that load: each rule with file and line, and none about the packs here."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundplan.domains.findings.review import PackFinding, review
from groundplan.domains.pack import load_pack
from groundplan.simulator.scene import NODE_TYPES, RELATIONS

GREENHOUSE = Path(__file__).resolve().parents[2] / "examples" / "greenhouse"
DOMAIN = (GREENHOUSE / "domain.pddl").read_text(encoding="utf-8")
MAPPING = (GREENHOUSE / "mapping.toml").read_text(encoding="utf-8")


def findings(folder: Path, domain: str = DOMAIN, mapping: str = MAPPING) -> list[PackFinding]:
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    (folder / "mapping.toml").write_text(mapping, encoding="utf-8")
    return list(review(load_pack(str(folder)), NODE_TYPES, RELATIONS))


@pytest.mark.parametrize(
    "name",
    ["household", "household-locks", "household-shut", "grasif", "grasif-looking", "search", str(GREENHOUSE)],
)
def test_the_packs_here_have_no_findings(name: str) -> None:
    assert review(load_pack(name), NODE_TYPES, RELATIONS) == ()


@pytest.mark.parametrize(
    ("old", "new", "code", "marked", "message"),
    [
        (
            "station pose - place",
            "station pose - place vehicle - thing",
            "type-without-nodes",
            "(:types",
            "no node of a scene is a vehicle, so nothing can have its place: [types] has room - aisle,"
            " asset - station, object - thing, pose - pose",
        ),
        (
            "(tap ?s - station)",
            "(tap ?s - station) (pump ?s - station)",
            "never-true",
            "(liftable ?t",
            "(pump ?s) is never true: no word of a scene, no rule and no action makes it so",
        ),
        (
            "(tap ?s) (carrying ?t)",
            "(tap ?s) (ripe ?t) (carrying ?t)",
            "never-true",
            "(ripe ?t - thing)",
            "(ripe ?t) is never true: no word of a scene, no rule and no action makes it so, so draw_water"
            " can never be done",
        ),
        (
            ":parameters (?t - thing ?s - station)\n    :precondition (and (near ?s) (tap",
            ":parameters (?t - thing ?s - aisle)\n    :precondition (and (near ?s) (tap",
            "wrong-type",
            "(:action draw_water",
            "draw_water: ?s of (tap ?s) is of type aisle, not station, so it never holds",
        ),
        (
            ":parameters (?t - thing ?s - station)\n    :precondition (and (near ?s) (tap",
            ":parameters (?t - thing ?s - station ?with - thing)\n    :precondition (and (near ?s) (tap",
            "unbound-parameter",
            "(:action draw_water",
            "draw_water: no condition names ?with, which may be any thing",
        ),
        (
            "(?a - place ?b - place)\n    :precondition",
            "(?a - place ?b - station)\n    :precondition",
            "not-driven",
            "(:action drive",
            "drive: ?b is of type station, so the robot never drives to a node of type room",
        ),
        (
            "(?a - place ?b - place)\n    :precondition",
            "(?a - station ?b - place)\n    :precondition",
            "not-driven",
            "(:action drive",
            "drive: ?a is of type station, so the robot never drives from a node of type room",
        ),
    ],
)
def test_a_domain_that_does_not_say_what_is_meant(
    tmp_path: Path, old: str, new: str, code: str, marked: str, message: str
) -> None:
    assert old in DOMAIN
    domain = DOMAIN.replace(old, new, 1).replace("(dry ?t - thing)", "(dry ?t - thing) (ripe ?t - thing)")
    if "(ripe ?t) (" not in domain:
        domain = domain.replace(" (ripe ?t - thing)", "")
    line = domain[: domain.index(marked)].count("\n") + 1
    first = findings(tmp_path, domain)[0]
    assert (first.code, first.message) == (code, message)
    assert first.where.startswith(f"{tmp_path}/domain.pddl:{line}:")
    assert str(first) == f"{first.where}: [{code}] {message}"
    assert first.as_json() == {"code": code, "where": first.where, "message": message}


@pytest.mark.parametrize(
    ("old", "new", "marked", "code", "message"),
    [
        (
            'tap = ["(tap ?x)"]',
            'tap = ["(tap ?y)"]',
            "tap = ",
            "fact-of-parent",
            "classes.tap: (tap ?y) is said of the parent; of the node itself it is (tap ?x)",
        ),
        (
            "[exclusive]\n",
            '[exclusive]\nwet = ["(watered *)"]\n',
            "wet = ",
            "not-exclusive",
            "exclusive.wet: not shown to be exclusive: water adds (watered ?s) while (watered ?other1) may"
            " hold, for instance with t - thing, s - station, other1 - station and (near s) (bed s)"
            " (carrying t) (full t) (watered other1)",
        ),
        (
            'watered = ["(bed ?x)"]',
            'watered = ["(tap ?x)"]',
            "watered = ",
            "excess-requirement",
            "requires.watered: (tap ?x) does not count: water does not need it",
        ),
        (
            'near = ["the robot is at',
            'nigh = ["the robot is at',
            "nigh = ",
            "unknown-word",
            "words.nigh: there is no such predicate",
        ),
        (
            'ontop_of = "(lies_on ?x ?y)"',
            'ontop_of = "(lies_on ?x ?y)"\nbehind = "(lies_on ?x ?y)"',
            "behind = ",
            "unknown-word",
            "relations.behind: no scene has it; there are inside_of, ontop_of, under, attached_to,"
            " inside_hand, in",
        ),
        (
            'pose = "pose"',
            'pose = "pose"\nposse = "pose"',
            "posse = ",
            "unknown-word",
            "types.posse: no scene has it; there are campus, building, floor, room, pose, asset, object,"
            " part, agent",
        ),
    ],
)
def test_a_mapping_that_does_not_say_what_is_meant(
    tmp_path: Path, old: str, new: str, marked: str, code: str, message: str
) -> None:
    assert old in MAPPING
    mapping = MAPPING.replace(old, new, 1)
    line = mapping[: mapping.index(f"\n{marked}") + 1].count("\n") + 1
    place = f"{tmp_path}/mapping.toml:{line}"
    assert PackFinding(code, place, message) in findings(tmp_path, mapping=mapping)


def test_a_class_that_gives_its_fact_to_the_wrong_node_says_so_alone(tmp_path: Path) -> None:
    mapping = MAPPING.replace('tap = ["(tap ?x)"]', 'tap = ["(tap ?y)"]')
    assert [f.code for f in findings(tmp_path, mapping=mapping)] == ["fact-of-parent"]


def test_a_goal_needs_predicates(tmp_path: Path) -> None:
    start = MAPPING.index("predicates = [")
    mapping = MAPPING[:start] + "predicates = []\nsupertypes" + MAPPING[MAPPING.index("supertypes") + 10 :]
    (finding,) = findings(tmp_path, mapping=mapping)
    assert (finding.code, finding.message) == (
        "no-goals",
        "goals may use no predicate: list some in [goal] predicates",
    )


MORE = """format = "groundplan-pack"
version = 1
extends = "household"
[goal]
predicates = ["marked"]
[actions.mark]
step = "mark(?a)"
[actions.climb]
step = "climb(?c)"
"""
MORE_DOMAIN = """(define (domain more)
  (:predicates (marked ?i - item) (inked ?i - item) (wet ?i - item))
  (:action mark :parameters (?a - item ?with - item) :precondition (and (inked ?with) (can_pickup ?a))
    :effect (and (marked ?a)))
  (:action climb :parameters (?c - item) :precondition (and (inked ?c)) :effect (and (inked ?c))))
"""


def test_only_what_the_pack_itself_adds_is_reported(tmp_path: Path) -> None:
    reported = [(f.code, f.message) for f in findings(tmp_path, MORE_DOMAIN, MORE)]
    assert reported == [
        ("never-true", "(wet ?i) is never true: no word of a scene, no rule and no action makes it so"),
        (
            "never-done",
            "mark can never be done: what makes (inked ?with) true can never be done either",
        ),
        (
            "never-done",
            "climb can never be done: what makes (inked ?c) true can never be done either",
        ),
        (
            "unprinted-parameter",
            "mark: the step mark(?a) does not say ?with, and neither where the robot or a named thing is nor"
            " what is held tells it: print it",
        ),
    ]


def test_a_robot_that_reaches_into_things_comes_back(tmp_path: Path) -> None:
    reach = """  (:action peer
    :parameters (?t - thing ?s - object)
    :precondition (and (near ?s) (lies_on ?t ?s))
    :effect (and (near ?t) (not (near ?s))))
"""
    back = reach.replace("peer", "step_back").replace("(near ?s) (lies_on", "(near ?t) (lies_on")
    back = back.replace("(and (near ?t) (not (near ?s)))", "(and (near ?s) (not (near ?t)))")
    steps = '\n[actions.peer]\nstep = "peer(?t)"\n'
    domain = DOMAIN.replace("  (:action grow", reach + "  (:action grow")
    (finding,) = findings(tmp_path, domain, MAPPING + steps)
    assert (finding.code, finding.message) == (
        "no-way-back",
        "peer leads the robot to a thing, and no action leads back to its place",
    )
    domain = domain.replace("  (:action grow", back + "  (:action grow")
    steps += '[actions.step_back]\nstep = "access(?s)"\n'
    assert findings(tmp_path, domain, MAPPING + steps) == []
