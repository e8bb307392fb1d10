"""Boxes in boxes: a tree is printed in lines of a bounded length, however deep it is."""

import json

import pytest

from groundplan.commands.console.terminal import MAX_INDENTED, branches
from groundplan.simulator.scene import MAX_DEPTH


def nested(depth):
    """A scene with a table and boxes in each other."""
    boxes = [
        {"id": f"box{n}", "type": "object", "parent": f"box{n - 1}", "relation": "inside_of"}
        for n in range(1, depth)
    ]
    nodes = [
        {"id": "room1", "type": "room"},
        {"id": "table1", "type": "asset", "parent": "room1"},
        {"id": "box0", "type": "object", "parent": "table1", "relation": "ontop_of"},
        *boxes,
        {"id": "agent", "type": "agent", "parent": "room1", "at": "room1"},
    ]
    return {"format": "groundplan-scene", "version": 1, "name": "boxes", "nodes": nodes, "links": []}


DEEPEST = MAX_DEPTH - 1
"""Boxes below a room and a table."""


def test_a_deep_scene_is_shown_in_short_lines(cli, tmp_path):
    (tmp_path / "boxes.json").write_text(json.dumps(nested(DEEPEST)))
    shown = cli("scene", "show", tmp_path / "boxes.json")
    assert shown.code == 0 and len(shown.out) < DEEPEST * 40
    lines = shown.out.splitlines()
    assert sum("box" in line for line in lines) == DEEPEST + 1  # and the name of the scene
    assert f"  … level {MAX_DEPTH}: box{DEEPEST - 1}" in lines


@pytest.mark.parametrize("backwards", [False, True])
def test_one_box_more_is_refused_by_name(cli, tmp_path, backwards):
    scene = nested(DEEPEST + 1)
    if backwards:
        scene["nodes"].reverse()
    (tmp_path / "boxes.json").write_text(json.dumps(scene))
    refused = cli("scene", "show", tmp_path / "boxes.json")
    assert refused.code == 2
    words = f"boxes: node box{DEEPEST}: expected at most {MAX_DEPTH} nodes above a node"
    assert words in " ".join(refused.err.split())


def test_guides_end_where_levels_are_counted():
    below = {f"n{n}": [f"n{n + 1}", f"leaf{n}"] for n in range(MAX_INDENTED + 2)}
    lines = list(branches(["n0"], lambda node: below.get(node, [])))
    assert lines[1] == ("  ├── ", "n1") and lines[2] == ("  │   ├── ", "n2")
    assert (f"  … level {MAX_INDENTED + 1}: ", f"n{MAX_INDENTED + 1}") in lines
    assert (f"  … level {MAX_INDENTED + 1}: ", f"leaf{MAX_INDENTED}") in lines
    assert lines[-1] == ("  └── ", "leaf0") and len(lines) == 2 * (MAX_INDENTED + 2) + 1
