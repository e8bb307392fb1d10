"""Eyes on the command line: a comparison with and without one, what is kept of it, and what is refused."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from model_server import SSE, sse
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from groundplan import load_scene
from groundplan.evaluation.bench.results import load_results
from groundplan.evaluation.report.search_tables import eyes
from groundplan.language.vision.eye import named_of
from groundplan.language.vision.scores import annotated_pictures

FAULTY = "true:missed=0.3,renamed=0.3,relation=0.3"
BENCH = ("bench", "--methods", "nearest-unlooked", "--tasks", "house-hidden-01,house-hidden-02")


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of a comparison without times."""
    rows = list(map(json.loads, (folder / "rows.jsonl").read_text().splitlines()))
    for row in rows:
        row["timings"] = {}
        row["record"].pop("timings", None)
    return rows


@pytest.mark.usefixtures("inline")
def test_an_eye_that_errs_in_nothing_gives_the_rows_of_none(cli: Callable[..., Any], tmp_path: Path) -> None:
    assert cli(*BENCH, "--out", tmp_path / "plain").code == 0
    assert cli(*BENCH, "--eye", "true:", "--out", tmp_path / "true").code == 0
    assert rows_of(tmp_path / "plain") == rows_of(tmp_path / "true")


@pytest.mark.usefixtures("inline")
def test_a_comparison_with_an_eye_goes_on_replays_and_has_a_table(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with_eyes = (*BENCH, "--eye", "true:", "--eye", FAULTY, "--out", out)
    assert cli(*with_eyes).code == 0
    rows = (out / "rows.jsonl").read_bytes()
    again = cli(*with_eyes)
    assert "4 of 4 runs are there already" in again.err and (out / "rows.jsonl").read_bytes() == rows
    results = load_results(out)
    assert f"nearest-unlooked with eye {FAULTY}" in results.manifest["methods"]
    told = [row.record["eye"] for row in results.rows]
    assert [one == {} for one in told] == [True, False, True, False] and told[1]["eye"] == FAULTY
    table = eyes(results)
    assert table is not None and [row[5] for row in table.rows] == ["true:", FAULTY]
    (_, exact), (_, faulty) = ((row[5], row[6]) for row in table.rows)
    assert exact == 1 and isinstance(faulty, float) and faulty < 1
    assert "Success by what an eye says" in cli("report", out).out
    assert cli("replay", out).code == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("openai:gpt", "true:missed=.."),
        ("true", "true:missed=.."),
        ("true:mised=.1", "did you mean 'missed'"),
        ("true:missed=7", "missed is a probability"),
    ],
)
def test_what_is_no_eye_is_refused(cli: Callable[..., Any], tmp_path: Path, text: str, words: str) -> None:
    refused = cli(*BENCH, "--out", tmp_path / "out", "--eye", text)
    assert refused.code == 2 and words in refused.err and not (tmp_path / "out").exists()


def test_an_eye_needs_a_method_that_sees(cli: Callable[..., Any], tmp_path: Path) -> None:
    arguments = ("bench", "--methods", "gold", "--tasks", "house-hidden-01", "--out", tmp_path / "out")
    refused = cli(*arguments, "--eye", "true:missed=.1")
    assert refused.code == 2 and "a method that acts by what it sees" in refused.err


PICTURES = Path(str(files("groundplan.datasets"))) / "pictures" / "home"


@dataclass
class PictureServer:
    """A scripted vision model: it answers for each picture what the annotation beside it says."""

    wrong: dict[str, list[dict[str, Any]] | str] = field(default_factory=dict)
    """What it says of some pictures in place of that."""
    shown: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Response:
        _, picture = request.get_json()["messages"][0]["content"]
        data = base64.b64decode(picture["image_url"]["url"].partition(",")[2])
        (path,) = (one for one in PICTURES.glob("*.png") if one.read_bytes() == data)
        self.shown.append(path.stem)
        objects = json.loads(path.with_suffix(".json").read_text())["objects"]
        answer = self.wrong.get(path.stem, objects)
        if not isinstance(answer, str):
            answer = json.dumps({"objects": answer})
        return Response(sse(answer), content_type=SSE)


def test_the_pictures_that_come_along_are_of_what_the_scene_has() -> None:
    home, pictures = load_scene("home"), annotated_pictures(PICTURES)
    assert len(pictures) == 24
    for one in pictures:
        assert one.path.stat().st_size <= 20_000
        relation, _, node = one.path.stem.rpartition("-")
        things = [home.nodes[i] for i in home.descendants(node) if home.nodes[i].type == "object"]
        things = [n for n in things if (n.relation == "inside_of") == bool(relation)]
        assert sorted(x.name[0] for x in one.objects) == sorted(named_of(n.id)[0] for n in things)


def test_a_scripted_model_scores_on_the_pictures_that_come_along(
    httpserver: HTTPServer, cli: Callable[..., Any]
) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(PictureServer({"kitchen0": []}))
    ran = cli("vision", "home", "--reader", "openai:m", "--base-url", httpserver.url_for("/v1"), "--json")
    assert ran.code == 0 and ran.json["pictures"] == 24 and ran.json["exact"] == 23 / 24


RUN = ("run", "Put the apple in the dishwasher.", "--scene", "home", "--knows", "furniture", "--json")


def test_a_robot_acts_by_what_a_vision_model_says_of_pictures_and_does_so_again_from_a_cassette(
    httpserver: HTTPServer, cli: Callable[..., Any], tmp_path: Path
) -> None:
    server, cassette = PictureServer(), tmp_path / "answers.jsonl"
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(server)
    eye = f"openai:m base-url={httpserver.url_for('/v1')} record={cassette}"
    ran = cli(*RUN, "--eye", eye, "--pictures", "home")
    assert ran.code == 0, ran.err
    assert ran.json["outcome"] == "verified" and ran.json["reached"]
    assert ran.json["eye"]["node_f1"] == ran.json["eye"]["edge_f1"] == 1 and server.shown
    pickups = [step for step in ran.json["executed"] if step.startswith("pickup")]
    assert pickups in (["pickup(apple0)"], ["pickup(apple1)"])  # ids of the scene, which no model can know
    again = cli(*RUN, "--eye", f"recorded:{cassette}", "--pictures", "home")
    assert again.json["executed"] == ran.json["executed"]
    assert again.json["eye"] == ran.json["eye"] | {"eye": f"recorded:{cassette}"}


def test_a_model_that_takes_one_thing_for_another_verifies_nothing(
    httpserver: HTTPServer, cli: Callable[..., Any]
) -> None:
    """It calls the bananas apples and sees no apple: nothing that is called so can be picked up."""
    banana = {"name": ["apple", 1], "relation": "ontop_of", "related_to": ["counter", 1],
              "states": "", "properties": ""}  # fmt: skip
    wrong: dict[str, list[dict[str, Any]] | str] = {
        "kitchen0": [],
        "inside_of-fridge1": [],
        "kitchen1": [banana],
    }
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(PictureServer(wrong))
    ran = cli(*RUN, "--eye", f"openai:m base-url={httpserver.url_for('/v1')}", "--pictures", "home")
    assert ran.code == 1 and not ran.json["reached"] and ran.json["outcome"] != "verified"
    assert not any(step.startswith("pickup(apple") for step in ran.json["executed"])
    assert ran.json["eye"]["node_f1"] < 1


def test_a_service_that_fails_ends_the_run(httpserver: HTTPServer, cli: Callable[..., Any]) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_data("no", status=401)
    eye = ("--eye", f"openai:m base-url={httpserver.url_for('/v1')}", "--pictures", "home")
    ran = cli(*RUN, *eye)
    assert ran.code == 3 and ran.json["outcome"] == "service-failed" and not ran.json["reached"]
    seen = ran.json["eye"]
    assert (seen["looks"], seen["unanswered"]) == (0, 1) and not {"node_f1", "edge_f1"} & set(seen)
    told = cli(*RUN[:-1], *eye).out
    assert "1 request unanswered" in told and "F1" not in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--eye", "openai:m"), "needs --pictures DIR"),
        (("--pictures", "home"), "are for --eye openai:MODEL"),
        (("--eye", "true:missed=.1", "--pictures", "home"), "leave out --pictures"),
        (("--eye", "openai:m", "--pictures", "nowhere"), "a folder of pictures"),
        (("--eye", "openai:m", "--pictures", "."), "pictures called like places"),
        (("--eye", "embedded"), "true:missed=.."),
        (("--eye", "true:missed=.1", "--resume", "--trace", "t.jsonl"), "leave out --eye"),
    ],
)
def test_options_of_an_eye_that_do_not_go_together(
    cli: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = cli("run", "--goal", "(holding apple0)", "--scene", "home", *options)
    assert refused.code == 2 and words in refused.err, refused.err


def test_a_trace_of_a_run_with_an_eye_replays(cli: Callable[..., Any], tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    goal = ("--goal", "(inside_of apple0 dishwasher0)", "--scene", "home")
    eye = ("--knows", "furniture", "--eye", "true:missed=0.3,renamed=0.3,relation=0.2,seed=5")
    ran = cli("run", *goal, *eye, "--trace", trace, "--json")
    assert ran.json["eye"]["looks"] > 3
    assert cli("replay", trace, "--scene", "home").code == 0


def test_a_run_that_an_eye_misled_is_not_verified_and_its_trace_neither(cli, tmp_path: Path) -> None:
    goal = "(not (exists (?a - apple) (ontop_of ?a counter0)))"
    eye = "true:relation=.9,renamed=.3,seed=0"
    kept = ("--trace", tmp_path / "trace.jsonl")
    ran = cli("run", "--scene", "home", "--goal", goal, "--knows", "furniture", "--eye", eye, "--json", *kept)
    answer = json.loads(ran.out)
    assert (ran.code, answer["outcome"], answer["reached"]) == (1, "rejected", False)
    assert answer["reasons"] == [
        "by what the robot was told the goal is reached; in the true world it is not"
    ]
    end = json.loads((tmp_path / "trace.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert (end["kind"], end["outcome"]) == ("end", "rejected")
    again = cli("replay", tmp_path / "trace.jsonl", "--scene", "home")
    assert again.code == 0 and "ended rejected" in again.out
