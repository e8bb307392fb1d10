"""Repair: a model may err in every way the papers list and still end verified; it may never change more than
the goal, ask for less than before, or go on for ever.
"""

from __future__ import annotations

import json

import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.library import load_set
from groundplan.datasets.task import Task
from groundplan.domains.formula import names
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.model import ChatRequest, ServiceError
from groundplan.language.chat.servers.scripted import ScriptedModel, ScriptedReply
from groundplan.pipeline.hybrid import MAX_REPAIRS, Request, run
from groundplan.pipeline.record import Record
from groundplan.pipeline.settling import SO_ALREADY
from groundplan.simulator.belief import ground
from groundplan.simulator.view import View

TASKS = load_set("office-planning")
EACH = [pytest.param(n, marks=pytest.mark.slow if n % 5 else (), id=t.id) for n, t in enumerate(TASKS)]
"""Numbers of tasks, by day of each fifth: all kinds of what goes wrong are among them."""
ENGINE = Engine.named("pyperplan")


NEVER = "(dirty desk1)"
"""What nothing brings about, so that a goal with it is turned down."""


def move(command: str, node: str = "") -> str:
    return json.dumps({"move": {"chain_of_thought": "…", "command": command, "node": node}})


def rooms_of(task: Task) -> list[str]:
    """The rooms that a search has to open so that everything the gold goal speaks of is shown."""
    scene = task.load()
    return [r for r in scene.by_type["room"] if scene.children.get(r)]


def needed_room(task: Task) -> str | None:
    """A room that has to be opened for the gold goal, if that names anything that is not shown at first."""
    scene = task.load()
    hidden = {n.id for n in scene.nodes.values()} - View.first(scene).ids
    rooms = [scene.room_of(n) for n in names(parse_goal(task.gold.goal).formula) if n in hidden]
    return rooms[0] if rooms else None


def told(task: Task, *goals: ScriptedReply, overlooked: str = "") -> tuple[Record, ScriptedModel]:
    """Run a task with a model that opens every furnished room but one, and then answers with goals."""
    belief = ground(task.load(), load_pack())
    opened = [move("expand", r) for r in rooms_of(task) if r != overlooked]
    model = ScriptedModel.of(*opened, move("terminate"), *goals)
    reader = ModelReader(model, belief.pack, search_protocol="dialogue")
    return run(Request(belief, task.instruction, task=task.id), ENGINE, reader), model


@pytest.mark.parametrize("number", EACH)
def test_every_task_is_verified_after_one_error_of_each_kind(number: int) -> None:
    task = TASKS[number]
    gold = task.gold.goal
    room = needed_room(task)
    record, model = told(
        task,
        # an incomplete search: the goal names what was never opened, or the model misses something
        gold if room is not None else '(missing "a fridge")',
        move("expand", room or "kitchen"),
        move("terminate"),
        "goto(kitchen), access(fridge), open(fridge)",  # a plan instead of a goal
        f"(and {gold} (inside_of unicorn7 fridge))",  # an invented node
        f"(and {gold} (closed chair2))",  # a wrong action: what the thing does not afford
        f"(and {gold} (turned_on fridge))",  # a step that is missing from the world
        gold,
        overlooked=room or "kitchen",
    )
    assert record.outcome == "verified", record.reasons
    assert [bool(r.feedback) for r in record.goals] == [True] * 5 + [False]
    assert [r.reopened for r in record.goals] == [True] + [False] * 5
    assert ("never opened" if room is not None else "a fridge") in record.goals[0].feedback[0]
    assert "unicorn7" in record.goals[2].feedback[0]
    assert record.hashes["belief_before"] == record.hashes["belief_after"]
    assert record.hashes["pack_before"] == record.hashes["pack_after"]
    # Every repair was asked with the feedback on what came before.
    repairs = [r for r in model.history if r.purpose == "repair"]
    assert len(repairs) == 4
    assert "unicorn7" in repairs[1].messages[1].content


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        (["(inside_of unicorn7 fridge)"] * 10, "goal-error"),
        (["no idea"] * 10, "goal-error"),
        ([f"(and (turned_on microwave) (open microwave) (hot {n}))" for n in ("bread",) * 9], "unsolvable"),
    ],
)
def test_a_model_that_never_improves_ends_within_its_budget(answers: list[str], outcome: str) -> None:
    record, model = told(TASKS[1], *answers)
    assert record.outcome == outcome
    assert not record.plan
    # The same wrong goal twice ends the run at once.
    assert len(record.goals) == 2
    assert len([r for r in model.history if r.purpose in ("goal", "repair")]) == 2


def test_every_round_says_what_changed_and_what_it_cost() -> None:
    record, _ = told(
        TASKS[1],
        "(and (open unicorn7) (turned_on microwave))",
        "(and (open unicorn7) (inside_of orange1 fridge))",
        "no idea",
        TASKS[1].gold.goal,
    )
    rounds = [r.as_json() for r in record.goals]
    assert [r["diff"] for r in rounds[:3]] == [
        {"added": [], "dropped": []},
        {"added": ["(inside_of orange1 fridge)"], "dropped": ["(turned_on microwave)"]},
        {"added": [], "dropped": []},
    ]
    assert all(r["tokens"] for r in rounds)
    assert all(r["feedback"] for r in rounds[:-1])


def test_a_goal_that_a_reader_never_got_right_is_no_bad_input() -> None:
    record, _ = told(TASKS[1], *["(inside_of unicorn7 fridge)"] * 10)
    assert (record.outcome, record.exit_code) == ("goal-error", 3)
    belief = ground(TASKS[1].load(), load_pack())
    record = run(Request(belief, goal=parse_goal("(inside_of unicorn7 fridge)")), ENGINE)
    assert (record.outcome, record.exit_code) == ("goal-error", 2)


def stubborn(kind: str) -> list[ScriptedReply]:
    """Answers of a model that errs in one way for ever, never twice in the same words."""
    forms = {
        "plan": "goto(kitchen), open(fridge) {}",
        "invented": "(inside_of unicorn{} fridge)",
        "missing": '(missing "thing {}")',
        "impossible": "(and (turned_on microwave) (open microwave) (robot_at {room}))",
    }
    rooms = TASKS[0].load().by_type["room"]
    return [forms[kind].format(n, room=rooms[n]) for n in range(2, 20)]


@pytest.mark.parametrize("number", EACH)
def test_every_task_ends_in_a_failure_of_its_own_with_a_model_that_never_improves(number: int) -> None:
    task = TASKS[number]
    outcomes = {"plan": "goal-error", "invented": "goal-error", "missing": "search-exhausted"}
    outcomes["impossible"] = "unsolvable"
    kind = list(outcomes)[number % len(outcomes)]
    again = [move("terminate")] * 2 if kind == "missing" else []
    answers = stubborn(kind)
    record, model = told(task, answers[0], *again[:1], answers[1], *again[:1], *answers[2:])
    assert record.outcome == outcomes[kind], record.reasons
    assert not record.plan and not record.verified
    judged = [r for r in record.goals if not r.reopened]
    asked = [r for r in model.history if r.purpose in ("goal", "repair")]
    assert len(judged) <= MAX_REPAIRS + 1 and len(asked) == len(record.goals)
    assert sum(r.purpose == "repair" for r in asked) <= MAX_REPAIRS


def test_a_goal_about_what_was_never_opened_is_no_success() -> None:
    task = TASKS[1]
    belief = ground(task.load(), load_pack())
    model = ScriptedModel.always(lambda r: move("terminate") if r.purpose == "search" else task.gold.goal)
    record = run(
        Request(belief, task.instruction), ENGINE, ModelReader(model, belief.pack, search_protocol="dialogue")
    )
    assert record.outcome == "goal-error"
    assert "never opened" in record.reasons[0]
    # The second search shows nothing more, so the same request for a goal is not made again.
    assert [r.reopened for r in record.goals] == [False, False]
    assert [r.purpose for r in model.history] == ["search", "search", "goal", "search", "repair", "search"]


def test_rounds_and_moves_are_kept_when_a_search_fails() -> None:
    task = TASKS[1]
    belief = ground(task.load(), load_pack())
    opened = (move("expand", "kitchen"), move("terminate"))
    wrong, missing = "(inside_of unicorn7 fridge)", '(missing "a fridge")'
    for last, outcome in (
        (["no"] * 3, "search-exhausted"),
        ([ServiceError("refused", "gone")], "service-failed"),
    ):
        model = ScriptedModel.of(*opened, wrong, missing, *last)
        record = run(
            Request(belief, task.instruction),
            ENGINE,
            ModelReader(model, belief.pack, search_protocol="dialogue"),
        )
        assert record.outcome == outcome
        assert [str(r.goal) for r in record.goals] == [wrong, missing]
        assert [t["command"] for t in record.trace][:2] == ["expand", "terminate"]
        assert "fridge" in record.subgraph
    model = ScriptedModel.of(move("expand", "kitchen"), ServiceError("refused", "gone"))
    record = run(
        Request(belief, task.instruction), ENGINE, ModelReader(model, belief.pack, search_protocol="dialogue")
    )
    assert [t["command"] for t in record.trace] == ["expand"] and "fridge" in record.subgraph


def test_a_reader_cannot_change_what_it_is_shown() -> None:
    view = View.first(TASKS[0].load())
    with pytest.raises(TypeError):
        view.scene.nodes["fridge"] = view.scene.nodes["kitchen"]  # type: ignore[index]


def test_different_wrong_goals_end_after_the_last_repair() -> None:
    record, model = told(TASKS[1], *(f"(inside_of unicorn{n} fridge)" for n in range(20)))
    assert record.outcome == "goal-error"
    assert len(record.goals) == MAX_REPAIRS + 1
    assert sum(r.purpose == "repair" for r in model.history) == MAX_REPAIRS


def test_a_repair_that_drops_a_conjunct_is_drift() -> None:
    first = f"(and (turned_on dishwasher) (open microwave) (ontop_of orange1 lunch_table) {NEVER})"
    record, _ = told(TASKS[1], first, "(ontop_of orange1 lunch_table)")
    assert record.outcome == "goal-drift"
    assert "(open microwave)" in record.reasons[0]
    assert not record.plan


def test_a_repair_that_trades_two_conjuncts_for_one_is_drift() -> None:
    first = f"(and (turned_on dishwasher) (open microwave) (ontop_of orange1 lunch_table) {NEVER})"
    record, _ = told(TASKS[1], first, "(and (ontop_of orange1 lunch_table) (open cabinet3))")
    assert record.outcome == "goal-drift"
    assert "(turned_on dishwasher) (open microwave)" in record.reasons[0]


def test_a_repair_that_makes_a_choice_of_what_was_asked_is_drift() -> None:
    first = f"(and (turned_on dishwasher) (open microwave) {NEVER})"
    record, _ = told(TASKS[1], first, "(and (turned_on dishwasher) (or (open cabinet3) (open microwave)))")
    assert record.outcome == "goal-drift"
    assert "one of several choices" in record.reasons[0]


def test_a_repair_may_replace_a_conjunct() -> None:
    first = "(and (open microwave) (turned_on microwave))"
    record, _ = told(TASKS[1], first, "(and (closed microwave) (turned_on microwave))")
    assert record.outcome == "verified"


def test_a_repair_that_holds_already_is_drift() -> None:
    first = "(and (turned_on microwave) (open microwave))"
    record, _ = told(TASKS[1], first, "(closed fridge)")
    assert record.outcome == "goal-drift"
    assert "holds already" in record.reasons[0]


def test_giving_up_with_what_holds_already_is_drift() -> None:
    record, _ = told(TASKS[1], "(inside_of orange1 fridgee)", "(closed fridge)")
    assert record.outcome == "goal-drift" and "holds already" in record.reasons[0]
    record, _ = told(TASKS[1], "I cannot do that", "(closed fridge)", "(closed fridge)")
    assert (record.outcome, record.reasons) == ("goal-error", (SO_ALREADY,))


def test_what_is_missing_reopens_the_search_with_that_as_the_reason() -> None:
    task = TASKS[1]
    belief = ground(task.load(), load_pack())
    model = ScriptedModel.of(
        move("expand", "cafeteria"),
        move("terminate"),
        '(missing "a fridge")',
        move("expand", "kitchen"),
        move("terminate"),
        task.gold.goal,
    )
    record = run(
        Request(belief, task.instruction), ENGINE, ModelReader(model, belief.pack, search_protocol="dialogue")
    )
    assert record.outcome == "verified"
    searches = [r for r in model.history if r.purpose == "search"]
    assert "a fridge" in searches[2].messages[1].content
    assert "a fridge" not in searches[0].messages[1].content
    assert [t["command"] for t in record.trace] == ["expand", "terminate", "expand", "terminate"]


def test_a_goal_about_something_never_opened_reopens_the_search() -> None:
    task = TASKS[1]
    belief = ground(task.load(), load_pack())
    model = ScriptedModel.of(
        *[move("terminate")] * 2, task.gold.goal, move("expand", "kitchen"), move("terminate"), task.gold.goal
    )
    record = run(
        Request(belief, task.instruction), ENGINE, ModelReader(model, belief.pack, search_protocol="dialogue")
    )
    assert record.outcome == "verified"
    assert 'still needed: "orange1, fridge"' in model.history[3].messages[1].content


def test_a_service_that_fails_ends_the_run_as_that() -> None:
    record, _ = told(TASKS[1], ServiceError("refused", "no connection to somewhere", "is it running?"))
    assert record.outcome == "service-failed"
    assert record.exit_code == 3
    assert "is it running?" in record.reasons[0]


def test_the_model_is_asked_for_goals_only() -> None:
    """Nothing that a model writes reaches plan, domain or initial state: the same goal, the same record."""

    def honest(request: ChatRequest) -> str:
        return TASKS[0].gold.goal

    one, _ = told(TASKS[0], honest)
    belief = ground(TASKS[0].load(), load_pack())
    two = run(Request(belief, goal=reader_goal(TASKS[0])), ENGINE)
    assert one.planning == two.planning


def reader_goal(task: Task):  # type: ignore[no-untyped-def]
    from groundplan.compiler.goals.goal import parse_goal

    return parse_goal(task.gold.goal)
