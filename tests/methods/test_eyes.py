"""Methods that act by what they see, with an eye: rows of their own, and the same rows where nothing errs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from groundplan import Engine, Request, load_pack
from groundplan.datasets.library import load_set
from groundplan.domains.errors import InputError
from groundplan.evaluation.bench.trial import request_of
from groundplan.evaluation.judging import JudgedTask, judge_run
from groundplan.language.chat.servers.model import ChatRequest
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.vision import TrueEye
from groundplan.methods import METHODS, Limits, Tools
from groundplan.methods.lookplangraph.method import LookPlanGraph
from groundplan.methods.method import takes_goal
from groundplan.methods.sight import with_eyes
from groundplan.pipeline.record import Record
from tests.methods.test_lookplangraph import FOUND, INSTRUCTION, Likeness, graph_in, move, packed

FAULTY = "true:missed=0.3,renamed=0.3,relation=0.3"
METHODS_THAT_LOOK = ("expected-cost", "nearest-unlooked", "lookplangraph-beliefs-task")


def run(name: str, case: JudgedTask, eye: TrueEye | None) -> Record:
    method = replace(METHODS[name], eye=eye)  # type: ignore[type-var]
    tools = Tools(similarity=Likeness(), engine=Engine.named("pyperplan"))
    return method.run(request_of(case, takes_goal(method)), tools, Limits())


@pytest.mark.parametrize("number", [0, 3, 4])
@pytest.mark.parametrize("name", METHODS_THAT_LOOK)
def test_an_eye_that_errs_in_nothing_changes_nothing(name: str, number: int) -> None:
    case = JudgedTask.of(load_set("grasif-hidden")[number], load_pack("grasif-looking"))
    plain, seen = run(name, case, None).as_json(), run(name, case, TrueEye()).as_json()
    of_eye = seen.pop("eye")
    assert isinstance(of_eye, dict) and of_eye["node_f1"] == of_eye["edge_f1"] == 1 and of_eye["looks"]
    for record in (plain, seen):
        del record["timings"]
    assert plain.pop("eye") == {} and seen == plain


@pytest.mark.parametrize("seed", range(8))
def test_a_wrong_description_is_never_a_false_verified(seed: int) -> None:
    tasks = load_set("house-hidden")
    case = JudgedTask.of(tasks[(7 * seed) % len(tasks)], load_pack())
    eye = TrueEye(missed=0.2, renamed=0.5, relation=0.3, seed=seed)
    first, again = (run("nearest-unlooked", case, eye) for _ in range(2))
    assert first == again  # drawn by the seed
    if first.outcome == "verified":
        assert judge_run(first, case).success  # type: ignore[union-attr]
    assert first.outcome in ("verified", "rejected", "not-found")


def socks(answers: Sequence[str], eye: TrueEye | None) -> tuple[Record, list[ChatRequest]]:
    """Run LookPlanGraph with a scripted model on its printed example."""
    model = ScriptedModel.of(*answers)
    request = Request(packed(), INSTRUCTION, task="socks")
    return LookPlanGraph(eye=eye).run(request, Tools(model=model), Limits()), model.history


def test_the_memory_graph_of_a_model_grows_by_what_is_described() -> None:
    (plain, told), (seen, shown) = (socks([*FOUND, move("done", "sofa1")], eye) for eye in (None, TrueEye()))
    assert seen.trajectory == plain.trajectory and seen.outcome == "executable"
    assert [request.messages for request in shown] == [request.messages for request in told]
    blind, graphs = socks([*FOUND[:1], move("open", "carton1"), move("done", "sofa1")], TrueEye(missed=1))
    assert [graph_in(request).get("object", []) for request in graphs] == [[], [], []]
    assert blind.trace[1]["command"] == "refused" and blind.eye["node_f1"] == 0
    renamed, graphs = socks([*FOUND[:3], move("pick_up", "sock1"), move("done", "sofa1")], TrueEye(renamed=1))
    names = {str(node["id"]) for request in graphs for node in graph_in(request).get("object", [])}
    assert names and "carton1" not in names and renamed.trace[1]["command"] == "refused"


def test_each_method_that_looks_has_a_row_for_each_eye() -> None:
    methods = tuple(METHODS[name] for name in ("gold", "expected-cost", "hybrid-looking"))
    rows = with_eyes(methods, ["true:", FAULTY])
    assert [row.name for row in rows] == [
        "gold",
        "expected-cost",
        f"expected-cost with eye {FAULTY}",
        "hybrid-looking",
        f"hybrid-looking with eye {FAULTY}",
    ]
    assert rows[1] is METHODS["expected-cost"] and with_eyes(methods, []) == methods
    with pytest.raises(InputError, match="a method that acts by what it sees"):
        with_eyes([METHODS["gold"]], ["true:"])
