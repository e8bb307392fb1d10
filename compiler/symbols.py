"""Reversible table between scene names and PDDL symbols.

PDDL ignores case, wants a letter first and shares one set of names between types, predicates, actions and
objects in some tools. Scene names may be anything: ``K31X``, ``1``, ``a b``, ``a) (goal``, a node ``fridge``
of class ``fridge``, ``open`` the action beside ``open`` the predicate, ten thousand characters. The table is
applied when PDDL is written and inverted on every plan. Spelling may change if it stays one-to-one and
depends on the names only; an engine's reserved words belong in the list below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

ROOT = "object"
"""The type of everything; it gets a symbol, since not all readers of PDDL know ``object`` as a type."""
MAX_LENGTH = 48
"""Longest symbol; some engines keep names in fixed buffers."""

_RESERVED = frozenset(
    "define domain problem requirements types constants predicates functions action parameters precondition"
    " effect and or not imply exists forall when either object number total-cost distance increase decrease"
    " assign minimize maximize metric goal init objects at over all start end true false sometime always"
    " within at-most-once sometime-after sometime-before always-within hold-during hold-after preference"
    " is-violated total-time duration scale-up scale-down derived axiom event process name".split()
)


@dataclass(frozen=True)
class SymbolTable:
    """Symbols by kind and name, and back. Built by :func:`symbols`."""

    types: dict[str, str]
    predicates: dict[str, str]
    actions: dict[str, str]
    objects: dict[str, str]

    def scene_names(self, plan: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Translate a plan back into names. Raises ``KeyError`` for a symbol that is not in the table."""
        actions, objects = self._back(self.actions), self._back(self.objects)
        return [(actions[a.lower()], *(objects[x.lower()] for x in args)) for a, *args in plan]

    @staticmethod
    def _back(table: dict[str, str]) -> dict[str, str]:
        return {symbol: name for name, symbol in table.items()}


def symbols(
    types: Iterable[str], predicates: Iterable[str], actions: Iterable[str], objects: Iterable[str]
) -> SymbolTable:
    """Choose symbols: a name's own spelling where it is free and allowed, types before predicates before
    actions before objects; within a kind in sorted order, so that the result depends on the names only.
    """
    taken = set(_RESERVED)

    def choose(names: Iterable[str], kind: str) -> dict[str, str]:
        table = {}
        # Names in brackets are those that a compilation adds: a pack's own keep their spelling.
        for name in sorted(set(names), key=lambda n: (kind != "node" and n.startswith("("), n)):
            stem = _spell(name, kind)
            symbol, number = stem, 1
            while symbol in taken:
                number += 1
                symbol = f"{stem}_{kind}" if number == 2 else f"{stem}_{kind}{number - 1}"
            taken.add(symbol)
            table[name] = symbol
        return table

    return SymbolTable(
        choose([*types, ROOT], "type"),
        choose(predicates, "fact"),
        choose(actions, "act"),
        choose(objects, "node"),
    )


def _spell(name: str, kind: str) -> str:
    """Return the nearest symbol to a name that PDDL allows."""
    text = re.sub(r"[^a-z0-9_-]+", "_", name.lower()).strip("_-")
    if not text or not text[0].isalpha():
        text = f"{kind[0]}{text}" if text else kind
    return text[:MAX_LENGTH].rstrip("_-")
