"""The planning problem as a unified-planning ``Problem``, from the same :class:`Problem` as the PDDL text.

Both renderings share one symbol table, so a plan of either is translated back alike, and reading the PDDL
text with unified-planning's reader gives an equal problem, which tests require: this module and ``pddl``
change together. Route lengths are a static numeric fluent; costs are the metric. unified-planning takes two
seconds to import, so it is imported on the first call only.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from groundplan.compiler.equality import inequalities
from groundplan.compiler.pddl import symbol_table
from groundplan.compiler.problem import Problem
from groundplan.compiler.symbols import ROOT, SymbolTable
from groundplan.domains.action import Action, Plan
from groundplan.domains.formula import Atom, TypedVar, Var

DISTANCE = "distance"


@dataclass(frozen=True)
class UnifiedProblem:
    """``problem`` is a ``unified_planning.model.Problem``; ``table`` inverts its names."""

    problem: Any
    table: SymbolTable
    source: Problem

    def scene_plan(self, plan: Any) -> Plan:
        """Return a ``SequentialPlan`` in the names of the scene, without artificial actions."""
        steps = [(a.action.name, *map(str, a.actual_parameters)) for a in plan.actions]
        return self.source.scene_plan(self.table.scene_names(steps))


def unified(problem: Problem, costs: bool = True, environment: Any = None) -> UnifiedProblem:
    """Build the unified-planning problem, in unified-planning's global environment unless one is given."""
    problem = problem if costs else problem.without_equality()
    from unified_planning.environment import get_environment

    return _Builder(problem, costs, environment or get_environment()).build()


class _Builder:
    def __init__(self, problem: Problem, costs: bool, environment: Any) -> None:
        import unified_planning.model as model

        self.source, self.costs, self.environment, self.model = problem, costs, environment, model
        self.table = symbol_table(problem)
        self.expressions = environment.expression_manager
        self.types = self._types()

    def build(self) -> UnifiedProblem:
        source, model = self.source, self.model
        booleans = self.environment.type_manager.BoolType()
        result = model.Problem(
            "groundplan-problem",
            self.environment,
            initial_defaults={booleans: self.expressions.FALSE()},
        )
        for kind in self.types.values():
            result._add_user_type(kind)  # also types that no object has, as the PDDL text declares them
        predicates = {
            name: model.Fluent(
                self.table.predicates[name], booleans, self._signature(parameters), self.environment
            )
            for name, parameters in source.predicates.items()
        }
        objects = {
            name: model.Object(self.table.objects[name], self.types[kind], self.environment)
            for name, kind in source.objects
        }
        result.add_fluents(predicates.values())
        distance = self._distance(result) if self.costs else None
        result.add_objects(objects.values())
        prices = {}
        for action in source.actions:
            built = self._action(action, predicates, objects)
            result.add_action(built)
            prices[built] = self._price(action, built, distance)
        for atom in source.init:
            result.set_initial_value(self._atom(atom, predicates, objects), self.expressions.TRUE())
        if distance is not None:
            for (a, b), length in sorted(source.distances.items()):
                pair = self.expressions.FluentExp(distance, (objects[a], objects[b]))
                result.set_initial_value(pair, self.expressions.Int(length))
            result.add_quality_metric(
                model.metrics.MinimizeActionCosts(prices, self.expressions.Int(0), self.environment)
            )
        goals = [self._atom(atom, predicates, objects) for atom in source.goal]
        result.add_goal(self.expressions.And(goals))
        return UnifiedProblem(result, self.table, source)

    def _types(self) -> dict[str, Any]:
        """Return types by name, parents before children."""
        make = self.environment.type_manager.UserType
        types: dict[str, Any] = {ROOT: make(self.table.types[ROOT], None)}

        def add(name: str) -> Any:
            if name not in types:
                types[name] = make(self.table.types[name], add(self.source.types[name] or ROOT))
            return types[name]

        for name in self.source.types:
            add(name)
        return types

    def _signature(self, parameters: tuple[TypedVar, ...]) -> OrderedDict[str, Any]:
        return OrderedDict((p.name, self.types[p.type]) for p in parameters)

    def _distance(self, result: Any) -> Any:
        navigation = next(a for a in self.source.actions if a.name == self.source.navigation)
        place = self.types[navigation.parameters[0].type]
        numbers = self.environment.type_manager.RealType()
        ends = OrderedDict((("from", place), ("to", place)))
        fluent = self.model.Fluent(DISTANCE, numbers, ends, self.environment)
        result.add_fluent(fluent)
        return fluent

    def _atom(
        self,
        atom: Atom,
        predicates: Mapping[str, Any],
        objects: Mapping[str, Any],
        action: Any = None,
    ) -> Any:
        args = [action.parameter(a.name) if isinstance(a, Var) else objects[a] for a in atom.args]
        return self.expressions.FluentExp(predicates[atom.predicate], args)

    def _action(self, action: Action, predicates: Mapping[str, Any], objects: Mapping[str, Any]) -> Any:
        built = self.model.InstantaneousAction(
            self.table.actions[action.name], self._signature(action.parameters), self.environment
        )
        conditions = [self._atom(a, predicates, objects, built) for a in action.precondition]
        for pair in inequalities(action, self.source.types):
            ends = (built.parameter(name) for name in pair)
            conditions.append(self.expressions.Not(self.expressions.Equals(*ends)))
        if conditions:
            built.add_precondition(self.expressions.And(conditions))
        for atom in action.add:
            built.add_effect(self._atom(atom, predicates, objects, built), True)
        for atom in action.delete:
            if atom not in action.add:
                built.add_effect(self._atom(atom, predicates, objects, built), False)
        return built

    def _price(self, action: Action, built: Any, distance: Any) -> Any:
        if distance is None:
            return None
        if action.cost is None:
            ends = [built.parameter(p.name) for p in action.parameters[:2]]
            return self.expressions.FluentExp(distance, ends)
        return self.expressions.Int(action.cost)
