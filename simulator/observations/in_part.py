"""Nodes that were seen in part: what the words seen of one say, and what stays as it is believed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...domains.exclusive import ExclusionIndex, clash
from ...domains.formula import GroundAtom
from ...domains.pack import Pack
from ..scene import Node
from .state_words import facts_said


def seen_in_part(believed: Node, seen: Node, words: Sequence[str], pack: Pack) -> Node:
    """Return a node as it is seen, with what is believed of its states and attributes beside ``words``."""
    state = with_words(believed, (word for word in words if word in seen.state), pack).state
    more = (word for word in words if word in seen.attributes and word not in believed.attributes)
    return replace(seen, state=state, attributes=(*believed.attributes, *more))


def with_words(believed: Node, words: Iterable[str], pack: Pack) -> Node:
    """Return a node with words for states that were seen of it, in place of those that they exclude."""
    seen = tuple(words)
    kept = (word for word in believed.state if not any(exclude(word, one, believed, pack) for one in seen))
    state = tuple(dict.fromkeys((*kept, *seen)))
    return believed if state == believed.state else replace(believed, state=state)


def exclude(one: str, other: str, node: Node, pack: Pack) -> bool:
    """Return whether two words for states cannot both be true of a node, as for the states of a scene."""
    others = _facts((other,), node, pack)
    # Groups are shown, which takes a while, only where a declared one is broken.
    return any(
        clash(fact, others, pack.mapping.exclusive) and clash(fact, others, pack.invariants.groups)
        for fact in _facts((one,), node, pack)
    )


def shown_by(words: Iterable[str], node: Node, pack: Pack) -> frozenset[str]:
    """Return the predicates of which words show whether they are true of a node.

    They are those that a word for a state says, those that are shown to exclude one of them, and attributes.
    """
    seen = frozenset(words)
    facts = _facts([word for word in node.state if word in seen], node, pack)
    shown = {atom.predicate for atom in facts} | seen.intersection(node.attributes)
    if facts:
        groups = pack.invariants.groups
        index = ExclusionIndex(groups)
        keys = {key for atom in facts for key in index.keys(atom.predicate, atom.args)}
        shown |= {atom.predicate for group, name in keys if name == node.id for atom in groups[group]}
    return frozenset(shown)


def _facts(words: Iterable[str], node: Node, pack: Pack) -> Sequence[GroundAtom]:
    return [fact for word in words for fact in facts_said(word, node, pack.mapping)]
