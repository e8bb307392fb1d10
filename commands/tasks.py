"""`groundplan tasks`: the task sets that come with the package or were prepared, with gold goals and queries.

The sets are those of ``datasets.library``; a new one there appears here by itself.
"""

from __future__ import annotations

from pathlib import Path

import click

from ..compiler.goals.goal import parse_goal
from ..compiler.query.query import parse_query
from ..datasets.library import PREPARED, SETS, find_task, load_set
from ..datasets.task import LABELS, Task
from ..domains.errors import clip
from ..simulator.navigation.grid import middle
from .console.escape import json_text
from .console.pretty import pretty
from .console.terminal import HEAD, NAME, QUIET, Screen
from .options import FOLDER, timeout_option


@click.group(name="tasks")
def command() -> None:
    """List and show the tasks that come with the package."""


_FROM = click.option("--from", "folder", type=FOLDER, metavar="DIR", help="Where a prepared set is.")


def _tasks(set_name: str | None, folder: Path | None) -> list[Task]:
    if folder is not None and set_name not in PREPARED:
        raise click.UsageError(f"--from is for the prepared sets: give --set {' or --set '.join(PREPARED)}")
    return [t for name in ([set_name] if set_name else SETS) for t in load_set(name, folder)]


@command.command(name="list")
@click.option(
    "--set",
    "set_name",
    metavar="SET",
    help="A set or union of sets, or one with -paraphrased behind it; all built-in ones if left out.",
)
@_FROM
@timeout_option()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_tasks(set_name: str | None, folder: Path | None, as_json: bool) -> None:
    """List tasks: id and instruction, with --json the gold goals and queries too."""
    tasks = _tasks(set_name, folder)
    if as_json:
        click.echo(json_text([_short(task) for task in tasks]))
        return
    screen = Screen()
    for name in dict.fromkeys(t.set for t in tasks):
        mine = [t for t in tasks if t.set == name]
        scenes = {t.scene for t in mine}
        where = f"on scene {mine[0].scene}" if len(scenes) == 1 else f"on {len(scenes)} scenes"
        screen.heading(name, f"{len(mine)} tasks {where}")
        screen.rows(((t.id, NAME), t.instruction) for t in mine)


def _short(task: Task) -> dict[str, object]:
    return {
        "id": task.id,
        "set": task.set,
        "scene": task.scene,
        "instruction": task.instruction,
        "goal": task.gold.goal or task.gold.query,
    }


@command.command(name="show")
@click.argument("task_id", metavar="[ID]", required=False)
@timeout_option()
@click.option("--set", "set_name", metavar="SET", help="Show every task of a set.")
@_FROM
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(task_id: str | None, set_name: str | None, folder: Path | None, as_json: bool) -> None:
    """Show a task: instruction, overlay, gold goal or query, and the reasons for it."""
    if (task_id is None) == (set_name is None):
        raise click.UsageError("give the ID of a task, or --set SET (see `groundplan tasks list`)")
    tasks = [find_task(task_id)] if task_id is not None else _tasks(set_name, folder)
    if as_json:
        details = [{**_short(t), **_details(t)} for t in tasks]
        click.echo(json_text(details[0] if task_id is not None else details))
        return
    screen = Screen()
    for task in tasks:
        _show(screen, task)


def _details(task: Task) -> dict[str, object]:
    gold = task.gold
    details: dict[str, object] = {"rationale": gold.rationale, "source": gold.source}
    details |= {"label": gold.label} if gold.label else {}
    if gold.query:
        details |= {"query": gold.query, "answers": list(gold.answers), "any": gold.any}
        details["published"] = list(gold.published)
    elif gold.unsolvable:
        details["unsolvable"] = gold.unsolvable
    else:
        details["alternatives"] = list(gold.alternatives)
        details |= {
            "accepted": [dict(a) for a in gold.accepted],
            "rejected": [dict(r) for r in gold.rejected],
        }
    if task.house is not None:
        details["episode"] = task.house.episode.as_json()
    return details | {"overlay": dict(task.overlay), "paraphrases": list(task.paraphrases)}


def _show(screen: Screen, task: Task) -> None:
    screen.heading(task.id, f"set {task.set}, scene {task.scene}")
    screen.line((task.instruction, HEAD), prefix=["  "])
    screen.line()
    gold = task.gold
    if gold.unsolvable:
        screen.line(("to be declined: no plan can be right", NAME), prefix=["  "])
    elif gold.lacking:
        screen.line(("no goal: no pack has what it asks for", NAME), prefix=["  "])
    elif not task.graded:
        screen.line(("open: nothing says which plan is right", NAME), prefix=["  "])
    else:
        written = parse_query(gold.query) if gold.query else parse_goal(gold.goal)
        for line in pretty(str(written)).splitlines():
            screen.line((line, NAME), prefix=["  "])
    screen.line()
    rows = [("why", gold.rationale), ("source", gold.source)]
    rows += [("authors", f"{gold.label}: {LABELS[gold.label]}")] if gold.label else []
    rows += [("accepts", text) for text in gold.alternatives]
    if gold.query:
        few = f" (any {gold.any} of them)" if gold.any else ""
        rows.insert(0, ("answers", (", ".join(gold.answers) or "none") + few))
    rows += [("episode", text) for text in _episode(task)]
    rows += [("also", text) for text in task.paraphrases]
    rows += [("overlay", text) for text in _overlay(task)]
    screen.rows(((key, QUIET), text) for key, text in rows if text)


def _episode(task: Task) -> list[str]:
    """Say where the search of a house starts, what there is to find, and how long the shortest ways are."""
    if task.house is None:
        return []
    episode = task.house.episode
    x, z = middle(episode.start.cell)
    targets = (
        f"{t.kind.replace('_', ' ')} {t.id} at ({t.at[0]:.2f}, {t.at[1]:.2f})" for t in episode.targets
    )
    return [
        f"house {episode.house} ({episode.origin}), {episode.rooms} rooms",
        f"starts at ({x:.2f}, {z:.2f}), heading {episode.start.degrees} degrees",
        *targets,
        f"shortest path {episode.metres:.2f} m: {', then '.join(k.replace('_', ' ') for k in episode.order)}",
        f"shortest path after which all were seen {episode.sighting_metres:.2f} m",
    ]


def _overlay(task: Task) -> list[str]:
    """List the nodes that the task adds to its scene, removes and changes, a line each."""
    lines = []
    for key in ("add", "remove", "change"):
        nodes = task.overlay.get(key)
        if isinstance(nodes, dict):
            lines += [f"changes {node}: {', '.join(map(str, fields))}" for node, fields in nodes.items()]
        elif isinstance(nodes, list):
            for node in nodes:
                name = node.get("id") if isinstance(node, dict) else node
                where = (
                    f" ({node.get('relation', 'in')} {node['parent']})"
                    if isinstance(node, dict) and "parent" in node
                    else ""
                )
                lines.append(f"{key}s {clip(name)}{where}")
    return lines
