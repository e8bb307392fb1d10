"""BEHAVIOR's own evaluator on a final state: the code of the ``bddl`` package 3.6.0, from its source archive.

Nothing is installed: the modules are unpacked into a folder and imported from there. What they need beside
numpy and networkx is one function of ``future``, which is given to them here.
"""

from __future__ import annotations

import importlib
import sys
import tarfile
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oracles.bddl import Holds

TOP = "bddl-3.6.0"


class PackageEvaluator:
    """The package, unpacked into a folder; its goals are evaluated over any facts."""

    def __init__(self, archive: Path, folder: Path) -> None:
        wanted = ("activity_definitions/domain_", "generated_data/output_hierarchy_properties.json")
        with tarfile.open(archive) as opened:
            for member in opened:
                inside = member.name.startswith(f"{TOP}/bddl/")
                if inside and (member.name.endswith(".py") or any(w in member.name for w in wanted)):
                    opened.extract(member, folder, filter="data")
        shim: Any = types.ModuleType("future.utils")
        shim.with_metaclass = lambda meta, *bases: meta("base", bases, {})
        sys.modules.setdefault("future", types.ModuleType("future"))
        sys.modules.setdefault("future.utils", shim)
        sys.path.insert(0, str(folder / TOP))
        try:
            self.activity = importlib.import_module("bddl.activity")
            logic = importlib.import_module("bddl.logic_base")
        finally:
            sys.path.remove(str(folder / TOP))
        self.formulas = {1: logic.UnaryAtomicFormula, 2: logic.BinaryAtomicFormula}

    def satisfied(self, text: str, domain: str, holds: Holds) -> bool:
        """Whether the goal of a problem file, of the domain ``omnigibson`` or ``igibson``, holds."""
        conditions = self.activity.Conditions("activity", 0, domain, predefined_problem=text)
        scope = self.activity.get_object_scope(conditions)
        scope = {name: name for name in scope}  # a simulator's objects: here their names
        backend = _Backend(self.formulas, holds)
        goal = self.activity.get_goal_conditions(conditions, backend, scope, generate_ground_options=False)
        return bool(self.activity.evaluate_goal_conditions(goal)[0])


class _Backend:
    """The predicates of the package over our facts, by name."""

    def __init__(self, formulas: Mapping[int, type], holds: Holds) -> None:
        self.formulas, self.holds = formulas, holds

    def get_predicate_class(self, name: str) -> type:
        holds, arity = self.holds, 2 if name in BINARY else 1

        def evaluate(formula: Any, *objects: str) -> bool:
            return holds(name, objects)

        made = {"STATE_NAME": name, "_evaluate": evaluate, "_sample": lambda *_: None}
        return type(name, (self.formulas[arity],), made)


BINARY = frozenset(
    "ontop inside onfloor under attached nextto touching covered contains filled saturated insource inroom "
    "draped overlaid".split()
)
