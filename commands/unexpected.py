"""Report of an unexpected error: exit code 70, one line, and the traceback before it where that is asked for.

Memory that is used up is no error of groundplan: it has a line of its own and exit code 2, as a full disk.

The line and the traceback are made to be sent to strangers, so every value that the environment calls a key,
a token, a secret or a password is blotted out of both, and the line is short and printable. That and the exit
code must stay; the wording is free. No error in here may hide the first one.
"""

from __future__ import annotations

import mmap
import os
import re
import resource
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

import click

from ..domains.errors import clip
from . import silence
from .console.escape import safe

EXIT_CODE = 70
"""Internal error of the software, in sysexits.h."""

NO_MEMORY_CODE = 2
"""The code of what the system refuses, as for a full disk: it says nothing about plans."""

NO_MEMORY = "there is not enough memory: allow the process more (`ulimit -v`), or take a smaller scene"

VARIABLE = "GROUNDPLAN_TRACEBACK"
"""Variable of the environment by which the traceback is printed, too."""
_NO_ROOM = re.compile("cannot allocate memory|failed to map segment", re.IGNORECASE)
_NO_REASON = re.compile("without exception set|without setting an exception")  # CPython's two wordings
_SECRET = re.compile("KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)

_BEYOND_US = (ImportError, MemoryError, RecursionError)
"""Errors that may come again while the first one is put into words."""


def report(error: Exception) -> int:
    """Print one line on standard error, after the traceback if that is asked for; return the exit code."""
    _free_frames(error)
    with _silent_if_gone(sys.stdout):  # the run's output up to the error
        sys.stdout.flush()
    short = _is_for_memory(error)
    words = NO_MEMORY if short else f"an error of groundplan itself: {_words(error)}. Please report it"
    asked_for = bool(os.environ.get(VARIABLE))
    hint = "" if asked_for else f"; set {VARIABLE}=1 to print the traceback"
    with _silent_if_gone(sys.stderr):  # then the exit code alone says it
        click.echo(f"{_traceback(error) if asked_for else ''}groundplan: {words}{hint}.", err=True)
    return NO_MEMORY_CODE if short else EXIT_CODE


def ensure_memory(megabytes: int) -> None:
    """Refuse to go on where the process may not have so much more memory, before code that would abort.

    Libraries that are written in Rust end the process when an allocation fails, without a word to the user.
    Raises ``MemoryError``.
    """
    try:
        mmap.mmap(-1, megabytes << 20).close()
    except OSError as error:
        raise MemoryError from error


def _is_for_memory(error: Exception) -> bool:
    """Return whether the system had no more memory for the run, or for a library that it loads."""
    if isinstance(error, SystemError):  # a library that got no memory and did not say so
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        return limit != resource.RLIM_INFINITY and _NO_REASON.search(str(error)) is not None
    return isinstance(error, MemoryError) or (
        isinstance(error, ImportError) and _NO_ROOM.search(str(error)) is not None
    )


def _traceback(error: Exception) -> str:
    """Return the traceback without keys; nothing where putting it into words fails again."""
    try:
        return safe(_without_secrets("".join(traceback.format_exception(error))), lines=True)
    except _BEYOND_US:
        return ""


def _words(error: Exception) -> str:
    """Return the kind of the error and its message, short, printable and without keys; at least the kind."""
    try:
        text = "".join(traceback.format_exception_only(error)).strip()
        return clip(safe(_without_secrets(text[:100_000])), 200).rstrip(".")
    except _BEYOND_US:
        return type(error).__name__


def _without_secrets(text: str) -> str:
    """Return the text with the values of the environment's secrets blotted out."""
    values = [value for name, value in os.environ.items() if _SECRET.search(name)]
    if values:
        from ..language.chat.servers.secret import Secret  # only here: `--help` does not need it

        for value in sorted(values, key=len, reverse=True):
            text = Secret(value).redact(text)
    return text


def _free_frames(error: Exception) -> None:
    """Clear the frames of the failed run, so that there is memory for a line."""
    chain: list[BaseException] = [error]
    for one in chain:
        traceback.clear_frames(one.__traceback__)
        chain += [e for e in (one.__cause__, one.__context__) if e is not None and e not in chain]


@contextmanager
def _silent_if_gone(stream: TextIO) -> Iterator[None]:
    """Go on where a stream is full, gone or closed, and keep Python from trying it again at exit."""
    try:
        yield
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            silence(stream)
