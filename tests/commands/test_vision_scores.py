"""`groundplan vision`: scores of a folder of pictures, over HTTP and from a cassette, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from model_server import Script, error
from pytest_httpserver import HTTPServer
from werkzeug import Response

from groundplan.commands.schema import output_schema
from groundplan.language.vision.scores import annotated_pictures

jsonschema = pytest.importorskip("jsonschema")

FIRST_BYTES = b"\x89PNG\r\n\x1a\n"
"""What a PNG picture begins with; a scripted model looks no further."""


def entry(name: str, relation: str | None = None, to: str | None = None) -> dict[str, object]:
    """Return an object of a description or an annotation; all have the number 1."""
    place = {"relation": relation, "related_to": [to, 1] if to is not None else None}
    return {"name": [name, 1], **place, "states": "", "properties": ""}


SEEN = [entry("apple", "ontop_of", "bench"), entry("box"), entry("key", "inside_of", "box")]


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, seen in enumerate((SEEN[:2], SEEN, [])):
        (folder / f"{number}.png").write_bytes(FIRST_BYTES + bytes([number]))
        annotation = seen if number != 1 else {"objects": seen, "known": ["fridge"]}
        (folder / f"{number}.json").write_text(json.dumps(annotation))
    return folder


def test_a_folder_is_scored_over_http(
    httpserver: HTTPServer, cli: Any, pictures: Path, tmp_path: Path
) -> None:
    script = Script([json.dumps({"objects": SEEN[:2]}), "I cannot see anything.", '{"objects": []}'])
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(script)
    options = ("--reader", "openai:m", "--base-url", httpserver.url_for("/v1"))
    cassette = tmp_path / "seen.jsonl"
    ran = cli("vision", pictures, *options, "--record", cassette, "--json")
    assert ran.code == 0 and ran.json["pictures"] == 3
    jsonschema.validate(ran.json, output_schema("vision"))
    rows = {row["picture"]: row for row in ran.json["scored"]}
    assert [rows[name]["exact"] for name in ("0.png", "1.png", "2.png")] == [True, False, True]
    assert rows["1.png"]["node_f1"] == 0 and "a JSON list of objects" in rows["1.png"]["reason"]
    assert ran.json["exact"] == ran.json["node_f1"] == pytest.approx(2 / 3)
    assert cli("vision", pictures, "--reader", f"recorded:{cassette}", "--json").json == ran.json
    shown = cli("vision", pictures, "--reader", f"recorded:{cassette}")
    assert "3 pictures: node F1 0.667, edge F1 0.667, exact 2 (0.21 to 0.94)" in shown.last


def test_a_server_that_fails_ends_the_scores_and_says_so(
    httpserver: HTTPServer, cli: Any, pictures: Path
) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(Script(["[]", error(401)]))
    options = ("--reader", "openai:m", "--base-url", httpserver.url_for("/v1"))
    ran = cli("vision", pictures, *options, "--json")
    assert ran.code == 3 and len(ran.json["scored"]) == 1 and ran.json["failure"]
    shown = cli("vision", pictures, *options)
    assert shown.code == 3 and "service-failed: " in shown.out and "0 of 3 pictures were scored" in shown.out


def null(**message: str) -> Response:
    """Return a completion in one piece whose content is null."""
    answer = {"role": "assistant", "content": None, **message}
    choice = {"index": 0, "finish_reason": "stop", "message": answer}
    whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return Response(json.dumps(whole), content_type="application/json")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (null(), "empty answer"),
        (null(refusal="I would rather not."), "I would rather not"),
        ("", "empty answer"),
        ("[" + " " * 300_000 + "]", "longer than 2000 tokens can be"),
        ("[" + " " * 100_000 + "]", "at most 60000 characters"),
        ("null", "a JSON list of objects"),
    ],
)
def test_a_picture_without_a_usable_answer_counts_0_and_the_others_are_scored(
    httpserver: HTTPServer, cli: Any, pictures: Path, answer: str | Response, reason: str
) -> None:
    script = Script([json.dumps({"objects": SEEN[:2]}), answer, '{"objects": []}'])
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(script)
    ran = cli("vision", pictures, "--reader", "openai:m", "--base-url", httpserver.url_for("/v1"), "--json")
    assert ran.code == 0 and ran.json["failure"] is None
    scored = [(row["node_f1"], row["edge_f1"], row["exact"]) for row in ran.json["scored"]]
    assert scored == [(1, 1, True), (0, 0, False), (1, 1, True)]
    assert reason in ran.json["scored"][1]["reason"] and ran.json["exact"] == pytest.approx(2 / 3)


def test_folders_that_cannot_be_scored_are_refused(cli: Any, pictures: Path, tmp_path: Path) -> None:
    assert [len(one.objects) for one in annotated_pictures(pictures)] == [2, 3, 0]
    assert annotated_pictures(pictures)[1].known_names == ("fridge",)
    for folder, break_it, words in (
        (tmp_path / "nowhere", None, "a folder of pictures"),
        (tmp_path / "empty", lambda: (tmp_path / "empty").mkdir(), "pictures (.png"),
        (pictures, lambda: (pictures / "0.jpg").write_bytes(b""), "one picture for each annotation"),
        (
            pictures,
            lambda: (pictures / "0.jpg").unlink() or (pictures / "2.json").write_text("{}"),
            "a list of at most",
        ),
        (
            pictures,
            lambda: (pictures / "2.json").write_text('{"objects": [], "known": 3}'),
            "a list of names",
        ),
        (pictures, lambda: (pictures / "2.json").unlink(), "the annotation of 2.png"),
    ):
        if break_it is not None:
            break_it()
        refused = cli("vision", folder, "--reader", "openai:m")
        assert refused.code == 2 and words in refused.err, refused.err
    for reader in ("embedded", "openai:", "local:x.gguf"):
        refused = cli("vision", pictures, "--reader", reader)
        assert refused.code == 2 and "openai:MODEL or recorded:FILE" in refused.err
