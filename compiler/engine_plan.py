"""Reader of the plans that planners write for compiled problems: ``sas_plan`` and its relatives.

A ground action is ``(pickup_on apple1 desk_2)``, as in the International Planning Competition, or
``pickup_on(apple1, desk_2)``, as unified-planning prints it; FF leaves the parentheses out and numbers its
lines. What stands around actions is passed over: comments after ``;``, of which only the cost that a planner
states is read, times and durations in VAL's format, and what :func:`plan_lines` leaves out. Times have to
rise, since a plan is carried out one action after the other. :func:`action_lines` is the one reader of such
text, for files of users and for the answers of engines.

Symbols are inverted by the table that was written beside the problem (``symbols.json``); without it they are
compared with the names of the pack and the scene. Actions of the compilation itself, which a table has and
the pack has not, are dropped, and so are a planner's own, which have no arguments, ``(reach-goal)``. Whether
an action applies is for the simulator to say.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..domains.action import Plan, PlanAction
from ..domains.errors import InputError, clip, did_you_mean
from ..domains.files import parse_json
from ..domains.pack import Pack
from ..simulator.belief import Belief
from ..simulator.step import LIST_MARK, MAX_STEPS, plan_lines
from .symbols import SymbolTable

_ACTION = re.compile(r"(?P<name>[^\W\d][\w-]*)?\((?P<words>[^()]*)\)")
_DURATION = re.compile(r"\)\s*\[[^\[\]()]*\]")
_BARE = re.compile(r"[^\W\d][\w-]*(?:\s+[\w-]+)*")
_COST = re.compile(r"\s*;\s*cost\s*=\s*(\d{1,18})(?!\d)", re.IGNORECASE)
KINDS = ("types", "predicates", "actions", "objects")


@dataclass(frozen=True, slots=True)
class ActionLines:
    """The ground actions of a plan, each with the number of its line, from 1: symbols in lower case.

    ``cost`` is what the planner says that the plan costs (``; cost = N``), in the metric of its problem.
    """

    numbered: tuple[tuple[int, tuple[str, ...]], ...]
    cost: int | None = None

    @property
    def actions(self) -> tuple[tuple[str, ...], ...]:
        """The actions without the numbers of their lines."""
        return tuple(symbols for _, symbols in self.numbered)


def action_lines(text: str, where: str = "plan") -> ActionLines:
    """Read the lines of a planner's plan, at most :data:`MAX_STEPS` actions.

    Raises :class:`InputError` with the first line that is no action, or whose time is not later than that of
    the one before, and ``LimitReached`` at the deadline.
    """
    actions: list[tuple[int, tuple[str, ...]]] = []
    cost: int | None = None
    time = ""
    for number, full in plan_lines(text):
        if stated := _COST.match(full):
            cost = int(stated[1])
        if not (line := _bare(full)):
            continue
        at = f"{where}:{number}"
        mark = LIST_MARK.match(line)
        if mark is not None and mark["sign"] == ":":
            if time and float(mark["number"]) <= float(time):
                expected = (
                    f"a time later than {clip(time)}, since actions are carried out one after the other"
                )
                hint = "put the lines in the order of their times, or leave the times out"
                raise InputError(at, expected, clip(mark["number"]), hint)
            time = mark["number"]
        for symbols in _actions(line, mark, at):
            if len(actions) == MAX_STEPS:
                raise InputError(at, f"at most {MAX_STEPS} actions", "more")
            actions.append((number, symbols))
    return ActionLines(tuple(actions), cost)


def _actions(line: str, mark: re.Match[str] | None, at: str) -> Iterator[tuple[str, ...]]:
    """Yield the actions of a line, which has at least one. Raises :class:`InputError`."""
    rest = line[mark.end() :] if mark is not None else line
    if mark is not None and mark["sign"] == ":" and _BARE.fullmatch(rest):
        yield tuple(rest.lower().split())
        return
    calls = ((call["name"] or "", call["words"].replace(",", " ").lower()) for call in _ACTION.finditer(rest))
    actions = [tuple(filter(None, (name.lower(), *words.split()))) for name, words in calls]
    if not actions or not all(actions) or _ACTION.sub("", rest).strip(" \t,[]"):
        expected = "an action in parentheses, such as (pickup_on apple1 desk2)"
        raise InputError(at, expected, clip(line), "leave out lines that are no actions")
    yield from actions


def is_engine_plan(text: str, pack: Pack) -> bool:
    """Return whether a text is a plan of ground actions of a pack, and not one of printed steps.

    A call such as ``goto(pose8, desk2)`` is an action where the pack prints no step with so many arguments.
    """
    schemas, printed = pack.domain.actions, _printed(pack)
    for _, full in plan_lines(text):
        line = _bare(full)
        mark = LIST_MARK.match(line)
        rest = line[mark.end() if mark is not None else 0 :].lstrip("[ ")
        if rest.startswith("(") or (mark is not None and mark["sign"] == ":" and _BARE.fullmatch(rest)):
            return True
        for call in _ACTION.finditer(rest):
            name, arguments = (call["name"] or "").lower(), len(call["words"].replace(",", " ").split())
            if (name, arguments) not in printed and name in schemas:
                return len(schemas[name].parameters) == arguments
    return False


def _bare(line: str) -> str:
    """Return what a line says without durations, which may hold a semicolon, and without its comment."""
    return _DURATION.sub(")", line).split(";", 1)[0].strip()


def _printed(pack: Pack) -> Collection[tuple[str, int]]:
    """Return the printed steps of a pack's actions, each with its number of arguments."""
    steps = (pack.mapping_of(name).step for name in pack.domain.actions)
    return {(step.predicate, len(step.args)) for step in steps if step is not None}


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
    schemas, nodes = belief.pack.domain.actions, belief.scene.nodes
    actions = _inverted(table.actions if table is not None else {n: n for n in schemas})
    objects = _inverted(table.objects if table is not None else {n: n for n in nodes})
    for number, symbols in action_lines(text, where).numbered:
        at = f"{where}:{number}"
        if len(symbols) == 1 and symbols[0] not in actions:
            continue  # a planner's own, which is about nothing in the scene
        name = _looked_up(symbols[0], actions, at, "an action of the problem", table)
        name = name.split(" ", 1)[0]  # of an action that is split into cases, which a pack's name never has
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
