"""A plan as a Python module for py_trees 2: a sequence with memory, and a place to plug a robot in.

The commands are a table of literals, written and read as data: nothing of a name becomes code, and reading
evaluates nothing. The rest of the module is the same for every plan. Run by itself it shows the tree and
ticks it with a robot that only says what it would do.
"""

from __future__ import annotations

import ast
from typing import Any

from ...domains.errors import InputError, clip
from ...simulator.step import Step, read_step
from .poses import poses
from .source import ExportSource, arguments_of

MAX_CHARACTERS = 32 * 1024 * 1024
TABLE = "COMMANDS"
_NAMES = ("GOAL = ", "FRAME = ")
_KEYS = {"printed", "skill", "ports", "seconds", "attempts", "waits_for"}

_HEAD = '''"""A verified plan as a behavior tree for py_trees 2, written by `groundplan export --to py-trees`.

Give `create_root` a robot: `execute(command)` begins or goes on with a command and returns a Status,
`holds(fact)` says whether a fact such as "(hot noodles)" holds. A command has its printed step, the pack's
skill with its ports (metres, yaw in radians, whose position they rest on; left out where nobody knows them),
its usual seconds, and how often it is tried.
"""

import py_trees
from py_trees.common import Status

'''

_BODY = '''

class Skill(py_trees.behaviour.Behaviour):
    """One command of the plan."""

    def __init__(self, command, execute):
        super().__init__(name=command["printed"])
        self.command, self.execute = command, execute

    def update(self):
        self.feedback_message = self.command["skill"]
        return self.execute(self.command)


class WaitFor(py_trees.behaviour.Behaviour):
    """A fact that comes about by itself: running until it holds."""

    def __init__(self, fact, holds):
        super().__init__(name="wait for " + fact)
        self.fact, self.holds = fact, holds

    def update(self):
        return Status.SUCCESS if self.holds(self.fact) else Status.RUNNING


def create_root(execute, holds):
    """Return the tree of the plan: ticked again after a failure, it begins anew."""
    root = py_trees.composites.Sequence(name="plan", memory=True)
    for command in COMMANDS:
        child = Skill(command, execute)
        if command["attempts"] > 1:
            name = "try " + command["printed"]
            child = py_trees.decorators.Retry(name=name, child=child, num_failures=command["attempts"])
        root.add_child(child)
        for fact in command["waits_for"]:
            root.add_child(WaitFor(fact, holds))
    return root


def say(command):
    """Stand for a robot: print what it would do."""
    print(command["printed"], command["skill"], command["ports"])
    return Status.SUCCESS


if __name__ == "__main__":
    tree = py_trees.trees.BehaviourTree(create_root(say, lambda fact: True))
    tree.setup(timeout=15)
    print(py_trees.display.unicode_tree(tree.root))
    while True:
        tree.tick()
        if tree.root.status != Status.RUNNING:
            break
    print(tree.root.status)
'''


def write_module(source: ExportSource) -> str:
    """Return the Python module of a plan, in ASCII."""
    lines = []
    for command, pose in zip(source.program.commands, poses(source), strict=True):
        skill = source.skill(command)
        entry = {
            "printed": command.printed,
            "skill": command.skill,
            "ports": {**arguments_of(command, skill), **pose.ports()},
            "seconds": round(skill.seconds(command.length_mm), 3),
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
