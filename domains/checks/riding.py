"""Ways of the robot besides driving: actions that take it somewhere else, such as a lift or a ferry.

Routes know only of driving, so with such an action in a pack no order of errands and no plan is shown to be
the cheapest. Reaching into a thing from what it is in or on, and stepping back, lead nowhere else, as long as
the thing stays where it is. What is not recognised as harmless by its form counts as a way; more forms may be
added.
"""

from __future__ import annotations

from ..action import Action
from ..formula import Atom
from ..mapping import SceneMapping
from ..pddl import Domain


def rides(domain: Domain, mapping: SceneMapping, contained: bool) -> tuple[str, ...]:
    """Return the actions besides driving that may take the robot, or what it stands at, somewhere else.

    ``contained`` says that each thing is in one place and that the robot stands at nothing that it holds.
    """
    at = mapping.robot_position.predicate
    others = [a for a in domain.actions.values() if not mapping.actions[a.name].navigation]
    if not any(a.predicate == at for action in others for a in action.add):
        return ()
    return tuple(a.name for a in others if not (contained and _harmless(a, mapping)))


def _harmless(action: Action, mapping: SceneMapping) -> bool:
    """Return whether an action, by its form, leaves the robot in its room: it reaches or moves things."""
    at, held = mapping.robot_position.predicate, mapping.robot_held.predicate
    relations = {r.predicate for r in mapping.relations.values() if len(r.args) == 2}
    links = [a for a in action.precondition if a.predicate in relations]
    here = [a.args[0] for a in action.precondition if a.predicate == at]
    moved = [a for a in (*action.add, *action.delete) if a.predicate in (*relations, held)]
    targets = [a.args[0] for a in action.add if a.predicate == at and a.args[0] not in here]
    if targets:
        along = all(any({source, t} <= set(link.args) for source in here for link in links) for t in targets)
        return along and not moved
    return all(
        Atom(held, atom.args[:1]) in action.precondition
        or any(set(link.args[1:]) <= set(here) for link in links if link.args[0] == atom.args[0])
        for atom in moved
        if atom not in action.precondition or atom in action.delete
    )
