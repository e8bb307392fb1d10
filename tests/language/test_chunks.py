"""Chunks: the kinds of words by what stands around them, and no rule that nothing needs."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from groundplan.language.english import chunks
from groundplan.language.english.chunks import kinds, sentences

RARE = (
    "Niko likes whatever is left.",
    "Take all pens but one.",
    "Bring only the red pen.",
    "I am going to read.",
    "Bring a sock like the one in the wardrobe.",
    "It is partly open.",
    "He skipped breakfast.",
    "Put book 3 on the dresser.",
    "The tie on which the bowl stands.",
    "Close the cabinet, but before that open the fridge.",
    "Bring it to where the postdocs sit.",
    "Do turn on the radio?",
    "There should be exactly one apple in the cabinet.",
    "Turn it on once.",
    "The fridge must stay closed.",
    "Coffee keeps running onto the floor.",
    "The plate someone left is filthy.",
    "I want books on the desk.",
    "Turn off the lamps and open cabinet 4.",
    "Put the bowl and clean fork on the table.",
    "Test the coffee machine by switching it on.",
)


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Put the plate in the sink.", "vnpn"),
        ("Could you open it?", "msvo"),
        ("The plate needs washing.", "nwg"),
        ("Turn the lamp off.", "vne"),
        ("Take it off the table.", "vopn"),
        ("I want the fridge open.", "swna"),
        ("Put the can in the bin.", "vnpn"),
        ("Will can help Will.", "nmvn"),
        ("Bring me the mug that he left.", "vrnksd"),
        ("Clean mugs.", "vn"),
        ("Do not open it.", "mxvo"),
        ("Make sure that both of them are closed.", "vobd"),
    ],
)
def test_words_are_chunks_by_their_place(text: str, letters: str) -> None:
    (row,) = sentences(text)
    assert kinds(row) == letters


def test_no_rule_is_without_a_sentence_that_reaches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    reached: set[int] = set()

    def counted(number: int, applies: Callable[..., bool]) -> Callable[..., bool]:
        def rule(*spot: object) -> bool:
            reached.update({number} if (yes := applies(*spot)) else ())
            return yes

        return rule

    rules = chunks._KINDS
    monkeypatch.setattr(
        chunks, "_KINDS", tuple((kind, counted(i, applies)) for i, (kind, applies) in enumerate(rules))
    )
    sentences.cache_clear()
    for file in sorted(Path(__file__).parent.glob("*.json")):
        for instruction in json.loads(file.read_text(encoding="utf-8"))["instructions"]:
            sentences(instruction["text"])
    for text in RARE:
        sentences(text)
    sentences.cache_clear()
    assert [i for i in range(len(rules)) if i not in reached] == []
