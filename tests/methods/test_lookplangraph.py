"""LookPlanGraph with a scripted model, on its example (appendix A.1.2), and by beliefs on hidden tasks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from shipped_prompts import prompt

from groundplan import Engine, Request, find_task, ground, load_pack
from groundplan.datasets.formats.lookplangraph import read_graph
from groundplan.datasets.library import HIDDEN, load_set, names_task
from groundplan.evaluation.bench import Comparison, run_comparison
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.evaluation.judging import JudgedTask, judge_run
from groundplan.language.chat.servers.model import ChatRequest, ServiceError
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods import METHODS, Limits, Tools
from groundplan.methods.conversations.answers import UnreadableAnswer
from groundplan.methods.lookplangraph import MAX_ACTIONS, MAX_REFUSALS, filtered_nodes
from groundplan.methods.lookplangraph.loop import FUNCTIONS, move_constraint, read_move
from groundplan.pipeline.record import Record
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Scene
from groundplan.simulator.sensing import with_hidden
from groundplan.simulator.sensing.spots import spots_of
from tests.methods.test_sayplan_lite import INSTRUCTION, ON_THE_SOFA, PRINTED, THINGS

LOOKING = load_pack("grasif-looking")


class Likeness:
    """Similarity by letters in common, which is enough to have beliefs that differ."""

    def scores(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        return tuple(len(set(query) & set(text)) / len(set(query) | set(text)) for text in texts)


@cache
def packed() -> Belief:
    """The example with the things in the closed carton, where its instruction has them."""
    scene = read_graph(PRINTED, "A.1.2", "socks")
    nodes = dict(scene.nodes)
    nodes |= {t: replace(nodes[t], parent="carton1", relation="inside_of") for t in THINGS}
    return ground(Scene("packed", nodes, scene.links), LOOKING)


def move(function: str, target: str) -> str:
    return json.dumps(
        {
            "chain_of_thought": ["so"],
            "next_move": {"function_name": function, "function_target": target},
        }
    )


FOUND = [
    move("look_on", "sofa1"), move("open", "carton1"), move("look_inside", "carton1"),
    *(m for thing in THINGS for m in (move("pick_up", thing), move("put_on", "sofa1"))),
]  # fmt: skip


def ran(answers: Sequence[str], name: str = "lookplangraph", belief: Belief | None = None):  # type: ignore[no-untyped-def]
    model = ScriptedModel.of(*answers)
    request = Request(belief or packed(), INSTRUCTION, task="socks")
    return METHODS[name].run(request, Tools(model=model), Limits()), model


def graph_in(request: ChatRequest) -> dict[str, list[dict[str, object]]]:
    text = request.messages[-1].content
    start = text.index('{"nodes"')
    nodes: dict[str, list[dict[str, object]]] = json.JSONDecoder().raw_decode(text[start:])[0]["nodes"]
    return nodes


@pytest.mark.parametrize("name", ["lookplangraph", "lookplangraph-unconstrained"])
def test_the_socks_are_found_by_looking_and_come_to_the_sofa(name: str) -> None:
    record, model = ran([*FOUND, move("done", "sofa1")], name)
    assert record.outcome == "executable" and record.method == name
    assert [str(s) for s in record.trajectory.executed] == [
        f"{m['function_name']}({m['function_target']})" for m in (json.loads(a)["next_move"] for a in FOUND)
    ]
    task = find_task("grasif-hidden-01")
    gold = replace(task.gold, goal=str(ON_THE_SOFA), requested="", plan=())
    judged = judge_run(record, JudgedTask(replace(task, gold=gold, overlay={}), packed()))
    assert judged.success and judged.acting is not None  # type: ignore[union-attr]
    assert judged.acting.looks == 2 and not judged.acting.false_done  # type: ignore[union-attr]
    assert record.trajectory.looks == ("look_on sofa1", "look_inside carton1")
    assert len(model.history) == len(FOUND) + 1 and {r.purpose for r in model.history} == {"act"}
    assert {r.constraint is not None for r in model.history} == {name == "lookplangraph"}


def test_the_memory_graph_begins_with_what_never_moves_and_grows_by_looks() -> None:
    _, model = ran([*FOUND[:3], move("done", "sofa1")])
    graphs = [graph_in(request) for request in model.history]
    shown = [[node["id"] for node in graph.get("object", ())] for graph in graphs]
    assert shown == [[], ["carton1"], ["carton1"], ["carton1", *THINGS]]
    assert graphs[0]["asset"] == PRINTED["nodes"]["asset"]  # type: ignore[index]
    closed = [graph["object"][0]["states"] for graph in graphs[1:]]
    assert closed == [["closed"], ["open"], ["open"]]
    assert "looked" not in model.history[-1].messages[-1].content


def test_a_model_is_told_of_its_room_and_of_what_was_handled() -> None:
    office = ground(find_task("grasif-office-01").load(), LOOKING)
    nodes = {n.id: n for n in filtered_nodes(with_hidden(office), ())}
    here = office.scene.room_of(office.scene.agent.at or "") or ""
    assets = [n for n in nodes.values() if n.type == "asset"]
    assert {office.scene.room_of(n.id) for n in assets} <= {here}
    assert {n.id for n in nodes.values() if n.type == "room"} == set(office.scene.by_type["room"])
    assert not [n for n in nodes.values() if n.type in ("object", "pose")]
    handled = {n.id for n in filtered_nodes(with_hidden(office), ("fridge",))}
    assert "fridge" in handled - nodes.keys()


def test_what_cannot_be_done_comes_back_in_words_and_too_much_of_it_ends_the_run() -> None:
    wrong = [
        (move("pick_up", "sock1"), "the graph has no such node"),  # nobody has looked
        (move("go_to", "sofa1"), "go_to takes a room"),
        (move("access", "sofa1"), "there is no such function"),
        (move("look_inside", "sofa1"), "sofa1"),
        (move("done", "sofa1"), ""),
    ]
    record, model = ran([answer for answer, _ in wrong])
    assert record.outcome == "executable" and record.trajectory.executed == ()
    told = [request.messages[-1].content for request in model.history[1:]]
    assert all(words in text for text, (_, words) in zip(told, wrong, strict=False))
    assert [entry["command"] for entry in record.trace] == ["refused"] * 4 + ["done"]
    record, model = ran([move("go_to", "sofa1")] * 20)
    assert record.outcome == "rejected" and len(model.history) == MAX_REFUSALS + 1
    between = [*[move("go_to", "sofa1")] * MAX_REFUSALS, move("look_on", "sofa1")]
    record, model = ran([*between, *between, move("done", "sofa1")])
    assert record.outcome == "executable", "only refusals in a row are counted"


def test_actions_are_limited_and_done_may_follow_the_last() -> None:
    looks = [move("look_on", "sofa1")] * MAX_ACTIONS
    record, _ = ran([*looks, move("look_on", "sofa1")])
    assert record.outcome == "out-of-budget" and len(record.trajectory.executed) == MAX_ACTIONS
    record, _ = ran([*looks, move("done", "sofa1")])
    assert record.outcome == "executable"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [("no", "answer-unreadable"), ("{" * 30_000, "answer-unreadable"), ("[]", "answer-unreadable")],
)
def test_an_answer_that_is_no_object_ends_the_run(answer: str, outcome: str) -> None:
    record, _ = ran([move("look_on", "sofa1"), answer])
    assert record.outcome == outcome and [str(s) for s in record.trajectory.executed] == ["look_on(sofa1)"]


@pytest.mark.parametrize(
    "text",
    [
        "{}", '{"next_move": 3}', '{"next_move": {"function_name": ["go_to"], "function_target": {}}}',
        '{"next_move": {"function_name": "go_to(kitchen); rm", "function_target": "' + "x" * 1000 + '"}}',
    ],
)  # fmt: skip
def test_a_move_of_the_wrong_form_is_refused_and_no_error(text: str) -> None:
    assert len(read_move(text).target) <= 300
    record, _ = ran([text, move("done", "sofa1")])
    assert record.outcome == "executable" and record.trace[0]["command"] == "refused"
    with pytest.raises(UnreadableAnswer):
        read_move("nothing")


def test_a_service_that_fails_leaves_what_was_done() -> None:
    def answer(request: ChatRequest) -> str:
        if len(model.history) > 2:
            raise ServiceError("unreachable", "gone")
        return move("look_on", "sofa1")

    model = ScriptedModel.always(answer)
    record = METHODS["lookplangraph"].run(Request(packed(), INSTRUCTION), Tools(model=model), Limits())
    assert record.outcome == "service-failed" and len(record.trajectory.executed) == 2


def test_the_constraint_names_what_is_shown_and_nothing_else() -> None:
    schema = move_constraint(["kitchen", "desk1"]).schema
    assert schema is not None
    properties = schema["properties"]["next_move"]["properties"]  # type: ignore[index]
    assert properties["function_target"]["enum"] == ["kitchen", "desk1"]  # type: ignore[index]
    assert properties["function_name"]["enum"] == list(FUNCTIONS)  # type: ignore[index]
    for variant in (1, 2, 3):
        text = prompt(f"lookplangraph-{variant}")
        for function in FUNCTIONS[:-1]:
            assert f"{function}(<" in text
        for line in text.splitlines():
            if line.startswith('{"chain_of_thought": ["'):
                assert read_move(line).function in FUNCTIONS


def test_another_pack_or_question_is_unsupported() -> None:
    household = ground(find_task("grasif-office-01").load(), load_pack("grasif"))
    record, _ = ran([], belief=household)
    assert record.outcome == "unsupported" and "grasif-looking" in record.reasons[0]
    asked = Request(packed(), "Where is the sock?", search_only=True)
    answered = METHODS["lookplangraph"].run(asked, Tools(model=ScriptedModel.of()), Limits())
    assert answered.outcome == "unsupported"


def test_hidden_tasks_are_those_of_another_set_for_a_robot_that_has_seen_nothing_move() -> None:
    for name, of in HIDDEN.items():
        hidden, shown = load_set(name), load_set(of)
        assert [t.instruction for t in hidden] == [t.instruction for t in shown]
        assert all(h.hidden and h.gold == s.gold and h.load().hash == s.load().hash
                   for h, s in zip(hidden, shown, strict=True))  # fmt: skip
        assert find_task(hidden[3].id) == hidden[3] and names_task(hidden[3].id)
    case = JudgedTask.of(find_task("grasif-hidden-02"), LOOKING)
    placed = [n.id for n in case.known.scene.nodes.values() if n.type == "object" and n.parent is not None]
    assert placed == [] and set(case.known.scene.unplaced) == {"orange1"}


def seeking(method: str, number: str) -> tuple[Record, JudgedTask]:
    case = JudgedTask.of(find_task(f"grasif-hidden-{number}"), LOOKING)
    tools = Tools(engine=Engine.named("pyperplan"), similarity=Likeness())
    request = Request(case.known, case.task.instruction, case.gold, case.task.id, case.belief)
    return METHODS[method].run(request, tools, Limits(60)), case


POLICIES = (
    "expected-cost", "expected-cost-equal", "likeliest-per-metre", "likeliest-first", "optimistic-nearest",
    "nearest-unlooked",
)  # fmt: skip


@pytest.mark.parametrize("method", POLICIES)
@pytest.mark.parametrize("number", ["12", *(pytest.param(n, marks=pytest.mark.slow) for n in ("03", "17"))])
def test_policies_end_with_a_goal_that_holds_and_count_what_the_world_counts(
    method: str, number: str
) -> None:
    record, case = seeking(method, number)
    assert record.outcome == "verified" and record.method == method
    judged = judge_run(record, case)
    acting = judged.acting  # type: ignore[union-attr]
    assert judged.success and acting.reached and not acting.false_done
    done = record.trajectory
    assert acting.steps == len(done.executed) and round(acting.metres * 1000) == done.executed_mm


@pytest.mark.parametrize("number", ["01", "03", "12"])
def test_the_same_loop_by_beliefs_moves_one_action_at_a_time(number: str) -> None:
    record, case = seeking("lookplangraph-beliefs", number)
    assert record.outcome in ("executable", "out-of-budget"), record.reasons
    judged = judge_run(record, case)
    assert judged.success == (record.outcome == "executable")
    executed = record.trajectory.executed
    assert len(executed) <= MAX_ACTIONS and record.attempts[-1].steps == executed


def test_things_are_looked_for_inside_of_nothing_but_what_can_have_them_inside() -> None:
    case = JudgedTask.of(find_task("grasif-hidden-02"), LOOKING)
    inside = [spot.node for spot in spots_of(case.known) if spot.relation == "inside_of"]
    assert "fridge" in inside and "cupboard1" in inside and len(inside) == 16
    assert not {"kitchen", "desk1", "lunch_table"} & set(inside)


def test_without_the_usual_bound_the_loop_ends_by_itself() -> None:
    cut = seeking("lookplangraph-beliefs", "18")[0]
    assert cut.outcome == "out-of-budget" and len(cut.trajectory.executed) == MAX_ACTIONS
    record, case = seeking("lookplangraph-beliefs-long", "18")
    executed = record.trajectory.executed
    assert record.outcome == "executable" and len(executed) > MAX_ACTIONS
    assert executed[:MAX_ACTIONS] == cut.trajectory.executed
    assert judge_run(record, case).success  # type: ignore[union-attr]


def test_a_false_done_is_counted_and_a_goal_that_was_not_said_to_be_reached_is_no_success() -> None:
    case = JudgedTask.of(find_task("grasif-hidden-01"), LOOKING)
    right = seeking("lookplangraph-beliefs", "01")[0]
    silent = replace(right, outcome="out-of-budget")
    nothing = replace(right.trajectory, executed=())
    early = replace(right, trajectory=nothing, attempts=(replace(right.attempts[-1], steps=()),))
    told = {name: judge_run(record, case) for name, record in (("silent", silent), ("early", early))}
    assert told["silent"].acting.reached and not told["silent"].success  # type: ignore[union-attr]
    assert told["early"].acting.false_done and not told["early"].success  # type: ignore[union-attr]


def test_a_comparison_hides_the_world_from_who_looks_for_nothing(tmp_path) -> None:  # type: ignore[no-untyped-def]
    names = ("nearest-unlooked", "sayplan", "full-scene", "lookplangraph-beliefs")
    methods = tuple(METHODS[name] for name in names)

    def tools(case: JudgedTask, *more: object) -> Tools:
        return Tools(similarity=Likeness())

    comparison = Comparison(methods, chosen_tasks("grasif-hidden", 1), pack="grasif-looking")
    rows = {row.method: row for row in run_comparison(comparison, tools, tmp_path).rows}
    assert comparison.manifest()["tasks"]["grasif-hidden-01"]["hidden"] == "movable things"  # type: ignore[index]
    assert rows["sayplan"].outcome == rows["full-scene"].outcome == "unsupported"
    assert rows["nearest-unlooked"].measures["success"] is True
    assert rows["lookplangraph-beliefs"].measures["acting"]["ended"] is True  # type: ignore[index]
