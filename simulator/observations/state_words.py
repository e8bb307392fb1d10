"""The state words of nodes as facts: of a node alone (``open``), or of it and another (``covered dust1``).

A word over two nodes is the pack's word, a space, and the other node's id. Everything that reads or writes
states of nodes goes by these functions, so that both kinds of words mean the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...domains.errors import SceneError, clip, did_you_mean
from ...domains.formula import Atom, GroundAtom, Var
from ...domains.mapping import OTHER, SceneMapping
from ...domains.pack import BUILT_IN, load_pack
from ..scene import Node, Scene, place


def of_two(atoms: Sequence[Atom]) -> bool:
    """Return whether a word with this meaning names another node."""
    return any(Var(OTHER) in atom.args for atom in atoms)


def meaning(word: str, mapping: SceneMapping) -> tuple[tuple[Atom, ...], str] | None:
    """Return the atoms of a word and the other node that it names, if any; ``None`` for no word of a pack."""
    atoms, other = mapping.states.get(word), ""
    if atoms is None:
        kind, _, other = word.partition(" ")
        atoms = mapping.states.get(kind)
    return None if atoms is None or of_two(atoms) != bool(other) else (atoms, other)


def facts_said(word: str, node: Node, mapping: SceneMapping) -> tuple[GroundAtom, ...]:
    """Return the facts that a word of a node says; none for a word that the pack does not have."""
    meant = meaning(word, mapping)
    if meant is None:
        return ()
    return tuple(Atom(a.predicate, args_of(a, node, meant[1])) for a in meant[0])


def facts_between(word: str, node: Node, scene: Scene, mapping: SceneMapping) -> tuple[GroundAtom, ...]:
    """Return the fact of a word that names another node. Raises :class:`SceneError` for any other word."""
    meant = meaning(word, mapping)
    if meant is None:
        others = [name for name in BUILT_IN if word.partition(" ")[0] in load_pack(name).mapping.states]
        hint = did_you_mean(word, mapping.states) or f"states are {', '.join(mapping.states)}"
        hint = f"the pack {others[0]} has it: --pack {others[0]}" if others else hint
        raise SceneError(place(scene, node), "a state that the pack knows", clip(word), hint)
    if meant[1] not in scene.nodes:
        hint = did_you_mean(meant[1], scene.nodes)
        raise SceneError(place(scene, node), "a word and a node of the scene", clip(word), hint)
    return facts_said(word, node, mapping)


def args_of(atom: Atom, node: Node, other: str = "") -> tuple[str, ...]:
    """Return the arguments of a mapping's atom for a node, its parent, and another that a word names."""
    values = {"x": node.id, "y": node.parent or "", OTHER: other}
    return tuple([values[a.name] if isinstance(a, Var) else a for a in atom.args])


def words_over_two(mapping: SceneMapping) -> Iterator[tuple[str, str]]:
    """Yield the words that name another node, each with its predicate."""
    for word, atoms in mapping.states.items():
        if of_two(atoms):
            yield word, atoms[0].predicate
