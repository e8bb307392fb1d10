"""Requests that the embedded reader must not read as less than they say: each was read wrongly once.

The flat is a small one, without a living room; the robot stands in its hall, and "me" is there unless a place
is given.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundplan.datasets.library import find_task
from groundplan.datasets.scenes import load_scene, open_scene
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.embedded.clauses import read_clauses
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.english.lexical import Lexical
from groundplan.language.reader import NotUnderstood
from groundplan.pipeline.hybrid import Request, run
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Scene
from groundplan.simulator.scene_json import read_scene
from groundplan.simulator.view import View

OPENS = ["open", "close", "release"]
SWITCHED = ["turn_on", "turn_off"]


def room(name: str, *more: str) -> dict[str, object]:
    return {"id": name, "type": "room", "position": [len(name), 0, 0], "affordances": list(more)}


def asset(name: str, parent: str, kind: str, does: list[str], *state: str) -> dict[str, object]:
    return {
        "id": name,
        "type": "asset",
        "parent": parent,
        "classes": [kind],
        "affordances": does,
        "state": [*state],
    }


def thing(name: str, parent: str, relation: str = "ontop_of") -> dict[str, object]:
    does = ["pickup", "fill"] if name == "mug" else ["pickup"]
    more = {"relation": relation, "classes": [name.rstrip("1")], "affordances": does}
    return {"id": name, "type": "object", "parent": parent, **more}


NODES = [
    room("hall"), room("kitchen", "release"), room("bedroom"), room("bathroom"),
    *(asset(f"light_{r}", r, "light", SWITCHED, "off") for r in ("hall", "kitchen", "bedroom", "bathroom")),
    asset("table", "kitchen", "table", ["release"]), asset("bed", "bedroom", "bed", ["release"]),
    asset("fridge", "kitchen", "fridge", OPENS, "closed"),
    asset("brewer", "kitchen", "coffee_machine", [*SWITCHED, "release"], "off"),
    thing("apple1", "table"), thing("plate", "table"), thing("mug", "table"),
    thing("cream", "fridge", "inside_of"),
    {"id": "robot", "type": "agent", "parent": "hall", "at": "hall"},
]  # fmt: skip


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    links = [{"a": "hall", "b": r} for r in ("kitchen", "bedroom", "bathroom")]
    raw = {"format": "groundplan-scene", "version": 1, "name": "flat", "description": "", "nodes": NODES}
    path: Path = tmp_path_factory.mktemp("flat") / "flat.json"
    path.write_text(json.dumps({**raw, "links": links}), encoding="utf-8")
    return read_scene(path)


def answer(instruction: str, scene: Scene, place: str | None = None) -> str:
    """The goal, or why there is none."""
    reader = EmbeddedReader(Lexical(), place=place)
    search = reader.search(instruction, View.collapsed(scene))
    if search.outcome != "found":
        return f"declined: {search.reason}"
    written = reader.write(instruction, search.scene)
    return f"declined: {written.reason}" if isinstance(written, NotUnderstood) else str(written)


READ = [
    ("Put the apple on the kitchen floor.", "(ontop_of apple1 kitchen)"),
    ("Put the apple on the floor.", "(ontop_of apple1 kitchen)"),
    ("Put the apple on the floor of the kitchen.", "(ontop_of apple1 kitchen)"),
    ("Take the apple out of the kitchen.", "(and (holding apple1) (not (in_room apple1 kitchen)))"),
    ("Remove the cream from the fridge.", "(holding cream)"),
    ("Go to the kitchen and come back to me.", "(and (sometime (robot_at kitchen)) (robot_at hall))"),
    ("Bring me my plate.", "(and (holding plate) (robot_at hall))"),
    ("Bring the plate.", "(and (holding plate) (robot_at hall))"),
    ("Bring me the plate.", "(and (holding plate) (robot_at hall))"),
    ("Bring the plate here.", "(and (holding plate) (robot_at hall))"),
    ("Bring the plate to the bedroom.", "(ontop_of plate bed)"),
    ("Fetch the plate and go to the bedroom.", "(and (holding plate) (robot_at bedroom))"),
    ("Get the plate.", "(holding plate)"),
    ("Go to the kitchen and turn on the lights.", "(turned_on light_kitchen)"),
    ("Open the fridge and put the apple in it.", "(and (open fridge) (inside_of apple1 fridge))"),
    ("Put the apple in the fridge.", "(and (inside_of apple1 fridge) (closed fridge))"),
    ("Make sure the fridge is closed.", "(closed fridge)"),
]  # fmt: skip


@pytest.mark.parametrize(("instruction", "goal"), READ)
def test_a_request_is_read_whole(flat: Scene, instruction: str, goal: str | None) -> None:
    expected = goal or "declined: this is so already: (robot_at hall); say what has to change"
    assert answer(instruction, flat) == expected


DECLINED = [
    ("Put the apple on the bedroom floor.", "nothing can be put on the floor of bedroom"),
    ("Put the apple on the floor of the flat.", "flat"),
    ("Go to the living room and turn on the lights.", "living"),
    ("Turn on the lights in the living room.", "living"),
    ("Take the apple out of the garage.", "garage"),
    ("Get the shaving cream.", "'shaving' is left over"),
    ("Get the blue plate.", "'blue' is left over"),
    ("Get the plate with the flowers.", "nothing known is called 'the flowers'"),
    ("Close the fridge.", "this is so already: (closed fridge)"),
    ("Put the apple in the kitchen.", "already"),
    ("Bring me the apple and the plate.", "nothing is known in hall to put something on"),
    ("Put the plate here.", "nothing is known in hall to put something on"),
    ("Get the plate. Hot, please.", "Hot"),
    ("Put the plate under the bed.", "not read as a request"),
    ("Put the plate in front of the fridge.", "not read as a request"),
    ("Put the plate by the fridge.", "not read as a request"),
    ("Put the plate next to the bed.", "not read as a request"),
    ("Take the plate outside.", "not read as a request"),
    ("Bring the plate inside.", "not read as a request"),
    ("Bring the plate upstairs.", "'the plate upstairs'"),
    ("Put the plate on the table closest to the bed.", "'closest' is left over"),
    ("Put the apple in the fridge and lock it.", "lock it"),
    ("Take the plate to the bedroom and back.", "and back"),
    ("Turn on my light.", "several things could be 'my light'"),
    ("Bring me a coffee and some Marmite.", "'Marmite'"),
    ("Go to the kitchen, then to the bedroom, then come back.", "then to the bedroom"),
]  # fmt: skip


@pytest.mark.parametrize(("instruction", "reason"), DECLINED)
def test_what_is_not_read_whole_is_declined_with_what_is_left(
    flat: Scene, instruction: str, reason: str
) -> None:
    text = answer(instruction, flat)
    assert text.startswith("declined: ") and reason in text, text


def test_me_and_here_are_where_the_instruction_is_given(flat: Scene) -> None:
    assert answer("Bring me the plate.", flat, "bedroom") == "(and (holding plate) (robot_at bedroom))"
    assert answer("Put the plate here.", flat, "bedroom") == "(ontop_of plate bed)"
    assert (
        answer("Bring me the apple and the plate.", flat, "bed")
        == "(and (ontop_of apple1 bed) (ontop_of plate bed))"
    )
    assert answer("Go to the kitchen and come back to me.", flat, "bathroom").endswith("(robot_at bathroom))")
    with pytest.raises(InputError, match="did you mean 'bedroom'"):
        answer("Bring me the plate.", flat, "bedrom")


def test_a_coffee_for_me_ends_with_me(flat: Scene) -> None:
    reader = EmbeddedReader(Lexical())
    record = run(Request(ground(flat, load_pack()), "Bring me a coffee."), Engine.named("pyperplan"), reader)
    assert record.verified
    assert str(record.goal) == "(and (filled mug) (turned_off brewer) (holding mug) (robot_at hall))"


def test_what_is_taken_out_of_a_room_ends_outside(flat: Scene) -> None:
    reader = EmbeddedReader(Lexical())
    instruction = "Take the apple out of the kitchen."
    record = run(Request(ground(flat, load_pack()), instruction), Engine.named("pyperplan"), reader)
    assert record.verified and str(record.plan[-1]).startswith("goto(")


HAVING = [
    ("home", "Open the fridge with the butter in it.", "(open fridge1)"),
    ("home", "Go to the couch with the record player.", "(robot_at couch1)"),
    ("home", "Drive to the room with the wardrobe.", "(robot_at closet1)"),
    ("home", "Put the vase with the flowers on the nightstand.", "(ontop_of vase0 nightstand0)"),
    ("home", "Put the vase with the tulips on the nightstand.", None),
    ("home", "Go to the couch with the guitar.", None),
    ("building", "Put a book on the table in meeting room 2.", "(exists (?x - book) (ontop_of ?x table2))"),
    ("procthor_house", "Pick up the remote control in the living room.", "(holding small|9|61)"),
]


@pytest.mark.parametrize(("name", "instruction", "goal"), HAVING)
def test_what_a_thing_has_and_where_it_is_describe_it(name: str, instruction: str, goal: str | None) -> None:
    """Of what has what: by contents or by an attribute; and a room says where, before it is where to."""
    file = Path(__file__).parent / "scenes" / f"{name}.json"
    scene = open_scene(str(file)) if file.exists() else load_scene(name)
    text = answer(instruction, scene)
    assert text == goal if goal is not None else text.startswith("declined: "), text


SPOKEN_OF = [
    ("office", "The three people in meeting room 1 are thirsty. Bring them three bottles of water.", None),
    ("office", "The kitchen is dirty. We need the paper towel there.",
     "(ontop_of paper_towel kitchen_bench)"),
    ("office", "The people in the attic are thirsty. Bring them three bottles of water.", None),
    ("office", "I want to surprise Niko with Dimity's buzzer. Leave it on his desk.",
     "(ontop_of buzzer desk1)"),
    ("office", "Peter could do with something healthy to eat. Take it to his desk.",
     "(ontop_of apple3 desk2)"),
    ("office", "The milk carton is in the wrong place, it's supposed to be on the kitchen bench.",
     "(ontop_of milk_carton kitchen_bench)"),
    ("office", "I'd like hot noodles on Peter's desk.",
     "(and (ontop_of noodles desk2) (hot noodles) (turned_off microwave))"),
    ("office", "I'd like the hot noodles on Peter's desk.", None),
    ("office", "Bring Peter a warm chicken kebab.",
     "(and (ontop_of chicken_kebab desk2) (hot chicken_kebab) (turned_off microwave))"),
    ("office", "Bring Peter a cold chair.", None),
    ("office-planning-simple-11", "A parcel has arrived. Take it to the lab it is addressed to.",
     "(ontop_of parcel table4)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "instruction", "goal"), SPOKEN_OF)
def test_what_was_spoken_of_is_what_pronouns_and_wishes_mean(
    name: str, instruction: str, goal: str | None
) -> None:
    scene = load_scene(name) if name == "office" else find_task(name).load()
    text = answer(instruction, scene)
    assert text == goal if goal is not None else text.startswith("declined: "), text


@pytest.mark.parametrize(
    ("instruction", "things"),
    [
        ("Wash everything on the table that is dirty.", "all dirty things on the table"),
        ("Wash all the plates that are dirty.", "all the dirty plates"),
        ("Open the boxes in the cupboard that is empty.", "the boxes in the empty cupboard"),
        ("Open the box in the cupboard that is empty.", "the box in the empty cupboard"),
    ],
)
def test_a_relative_clause_describes_the_last_noun_of_its_number(instruction: str, things: str) -> None:
    assert things in {str(p) for f in read_clauses(instruction)[0].frames for p in f.items}


WHICH_ONE = [
    ("office", "Bring my stapler.", "several things could be 'my stapler': say whose is meant, or where"),
    ("office", "Put two of my t-shirts on Peter's desk.", "several things could be"),
    ("office", "Put the book on the table in the mobile robotics lab.", "book2 is there already"),
    ("office", "Bring the drone to Will's office.", "drone2 is there already"),  # in his cabinet
    ("home", "Put the baby monitor on the nightstand.", "baby_monitor0 is there already"),
    ("home", "Take the sock to bedroom 0.", "sock0 is there already"),  # on the floor
    ("home", "Put the ball on the floor.", "nothing can be put on the floor of playroom0"),
    ("office", "Close the cabinet in the lobby.", "nothing called 'cabinet' is known in the lobby"),
    ("office", "Put a banana and another banana in the fridge.", "how many there are to be"),
    ("office", "Put a bottle of water on Peter's desk and another one on his desk.", "how many there are"),
]


@pytest.mark.parametrize(("name", "instruction", "reason"), WHICH_ONE)
def test_which_one_is_meant_is_not_guessed(name: str, instruction: str, reason: str) -> None:
    text = answer(instruction, load_scene(name))
    assert text.startswith("declined: ") and reason in text, text


@pytest.mark.parametrize(
    ("instruction", "place", "goal"),
    [
        ("Bring my stapler.", "peters_office", "(and (holding stapler) (robot_at peters_office))"),
        ("Put the marker on my desk.", "desk2", "(ontop_of marker desk2)"),
        ("Put another stapler on Filipe's desk.", None, "(ontop_of stapler3 desk37)"),
    ],
)  # fmt: skip
def test_what_is_mine_is_where_i_am_and_another_one_is_alike(
    instruction: str, place: str | None, goal: str
) -> None:
    assert answer(instruction, load_scene("office"), place) == goal


NOT_ASKED = [
    "Did you put the plate on the bed?",
    "Have you washed the plate?",
    "Have you got the plate?",
    "You washed the plate.",
    "You could have put the plate on the bed.",
    "The plate must have been washed.",
    "When will you put the plate on the bed?",
    "Why did you open the fridge?",
    "Open the fridge or close the door.",
    "Put the plate on the bed or on the floor.",
    "Turn the brewer down.",
    "Should the plate be on the bed?",
    "Forget to put the plate on the bed.",
    "Let me put the plate on the bed.",
]


@pytest.mark.parametrize("instruction", NOT_ASKED)
def test_what_was_done_and_choices_between_requests_are_no_requests(flat: Scene, instruction: str) -> None:
    text = answer(instruction, flat)
    assert text.startswith("declined: this is not read as a request: "), text


@pytest.mark.parametrize(
    ("instruction", "goal"),
    [
        ("Have you got a minute to open the fridge?", "(open fridge)"),
        ("Get the plate or the mug.", "(holding plate)"),
        ("Get the mug, a pencil or a pen.", "(holding mug)"),
        ("When you have time, open the fridge.", "(open fridge)"),
        ("It would be great if you opened the fridge.", "(open fridge)"),
    ],
)
def test_one_of_a_choice_and_courtesies_are_read(flat: Scene, instruction: str, goal: str) -> None:
    assert answer(instruction, flat) == goal


@pytest.mark.parametrize(
    "instruction",
    ["Might the plate be on the bed?", "The plate could be on the bed.", "The plate will be on the bed."],
)
def test_where_a_thing_may_be_is_no_request(flat: Scene, instruction: str) -> None:
    assert answer(instruction, flat).startswith(
        ("declined: no request recognised", "declined: this is not read")
    )


@pytest.mark.parametrize("span", ["two minutes", "an hour", "a minute", "a while", "a second, please"])
def test_a_state_for_a_span_of_time_is_no_request(flat: Scene, span: str) -> None:
    text = answer(f"Open the fridge for {span}.", flat)
    assert "not read as a request" in text or "what is to be so after a while" in text


def test_a_state_for_a_while_is_no_request(flat: Scene) -> None:
    text = answer("Open the fridge for a moment, then close it.", flat)
    assert text == "declined: this is not read as a request: 'Open the fridge for a moment'"


WHERE_IT_IS = [
    ("home", "Take the pillows off the bed in bedroom 1.", "the robot has one hand"),
    ("home", "Remove the pillows from the bed in bedroom 1.", "the robot has one hand"),
    ("home", "Remove everything from the fridge in kitchen 1.", "the robot has one hand"),
    ("home", "Pick up the socks in bedroom 3.", "asks for several, there is one"),
    ("home", "Take the tie off the bed in bedroom 1.", "(holding tie0)"),
    ("home", "Get the towel from the sink in bathroom 0 into the dishwasher.",
     "(and (inside_of towel0 dishwasher0) (closed dishwasher0))"),
    ("office", "Collect the books in the kitchen.", "nothing known is called 'the books in the kitchen'"),
    ("office", "Collect all the books in the kitchen.",
     "(and (ontop_of book1 kitchen_bench) (ontop_of book2 kitchen_bench))"),
    ("building", "Keep the book off the table in meeting room 1.", "not read as a request"),
]  # fmt: skip
SO_MANY = [
    ("home", "Make sure that all the socks are in the wardrobe.",
     "(and (inside_of sock0 wardrobe0) (closed wardrobe0) (inside_of sock1 wardrobe0)"
     " (inside_of sock2 wardrobe0) (inside_of sock3 wardrobe0) (inside_of sock4 wardrobe0))"),
    ("home", "Leave the socks in the wardrobe.", "(and (inside_of sock2 wardrobe0) (closed wardrobe0))"),
    ("home", "Keep the socks in the wardrobe.", "sock2 is there already, so 'the socks' is not clear"),
    ("office", "Make sure that there is an apple in Will's cabinet.",
     "(and (inside_of apple1 cabinet4) (closed cabinet4))"),
    ("office", "There should be an apple in Will's cabinet.", "so already"),
    ("office", "Bring me the phone, then go to the kitchen.", "are two places"),
    ("office", "Fetch me the phone. Then go to the lobby.", "are two places"),
    ("office", "Go to the kitchen and bring me the scissors.",
     "(and (sometime (robot_at kitchen)) (holding scissors) (robot_at pose8))"),
    ("home", "Leave a bowl on the bed in bedroom 1.", "so 'a bowl on the bed' is not clear"),
    ("office", "There should be exactly one apple in Will's cabinet.", "not read as a request"),
    ("office", "I want only one stapler in Peter's office.", "not read as a request"),
    ("office", "Put only the book from the manipulation lab on desk1.", "not read as a request"),
    ("office", "Put all the books but one on desk1.", "not read as a request"),
    ("home", "Put the apples in a fridge.",
     "(or (and (inside_of apple0 fridge0) (closed fridge0) (inside_of apple1 fridge0))"
     " (and (inside_of apple0 fridge1) (closed fridge1) (inside_of apple1 fridge1)))"),
    ("building", "Put everything in the locker on desk1.", "(ontop_of toolbox1 desk1)"),
]  # fmt: skip
WHICH_IS_MEANT = [
    ("office", "Put the stapler from Peter's office and the one from Filipe's office on desk1.",
     "(and (ontop_of stapler desk1) (ontop_of stapler2 desk1))"),
    ("office", "Bring the robot to the kitchen.", "'the robot' is who is asked"),
    ("office", "Take this stapler to the kitchen.", "several things could be 'this stapler'"),
    ("office", "The plate should be clean and on the kitchen bench.",
     "(and (ontop_of plate kitchen_bench) (clean plate))"),
    ("office", "The cabinet in the kitchen should be open and in the lobby.", "not read as a request"),
]  # fmt: skip


MORE_IS_SAID = [
    ("office", "Bring the carrot to the lobby but don't open the fridge.",
     "(and (ontop_of carrot shelf2) (never (do open fridge)))"),
    ("office", "Put the monitor on Niko's desk but don't open Jason's cabinet.",
     "(and (ontop_of monitor desk1) (never (do open cabinet5)))"),
    ("office", "Bring the carrot to the lobby and don't close the fridge.",
     "(and (ontop_of carrot shelf2) (never (do close fridge)))"),
    ("office", "Bring the pepsi to Niko and he wants the dorittos too.",
     "(and (ontop_of pepsi desk1) (ontop_of dorittos1 desk1))"),
    ("office", "Bring the pepsi to Niko. Also the dorittos.", "not read as a request"),
    ("office", "Bring the pepsi to Niko via the kitchen.", "not read as a request"),
    ("office", "Put the bowl upside down on the kitchen bench.", "'upside' is left over"),
    ("office", "Bring the pepsi to Niko at noon.", "nothing known is called 'noon'"),
    ("office", "Bring the pepsi to Niko in the lobby.", "not known that niko is at lobby"),
    ("office", "Bring the pepsi to Niko at his desk.", "(ontop_of pepsi desk1)"),
]  # fmt: skip


TO_WHOM = [
    ("office", "Bring everyone a bottle of water.", "not known who 'everyone' is"),
    ("office", "Bring a bottle of water for everyone in meeting room 1.", "called 'everyone'"),
    ("office", "Bring Niko and me a bottle of water.", "not read as a request"),
    ("office", "Bring the marker to Niko and me.", "not read as a request"),
]
EVERYWHERE = [
    ("building", "Open all the drawers.", "(and (open drawers1) (open drawers2) (open drawers3))"),
    ("building", "Open everything closed in storage room 1.", "not read as a request"),
    ("building", "Put everything dirty on the counter in kitchen 1.", "not read as a request"),
    ("home", "Wash everything that is dirty.",
     "(and (clean bowl0) (clean bowl1) (clean bowl2) (clean bowl3) (clean bowl4) (clean mug0))"),
    ("home", "Heat the bread, but not in the oven.", "not read as a request"),
    ("house-5", "Make sure that all bowls are in bedroom 2.",
     "(and (ontop_of bowl1 dresser3) (in_room bowl2 bedroom2) (ontop_of bowl3 dresser3))"),
    ("house-5", "Throw the candle in the bin.", "(inside_of candle1 garbage_can2)"),
    ("house-1", "Put the bottle from the kitchen on the tv stand.", "(ontop_of bottle1 tv_stand1)"),
    ("house-5", "Put the pillows on the bed in bedroom 3.",
     "(and (or (ontop_of pillow1 bed2) (ontop_of pillow1 bed3))"
     " (or (ontop_of pillow2 bed2) (ontop_of pillow2 bed3))"
     " (or (ontop_of pillow3 bed2) (ontop_of pillow3 bed3)))"),
]  # fmt: skip
NOT_ALL = [
    ("home", "Apart from the red sock, put all socks in the wardrobe.", "not read as a request"),
    ("home", "Put all socks other than the red one in the wardrobe.", "not read as a request"),
    ("home", "Take an apple from each fridge.", "is one for each, not one"),
    ("home", "Put each apple in a fridge.",
     "(and (or (and (inside_of apple0 fridge0) (closed fridge0)) (and (inside_of apple0 fridge1)"
     " (closed fridge1))) (or (and (inside_of apple1 fridge0) (closed fridge0))"
     " (and (inside_of apple1 fridge1) (closed fridge1))))"),
]  # fmt: skip
STAYS = [
    ("building", "Wash all glasses. The black one stays dirty.", "not read as a request"),
    ("building", "Put all books on shelf 4. The red book stays on shelf 2.", "not read as a request"),
    ("building", "I stay late. Turn on the desk lamp in office 3.", "not read as a request"),
]  # fmt: skip
STAYS_SO = [
    ("house-4", "The fridge must stay closed.", "(always (closed fridge1))"),
    ("house-4", "The fridge has to remain closed. Bring the apple to the desk.", "stays so on the way"),
    ("house-4", "Bring the apple to the desk, but keep the fridge closed.", "stays so on the way"),
    ("house-4", "Keep the fridge closed and put the candle on the desk.",
     "(and (always (closed fridge1)) (exists (?x - candle) (ontop_of ?x desk1)))"),
]  # fmt: skip
ONE_IS_THERE = [
    ("house-4", "I want a book on the dresser in the bedroom.", "this is so already"),
    ("house-4", "Put all books on the dresser in bathroom 1.", "book5 cannot be picked up"),
    ("house-4", "Put book 3 on the dresser in the bedroom.", "(ontop_of book3 dresser1)"),
]  # fmt: skip
TO_EACH = [
]  # fmt: skip
THE_SAME = [
    ("building", "Warm up a sandwich and bring it to office 3.",
     "(and (exists (?x - sandwich) (and (hot ?x) (or (ontop_of ?x desk3) (ontop_of ?x desk8))))"
     " (turned_off microwave1))"),
    ("building", "Put a pen in a box and bring the box to office 3.", "several things fit 'a box'"),
    ("building", "Find a tape and put it in the locker.",
     "(exists (?x - tape) (and (inside_of ?x locker1) (closed locker1)))"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "instruction", "expected"),
    [
        *WHERE_IT_IS,
        *SO_MANY,
        *WHICH_IS_MEANT,
        *MORE_IS_SAID,
        *TO_WHOM,
        *EVERYWHERE,
        *NOT_ALL,
        *STAYS,
        *STAYS_SO,
        *ONE_IS_THERE,
        *TO_EACH,
        *THE_SAME,
    ],
)
def test_a_goal_says_no_less_and_nothing_else(name: str, instruction: str, expected: str) -> None:
    """Each was read as less than it says, or as a move that nobody asked for, and verified."""
    file = Path(__file__).parent / "scenes" / f"{name}.json"
    text = answer(instruction, open_scene(str(file)) if file.exists() else load_scene(name))
    assert text == expected if expected[0] == "(" else text.startswith("declined: ") and expected in text, (
        text
    )


COUNTED = [
    ("Put three T-shirts on desk 12.", "(exactly 3 (?x - complimentary_tshirt) (ontop_of ?x desk12))"),
    ("Put 2 T-shirts on desk 12.", "(exactly 2 (?x - complimentary_tshirt) (ontop_of ?x desk12))"),
    ("Take the phone away from Peter.", "(and (holding phone) (not (in_room phone peters_office)))"),
    ("Take the phone away to desk 12.", "(ontop_of phone desk12)"),
    ("Put the phone on desk 12 when you have time.", "(ontop_of phone desk12)"),
    ("Put the staplers together on desk 12.", None),
]


@pytest.mark.parametrize(("instruction", "goal"), COUNTED)
def test_numbers_and_what_is_taken_away_are_kept(instruction: str, goal: str | None) -> None:
    said = answer(instruction, load_scene("office"))
    assert said == goal if goal is not None else said.count("ontop_of stapler") == 3


@pytest.mark.parametrize(
    "instruction",
    [
        "Take the phone away.",
        "Bring the staplers together.",
        "Take the phone as far away from Peter as possible.",
        "Bring the phone as close to Niko as possible.",
        "Put the phone on desk 12 later.",
        "Tomorrow, put the phone on desk 12.",
        "Could you put the phone on desk 12 tonight?",
        "Put the phone on desk 12 after Niko leaves.",
        "Put the phone on desk 12 as soon as he is back.",
    ],
)
def test_what_no_goal_keeps_of_a_request_is_declined(instruction: str) -> None:
    assert "not read as a request" in answer(instruction, load_scene("office"))


def test_where_there_are_laptops_a_notebook_is_none() -> None:
    building = open_scene(str(Path(__file__).parent / "scenes" / "building.json"))
    rooms = {building.room_of(n.id) for n in building.nodes.values() if "laptop" in n.classes}
    notebook = next(
        n.id
        for n in building.nodes.values()
        if "notebook" in n.classes and building.room_of(n.id) not in rooms
    )
    where = building.room_of(notebook)
    assert notebook not in answer(f"Take the laptop from {where}.", building)


@pytest.mark.parametrize(
    ("instruction", "why"),
    [
        ("Put the phone on desk 12 when it rings.", "not read as a request"),
        ("When the phone rings, bring it to Niko.", "not read as a request"),
        ("Bring Niko the phone once the coffee is ready.", "not read as a request"),
        ("Put the phone on desk 12, but only when asked.", "not read as a request"),
        ("When you are done with the dishes, put the phone on desk 12.", "not read as a request"),
        ("Wash the plate while the fridge is closed.", "not read as a request"),
        ("Wait a minute and put the phone on desk 12.", "not read as a request"),
        ("Put the phone on desk 12 for a moment.", "not read as a request"),
        ("Put the phone on the desk next to desk 12.", "several things could be"),
        ("Go to the kitchen. Put the stapler on the table there.", "several things fit 'the table'"),
        ("Take the orange from the kitchen and put it on the table there.", "several things fit 'the table'"),
        ("Put the phone on desk 1, and then put it on desk 2.", "cannot all be so at once"),
        ("Bring the orange to the cafeteria and put it on desk 12.", "cannot all be so at once"),
    ],
)
def test_events_and_contradictions_are_declined(instruction: str, why: str) -> None:
    said = answer(instruction, load_scene("office"))
    assert said.startswith("declined: "), said
    assert why in said, said


@pytest.mark.parametrize(
    ("instruction", "goal"),
    [
        ("Put the phone on desk 12 when you have time.", "(ontop_of phone desk12)"),
        (
            "Bring the orange to the cafeteria and put it on the lunch table.",
            "(ontop_of orange1 lunch_table)",
        ),
    ],
)
def test_courtesies_and_places_within_places_are_read(instruction: str, goal: str) -> None:
    assert answer(instruction, load_scene("office")) == goal


@pytest.mark.parametrize(
    ("instruction", "why"),
    [
        ("Turn on one desk lamp and turn off one desk lamp.", "are the same"),
        ("Turn on a desk lamp and turn off a desk lamp.", "are the same"),
        ("Open a cabinet and close the cabinet in office 5.", "are the same"),
        ("Put the box with the pen on desk 2 and the pen on desk 1.", "the pen"),
        ("Bring the box with the book to office 2 and put the book on desk 7.", "the book"),
    ],
)
def test_one_of_a_kind_is_not_taken_for_another_of_it(instruction: str, why: str) -> None:
    building = open_scene(str(Path(__file__).parent / "scenes" / "building.json"))
    said = answer(instruction, building)
    assert said.startswith("declined: "), said
    assert why in said, said


def test_the_things_of_which_some_were_just_spoken_of_are_asked_after() -> None:
    home = load_scene("home")
    said = answer("Wash the dirty bowls and put the bowls in the fridge.", home)
    assert "several things fit 'the bowls'" in said, said


def test_what_is_opened_is_closed_again() -> None:
    assert answer("Open the wardrobe and close it.", load_scene("home")).startswith("(")


@pytest.mark.parametrize(
    ("scene", "instruction", "why"),
    [
        ("office", "Put the screwdriver into the toolbox on desk 4.", "nothing"),
        ("office", "Lay the phone onto desk 2 in the fridge.", "nothing"),
        ("office", "Carry the biscuits into cupboard 1 to Tobi.", "not read as a request"),
        ("office", "Pick up the scissors in the kitchen.", "scissors"),
        ("office", "Fetch the headphones on desk 3.", "headphones"),
        ("office", "Get a book in the lobby.", "book"),
        ("office", "Meet Tobi in the cafeteria.", "tobi is at cafeteria"),
        ("office", "Fetch the orange and go to Ajay in the kitchen.", "ajay is at kitchen"),
        ("office", "Visit Chris on Thursday.", "Thursday"),
        ("office", "Carry the trash to the cafeteria.", "several things fit 'the trash'"),
        ("office", "Wipe the knife off the lunch table.", "not read as a request"),
        ("office", "Open the cupboard.", "several"),
        ("office", "Drive to the cabinet.", "several"),
        ("office", "Would you rather close the fridge?", "not read as a request"),
        ("office", "Take a picture in the kitchen.", "picture"),
        ("house-1", "Put the book on the tv stand in box 2 and close it.", "several things fit 'it'"),
        ("office", "Put a bottle of water in each bin in the kitchen.", "does not go in or on 'each bin"),
        ("office", "Fetch the plate on the lunch table and the bowl to Ajay.", "where 'the plate on"),
        ("office", "Get the carrot in the fridge and the orange for Will.", "where 'the carrot in"),
        ("office", "Clear the desks in PhD bay 4.", "several things fit"),
        ("office", "Wash the bowl and take it back.", "not read as a request"),
    ],
)
def test_what_says_where_to_or_where_from_is_read_as_neither_of_the_other(
    scene: str, instruction: str, why: str
) -> None:
    said = answer(instruction, load_scene(scene))
    assert said.startswith("declined: "), said
    assert why in said, said


@pytest.mark.parametrize(
    ("scene", "instruction", "goal"),
    [
        (
            "office",
            "Put the screwdriver into the fridge.",
            "(and (inside_of screwdriver1 fridge) (closed fridge))",
        ),
        ("office", "Put the phone onto desk 4.", "(ontop_of phone desk4)"),
        ("office", "Go to Niko at his desk.", "(robot_at nikos_office)"),
        (
            "office",
            "Put the stapler from Peter's cabinet in Jason's.",
            "(inside_of stapler cabinet5)",
        ),
        ("office", "Bring the stapler from Peter's office to Niko's.", "(ontop_of stapler desk1)"),
        ("home", "Cool the vase in fridge 1.", "(sometime (inside_of vase2 fridge1))"),
        ("office", "Heat the noodles in the microwave.", "(and (hot noodles) (turned_off microwave))"),
        ("house-8", "Put the laptops in the fridge and open it.", "(open fridge1)"),
        ("office", "Put T-shirts on desk 9.", "(ontop_of complimentary_tshirt8 desk9)"),
        (
            "office",
            "Put two T-shirts on each desk in postdoc bay 2.",
            "(and (exactly 2 (?x - complimentary_tshirt) (ontop_of ?x desk33))"
            " (exactly 2 (?x - complimentary_tshirt) (ontop_of ?x desk34)))",
        ),
        ("office", "Keep the fork and the knife in the drawer.", "(inside_of knife drawer)"),
    ],
)
def test_where_to_and_whose_are_read_as_they_are_said(scene: str, instruction: str, goal: str) -> None:
    assert goal in answer(instruction, load_scene(scene))
