"""The worked example of SayPlan (Rana et al. 2023, appendices K and L), from the published facts."""

from __future__ import annotations

DOORS, PLAIN = ["open", "close", "release"], ["release"]


def asset(name: str, room: str, state: str, affordances: list[str]) -> dict[str, object]:
    return {"room": room, "state": state, "affordances": affordances, "id": name}


def example() -> dict[str, object]:
    """The home of the paper's example ("make a coffee for Tom"), written from the published facts."""
    rooms = ["bobs_room", "toms_room", "jacks_room", "kitchen", "livingroom"]
    return {
        "nodes": {
            "room": [{"id": r} for r in rooms],
            "pose": [{"id": f"pose{i}"} for i in range(1, 6)],
            "agent": [{"location": "bobs_room", "id": "agent"}],
            "asset": [
                asset("bed2", "toms_room", "free", PLAIN),
                asset("wardrobe2", "toms_room", "closed", DOORS),
                asset("fridge", "kitchen", "closed", DOORS),
                asset("coffee_machine", "kitchen", "off", ["turn_on", "turn_off"]),
                asset("bed1", "bobs_room", "free", PLAIN),
                asset("wardrobe1", "bobs_room", "closed", DOORS),
            ],
            "object": [
                {
                    "affordances": ["pickup"],
                    "state": "inside_of(wardrobe1)",
                    "attributes": "blue",
                    "id": "coffee_mug",
                }
            ],
        },
        "links": [
            *("bobs_room<->pose1", "bobs_room<->agent", "bobs_room<->bed1", "bobs_room<->wardrobe1"),
            *("toms_room<->pose1", "toms_room<->pose2", "toms_room<->pose5", "toms_room<->bed2"),
            *("toms_room<->wardrobe2", "jacks_room<->pose2", "jacks_room<->pose3", "kitchen<->pose3"),
            *("kitchen<->pose4", "kitchen<->pose5", "kitchen<->fridge", "kitchen<->coffee_machine"),
            *("livingroom<->pose4", "wardrobe1<->coffee_mug"),
        ],
    }


FIRST_PLAN = """goto(bobs_room)
access(wardrobe1)
pickup(coffee_mug)
goto(kitchen)
access(coffee_machine)
release(coffee_mug)
turn_on(coffee_machine)
turn_off(coffee_machine)
pickup(coffee_mug)
goto(toms_room)
access(wardrobe2)
release(coffee_mug)
done
"""
"""The first plan that the paper prints: refused, since the wardrobe is closed."""

SECOND_PLAN = FIRST_PLAN.replace("access(wardrobe1)\n", "access(wardrobe1)\nopen(wardrobe1)\n")
"""The plan that the paper prints as verified."""
