"""`groundplan vision`: how well a vision model describes a folder of pictures, against annotations.

The work is done by ``language.vision.scores``; here are the options and what is printed.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from ..evaluation.report.statistics import wilson
from ..language.vision.eye import DESCRIBE, VisionModel
from ..language.vision.scores import PictureScore, annotated_pictures, score_pictures
from .console.escape import json_text
from .console.terminal import BAD, GOOD, HEAD, QUIET, UNSURE, Screen, number_of
from .eyes import picture_folder
from .options import timeout_option
from .readers import server_model, server_options

KINDS = ("openai:MODEL", "recorded:FILE")
"""Readers that may see pictures."""
NO_SERVICE = 3
"""Exit code where the service failed at a request."""


@click.command(name="vision")
@click.argument("folder", type=click.Path(path_type=Path))
@timeout_option()
@click.option("--reader", metavar="NAME", required=True, help="openai:MODEL or recorded:FILE.")
@server_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(folder: Path, reader: str, as_json: bool, **options: Any) -> None:
    """Score a vision model on the pictures of a FOLDER, each with its annotation NAME.json beside it.

    The folder `home`, where there is none of that name, is 24 drawings of places of the scene home.
    Pictures are PNG, JPEG, GIF or WebP; an annotation is a list of objects in LookPlanGraph's form, each with
    name, relation, related_to, states and properties. Node and edge F1 and the share that is exact are by the
    definition of that paper; an answer that cannot be read counts 0, as do none and a refusal. Exit codes:
    0, 2 bad input, 3 the service failed at a request; the scores before it are shown.
    """
    from ..language.chat.servers.model import ServiceError

    screen = Screen(error=as_json)
    scores: dict[str, PictureScore] = {}
    failure = ""
    with ExitStack() as keep:
        model, own = server_model(reader, options, DESCRIBE, keep, KINDS)
        pictures = annotated_pictures(picture_folder(folder))
        keep.enter_context(screen.busy("looking at pictures ..."))
        try:
            for one, score in score_pictures(pictures, VisionModel(model, own=own)):
                scores[one.path.name] = score
                screen.progress(f"{len(scores)} of {number_of(len(pictures), 'picture')}")
        except ServiceError as error:
            failure = str(error)
    if as_json:
        click.echo(json_text(_answer(scores, len(pictures), failure)))
    else:
        _show(screen, scores, len(pictures), failure)
    raise click.exceptions.Exit(NO_SERVICE if failure else 0)


def _answer(scores: dict[str, PictureScore], pictures: int, failure: str) -> dict[str, object]:
    return {
        "pictures": pictures,
        "scored": [
            {
                "picture": name,
                "node_f1": score.node_f1,
                "edge_f1": score.edge_f1,
                "exact": score.exact,
                "reason": score.reason or None,
            }
            for name, score in scores.items()
        ],
        **_means(scores),
        "failure": failure or None,
    }


def _means(scores: dict[str, PictureScore]) -> dict[str, float | None]:
    """Return the means over the pictures that were scored, null for none."""
    keys = ("node_f1", "edge_f1", "exact")
    return {key: fmean(getattr(s, key) for s in scores.values()) if scores else None for key in keys}


def _show(screen: Screen, scores: dict[str, PictureScore], pictures: int, failure: str) -> None:
    head = [(words, HEAD) for words in ("picture", "node F1", "edge F1", "exact", "")]
    rows = [
        (
            (name, ""),
            (f"{score.node_f1:.3f}", ""),
            (f"{score.edge_f1:.3f}", ""),
            ("yes", GOOD) if score.exact else ("no", UNSURE),
            (score.reason, BAD),
        )
        for name, score in scores.items()
    ]
    if rows:
        screen.rows([head, *rows])
    if failure:
        screen.line((f"service-failed: {failure}", BAD))
        screen.line((f"{len(scores)} of {number_of(pictures, 'picture')} were scored", QUIET))
    if scores:
        means, exact = _means(scores), sum(s.exact for s in scores.values())
        share = wilson(exact, len(scores))
        screen.line()
        screen.line(
            f"{number_of(len(scores), 'picture')}: node F1 {means['node_f1']:.3f}, "
            f"edge F1 {means['edge_f1']:.3f}, exact {exact} ({share.low:.2f} to {share.high:.2f})"
        )
