"""Printing for people: sections, hanging indents, tables and trees.

On a terminal, lines are wrapped to its width and styled; anywhere else they are plain and unwrapped. No name
is cut but in the picture beside the spinner, which is why tables are not those of rich: these shorten cells
on a narrow terminal. All text must go through :func:`safe`; colours and indents may be changed. NO_COLOR
gives plain text on a terminal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from time import monotonic

from rich.console import Console
from rich.status import Status
from rich.text import Text

from .escape import safe

Piece = str | tuple[str, str]
"""Text, or text with a style."""

Line = tuple[Piece, Piece]
"""The prefix of a line, and the line."""

NAME, QUIET, GOOD, BAD, UNSURE, HEAD = "cyan", "dim", "green", "red", "yellow", "bold"
SECONDS_WIDTH = len("  12345 s")
"""Columns that are kept for the seconds beside a spinner."""
NARROWEST = 20
"""Columns that a wrapped text gets at least, however far it is indented."""
MAX_INDENTED = 40
"""Levels of a tree that are indented; real scenes have fewer than ten."""

_ASCII = str.maketrans(
    {"│": "|", "├": "+", "└": "`", "─": "-", "✓": "+", "✗": "x", "→": ">", "…": "...", "·": "-", "–": "-"}
)


@dataclass(frozen=True, slots=True)
class _Timed:
    """Words beside a spinner with the seconds since ``begin``, and a picture below."""

    words: Text
    begin: float
    picture: tuple[Text, ...] = ()

    def __rich__(self) -> Text:
        seconds = Text(f"  {monotonic() - self.begin:.0f} s", style=QUIET)
        return Text("\n").join([Text.assemble(self.words, seconds), *self.picture])


class Screen:
    """Standard output or standard error as a place for text; a ``quiet`` one shows nothing."""

    def __init__(self, error: bool = False, quiet: bool = False) -> None:
        stream = sys.stderr if error else sys.stdout
        plain = bool(os.environ.get("NO_COLOR"))
        self.terminal = stream.isatty()
        self.console = Console(
            stderr=error,
            markup=False,
            emoji=False,
            highlight=False,
            color_system=None if plain or not self.terminal else "auto",
        )
        if self.console.width < 1:  # COLUMNS=0
            self.console.width = 80
        self.ascii = not (stream.encoding or "").lower().startswith("utf")
        self.quiet = quiet
        self._begun = False
        self._status: Status | None = None
        self._picture: tuple[Text, ...] = ()
        self._begin = 0.0

    @property
    def width(self) -> int | None:
        """Columns of the terminal; ``None`` where nothing is wrapped."""
        return self.console.width if self.terminal else None

    def line(self, *pieces: Piece, prefix: Sequence[Piece] = ()) -> None:
        """Print one line; the rest of a long one goes on below the first word after the prefix."""
        self._print(self._text(prefix), self._text(pieces))

    def heading(self, title: str, note: str = "") -> None:
        """Start a section, with an empty line before it."""
        if self._begun:
            self.line()
        self.line((note, QUIET), prefix=[(title, HEAD), "  "])

    def rows(self, rows: Iterable[Sequence[Piece]], indent: int = 2, gap: int = 2) -> None:
        """Print a table: columns are as wide as their longest cell, the last one wraps.

        Where a terminal is too narrow for that, the last cell of each row stands below the others.
        """
        table = [[self._text([cell]) for cell in row] for row in rows]
        widths: dict[int, int] = {}
        for row in table:
            for number, cell in enumerate(row[:-1]):
                widths[number] = max(widths.get(number, 0), cell.cell_len)
        before = indent + sum(width + gap for width in widths.values())
        below = bool(widths) and self.terminal and before + NARROWEST > self.console.width
        for row in table:
            cells = Text()
            for number, cell in enumerate(row[:-1]):
                cells = Text.assemble(cells, cell, " " * (widths[number] - cell.cell_len + gap))
            if below:
                cells.rstrip()
                self._print(Text(" " * indent), cells)
                self._print(Text(" " * 2 * indent), row[-1])
            else:
                self._print(Text.assemble(" " * indent, cells), row[-1])

    def busy(self, words: str) -> AbstractContextManager[object]:
        """Show on a terminal that work is going on, at which stage and for how long, until the block ends."""
        if self.quiet or not self.terminal or self.console.is_dumb_terminal:
            return nullcontext()
        spinner = "line" if self.ascii else "dots"
        self._begin = monotonic()
        self._status = self.console.status(
            _Timed(Text(safe(words), style=QUIET), self._begin), spinner=spinner
        )
        return self._status

    def progress(self, words: str, picture: Iterable[Line] | None = None) -> None:
        """Show the state of the work beside the spinner of :meth:`busy`; without a spinner nothing.

        A picture stays below the words until another replaces it, and goes when the work ends. It is cut to
        the size of the screen: only as much can be taken back.
        """
        if self._status is None:
            return
        if picture is not None:
            width = self.console.width - len("⠋ ")
            lines = islice(picture, max(0, self.console.height - 3))
            self._picture = tuple(self._text(line) for line in lines)
            for text in self._picture:
                text.truncate(width, overflow="ellipsis")
        first = Text(safe(words), style=QUIET)
        first.truncate(self.console.width - len("⠋ ") - SECONDS_WIDTH, overflow="ellipsis")
        self._status.update(_Timed(first, self._begin, self._picture))

    def ask(self, words: str) -> str | None:
        """Ask a person for a line, without the spinner meanwhile; ``None`` where the input ends."""
        if self._status is not None:
            self._status.stop()
        self.line(words)
        try:
            return input("> ").strip()
        except EOFError:
            return None
        finally:
            if self._status is not None:
                self._status.start()

    def flush(self) -> None:
        """Flush the output before something is written elsewhere; an empty line goes last."""
        if self._begun:
            self.line()
        self.console.file.flush()

    def _print(self, head: Text, body: Text) -> None:
        if self.quiet:
            return
        self._begun = True
        if not self.terminal:
            self.console.file.write(f"{head.plain}{body.plain}".rstrip() + "\n")
            return
        width = max(NARROWEST, self.console.width - head.cell_len)
        for number, part in enumerate(body.wrap(self.console, width, overflow="fold") or [Text()]):
            start = head if number == 0 else Text(" " * head.cell_len)
            self.console.print(Text.assemble(start, part), soft_wrap=True)

    def _text(self, pieces: Sequence[Piece]) -> Text:
        text = Text()
        for piece in pieces:
            words, style = (piece, "") if isinstance(piece, str) else piece
            shown = safe(words)
            text.append(shown.translate(_ASCII) if self.ascii else shown, style=style or None)
        return text


def number_of(many: int, word: str) -> str:
    """Return a number with its word, such as "1 room" and "2 rooms"."""
    return f"{many} {word}" if many == 1 else f"{many} {word}s"


def branches(
    roots: Sequence[str], below: Callable[[str], Sequence[str]], indent: str = "  "
) -> Iterator[tuple[str, str]]:
    """Yield the lines of a tree: the guides in front of each node, and the node; roots have no guides.

    Below :data:`MAX_INDENTED` levels a number takes the place of the guides: those of boxes in boxes would be
    as long as the tree is deep.
    """
    stack = [(indent, "", "", root, 0) for root in reversed(roots)]
    while stack:
        before, guide, pad, node, depth = stack.pop()
        yield before + guide, node
        children = below(node)
        if depth >= MAX_INDENTED:
            level = f"… level {depth + 1}: "
            stack += [(indent, level, "", child, depth + 1) for child in reversed(children)]
            continue
        for number, child in reversed(list(enumerate(children))):
            last = number == len(children) - 1
            ends = ("└── ", "    ") if last else ("├── ", "│   ")
            stack.append((before + pad, *ends, child, depth + 1))


def closing(steps: int, length: int, verdict: str = "verified") -> str:
    """Return the last line of a run that succeeded; the length is in millimetres."""
    return f"{verdict}: {number_of(steps, 'step')}, {length / 1000:.2f} metres"
