"""Step 1 of a decoding grammar (steps: ``decoding/__init__.py``): arguments of predicates that a node fits.

A node fits an argument of a predicate when its type is right, when it has the affordances that the pack's
``[requires]`` names, and when some action or event can bring the fact about for such a node, or the fact
holds now: ``closed`` only for what closes, put only into what holds things, filled only for vessels,
``under`` only for what lies under something. All of it follows from the pack, which is what to change for
other goals. Whatever changes the text of a grammar makes recorded answers (cassettes) unusable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

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
    """The arguments that the nodes of one belief fit; worked out once for all nodes that are alike."""

    def __init__(self, belief: Belief) -> None:
        self.belief, self.pack = belief, belief.pack
        requirements = (*_requirements(self.pack), *_step_requirements(self.pack))
        self.by_type = {
            kind: [r for r in requirements if self.pack.domain.is_a(kind, r.type) and kind != r.excluded]
            for kind in dict.fromkeys(self.pack.mapping.types.values())
        }
        conditions = (c for r in requirements for c in (r.statics, *(s for _, s in r.achievers or ())))
        statics = dict.fromkeys(predicate for condition in conditions for predicate in condition)
        self.nodes_at: dict[Argument, frozenset[str]] = {}
        self.of_alike: dict[
            tuple[str, tuple[bool, ...]], tuple[frozenset[Argument], tuple[Argument, ...]]
        ] = {}
        self.statics = {predicate: self.holders((predicate, 0)) for predicate in statics}

    def of(self, node: Node) -> frozenset[Argument]:
        """Return the arguments that a node fits."""
        kind = self.pack.mapping.types[node.type]
        key = kind, tuple([node.id in holders for holders in self.statics.values()])
        if key not in self.of_alike:
            self.of_alike[key] = self.of_kind(*key)
        always, now = self.of_alike[key]
        held = [argument for argument in now if node.id in self.holders(argument)]
        return always.union(held) if held else always

    def of_kind(
        self, kind: str, holding: tuple[bool, ...]
    ) -> tuple[frozenset[Argument], tuple[Argument, ...]]:
        """Return the arguments that nodes of a type fit always, and those only where the fact holds now.

        ``holding`` says for each of ``statics`` whether it holds of the nodes.
        """
        holds = dict(zip(self.statics, holding, strict=True))
        always: list[Argument] = []
        now: list[Argument] = []
        for requirement in self.by_type[kind]:
            if requirement.achievers is None:
                always.append(requirement.argument)
            elif all(holds[static] for static in requirement.statics):
                attainable = any(
                    self.pack.domain.is_a(kind, parameter) and all(holds[static] for static in statics)
                    for parameter, statics in requirement.achievers
                )
                (always if attainable else now).append(requirement.argument)
        return frozenset(always), tuple(now)

    def holders(self, argument: Argument) -> frozenset[str]:
        """Return the nodes that the facts of a predicate have at an argument now."""
        if argument not in self.nodes_at:
            predicate, index = argument
            facts = self.belief.facts.all(predicate)
            self.nodes_at[argument] = frozenset(args[index] for args in facts)
        return self.nodes_at[argument]


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
