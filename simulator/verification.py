"""``verify_plan``: forward simulation of a plan, with feedback where it fails.

The scene-graph simulator of SayPlan (section 3.2), returning data. Feedback on a manipulation is derived from
the unmet preconditions of the pack's action and the words of its mapping, never written per case: to change
its wording, change the pack. (Drives that are refused have sentences of their own in ``world``.) It must not
ask a planner, so that it can disagree with one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..domains.action import PlanAction
from ..domains.deadline import check_size, check_time
from ..domains.errors import GoalError, clip
from ..domains.evaluate import bindings, evaluate
from ..domains.formula import (
    TRUE,
    And,
    Atom,
    Count,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Not,
    Sometime,
    TrajectoryConstraint,
    TypedVar,
    children,
    conjuncts,
    free_variables,
    is_ground_atom,
    step_name,
    substitute,
    walk,
)
from ..domains.pack import Pack, forbidden_steps
from ..domains.storage.json_record import JsonRecord
from .belief import Belief
from .printing import print_steps
from .step import DONE, Step
from .world import Refusal, World

RuleTruth = Literal["holds", "due", "broken"]
"""Truth of a rule on a run up to some state; *due*: not if the run ended there, and it may go on."""
Breaker = Literal["start", "robot", "others"]
"""What broke a rule: the first state, a step of the robot, or what was seen and no step brought about."""


@dataclass(frozen=True, slots=True)
class Violation(JsonRecord):
    """A step that cannot be done, and the facts that its action lacks (``unmet``)."""

    index: int
    step: Step
    unmet: tuple[GroundAtom, ...]
    message: str


@dataclass(frozen=True, slots=True)
class KeptRule(JsonRecord):
    """A rule with its truth at the start of a run and after each step, and what broke it, if it is broken."""

    rule: str
    states: tuple[RuleTruth, ...]
    broken_by: Breaker | None = None

    @property
    def kept(self) -> bool:
        """True if the rule holds of the run as a whole."""
        return self.states[-1] == "holds"

    @property
    def broken_at(self) -> int | None:
        """The number of steps that were done when it was broken; ``None`` for a rule that is not."""
        return self.states.index("broken") if self.broken_by is not None else None

    def then(self, later: KeptRule, same_state: bool) -> KeptRule:
        """Return the rule on a run that goes on, or whose last state was looked at once more."""
        before = self.states[:-1] if same_state else self.states
        return replace(self, states=(*before, *later.states), broken_by=self.broken_by or later.broken_by)

    def as_json(self) -> dict[str, object]:
        return JsonRecord.as_json(self) | {"kept": self.kept, "broken_at": self.broken_at}


def rule_now(rule: Formula, parts: Iterable[Formula], world: World) -> RuleTruth:
    """Return the truth of a rule in the last state of a world that watches its ground ``parts``."""
    if not set(parts).isdisjoint(world.memory.broken):
        return "broken"
    return "holds" if evaluate(rule, world) else "due"


def broken_by(before: World, after: World) -> tuple[TrajectoryConstraint, ...]:
    """Return the constraints that a step breaks, by the worlds before and after it.

    An ``always`` that is broken already binds again where it is found in order.
    """
    broken, now = set(before.memory.broken), after.memory.broken
    binding = {c for c in broken if c.kind == "always" and evaluate(c.parts[0], before)}
    return tuple(c for c in now if (not evaluate(c.parts[0], after) if c in binding else c not in broken))


def joined(rules: Sequence[KeptRule], later: Sequence[KeptRule], same_state: bool) -> tuple[KeptRule, ...]:
    """Return rules on a run that goes on, or whose last state was looked at once more."""
    if not rules or not later:
        return tuple(rules or later)
    return tuple(one.then(other, same_state) for one, other in zip(rules, later, strict=True))


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of a simulation; ``metres`` is the distance driven.

    ``goal_value`` is the goal's truth in the last state, ``None`` without a goal; ``unsatisfied`` has a
    sentence for each conjunct of the goal that does not hold there. ``ignored`` are the steps after a
    ``done()``: it ends the plan, so they were not carried out. ``rules`` has an entry for each rule of the
    belief.
    """

    executable: bool
    goal_value: bool | None
    violations: tuple[Violation, ...]
    actions: tuple[PlanAction, ...]
    length_mm: int
    unsatisfied: tuple[str, ...] = ()
    ignored: tuple[Step, ...] = ()
    rules: tuple[KeptRule, ...] = ()

    @property
    def metres(self) -> float:
        """The distance driven, in metres; it is counted in millimetres (``length_mm``)."""
        return self.length_mm / 1000

    @property
    def verified(self) -> bool:
        """True if every step could be done, every rule was kept, and the goal, where there is one, holds."""
        return self.executable and self.goal_value is not False and self.keeps_rules

    @property
    def keeps_rules(self) -> bool:
        """True if the run kept every rule, as far as it went."""
        return all(one.kept for one in self.rules)

    def feedback(self) -> tuple[str, ...]:
        """Return sentences for people and models, none when verified."""
        steps = tuple(f"step {v.index + 1}, {clip(str(v.step), 200)}: {v.message}" for v in self.violations)
        return steps or self.unsatisfied

    def as_json(self) -> dict[str, object]:
        """Return the JSON of ``simulate``: without a goal nothing is verified, and it says ``None``."""
        judged = self.goal_value is not None or not self.executable or bool(self.rules)
        rules = {"rules": [one.as_json() for one in self.rules]} if self.rules else {}
        return {
            "executable": self.executable,
            "verified": self.verified if judged else None,
            "violations": [v.as_json() for v in self.violations],
            "goal_value": self.goal_value,
            "unsatisfied": list(self.unsatisfied),
            "ignored": [str(s) for s in self.ignored],
            "metres": self.metres,
            **rules,
        }


def verify_plan(steps: Sequence[Step], belief: Belief, goal: Formula | None = None) -> Verification:
    """Simulate steps from a belief's initial state, up to ``done()`` or the first that cannot be done.

    The goal may contain ``sometime`` over literals; those with quantified variables are watched for every
    binding. An impossible step is a :class:`Violation` of the result and never raises. Check the goal before:
    a name that the scene does not have may raise ``KeyError``. Raises :class:`GoalError` for a ``sometime``
    inside another, and for a forbidden step that no action prints.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal, read_steps, verify_plan
    >>> belief = ground(load_scene("office"), load_pack())
    >>> goal = parse_goal("(robot_at pose13)").formula
    >>> verify_plan(read_steps("goto(pose13)"), belief, goal).verified
    True
    >>> result = verify_plan(read_steps("access(fridge)"), belief, goal)
    >>> print(*result.feedback())
    step 1, access(fridge): cannot access fridge: it is in kitchen, the robot is at pose8
    """
    conditions = dict.fromkeys(watched(goal, belief) if goal is not None else ())
    by_rule = [(rule, watched(rule, belief)) for rule in belief.rules]
    world = World(belief, tuple(conditions | dict.fromkeys(c for _, some in by_rule for c in some)))
    truths: list[list[RuleTruth]] = [[rule_now(rule, some, world)] for rule, some in by_rule]
    actions: list[PlanAction] = []
    violations: list[Violation] = []
    ignored: tuple[Step, ...] = ()
    length = 0
    for index, step in enumerate(steps):
        check_time("simulating the plan")
        if step == DONE:
            ignored = tuple(steps[index + 1 :])
            break
        effect = world.apply(step)
        if isinstance(effect, Refusal):
            violations.append(Violation(index, step, effect.unmet, effect.message))
            break
        actions += effect.actions
        length += effect.length
        for (rule, some), states in zip(by_rule, truths, strict=True):
            states.append(rule_now(rule, some, world))
    value = evaluate(goal, world) if goal is not None else None
    missing = tuple(explain(goal, world)) if goal is not None and not value else ()
    rules = tuple(_kept(rule, states) for (rule, _), states in zip(by_rule, truths, strict=True))
    missing += tuple(unkept(one) for one in rules if not one.kept)
    return Verification(
        not violations, value, tuple(violations), tuple(actions), length, missing, ignored, rules
    )


def _kept(rule: Formula, states: Sequence[RuleTruth]) -> KeptRule:
    """Return a rule on a simulated run, in which nobody but the robot does anything."""
    broken = states[-1] == "broken"
    return KeptRule(
        str(rule), tuple(states), ("start" if states[0] == "broken" else "robot") if broken else None
    )


def unkept(rule: KeptRule) -> str:
    """Say when a rule was broken, or that the end leaves something of it due."""
    words = f"the rule {clip(rule.rule)} is broken"
    if rule.broken_at is None:
        return f"{words} by ending here"
    return f"{words} by step {rule.broken_at}" if rule.broken_at else f"{words} before anything is done"


def verify_actions(
    plan: Sequence[PlanAction], belief: Belief, goal: Formula | None = None
) -> tuple[tuple[Step, ...], Verification]:
    """Simulate a plan of the pack's ground actions: its printed steps, and what happened.

    Stricter than :func:`verify_plan` on the printed steps: each action must apply just as it stands, with
    every argument, before the steps are run. A refused action ends the steps under its own name.
    """
    world = World(belief)
    for index, action in enumerate(plan):
        effect = world.perform(action)
        if isinstance(effect, Refusal):
            steps = print_steps(plan[:index], belief)
            before = verify_plan(steps, belief, goal)
            last = Step(action.name, action.args)
            violation = Violation(len(steps), last, effect.unmet, effect.message)
            return (*steps, last), replace(before, executable=False, violations=(violation,))
    steps = print_steps(plan, belief)
    return steps, verify_plan(steps, belief, goal)


def watched(goal: Formula, belief: Belief) -> tuple[Formula, ...]:
    """Return the ground literals below ``sometime`` and the ground constraints of a goal.

    Quantified ones are there for every node of their types. Raises :class:`GoalError` for one inside another,
    and for a forbidden step that no action prints, which nothing would ever break.
    """
    scopes: list[tuple[Formula, tuple[TypedVar, ...]]] = [(goal, ())]
    literals: dict[Formula, None] = {}
    start = World(belief)
    while scopes:
        node, variables = scopes.pop()
        if isinstance(node, Sometime | TrajectoryConstraint):
            if any(
                isinstance(n, Sometime | TrajectoryConstraint) for part in children(node) for n in walk(part)
            ):
                hint = "say each of them for itself"
                raise GoalError("goal", "sometime over a literal", clip(str(node)), hint)
            _check_step(node, belief.pack)
            free = free_variables(node)
            used = tuple(v for v in variables if v.name in free)
            for binding in bindings(used, start, {}):
                ground = substitute(node, dict(binding))
                literals[ground.body if isinstance(ground, Sometime) else ground] = None
                check_size("literals", len(literals), "listing what is to hold at some time")
            continue
        inner = variables
        if isinstance(node, Exists | Forall | Count):
            names = {v.name for v in node.variables}
            inner = (*(v for v in variables if v.name not in names), *node.variables)
        scopes.extend((c, inner) for c in reversed(children(node)))
    return tuple(literals)


def _check_step(node: Formula, pack: Pack) -> None:
    match node:
        case TrajectoryConstraint("never-do", (Atom() as step, _)):
            if (step_name(step), len(step.args)) not in forbidden_steps(pack):
                hint = f"for a place say (never ({pack.standing} place))"
                expected = "a step that an action prints, with its arguments, other than part of driving"
                raise GoalError("goal", expected, clip(str(node)), hint)


def explain(goal: Formula, world: World) -> list[str]:
    """Say in words which conjuncts of a goal do not hold."""
    messages = []
    for part in conjuncts(goal):
        if part == TRUE or evaluate(part, world):
            continue
        atom = part.part if isinstance(part, Not) else part
        if is_ground_atom(atom):
            fact = world.pack.words(atom.predicate, atom.args, isinstance(part, Not))
            messages.append(f"{part} does not hold at the end: {fact}{_where(atom, world)}")
        elif isinstance(part, And):
            messages += explain(part, world)
        else:
            messages.append(f"{part} does not hold at the end")
    return messages


def _where(atom: GroundAtom, world: World) -> str:
    """Say where a thing is instead, when a goal about its place fails."""
    if len(atom.args) < 2 or (name := atom.args[0]) not in world.scene.nodes:
        return ""
    if world.state.facts.holds(world.pack.mapping.robot_held.predicate, (name,)):
        return "; the robot still holds it"
    above = world.state.above(name)
    return f"; it is at {above}" if above is not None else ""
