"""Affordances and states of nodes, as verbs and destinations ask for them."""

from __future__ import annotations

from collections.abc import Iterable

from ...simulator.scene import Node
from ..english.links import NoReferent
from ..english.phrases import Phrase


def affords(node: Node, affordance: str) -> bool:
    return affordance in node.affordances


def is_movable(node: Node) -> bool:
    return affords(node, "pickup")


def is_container(node: Node) -> bool:
    return not {"open", "close", "contain"}.isdisjoint(node.affordances)


def is_closed(node: Node) -> bool:
    return affords(node, "close") and "open" not in node.state


def is_running(node: Node) -> bool:
    return affords(node, "turn_off") and "on" in node.state


def able(nodes: Iterable[Node], affordance: str, phrase: Phrase, what: str) -> list[Node]:
    """The nodes that afford something. Raises :class:`NoReferent` where none does."""
    nodes = list(nodes)
    fitting = [n for n in nodes if affords(n, affordance)]
    if not fitting:
        raise NoReferent(f"{nodes[0].id} cannot be {what}" if nodes else f"nothing fits '{phrase}'", phrase)
    return fitting
