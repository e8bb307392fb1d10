"""`groundplan search`: the semantic search alone; an instruction in, what it needs of the scene out."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from ..language.chat.moves import Move
from ..language.chat.servers.model import ServiceError
from ..language.reader import SearchResult
from ..simulator.view import View
from .console.escape import json_text
from .console.story import Asked, Story
from .console.terminal import BAD, GOOD, QUIET, number_of
from .options import open_case, world_options
from .readers import DEFAULT, asking, reader_named, reader_options


@click.command(name="search")
@click.argument("instruction", required=False)
@world_options
@reader_options
@click.option("--json", "as_json", is_flag=True, help="Print outcome, subgraph and trace as JSON.")
def command(
    instruction: str | None,
    scene: str | None,
    task: str | None,
    pack: str,
    one_handed: bool,
    reader: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Search a collapsed scene for what an instruction needs.

    Exit codes: 0 found, 2 bad input, 3 not found, not understood or no answer from the model.
    """
    case = open_case(scene, task, pack, one_handed)
    said = instruction or (case.task.instruction if case.task is not None else None)
    if said is None or not said.strip():
        raise click.UsageError("give an INSTRUCTION, or --task ID for its instruction")
    story: Story | None = None

    def tell(stage: str, result: object) -> None:
        """Show each move as it is made."""
        if story is None:
            return
        story.tell(stage, result)
        if isinstance(result, Move):
            words = f"{result.command} {result.node}".strip()
            story.screen.line(words, (f"  {result.thought}", QUIET), prefix=["  "])

    found: SearchResult | None = None
    partial: SearchResult | None = None
    trouble = ""
    with ExitStack() as keep:
        chosen = reader_named(reader or DEFAULT, case.belief.pack, asking(options), keep, tell)
        if not as_json:
            story = Story(case, Asked(said, None), chosen.name)
            keep.enter_context(story.working())
        try:
            found = chosen.search(said, View.first(case.belief.scene))
        except ServiceError as error:
            trouble = str(error)
            partial = error.so_far if isinstance(error.so_far, SearchResult) else None
    if as_json:
        seen = found or partial
        told = seen.as_json() if seen is not None else {"subgraph": [], "trace": []}
        told |= {} if found is not None else {"outcome": "service-failed", "reason": trouble}
        click.echo(json_text(told))
    elif story is not None:
        _end(story, found, trouble)
    raise click.exceptions.Exit(0 if found is not None and found.outcome == "found" else 3)


def _end(story: Story, found: SearchResult | None, trouble: str) -> None:
    """What the search came to, or why the model did not answer."""
    if found is None:
        story.screen.line((f"service-failed: {trouble}", BAD))
        return
    story.tell("search", found)
    steps = number_of(len(found.trace), "step")
    why = f": {found.reason}" if found.reason else ""
    style = GOOD if found.outcome == "found" else BAD
    story.screen.line((f"{found.outcome} in {steps}{why}", style))
