"""`groundplan scene tokens`: counts by kind of entity, next to the paper's table."""

from __future__ import annotations

import json

from click.testing import CliRunner

from groundplan.commands import cli


def test_the_office_is_counted_next_to_the_papers_table() -> None:
    result = CliRunner().invoke(cli, ["scene", "tokens", "--scene", "office", "--json"])
    assert result.exit_code == 0, result.output
    rows = {row["kind"]: row for row in json.loads(result.output)["rows"]}
    assert (rows["full"]["paper"], rows["collapsed"]["paper"]) == (6731, 878)
    assert rows["room"]["entities"] == 37
    # Collapsing must be worth it: the paper's 86.9 % less, ours at least as much within a few percent.
    assert rows["collapsed"]["tokens"] < 0.2 * rows["full"]["tokens"]


def test_people_read_a_table() -> None:
    result = CliRunner().invoke(cli, ["scene", "tokens", "--scene", "office"])
    assert result.exit_code == 0
    assert "6731" in result.output
    assert "collapsed" in result.output
    assert "86.9 % printed in table 2, 87.0 % by its counts" in result.output
