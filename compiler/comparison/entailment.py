"""Entailment between goals: whether one holds wherever another does, over all states that the laws allow.

A goal entails another if no run of the scene makes the first true and the second false. The answer *no* has
such a run, which is checked; the answer *yes* rests on the solver. ``None`` stands for what is not decided:
it must stay an answer, and nothing may be taken to follow from it. Questions to one :class:`Entailment` share
its circuit; :meth:`Entailment.add` all goals first, so that it is made once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...domains.formula import And, Atom, Formula, Not, conjuncts
from ...simulator.belief import Belief
from .circuit import Literal
from .completion import GoalRun, completed
from .conjuncts import renamed
from .laws import Laws
from .runs import Runs
from .solver import Solver, Undecided
from .states import MAX_FOLLOWED


def entails(a: Formula, b: Formula, belief: Belief) -> bool | None:
    """Return whether a goal without errors entails another; ``None`` where that is not decided.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal
    >>> from groundplan.compiler.comparison import entails
    >>> office = ground(load_scene("office"), load_pack())
    >>> inside, cold = (parse_goal(text).formula for text in (
    ...     "(and (inside_of orange1 fridge) (closed fridge))", "(cold orange1)"))
    >>> entails(inside, cold, office), entails(cold, inside, office)
    (True, False)
    """
    return Entailment(belief).entails(a, b)


def equivalent(first: Formula, second: Formula, belief: Belief) -> bool:
    """Return whether two goals without errors are shown to ask for the same: each entails the other.

    What is not decided counts as different: a caller may then take one goal for two, and never two for one.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal
    >>> from groundplan.compiler.comparison import equivalent
    >>> office = ground(load_scene("office"), load_pack())
    >>> texts = ("(and (open fridge) (hot chicken_kebab))", "(and (hot chicken_kebab) (not (closed fridge)))")
    >>> equivalent(*(parse_goal(text).formula for text in texts), office)
    True
    """
    if _written(first) == _written(second):
        return True
    logic = Entailment(belief)
    return logic.entails(first, second) is True and logic.entails(second, first) is True


def _written(goal: Formula) -> frozenset[Formula]:
    """Return the conjuncts of a goal without their order and the names of variables."""
    return frozenset(map(renamed, conjuncts(goal)))


class Entailment:
    """Questions about goals over the runs of one scene. The goals have no errors of their own.

    Atoms of the predicate ``opaque`` stand for what is not looked into: any of them may hold. ``laws`` are
    those of the belief, where they are looked up for several comparisons.
    """

    def __init__(self, belief: Belief, opaque: str = "", laws: Laws | None = None) -> None:
        self.belief, self.opaque = belief, opaque
        self._laws = Laws(belief) if laws is None else laws
        self._lazy = _Asked(Runs(self._laws, opaque))
        self._whole: _Asked | None = None

    def add(self, goals: Sequence[Formula]) -> None:
        """Take goals in. Raises :class:`Undecided` for one that is too large, or that no law covers."""
        for goal in goals:
            self._lazy.literal(goal)

    def entails(self, a: Formula, b: Formula) -> bool | None:
        """Return whether a goal entails another; ``None`` where that is not decided."""
        return self._never((a, Not(b)))

    def satisfiable(self, a: Formula) -> bool | None:
        """Return whether a goal can be true; ``None`` where that is not decided."""
        never = self._never((a,))
        return None if never is None else not never

    def _never(self, goals: Sequence[Formula]) -> bool | None:
        try:
            return self.run(goals) is None
        except Undecided:
            return None

    def run(self, goals: Sequence[Formula], nearest: bool = False) -> GoalRun | None:
        """Return a run in which some goals hold, ``None`` if there is none.

        With ``nearest`` one that changes few facts. Raises :class:`Undecided` with the reason.
        """
        parts = _apart(goals)
        if parts is None:
            return None
        values = self._lazy.ask(parts, nearest)
        if values is None:
            return None
        judged = {part: value for part, value in parts.items() if not self._is_opaque(part)}
        run = completed(self._lazy.runs, values, judged)
        if run is not None:
            return run
        if self._lazy.runs.free:
            raise Undecided(f"more than {MAX_FOLLOWED} movable things can carry others")
        if self._whole is None:
            self._whole = _Asked(Runs(self._laws, self.opaque, whole=True))
        values = self._whole.ask(parts, nearest)
        if values is None:
            return None
        run = completed(self._whole.runs, values, judged)
        if run is None:
            raise Undecided("a state that the solver gives is none of the scene")
        return run

    def _is_opaque(self, part: Formula) -> bool:
        return isinstance(part, Atom) and part.predicate == self.opaque


def _apart(goals: Sequence[Formula]) -> dict[Formula, bool] | None:
    """Return the formulas that are to be true or false for some goals to hold; ``None`` if one is both."""
    parts: dict[Formula, bool] = {}
    for goal in goals:
        for part in conjuncts(goal):
            value = True
            while isinstance(part, Not):
                part, value = part.part, not value
            inner = _apart(part.parts) if value and isinstance(part, And) else {part: value}
            if inner is None or any(parts.setdefault(one, sign) != sign for one, sign in inner.items()):
                return None
    return parts


class _Asked:
    """Runs with the solver of what was asked for; it is made again where the facts have grown."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self._literals: dict[Formula, Literal] = {}
        self._solver: Solver | None = None
        self._size = -1

    def literal(self, goal: Formula) -> Literal:
        if goal not in self._literals:
            self._literals[goal] = self.runs.literal(goal)
        return self._literals[goal]

    def ask(self, parts: Mapping[Formula, bool], nearest: bool) -> Mapping[Literal, bool] | None:
        self.runs.reserve(parts)
        literals = [self.literal(part) if value else -self.literal(part) for part, value in parts.items()]
        size = self.runs.size
        if self._solver is None or size != self._size:
            self._solver = self.runs.solver()
            self._size = self.runs.size
        ask = self._solver.nearest if nearest else self._solver.satisfy
        free = [-literal for literal in self.runs.free]
        values = ask([*literals, *free])
        return ask(literals) if values is None and free else values
