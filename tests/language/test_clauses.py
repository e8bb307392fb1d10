"""How sentences fall into clauses, frames and phrases, before any scene is looked at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundplan.language.embedded.clauses import read_clauses
from groundplan.language.english.phrases import read_phrase
from groundplan.language.english.words import alike, name_words, singular, tokens


def verbs(instruction: str) -> list[str]:
    return [c.frames[0].verb if c.frames else "?" for c in read_clauses(instruction)]


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("Heat the noodles, then bring them to Filipe.", ["heat", "put"]),
        ("Wash the plate and put it in the cabinet and close the cabinet.", ["wash", "put", "close"]),
        ("Put the fork and the knife in the drawer.", ["put"]),
        ("Put the bowl and clean fork on the table.", ["put"]),
        ("Please could you open the fridge?", ["open"]),
        ("I'm hungry. Bring me an apple. I'm at the lunch table.", ["context", "give", "speaker"]),
        ("Peter is working at his desk. Get him a snack.", ["context", "give"]),
        ("Something is smelling in the kitchen. Dispose of it.", ["context", "away"]),
        ("Turn the microwave off.", ["off"]),
        ("Put away the phone.", ["store"]),
        ("Check whether the printer is working.", ["check"]),
        ("Do not open the fridge.", ["?"]),
        ("Open the fridge unless it is open.", ["?"]),
        ("I want an apple.", ["give"]),
        ("Dance!", ["?"]),
        ("", []),
    ],
)
def test_clauses_and_verbs(instruction: str, expected: list[str]) -> None:
    assert verbs(instruction) == expected


def test_every_preposition_may_say_where_to_the_last_one_first() -> None:
    frames = read_clauses("Put the mug on the desk in the office.")[0].frames
    assert [(str(f.items[0]), f.relation, str(f.to)) for f in frames] == [
        ("the mug on the desk", "in", "the office"),
        ("the mug", "on", "the desk in the office"),
    ]


@pytest.mark.parametrize(
    ("text", "words", "kind", "owner", "number"),
    [
        ("the dirty plate", ("dirty", "plate"), "the", None, None),
        ("Will's drone", ("drone",), "the", "Will", None),
        ("one of Peter's valuable belongings", ("valuable", "belongings"), "a", "Peter", None),
        ("all 6 complimentary t-shirts", ("complimentary", "tshirts"), "all", None, 6),
        ("two bottles of water", ("water", "bottles"), "count", None, 2),
        ("something sharp", ("sharp", "something"), "a", None, None),
        ("his desk", ("desk",), "the", "his", None),
        ("the freshly printed document", ("printed", "document"), "the", None, None),
        ("it", (), "it", None, None),
        ("the heldobject", (), "held", None, None),
        ("the cleaningtool", ("clean",), "tool", None, None),
        ("Niko", ("niko",), "person", None, None),
    ],
)
def test_phrases(text: str, words: tuple[str, ...], kind: str, owner: str | None, number: int | None) -> None:
    phrase = read_phrase(text)
    assert phrase is not None
    assert (phrase.words, phrase.kind, phrase.owner, phrase.number) == (words, kind, owner, number)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the",
        "somewhere where I can eat",
        "anything but the fork",
        "some apples",
        "him a snack",
    ],
)
def test_what_is_no_phrase_that_can_be_read(text: str) -> None:
    assert read_phrase(text) is None


def test_places_nest() -> None:
    phrase = read_phrase("the orange left on the bench in Jason's office")
    assert phrase is not None
    ((relation, bench),) = phrase.places
    assert (relation, bench.words) == ("on", ("bench",))
    ((relation, office),) = bench.places
    assert (relation, office.words, office.owner) == ("in", ("office",), "Jason")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("meeting_room1", ("meeting", "room", "1")),
        ("K31X", ("k31x",)),
        ("coffeeMachine2", ("coffee", "machine", "2")),
        ("a b", ("a", "b")),
        ("(-)", ()),
    ],
)
def test_names_as_words(name: str, words: tuple[str, ...]) -> None:
    assert name_words(name) == words


def test_forms_of_words() -> None:
    assert [singular(w) for w in ("boxes", "berries", "glass", "mugs", "bus", "dishes")] == [
        *("box", "berry", "glass", "mug", "bus", "dish")
    ]
    assert alike("rotting", "rotten")
    assert alike("dust", "dusty")
    assert alike("undergraduate", "undergrad")
    assert not alike("clean", "dirty")
    assert not alike("open", "close")
    assert tokens("The PhD\u2019s  t-shirt") == ["the", "phd's", "tshirt"]


@given(
    st.text() | st.lists(st.sampled_from("put the mug on a desk, and not if you".split(" "))).map(" ".join)
)
def test_any_text_is_cut_into_clauses(text: str) -> None:
    clauses = read_clauses(text)
    assert all(clause.text.strip() for clause in clauses)
