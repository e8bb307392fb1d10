"""Node types and affordances by class, for scene graphs from perception that give only the class.

Such graphs (Hydra, for one) label objects with the words of a segmentation network, COCO's or ADE20K's, and
do not say what is fixed. This table stands for that knowledge: furniture and appliances stay where they are,
and a class that is not listed can be picked up. It is a convention: classes may be added or moved, which
changes the scenes of Spark-DSG and Stanford's files. :func:`implied` is LookPlanGraph's rule and stays.
"""

from __future__ import annotations

from collections.abc import Mapping

SURFACES = frozenset(
    """armchair bathtub bed bench bookcase bookshelf chair coffee_table conference_table couch counter
    countertop desk dining_table kitchen_island mantel nightstand ottoman pool_table rack seat shelf shelving
    side_table sink sofa stairs stand step stool swivel_chair table tray_table vanity workbench""".split()
)
"""Furniture to put things on."""

CLOSED = frozenset(
    """cabinet chest chest_of_drawers closet cupboard dishwasher dresser drawer freezer fridge locker oven
    refrigerator safe wardrobe washer washing_machine""".split()
)
"""Furniture with a door, to put things into."""

OPEN = frozenset("bin garbage_can recycling_bin trash_bin trash_can trashcan wastebasket".split())
"""Furniture to put things into at any time."""

SWITCHED = frozenset(
    """air_conditioner ceiling_fan chandelier computer fan fireplace floor_lamp lamp light monitor projector
    radiator screen stove television tv""".split()
)
"""Appliances and lamps that can be turned on and off."""

BOTH = frozenset("dishwasher microwave oven washer washing_machine".split())
"""Appliances with a door that can be turned on and off."""

FIXED = SURFACES | CLOSED | OPEN | SWITCHED | BOTH
FIXED |= frozenset(
    """blind blinds board ceiling column curtain door elevator fence floor handrail mirror painting person
    picture pillar pipe plant poster potted_plant railing rug shower sign toilet urinal wall whiteboard
window""".split()
)


def abilities(kind: str) -> tuple[str, tuple[str, ...]]:
    """Return the node type and the affordances of a class."""
    if kind not in FIXED:
        return "object", ("pickup",)
    affordances: list[str] = []
    if kind in SURFACES or kind in OPEN:
        affordances.append("release")
    if kind in CLOSED or kind in BOTH:
        affordances += _DOOR
    if kind in OPEN:
        affordances.append("contain")
    if kind in SWITCHED or kind in BOTH:
        affordances += _SWITCH
    return "asset", tuple(dict.fromkeys(affordances))


def phrase_abilities(kind: str) -> tuple[str, tuple[str, ...]]:
    """Return the same of a class of several words that is not in the table: those of its last words.

    For labels of an open vocabulary: a ``folded_chair`` is a chair, and a ``chair_cushion`` a cushion.
    """
    while kind not in FIXED and "_" in kind:
        kind = kind.partition("_")[2]
    return abilities(kind)


_DOOR, _SWITCH = ("open", "close", "release"), ("turn_on", "turn_off")
_IMPLIED: Mapping[str, tuple[str, ...]] = {"open": _DOOR, "closed": _DOOR, "on": _SWITCH, "off": _SWITCH}


def implied(kind: str, states: tuple[str, ...]) -> tuple[str, ...]:
    """Return the affordances of a node for which a file gives none (LookPlanGraph, appendix A.1.1).

    All objects can be picked up, things can be put on all assets, a node that is open or closed can be opened
    and closed and takes things in, and one that is on or off can be turned on and off.
    """
    first = {"object": ("pickup",), "asset": ("release",)}.get(kind)
    if first is None:
        return ()
    return tuple(dict.fromkeys((*first, *(a for s in states for a in _IMPLIED.get(s.lower(), ())))))
