"""Synonyms of everyday things, and misspelt words put right.

Words for one thing are grouped here as far as households and offices need them; a group may be added where an
embedding does not find two words alike. A word is put right by one slip of the keyboard, and only where
English does not have it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from .wordpiece import vocabulary
from .words import singular

SAME = tuple(
    frozenset(group.split("|"))
    for group in (
        "fridge|refrigerator|icebox", "bin|trash can|garbage can|waste bin|dustbin|wastebasket",
        "rubbish|trash|garbage|waste|litter", "monitor|screen|display", "phone|mobile|cell phone|smartphone"
        "|telephone|cellphone|mobile phone|cell", "mug|cup", "parcel|package", "cupboard|closet",
        "cabinet|cupboard|locker",
        "bench|counter|worktop|countertop|counter top|worksurface", "biscuit|cookie", "chip|crisp",
        "tshirt|shirt|tee|tee shirt|t shirt", "soda|pop|soft drink|fizzy drink|coke|cola",
        "picture|photo|photograph", "picture frame|photo frame|frame|photo|photograph|picture",
        "thesis|dissertation", "document|printout|print out|printed page|hard copy",
        "cafeteria|canteen|lunchroom|lunch room|dining hall|dining room|mensa",
        "headphones|earphones|headset", "coffee machine|coffee maker|espresso machine|coffee maschine",
        "sofa|couch|settee", "towel|kitchen roll|paper roll|kitchen towel|tissue",
        "lobby|entrance hall|foyer|entrance|reception",
        "bottle water|water bottle|bottled water|mineral water|water", "drone|quadcopter|uav",
        "gripper|robot hand|robotic hand",
        "produce container|vegetable crate|vegetable box|produce box|veg box|veggie box|vegetable container",
        "pan|saucepan|pot", "tv|television|telly", "tap|faucet", "stove|hob|cooker", "desk|work desk",
        "table|dining table", "workbench|table", "vodka|liquor|booze", "cutlery|silverware|flatware",
        "salad|greek salad", "marker|felt pen|highlighter", "toolbox|tool box|tool kit|toolkit",
        "kale|kale leave",
        "fruit|piece of fruit", "can|tin", "core|stub", "peel|skin", "dorito|chip",
        "nacho|dorito|tortilla chip",
        "microwave|microwave oven", "dishwasher|dish washer", "drawer|cutlery drawer|kitchen drawer",
        "undergraduate|undergrad|bachelor",
        "jenga|janga", "monopoly|monopoly game", "lunch|dining", "storage|supply|supplies", "bay|cubicle",
        "bag|sack", "rug|carpet", "lamp|light", "washing machine|washer", "lab|laboratory",
        "trousers|pants", "fire extinguisher|extinguisher", "bread|loaf|loaf of bread",
    )
)  # fmt: skip
"""Words for one thing, in the singular."""


@lru_cache(maxsize=8192)
def synonyms(words: tuple[str, ...]) -> frozenset[str]:
    """Other words for the last one or two words of a phrase."""
    others: set[str] = set()
    for size in (2, 1):
        tail = words[-size:]
        if len(tail) == size:
            endings = {" ".join(tail), " ".join((*tail[:-1], singular(tail[-1])))}
            for group in SAME:
                if endings & group:
                    others |= group - endings
    return frozenset(others)


@lru_cache(maxsize=8192)
def is_english(word: str) -> bool:
    """Return whether English has a word, as far as the embedding's vocabulary says."""
    pieces = vocabulary()
    return any(w in pieces for w in (word, singular(word), word + "s")) or not word.isalpha()


def one_slip_apart(a: str, b: str) -> bool:
    """Return whether two words differ by one letter more, less, other, or by two neighbours swapped."""
    if a == b or abs(len(a) - len(b)) > 1 or min(len(a), len(b)) < 3:
        return False
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if a[at + 1 :] == b[at + 1 :] or a[at:] == b[at + 1 :] or a[at + 1 :] == b[at:]:
        return True
    return len(a) == len(b) and a[at : at + 2] == b[at : at + 2][::-1] and a[at + 2 :] == b[at + 2 :]


def corrected(word: str, words: Iterable[str]) -> str:
    """A misspelt word as the one it is a slip of; itself where English has it, or where none or several fit.

    The first letter is seldom wrong, unless two are swapped: "shaving" is not "having".
    """
    if is_english(word) or len(word) < 3:
        return word
    near = [w for w in dict.fromkeys(words) if one_slip_apart(word, w)]
    swapped = [w for w in near if sorted(w) == sorted(word)]
    candidates = swapped or [w for w in near if len(word) > 3 and w[0] == word[0]]
    return candidates[0] if swapped or len(candidates) == 1 else word
