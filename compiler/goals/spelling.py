"""Names of a goal as the scene and the pack spell them, where only the writing differs.

Models write names in capitals, with escapes of Markdown, with characters that nobody sees. A name that is
not known, and that differs from exactly one known name in nothing else, is that name. Another name is never
taken for one that is like it: that is a fix which the check offers.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache

from ...domains.formula import (
    Atom,
    Count,
    Exists,
    Forall,
    Formula,
    TypedVar,
    declared,
    terms,
    walk,
    with_terms,
)
from ...simulator.belief import Belief
from .goal import Goal
from .wrapping import Known

_WRITING = re.compile(r"\\(?=[!-/:-@\[-`{-~])|[\u00ad\u200b\u2060\ufeff]")


def plain(name: str) -> str:
    """Return a name without what is writing alone: case, escapes, width, and characters that nobody sees."""
    return unicodedata.normalize("NFKC", _WRITING.sub("", name)).casefold()


def known_facts(belief: Belief) -> Known:
    """Return whether a fact can begin with a name, however it is written, and have so many arguments."""

    @cache
    def arities() -> Mapping[str, set[int]]:
        numbers: dict[str, set[int]] = defaultdict(set)
        for name, arity in belief.pack.public_predicates().items():
            numbers[plain(name)].add(arity)
        for name in _kinds(belief):
            numbers[plain(name)].add(1)
        return numbers

    return lambda name, arguments: arguments in arities().get(plain(name), ())


def spelled(goal: Goal, belief: Belief) -> Goal:
    """Return a goal with its names as they are known; its places stay.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal
    >>> print(spelled(parse_goal("(CLOSED Fridge)"), ground(load_scene("office"), load_pack())))
    (closed fridge)
    """
    nodes, kinds = belief.scene.nodes.keys(), frozenset(_kinds(belief))
    facts = frozenset(belief.pack.public_predicates()) | kinds
    parts = list(walk(goal.formula))
    new_facts = _known_as({n.predicate for n in parts if isinstance(n, Atom)}, facts)
    new_nodes = _known_as({t for n in parts for t in terms(n) if isinstance(t, str)}, nodes)
    new_kinds = _known_as({v.type for n in parts for v in declared(n)}, kinds)
    if not (new_facts or new_nodes or new_kinds):
        return goal

    def changed(node: Formula) -> Formula:
        node = with_terms(node, lambda t: new_nodes.get(t, t) if isinstance(t, str) else t, changed)
        if isinstance(node, Atom):
            return Atom(new_facts.get(node.predicate, node.predicate), node.args)
        if isinstance(node, Exists | Forall | Count):
            variables = (TypedVar(v.name, new_kinds.get(v.type, v.type)) for v in node.variables)
            return replace(node, variables=tuple(variables))
        return node

    return replace(goal, formula=changed(goal.formula))


def _kinds(belief: Belief) -> Iterator[str]:
    """Yield the classes, attributes and types that a goal may name."""
    types = belief.pack.mapping
    yield from (*belief.scene.by_class, *belief.scene.by_attribute, *types.types, *types.supertypes, "floor")


def _known_as(written: Collection[str], names: Collection[str]) -> Mapping[str, str]:
    """Return the known name of each name that is unknown and differs from that one alone in writing."""
    unknown = {plain(name): name for name in written if name not in names}
    if not unknown:
        return {}
    alike: dict[str, list[str]] = defaultdict(list)
    for name in names:
        if (key := plain(name)) in unknown:
            alike[key].append(name)
    return {name: alike[plain(name)][0] for name in written if len(alike.get(plain(name), ())) == 1}
