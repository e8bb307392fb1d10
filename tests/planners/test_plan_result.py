"""The one answer of planning: it cannot contradict itself, is made once, and is contained in the record."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from groundplan.compiler.certificates import Certificate
from groundplan.compiler.goals import checker
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.problem import Problem, build
from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import load_scene
from groundplan.domains.action import PlanAction
from groundplan.domains.ending import Ending
from groundplan.domains.pack import load_pack
from groundplan.engines import engine as engine_module
from groundplan.engines.engine import Engine
from groundplan.engines.result import NOT_PLANNED, UNVERIFIED, Assembly, PlanResult
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.pipeline.events import Checked, Event, GoalWritten, Planned, SearchDone
from groundplan.pipeline.hybrid import Request, run
from groundplan.pipeline.record import Record
from groundplan.planners import classical, verdict
from groundplan.planners.subgoals import solving
from groundplan.robot.program import translate
from groundplan.simulator import printing
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.step import Step
from groundplan.simulator.verification import Verification

PACK = load_pack()
SOLVED, UNSOLVABLE = Ending.SOLVED, Ending.UNSOLVABLE
ACCEPTED = Verification(True, True, (), (), 0)


def long_12() -> tuple[Belief, Request]:
    """A goal of six parts."""
    task = next(t for t in load_set("office-planning-long") if t.id == "office-planning-long-12")
    belief = ground(task.load(), PACK)
    return belief, Request(belief, goal=parse_goal(task.gold.goal))


@pytest.mark.parametrize(
    "fields",
    [
        {"ending": SOLVED},
        {"ending": Ending.NOT_FOUND, "plan": ()},
        {"ending": UNSOLVABLE},
        {"ending": UNSOLVABLE, "proof": ""},
        {"ending": UNSOLVABLE, "plan": (), "proof": "exhausted search"},
        {"ending": Ending.TIMED_OUT, "proof": "exhausted search"},
        {"ending": SOLVED, "plan": (), "proof": "exhausted search"},
        {"ending": SOLVED, "plan": (), "cost_mm": 3, "bound_mm": 4},
        {"ending": Ending.NOT_FOUND, "cost_mm": 3},
        {"ending": Ending.NOT_FOUND, "printed": ((0, Step("goto", ("hall",))),)},
        {"ending": Ending.NOT_FOUND, "verification": ACCEPTED},
    ],
    ids=str,
)
def test_a_result_cannot_contradict_itself(fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"plan|proof"):
        PlanResult(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cost", "bound", "optimal"), [(3, 3, True), (3, 2, False), (3, None, False), (None, 3, False)]
)
def test_a_plan_is_optimal_if_and_only_if_its_bound_is_its_cost(
    cost: int | None, bound: int | None, optimal: bool
) -> None:
    assert PlanResult(SOLVED, (), cost, bound).optimal is optimal


def test_no_later_stage_can_break_a_result() -> None:
    solved = PlanResult(SOLVED, (PlanAction("open", ("fridge",)),), 100, 100)
    for change in ({"plan": None}, {"ending": Ending.CRASHED}, {"proof": "no"}, {"bound_mm": 101}):
        with pytest.raises(ValueError, match=r"plan|proof"):
            replace(solved, **change)  # type: ignore[arg-type]


CERTIFICATE = Certificate("facts", "(or)", "", "")


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        (PlanResult(SOLVED, (), verification=ACCEPTED), "verified"),
        (PlanResult(SOLVED, ()), "rejected"),
        (PlanResult(Ending.NOT_FOUND, domain_fault=True), "rejected"),
        (PlanResult(Ending.NOT_FOUND), "not-found"),
        (PlanResult(UNSOLVABLE, proof="fixed facts", certificate=CERTIFICATE), "unsolvable"),
    ],
)
def test_a_record_is_verified_if_and_only_if_its_plan_is(result: PlanResult, outcome: str) -> None:
    assert result.outcome == outcome
    assert Record(outcome, planning=result).planning is result
    other = "not-found" if outcome == "verified" else "verified"
    with pytest.raises(ValueError, match="verified"):
        Record(other, planning=result)


def test_nothing_is_called_unsolvable_without_a_certificate() -> None:
    with pytest.raises(ValueError, match="without a certificate"):
        Record("unsolvable", planning=PlanResult(UNSOLVABLE, proof="the word of an engine"))
    with pytest.raises(ValueError, match="certificate"):
        PlanResult(Ending.NOT_FOUND, certificate=CERTIFICATE)


def test_the_json_of_a_run_without_a_plan() -> None:
    written = Record("goal-error", failures=("no such node",)).as_json()
    assert NOT_PLANNED.verification == UNVERIFIED and NOT_PLANNED.assembly == Assembly()
    assert (written["plan"], written["actions"], written["errands"]) == ([], [], [])
    assert (written["cost"], written["bound"], written["optimal"], written["metres"]) == (
        None,
        None,
        False,
        0,
    )
    assert (written["executable"], written["verified"], written["violations"]) == (False, False, [])
    assert (written["mode"], written["why"], written["proof"]) == ("", "", None)
    assert (written["reproducible"], written["reasons"]) == (True, ["no such node"])


def test_every_part_of_a_goal_is_built_rendered_and_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    builds, renderings = 0, 0
    render = engine_module.render

    def counted_build(*args: object, **options: object) -> Problem:
        nonlocal builds
        builds += 1
        return build(*args, **options)  # type: ignore[arg-type]

    def counted_render(problem: Problem, costs: bool = True) -> object:
        nonlocal renderings
        renderings += 1
        return render(problem, costs)

    monkeypatch.setattr(solving, "build", counted_build)
    monkeypatch.setattr(engine_module, "render", counted_render)
    _, request = long_12()
    engine = Engine.named("pyperplan")
    record = run(request, engine)
    assert record.verified and record.planning.assembly.mode == "split"
    parts = len(record.planning.assembly.subgoals)
    assert (parts, builds, renderings, engine.calls) == (6, 6, 6, 6)


def test_branches_are_built_and_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    goals: list[object] = []

    def counted_build(goal: object, *args: object, **options: object) -> Problem:
        goals.append(goal)
        return build(goal, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(solving, "build", counted_build)
    belief = ground(load_scene("office"), PACK)
    goal = parse_goal("(exists (?a - apple) (ontop_of ?a table1))")
    engine = Engine.named("pyperplan")
    assert classical.plan_goal(goal, belief, engine).verified
    assert len(goals) == len(set(goals)) == engine.calls > 1


def test_a_plan_is_printed_once_and_its_goal_normalised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"printed": 0, "normalised": 0}
    steps_with_sources, expanded = printing.steps_with_sources, checker.expanded

    def counted_printing(*args: object) -> object:
        counts["printed"] += 1
        return steps_with_sources(*args)  # type: ignore[arg-type]

    def counted_expansion(*args: object) -> object:
        counts["normalised"] += 1
        return expanded(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(verdict, "steps_with_sources", counted_printing)
    monkeypatch.setattr(printing, "steps_with_sources", counted_printing)
    monkeypatch.setattr(checker, "expanded", counted_expansion)
    for module in (classical, verdict):
        monkeypatch.setattr(module, "expanded", counted_expansion)
    belief, request = long_12()
    record = run(request, Engine.named("pyperplan"))
    program = translate(record.planning, belief, request.goal)
    assert [c.printed for c in program.commands] == [str(s) for s in record.plan]
    assert counts == {"printed": 1, "normalised": 1}


def test_a_listener_gets_an_event_for_every_stage_in_order() -> None:
    belief, request = long_12()
    written = "(exists (?a - apple) (inside_of ?a unicorn7))", str(request.goal)
    model = ScriptedModel.of(*(_expand(room) for room in belief.scene.by_type["room"]), _end(), *written)
    events: list[Event] = []
    read = Request(belief, "Make it so")
    record = run(
        read,
        Engine.named("pyperplan"),
        ModelReader(model, PACK, search_protocol="dialogue"),
        listener=events.append,
    )
    assert record.verified
    assert [type(e) for e in events] == [SearchDone, GoalWritten, Checked, GoalWritten, Checked, Planned]
    planned = events[-1]
    assert isinstance(planned, Planned) and planned.result is record.planning


def _expand(room: str) -> str:
    return json.dumps({"move": {"chain_of_thought": "", "command": "expand", "node": room}})


def _end() -> str:
    return json.dumps({"move": {"chain_of_thought": "", "command": "terminate", "node": ""}})


def test_every_command_says_which_part_of_the_goal_it_serves() -> None:
    belief = ground(load_scene("office"), PACK)
    for text in (
        "(in_room apple1 kitchen)",  # true as soon as it is carried there; then it is put down
        "(and (open fridge) (sometime (holding banana2)) (robot_at kitchen))",
        "(and (sometime (robot_at lobby)) (robot_at kitchen))",
    ):
        goal = parse_goal(text)
        result = classical.plan_goal(goal, belief, Engine.named("pyperplan"))
        commands = translate(result, belief, goal).commands
        assert commands and all(c.serves is not None and c.serves < 3 for c in commands)
        assert all(c.serves is None for c in translate(result, belief).commands)
