"""Instructions and plans for the activities of ``grasif-behavior``: BDDL has neither.

``gold.json`` has them by the name of an activity, each for one text of its problem file, known by its hash.
``tools/behavior_gold.py`` makes it. An instruction is the goal said in words, or EAI's sentence where that
asks for the same (``by``). A plan is ours, and the goal graph of a task is what it leads to, as in GRASIF
(LookPlanGraph, section 5); an activity without one has no plan in the household.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class ActivityGold:
    """An instruction for an activity, the source of its words (``goal`` or ``EAI``), and printed steps."""

    sha256: str
    by: str
    instruction: str
    plan: tuple[str, ...]


def gold_of(name: str, text: str) -> ActivityGold | None:
    """Return what there is for an activity by its name and the text of its file; ``None`` for another."""
    gold = _stored().get(name)
    return gold if gold is not None and gold.sha256 == digest(text) else None


def digest(text: str) -> str:
    """Return the hash by which the text of an activity is known."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


@cache
def _stored() -> Mapping[str, ActivityGold]:
    raw = json.loads(resources.files(__package__).joinpath("gold.json").read_text(encoding="utf-8"))
    return {
        name: ActivityGold(entry["sha256"], entry["by"], entry["instruction"], tuple(entry["plan"]))
        for name, entry in raw.items()
    }
