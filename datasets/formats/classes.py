"""Classes of things in files of other programs: how goals spell them, and what can be done with them.

Class names are lower case, words joined by underscores. Many files give no more than the class, so a table
(``classes.toml``) says what is furniture, and what that is used for. Graphs from perception (Hydra, for one)
label objects with the words of a segmentation network, COCO's or ADE20K's; a class that is not listed can be
picked up. Spelling and table are a convention: a change of them changes the scenes of Spark-DSG,
ConceptGraphs, HOV-SG and Stanford's files, and the goals that people have written for them. :func:`implied`
is LookPlanGraph's rule and stays. What words mean a state or an affordance is said in the household pack.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ...domains.pack import load_pack

TABLES: Mapping[str, Any] = tomllib.loads(
    files(__package__).joinpath("classes.toml").read_text(encoding="utf-8")
)
WORDS: Mapping[str, Mapping[str, Mapping[str, list[str]]]] = tomllib.loads(
    files(__package__).joinpath("words.toml").read_text(encoding="utf-8")
)
"""What the words of other formats mean here: by format, node types, relations and affordances."""
MAX_NAME = 1000
"""Characters of a class, at most; a longer text is no class that a goal would name, and stays as it is."""
_PERCEIVED = [(frozenset(row["classes"].split()), row["affordances"]) for row in TABLES["perceived"]]
FIXED = frozenset[str]().union(*(classes for classes, _ in _PERCEIVED))
_DOOR, _SWITCH = ("open", "close", "release"), ("turn_on", "turn_off")
_IMPLIED: Mapping[str, tuple[str, ...]] = {"open": _DOOR, "closed": _DOOR, "on": _SWITCH, "off": _SWITCH}


def class_name(words: str) -> str:
    """Spell a class as goals do.

    >>> from groundplan.datasets.formats.classes import class_name
    >>> class_name("DiningTable"), class_name("dining table"), class_name("TVStand")
    ('dining_table', 'dining_table', 'tv_stand')
    """
    if len(words) > MAX_NAME:
        return words
    out: list[str] = []
    text = words.strip()
    for index, character in enumerate(text):
        before, after = text[index - 1 : index], text[index + 1 : index + 2]
        starts = character.isupper() and (before.islower() or (before.isupper() and after.islower()))
        if starts and out and out[-1] != "_":
            out.append("_")
        out.append("_" if character.isspace() or character in "-/" else character.lower())
    return "".join(out)


def abilities(kind: str) -> tuple[str, tuple[str, ...]]:
    """Return the node type and the affordances of a class."""
    if kind not in FIXED:
        return "object", ("pickup",)
    return "asset", tuple(
        dict.fromkeys(word for classes, some in _PERCEIVED if kind in classes for word in some)
    )


def phrase_abilities(kind: str) -> tuple[str, tuple[str, ...]]:
    """Return the same of a class of several words that is not in the table: those of its last words.

    For labels of an open vocabulary: a ``folded_chair`` is a chair, and a ``chair_cushion`` a cushion.
    """
    while kind not in FIXED and "_" in kind:
        kind = kind.partition("_")[2]
    return abilities(kind)


def implied(kind: str, states: tuple[str, ...]) -> tuple[str, ...]:
    """Return the affordances of a node for which a file gives none (LookPlanGraph, appendix A.1.1).

    All objects can be picked up, things can be put on all assets, a node that is open or closed can be opened
    and closed and takes things in, and one that is on or off can be turned on and off.
    """
    first = {"object": ("pickup",), "asset": ("release",)}.get(kind)
    if first is None:
        return ()
    return tuple(dict.fromkeys((*first, *(a for s in states for a in _IMPLIED.get(s.lower(), ())))))


@cache
def state_words() -> frozenset[str]:
    """Return the states that mean a fact in the household pack: ``open``, ``closed``, ``on`` and so on."""
    return frozenset(word for word, atoms in load_pack().mapping.states.items() if atoms)


@cache
def affordance_words() -> frozenset[str]:
    """Return the affordances of the household pack: ``pickup``, ``open``, ``turn_on`` and so on."""
    return frozenset(load_pack().mapping.affordances)
