"""Whatever comes in: a message with a place and a suggestion, exit code 2, nothing changed, no traceback."""

import json
import os

import pytest

from groundplan.datasets.scenes import open_scene
from groundplan.simulator.scene_json import scene_to_json

GOAL = "(closed fridge)"
NODES = [
    {"id": "lab", "type": "room"},
    {"id": "fridge", "type": "asset", "parent": "lab", "affordances": ["open", "close"], "state": ["open"]},
    {"id": "me", "type": "agent", "parent": "lab"},
]
HOSTILE = [
    "[/bad]", "[bold]x[/bold]", "\x1b]52;c;aGk=\x07", "\x1b[2J", "\u202ereversed", "a\nb: error", "\u2028",
    "a\rb", "a) (goal", "fridge ", "\x9b31m", "\ud800", "x" * 10_000, ":smile:", "\x7f", "日本語",
]  # fmt: skip


def scene(*nodes, links=(), **more):
    return {
        "format": "groundplan-scene",
        "version": 1,
        "name": "test",
        "nodes": list(nodes),
        "links": list(links),
        **more,
    }


def names(word):
    """A scene whose every node is called something odd."""
    return scene(
        {"id": f"room {word}", "type": "room"},
        {
            "id": f"box {word}", "type": "asset", "parent": f"room {word}",
            "affordances": ["open", "close", "release"], "state": ["closed"],
        },
        {"id": f"thing {word}", "type": "object", "parent": f"box {word}", "relation": "inside_of",
         "affordances": ["pickup"], "attributes": [f"very {word}"]},
        {"id": word, "type": "agent", "parent": f"room {word}"},
    )  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def file(content, name="scene.json"):
        path = tmp_path / name
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return file


def refused(ran, *words):
    assert ran.code == 2, ran
    assert ran.out == ""
    for word in words:
        assert word in ran.err, ran.err
    assert ran.err.replace("\n", "").isprintable()


CYCLE = [
    {"id": "a", "type": "object", "parent": "b", "relation": "inside_of"},
    {"id": "b", "type": "object", "parent": "a", "relation": "inside_of"},
]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"format": "groundplan-scene", "nodes": [', ["JSON", "truncated", "get the whole file again"]),
        ("nodes: []", ["JSON", ":1:1"]),
        ("", ["JSON"]),
        ("[1, 2]", ["object"]),
        ("[" * 100_000, ["JSON"]),
        (b"\xff\xfe{}", ["UTF-8"]),
        ({"format": "other", "nodes": []}, ["format"]),
        (scene(*NODES) | {"version": 99}, ["version", "99"]),
        (scene(*NODES) | {"nods": []}, ["nods"]),
        (scene(*NODES, *CYCLE), ["cycle", "a → b → a", "another parent"]),
        (scene(*NODES, {"id": "x", "type": "object", "parent": "fridg"}), ["fridg", "did you mean 'fridge'"]),
        (scene(*NODES, NODES[0]), ["unique", "lab", "nodes[0]", "another id"]),
        (scene(*NODES, {"id": "y", "type": "asse", "parent": "lab"}), ["did you mean 'asset'"]),
        (scene(*NODES, {"id": "", "type": "room"}), ["non-empty"]),
        (scene(*NODES[:2]), ["agent"]),
        (scene(*NODES, links=[{"a": "lab", "b": "nowhere"}]), ["nowhere"]),
        (scene(*NODES, links=[{"a": "lab", "b": "fridge"}]), ["poses or rooms"]),
        (scene(*NODES, {"id": "z", "type": "asset", "parent": "lab", "state": ["opn"]}), ["mean 'open'"]),
        (
            scene(*NODES, {"id": "z", "type": "asset", "parent": "lab", "state": ["open", "closed"]}),
            ["node z", "open and closed", "leave one of them out"],
        ),
        (scene(*NODES, {"id": "p", "type": "pose", "position": [0, 0, "x"]}), ["three numbers"]),
        ('{"nodes": [{"id": "p", "type": "pose", "position": [NaN, 0, 0]}]}', ["NaN"]),
    ],
)  # fmt: skip
def test_scenes_that_are_none(cli, write, content, words):
    path = write(content)
    before = path.read_bytes()
    for verb in (["plan", "--goal", GOAL], ["check", "--goal", GOAL], ["scene", "validate"]):
        refused(cli(*verb, "--scene", path), *words)
    assert path.read_bytes() == before


def test_files_that_cannot_be_read(cli, tmp_path):
    refused(cli("plan", "--scene", tmp_path / "no.json", "--goal", GOAL), "No such file")
    refused(cli("plan", "--scene", tmp_path, "--goal", GOAL), "none of the folder formats")
    refused(cli("plan", "--scene", "x" * 5000, "--goal", GOAL), "scene")
    refused(cli("plan", "--scene", "x/" * 3000, "--goal", GOAL), "too long")
    refused(cli("plan", "--scene", "offfice", "--goal", GOAL), "did you mean 'office'")
    refused(cli("plan", "--scene", "office", "--goal", f"@{tmp_path / 'none'}"), "No such file")
    refused(cli("simulate", "--scene", "office", "--plan", tmp_path / "none"), "No such file")
    if os.geteuid() != 0:
        (tmp_path / "secret.json").write_text("{}")
        (tmp_path / "secret.json").chmod(0)
        refused(cli("plan", "--scene", tmp_path / "secret.json", "--goal", GOAL), "Permission denied")


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("", ["empty"]),
        ("   ; nothing\n", ["empty"]),
        ("(" * 100_000, ["too-deep", "200"]),
        ("(and " * 40_000, ["too-deep"]),
        ("(closed frigde)", ["unknown-node", "fridge"]),
        ("(closd fridge)", ["unknown-predicate", "closed"]),
        ("(closed fridge cabinet)", ["arity", "takes 1"]),
        ("(forall (?x - dezk) (closed ?x))", ["unknown-class", "desk"]),
        ("(closed ?x)", ["unbound-variable"]),
        ("(closed chair2)", ["affordance"]),
        ("(and (open fridge) (closed fridge))", ["contradiction"]),
        ("(not (dirty plate))", ["irreversible", "(clean plate)"]),
        ("(closed fridge))", ["syntax"]),
        ("(closed [/bad])", ["unknown-node", "[/bad]"]),
        ("(closed \x1b[2J\x07)", ["unknown-node", "\\u001b"]),
        ('(closed "unfinished)', ["syntax"]),
        ("\x00", ["syntax"]),
    ],
)
def test_goals_that_are_none(cli, goal, words):
    ran = cli("plan", "--scene", "office", "--goal", goal)
    assert ran.code == 2
    for word in words:
        assert word in ran.err, ran.err
    assert (ran.out + ran.err).replace("\n", "").isprintable()
    told = cli("plan", "--scene", "office", "--goal", goal, "--json")
    assert told.code == 2 and told.json["outcome"] == "goal-error" and told.json["diagnostics"]
    checked = cli("check", "--scene", "office", "--goal", goal, "--format", "json")
    assert checked.code == 1 and checked.json["diagnostics"] == told.json["diagnostics"]


def test_the_caret_stands_below_what_is_wrong(cli):
    for goal in (
        "(and (closed fridge)\n\t(closed frigde))",
        "(and " + "(closed fridge) " * 400 + "(closed frigde))",
        '(and (closed "日本語日本語") (closed frigde))',
    ):
        lines = cli("check", "--scene", "office", "--goal", goal).out.splitlines()
        at = max(i for i, line in enumerate(lines) if line.strip() == "^^^^^^")
        column = lines[at].index("^")
        wide = sum(2 if ord(c) > 0x2E80 else 1 for c in lines[at - 1][:column])
        text = lines[at - 1][column - (wide - column) :]
        assert text.startswith("frigde") and len(lines[at - 1]) < 200


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("pickup apple", ["plan", ":1", "pickup(apple3)"]),
        ('goto(pose13)\ngoto("pose', [":2"]),
        ("[1, 2]", ["list of steps"]),
        ('["goto(pose13)"', ["JSON"]),
        ("[" * 100_000, ["JSON"]),
        (b"\xff", ["UTF-8"]),
    ],
)
def test_plans_that_are_none(cli, write, plan, words):
    refused(cli("simulate", "--scene", "office", "--plan", write(plan, "plan")), *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["plna"], ["did you mean plan"]),
        (["plan", "--scene", "office"], ["INSTRUCTION"]),
        (["plan", "--goal", GOAL], ["--scene"]),
        (["plan", " ", "--scene", "office"], ["empty"]),
        (["plan", "--scene", "office", "--goal", GOAL, "--reader", "embedded"], ["--reader"]),
        (["plan", "go", "--scene", "office", "--reader", "embeded"], ["did you mean 'embedded'"]),
        (["plan", "--scene", "office", "--goal", GOAL, "--timeout", "0"], ["positive"]),
        (["plan", "--scene", "office", "--goal", GOAL, "--timeout", "nan"], ["positive"]),
        (["plan", "--scene", "office", "--goal", GOAL, "--timeout", "soon"], ["soon"]),
        (["plan", "--scene", "office", "--goal", GOAL, "--memory", "-1"], ["positive"]),
        (["plan", "--scene", "office", "--goal", GOAL, "--pack", "houshold"], ["did you mean 'household'"]),
        (["plan", "--task", "office-planning-simple-1"], ["did you mean 'office-planning-simple-"]),
        (
            ["plan", "--scene", "office", "--goal", GOAL, "--engine", "pyperplann"],
            ["did you mean 'pyperplan'"],
        ),
        (
            ["plan", "--scene", "office", "--goal", GOAL, "--engine", "\x1b]52;c;aGk=\x07"],
            ["name of an engine"],
        ),
        (["plan", "--scene", "office", "--goal", GOAL, "--out", ""], ["--out", "name of a folder"]),
        (["compile", "--scene", "office", "--goal", GOAL, "--out", ""], ["--out", "name of a folder"]),
        (["plan", "--nonsense", "\x1b[2J"], ["--nonsense"]),
        (["tasks", "show", "[/bad]"], ["[/bad]"]),
        (["scene", "convert", "office", "office.xml"], ["--to"]),
        (["check", "--scene", "office"], ["--goal"]),
        (["simulate", "--scene", "office"], ["--plan"]),
        (["\u202eplan"], ["\\u202e"]),
    ],
)
def test_arguments_that_make_no_sense(cli, arguments, words):
    refused(cli(*arguments), *words)


@pytest.mark.parametrize("word", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_shown_escaped_and_work(cli, write, tmp_path, word):
    path = write(names(word))
    goal = json.dumps(f"thing {word}").join(("(ontop_of ", " ")) + json.dumps(f"box {word}") + ")"
    out = tmp_path / "out"
    ran = cli("plan", "--scene", path, "--goal", goal, "--out", out)
    assert ran.code == 0, ran
    assert ran.last.startswith("verified: ")
    for file in out.iterdir():
        assert file.read_text().replace("\n", "").isprintable(), file
    again = cli("simulate", "--scene", path, "--plan", out / "plan.txt", "--goal", f"@{out / 'goal.txt'}")
    shown = cli("scene", "show", path)
    for text in (ran.out, again.out, shown.out, cli("scene", "validate", path).out):
        assert text.replace("\n", "").isprintable()
    if len(word) > 1000:
        assert f"thing {word}" in ran.out  # no name is cut where nothing is as wide as a screen
    assert (again.code, shown.code) == (0, 0)
    assert cli("scene", "convert", path, tmp_path / "copy.sayplan.json").code == 0
    back = cli("scene", "show", tmp_path / "copy.sayplan.json", "--json").json["counts"]
    assert back == cli("scene", "show", path, "--json").json["counts"]


def test_an_instruction_is_data_too(cli):
    ran = cli("plan", "[/bad] \x1b]52;c;aGk=\x07 sing", "--scene", "office")
    assert ran.code == 3
    assert "[/bad] \\u001b]52" in ran.out and (ran.out + ran.err).replace("\n", "").isprintable()


def test_a_room_without_a_way_is_found_and_said(cli, write):
    raw = scene_to_json(open_scene("office"))
    raw["links"] = [link for link in raw["links"] if "kitchen" not in (link["a"], link["b"])]
    path = write(raw)
    ran = cli("scene", "validate", path)
    assert ran.code == 0 and "no way from pose8 to kitchen" in ran.out
    ran = cli("plan", "--scene", path, "--goal", "(open fridge)")
    assert ran.code == 1
    assert ran.last.startswith("unsolvable: ") and "no route leads from pose8 to fridge" in ran.out
    assert cli("plan", "--scene", path, "--goal", "(closed cabinet5)").code == 0


def test_a_misspelt_affordance_is_found_and_the_scene_still_loads(cli, write):
    door = {"type": "asset", "parent": "lab", "affordances": ["opne", "close"]}
    path = write(scene(*NODES, *({"id": f"door{n}", **door} for n in range(3))))
    said = "node door0 and 2 more: the pack household knows no affordance 'opne'"
    ran = cli("scene", "validate", path)
    assert ran.code == 0 and said in ran.out and "did you mean 'open'?" in ran.out
    [warning] = cli("scene", "validate", path, "--json").json["warnings"]
    assert said in warning
    assert said not in cli("scene", "show", path).out
    assert said in cli("scene", "show", path, "--pack", "household").out
    assert cli("scene", "show", path, "--pack", "household", "--json").json["warnings"] == [warning]
    assert cli("plan", "--scene", path, "--goal", GOAL).code == 0
    refused(cli("scene", "show", path, "--pack", "houshold"), "did you mean 'household'")


def test_the_scenes_that_come_along_say_nothing_that_the_pack_does_not_know(cli):
    for listed in cli("scene", "list", "--json").json:
        assert cli("scene", "validate", listed["name"], "--json").json["warnings"] == [], listed["name"]


def test_a_pack_of_ones_own_that_is_broken(cli, tmp_path):
    (tmp_path / "mapping.toml").write_text("name = [")
    refused(cli("plan", "--scene", "office", "--goal", GOAL, "--pack", tmp_path), "mapping.toml", "TOML")


def test_a_closed_standard_input_is_an_empty_text(cli, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    ran = cli("check", "--scene", "office", "--goal", "@-")
    assert ran.code == 1 and "got an empty text" in ran.out
