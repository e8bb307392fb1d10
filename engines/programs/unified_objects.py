"""Builder of unified-planning's objects from a planning problem that is data (``compiler.pddl.as_data``).

It runs wherever unified-planning is: in the process of an engine, and in that of a user who asks for the
objects. Numbers are whole and every distance has a value, since many engines take no others; where no route
leads, driving has a condition that forbids it. Standard library and unified-planning only, which is imported
by the first call.
"""

from __future__ import annotations

import importlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

DISTANCE = "distance"


def build(data: Mapping[str, Any], environment: Any) -> Any:
    """Return the ``unified_planning.model.Problem`` of a problem that is data."""
    return _Builder(data, environment).build()


class _Builder:
    def __init__(self, data: Mapping[str, Any], environment: Any) -> None:
        self.model = importlib.import_module("unified_planning.model")
        self.data, self.environment = data, environment
        self.expressions = environment.expression_manager
        self.types: dict[str, Any] = {}
        for name, parent in data["types"]:  # parents come first
            self.types[name] = environment.type_manager.UserType(name, self.types.get(parent))

    def build(self) -> Any:
        data, model, expressions = self.data, self.model, self.expressions
        booleans = self.environment.type_manager.BoolType()
        problem = model.Problem(
            "groundplan", self.environment, initial_defaults={booleans: expressions.FALSE()}
        )
        for kind in self.types.values():
            problem._add_user_type(kind)  # also those that no object has, as PDDL declares them
        self.predicates = {
            name: self._fluent(name, booleans, parameters) for name, parameters in data["predicates"]
        }
        self.objects = {n: model.Object(n, self.types[kind], self.environment) for n, kind in data["objects"]}
        problem.add_fluents(self.predicates.values())
        problem.add_objects(self.objects.values())
        distance = self._distance(problem) if data["distances"] is not None else None
        prices = {}
        for action in data["actions"]:
            built = self._action(action)
            problem.add_action(built)
            if distance is not None:
                prices[built] = self._price(action, built, distance)
        for fact in data["init"]:
            problem.set_initial_value(self._atom(fact), expressions.TRUE())
        if distance is not None:
            metric = model.metrics.MinimizeActionCosts(prices, expressions.Int(0), self.environment)
            problem.add_quality_metric(metric)
        problem.add_goal(expressions.And([self._atom(fact) for fact in data["goal"]]))
        return problem

    def _fluent(self, name: str, of: Any, parameters: Iterable[Sequence[str]]) -> Any:
        return self.model.Fluent(name, of, self._signature(parameters), self.environment)

    def _signature(self, parameters: Iterable[Sequence[str]]) -> OrderedDict[str, Any]:
        return OrderedDict((name, self.types[kind]) for name, kind in parameters)

    def _distance(self, problem: Any) -> Any:
        place = self.data["place"]
        numbers = self.environment.type_manager.IntType()
        fluent = self._fluent(DISTANCE, numbers, (("from", place), ("to", place)))
        problem.add_fluent(fluent, default_initial_value=self.expressions.Int(0))
        for a, b, length in self.data["distances"]:
            ends = (self.objects[a], self.objects[b])
            problem.set_initial_value(self.expressions.FluentExp(fluent, ends), self.expressions.Int(length))
        return fluent

    def _atom(self, fact: Sequence[str], action: Any = None) -> Any:
        predicate, *names = fact
        args = [action.parameter(n[1:]) if n.startswith("?") else self.objects[n] for n in names]
        return self.expressions.FluentExp(self.predicates[predicate], args)

    def _action(self, action: Mapping[str, Any]) -> Any:
        built = self.model.InstantaneousAction(
            action["name"], self._signature(action["parameters"]), self.environment
        )
        conditions = [self._atom(fact, built) for fact in action["precondition"]]
        for pair in action["different"]:
            ends = (built.parameter(name) for name in pair)
            conditions.append(self.expressions.Not(self.expressions.Equals(*ends)))
        if conditions:
            built.add_precondition(self.expressions.And(conditions))
        for key, value in (("add", True), ("delete", False)):
            for fact in action[key]:
                built.add_effect(self._atom(fact, built), value)
        return built

    def _price(self, action: Mapping[str, Any], built: Any, distance: Any) -> Any:
        if action["cost"] is not None:
            return self.expressions.Int(action["cost"])
        ends = [built.parameter(name) for name, _ in action["parameters"][:2]]
        return self.expressions.FluentExp(distance, ends)
