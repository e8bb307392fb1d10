"""Acting episodes in small drawn worlds, of which the robot is told something that is not so.

    python -P tools/drawn_worlds.py --count 2000

What it is told is all, the scene with one thing moved, left out or added, the furniture, or where it is. Each
episode is traced and replayed, and judged by what is so in the true world after the steps that were done, by
an evaluation of its own. ``verified`` is false where the goal does not hold there, unless it was said what is
taken for granted and that is not so; ``unsolvable`` where the goal holds, or has a plan from the start.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from groundplan import Engine, Request, ground, load_pack, parse_goal
from groundplan.acting import Episode, LeastExpectedCost, NearestUnlooked, OptimisticNearest, act_in
from groundplan.compiler.goals.goal import Goal
from groundplan.domains import formula as f
from groundplan.domains.errors import GoalError
from groundplan.planners.classical import plan_goal
from groundplan.robot.trace import SavedTrace, Trace, replay
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.scene_json import scene_from_json, scene_to_json
from groundplan.simulator.sensing import Environment, with_hidden
from groundplan.simulator.sensing.hiding import unexplored
from groundplan.simulator.world import World

PACK, ENGINE = load_pack(), Engine.named("pyperplan")
INSIDE, ON = "inside_of", "ontop_of"
OPENS = ("open", "close", "release")
TOLD = ("all", "moved", "left out", "added", "furniture", "here")


@dataclass
class Drawn:
    """A world that is drawn at random, what the robot is told of it, and goals about it."""

    draw: random.Random

    def __post_init__(self) -> None:
        draw = self.draw
        self.rooms = [f"room{i}" for i in range(draw.randint(2, 5))]
        nodes, links = [Node(room, "room") for room in self.rooms], []
        for number, room in enumerate(self.rooms[1:], 1):
            if draw.random() < 0.06:
                continue  # an island
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
            ways = (OPENS, OPENS, OPENS, OPENS[2:], ("open", "release"))
            affordances = draw.choice(ways) if relation == INSIDE else OPENS[2:]
            kind = ("chest",) if relation == INSIDE else ("table",)
            nodes.append(Node(name, "asset", draw.choice(self.rooms), "in", kind, affordances, state))
        self.things = [f"thing{i}" for i in range(draw.randint(1, 4))]
        self.fixed = [*nodes, Node("agent", "agent", draw.choice(self.rooms), "in")]
        self.links = tuple(links)
        self.kinds = {thing: draw.choice(("cup", "apple")) for thing in self.things}
        self.places = {thing: draw.choice(list(self.relations)) for thing in self.things}
        self.truth = self.world(self.places)
        self.told = draw.choice(TOLD)
        self.given = self._given()

    def world(self, places: Mapping[str, str], without: str = "") -> Belief:
        """Return the world with its things in or on these places."""
        movable = [
            Node(thing, "object", place, self.relations[place], (self.kinds[thing],), ("pickup",))
            for thing, place in places.items()
            if place != without
        ]
        fixed = (node for node in self.fixed if node.id != without)
        return ground(_as_read(Scene("drawn", {n.id: n for n in (*fixed, *movable)}, self.links)), PACK)

    def _given(self) -> Belief:
        """Return the scene that the robot is told of, whole."""
        thing, place = self.draw.choice(self.things), self.draw.choice(list(self.relations))
        match self.told:
            case "moved":
                return self.world({**self.places, thing: place})
            case "left out" if self.draw.random() < 0.3:
                return self.world(self.places, without=place)
            case "left out":
                return self.world({name: at for name, at in self.places.items() if name != thing})
            case "added":
                self.kinds["ghost"] = self.draw.choice(("cup", "apple"))
                return self.world({**self.places, "ghost": place})
        return self.truth

    def belief(self, goal: Goal) -> Belief:
        """Return what the robot knows of it at the start."""
        named = [name for name in f.names(goal.formula) if name in self.truth.scene.nodes]
        if self.told == "furniture":
            return with_hidden(self.truth, named=named)
        return unexplored(self.truth, named=named) if self.told == "here" else self.given

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
        if draw.random() < 0.2:
            kind, general = (
                "chest",
                draw.choice(("(closed ?x)", "(open ?x)", f"(in_room ?x {self.rooms[0]})")),
            )
        count = draw.choice(("exactly", "at-least", "at-most"))
        forms = [
            fact,
            f"(not {fact})",
            f"(exists (?x - {kind}) {general})",
            f"(forall (?x - {kind}) {general})",
            f"(forall (?x - {kind}) (not {general}))",
            f"(not (exists (?x - {kind}) {general}))",
            f"({count} {draw.randint(0, 2)} (?x - {kind}) {general})",
        ]
        if depth:
            forms += [f"({word} {self.goal(depth - 1)} {self.goal(depth - 1)})" for word in ("and", "or")]
        return draw.choice(forms)


def _as_read(scene: Scene) -> Scene:
    return scene_from_json(scene_to_json(scene), scene.name)


class Judge:
    """Truth in a world after steps, from its scene and the facts of the simulator alone."""

    def __init__(self, truth: Belief, acted: Episode) -> None:
        self.nodes, self.world = truth.scene.nodes, World(truth)
        for step in acted.trajectory.executed:
            self.world.apply(step)

    def so(self, goal: f.Formula, bound: Mapping[str, str] = {}) -> bool:
        match goal:
            case f.Not(part):
                return not self.so(part, bound)
            case f.And(parts):
                return all(self.so(part, bound) for part in parts)
            case f.Or(parts):
                return any(self.so(part, bound) for part in parts)
            case f.Exists(variables, body) | f.Forall(variables, body) | f.Count(_, _, variables, body):
                ranges = [self.members(v.type) for v in variables]
                names = [v.name for v in variables]
                values = [
                    self.so(body, {**bound, **dict(zip(names, c, strict=True))}) for c in product(*ranges)
                ]
                if isinstance(goal, f.Count):
                    kind, most = goal.kind, goal.number
                    return {"exactly": sum(values) == most, "at-most": sum(values) <= most}.get(
                        kind, sum(values) >= most
                    )
                return all(values) if isinstance(goal, f.Forall) else any(values)
            case f.Atom(predicate, args):
                names = [bound[a.name] if isinstance(a, f.Var) else a for a in args]
                return all(name in self.nodes for name in names) and self.fact(predicate, *names)
        raise AssertionError(goal)

    def members(self, kind: str) -> list[str]:
        return [name for name, node in self.nodes.items() if kind == node.type or kind in node.classes]

    def fact(self, predicate: str, *args: str) -> bool:
        if predicate != "in_room":
            return self.world.state.facts.holds(predicate, args)
        at = args[0]
        while at not in (args[1], ""):
            ups = [self.world.state.facts.with_argument(p, 0, at) for p in (INSIDE, ON)]
            above = [names[1] for found in ups for names in found]
            at = above[0] if above else self.carried_to(at)
        return at == args[1]

    def carried_to(self, name: str) -> str:
        if self.nodes[name].type == "object":  # in the hand
            at = self.world.state.stands_at
            return at if self.nodes[at].type != "object" else ""
        return self.nodes[name].parent or ""


def held(assumes: tuple[str, ...], drawn: Drawn, known: Belief) -> bool:
    """Return whether what a run takes for granted was so: all of the kinds, or all rooms, were known."""
    for sentence in assumes:
        kinds = [kind for kind in ("cup", "apple", "object", "chest") if f"every {kind} " in sentence]
        assert kinds or "rooms" in sentence, sentence
        for name, node in drawn.truth.scene.nodes.items():
            of_kind = any(kind == node.type or kind in node.classes for kind in kinds)
            if (of_kind or (not kinds and node.type == "room")) and name not in known.scene.nodes:
                return False
    return True


@dataclass(frozen=True)
class DrawnEpisode:
    """One run: how it ended, and what is wrong with that, if anything is."""

    seed: int
    goal: str
    told: str
    outcome: str
    reached: bool
    assumes: tuple[str, ...] = ()
    fault: str = ""


def episode(seed: int) -> DrawnEpisode:
    """Draw a world and a goal, act, replay and judge."""
    drawn = Drawn(random.Random(seed))
    goal = parse_goal(drawn.goal())
    policy = drawn.draw.choice((NearestUnlooked(), OptimisticNearest(), LeastExpectedCost()))
    world = Environment(drawn.truth, failure=drawn.draw.choice((0.0, 0.3)), seed=seed)
    trusts = drawn.told in ("all", "furniture", "here") and drawn.draw.random() < 0.5
    trace = Trace()
    try:
        request = Request(drawn.belief(goal), goal=goal)
        acted = Episode(request, policy, ENGINE, confirm=not trusts, recorder=trace)
    except GoalError:  # of two places at once, or of a room that the robot has never heard of
        return DrawnEpisode(seed, str(goal), drawn.told, "none", False)
    finish = act_in(world, acted)
    assert finish is not None
    reached, faults = Judge(drawn.truth, acted).so(goal.formula), []
    if acted.trajectory.executed_mm != world.moved_mm or reached != world.judge(goal.formula).reached:
        faults.append("otherwise than the world says")
    if finish.outcome == "verified" and not reached and held(finish.assumes, drawn, acted.belief):
        faults.append("false verified")
    if finish.outcome == "unsolvable" and (reached or plan_goal(goal, drawn.truth, ENGINE).verified):
        faults.append("false unsolvable")
    replayed = replay(SavedTrace(tuple(trace.lines), cut=False), request)
    if not replayed.replays:
        faults.append(f"line {replayed.line}: {replayed.reason}")
    told = drawn.told + (", trusted" if trusts else "")
    return DrawnEpisode(seed, str(goal), told, finish.outcome, reached, finish.assumes, "; ".join(faults))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    done = []
    for seed in range(options.first, options.first + options.count):
        done.append(episode(seed))
        if done[-1].fault:
            print(done[-1], flush=True)
    over_all = [e for e in done if e.outcome == "verified" and not e.told.endswith("trusted")]
    over_all = [
        e for e in over_all if any(w in e.goal for w in ("forall", "not (exists", "at-most", "exactly"))
    ]
    print(f"{len(done)} episodes, {sum(bool(e.fault) for e in done)} with a fault")
    print(sorted(Counter((e.told, e.outcome) for e in done).items()))
    assumed = sum(bool(e.assumes) for e in over_all)
    print(f"verified over all of a class: {len(over_all)}, of them {assumed} take something for granted")


if __name__ == "__main__":
    main()
