"""Print how often a thing of a goal is where beliefs of tasks expect it: near the goal, or where it is said.

    python -P tools/measure_nearness.py [SET ..]        house-planning, building-planning and the office's

Counted are the things that a gold goal names, once for each task: of those that it names together with
furniture or a room, how many are in a room of these at the beginning, and how many would be by chance, one of
the scene's rooms each; and of those whose instruction names rooms, or furniture, that the goal does not need,
how many are there.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence

from groundplan.acting.beliefs.naming import named_elsewhere
from groundplan.acting.looking import onward_of
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.library import load_set
from groundplan.datasets.task import Task
from groundplan.domains.formula import names
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground

SETS = ("house-planning", "building-planning", "office-planning-simple", "office-planning-long")


def counted(task: Task) -> Counter[str]:
    """Return the counts of one task."""
    belief = ground(task.load(), load_pack())
    scene, goal = belief.scene, parse_goal(task.gold.goal).formula
    things = [n for n in names(goal) if n in scene.nodes and scene.nodes[n].type == "object"]
    onward = onward_of(goal, belief, things, belief.start)
    counts: Counter[str] = Counter()
    for thing in things:
        places = [p for p in onward[thing] if scene.nodes[p].type in ("asset", "room")]
        near = {place if scene.nodes[place].type == "room" else scene.room_of(place) for place in places}
        rooms, furniture = named_elsewhere(task.instruction, goal, belief)
        counts["things"] += 1
        counts["with a place"] += bool(near)
        counts["in its room"] += scene.room_of(thing) in near
        counts["by chance"] += 1 / len(scene.by_type["room"]) if near else 0
        counts["room said"] += bool(rooms)
        counts["in it"] += scene.room_of(thing) in rooms
        counts["furniture said"] += bool(furniture)
        counts["at it"] += scene.nodes[thing].parent in furniture
    return counts


COLUMNS = (
    "things", "with a place", "in its room", "by chance", "room said", "in it", "furniture said", "at it",
)  # fmt: skip


def main(sets: Sequence[str]) -> None:
    print("| set | " + " | ".join(COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for name in sets:
        counts: Counter[str] = Counter()
        for task in load_set(name):
            counts += counted(task)
        print(f"| {name} | " + " | ".join(f"{round(counts[column], 1)}" for column in COLUMNS) + " |")


if __name__ == "__main__":
    main(sys.argv[1:] or SETS)
