"""Reader of the plans that planners write for compiled problems: ``sas_plan`` and its relatives.

One ground action a line, ``(pickup_on apple1 desk_2)``, as in the International Planning Competition;
comments after ``;``, and the times and durations of VAL's format, are left out; of comments only the cost
that a planner states is read. :func:`action_lines` is the one reader of such text, for files of users and for
the answers of engines. Symbols are inverted by the table that was written beside the problem
(``symbols.json``); without it they are compared with the names of the pack and the scene. Actions of the
compilation itself, which a table has and the pack has not, are dropped. Whether an action applies is for the
simulator to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..domains.action import Plan, PlanAction
from ..domains.deadline import check_time
from ..domains.errors import InputError, clip, did_you_mean
from ..domains.files import parse_json
from ..simulator.belief import Belief
from ..simulator.step import MAX_STEPS
from .symbols import SymbolTable

_LINE = re.compile(r"(?:\d+(?:\.\d*)?\s*:\s*)?\(([^()]*)\)\s*(?:\[[^\]]*\])?\Z")
_COST = re.compile(r"\s*;\s*cost\s*=\s*(\d{1,18})(?!\d)", re.IGNORECASE)
LINES_AT_ONCE = 1000
"""Lines that are read between two looks at the clock."""
KINDS = ("types", "predicates", "actions", "objects")


@dataclass(frozen=True, slots=True)
class ActionLines:
    """The ground actions of a plan by the numbers of their lines, from 1: symbols in lower case.

    ``cost`` is what the planner says that the plan costs (``; cost = N``), in the metric of its problem.
    """

    actions: dict[int, tuple[str, ...]]
    cost: int | None = None


def action_lines(text: str, where: str = "plan") -> ActionLines:
    """Read the lines of a planner's plan, at most :data:`MAX_STEPS` actions.

    Raises :class:`InputError` with the first line that is no action, and ``LimitReached`` at the deadline: an
    engine may write more than there is time to read.
    """
    actions: dict[int, tuple[str, ...]] = {}
    cost: int | None = None
    for number, full in _lines(text):
        if stated := _COST.match(full):
            cost = int(stated[1])
        line = _bare(full)
        if not line:
            continue
        match = _LINE.match(line)
        symbols = match.group(1).lower().split() if match is not None else []
        if not symbols:
            expected = "an action in parentheses, such as (pickup_on apple1 desk2)"
            raise InputError(f"{where}:{number}", expected, clip(line))
        if len(actions) == MAX_STEPS:
            raise InputError(f"{where}:{number}", f"at most {MAX_STEPS} actions", "more")
        actions[number] = tuple(symbols)
    return ActionLines(actions, cost)


def is_engine_plan(text: str) -> bool:
    """Return whether a text is a plan of ground actions in parentheses, and not one of printed steps."""
    bare = (_bare(line) for _, line in _lines(text))
    return any(line.startswith("(") or _LINE.match(line) for line in bare)


def read_symbols(text: str, where: str = "symbols.json") -> SymbolTable:
    """Read the table that ``groundplan compile`` writes. Raises :class:`InputError`."""
    raw = parse_json(text, where)
    expected = f"the table of `groundplan compile`: an object with {', '.join(KINDS)}"
    if not isinstance(raw, dict):
        raise InputError(where, expected, clip(raw))
    kinds: list[dict[str, str]] = []
    for kind in KINDS:
        names = raw.get(kind)
        if not isinstance(names, dict) or not all(isinstance(n, str) for n in names.values()):
            raise InputError(f"{where}: {kind}", "a name for each symbol", clip(names))
        kinds.append({name: symbol for symbol, name in names.items()})
    return SymbolTable(*kinds)


def read_engine_plan(
    text: str, belief: Belief, table: SymbolTable | None = None, where: str = "plan"
) -> Plan:
    """Read a planner's plan as actions of the pack, in the names of the scene.

    Raises :class:`InputError` with the line for what is no action of the pack over nodes of the scene.
    """
    plan: list[PlanAction] = []
    lines = action_lines(text, where).actions
    schemas, nodes = belief.pack.domain.actions, belief.scene.nodes
    actions = _inverted(table.actions if table is not None else {n: n for n in schemas})
    objects = _inverted(table.objects if table is not None else {n: n for n in nodes})
    for number, symbols in lines.items():
        at = f"{where}:{number}"
        name = _looked_up(symbols[0], actions, at, "an action of the problem", table)
        if name not in schemas:
            continue  # it marks or counts for the goal, and moves nothing
        args = tuple(_looked_up(s, objects, at, "an object of the problem", table) for s in symbols[1:])
        parameters = schemas[name].parameters
        shown = f"({' '.join(symbols)})"
        if len(args) != len(parameters):
            raise InputError(at, f"{len(parameters)} arguments of {name}", f"{len(args)}: {clip(shown)}")
        if (missing := next((a for a in args if a not in nodes), None)) is not None:
            raise InputError(at, "a node of the scene", clip(missing), "give the scene that was compiled")
        plan.append(PlanAction(name, args, belief.pack.mapping_of(name).event))
    return tuple(plan)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a plan with their numbers from 1."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if number % LINES_AT_ONCE == 0:
            check_time("reading a plan")
        yield number, line


def _bare(line: str) -> str:
    """Return what a line says without its comment."""
    return line.split(";", 1)[0].strip()


def _inverted(symbols: dict[str, str]) -> dict[str, list[str]]:
    """Return the names behind each symbol, which PDDL compares without case."""
    names: dict[str, list[str]] = {}
    for name, symbol in symbols.items():
        names.setdefault(symbol.lower(), []).append(name)
    return names


def _looked_up(
    symbol: str, names: dict[str, list[str]], at: str, expected: str, table: SymbolTable | None
) -> str:
    candidates = names.get(symbol.lower(), [])
    if len(candidates) == 1:
        return candidates[0]
    hint = did_you_mean(symbol, names)
    if table is None:
        hint = "give --symbols symbols.json, which `groundplan compile` writes beside the problem"
    shown = clip(symbol) if not candidates else f"{clip(symbol)}, which may be {' or '.join(candidates[:2])}"
    raise InputError(at, expected, shown, hint)
