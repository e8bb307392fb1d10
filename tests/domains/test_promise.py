"""The promise of packs: what the code knows of the household comes from its pack, and others work."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from groundplan.compiler.forms import literals
from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.normal import normal_form
from groundplan.domains.action import PlanAction
from groundplan.domains.formula import And, Atom, Or
from groundplan.domains.pack import BUILT_IN, load_pack
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Node
from groundplan.simulator.scene_json import read_scene
from groundplan.simulator.step import read_steps
from groundplan.simulator.verification import verify_plan
from groundplan.simulator.world import Refusal, World

ROOT = Path(__file__).resolve().parents[2]
GREENHOUSE = ROOT / "examples" / "greenhouse"
MAPPING = (GREENHOUSE / "mapping.toml").read_text(encoding="utf-8")
DERIVED = 'derived = { robot_at = "near", in_room = "room" }'

# The relations of the scene format are called as the household's predicates are.
RELATIONS = {"inside_of", "ontop_of", "under", "attached_to"}
# Senses of verbs, which the wording of a pack gives a meaning.
SENSES = {"open", "clean"}
ALLOWED = {
    "methods/baselines/llm_p.py": {"open", "inside_of", "ontop_of"},  # the worked example of its prompt
    "methods/conversations/item_graph.py": {"holding"},  # a key of that graph
    "methods/lookplangraph/memory.py": {"holding"},  # a key of the papers' memory graph
    "methods/lookplangraph/loop.py": {"open"},  # an action of its prompt
    "methods/houses/advice.py": {"seen"},  # a word of its prompts
    "robot/trace.py": {"seen"},  # a key of traces
    "methods/houses/search.py": {"seen"},  # a key of records
    "simulator/navigation/seen_map.py": {"closed"},  # a key of the map in records
    "domains/wording.py": SENSES,
    "simulator/sayplan_json.py": {"ontop_of", "inside_of", "open", "contains"},  # the last a key of files
    "simulator/scene.py": RELATIONS,
}


def texts(path: Path) -> set[str]:
    """Return the string constants of a module that are not docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(x.value) for x in ast.walk(tree) if isinstance(x, ast.Expr)}
    return {
        x.value
        for x in ast.walk(tree)
        if isinstance(x, ast.Constant) and isinstance(x.value, str) and id(x) not in docs
    }


def test_no_predicate_of_the_household_is_named_in_the_code() -> None:
    packs = [load_pack(name) for name in BUILT_IN]
    predicates = {p for pack in packs for p in (*pack.domain.predicates, *pack.mapping.derived)}
    folders = (
        "domains",
        "simulator",
        "compiler",
        "engines",
        "planners",
        "acting",
        "pipeline",
        "robot",
        "methods",
    )
    modules = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    named = {p.relative_to(ROOT).as_posix(): texts(p) & predicates for p in modules}
    assert len(modules) > 80
    assert {module: names for module, names in named.items() if names} == ALLOWED


def greenhouse(folder: Path, derived: str = DERIVED) -> Belief:
    """Return the greenhouse under its pack, with derived predicates called otherwise."""
    assert DERIVED in MAPPING
    (folder / "mapping.toml").write_text(MAPPING.replace(DERIVED, derived), encoding="utf-8")
    domain = (GREENHOUSE / "domain.pddl").read_text(encoding="utf-8")
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    return ground(read_scene(GREENHOUSE / "scene.json"), load_pack(str(folder)))


@pytest.mark.parametrize(
    ("derived", "at", "within"),
    [
        (DERIVED, "robot_at", "in_room"),
        ('derived = { gripper_by = "near", within = "room" }', "gripper_by", "within"),
    ],
)
def test_derived_predicates_are_called_as_the_pack_says(
    tmp_path: Path, derived: str, at: str, within: str
) -> None:
    belief = greenhouse(tmp_path, derived)
    assert belief.pack.public_predicates()[at] == 1
    assert belief.pack.public_predicates()[within] == 2
    goal = parse_goal(f"(and ({at} south) ({within} can1 north) (not ({at} gate)))")
    assert check(goal, belief).diagnostics == ()
    form = normal_form(parse_goal(f"(and ({at} north) ({at} bench1))").formula, belief)
    assert form == And((Or((Atom("near", ("north",)), Atom("near", ("bench1",)))), Atom("near", ("bench1",))))
    assert verify_plan(read_steps("goto(south)", "plan"), belief, goal.formula).verified
    refused = verify_plan(read_steps("access(bench1)", "plan"), belief, goal.formula)
    assert refused.violations[0].unmet == (Atom(at, ("north",)),)
    wrong = check(parse_goal(f"({within} can1 bench1)"), belief).diagnostics
    assert [d.message for d in wrong] == [
        f"argument 2 of {within} must be of type aisle; bench1 is of type asset"
    ]


def test_a_pack_without_derived_predicates_says_where_the_robot_is(tmp_path: Path) -> None:
    belief = greenhouse(tmp_path, "")
    refused = verify_plan(read_steps("access(bench1)", "plan"), belief)
    assert refused.violations[0].unmet == (Atom("near", ("north",)),)


def test_what_a_goal_puts_something_on_may_carry_it_into_a_room(tmp_path: Path) -> None:
    belief = greenhouse(tmp_path)
    tray = Node("tray1", "object", "bench1", "ontop_of", affordances=("pickup", "release"))
    belief = ground(belief.scene.changed(add=[tray]), belief.pack)
    goal = parse_goal("(and (lies_on can1 tray1) (in_room can1 north))")
    atoms = {atom for atom, _ in literals(normal_form(goal.formula, belief))}
    assert Atom("lies_on", ("tray1", "bench1")) in atoms


def test_braces_in_a_name_are_no_holes_of_a_verb(tmp_path: Path) -> None:
    belief = greenhouse(tmp_path)
    text = (tmp_path / "mapping.toml").read_text(encoding="utf-8")
    (tmp_path / "mapping.toml").write_text(text.replace("lower {t}", "lower {t} onto {s}"), encoding="utf-8")
    thing = Node("{s}", "object", "bench1", "ontop_of", affordances=("pickup",))
    belief = ground(belief.scene.changed(add=[thing]), load_pack(str(tmp_path)))
    refusal = World(belief).perform(PlanAction("lower", ("{s}", "bench1")))
    assert isinstance(refusal, Refusal)
    assert refusal.message.startswith("cannot lower {s} onto bench1: the robot is not at bench1")
