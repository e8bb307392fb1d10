"""One alternative for each conjunct of a goal, chosen so that they go together.

A goal whose conjuncts have a few alternatives each soon has more branches than can be planned one by one, and
an engine that searches through all of them at once may not come back. Facts that exclude each other (a thing
has one place) rule most branches out, so picking alternatives that agree is a small search of its own, and
what it picks has no alternatives left: it is planned like any conjunction.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ...compiler.forms import is_literal, literals
from ...compiler.goals.exclusive import clash
from ...domains.formula import Atom, Formula, conjunction, conjuncts
from ...simulator.belief import Belief
from ...simulator.facts import Facts, ground_args
from ...simulator.world import Refusal
from .branches import choices
from .execution import reached, world_for
from .result import Joined
from .stopped import Stopped

TRIES, STEPS = 4, 20_000
"""Most branches that are planned for, and most alternatives that are looked at to find them."""


def agreed(
    goal: Formula, belief: Belief, now: Facts, plan: Callable[[Formula, Facts], Joined]
) -> Joined | None:
    """A plan for a branch of a goal in which all alternatives agree; ``None`` where none is found."""
    for option in itertools.islice(agreeing(goal, belief, now), TRIES):
        try:
            found = plan(option, now)
        except Stopped:
            continue
        world = world_for(goal, belief, now)
        done = not any(isinstance(world.perform(a), Refusal) for a in found.actions)
        if done and reached(goal, world):
            return replace(found, reproducible=False)  # only tried because the clock ended another search
    return None


def agreeing(goal: Formula, belief: Belief, now: Facts) -> Iterator[Formula]:
    """Branches of a goal whose literals do not exclude each other, those that change least first.

    Nothing is given for a goal with a conjunct of too many alternatives. The conjuncts with the fewest are
    decided first.
    """
    parts: list[list[Formula]] = []
    for part in conjuncts(goal):
        options = choices(part, belief)
        if options is None:
            return
        parts.append(sorted(options, key=lambda o: (sum(1 for _ in _missing(o, now)), str(o))))
    parts.sort(key=len)
    left = STEPS
    stack: list[tuple[Formula, ...]] = [()]
    while stack and left > 0:
        chosen = stack.pop()
        if len(chosen) == len(parts):
            yield conjunction(chosen)
            continue
        for option in reversed(parts[len(chosen)]):
            left -= 1
            if _agree([*_asked(option)], [a for c in chosen for a in _asked(c)], belief):
                stack.append((*chosen, option))


def _asked(option: Formula) -> Iterator[tuple[Atom, bool]]:
    """The literals that a branch wants at the end."""
    return (x for part in conjuncts(option) if is_literal(part) for x in literals(part))


def _missing(option: Formula, now: Facts) -> Iterator[Atom]:
    return (a for a, positive in _asked(option) if now.holds(a.predicate, ground_args(a)) != positive)


def _agree(new: Sequence[tuple[Atom, bool]], chosen: Sequence[tuple[Atom, bool]], belief: Belief) -> bool:
    """Whether literals can hold with those chosen before, nothing being in or on itself either."""
    wanted = [a for a, positive in chosen if positive]
    for atom, positive in new:
        if (atom, not positive) in chosen or (positive and clash(atom, wanted, belief.pack)):
            return False
    places = {r.predicate for r in belief.pack.mapping.relations.values() if len(r.args) == 2}
    above = {a.args[0]: a.args[1] for a, yes in (*chosen, *new) if yes and a.predicate in places}
    for atom, positive in new:
        here, passed = (atom.args[0] if positive and atom.predicate in places else None), 0
        while here in above and passed <= len(above):
            here, passed = above[here], passed + 1
        if passed > len(above):
            return False
    return True
