"""Constraints on a run on its way: those of the goal, and the rules of the operator.

A rule that others broke is excused: it asks for nothing more, but for an ``always`` that the robot finds in
order, which it keeps from then on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ...compiler.certificates.constraints import replace_rules, under_rules
from ...domains.evaluate import evaluate
from ...domains.formula import TRUE, And, Forall, Formula, TrajectoryConstraint, conjunction, constraints
from ...simulator.belief import Belief
from ...simulator.step import Step
from ...simulator.trajectory import BROKEN, left_over
from ...simulator.verification import Breaker, KeptRule, broken_by, rule_now, watched
from ...simulator.world import World


@dataclass(frozen=True, eq=False)
class RunConstraints:
    """Constraints on a run that has come to what is believed now.

    ``memory`` is what the run so far did to each, as far as it is believed, and ``breakers`` what broke those
    of them that are broken.
    """

    goal: Formula
    belief: Belief
    memory: Mapping[Formula, int]
    breakers: Mapping[Formula, Breaker]

    @cached_property
    def world(self) -> World:
        """The world as it is believed now; nobody may change it."""
        # A copy of the difference alone: a world on top of each belief would be a tower of them.
        return World(self.belief, self.watched, self.belief.facts.copy()).resumed(self.memory)

    def world_of(self, believed: Belief) -> World:
        """Return a world of what is believed, with the memory of the run so far."""
        return World(believed, self.watched).resumed(self.memory)

    @cached_property
    def watched(self) -> tuple[TrajectoryConstraint, ...]:
        """The constraints that the goal and the rules are, for all that is known."""
        whole = under_rules(self.goal, self.belief)
        return _instances(whole, self.belief) if constraints(whole) else ()

    @cached_property
    def binding(self) -> tuple[TrajectoryConstraint, ...]:
        """The constraints that the rules are and that others have not broken."""
        parts = (c for rule in self.belief.rules for c in _instances(rule, self.belief))
        return tuple(c for c in parts if not self._is_excused(c))

    @property
    def due(self) -> tuple[TrajectoryConstraint, ...]:
        """Those of them that a run does not keep which ends now."""
        return tuple(c for c in self.binding if not self.world.happened(c))

    @cached_property
    def end(self) -> Formula:
        """The condition of a run that may end: the goal, and every rule but for what others broke of it."""
        return conjunction([self.goal, *self.binding]) if self.binding else self.goal

    @cached_property
    def rules(self) -> tuple[KeptRule, ...]:
        """The rules of the operator in the state that is believed now."""
        rules = []
        for rule in self.belief.rules:
            parts = watched(rule, self.belief)
            by = next((self.breakers[part] for part in parts if part in self.breakers), None)
            rules.append(KeptRule(str(rule), (rule_now(rule, parts, self.world),), by))
        return tuple(rules)

    def forbids(self, step: Step) -> str:
        """Return the rule, or the constraint of the goal, that a step would break; empty for none."""
        if not self.watched:
            return ""
        trial = self.world.fork()
        trial.apply(step)
        return str(next(iter(broken_by(self.world, trial)), ""))

    def ruled(self, believed: Belief) -> Belief:
        """Return what is believed with what the rules ask of the rest of the run.

        One that others broke asks for nothing more, and an ``always`` for what the robot finds in order.
        """
        if not believed.rules:
            return believed
        return replace_rules(believed, tuple(self.remaining(rule, of_rule=True) for rule in believed.rules))

    def remaining(self, formula: Formula, of_rule: bool = False) -> Formula:
        """Return what constraints in a formula, which may be a rule, ask of the rest of the run."""
        match formula:
            case And(parts):
                return conjunction([self.remaining(part, of_rule) for part in parts])
            case TrajectoryConstraint():
                if of_rule and self._is_excused(formula):
                    return formula if self._binds_again(formula) else TRUE
                return left_over(formula, self.world.memory.states[formula])
            case Forall() if constraints(formula):
                own = _instances(formula, self.belief)
                if of_rule and any(map(self._is_excused, own)):
                    return conjunction([self.remaining(c, of_rule) for c in own])
                memory = [(c, self.world.memory.states[c]) for c in own]
                return conjunction([formula, *(left_over(c, state) for c, state in memory if state)])
        return formula

    def _is_excused(self, rule: Formula) -> bool:
        return self.breakers.get(rule) == "others"

    def _binds_again(self, rule: TrajectoryConstraint) -> bool:
        """Return whether a rule that others broke is one that the robot can keep from now on all the same."""
        return self._is_excused(rule) and rule.kind == "always" and evaluate(rule.parts[0], self.world)

    def breakers_now(self, otherwise: Breaker) -> Mapping[Formula, Breaker]:
        """Return what broke each constraint, those that just broke too: a step, or else what was seen."""
        new: dict[Formula, Breaker] = {
            one: "robot" if self.memory.get(one) == BROKEN else otherwise
            for one in (self.world.memory.broken if self.watched else ())
            if one not in self.breakers
        }
        return {**self.breakers, **new} if new else self.breakers


def _instances(formula: Formula, belief: Belief) -> tuple[TrajectoryConstraint, ...]:
    return tuple(c for c in watched(formula, belief) if isinstance(c, TrajectoryConstraint))
