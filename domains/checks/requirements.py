"""Requirements of facts that the actions bear out: the part of ``[requires]`` that excludes no plan.

The table says which static facts a goal's fact needs; a check refuses goals by it and readers are offered
names by it. So a requirement counts only where every action that adds the fact needs it too: as a condition,
by another static fact that no node has without it, or because the thing must have been picked up. Other
chains of reasons may be added; each must be true of every action and of every scene.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..action import Action
from ..formula import Atom, Term, Var
from ..mapping import SceneMapping
from ..pddl import Domain


@dataclass(frozen=True, slots=True)
class ExcessRequirement:
    """A requirement that is not needed: ``action`` adds the fact without it, or it may change (empty)."""

    predicate: str
    need: Atom
    action: str

    def __str__(self) -> str:
        why = f"{self.action} does not need it" if self.action else "actions change it"
        return f"{self.need} does not count: {why}"


@dataclass(frozen=True, slots=True)
class Requirements:
    """Requirements that count, by predicate, and those that do not.

    ``pickup`` are the static facts over ``?x`` that a thing needs to be picked up, by the actions.
    """

    needed: Mapping[str, tuple[Atom, ...]]
    pickup: tuple[Atom, ...]
    excess: tuple[ExcessRequirement, ...]


def bear_out(domain: Domain, mapping: SceneMapping) -> Requirements:
    """Return which of the mapping's requirements every achieving action has."""
    fluents, held = domain.fluents(), mapping.robot_held.predicate
    pickup = _conditions_of(held, domain, fluents)
    needed: dict[str, tuple[Atom, ...]] = {}
    excess: list[ExcessRequirement] = []
    for predicate, needs in mapping.requires.items():
        kept: list[Atom] = []
        for need in needs:
            if need.predicate in fluents:
                excess.append(ExcessRequirement(predicate, need, ""))
                continue
            achievers = ((a, e) for a in domain.actions.values() for e in a.add if e.predicate == predicate)
            without = (a.name for a, e in achievers if not _needs(a, e, need, mapping, pickup, fluents))
            name = next(without, None)
            if name is None:
                kept.append(need)
            else:
                excess.append(ExcessRequirement(predicate, need, name))
        needed[predicate] = tuple(kept)
    return Requirements(needed, pickup, tuple(excess))


def _conditions_of(predicate: str, domain: Domain, fluents: frozenset[str]) -> tuple[Atom, ...]:
    """Return the static conditions on the argument of a unary fact that every action has that adds it."""
    common: dict[Atom, None] | None = None
    for action in domain.actions.values():
        for added in action.add:
            if added.predicate == predicate and len(added.args) == 1:
                own = [c for c in action.precondition if c.args == added.args and c.predicate not in fluents]
                conditions: dict[Atom, None] = dict.fromkeys(Atom(c.predicate, (Var("x"),)) for c in own)
                common = conditions if common is None else {c: None for c in common if c in conditions}
    return tuple(common or ())


def _needs(
    action: Action,
    added: Atom,
    need: Atom,
    mapping: SceneMapping,
    pickup: tuple[Atom, ...],
    fluents: frozenset[str],
) -> bool:
    """Return whether an action adds a fact only where a static fact holds of its arguments."""
    lacking = _over(need, added.args)
    for condition in action.precondition:
        static = condition.predicate not in fluents and condition.args == lacking.args
        if static and _implies(condition.predicate, lacking.predicate, mapping):
            return True
        held = condition.predicate == mapping.robot_held.predicate
        if held and any(_over(c, condition.args) == lacking for c in pickup):
            return True
    return False


def _over(need: Atom, args: tuple[Term, ...]) -> Atom:
    """Return a requirement, which is over ``?x`` and ``?y``, over the arguments of the fact that has it."""
    terms = dict(zip(("x", "y"), args, strict=False))
    return Atom(need.predicate, tuple(terms.get(a.name, a) if isinstance(a, Var) else a for a in need.args))


def _implies(first: str, second: str, mapping: SceneMapping) -> bool:
    """Return whether the mapping gives no node one unary static fact without another."""
    if first == second:
        return True
    words = [
        atoms
        for table in (mapping.states, mapping.affordances, mapping.classes)
        for atoms in table.values()
        if any(a.predicate == first for a in atoms)
    ]
    other = [p.predicate for p in (*mapping.parents.values(), *mapping.relations.values())]
    other += [rule.add.predicate for rule in mapping.rules]
    return first not in other and all(any(a.predicate == second for a in atoms) for atoms in words)
