"""Constraints on the run that need no plan: ways and steps that are never taken, what they ask of the end.

All err on the side of "possible", so that proofs may rest on them: a way is barred, or a step forbidden, only
where each run with it breaks a constraint, and every run that keeps the constraints ends in a state as
:func:`asked_of_end` says. A kind of constraint that says nothing of either is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...domains.action import Action, unify
from ...domains.evaluate import OpenState, possible
from ...domains.formula import (
    FALSE,
    PASSING,
    TRUE,
    And,
    Atom,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Not,
    Or,
    Sometime,
    TrajectoryConstraint,
    Var,
    conjunction,
    constraints,
    is_ground_atom,
    rebuild,
    step_atom,
    step_name,
)
from ...domains.pack import Pack
from ...simulator.belief import Belief
from ...simulator.trajectory import matched
from ...simulator.verification import watched
from ...simulator.world import World


def for_proofs(goal: Formula, belief: Belief) -> tuple[Formula, Belief]:
    """Return what a goal asks of the last state of a run, and a belief without the ways that it bars.

    Where nothing is possible in these, no run from the belief's state keeps the goal and the belief's rules.
    With doors, which are worked from beyond as well, nothing is barred.
    """
    goal = under_rules(goal, belief)
    narrowed = avoiding(goal, belief)
    return asked_of_end(goal, belief), _changed(
        narrowed, barred=frozenset()
    ) if belief.scene.doors else narrowed


def kept_by_runs(goal: Formula, belief: Belief) -> tuple[TrajectoryConstraint, ...]:
    """Return the constraints that every run keeps, each ground; none with doors, worked from beyond."""
    whole = under_rules(goal, belief)
    some = watched(whole, belief) if constraints(whole) and not belief.scene.doors else ()
    return tuple(one for one in some if isinstance(one, TrajectoryConstraint))


def under_rules(goal: Formula, belief: Belief) -> Formula:
    """Return a goal together with the rules that every run keeps."""
    return conjunction([goal, *belief.rules]) if belief.rules else goal


def with_rules(belief: Belief, rules: Sequence[Formula]) -> Belief:
    """Return a belief with these rules and no others, in which no route goes what they bar."""
    bare = _changed(belief, barred=frozenset(), forbidden=(), rules=tuple(rules))
    return avoiding(conjunction(tuple(rules)), bare)


def rules_hash(rules: Sequence[Formula]) -> str | None:
    """Return the SHA-256 of rules as they are printed, a line each; ``None`` without rules."""
    text = "\n".join(map(str, rules))
    return hashlib.sha256(text.encode()).hexdigest() if rules else None


def replace_rules(belief: Belief, rules: tuple[Formula, ...] = ()) -> Belief:
    """Return a belief with other rules, in which what was barred stays barred."""
    return _changed(belief, rules=rules)


def with_ways_of(belief: Belief, other: Belief) -> Belief:
    """Return a belief in which the ways and steps are barred that another one bars, and no others."""
    return _changed(belief, barred=other.barred, forbidden=other.forbidden)


def _changed(belief: Belief, **fields: Any) -> Belief:
    """Return a belief with other rules, or with other ways and steps that are never gone or done."""
    if all(getattr(belief, name) == value for name, value in fields.items()):
        return belief
    other = replace(belief, **fields)
    # What the actions keep depends on none of them.
    other.__dict__.update({name: getattr(belief, name) for name in ("invariants", "unused")})
    return other


def asked_of_end(goal: Formula, belief: Belief) -> Formula:
    """Return what every run that keeps a goal and its constraints makes true of its last state.

    It is false where the first state breaks a constraint already.
    """
    if not constraints(goal):
        return goal
    return FALSE if World(belief, watched(goal, belief)).memory.broken else _of_end(goal)


def _of_end(goal: Formula) -> Formula:
    match goal:
        case And() | Forall():
            return rebuild(goal, _of_end)
        case TrajectoryConstraint("always", (first,)):
            return first
        case TrajectoryConstraint("sometime-after", (first, second)):
            return Imply(first, second)
        case TrajectoryConstraint("sometime-before", (first, second)):
            literal = second.part if isinstance(second, Not) else second
            return Imply(first, Sometime(second)) if is_ground_atom(literal) else TRUE
        case TrajectoryConstraint():
            return TRUE
    return goal


def without_constraints(goal: Formula) -> Formula:
    """Return what a goal asks of the end, and of some time, without its other constraints."""
    match goal:
        case And(parts):
            return conjunction([without_constraints(part) for part in parts])
        case Forall(variables, body):
            left = without_constraints(body)
            return TRUE if left == TRUE else Forall(variables, left)
        case TrajectoryConstraint():
            return TRUE
    return goal


def avoiding(goal: Formula, belief: Belief) -> Belief:
    """Return the belief in which no route goes, and no step is done, that a goal never allows."""
    if not constraints(goal):
        return belief
    kept = [c for c in watched(goal, belief) if isinstance(c, TrajectoryConstraint)]
    always = [part for c in kept if c.kind == "always" for part in c.parts]
    world = World(belief)
    barred = {node for node in belief.scene.neighbours if not _may_be_at(node, always, world)}
    passing = [c.parts[0] for c in kept if c.kind == "never-do" and c.parts[1] == TRUE]
    steps = tuple(one for one in passing if isinstance(one, Atom) and step_name(one) != PASSING)
    ways = {(a, b) for a, near in belief.scene.neighbours.items() for b in near}
    shut = frozenset(
        (a, b)
        for a, b in ways
        if a in barred
        or b in barred
        or any(matched(pattern, step_atom(PASSING, ends)) is not None
               for pattern in passing for ends in ((a, b), (b, a)))
    )  # fmt: skip
    breaking = (step for part in always for step in _breaking(part, True, belief.pack))
    forbidden = tuple(dict.fromkeys((*belief.forbidden, *steps, *breaking)))
    return _changed(belief, barred=belief.barred | shut, forbidden=forbidden)


def _breaking(part: Formula, positive: bool, pack: Pack) -> Iterator[Atom]:
    """Yield patterns of steps after which a formula is never true, or never false where it is denied.

    What an event may add at once is left out.
    """
    if isinstance(part, Not):
        yield from _breaking(part.part, not positive, pack)
    elif isinstance(part, And if positive else Or):
        for inner in part.parts:
            yield from _breaking(inner, positive, pack)
    elif is_ground_atom(part) and not (positive and part.predicate in pack.event_facts):
        printed = [
            (a, step) for a in pack.manipulations if (step := pack.mapping_of(a.name).step) is not None
        ]
        for action, step in printed:
            alike = [(a, other) for a, other in printed if other.predicate == step.predicate]
            for binding in _falsifying(action, part, positive):
                pattern = [binding.get(a.name) if isinstance(a, Var) else a for a in step.args]
                if all(_is_falsified(a, part, positive, _bound(other, pattern)) for a, other in alike):
                    args = (Var(str(number)) if name is None else name for number, name in enumerate(pattern))
                    yield step_atom(step.predicate, tuple(args))


def _falsifying(action: Action, atom: GroundAtom, positive: bool) -> list[dict[str, str]]:
    """Return what some parameters are where an action makes an atom false, or true where it is denied."""
    if positive and any(unify(added, atom) is not None for added in action.add):
        return []
    effects = action.delete if positive else action.add
    return [binding for effect in effects if (binding := unify(effect, atom)) is not None]


def _bound(step: Atom, pattern: Sequence[str | None]) -> dict[str, str]:
    """Return what the parameters of an action are where its printed step is of a pattern."""
    pairs = zip(step.args, pattern, strict=False)
    return {term.name: name for term, name in pairs if isinstance(term, Var) and name is not None}


def _is_falsified(action: Action, atom: GroundAtom, positive: bool, bound: Mapping[str, str]) -> bool:
    return any(binding.items() <= bound.items() for binding in _falsifying(action, atom, positive))


def _may_be_at(node: str, always: Sequence[Formula], world: World) -> bool:
    state = _RobotAt(world, frozenset(world.state.around(node)))
    return all(possible(part, True, state, {}) for part in always)


@dataclass(frozen=True)
class _RobotAt(OpenState):
    """A state of which only the room or pose of the robot is known."""

    world: World
    around: frozenset[str]

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        pack = self.world.pack
        if predicate == pack.standing:
            # At something in a room or at a pose the robot came by that room or pose.
            return args[0] in self.around
        if predicate in pack.domain.predicates or predicate in pack.mapping.derived:
            return None
        return self.world.belief.classified(predicate, args)

    def members(self, type_or_class: str) -> Sequence[str]:
        return self.world.members(type_or_class)
