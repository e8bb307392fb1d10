"""What holds for every scene that comes with the package, checked on its plain JSON."""

from __future__ import annotations

import json
import math
import re

import pytest
from plain_scene import PlainScene, natural

SCENES = [PlainScene(name) for name in ("office", "home")]
STATES = {"open", "closed", "on", "off", "hot", "cold", "clean", "dirty", "filled"}

each = pytest.mark.parametrize("plain", SCENES, ids=lambda p: p.file.stem)


@each
def test_ids_are_unique_and_in_order(plain: PlainScene) -> None:
    assert len(plain.nodes()) == len(plain.scene()["nodes"])
    order = ["floor", "room", "pose", "asset", "object", "agent"]
    kinds = [order.index(n["type"]) for n in plain.scene()["nodes"]]
    assert kinds == sorted(kinds)
    for kind in order:
        assert plain.of_type(kind) == sorted(plain.of_type(kind), key=natural)


@each
def test_one_node_and_one_link_a_line(plain: PlainScene) -> None:
    lines = [line.strip().rstrip(",") for line in plain.file.read_text(encoding="utf-8").splitlines()]
    parsed = [json.loads(line) for line in lines if line.startswith(('{"id"', '{"a"'))]
    assert parsed == plain.scene()["nodes"] + plain.scene()["links"]


@each
def test_every_parent_exists_and_fits(plain: PlainScene) -> None:
    floors = bool(plain.of_type("floor"))
    above = {"room": ["floor"], "pose": ["floor"], "asset": ["room"], "object": ["asset", "object", "room"]}
    for node in plain.scene()["nodes"]:
        if node["type"] in above and (floors or node["type"] not in ("room", "pose")):
            assert plain.nodes()[node["parent"]]["type"] in above[node["type"]], node["id"]
            relations = ("inside_of", "ontop_of") if node["type"] == "object" else ("in",)
            assert node["relation"] in relations, node["id"]
    assert all("pickup" in plain.nodes()[o]["affordances"] for o in plain.of_type("object"))


@each
def test_state_follows_affordances(plain: PlainScene) -> None:
    nodes = plain.nodes()
    for name in plain.of_type("asset", "object"):
        state, can = set(nodes[name]["state"]), set(nodes[name]["affordances"])
        assert len(state & {"open", "closed"}) == (1 if "open" in can else 0), name
        assert len(state & {"on", "off"}) == (1 if "turn_on" in can else 0), name
        assert ("open" in can) == ("close" in can) and ("turn_on" in can) == ("turn_off" in can), name
    locked = [n for n in nodes if "interlocked" in nodes[n].get("affordances", ())]
    assert sorted(locked) == sorted(plain.of_class("microwave", "dishwasher"))
    for name in plain.of_type("object"):
        parent = nodes[nodes[name]["parent"]]
        if parent["type"] == "asset":
            holds = "open" in parent["affordances"]
            in_it = nodes[name]["relation"] == "inside_of"
            assert in_it == holds, f"{name}: in what opens, on what does not"
            assert "release" in parent["affordances"], name


@each
def test_words_that_goals_use_are_plain(plain: PlainScene) -> None:
    for node in plain.scene()["nodes"]:
        for word in (*node.get("classes", ()), *node.get("attributes", ())):
            assert re.fullmatch(r"[a-z][a-z0-9_]*", word), f"{node['id']}: {word}"
        assert not set(node.get("attributes", ())) & STATES
        assert set(node.get("state", ())) <= STATES


@each
def test_every_node_and_every_property_has_a_provenance(plain: PlainScene) -> None:
    begins = ("stated: ", "implied by: ", "reading of a figure: ", "chosen")
    silent = {"id", "type", "provenance", "relation"}
    for node in plain.scene()["nodes"]:
        provenance = node["provenance"]
        assert all(v.startswith(begins) for v in provenance.values()), node["id"]
        wanted = {"node"} | {k for k, v in node.items() if k not in silent and v != []}
        assert wanted <= set(provenance), node["id"]


@each
def test_lengths_are_the_distances(plain: PlainScene) -> None:
    for link in plain.scene()["links"]:
        a, b = (plain.nodes()[link[end]]["position"] for end in ("a", "b"))
        assert link["length"] == round(math.dist(a, b), 3)
