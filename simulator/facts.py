"""Sets of ground facts with the indexes that matching a conjunction needs.

A fact is a predicate and its arguments. :class:`Facts` may stand on another, unchanged set and store only the
difference, so that a world over 10,000 objects starts at no cost. An index by argument is built the first
time that a predicate is looked up that way: most never are. Matching picks the atom with the fewest
candidates next. The order of results is part of reproducibility: no change may make it depend on hashing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..domains.action import extend
from ..domains.formula import Atom, GroundAtom, Var

Args = tuple[str, ...]


class Facts:
    """Mutable set of ground facts, on top of another that is never written to (``base``)."""

    __slots__ = ("_added", "_base", "_index", "_removed")

    def __init__(self, base: Facts | None = None) -> None:
        self._base = base
        self._added: dict[str, dict[Args, None]] = {}
        self._removed: dict[str, set[Args]] = {}
        # By predicate and argument position; built on the first look-up, then kept up to date.
        self._index: dict[tuple[str, int], dict[str, dict[Args, None]]] = {}

    def holds(self, predicate: str, args: Args) -> bool:
        own = self._added.get(predicate)
        if own is not None and args in own:
            return True
        if self._base is None or args in self._removed.get(predicate, ()):
            return False
        return self._base.holds(predicate, args)

    def add(self, predicate: str, args: Args) -> bool:
        """Make a fact true; return whether it was false."""
        own = self.own(predicate)
        if args in own:
            return False
        if self._base is not None:
            gone = self._removed.get(predicate)
            if gone is not None and args in gone:
                gone.discard(args)
                return True
            if self._base.holds(predicate, args):
                return False
        own[args] = None
        if self._index:
            for position, name in enumerate(args):
                if (index := self._index.get((predicate, position))) is not None:
                    index.setdefault(name, {})[args] = None
        return True

    def own(self, predicate: str) -> dict[Args, None]:
        """Live, read-only view of the facts of a predicate added on top of the base."""
        own = self._added.get(predicate)
        if own is None:
            own = self._added[predicate] = {}
        return own

    def discard(self, predicate: str, args: Args) -> bool:
        """Make a fact false; return whether it was true."""
        own = self._added.get(predicate)
        if own is not None and args in own:
            del own[args]
            for position, name in enumerate(args):
                if (index := self._index.get((predicate, position))) is not None:
                    del index[name][args]
            return True
        if self._base is not None and self.holds(predicate, args):
            self._removed.setdefault(predicate, set()).add(args)
            return True
        return False

    def with_argument(self, predicate: str, position: int, name: str) -> list[Args]:
        """Return the facts of a predicate with a name at an argument position."""
        facts = self._base.with_argument(predicate, position, name) if self._base is not None else []
        gone = self._removed.get(predicate)
        if gone:
            facts = [a for a in facts if a not in gone]
        if not self._added.get(predicate):
            return facts
        return facts + list(self._by_argument(predicate, position).get(name, ()))

    def _by_argument(self, predicate: str, position: int) -> dict[str, dict[Args, None]]:
        """Return the own facts of a predicate by their argument at a position."""
        index = self._index.get((predicate, position))
        if index is None:
            index = {}
            for args in self._added.get(predicate, ()):
                index.setdefault(args[position], {})[args] = None
            self._index[predicate, position] = index
        return index

    def matching(self, predicate: str, pattern: Sequence[str | None]) -> list[Args]:
        """Return the facts that are instances of a pattern, where ``None`` stands for anything."""
        fixed = [(i, name) for i, name in enumerate(pattern) if name is not None]
        if len(fixed) == len(pattern):
            args = tuple(name for _, name in fixed)
            return [args] if self.holds(predicate, args) else []
        if not fixed:
            return self.all(predicate)
        shortest = min((self.with_argument(predicate, i, name) for i, name in fixed), key=len)
        return shortest if len(fixed) == 1 else [f for f in shortest if all(f[i] == n for i, n in fixed)]

    def all(self, predicate: str) -> list[Args]:
        """Return every fact of a predicate."""
        facts = self._base.all(predicate) if self._base is not None else []
        gone = self._removed.get(predicate)
        if gone:
            facts = [a for a in facts if a not in gone]
        return facts + list(self._added.get(predicate, ()))

    def predicates(self) -> list[str]:
        names = set(self._added) | set(self._base.predicates() if self._base is not None else ())
        return sorted(names)

    def copy(self) -> Facts:
        """Return an independent set that shares the base and copies the difference."""
        other = Facts(self._base)
        other._added = {p: dict(v) for p, v in self._added.items()}
        other._removed = {p: set(v) for p, v in self._removed.items()}
        return other

    def __iter__(self) -> Iterator[GroundAtom]:
        for predicate in self.predicates():
            for args in self.all(predicate):
                yield Atom(predicate, args)


def match(
    pattern: Sequence[Atom], facts: Facts, binding: Mapping[str, str] | None = None
) -> Iterator[dict[str, str]]:
    """Yield every binding that makes all atoms of the pattern facts."""
    bound = dict(binding or {})
    if not pattern:
        yield bound
        return
    best_index, best = 0, None
    for index, atom in enumerate(pattern):
        matching = candidates(atom, facts, bound)
        if best is None or len(matching) < len(best):
            best_index, best = index, matching
            if not matching:
                return
    atom = pattern[best_index]
    rest = [a for i, a in enumerate(pattern) if i != best_index]
    for args in best or ():
        extended = extend(atom, args, bound)
        if extended is not None:
            yield from match(rest, facts, extended)


def candidates(atom: Atom, facts: Facts, bound: Mapping[str, str]) -> list[Args]:
    """Return the facts that an atom may match under a binding, by the best index."""
    pattern = [bound.get(a.name) if isinstance(a, Var) else a for a in atom.args]
    return facts.matching(atom.predicate, pattern)
