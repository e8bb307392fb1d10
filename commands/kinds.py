"""Classes beside names that do not say them: ``O(1) cup`` for a scene whose nodes are numbered.

Robots' graphs name nodes by letters and numbers. Wherever a person reads a name, the class stands beside it;
where the name says it (``cup1``), or the class is no more than the node's type, nothing is added.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..simulator.scene import NODE_TYPES, Node, Scene

_NAME = re.compile(r'[^\s,;:"()]+(?:\([^\s()]*\))?')
"""A word of a message that may be a name, with brackets after it."""


def unnamed_class(node: Node) -> str:
    """Return the first class of a node whose id says none of them (``cup`` for ``O(1)``); else nothing."""

    def letters(text: str) -> str:
        return "".join(c for c in text.casefold() if c.isalnum())

    name = letters(node.id)
    says = node.type == "agent" or any(letters(kind) in name for kind in node.classes)
    kind = next(iter(node.classes), "")
    return "" if says or kind in NODE_TYPES else kind


def with_class(name: str, scene: Scene) -> str:
    """Return a name with the class that it does not say."""
    kind = unnamed_class(scene.nodes[name]) if name in scene.nodes else ""
    return f"{name} {kind}" if kind else name


def classes_of(names: Iterable[str], scene: Scene) -> str:
    """Return in words the classes of those of some names that do not say them; empty for none."""
    kinds = ((name, unnamed_class(scene.nodes[name])) for name in dict.fromkeys(names) if name in scene.nodes)
    return ", ".join(
        f"{name} is {'an' if kind[0] in 'aeiou' else 'a'} {kind}" for name, kind in kinds if kind
    )


def beside(names: Iterable[str], scene: Scene) -> str:
    """Return what stands behind a step: the classes that its names do not say, or nothing."""
    classes = classes_of(names, scene)
    return f"  {classes}" if classes else ""


def classes_in(message: str, scene: Scene) -> str:
    """Return in words the classes of the names in a message that do not say them."""
    return classes_of(_NAME.findall(message), scene)
