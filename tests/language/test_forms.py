"""What asks is a closed list: each form reads its example, and another tense, mood or person asks nothing."""

import re

import pytest

from groundplan.datasets.scenes import open_scene
from groundplan.language.embedded.clauses import read_clauses
from groundplan.language.embedded.forms import FORMS, PARTS, STATEMENTS, Form, Statement, letters
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.embedded.requests import frames
from groundplan.language.embedded.verb_rules import SENSES, UNREAD
from groundplan.language.embedded.verbs import VERBS
from groundplan.language.english.chunks import sentences
from groundplan.language.english.lexical import Lexical
from groundplan.language.english.lexicon import PLAIN, meanings
from groundplan.language.reader import NotUnderstood

OFFICE = open_scene("office")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.example)
def test_a_form_reads_its_example(form: Form) -> None:
    (row,) = sentences(form.example)
    clause = [c for c in row if c.kind != "j"]
    first = next(f for f in FORMS if f.parts(clause) is not None)
    assert first is form, letters(clause)
    assert list(frames(clause)), "the parts of the form have a reading"
    assert set(re.findall(r"\?P<(\w+)>", form.pattern.pattern)) <= set(PARTS)


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.example)
def test_a_statement_fits_its_example(statement: Statement) -> None:
    (row,) = sentences(statement.example)
    clause = [c for c in row if c.kind != "j"]
    assert statement.fits(clause), letters(clause)


@pytest.mark.parametrize(
    "text",
    [
        "That was only a dream. Open the fridge.",
        "It is a drill. Open the fridge.",
        "Michael closed it just now. Open the fridge.",
        "Dimity will see to that. Open the fridge.",
        "I am pretending. Open the fridge.",
        "I take that back. Open the fridge.",
        "The order is cancelled. Open the fridge.",
        "Tobi is in the cafeteria. Bring him the stapler.",
        "Bring Tobi the stapler. He sits at the lunch table.",
        "Tobi is at home. Bring him the stapler.",
        "Bring Tobi the stapler. He has got it.",
        "Bring Tobi the stapler. Michael has it already.",
        "I will be at the lunch table. Bring me the stapler.",
        "I am close to the lobby. Bring me the stapler.",
        "I am on my way to the lobby. Bring me the stapler.",
    ],
)
def test_what_is_told_beside_a_request_is_of_a_closed_list(text: str) -> None:
    written = EmbeddedReader(Lexical()).write(text, OFFICE)
    assert isinstance(written, NotUnderstood), written


@pytest.mark.parametrize(
    "text",
    [
        "I wanted the fridge open.",
        "The fridge should have been open.",
        "The fridge was to be open.",
        "The fridge needed to be open.",
        "The fridge was supposed to be opened.",
        "You were supposed to open the fridge.",
        "The stapler used to be on Niko's desk.",
        "The stapler went to Niko's desk.",
        "I needed the stapler on Niko's desk.",
        "I would have liked the fridge open.",
        "I like the stapler on Niko's desk.",
        "I might want the fridge open.",
        "I wish the fridge were open.",
        "Have I asked you to open the fridge?",
        "I asked you to open the fridge.",
        "Must the fridge be open?",
        "The fridge can be opened.",
        "The fridge may be opened.",
        "Suppose the fridge is open.",
        "Imagine the fridge open.",
        "Assume the drawer open.",
        "Consider the fridge open.",
        "Avoid opening the fridge.",
        "Think about opening the fridge.",
        "Good job opening the fridge.",
        "Be able to open the fridge.",
        "Peter will open the fridge.",
        "Open the fridge and you are fired.",
    ],
)
def test_another_tense_mood_or_person_is_no_request(text: str) -> None:
    written = EmbeddedReader(Lexical()).write(text, OFFICE)
    assert isinstance(written, NotUnderstood), written


@pytest.mark.parametrize(
    "remark",
    [
        "The microwave will do, too.",
        "Peter's desk is fine, too.",
        "It already is.",
        "Peter will do it.",
        "Peter says no.",
        "You may keep it.",
        "Peter will use the microwave.",
    ],
)
def test_what_might_change_a_request_is_not_left_out(remark: str) -> None:
    text = f"Heat the noodles. {remark}"
    assert any(not c.frames for c in read_clauses(text)), "a clause is not read"


@pytest.mark.parametrize(
    "remark",
    ["They are stale.", "It smells.", "I am hungry.", "The guests are coming.", "My hands are full."],
)
def test_how_somebody_or_something_is_leaves_a_request_as_it_is(remark: str) -> None:
    text = f"Throw the chips away. {remark}"
    assert all(c.frames for c in read_clauses(text))


@pytest.mark.parametrize(
    "text",
    [
        "The plate belongs to Peter.",
        "You want to open the fridge.",
        "You have the phone.",
        "You must be joking.",
        "Always open the fridge.",
        "Could the fridge be open?",
        "Peter will use the phone.",
        "Make sure there are only two books on Niko's desk.",
        "Make sure that Peter opens the fridge.",
        "It would be a pity if you opened the fridge.",
    ],
)
def test_whose_a_thing_is_and_what_may_be_so_is_no_request(text: str) -> None:
    written = EmbeddedReader(Lexical()).write(text, OFFICE)
    assert isinstance(written, NotUnderstood), written


@pytest.mark.parametrize("verb", sorted(PLAIN))
def test_each_verb_has_readers_of_its_senses(verb: str) -> None:
    senses = meanings(verb)
    assert senses and all(s in SENSES or s in VERBS for s in senses)


@pytest.mark.parametrize("example", UNREAD)
def test_what_no_sense_reads_is_declined(example: str) -> None:
    (clause,) = read_clauses(f"{example}.")
    assert clause.frames == ()
