"""`groundplan certify`: records are rechecked from scene, pack and goal alone."""

from __future__ import annotations

import json

import pytest

from groundplan import Engine, Request, ground, load_pack, load_scene, run
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.scripted import ScriptedModel

MOVES = [("expand", "wills_office"), ("expand", "dimitys_office"), ("terminate", "")]
GOAL = "(and (open microwave) (turned_on microwave))"


@pytest.fixture
def folder(cli, tmp_path):
    """What a run that proves a goal impossible writes."""
    ran = cli("plan", "--scene", "office", "--goal", GOAL, "--out", tmp_path / "out")
    assert ran.code == 1
    return tmp_path / "out"


def test_a_proof_is_rechecked_from_its_folder(cli, folder):
    record = json.loads((folder / "record.json").read_text())
    assert record["certificate"]["file"] == "certificate.json" and "content" not in record["certificate"]
    ran = cli("certify", folder, "--scene", "office", "--json")
    assert ran.code == 0 and ran.json["certified"]
    fields = ran.json["fields"]
    assert fields["certificate"]["status"] == fields["outcome"]["status"] == "rechecked"
    assert fields["engine"]["status"] == "not checked"
    assert set(fields) == set(record)
    assert cli("certify", folder / "record.json", "--scene", "office").last == "certified"


def test_the_goal_in_words_is_said_again(cli, folder):
    ran = cli("certify", folder, "--scene", "office", "--json")
    assert ran.json["fields"]["says"]["status"] == "rechecked"
    record = json.loads((folder / "record.json").read_text())
    (folder / "record.json").write_text(json.dumps(record | {"says": "Close microwave."}))
    other = cli("certify", folder, "--scene", "office", "--json").json["fields"]["says"]
    assert other["status"] == "refused" and "Open microwave. Turn on microwave." in other["detail"]


def test_what_no_reader_wrote_is_rechecked(cli, tmp_path):
    out = tmp_path / "run"
    ran = cli("plan", "Get the banana from the kitchen.", "--scene", "office", "--out", out)
    assert ran.code == 0 and "put back as found: Close fridge." in ran.out
    record = json.loads((out / "record.json").read_text())
    assert record["added"] == ["(closed fridge)"] and (out / "goal.txt").read_text().strip() == record["goal"]
    certified = cli("certify", out, "--scene", "office", "--json")
    assert certified.code == 0 and certified.json["fields"]["added"]["status"] == "rechecked"
    for other in (["(open fridge)"], ["(holding banana2)"], [7], "(closed fridge)x", ["(closed microwave)"]):
        changed = json.dumps(record | {"added": other})
        refused = cli("certify", "-", "--scene", "office", "--json", stdin=changed)
        assert refused.code == 1 and refused.json["fields"]["added"]["status"] == "refused", other


def test_the_proofs_of_what_a_repair_left_out_are_rechecked(cli):
    belief = ground(load_scene("office"), load_pack())
    wrong = "(and (open cabinet3) (holding apple1) (holding apple2))"
    search = [json.dumps({"move": {"command": c, "node": n, "chain_of_thought": ""}}) for c, n in MOVES]
    reader = ModelReader(
        ScriptedModel.of(*search, wrong, "(open cabinet3)"), belief.pack, search_protocol="dialogue"
    )
    record = run(Request(belief, "Open the cabinet."), Engine.named("pyperplan"), reader)
    assert record.verified and len(record.dropped) == 1
    raw = json.loads(json.dumps(record.as_json()))
    ran = cli("certify", "-", "--scene", "office", "--json", stdin=json.dumps(raw))
    assert ran.json["fields"]["dropped_as_impossible"]["status"] == "rechecked"
    (one,) = raw["dropped_as_impossible"]
    for change in (
        {"set": one["set"][:1]},
        {"parts": ["(open cabinet3)"]},
        {"set": [*one["set"], "(open fridge)"]},
    ):
        changed = json.dumps(raw | {"dropped_as_impossible": [one | change]})
        ran = cli("certify", "-", "--scene", "office", "--json", stdin=changed)
        assert ran.json["fields"]["dropped_as_impossible"]["status"] == "refused", change


def test_a_proof_is_rechecked_from_the_record_alone(cli):
    ran = cli("plan", "--scene", "office", "--goal", GOAL, "--json")
    assert ran.json["certificate"]["content"]["kind"] == "states"
    assert cli("certify", "-", "--scene", "office", stdin=ran.out).code == 0


@pytest.mark.parametrize(
    ("ranged", "left"),
    [("(forall (?x - desk) (dirty ?x))", ""), ("(forall (?x - item) (filled ?x))", "(filled coffee_mug)")],
)
def test_one_proof_of_all_instances_is_rechecked(cli, ranged: str, left: str) -> None:
    belief = ground(load_scene("office"), load_pack())
    rooms = [room for room in belief.scene.by_type["room"] if belief.scene.children.get(room)]
    moves = [*(("expand", room) for room in rooms), MOVES[-1]]
    search = [json.dumps({"move": {"command": c, "node": n, "chain_of_thought": ""}}) for c, n in moves]
    answers = (
        f"(and (open cabinet3) {ranged})",
        f"(and (open cabinet3) {left})",
        f"(and (open cabinet3) {left})",
    )
    reader = ModelReader(ScriptedModel.of(*search, *answers), belief.pack, search_protocol="dialogue")
    record = run(Request(belief, "Open the cabinet."), Engine.named("pyperplan"), reader)
    assert record.verified, record.reasons
    raw = json.loads(json.dumps(record.as_json()))
    (one,) = raw["dropped_as_impossible"]
    for change, status in (({}, "rechecked"), ({"parts": ["(forall (?x - chair) (closed ?x))"]}, "refused")):
        changed = json.dumps(raw | {"dropped_as_impossible": [one | change]})
        ran = cli("certify", "-", "--scene", "office", "--json", stdin=changed)
        assert ran.json["fields"]["dropped_as_impossible"]["status"] == status, change


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--scene", "home"), "hash of the scene"),
        (("--scene", "office", "--pack", "household-locks"), "hash of the pack"),
        (("--scene", "office", "--one-handed"), "hash of the pack"),
    ],
)
def test_another_scene_or_pack_is_bad_input(cli, folder, arguments, words):
    ran = cli("certify", folder, *arguments)
    assert ran.code == 2 and words in ran.err


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, '{"format": "groundplan-certificate"', "[]", "nul", '"x"', "1e999", "{}"],
)
def test_a_broken_certificate_is_bad_input(cli, folder, text):
    (folder / "certificate.json").write_text(text)
    ran = cli("certify", folder, "--scene", "office")
    assert ran.code == 2 and ran.err.startswith("Error: ")


def test_a_huge_certificate_is_bad_input(cli, folder):
    with (folder / "certificate.json").open("w") as file:
        file.truncate(100 * 1024 * 1024)
    ran = cli("certify", folder, "--scene", "office")
    assert ran.code == 2 and "bytes" in ran.err


def test_a_changed_certificate_is_not_that_of_the_record(cli, folder):
    path = folder / "certificate.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"facts": []}))
    ran = cli("certify", folder, "--scene", "office")
    assert ran.code == 2 and "certificate: hash" in ran.err


def test_a_goal_that_has_a_plan_is_not_certified(cli, folder):
    record = json.loads((folder / "record.json").read_text()) | {"goal": "(open microwave)"}
    (folder / "record.json").write_text(json.dumps(record))
    ran = cli("certify", folder, "--scene", "office")
    assert ran.code == 2 and "certificate: goal" in ran.err


def test_a_plan_is_carried_out_step_by_step(cli, tmp_path):
    out = tmp_path / "out"
    assert cli("plan", "--scene", "office", "--goal", "(open fridge)", "--out", out).code == 0
    ran = cli("certify", out, "--scene", "office", "--json")
    assert ran.code == 0
    statuses = {key: field["status"] for key, field in ran.json["fields"].items()}
    assert all(statuses[key] == "rechecked" for key in ("outcome", "plan", "cost", "metres", "verified"))
    record = json.loads((out / "record.json").read_text())
    for change in ({"plan": record["plan"][:-1]}, {"cost": record["cost"] - 1}, {"plan": ["open(fridge)"]}):
        (out / "record.json").write_text(json.dumps(record | change))
        ran = cli("certify", out, "--scene", "office")
        assert ran.code == 1 and "refused" in ran.out and ran.last == "not certified"


def test_what_follows_the_end_of_a_plan_is_not_counted(cli, tmp_path):
    out = tmp_path / "out"
    assert cli("plan", "--scene", "office", "--goal", "(open fridge)", "--out", out).code == 0
    record = json.loads((out / "record.json").read_text())
    steps = [*(step for step in record["plan"] if step != "done()"), "done()"]
    longer = [*steps, "close(fridge)", "open(nothing)"]
    (out / "record.json").write_text(json.dumps(record | {"plan": longer}))
    ran = cli("certify", out, "--scene", "office", "--json")
    said = f"{len(steps)} steps; what follows done() is not carried out: 2 steps"
    assert ran.json["fields"]["plan"] == {"status": "rechecked", "detail": said}


def test_a_bound_is_rechecked_over_all_states_of_a_small_scene(cli, tmp_path):
    nodes = [
        {"id": "hall", "type": "room"},
        {"id": "kitchen", "type": "room"},
        {"id": "fridge", "type": "asset", "parent": "kitchen", "affordances": ["open", "close"]},
        {"id": "robot", "type": "agent", "at": "hall"},
    ]
    links = [{"a": "hall", "b": "kitchen", "length": 4}]
    scene = {"format": "groundplan-scene", "version": 1, "name": "flat", "nodes": nodes, "links": links}
    path = tmp_path / "flat.json"
    path.write_text(json.dumps(scene))
    arguments = ("--scene", path, "--goal", "(open fridge)", "--engine", "fast-downward-opt", "--json")
    record = cli("plan", *arguments).json
    assert record["optimal"] and record["bound"] == 4.1
    ran = cli("certify", "-", "--scene", path, "--json", stdin=json.dumps(record))
    assert ran.json["fields"]["bound"]["status"] == ran.json["fields"]["optimal"]["status"] == "rechecked"
    better = record | {"bound": 4.2}
    ran = cli("certify", "-", "--scene", path, "--json", stdin=json.dumps(better))
    assert ran.code == 1 and ran.json["fields"]["bound"]["status"] == "refused"


def test_a_bound_is_rechecked_where_the_robot_may_reach_into_things(cli, tmp_path):
    nodes = [
        {"id": "office", "type": "room"},
        {"id": "kitchen", "type": "room"},
        {"id": "table", "type": "asset", "parent": "office", "affordances": ["release"]},
        {"id": "shelf", "type": "asset", "parent": "kitchen"},
        {"id": "crate", "type": "object", "parent": "shelf", "relation": "ontop_of"}
        | {"affordances": ["release", "contain"]},
        {"id": "pear", "type": "object", "parent": "table", "relation": "ontop_of"}
        | {"affordances": ["pickup"]},
        {"id": "robot", "type": "agent", "at": "office"},
    ]
    links = [{"a": "kitchen", "b": "office", "length": 3}]
    scene = {"format": "groundplan-scene", "version": 1, "name": "crate", "nodes": nodes, "links": links}
    path = tmp_path / "crate.json"
    path.write_text(json.dumps(scene))
    goal = "(and (in_room pear kitchen) (hand_free))"
    record = cli("plan", "--scene", path, "--goal", goal, "--engine", "fast-downward-opt", "--json").json
    assert record["optimal"] and record["bound"] == 3.2
    ran = cli("certify", "-", "--scene", path, "--json", stdin=json.dumps(record))
    assert ran.json["fields"]["bound"]["status"] == ran.json["fields"]["optimal"]["status"] == "rechecked"


@pytest.mark.parametrize(
    "change",
    [
        {"bound": 999.0},
        {"optimal": True, "bound": 1.0},
        {"optimal": True, "bound": None},
        {"verified": False},
    ],
)
def test_a_record_that_contradicts_itself_is_refused(cli, change):
    record = cli("plan", "--scene", "office", "--goal", "(robot_at fridge)", "--json").json | change
    ran = cli("certify", "-", "--scene", "office", stdin=json.dumps(record))
    assert ran.code == 1 and "refused" in ran.out and ran.last == "not certified"


def test_an_outcome_that_claims_nothing_is_not_certified(cli):
    ran = cli("plan", "--scene", "office", "--goal", "(flies fridge)", "--json")
    assert ran.json["outcome"] == "goal-error"
    assert cli("certify", "-", "--scene", "office", stdin=ran.out).code in (1, 2)


def test_what_a_rule_excludes_is_certified_with_its_reasons(cli, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_text("(always (imply (robot_at kitchen) (hand_free)))\n", encoding="utf-8")
    scene = ("--scene", "office", "--rules", str(rules))
    record = cli("plan", *scene, "--goal", "(inside_of apple1 fridge)", "--json").json
    assert record["outcome"] == "goal-error" and record["certificate"]["kind"] == "states"
    ran = cli("certify", "-", *scene, "--strict", stdin=json.dumps(record))
    assert ran.code == 0 and ran.last == "certified"
    forged = record | {"reasons": ["1:1: error[rule]: the fridge is broken"]}
    ran = cli("certify", "-", *scene, stdin=json.dumps(forged))
    assert ran.code == 1 and "refused" in ran.out


def test_a_claim_that_was_not_rechecked_is_named_last(cli):
    """What is claimed here takes more facts than are gone through; the plan itself is right."""
    goal = "(and (in_room apple1 kitchen) (in_room banana1 lobby) (closed fridge))"
    record = cli("plan", "--scene", "office", "--goal", goal, "--json").json
    assert record["outcome"] == "verified"
    modest = record | {"optimal": False, "bound": None}
    ran = cli("certify", "-", "--scene", "office", "--strict", stdin=json.dumps(modest))
    assert ran.code == 1 and ran.last == "certified, but not what it says of order_bound, order_cost"
    bold = record | {"optimal": True, "bound": record["cost"]}
    arguments = ("certify", "-", "--scene", "office")
    ran = cli(*arguments, stdin=json.dumps(bold))
    assert (
        ran.code == 0
        and ran.last == "certified, but not what it says of optimal, bound, order_bound, order_cost"
    )
    assert cli(*arguments, "--strict", stdin=json.dumps(bold)).code == 1
    ran = cli(*arguments, "--json", stdin=json.dumps(bold))
    assert ran.json["certified"] and ran.json["unchecked"] == [
        "optimal",
        "bound",
        "order_bound",
        "order_cost",
    ]


def test_a_search_without_a_plan_has_nothing_to_recheck_and_is_said_to(cli, tmp_path):
    pytest.importorskip("shapely")
    house = ("--task", "multi-object-search-gen_000")
    cli("plan", *house, "--method", "nearest-door", "--out", tmp_path / "run")
    ran = cli("certify", tmp_path / "run", *house)
    assert ran.code == 2 and "expected a plan, a query or a proof to recheck, got none" in ran.err
    assert "is this the scene" not in ran.err
    record = json.loads((tmp_path / "run" / "record.json").read_text())
    forged = json.dumps(record | {"outcome": "verified", "plan": ["goto(room|1)"]})
    assert "hash of the scene" in cli("certify", "-", *house, stdin=forged).err, "a plan needs its hashes"
