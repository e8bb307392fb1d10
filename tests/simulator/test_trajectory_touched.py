"""Conditions that a world remembers: the index finds what the definition finds, and only what was touched."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from groundplan import ground, load_pack, load_scene, parse_goal, read_steps, verify_plan
from groundplan.domains.errors import GoalError
from groundplan.domains.evaluate import evaluate
from groundplan.domains.files import read_text
from groundplan.domains.formula import And, Atom, Formula, Not
from groundplan.simulator.belief import Belief
from groundplan.simulator.step import Step
from groundplan.simulator.verification import watched
from groundplan.simulator.world import Refusal, World, WorldState


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


def _conditions(office: Belief) -> list[Formula]:
    items, rooms = office.members("item")[:25], office.members("room")
    literals: list[Formula] = [Atom("in_room", (i, r)) for i in items for r in rooms]
    literals += [Atom("robot_at", (r,)) for r in (*rooms, "fridge")]
    literals += [Atom("open", (a,)) for a in ("fridge", "cabinet2")]
    literals += [Atom("holding", (i,)) for i in items] + [Atom("hand_free")]
    both = And((Atom("in_room", (items[0], "kitchen")), Atom("open", ("fridge",))))
    return [*literals, *map(Not, literals), both]


def test_the_index_remembers_what_the_definition_says(office: Belief) -> None:
    """On random walks, with carried things, after every action."""
    conditions = _conditions(office)
    actions = office.pack.domain.actions.values()
    random = Random(5)
    for _ in range(4):
        world, naive = World(office, conditions), set()
        for _ in range(25):
            naive |= {c for c in conditions if evaluate(c, world)}
            assert {c for c in conditions if world.happened(c)} == naive
            held = [a[0] for a in world.state.facts.all("holding")]
            near = [world.state.stands_at, *held]
            for _ in range(200):
                action = random.choice(list(actions))
                names = [random.choice([*near, *office.members("item"), "fridge", "cabinet2", "kitchen"])
                         for _ in action.parameters]  # fmt: skip
                if not all(map(office.has_type, names, (p.type for p in action.parameters))):
                    continue
                ground_action = action.ground(tuple(names))
                if action.name == office.pack.navigation.name:
                    for hop in office.routes.route(world.state.anchor, names[1]).hops:
                        world.drive(hop)
                        naive |= {c for c in conditions if evaluate(c, world)}
                    world.drive(names[1])
                    break
                if not world.state.unmet(ground_action) and len(set(names)) == len(names):
                    world._perform(ground_action)
                    break


def test_an_action_looks_at_what_it_touched(office: Belief, monkeypatch: pytest.MonkeyPatch) -> None:
    """A drive with an empty hand moves no thing: no room is looked up, however many are watched."""
    goal = parse_goal("(exists (?i - item ?r - room) (sometime (in_room ?i ?r)))").formula
    world = World(office, watched(goal, office))
    lookups: list[str] = []
    room_of = WorldState.room_of
    monkeypatch.setattr(WorldState, "room_of", lambda self, name: lookups.append(name) or room_of(self, name))
    world.drive("kitchen")
    assert lookups == []
    for step in read_steps("access(fridge)\nopen(fridge)"):
        assert not isinstance(world.apply(step), Refusal)
    assert lookups == []


def test_sometime_inside_sometime_is_refused_in_words(office: Belief) -> None:
    goal = parse_goal("(sometime (sometime (open fridge)))").formula
    with pytest.raises(GoalError, match="sometime over a literal"):
        verify_plan((), office, goal)


def test_a_plan_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("goto(pose13)\n", encoding="utf-8-sig")
    assert read_steps(read_text(plan, 1000)) == read_steps("\ufeffgoto(pose13)") == read_steps("goto(pose13)")


def test_a_long_name_is_clipped_in_feedback(office: Belief) -> None:
    long = "x" * 1_000_000
    for text in (f"access({long})", f"{long}(fridge)"):
        result = verify_plan(read_steps(text), office)
        assert len(" ".join(result.feedback())) < 500 and len(result.violations[0].message) < 300


@pytest.mark.parametrize(
    "text",
    [
        "1. goto(pose13)\n2. open('fridge')",
        "```\ngoto(pose13)\nopen(fridge)\n```",
        "Here is the plan:\n- goto(\"pose13\")\n- open( 'fridge' ),",
        'Plan:\n```json\n["goto(pose13)",\n "open(fridge)"]\n```\n',
        "Step 1: goto(pose13)\nStep 2: open(fridge)",
    ],
)
def test_a_plan_is_read_as_models_write_it(text: str) -> None:
    assert read_steps(text) == read_steps("goto(pose13)\nopen(fridge)")


def test_a_name_in_quotes_survives_printing() -> None:
    step = Step("open", ("'fridge'",))
    assert read_steps(str(step)) == (step,) != read_steps("open('fridge')")
