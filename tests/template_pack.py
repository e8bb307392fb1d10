"""Packs for tests: the template that users begin with, and a few actions more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path

from groundplan.domains.pack import Pack, load_pack, template_texts
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene_json import scene_from_json

REACHING = (
    "(:action reach :parameters (?c - thing ?x - object) :precondition (and (at ?x) (lies_on ?c ?x))"
    " :effect (and (at ?c) (not (at ?x)) (increase (total-cost) 0)))",
    "(:action back :parameters (?c - thing ?x - object) :precondition (and (at ?c) (lies_on ?c ?x))"
    " :effect (and (at ?x) (not (at ?c)) (increase (total-cost) 0)))",
)
"""Reaching into movable things, and stepping back."""
TABLES = {
    "reach": '[actions.reach]\nstep = "access(?c)"\nskill = "reach"\nverb = "access {c}"',
    "back": '[actions.back]\nstep = "access(?x)"\nskill = "reach"\nverb = "access {x}"',
    "lift": '[actions.lift]\nstep = "lift(?y)"\nskill = "lift"\nverb = "take the lift to {y}"',
    "belt": '[actions.belt]\nstep = "belt(?t, ?x, ?y)"\nskill = "belt"\nverb = "send {t}"',
}
PICK, ON = ("pickup",), ("release",)


def template_pack(
    folder: Path,
    *actions: str,
    changes: Mapping[str, str] | None = None,
    mapping: Mapping[str, str] | None = None,
) -> Pack:
    """Write the template with actions more, and texts of its domain and mapping changed; load it."""
    texts = template_texts()
    domain, tables = texts["domain.pddl"], texts["mapping.toml"]
    for old, new in {"(flat ?b - bench)": "(flat ?b - object)", **(changes or {})}.items():
        assert old in domain
        domain = domain.replace(old, new)
    for old, new in (mapping or {}).items():
        assert old in tables
        tables = tables.replace(old, new)
    names = [action.split()[1] for action in actions]
    domain = domain.replace("(:action start", "\n".join((*actions, "(:action start")), 1)
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("domain.pddl").write_text(domain, encoding="utf-8")
    folder.joinpath("mapping.toml").write_text(
        "\n".join((tables, *(TABLES[n] for n in names))), encoding="utf-8"
    )
    return load_pack(str(folder))


def benches(
    pack: Pack, rooms: Mapping[str, Sequence[str]], things: Mapping[str, str], *lengths: float
) -> Belief:
    """Return rooms in a row, each with the benches named, and vials on them or on one another.

    A length of infinity stands for rooms that no link joins.
    """
    names = list(rooms)
    nodes: list[dict[str, object]] = [{"id": name, "type": "room"} for name in names]
    for room, there in rooms.items():
        nodes += [{"id": n, "type": "asset", "parent": room, "affordances": ["release"]} for n in there]
    nodes += [
        {
            "id": n,
            "type": "object",
            "parent": on,
            "relation": "ontop_of",
            "affordances": ["pickup", "release"],
        }
        | {"classes": ["vial"]}
        for n, on in things.items()
    ]
    nodes.append({"id": "robot", "type": "agent", "at": names[0]})
    links = [
        {"a": a, "b": b, "length": length}
        for a, b, length in zip(names[:-1], names[1:], lengths or [4.0] * (len(names) - 1), strict=True)
        if isfinite(length)
    ]
    raw = {"format": "groundplan-scene", "version": 1, "name": "benches", "nodes": nodes, "links": links}
    return ground(scene_from_json(raw, "scene"), pack)
