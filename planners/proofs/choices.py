"""Sets of facts whose states are looked at for a proof, the smallest first.

What the conjuncts of a goal mention, with what actions need for that, comes first, then where these things
are now, then all that matters to the goal, and in a tiny world all its facts, which leaves nothing out. What
a shown group excludes is known of facts that are left out as well, so a set needs no whole groups (where a
vial is, what the hand holds). A set only decides what is proved, and at what cost; which ones are tried may
be changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...domains.evaluate import Part, parts
from ...domains.formula import Atom, GroundAtom, Var, is_ground_atom
from ...domains.mapping import ROOM
from ...simulator.partial_state import PartialState
from .statements import Statements

STATES = 100_000
"""Most states that are looked at for one set of facts."""
MAX_FACTS = 400
"""Most facts whose states are looked at."""
MAX_PAIRS = 30
"""Most pairs of conjuncts that are looked at by themselves."""
MAX_ATOMS = 200
"""Most atoms of a goal whose states are looked at."""
MAX_SITUATED = 40
"""Most facts that are looked at with where the things are that they are about."""
MAX_VALUES = 80
"""Most facts of a tiny world: beyond, their states are rarely few enough."""
MAX_STATES = 20_000
"""Most states that are looked at for these."""
MAX_NAMES = 40
"""Most nodes of a scene in which all that can be true is listed."""


@dataclass(frozen=True, slots=True)
class FactChoice:
    """Facts whose states are looked at, the parts of the goal these are for, and the most states."""

    parts: tuple[Part, ...]
    facts: tuple[GroundAtom, ...]
    states: int = STATES


class FactChoices:
    """The sets of facts for some conjuncts of a goal; only facts that can change are in them."""

    def __init__(self, statements: Statements, state: PartialState, conjuncts: tuple[Part, ...]) -> None:
        self.statements, self.belief, self.pack = statements, statements.belief, statements.pack
        self.conjuncts = conjuncts
        self.atoms_of = [tuple(itertools.islice(self._atoms(state, p), MAX_ATOMS)) for p in conjuncts]

    def widening(self, relevant: Callable[[], Iterable[GroundAtom]]) -> Iterator[FactChoice]:
        """Yield ever larger sets, each once."""
        seen: set[frozenset[GroundAtom]] = set()
        for parts_, atoms, most_facts, states in self._tried(relevant):
            kept = tuple(dict.fromkeys(a for a in atoms if self._changes(a)))
            if kept and len(kept) <= most_facts and frozenset(kept) not in seen:
                seen.add(frozenset(kept))
                yield FactChoice(parts_, kept, states)

    def _tried(
        self, relevant: Callable[[], Iterable[GroundAtom]]
    ) -> Iterator[tuple[tuple[Part, ...], Iterable[GroundAtom], int, int]]:
        """Yield facts of each conjunct, of pairs, of the goal, all that matter, and all there are."""
        numbers = range(len(self.conjuncts))
        pairs = itertools.islice(itertools.combinations(numbers, 2), MAX_PAIRS)
        choices: list[Sequence[int]] = [*((i,) for i in numbers), *pairs, numbers]
        for chosen in choices:
            yield self._of(chosen), self._around(self._mentioned(chosen)), MAX_FACTS, STATES
        for choice in (*self.situated(), *self._situated(numbers)):
            yield choice.parts, choice.facts, MAX_FACTS, STATES
        yield self.conjuncts, relevant(), MAX_FACTS, STATES
        if len(self.belief.scene.nodes) <= MAX_NAMES:
            changing = (p for p in self.pack.domain.predicates if p in self.pack.fluents)
            everything = (a for p in changing for a in self._instances(p))
            yield self.conjuncts, everything, MAX_VALUES, MAX_STATES

    def situated(self) -> Iterator[FactChoice]:
        """Yield what each conjunct mentions, with where these things are now."""
        for number in range(len(self.conjuncts)):
            yield from self._situated((number,))

    def _of(self, chosen: Sequence[int]) -> tuple[Part, ...]:
        return tuple(self.conjuncts[i] for i in chosen)

    def _mentioned(self, chosen: Sequence[int]) -> dict[GroundAtom, None]:
        return dict.fromkeys(a for i in chosen for a in self.atoms_of[i])

    def _situated(self, chosen: Sequence[int]) -> Iterator[FactChoice]:
        atoms = self._mentioned(chosen)
        names = dict.fromkeys(n for a in atoms for n in a.args)
        atoms |= dict.fromkeys(a for n in names for a in self._places(n))
        if len(atoms) <= MAX_SITUATED:
            facts = tuple(filter(self._changes, self._around(atoms)))
            yield FactChoice(self._of(chosen), facts)

    def _atoms(self, state: PartialState, part: Part) -> Iterator[GroundAtom]:
        """Yield the changing facts that a part of the goal mentions."""
        node, positive, binding = part
        if isinstance(node, Atom):
            args = tuple(binding[a.name] if isinstance(a, Var) else a for a in node.args)
            if node.predicate in self.pack.fluents:
                yield Atom(node.predicate, args)
            elif (meaning := self.pack.mapping.derived.get(node.predicate)) == ROOM:
                yield from self._places(args[0])
            elif meaning is not None:
                yield from (Atom(meaning, (n,)) for n in state.building.inside(args[0]))
            return
        for child in parts(node, positive, state, binding):
            yield from self._atoms(state, child)

    def _places(self, name: str) -> Iterator[GroundAtom]:
        yield Atom(self.pack.mapping.robot_held.predicate, (name,))
        for predicate in self.pack.locations:
            yield from (Atom(predicate, args) for args in self.belief.facts.with_argument(predicate, 0, name))

    def _around(self, atoms: Iterable[GroundAtom]) -> tuple[GroundAtom, ...]:
        """Add the facts over the same names that actions need or change together with some facts."""
        around = dict.fromkeys(atoms)
        names = dict.fromkeys(n for a in around for n in a.args)
        for atom in list(around):
            for action in self.pack.domain.actions.values():
                for effect in (*action.add, *action.delete):
                    if effect.predicate != atom.predicate:
                        continue
                    values = dict(zip(effect.args, atom.args, strict=True))
                    for other in (*action.precondition, *action.add, *action.delete):
                        fact = Atom(other.predicate, tuple(values.get(a, a) for a in other.args))
                        if is_ground_atom(fact) and all(a in names for a in fact.args):
                            around[fact] = None
        return tuple(around)

    def _instances(self, predicate: str) -> Iterator[GroundAtom]:
        """Yield the facts of a predicate that can change."""
        kinds = [p.type for p in self.pack.domain.predicates[predicate].parameters]
        names = [[n for n in self.belief.scene.nodes if self.belief.has_type(n, kind)] for kind in kinds]
        return filter(self._changes, (Atom(predicate, args) for args in itertools.product(*names)))

    def _changes(self, atom: GroundAtom) -> bool:
        """Return whether a fact may change: other facts need no bit of a state."""
        itself = len(set(atom.args)) == 1
        if atom.predicate not in self.pack.fluents:
            return False
        if itself and atom.predicate in self.pack.locations and self.belief.invariants.contained:
            return False  # nothing gets into itself; as a bit it would count as a fact that may come true
        holds = self.belief.facts.holds(atom.predicate, atom.args)
        return (
            not self.statements.kept(atom)
            if holds
            else not self.statements.limited(atom.predicate, atom.args)
        )
