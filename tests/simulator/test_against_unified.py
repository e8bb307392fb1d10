"""Our simulator against unified-planning's, step by step, under the same closure of events.

The worlds and the actions are random. Both must agree on which actions can be done and on every fact after
each of them. Routes are not involved: the worlds are connected, and driving is one action on both sides.
"""

from __future__ import annotations

from typing import Any

import unified_planning.shortcuts as up
from draws import draws
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from strategies import actions, beliefs, whole_problem
from unified_planning.exceptions import UPInvalidActionError
from unified_planning.plans import ActionInstance

from groundplan.compiler.pddl import render
from groundplan.domains.action import Action, PlanAction
from groundplan.domains.formula import Var
from groundplan.engines.unified_problem import as_unified
from groundplan.simulator.belief import Belief
from groundplan.simulator.world import Refusal, World

up.get_environment().credits_stream = None


class Other:
    """unified-planning's state of the same world."""

    def __init__(self, belief: Belief) -> None:
        self.belief = belief
        rendered = render(whole_problem(belief), costs=False)
        self.table = rendered.table
        self.problem: Any = as_unified(rendered)
        self.simulator = up.SequentialSimulator(self.problem)
        self.state = self.simulator.get_initial_state()
        static = {f.predicate for f in belief.facts} - set(belief.pack.fluents)
        self.events = [
            (e, args)
            for e in belief.pack.events
            for args in self.bindings(e)
            if all(
                belief.facts.holds(a.predicate, a.args)  # type: ignore[arg-type]
                for a in e.ground(args).precondition
                if a.predicate in static
            )
        ]

    def bindings(self, schema: Action) -> list[tuple[str, ...]]:
        pack, found = self.belief.pack, [()]
        for parameter in schema.parameters:
            fitting = [
                n.id
                for n in self.belief.scene.nodes.values()
                if n.type in pack.mapping.types
                and pack.domain.is_a(pack.mapping.types[n.type], parameter.type)
            ]
            found = [(*f, n) for f in found for n in fitting]  # type: ignore[misc]
        return found  # type: ignore[return-value]

    def instance(self, name: str, args: tuple[str, ...]) -> Any:
        action = self.problem.action(self.table.actions[name])
        objects = tuple(self.problem.object(self.table.objects[a]) for a in args)
        return ActionInstance(action, tuple(up.ObjectExp(o) for o in objects))

    def apply(self, name: str, args: tuple[str, ...]) -> bool:
        try:
            after = self.simulator.apply(self.state, self.instance(name, args))
        except UPInvalidActionError:  # a static condition fails, so it was simplified away
            return False
        if after is None:
            return False
        self.state = after
        return True

    def close(self) -> None:
        grew = True
        while grew:
            before = self.facts()
            for event, args in self.events:
                self.apply(event.name, args)
            grew = self.facts() != before

    def facts(self) -> frozenset[tuple[str, ...]]:
        """The facts of every predicate that actions change."""
        found = set()
        for name in self.belief.pack.fluents:
            fluent = self.problem.fluent(self.table.predicates[name])
            for args in self.bindings_of(name):
                objects = [self.problem.object(self.table.objects[a]) for a in args]
                if self.state.get_value(fluent(*objects)).is_true():
                    found.add((name, *args))
        return frozenset(found)

    def bindings_of(self, predicate: str) -> list[tuple[str, ...]]:
        parameters = self.belief.pack.domain.predicates[predicate].parameters
        schema = Action(predicate, parameters, (), (), ())
        return self.bindings(schema)


def ours(world: World) -> frozenset[tuple[str, ...]]:
    return frozenset(
        (f.predicate, *map(str, f.args)) for f in world.state.facts if f.predicate in world.pack.fluents
    )


@draws(30, by_day=10, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_applicability_and_facts_agree_after_every_action(data: st.DataObject) -> None:
    belief = data.draw(beliefs(hostile=None, assets=3, objects=3))
    world, other = World(belief), Other(belief)
    assert ours(world) == other.facts()
    for _ in range(data.draw(st.integers(1, 6))):
        action: PlanAction = data.draw(actions(belief, world))
        if len(set(action.args)) < len(action.args):
            continue  # goto from a place to itself: in PDDL adding wins, unified-planning refuses
        done = world.perform(action)
        agreed = other.apply(action.name, action.args)
        assert agreed == (not isinstance(done, Refusal)), str(action)
        other.close()
        assert ours(world) == other.facts(), str(action)


@draws(60, by_day=20, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_events_leave_nothing_to_fire(data: st.DataObject) -> None:
    belief = data.draw(beliefs())
    world = World(belief)
    for _ in range(data.draw(st.integers(0, 6))):
        action = data.draw(actions(belief, world))
        if len(set(action.args)) == len(action.args):
            world.perform(action)
        for event in belief.pack.events:
            for args in Binding(belief).of(event):
                ground = event.ground(args)
                if not world.state.unmet(ground):
                    assert all(world.state.facts.holds(a.predicate, args_of(a)) for a in ground.add)


class Binding:
    def __init__(self, belief: Belief) -> None:
        self.belief = belief

    def of(self, schema: Action) -> list[tuple[str, ...]]:
        return Other.bindings(self, schema)  # type: ignore[arg-type]


def args_of(atom: Any) -> tuple[str, ...]:
    assert not any(isinstance(a, Var) for a in atom.args)
    return tuple(atom.args)
