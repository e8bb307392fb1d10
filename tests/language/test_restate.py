"""Requests in other words: politeness, wishes and passives become commands; verbs are read by meaning."""

from pathlib import Path

import pytest

from groundplan.evaluation.reading import evaluate, load_instructions
from groundplan.language import embedding
from groundplan.language.candidates import remedy, verb
from groundplan.language.embedded import EmbeddedReader
from groundplan.language.inflection import lemma
from groundplan.language.lexical import Lexical
from groundplan.language.manners import bare
from groundplan.language.restate import restate
from groundplan.planners.solving import Engine

needs_model = pytest.mark.skipif(not embedding.installed(), reason="needs the extra 'embedded'")
DEVSET = Path(__file__).parent / "devset.json"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("Would you mind closing the door", "close the door"),
        ("I'd appreciate it if you took the mug to the lab", "take the mug to the lab"),
        ("could someone please wash the plate for me", "wash the plate"),
        ("It would be great if you could open the lid when you have a minute", "open the lid"),
        ("Put the bread on the table so I can make a sandwich", "Put the bread on the table"),
        ("Do not open the lid", "Do not open the lid"),
        ("If the lid is open, close it", "If the lid is open, close it"),
    ],
)
def test_manners_are_dropped_and_nothing_else(said: str, command: str) -> None:
    assert bare(said) == command


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("the door needs to be closed", "close the door"),
        ("the mug belongs in the cupboard", "put the mug in the cupboard"),
        ("I would like the soup warmed up", "warm up the soup"),
        ("Anna wants the mug on her desk", "put the mug on Anna's desk"),
        ("give the shelf a quick wipe", "wipe the shelf"),
        ("make sure the lid is shut", "close the lid"),
        ("the soup should be hot", "heat the soup"),
        ("can the box be moved to the hall", "move the box to the hall"),
    ],
)
def test_wishes_and_passives_become_commands(said: str, command: str) -> None:
    assert command in list(restate(said))


def test_base_forms() -> None:
    words = ("moved", "putting", "chilled", "taken", "emptied", "warming", "placed", "kitchen", "red")
    assert [lemma(w) for w in words] == [
        *("move", "put", "chill", "take", "empty", "warm", "place", None, None),
    ]


@needs_model
def test_verbs_and_complaints_are_read_by_meaning_or_not_at_all() -> None:
    by = embedding.load()
    found = [verb(s, by) for s in ("deactivate something", "haul something to something", "unlock something")]
    assert [f and f[0] for f in found] == ["off", "put", None]
    amiss = [remedy(s, by) for s in ("it is awfully dusty", "someone is parched", "it is beautiful")]
    assert [a and a[0] for a in amiss] == ["clean", "drink", None]
    assert verb("deactivate something", Lexical()) is None


@needs_model
@pytest.mark.slow
def test_what_it_was_developed_on_is_read_with_precision() -> None:
    report = evaluate(EmbeddedReader(), load_instructions(DEVSET), Engine.named("pyperplan"))
    assert report.precision is not None and report.precision >= 0.95
    assert report.coverage is not None and report.coverage >= 0.8
