"""Relation of two goals: equal, stronger, weaker, overlapping or disjoint, with a run for each difference.

Five questions give it: can the one hold, can the other, the one without the other, and both? A side that no
run is in is empty in truth. A side with a run is one by the laws alone: whether plans lead there,
``planners.sides`` looks. What is not decided is ``unknown``, with the reason; a relation is said only where
all that it rests on is decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from ...domains.errors import GoalError
from ...domains.formula import (
    Atom,
    Count,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Not,
    conjunction,
    is_ground_atom,
    names,
    walk,
)
from ...simulator.belief import Belief
from ...simulator.world import World
from .completion import GoalRun
from .entailment import Entailment
from .laws import Laws
from .solver import Undecided

RelationName = OneOf["equal", "stronger", "weaker", "overlapping", "disjoint", "unknown"]
SIDES = ("a_only", "b_only", "both")
"""The runs in which the first goal holds and the second does not, the second alone, and both."""


@dataclass(frozen=True)
class Side:
    """Runs in which each of two goals has a value: whether there are any, with one of them.

    ``empty`` is ``None`` where that is not decided, for the reason ``why``.
    """

    name: str
    goal: Formula
    empty: bool | None
    run: GoalRun | None = None
    why: str = ""


@dataclass(frozen=True)
class GoalRelation:
    """Relation of two goals over all states that a scene's laws allow, and what may be said of each alone."""

    relation: RelationName
    sides: Mapping[str, Side]
    unsatisfiable: tuple[str, ...] = ()
    """Which of the goals, ``a`` and ``b``, no state makes true."""
    always: tuple[str, ...] = ()
    """Which of them every state makes true."""
    why: str = ""
    """Why the relation is unknown."""


def relate(a: Formula, b: Formula, belief: Belief, laws: Laws | None = None) -> GoalRelation:
    """Return how two goals without errors relate; ``laws`` are those of the belief, for several pairs.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal
    >>> from groundplan.compiler.comparison import relate
    >>> office = ground(load_scene("office"), load_pack())
    >>> texts = "(and (holding pepsi) (robot_at kitchen))", "(in_room pepsi kitchen)"
    >>> relate(*(parse_goal(text).formula for text in texts), office).relation
    'stronger'
    """
    goals = {"a_only": (a, Not(b)), "b_only": (Not(a), b), "both": (a, b)}
    why = "; ".join(dict.fromkeys((*_open(a, belief), *_open(b, belief))))
    if why:
        sides = {name: Side(name, conjunction(parts), None, None, why) for name, parts in goals.items()}
        return GoalRelation("unknown", sides, why=why)
    logic = Entailment(belief, laws=laws)
    sides = {name: _side(name, parts, logic) for name, parts in goals.items()}
    empty = {name: side.empty for name, side in sides.items()}
    pairs = (("a", a, "b_only"), ("b", b, "a_only"))
    maybe = [(n, goal) for n, goal, _ in pairs if empty["both"] is not False is not empty[f"{n}_only"]]
    unsatisfiable = tuple(n for n, goal in maybe if logic.satisfiable(goal) is False)
    always = tuple(n for n, goal, other in pairs if empty[other] and logic.satisfiable(Not(goal)) is False)
    relation = related(empty)
    why = "; ".join(dict.fromkeys(s.why for s in sides.values() if s.why)) if relation == "unknown" else ""
    return GoalRelation(relation, sides, unsatisfiable, always, why)


def related(empty: Mapping[str, bool | None]) -> RelationName:
    """Return the relation of two goals by which of their sides are empty; ``unknown`` where that matters.

    A goal that nothing makes true is stronger than every goal that something does.
    """
    a_only, b_only, both = (empty[name] for name in SIDES)
    if a_only is None or b_only is None:
        return "unknown"
    if a_only or b_only:
        return "equal" if a_only and b_only else "stronger" if a_only else "weaker"
    if both is None:
        return "unknown"
    return "disjoint" if both else "overlapping"


def _side(name: str, goals: Sequence[Formula], logic: Entailment) -> Side:
    whole = conjunction(list(goals))
    try:
        run = logic.run(goals, nearest=True)
    except (Undecided, GoalError) as error:
        return Side(name, whole, None, None, str(error))
    return Side(name, whole, run is None, run)


def _open(goal: Formula, belief: Belief) -> Iterator[str]:
    """Yield why nothing is said of a goal: it speaks of what the scene does not say, or may not have."""
    if belief.unseen:  # which may carry other things, or open them
        yield f"there may be more of {' and '.join(belief.unseen)} than was seen"
    for node in walk(goal):
        for variable in node.variables if isinstance(node, Exists | Forall | Count) else ():
            if belief.unplaced_members(variable.type):
                yield f"the place of some of {variable.type} is not known"
    for name in names(goal):
        if name in belief.scene.unplaced:
            yield f"the place of {name} is not known"


# Witnesses


def changes(world: World) -> list[tuple[GroundAtom, bool]]:
    """Return the facts of a state that are otherwise than at the start, those that came true first."""
    start = world.belief.facts
    new = [atom for atom in world.state.facts if not start.holds(atom.predicate, atom.args)]
    gone = [atom for atom in start if not world.state.facts.holds(atom.predicate, atom.args)]
    return [*((atom, True) for atom in new), *((atom, False) for atom in gone)]


def values(run: GoalRun, goals: Sequence[Formula]) -> list[tuple[GroundAtom, bool]]:
    """Return the ground atoms of goals with their values in the last state of a run."""
    atoms = dict.fromkeys(
        n for goal in goals for n in walk(goal) if isinstance(n, Atom) and is_ground_atom(n)
    )
    return [(atom, run.holds(atom.predicate, atom.args)) for atom in atoms]
