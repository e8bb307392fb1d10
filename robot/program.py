"""Robot programs: a verified plan as commands with targets, for whatever drives the robot.

A program is data, and enough to drive a robot: each command (module ``skill``) has a skill of the pack, the
node that it is about with its position, the facts that a monitor checks before and after, and the events to
wait for. Skills are named in the pack's mapping and changed there; the JSON keys are version 1 of a format
that robots read (``program.schema.json``), and must stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from ..compiler.goals.goal import Goal
from ..domains.action import PlanAction
from ..domains.formula import Formula, GroundAtom, conjuncts, constraints, is_ground_atom
from ..domains.storage.json_record import JsonRecord, plain
from ..engines.result import PlanResult
from ..simulator.belief import Belief
from ..simulator.scene import Position
from ..simulator.step import PROGRAM_FORMAT, Step, read_step
from ..simulator.verification import watched
from ..simulator.world import Refusal, World
from .evidence import PlanHistory
from .expectations import awaited, doors_passed, expectation, hops_of, with_needs
from .fact_groups import FactGroup, groups_of
from .rules.evidence import atom_of
from .rules.guarding import Guarding, planned_command
from .rules.rule import NO_RULES, ProgramRules, StepGuard
from .serving import served
from .skill import Grounds, Skill, Waypoint
from .targets import Positions, target_of


@dataclass(frozen=True, slots=True)
class Program(JsonRecord):
    """The commands of a plan in order, and the conjuncts that they serve.

    ``start`` is where the robot's base is before the first command, ``start_position`` that node's place in
    metres, in the ``frame`` that the pack names. ``grounds`` are what the goal rests on where the plan ends,
    ``None`` without a goal, or where it cannot be said in facts. ``exclusive`` are the groups in which its
    facts exclude each other, ``rules`` what every run keeps. ``pack_hash`` and ``scene_hash`` are those that
    the program was made for.
    """

    goal: tuple[str, ...]
    commands: tuple[Skill, ...]
    start: str = ""
    start_position: Position | None = None
    scene: str = ""
    pack_hash: str = ""
    scene_hash: str = ""
    frame: str = "map"
    grounds: Grounds | None = None
    exclusive: tuple[FactGroup, ...] = ()
    rules: ProgramRules = NO_RULES

    def facts(self) -> Iterator[GroundAtom]:
        """Yield the facts that the commands and the goal name, some of them more than once."""
        grounds = self.grounds or Grounds()
        for literals in (grounds.facts, *((m.literal, *m.facts) for m in grounds.moments)):
            yield from filter(is_ground_atom, map(atom_of, literals))
        for command in self.commands:
            expects = command.expects
            yield from filter(is_ground_atom, map(atom_of, (*expects.before, *expects.after)))
            for waiting in command.waits_for:
                yield from (*waiting.conditions, *waiting.facts)
            guards = (fact for guard in command.guards for fact in guard.facts)
            yield from filter(is_ground_atom, map(atom_of, guards))
        yield from self.rules.facts()

    def operator_rules(self) -> tuple[str, ...]:
        """Return the rules that are no parts of the goal, as they were written."""
        return tuple(rule.rule for rule in self.rules.kept if rule.rule not in self.goal)

    def steps(self) -> tuple[Step, ...]:
        """Return the printed steps. Raises :class:`InputError` for a command that has none."""
        return tuple(read_step(c.printed, f"command {c.step + 1}") for c in self.commands)

    def as_json(self) -> dict[str, object]:
        return {
            "format": PROGRAM_FORMAT,
            "version": 1,
            "frame": self.frame,
            "scene": self.scene,
            "hashes": {"pack": self.pack_hash, "scene": self.scene_hash},
            "start": {"node": self.start, "position": plain(self.start_position)},
            **{
                key: plain(getattr(self, key))
                for key in ("goal", "grounds", "exclusive", "rules", "commands")
            },
        }


def program_schema() -> dict[str, object]:
    """Return the JSON schema (draft 2020-12) of robot programs.

    >>> from groundplan.robot import program_schema
    >>> program_schema()["properties"]["frame"]
    {'type': 'string', 'minLength': 1}
    """
    text = files(__package__).joinpath("program.schema.json").read_text(encoding="utf-8")
    schema: dict[str, object] = json.loads(text)
    return schema


def translate(result: PlanResult, belief: Belief, goal: Goal | None = None) -> Program:
    """Turn a verified plan, with its printed steps, into a robot program.

    Raises ``ValueError`` for a plan that the simulator refuses: only verified plans become programs; and
    :class:`GoalError` for a ``sometime`` over anything but a literal, which no check lets pass.
    """
    plan = result.plan or ()
    parts = conjuncts(goal.formula) if goal is not None else ()
    rules = rules_of(belief, parts)
    remembered = (c for part in dict.fromkeys((*parts, *rules)) for c in watched(part, belief))
    world = World(belief, tuple(remembered))
    guarding = Guarding(rules, world) if rules else None
    start = world.state.anchor
    positions = Positions(world)
    serves = served(plan, belief, parts)
    history = PlanHistory(world)
    commands: list[Skill] = []
    for number, (source, step) in enumerate(result.printed):
        target = positions.target(target_of(step, plan[source], world))
        stood_at, hops = world.state.stands_at, hops_of(step, world)
        passed, before = doors_passed(hops, world), world.fork() if guarding is not None else world
        effect = world.apply(step)
        if isinstance(effect, Refusal):
            raise ValueError(f"step {number + 1}, {step}: {effect.message}")
        positions.note(effect.actions)
        history.note(number)
        base = world.state.anchor
        guards: tuple[StepGuard, ...] = ()
        expects = expectation(effect.actions, belief.pack, stood_at, passed)
        if guarding is not None:
            planned = planned_command(before, effect, hops, world)
            guards = guarding.guards(number, planned, world, expects.before)
        commands.append(
            Skill(
                skill=_skill(step, plan[source], belief),
                arguments=_arguments(step, plan[source], belief),
                pose=base,
                position=belief.scene.nodes[base].position,
                step=number,
                printed=str(step),
                serves=serves[source],
                target=target,
                metres=effect.length / 1000,
                expects=expects,
                waits_for=awaited(effect.actions, belief.pack),
                guards=guards,
            )
        )
    needed = with_needs(commands, (*parts, *rules) if parts else (), belief.pack)
    program = Program(
        tuple(map(str, parts)),
        with_waypoints(needed, drives_of(result, belief)),
        start,
        belief.scene.nodes[start].position,
        belief.scene.name,
        belief.pack.hash,
        belief.scene.hash,
        belief.pack.mapping.frame,
        history.grounds(parts),
        rules=guarding.rules() if guarding is not None else NO_RULES,
    )
    return replace(program, exclusive=groups_of(belief, program.facts()))


def rules_of(belief: Belief, parts: Sequence[Formula]) -> tuple[Formula, ...]:
    """Return what every run has to keep: a belief's rules, and parts of a goal that constrain the run."""
    return tuple(dict.fromkeys((*belief.rules, *(part for part in parts if constraints(part)))))


def drives_of(result: PlanResult, belief: Belief) -> list[bool]:
    """Return for each printed step whether it is part of a drive that may be one motion with the next."""
    plan = result.plan or ()
    return [
        step.name == "goto" and belief.pack.mapping_of(plan[source].name).navigation
        for source, step in result.printed
    ]


def with_waypoints(commands: Sequence[Skill], drives: Sequence[bool]) -> tuple[Skill, ...]:
    """Return the commands with waypoints at the first of several drives in a row, and at no other.

    A motion ends where the robot has to wait, where a drive serves another part of the goal, and before one
    that a rule guards.
    """
    motions: list[list[Skill]] = []
    for command, drive in zip(commands, drives, strict=True):
        last = motions[-1][-1] if motions else None
        goes_on = drive and last is not None and drives[last.step] and not last.waits_for
        goes_on = goes_on and not command.guards
        if goes_on and last is not None and last.serves == command.serves:
            motions[-1].append(command)
        else:
            motions.append([command])
    joined: list[Skill] = []
    for motion in motions:
        stops = tuple(Waypoint(c.step, c.pose, c.position) for c in motion) if len(motion) > 1 else ()
        joined += [replace(motion[0], waypoints=stops), *(replace(c, waypoints=()) for c in motion[1:])]
    return tuple(joined)


def _skill(step: Step, action: PlanAction, belief: Belief) -> str:
    mapping = belief.pack.mapping_of(action.name)
    return mapping.approach if mapping.navigation and step.name == "access" else mapping.skill


def _arguments(step: Step, action: PlanAction, belief: Belief) -> tuple[str, ...]:
    """A drive names its next stop; everything else names all that the action is about."""
    return step.args if belief.pack.mapping_of(action.name).navigation else action.args
