"""The embedded reader on the office: what it gets right, what it declines, and that it gets nothing wrong.

A goal is right when every way to satisfy it satisfies the gold goal, too: each choice of a disjunct and of a
witness is laid over the initial state and judged by the naive evaluation. The tasks of the paper were known
when the patterns were written, so what they count is no measure of how it does on other instructions; most of
the plain requests below were written before they were tried.
"""

from __future__ import annotations

import ast
import itertools
import json
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from draws import draws
from hypothesis import given
from hypothesis import strategies as st

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import (
    And,
    Atom,
    Count,
    Exists,
    Formula,
    Not,
    Or,
    Sometime,
    TrajectoryConstraint,
    substitute,
    walk,
)
from groundplan.domains.pack import load_pack
from groundplan.language.embedded.clauses import MAX_CHARACTERS
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.english import embedding
from groundplan.language.english.lexical import Lexical
from groundplan.language.reader import Attempt, History, NotUnderstood
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Node, Scene
from groundplan.simulator.scene_json import node_fields, node_from_json, read_scene
from groundplan.simulator.verification import watched
from groundplan.simulator.view import View
from groundplan.simulator.world import World

ROOT = Path(__file__).parents[2]
OFFICE = read_scene(ROOT / "datasets" / "scenes" / "office.json")
PLACES = ("inside_of", "ontop_of", "under", "attached_to", "holding")
OPPOSITE = {"open": "closed", "closed": "open", "turned_on": "turned_off", "turned_off": "turned_on"}

needs_model = pytest.mark.skipif(not embedding.installed(), reason="needs the extra 'embedded'")


@cache
def reader() -> EmbeddedReader:
    return EmbeddedReader()


def read(instruction: str, scene: Scene, by: EmbeddedReader | None = None) -> Goal | NotUnderstood:
    """Search and write, as the pipeline does."""
    by = by or reader()
    search = by.search(instruction, View.collapsed(scene))
    if search.outcome != "found":
        return NotUnderstood(search.reason)
    return by.write(instruction, search.scene)


# Is a goal right?


def ways(goal: Formula, belief: Belief) -> Iterator[tuple[Formula, ...]]:
    """Every choice of literals that makes a goal true, as readers write goals."""
    match goal:
        case And(parts):
            for choice in itertools.product(*(list(ways(p, belief)) for p in parts)):
                yield tuple(x for c in choice for x in c)
        case Or(parts):
            for part in parts:
                yield from ways(part, belief)
        case Exists((variable,), body):
            for name in belief.members(variable.type):
                yield from ways(substitute(body, {variable.name: name}), belief)
        case Count("exactly", number, (variable,), body):
            for names in itertools.combinations(belief.members(variable.type), number):
                parts = tuple(substitute(body, {variable.name: n}) for n in names)
                yield from ways(And(parts), belief)
        case _:
            yield (goal,)


def reached(literals: tuple[Formula, ...], belief: Belief, gold: Formula) -> World | None:
    """The initial state changed as little as the literals ask for; nothing where a static one is false."""
    world = World(belief, watched(gold, belief))
    for literal in literals:
        if isinstance(literal, TrajectoryConstraint):
            continue  # an order of what the other literals bring about
        if isinstance(literal, Sometime):
            world.memory.states[literal.body] = 1
            continue
        if isinstance(literal, Not):
            assert isinstance(literal.part, Atom)
            world.state.facts.discard(literal.part.predicate, literal.part.args)
            continue
        assert isinstance(literal, Atom)
        name, args = literal.predicate, literal.args
        if name not in belief.pack.domain.predicates and name not in belief.pack.mapping.derived:
            if not world.holds(name, args):
                return None
            continue
        if name == "robot_at":
            for old in world.state.facts.all("stands_at"):
                world.state.facts.discard("stands_at", old)
            name = "stands_at"
        if name in PLACES:
            for predicate in PLACES:
                for old in world.state.facts.with_argument(predicate, 0, args[0]):
                    world.state.facts.discard(predicate, old)
        if name == "hot":  # it was in a microwave
            for old in world.state.facts.with_argument("inside_of", 0, args[0]):
                world.state.facts.discard("inside_of", old)
            world.state.facts.add("inside_of", (args[0], "microwave"))
        if name in OPPOSITE:
            world.state.facts.discard(OPPOSITE[name], args)
        world.state.facts.add(name, args)
    return world


def right(goal: Goal, gold: str, scene: Scene) -> bool:
    belief, wanted = ground(scene, load_pack()), parse_goal(gold).formula
    worlds = [reached(w, belief, wanted) for w in ways(goal.formula, belief)]
    good = [w for w in worlds if w is not None]
    return bool(good) and all(evaluate(wanted, w) for w in good)


def task_scene(overlay: dict[str, dict[str, dict[str, object]]] | None) -> Scene:
    raw = overlay or {}
    return OFFICE.changed(
        [node_from_json(n, "overlay") for n in raw.get("add", ())],
        raw.get("remove", ()),
        {k: node_fields(v, "overlay") for k, v in raw.get("change", {}).items()},
    )


def tasks() -> list[tuple[str, str, Scene, str]]:
    found = []
    for name in ("office-planning-simple", "office-planning-long"):
        raw = json.loads((ROOT / "datasets" / "tasks" / f"{name}.json").read_text(encoding="utf-8"))
        for task in raw["tasks"]:
            found.append((task["id"], task["instruction"], task_scene(task["overlay"]), task["gold"]["goal"]))
    return found


@needs_model
def test_of_the_papers_thirty_tasks_twenty_are_right_and_none_is_wrong() -> None:
    outcomes: dict[str, list[str]] = {"right": [], "wrong": [], "declined": []}
    for name, instruction, scene, gold in tasks():
        goal = read(instruction, scene)
        if isinstance(goal, NotUnderstood):
            outcomes["declined"].append(name)
        else:
            outcomes["right" if right(goal, gold, scene) else "wrong"].append(name)
    assert outcomes["wrong"] == []
    assert len(outcomes["right"]) >= 20, outcomes
    assert [n for n in outcomes["declined"] if "simple" in n] == []


def test_without_embeddings_fewer_are_right_and_still_none_is_wrong() -> None:
    by, good = EmbeddedReader(Lexical()), 0
    for name, instruction, scene, gold in tasks():
        goal = read(instruction, scene, by)
        if isinstance(goal, Goal):
            assert right(goal, gold, scene), (name, str(goal))
            good += 1
    assert good >= 15


PLAIN = [
    (
        "Put the orange on the kitchen bench into the fridge.",
        "(and (inside_of orange1 fridge) (closed fridge))",
    ),
    ("Please open the microwave.", "(open microwave)"),
    # An apple core is no apple.
    ("Put an apple in the fridge.", "(exists (?a - apple) (inside_of ?a fridge))"),
    ("Bring Tobi an apple.", "(exists (?a - apple) (ontop_of ?a desk38))"),
    ("Could you turn on the dishwasher?", "(turned_on dishwasher)"),
    ("Turn the coffee machine on.", "(turned_on coffee_machine)"),
    ("Bring Peter a banana.", "(exists (?b - banana) (ontop_of ?b desk2))"),
    ("Bring Will his drone.", "(ontop_of drone2 desk4)"),
    ("Take the parcel from the lobby to the mobile robotics lab.", "(ontop_of parcel table4)"),
    ("Carry the scissors in Michael's office to Tobi's desk.", "(ontop_of scissors desk38)"),
    ("Get rid of the pepsi.", "(or (inside_of pepsi rubbish_bin) (inside_of pepsi recycling_bin))"),
    ("Discard the rotten apple in Dimity's cabinet.", "(inside_of apple2 rubbish_bin)"),
    ("Throw the rotten apple in Will's cabinet into the rubbish bin.", "(inside_of apple1 rubbish_bin)"),
    ("The bagel in the fridge smells. Throw it away.", "(inside_of salmon_bagel rubbish_bin)"),
    (
        "Reheat the chicken kebab and put it on the lunch table.",
        "(and (hot chicken_kebab) (ontop_of chicken_kebab lunch_table))",
    ),
    ("Microwave the noodles and bring them to Filipe.", "(and (hot noodles) (ontop_of noodles desk37))"),
    ("The plate on the lunch table is dirty. Wash it.", "(clean plate)"),
    ("Dust the shelf in the admin room.", "(clean shelf)"),
    ("Shut the cabinet in Michael's office.", "(closed cabinet6)"),
    ("Open all the cupboards in the supplies station.", "(and (open cupboard1) (open cupboard2))"),
    ("Place the headphones on table 2.", "(ontop_of headphones table2)"),
    ("Hand Jason the marker.", "(ontop_of marker desk5)"),
    ("Fetch the drone from PhD bay 3 and put it on Will's desk.", "(ontop_of drone1 desk4)"),
    ("Chill the pepsi.", "(cold pepsi)"),
    (
        "Put the carrot and the tomato on the kitchen bench.",
        "(and (ontop_of carrot kitchen_bench) (ontop_of tomato kitchen_bench))",
    ),
    ("Put every banana in the fridge.", "(and (inside_of banana1 fridge) (inside_of banana2 fridge))"),
    ("Bring two bottles of water to meeting room 4.", "(exactly 2 (?w - bottle_water) (ontop_of ?w table2))"),
    (
        "I am in the cafeteria. Bring me a bottle of water.",
        "(exists (?w - bottle_water) (ontop_of ?w lunch_table))",
    ),
    ("Make a coffee for Will.", "(and (filled coffee_mug) (ontop_of coffee_mug desk4))"),
    ("Put Michael's scissors into his cabinet.", "(inside_of scissors cabinet6)"),
    ("Open the fridge and close it again.", "(and (sometime (open fridge)) (closed fridge))"),
    (
        "Put the spoon and the bowl from the dishwasher into the cabinet in the kitchen.",
        "(and (inside_of spoon cabinet) (inside_of bowl cabinet))",
    ),
    ("Drive to meeting room 3.", "(robot_at meeting_room3)"),
    ("Pick up the phone.", "(holding phone)"),
    ("Get me a marker.", "(holding marker)"),
    ("The plate on the lunch table goes in the dish washer.", "(inside_of plate dishwasher)"),
    (
        "Carry the marker to Peter's office and the parcel to Niko's.",
        "(and (ontop_of marker desk2) (ontop_of parcel desk1))",
    ),
    ("Make sure that the cabinet in Jason's office is closed.", "(closed cabinet5)"),
]
BY_MEANING = [
    ("Store the vodka in the refrigerator.", "(inside_of vodka fridge)"),
    ("Activate the microwave.", "(turned_on microwave)"),
    ("Stick the noodles into the microwave.", "(inside_of noodles microwave)"),
    ("Conceal Peter's phone.", "(exists (?c - storage) (and (inside_of phone ?c) (closed ?c)))"),
    ("Wash the plate in the lunchroom.", "(clean plate)"),
]


@pytest.mark.parametrize(("instruction", "gold"), PLAIN)
def test_plain_requests(instruction: str, gold: str) -> None:
    goal = read(instruction, OFFICE)
    assert isinstance(goal, Goal), str(goal)
    assert right(goal, gold, OFFICE), str(goal)


@needs_model
@pytest.mark.parametrize(("instruction", "gold"), BY_MEANING)
def test_requests_in_other_words_than_the_scenes(instruction: str, gold: str) -> None:
    goal = read(instruction, OFFICE)
    assert isinstance(goal, Goal), str(goal)
    assert right(goal, gold, OFFICE), str(goal)


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        ("", "the instruction is empty"),
        ("?!", "the instruction is empty"),
        ("Do not open the fridge.", "not read as a request"),
        ("If the fridge is open, close it.", "not read as a request"),
        ("Put the orange either in the fridge or on the bench.", "not read as a request"),
        ("Leave nothing on the lunch table.", "not read as a request"),
        ("Paint the shelf red.", "not read as a request"),
        ("Break the monitor.", "not read as a request"),
        ("Lock the drawer.", "not read as a request"),
        ("Swap the monitor and the phone.", "not read as a request"),
        ("Put the unicorn in the fridge.", "unicorn"),
        ("Put the phone on table 9.", "table 9"),
        ("Put the phone on 9.", "9"),
        ("Take the phone to meeting room 7.", "meeting room 7"),
        ("Put the apple on the desk.", "several things fit 'the desk'"),
        ("Put the milk carton in the recycling bin.", "there already"),
        ("Give him the phone.", "who 'him' is"),
        ("Move the fridge to the lobby.", "cannot be picked up"),
        ("Put the phone on the fire extinguisher.", "cannot be given anything"),
        ("Wipe the desk in Niko's office.", "not dirty"),
        ("Deliver the document to Zaphod.", "where Zaphod is"),
        ("Throw the apple in Dimity's cabinet in the correct bin.", "which one"),
        ("Find the carrot.", "it asks where something is"),
        # A state that the kebab has not, and nobody asks for.
        ("Bring me the warm chicken kebab.", "fits 'the warm chicken kebab' in every word"),
        (
            "I would like the noodles from the fridge, heated, on the lunch table.",
            "not read as a request: 'heated, on",
        ),
        # A complaint is no request.
        ("Peter is thirsty.", "no request recognised"),
        ("The shelf in the admin room is awfully dusty.", "no request recognised"),
    ],
)
def test_what_is_not_understood_is_said(instruction: str, reason: str) -> None:
    answer = read(instruction, OFFICE)
    assert isinstance(answer, NotUnderstood), str(answer)
    assert reason in answer.reason


# Search


def test_search_expands_what_the_instruction_names_and_nothing_else() -> None:
    search = reader().search("Close Jason's cabinet.", View.collapsed(OFFICE))
    assert search.outcome == "found"
    assert [(s.command, s.node) for s in search.trace] == [("expand", "jasons_office")]
    assert search.subgraph == ("cabinet5",)
    assert {"cabinet5", "jasons_office", "agent"} <= set(search.scene.nodes)


@needs_model
def test_search_looks_in_likely_rooms_first_and_contracts_what_is_of_no_use() -> None:
    search = reader().search("Place the printed document on Will's desk.", View.collapsed(OFFICE))
    assert [s.node for s in search.trace if s.command == "expand"][:2] == ["wills_office", "printing_zone1"]
    assert "printing_zone1" not in search.view.expanded
    assert all(s.tokens == 0 for s in search.trace), "no model was asked"


def test_search_ends_when_everything_was_seen() -> None:
    search = reader().search("Put the unicorn in the fridge.", View.collapsed(OFFICE))
    assert search.outcome == "search-exhausted"
    assert len(search.view.memory) == 37


def test_all_of_a_kind_are_looked_for_in_every_room() -> None:
    search = reader().search("Put all bananas on the lunch table.", View.collapsed(OFFICE))
    assert {"banana1", "banana2"} <= set(search.subgraph)


def test_floors_are_opened_on_the_way_to_rooms() -> None:
    nodes = [
        Node("upstairs", "floor"),
        Node("downstairs", "floor"),
        Node("kitchen", "room", "downstairs", classes=("kitchen",)),
        Node("bedroom", "room", "upstairs", classes=("bedroom",)),
        Node("fridge", "asset", "kitchen", classes=("fridge",), affordances=("open", "close", "release")),
        Node(
            "lamp", "asset", "bedroom", classes=("lamp",), affordances=("turn_on", "turn_off"), state=("off",)
        ),
        Node("agent", "agent", "kitchen"),
    ]
    goal = read("Turn on the lamp.", Scene("house", {n.id: n for n in nodes}))
    assert str(goal) == "(turned_on lamp)"


# Repair


def test_a_repair_never_repeats_a_goal() -> None:
    instruction = "Put the stapler in Peter's cabinet on his desk."
    search = reader().search(instruction, View.collapsed(OFFICE))
    attempts: tuple[Attempt, ...] = ()
    written: list[str] = []
    goal = reader().write(instruction, search.scene)
    while isinstance(goal, Goal):
        assert str(goal) not in written
        written.append(str(goal))
        attempts = (*attempts, Attempt(goal, ("no plan",)))
        goal = reader().repair(History(instruction, search.scene, attempts), ("no plan",))
    assert written
    assert "no other reading" in goal.reason


def attempt(reading: Goal | NotUnderstood, feedback: str = "no plan") -> Attempt:
    assert isinstance(reading, Goal), str(reading)
    return Attempt(reading, (feedback,))


def test_a_repair_is_the_next_reading_in_the_order_of_the_ranking() -> None:
    instruction = "Grab the stapler on Filipe's desk and bring it to Tobi."
    search = reader().search(instruction, View.collapsed(OFFICE))
    ranked = [Goal.of(r.formula) for r in reader()._readings(instruction, search.scene)[0]]
    assert str(reader().write(instruction, search.scene)) == str(ranked[0])
    done: tuple[Attempt, ...] = ()
    for goal, following in zip(ranked, [*ranked[1:], None], strict=True):
        done = (*done, attempt(goal))
        answer = reader().repair(History(instruction, search.scene, done), ("no plan",))
        if following is None or isinstance(answer, NotUnderstood):
            assert isinstance(answer, NotUnderstood)
            break
        assert str(answer) == str(following)


def test_a_repair_asks_for_nothing_that_the_feedback_rules_out() -> None:
    instruction = "Hide Peter's phone."
    search = reader().search(instruction, View.collapsed(OFFICE))
    first = reader().write(instruction, search.scene)
    assert isinstance(first, Goal)
    ruled = "(inside_of phone cabinet2) cannot be brought about"
    history = History(instruction, search.scene, (attempt(first, ruled),))
    answer = reader().repair(history, (ruled,))
    assert isinstance(answer, NotUnderstood) or "(inside_of phone cabinet2)" not in str(answer)


# Packs

GREENHOUSE = ROOT / "examples" / "greenhouse"
READS = """
format = "groundplan-language"
version = 1
[reads]
go = "(robot_at ?x)"
"""


def greenhouse(folder: Path, wording: str | None) -> EmbeddedReader:
    """A reader of the greenhouse with another wording, or without any."""
    for name in ("domain.pddl", "mapping.toml"):
        (folder / name).write_bytes((GREENHOUSE / name).read_bytes())
    if wording is not None:
        (folder / "language.toml").write_text(wording, encoding="utf-8")
    return EmbeddedReader(Lexical(), load_pack(str(folder)))


def test_a_pack_that_does_not_say_what_requests_ask_for_is_not_read(tmp_path: Path) -> None:
    by, scene = greenhouse(tmp_path, None), read_scene(GREENHOUSE / "scene.json")
    search = by.search("Pick up the can.", View.collapsed(scene))
    assert search.outcome == "not-understood"
    assert "pack greenhouse: its language.toml has no [reads] table" in search.reason
    history = History("Pick up the can.", scene)
    for answer in (by.write("Pick up the can.", scene), by.repair(history, ())):
        assert isinstance(answer, NotUnderstood)
        assert answer.reason == search.reason


@pytest.mark.parametrize(
    ("instruction", "gold"),
    [("Pick up the can.", "(carrying can1)"), ("Drive to the tap.", "(robot_at tap1)")],
)
def test_goals_are_made_of_the_packs_own_facts(instruction: str, gold: str) -> None:
    by = EmbeddedReader(Lexical(), load_pack(str(GREENHOUSE)))
    assert str(read(instruction, read_scene(GREENHOUSE / "scene.json"), by)) == gold


def test_a_request_for_a_fact_that_the_pack_lacks_is_declined(tmp_path: Path) -> None:
    answer = read("Pick up the can.", read_scene(GREENHOUSE / "scene.json"), greenhouse(tmp_path, READS))
    assert isinstance(answer, NotUnderstood)
    assert answer.reason == "the pack greenhouse has no fact for 'hold'"


def test_the_folder_names_no_predicate_of_the_household() -> None:
    pack = load_pack()
    # Senses and states are English words, too: "open", "clean", "under".
    names = {p for p in (*pack.domain.predicates, *pack.public_predicates()) if "_" in p}
    names |= {"holding", "heats", "chills", "washes", "brews", "wipes", "vessel"}
    for path in sorted((ROOT / "language" / "embedded").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
        assert not constants & names, path.name


# Form


def test_the_reader_says_what_it_is() -> None:
    assert (
        EmbeddedReader(Lexical()).name
        == "embedded (lexical matching; install groundplan[embedded] for embeddings)"
    )
    if embedding.installed():
        assert EmbeddedReader().name == "embedded (MiniLM embeddings and rules)"
    assert "language model" not in EmbeddedReader().name


@needs_model
def test_the_same_instruction_gives_the_same_reading() -> None:
    one, other = EmbeddedReader(), EmbeddedReader()
    for instruction in (
        "Hand Jason the marker.",
        "Store the vodka in the refrigerator.",
        "Put the unicorn away.",
    ):
        first = one.search(instruction, View.collapsed(OFFICE))
        embedding.load()._kept.clear()
        second = other.search(instruction, View.collapsed(OFFICE))
        assert first == second
        assert str(one.write(instruction, first.scene)) == str(other.write(instruction, second.scene))


WORDS = (
    "put bring open close the a all every two it him Peter's Will's his desk orange fridge mug coffee table"
    " 4 in on into to from and then , . not if kitchen throw away rotten dirty clean heat something of is"
    " I'm at me"
).split()


@draws(100)
@given(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join) | st.text(max_size=60))
def test_whatever_is_said_a_goal_fits_the_scene(instruction: str) -> None:
    goal = read(instruction, OFFICE, EmbeddedReader(Lexical()))
    if isinstance(goal, Goal):
        report = check(goal, ground(OFFICE, load_pack()))
        assert report.ok, (instruction, str(goal), report.diagnostics)


@draws(60)
@given(st.lists(st.text(min_size=1, max_size=12), min_size=3, max_size=3, unique=True))
def test_hostile_names_stay_names(names: list[str]) -> None:
    room, desk, thing = names
    nodes = [
        Node(room, "room", classes=("room1",)),
        Node(desk, "asset", room, classes=("desk",), affordances=("release",)),
        Node("bed", "asset", room, classes=("bed",), affordances=("release",)),
        Node(thing, "object", "bed", "ontop_of", classes=("mug",), affordances=("pickup",)),
        Node("agent of the scene", "agent", room),
    ]
    if len({n.id for n in nodes}) < 5:
        return
    goal = read("Put the mug on the desk.", Scene("odd", {n.id: n for n in nodes}), EmbeddedReader(Lexical()))
    if isinstance(goal, Goal):
        known = {thing, desk, "bed"}
        assert all(set(a.args) <= known for a in walk(goal.formula) if isinstance(a, Atom))


@pytest.mark.parametrize(
    "instruction",
    [
        "put " * 3000,
        "the " * 5000,
        "a,b and " * 2000,
        "in on to " * 1000,
        "x" * 100_000,
        "Put the " + "red " * 900 + "mug in",
    ],
)
def test_long_input_is_answered_soon(instruction: str) -> None:
    instruction = instruction[:MAX_CHARACTERS]
    started = time.process_time()
    assert isinstance(read(instruction, OFFICE, EmbeddedReader(Lexical())), NotUnderstood)
    assert time.process_time() - started < 5
