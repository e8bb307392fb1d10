"""A plan as a Python module for py_trees 2: a sequence with memory, and a place to plug a robot in.

The commands are a table of literals, written and read as data: nothing of a name becomes code, and reading
evaluates nothing. The rest of the module is the same for every plan (``py_trees_module.txt``). Run by itself
it shows the tree and ticks it with a robot that only says what it would do.
"""

from __future__ import annotations

import ast
from importlib.resources import files
from typing import Any

from ...domains.errors import InputError, clip
from ...simulator.step import Step, read_step
from .poses import poses
from .source import ExportSource, arguments_of

MAX_CHARACTERS = 32 * 1024 * 1024
TABLE = "COMMANDS"
_NAMES = ("GOAL = ", "FRAME = ")
_KEYS = {"printed", "skill", "ports", "seconds", "attempts", "waits_for"}

_TEMPLATE = files(__package__).joinpath("py_trees_module.txt").read_text(encoding="utf-8")
_HEAD, _, _BODY = _TEMPLATE.partition("{commands}")


def write_module(source: ExportSource) -> str:
    """Return the Python module of a plan, in ASCII."""
    lines = []
    for command, pose in zip(source.program.commands, poses(source), strict=True):
        skill = source.skill(command)
        entry = {
            "printed": command.printed,
            "skill": command.skill,
            "ports": {**arguments_of(command, skill), **pose.ports()},
            "seconds": round(skill.seconds(round(command.metres * 1000)), 3),
            "attempts": skill.retries + 1,
            "waits_for": [str(fact) for w in command.waits_for if w.needed for fact in w.facts],
        }
        lines.append(f"    {entry!a},\n")
    goal = ascii(str(source.goal.formula)) if source.goal is not None else "None"
    data = f"GOAL = {goal}\nFRAME = {source.program.frame!a}\n{TABLE} = [\n{''.join(lines)}]\n"
    return _HEAD + data + _BODY


def read_module(text: str, where: str = "module") -> tuple[Step, ...]:
    """Return the printed steps of a module that :func:`write_module` wrote; nothing of it is run.

    Raises :class:`InputError` with the line for another one, also where code was changed.
    """
    head, body = text.startswith(_HEAD), text.endswith(_BODY)
    if not head or not body or len(text) > MAX_CHARACTERS:
        expected = "a module that `groundplan export --to py-trees` wrote, with no code changed"
        raise InputError(where, expected, clip(text.partition("\n")[0]))
    lines = text[len(_HEAD) : -len(_BODY)].removesuffix("\n").split("\n")
    steps: list[Step] = []
    begun = _HEAD.count("\n") + 1
    for number, line in enumerate(lines):
        at = f"{where}:{begun + number}"
        if number < len(_NAMES):
            if not line.startswith(_NAMES[number]):
                raise InputError(at, _NAMES[number], clip(line))
            if not isinstance(_literal(line.removeprefix(_NAMES[number]), at), str | None):
                raise InputError(at, "a text, or None", clip(line))
        elif number == len(_NAMES) or number == len(lines) - 1:
            own = f"{TABLE} = [" if number == len(_NAMES) else "]"
            if line != own:
                raise InputError(at, own, clip(line))
        else:
            entry = _literal(line.strip().removesuffix(","), at)
            if not isinstance(entry, dict) or set(entry) != _KEYS or not isinstance(entry["printed"], str):
                raise InputError(at, f"a command with {', '.join(sorted(_KEYS))}", clip(line.strip()))
            steps.append(read_step(entry["printed"], at))
    return tuple(steps)


def _literal(text: str, at: str) -> Any:
    """Return the value of a literal, which is on one line."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise InputError(at, "a literal of Python", clip(text)) from error
