"""`groundplan scene` with its verbs `list` and `show`; the others are modules beside this one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import click

from ...datasets.scenes import SCENES, load_scene
from ...domains.errors import InputError, did_you_mean
from ...domains.pack import load_pack
from ...simulator.belief import ground
from ...simulator.scene import CONTAINERS, PLACE_UNKNOWN, THINGS, Scene
from ...simulator.view import counts
from ..console.escape import json_text
from ..console.losses import losses_json, reading_note
from ..console.terminal import HEAD, NAME, QUIET, UNSURE, Screen, branches
from ..console.tree import sizes
from ..kinds import unnamed_class
from ..options import open_world, scene_options, timeout_option
from ..picture_files import DrawnFiles, picture_options, say_written
from ..pictures.picture import picture_of_scene
from .convert import convert, formats
from .generate import generate
from .scaling import scaling
from .tokens import tokens
from .validate import SceneReport, one_name, validate


@click.group(name="scene")
def command() -> None:
    """Show, convert, generate, list and validate scenes."""


for _verb in (tokens, scaling, convert, formats, generate, validate):
    command.add_command(_verb)


@command.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_scenes(as_json: bool) -> None:
    """List the scenes that come with the package."""
    scenes = [load_scene(name) for name in SCENES]
    if as_json:
        rows = [{"name": s.name, "description": s.description, "counts": counts(s)} for s in scenes]
        click.echo(json_text(rows))
        return
    screen = Screen()
    for scene in scenes:
        screen.line((scene.name, HEAD), "  ", (sizes(scene), QUIET))
        screen.line(scene.description, prefix=["  "])


@command.command(name="show")
@click.argument("name", metavar="[NAME_OR_FILE]", required=False)
@timeout_option()
@scene_options
@click.option("--pack", metavar="NAME_OR_DIR", help="Check the scene's words against this domain pack, too.")
@click.option("--room", metavar="ID", help="Only this room, with the affordances and states in it.")
@picture_options
@click.option("--force", is_flag=True, help="Replace pictures that exist.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def show(
    name: str | None,
    scene: str | None,
    task: str | None,
    item: str,
    pack: str | None,
    room: str | None,
    svg: Path | None,
    png: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Show a scene: counts, and what is where, by room; with --svg or --png also as a picture."""
    files = DrawnFiles(svg, png, None, force)
    files.check()
    shown, _ = open_world(one_name(name, scene), task, item)
    report = SceneReport(ground(shown, load_pack(pack))) if pack is not None else None
    if room is not None and (room not in shown.nodes or shown.nodes[room].type not in CONTAINERS):
        rooms = shown.by_type.get("room", ())
        raise InputError("--room", "the id of a room", room, did_you_mean(room, rooms))
    files.write(lambda: picture_of_scene(shown if room is None else _alone(shown, room)))
    if as_json:
        summary: dict[str, object] = {"scene": shown.name, "counts": counts(shown)}
        summary |= {"warnings": report.warnings()} if report is not None else {}
        unplaced: dict[str, object] = {"unplaced": list(shown.unplaced)}
        click.echo(json_text(summary | unplaced | {"losses": losses_json(shown)}))
        return
    screen = Screen()
    for warning in report.kinds() if report is not None else ():
        screen.line(("warning", UNSURE), f": {warning}")
    if note := reading_note(shown):
        screen.line((note, UNSURE))
    if room is None:
        screen.heading(shown.name, shown.description)
        rows = counts(shown).items()
        screen.rows((f"{number:>6}", (kind, NAME), (_meaning(kind), QUIET)) for kind, number in rows)
        screen.heading("What is where")
    _show_tree(screen, shown, [room] if room else _tops(shown, CONTAINERS), bool(room))
    for agent in shown.by_type.get("agent", ()) if room is None else ():
        where = shown.nodes[agent].at or shown.nodes[agent].parent or ""
        held = ", ".join(shown.children.get(agent, ()))
        screen.line((agent, HEAD), f" at {where}", f", holding {held}" if held else "", prefix=["  "])
    if room is None and shown.unplaced:
        screen.heading("Place not known")
        _show_tree(screen, shown, _tops(shown, THINGS), False)
    say_written(screen, files)


def _alone(scene: Scene, level: str) -> Scene:
    """Return a room or another level with all that is in it, as a scene."""
    inside = {level, *scene.descendants(level)}
    kept = (n for n in scene.nodes.values() if n.id in inside)
    nodes = {n.id: replace(n, at=n.at if n.at in inside else None) for n in kept}
    nodes[level] = replace(nodes[level], parent=None)
    links = (replace(x, door="") for x in scene.links if x.a in inside and x.b in inside)
    return Scene(level, nodes, tuple(links))


def _meaning(kind: str) -> str:
    return {
        "asset": "what stays where it is",
        "object": "what the robot can move",
        "pose": "places to pass",
        "edges": "links, and what belongs to what",
        "entities": "nodes without poses and floors, and edges",
        "collapsed": "entities that are shown before anything is opened",
    }.get(kind, "")


def _tops(scene: Scene, types: Collection[str]) -> list[str]:
    """Return the nodes of some types that are below no other."""
    return [i for i, n in scene.nodes.items() if n.parent is None and n.type in types]


def _show_tree(screen: Screen, scene: Scene, roots: Sequence[str], with_affordances: bool) -> None:
    """Print levels, rooms and things with their contents as a tree."""

    def below(node_id: str) -> list[str]:
        return [c for c in scene.contents(node_id) if scene.nodes[c].type != "agent"]

    for guides, node_id in branches(roots, below):
        node = scene.nodes[node_id]
        words = [unnamed_class(node), ", ".join(node.state), ", ".join(node.attributes)]
        if with_affordances:
            words.append(f"[{' '.join(node.affordances)}]" if node.affordances else "")
        plain = node.type != "object" or node.relation in ("inside_of", PLACE_UNKNOWN)
        relation = "" if plain else f"{node.relation} "
        if node.parent is not None and scene.nodes[node.parent].type == "pose":
            relation = f"at {node.parent} "
        note = "  ".join(w for w in words if w)
        style = HEAD if node.type in CONTAINERS else "" if node.type == "object" else NAME
        screen.line(
            (relation, QUIET),
            (node_id, style),
            (f"  {note}" if note else "", QUIET),
            prefix=[(guides, QUIET)],
        )
