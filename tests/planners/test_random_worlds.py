"""Random goals in random small worlds that are known in part: no end is said that is not so.

Some rooms are behind doors that are open, closed, or shut for good; what the robot knows is all, something
wrong, the furniture, or where it is; steps fail. ``verified`` is held against the true world at the end, and
``unsolvable`` as well: a goal that holds there, or for which there is a plan at the start, is not impossible.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from groundplan import Engine, Request, ground, load_pack, parse_goal
from groundplan.compiler.goals.goal import Goal
from groundplan.domains.errors import GoalError
from groundplan.domains.formula import names
from groundplan.planners.classical import plan_goal
from groundplan.planners.online import (
    Execution,
    LeastExpectedCost,
    NearestUnlooked,
    OptimisticNearest,
    act_in,
)
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.sensing import Environment, with_hidden
from groundplan.simulator.sensing.hiding import unexplored

PACK, ENGINE = load_pack(), Engine.named("pyperplan")
EPISODES = 300
INSIDE, ON = "inside_of", "ontop_of"
OPENS = ("open", "close", "release")


@dataclass
class Drawn:
    """A world that is drawn at random, and goals about it."""

    draw: random.Random

    def __post_init__(self) -> None:
        draw = self.draw
        self.rooms = [f"room{i}" for i in range(draw.randint(2, 5))]
        nodes, links = [Node(room, "room") for room in self.rooms], []
        for number, room in enumerate(self.rooms[1:], 1):
            other, door = draw.choice(self.rooms[:number]), None
            if draw.random() < 0.6:
                door = f"door{number}"
                affordances = OPENS[:2] if draw.random() < 0.85 else ()
                state = (draw.choice(("open", "closed", "closed")),)
                nodes.append(
                    Node(door, "asset", draw.choice((room, other)), "in", ("door",), affordances, state)
                )
            links.append(Link(room, other, draw.randint(1, 6), door=door))
        self.relations: dict[str, str] = {}
        for number in range(draw.randint(2, 5)):
            name, relation = f"asset{number}", draw.choice((INSIDE, ON))
            self.relations[name] = relation
            state = (draw.choice(("open", "closed")),) if relation == INSIDE else ()
            affordances = draw.choice((OPENS, OPENS, OPENS, OPENS[2:])) if relation == INSIDE else OPENS[2:]
            nodes.append(Node(name, "asset", draw.choice(self.rooms), "in", (), affordances, state))
        self.things = [f"thing{i}" for i in range(draw.randint(1, 4))]
        self.fixed = [*nodes, Node("agent", "agent", draw.choice(self.rooms), "in")]
        self.links = tuple(links)
        self.kinds = {thing: draw.choice(("cup", "apple")) for thing in self.things}
        self.truth = self.world({thing: draw.choice(list(self.relations)) for thing in self.things})

    def world(self, places: dict[str, str]) -> Belief:
        """Return the world with its things in or on these places."""
        movable = [
            Node(thing, "object", place, self.relations[place], (self.kinds[thing],), ("pickup",))
            for thing, place in places.items()
        ]
        return ground(Scene("drawn", {n.id: n for n in (*self.fixed, *movable)}, self.links), PACK)

    def belief(self, goal: Goal) -> Belief:
        """Return what the robot knows: all, something wrong, the furniture, or where it is."""
        match self.draw.randrange(4):
            case 0:
                return self.truth
            case 1:
                return self.world({thing: self.draw.choice(list(self.relations)) for thing in self.things})
            case 2:
                return with_hidden(self.truth, named=names(goal.formula))
        return unexplored(self.truth, named=names(goal.formula))

    def atom(self, thing: str) -> str:
        """Return a fact about a thing, or about a variable."""
        if self.draw.random() < 0.5:
            return f"(in_room {thing} {self.draw.choice(self.rooms)})"
        if self.draw.random() < 0.2:
            return f"(holding {thing})"
        place = self.draw.choice(list(self.relations))
        return f"({self.relations[place]} {thing} {place})"

    def goal(self, depth: int = 2) -> str:
        """Return a goal about things, or about all or some of a class."""
        draw, kind = self.draw, self.draw.choice(("cup", "apple", "object"))
        fact, general = self.atom(draw.choice(self.things)), self.atom("?x")
        count = draw.choice(("exactly", "at-least", "at-most"))
        forms = [
            fact,
            f"(not {fact})",
            f"(exists (?x - {kind}) {general})",
            f"(forall (?x - {kind}) {general})",
            f"(not (exists (?x - {kind}) {general}))",
            f"({count} {draw.randint(0, 2)} (?x - {kind}) {general})",
        ]
        if depth:
            forms += [f"({word} {self.goal(depth - 1)} {self.goal(depth - 1)})" for word in ("and", "or")]
        return draw.choice(forms)


def test_no_end_is_said_that_is_not_so() -> None:
    ends: Counter[str] = Counter()
    for seed in range(EPISODES):
        drawn = Drawn(random.Random(seed))
        goal = parse_goal(drawn.goal())
        policy = drawn.draw.choice((NearestUnlooked(), OptimisticNearest(), LeastExpectedCost()))
        world = Environment(drawn.truth, failure=drawn.draw.choice((0.0, 0.3)), seed=seed)
        try:
            execution = Execution(Request(drawn.belief(goal), goal=goal), policy, ENGINE)
        except GoalError:  # of two places at once, or of a room that the robot has never heard of
            continue
        finish = act_in(world, execution)
        assert finish is not None and execution.executed_mm == world.moved_mm
        ends[finish.outcome] += 1
        reached = world.judge(goal.formula).reached
        assert reached or finish.outcome != "verified", (seed, str(goal))
        if finish.outcome == "unsolvable":
            possible = reached or plan_goal(goal, drawn.truth, ENGINE).verified
            assert not possible, (seed, str(goal), finish.reasons)
    assert {"verified", "unsolvable", "not-found"} <= set(ends) and ends["verified"] > EPISODES / 3
