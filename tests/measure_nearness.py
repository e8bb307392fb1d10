"""Print how often a thing of a goal is in the room where the goal needs it, as beliefs near the goal have it.

    python -P tests/measure_nearness.py [SET ..]        house-planning, building-planning and the office's

Counted are the things that a gold goal names together with furniture or a room, once for each task: whether
one of those rooms is where the thing is at the beginning. Beside it, how many would be by chance, one of the
scene's rooms each.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.library import load_set
from groundplan.datasets.task import Task
from groundplan.domains.formula import names
from groundplan.domains.pack import load_pack
from groundplan.planners.online.looking import onward_of
from groundplan.simulator.belief import ground

SETS = ("house-planning", "building-planning", "office-planning-simple", "office-planning-long")


def counted(task: Task) -> list[tuple[bool, int]]:
    """Return for each thing of a task whether it is in a room of the goal, and the number of rooms."""
    belief = ground(task.load(), load_pack())
    scene, goal = belief.scene, parse_goal(task.gold.goal).formula
    things = [n for n in names(goal) if n in scene.nodes and scene.nodes[n].type == "object"]
    onward = onward_of(goal, belief, things, belief.start)
    cases = []
    for thing in things:
        places = [p for p in onward[thing] if scene.nodes[p].type in ("asset", "room")]
        rooms = {place if scene.nodes[place].type == "room" else scene.room_of(place) for place in places}
        if rooms:
            cases.append((scene.room_of(thing) in rooms, len(scene.by_type["room"])))
    return cases


def main(sets: Sequence[str]) -> None:
    print("| set | things | in a room of the goal | by chance |")
    print("|---|---|---|---|")
    for name in sets:
        cases = [case for task in load_set(name) for case in counted(task)]
        chance = sum(1 / rooms for _, rooms in cases)
        print(f"| {name} | {len(cases)} | {sum(near for near, _ in cases)} | {chance:.1f} |")


if __name__ == "__main__":
    main(sys.argv[1:] or SETS)
