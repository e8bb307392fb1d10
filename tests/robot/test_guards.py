"""Guards of commands: where they hold, a command breaks no rule, in any world in which it can be done."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from oracles.attack import worlds
from oracles.random_worlds import RandomWorld

from groundplan import Budget, Engine, parse_goal, plan_goal
from groundplan.compiler.certificates.rules import read_rules
from groundplan.domains.errors import GoalError
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import (
    Atom,
    Formula,
    Imply,
    Not,
    TrajectoryConstraint,
    is_ground_atom,
    step_atom,
)
from groundplan.robot import Program, deviations, differences, read_program, translate
from groundplan.robot.rules.evidence import atom_of
from groundplan.robot.rules.rule import REMEMBERED, is_clear
from groundplan.robot.skill import Skill
from groundplan.simulator.belief import Belief, close_under_events
from groundplan.simulator.step import read_step
from groundplan.simulator.trajectory import after
from groundplan.simulator.verification import broken_by
from groundplan.simulator.world import Refusal, World


def atoms_of(belief: Belief, program: Program, draw: random.Random) -> list[Atom]:
    """Return atoms that rules may be about: what a plan needs and changes, and places that follow from it."""
    pack, nodes = belief.pack, belief.scene.nodes
    facts = [fact for fact in program.facts() if all(a in nodes for a in fact.args)]
    atoms = [Atom(f.predicate, f.args) for f in facts if f.predicate in pack.mapping.goal_predicates]
    things = sorted({a for fact in facts for a in fact.args if nodes[a].type == "object"})
    rooms = [n for n in nodes if nodes[n].type == "room"]
    for predicate, meaning in pack.mapping.derived.items():
        if meaning == pack.at:
            places = [fact.args[0] for fact in facts if fact.predicate == pack.at]
            atoms += [Atom(predicate, (place,)) for place in draw.choices(places or rooms, k=4)]
        elif things:
            atoms += [Atom(predicate, (draw.choice(things), draw.choice(rooms))) for _ in range(4)]
    return atoms


def drawn_rule(belief: Belief, atoms: list[Atom], draw: random.Random) -> Formula:

    def literal() -> Formula:
        atom = draw.choice(atoms)
        return Not(atom) if draw.random() < 0.4 else atom

    kind = draw.choice(("always", "always", "never-do", *REMEMBERED))
    if kind == "never-do":
        steps = [m.step for m in belief.pack.mapping.actions.values() if m.step is not None]
        step = draw.choice(steps)
        return TrajectoryConstraint(kind, (step_atom(step.predicate, step.args), literal()))
    if kind in ("always", "at-most-once"):
        body = literal() if draw.random() < 0.5 else Imply(literal(), literal())
        return TrajectoryConstraint(kind, (body,))
    return TrajectoryConstraint(kind, (literal(), literal()))


def programs(count: int, first: int) -> Iterator[tuple[RandomWorld, Belief, Program]]:
    """Yield programs under drawn rules that a plan keeps."""
    for world in worlds(count, ("household", "household-locks", "foundry"), first):
        draw = random.Random(world.seed)
        for drawn in world.goals[:3]:
            goal = parse_goal(str(drawn))
            free = plan_goal(goal, world.belief, Engine.named("pyperplan"), Budget(2))
            if not free.verified or not free.plan:
                continue
            atoms = atoms_of(world.belief, translate(free, world.belief, goal), draw)
            for _ in range(8):
                try:
                    belief = read_rules(str(drawn_rule(world.belief, atoms, draw)), world.belief)
                    result = plan_goal(goal, belief, Engine.named("pyperplan"), Budget(2))
                except GoalError:
                    continue
                if result.verified and result.plan:
                    program = translate(result, belief, goal)
                    assert read_program(json.dumps(program.as_json())) == program
                    assert deviations(program, belief) == () == differences(program, belief)
                    yield world, belief, program


def otherwise(world: World, draw: random.Random) -> World:
    """Return a world in which others, and the robot, have done whatever actions do, drawn at random."""
    pack, belief = world.pack, world.belief
    other = World(belief, (), world.state.facts.copy())
    held, free = pack.mapping.robot_held.predicate, pack.mapping.robot_free
    wanted = draw.randrange(1, 9)
    for _ in range(150):
        action = draw.choice(list(pack.domain.actions.values()))
        args = tuple(draw.choice(list(belief.members(p.type)) or [""]) for p in action.parameters)
        if not all(args) or not action.allows(args) or pack.mapping_of(action.name).navigation:
            continue
        ground = action.ground(args)
        by_robot = draw.random() < 0.3
        own = (pack.at,) if by_robot else (pack.at, held, free.predicate)
        if any(a.predicate in own for a in (*ground.add, *ground.delete)):
            continue
        lacking = [a for a in ground.precondition if not other.state.facts.holds(a.predicate, a.args)]
        if wanted and all(a.predicate == pack.at for a in lacking):
            wanted -= 1
            for atom in ground.delete:
                other.state.facts.discard(atom.predicate, atom.args)
            new = [a for a in ground.add if other.state.facts.add(a.predicate, a.args)]
            close_under_events(other.state.facts, belief, new, ground.delete)
    return other


def holds(fact: Formula, world: World) -> bool:
    atom = atom_of(fact)
    assert is_ground_atom(atom)
    return world.state.facts.holds(atom.predicate, atom.args) == (atom is fact)


def check_commands(belief: Belief, program: Program, draw: random.Random, tried: Counter[str]) -> None:
    """Do each command in worlds that are otherwise; where its guards hold it breaks nothing."""
    constraints = program.rules.constraints()
    planned = World(belief)
    for command in program.commands:
        step = read_step(command.printed, "")
        for _ in range(4):
            facts = otherwise(planned, draw).state.facts
            memory = {
                c: draw.choice((0, 0, 1, 2) if c.kind == "at-most-once" else (0, 1)) for c in constraints
            }
            memory = {c: state if c.kind in REMEMBERED else 0 for c, state in memory.items()}
            world = World(belief, constraints, facts).resumed(memory)
            asked = [fact for guard in command.guards for fact in guard.facts]
            if world.memory.broken or not all(holds(fact, world) for fact in command.expects.before):
                tried["cannot be done"] += 1
                continue
            clear = all(is_clear(c, world.memory.states[c]) for _, c in program.rules.named(command.guards))
            guarded = clear and all(holds(fact, world) for fact in asked)
            then = world.fork()
            if isinstance(then.apply(step), Refusal):
                tried["refused"] += 1
                continue
            broken = broken_by(world, then)
            tried[f"{'guarded' if guarded else 'kept back'}, {'breaks' if broken else 'keeps'}"] += 1
            assert not (guarded and broken), (str(broken[0]), command.printed)
            if guarded:
                check_passed(program, command, world, then)
        planned.apply(step)


def check_passed(program: Program, command: Skill, world: World, then: World) -> None:
    """Assert that what a command is sure to pass clears nothing that is not clear, and forgets nothing."""
    for guard in command.guards:
        for passed in guard.passes:
            one = program.rules.kept[guard.rule].constraints[passed.constraint]
            state = world.memory.states[one.constraint]
            for values in passed.values:
                state = after(one.constraint.kind, state, values)
            state = after(one.constraint.kind, state, tuple(evaluate(p, then) for p in one.parts))
            assert is_clear(one.constraint, then.memory.states[one.constraint]) or not is_clear(
                one.constraint, state
            )


def check_programs(count: int, first: int) -> Counter[str]:
    tried: Counter[str] = Counter()
    for world, belief, program in programs(count, first):
        assert not any(rule.unsaid for rule in program.rules.kept)
        tried["programs"] += 1
        check_commands(belief, program, random.Random(world.seed), tried)
    return tried


def test_a_command_whose_guards_hold_breaks_no_rule() -> None:
    tried = check_programs(3, 0)
    assert tried["guarded, keeps"] > 50, tried


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_no_command_of_many_programs_breaks_a_rule_where_its_guards_hold() -> None:
    tried = check_programs(120, 500)
    print(dict(tried))
    assert tried["kept back, breaks"] > 100, tried
