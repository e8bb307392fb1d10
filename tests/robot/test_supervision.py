"""Supervision by a program alone: no false "done", a reason for every stop, the same answers after a kill."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from disturbed import FAILURES, MOST_REPLANS, flat, goal_of, moves_in
from golds import TASKS, belief_of, engine, gold_plan

from groundplan import Budget, ground, load_pack, parse_goal, plan_goal
from groundplan.compiler.goals.goal import Goal
from groundplan.domains.errors import InputError
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import Atom, Formula, Sometime, conjunction, conjuncts, is_ground_atom
from groundplan.robot import Program, kernels_of, read_program, translate
from groundplan.robot.fact_groups import FactLaws
from groundplan.robot.rules.evidence import atom_of
from groundplan.robot.supervision import Advice, RobotReport, SupervisionLog, Supervisor, read_report
from groundplan.simulator.sensing.environment import Environment
from groundplan.simulator.sensing.snapshot import scene_now
from groundplan.simulator.step import read_step
from groundplan.simulator.world import World


@cache
def program_of(task_id: str) -> Program:
    return translate(gold_plan(task_id), belief_of(task_id), goal_of(task_id))


class Robot:
    """A robot in a hidden world that reports what it did, and the facts that it can see."""

    def __init__(self, environment: Environment, sees: float, seed: int) -> None:
        self.environment, self.sees, self.draw = environment, sees, random.Random(seed)

    @property
    def world(self) -> World:
        world: World = self.environment._Environment__world  # type: ignore[attr-defined]
        return world

    def facts(self, program: Program, always: tuple[Formula, ...]) -> dict[Formula, bool]:
        """Return the truth of the facts of a program: those asked for, and a share of all others."""
        kernels = kernels_of(program)
        asked = dict.fromkeys(map(atom_of, always))
        every = {atom_of(f) for k in kernels.steps for f in (*k.before, *k.brings)}
        every |= set(map(atom_of, kernels.goal))
        atoms = [a for a in sorted(every, key=str) if not isinstance(a, Sometime)]
        seen = [a for a in atoms if a in asked or self.draw.random() < self.sees]
        return {atom: evaluate(atom, self.world) for atom in seen}

    def do(self, program: Program, advice: Advice) -> RobotReport:
        status = reason = None
        if advice.command is not None:
            outcome = self.environment.act(read_step(advice.printed, ""))
            status, reason = ("done" if outcome.done else "failed"), outcome.message
        facts = self.facts(program, advice.look_at)
        return RobotReport(facts, advice.command, status, reason or "")  # type: ignore[arg-type]


def supervised(program: Program, robot: Robot, reports: list[RobotReport] | None = None) -> Advice:
    """Carry a program out under supervision until there is nothing more to say."""
    supervisor = Supervisor(program)
    report = RobotReport(robot.facts(program, ()))
    for _ in range(2000):
        if reports is not None:
            reports.append(report)
        advice = supervisor.take(report)
        assert advice.reason and "None" not in advice.reason
        if advice.word in ("replan", "stop"):
            return advice
        report = robot.do(program, advice)
    raise AssertionError("it goes on for ever")


def replanned(goal: Goal, robot: Robot) -> Program | None:
    """Return the program of a new plan from the state that there is now."""
    left = [
        part
        for part in conjuncts(goal.formula)
        if not isinstance(part, Sometime) or not robot.environment.judge(part).reached
    ]
    remaining = parse_goal(str(conjunction(left)))
    belief = ground(scene_now(robot.world), robot.world.pack)
    result = plan_goal(remaining, belief, engine("pyperplan"), Budget(20))
    return translate(result, belief, remaining) if result.verified else None


def episode_of(task_id: str, seed: int, sees: float) -> str:
    belief, goal = belief_of(task_id), goal_of(task_id)
    moves = moves_in(belief, goal, len(gold_plan(task_id).steps), random.Random(seed))
    robot = Robot(Environment(belief, failure=FAILURES, moves=moves, seed=seed), sees, seed)
    program: Program | None = program_of(task_id)
    for _ in range(MOST_REPLANS):
        assert program is not None
        advice = supervised(program, robot)
        if advice.word == "stop":
            reached = robot.environment.judge(goal.formula).reached
            assert reached or not advice.done, f"false done: {task_id} {seed}"
            return "done" if advice.done else "stopped"
        program = replanned(goal, robot)
        if program is None:
            return "no plan"
    return "gave up"


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.id)
def test_a_plan_is_done_without_a_word_where_nothing_goes_wrong(task) -> None:
    program = program_of(task.id)
    robot = Robot(Environment(belief_of(task.id)), 1.0, 0)
    reports: list[RobotReport] = []
    advice = supervised(program, robot, reports)
    assert advice.done and robot.environment.judge(goal_of(task.id).formula).reached
    done = [r.command for r in reports if r.command is not None]
    assert done == [c.step for c in program.commands]


@pytest.mark.parametrize("sees", [1.0, 0.5, 0.0])
def test_nothing_is_done_falsely_where_skills_fail_and_things_are_moved(sees: float) -> None:
    ends = Counter(episode_of(task.id, seed, sees) for task in TASKS[::4] for seed in range(3))
    assert ends["done"] >= 0.9 * ends.total(), ends


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_1000_episodes_with_failing_skills_and_moved_things() -> None:
    for sees, seeds in ((1.0, range(20)), (0.3, range(20, 34))):
        ends = Counter(episode_of(task.id, seed, sees) for task in TASKS for seed in seeds)
        print(sees, dict(ends))
        assert ends["done"] >= 0.9 * ends.total()


HEAT = "(and (hot noodles) (turned_off microwave))"


@cache
def heating() -> Program:
    goal, belief = parse_goal(HEAT), belief_of(TASKS[0].id)
    return translate(plan_goal(goal, belief, engine("pyperplan"), Budget(30)), belief, goal)


def told(supervisor: Supervisor, *reports: dict[str, object]) -> list[Advice]:
    return [supervisor.take(read_report(report, "report")) for report in reports]


def done(program: Program, *, but: int | None = None) -> list[dict[str, object]]:
    return [{"command": c.step, "status": "done"} for c in program.commands if c.step != but]


def test_a_fault_is_answered_by_what_mends_it() -> None:
    program = heating()
    pick = next(c.step for c in program.commands if c.skill == "pick")
    opened = next(c.step for c in program.commands if c.printed == "open(fridge)")
    supervisor = Supervisor(program)
    *_, last = told(supervisor, *done(program)[:pick])
    assert (last.word, last.command) == ("continue", pick)
    (shut,) = told(supervisor, {"facts": {"(closed fridge)": True}})
    assert (shut.word, shut.command) == (
        "continue",
        opened,
    ) and shut.reason == "open(fridge) is due again: it was undone"
    (again,) = told(supervisor, {"command": opened, "status": "failed", "reason": "stuck"})
    assert (again.word, again.command, again.reason) == ("retry", opened, "open(fridge) failed: stuck")
    told(supervisor, {"command": opened, "status": "failed"})
    (enough,) = told(supervisor, {"command": opened, "status": "failed"})
    assert enough.word == "replan" and enough.reason == "open(fridge) failed; that was try 3 of 3"
    assert "(not (open fridge))" in map(str, enough.facts)
    assert told(supervisor, {})[0] is enough, "there is no other answer"


@pytest.mark.parametrize("seen", [{"(open fridge)": True}, {"(closed fridge)": False}])
def test_a_fridge_that_is_seen_open_is_not_believed_closed(seen: dict[str, bool]) -> None:
    """What excludes a fact, or leaves it alone, is proved of the pack; the program has it."""
    program = heating()
    opened = next(c.step for c in program.commands if c.printed == "open(fridge)")
    supervisor = Supervisor(read_program(json.dumps(program.as_json())))
    *_, due = told(supervisor, *done(program)[:opened])
    assert due.printed == "open(fridge)"
    (skipped,) = told(supervisor, {"facts": seen})
    assert (skipped.word, skipped.command) == ("continue", opened + 1), "what holds already is skipped"
    assert "(unclosed fridge)" not in map(str, skipped.look_at), "it was seen with the door"


def test_where_the_robot_is_seen_it_is_nowhere_else() -> None:
    supervisor = Supervisor(heating())
    (advice,) = told(supervisor, {"facts": {"(stands_at somewhere_else)": True}})
    assert advice.word == "replan" and "rests on (stands_at" in advice.reason
    known = set(map(str, advice.facts))
    assert "(stands_at somewhere_else)" in known
    assert not [fact for fact in known if fact.startswith("(stands_at") and "somewhere_else" not in fact]


def test_an_effect_that_another_fact_rules_out_is_missing() -> None:
    program = heating()
    opened = next(c.step for c in program.commands if c.printed == "open(fridge)")
    supervisor = Supervisor(program)
    told(supervisor, *done(program)[:opened])
    (advice,) = told(supervisor, {"command": opened, "status": "done", "facts": {"(closed fridge)": True}})
    assert advice.word == "retry" and "(not (closed fridge)) does not hold" in advice.reason


@pytest.mark.parametrize(
    "facts",
    [
        {"(open fridge)": True, "(closed fridge)": True},
        {"(open fridge)": False, "(closed fridge)": False},
        {"(open fridge)": True, "(unclosed fridge)": False},
        {"(stands_at fridge)": True, "(stands_at microwave)": True},
        {"(holding noodles)": True, "(hand_free)": True},
        {"(holding noodles)": True, "(inside_of noodles fridge)": True},
    ],
)
def test_a_report_of_facts_that_exclude_each_other_is_refused(facts: dict[str, bool]) -> None:
    supervisor = Supervisor(heating())
    with pytest.raises(InputError, match=r"facts of one state of the world, got .* beside "):
        told(supervisor, {"facts": facts})
    assert supervisor.count == 0


def test_what_follows_from_what_is_seen_is_true_in_every_state() -> None:
    """Random actions from a scene: whatever share of the facts is seen, what follows of them holds."""
    followed = 0
    for seed in range(40):
        task, draw = TASKS[seed % len(TASKS)], random.Random(seed)
        program, world = program_of(task.id), World(belief_of(task.id))
        laws = FactLaws(program.exclusive, program.facts())
        for command in program.commands[: draw.randrange(len(program.commands) + 1)]:
            world.apply(read_step(command.printed, ""))
        every = dict.fromkeys(fact for fact in program.facts() if fact.predicate in world.pack.fluents)
        seen = {fact: evaluate(fact, world) for fact in draw.sample(list(every), len(every) // 3)}
        truth, clash = laws.follow(seen)
        assert clash is None and {f: evaluate(f, world) for f in truth} == truth
        followed += len(truth) - len(seen)
    assert followed > 150


def test_what_is_done_and_does_not_show_is_tried_again() -> None:
    program = heating()
    opened = next(c.step for c in program.commands if c.printed == "open(fridge)")
    supervisor = Supervisor(program)
    told(supervisor, *done(program)[:opened])
    said = {"command": opened, "status": "done", "facts": {"(open fridge)": False}}
    (advice,) = told(supervisor, said)
    assert advice.word == "retry" and advice.reason == "open(fridge) is done, but (open fridge) does not hold"


def test_what_no_command_brings_about_needs_a_new_plan() -> None:
    supervisor = Supervisor(heating())
    (advice,) = told(supervisor, {"facts": {"(inside_of noodles fridge)": False}})
    assert advice.word == "replan"
    assert "rests on (inside_of noodles fridge), which does not hold, and no command" in advice.reason


def test_what_happens_by_itself_is_waited_for_and_what_nobody_saw_is_not_done() -> None:
    program = heating()
    on = next(c.step for c in program.commands if c.skill == "switch_on")
    supervisor = Supervisor(program)
    *_, waiting = told(supervisor, *done(program)[: on + 1])
    assert waiting.reason == "wait until noodles is hot" and list(map(str, waiting.wait_for)) == [
        "(hot noodles)"
    ]
    (off,) = told(supervisor, {"facts": {"(hot noodles)": True}})
    assert off.printed == "turn_off(microwave)"
    (look,) = told(supervisor, {"command": off.command, "status": "done"})
    assert look.word == "continue" and not look.done
    assert sorted(map(str, look.look_at)) == ["(hot noodles)", "(turned_off microwave)"]
    (half,) = told(supervisor, {"facts": {"(turned_off microwave)": True}})
    assert list(map(str, half.look_at)) == ["(hot noodles)"]
    (end,) = told(supervisor, {"facts": {"(hot noodles)": True}})
    assert end.word == "stop" and end.done


def test_what_holds_already_is_skipped() -> None:
    program = heating()
    off = program.commands[-1]
    at = {"(hot noodles)": True, "(turned_on microwave)": True, "(turned_off microwave)": False}
    (advice,) = told(Supervisor(program), {"facts": {**at, "(stands_at microwave)": True}})
    assert (advice.command, advice.printed) == (off.step, "turn_off(microwave)")
    (end,) = told(Supervisor(program), {"facts": {"(hot noodles)": True, "(turned_off microwave)": True}})
    assert end.done


def test_what_had_to_be_on_the_way_has_to_be_seen() -> None:
    goal, belief = parse_goal("(and (sometime (holding cup)) (robot_at hall))"), flat()
    program = translate(plan_goal(goal, belief, engine("pyperplan")), belief, goal)
    blind, seeing = Supervisor(program), Supervisor(program)
    told(blind, *done(program))
    (advice,) = told(blind, {"facts": {"(stands_at hall)": True}})
    assert (
        advice.word == "stop" and not advice.done and "nobody saw (sometime (holding cup))" in advice.reason
    )
    for report in done(program):
        took = program.commands[int(str(report["command"]))].skill == "pick"
        told(seeing, report | ({"facts": {"(holding cup)": True}} if took else {}))
    (advice,) = told(seeing, {"facts": {"(stands_at hall)": True}})
    assert advice.done


def test_a_robot_that_gives_up_and_one_that_never_ends_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    (advice,) = told(Supervisor(heating()), {"command": 0, "status": "aborted", "reason": "battery"})
    assert (advice.word, advice.reason) == ("stop", "the robot gave up: battery")
    monkeypatch.setattr("groundplan.robot.supervision.supervisor.MAX_REPORTS", 5)
    *_, last = told(Supervisor(heating()), *[{}] * 5)
    assert last.word == "stop" and "5 reports" in last.reason
    supervisor = Supervisor(heating())
    undone = {"command": 0, "status": "done", "facts": {"(stands_at pose13)": True}}
    back = {"facts": {"(stands_at pose13)": False, "(stands_at pose8)": True}}
    monkeypatch.undo()
    words = [a.word for a in told(supervisor, *[undone, back] * 30)]
    assert words[-1] == "replan" and words.index("replan") < 50, (
        "what is undone for ever is not done for ever"
    )


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ([], "an object with facts, command, status, reason"),
        ({"fact": {}}, "an object with facts"),
        ({"facts": []}, "facts: expected an object"),
        ({"facts": {"open": True}}, "report: facts"),
        ({"facts": {"(open ?x)": True}}, '"\\(open fridge\\)": true or false'),
        ({"facts": {"(open fridge)": 1}}, "true or false"),
        ({"facts": {"(not (open fridge))": True}}, "true or false"),
        ({"command": 1}, "command and status together"),
        ({"command": True, "status": "done"}, "the index of a command"),
        ({"command": 0, "status": "ok"}, "done or failed or aborted"),
        ({"command": 0, "status": "done", "reason": 3}, "reason: expected a text"),
        ({"command": 99, "status": "done"}, "the index of one of"),
        ({"command": -1, "status": "done"}, "the index of one of"),
    ],
)
def test_what_is_no_report_is_refused_and_changes_nothing(raw: object, said: str) -> None:
    supervisor = Supervisor(heating())
    with pytest.raises(InputError, match=said):
        supervisor.take(read_report(raw, "report"))
    assert supervisor.count == 0 and supervisor.last is None


def test_a_program_without_a_goal_is_not_supervised() -> None:
    program = translate(gold_plan(TASKS[0].id), belief_of(TASKS[0].id))
    with pytest.raises(InputError, match="give the goal with --goal"):
        Supervisor(program)
    with pytest.raises(InputError, match="plan again"):
        Supervisor(read_program('{"format": "groundplan-program", "goal": ["(open x)"], "commands": []}'))


# The log


def scripted(seed: int) -> tuple[Program, list[RobotReport]]:
    """Return a program, and the reports of an episode on it with failures and moves."""
    task = TASKS[seed % len(TASKS)]
    belief, goal = belief_of(task.id), goal_of(task.id)
    moves = moves_in(belief, goal, len(gold_plan(task.id).steps), random.Random(seed))
    robot = Robot(Environment(belief, failure=FAILURES, moves=moves, seed=seed), 0.6, seed)
    reports: list[RobotReport] = []
    supervised(program_of(task.id), robot, reports)
    return program_of(task.id), reports


def answers(
    program: Program, reports: list[RobotReport], path: Path, resume: bool = False
) -> Iterator[Advice]:
    with SupervisionLog(path, program, resume) as log:
        for report in reports[log.count :]:
            yield log.take(report)


def test_a_log_cut_at_any_byte_goes_on_with_the_same_answers(tmp_path: Path) -> None:
    program, reports = scripted(3)
    reports = reports[:6]
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    expected = list(answers(program, reports, whole))
    data = whole.read_bytes()
    first = data.index(b"\n") + 1  # which is written whole or not at all
    places = [*range(first, first + 60), *range(first, len(data), 97), len(data) - 1, len(data)]
    for place in places:
        cut.write_bytes(data[:place])
        resumed = list(answers(program, reports, cut, resume=True))
        assert resumed == expected[len(expected) - len(resumed) :], place
        assert cut.read_bytes() == data, place


def test_a_log_of_another_program_or_that_was_changed_is_refused(tmp_path: Path) -> None:
    program, reports = scripted(3)
    log = tmp_path / "log.jsonl"
    list(answers(program, reports[:4], log))
    with pytest.raises(InputError, match=r"the log of this program, with the program [0-9a-f]{64}, got"):
        SupervisionLog(log, heating(), resume=True)
    elsewhere = replace(program, scene="another house")
    with pytest.raises(InputError, match=f"with the scene another house, got {program.scene}"):
        SupervisionLog(log, elsewhere, resume=True)
    with pytest.raises(InputError, match="with the scene_hash 0000"):
        SupervisionLog(log, replace(program, scene_hash="0" * 64), resume=True)
    with pytest.raises(InputError, match=re.escape("with the limits {'tries': 7}, got {}")):
        SupervisionLog(log, program, resume=True, tries=7)
    with pytest.raises(InputError, match="a new file"):
        SupervisionLog(log, program)
    text = log.read_text(encoding="ascii")
    log.write_text(text.replace("is due", "is overdue", 1), encoding="ascii")
    with pytest.raises(InputError, match="the answer that follows from the reports"):
        SupervisionLog(log, program, resume=True)
    log.write_text(text + "a note of mine\n", encoding="ascii")
    with pytest.raises(InputError):
        SupervisionLog(log, program, resume=True)
    assert log.read_text(encoding="ascii").endswith("a note of mine\n")
    with pytest.raises(InputError):
        SupervisionLog(tmp_path / "none", program, resume=True)


def note(got: dict[int, str], line: str) -> None:
    """Keep an answer under its number, where the whole line came."""
    if line.endswith("\n"):
        answer = json.loads(line)
        number = answer.pop("report")
        got[number] = json.dumps(answer)


def killed_and_resumed(seed: int, folder: Path) -> None:
    """Kill a monitor at a random moment of its reports, go on, and compare all answers."""
    program, reports = scripted(seed)
    file, log = folder / f"program{seed}.json", folder / f"log{seed}.jsonl"
    file.write_text(json.dumps(program.as_json()), encoding="utf-8")
    expected = [json.dumps(a.as_json()) for a in answers(program, reports, folder / f"whole{seed}.jsonl")]
    draw, got = random.Random(seed), dict[int, str]()
    command = [sys.executable, "-m", "groundplan", "monitor", str(file), "--log", str(log)]
    for part in ([], ["--resume"]):
        count = max(got, default=0)
        lines = [json.dumps(r.as_json()) for r in reports[count:]]
        stop = draw.randrange(len(lines) + 1) if not part else len(lines)
        with subprocess.Popen(
            [*command, *part], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            if part:
                note(got, process.stdout.readline())
                lines = [json.dumps(r.as_json()) for r in reports[max(got) :]]
                process.stdin.write("".join(f"{line}\n" for line in lines))
            else:
                process.stdin.write("".join(f"{line}\n" for line in lines[: max(stop, 1)]))
                process.stdin.flush()
                note(got, process.stdout.readline())
                process.send_signal(signal.SIGKILL)
            if part:
                process.stdin.close()
            for line in process.stdout:
                note(got, line)
    assert {n: expected[n - 1] for n in got} == got
    assert max(got) == len(expected)


def test_a_monitor_that_is_killed_goes_on_with_the_same_answers(tmp_path: Path) -> None:
    for seed in range(3):
        killed_and_resumed(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_monitor_is_killed_at_100_moments(tmp_path: Path) -> None:
    for seed in range(100):
        killed_and_resumed(seed, tmp_path)


@pytest.mark.parametrize("name", ['a"b', "line\nbreak", "(goal) ?x", "{cup}", "中文", "a b"])
def test_whatever_things_are_called_reports_are_read(name: str) -> None:
    scene = flat().scene
    nodes = {n.id: n for n in scene.nodes.values() if n.id != "cup"}
    nodes[name] = replace(scene.nodes["cup"], id=name)
    belief = ground(replace(scene, nodes=nodes), load_pack())
    goal = parse_goal(str(Atom("ontop_of", (name, "table"))))
    program = read_program(
        json.dumps(translate(plan_goal(goal, belief, engine("pyperplan")), belief, goal).as_json())
    )
    robot, supervisor = Robot(Environment(belief), 1.0, 0), Supervisor(program)
    report = RobotReport(robot.facts(program, ()))
    for _ in range(50):
        advice = supervisor.take(read_report(json.loads(json.dumps(report.as_json())), "report"))
        if advice.word == "stop":
            break
        report = robot.do(program, advice)
    assert advice.done and robot.environment.judge(goal.formula).reached


def test_whatever_is_reported_is_answered_and_done_only_of_what_was_observed() -> None:
    """Reports drawn at random: commands out of order, facts that contradict each other, facts of nobody."""
    ends: Counter[str] = Counter()
    for seed in range(300):
        draw = random.Random(seed)
        program = program_of(TASKS[seed % len(TASKS)].id)
        kernels = kernels_of(program)
        every = [atom_of(f) for k in kernels.steps for f in (*k.before, *k.brings)]
        atoms = [a for a in (*every, *map(atom_of, kernels.goal)) if isinstance(a, Atom)]
        supervisor, since = Supervisor(program), dict[Formula, bool]()
        for _ in range(60):
            facts = {a: draw.random() < 0.7 for a in draw.sample(atoms, min(len(atoms), draw.randrange(8)))}
            if draw.random() < 0.3:
                facts[Atom("unheard_of", ("thing",))] = True
            command = draw.randrange(len(program.commands)) if draw.random() < 0.6 else None
            status = draw.choice(("done", "failed")) if command is not None else None
            report = RobotReport(facts, command, status)  # type: ignore[arg-type]
            followed, clash = FactLaws(program.exclusive, program.facts()).follow(facts)
            if clash is not None:
                with pytest.raises(InputError, match="of one state of the world"):
                    supervisor.take(report)
                continue
            since = {**(since if command is None else {}), **followed}
            advice = supervisor.take(read_report(json.loads(json.dumps(report.as_json())), "report"))
            assert advice.reason and advice.word in ("continue", "retry", "replan", "stop")
            if advice.word in ("replan", "stop"):
                break
        ends[f"{advice.word} {advice.done}"] += 1
        known = {atom_of(f): atom_of(f) is f for f in advice.facts}
        laws = FactLaws(program.exclusive, program.facts())
        assert laws.follow({f: holds for f, holds in known.items() if is_ground_atom(f)})[1] is None
        if advice.done:
            literals = [f for f in kernels.goal if not isinstance(f, Sometime)]
            assert all(since.get(atom_of(f)) == (atom_of(f) == f) for f in literals)
    assert ends["replan False"] and ends["stop True"], ends
