"""Cassettes: what was recorded plays back byte for byte, without a network and whatever happened."""

from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from model_server import DIALOGUE, KITCHEN, Script, move, raw_server, respond, sse
from pytest_httpserver import HTTPServer

from groundplan.commands import main
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.cassette import RecordedModel, RecordingModel
from groundplan.language.chat.servers.model import (
    ChatRequest,
    Constraint,
    Message,
    ServiceError,
    digest,
)
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.simulator.view import View

OFFICE, PACK = load_scene("office"), load_pack()
INSTRUCTION = "Put the orange into the fridge."
WRONG, GOAL = "(inside_of unicorn7 fridge)", "(inside_of orange1 fridge)"


def request(text: str = "hi", schema: object = None) -> ChatRequest:
    constraint = Constraint("c", lambda: {"x": schema}) if schema is not None else None
    return ChatRequest((Message("user", text),), constraint)


@pytest.fixture
def cassette(tmp_path):
    return tmp_path / "cassette.jsonl"


@pytest.fixture
def offline(monkeypatch):
    """No socket can be opened."""

    def refuse(*arguments, **more):
        raise AssertionError("a socket was opened")

    for name in [n for n in os.environ if n.startswith("OPENAI_")]:
        monkeypatch.delenv(name)
    return lambda: (
        [
            monkeypatch.setattr(socket, name, refuse)
            for name in ("create_connection", "getaddrinfo", "socketpair")
        ]
        + [monkeypatch.setattr(socket.socket, "connect", refuse)]
    )


def plan(out, *more):
    return main(["plan", INSTRUCTION, "--scene", "office", "--out", str(out), *map(str, more)])


@pytest.mark.parametrize("answers", [(*KITCHEN, GOAL), (*KITCHEN, WRONG, GOAL), ("no", "no", "no")])
def test_a_replay_writes_the_same_bytes_without_a_network(answers, cassette, tmp_path, offline, capsys):
    with HTTPServer() as server:
        server.expect_request("/v1/chat/completions").respond_with_handler(Script(answers))
        url = server.url_for("/v1")
        code = plan(tmp_path / "a", *DIALOGUE, url, "--record", cassette, "--json")
    live = json.loads(capsys.readouterr().out)
    assert len(cassette.read_text().splitlines()) == len(answers)
    offline()
    for name in ("b", "c"):
        assert plan(tmp_path / name, "--reader", f"recorded:{cassette}", "--json") == code
        files = sorted(p.name for p in (tmp_path / "a").iterdir())
        assert files == sorted(p.name for p in (tmp_path / name).iterdir())
        for file in files:
            if file != "timings.json":
                assert (tmp_path / "a" / file).read_bytes() == (tmp_path / name / file).read_bytes(), file
        replayed = json.loads(capsys.readouterr().out)
        assert live | {"timings": {}} == replayed | {"timings": {}}


def test_another_instruction_has_no_answer(cassette, tmp_path, offline, cli_like):
    inner = ScriptedModel.of(*KITCHEN, GOAL)
    recording = RecordingModel.open(inner, cassette, {})
    recording.ask(request())
    offline()
    code, err = cli_like("plan", INSTRUCTION, "--scene", "office", "--reader", f"recorded:{cassette}")
    assert code == 3
    assert "cassette.jsonl has no answer to search (key " in err
    assert "--record records again" in err
    assert "service-failed" in err


@pytest.fixture
def cli_like(capsys):
    def run(*arguments):
        code = main([str(a) for a in arguments])
        return code, capsys.readouterr().err

    return run


def test_the_whole_request_is_the_key(cassette):
    recording = RecordingModel.open(ScriptedModel(["one"], form="json-schema"), cassette, {"seed": 0})
    recording.ask(request(schema=1))
    asked = [request(schema=1), request(schema=2), request(), request("ho", 1)]
    for number, other in enumerate(asked):
        recorded = RecordedModel.open(cassette)
        if number == 0:
            assert recorded.ask(other).text == "one"
        else:
            with pytest.raises(ServiceError) as found:
                recorded.ask(other)
            assert found.value.kind == "no-recording"


def limited(most: int, may_grow: bool = True) -> ChatRequest:
    """The request with another limit of its answer."""
    return replace(request(schema=1), max_tokens=most, may_grow=may_grow)


def test_an_answer_that_fits_is_found_whatever_its_limit_was(cassette):
    """Limits of searches were 160 to 300 tokens once: no recording of then is lost."""
    recording = RecordingModel.open(ScriptedModel(["one" * 40, "two"], form="json-schema"), cassette, {})
    for _ in range(2):
        recording.ask(limited(160))
    recorded = RecordedModel.open(cassette)
    answers = [recorded.ask(asked).text for asked in (limited(4000), limited(4000))]
    assert answers == ["one" * 40, "two"]
    with pytest.raises(ServiceError, match="no answer to"):
        recorded.ask(limited(4000))
    with pytest.raises(ServiceError, match="no answer to"):  # a run that allows less would not have got it
        RecordedModel.open(cassette).ask(limited(29, may_grow=False))
    assert RecordedModel.open(cassette).ask(limited(30, may_grow=False)).text == "one" * 40
    other = replace(limited(4000), constraint=request(schema=2).constraint)
    with pytest.raises(ServiceError, match="no answer to"):
        RecordedModel.open(cassette).ask(other)


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "cassettes").glob("*.jsonl")))
def test_each_recording_of_a_model_is_found_under_the_limit_of_today(path):
    recorded = RecordedModel.open(path)
    for line in map(json.loads, path.read_text().splitlines()):
        told = [Message(role, content).told for role, content in line["messages"]]
        ((_, constraint), found), *_ = recorded.replies[digest(json.dumps(told)), line["turn"]].items()
        assert (found.text, constraint) == (line["reply"]["text"], line["constraint"])


def test_the_same_request_again_gets_the_next_answer(cassette):
    recording = RecordingModel.open(ScriptedModel.of("one", "two"), cassette, {})
    assert [recording.ask(request()).text for _ in range(2)] == ["one", "two"]
    recorded = RecordedModel.open(cassette)
    assert [recorded.ask(request()).text for _ in range(2)] == ["one", "two"]
    with pytest.raises(ServiceError):
        recorded.ask(request())


def test_a_cassette_is_only_appended_to_and_the_later_answer_counts(cassette):
    RecordingModel.open(ScriptedModel.of("one"), cassette, {}).ask(request())
    before = cassette.read_bytes()
    RecordingModel.open(ScriptedModel.of("two"), cassette, {}).ask(request())
    assert cassette.read_bytes().startswith(before)
    assert RecordedModel.open(cassette).ask(request()).text == "two"


def test_two_models_do_not_share_a_cassette(cassette):
    RecordingModel.open(ScriptedModel.of("one"), cassette, {}).ask(request())
    other = ScriptedModel.of("two")
    other.name = "another"
    for inner, settings in ((other, {}), (ScriptedModel.of(), {"seed": 1})):
        with pytest.raises(InputError, match="with the same settings"):
            RecordingModel.open(inner, cassette, settings)
    lines = cassette.read_text()
    cassette.write_text(lines + lines.replace('"model": "scripted"', '"model": "another"'))
    with pytest.raises(InputError, match="answers of one model, got scripted, another"):
        RecordedModel.open(cassette)


def test_a_last_line_that_was_cut_off_is_left_out(cassette):
    recording = RecordingModel.open(ScriptedModel.of("one", "two"), cassette, {})
    recording.ask(request("a"))
    recording.ask(request("b"))
    whole = cassette.read_bytes()
    second = whole.index(b"\n") + 1
    for end in (second + 1, second + 100, len(whole) - 1):
        cassette.write_bytes(whole[:end])
        recorded = RecordedModel.open(cassette)
        assert recorded.ask(request("a")).text == "one"
        with pytest.raises(ServiceError, match="its last line is cut off"):
            recorded.ask(request("b"))
        with pytest.raises(InputError, match="half of one; record to another file"):
            RecordingModel.open(ScriptedModel.of(), cassette, {})
        assert cassette.read_bytes() == whole[:end]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{\n", ":1:2: expected JSON, got Expecting property name"),
        ("[]\n", ":1: expected an entry of format"),
        ('{"format": "groundplan-cassette-1"}\n', ":1: expected key, turn and model"),
        ("[" * 100_000 + "\n", ":1: expected JSON of ordinary depth and numbers"),
        ("1" * 10_000 + "\n", ":1: expected JSON of ordinary depth and numbers"),
        ("\0\n", ":1:1: expected JSON"),
    ],
)
def test_files_that_are_no_cassettes(cassette, cli_like, text, words):
    cassette.write_text(text)
    code, err = cli_like("plan", INSTRUCTION, "--scene", "office", "--reader", f"recorded:{cassette}")
    assert code == 2 and f"{cassette}{words}" in err


@pytest.mark.parametrize(
    "usage", [[-1, 2, "server"], [10**10, 2, "server"], [True, 2, "server"], [1, 2, "me"]]
)
def test_tokens_that_cannot_be_are_refused(cassette, cli_like, usage):
    model = RecordingModel(ScriptedModel.of("x"), cassette)
    model.ask(request())
    line = json.loads(cassette.read_text())
    line["reply"]["usage"] = usage
    cassette.write_text(json.dumps(line) + "\n")
    with pytest.raises(InputError, match=r"reply\.usage"):
        RecordedModel.open(cassette)


def test_files_that_cannot_be_read(tmp_path, cli_like):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\n")
    for name, words in (("nothing", "No such file"), (".", "directory"), ("bytes", "UTF-8 text")):
        reader = f"recorded:{tmp_path / name}"
        code, err = cli_like("plan", INSTRUCTION, "--scene", "office", "--reader", reader)
        assert code == 2 and words in err


@pytest.mark.parametrize("name", ["no/such/folder.jsonl", "folder", "/dev/full", "full.jsonl"])
def test_places_that_cannot_be_recorded_to(tmp_path, cli_like, name, monkeypatch):
    (tmp_path / "folder").mkdir()

    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    answer = sse(move("terminate")).encode()
    with raw_server(lambda c, r: c.sendall(respond(answer))) as (url, _):
        code, err = cli_like(
            "plan", INSTRUCTION, "--scene", "office", *DIALOGUE, url, "--record", tmp_path / name
        )
    assert code == 2 and "Error" in err


def test_a_recording_that_is_killed_leaves_what_came_before(tmp_path):
    answers = iter([move("expand", "kitchen")])

    def answer(connection, asked):
        if text := next(answers, None):
            connection.sendall(respond(sse(text).encode()))
        else:
            time.sleep(20)

    with raw_server(answer) as (url, requests):
        code = "import sys; from groundplan.commands import main; sys.exit(main(sys.argv[1:]))"
        arguments = ["plan", INSTRUCTION, "--scene", "office", *DIALOGUE, url]
        child = subprocess.Popen(
            [sys.executable, "-P", "-c", code, *arguments, "--record", "cassette.jsonl"], cwd=tmp_path
        )
        give_up = time.monotonic() + 60
        while sum(r.startswith(b"POST") for r in requests) < 2:
            assert time.monotonic() < give_up and child.poll() is None
            time.sleep(0.05)
        child.kill()
        child.wait(30)
    recorded = RecordedModel.open(tmp_path / "cassette.jsonl")
    texts = {reply.text for some in recorded.replies.values() for reply in some.values()}
    assert texts == {move("expand", "kitchen")}
    assert not recorded.cut_off


def test_options_of_a_model_do_not_go_with_a_recording(cassette, cli_like):
    for more in (("--record", "x"), ("--base-url", "http://h/v1"), ("--seed", "1")):
        code, err = cli_like("plan", "x", "--scene", "office", "--reader", f"recorded:{cassette}", *more)
        assert code == 2 and "takes no model options (found --" in err and "use openai:MODEL" in err


# The way in which a cassette was made


NAMING = '{"things": ["orange"], "rooms": ["kitchen"]}'


def recorded_by(cassette, protocol, *answers, **more):
    inner = ScriptedModel.of(*answers)
    inner.name = "m"
    reader = ModelReader(RecordingModel.open(inner, cassette, {}), PACK, search_protocol=protocol, **more)
    result = reader.search(INSTRUCTION, View.first(OFFICE))
    reader.write(INSTRUCTION, result.scene)


@pytest.mark.parametrize(("protocol", "answer"), [("naming", NAMING), ("query", "(find (?x - orange))")])
def test_a_cassette_says_how_it_was_made_and_is_replayed_in_that_way(protocol, answer, cassette, cli_like):
    recorded_by(cassette, protocol, answer, GOAL)
    lines = [json.loads(line) for line in cassette.read_text().splitlines()]
    assert {(x["made_with"]["search"], x["made_with"]["goal"]) for x in lines} == {(protocol, "pddl")}
    assert lines[0]["made_with"]["prompts"].keys() >= {"search", "goal", "repair"}
    words = ["plan", INSTRUCTION, "--scene", "office", "--reader", f"recorded:{cassette}"]
    assert cli_like(*words)[0] == 0
    assert cli_like(*words, "--search", protocol, "--goal-form", "pddl")[0] == 0


def test_another_protocol_or_form_of_goals_is_refused_in_words(cassette, cli_like):
    recorded_by(cassette, "naming", NAMING, GOAL)
    words = ["plan", INSTRUCTION, "--scene", "office", "--reader", f"recorded:{cassette}"]
    for more in (["--search", "dialogue"], ["--goal-form", "sentences"], ["--search", "query"]):
        code, err = cli_like(*words, *more)
        assert code == 2 and "got --search naming --goal-form pddl" in err and more[1] in err
        assert "cassette.jsonl" in err and "leave both options out" in err


def test_one_cassette_holds_answers_of_one_way(cassette):
    recorded_by(cassette, "naming", NAMING, GOAL)
    with pytest.raises(InputError, match="record to another file"):
        recorded_by(cassette, "query", "(find (?x - orange))", GOAL)
    with pytest.raises(InputError, match="got --search naming"):
        recorded_by(cassette, "naming", NAMING, "Put orange1 into fridge.", goal_form="sentences")
    lines = cassette.read_text()
    cassette.write_text(lines + lines.replace('"search": "naming"', '"search": "query"'))
    with pytest.raises(InputError, match="made_with: expected answers made with --search naming"):
        RecordedModel.open(cassette)


def test_a_cassette_that_says_nothing_is_replayed_as_all_were_made_then(cassette, cli_like, monkeypatch):
    recorded_by(cassette, "dialogue", *KITCHEN, GOAL)
    lines = [json.loads(line) for line in cassette.read_text().splitlines()]
    for line in lines:
        del line["made_with"]
    cassette.write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr("groundplan.commands.readers.PROTOCOL", "naming")  # another default, later
    words = ["plan", INSTRUCTION, "--scene", "office", "--reader", f"recorded:{cassette}"]
    assert cli_like(*words)[0] == 0
    code, err = cli_like(*words, "--search", "naming")
    assert code == 3 and "has no answer to search" in err


def test_prompts_that_have_changed_since_are_named(cassette, cli_like):
    recorded_by(cassette, "dialogue", *KITCHEN, GOAL)
    lines = cassette.read_text()
    version = json.loads(lines.splitlines()[0])["made_with"]["prompts"]["search"]
    other = lines.replace(version, "0" * 12).replace('"key": "', '"key": "0')
    cassette.write_text(other.replace('[["system", "', '[["system", "Once: '))
    code, err = cli_like("plan", INSTRUCTION, "--scene", "office", "--reader", f"recorded:{cassette}")
    assert code == 3 and f"the prompts search {'0' * 12} (here {version}) differ" in err
    cassette.write_text(lines)
    code, err = cli_like("plan", "Do it.", "--scene", "office", "--reader", f"recorded:{cassette}")
    assert code == 3 and "scene or instruction differ from when it was recorded" in err


@pytest.mark.parametrize("way", ['"naming"', '{"search": 3, "goal": "pddl", "prompts": {}}', "[]",
                                 '{"search": "naming", "goal": "pddl", "prompts": {"goal": 3}}',
                                 '{"search": "x", "goal": "y"}'])  # fmt: skip
def test_a_way_of_another_shape_is_an_error_with_its_line(way, cassette):
    recorded_by(cassette, "naming", NAMING, GOAL)
    lines = [json.loads(line) | {"made_with": json.loads(way)} for line in cassette.read_text().splitlines()]
    cassette.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InputError, match=r"cassette.jsonl:1: made_with: expected search, goal and prompts"):
        RecordedModel.open(cassette)


def test_a_way_that_this_version_does_not_know_is_an_error(cassette, cli_like):
    recorded_by(cassette, "naming", NAMING, GOAL)
    cassette.write_text(cassette.read_text().replace('"search": "naming"', '"search": "telepathy"'))
    words = ["plan", INSTRUCTION, "--scene", "office", "--reader", f"recorded:{cassette}"]
    code, err = cli_like(*words)
    assert code == 2 and "telepathy" in err and "protocols are words" in err
