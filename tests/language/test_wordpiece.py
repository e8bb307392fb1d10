"""WordPiece gives the ids that the reference implementation gives (``tokenizers`` 0.23, recorded)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundplan.language.english.wordpiece import MAX_TOKENS, encode, vocabulary

RECORDED = {
    "Put the orange on the kitchen bench into the fridge.": [
        *(101, 2404, 1996, 4589, 2006, 1996, 3829, 6847, 2046, 1996, 16716, 1012, 102)
    ],
    "This can be found in the peter's office.": [
        *(101, 2023, 2064, 2022, 2179, 1999, 1996, 2848, 1005, 1055, 2436, 1012, 102)
    ],
    "": [101, 102],
    "\t \n": [101, 102],
    "CAF\xc9 d\xe9j\xe0-vu": [101, 7668, 2139, 3900, 1011, 24728, 102],
    "a" * 101 + " b": [101, 100, 1038, 102],
    "\u4e2d\u6587 text": [101, 1746, 1861, 3793, 102],
    "don\u2019t \u2014 stop\u2026": [101, 2123, 1521, 1056, 1517, 2644, 1529, 102],
    "x\u200by\xad": [101, 1060, 2100, 102],
    "50\xb0C & \xa33.20": [101, 2753, 7737, 2278, 1004, 28182, 1012, 2322, 102],
    "unbelievably refrigerated": [101, 4895, 8671, 2666, 3567, 6321, 25416, 3089, 4590, 4383, 102],
    "\u0130stanbul \u01c5 \ufb01ne": [101, 9960, 100, 1984, 2638, 102],
    "q\u0130\xe7bunD\u4e2d": [101, 18816, 27421, 8630, 1746, 102],
    " [\xf1~mF3y##able_4a": [
        *(101, 1031, 1050, 1066, 1049, 2546, 2509, 2100, 1001, 1001, 2583, 1035, 26424, 102)
    ],
    "gunt\U000e0001\u5b57\xdf\u0391>F2Afridge\xc4 ": [
        *(101, 3282, 2102, 100, 1096, 14608, 1028, 1042, 2475, 10354, 9438, 2050, 102)
    ],
}


@pytest.mark.parametrize("text", RECORDED)
def test_the_ids_are_those_of_the_reference(text: str) -> None:
    assert encode(text) == RECORDED[text]


def test_the_vocabulary_is_complete() -> None:
    assert len(vocabulary()) == 30_522
    assert vocabulary()["[PAD]"] == 0


@given(st.text())
def test_any_text_gives_known_ids_in_bounds(text: str) -> None:
    ids = encode(text)
    assert ids[0] == 101
    assert ids[-1] == 102
    assert set(ids) <= set(vocabulary().values())


def test_long_texts_are_cut() -> None:
    assert len(encode("fridge " * 10_000)) == MAX_TOKENS
    assert len(encode("(" * 1_000_000)) == MAX_TOKENS
    assert encode("x" * 1_000_000) == [101, 100, 102]


def test_a_special_token_in_a_text_is_text() -> None:
    assert 103 not in encode("[MASK]")
    assert encode("[CLS]").count(101) == 1
