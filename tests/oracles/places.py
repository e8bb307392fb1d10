"""Small scenes in which things stand at poses of rooms, and all that a robot can do in them.

The search is that of ``doors``. ``python -P -m oracles.places --worlds 300``, in ``tests``, compares what
planning says of random goals with it.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator

from groundplan.simulator.scene import Link, Node, Scene
from oracles.doors import compared


def scene(seed: int) -> Scene:
    """Return one to three rooms with poses in most, joined by their poses, and some that nothing joins."""
    draw = random.Random(seed)
    rooms = [f"room{i}" for i in range(1, draw.randint(1, 3) + 1)]
    nodes = [Node(room, "room", classes=("room",)) for room in rooms]
    poses, links = list[str](), list[Link]()
    for number in range(draw.randint(2, 5)):
        room = draw.choice([*rooms, None])
        pose = f"p({number})"
        nodes.append(Node(pose, "pose", room))
        if poses and draw.random() < 0.9:
            links.append(Link(draw.choice(poses), pose, draw.randint(1, 5)))
        poses.append(pose)
    for room in rooms:
        inside = [node.id for node in nodes if node.parent == room]
        for end in draw.sample(inside or poses, min(len(inside or poses), draw.choice((0, 1, 1, 1, 2)))):
            links.append(Link(room, end, draw.randint(1, 5)))
    stops = [*rooms, *poses, *poses]
    nodes.append(Node("table", "asset", draw.choice(stops), "in", ("table",), ("release",)))
    box = ("open", "close", "release")
    nodes.append(Node("box", "asset", draw.choice(stops), "in", ("box",), box, ("closed",)))
    for name in ("cup", "ball")[: draw.randint(1, 2)]:
        parent = draw.choice([*stops, "table", "box"])
        relation = "inside_of" if parent == "box" else "ontop_of"
        words = ("pickup", "release") if name == "cup" and draw.random() < 0.3 else ("pickup",)
        nodes.append(Node(name, "object", parent, relation, (name,), words))
    nodes.append(Node("agent", "agent", at=draw.choice(stops)))
    return Scene(f"places {seed}", {node.id: node for node in nodes}, tuple(links))


def goal(seed: int, of: Scene) -> str:
    """Return a goal of one to three literals about the robot, places and things."""
    draw = random.Random(f"goal {seed}")
    rooms, things, poses = of.by_type["room"], of.by_type["object"], of.by_type["pose"]

    def literal() -> str:
        thing = draw.choice(things)
        kinds = {
            "at": f"(robot_at {draw.choice(rooms)})",
            "pose": f'(robot_at "{draw.choice(poses)}")',
            "asset": f"(robot_at {draw.choice(('table', 'box'))})",
            "in": f"(in_room {thing} {draw.choice(rooms)})",
            "table": f"(ontop_of {thing} table)",
            "box": f"(inside_of {thing} box)",
            "hold": f"(holding {thing})",
            "some": f"(exists (?r - room) (and (in_room {thing} ?r) (robot_at ?r)))",
        }
        return kinds[draw.choice(list(kinds))]

    parts = [literal() for _ in range(draw.randint(1, 3))]
    parts = [f"(not {p})" if draw.random() < 0.2 else p for p in parts]
    return f"(and {' '.join(parts)})" if len(parts) > 1 else parts[0]


def verdicts(seed: int, goals: int = 6, engine: str = "pyperplan") -> Iterator[tuple[str, str]]:
    """Yield what planning made of each goal of a scene."""
    return compared(seed, goals, engine, scene, goal)


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--worlds", type=int, default=50)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--engine", default="pyperplan")
    chosen = options.parse_args()
    counts: Counter[str] = Counter()
    for number in range(chosen.first, chosen.first + chosen.worlds):
        for text, verdict in verdicts(number, engine=chosen.engine):
            counts[verdict] += 1
            if verdict not in ("right", "refused", "not proved", "optimal"):
                print(number, text, verdict, flush=True)
    print(dict(counts))
