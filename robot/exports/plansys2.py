"""A plan for PlanSys2: a durative domain made from the pack, its problem, and the plan to the byte.

PlanSys2's executor rechecks conditions while it carries a plan out, so the domain has to be ours. A condition
that an action does not undo holds over all of it; what it deletes goes at the start, what it adds comes at
the end. An event is an action that somebody waits for. A plan file has one action a line, times 0.001 s apart
and no comment (`plansys2_terminal/src/plansys2_terminal/Terminal.cpp`). Symbols are inverted by
``symbols.json``, with which the plan is read back as any planner's (``compiler.engine_plan``).

The goal has the facts that it rests on where the plan ends: a conjunction of ground atoms is what PlanSys2
takes. Facts that must be false, or must have been, are listed in a comment of the problem.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256

from ...compiler.engine_plan import read_engine_plan, read_symbols
from ...compiler.symbols import ROOT, SymbolTable, symbols
from ...domains.action import Action, PlanAction
from ...domains.errors import InputError
from ...domains.formula import And, Atom, Formula, GroundAtom, TypedVar, Var, conjuncts, constraints, names
from ...simulator.belief import Belief
from ...simulator.verification import watched
from ...simulator.world import World
from ..rules.evidence import evidence_of
from .source import ExportSource

GAP = 0.001
"""Seconds between two actions: two of one time would be one to PlanSys2."""
EVENT_SECONDS = 1.0
"""Seconds of an event; no scene says how long an oven takes."""
PLAN, DOMAIN, PROBLEM = "plan.txt", "domain.pddl", "problem.pddl"
KNOWLEDGE, TABLE = "knowledge.txt", "symbols.json"


def write_plansys2(source: ExportSource) -> dict[str, str]:
    """Return the files of a plan by name: domain, problem, terminal commands, plan, table of symbols."""
    writer = _Writer(source)
    files = {
        DOMAIN: writer.domain(),
        PROBLEM: writer.problem(),
        KNOWLEDGE: writer.knowledge(),
        PLAN: writer.plan(),
    }
    return files | {TABLE: writer.symbols_text(files)}


def read_plansys2(plan: str, table: str, belief: Belief, where: str = PLAN) -> tuple[PlanAction, ...]:
    """Return the actions of a plan file, events among them. Raises :class:`InputError` with the line."""
    return read_engine_plan(plan, belief, read_symbols(table), where)


@dataclass(frozen=True)
class _Writer:
    source: ExportSource

    @property
    def actions(self) -> Sequence[Action]:
        return tuple(self.source.pack.domain.actions.values())

    @cached_property
    def end(self) -> World:
        """The world where the plan ends. Raises :class:`InputError` for an action that needs what is not so.

        The simulator lets a door be worked from its other side; an executor that looks at facts does not.
        """
        source = self.source
        world = World(source.belief, watched(source.goal.formula, source.belief) if source.goal else ())
        for action in source.plan.plan or ():
            ground = source.pack.domain.actions[action.name].ground(action.args)
            for fact in ground.precondition:
                if not world.state.facts.holds(fact.predicate, fact.args):
                    hint = "a door that is worked from its other side cannot be said to PlanSys2"
                    raise InputError(str(action), f"{fact} before it", "a plan without it", hint)
            world.perform_ground(ground)
        return world

    @cached_property
    def goal(self) -> tuple[Formula, ...]:
        """The facts that the goal rests on where the plan ends; none without a goal."""
        source = self.source
        if source.goal is None:
            return ()
        if constraints(source.goal.formula):
            hint = "export a tree or the program, which hold them"
            raise InputError("plansys2", "a goal without constraints on the run", "some", hint)
        parts, world = conjuncts(source.goal.formula), self.end
        return tuple(dict.fromkeys(fact for part in parts for fact in evidence_of(part, world)))

    @cached_property
    def objects(self) -> dict[str, str]:
        """The nodes that the plan and the goal are about, with their PDDL types."""
        belief = self.source.belief
        named = [name for action in self.source.plan.plan or () for name in action.args]
        named += names(And(self.goal))
        named.append(belief.start)
        types = belief.pack.mapping.types
        return {name: types[belief.scene.nodes[name].type] for name in sorted(set(named))}

    @cached_property
    def table(self) -> SymbolTable:
        domain = self.source.pack.domain
        return symbols(domain.types, domain.predicates, domain.actions, self.objects)

    @cached_property
    def facts(self) -> tuple[GroundAtom, ...]:
        """The facts of the start that are about these nodes, sorted."""
        belief = self.source.belief
        predicates = sorted(belief.pack.domain.predicates)
        atoms = (Atom(p, args) for p in predicates for args in sorted(belief.facts.all(p)))
        return tuple(atom for atom in atoms if all(arg in self.objects for arg in atom.args))

    def symbols_text(self, files: Mapping[str, str]) -> str:
        """Return the name behind every symbol, and the SHA-256 of the other files, as ``compile`` does."""
        inverted = {kind: {s: n for n, s in table.items()} for kind, table in asdict(self.table).items()}
        hashes = {name: sha256(text.encode("utf-8", "backslashreplace")) for name, text in files.items()}
        listed = {"files": {name: one.hexdigest() for name, one in hashes.items()}}
        return json.dumps(inverted | listed, indent=2, ensure_ascii=True, sort_keys=True) + "\n"

    def atom(self, atom: Atom) -> str:
        args = [f"?{a.name}" if isinstance(a, Var) else self.table.objects[a] for a in atom.args]
        return f"({' '.join([self.table.predicates[atom.predicate], *args])})"

    def typed(self, variables: Iterable[TypedVar]) -> str:
        return " ".join(f"?{v.name} - {self.table.types[v.type]}" for v in variables)

    def seconds(self, action: Action) -> float:
        """Return the seconds of an action as the domain has them, without the length of a drive."""
        mapping = self.source.pack.mapping
        entry = mapping.actions[action.name]
        return EVENT_SECONDS if entry.event else mapping.skills[entry.skill].seconds(0)

    def domain(self) -> str:
        domain, table = self.source.pack.domain, self.table
        types = [
            f"{table.types[t]} - {table.types[parent or ROOT]}"
            for t, parent in domain.types.items()
            if t != ROOT
        ]
        types.append(f"{table.types[ROOT]} - object")
        predicates = [
            f"({' '.join(filter(None, [table.predicates[p.name], self.typed(p.parameters)]))})"
            for p in domain.predicates.values()
        ]
        parts = [
            "(define (domain groundplan)",
            "  (:requirements :strips :typing :durative-actions)",
            _listed("types", types),
            _listed("predicates", predicates),
            *map(self.action, self.actions),
        ]
        return "\n".join(parts) + ")\n"

    def action(self, action: Action) -> str:
        undone = [fact for fact in action.delete if fact not in action.add]
        conditions = [f"(at start {self.atom(fact)})" for fact in action.precondition]
        conditions += [
            f"(over all {self.atom(fact)})" for fact in action.precondition if fact not in action.delete
        ]
        effects = [f"(at start (not {self.atom(fact)}))" for fact in undone]
        effects += [f"(at end {self.atom(fact)})" for fact in action.add]
        return "\n".join(
            [
                f"  (:durative-action {self.table.actions[action.name]}",
                f"    :parameters ({self.typed(action.parameters)})",
                f"    :duration (= ?duration {self.seconds(action):.3f})",
                f"    :condition (and {' '.join(conditions)})",
                f"    :effect (and {' '.join(effects)}))",
            ]
        )

    def ground_goal(self) -> list[str]:
        return [self.atom(fact) for fact in self.goal if isinstance(fact, Atom)]

    def problem(self) -> str:
        left = [fact for fact in self.goal if not isinstance(fact, Atom)]
        objects = [f"{self.table.objects[n]} - {self.table.types[t]}" for n, t in self.objects.items()]
        parts = [
            *(f"; not in the goal: {fact}" for fact in left),
            "(define (problem plan)",
            "  (:domain groundplan)",
            _listed("objects", objects),
            _listed("init", map(self.atom, self.facts)),
            f"  (:goal (and {' '.join(self.ground_goal())})))",
        ]
        return "\n".join(parts) + "\n"

    def knowledge(self) -> str:
        """Return the commands that tell PlanSys2's terminal of the problem."""
        lines = [
            f"set instance {self.table.objects[n]} {self.table.types[t]}" for n, t in self.objects.items()
        ]
        lines += [f"set predicate {self.atom(fact)}" for fact in self.facts]
        if goal := self.ground_goal():
            lines.append(f"set goal (and {' '.join(goal)})")
        return "\n".join(lines) + "\n"

    def plan(self) -> str:
        belief, mapping = self.source.belief, self.source.pack.mapping
        time, lines = 0.0, []
        for action in self.source.plan.plan or ():
            schema = belief.pack.domain.actions[action.name]
            seconds = self.seconds(schema)
            if mapping.actions[action.name].navigation:
                length = belief.routes.distance(*action.args[:2])
                seconds = mapping.skills[mapping.actions[action.name].skill].seconds(length)
            named = " ".join([self.table.actions[action.name], *(self.table.objects[a] for a in action.args)])
            lines.append(f"{time:.3f}: ({named}) [{seconds:.3f}]\n")
            time += seconds + GAP
        return "".join(lines)


def _listed(section: str, lines: Iterable[str]) -> str:
    return "\n".join([f"  (:{section}", *(f"    {line}" for line in lines)]) + ")"
