"""The walk through a house that nobody knew, and the map that the robot made of it, as lines.

Rooms stand with the mean place of their cells that were seen, passages with the rooms they join, and things
with their places (x, z) in metres; what is in or on furniture stands behind it. The whole map is in the JSON
of the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...domains.errors import clip
from .terminal import HEAD, NAME, QUIET, Screen, number_of

MAX_THINGS = 12
"""Most things of a room that stand without others, each on a line."""


def show_house(screen: Screen, house: Mapping[str, Any]) -> None:
    """Print how the robot drove, what it found, and its map."""
    driver, graph = house["driver"], house["graph"]
    by = f"{house['metres']:g} m in {house['moves']} moves, driven by {driver['name']}"
    screen.heading("House", f"{house['explorer']}, {by}")
    lost = [(driver["no_way"], "without a way"), (driver["given_up"], "not reached in their moves")]
    parts = [f"{count} {how}" for count, how in lost if count]
    screen.line(", ".join((number_of(driver["goals"], "goal"), *parts)), prefix=["  "])
    for find in house["finds"]:
        after = f"  after {find['metres']:g} m"
        screen.line((f"found {_spoken(find['target'])}: {find['id']}", NAME), (after, QUIET), prefix=["  "])
    screen.line()
    screen.line("the robot's map", prefix=["  "])
    things = graph["things"]
    held: dict[str, list[str]] = {}
    for name, thing in things.items():
        above = thing["parent"] if thing["parent"] in things else thing["room"]
        held.setdefault(above, []).append(name)
    for room, at in graph["rooms"].items():
        screen.line((room, HEAD), (f"  {_place(at)}" if at else "  no floor seen", QUIET), prefix=["  "])
        listed = held.get(room, [])
        for name in listed[:MAX_THINGS]:
            inner = ", ".join(_spoken(things[one]["type"]) for one in held.get(name, []))
            title = f"{_spoken(things[name]['type'])} {name}"
            place = f"  {_place(things[name]['at'])}"
            screen.line((title, NAME), (place, QUIET), f"  with {inner}" if inner else "", prefix=["    "])
        if len(listed) > MAX_THINGS:
            screen.line((f"and {len(listed) - MAX_THINGS} more", QUIET), prefix=["    "])
    for name, passage in graph["passages"].items():
        state = "shut" if passage["closed"] else "open"
        joined = " and ".join(passage["rooms"]) or "nobody knows what"
        screen.line((name, NAME), f"  {state}, joins {joined}", prefix=["  "])


def _spoken(kind: str) -> str:
    return clip(kind.replace("_", " "), 60)


def _place(at: Sequence[float]) -> str:
    return f"({at[0]:.1f}, {at[1]:.1f})"
