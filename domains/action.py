"""Action schemas of STRIPS: parameters, positive preconditions, add and delete lists, and a cost.

Conditions must stay conjunctions of positive atoms. Every engine accepts these, and they are enough: a
condition that something does *not* hold is written with the complementary predicate (``closed`` beside
``open``). An event is an action that happens by itself; it only adds facts. Fields may be added to a schema:
they are read in ``pddl``, bound in :meth:`Action.ground` and written in ``compiler/pddl``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .formula import Atom, GroundAtom, TypedVar, Var


@dataclass(frozen=True, slots=True)
class Action:
    """An action schema; ``cost`` in millimetres, or ``None`` for the length of the route it drives."""

    name: str
    parameters: tuple[TypedVar, ...]
    precondition: tuple[Atom, ...]
    add: tuple[Atom, ...]
    delete: tuple[Atom, ...]
    cost: int | None = 0
    distinct: bool = False
    """True if no two arguments may be the same object; PDDL lets them."""

    def allows(self, args: Sequence[str]) -> bool:
        """Return whether the action may have these arguments, where it asks for different ones."""
        return not self.distinct or len(set(args)) == len(args)

    def ground(self, args: tuple[str, ...]) -> GroundAction:
        """Bind the parameters in order.

        Raises ``ValueError`` when the number of arguments differs from the number of parameters.
        """
        binding = {p.name: a for p, a in zip(self.parameters, args, strict=True)}
        return GroundAction(
            self.name,
            args,
            ground_all(self.precondition, binding),
            ground_all(self.add, binding),
            ground_all(self.delete, binding),
        )

    def ground_by(self, binding: Mapping[str, str]) -> GroundAction:
        """Bind the parameters by name. Raises ``KeyError`` where one is not bound."""
        return self.ground(tuple([binding[p.name] for p in self.parameters]))


@dataclass(frozen=True, slots=True)
class GroundAction:
    """A ground action: applicable where the precondition holds; it deletes, then adds."""

    name: str
    args: tuple[str, ...]
    precondition: tuple[GroundAtom, ...]
    add: tuple[GroundAtom, ...]
    delete: tuple[GroundAtom, ...]

    def __str__(self) -> str:
        return str(Atom(self.name, self.args))


def bind(atom: Atom, binding: Mapping[str, str]) -> Atom:
    """Replace the variables that are bound; the others stay."""
    # A list first: this is called thousands of times for one plan, and a generator costs half as much again.
    return Atom(
        atom.predicate, tuple([binding.get(a.name, a) if isinstance(a, Var) else a for a in atom.args])
    )


def ground_atom(atom: Atom, binding: Mapping[str, str]) -> GroundAtom:
    """Replace all variables. Raises ``KeyError`` where one is not bound."""
    return Atom(atom.predicate, tuple([binding[a.name] if isinstance(a, Var) else a for a in atom.args]))


def ground_all(atoms: tuple[Atom, ...], binding: Mapping[str, str]) -> tuple[GroundAtom, ...]:
    # As `ground_atom`, without a call for each atom.
    return tuple(
        [
            Atom(a.predicate, tuple([binding[t.name] if isinstance(t, Var) else t for t in a.args]))
            for a in atoms
        ]
    )


def bound_args(atom: Atom, binding: Mapping[str, str]) -> tuple[str | None, ...]:
    """Return the arguments of an atom under a binding, ``None`` where a variable is free."""
    return tuple([binding.get(a.name) if isinstance(a, Var) else a for a in atom.args])


def extend(
    atom: Atom, args: Sequence[str | None], binding: Mapping[str, str] | None = None
) -> dict[str, str] | None:
    """Return a binding extended so that an atom has some arguments, or ``None``; ``None`` stands for any."""
    result = dict(binding or {})
    for term, name in zip(atom.args, args, strict=True):
        if name is not None:
            value = result.setdefault(term.name, name) if isinstance(term, Var) else term
            if value != name:
                return None
    return result


def unify(pattern: Atom, fact: GroundAtom) -> dict[str, str] | None:
    """Return the binding that makes the pattern the ground fact, or ``None``."""
    if pattern.predicate != fact.predicate or len(pattern.args) != len(fact.args):
        return None
    return extend(pattern, fact.args)


@dataclass(frozen=True, slots=True)
class PlanAction:
    """One action of a plan: its name in the pack, its arguments in the scene, and whether it is an event."""

    name: str
    args: tuple[str, ...]
    event: bool = False

    def __str__(self) -> str:
        return str(Atom(self.name, self.args))


Plan = tuple[PlanAction, ...]
