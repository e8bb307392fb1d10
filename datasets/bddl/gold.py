"""Plans for BEHAVIOR's activities, and instructions for those of ``grasif-behavior``: BDDL has neither.

``gold.json`` has them by the name of an activity, each for one text of its problem file, known by its hash.
``tools/behavior_gold.py`` makes it. An instruction is the goal said in words, or EAI's sentence where that
asks for the same (``by``). A plan is ours, in the pack of its task, and the goal graph of a task is what it
leads to, as in GRASIF (LookPlanGraph, section 5). An activity without one has no plan there. Plans of
activities outside of GRASIF's are those that the evaluator of the ``bddl`` package confirms.
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
    """An instruction for an activity, the source of its words, and printed steps.

    The words are by ``goal`` or ``EAI``, and of an activity without an instruction its ``name``.
    """

    by: str = "name"
    instruction: str = ""
    plan: tuple[str, ...] = ()


def gold_of(text: str) -> ActivityGold:
    """Return what there is for the text of an activity's file."""
    return _stored().get(digest(text), ActivityGold())


def digest(text: str) -> str:
    """Return the hash by which the text of an activity is known."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


@cache
def _stored() -> Mapping[str, ActivityGold]:
    raw = json.loads(resources.files(__package__).joinpath("gold.json").read_text(encoding="utf-8"))
    return {
        entry["sha256"]: ActivityGold(
            entry.get("by", "name"), entry.get("instruction", ""), tuple(entry["plan"])
        )
        for entry in raw.values()
    }
