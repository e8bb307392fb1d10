"""The words of VirtualHome's graphs, for reading and writing.

Properties and states that are not listed become attributes of a node. For another word to have an effect, add
it here with its affordances or as a state of the household pack. The spelling is the simulator's and stays.
"""

from __future__ import annotations

from collections.abc import Mapping

FLOORS = frozenset(("floor", "floors"))
"""Categories of floors."""
DROPPED = FLOORS | frozenset("wall walls ceiling ceilings doors windows".split())
"""Categories of the shell of a house."""

AFFORDANCES: Mapping[str, tuple[str, ...]] = {
    "GRABBABLE": ("pickup",),
    "CAN_OPEN": ("open", "close"),
    "HAS_SWITCH": ("turn_on", "turn_off"),
    "SURFACES": ("release",),
    "CONTAINERS": ("release", "contain"),
    "RECIPIENT": ("release", "contain", "fill"),
}
"""The affordances of each property; other properties are attributes."""

STATES = frozenset("OPEN CLOSED ON OFF CLEAN DIRTY".split())

UNSORTED = "placable_objects"
"""A category that says nothing; the one written for nodes of a single class."""


def node_name(class_name: str, number: str) -> str:
    """Return the id of a node: class and number, kept apart where the class ends in a digit."""
    return f"{class_name}_{number}" if class_name[-1:].isdigit() else f"{class_name}{number}"
