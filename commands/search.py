"""`groundplan search`: the reader's search of the scene alone; an instruction in, the nodes it needs out.

The search is ``language.reader.Reader.search``; here are the options and what is printed.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from ..domains.deadline import paused
from ..language.reader import ReaderError, ReaderEvent, SearchResult, SearchStep
from ..pipeline.events import SearchDone
from ..simulator.view import View
from .console.escape import json_text
from .console.losses import losses_json
from .console.story import RunInput, Story
from .console.terminal import BAD, GOOD, QUIET, number_of
from .options import Given, timeout_option, world_options
from .readers import DEFAULT, model_options, reader_named, reader_options


@click.command(name="search")
@click.argument("instruction", required=False)
@timeout_option()
@world_options
@reader_options
@click.option("--json", "as_json", is_flag=True, help="Print outcome, subgraph and trace as JSON.")
def command(
    instruction: str | None,
    given: Given,
    reader: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Search a collapsed scene for what an instruction needs.

    A reader's time does not count against --timeout. Exit codes: 0 found, 2 bad input, 3 not found, not
    understood or no answer from the model.
    """
    case = given.case()
    instruction = instruction or (case.task.instruction if case.task is not None else None)
    if instruction is None or not instruction.strip():
        raise click.UsageError("give an INSTRUCTION, or --task ID for its instruction")
    story: Story | None = None

    def show(event: ReaderEvent) -> None:
        """Print each step as it is made."""
        if story is None:
            return
        story.tell(event)
        if isinstance(event, SearchStep):
            words = f"{event.command} {event.node}".strip()
            story.screen.line(words, (f"  {event.thought}", QUIET), prefix=["  "])

    result: SearchResult | None = None
    failure: ReaderError | None = None
    with ExitStack() as keep:
        chosen = reader_named(
            reader or DEFAULT, case.belief.pack, model_options(options), keep, show, asks=True
        )
        if not as_json:
            story = Story(case, RunInput(instruction, None), chosen.name)
            keep.enter_context(story.working())
        try:
            with paused():
                result = chosen.search(instruction, View.first(case.belief.scene))
        except ReaderError as error:
            failure = error
    if story is not None:
        _end(story, result, failure)
    else:
        click.echo(json_text(_as_json(result, failure) | {"losses": losses_json(case.belief.scene)}))
    raise click.exceptions.Exit(0 if result is not None and result.outcome == "found" else 3)


def _as_json(result: SearchResult | None, failure: ReaderError | None) -> dict[str, object]:
    """Return the search, or as much of it as there was when the reader failed."""
    if failure is None:
        assert result is not None
        return result.as_json()
    partial = failure.partial_search
    record = partial.as_json() if partial is not None else {"subgraph": [], "trace": []}
    return record | {"outcome": failure.outcome, "reason": str(failure)}


def _end(story: Story, result: SearchResult | None, failure: ReaderError | None) -> None:
    """Print the outcome of the search, or why the reader failed."""
    if failure is not None:
        story.screen.line((f"{failure.outcome}: {failure}", BAD))
        return
    assert result is not None
    story.tell(SearchDone(result))
    steps = number_of(len(result.trace), "step")
    why = f": {result.reason}" if result.reason else ""
    style = GOOD if result.outcome == "found" else BAD
    story.screen.line((f"{result.outcome} in {steps}{why}", style))
