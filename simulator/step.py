"""Printed steps: plans in the form of SayPlan's tables, ``goto(pose13)``, ``pickup(apple3)``, ``done()``.

A step is a name and arguments. Arguments that are not plain words are printed in double quotes, so that every
node name survives printing and reading. A plan file has one step a line, or is JSON. Reading accepts more:
the numbers of a list, code fences and titles around a plan that a model wrote, single quotes. The printed
form is fixed by plan files and records. Only syntax is checked here; the names of steps and what they do are
in a pack and in ``world``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..domains.deadline import check_time
from ..domains.errors import InputError, clip
from ..domains.files import parse_json

_PLAIN = re.compile(r"(?!')[^\s(),\"\[\]]+\Z")
_HEAD = re.compile(r"([A-Za-z_][\w-]*+)\s*+\(")
_ARG = re.compile(r"""\s*+("(?:[^"\\]|\\.)*"|'[^'"]*'(?=\s*(?:,|\Z))|[^\s(),"\[\]]+)\s*(,|\Z)""")
LIST_MARK = re.compile(
    r"[-*+\u2022]\s+|(?:(?:step|action)\s*)?(?P<number>\d+(?:\.\d*)?)\s*(?P<sign>[:.)])\s*", re.IGNORECASE
)
"""The mark in front of a line of a list: a bullet, a number, or the time of an action (with a colon)."""
_TITLE = re.compile(r"[^\W\d][\w ,'\u2019-]*:")
MAX_STEPS = 100_000
LINES_AT_ONCE = 1000
"""Lines that are read between two looks at the clock."""
PROGRAM_FORMAT = "groundplan-program"
"""The value of ``format`` in the JSON of a robot program."""


@dataclass(frozen=True, slots=True)
class Step:
    """Step of a plan as it is printed, `pickup(apple3)`."""

    name: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(_spell(a) for a in self.args)})"


DONE = Step("done")
"""The step that ends a plan; what follows it is not carried out."""


def _spell(name: str) -> str:
    if not name.isprintable():  # control characters would end a line or command a terminal
        return json.dumps(name).replace("\x7f", "\\u007f")
    return name if _PLAIN.match(name) else json.dumps(name, ensure_ascii=False)


def read_step(text: str, where: str) -> Step:
    """Read one printed step. Raises :class:`InputError`."""
    if text.strip() == "done":
        return DONE
    whole = text.strip().removesuffix(",").rstrip()
    head = _HEAD.match(whole)
    if head is None or not whole.endswith(")"):
        raise InputError(where, "a step such as pickup(apple3)", clip(text))
    args, inner, start = [], whole[head.end() : -1].strip(), 0
    while start < len(inner):
        piece = _ARG.match(inner, start)
        if piece is None:
            raise InputError(
                where, "names separated by commas", clip(inner[start:]), 'put odd names in "quotes"'
            )
        word = piece.group(1)
        try:
            if len(word) > 2 and word[0] == word[-1] == "'":
                word = word[1:-1]
            args.append(str(json.loads(word)) if word.startswith('"') else word)
        except json.JSONDecodeError as error:
            raise InputError(where, "a quoted name as in JSON", clip(word)) from error
        start = piece.end()
    return Step(head.group(1), tuple(args))


def plan_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a plan with their numbers from 1, without what a list or a model puts around it.

    Left out are empty lines, code fences, and titles such as ``SequentialPlan:``. Raises ``LimitReached`` at
    the deadline: an engine may write more than there is time to read.
    """
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if number % LINES_AT_ONCE == 0:
            check_time("reading a plan")
        bare = line.strip()
        if bare and not bare.startswith("```") and not _TITLE.fullmatch(bare):
            yield number, bare


def read_steps(text: str, where: str = "plan") -> tuple[Step, ...]:
    """Read a plan: one step a line, or JSON: a list of steps, an object with ``plan``, or a robot program.

    Blank lines and lines that start with ``#`` or ``;`` are skipped, as are code fences, titles and the
    marks of a list; ``where`` is what an error calls the text. Raises :class:`InputError` with the line.

    >>> from groundplan import read_steps
    >>> read_steps("access(fridge)\\nopen(fridge)")
    (Step(name='access', args=('fridge',)), Step(name='open', args=('fridge',)))
    >>> print(*read_steps('{"plan": ["open(fridge)", "done()"]}'))
    open(fridge) done()
    """
    numbered = [(n, line) for n, line in plan_lines(text) if not line.startswith(("#", ";"))]
    if numbered and numbered[0][1].startswith(("[", "{")):
        kept = {number for number, _ in numbered}
        bare = (line if n in kept else "" for n, line in enumerate(text.split("\n"), 1))
        lines = _json_steps("\n".join(bare).removeprefix("\ufeff"), where)
    else:
        lines = [(f"{where}:{n}", line[_mark(line) :]) for n, line in numbered]
    if len(lines) > MAX_STEPS:
        raise InputError(where, f"at most {MAX_STEPS} steps", str(len(lines)))
    return tuple(read_step(line, at) for at, line in lines)


def _mark(line: str) -> int:
    """Return the length of the mark in front of a line."""
    mark = LIST_MARK.match(line)
    return mark.end() if mark is not None else 0


def _json_steps(text: str, where: str) -> list[tuple[str, str]]:
    raw = parse_json(text, where)
    if isinstance(raw, dict) and raw.get("format") == PROGRAM_FORMAT:
        return _printed_commands(raw.get("commands"), where)
    steps = raw.get("plan") if isinstance(raw, dict) else raw
    if not isinstance(steps, list) or not all(isinstance(s, str) for s in steps):
        raise InputError(where, 'a list of steps, or {"plan": [steps]}', clip(steps))
    return [(f"{where}: step {i}", s) for i, s in enumerate(steps)]


def _printed_commands(commands: object, where: str) -> list[tuple[str, str]]:
    """Return the printed step of each command of a robot program."""
    if not isinstance(commands, list):
        raise InputError(f"{where}: commands", "a list of commands", clip(commands))
    lines = []
    for index, command in enumerate(commands):
        printed = command.get("printed") if isinstance(command, dict) else None
        if not isinstance(printed, str):
            raise InputError(f"{where}: commands[{index}].printed", "a printed step", clip(printed))
        lines.append((f"{where}: commands[{index}].printed", printed))
    return lines
