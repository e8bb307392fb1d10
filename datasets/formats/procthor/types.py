"""The object types of AI2-THOR and their abilities (AI2-THOR's documentation, "Object types").

A house in ProcTHOR's own JSON names assets only; the abilities of an asset are in a database that is not part
of the house. The type decides it there for most assets, so a table (``classes.toml``) stands for it. Where a
file states abilities itself (the compact form) the file is followed. The four sets of abilities follow that
page; :data:`CONTAINERS`, :data:`ON_TOP` and the synonyms are ours and may be changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..classes import TABLES, class_name

_TABLE: Mapping[str, frozenset[str]] = {
    key: frozenset(text.split()) for key, text in TABLES["ai2thor"].items()
}
ABILITIES = ("pickupable", "openable", "toggleable", "receptacle")
PICKUPABLE, CONTAINERS, ON_TOP = (_TABLE[key] for key in ("pickupable", "containers", "on_top"))
NAMES = _TABLE["other"].union(*(_TABLE[able] for able in ABILITIES))
"""The types of AI2-THOR."""


def abilities(kind: str) -> frozenset[str]:
    """Return the abilities of a type: a subset of pickupable, openable, toggleable, receptacle."""
    return frozenset(able for able in ABILITIES if kind in _TABLE[able])


@cache
def _types_by_word() -> dict[str, str]:
    return {name.lower(): name for name in sorted(NAMES)} | _ASSETS


_ASSETS = {
    "papertowel": "PaperTowelRoll",
    "saltpeppershakerbnydsalt": "SaltShaker",
    "towelstatue": "Statue",
}
"""Words of assets that begin with the name of another type."""

_SYNONYMS = {
    "bin": "GarbageCan",
    "racquet": "TennisRacket",
    "remote": "RemoteControl",
    "decor_photo": "Painting",
}


def kind_of(name: str) -> str:
    """Return the type in an asset's name or in the head of an id; empty where there is none.

    Numbers say which asset of a type it is (``Sink_26``, ``Dresser_315_1``); some assets put the place before
    the type (``Bathroom_Faucet_1``) or a shape after it (``CountertopIx``).
    """
    words = [w for w in class_name(name.replace("_", " ")[:200]).split("_") if w and not w[0].isdigit()]
    types = _types_by_word()
    for start in range(len(words)):
        for end in range(len(words), start, -1):
            kind = types.get("".join(words[start:end]))
            if kind:
                return kind
    joined = "".join(words)
    heads = [word for word in types if len(word) >= 4 and joined.startswith(word)]
    if heads:
        return types[max(heads, key=len)]
    return next((kind for word, kind in _SYNONYMS.items() if word in "_".join(words)), "")
