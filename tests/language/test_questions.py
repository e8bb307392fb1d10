"""Questions: what the scene is asked, what is declined, and that no reader is asked and nothing planned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundplan.compiler.query.answers import find
from groundplan.compiler.query.query import parse_query
from groundplan.datasets.scenes import load_scene, open_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.questions.answering import Answer, ask
from groundplan.language.reader import NotUnderstood, ReaderTraits, SearchResult
from groundplan.pipeline.hybrid import Request, run
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import PLACE_UNKNOWN, Node, Scene
from groundplan.simulator.view import View

HERE = Path(__file__).parent
PACK = load_pack()


@pytest.fixture(scope="module")
def beliefs() -> dict[str, Belief]:
    scenes = {name: load_scene(name) for name in ("office", "home")}
    scenes |= {
        name: open_scene(str(HERE / "scenes" / f"{name}.json")) for name in ("building", "procthor_house")
    }
    return {name: ground(scene, PACK) for name, scene in scenes.items()}


ANSWERED = [
    ("office", "Where is the banana?", "(find (?x - banana))", ["banana1", "banana2"], None),
    ("office", "Where is the ripe banana?", "(find (?x - banana) (ripe ?x))", ["banana1"], None),
    ("office", "where is Will's drone", "(find (?x - drone) (in_room ?x wills_office))", ["drone2"], None),
    ("office", "Could you tell me where the parcel is?", "(find (?x - parcel))", ["parcel"], None),
    ("office", "Is the fridge open?", "(find (?x - fridge) (open ?x))", [], False),
    ("office", "Is the fridge in the kitchen closed?", "(find (?x - fridge) (closed ?x))", ["fridge"], True),
    ("office", "Is the phone on Peter's desk?", "(find (?x - phone) (ontop_of ?x desk2))", ["phone"], True),
    ("office", "Is the phone in the kitchen?", "(find (?x - phone) (in_room ?x kitchen))", [], False),
    ("office", "Is there anything in the drawer?", "(find (?x - item) (inside_of ?x drawer))", [], False),
    ("office", "How many bananas are in the fridge?", "(find (?x - banana) (inside_of ?x fridge))",
     ["banana2"], 1),
    ("office", "How many mugs are in the kitchen?", "(find (?x - coffee_mug) (in_room ?x kitchen))", [], 0),
    ("office", "How many cabinets are open?", "(find (?x - cabinet) (open ?x))", ["cabinet5", "cabinet6"], 2),
    ("office", "What's on Niko's desk?", "(find (?x - item) (ontop_of ?x desk1))", ["coffee_mug"], None),
    ("office", "Which room is the parcel in?", "(find (?x - room) (in_room parcel ?x))", ["lobby"], None),
    (
        "office",
        "Which meeting rooms have a table and a chair?",
        "(find (?x - meeting_room) (and (exists (?y - table) (in_room ?y ?x))"
        " (exists (?y - chair) (in_room ?y ?x))))",
        ["meeting_room1"],
        None,
    ),
    (
        "office",
        "Which offices have no cabinet?",
        "(find (?x - office) (not (exists (?y - cabinet) (in_room ?y ?x))))",
        [f"{name}_office" for name in "aarons ajays chris filipes lauriannes luis tobis".split()],
        None,
    ),
    (
        "office",
        "Which offices have two cabinets?",
        "(find (?x - office) (at-least 2 (?y - cabinet) (in_room ?y ?x)))",
        [],
        None,
    ),
    (
        "home",
        "Which bathrooms have two plants?",
        "(find (?x - bathroom) (at-least 2 (?y - potted_plant) (in_room ?y ?x)))",
        ["bathroom1"],
        None,
    ),
    ("building", "Are there any red folders?", "(find (?x - folder) (red ?x))", ["folder1", "folder8"], True),
    ("office", "Are there any apples in the kitchen?", "(find (?x - apple) (in_room ?x kitchen))", [], False),
    (
        "home",
        "Which bedroom is empty?",
        "(find (?x - bedroom) (and (not (exists (?y - item) (in_room ?y ?x)))"
        " (not (exists (?y - asset) (in_room ?y ?x)))))",
        ["bedroom2"],
        None,
    ),
    ("home", "Are both fridges closed?", "(find (?x - fridge) (closed ?x))", ["fridge0", "fridge1"], True),
    ("home", "Is the chest empty?", "(find (?x - chest) (not (exists (?y - item) (inside_of ?y ?x))))",
     [], False),
    ("building", "How many black bowls are there?", "(find (?x - bowl) (black ?x))", ["bowl4"], 1),
    ("building", "Is there any fruit in kitchen 3?", "(find (?x - fruit) (in_room ?x kitchen3))",
     ["orange1", "banana1", "banana2"], True),
    ("procthor_house", "How many eggs are in the fridge?", "(find (?x - egg) (inside_of ?x 8|0))",
     ["small|8|35", "small|8|36", "small|8|37"], 3),
    # A kind of which one is called just so.
    ("office", "Which cabinet is open?", "(find (?x - cabinet) (open ?x))", ["cabinet5", "cabinet6"], None),
    ("office", "How many cabinet are open?", "(find (?x - cabinet) (open ?x))", ["cabinet5", "cabinet6"], 2),
    ("office", "Is any cabinet open?", "(find (?x - cabinet) (open ?x))", ["cabinet5", "cabinet6"], True),
    ("office", "Are any cabinets open?", "(find (?x - cabinet) (open ?x))", ["cabinet5", "cabinet6"], True),
    ("office", "Are any staplers on a desk?",
     "(find (?x - stapler) (exists (?y - desk) (ontop_of ?x ?y)))", ["stapler2"], True),
    ("office", "Which cabinet has a drone?",
     "(find (?x - cabinet) (exists (?y - drone) (or (inside_of ?y ?x) (ontop_of ?y ?x))))",
     ["cabinet4"], None),
    ("office", "Which room is the cabinet in?", "(find (?x - room) (in_room cabinet ?x))", ["kitchen"], None),
]  # fmt: skip


@pytest.mark.parametrize(("scene", "text", "query", "nodes", "value"), ANSWERED)
def test_a_question_is_a_query_over_the_scene(
    beliefs: dict[str, Belief], scene: str, text: str, query: str, nodes: list[str], value: int | bool | None
) -> None:
    answer = ask(text, beliefs[scene])
    assert isinstance(answer, Answer), answer
    assert (answer.query, list(answer.nodes)) == (query, nodes)
    assert answer.value == value and type(answer.value) is type(value)
    assert [a.nodes[0] for a in find(parse_query(answer.query), beliefs[scene]).answers] == nodes
    assert [p.id for p in answer.places] == nodes


DECLINED = [
    ("office", "Is there exactly one apple?", "'exactly' is not read in a question"),
    ("home", "Is there a pillow in every bedroom?", "whether it is so in 'every bedroom'"),
    ("home", "How many socks are in each bedroom?", "whether it is so in 'each bedroom'"),
    ("office", "Where is my phone?", "'my'"),
    ("office", "Is there another plate?", "'another'"),
    ("office", "Which two rooms have a chair?", "2 of several"),
    ("office", "Which three cabinets are open?", "3 of several"),
    ("office", "Where is Peter?", "nothing known is called 'Peter'"),
    ("office", "What is on the desk?", "several things fit 'the desk'"),
    ("office", "Is the banana ripe?", "several things fit 'the banana'"),
    ("office", "Which office has the cabinet?", "several things fit 'the cabinet'"),
    ("office", "Is the cabinet open?", "several things fit 'the cabinet'"),
    ("office", "Is the plate in the dishwasher?", "several things fit 'the plate'"),
    ("office", "Is banana2 ripe?", "does not say whether banana2 is ripe"),
    ("office", "Is there a piano?", "nothing known is called 'a piano'"),
    ("office", "What is the weather like?", "not read"),
    ("office", "Why is the fridge closed?", "not read"),
    ("office", "Where is it?", "no name of a thing"),
    ("home", "Is the water bottle empty?", "need not say"),
    ("home", "Which socks are purple?", "'purple'"),
    ("home", "Which mugs are not clean?", "need not say what is not clean"),
    ("building", "Which mugs are not dirty?", "need not say what is not dirty"),
]


@pytest.mark.parametrize(("scene", "text", "reason"), DECLINED)
def test_what_the_scene_does_not_say_is_declined(
    beliefs: dict[str, Belief], scene: str, text: str, reason: str
) -> None:
    refused = ask(text, beliefs[scene])
    assert isinstance(refused, NotUnderstood) and reason in refused.reason, refused


REQUESTS = [
    "Open the fridge.",
    "Could you open the fridge?",
    "Can you bring me the banana?",
    "Is it possible to heat the noodles?",
    "How about bringing me the plate?",
    "Where is the plate? Bring it here.",
    "Is the fridge open? If so, close it.",
    "Why don't you close the fridge?",
    "Would the plate fit on Niko's desk?",
    "What is in the fridge goes into the bin.",
]


@pytest.mark.parametrize("text", REQUESTS)
def test_a_request_in_the_form_of_a_question_is_left_to_the_reader(
    beliefs: dict[str, Belief], text: str
) -> None:
    assert ask(text, beliefs["office"]) is None


def test_no_request_of_the_reading_sets_is_taken_for_a_question(beliefs: dict[str, Belief]) -> None:
    looked_at = 0
    for path in sorted(HERE.glob("*.json")):
        for told in json.loads(path.read_text(encoding="utf-8"))["instructions"]:
            if told["gold"] is not None:
                looked_at += 1
                scene = Path(told["scene"]).stem
                assert ask(told["text"], beliefs[scene]) is None, told["text"]
    assert looked_at > 800


def test_answers_of_the_papers_tasks_are_those_of_their_gold_queries(beliefs: dict[str, Belief]) -> None:
    """Most of these ask in two sentences; what is read as a question has the answer of the gold query."""
    read = 0
    for path in sorted((HERE.parents[1] / "datasets" / "tasks").glob("*-search-*.json")):
        raw = json.loads(path.read_text(encoding="utf-8"))
        for task in raw["tasks"]:
            belief = beliefs[task.get("scene", raw.get("scene"))]
            answer = ask(task["instruction"], belief)
            if isinstance(answer, Answer):
                read += 1
                gold = find(parse_query(task["gold"]["query"]), belief)
                assert answer.nodes == tuple(a.nodes[0] for a in gold.answers), task["instruction"]
    assert read >= 1


def test_a_thing_without_a_known_place_is_said_to_have_none(beliefs: dict[str, Belief]) -> None:
    scene = beliefs["office"].scene
    lost = Node("drill1", "object", None, PLACE_UNKNOWN, ("drill",), ("pickup",))
    mug = Node("mug9", "object", None, PLACE_UNKNOWN, ("coffee_mug",), ("pickup",))
    belief = ground(scene.changed(add=[lost, mug]), PACK)
    where = ask("Where is the drill?", belief)
    assert isinstance(where, Answer) and where.nodes == ()
    assert where.words == "Nobody knows: the place of drill1 is not known."
    many = ask("How many coffee mugs are there?", belief)
    assert isinstance(many, Answer) and many.value == 1 and "mug9 is not known" in many.notes[0]
    whether = ask("Is the drill in the kitchen?", belief)
    assert isinstance(whether, NotUnderstood) and "drill1" in whether.reason


def test_a_name_that_is_an_id_and_a_class_is_said_to_be_taken_for_one(beliefs: dict[str, Belief]) -> None:
    answer = ask("Which room is the cabinet in?", beliefs["office"])
    assert isinstance(answer, Answer) and answer.words == "kitchen."
    assert answer.notes[0] == "'the cabinet' is taken for cabinet, which is called just so"
    assert "cabinet1, cabinet2" in answer.notes[1]


class Silent:
    """A reader that must not be asked."""

    name, meter, traits = "silent", None, ReaderTraits()

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        raise AssertionError("a question was given to a reader")

    write = repair = search


def test_a_question_asks_no_reader_and_plans_nothing(beliefs: dict[str, Belief]) -> None:
    engine = Engine.named("pyperplan")
    record = run(Request(beliefs["office"], "Is the fridge open?"), engine, Silent())  # type: ignore[arg-type]
    told = record.as_json()
    assert (record.outcome, record.exit_code, told["verified"], told["plan"]) == ("answered", 0, False, [])
    assert (told["answer"], told["answers"], told["reader"]) == (False, [], None)
    assert told["query"] == "(find (?x - fridge) (open ?x))" and told["reply"] == "No: fridge is closed."
    record = run(Request(beliefs["office"], "Where is the piano?"), engine, Silent())  # type: ignore[arg-type]
    assert (record.outcome, record.exit_code) == ("not-understood", 3)
    with pytest.raises(AssertionError, match="given to a reader"):
        run(Request(beliefs["office"], "Open the fridge."), engine, Silent())  # type: ignore[arg-type]


def test_names_of_a_scene_do_not_reach_the_query_unquoted() -> None:
    odd = "cup) (open ?x"
    kitchen = Node("kitchen", "room", affordances=("release",), classes=("kitchen",))
    nodes = [
        kitchen,
        Node("table one", "asset", "kitchen", classes=("table",), affordances=("release",)),
        Node(odd, "object", "table one", "ontop_of", ("red cup",), ("pickup",)),
        Node("robot", "agent", at="kitchen"),
    ]
    scene = Scene("odd", {n.id: n for n in nodes})
    answer = ask("What is on the table?", ground(scene, PACK))
    assert isinstance(answer, Answer) and answer.nodes == (odd,), answer
    assert answer.query == '(find (?x - item) (ontop_of ?x "table one"))'
    which = ask("How many red cups are there?", ground(scene, PACK))
    assert isinstance(which, Answer) and which.value == 1


def test_how_many_things_are_in_a_room_says_what_it_leaves_out(beliefs: dict[str, Belief]) -> None:
    count, listed = (
        ask(text, beliefs["office"])
        for text in ("How many things are in the kitchen?", "What is in the kitchen?")
    )
    assert isinstance(count, Answer) and isinstance(listed, Answer)
    assert count.notes == listed.notes != () and count.value == len(listed.nodes)


def test_a_state_that_a_thing_cannot_have_is_refused_without_a_place_in_the_query(
    beliefs: dict[str, Belief],
) -> None:
    refused = ask("Is the microwave hot?", beliefs["office"])
    assert isinstance(refused, NotUnderstood) and "query:" not in refused.reason


def test_a_question_may_say_that_it_is_about_the_scene() -> None:
    office = ground(load_scene("office"), load_pack())
    for asked, plain in (
        ("How many apples are in the office?", "How many apples are there?"),
        ("Where is the banana peel in this office?", "Where is the banana peel?"),
    ):
        said, alone = ask(asked, office), ask(plain, office)
        assert isinstance(said, Answer) and isinstance(alone, Answer) and said == alone
    assert isinstance(ask("How many apples are in the kitchen?", office), Answer)
