"""Formats of ``groundplan export``: by name, how a plan is written in each, and how it is read back.

A format is a module here with a writer and a strict reader, and an entry below. Whatever is written is read
again before it leaves and held to the plan, so that no file goes out from which another plan would be read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...domains.errors import InputError
from ...domains.files import parse_json
from ...simulator.step import Step, read_steps
from ..reading import program_in, read_program
from .btcpp import TreeForm, read_tree, rules_of_tree, write_tree
from .nav2_route import read_route, route_graph, write_route
from .nav2_waypoints import read_waypoints, write_waypoints
from .plansys2 import DOMAIN, KNOWLEDGE, PLAN, PROBLEM, TABLE, read_plansys2, write_plansys2
from .py_trees_module import read_module, write_module
from .source import ExportSource, hold_to

Files = Mapping[str, str]
"""Texts by the name of their file; most formats have one."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format: its name, what runs it, its files, how a plan is written, and whether files say a plan.

    A run has printed steps, a program and a problem of its own, so files with the name of one of those are
    called after the format as well (``in_run``). ``says`` reads files strictly, and raises
    :class:`InputError` for those that nobody may read a plan from.
    """

    name: str
    title: str
    files: tuple[str, ...]
    write: Callable[[ExportSource, TreeForm], Files]
    says: Callable[[Files, ExportSource], bool]

    def check(self, files: Files, source: ExportSource, form: TreeForm = "sequence") -> None:
        """Raise :class:`InputError` where files say another plan, or say it otherwise than it is written."""
        if not self.says(files, source):
            raise InputError(self.name, "a file from which the same plan is read", "one with another plan")
        for file, own in self.write(source, form).items():
            hold_to(files.get(file, ""), own, f"{self.name}/{file}")

    def in_run(self, file: str) -> str:
        """Return the name of one of its files in the folder of a run."""
        return f"{self.name}-{file}" if self.name in ("plansys2", "steps", "program") else file


def write_export(name: str, source: ExportSource, form: TreeForm = "sequence") -> Files:
    """Return a plan in a format, read back and held to the plan.

    Raises :class:`InputError` for what the format cannot hold, and ``KeyError`` for no format.
    """
    chosen = EXPORT_FORMATS[name]
    files = chosen.write(source, form)
    chosen.check(files, source, form)
    return files


def read_plan(text: str, where: str = "plan") -> tuple[Step, ...]:
    """Return the printed steps of a plan: of a tree or module that was exported, or as ``read_steps`` does.

    Raises :class:`InputError` with the line.
    """
    begin = text.removeprefix("\ufeff").lstrip()[:200]
    if begin.startswith("<"):
        return read_tree(text.removeprefix("\ufeff"), where)[1]
    if begin.startswith('"""'):
        return read_module(text, where)
    return read_steps(text, where)


def rules_written(text: str, where: str = "plan") -> tuple[str, ...]:
    """Return the rules of an operator that a plan in a file was made under: of a program, a record or a tree.

    Raises :class:`InputError` for a file that is none of what it begins as.
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("<"):
        return rules_of_tree(text, where)
    if (program := program_in(text, where)) is not None:
        return program.operator_rules()
    raw = parse_json(text, where) if text.lstrip().startswith("{") else None
    rules = raw.get("rules") if isinstance(raw, dict) else None
    listed = (one.get("rule") for one in rules if isinstance(one, dict)) if isinstance(rules, list) else ()
    return tuple(one for one in listed if isinstance(one, str))


def _only(files: Files) -> str:
    (text,) = files.values()
    return text


def _drives(files: Files, source: ExportSource) -> bool:
    """Return whether waypoints are steps of the plan, in its order."""
    steps = iter(source.program.steps())
    return all(stop.step in steps for stop in read_waypoints(_only(files)))


def _program_text(source: ExportSource) -> str:
    return json.dumps(source.program.as_json(), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


EXPORT_FORMATS: Mapping[str, ExportFormat] = {
    entry.name: entry
    for entry in (
        ExportFormat(
            "btcpp",
            "a tree for BehaviorTree.CPP 4, a sequence or reactive",
            ("plan.xml",),
            lambda source, form: {"plan.xml": write_tree(source, form)},
            lambda files, source: read_tree(_only(files))[1] == source.program.steps(),
        ),
        ExportFormat(
            "plansys2",
            "domain, problem, terminal commands and plan for PlanSys2",
            (DOMAIN, PROBLEM, KNOWLEDGE, PLAN, TABLE),
            lambda source, _: write_plansys2(source),
            lambda files, source: read_plansys2(files[PLAN], files[TABLE], source.belief) == source.plan.plan,
        ),
        ExportFormat(
            "py-trees",
            "a Python module for py_trees 2",
            ("plan_tree.py",),
            lambda source, _: {"plan_tree.py": write_module(source)},
            lambda files, source: read_module(_only(files)) == source.program.steps(),
        ),
        ExportFormat(
            "nav2-waypoints",
            "the drives, for Nav2's panel in RViz",
            ("waypoints.yaml",),
            lambda source, _: {"waypoints.yaml": write_waypoints(source)},
            _drives,
        ),
        ExportFormat(
            "nav2-route",
            "the ways of the scene, for Nav2's route server",
            ("route_graph.geojson",),
            lambda source, _: {"route_graph.geojson": write_route(source)},
            lambda files, source: read_route(_only(files)) == route_graph(source.belief),
        ),
        ExportFormat(
            "steps",
            "printed steps, one a line, as SayPlan has them",
            ("plan.txt",),
            lambda source, _: {"plan.txt": "".join(f"{step}\n" for step in source.program.steps())},
            lambda files, source: read_steps(_only(files)) == source.program.steps(),
        ),
        ExportFormat(
            "program",
            "groundplan's own robot program in JSON",
            ("program.json",),
            lambda source, _: {"program.json": _program_text(source)},
            lambda files, source: read_program(_only(files)) == source.program,
        ),
    )
}
