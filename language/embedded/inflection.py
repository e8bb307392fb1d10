"""Participles and gerunds of English verbs, and the base forms that commands begin with."""

from __future__ import annotations

import re
from functools import lru_cache

IRREGULAR = {
    "taken": "take", "brought": "bring", "thrown": "throw", "put": "put", "set": "set", "made": "make",
    "given": "give", "shut": "shut", "left": "leave", "got": "get", "hung": "hang", "kept": "keep",
    "laid": "lay", "hidden": "hide", "held": "hold", "sent": "send", "found": "find", "dealt": "deal",
    "swept": "sweep", "run": "run", "done": "do", "stuck": "stick", "driven": "drive", "gone": "go",
    "turning": "turn", "running": "run", "putting": "put", "setting": "set", "getting": "get",
    "shutting": "shut", "being": "be", "lying": "lie", "took": "take", "threw": "throw", "gave": "give",
    "went": "go", "came": "come", "binned": "bin", "popped": "pop", "chilled": "chill", "cleared": "clear",
    "tidied": "tidy", "emptied": "empty", "carried": "carry", "dried": "dry", "passed": "pass",
    "dusted": "dust",
    "disposed": "dispose", "closed": "close", "opened": "open", "filled": "fill", "rinsed": "rinse",
    "built": "build",
    "collected": "collect", "delivered": "deliver", "gathered": "gather", "returned": "return",
    "dumped": "dump",
}  # fmt: skip
_NOT_VERBS = frozenset(
    "thing something anything nothing everything morning evening meeting printing recycling building ceiling"
    " string spring ring king during shed red bed need feed seed speed instead hundred sacred".split()
)
_SILENT = re.compile(r"(?:[aeiou](?:v|s|z|c|g|k|t|l|p|d|m|r)|[^aeiou]l|rg|dg|ng|rs|ns|rv|lv|nc|rc|ic)\Z")
_FULL_STEMS = frozenset(
    "clean load unload heat toast wait turn clear return deliver cool power empty open reheat collect wipe"
    " tidy scrub wash rinse dry fetch visit deposit".split()
)


@lru_cache(maxsize=4096)
def lemma(word: str) -> str | None:
    """The base form of a participle or gerund; ``None`` for a word that seems to be neither."""
    word = word.lower()
    if word in IRREGULAR:
        return IRREGULAR[word]
    ending = "ing" if word.endswith("ing") else "ed" if word.endswith("ed") else ""
    stem = word.removesuffix(ending)
    if not ending or word in _NOT_VERBS or len(stem) < 3:
        return None
    if stem in _FULL_STEMS:
        return stem
    if stem[-1] == stem[-2] and stem[-1] not in "ls":
        return stem[:-1]
    if stem.endswith("i") and ending == "ed":
        return stem[:-1] + "y"
    # "mov" and "plac" have lost an e, "warm" and "heat" have not.
    if stem[-1] == stem[-2]:
        return stem
    double = len(stem) > 2 and stem[-3] in "aeiou" and stem[-2] in "aeiou"
    return stem + "e" if _SILENT.search(stem) and not double else stem
