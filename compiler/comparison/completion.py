"""Full states for what a solver says of a few facts, and the check that these are states of the scene.

What no goal reaches stays as it is at the start, *something else of a group* becomes an example of it, and
events happen. What comes out is looked at from scratch: the proved groups, containment without a ring, and
the goals by their definition (``domains.evaluate``). So no state is taken on trust, and a fault in the
circuit is a question without an answer rather than a wrong one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...domains.deadline import check_time
from ...domains.evaluate import evaluate
from ...domains.formula import (
    Atom,
    Formula,
    GroundAtom,
    TrajectoryConstraint,
    free_variables,
    substitute,
)
from ...simulator.belief import breach_of, close_under_events
from ...simulator.facts import Facts
from ...simulator.trajectory import holds_on, kind_of
from ...simulator.world import World
from .circuit import Literal
from .laws import ROBOT, Laws
from .runs import Runs
from .states import EncodedState, covers


@dataclass(frozen=True)
class GoalRun:
    """The states of a run that goals are judged by: those that count before the last, and the last.

    ``steps`` are patterns of steps, for each state those of which one is done in it.
    """

    worlds: tuple[World, ...]
    steps: tuple[frozenset[Atom], ...] = ()

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool:
        return self.worlds[-1].holds(predicate, args)

    def happened(self, literal: Formula) -> bool:
        if isinstance(literal, TrajectoryConstraint) and literal.kind == "never-do":
            return not any(self._breaks(literal, *one) for one in zip(self.worlds, self.steps, strict=True))
        parts = literal.parts if isinstance(literal, TrajectoryConstraint) else (literal,)
        worlds = (World(self.worlds[-1].belief), *self.worlds)
        values = [tuple(evaluate(part, world) for part in parts) for world in worlds]
        return holds_on(kind_of(literal), values)

    def _breaks(self, prohibition: TrajectoryConstraint, world: World, steps: frozenset[Atom]) -> bool:
        pattern, condition = prohibition.parts
        assert isinstance(pattern, Atom)
        for step in steps:
            binding = covers(pattern, step)
            if binding is None:
                continue
            forbidden = substitute(condition, binding)
            if not free_variables(forbidden) and evaluate(forbidden, world):
                return True
        return False

    def members(self, type_or_class: str) -> Sequence[str]:
        return self.worlds[-1].members(type_or_class)

    def without(self, number: int) -> GoalRun:
        """Return the run without one of its states."""
        after = number + 1
        worlds = self.worlds[:number] + self.worlds[after:]
        return GoalRun(worlds, self.steps[:number] + self.steps[after:])


def completed(runs: Runs, values: Mapping[Literal, bool], judged: Mapping[Formula, bool]) -> GoalRun | None:
    """Return the states of a run in which goals have some values; ``None`` where the check finds none."""
    laws = runs.laws
    states = [_full(moment, values) for moment in runs.moments]
    for facts, later in itertools.pairwise(states):
        for atom in facts:
            if laws.grows(atom.predicate) and not later.holds(atom.predicate, atom.args):
                later.add(atom.predicate, atom.args)
    if not all(_is_state(facts, laws) for facts in states) or not _grows(states, laws):
        return None
    steps = (frozenset(s for s, literal in (m.steps or {}).items() if values[literal]) for m in runs.moments)
    run = GoalRun(tuple(World(laws.belief, (), facts) for facts in states), tuple(steps))
    if not _agrees(run, judged):
        return None
    for number in reversed(range(len(states) - 1)):
        fewer = run.without(number)
        run = fewer if _agrees(fewer, judged) else run
    return run


def _agrees(run: GoalRun, judged: Mapping[Formula, bool]) -> bool:
    return all(evaluate(goal, run) == value for goal, value in judged.items())


def _full(moment: EncodedState, values: Mapping[Literal, bool]) -> Facts:
    """Return all facts of a state of which some are given."""
    laws = moment.laws
    facts = Facts(laws.belief.facts)
    given = moment.values(values)
    made = [atom for atom, value in given.items() if value]
    undone = [a for a, value in given.items() if not value and facts.discard(a.predicate, a.args)]
    for atom in made:
        undone += _put(atom, facts, given, laws)
    for (group, subject), (literal, example) in moment.others.items():
        there = group.true(subject, facts) if values[literal] else ()
        if values[literal] and all(given.get(a, False) for a in there):
            undone += _put(example, facts, given, laws)
            made.append(example)
    for atom in _missing(tuple(undone), facts, given, laws):
        undone += _put(atom, facts, given, laws)
        made.append(atom)
    close_under_events(facts, laws.belief, made, undone)
    return facts


def _put(atom: GroundAtom, facts: Facts, given: Mapping[GroundAtom, bool], laws: Laws) -> list[GroundAtom]:
    """Make a fact true, and those false that it excludes and that are not given; return these."""
    undone = []
    for group in laws.groups_of(atom.predicate):
        subject = group.subject(atom)
        rivals = group.true(ROBOT, facts) + (group.true(subject, facts) if subject != ROBOT else ())
        for rival in rivals:
            if rival != atom and not given.get(rival, False):
                facts.discard(rival.predicate, rival.args)
                undone.append(rival)
    facts.add(atom.predicate, atom.args)
    return undone


def _missing(
    undone: Sequence[GroundAtom], facts: Facts, given: Mapping[GroundAtom, bool], laws: Laws
) -> Iterator[GroundAtom]:
    """Yield a fact for each group that is never empty, and that lost its own by a fact of another group.

    Each is to be put before the next is asked for.
    """
    for atom in undone:
        for group in laws.groups_of(atom.predicate):
            subject = group.subject(atom)
            if laws.never_empty(group, subject) and not group.true(subject, facts):
                rest = (m for m in laws.members(group, subject) if given.get(m, m != atom))
                yield from itertools.islice(rest, 1)


def _is_state(facts: Facts, laws: Laws) -> bool:
    """Return whether the laws hold of all facts of a state."""
    check_time("comparing goals")
    belief = laws.belief
    if any(breach_of(group, facts) is not None for group in belief.invariants.groups.values()):
        return False
    for group in laws.groups:
        if not group.lasting:
            continue
        subjects = {ROBOT} if group.shared else {a[0] for p in group.own for a in belief.facts.all(p)}
        now = {ROBOT if group.shared else a[0] for p in (*group.shared, *group.own) for a in facts.all(p)}
        then = {s for s in subjects if laws.never_empty(group, s)}
        if not then <= now:
            return False
        if any(len(group.true(s, facts)) != 1 for s in then):
            return False
    return not belief.invariants.contained or not _has_ring(facts, laws)


def _has_ring(facts: Facts, laws: Laws) -> bool:
    """Return whether something is in or on itself, or the robot at what it holds."""
    pack = laws.pack
    above: dict[str, str] = {args[0]: args[1] for p in pack.locations for args in facts.all(p)}
    above |= {args[0]: ROBOT for args in facts.all(pack.mapping.robot_held.predicate)}
    for args in facts.all(pack.at):
        above[ROBOT] = args[0]
    for name in above:
        seen = {name}
        while name in above:
            name = above[name]
            if name in seen:
                return True
            seen.add(name)
    return False


def _grows(states: Sequence[Facts], laws: Laws) -> bool:
    """Return whether no fact that nothing takes away is gone in a later state."""
    for before, after in zip((laws.belief.facts, *states), states, strict=False):
        changed = (atom for atom in before if laws.grows(atom.predicate))
        if not all(after.holds(atom.predicate, atom.args) for atom in changed):
            return False
    return True
