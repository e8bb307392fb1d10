"""Forged records: what a person reads and a robot drives by is computed again, whatever the hashes say."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest

from groundplan.commands import main
from groundplan.commands.derived import HISTORY
from groundplan.commands.schema import output_schema
from groundplan.domains.pack import template_texts
from groundplan.robot.conformity import nonconformity

GOAL, OTHER = "(measured vial1)", "(lies_on vial2 spectrometer1)"
IMPOSSIBLE = "(exists (?v - vial) (and (holding ?v) (running shelf1)))"
OFFICE = ("--scene", "office")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The options of a small world: the template of packs."""
    folder = tmp_path_factory.mktemp("lab")
    for name, text in template_texts().items():
        folder.joinpath(name).write_text(text, encoding="utf-8")
    return ("--scene", str(folder / "scene.json"), "--pack", str(folder))


@pytest.fixture(scope="module")
def folders(tmp_path_factory, lab):
    """Folders of two honest runs: that which is forged, and that of another plan."""
    place = tmp_path_factory.mktemp("runs")
    for name, goal in (("mine", GOAL), ("other", OTHER)):
        assert main(["plan", *lab, "--goal", goal, "--out", str(place / name)]) == 0
    return place


def sealed(folder, **changes):
    """Change a record, and put the hashes of the files beside it and of itself right."""
    record = json.loads((folder / "record.json").read_text()) | changes
    files = [name for name in record["files"] if (folder / name).exists()]
    record["files"] = {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in files}
    (folder / "record.json").write_text(json.dumps(record))
    times = json.loads((folder / "timings.json").read_text())
    own = hashlib.sha256((folder / "record.json").read_bytes()).hexdigest()
    (folder / "timings.json").write_text(json.dumps(times | {"record": own}))


def refused(cli, folder, lab):
    ran = cli("certify", folder, *lab, "--json")
    assert ran.code in (0, 1)
    wrong = {key for key, field in ran.json["fields"].items() if field["status"] == "refused"}
    assert (ran.code == 1 and not ran.json["certified"]) == bool(wrong)
    return wrong


def test_an_honest_record_is_certified_strictly(cli, lab, folders, tmp_path):
    assert cli("certify", folders / "mine", *lab, "--strict").last == "certified"
    shutil.copytree(folders / "mine", tmp_path / "copy")
    sealed(tmp_path / "copy")
    assert not refused(cli, tmp_path / "copy", lab)


@pytest.mark.parametrize(
    "name",
    ["goal.txt", "plan.svg", "plan.txt", "program.json", "domain.pddl", "problem.pddl", "symbols.json"],
)
def test_a_file_of_another_run_is_refused(cli, lab, folders, tmp_path, name):
    folder = shutil.copytree(folders / "mine", tmp_path / "run")
    shutil.copy(folders / "other" / name, folder / name)
    sealed(folder)
    assert refused(cli, folder, lab) == {"files"}


@pytest.mark.parametrize("listed", [None, ["certificate.json"], ["executed.txt", "certificate.json"]])
def test_a_file_that_the_record_does_not_list_is_refused(cli, lab, folders, tmp_path, listed):
    folder = shutil.copytree(folders / "mine", tmp_path / "run")
    shutil.copy(folders / "other" / "program.json", folder / "program.json")
    record = json.loads((folder / "record.json").read_text())
    del record["files"]
    (folder / "record.json").write_text(
        json.dumps(record | ({"files": dict.fromkeys(listed, "")} if listed else {}))
    )
    (folder / "timings.json").unlink()
    for path in (folder, folder / "record.json"):
        assert refused(cli, path, lab) == {"files"}
    alone = tmp_path / "alone" / "record.json"
    alone.parent.mkdir()
    shutil.copy(folder / "record.json", alone)
    assert not refused(cli, alone, lab)


def test_files_beside_a_record_that_lists_none_are_named(cli, lab, folders, tmp_path):
    """A record under another name may be of another run; what lies beside it was not compared."""
    folder = shutil.copytree(folders / "mine", tmp_path / "run")
    record = json.loads((folder / "record.json").read_text())
    del record["files"]
    mine = folder / "mine.json"
    mine.write_text(json.dumps(record))
    for name in ("record.json", "timings.json"):
        (folder / name).unlink()
    for name in ("plan.txt", "program.json"):
        shutil.copy(folders / "other" / name, folder / name)
    ran = cli("certify", mine, *lab, "--json")
    assert ran.code == 0 and ran.json["unchecked"] == ["files"]
    assert "plan.txt, problem.pddl, program.json" in ran.json["fields"]["files"]["detail"]
    assert cli("certify", mine, *lab, "--strict").code == 1
    alone = tmp_path / "mine.json"
    shutil.copy(mine, alone)
    assert cli("certify", alone, *lab, "--strict").last == "certified"


def test_a_certificate_that_the_record_does_not_name_is_not_rechecked(cli, lab, folders, tmp_path):
    folder = shutil.copytree(folders / "mine", tmp_path / "run")
    (folder / "certificate.json").write_text("{}")
    record = json.loads((folder / "record.json").read_text())
    sealed(folder, files=record["files"] | {"certificate.json": ""})
    assert cli("certify", folder, *lab).last == "certified, but not what it says of files"
    assert cli("certify", folder, *lab, "--strict").code == 1


def test_a_key_that_is_there_twice_is_refused(cli, lab, folders):
    """People read the first, and a parser keeps the last."""
    text = (folders / "mine" / "record.json").read_text()
    twice = text.replace("{", '{"plan": ["open(fridge)"], ', 1)
    ran = cli("certify", "-", *lab, stdin=twice)
    assert ran.code == 2 and "plan twice" in ran.err


def test_a_hash_of_something_else_is_refused(cli, lab, folders, tmp_path):
    folder = shutil.copytree(folders / "mine", tmp_path / "run")
    hashes = json.loads((folder / "record.json").read_text())["hashes"]
    sealed(folder, hashes=hashes | {"world": hashes["belief_before"]})
    assert refused(cli, folder, lab) == {"hashes"}


@pytest.mark.parametrize("key", ["says", "actions", "plan", "diagnostics"])
def test_a_key_of_another_run_is_refused(cli, lab, folders, tmp_path, key):
    folder = shutil.copytree(folders / "mine", tmp_path / "run")
    other = json.loads((folders / "other" / "record.json").read_text())[key]
    changed = other or [{"code": "vacuous", "severity": "warning", "message": "m", "span": None, "fixes": []}]
    sealed(folder, **{key: changed})
    assert key in refused(cli, folder, lab)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"verified": None}, "verified"),
        ({"verified": 1}, "verified"),
        ({"executable": "yes"}, "executable"),
        ({"optimal": None}, "optimal"),
        ({"violations": None}, "violations"),
        ({"metres": "32"}, "metres"),
        ({"actions": {}}, "actions"),
        ({"replans": 0.5}, "replans"),
        ({"looks": [7]}, "looks"),
        ({"errands": [{}]}, "errands"),
        ({"mode": "somehow"}, "mode"),
        ({"why": "2 parts share no changing fact; the order of these plans is exact"}, "why"),
        ({"exhausted": ["kitchen"]}, "exhausted"),
        ({"proof": "fixed facts (1 statement)"}, "proof"),
        ({"losses": [{"kind": "lost", "id": "x", "reason": "gone", "count": 1}]}, "losses"),
        ({"left": [{"fact": "(idle spectrometer1)", "why": "irreversible"}]}, "left"),
    ],
)
def test_wrong_types_and_claims_without_ground_are_refused(cli, lab, folders, tmp_path, change, key):
    folder = shutil.copytree(folders / "mine", tmp_path / "run")
    sealed(folder, **change)
    assert key in refused(cli, folder, lab)


def test_one_action_more_or_another_event_is_refused(cli, lab, folders, tmp_path):
    honest = json.loads((folders / "mine" / "record.json").read_text())["actions"]
    nonsense = {"name": "explode", "args": [], "event": False}
    flipped = [{**a, "event": not a["event"]} for a in honest]
    for number, actions in enumerate(([*honest, nonsense], [*honest, honest[0]], honest[:-1], flipped, [])):
        folder = shutil.copytree(folders / "mine", tmp_path / str(number))
        sealed(folder, actions=actions)
        assert "actions" in refused(cli, folder, lab)


def test_a_program_for_another_place_is_refused(cli, lab):
    record = cli("plan", *lab, "--goal", GOAL, "--json").json
    assert cli("certify", "-", *lab, "--strict", stdin=json.dumps(record)).code == 0
    for change in ({"position": [0.0, 0.0, 0.0]}, {"skill": "drop"}, {"expects": []}, {"serves": None}):
        commands = [dict(c) | change for c in record["program"]["commands"]]
        forged = record | {"program": record["program"] | {"commands": commands}}
        ran = cli("certify", "-", *lab, "--json", stdin=json.dumps(forged))
        assert ran.code == 1 and ran.json["fields"]["program"]["status"] == "refused"


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"plan": ["goto(corridor)"]}, "plan"),
        ({"verified": True}, "verified"),
        ({"cost": 3.0, "bound": 3.0, "optimal": True}, "optimal"),
        ({"reasons": ["the robot is tired"]}, "reasons"),
        ({"proof": "fixed facts (7 statements)"}, "proof"),
        ({"says": "Take vial1."}, "says"),
    ],
)
def test_beside_a_proof_there_is_no_plan_and_no_other_reason(cli, lab, change, key):
    record = cli("plan", *lab, "--goal", IMPOSSIBLE, "--json").json
    assert cli("certify", "-", *lab, stdin=json.dumps(record)).last == "certified"
    ran = cli("certify", "-", *lab, "--json", stdin=json.dumps(record | change))
    assert ran.code == 1 and ran.json["fields"][key]["status"] == "refused"


def test_the_words_of_an_answer_are_computed_again(cli):
    record = cli("plan", *OFFICE, "Is the fridge open?", "--json").json
    assert cli("certify", "-", *OFFICE, stdin=json.dumps(record)).last == "certified"
    for change in ({"reply": "Yes: fridge is open."}, {"plan": ["goto(pose13)"]}, {"verified": True}):
        ran = cli("certify", "-", *OFFICE, "--json", stdin=json.dumps(record | change))
        assert ran.code == 1 and ran.json["fields"][next(iter(change))]["status"] == "refused"


def test_what_was_done_elsewhere_is_named_as_not_rechecked(cli, lab, folders, tmp_path):
    folder = shutil.copytree(folders / "mine", tmp_path / "run")
    (folder / "plan.svg").unlink()  # it would not be that of the record
    sealed(folder, executed=["goto(corridor)"])
    ran = cli("certify", folder, *lab, "--json")
    assert "actions" in ran.json["unchecked"] and "files" in ran.json["unchecked"]
    assert cli("certify", folder, *lab, "--strict").code == 1


FORGERIES = ("another", "split", ["another"], [{}], {"another": "another"}, {"another": 70}, 70, True, False)
"""Values of all types; of those that a key may have, the first is one that no run of these had."""


@pytest.mark.parametrize("asked", [("--goal", GOAL), ("--goal", IMPOSSIBLE), ("How many vials are there?",)])
def test_every_key_of_the_schema_is_refused_or_named_where_it_is_forged(cli, lab, asked):
    """Only what tells of the programs that ran, and not of scene, goal or plan, is believed in silence."""
    record = cli("plan", *lab, *asked, "--json").json
    assert cli("certify", "-", *lab, "--strict", stdin=json.dumps(record)).last == "certified"
    schema, believed = output_schema("record"), set()
    for key, part in schema["properties"].items():
        fits = [value for value in FORGERIES if not nonconformity(value, part, schema, lenient=True)]
        value = not record[key] if isinstance(record.get(key), bool) else fits[0] if fits else "another"
        assert value != record.get(key)
        if cli("certify", "-", *lab, "--strict", stdin=json.dumps(record | {key: value})).code == 0:
            believed.add(key)
    assert believed <= HISTORY | {"files"}  # a list of files, none of which is here


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"why": "the engine found it by itself"}, "why"),
        ({"errands": ["(measured vial2)"]}, "errands"),
        ({"errands": [OTHER, GOAL]}, "errands"),
        ({"reasons": ["the robot is tired"]}, "reasons"),
        ({"instruction": "Measure vial2."}, "instruction"),
        ({"looks": ["lab"], "replans": 2}, "replans"),
    ],
)
def test_what_nobody_can_recheck_is_named_last(cli, lab, folders, tmp_path, change, key):
    folder = shutil.copytree(folders / "mine", tmp_path / "run")
    if "instruction" in change or "reasons" in change:
        sealed(folder, **change)
        assert refused(cli, folder, lab) == (
            {"files"} if key == "instruction" else set()
        )  # the picture says it
    (folder / "plan.svg").unlink()
    sealed(folder, **change)
    assert cli("certify", folder, *lab).last.endswith(key)
    assert cli("certify", folder, *lab, "--strict").code == 1


def test_the_domain_of_the_pack_beside_a_record_is_no_file_of_a_run(cli, lab, folders, tmp_path):
    """`plan --json > record.json` in the folder of a pack; another pack's domain there is refused."""
    record = cli("plan", *lab, "--goal", GOAL, "--json").json
    domain = template_texts()["domain.pddl"]
    for name in ("pack", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "record.json").write_text(json.dumps(record))
        (tmp_path / name / "domain.pddl").write_text(domain)
    for name, text in template_texts().items():
        (tmp_path / "pack" / name).write_text(text)
    own = ("--scene", str(tmp_path / "pack" / "scene.json"), "--pack", str(tmp_path / "pack"))
    assert cli("certify", tmp_path / "pack" / "record.json", *own, "--strict").last == "certified"
    assert refused(cli, tmp_path / "elsewhere" / "record.json", own) == {"files"}
    shutil.copy(folders / "other" / "program.json", tmp_path / "pack" / "program.json")
    assert refused(cli, tmp_path / "pack" / "record.json", own) == {"files"}


def test_a_list_that_was_emptied_is_no_whole_list(cli):
    """The parts of a plan are all listed, and an empty hand that was added is not taken for one asked for."""
    parts = cli("plan", *OFFICE, "--goal", "(and (ontop_of stapler2 desk5) (closed cabinet5))", "--json").json
    ran = cli("certify", "-", *OFFICE, stdin=json.dumps(parts | {"errands": []}))
    assert ran.code == 1 and "errands refused" in ran.out
    ran = cli("certify", "-", *OFFICE, stdin=json.dumps(parts | {"errands": parts["errands"][:1]}))
    assert ran.code == 1 and "errands refused" in ran.out
    added = cli("plan", *OFFICE, "--goal", "(in_room parcel mobile_robotics_lab)", "--json").json
    assert added["added"] == ["(hand_free)"]
    ran = cli("certify", "-", *OFFICE, "--strict", stdin=json.dumps(added | {"added": []}))
    assert ran.code == 1 and ran.last == "certified, but not what it says of added"
    del added["added"]  # a list that is missing says what an empty one says
    ran = cli("certify", "-", *OFFICE, "--strict", stdin=json.dumps(added))
    assert ran.code == 1 and ran.last == "certified, but not what it says of added"


def test_what_a_plan_leaves_otherwise_is_listed(cli, tmp_path):
    nodes = [
        {"id": "hall", "type": "room"},
        {"id": "hatch", "type": "asset", "parent": "hall", "affordances": ["open", "close"]},
        {"id": "table", "type": "asset", "parent": "hall", "affordances": ["release"]},
        {"id": "pear", "type": "object", "parent": "table", "relation": "ontop_of"}
        | {"affordances": ["pickup"]},
        {"id": "robot", "type": "agent", "at": "hall"},
    ]
    scene = {"format": "groundplan-scene", "version": 1, "name": "h", "nodes": nodes, "links": []}
    path = tmp_path / "hall.json"
    path.write_text(json.dumps(scene))
    held = cli("plan", "--scene", path, "--goal", "(sometime (holding pear))", "--no-tidy", "--json").json
    ran = cli("certify", "-", "--scene", path, "--json", stdin=json.dumps(held))
    detail = "(hand_free) was found so, and is not so at the end"
    assert ran.json["unchecked"] == ["left"] and ran.json["fields"]["left"]["detail"] == detail
    listed = held | {"left": [{"fact": "(hand_free)", "why": "not-found"}]}
    ran = cli("certify", "-", "--scene", path, "--strict", stdin=json.dumps(listed))
    assert ran.code == 1 and ran.last == "certified, but not what it says of left"
    other = held | {"left": [{"fact": "(closed hatch)", "why": "irreversible"}]}
    ran = cli("certify", "-", "--scene", path, stdin=json.dumps(other))
    assert ran.code == 1 and "left refused" in ran.out
