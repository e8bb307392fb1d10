"""How large decoding grammars get: with the names, not with the scene's structure."""

from __future__ import annotations

from strategies import household

from groundplan.compiler.decoding.grammar import decoding_grammar
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Link, Node, Scene


def building(size: int) -> Scene:
    """A made scene of so many nodes: rooms with fridges, desks and lamps, and things on them."""
    nodes = {"hub": Node("hub", "pose"), "agent": Node("agent", "agent", at="hub")}
    rooms = [f"room{i}" for i in range(size // 30)]
    nodes |= {r: Node(r, "room", classes=("office",)) for r in rooms}
    kinds = {"fridge": ("open", "close", "release"), "desk": ("release",), "lamp": ("turn_on", "turn_off")}
    number = 0
    while len(nodes) < size:
        room, kind = rooms[number % len(rooms)], list(kinds)[number % 3]
        name = f"{kind}{number}"
        nodes[name] = Node(name, "asset", room, "in", (kind,), kinds[kind])
        if kind != "lamp" and len(nodes) < size:
            nodes[f"apple{number}"] = Node(
                f"apple{number}", "object", name, "ontop_of", ("apple",), ("pickup",)
            )
        number += 1
    return Scene("building", nodes, tuple(Link("hub", r, 5.0) for r in rooms))


def test_sizes_grow_with_the_names_alone() -> None:
    sizes = {}
    for nodes in (100, 1000):
        belief = ground(building(nodes), household())
        names = sum(len(f'"{i}" | ') for i in belief.scene.nodes)
        sizes[nodes] = len(decoding_grammar(belief, None, "lark")) - names
    assert sizes[1000] < 1.1 * sizes[100] < 100_000
