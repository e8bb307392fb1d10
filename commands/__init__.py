"""Command line, one module a verb; `main` runs it and returns the exit code.

Imports here stay small, because every `groundplan --help` pays for them: a verb's module is loaded when the
verb is used. Bad input ends here too, as a message on standard error and exit code 2, never as a traceback.
To add a verb, write a module with a `command` and name it in `GROUPS`. Scripts rely on options, exit codes,
the keys of JSON output, the columns of CSV and the names of formats and files: in every verb those stay, and
texts for people may be changed.
"""

import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

import click

from .. import __version__
from ..domains.errors import GroundplanError, clip, nearest
from .console.escape import safe

__all__ = ["cli", "main"]

GROUPS = {
    "Plans and answers": {
        "plan": "Plan for an instruction or a goal, and verify the plan.",
        "run": "Carry a goal out in a simulated world that the robot knows in part, and show it.",
        "find": "Answer a question about a scene.",
        "search": "Search a scene for what an instruction needs.",
        "simulate": "Run a plan step by step and say whether the goal holds.",
        "replay": "Replay the trace of an execution, and say where it does not follow.",
        "view": "Draw a scene, a task, or a run and its plan.",
    },
    "For robots": {
        "export": "Write a plan in a format that robots run.",
        "check-tree": "Check a behavior tree for BehaviorTree.CPP, of any origin.",
        "monitor": "Say what a robot that carries a program out has to do next.",
    },
    "Goals, PDDL and proofs": {
        "check": "Check a goal against a scene before anything is planned.",
        "diff": "Say how two goals relate, with a state for each difference.",
        "why-not": "Say why a goal has no plan, and what to ask for instead.",
        "grade": "Grade runs by several graders, and say how far these agree.",
        "audit": "Say what is wrong with the gold goals of a set or a file.",
        "compile": "Write a goal and a scene as PDDL.",
        "certify": "Recheck the record of a run from scene, pack and goal alone.",
        "explain": "Say what a diagnostic code or an outcome means.",
    },
    "Scenes and worlds": {
        "scene": "Show, convert, generate, list and validate scenes.",
        "pack": "Show or check a domain pack, or begin a new one.",
    },
    "Comparisons": {
        "tasks": "List and show the tasks that come with the package.",
        "datasets": "Prepare, list and export data sets.",
        "methods": "List the methods of comparison: papers, and what each one gets.",
        "bench": "Compare methods, models and engines on task sets.",
        "report": "Make tables and pages of the results of a comparison.",
        "vision": "Score a vision model's descriptions of pictures against annotations.",
    },
    "What is installed": {
        "engines": "List the planning engines and what is installed.",
        "models": "List what reads instructions, and try what a model server takes.",
        "schema": "Print the JSON schema of an output.",
        "mcp": "Serve check, diff and plan to agents, over the Model Context Protocol.",
    },
}
"""The verbs with a line each, by what they are used for, as the help lists them."""
VERBS = {verb: words for verbs in GROUPS.values() for verb, words in verbs.items()}


class Failure(click.ClickException):
    """Error of the package in the form that click shows, with exit code 2 for bad input."""

    exit_code = 2


class ReaderGone(Exception):
    """End of the reader of the output (`| head`); the exit code is what a shell shows for SIGPIPE.

    Raised in place of BrokenPipeError, which click would turn into exit code 1: that there is no plan.
    """

    exit_code = 141


class Verbs(click.Group):
    """Group of commands whose modules are loaded when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f".{cmd_name.replace('-', '_')}", __name__).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            close = nearest(args[0], VERBS)
            hint = f"; did you mean {' or '.join(close)}?" if close else ""
            raise click.UsageError(f"there is no command {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        spacing = max(map(len, VERBS))
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(verb.ljust(spacing), words) for verb, words in verbs.items()])

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        try:
            return super().make_context(info_name, args, parent, **extra)
        except BrokenPipeError as error:  # --help is printed here
            raise ReaderGone from error

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGone from error
        except GroundplanError as error:
            raise Failure(str(error)) from error


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="groundplan")
def cli() -> None:
    """Turn an instruction and a 3D scene graph into a verified robot plan."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on `arguments` (default: the process's own) and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without UTF-8 must not end a run
            stream.reconfigure(errors="backslashreplace")
    _buffer()
    try:
        code = cli.main(args=arguments, prog_name="groundplan", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        message = io.StringIO()
        error.show(file=message)
        click.echo(_folded(safe(message.getvalue(), lines=True)), err=True, nl=False)
        return error.exit_code
    except click.Abort:
        click.echo("cancelled", err=True)
        return 130
    except ReaderGone as error:
        silence(sys.stdout)
        return error.exit_code
    except OSError as error:
        return _refused(error)
    return code if isinstance(code, int) else 0


def _folded(text: str) -> str:
    """Return the text of an error with its long lines folded between words, where a terminal shows it."""
    if sys.stderr is None or not sys.stderr.isatty():
        return text
    import textwrap
    from shutil import get_terminal_size

    fold = textwrap.TextWrapper(
        get_terminal_size().columns, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    lines = ("\n".join(fold.wrap(line)) if line.startswith("Error: ") else line for line in text.split("\n"))
    return "\n".join(lines)


def _refused(error: OSError) -> int:
    """Report an error of the operating system that no verb expected; return the exit code.

    Where standard output is to blame, it still holds what it could not write, and fails again.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
        return ReaderGone.exit_code
    except OSError as full:
        silence(sys.stdout)
        click.echo(f"Error: cannot write: {safe(full.strerror or str(full))}", err=True)
    else:
        named = isinstance(error.filename, str | bytes)
        place = clip(os.fsdecode(error.filename), 200) if named else "the operating system refused something"
        click.echo(f"Error: {safe(place)}: {safe(error.strerror or str(error))}", err=True)
    return 2


def _buffer() -> None:
    """Put a buffer before a raw standard output (PYTHONUNBUFFERED), which may write a part in silence."""
    if sys.stdout is None:  # it was closed before we began
        sys.stdout = io.StringIO()
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    stream = sys.stdout
    if isinstance(stream, io.TextIOWrapper) and isinstance(stream.buffer, io.FileIO):
        raw = io.FileIO(stream.fileno(), "w", closefd=False)
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=True
        )


def silence(stream: TextIO) -> None:
    """Keep what a stream still has in its buffer from being written, and failing again, at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
