"""Writer of PDDL, the compiler's last pass: a problem with costs, or without for engines that reject them.

The text is a function of the problem and takes no order from a set, so the same input gives the same bytes,
which tests require. :meth:`RenderedProblem.data` is the same problem as values, of which
``engines/programs/unified_objects`` builds unified-planning's objects: what is new here belongs there, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import combinations
from math import comb
from typing import Any

from ..domains.action import Action, Plan
from ..domains.deadline import check_size, check_time
from ..domains.formula import (
    And,
    Atom,
    Cardinality,
    Formula,
    Not,
    Or,
    TrajectoryConstraint,
    TypedVar,
    Var,
    conjunction,
)
from ..simulator.belief import Belief
from .equality import inequalities
from .normal import constraints_in_facts, expanded
from .problem import Problem, Unsupported, build
from .relevance import NEAREST
from .symbols import ROOT, SymbolTable, symbols

NOT_SAID = (
    "a constraint on the run is about a place that things can be in by way of others; the planner keeps it, "
    "and it is not written into problems"
)


@dataclass(frozen=True)
class RenderedProblem:
    """A domain file and a problem file, with the table that inverts their symbols."""

    domain: str
    problem: str
    table: SymbolTable
    source: Problem
    costs: bool = True

    def data(self) -> dict[str, object]:
        """Return the same problem, in the same symbols, as values that JSON has.

        Raises :class:`Unsupported` for constraints on the run that are not compiled into its actions.
        """
        if self.source.constraints:
            raise Unsupported("constraints on the run are compiled into the actions of a problem as values")
        return _Writer(self.source, self.table, self.costs).data()

    def scene_plan(self, plan: tuple[tuple[str, ...], ...]) -> Plan:
        """Return an engine's plan in the names of the scene, without artificial actions."""
        return self.source.scene_plan(self.table.scene_names(plan))

    def files(self) -> dict[str, str]:
        """Return the texts of domain.pddl, problem.pddl and symbols.json.

        The last has the name behind every symbol, and under ``files`` the SHA-256 of the other two.
        """
        names = {
            kind: {symbol: name for name, symbol in sorted(symbols_by_name.items())}
            for kind, symbols_by_name in asdict(self.table).items()
        }
        files = {"domain.pddl": self.domain, "problem.pddl": self.problem}
        hashes = {name: sha256(text.encode("utf-8", "backslashreplace")) for name, text in files.items()}
        listed = {"files": {name: one.hexdigest() for name, one in hashes.items()}}
        return files | {"symbols.json": json.dumps(names | listed, indent=2, ensure_ascii=True) + "\n"}


def compile_goal(
    goal: Formula, belief: Belief, costs: bool = True, whole: bool = False, as_written: bool = True
) -> RenderedProblem:
    """Write the planning problem of a checked goal, over what the goal depends on.

    Without ``costs`` the text is plain typed STRIPS; ``whole`` keeps every interchangeable helper and not
    only the nearest, and every way of being in a room. Constraints on the run, and rules, are written as
    PDDL3 has them; without costs or ``as_written`` they are compiled into the actions. Where the goal denies
    what an event brings about, the text does not say that events happen by themselves: then only the
    simulator knows whether a plan of it works. Raises :class:`GoalError` for an expansion that is too large,
    and :class:`Unsupported` for constraints that cannot be said in facts.
    """
    goal = conjunction([goal, *belief.rules])
    form = expanded(goal, belief, whole=whole).form
    written = constraints_in_facts(form, belief)
    if whole and not written.exact:
        raise Unsupported(NOT_SAID)
    nearest = None if whole else NEAREST
    problem = build(written.form, belief, nearest=nearest, as_written=costs and as_written)
    return render(problem, costs)


def render(problem: Problem, costs: bool = True) -> RenderedProblem:
    """Write a problem. Without costs the text is plain typed STRIPS."""
    problem = problem if costs else problem.without_equality()
    table = symbol_table(problem)
    writer = _Writer(problem, table, costs)
    return RenderedProblem(writer.domain(), writer.problem_text(), table, problem, costs)


def symbol_table(problem: Problem) -> SymbolTable:
    """Choose the symbols of a problem, the same for every rendering."""
    return symbols(
        problem.types,
        problem.predicates,
        (a.name for a in problem.actions),
        (name for name, _ in problem.objects),
    )


class _Writer:
    def __init__(self, problem: Problem, table: SymbolTable, costs: bool) -> None:
        self.problem, self.table, self.costs = problem, table, costs
        parents, named = problem.types, table.types
        self.types = [(named[t], "" if t == ROOT else named[parents[t] or ROOT]) for t in self.used_types()]
        self.predicates = [
            (table.predicates[p], self.parameters(params)) for p, params in problem.predicates.items()
        ]
        self.actions = list(map(self.action, problem.actions))

    def used_types(self) -> list[str]:
        """Return the types in the order of the hierarchy, parents first."""
        order = [ROOT]
        for name in self.problem.types:
            trail = []
            current = name
            while current and current not in order:
                trail.append(current)
                current = self.problem.types.get(current, "")
            order += reversed(trail)
        return order

    def parameters(self, parameters: tuple[TypedVar, ...]) -> list[tuple[str, str]]:
        return [(p.name, self.table.types[p.type]) for p in parameters]

    def action(self, action: Action) -> dict[str, Any]:
        """Return a schema in symbols."""
        return {
            "name": self.table.actions[action.name],
            "parameters": self.parameters(action.parameters),
            "precondition": list(map(self.symbols, action.precondition)),
            "different": inequalities(action, self.problem.types),
            "add": list(map(self.symbols, action.add)),
            "delete": [self.symbols(a) for a in action.delete if a not in action.add],
            "cost": action.cost,
        }

    def symbols(self, atom: Atom) -> list[str]:
        args = [f"?{a.name}" if isinstance(a, Var) else self.table.objects[a] for a in atom.args]
        return [self.table.predicates[atom.predicate], *args]

    def atom(self, atom: Atom) -> str:
        return _bracket(self.symbols(atom))

    def typed(self, names: list[tuple[str, str]]) -> str:
        lines: dict[str, list[str]] = {}
        for name, type_name in names:
            lines.setdefault(type_name, []).append(self.table.objects[name])
        return "\n    ".join(
            f"{' '.join(sorted(members))} - {self.table.types[t]}" for t, members in sorted(lines.items())
        )

    def data(self) -> dict[str, object]:
        problem, of = self.problem, self.table.objects
        return {
            "types": self.types,
            "predicates": self.predicates,
            "objects": [(of[name], self.table.types[kind]) for name, kind in problem.objects],
            "actions": self.actions,
            "init": list(map(self.symbols, problem.init)),
            "goal": list(map(self.symbols, problem.goal)),
            "place": self.navigation_type() if self.costs else None,
            "distances": [(of[a], of[b], d) for (a, b), d in sorted(problem.distances.items())]
            if self.costs
            else None,
        }

    def domain(self) -> str:
        problem = self.problem
        requirements = ":strips :typing" + (" :action-costs" if self.costs else "")
        if any(schema["different"] for schema in self.actions):
            requirements += " :equality :negative-preconditions"
        if problem.constraints:
            requirements += " :constraints :disjunctive-preconditions"
            requirements += "" if ":negative" in requirements else " :negative-preconditions"
        types = "\n    ".join(f"{name} - {parent or ROOT}" for name, parent in self.types)
        predicates = "\n    ".join(_bracket([name, *_variables(params)]) for name, params in self.predicates)
        parts = [
            "(define (domain groundplan)",
            f"  (:requirements {requirements})",
            f"  (:types\n    {types})",
        ]
        constants = [(n, t) for n, t in problem.objects if n in problem.constants]
        if constants:
            parts.append(f"  (:constants\n    {self.typed(constants)})")
        parts.append(f"  (:predicates\n    {predicates})")
        if self.costs:
            place = self.navigation_type()
            distance = f"(distance ?from - {place} ?to - {place})"
            parts.append(f"  (:functions\n    (total-cost) - number\n    {distance} - number)")
        parts += map(self.action_text, self.actions)
        return "\n".join(parts) + ")\n"

    def navigation_type(self) -> str:
        action = next(a for a in self.problem.actions if a.name == self.problem.navigation)
        return self.table.types[action.parameters[0].type]

    def action_text(self, schema: Mapping[str, Any]) -> str:
        effects = [_bracket(fact) for fact in schema["add"]]
        effects += [f"(not {_bracket(fact)})" for fact in schema["delete"]]
        if self.costs:
            amount = str(schema["cost"])
            if schema["cost"] is None:
                amount = f"(distance {' '.join(f'?{name}' for name, _ in schema['parameters'][:2])})"
            effects.append(f"(increase (total-cost) {amount})")
        different = (f"(not (= ?{a} ?{b}))" for a, b in schema["different"])
        condition = " ".join([*map(_bracket, schema["precondition"]), *different])
        return (
            f"  (:action {schema['name']}\n"
            f"    :parameters {_bracket(_variables(schema['parameters']))}\n"
            f"    :precondition (and {condition})\n"
            f"    :effect (and {' '.join(effects)}))"
        )

    def problem_text(self) -> str:
        problem = self.problem
        objects = [(n, t) for n, t in problem.objects if n not in problem.constants]
        init = []
        for fact in problem.init:
            check_time("writing the problem")
            init.append(self.atom(fact))
        if self.costs:
            name = self.table.objects
            init.append("(= (total-cost) 0)")
            init += [
                f"(= (distance {name[a]} {name[b]}) {d})" for (a, b), d in sorted(problem.distances.items())
            ]
        metric = "\n  (:metric minimize (total-cost))" if self.costs else ""
        lines = "\n    ".join(init)
        goal = " ".join(self.atom(a) for a in problem.goal)
        kept = " ".join(self.constraint(one) for one in problem.constraints)
        constraints = f"\n  (:constraints (and {kept}))" if kept else ""
        return (
            "(define (problem groundplan-problem)\n  (:domain groundplan)\n"
            f"  (:objects\n    {self.typed(objects)})\n"
            f"  (:init\n    {lines})\n"
            f"  (:goal (and {goal})){constraints}{metric})\n"
        )

    def constraint(self, one: TrajectoryConstraint) -> str:
        return f"({one.kind} {' '.join(map(self.formula, one.parts))})"

    def formula(self, form: Formula) -> str:
        """Write a form over facts."""
        match form:
            case Atom():
                return self.atom(form)
            case Not(part):
                return f"(not {self.formula(part)})"
            case And(parts) | Or(parts):
                word = "and" if isinstance(form, And) else "or"
                return f"({' '.join([word, *map(self.formula, parts)])})"
            case Cardinality(_, number, parts):
                check_size("literals", comb(len(parts), number) * number, "writing the problem")
                return self.formula(Or(tuple(And(some) for some in combinations(parts, number))))
        raise Unsupported(f"not in normal form: {form}")


def _bracket(words: Iterable[str]) -> str:
    return f"({' '.join(words)})"


def _variables(parameters: Iterable[tuple[str, str]]) -> list[str]:
    return [f"?{name} - {kind}" for name, kind in parameters]
