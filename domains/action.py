"""Action schemas: what an action or event of a domain needs and does.

Conditions are conjunctions of positive atoms. That is what every engine accepts, and it is enough:
a condition that something is *not* so is written with the complementary predicate (``closed`` beside
``open``). An event is an action that happens by itself; it only adds facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .formula import Atom, TypedVar, Var


@dataclass(frozen=True, slots=True)
class Action:
    """A schema. ``cost`` is in millimetres; ``None`` means the length of the route between its places."""

    name: str
    parameters: tuple[TypedVar, ...]
    precondition: tuple[Atom, ...]
    add: tuple[Atom, ...]
    delete: tuple[Atom, ...]
    cost: int | None = 0

    def ground(self, args: tuple[str, ...]) -> GroundAction:
        """Bind the parameters in order.

        Raises ``ValueError`` when the number of arguments differs from the number of parameters.
        """
        binding = dict(zip((p.name for p in self.parameters), args, strict=True))
        return GroundAction(
            self.name,
            args,
            bind_all(self.precondition, binding),
            bind_all(self.add, binding),
            bind_all(self.delete, binding),
        )


@dataclass(frozen=True, slots=True)
class GroundAction:
    """An action with its arguments: applicable where the precondition holds, then deletes, then adds."""

    name: str
    args: tuple[str, ...]
    precondition: tuple[Atom, ...]
    add: tuple[Atom, ...]
    delete: tuple[Atom, ...]

    def __str__(self) -> str:
        return str(Atom(self.name, self.args))


def bind(atom: Atom, binding: Mapping[str, str]) -> Atom:
    """Replace the variables that are bound; the others stay."""
    return Atom(
        atom.predicate,
        tuple(binding.get(a.name, a) if isinstance(a, Var) else a for a in atom.args),
    )


def bind_all(atoms: tuple[Atom, ...], binding: Mapping[str, str]) -> tuple[Atom, ...]:
    return tuple(bind(a, binding) for a in atoms)


def unify(pattern: Atom, fact: Atom) -> dict[str, str] | None:
    """The binding that turns the pattern into the ground fact, or ``None``."""
    if pattern.predicate != fact.predicate or len(pattern.args) != len(fact.args):
        return None
    binding: dict[str, str] = {}
    for wanted, name in zip(pattern.args, fact.args, strict=True):
        assert isinstance(name, str)
        if isinstance(wanted, Var):
            if binding.setdefault(wanted.name, name) != name:
                return None
        elif wanted != name:
            return None
    return binding


@dataclass(frozen=True, slots=True)
class PlanAction:
    """One action of a plan: a name of the pack and scene names; ``event`` marks what happens by itself."""

    name: str
    args: tuple[str, ...]
    event: bool = False

    def __str__(self) -> str:
        return str(Atom(self.name, self.args))


Plan = tuple[PlanAction, ...]
