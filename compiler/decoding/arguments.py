"""Step 1 of a decoding grammar (steps: ``decoding/__init__.py``): arguments of predicates that a node fits.

A node fits an argument of a predicate when its type is right, when it has the affordances that the pack's
``[requires]`` names, and when some action or event can bring the fact about for such a node, or the fact
holds now: ``closed`` only for what closes, put only into what holds things, filled only for vessels,
``under`` only for what lies under something. All of it follows from the pack, which is what to change for
other goals. Whatever changes the text of a grammar makes recorded answers (cassettes) unusable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from ...domains.action import Action
from ...domains.formula import PASSING, Var, step_atom
from ...domains.pack import Pack, forbidden_steps
from ...simulator.belief import Belief
from ...simulator.scene import Node

Argument = tuple[str, int]
"""A predicate and the index of one of its arguments."""

Achiever = tuple[str, tuple[str, ...]]
"""The type of an action's parameter and the unary static preconditions on it."""


@dataclass(frozen=True, slots=True)
class _Requirements:
    """Conditions for a node to be an argument: a type but not another, unary statics, a way to come about.

    ``achievers`` are the parameters of actions and events that add the fact with the node there; ``None``
    for a derived predicate.
    """

    argument: Argument
    type: str
    excluded: str | None
    statics: tuple[str, ...]
    achievers: tuple[Achiever, ...] | None


class FittingArguments:
    """The arguments that the nodes of one belief fit."""

    def __init__(self, belief: Belief) -> None:
        self.belief, self.pack = belief, belief.pack
        self.requirements = (*_requirements(self.pack), *_step_requirements(self.pack))
        self._holders = cache(self._nodes_at)

    def of(self, node: Node) -> frozenset[Argument]:
        """Return the arguments that a node fits."""
        return frozenset(r.argument for r in self.requirements if self._fits(node.id, r))

    def _fits(self, name: str, required: _Requirements) -> bool:
        """Return whether a node is an argument of a fact that can come about, or that holds now."""
        belief, kind = self.belief, self.pack.mapping.types[self.belief.scene.nodes[name].type]
        if kind == required.excluded or not belief.has_type(name, required.type):
            return False
        if required.achievers is None:
            return True
        return self._holds(name, required.statics) and (
            any(belief.has_type(name, t) and self._holds(name, s) for t, s in required.achievers)
            or name in self._holders(required.argument)
        )

    def _holds(self, name: str, statics: Iterable[str]) -> bool:
        return all(name in self._holders((static, 0)) for static in statics)

    def _nodes_at(self, argument: Argument) -> frozenset[str]:
        """Return the nodes that the facts of a predicate have at an argument now."""
        predicate, index = argument
        return frozenset(args[index] for args in self.belief.facts.all(predicate))


def _requirements(pack: Pack) -> Iterator[_Requirements]:
    """Yield the requirements of every argument that a goal may name."""
    achievers, room = _achievers(pack), pack.mapping.types.get("room", "room")
    for predicate in pack.public_predicates():
        derived = pack.mapping.derived.get(predicate)
        for index, kind in enumerate(parameter_types(pack, predicate)):
            variable = Var("xy"[index : index + 1])
            required = pack.requirements.needed.get(predicate, ())
            yield _Requirements(
                argument=(predicate, index),
                type=kind,
                excluded=room if derived == "room" and index == 0 else None,
                statics=tuple(r.predicate for r in required if r.args == (variable,)),
                achievers=None if derived is not None else tuple(achievers[predicate, index]),
            )


def _step_requirements(pack: Pack) -> Iterator[_Requirements]:
    """Yield what each argument of a step that a goal may forbid requires, by each action that prints it.

    A way has rooms at its ends, since no grammar names a pose.
    """
    steps = forbidden_steps(pack)
    for index in range(2):
        place = pack.mapping.types.get("room", "room")
        yield _Requirements((step_atom(PASSING, ()).predicate, index), place, None, (), None)
    for action in pack.manipulations:
        step = pack.mapping_of(action.name).step
        if step is None or (step.predicate, len(step.args)) not in steps:
            continue
        kinds = {p.name: p.type for p in action.parameters}
        for index, term in enumerate(step.args):
            if isinstance(term, Var):
                argument, kind = (step_atom(step.predicate, ()).predicate, index), kinds[term.name]
                unary = _unary(action, term, pack.fluents)
                yield _Requirements(argument, kind, None, (), ((kind, unary),))


def _unary(action: Action, term: Var, changing: Collection[str]) -> tuple[str, ...]:
    """Return the predicates that an action asks of a parameter alone, but for the changing ones."""
    conditions = (c.predicate for c in action.precondition if c.args == (term,))
    return tuple(predicate for predicate in conditions if predicate not in changing)


def _achievers(pack: Pack) -> defaultdict[Argument, dict[Achiever, None]]:
    """Return the parameters of actions and events that each argument of an added fact can come from."""
    actions = pack.domain.actions.values()
    added = frozenset(atom.predicate for action in actions for atom in action.add)
    achievers: defaultdict[Argument, dict[Achiever, None]] = defaultdict(dict)
    for action in actions:
        kinds = {p.name: p.type for p in action.parameters}
        for atom in action.add:
            for index, term in enumerate(atom.args):
                if isinstance(term, Var):
                    achievers[atom.predicate, index][kinds[term.name], _unary(action, term, added)] = None
    return achievers


def parameter_types(pack: Pack, predicate: str) -> tuple[str, ...]:
    """Return the PDDL type that a goal predicate requires of each argument."""
    meaning = pack.mapping.derived.get(predicate)
    if meaning is None:
        return tuple(p.type for p in pack.domain.predicates[predicate].parameters)
    if meaning == "room":
        return ("object", pack.mapping.types.get("room", "room"))
    return (pack.navigation.parameters[-1].type,)
