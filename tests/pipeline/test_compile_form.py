"""Compiled from the shown subgraph: no plan uses what no search showed, and what is missing is looked for."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest
from drawn_tasks import generated_tasks
from golds import TASKS

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal, run, verify_plan
from groundplan.compiler.shown_part import beyond_search, known_nodes, shown_part
from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.domains.formula import names
from groundplan.evaluation.gold_reader import GoldReader, open_rooms
from groundplan.evaluation.judging import JudgedTask
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.opening import Indexes
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.english.lexical import Lexical
from groundplan.language.reader import PLAIN, History, NotUnderstood, SearchResult, Written
from groundplan.pipeline.hybrid import MAX_LOOKS
from groundplan.pipeline.record import Record
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.view import View

PACK, ENGINE = load_pack(), Engine.named("pyperplan")
OFFICE = ground(load_scene("office"), PACK)
WIPE, CLEAN = "Wipe the dusty admin shelf.", "(clean shelf)"
FORMS = ("subgraph", "scene")


def move(command: str, node: str = "") -> str:
    return json.dumps({"move": {"chain_of_thought": "", "command": command, "node": node}})


def told(form: str, *answers: str, belief: Belief = OFFICE) -> tuple[Record, ScriptedModel]:
    """Run with a model that searches move by move and writes goals."""
    model = ScriptedModel.of(*answers)
    reader = ModelReader(model, belief.pack, search_protocol="dialogue")
    return run(Request(belief, WIPE, compile_form=form), ENGINE, reader), model  # type: ignore[arg-type]


def used(record: Record) -> set[str]:
    actions = record.planning.plan or ()
    return {name for step in (*record.plan, *actions) for name in step.args}


@dataclass
class Shower:
    """Reader of one goal that opens the rooms it is told to open, a list for each search."""

    goal: str
    rooms: list[list[str]]
    reasons: list[str] = field(default_factory=list)
    name = "shower"
    meter = None
    traits = PLAIN

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        self.reasons.append(reason)
        view = open_rooms(view, self.rooms.pop(0) if self.rooms else []).view
        return SearchResult("found", tuple(node.id for node in view.visible), view)

    def write(self, instruction: str, subgraph: object) -> Written:
        return parse_goal(self.goal)

    def repair(self, history: History, feedback: object) -> Written:
        return NotUnderstood("there is no other goal")


# The part of a scene


def test_a_part_has_what_was_shown_the_structure_and_the_facts_about_them() -> None:
    view = View.first(OFFICE.scene).expand("admin")
    part = shown_part(OFFICE, view.ever_shown)
    scene = OFFICE.scene
    assert part.whole is OFFICE and part.scene.links == scene.links
    for kind in ("room", "pose", "floor", "agent"):
        assert part.scene.by_type.get(kind, ()) == scene.by_type.get(kind, ())
    assert {n.id for n in view.visible} <= set(part.scene.nodes)
    assert "shelf" in part.scene.nodes and "fridge" not in part.scene.nodes
    assert all(OFFICE.facts.holds(a.predicate, tuple(map(str, a.args))) for a in part.facts)
    kept = [a for a in OFFICE.facts if set(map(str, a.args)) <= set(part.scene.nodes)]
    assert len(kept) == len(list(part.facts)) < len(list(OFFICE.facts))
    assert part.routes.distance(part.start, "kitchen") == OFFICE.routes.distance(OFFICE.start, "kitchen")
    assert beyond_search(["shelf", "fridge", "pose8", "orange1"], scene, view.ever_shown) == (
        "fridge",
        "orange1",
    )


def house(*nodes: Node, held: bool = False) -> Belief:
    """Two rooms with a door between them, a table in the far one and the robot in the near one."""
    hand = [Node("mug", "object", "robot", "inside_hand", ("mug",), ("pickup",))] if held else []
    fixed = [
        Node("hall", "room"), Node("kitchen", "room"),
        Node("door", "asset", "hall", "in", ("door",), ("open", "close"), ("closed",)),
        Node("table", "asset", "kitchen", "in", ("table",), ("release",)),
        Node("robot", "agent", at="hall"), *hand, *nodes,
    ]  # fmt: skip
    scene = Scene("house", {n.id: n for n in fixed}, (Link("hall", "kitchen", 2.0, "door"),))
    return ground(scene, PACK)


def test_the_robot_what_it_holds_and_doors_on_ways_are_structure() -> None:
    belief = house(held=True)
    assert known_nodes(belief.scene, ()) == set(belief.scene.nodes) - {"table"}
    record = run(
        Request(belief, "Put the mug on the table.", compile_form="subgraph"),
        ENGINE,
        Shower("(ontop_of mug table)", [["kitchen"]]),
    )
    assert record.outcome == "verified" and record.beyond_search == ()
    # The door on the way was not shown by any search: it is opened, and closed again.
    assert {"open(door)", "close(door)"} <= set(map(str, record.plan)) and "door" not in record.shown


# With a scripted model


def test_a_plan_of_the_whole_scene_names_what_no_search_showed() -> None:
    record, _ = told("scene", move("expand", "admin"), move("terminate"), CLEAN)
    assert (record.outcome, record.compile_form) == ("verified", "scene")
    assert set(record.beyond_search or ()) == {"cupboard1", "paper_towel"}
    assert used(record) - known_nodes(OFFICE.scene, record.shown) == set(record.beyond_search or ())


def test_the_search_is_taken_up_again_for_the_kind_of_thing_that_is_missing() -> None:
    record, model = told(
        "subgraph",
        *(move("expand", "admin"), move("terminate"), CLEAN),
        *(move("expand", "cafeteria"), move("expand", "supplies_station"), move("terminate")),
    )
    assert (record.outcome, record.compile_form, record.beyond_search) == ("verified", "subgraph", ())
    assert used(record) <= known_nodes(OFFICE.scene, record.shown)
    assert [(turn.fault, turn.reopened, str(turn.goal)) for turn in record.goals] == [
        ("not-shown", True, CLEAN),
        ("", False, CLEAN),
    ]
    assert "something that can wipe: paper towel" in record.goals[0].feedback[0]
    assert "cupboard1" not in record.goals[0].feedback[0] and "cafeteria" not in record.goals[0].feedback[0]
    # The goal stands: it was asked for once, and the searcher was told what is missing.
    assert [r.purpose for r in model.history if r.purpose != "search"] == ["goal"]
    assert "something that can wipe: paper towel" in model.history[3].messages[-1].content
    goal = record.goal
    assert verify_plan(record.plan, OFFICE, goal.formula).verified  # type: ignore[union-attr]


def test_what_is_not_found_ends_without_a_plan_and_never_as_unsolvable() -> None:
    record, _ = told("subgraph", move("expand", "admin"), move("terminate"), CLEAN, move("terminate"), CLEAN)
    assert (record.outcome, record.planning.proof, record.plan, record.beyond_search) == (
        "not-found",
        None,
        (),
        (),
    )
    assert any("needed, and not shown: something that can wipe" in reason for reason in record.reasons)


def test_a_proof_over_the_whole_scene_is_one_for_the_part() -> None:
    impossible = "(and (clean shelf) (turned_on microwave) (open microwave))"
    answers = (move("expand", "admin"), move("expand", "kitchen"), move("terminate"), impossible, impossible)
    for form in FORMS:
        record, _ = told(form, *answers)
        assert record.outcome == "unsolvable" and record.planning.certificate is not None
    # Of a goal that lacks a tool alone nothing is proved, however small the part is.
    part = shown_part(OFFICE, View.first(OFFICE.scene).expand("admin").ever_shown)
    record, _ = told("subgraph", move("expand", "admin"), move("terminate"), CLEAN, move("terminate"), CLEAN)
    assert not plan_goal(parse_goal(CLEAN), part, ENGINE).verified and record.outcome != "unsolvable"


# With readers that open what they are told to


def test_looking_for_kinds_ends() -> None:
    """A search that goes on to show things, and never those that are needed, is not taken up for ever."""
    rooms = [r for r in OFFICE.scene.by_type["room"] if r not in ("admin", "cafeteria", "supplies_station")]
    reader = Shower(CLEAN, [["admin"], *([room] for room in rooms if OFFICE.scene.children.get(room))])
    record = run(Request(OFFICE, WIPE, compile_form="subgraph"), ENGINE, reader)
    lacked = [reason for reason in reader.reasons if reason]
    assert record.outcome == "not-found" and 0 < len(lacked) <= MAX_LOOKS


def test_what_a_quantifier_ranges_over_beyond_the_part_counts() -> None:
    """A plan for all that was shown is no plan for all that there is, and the world is the whole one."""
    mugs = [
        Node(f"mug{n}", "object", room, "ontop_of", ("mug",), ("pickup",))
        for n, room in enumerate(("hall", "kitchen"))
    ]
    shelf = Node("shelf", "asset", "hall", "in", ("shelf",), ("release",))
    belief = house(*mugs, shelf)
    goal = "(forall (?m - mug) (ontop_of ?m shelf))"
    once = Shower(goal, [["hall"]])
    record = run(Request(belief, "All mugs on the shelf.", compile_form="subgraph"), ENGINE, once)
    assert record.outcome == "not-found" and once.reasons == ["", "mug"]
    twice = Shower(goal, [["hall"], ["kitchen"]])
    record = run(Request(belief, "All mugs on the shelf.", compile_form="subgraph"), ENGINE, twice)
    assert record.outcome == "verified" and record.beyond_search == () and {"mug0", "mug1"} <= used(record)


def test_no_bound_is_claimed_over_a_part() -> None:
    """The cheapest plan with what was shown need not be the cheapest there is."""
    engine, bounds = Engine.named("fast-downward-opt"), []
    for form in FORMS:
        request = Request(OFFICE, "Open the fridge.", tidy=False, compile_form=form)  # type: ignore[arg-type]
        record = run(request, engine, Shower("(open fridge)", [["kitchen"]]))
        assert record.outcome == "verified"
        bounds.append(record.planning.bound is None)
        assert any("what the search showed alone" in reason for reason in record.reasons) == bounds[-1]
    assert bounds == [True, False]


# Over tasks


EACH = [pytest.param(t, marks=pytest.mark.slow if n % 3 else (), id=t.id) for n, t in enumerate(TASKS)]


@pytest.mark.parametrize("task", EACH)
def test_nothing_is_lost_of_the_office_tasks(task) -> None:  # type: ignore[no-untyped-def]
    """What the whole scene verifies the shown part verifies, with nothing that was not shown."""
    belief = ground(task.load(), PACK)
    readers = (EmbeddedReader(Lexical(), PACK), GoldReader(JudgedTask.of(task, PACK)))
    for reader in readers:
        records = {
            form: run(Request(belief, task.instruction, compile_form=form), ENGINE, reader)  # type: ignore[arg-type]
            for form in FORMS
        }
        part, whole = records["subgraph"], records["scene"]
        assert part.outcome == whole.outcome, part.reasons
        assert not part.beyond_search and used(part) <= known_nodes(belief.scene, part.shown)


class Finder(Shower):
    """A shower that looks what is missing up in the index of names, as the protocol ``naming`` does."""

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        if not reason:
            view = open_rooms(view, self.rooms[0]).view
        else:
            opening = Indexes(None, by_likeness=False).opening(view, reason, lambda event: None)
            opening.look_up(reason)
            view = opening.result().view
        return SearchResult("found", tuple(node.id for node in view.visible), view)


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 12))])
def test_in_drawn_buildings_nothing_is_lost_that_can_be_found(seed: int) -> None:
    """Of each task the rooms of what its goal names are opened; keys, tools and places are elsewhere."""
    locks = 2 * (seed % 3 == 1)
    pack = load_pack("household-locks") if locks else PACK
    belief = ground(furnished_building(Sizes(1 + seed % 2, 6, 24, 36, locks), seed), pack)
    for task in generated_tasks(belief, 8, seed):
        if not task.gold.goal:
            continue
        named = (n for n in names(parse_goal(task.gold.goal).formula) if n in belief.scene.nodes)
        rooms = [room for n in named if (room := belief.scene.room_of(n)) is not None]
        readers = {"finds": Finder(task.gold.goal, [rooms]), "shows": Shower(task.gold.goal, [rooms])}
        whole = run(Request(belief, "Do it."), ENGINE, readers["finds"])
        for reader in readers.values():
            part = run(Request(belief, "Do it.", compile_form="subgraph"), ENGINE, reader)
            lost = part.outcome == "not-found" and any("not shown" in reason for reason in part.reasons)
            assert part.outcome == whole.outcome or (lost and reader is readers["shows"]), part.reasons
            assert used(part) <= known_nodes(belief.scene, part.shown) and not part.beyond_search


def test_without_a_search_nothing_is_beyond_it() -> None:
    record = run(Request(OFFICE, goal=parse_goal(CLEAN), compile_form="subgraph"), ENGINE)
    assert (record.outcome, record.compile_form, record.beyond_search) == ("verified", "scene", None)


def test_a_form_is_one_of_two_and_a_true_world_has_the_whole_scene() -> None:
    with pytest.raises(ValueError, match="compile_form: expected one of subgraph, scene, got graph"):
        Request(OFFICE, WIPE, compile_form="graph")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="in a true world"):
        Request(OFFICE, WIPE, world=OFFICE, compile_form="subgraph")
