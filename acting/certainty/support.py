"""Support of a proof: what was given and never seen, without which there might be a plan.

A robot that plans with a scene that may be wrong cannot call a goal impossible because of where a thing was
given, how a piece of furniture was, or that a door was shut. So the goal is planned for once more, with what
nobody has seen as good as it could be: things on the floor of the nearest room, furniture in every state at
once, doors open that nothing opens, and what may be so already taken for so. Where the scene may lack things,
there are tools for everything in that room, too. Where even that is impossible, the proof rests on nothing
unseen; otherwise the robot has to look at what that plan uses, which is everywhere for a tool that nobody
told of.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from ...compiler.goals.goal import Goal
from ...domains.formula import (
    FALSE,
    TRUE,
    And,
    Count,
    Exists,
    Forall,
    Formula,
    Or,
    Var,
    conjunction,
    disjunction,
    names,
)
from ...engines.base import Budget
from ...engines.engine import Engine
from ...planners.classical import plan_goal
from ...simulator.belief import Belief
from ...simulator.observations.observation import Spot
from ...simulator.scene import RELATIONS, THINGS, Node
from ...simulator.sensing.open_state import OpenBelief
from ...simulator.trajectory import left_over
from ..looking import needed_kinds, quantified, rested_on
from .knowledge import Knowledge
from .remaining import instances, ranges_over_missing

TOOLS = {"\0tool1": "object", "\0tool2": "object", "\0tool3": "asset", "\0tool4": "asset"}
"""Names and types of tools that there may be; no node of a scene that was read has such a name."""


@dataclass(frozen=True, slots=True)
class Support:
    """Nodes that a proof rests on and that were never seen, and the spots from which doors are seen.

    With ``anywhere`` it rests on there being nothing that was not given.
    """

    nodes: tuple[str, ...] = ()
    views: tuple[Spot, ...] = ()
    anywhere: bool = False


def unseen_support(knowledge: Knowledge, engine: Engine, budget: Budget, lacks: bool = False) -> Support:
    """Return what a proof that what remains of a goal is impossible rests on and nobody has seen.

    With ``lacks`` the scene may lack things.
    """
    belief, run = knowledge.belief, knowledge.run
    due = (left_over(rule, run.world.memory.states[rule]) for rule in run.due)
    goal = conjunction([knowledge.remaining, *due])
    unsure = _unsure_nodes(knowledge)
    shut, views = _doors_never_seen(knowledge)
    if not unsure and not views and not lacks:
        return Support()
    near = _nearest_room(knowledge)
    tools = _tools(near, belief) if lacks else {}
    if lacks and (not tools or _may_lack_what_it_ranges_over(goal, belief, tools)):
        return Support(anywhere=True)
    away = _never_seen(knowledge)
    named = [name for name in rested_on(goal, belief) if name in unsure]
    hoped = _hoped(goal, _at_its_best(knowledge, away, named))
    if hoped == TRUE:
        return Support(tuple(named), views)
    if hoped == FALSE:
        return Support()
    otherwise = _moved(knowledge, away, near, shut, tools)
    for name, node in (*unsure.items(), *tools.items()):
        _add_all_states(node, otherwise, knowledge.observed.in_part.get(name, ()))
    result = plan_goal(Goal.of(hoped), otherwise, engine, budget)
    if result.outcome == "unsolvable":
        return Support()
    used = {argument for action in result.plan or () for argument in action.args}
    rested = tuple(name for name in unsure if name in named or name in used)
    return Support(rested, views, anywhere=not used.isdisjoint(tools))


def _unsure_nodes(knowledge: Knowledge) -> dict[str, Node]:
    """Return the things and furniture with a place that were never seen, and then those seen in part."""
    scene, observed = knowledge.belief.scene, knowledge.observed
    placed = {name: node for name, node in scene.nodes.items() if name not in scene.unplaced}
    unseen = {i: node for i, node in placed.items() if node.type in THINGS and i not in observed.seen}
    return unseen | {name: placed[name] for name in observed.in_part if name in placed}


def _never_seen(knowledge: Knowledge) -> list[str]:
    """Return the movable things with a place that were never seen."""
    nodes = _unsure_nodes(knowledge).items()
    return [i for i, node in nodes if node.type == "object" and i not in knowledge.observed.seen]


def _doors_never_seen(knowledge: Knowledge) -> tuple[frozenset[str], tuple[Spot, ...]]:
    """Return the doors that are shut as given and were never seen, and the spots from which they are seen."""
    belief = knowledge.belief
    here, doors = knowledge.run.world.state.here, belief.scene.doors.items()
    shut = {ends: d for ends, d in doors if d not in knowledge.observed.seen and ends in belief.shut_ways}
    ends = (end for end, _ in shut if belief.routes.connected(here, end))
    return frozenset(shut.values()), tuple(dict.fromkeys(map(Spot, ends)))


def _nearest_room(knowledge: Knowledge) -> str | None:
    routes, here = knowledge.belief.routes, knowledge.run.world.state.here
    rooms = (r for r in knowledge.belief.scene.by_type.get("room", ()) if routes.connected(here, r))
    return min(rooms, key=lambda room: routes.distance(here, room), default=None)


def _moved(
    knowledge: Knowledge,
    away: Sequence[str],
    room: str | None,
    open_doors: Container[str],
    tools: Mapping[str, Node],
) -> Belief:
    """Return a belief with tools, with things on the floor of a room, and with some doors open."""
    belief = knowledge.belief
    change = {name: {"parent": room, "relation": RELATIONS[1]} for name in away if room is not None}
    links = tuple(replace(x, door="" if x.door in open_doors else x.door) for x in belief.scene.links)
    moved = belief.on(replace(belief.scene.changed(add=tools.values(), change=change), links=links))
    return replace(moved, facts=moved.facts.copy())


def _at_its_best(knowledge: Knowledge, away: Sequence[str], named: Sequence[str]) -> OpenBelief:
    """Return the state in which what is unseen may be anywhere, and in any state."""
    scene, observed = knowledge.belief.scene, knowledge.observed
    named = [name for name in named if name in away]
    unsure = (name for name in _unsure_nodes(knowledge) if name not in observed.seen and name not in away)
    return OpenBelief(
        knowledge.belief,
        knowledge.spots,
        (*scene.unplaced, *named),
        unsure=named,
        doubted=named,
        in_part={**dict.fromkeys(unsure, ()), **observed.in_part},
    )


def _tools(room: str | None, belief: Belief) -> dict[str, Node]:
    """Return tools in a room that can do all that a pack has words for; none without a room."""
    mapping = belief.pack.mapping
    able, sorts = tuple(mapping.affordances), tuple(mapping.classes)
    return {
        name: Node(name, kind, room, RELATIONS[1], classes=sorts, affordances=able)
        for name, kind in (TOOLS if room is not None else {}).items()
    }


def _may_lack_what_it_ranges_over(goal: Formula, belief: Belief, tools: Mapping[str, Node]) -> bool:
    """Return whether one more thing could make a goal true, or a tool false that is there to help."""
    needed = any(belief.may_have_unseen(kind, THINGS) for kind in needed_kinds(goal, True))
    return needed or any(
        belief.is_type(kind) or kind in tool.classes
        for kind in needed_kinds(goal, False)
        for tool in tools.values()
    )


def _add_all_states(node: Node, belief: Belief, sure: Container[str]) -> None:
    """Make true of a node what any word for a state says of it, and what rules then may say.

    What is said with ``sure`` predicates stays as it is.
    """
    mapping, facts = belief.pack.mapping, belief.facts
    of_node = (Var("x"),)
    of_words = (a for atoms in mapping.states.values() for a in atoms if a.args == of_node)
    stated = {atom.predicate for atom in of_words if atom.predicate not in sure}
    for predicate in stated:
        facts.add(predicate, (node.id,))
    for rule in mapping.rules:
        plain = all(atom.args == of_node for atom in (rule.add, *rule.when))
        # A state that excludes the rule need not be that of the node; all else is as it is.
        of_itself = (atom.predicate for atom in rule.unless if atom.args == of_node)
        against = [predicate for predicate in of_itself if predicate not in stated]
        holds = all(facts.holds(atom.predicate, (node.id,)) for atom in rule.when)
        holds = holds and not any(facts.holds(predicate, (node.id,)) for predicate in against)
        if plain and holds and node.type in rule.types and rule.add.predicate not in sure:
            facts.add(rule.add.predicate, (node.id,))
            stated.add(rule.add.predicate)


def _hoped(goal: Formula, state: OpenBelief) -> Formula:
    """Return a goal without the parts about unseen things that may be so already."""
    match goal:
        case And(parts):
            return conjunction([_hoped(part, state) for part in parts])
        case Or(parts):
            return disjunction([_hoped(part, state) for part in parts])
        case Forall(variables, body) | Exists(variables, body) if not ranges_over_missing(variables, state):
            return goal
        case Forall(variables, body):  # what is unobserved may not be there
            each = instances(variables, body, state, state.doubted)
            return conjunction([_hoped(part, state) for part in each])
        case Exists(variables, body):
            return disjunction([_hoped(part, state) for part in instances(variables, body, state)])
        case Count(_, _, variables, _):
            return TRUE if ranges_over_missing(variables, state) else goal
    about = {*names(goal), *(n for kind in quantified(goal) for n in state.known_members(kind))}
    if about.isdisjoint(state.missing):
        return TRUE if not about.isdisjoint(state.in_part) and state.decide(goal) is None else goal
    return goal if state.decide(goal) is False else TRUE
