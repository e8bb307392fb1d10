"""`groundplan scene` with its verbs `list`, `show` and `validate`; the others are modules beside this one.

Options, exit codes and the keys of JSON are fixed, since scripts rely on them; texts for people are free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from ...datasets.scenes import SCENES, load_scene
from ...domains.errors import InputError, clip, did_you_mean
from ...domains.pack import load_pack
from ...simulator.belief import Belief, ground
from ...simulator.scene import CONTAINERS, Scene
from ...simulator.view import counts
from ..console.escape import json_text
from ..console.terminal import GOOD, HEAD, NAME, QUIET, UNSURE, Screen, branches
from ..console.tree import sizes
from ..options import open_case, open_world, scene_options, world_options
from .convert import convert, form_option, formats
from .generate import generate
from .tokens import tokens


@click.group(name="scene")
def command() -> None:
    """Show, convert, generate, list and validate scenes."""


for _verb in (tokens, convert, formats, generate):
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
@scene_options
@click.option("--pack", metavar="NAME_OR_DIR", help="Check the scene's words against this domain pack, too.")
@click.option("--room", metavar="ID", help="Only this room, with the affordances and states in it.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def show(
    name: str | None,
    scene: str | None,
    task: str | None,
    item: str,
    pack: str | None,
    room: str | None,
    as_json: bool,
) -> None:
    """Show a scene: counts, and what is where, by room."""
    shown, _ = open_world(_one_name(name, scene), task, item)
    warnings = _warnings(ground(shown, load_pack(pack))) if pack is not None else []
    if room is not None and (room not in shown.nodes or shown.nodes[room].type not in CONTAINERS):
        rooms = shown.by_type.get("room", ())
        raise InputError("--room", "the id of a room", room, did_you_mean(room, rooms))
    if as_json:
        summary = {"scene": shown.name, "counts": counts(shown)}
        click.echo(json_text(summary | ({"warnings": warnings} if pack is not None else {})))
        return
    screen = Screen()
    _show_warnings(screen, warnings)
    if room is None:
        screen.heading(shown.name, shown.description)
        rows = counts(shown).items()
        screen.rows((f"{number:>6}", (kind, NAME), (_meaning(kind), QUIET)) for kind, number in rows)
        screen.heading("What is where")
    _show_tree(screen, shown, room)


def _one_name(argument: str | None, option: str | None) -> str | None:
    if argument is not None and option is not None and argument != option:
        raise click.UsageError("name one scene, as an argument or with --scene")
    return argument if argument is not None else option


def _meaning(kind: str) -> str:
    return {
        "asset": "what stays where it is",
        "object": "what the robot can move",
        "pose": "places to pass",
        "edges": "links, and what belongs to what",
        "entities": "nodes without poses and floors, and edges",
        "collapsed": "entities that are shown before anything is opened",
    }.get(kind, "")


def _show_tree(screen: Screen, scene: Scene, only: str | None) -> None:
    """Print levels, rooms and their contents as a tree, then the robots."""
    roots = (
        [only] if only else [i for i, n in scene.nodes.items() if n.parent is None and n.type in CONTAINERS]
    )
    agents = [i for i in scene.by_type.get("agent", ()) if not only]
    hidden = frozenset(("pose", "agent"))

    def below(node_id: str) -> list[str]:
        return [c for c in scene.children.get(node_id, ()) if scene.nodes[c].type not in hidden]

    for guides, node_id in branches(roots, below):
        node = scene.nodes[node_id]
        words = [", ".join(node.state), ", ".join(node.attributes)]
        if only:
            words.append(f"[{' '.join(node.affordances)}]" if node.affordances else "")
        relation = f"{node.relation} " if node.type == "object" and node.relation != "inside_of" else ""
        note = "  ".join(w for w in words if w)
        style = HEAD if node.type in CONTAINERS else "" if node.type == "object" else NAME
        screen.line(
            (relation, QUIET),
            (node_id, style),
            (f"  {note}" if note else "", QUIET),
            prefix=[(guides, QUIET)],
        )
    for agent in agents:
        where = scene.nodes[agent].at or scene.nodes[agent].parent or ""
        held = ", ".join(scene.children.get(agent, ()))
        screen.line((agent, HEAD), f" at {where}", f", holding {held}" if held else "", prefix=["  "])


@command.command(name="validate")
@click.argument("name", metavar="[NAME_OR_FILE]", required=False)
@world_options
@form_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def validate(
    name: str | None,
    scene: str | None,
    task: str | None,
    item: str,
    pack: str,
    one_handed: bool,
    form: str | None,
    as_json: bool,
) -> None:
    """Check a scene file of any format: its hierarchy, its states, and what the robot cannot reach."""
    chosen = _one_name(name, scene)
    if form is not None and chosen is None:
        raise click.UsageError("--from is for a file: name one, as an argument or with --scene")
    belief = open_case(chosen, task, item, pack, one_handed, form or "").belief
    warnings = _warnings(belief)
    if as_json:
        result = {
            "valid": True,
            "scene": belief.scene.name,
            "warnings": warnings,
            "counts": counts(belief.scene),
        }
        click.echo(json_text(result))
        return
    screen = Screen()
    _show_warnings(screen, warnings)
    screen.line(("valid", GOOD), f": {belief.scene.name}, {sizes(belief.scene)}")


def _show_warnings(screen: Screen, warnings: Sequence[str]) -> None:
    for warning in warnings:
        screen.line(("warning", UNSURE), f": {warning}")


def _warnings(belief: Belief) -> list[str]:
    """List the oddities of a valid scene: unknown affordances, rooms without a way to them."""
    scene, routes = belief.scene, belief.routes
    cut_off = [r for r in scene.by_type.get("room", ()) if not routes.connected(belief.start, r)]
    return [*_unknown(belief), *(f"no way from {belief.start} to {room}" for room in cut_off)]


def _unknown(belief: Belief) -> Iterator[str]:
    """Yield the affordances that mean nothing to the pack, of imported scenes or from typing errors."""
    affordances = belief.pack.mapping.affordances
    nodes_with: dict[str, list[str]] = {}
    for node in belief.scene.nodes.values():
        for word in node.affordances:
            if word not in affordances:
                nodes_with.setdefault(word, []).append(node.id)
    for word, nodes in nodes_with.items():
        others = f" and {len(nodes) - 1} more" if len(nodes) > 1 else ""
        hint = did_you_mean(word, affordances) or f"it knows {', '.join(affordances)}"
        problem = f"the pack {belief.pack.name} knows no affordance {clip(word)!r}"
        yield f"node {clip(nodes[0])}{others}: {problem}, so it is left out; {hint}"
