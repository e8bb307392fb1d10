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
from .btcpp import TreeForm, check_tree_of, read_tree, rules_of_tree, write_tree
from .nav2_route import check_route_of, write_route
from .nav2_waypoints import check_waypoints_of, write_waypoints
from .plansys2 import (
    DOMAIN,
    KNOWLEDGE,
    PLAN,
    PROBLEM,
    TABLE,
    check_plansys2_of,
    read_plansys2,
    write_plansys2,
)
from .py_trees_module import check_module_of, read_module, write_module
from .source import ExportSource

Files = Mapping[str, str]
"""Texts by the name of their file; most formats have one."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format: its name, what runs it, its files, how a plan is written, and how files are held to one.

    A run has printed steps, a program and a problem of its own, so files with the name of one of those are
    called after the format as well (``in_run``). ``check`` raises :class:`InputError` where the files say
    another plan, or say it otherwise.
    """

    name: str
    title: str
    files: tuple[str, ...]
    write: Callable[[ExportSource, TreeForm], Files]
    check: Callable[[Files, ExportSource], None]

    def in_run(self, file: str) -> str:
        """Return the name of one of its files in the folder of a run."""
        return f"{self.name}-{file}" if self.name in ("plansys2", "steps", "program") else file


def write_export(name: str, source: ExportSource, form: TreeForm = "sequence") -> Files:
    """Return a plan in a format, read back and held to the plan.

    Raises :class:`InputError` for what the format cannot hold, and ``KeyError`` for no format.
    """
    chosen = EXPORT_FORMATS[name]
    files = chosen.write(source, form)
    chosen.check(files, source)
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


def _same(got: object, expected: object, where: str) -> None:
    if got != expected:
        raise InputError(where, "a file from which the same plan is read", "one with another plan")


def _check_steps(files: Files, source: ExportSource) -> None:
    _same(read_steps(_only(files)), source.program.steps(), "steps")


def _check_program(files: Files, source: ExportSource) -> None:
    _same(read_program(_only(files)), source.program, "program")


def _check_tree(files: Files, source: ExportSource) -> None:
    text = _only(files)
    _same(read_tree(text)[1], source.program.steps(), "tree")
    check_tree_of(text, source)


def _check_module(files: Files, source: ExportSource) -> None:
    _same(read_module(_only(files)), source.program.steps(), "module")
    check_module_of(_only(files), source)


def _check_plansys2(files: Files, source: ExportSource) -> None:
    _same(read_plansys2(files[PLAN], files[TABLE], source.belief), source.plan.plan, "plansys2")
    check_plansys2_of(files, source)


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
            _check_tree,
        ),
        ExportFormat(
            "plansys2",
            "domain, problem, terminal commands and plan for PlanSys2",
            (DOMAIN, PROBLEM, KNOWLEDGE, PLAN, TABLE),
            lambda source, _: write_plansys2(source),
            _check_plansys2,
        ),
        ExportFormat(
            "py-trees",
            "a Python module for py_trees 2",
            ("plan_tree.py",),
            lambda source, _: {"plan_tree.py": write_module(source)},
            _check_module,
        ),
        ExportFormat(
            "nav2-waypoints",
            "the drives, for Nav2's panel in RViz",
            ("waypoints.yaml",),
            lambda source, _: {"waypoints.yaml": write_waypoints(source)},
            lambda files, source: check_waypoints_of(_only(files), source),
        ),
        ExportFormat(
            "nav2-route",
            "the ways of the scene, for Nav2's route server",
            ("route_graph.geojson",),
            lambda source, _: {"route_graph.geojson": write_route(source)},
            lambda files, source: check_route_of(_only(files), source),
        ),
        ExportFormat(
            "steps",
            "printed steps, one a line, as SayPlan has them",
            ("plan.txt",),
            lambda source, _: {"plan.txt": "".join(f"{step}\n" for step in source.program.steps())},
            _check_steps,
        ),
        ExportFormat(
            "program",
            "groundplan's own robot program in JSON",
            ("program.json",),
            lambda source, _: {"program.json": _program_text(source)},
            _check_program,
        ),
    )
}
