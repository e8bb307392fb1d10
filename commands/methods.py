"""`groundplan methods`: the methods of comparison, with their papers and what each one gets.

The list is that of ``methods.registry`` and of the entry points of installed packages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from ..methods.groups import GROUPS, SUBGRAPH, UNCONSTRAINED, MethodGroup
from ..methods.method import Method, Needs, acts, needs_of, takes_goal
from ..methods.own_method import offered
from ..methods.registry import group_of, method_named
from ..methods.scene_texts import shown
from .console.escape import json_text
from .console.terminal import NAME, QUIET, Screen
from .prompts import prompt_forms

ENDS = (
    f"{UNCONSTRAINED}: the same without a schema for the answers; "
    f"{SUBGRAPH}: about what a search has shown, not the whole scene."
)
NEEDS: Mapping[Needs, str] = {
    "nothing": "no reader",
    "reader": "a reader, with a chat model or without",
    "model": "a reader with a chat model",
}
USE = (
    'groundplan plan "..." --scene FILE --method NAME --reader openai:MODEL runs one on a sentence, '
    "groundplan bench --methods A,B compares them; module:Class names one of your own."
)


@click.command(name="methods")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(name: str | None, as_json: bool) -> None:
    """List the methods that `plan --method` and `bench --methods` run; with NAME, say what one is.

    NAME may be module:Class, too, a method of your own: it is imported, which runs its module.
    """
    if name is not None:
        _show(method_named(name), as_json)
        return
    others = offered()
    if as_json:
        _print([_as_json(method, group) for group in GROUPS for method in group.methods], others)
        return
    screen = Screen()
    for group in GROUPS:
        screen.line((", ".join(m.name for m in group.methods), NAME))
        screen.rows(_rows(group))
    if others:
        screen.line((", ".join(others), NAME))
        screen.rows([(("from", QUIET), "an installed package")])
    screen.line()
    screen.line((ENDS, QUIET))
    screen.line((USE, QUIET))


def _rows(group: MethodGroup) -> list[tuple[tuple[str, str], str]]:
    keys = ("from", "gets", "writes")
    return [
        ((key, QUIET), words)
        for key, words in zip(keys, (group.paper, group.gets, group.writes), strict=True)
    ]


def _show(method: Method, as_json: bool) -> None:
    group = group_of(method)
    if as_json:
        _print([_as_json(method, group)], ())
        return
    screen = Screen()
    screen.line((method.name, NAME))
    rows = _rows(group) if group is not None else [(("from", QUIET), type(method).__module__)]
    screen.rows([*rows, *(((key, QUIET), words) for key, words in _traits(method))])


def _print(methods: list[dict[str, object]], entry_points: Sequence[str]) -> None:
    click.echo(json_text({"methods": methods, "entry_points": list(entry_points)}))


def _traits(method: Method) -> list[tuple[str, str]]:
    """Return what else is to be known of a method."""
    rows = [("needs", NEEDS[needs_of(method)])]
    forms = prompt_forms()
    for name in getattr(method, "prompts", ()):
        rows.append(("prompt", f"--prompt {name}=FILE: {forms[name].about}"))
    if sees := shown(method):
        rows.append(("sees", sees))
    if takes_goal(method):
        rows.append(("takes", "a goal: --goal, or the gold of a task"))
    if acts(method):
        rows.append(("acts", "in the world of --world, or of a task in which things are hidden"))
    return rows


def _as_json(method: Method, group: MethodGroup | None) -> dict[str, object]:
    return {
        "name": method.name,
        "paper": group.paper if group is not None else None,
        "gets": group.gets if group is not None else None,
        "writes": group.writes if group is not None else None,
        "needs": needs_of(method),
        "takes_goal": takes_goal(method),
        "acts": acts(method),
    }
