"""Relaxed reachability of a goal: forget all that actions take away.

Where the goal cannot be reached even so, there is no plan: a proof that costs milliseconds and says in terms
of the scene what is missing. It works on the widest backward closure of the goal, and where that had to leave
something out it proves nothing. The sentences may be changed; what is counted as reachable may shrink only
where that stays a proof. The pyperplan program has a relaxed reachability of its own
(`engines/programs/grounding.py`), over PDDL and in a process that cannot import this one; a test holds one
against the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..compiler.forms import literals
from ..compiler.marks import attained
from ..compiler.relevance import Closure, closure
from ..domains.deadline import check_time
from ..domains.errors import NoRoute
from ..domains.formula import FALSE, And, Atom, Cardinality, Formula, Not, Or, Sometime, Var
from ..simulator.belief import Belief
from ..simulator.facts import Facts, ground_args


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A proof of unsolvability, and the sentences that explain it."""

    proof: str
    reasons: tuple[str, ...]


def unreachable(goal: Formula, belief: Belief, facts: Facts) -> Unreachable | None:
    """A proof that a normal form cannot be reached, or ``None`` when the relaxation reaches it."""
    if goal == FALSE:
        return Unreachable("static analysis", ("no state of this scene can satisfy the goal",))
    relevant = closure(list(literals(goal)), belief, facts, nearest=None)
    if not relevant.complete:
        return None
    reached = _fixpoint(relevant, belief, facts)
    start, place = facts.all(belief.pack.at)[0][0], belief.pack.navigation.parameters[1].type
    if relevant.followed.robot:
        places = [n for n in relevant.names if belief.has_type(n, place) and _drivable(start, n, belief)]
        reached |= {Atom(belief.pack.at, (n,)) for n in (start, *places)}
    reasons = tuple(dict.fromkeys(_missing(goal, reached, relevant, belief, facts)))
    derived = attained(relevant.followed, reached, belief, facts)
    if _possible(goal, reached | {a for a, positive in derived if positive}, derived, belief):
        return None
    return Unreachable("relaxed reachability", reasons or ("the goal cannot be reached",))


def _fixpoint(relevant: Closure, belief: Belief, facts: Facts) -> set[Atom]:
    """The facts of a closure that hold or can be brought about, forgetting deletions."""
    at = belief.pack.at
    start = facts.all(at)[0][0]
    reached = {a for a in relevant.facts if facts.holds(a.predicate, ground_args(a))}
    for atom in relevant.facts:
        if atom.predicate == at and _drivable(start, ground_args(atom)[0], belief):
            reached.add(atom)
    grew = True
    while grew:
        check_time("proving that there is no plan")
        grew = False
        for action in relevant.actions.values():
            fluents = (a for a in action.precondition if a.predicate in belief.pack.fluents)
            if all(a in reached for a in fluents):
                new = [a for a in action.add if a not in reached]
                reached.update(new)
                grew = grew or bool(new)
    return reached


def _drivable(start: str, target: str, belief: Belief) -> bool:
    if belief.scene.nodes[target].type == "object":
        return False
    try:
        return start == target or belief.routes.connected(start, target)
    except NoRoute:
        return False


def _possible(goal: Formula, reached: set[Atom], derived: set[tuple[Atom, bool]], belief: Belief) -> bool:
    match goal:
        case Atom():
            return goal in reached
        case Not(Atom(predicate, _) as atom) if predicate in belief.pack.mapping.derived:
            return (atom, False) in derived
        case Not():
            return True  # deletions are forgotten, so nothing is known against a negation
        case And(parts):
            return all(_possible(p, reached, derived, belief) for p in parts)
        case Or(parts):
            return any(_possible(p, reached, derived, belief) for p in parts)
        case Cardinality(_, number, parts):
            return sum(_possible(p, reached, derived, belief) for p in parts) >= number
        case Sometime(body):
            return _possible(body, reached, derived, belief)
    return True


def _missing(
    goal: Formula, reached: set[Atom], relevant: Closure, belief: Belief, facts: Facts
) -> Iterator[str]:
    """Say for each atom of a goal that cannot be reached why not."""
    for atom, positive in literals(goal):
        if not positive or atom in reached:
            continue
        yield f"{atom} cannot be reached: {_why(atom, reached, relevant, belief, facts)}"


def _why(atom: Atom, reached: set[Atom], relevant: Closure, belief: Belief, facts: Facts) -> str:
    """Follow unreachable conditions down to the first that nothing brings about."""
    pack = belief.pack
    seen: set[Atom] = set()
    while atom not in seen:
        seen.add(atom)
        if atom.predicate == pack.at:
            place = ground_args(atom)[0]
            return f"no route leads from {facts.all(pack.at)[0][0]} to {place}"
        makers = [a for a in relevant.actions.values() if atom in a.add]
        if not makers:
            if atom.predicate in pack.requirements.needed:
                return _unmet_requirement(atom, belief)
            fact = pack.words(atom.predicate, ground_args(atom), False)
            return f"{fact}, and nothing in this scene changes that"
        lacking = [
            a for m in makers for a in m.precondition if a.predicate in pack.fluents and a not in reached
        ]
        atom = next((a for a in lacking if a not in seen), atom)
    return pack.words(atom.predicate, ground_args(atom), False)


def _unmet_requirement(atom: Atom, belief: Belief) -> str:
    """Say which affordance of a thing a fact would need."""
    pack = belief.pack
    values = dict(zip(("x", "y"), ground_args(atom), strict=False))
    for need in pack.requirements.needed.get(atom.predicate, ()):
        names = tuple(values[a.name] if isinstance(a, Var) else a for a in need.args)
        if not belief.facts.holds(need.predicate, names):
            return pack.words(need.predicate, names, False)
    return f"{pack.words(atom.predicate, ground_args(atom), False)}, and no action makes it so"
