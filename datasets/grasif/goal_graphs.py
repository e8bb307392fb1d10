"""Goals from pairs of scene graphs, as GRASIF gives its tasks: the graph before and the graph to be reached.

Both graphs are grounded under a pack, so that defaults (a door without a state is closed) are the same in
both. Two forms of goals follow. Their names are kept in prepared sets and stay; another choice of facts is
another measure of success, so *whole* follows GRASIF's:

- *changed*: every fact of the goal graph that the initial graph lacks. Side effects are free.
- *whole*: every place, door and switch as in the goal graph, also those that are right at first: the frame.
  GRASIF's success rate requires every node to be right (section 6.3), so a door that a plan leaves open or a
  thing that it moves on the way counts against it.

The robot's final place belongs to neither: GRASIF's goal graphs come from one action
sequence, which ends where it happens to end. Effects of events (``hot``, ``clean``) are goal conditions where
the goal graph has them and never forbidden, since no plan can undo them; :func:`wrong_nodes` does count them.
"""

from __future__ import annotations

from typing import Literal, get_args

from ...domains.errors import SceneError, clip
from ...domains.exclusive import clash
from ...domains.formula import Atom, Formula, GroundAtom, Not, conjunction
from ...simulator.belief import Belief, ground
from ...simulator.facts import Facts
from ...simulator.scene import Scene
from ...simulator.world import World, visible

Form = Literal["changed", "whole"]
FORMS: tuple[Form, ...] = get_args(Form)


def goal_of_pair(initial: Belief, goal: Scene, form: Form = "changed") -> Formula:
    """Return the goal that turns the initial graph into the goal graph.

    Raises :class:`SceneError` where the graphs do not have the same nodes, or a fixed node stands elsewhere:
    no plan could make up for that.
    """
    _check_nodes(initial.scene, goal)
    final = ground(goal, initial.pack)
    now, then = dict.fromkeys(visible(initial)), dict.fromkeys(visible(final))
    affirmed = [a for a in then if form == "whole" or a not in now]
    conditions: list[Formula] = [*affirmed]
    undone = {d.predicate for a in initial.pack.domain.actions.values() for d in a.delete}
    for atom in now:
        # What another fact of the goal excludes needs no saying: a thing in one place is in no other.
        if atom in then or clash(atom, affirmed, initial.exclusive) is not None:
            continue
        if atom.predicate in undone:
            conditions.append(Not(atom))
        elif (instead := initial.pack.mapping.instead.get(atom.predicate)) is not None:
            conditions.append(Atom(instead, atom.args))
    return conjunction(conditions)


def wrong_nodes(final: World, goal: Belief) -> tuple[str, ...]:
    """Return the nodes of a final state that differ from the goal graph, in scene order: none is success.

    A node is right when all facts about it are (its place, door, switch, what happened to it).
    """
    reached, intended = _by_node(final.belief, final.state.facts), _by_node(goal, goal.facts)
    return tuple(n for n in goal.scene.nodes if reached.get(n, ()) != intended.get(n, ()))


def _by_node(belief: Belief, facts: Facts) -> dict[str, tuple[GroundAtom, ...]]:
    atoms_of: dict[str, list[GroundAtom]] = {}
    for atom in visible(belief, facts):
        if atom.args:
            atoms_of.setdefault(atom.args[0], []).append(atom)
    return {n: tuple(atoms) for n, atoms in atoms_of.items()}


def _check_nodes(initial: Scene, goal: Scene) -> None:
    for one, other, name in ((initial, goal, "goal"), (goal, initial, "initial")):
        missing = [i for i in one.nodes if i not in other.nodes]
        if missing:
            rest = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            hint = "plans make and destroy nothing: add the nodes, or leave them out of both graphs"
            raise SceneError(f"{name} graph", f"the node {clip(missing[0])}{rest}", "none", hint)
    for node in initial.nodes.values():
        then = goal.nodes[node.id]
        if node.type != then.type:
            raise SceneError(f"goal graph: node {clip(node.id)}", f"type {node.type}", then.type)
        if node.type not in ("object", "agent") and node.parent != then.parent:
            where = f"goal graph: node {clip(node.id)}"
            raise SceneError(where, f"a fixed place, in {clip(node.parent)}", clip(then.parent))
