"""`groundplan mcp`, through the protocol's own client over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate

from groundplan.commands import mcp as server
from groundplan.commands.schema import output_schema

mcp = pytest.importorskip("mcp")

Call = tuple[str, dict[str, object]]


def called(*calls: Call) -> tuple[list[str], list[Any]]:
    """Start the server and call tools of it; return the names of its tools, and the answers."""

    async def talk() -> tuple[list[str], list[Any]]:
        start = mcp.StdioServerParameters(command=sys.executable, args=["-P", "-m", "groundplan", "mcp"])
        async with mcp.Client(start) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            return tools, [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(talk())


def test_agents_check_compare_and_plan() -> None:
    tools, (checked, compared, planned) = called(
        ("check", {"goal": "(open fridg)", "scene": "office"}),
        ("diff", {"a": "(open fridge)", "b": "(closed fridge)", "scene": "office"}),
        ("plan", {"goal": "(open fridge)", "scene": "office"}),
    )
    assert tools == ["check", "diff", "plan"]
    validate(checked.structured_content, output_schema("check"))
    assert [d["code"] for d in checked.structured_content["diagnostics"]] == ["unknown-node"]
    assert compared.structured_content["relation"] == "disjoint"
    assert planned.structured_content["outcome"] == "verified"
    assert planned.structured_content["plan"][-1] == "open(fridge)"


def test_what_cannot_be_used_is_an_answer_and_ends_nothing() -> None:
    _, answers = called(
        ("check", {"goal": "(open fridge)", "scene": "nowhere"}),
        ("plan", {"scene": "office"}),
        ("check", {"goal": "(open fridge)", "scene": "a\0b"}),
        ("check", {"goal": "@/etc/passwd", "scene": "office"}),
        ("diff", {"a": "", "b": "none-1", "scene": "office"}),
    )
    assert [one.is_error for one in answers] == [True, True, True, False, False]
    said = [one.content[0].text for one in answers]
    assert "the name of a scene or a file, got nowhere" in said[0]
    assert "one of the two" in said[1] and "null character" in said[2]
    assert answers[3].structured_content["diagnostics"][0]["code"] == "syntax", "no file is read"
    assert answers[4].structured_content["code"] == "bad-line"


SECRETS = (
    "token=hunter2\n",
    '{"auths": {"hunter2": 1}}',
    '["hunter2"]',
    '{"hunter2',
    "token \xffhunter2",
    '[{"id": "hunter2"}, {}]',
)


def test_nothing_is_told_of_a_file_that_is_no_scene(tmp_path: Path) -> None:
    files = [tmp_path / f"secret{number}" for number, _ in enumerate(SECRETS)]
    for file, text in zip(files, SECRETS, strict=True):
        file.write_text(text, encoding="latin-1")
    (tmp_path / "graph.json").write_text('{"format": "groundplan-scene", "version": 1, "nodes": "hunter2"}')
    (tmp_path / "folder" / "hunter2").mkdir(parents=True)
    named = [*files, tmp_path / "graph.json", tmp_path / "folder"]
    _, answers = called(*(("check", {"goal": "(open fridge)", "scene": str(one)}) for one in named))
    for one in answers:
        words = one.content[0].text
        assert one.is_error and "hunter2" not in words and "scene validate" in words


def test_arguments_that_a_tool_has_not_are_refused() -> None:
    _, (answer,) = called(
        ("diff", {"a": "(open fridge)", "b": "(open fridge)", "scene": "office", "rechable": True})
    )
    assert answer.is_error
    assert "diff takes a, b, scene, reachable, and no rechable" in answer.content[0].text


def test_without_the_package_it_says_what_to_install(cli, monkeypatch) -> None:
    monkeypatch.setattr(server.importlib.util, "find_spec", lambda name: None)
    ran = cli("mcp")
    assert ran.code == 2 and "pip install 'groundplan[mcp]'" in ran.err
