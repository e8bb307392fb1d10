"""`groundplan find`: answers for people and programs, search tasks, and questions that are none."""

import json

import pytest

from groundplan.commands.console.pretty import pretty
from groundplan.compiler.query import solutions
from groundplan.compiler.query.query import parse_query
from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import open_scene
from groundplan.simulator.scene_json import scene_to_json

NO_CABINET = "(find (?r - office) (not (exists (?c - cabinet) (in_room ?c ?r))))"


def test_answers_are_listed_and_counted(cli):
    ran = cli("find", NO_CABINET, "--scene", "office")
    assert (ran.code, ran.err) == (0, "")
    assert "  tobis_office\n" in ran.out and ran.last == "7 answers"
    ran = cli(
        "find", "(find (?f - fire_extinguisher) :nearest-to manipulation_lab :limit 1)", "--scene", "office"
    )
    assert ran.out.splitlines() == [
        "  fireextinguisher2  12.06 m  in admin", "1 more left out by :limit 1", "1 answer",
    ]  # fmt: skip
    ran = cli("find", "(find (?d - desk) :most (?t - tshirt) (ontop_of ?t ?d))", "--scene", "office")
    assert ran.out.splitlines()[0] == "  desk18  2  in phd_bay2"


def test_answers_as_json_are_names(cli):
    ran = cli("find", NO_CABINET, "--scene", "office", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert set(ran.json) == {"task", "query", "variables", "answers", "notes", "losses"}
    assert ran.json["answers"][-1] == "tobis_office" and len(ran.json["answers"]) == 7
    query = (
        "(find (?a - apple ?r - room) (in_room ?a ?r) :nearest-to kitchen :most (?x - desk) (in_room ?x ?r))"
    )
    told = cli("find", query, "--scene", "office", "--json").json
    assert told["answers"][0] == ["apple2", "dimitys_office"] and told["variables"] == ["a", "r"]
    assert told["counts"] == [1, 1, 1] and told["distances"] == sorted(told["distances"])


def test_nothing_that_fits_is_an_answer_too(cli):
    ran = cli("find", "(find (?c - chair) (in_room ?c kitchen))", "--scene", "office")
    assert (ran.code, ran.out) == (0, "no answer: nothing in office fits\n")
    assert (
        cli("find", "(find (?c - chair) (in_room ?c kitchen))", "--scene", "office", "--json").json["answers"]
        == []
    )


def test_what_has_no_route_is_said(cli, tmp_path):
    raw = scene_to_json(open_scene("office"))
    raw["links"] = [link for link in raw["links"] if "meeting_room2" not in (link["a"], link["b"])]
    path = tmp_path / "cut.json"
    path.write_text(json.dumps(raw))
    ran = cli("find", "(find (?r - meeting_room) :nearest-to kitchen)", "--scene", path)
    assert ran.code == 0 and "  meeting_room2  no route" in ran.out
    assert "no route leads to 1 of the answers; they come last" in ran.out
    told = cli("find", "(find (?r - meeting_room) :nearest-to kitchen)", "--scene", path, "--json").json
    assert (told["answers"][-1], told["distances"][-1]) == ("meeting_room2", None)


def test_a_search_task_is_answered_by_its_gold_query(cli):
    ran = cli("find", "--task", "office-search-simple-14")
    assert ran.code == 0 and "Luis gave one of his neighbours a stapler." in ran.out
    assert "stapler2" in ran.out and ran.last == "1 answer"
    told = cli("find", "--task", "office-search-simple-14", "--json").json
    assert (told["task"], told["answers"]) == ("office-search-simple-14", ["stapler2"])
    own = cli("find", "(find (?s - stapler))", "--task", "office-search-simple-14", "--json").json
    assert len(own["answers"]) == 3


def test_a_query_may_come_from_a_file_or_standard_input(cli, tmp_path):
    file = tmp_path / "query.txt"
    file.write_text(NO_CABINET + " ; in the office\n")
    told = [
        cli("find", f"@{file}", "--scene", "office", "--json").json,
        cli("find", "@-", "--scene", "office", "--json", stdin=NO_CABINET).json,
    ]
    assert told[0] == told[1] and len(told[0]["answers"]) == 7
    file.write_text("(find (?r - offise))")
    ran = cli("find", f"@{file}", "--scene", "office")
    assert ran.code == 2 and f"{file}:1:13: error[unknown-class]" in ran.err


def test_search_tasks_are_no_goals(cli, tmp_path):
    task = "office-search-simple-14"
    for verb in (["plan"], ["plan", "--json"], ["compile", "--out", tmp_path / "out"]):
        ran = cli(*verb, "--task", task)
        assert (ran.code, ran.out) == (2, "") and f"`groundplan find --task {task}` answers it" in ran.err
    assert not (tmp_path / "out").exists()
    assert cli("check", "--task", task).out == "no findings\n"
    assert cli("simulate", "--task", task, "--plan", "-", stdin="goto(pose13)").code == 0
    assert cli("find", "--task", "office-planning-simple-01").code == 2


def test_check_takes_questions_and_plan_does_not(cli):
    query = "(find (?r - offise) (in_room fridge ?r))"
    ran = cli("check", "--scene", "office", "--goal", query, "--format", "json")
    assert ran.code == 1
    [found] = ran.json["diagnostics"]
    assert (found["code"], found["fixes"][0]["text"], found["span"]["start"]) == (
        "unknown-class",
        "office",
        12,
    )
    assert cli("check", "--scene", "office", "--goal", NO_CABINET).code == 0
    for verb in (["plan"], ["compile", "--out", "x"], ["simulate", "--plan", "-"]):
        ran = cli(*verb, "--scene", "office", "--goal", NO_CABINET, stdin="")
        assert ran.code == 2 and "error[question]" in ran.err and "`find` answers questions" in ran.err


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", ["empty", "(find (?r - room)"]),
        ("(open fridge)", ["syntax", "expected find"]),
        ("(find (?r - offise))", ["unknown-class", "try office"]),
        ("(find (?r - office) (in_room ?x ?r))", ["unbound-variable", "?x"]),
        ("(find (?r - office) (closd ?r))", ["unknown-predicate", "closed"]),
        ("(find (?r - office) :nearest-to)", ["syntax", "expected a name"]),
        ("(find (?r - office) :nearest-to kitchn)", ["unknown-node", "try kitchen"]),
        ("(find (?r - office) :nearst-to kitchen)", ["did you mean ':nearest-to'?"]),
        ("(find (?r - office) :limit 0)", ["a number from 1 to 999999", "got 0"]),
        ("(find (?r - office) :limit many)", ["expected a number"]),
        ("(find (?r - office) :limit -1)", ["expected a number from 1 to 999999", "got -1"]),
        (f"(find (?r - office) :limit {'9' * 40})", ["expected a number from 1 to 999999"]),
        ("(find (?r - office) (exactly 1000000 (?d - desk) (in_room ?d ?r)))", ["a number from 0 to 999999"]),
        ("(find (?r ?r - office))", ["duplicate-variable"]),
        ("(find () (open fridge))", ["at least one variable"]),
        ("(find (?r - office) (sometime (open fridge)))", ["unsupported", "for goals"]),
        ("(" * 10_000, ["too-deep", "200"]),
        ("(find (?r - office) " + "(not " * 10_000, ["too-deep"]),
        ("(find (?r - " + "x" * 300_000 + "))", ["too-long"]),
        ("(find (" + "?r " * 10_000 + "- office))", ["too-many", "100 variables"]),
        ("(find (?a ?b ?c ?d - item))", ["5000 steps", "narrower"]),
        ("(find (?r - office) (in_room \x1b[2J\x07 ?r))", ["unknown-node", "\\u001b"]),
        ('(find (?r - "[/bad]"))', ["unknown-class", "[/bad]"]),
        ("(find (?r - \u202eoffice))", ["unknown-class"]),
        ("\x00", ["syntax"]),
    ],
)
def test_questions_that_are_none(cli, monkeypatch: pytest.MonkeyPatch, query, words):
    """The bound on steps is lowered: a busy machine may run out of the clock's time before a million."""
    monkeypatch.setattr(solutions, "MAX_STEPS", 5000)
    for form in ([], ["--json"]):
        ran = cli("find", query, "--scene", "office", *form)
        assert ran.code == 2 and ran.out == ""
        for word in words:
            assert word in ran.err, ran.err
        assert ran.err.replace("\n", "").isprintable() and len(ran.err) < 2000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["find", NO_CABINET], ["--scene"]),
        (["find", "--scene", "office"], ["QUERY"]),
        (["find", NO_CABINET, "--scene", "offfice"], ["did you mean 'office'"]),
        (["find", "@/no/such/file", "--scene", "office"], ["No such file"]),
        (["find", "--task", "office-search-simple-1"], ["did you mean 'office-search-simple-"]),
    ],
)
def test_arguments_that_make_no_sense(cli, arguments, words):
    ran = cli(*arguments)
    assert (ran.code, ran.out) == (2, "")
    for word in words:
        assert word in ran.err


@pytest.mark.parametrize(
    "word", ["\x1b]52;c;aGk=\x07", "\u202ereversed", "a\nb: error", "[/bad]", "\ud800", "x" * 9999]
)
def test_hostile_names_are_shown_escaped(cli, tmp_path, word):
    nodes = [
        {"id": f"room {word}", "type": "room", "classes": [word]},
        {"id": word, "type": "agent", "parent": f"room {word}", "classes": ["robot"]},
    ]
    path = tmp_path / "scene.json"
    path.write_text(
        json.dumps({"format": "groundplan-scene", "version": 1, "name": word, "nodes": nodes, "links": []})
    )
    query = f"(find (?r - {json.dumps(word)}) :nearest-to {json.dumps(word)})"
    ran = cli("find", query, "--scene", path)
    assert ran.code == 0 and ran.last == "1 answer"
    assert (ran.out + ran.err).replace("\n", "").isprintable()
    assert cli("find", query, "--scene", path, "--json").json["answers"] == [f"room {word}"]


@pytest.mark.parametrize("task", load_set("office-search"), ids=lambda t: t.id)
def test_a_question_laid_out_over_lines_is_the_same_question(task):
    for width in (1, 30, 80):
        assert str(parse_query(pretty(task.gold.query, width))) == task.gold.query
    longer = task.gold.query[:-1] + " :most (?zzzzzzz - cabinet) (and (closed ?zzzzzzz) (open ?zzzzzzz)))"
    assert str(parse_query(pretty(longer, 40))) == str(parse_query(longer))
    assert "\n  :most (?zzzzzzz - cabinet)\n" in pretty(longer, 40)
