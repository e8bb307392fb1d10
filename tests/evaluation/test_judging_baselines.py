"""Plans that models write are judged as those of any method, in the actions of either pack."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from groundplan import Request, load_pack
from groundplan.datasets.library import find_task
from groundplan.evaluation.judging import JudgedTask, judge_run
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods import METHODS, Limits, Tools


@pytest.mark.parametrize(
    ("pack", "name", "plan", "inserted"),
    [
        ("household", "sayplan", "goto(ROOM) access(cabinet5) close(cabinet5)", 0),
        ("household", "sayplan", "goto(ROOM) close(cabinet5)", 1),
        ("grasif", "sayplan-lite", "go_to(ROOM) close(cabinet5)", 0),
        ("grasif", "sayplan-star", "close(cabinet5)", 1),
    ],
)
def test_a_plan_counts_as_it_was_executed_and_as_it_was_meant(
    pack: str, name: str, plan: str, inserted: int
) -> None:
    case = JudgedTask.of(find_task("office-planning-simple-01"), load_pack(pack))
    steps = plan.replace("ROOM", str(case.belief.scene.room_of("cabinet5"))).split()
    command = {"command_name": "verify_plan", "node_name": "", "plan": steps}
    text = json.dumps({"mode": "planning", "command": command, "plan": steps})
    model = ScriptedModel.of(*[text] * 7)
    record = METHODS[name].run(Request(case.belief, case.task.instruction), Tools(model), Limits())
    measures = asdict(judge_run(record, case))
    assert record.outcome == ("rejected" if inserted else "executable")
    assert (measures["executable"], measures["success"]) == (not inserted, not inserted)
    assert measures["intent"] is True and bool(measures["inserted"]) == bool(inserted)
