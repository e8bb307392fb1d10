"""`groundplan explain`, and `check --json` beside `--format json`."""

from groundplan.domains.diagnostic import explained_codes, explained_findings


def test_a_code_is_explained_with_an_example(cli):
    ran = cli("explain", "contradiction")
    assert ran.code == 0 and "goal: (and (in_room apple1 kitchen)" in ran.out and "do: " in ran.out
    assert cli("explain", "[Contradiction]").out == ran.out
    assert cli("explain", "arity", "--json").json["severity"] == "error"


def test_a_finding_about_a_pack_is_explained(cli):
    ran = cli("explain", "[scene-breaks-group]")
    assert ran.code == 0 and "do: Correct the scene, or the group." in ran.out
    assert list(cli("explain", "never-true", "--json").json) == ["code", "meaning", "remedy"]
    assert all(code in cli("explain").out for code in explained_findings())
    assert [f["code"] for f in cli("explain", "--json").json["findings"]] == list(explained_findings())
    assert "did you mean 'not-exclusive'?" in cli("explain", "not-exclusiv").err


def test_an_outcome_is_explained(cli):
    assert "nothing proves that there is none" in cli("explain", "not-found").out
    assert cli("explain", "unsolvable", "--json").json["outcome"] == "unsolvable"


def test_all_codes_are_listed(cli):
    listed = cli("explain").out
    assert all(code in listed for code in explained_codes())
    assert [c["code"] for c in cli("explain", "--json").json["codes"]] == list(explained_codes())


def test_an_unknown_code_has_a_suggestion(cli):
    ran = cli("explain", "contradicton")
    assert ran.code == 2 and "did you mean 'contradiction'?" in ran.err


def test_check_prints_json_by_either_option(cli):
    goal = ("--scene", "office", "--goal", "(hot fridg)")
    assert cli("check", *goal, "--json").json == cli("check", *goal, "--format", "json").json
