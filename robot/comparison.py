"""A robot program held to the printed steps that it was made from: every key that is not as they say.

The printed steps are what the simulator runs, and a robot is driven by the other keys; so the steps are
translated again, for the belief and the program's own goal, and every key of every command is compared. To
hold a new key of a command, write it in ``Skill.as_json``. Unknown keys are left alone by the reader.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from ..compiler.certificates.constraints import with_rules
from ..compiler.certificates.rules import read_rules, rules_of
from ..compiler.goals.checker import check
from ..compiler.goals.goal import Goal, parse_goal
from ..domains.action import PlanAction
from ..domains.deadline import check_time
from ..domains.diagnostic import has_errors
from ..domains.ending import Ending
from ..domains.errors import InputError, clip
from ..domains.storage.json_record import KEY, JsonRecord
from ..engines.result import PlanResult
from ..simulator.belief import Belief
from ..simulator.step import DONE, Step
from ..simulator.world import Effect, Refusal, World
from .program import Program, drives_of, translate, with_waypoints
from .skill import Skill


@dataclass(frozen=True, slots=True)
class Difference(JsonRecord):
    """A key that is not as the printed steps say; ``index`` is ``None`` for a key of the whole program."""

    index: int | None
    printed: str = field(metadata={KEY: "step"})
    key: str
    expected: str
    got: str

    @property
    def message(self) -> str:
        return f"{self.key}: expected {clip(self.expected)}, got {clip(self.got)}"

    def as_json(self) -> dict[str, object]:
        return {**JsonRecord.as_json(self), "message": self.message}


def differences(program: Program, belief: Belief) -> tuple[Difference, ...]:
    """Translate a program's printed steps again and return every key that is otherwise, in order.

    Commands after ``done()`` are never carried out and not compared. Where a step cannot be done there is
    nothing to compare commands with: only the keys of the whole program are. Raises :class:`InputError` for
    a goal of the program that this scene or pack does not have.
    """
    goal, steps = _goal_of(program, belief), program.steps()
    belief = under_written(program.operator_rules(), belief, "program: rules")
    steps = steps[: steps.index(DONE)] if DONE in steps else steps
    listed: list[tuple[Difference, ...]] = []
    for again in _translations(program, steps, belief, goal):
        listed.append(tuple(_differing(program, again)))
        if not listed[-1]:
            break
    return min(listed, key=len)


def under_written(written: Sequence[str], belief: Belief, where: str) -> Belief:
    """Return a belief under rules as well that a plan was made under.

    Raises :class:`InputError` for a rule that is none, or does not fit the scene.
    """
    if not written:
        return belief
    text = "\n".join(written)
    read_rules(text, belief, where)  # raises for what does not fit
    rules = rules_of(text, belief.pack, where)
    if all(rule in belief.rules for rule in rules):
        return belief
    return with_rules(belief, tuple(dict.fromkeys((*belief.rules, *rules))))


def _translations(
    program: Program, steps: Sequence[Step], belief: Belief, goal: Goal | None
) -> Iterator[Program]:
    """Yield what printed steps may have been translated to.

    They do not say where one drive of several poses ends and the next begins; it matters only for what a
    drive serves.
    """
    plans: list[PlanResult] = []
    again: list[Program] = []
    for joined in (True, False):
        plans.append(plan_of(steps, belief, joined) or _result((), ()))
        again.append(translate(plans[-1], belief, goal))
        yield again[-1]
    for plan, base in zip(plans, again, strict=True):
        yield _as_served(program, base, again, drives_of(plan, belief))


def _as_served(program: Program, base: Program, again: Sequence[Program], drives: Sequence[bool]) -> Program:
    """Return one translation with the program's own word on what each drive serves, within bounds.

    A drive may serve what any drive in a row with it serves in any of the translations, since where the
    plan's drives ended is not printed; its waypoints follow from that.
    """
    first = base.commands
    commands: list[Skill] = []
    for drive, numbers in groupby(range(min(len(first), len(program.commands))), drives.__getitem__):
        row = list(numbers)
        served = {other.commands[n].serves for other in again for n in row}
        for n in row:
            own = program.commands[n].serves
            commands.append(replace(first[n], serves=own) if drive and own in served else first[n])
    return replace(base, commands=with_waypoints(commands, drives[: len(commands)]))


def _goal_of(program: Program, belief: Belief) -> Goal | None:
    if not program.goal:
        return None
    goal = parse_goal(f"(and {' '.join(program.goal)})", "program: goal")
    report = check(goal, belief)
    if report.cut is not None:
        raise report.cut
    if has_errors(report.diagnostics):
        wrong = next(d for d in report.diagnostics if has_errors((d,)))
        raise InputError("program: goal", f"a goal for {belief.scene.name}", wrong.message)
    return goal


def _result(plan: Sequence[PlanAction], printed: Sequence[tuple[int, Step]]) -> PlanResult:
    return PlanResult(Ending.SOLVED, tuple(plan), printed=tuple(printed))


def plan_of(steps: Sequence[Step], belief: Belief, joined: bool = True) -> PlanResult | None:
    """Return the actions that printed steps are, with their steps; ``None`` where one cannot be done.

    With ``joined``, drives in a row are one action up to the next thing that is accessed, as plans have them.
    """
    world, drive = World(belief), belief.pack.navigation.name
    plan: list[PlanAction] = []
    printed: list[tuple[int, Step]] = []
    open_drive: int | None = None
    for step in steps:
        check_time("translating the steps again")
        here = world.state.stands_at
        effect = world.apply(step)
        if isinstance(effect, Refusal):
            return None
        left = _left(effect, belief)
        if _drives(step, belief) and not (left and world.state.stands_at == _stood(left, here, belief)):
            target = step.args[0]
            if open_drive is None or not joined:
                plan += left
                here = _stood(left, here, belief)
                open_drive = len(plan)
                plan.append(PlanAction(drive, (here, target)))
            else:
                plan[open_drive] = PlanAction(drive, (plan[open_drive].args[0], target))
            plan += [a for a in effect.actions if a.event]
            printed.append((open_drive, step))
            if step.name == "access":
                open_drive = None
        else:
            open_drive = None
            # Where the robot only steps back, perhaps from several crates, the last action is printed.
            printed.append((len(plan) + effect.actions.index(left[-1]), step))
            plan += effect.actions
    return _result(plan, printed)


def _drives(step: Step, belief: Belief) -> bool:
    to_asset = step.name == "access" and belief.scene.nodes[step.args[0]].type != "object"
    return to_asset or step.name in ("goto", belief.pack.mapping.room_step)


def _left(effect: Effect, belief: Belief) -> list[PlanAction]:
    """Return the actions by which a drive first steps back from what the robot stood at."""
    return [a for a in effect.actions if not a.event and not belief.pack.mapping_of(a.name).navigation]


def _stood(left: Sequence[PlanAction], here: str, belief: Belief) -> str:
    """Return where the robot stands after stepping back, from where it stood."""
    for action in left:
        ground = belief.pack.domain.actions[action.name].ground(action.args)
        here = next((f.args[0] for f in ground.add if f.predicate == belief.pack.at), here)
    return here


def _differing(program: Program, again: Program) -> Iterator[Difference]:
    whole = ("frame", "scene", "hashes", "start", "grounds", "exclusive", "rules")
    yield from _keys(program.as_json(), again.as_json(), whole, None, "")
    for index, (command, other) in enumerate(zip(program.commands, again.commands, strict=False)):
        expected = other.as_json()
        yield from _keys(command.as_json(), expected, tuple(expected), index, command.printed)


def _keys(
    got: dict[str, object], expected: dict[str, object], keys: Sequence[str], index: int | None, printed: str
) -> Iterator[Difference]:
    """Yield a difference for each key; of an object, for each key that it has."""
    for key in keys:
        one, other = got.get(key), expected[key]
        if isinstance(one, dict) and isinstance(other, dict):
            for part in _keys(one, other, tuple(other), index, printed):
                yield Difference(index, printed, f"{key}.{part.key}", part.expected, part.got)
        elif one != other:
            yield Difference(index, printed, key, json.dumps(other), json.dumps(one))
