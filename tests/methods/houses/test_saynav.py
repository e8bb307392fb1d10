"""SayNav: answers read within bounds, Algorithm 1, rooms for later, the model's memory, figures 9 to 11."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from plain_house import furniture, thing, two_rooms
from shipped_prompts import texts

from groundplan.acting import EqualLikelihood
from groundplan.language.chat.prompt_form import OwnPrompt, version
from groundplan.language.chat.servers.model import ChatRequest, ServiceError
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods.houses import ModelAdvisor, OracleDriver, SayNav, SearchRun, UsualPlaces, search_house
from groundplan.methods.houses.advice import (
    ADVICE_PROMPTS,
    BelievingAdvisor,
    Look,
    Navigate,
    RoomContents,
    RoomOpinion,
    read_opinion,
    read_room_plan,
    read_verdict,
)
from groundplan.methods.houses.house_method import HouseMethod
from groundplan.methods.method import Limits, Tools
from groundplan.planners.request import Request
from groundplan.simulator.navigation import FloorPlan, HouseSearch, HouseWorld, Passage, RoomArea, Stance
from groundplan.simulator.navigation.floor_plan import Point


def asked(request: ChatRequest) -> str:
    """Which prompt a request has."""
    system = request.messages[0].content
    return next(name for name, text in texts(ADVICE_PROMPTS.values()).items() if system == text)


def model(answers: dict[str, Callable[[str], str] | str]) -> ScriptedModel:
    """A model that answers each prompt by its data."""

    def answer(request: ChatRequest) -> str:
        given = answers[asked(request)]
        return given if isinstance(given, str) else given(request.messages[-1].content)

    return ScriptedModel.always(answer)


def searched(explorer: SayNav, plan: FloorPlan, start: Stance, *targets: str) -> SearchRun:
    world = HouseWorld(plan, start)
    return search_house(world, explorer, OracleDriver(world.grid), targets, 2.0)


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("- navigate; (3.4, 2.6); Go to table", Navigate((3.4, 2.6))),
        ("-navigate;(-1,2)", Navigate((-1, 2))),
        (
            "- look; (laptop); Look for laptop near the table",
            Look(("laptop",)),
        ),
        ("- look; (Cell Phone, CellPhone, laptop); here", Look(("laptop", "cell_phone"))),
        ("- look; (unicorn); here", None),
        ("- navigate; (nan, 2); here", None),
        ("- navigate; (99999999999, 2); here", None),
        ("1. navigate; (1, 2); here", None),
        ("Sure! Here is a plan:", None),
    ],
)
def test_lines_of_a_plan_are_read_or_refused(line: str, read: Navigate | Look | None) -> None:
    plan = read_room_plan(f"\n{line}\n", ("laptop", "cell_phone"))
    assert plan.lines == (() if read is None else (read,))
    assert len(plan.refused) == (read is None)


def test_plans_without_end_are_cut_and_opinions_are_bounded() -> None:
    plan = read_room_plan("- navigate; (1, 2); x\n" * 500 + "no\n" * 500, ("laptop",))
    assert len(plan.lines) == 60 and len(plan.refused) == 60
    assert read_opinion("room: " + "a" * 5000, ("mug",)).kind == "a" * 40
    assert read_opinion("ROOM: Living_Room!\nLikely: Alarm clock, unicorn.", ("mug", "alarm_clock")) == (
        RoomOpinion("living room", ("alarm_clock",))
    )
    assert read_opinion("I would say a kitchen", ("mug",)) == RoomOpinion("unknown", ())
    assert read_opinion("room: kitchen\nlikely: none", ("mug",)) == RoomOpinion("kitchen", ())
    answers = ("- Skip this room; x", "- Come back later", "hm", "- Search this room")
    assert [read_verdict(text) for text in answers] == ["skip", "later", "search", "search"]


ROOMS = {
    "room-1": "room: bedroom\nlikely: pillow",
    "plan-1": "- navigate; (7, 2); bed\n- look; (pillow); there",
}
HALL = Stance((4, 4), 2)
AWAY = Stance((12, 6), 2)
"""A place of the hall from which the book is not in reach."""


def test_a_room_is_searched_as_the_model_says_and_others_are_reached_by_doors() -> None:
    def room(data: str) -> str:
        return ROOMS["room-1"] if "bed" in data else "room: hall\nlikely: none"

    answers = model({"room-1": room, "plan-1": ROOMS["plan-1"]})
    run = searched(SayNav(ModelAdvisor(answers)), two_rooms(), HALL, "pillow")
    assert run.success and [asked(r) for r in answers.history].count("plan-1") <= 1
    assert any("walk to" in line for line in run.intents)
    # The model sees the room, the goal and the base location, and no room that was not seen.
    first = answers.history[0].messages[1].content
    assert "table" in first and "shelf" in first and "chest" not in first


def test_coordinates_of_nothing_are_refused_with_the_look_after_them() -> None:
    nowhere = "- navigate; (3.3, 3.3); nowhere\n- look; (vase); there\n"
    text = f"{nowhere}- navigate; (1.2, 2.8); table\n- look; (vase); there"
    explorer = SayNav(ModelAdvisor(model({"room-1": "room: hall\nlikely: vase", "plan-1": text})))
    run = searched(explorer, two_rooms(closed=True), HALL, "vase")
    assert explorer.refused == ["nothing was seen at (3.3, 3.3)"]
    assert (run.outcome, run.driven.looks) == ("gave-up", 2)
    assert [line.split(": ")[1] for line in run.intents[1:3]] == ["go to table", "look for vase"]


def never_likely(data: str) -> str:
    return "room: bedroom\nlikely: none" if "bed" in data else "room: hall\nlikely: none"


def test_rooms_that_are_not_worth_it_are_come_back_to_and_in_the_pseudo_code_not() -> None:
    plans = {"room-1": never_likely, "plan-1": "- navigate; (1, 3); table\n- look; (book); there"}
    back = SayNav(ModelAdvisor(model(plans)))
    run = searched(back, two_rooms(), AWAY, "book")
    assert run.success and any("come back to" in line for line in run.intents)
    failed = searched(SayNav(ModelAdvisor(model(plans)), revisit=False), two_rooms(), AWAY, "book")
    assert (failed.outcome, failed.finds) == ("gave-up", ())
    assert failed.metres < run.metres


def test_the_models_memory_of_rooms_is_a_conversation() -> None:
    verdicts = iter(["- Come back later; Reason: x", "- Come back later; Reason: x", "- Search this room"])

    def track(data: str) -> str:
        return next(verdicts, "- Skip this room; Reason: it has been searched already")

    answers = model({
        "room-1": never_likely,
        "tracking-1": track,
        "plan-1": "- navigate; (7, 2); bed\n- look; (book); there",
    })  # fmt: skip
    explorer = SayNav(ModelAdvisor(answers), memory=True)
    run = searched(explorer, two_rooms(), AWAY, "book")
    tracking = [r for r in answers.history if asked(r) == "tracking-1"]
    assert [len(r.messages) for r in tracking] == [2, 4, 6, 8]
    assert next(m.content for m in tracking[-1].messages if m.role == "assistant").startswith("- Come back")
    assert 'room: "hall 1"' in tracking[0].messages[1].content
    assert 'room: "bedroom 1"' in tracking[1].messages[3].content
    # The bedroom was searched, the hall never: the memory is only as good as the model.
    assert run.outcome == "gave-up"


def test_a_model_that_never_lets_go_of_a_room_does_not_keep_the_robot() -> None:
    answers = {"room-1": never_likely, "tracking-1": "- Come back later; Reason: no", "plan-1": ""}
    run = searched(SayNav(ModelAdvisor(model(answers)), memory=True), two_rooms(), HALL, "ring")
    assert run.outcome == "gave-up" and run.driven.moves < 400


def test_the_method_needs_a_model_and_says_what_a_service_said() -> None:
    from groundplan.domains.pack import load_pack
    from groundplan.simulator.belief import ground
    from groundplan.simulator.scene import Node, Scene

    scene = Scene("none", {n.id: n for n in (Node("r", "room"), Node("agent", "agent", at="r"))})
    house = HouseSearch(two_rooms(), HALL, ("pillow",))
    request = Request(ground(scene, load_pack()), "Find a pillow.", search_only=True, house=house)
    method = HouseMethod("saynav")
    assert method.run(request, Tools(), Limits()).outcome == "unsupported"
    broken = Tools(model=ScriptedModel.of(ServiceError("refused", "nobody answers")))
    record = method.run(request, broken, Limits())
    assert record.outcome == "service-failed" and "nobody answers" in record.reasons[0]
    text = "Which room is it? {seen} For: {looked_for}"
    asking = ScriptedModel.always(lambda request: "room: hall\nlikely: pillow\n- look; (pillow)")
    tools = Tools(model=asking, own_prompts=(OwnPrompt("saynav-room", version(text), text),))
    record = method.run(request, tools, Limits())
    assert asking.history[0].messages[0].content.endswith('For: ["pillow"]')
    assert record.usage["calls"] == len(asking.history) > 0
    assert record.usage["prompts"]["saynav-room"] == version(text)  # type: ignore[index]


def house_of_figures() -> FloorPlan:
    """A house with the furniture of figures 9 to 11, at the coordinates that are printed there."""
    rooms = (
        RoomArea("a", ((3.2, 0), (3.2, 2.9), (7, 2.9), (7, 0)), "kitchen"),
        RoomArea("b", ((3.2, 2.9), (3.2, 7), (7, 7), (7, 2.9)), "living_room"),
        RoomArea("c", ((0, 0), (0, 8.2), (3.2, 8.2), (3.2, 0)), "bedroom"),
        RoomArea("d", ((-3, 0), (-3, 8.2), (0, 8.2), (0, 0)), "bedroom"),
    )
    doors = (
        Passage("a-b", ("a", "b"), ((3.6, 2.9), (4.6, 2.9))),
        Passage("b-c", ("b", "c"), ((3.2, 3.2), (3.2, 4.2))),
        Passage("c-d", ("c", "d"), ((0, 5.4), (0, 6.6))),
    )
    size: Point = (0.3, 0.3)
    living = {"tv_stand": (4.59, 6.33), "dining_table": (5.36, 3.72), "dresser": (3.61, 6.36)}
    bedroom = {"bed": (0.67, 1.21), "dresser": (0.22, 4.34), "safe": (1.62, 7.87), "dog_bed": (0.61, 7.56)}
    chairs = {"chair1": (2.37, 5.97), "chair2": (2.37, 3.88), "chair3": (2.97, 4.41), "chair4": (2.97, 5.4)}
    bodies = [furniture("stove", "stove", "a", (6.5, 0.5), size)]
    bodies += [furniture(f"b-{n}", n, "b", at, size) for n, at in living.items()]
    bodies += [furniture(f"c-{n}", n, "c", at, size) for n, at in bedroom.items()]
    bodies += [furniture(f"c-{n}", "chair", "c", at, (0.1, 0.1)) for n, at in chairs.items()]
    bodies += [furniture("d-shelf", "shelf", "d", (-2.5, 7.8), size)]
    bodies += [
        thing("laptop", "laptop", "b", (5.36, 3.72), "b-dining_table"),
        thing("phone", "cell_phone", "b", (4.59, 6.33), "b-tv_stand"),
        thing("clock", "alarm_clock", "d", (-1.2, 6.0), None),
    ]
    return FloorPlan("figures", rooms, doors, tuple(bodies))


LIVING = """- navigate; (4.59, 6.33); Go to TVStand
- look; (AlarmClock, CellPhone); Look for AlarmClock and CellPhone near the TVStand
- navigate; (5.36, 3.72); Go to DiningTable
- look; (AlarmClock, CellPhone); Look for AlarmClock and CellPhone near the DiningTable
- navigate; (3.61, 6.36); Go to Dresser
- look; (AlarmClock, CellPhone); Look for AlarmClock and CellPhone near the Dresser"""
BEDROOM = "\n".join(
    f"- navigate; {at}; Go to {name}\n- look; (AlarmClock); Look for AlarmClock near {name}"
    for name, at in (("the Bed", "(0.67, 1.21)"), ("the Dresser", "(0.22, 4.34)"), ("Chair1", "(2.37, 5.97)"),
                     ("Chair2", "(2.37, 3.88)"), ("Chair3", "(2.97, 4.41)"), ("Chair4", "(2.97, 5.4)"),
                     ("the Safe", "(1.62, 7.87)"), ("the DogBed", "(0.61, 7.56)"))
)  # fmt: skip


def test_the_worked_example_of_figures_9_to_11() -> None:
    """Kitchen for later, laptop on entering the living room, phone at the TV stand, clock two rooms on."""

    def room(data: str) -> str:
        if "stove" in data:
            return "room: Kitchen\nlikely: none"
        return "room: LivingRoom\nlikely: AlarmClock, Laptop, CellPhone" if "tv stand" in data else (
            "room: Bedroom\nlikely: AlarmClock, CellPhone")  # fmt: skip

    def plan(data: str) -> str:
        return LIVING if "tv stand" in data else BEDROOM

    answers = model({"room-1": room, "plan-1": plan})
    explorer = SayNav(ModelAdvisor(answers))
    run = searched(explorer, house_of_figures(), Stance((24, 4), 0), "alarm_clock", "laptop", "cell_phone")
    assert run.success and [f.target for f in run.finds] == ["laptop", "cell_phone", "alarm_clock"]
    assert explorer.refused == [] and explorer.later == {"a": None}
    assert list(explorer.numbered.values())[:3] == ["kitchen 1", "livingroom 1", "bedroom 1"]
    goals = [line.split(": ", 1)[1] for line in run.intents if line.startswith("drive") and "go to" in line]
    places = "tv stand, dining table, dresser, bed, chair1, chair2, chair3, chair4, safe, dog bed"
    assert list(dict.fromkeys(goals)) == [f"go to {place}" for place in places.split(", ")]
    order = [line for line in run.intents if line.startswith("look around")]
    assert sum("look for alarm clock, cell phone" in line for line in order) == 3
    assert sum(line == "look around: look for alarm clock" for line in order) == 8
    assert sum("walk to" in line for line in run.intents) >= 3
    assert [asked(r) for r in answers.history] == ["room-1", "room-1", "plan-1", "room-1", "plan-1"]


def test_beliefs_answer_the_questions_of_the_algorithm() -> None:
    class Beliefs(UsualPlaces):
        def unseen(self, target: str) -> float:
            return 1.0

        def weight(self, target: str, furniture: str, rooms: Mapping[str, float]) -> float:
            return {"table": 3.0, "furniture": 0.5 if target == "book" else 2.0}.get(furniture, 1.0)

    advisor = BelievingAdvisor(Beliefs(EqualLikelihood()))
    contents = RoomContents({"shelf": (3, 0.5), "table": (1, 3)}, {"mug": (1, 3)})
    assert advisor.opinion(contents, ("mug", "book")).likely == ("mug",)
    plan = advisor.plan(contents, ("mug",), "kitchen")
    assert plan.lines == (Navigate((1, 3)), Look(("mug",)), Navigate((3, 0.5)), Look(("mug",)))
    equal = BelievingAdvisor(UsualPlaces(EqualLikelihood()))
    run = searched(SayNav(equal, "saynav-beliefs"), two_rooms(), HALL, "pillow")
    assert run.success and run.explorer == "saynav-beliefs"
