"""Requests in other words: politeness, wishes, passives and states give the frames that plain commands
give."""

from pathlib import Path

import pytest
from reading_sets import evaluate, load_instructions

from groundplan.engines.engine import Engine
from groundplan.language.embedded.clauses import read_clauses
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.english import embedding
from groundplan.language.english.words import lemma

needs_model = pytest.mark.skipif(not embedding.installed(), reason="needs the extra 'embedded'")
HERE = Path(__file__).parent


def frame(instruction: str) -> tuple[str, list[str], str]:
    """The likeliest frame of the last clause: verb, things, and where to."""
    first = read_clauses(instruction)[-1].frames[0]
    return first.verb, [" ".join(p.words) or p.kind for p in first.items], str(first.to or "")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Would you mind closing the lid?", ("close", ["lid"], "")),
        ("I'd appreciate it if you took the mug to the lab.", ("put", ["mug"], "the lab")),
        ("could someone please wash the plate for me", ("wash", ["plate"], "")),
        ("It would be great if you could open the lid when you have a minute.", ("open", ["lid"], "")),
        ("Put the bread on the table so I can make a sandwich.", ("put", ["bread"], "the table")),
        ("The lid needs to be closed.", ("close", ["lid"], "")),
        ("The mug belongs in the cupboard.", ("put", ["mug"], "the cupboard")),
        ("I would like the soup warmed up.", ("heat", ["soup"], "")),
        ("Anna wants the mug on her desk.", ("put", ["mug"], "her desk")),
        ("Give the shelf a quick wipe.", ("clean", ["shelf"], "")),
        ("Make sure the lid is shut.", ("close", ["lid"], "")),
        ("The soup should be hot.", ("heat", ["soup"], "")),
        ("Can the box be moved to the hall?", ("put", ["box"], "the hall")),
        ("Get the microwave going.", ("on", ["microwave"], "")),
        ("The plate that is on the bench could do with a wash.", ("wash", ["plate"], "")),
        ("teh mug has to go in the cupboard.", ("put", ["mug"], "the cupboard")),
        ("Swithc on the lamp.", ("on", ["lamp"], "")),
        ("Get the shaving cream.", ("hold", ["shaving cream"], "")),
        ("Don't forget to shut the lid.", ("close", ["lid"], "")),
        ("Go get the mug.", ("hold", ["mug"], "")),
        ("Soup to Anna.", ("put", ["soup"], "Anna")),
    ],
)
def test_a_request_in_other_words(said: str, expected: tuple[str, list[str], str]) -> None:
    assert frame(said) == expected


@pytest.mark.parametrize(
    "said",
    [
        "Do not open the lid.",
        "If the lid is open, close it.",
        "Open the lid unless it is hot.",
        "What is in the box?",
        "Is the lid open?",
        "Paint the shelf.",
        "Nobody should open the lid.",
    ],
)
def test_conditions_prohibitions_and_questions_are_not_read(said: str) -> None:
    assert any(not c.frames for c in read_clauses(said))


def test_a_verb_without_a_meaning_is_not_read() -> None:
    assert [c.frames for c in read_clauses("Levitate the mug to the hall.")] == [()]


@pytest.mark.parametrize(
    "text",
    [
        "Open the lid before Anna comes.",
        "Because it is late, open the lid.",
        "If you can, open the lid.",
        "If it is not too much trouble, open the lid.",
    ],
)
def test_reasons_times_and_courtesies_are_skipped(text: str) -> None:
    assert frame(text) == ("open", ["lid"], "")
    assert all(c.frames for c in read_clauses(text))


@pytest.mark.parametrize(
    "text",
    [
        "If he asks, open the lid.",
        "Put the mug in the box after you wash it.",
        "Wash the mug before filling it.",
    ],
)
def test_conditions_and_times_that_ask_for_something_are_not_read(text: str) -> None:
    assert any(not c.frames for c in read_clauses(text))


def test_a_describing_word_is_no_second_request() -> None:
    assert {f.also for f in read_clauses("Bring Anna the hot soup.")[0].frames} == {""}


def test_relative_clauses_describe_and_place() -> None:
    ((relation, where),) = read_clauses("Wash the mug I left on the desk.")[0].frames[0].items[0].places
    assert (relation, where.words) == ("on", ("desk",))
    assert frame("Wash the plate that is dirty.") == ("wash", ["dirty plate"], "")


def test_each_of_a_list_has_its_place() -> None:
    clauses = read_clauses("Bring the phone to Filipe and the scissors to Tobi.")
    assert [(str(c.frames[0].items[0]), str(c.frames[0].to)) for c in clauses] == [
        ("the phone", "Filipe"),
        ("the scissors", "Tobi"),
    ]


def test_base_forms() -> None:
    words = ("moved", "putting", "chilled", "taken", "emptied", "warming", "placed", "kitchen", "red")
    assert [lemma(w) for w in words] == [
        *("move", "put", "chill", "take", "empty", "warm", "place", None, None),
    ]


@needs_model
@pytest.mark.slow
@pytest.mark.parametrize(("name", "coverage"), [("devset.json", 0.85), ("devset2.json", 0.6)])
def test_what_it_was_developed_on_is_read_with_precision(name: str, coverage: float) -> None:
    report = evaluate(EmbeddedReader(), load_instructions(HERE / name), Engine.named("pyperplan"))
    assert report.precision is not None and report.precision >= 0.9
    assert report.coverage is not None and report.coverage >= coverage
