"""The world, step by step: what each step does, what happens by itself, and the words of every refusal."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from draws import draws
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from strategies import beliefs, steps

from groundplan import domains
from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains.action import PlanAction
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.printing import print_steps
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.step import Step, read_step, read_steps
from groundplan.simulator.verification import Verification, verify_plan
from groundplan.simulator.world import Effect, Refusal, World

DOOR, SWITCH = ("open", "close", "release"), ("turn_on", "turn_off")


def kitchen(variant: str | None = None, **changes: dict[str, object]) -> Belief:
    nodes = [
        Node("kitchen", "room", classes=("room",)),
        Node("office", "room", classes=("room",), affordances=("release",)),
        Node("attic", "room", classes=("room",)),
        Node("hall", "pose", classes=("pose",)),
        Node("agent", "agent", at="hall", classes=("agent",)),
        Node("fridge", "asset", "kitchen", "in", ("fridge",), DOOR, ("closed",)),
        Node("microwave", "asset", "kitchen", "in", ("microwave",), (*DOOR, *SWITCH, "interlocked")),
        Node(
            "dishwasher",
            "asset",
            "kitchen",
            "in",
            ("dishwasher",),
            (*DOOR, *SWITCH, "interlocked"),
            ("open",),
        ),
        Node("stove", "asset", "kitchen", "in", ("stove",), ("release", *SWITCH)),
        Node("coffee_machine", "asset", "kitchen", "in", ("coffee_machine",), ("release", *SWITCH)),
        Node("table", "asset", "kitchen", "in", ("table",), ("release",), ("dirty",)),
        Node("desk", "asset", "office", "in", ("desk",), ("release",)),
        Node("picture", "asset", "office", "in", ("picture",)),
        Node("apple", "object", "fridge", "inside_of", ("apple",), ("pickup",)),
        Node("plate", "object", "table", "ontop_of", ("plate",), ("pickup",), ("dirty",)),
        Node("mug", "object", "table", "ontop_of", ("mug",), ("pickup",)),
        Node("sponge", "object", "table", "under", ("sponge",), ("pickup",)),
        Node("statue", "object", "table", "ontop_of", ("statue",)),
        Node("poster", "object", "picture", "attached_to", ("poster",), ("pickup",)),
        Node("toolbox", "object", "desk", "ontop_of", ("toolbox",), ("pickup", *DOOR), ("closed",)),
        Node("hammer", "object", "toolbox", "inside_of", ("hammer",), ("pickup",)),
    ]
    links = (Link("hall", "kitchen", 2.0), Link("hall", "office", 3.5))
    scene = Scene("test", {n.id: n for n in nodes}, links).changed(change=changes)
    return ground(scene, load_pack("household", variant))


def run(text: str, goal: str | None = None, belief: Belief | None = None) -> Verification:
    formula = parse_goal(goal).formula if goal is not None else None
    return verify_plan(read_steps(text.replace("; ", "\n"), "plan"), belief or kitchen(), formula)


GO = "goto(kitchen); "
OFFICE = "goto(office); "


@pytest.mark.parametrize(
    ("plan", "goal"),
    [
        (GO, "(robot_at kitchen)"),
        (GO + "access(fridge)", "(and (robot_at kitchen) (robot_at fridge) (not (robot_at table)))"),
        (GO + "access(fridge); goto(kitchen)", "(and (robot_at kitchen) (not (robot_at fridge)))"),
        (GO + "access(fridge); open(fridge); pickup(apple)", "(and (holding apple) (in_room apple kitchen))"),
        (
            GO + "access(table); pickup(mug); goto(hall); goto(office)",
            "(and (in_room mug office) (holding mug))",
        ),
        (GO + "access(table); pickup(mug); goto(hall)", "(not (exists (?r - room) (in_room mug ?r)))"),
        (
            GO + "access(table); pickup(sponge); release(sponge)",
            "(and (ontop_of sponge table) (clean table))",
        ),
        (GO + "access(table); pickup(sponge); release(sponge)", "(dirty table)"),
        # Released on what is shut, a thing lies on top; in what is open, inside.
        (GO + "access(table); pickup(mug); access(fridge); release(mug)", "(ontop_of mug fridge)"),
        (
            GO + "access(table); pickup(mug); access(fridge); open(fridge); release(mug)",
            "(and (inside_of mug fridge) (not (cold mug)))",
        ),
        (
            GO + "access(table); pickup(mug); access(fridge); open(fridge); release(mug); close(fridge)",
            "(and (inside_of mug fridge) (cold mug) (cold apple))",
        ),
        (
            GO + "access(table); pickup(mug); access(coffee_machine); release(mug); turn_on(coffee_machine)",
            "(filled mug)",
        ),
        (
            GO + "access(coffee_machine); turn_on(coffee_machine); access(table); pickup(plate); "
            "access(coffee_machine); release(plate)",
            "(not (filled plate))",
        ),
        (
            GO + "access(table); pickup(plate); access(dishwasher); release(plate); close(dishwasher); "
            "turn_on(dishwasher)",
            "(and (clean plate) (dirty plate) (turned_on dishwasher))",
        ),
        (
            GO + "access(table); pickup(plate); access(microwave); open(microwave); release(plate); "
            "close(microwave); turn_on(microwave); turn_off(microwave); open(microwave); pickup(plate)",
            "(and (hot plate) (holding plate) (open microwave))",
        ),
        (GO + "access(table); pickup(plate); access(stove); release(plate); turn_on(stove)", "(hot plate)"),
        (GO + "access(stove); turn_on(stove); turn_off(stove)", "(sometime (turned_on stove))"),
        (OFFICE + "access(desk); pickup(toolbox); release(toolbox)", "(in_room hammer office)"),
        (
            OFFICE
            + "access(desk); access(toolbox); open(toolbox); pickup(hammer); access(desk); release(hammer)",
            "(ontop_of hammer desk)",
        ),
        (
            OFFICE
            + "access(desk); pickup(toolbox); goto(hall); goto(kitchen); access(table); release(toolbox); "
            "access(toolbox); open(toolbox); pickup(hammer); goto(kitchen)",
            "(and (holding hammer) (in_room toolbox kitchen) (robot_at kitchen))",
        ),
        (GO + "access(table); pickup(mug); goto(hall); goto(office); release(mug)", "(ontop_of mug office)"),
        ("done()", "(hand_free)"),
        ("done", "(hand_free)"),
        ("goto(hall)", "(closed fridge)"),
    ],
)
def test_what_steps_do(plan: str, goal: str) -> None:
    outcome = run(plan.removesuffix("; "), goal)
    assert outcome.executable, outcome.feedback()
    assert outcome.goal_value, outcome.feedback()
    assert outcome.feedback() == ()


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("goto(attic)", "cannot go to attic: it is not next to hall"),
        ("goto(fridge)", "cannot go to fridge: it is no pose or room"),
        ("goto(ktchen)", "there is no ktchen; did you mean 'kitchen'?"),
        ("access(fridge)", "cannot access fridge: it is in kitchen, the robot is at hall"),
        ("access(kitchen)", "cannot access kitchen: the robot is at hall, not in kitchen"),
        (GO + "access(desk)", "cannot access desk: it is in office, the robot is at kitchen"),
        (GO + "pickup(apple)", "cannot pick up apple: the robot is not at fridge; fridge is closed"),
        (GO + "access(fridge); pickup(apple)", "cannot pick up apple: fridge is closed"),
        (GO + "access(table); pickup(apple)", "cannot pick up apple: the robot is not at fridge"),
        (GO + "access(table); pickup(statue)", "cannot pick up statue: statue cannot be picked up"),
        (GO + "access(table); pickup(table)", "cannot pick up table: it is of type asset"),
        (GO + "access(table); pickup(mug); pickup(plate)", "cannot pick up plate: the hand is full"),
        (GO + "access(table); release(mug)", "cannot release mug: the robot does not hold mug"),
        (OFFICE + "access(picture); pickup(poster)", "cannot pick up poster"),
        (
            GO + "access(table); pickup(mug); goto(hall); goto(office); access(picture); release(mug)",
            "nothing can be",
        ),
        (GO + "open(fridge)", "cannot open fridge: the robot is not at fridge"),
        (GO + "access(table); open(table)", "cannot open table: table cannot be opened"),
        (GO + "access(fridge); open(fridge); open(fridge)", "cannot open fridge: fridge is not closed"),
        (GO + "access(fridge); close(fridge)", "cannot close fridge: fridge is not open"),
        (
            GO + "access(dishwasher); turn_on(dishwasher)",
            "cannot turn on dishwasher: dishwasher is not closed",
        ),
        (
            GO + "access(microwave); turn_on(microwave); open(microwave)",
            "cannot open microwave: microwave is not off",
        ),
        (GO + "access(stove); turn_off(stove)", "cannot turn off stove: stove is not on"),
        (GO + "access(fridge); turn_on(fridge)", "cannot turn on fridge: fridge cannot be turned on"),
        (OFFICE + "access(toolbox)", ""),
        (OFFICE + "access(desk); access(hammer)", ""),
        (OFFICE + "access(desk); pickup(hammer)", "cannot pick up hammer"),
        (OFFICE + "access(desk); access(toolbox); pickup(hammer)", "toolbox is closed"),
        (GO + "jump(table)", "there is no step jump(table)"),
        (GO + "pikcup(mug)", "did you mean 'pickup'"),
        (GO + "pickup(mug, table)", "there is no step pickup(mug, table)"),
        ("goto()", ""),
        ("open()", "there is no step open()"),
    ],
)
def test_refusals_say_what_is_missing(plan: str, said: str) -> None:
    outcome = run(plan)
    assert not outcome.executable
    (violation,) = outcome.violations
    assert violation.index == plan.count("; ")
    assert said in violation.message
    assert outcome.feedback()[0].startswith(f"step {violation.index + 1}, {violation.step}: ")
    for atom in violation.unmet:
        assert atom.predicate


def test_a_strict_hand_must_be_free_at_doors() -> None:
    plan = GO + "access(table); pickup(mug); access(fridge); open(fridge)"
    assert run(plan).executable
    outcome = run(plan, belief=kitchen("one-handed"))
    assert outcome.violations[0].message == "cannot open fridge: the hand is full"


@pytest.mark.parametrize("nested", [False, True])
def test_a_pack_without_a_way_back_from_a_box_refuses_the_drive(nested: bool, tmp_path: Path) -> None:
    source = Path(domains.__file__ or "").parent / "household"
    mapping = (source / "mapping.toml").read_text(encoding="utf-8")
    no_way = 'leave_on = ["(hot ?c)"]\n'
    tmp_path.joinpath("mapping.toml").write_text(f"{mapping}[conditions]\n{no_way}", encoding="utf-8")
    shutil.copy(source / "domain.pddl", tmp_path)
    can = ("pickup", "release", "contain")
    nodes = [
        Node("office", "room"),
        Node("table", "asset", "office", affordances=("release",)),
        Node("box", "object", "table", "ontop_of", affordances=can),
        Node("bag", "object", "box", "inside_of", affordances=can),
        Node("robot", "agent", at="table"),
    ]
    belief = ground(Scene("boxes", {n.id: n for n in nodes}), load_pack(str(tmp_path)))
    world = World(belief)
    for name in ("box", "bag") if nested else ("box",):
        assert isinstance(world.apply(Step("access", (name,))), Effect)
    before = set(world.state.facts)
    refused = world.apply(Step("goto", ("office",)))
    assert isinstance(refused, Refusal) and "cannot leave box" in refused.message
    assert set(world.state.facts) == before


def test_an_event_happens_only_to_things_of_its_types(tmp_path: Path) -> None:
    domain = """(define (domain tidy) (:requirements :strips :typing :action-costs)
      (:predicates (glowing ?x - object))
      (:action glow :parameters (?i - item) :precondition (turned_on ?i) :effect (glowing ?i)))"""
    head = 'format = "groundplan-pack"\nversion = 1\nname = "tidy"\nextends = "household"\n'
    tmp_path.joinpath("domain.pddl").write_text(domain, encoding="utf-8")
    mapping = f'{head}[goal]\npredicates = ["glowing"]\n[actions.glow]\nevent = true\n'
    tmp_path.joinpath("mapping.toml").write_text(mapping, encoding="utf-8")
    switch = ("turn_on", "turn_off")
    nodes = [
        Node("office", "room"),
        Node("lamp", "asset", "office", affordances=("release", *switch)),
        Node("radio", "object", "lamp", "ontop_of", affordances=switch),
        Node("torch", "object", "lamp", "ontop_of", affordances=switch, state=("on",)),
        Node("robot", "agent", at="lamp"),
    ]
    world = World(ground(Scene("lights", {n.id: n for n in nodes}), load_pack(str(tmp_path))))
    assert world.state.facts.all("glowing") == [("torch",)]
    for step in ("turn_on(lamp)", "access(radio)", "turn_on(radio)"):
        assert isinstance(world.apply(read_step(step, "test")), Effect)
    assert world.state.facts.all("glowing") == [("torch",), ("radio",)]


def test_what_an_event_adds_comes_back_while_its_condition_holds(tmp_path: Path) -> None:
    domain = """(define (domain smoke) (:requirements :strips :typing :action-costs)
      (:predicates (smoky ?x - object))
      (:action smoke :parameters (?x - object) :precondition (turned_on ?x) :effect (smoky ?x))
      (:action air :parameters (?x - object) :precondition (stands_at ?x)
        :effect (and (not (smoky ?x)) (increase (total-cost) 100))))"""
    head = 'format = "groundplan-pack"\nversion = 1\nname = "smoke"\nextends = "household"\n'
    tables = (
        '[goal]\npredicates = ["smoky"]\n[actions.smoke]\nevent = true\n[actions.air]\nstep = "air(?x)"\n'
    )
    tmp_path.joinpath("domain.pddl").write_text(domain, encoding="utf-8")
    tmp_path.joinpath("mapping.toml").write_text(
        f'{head}{tables}skill = "air"\nverb = "air"\n', encoding="utf-8"
    )
    nodes = [
        Node("office", "room"),
        Node("stove", "asset", "office", affordances=("turn_on", "turn_off"), state=("on",)),
        Node("robot", "agent", at="stove"),
    ]
    world = World(ground(Scene("smoke", {n.id: n for n in nodes}), load_pack(str(tmp_path))))
    for step, smoky in (("air(stove)", True), ("turn_off(stove)", True), ("air(stove)", False)):
        assert isinstance(world.apply(read_step(step, "test")), Effect)
        assert world.state.facts.holds("smoky", ("stove",)) is smoky


def test_feedback_on_a_missed_goal_says_where_things_are() -> None:
    outcome = run(GO + "access(table); pickup(mug)", "(and (inside_of mug fridge) (inside_of apple fridge))")
    assert outcome.executable and outcome.goal_value is False and not outcome.verified
    assert "the robot still holds it" in " ".join(outcome.feedback())
    outcome = run(GO, "(ontop_of apple desk)")
    assert "it is at fridge" in " ".join(outcome.feedback())
    assert outcome.as_json()["goal_value"] is False


def test_what_is_true_at_first_is_closed_under_events() -> None:
    belief = kitchen()
    assert belief.facts.holds("cold", ("apple",))
    wiped = kitchen(sponge={"relation": "ontop_of"})
    assert wiped.facts.holds("clean", ("table",)) and wiped.facts.holds("dirty", ("table",))


def test_lengths_are_what_was_driven() -> None:
    assert run("goto(kitchen); access(table); goto(hall); goto(office)").length_mm == 2000 + 2000 + 3500


def test_an_action_by_name_is_checked() -> None:
    world = World(kitchen())
    assert isinstance(world.perform(PlanAction("open", ("fridge",))), Refusal)
    away = world.perform(PlanAction("goto", ("hall", "attic")))
    assert isinstance(away, Refusal)
    assert "no route leads there" in away.message
    assert isinstance(world.perform(PlanAction("goto", ("hall", "fridge"))), Effect)


@draws(150, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_no_step_breaks_the_world(data: st.DataObject) -> None:
    """Any step over any names is done or refused; a refused one changes nothing; invariants hold."""
    belief = data.draw(beliefs(hostile=None, connected=False))
    world = World(belief)
    for step in data.draw(steps(belief)):
        facts = world.state.facts
        before = sorted(map(str, facts))
        effect = world.apply(step)
        if isinstance(effect, Refusal):
            assert sorted(map(str, facts)) == before
            assert effect.message
        facts = world.state.facts
        assert len(facts.all("stands_at")) == 1
        held = facts.all("holding")
        assert len(held) == (0 if facts.holds("hand_free", ()) else 1)
        for node in belief.scene.nodes.values():
            if node.type == "object":
                places = sum(
                    len(facts.with_argument(p, 0, node.id))
                    for p in ("inside_of", "ontop_of", "under", "attached_to", "holding")
                )
                assert places == 1
            assert not (facts.holds("open", (node.id,)) and facts.holds("closed", (node.id,)))
            assert not (facts.holds("turned_on", (node.id,)) and facts.holds("turned_off", (node.id,)))


@draws(100, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_printed_actions_do_the_same_as_actions(data: st.DataObject) -> None:
    """What the actions of the pack do, their printed steps do."""
    from strategies import applicable

    belief = data.draw(beliefs(hostile=None))
    world = World(belief)
    done: list[PlanAction] = []
    for _ in range(data.draw(st.integers(0, 6))):
        possible = [a for a in applicable(world)]
        if not possible:
            break
        action = data.draw(st.sampled_from(possible))
        world.perform(action)
        done.append(action)
    outcome = verify_plan(print_steps(done, belief), belief)
    assert outcome.executable, (outcome.feedback(), list(map(str, done)))


@pytest.mark.parametrize(
    "step",
    [
        Step("done"),
        Step("pickup", ("a b",)),
        Step("x", ('"', "\\", "\n", ",", ")", "#", ";")),
        Step("p", ("[", "'")),
    ],
)
def test_steps_survive_printing(step: Step) -> None:
    assert read_step(str(step), "here") == step


@draws(200)
@given(st.text(min_size=1, max_size=12), st.text(min_size=1, max_size=12))
def test_any_names_survive_printing(one: str, two: str) -> None:
    step = Step("pickup", (one, two))
    assert read_step(str(step), "here") == step


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("goto", ":1: expected a step"),
        ("goto(a b)", "names separated by commas"),
        ("goto(a", ":1: expected a step"),
        ('goto("a)', "names separated by commas"),
        ('goto("\\q")', "quoted name"),
        ("goto(a)\n\n# comment\n12(a)", ":4: expected a step"),
        ("[1, 2]", "list of steps"),
        ('{"steps": []}', "list of steps"),
        ("[", "JSON"),
        ("[" * 100_000, "ordinary depth"),
        ('["goto(a", "x"]', "step 0"),
        ("goto(a)\n" * 100_001, "at most 100000 steps"),
    ],
)
def test_bad_plan_files_are_refused(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_steps(text, "plan")
    assert said in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("?to - place", "?to - asset", "from hall to kitchen: kitchen is no asset"),
        ("?from - place", "?from - asset", "from hall to kitchen: hall is no asset"),
    ],
)
def test_driving_keeps_to_the_types_of_the_pack(tmp_path: Path, old: str, new: str, message: str) -> None:
    """What a planner cannot do by the pack's types is no step either: a proof may rest on them."""
    shutil.copytree(Path(domains.__file__ or "").parent / "household", tmp_path, dirs_exist_ok=True)
    text = (tmp_path / "domain.pddl").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "domain.pddl").write_text(text.replace(old, new), encoding="utf-8")
    world = World(ground(kitchen().scene, load_pack(str(tmp_path))))
    effect = world.apply(Step("goto", ("kitchen",)))
    assert isinstance(effect, Refusal) and effect.message == f"cannot go {message}"
    assert world.state.stands_at == "hall"
