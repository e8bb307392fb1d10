"""Tokens of a scene by kind of entity, whole and collapsed (SayPlan, tables 4 and 5).

The text is SayPlan's JSON form of the scene, once compact, as our models read it, and once with a space after
every comma and colon, as Python writes JSON by itself; the paper does not say which it counted. Poses and
storeys are in our text, also in the collapsed one, and no entities in the paper. The parts are counted one by
one and add up to a little less than the whole, which has keys and brackets around them. The paper's figures
stay; another text to count is a row more in :func:`scene_tokens`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...simulator.sayplan_json import node_link, to_sayplan
from ...simulator.scene import Scene
from ...simulator.view import UNCOUNTED, View
from .servers.meter import count_tokens

KINDS = ("room", "asset", "object", "agent")
"""Kinds of nodes in the order of the paper's tables; others follow."""


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One kind of entity, or a whole text: its entities, and the tokens of its compact and spaced JSON."""

    kind: str
    entities: int
    compact: int
    spaced: int

    def as_json(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "entities": self.entities,
            "tokens": self.compact,
            "tokens_spaced": self.spaced,
        }


def reductions(rows: Sequence[TokenRow]) -> Mapping[str, float]:
    """Return the share of the full scene's tokens that each collapsed form saves (SayPlan, table 2)."""
    full = next(row.compact for row in rows if row.kind == "full")
    return {row.kind: 1 - row.compact / full for row in rows if row.kind.startswith("collapsed")}


def scene_tokens(scene: Scene) -> tuple[TokenRow, ...]:
    """Return a row for each kind of node that there is, for the edges, the full and the collapsed scene.

    The row ``collapsed-view`` is the first view of a search: the collapsed scene with its descriptions. Where
    there are floors, ``collapsed-floors`` is the same with every floor closed.
    """
    whole = to_sayplan(scene)
    view = View.collapsed(scene)
    collapsed = node_link(scene, [n.id for n in view.visible])
    nodes = whole["nodes"]
    assert isinstance(nodes, dict)
    order = [k for k in KINDS if k in nodes] + [k for k in nodes if k not in KINDS]
    rows = [_row(kind, len(nodes[kind]), nodes[kind]) for kind in order]
    rows.append(_row("edges", _edges(whole), whole["links"]))
    documents = {"full": whole, "collapsed": collapsed, "collapsed-view": view.as_json()}
    above = tuple(i for i in view.expanded if scene.nodes[i].type != "floor")
    if above != view.expanded:
        documents["collapsed-floors"] = View(scene, above).as_json()
    rows += [_row(kind, _entities(document), document) for kind, document in documents.items()]
    return tuple(rows)


def _row(kind: str, entities: int, document: object) -> TokenRow:
    compact = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return TokenRow(
        kind, entities, count_tokens(compact), count_tokens(json.dumps(document, ensure_ascii=False))
    )


def _edges(document: Mapping[str, object]) -> int:
    links = document["links"]
    return len(links) if isinstance(links, list) else 0


def _entities(document: Mapping[str, object]) -> int:
    """Nodes without poses and floors, and edges, as the paper counts."""
    nodes = document["nodes"]
    assert isinstance(nodes, dict)
    return sum(len(group) for kind, group in nodes.items() if kind not in UNCOUNTED) + _edges(document)
