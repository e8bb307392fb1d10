"""`groundplan plan` with a question: the answer in the last line, exit code 0, and no word of a plan."""

import json


def test_the_answer_is_the_last_line_and_nothing_is_verified(cli):
    ran = cli("plan", "Where is the banana?", "--scene", "office")
    assert (ran.code, ran.err) == (0, "")
    assert (
        ran.last == "answered: banana1 is on lunch_table, in cafeteria; banana2 is inside fridge, in kitchen."
    )
    assert "(find (?x - banana))" in ran.out and "verified" not in ran.out
    ran = cli("plan", "What is in the kitchen?", "--scene", "office")
    assert "of what stays in its place: cabinet, coffee_machine" in ran.out


def test_json_has_the_query_and_the_answers(cli, tmp_path):
    ran = cli("plan", "How many bananas are there?", "--scene", "office", "--json", "--out", tmp_path / "out")
    assert (ran.code, ran.json["outcome"], ran.json["answer"]) == (0, "answered", 2)
    assert ran.json["answers"][1] == {
        "id": "banana2", "relation": "inside_of", "parent": "fridge", "room": "kitchen",
    }  # fmt: skip
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["plan.svg", "record.json", "timings.json"]


def test_a_question_that_is_not_read_is_not_planned_for(cli):
    ran = cli("plan", "What is on the desk?", "--scene", "office")
    assert ran.code == 3 and "which one?" in ran.err
    assert ran.err.splitlines()[-1].startswith("not-understood:")


def test_a_plan_for_an_instruction_says_what_it_is_verified_for(cli):
    text = "Put the orange in the fridge because Niko is hungry."
    ran = cli("plan", text, "--scene", "office")
    assert ran.last == (
        'verified for the goal "Put orange1 into fridge. Close fridge.", '
        f'read from "{text}": 12 steps, 32.84 metres'
    )
    assert "the goal says nothing of: 'niko', 'hungry'" in ran.out
    told = cli("plan", text, "--scene", "office", "--json").json
    assert told["reading"] == {"unused": ["niko", "hungry"], "unsupported": [], "forgotten": []}
    given = cli("plan", "--goal", "(inside_of orange1 fridge)", "--scene", "office")
    assert given.last.startswith("verified: ")
    assert cli("plan", "--goal", "(open fridge)", "--scene", "office", "--json").json["reading"] is None


def test_the_record_of_an_answer_is_rechecked(cli, tmp_path):
    out = tmp_path / "out"
    cli("plan", "How many bananas are there?", "--scene", "office", "--out", out)
    ran = cli("certify", out, "--scene", "office", "--json")
    assert (ran.code, ran.json["certified"]) == (0, True)
    assert {k for k, f in ran.json["fields"].items() if f["status"] == "rechecked"} >= {"answers", "answer"}
    record = json.loads((out / "record.json").read_text())
    for change in ({"answer": 3}, {"answers": record["answers"][:1]}, {"answers": None}):
        forged = tmp_path / "forged.json"
        forged.write_text(json.dumps({**record, **change}))
        ran = cli("certify", forged, "--scene", "office", "--json")
        assert (ran.code, ran.json["certified"]) == (1, False), change
    forged.write_text(json.dumps({**record, "query": "(find (?x - banana) (of ?x mars))"}))
    assert cli("certify", forged, "--scene", "office").code == 2
