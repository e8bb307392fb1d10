"""`groundplan scene tokens`: the tokens that a scene costs a language model, next to the paper's table.

Counting is in ``language.chat.scene_tokens``, the paper's figures in ``evaluation.report.papers``; here are
the options and the table.
"""

from __future__ import annotations

import click

from ...evaluation.report.papers.published import printed_tokens
from ...language.chat.scene_tokens import reductions, scene_tokens
from ...language.chat.servers.meter import VOCABULARY
from ..console.escape import json_text
from ..console.losses import losses_json
from ..console.terminal import HEAD, NAME, QUIET, Screen
from ..options import open_world, scene_options, timeout_option


@click.command(name="tokens")
@timeout_option()
@scene_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def tokens(scene: str | None, task: str | None, item: str, as_json: bool) -> None:
    """Count the tokens of a scene by kind of entity, whole and collapsed."""
    loaded, _ = open_world(scene, task, item)
    rows = scene_tokens(loaded)
    printed = printed_tokens(loaded.name)
    paper = {} if printed is None else printed.tokens
    if as_json:
        counts = [row.as_json() | {"paper": paper.get(row.kind)} for row in rows]
        click.echo(
            json_text(
                {
                    "scene": loaded.name,
                    "vocabulary": VOCABULARY,
                    "rows": counts,
                    "reduction": {kind: round(100 * share, 1) for kind, share in reductions(rows).items()},
                    "losses": losses_json(loaded),
                }
            )
        )
        return
    screen = Screen()
    screen.heading(loaded.name, f"tokens of its JSON text, {VOCABULARY}")
    titles = [
        "",
        "entities",
        "tokens",
        "with spaces",
        *([] if printed is None else [f"paper, {printed.table}"]),
    ]
    lines = [[row.kind, str(row.entities), str(row.compact), str(row.spaced)] for row in rows]
    for line in lines:
        line += [str(paper.get(line[0], ""))] if paper else []
    widths = [max(len(line[n]) for line in [titles, *lines]) for n in range(1, len(titles))]
    kinds = max(14, *(len(line[0]) for line in lines))
    for line in [titles, *lines]:
        cells = [text.rjust(width) for text, width in zip(line[1:], widths, strict=True)]
        style = HEAD if line is titles else ""
        screen.line((line[0].ljust(kinds), NAME), ("  ".join(cells), style), prefix=["  "])
    for kind, share in reductions(rows).items():
        beside = ""
        if printed is not None and kind in paper:
            counted = 100 * (1 - paper[kind] / paper["full"])
            beside = f"; paper: {printed.saved} % printed in table 2, {counted:.1f} % by its counts"
        screen.line((f"{kind} has {100 * share:.1f} % fewer tokens than full{beside}", QUIET), prefix=["  "])
    if paper:
        note = "the paper's text is not published; ours is compact, without spaces, as models read it"
        screen.line((note, QUIET), prefix=["  "])
