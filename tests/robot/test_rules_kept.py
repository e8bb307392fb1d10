"""Programs under rules, in worlds that are otherwise than given: no step that is done breaks a rule.

Monitor, supervisor and reactive tree carry the same programs out, each in a world of its own, in which things
are elsewhere, a fifth of the skills fail, and somebody else moves things. What was done is judged by the
simulator, which remembers the run in the true world.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from behavior_tree import FAILURE, SUCCESS, SimulatedRobot, Tree
from disturbed import MOST_REPLANS, broken_by_a_step
from drawn_rules import Drawn, drawn, source_for

from groundplan import check, ground, parse_goal
from groundplan.compiler.certificates.constraints import with_rules
from groundplan.compiler.goals.goal import Goal
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import (
    Atom,
    Formula,
    TrajectoryConstraint,
    conjunction,
    conjuncts,
    is_ground_atom,
)
from groundplan.robot import Program, deviations, differences
from groundplan.robot.exports import EXPORT_FORMATS, ExportSource, check_tree, read_tree, write_tree
from groundplan.robot.rules.evidence import atom_of
from groundplan.robot.rules.rule import left_of
from groundplan.robot.supervision import RobotReport, Supervisor
from groundplan.simulator.sensing.environment import Environment, Move
from groundplan.simulator.sensing.snapshot import scene_now
from groundplan.simulator.step import read_step
from groundplan.simulator.trajectory import BROKEN
from groundplan.simulator.verification import watched
from groundplan.simulator.world import Refusal, World


def replanned(goal: Goal, asked: list[Formula], world: World) -> ExportSource | None:
    """Return a new plan from the state that there is now, for a goal and what rules ask of the rest."""
    now = ground(scene_now(world), world.pack)
    due = [one for one in asked if not isinstance(one, TrajectoryConstraint)]
    rules = [one for one in asked if isinstance(one, TrajectoryConstraint)]
    known = World(now, tuple(c for rule in rules for c in watched(rule, now)))
    rules = [rule for rule in rules if set(watched(rule, now)).isdisjoint(known.memory.broken)]
    both = parse_goal(str(conjunction([*conjuncts(goal.formula), *due])))
    errors = [one for one in check(both, now).diagnostics if one.severity == "error"]
    assert not [one for one in errors if one.code in ("sometime-literal", "unsupported")], str(both)
    return source_for(both, with_rules(now, rules))


def check_kept(case: Drawn, environment: Environment, done: bool) -> str:
    """Assert that no step broke a rule, and that what is called done is; return how it ended."""
    assert broken_by_a_step(case.belief, case.truth, environment) == [], case.seed
    if not done:
        return "not done"
    assert environment.judge(case.goal.formula).reached, case.seed
    kept = [c for rule in case.belief.rules for c in watched(rule, case.truth)]
    unkept = [c for c in kept if not environment.judge(c).reached]
    assert all(c in broken_by_others(case, environment) for c in unkept), (case.seed, list(map(str, unkept)))
    return "done"


def broken_by_others(case: Drawn, environment: Environment) -> set[Formula]:
    from groundplan.simulator.sensing.environment import _carry_out

    world = World(case.truth, tuple(c for rule in case.belief.rules for c in watched(rule, case.truth)))
    for event in environment._Environment__done:  # type: ignore[attr-defined]
        if isinstance(event, Move):
            _carry_out(event, world)
            world.memory.note(world, world.state)
        else:
            world.apply(event)
    return set(world.memory.broken)


def in_a_tree(case: Drawn) -> str:
    """Tick the reactive tree; a new plan begins with what its blackboard remembers."""

    def replan(robot: SimulatedRobot, tree: Tree) -> str:
        if robot.replans > MOST_REPLANS or (program := programs.get(tree)) is None:
            return FAILURE
        remembered = [one for one in program.rules if one.parts]
        memory = {
            one.constraint: BROKEN if (state := tree.blackboard[f"rule_{n}"]) == 3 else state
            for n, one in enumerate({c.constraint: c for c in remembered}.values())
        }
        left = dict.fromkeys(
            part for one in program.rules for part in left_of(one, memory.get(one.constraint, 0))
        )
        source = replanned(case.goal, list(left), robot.world)
        return FAILURE if source is None else ticked(source, robot)

    def ticked(source: ExportSource, robot: SimulatedRobot) -> str:
        text = write_tree(source, "reactive")
        assert check_tree(text, case.belief.pack) == ()
        assert read_tree(text) == ("reactive", source.program.steps())
        EXPORT_FORMATS["btcpp"].check({"plan.xml": text}, source, "reactive")
        tree = Tree(text, robot, replan)
        programs[tree] = source.program
        return tree.run(300)

    programs: dict[Tree, Program] = {}
    robot = SimulatedRobot(case.world())
    said = ticked(case.source, robot)
    return check_kept(case, robot.environment, said == SUCCESS)


def reported(program: Program, world: World) -> dict[Formula, bool]:
    """Return the truth of the facts of a program, and where things and the robot are."""
    pack = world.pack
    places = (pack.at, pack.mapping.robot_held.predicate, *pack.locations)
    now = [Atom(p, args) for p in places for args in world.state.facts.all(p)]
    return {a: evaluate(a, world) for a in dict.fromkeys((*program.facts(), *now)) if is_ground_atom(a)}


def under_supervision(case: Drawn, sees: float = 1.0) -> str:
    """Do what a supervisor says; it is told a share of the facts, and those that it asks for."""
    environment, source, draw = case.world(), case.source, random.Random(case.seed)
    world: Callable[[], World] = lambda: environment._Environment__world  # type: ignore[attr-defined]  # noqa: E731
    tries = 0
    for _ in range(MOST_REPLANS):
        supervisor = Supervisor(source.program)
        facts = reported(source.program, world())
        advice = supervisor.take(RobotReport(facts if sees == 1 else {}))  # type: ignore[arg-type]
        while advice.word not in ("replan", "stop"):
            tries += 1
            assert tries < 2000, case.seed
            status = None
            if advice.command is not None:
                outcome = environment.act(read_step(advice.printed, ""))
                status = "done" if outcome.done else "failed"
            looked = set(map(atom_of, advice.look_at))
            facts = reported(source.program, world())
            facts = {a: holds for a, holds in facts.items() if a in looked or draw.random() < sees}
            advice = supervisor.take(RobotReport(facts, advice.command, status))  # type: ignore[arg-type]
        if advice.word == "stop":
            return check_kept(case, environment, advice.done)
        assert "None" not in advice.reason
        again = replanned(case.goal, list(advice.rules), world())
        if again is None:
            break
        source = again
    return check_kept(case, environment, False)


def in_simulation(case: Drawn) -> str:
    """Let the monitor carry a program out in the true world; what it does before it stops breaks nothing."""
    found = deviations(case.program, case.truth)
    world = World(case.truth, tuple(c for rule in case.belief.rules for c in watched(rule, case.truth)))
    start = set(world.memory.broken)
    stopped = next((d.index for d in found if d.when == "rule"), len(case.program.commands))
    for command in case.program.commands[:stopped]:
        if isinstance(world.apply(read_step(command.printed, "")), Refusal):
            return "refused"
    assert set(world.memory.broken) == start, case.seed
    due = [c for c in world.memory.watched if c not in start and not world.happened(c)]
    assert bool(due) <= any(d.when in ("end", "rule") for d in found), case.seed
    return "forbidden" if stopped < len(case.program.commands) else "due" if due else "kept"


def check_all(seeds: range, least: int) -> Counter[str]:
    ends: Counter[str] = Counter()
    for seed in seeds:
        if (case := drawn(seed)) is None:
            ends["no plan"] += 1
            continue
        assert differences(case.program, case.belief) == () == deviations(case.program, case.belief)
        ends[f"monitor: {in_simulation(case)}"] += 1
        ends[f"supervisor: {under_supervision(case)}"] += 1
        ends[f"tree: {in_a_tree(case)}"] += 1
    assert ends["supervisor: done"] >= least and ends["tree: done"] >= least, ends
    return ends


def test_no_step_of_a_program_breaks_a_rule() -> None:
    check_all(range(10), 3)


def check_seen_in_part(seeds: range) -> Counter[str]:
    """Supervise robots that report little, in the world that they believe in, where steps fail."""
    cases = filter(None, map(drawn, seeds))
    return Counter(under_supervision(replace(case, truth=case.belief, moves=()), 0.3) for case in cases)


def test_no_step_breaks_a_rule_where_little_is_reported_and_only_steps_fail() -> None:
    ends = check_seen_in_part(range(10))
    assert ends["done"] > ends["not done"], ends


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_no_step_of_500_programs_breaks_a_rule() -> None:
    ends = check_all(range(10, 700), 300)
    print(dict(ends))
    assert sum(ends[f"monitor: {end}"] for end in ("kept", "due", "forbidden", "refused")) >= 500
