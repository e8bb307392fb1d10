"""Names of a pack that nothing in a scene has: no proof rests on them, and whoever has no plan is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from template_pack import benches, template_pack

from groundplan.compiler.certificates.certificate import Certificate, Refused
from groundplan.compiler.certificates.checker import check_certificate
from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains.ending import Ending
from groundplan.domains.errors import PackError, SceneError
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.planners.proofs.search import Prover
from groundplan.simulator.belief import Belief

ROOMS, THINGS = {"cellar": ("rack",), "attic": ("shelf",)}, {"flask": "rack"}
LIES = "(lies_on flask shelf)"
PUT = "(:action put\n    :parameters (?t - thing ?b - bench)"
SLIPS = [
    ({"vial = [": "vyal = ["}, {}, "(measured flask)", "classes.vyal"),
    ({"pickup = [": "pikup = ["}, {}, LIES, "did you mean 'pickup'?"),
    ({"release = [": "putdown = ["}, {}, LIES, "affordances.putdown"),
    ({"switch = [": "knob = ["}, {}, "(warm rack)", "affordances.knob"),
    ({}, {"place thing - object": "place thing bed - object", PUT: PUT.replace("bench", "bed")}, LIES, "bed"),
    ({'vial = ["(vial ?x)"]\n': ""}, {}, "(measured flask)", "(vial ?t) is never true"),
]


def world(folder: Path, mapping: dict[str, str], changes: dict[str, str]) -> Belief:
    pack = template_pack(folder, mapping={"[requires]": "[requires]", **mapping}, changes=changes)
    return benches(pack, ROOMS, THINGS)


@pytest.mark.parametrize(("mapping", "changes", "goal", "named"), SLIPS)
def test_a_slip_of_the_pen_proves_nothing(
    mapping: dict[str, str], changes: dict[str, str], goal: str, named: str, tmp_path: Path
) -> None:
    belief = world(tmp_path, mapping, changes)
    result = plan_goal(parse_goal(goal), belief, Engine.named("pyperplan"))
    assert result.ending is Ending.NOT_FOUND and result.certificate is None
    assert any(named in reason for reason in result.reasons)
    assert "affordance" not in {d.code for d in check(parse_goal(goal), belief).diagnostics}
    formula = parse_goal(goal).formula
    forged = Certificate("facts", str(formula), belief.scene.hash, belief.pack.hash, (), (), ())
    with pytest.raises(Refused):
        check_certificate(forged, belief, formula)


RULE = '[[rules]]\nadd = "({} ?x)"\ntypes = ["asset"]\nwhen = []\nunless = ["(spectrometer ?x)"]\n'


@pytest.mark.parametrize("name", ["switchable", "stopped"])
@pytest.mark.parametrize("goal", ["(not ({} rack))", "(exists (?b - asset) (not ({} ?b)))"])
def test_what_a_rule_adds_unless_there_is_such_a_name_proves_nothing(
    name: str, goal: str, tmp_path: Path
) -> None:
    """What never changes, and what does: rightly spelt, the class would have taken the fact away."""
    slip = {"spectrometer = [": "spectrmeter = [", "[exclusive]": RULE.format(name) + "[exclusive]"}
    slip |= {'predicates = ["lies_on"': 'predicates = ["switchable", "lies_on"'}
    belief = world(tmp_path, slip, {})
    assert name in belief.unused.doubtful
    result = plan_goal(parse_goal(goal.format(name)), belief, Engine.named("pyperplan"))
    assert result.ending is Ending.NOT_FOUND and result.certificate is None


@pytest.mark.parametrize(
    "goal", ["(and (holding flask) (hand_free))", "(and (lies_on flask rack) (lies_on flask shelf))"]
)
def test_what_rests_on_no_such_name_is_proved_as_ever(goal: str, tmp_path: Path) -> None:
    belief = world(tmp_path, {"vial = [": "vyal = ["}, {})
    assert [one.name for one in belief.unused.names] == ["spectrometer", "vyal", "switch"]
    assert Prover(parse_goal(goal).formula, belief).thorough() is not None


def test_a_scene_without_a_thing_of_the_household_is_what_it_is() -> None:
    belief = benches(load_pack(), ROOMS, THINGS)
    assert not belief.unused.names
    assert plan_goal(parse_goal("(hot flask)"), belief, Engine.named("pyperplan")).ending is Ending.UNSOLVABLE


@pytest.mark.parametrize(
    ("change", "error", "named"),
    [
        (
            {'ontop_of = "(lies_on': 'on_top = "(lies_on'},
            PackError,
            "mapping.toml:[0-9]+: .* got on_top; did you mean",
        ),
        (
            {'pose = "waypoint"': 'poze = "waypoint"'},
            PackError,
            "mapping.toml:[0-9]+: .* got poze; did you mean 'pose'",
        ),
        ({'ontop_of = "(lies_on': 'under = "(lies_on'}, SceneError, "ontop_of"),
    ],
)
def test_types_and_relations_are_those_of_all_scenes(
    change: dict[str, str], error: type[Exception], named: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=named):
        benches(template_pack(tmp_path, mapping=change), ROOMS, THINGS)
