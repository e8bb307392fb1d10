"""Small scenes with doors between rooms, and all that a robot can do in them, by trying every step.

The search knows nothing of planners, routes or drives through several rooms: it applies printed steps to
worlds, breadth first, until no new state comes up. ``python -P tests/oracles/doors.py --worlds 200`` compares
what planning says of random goals with it.
"""

from __future__ import annotations

import argparse
import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from groundplan import Engine, ground, load_pack, parse_goal, plan_goal
from groundplan.compiler.goals.checker import check
from groundplan.domains.evaluate import evaluate
from groundplan.engines.base import Budget
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.step import Step
from groundplan.simulator.world import Refusal, World

PACK = load_pack()
MOST_STATES = 20_000


def scene(seed: int) -> Scene:
    """Return two to four rooms in a tree or a ring, some of them behind poses, most with doors."""
    draw = random.Random(seed)
    rooms = [f"room{i}" for i in range(1, draw.randint(2, 4) + 1)]
    nodes = [Node(room, "room", classes=("room",)) for room in rooms]
    pairs = [(rooms[draw.randrange(i)], rooms[i]) for i in range(1, len(rooms))]
    if len(rooms) > 2 and draw.random() < 0.4:
        pairs += [(rooms[0], rooms[-1])] if (rooms[0], rooms[-1]) not in pairs else []
    links: list[Link] = []
    for number, (a, b) in enumerate(pairs, 1):
        own, other = (a, b) if draw.random() < 0.5 else (b, a)
        if draw.random() < 0.3:
            nodes.append(Node(f"pose{number}", "pose"))
            links.append(Link(f"pose{number}", other, draw.randint(1, 5)))
            other = f"pose{number}"
        kind = draw.random()
        door = f"door{number}" if kind < 0.8 else ""
        if door:
            affordances = ("open", "close") if kind < 0.6 else ("close",) if kind < 0.7 else ()
            state = ("closed",) if draw.random() < 0.7 else ("open",)
            nodes.append(Node(door, "asset", own, "in", ("door",), affordances, state))
        links.append(Link(own, other, draw.randint(1, 5), door))
    nodes.append(Node("table", "asset", draw.choice(rooms), "in", ("table",), ("release",)))
    for name in ("cup", "ball")[: draw.randint(1, 2)]:
        nodes.append(Node(name, "object", draw.choice([*rooms, "table"]), "ontop_of", (name,), ("pickup",)))
    nodes.append(Node("agent", "agent", at=draw.choice(rooms)))
    return Scene(f"doors {seed}", {node.id: node for node in nodes}, tuple(links))


@dataclass
class Reach:
    """All worlds that steps lead to from a belief."""

    belief: Belief
    worlds: list[World] = field(default_factory=list)
    complete: bool = True

    def __post_init__(self) -> None:
        start = World(self.belief)
        seen, todo = {key(start)}, deque([start])
        while todo:
            world = todo.popleft()
            self.worlds.append(world)
            if len(seen) > MOST_STATES:
                self.complete = False
                return
            for step in steps(world):
                after = world.fork()
                if isinstance(after.apply(step), Refusal):
                    continue
                if (state := key(after)) not in seen:
                    seen.add(state)
                    todo.append(after)


def key(world: World) -> frozenset[tuple[str, tuple[str, ...]]]:
    return frozenset((p, args) for p in PACK.fluents for args in world.state.facts.all(p))


def steps(world: World) -> Iterator[Step]:
    """Yield every step that could be done."""
    for node in world.scene.nodes.values():
        if node.type in ("room", "pose"):
            yield Step("goto", (node.id,))
        if node.type in ("asset", "object"):
            for name in ("access", "open", "close", "pickup", "release"):
                yield Step(name, (node.id,))


def goal(seed: int, of: Scene) -> str:
    """Return a goal of one to three literals about the robot, doors and things."""
    draw = random.Random(f"goal {seed}")
    rooms, things = of.by_type["room"], of.by_type["object"]
    doors = sorted(of.door_ends)

    def literal() -> str:
        kinds = ["at", "in", "table", "hold", *(["open", "closed", "at_door"] if doors else [])]
        match draw.choice(kinds):
            case "at":
                return f"(robot_at {draw.choice(rooms)})"
            case "in":
                return f"(in_room {draw.choice(things)} {draw.choice(rooms)})"
            case "table":
                return f"(ontop_of {draw.choice(things)} table)"
            case "hold":
                return f"(holding {draw.choice(things)})"
            case "at_door":
                return f"(robot_at {draw.choice(doors)})"
            case word:
                return f"({word} {draw.choice(doors)})"

    parts = [literal() for _ in range(draw.randint(1, 3))]
    parts = [f"(not {p})" if draw.random() < 0.15 else p for p in parts]
    return f"(and {' '.join(parts)})" if len(parts) > 1 else parts[0]


def compared(
    seed: int,
    goals: int = 6,
    engine: str = "pyperplan",
    scene_of: Callable[[int], Scene] = scene,
    goal_of: Callable[[int, Scene], str] = goal,
) -> Iterator[tuple[str, str]]:
    """Yield for each goal of a scene what planning made of it: *right*, *refused*, *missed* or a fault."""
    belief = ground(scene_of(seed), PACK)
    reach = Reach(belief)
    for number in range(goals):
        text = goal_of(100 * seed + number, belief.scene)
        asked = parse_goal(text)
        possible = any(evaluate(asked.formula, world) for world in reach.worlds)
        if not check(asked, belief).ok:
            yield text, "refused" if not possible else "refused though possible"
            continue
        result = plan_goal(asked, belief, Engine.named(engine), Budget(20))
        if result.verified:
            yield text, "right" if possible or not reach.complete else "false verified"
        elif result.outcome == "unsolvable":
            yield text, "false unsolvable" if possible else "right"
        else:
            yield text, f"missed: {result.outcome}" if possible else "not proved"
        if result.optimal and result.plan:
            yield text, "optimal"


if __name__ == "__main__":
    from collections import Counter

    options = argparse.ArgumentParser()
    options.add_argument("--worlds", type=int, default=50)
    options.add_argument("--first", type=int, default=0)
    chosen = options.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(chosen.first, chosen.first + chosen.worlds):
        for text, verdict in compared(seed):
            counts[verdict] += 1
            if verdict not in ("right", "refused", "not proved"):
                print(seed, text, verdict, flush=True)
    print(dict(counts))
