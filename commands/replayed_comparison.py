"""A comparison made again from its folder: its options are in the manifest, its models' replies in its rows.

Every run is made anew, by this program and without a model, and its row is compared with the kept one, all
but what a clock measured. Tasks of a user's file and their scenes are those that the folder has kept. What
else decides results (packs and prompts in files) is compared by the hashes of the manifest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import join
from tempfile import TemporaryDirectory
from typing import Any

import click

from ..domains.errors import InputError, clip, counted
from ..evaluation.bench.comparison import differences
from ..evaluation.bench.kept_tasks import kept_tasks
from ..evaluation.bench.replies import kept_replies
from ..evaluation.bench.results import ROW_BEGINS, ROWS, read_manifest, readers_of, rules_in, run_key
from ..evaluation.bench.runner import (
    BESIDE,
    COMMANDS,
    OF_PROGRAM,
    check_place,
    other_differences,
    run_comparison,
)
from ..evaluation.journal import read_rows
from ..methods.own_method import offered
from . import bench
from .console.escape import json_text, without_key
from .console.terminal import BAD, GOOD, QUIET, UNSURE, Screen
from .options import RULES

BY_CLOCK = ("timings", "replies")
"""Keys of a row that may differ."""
SHOWN = 20
"""Most runs that are named to people."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """Rows of a folder against those of the same runs made again: keys of equal ones, and first differences.

    ``clock`` are those that differ where a clock or a signal had decided, then or now, and ``unmade`` those
    that the folder does not have yet.
    """

    same: tuple[str, ...]
    other: Mapping[str, str]
    clock: Mapping[str, str]
    unmade: tuple[str, ...]

    @property
    def replays(self) -> bool:
        """True when every run whose end no clock decided gave its row again."""
        return not self.other

    def as_json(self) -> dict[str, object]:
        return {
            "replays": self.replays,
            "same": len(self.same),
            "other": dict(self.other),
            "clock": dict(self.clock),
            "unmade": list(self.unmade),
        }


def replay_comparison(folder: Path, out: Path | None, jobs: int, own_code: bool, as_json: bool) -> bool:
    """Make a folder's runs again, in ``out`` where it is given.

    Print what differs, and return whether nothing does.

    With ``own_code`` it runs the commands of engines and the modules of methods that the folder names.
    Raises :class:`InputError` for a folder that was made without its options, and where scenes, golds, packs
    or methods are others than they were.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise InputError(
            str(folder), "the trace of an execution, or a folder of `groundplan bench`", "neither"
        )
    commands = manifest.get(COMMANDS)
    if not isinstance(commands, list) or not commands:
        hint = "give its command to `groundplan bench` with another --out"
        raise InputError(str(folder), f"a manifest with {COMMANDS}", "one of an older version", hint)
    with ExitStack() as keep:
        again = out if out is not None else Path(keep.enter_context(TemporaryDirectory()))
        _run(folder, manifest, [_asked(one, folder, own_code) for one in commands], again, jobs)
        repeated = _compared(_rows(folder), _rows(again))
    if as_json:
        click.echo(json_text(repeated.as_json()))
    else:
        _show(Screen(), folder, repeated)
    return repeated.replays


def _run(
    folder: Path, manifest: Mapping[str, Any], commands: Sequence[click.Context], again: Path, jobs: int
) -> None:
    """Make the runs of each command in a folder. Raises :class:`InputError`."""
    check_place(again)
    replies = kept_replies(folder)
    screen = Screen(error=True)
    for ctx in commands:
        words = bench.asked_by(ctx)
        with screen.busy("starting ..."):
            comparison, read_by = bench.comparison_of(ctx.params, settings=readers_of(manifest))
            comparison = replace(comparison, rules="\n".join(rules_in(manifest)) or None)
            if other := other_differences(manifest, comparison.manifest(), {*BESIDE, *OF_PROGRAM, "python"}):
                raise InputError(
                    f"{folder}: {clip(join(words), 200)}", "what the runs had", "; ".join(other[:5])
                )
            workshop = bench.Workshop(read_by, replies=replies)
            meter = bench.RunMeter(screen)
            with bench.room_for(again):
                limit = comparison.limits.seconds + bench.PATIENCE
                executor = bench.processes(jobs, limit)
                run_comparison(comparison, workshop, again, executor, meter.show, without_key, True, words)


def _asked(words: object, folder: Path, own_code: bool) -> click.Context:
    """Parse the options of a command. Raises :class:`InputError` for others than decide runs."""
    where = f"{folder}: {COMMANDS}"
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError(where, "lists of options", clip(words))
    try:
        ctx = bench.command.make_context("bench", [*words, "--out", str(folder)])
    except click.UsageError as error:
        raise InputError(where, "options of `groundplan bench`", clip(error.format_message(), 200)) from error
    if other := set(words) & {one for o in ctx.command.params if o.name in bench.OUTSIDE for one in o.opts}:
        raise InputError(where, "options that decide runs", clip(sorted(other)[0]))
    ctx.params[RULES] = None  # the manifest has them, and the file may be gone
    ctx.params["tasks"] = kept_tasks(ctx.params["tasks"], folder)
    foreign = [name for name in ctx.params["methods"].split(",") if ":" in name or name.strip() in offered()]
    if not own_code and (foreign := [*foreign, *ctx.params["commands"].values()]):
        hint = "with --own-code it runs; look at it first"
        raise InputError(where, "methods and engines of groundplan", clip(foreign[0], 200), hint)
    return ctx


def _rows(folder: Path) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in read_rows(folder / ROWS, run_key, ROW_BEGINS)}


def _compared(before: Mapping[str, dict[str, Any]], now: Mapping[str, dict[str, Any]]) -> Repeated:
    """Compare rows of the same runs."""
    same: list[str] = []
    other: dict[str, str] = {}
    clock: dict[str, str] = {}
    for key, row in before.items():
        if key not in now:
            other[key] = "was not made"
            continue
        there, here = ({k: v for k, v in r.items() if k not in BY_CLOCK} for r in (row, now[key]))
        if changed := differences(there, here, ""):
            kind = other if row["reproducible"] and now[key]["reproducible"] else clock
            reasons = f": {'; '.join(here['reasons'])}" if here["reasons"] else ""
            ended = f"ended {there['outcome']}, now {here['outcome']}{reasons}"
            kind[key] = changed[0] if there["outcome"] == here["outcome"] else ended
        else:
            same.append(key)
    return Repeated(tuple(same), other, clock, tuple(key for key in now if key not in before))


def _show(screen: Screen, folder: Path, repeated: Repeated) -> None:
    """Print how many runs gave their rows again, and what the others differ in."""
    for part, style in ((repeated.other, BAD), (repeated.clock, UNSURE)):
        for key, difference in list(part.items())[:SHOWN]:
            screen.line((key, style), f": {clip(difference, 300)}")
    total = len(repeated.same) + len(repeated.other) + len(repeated.clock)
    words = f"{len(repeated.same)} of {counted(total, 'run')} of {folder} gave their rows again"
    screen.line((words, GOOD if repeated.replays else BAD))
    if repeated.clock:
        screen.line((f"{counted(len(repeated.clock), 'run')} that a clock ended differ", UNSURE))
    if repeated.unmade:
        screen.line((f"{counted(len(repeated.unmade), 'run')} had not been made before", QUIET))
