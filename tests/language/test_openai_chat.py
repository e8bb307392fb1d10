"""The client over a real socket: budgets, the responses API, streaming, and what a terminal gets to see."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import threading
import time

import pytest
from model_server import DIALOGUE, SSE, Script, chunk, error, events, move, sse
from pytest_httpserver import HTTPServer
from werkzeug import Response

from groundplan.language.chat.servers import openai as openai_chat
from groundplan.language.chat.servers.budget import Allowance
from groundplan.language.chat.servers.cassette import read_reply, reply_as_json
from groundplan.language.chat.servers.model import ChatRequest, Constraint, Message, ServiceError, Usage
from groundplan.language.chat.servers.openai import OpenAIModel
from groundplan.language.chat.servers.profile import Profile

CONSTRAINT = Constraint("goal", lambda: {"type": "object"}, lambda: 'start: "a"', lambda: 'root ::= "a"')
ASK = ChatRequest((Message("system", "you"), Message("user", "hi")), CONSTRAINT, max_tokens=512)


@pytest.fixture
def serve(httpserver: HTTPServer):
    def start(*answers, path="/v1/chat/completions"):
        script = Script(answers)
        httpserver.expect_request(path).respond_with_handler(script)
        return httpserver.url_for("/v1"), script

    return start


def kind_of(httpserver: HTTPServer, owner: str) -> None:
    model = {"id": "m", "object": "model", "created": 1, "owned_by": owner}
    httpserver.expect_request("/v1/models").respond_with_json({"object": "list", "data": [model]})


def test_pieces_are_told_as_they_come(serve):
    url, _ = serve("(closed fridge)")
    told: list[str] = []
    reply = OpenAIModel(Profile("m", url), on_piece=told.append).ask(ASK)
    assert told == ["(closed", " fridge", ")"]
    assert (reply.text, reply.finish, reply.form) == ("(closed fridge)", "stop", "json-schema")
    assert reply.usage == Usage(100, 10, "server")


def test_a_system_that_starts_no_more_threads_is_said(serve, monkeypatch):
    def refused(self):
        raise RuntimeError("can't start new thread")

    url, _ = serve("(closed fridge)")
    monkeypatch.setattr(threading.Timer, "start", refused)
    with pytest.raises(ServiceError, match=r"starts no more threads.*ulimit -u"):
        OpenAIModel(Profile("m", url)).ask(ASK)


@pytest.mark.parametrize(
    ("told", "cached"),
    [
        ({"usage": {"prompt_tokens_details": {"cached_tokens": 60}}}, 60),
        ({"timings": {"cache_n": 70, "prompt_n": 30}}, 70),
        ({"usage": {"prompt_tokens_details": {"cached_tokens": 0}}, "timings": {"cache_n": 70}}, 0),
        ({"usage": {"prompt_tokens_details": None}}, None),
        ({"timings": {"cache_n": 101}}, None),
        ({"timings": {"cache_n": -1}}, None),
        ({"timings": {"cache_n": True}}, None),
        ({"timings": "fast"}, None),
    ],
)
@pytest.mark.parametrize("streamed", [True, False])
def test_what_the_server_had_kept_of_a_prompt_is_told(serve, told, cached, streamed):
    """OpenAI's way of saying it, and llama.cpp's; what cannot be true is left out."""
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, **told.get("usage", {})}
    last = {"choices": [], **told, "usage": usage}
    text = "(closed fridge)"
    if streamed:
        pieces = events(chunk(text), chunk(finish="stop"), {**chunk(), **last}) + "data: [DONE]\n\n"
        answer = Response(pieces, content_type="text/event-stream")
    else:
        message = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        answer = Response(
            json.dumps({**last, "id": "x", "choices": [message]}), content_type="application/json"
        )
    url, _ = serve(answer)
    reply = OpenAIModel(Profile("m", url)).ask(ASK)
    assert reply.usage == Usage(100, 10, "server", cached)
    assert read_reply(reply_as_json(reply), "here").usage == reply.usage


@pytest.mark.parametrize(
    ("owner", "form", "where"),
    [
        ("vllm", "lark", lambda b: b["structured_outputs"]["grammar"]),
        ("llamacpp", "gbnf", lambda b: b["grammar"]),
        ("sglang", "json-schema", lambda b: b["response_format"]["json_schema"]["schema"]),
        ("openai", "json-schema", lambda b: b["response_format"]["json_schema"]["schema"]),
        ("library", "json-schema", lambda b: b["response_format"]["json_schema"]["schema"]),
    ],
)
def test_each_server_gets_the_strongest_form_that_it_has(httpserver, serve, owner, form, where):
    kind_of(httpserver, owner)
    url, script = serve("x")
    model = OpenAIModel(Profile("m", url))
    assert [model.ask(ASK).form for _ in range(2)] == [form, form]
    assert where(script.bodies[0])
    assert sum(r.path == "/v1/models" for r, _ in httpserver.log) == 1  # asked once


def test_forms_are_stepped_down_one_by_one(httpserver, serve):
    kind_of(httpserver, "llamacpp")
    url, script = serve(error(400), error(422), error(400), "x", "y")
    model = OpenAIModel(Profile("m", url))
    assert model.ask(ASK).form == "text"
    assert model.ask(ASK).form == "text"
    assert len(script.bodies) == 5


def test_a_pinned_form_is_not_stepped_down(serve):
    url, script = serve(error(400, "no grammars here"))
    with pytest.raises(ServiceError, match="no grammars here"):
        OpenAIModel(Profile("m", url, form="gbnf")).ask(ASK)
    assert len(script.bodies) == 1


def test_responses_with_a_grammar(httpserver):
    call = {"type": "custom_tool_call", "id": "1", "call_id": "1", "name": "goal", "input": "(closed fridge)"}
    usage = {
        "input_tokens": 50, "output_tokens": 5, "total_tokens": 55,
        "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    body = {
        "id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed",
        "output": [call], "usage": usage, "parallel_tool_calls": False, "tool_choice": "auto", "tools": [],
    }  # fmt: skip
    httpserver.expect_request("/v1/responses").respond_with_json(body)
    url = httpserver.url_for("/v1")
    reply = OpenAIModel(Profile("m", url, form="lark", api="responses")).ask(ASK)
    assert (reply.text, reply.form, reply.usage) == ("(closed fridge)", "lark", Usage(50, 5, cached=0))
    sent = json.loads(httpserver.log[-1][0].data)
    grammar = {"type": "grammar", "syntax": "lark", "definition": 'start: "a"'}
    assert sent["tools"] == [{"type": "custom", "name": "goal", "format": grammar}]
    httpserver.clear()
    httpserver.expect_request("/v1/responses").respond_with_json({**body, "output": []})
    with pytest.raises(ServiceError, match="empty answer"):
        OpenAIModel(Profile("m", url, form="lark", api="responses")).ask(ASK)
    httpserver.clear()
    for wrong in ({}, [], {"output": 5}, {**body, "output": None}):
        httpserver.expect_oneshot_request("/v1/responses").respond_with_json(wrong)
        with pytest.raises(ServiceError):
            OpenAIModel(Profile("m", url, form="lark", api="responses")).ask(ASK)


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ({"calls": 3}, "the run used its 3 model calls"),
        ({"tokens": 300}, "the run used its 300 tokens"),
    ],
)
def test_a_run_ends_within_its_budget(serve, limit, words):
    url, script = serve("x")
    model = OpenAIModel(Profile("m", url), Allowance(**limit))
    for _ in range(3):
        model.ask(ASK)
    with pytest.raises(ServiceError, match=words) as found:
        model.ask(ASK)
    assert found.value.kind == "budget" and len(script.bodies) == 3


@pytest.mark.parametrize(
    "answer",
    [
        events(chunk("word " * 400)),
        events(chunk("word " * 400), {"error": {"message": "out of memory"}}),
        events(chunk("word " * 400), chunk("x" * 100_000)),
        events(chunk(None, refusal="word " * 400), chunk(None, "stop")),
    ],
    ids=["broken off", "error", "too long", "refused"],
)
def test_answers_that_fail_half_way_are_paid_for(serve, monkeypatch, answer):
    monkeypatch.setattr(openai_chat, "BACKOFF", 0.01)
    url, script = serve(Response(answer, content_type=SSE))
    allowance = Allowance(tokens=1000)
    model = OpenAIModel(Profile("m", url), allowance)
    kinds = []
    while "budget" not in kinds:
        with pytest.raises(ServiceError) as found:
            model.ask(ASK)
        kinds.append(found.value.kind)
    assert len(script.bodies) == 3 and allowance.spent_tokens >= 1200


def test_seconds_are_a_budget_too(serve):
    url, script = serve(error(429, **{"Retry-After": "30"}))
    started = time.monotonic()
    with pytest.raises(ServiceError, match="seconds end before another try"):
        OpenAIModel(Profile("m", url), Allowance(seconds=5)).ask(ASK)
    assert time.monotonic() - started < 20 and len(script.bodies) == 1


def test_retries_are_calls(serve, monkeypatch):
    monkeypatch.setattr(openai_chat, "BACKOFF", 0.01)
    url, script = serve(error(500))
    with pytest.raises(ServiceError, match="used its 2 model calls"):
        OpenAIModel(Profile("m", url), Allowance(calls=2)).ask(ASK)
    assert len(script.bodies) == 2


def test_two_runs_do_not_wait_alike():
    waits = {tuple(OpenAIModel(Profile("m")).random.random() for _ in range(3)) for _ in range(4)}
    assert len(waits) == 4


def test_a_terminal_gets_no_escape_of_a_model():
    """Progress of a stream, thoughts, names and goals on a real terminal."""
    evil = "\x1b]52;c;cm0gLXJm\x07\x9b31m\u202e\x1b[2J\x1b]0;owned\x07"
    thought = json.loads(move("expand", "kitchen"))
    thought["move"]["chain_of_thought"] = evil
    answers = [json.dumps(thought), move("terminate"), f'(missing "{evil}")', move("terminate"), evil, evil]
    raw = [Response(sse(a), content_type=SSE) for a in answers]
    for verb in ("plan", "search"):
        with HTTPServer() as server:
            server.expect_request("/v1/chat/completions").respond_with_handler(Script(raw))
            url = server.url_for("/v1")
            code = "import sys; from groundplan.commands import main; sys.exit(main(sys.argv[1:]))"
            arguments = [verb, f"x {evil}", "--scene", "office", *DIALOGUE, url]
            shown = on_terminal([sys.executable, "-P", "-c", code, *arguments])
        assert {"plan": b"No plan", "search": b"found in 2 steps"}[verb] in shown
        for part in (b"\x1b]", b"\x07", b"\x1b[2J", "\x9b".encode(), "\u202e".encode(), b"\x9b3"):
            assert part not in shown, (verb, part)


def test_the_tree_of_a_search_is_seen_to_grow():
    answers = Script(
        [Response(sse(a), content_type=SSE) for a in (move("expand", "kitchen"), move("terminate"))]
    )

    def slowly(request):
        time.sleep(0.6)
        return answers(request)

    with HTTPServer() as server:
        server.expect_request("/v1/chat/completions").respond_with_handler(slowly)
        code = "import sys; from groundplan.commands import main; sys.exit(main(sys.argv[1:]))"
        arguments = ["search", "x", "--scene", "office", *DIALOGUE, server.url_for("/v1")]
        shown = on_terminal([sys.executable, "-P", "-c", code, *arguments])
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    searching, _, found = plain.partition("Search")
    before, _, after = searching.partition("expand kitchen")
    assert "37 rooms closed" in before and "fridge" not in before
    assert "36 rooms closed" in after and "├── fridge" in after
    assert "36 rooms closed" in found and "├── fridge" in found and "found in 2 steps" in found


def on_terminal(command: list[str]) -> bytes:
    """What a command writes to a terminal that it is alone on."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    child = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    shown = b""
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                shown += os.read(ours, 65536)
            except OSError:
                break
        elif child.poll() is not None:
            break
    child.kill()
    child.wait(10)
    os.close(ours)
    return shown
