"""`groundplan pack`: a new pack plans at once, and a pack is checked with file and line."""

import json
import re
import shlex

import jsonschema
import pytest

from groundplan.commands.output.folder import write_folder
from groundplan.commands.schema import output_schema
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack


def planned_by_the_line(cli, out):
    """Run the command after ``plan:`` of what `pack new` prints."""
    line = next(line for line in out.splitlines() if line.startswith("plan: "))
    return cli(*shlex.split(line.removeprefix("plan: "))[1:])


@pytest.mark.parametrize("name", ["lab", "my lab", "deeper/still/lab"])
def test_a_new_pack_plans_at_once_and_has_no_findings(cli, tmp_path, name):
    folder = tmp_path / name
    ran = cli("pack", "new", folder)
    assert ran.code == 0
    assert sorted(p.name for p in folder.iterdir()) == sorted(
        ["domain.pddl", "language.toml", "mapping.toml", "scene.json"]
    )
    plan = planned_by_the_line(cli, ran.out)
    assert plan.code == 0
    assert plan.last.startswith("verified: 17 steps")
    checked = cli("pack", "check", folder, "--scene", folder / "scene.json", "--json")
    assert checked.code == 0
    assert checked.json["findings"] == []
    assert checked.json["pack"] == folder.name


def test_every_action_of_a_new_pack_can_be_done(cli, tmp_path):
    folder = tmp_path / "lab"
    cli("pack", "new", folder)
    goal = "(and (measured vial1) (stopped spectrometer1) (lies_on vial1 shelf1) (robot_at store))"
    ran = cli("plan", "--scene", folder / "scene.json", "--pack", folder, "--goal", goal, "--json")
    assert {a["name"] for a in ran.json["actions"]} == {
        "drive",
        "take",
        "put",
        "start",
        "stop",
        "measure",
        "warm_up",
    }


def test_a_folder_that_is_filled_meanwhile_gets_no_hint_to_an_option_that_is_not_there(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="choose another name"):
        write_folder(tmp_path, {"mapping.toml": ""}, None)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


def test_files_are_not_written_over(cli, tmp_path):
    assert cli("pack", "new", tmp_path / "lab").code == 0
    before = {p: p.read_bytes() for p in (tmp_path / "lab").iterdir()}
    ran = cli("pack", "new", tmp_path / "lab")
    assert ran.code == 2
    assert ran.err.endswith("expected a new or empty folder, got one with files; choose another name\n")
    assert {p: p.read_bytes() for p in (tmp_path / "lab").iterdir()} == before


@pytest.mark.parametrize("name", ["household", "household-locks", "grasif", "search"])
def test_the_built_in_packs_have_no_findings(cli, name):
    ran = cli("pack", "check", name)
    assert ran.code == 0
    assert ran.last == "no findings"


def lab(cli, tmp_path, file, old, new):
    folder = tmp_path / "lab"
    cli("pack", "new", folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


def test_findings_are_printed_with_their_place(cli, tmp_path):
    folder = lab(cli, tmp_path, "mapping.toml", '"(spectrometer ?x)"', '"(spectrometer ?y)"')
    line = (folder / "mapping.toml").read_text(encoding="utf-8").split("spectrometer = ")[0].count("\n") + 1
    ran = cli("pack", "check", folder, "--json")
    assert ran.code == 1
    assert ran.json["findings"] == [
        {
            "code": "fact-of-parent",
            "where": f"{folder}/mapping.toml:{line}",
            "message": "classes.spectrometer: (spectrometer ?y) is said of the parent; of the node itself"
            " it is (spectrometer ?x)",
        }
    ]
    text = cli("pack", "check", folder)
    assert text.code == 1
    assert text.last == "1 finding"


def test_a_pack_that_cannot_be_loaded_is_bad_input(cli, tmp_path):
    folder = lab(cli, tmp_path, "domain.pddl", "(spectrometer ?b) (running", "(spectrometre ?b) (running")
    ran = cli("pack", "check", folder)
    assert ran.code == 2
    assert "domain.pddl:" in ran.err
    assert "did you mean 'spectrometer'?" in ran.err


def test_goals_of_examples_are_read(cli, tmp_path):
    folder = lab(cli, tmp_path, "language.toml", "(and (measured blank4)", "(and (measured blank4) (or)) (")
    ran = cli("pack", "check", folder, "--json")
    assert [f["code"] for f in ran.json["findings"]] == ["example"]


def test_a_scene_is_compared_with_the_groups(cli, tmp_path):
    folder = lab(cli, tmp_path, "mapping.toml", "[exclusive]\n", '[exclusive]\nshelf = ["(lies_on * ?y)"]\n')
    ran = cli("pack", "check", folder, "--scene", folder / "scene.json", "--json")
    assert [f["code"] for f in ran.json["findings"]] == ["not-exclusive", "scene-breaks-group"]
    assert ran.json["findings"][1]["message"] == (
        "exclusive.shelf: (lies_on vial1 shelf1) and (lies_on vial2 shelf1) both hold in this scene"
    )
    scene = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    scene["nodes"][4]["state"] = ["humming"]
    (folder / "scene.json").write_text(json.dumps(scene), encoding="utf-8")
    assert (
        "a state that the pack knows, got humming"
        in cli("pack", "check", folder, "--scene", folder / "scene.json").err
    )


@pytest.mark.parametrize(
    "goal",
    [
        "(forall (?v - vial) (not-holding ?v))",
        "(or (not-holding vial1) (and (not-holding vial2) (acting spectrometer1) (not (holding vial2))))",
        "(and (not (holding vial1)) (at-least 1 (?v - vial) (and (not (holding ?v)) (not-holding ?v))))",
        "(and (not (robot_at shelf1)) (not-holding vial1) (sometime (ended spectrometer1)))",
    ],
)
@pytest.mark.parametrize("engine", ["pyperplan", "fast-downward"])
def test_a_pack_may_use_the_words_that_the_compiler_uses(cli, tmp_path, goal, engine):
    folder = tmp_path / "lab"
    cli("pack", "new", folder)
    words = {"warm": "ended", "running": "acting", "measured": "not-holding", "stopped": "route"}
    words |= {"measure": "note-0", "start": "end-acting", "take": "show-1"}
    for file in folder.iterdir():
        text = file.read_text(encoding="utf-8")
        for old, new in words.items():
            text = re.sub(rf"(?<![\w-]){old}(?![\w-])", new, text)
        file.write_text(text, encoding="utf-8")
    assert cli("pack", "check", folder).code == 0
    ran = cli(
        "plan",
        "--scene",
        folder / "scene.json",
        "--pack",
        folder,
        "--goal",
        goal,
        "--engine",
        engine,
        "--json",
    )
    assert ran.json["outcome"] == "verified"


@pytest.mark.parametrize("name", ["household", "grasif-looking", "search", "household-locks"])
def test_a_pack_shows_what_goals_may_say(cli, name):
    made = cli("pack", "show", name, "--json").json
    jsonschema.validate(made, output_schema("pack-show"))
    facts = {fact["predicate"]: fact for fact in made["predicates"]}
    assert set(facts) == set(load_pack(name).public_predicates())
    assert all(fact["form"] in cli("pack", "show", name).out for fact in made["predicates"])


def test_what_a_predicate_needs_is_said_of_its_own_arguments(cli):
    facts = {
        fact["predicate"]: fact for fact in cli("pack", "show", "household", "--json").json["predicates"]
    }
    inside = facts["inside_of"]
    assert inside["form"] == "(inside_of ?i - item ?x - object)" and inside["says"] == "?i is inside ?x"
    assert inside["needs"] == ["(can_pickup ?i)", "(can_release ?x)", "(container ?x)"]
    assert facts["in_room"]["derived"] and facts["attached_to"]["added_by"] == []
