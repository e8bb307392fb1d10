"""Model servers that misbehave, seen from the command line: exit code, message, and what is left behind."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import zlib
from functools import cache
from pathlib import Path

import pytest
import trustme
from model_server import (
    DIALOGUE,
    KITCHEN,
    SSE,
    Script,
    chunk,
    error,
    events,
    move,
    raw_server,
    respond,
    said,
    sse,
)
from pytest_httpserver import HTTPServer
from werkzeug import Response

from groundplan.domains.pack import load_pack
from groundplan.language.chat.prompt import prompts, version
from groundplan.language.chat.servers import openai as openai_chat
from groundplan.language.chat.servers.model import ChatRequest, Message, ServiceError
from groundplan.language.chat.servers.openai import OpenAIModel
from groundplan.language.chat.servers.profile import Profile

INSTRUCTION = "Put the orange into the fridge."
GOAL = "(inside_of orange1 fridge)"
KEY = "sk-canary-0123456789abcdef"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """No key, no server of the environment, and no long waits before another try."""
    for name in [n for n in os.environ if n.startswith("OPENAI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(openai_chat, "BACKOFF", 0.01)


@pytest.fixture
def ask(cli, tmp_path):
    """Plan with a model at an address; a failure leaves its record and a picture."""

    def run(url, *more, code=3):
        out = tmp_path / "out"
        before = sorted(p.name for p in tmp_path.iterdir())
        ran = cli("plan", INSTRUCTION, "--scene", "office", *DIALOGUE, url, "--out", out, *more)
        assert ran.code == code, ran
        if code == 3:
            assert sorted(p.name for p in out.iterdir()) == ["plan.svg", "record.json", "timings.json"]
        if code:
            assert "verified:" not in ran.out
        assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*before, "out"])
        return ran, json.loads((out / "record.json").read_text())

    return run


@pytest.fixture
def serve(httpserver):
    """A server that answers from a script: its address and the script."""

    def start(*answers):
        script = Script(answers)
        httpserver.expect_request("/v1/chat/completions").respond_with_handler(script)
        return httpserver.url_for("/v1"), script

    return start


def failed(ran, record, words):
    assert record["outcome"] == "service-failed"
    assert ran.err.rstrip().splitlines()[-1].startswith("service-failed:")
    assert words in ran.err and words in record["reasons"][0]
    assert record["plan"] == [] and record["verified"] is False


def test_a_server_that_behaves(ask, serve):
    answers = [Response(sse(a, usage=(2000, 20)), content_type=SSE) for a in (*KITCHEN, GOAL)]
    url, script = serve(*answers)
    ran, record = ask(url, code=0)
    assert ran.last.startswith('verified for the goal "')
    assert record["goals"][-1]["goal"] == GOAL and record["reader"] == f"m at {url.removesuffix('/v1')}"
    assert record["usage"]["forms"] == {"json-schema": 3}
    texts = prompts(load_pack())
    assert record["usage"]["prompts"] == {n: version(texts[n]) for n in ("search", "goal")}
    assert [t["tokens"] for t in record["trace"]] == [2020, 2020]
    assert record["goals"][0]["tokens"] == 2020 and record["usage"]["counted"] == 0
    assert [b["stream"] for b in script.bodies] == [True] * 3
    assert script.bodies[2]["response_format"]["json_schema"]["strict"] is True
    assert all("authorization" not in h for h in script.headers)


def test_refused(ask):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    ran, record = ask(f"http://127.0.0.1:{port}/v1")
    failed(ran, record, f"no connection to http://127.0.0.1:{port}")
    assert "is the server running?" in ran.err


def test_a_host_that_does_not_exist(ask):
    failed(*ask("http://no-such-host.invalid/v1"), "no connection to http://no-such-host.invalid:80")


def tls_server():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority = trustme.CA()
    authority.issue_cert("localhost").configure_cert(context)
    return context, authority


def test_a_certificate_that_nobody_signed(ask):
    context, _ = tls_server()
    with raw_server(lambda c, r: None, context) as (url, requests):
        ran, record = ask(url)
    failed(ran, record, "no secure connection to https://localhost:")
    assert "CERTIFICATE_VERIFY_FAILED" in ran.err and "SSL_CERT_FILE" in ran.err
    assert requests == []


def test_a_certificate_that_the_environment_trusts(ask, tmp_path, monkeypatch):
    context, authority = tls_server()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    answers = iter([*KITCHEN, GOAL])
    with raw_server(lambda c, r: c.sendall(respond(sse(next(answers)).encode())), context) as (url, _):
        _, record = ask(url, code=0)
    assert record["outcome"] == "verified"


def test_tls_to_a_server_without(ask, serve):
    url, _ = serve(GOAL)
    ran, record = ask(url.replace("http:", "https:"))
    failed(ran, record, "no secure connection")
    assert "http instead of https" in ran.err


@pytest.mark.parametrize(
    ("status", "words", "hint"),
    [
        (401, "does not accept the key (401)", "OPENAI_API_KEY"),
        (403, "forbids this (403): no", ""),
        (404, "has no model m (404): no", "--base-url"),
        (400, "turned the request down (400): no", ""),
        (413, "turned the request down (413): no", ""),
    ],
)
def test_what_trying_again_cannot_help(ask, serve, status, words, hint):
    url, script = serve(error(status))
    ran, record = ask(url)
    failed(ran, record, words)
    assert hint in ran.err
    assert len(script.bodies) == (1 if status not in (400, 413) else 5)  # each form, a bare one, one role


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_what_trying_again_may_help(ask, serve, status):
    url, script = serve(error(status), error(status), *KITCHEN, GOAL)
    ask(url, code=0)
    assert len(script.bodies) == 5
    url, script = serve(*[error(status)] * 20)


def test_a_server_that_stays_down_is_asked_five_times(ask, serve):
    url, script = serve(error(500, "out of memory"))
    failed(*ask(url), "failed (500): ")
    assert len(script.bodies) == 1 + openai_chat.RETRIES


def test_retry_after_is_honoured(ask, serve):
    url, _ = serve(error(429, **{"Retry-After": "1"}), *KITCHEN, GOAL)
    started = time.monotonic()
    ask(url, code=0)
    assert time.monotonic() - started >= 1


def test_a_date_to_retry_after(ask, serve):
    url, script = serve(error(503, **{"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}), *KITCHEN, GOAL)
    ask(url, code=0)
    assert len(script.bodies) == 4


def test_nobody_waits_for_an_hour(ask, serve):
    url, script = serve(error(429, **{"Retry-After": "3600"}))
    ran, record = ask(url)
    failed(ran, record, "is busy (429)")
    assert "it asks to wait 3600 s" in ran.err and len(script.bodies) == 1


@pytest.mark.parametrize("wait", ["1e9", "999999", "inf", "1" + "0" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_nobody_waits_for_years(ask, serve, wait):
    url, script = serve(error(429, **{"Retry-After": wait}))
    ran, record = ask(url)
    failed(ran, record, "is busy (429): no; it asks to wait 86400 s or longer")
    assert len(script.bodies) == 1


@pytest.mark.parametrize("body", ["[" * 100_000, '{"data":' + "[" * 100_000, '{"a":' * 100_000])
def test_a_list_of_models_that_is_nested_too_deeply(ask, serve, httpserver, body):
    httpserver.expect_request("/v1/models").respond_with_data(body, content_type="application/json")
    url, _ = serve(*KITCHEN, GOAL)
    ask(url, code=0)


def slowly(data):
    def send(connection, request):
        for byte in data:
            connection.sendall(bytes([byte]))
            time.sleep(0.3)

    return send


@pytest.mark.parametrize(
    "handle",
    [
        lambda connection, request: time.sleep(15),
        lambda connection, request: (connection.sendall(respond(b"")), time.sleep(15)),
        slowly(respond(sse(GOAL).encode())),
        lambda connection, request: (
            connection.sendall(respond(b"")),
            slowly(sse(GOAL).encode())(connection, request),
        ),
        lambda connection, request: (
            connection.sendall(respond(b"")),
            slowly(b": keep-alive\n\n" * 50)(connection, request),
        ),
    ],
    ids=["silence", "silence after headers", "slow headers", "slow body", "slow comments"],
)
def test_a_hang_ends_at_its_time(ask, handle):
    with raw_server(handle) as (url, _):
        started = time.monotonic()
        ran, record = ask(url, "--answer-timeout", 1)
        assert time.monotonic() - started < 12
    failed(ran, record, "did not finish an answer within 1 s")
    assert "--answer-timeout" in ran.err


def test_a_vision_model_that_hangs_ends_with_the_time_of_the_verb(cli):
    with raw_server(lambda connection, request: time.sleep(40)) as (url, _):
        started = time.monotonic()
        ran = cli("vision", "home", "--reader", "openai:M", "--base-url", url, "--timeout", "4")
        assert time.monotonic() - started < 25
    assert ran.code == 3 and "did not finish an answer within" in ran.err + ran.out
    assert "--timeout" in ran.err + ran.out and "120 s" not in ran.err + ran.out


def test_a_hang_past_the_time_of_the_run_is_said_to_be_that(ask):
    with raw_server(lambda connection, request: time.sleep(15)) as (url, _):
        ran, record = ask(url, "--max-seconds", 2)
    failed(ran, record, "the run used its 2 seconds")
    assert "--max-seconds" in ran.err and "--answer-timeout" not in ran.err


def test_a_list_of_models_that_hangs_costs_no_more_than_an_answer(ask):
    script = Script([*KITCHEN, GOAL])
    with HTTPServer(threaded=True) as server:
        over = threading.Event()
        server.expect_request("/v1/models").respond_with_handler(lambda r: over.wait(60) or Response("{}"))
        server.expect_request("/v1/chat/completions").respond_with_handler(script)
        started = time.monotonic()
        ask(server.url_for("/v1"), "--answer-timeout", 1, code=0)
        assert time.monotonic() - started < 30
        over.set()


WHOLE = sse(move("terminate")).encode()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (respond(WHOLE[:-300], length=len(WHOLE)), "broke off its answer"),
        (respond(events(chunk("{")).encode()), "broke off its answer"),
        (respond(WHOLE[:40]), "an answer that is not a chat completion"),
        (respond(b'data: {"id": "x", "choi\n\n'), "an answer that is not a chat completion"),
        (respond(b"data: [DONE]\n\n"), "an answer that is not a chat completion"),
        (respond(b""), "an answer that is not a chat completion"),
        (respond(b'data: {"choices": 7}\n\n'), "an answer that is not a chat completion"),
        (respond(b'data: {"choices": [{"delta": {"content": 5}}]}\n\n'), "not a chat completion"),
        (respond(b"data: null\n\n"), "an answer that is not a chat completion"),
        (respond(b"data: [1, 2]\n\n"), "an answer that is not a chat completion"),
        (respond(b"data: " + b"[" * 100_000 + b"\n\n"), "not a chat completion"),
        (respond(b"data: \xff\xfe\n\n"), "not a chat completion"),
        (respond(b"<html>Welcome</html>", "text/html"), "an answer that is not a chat completion"),
        (respond(b'{"choices": []}', "application/json"), "an answer that is not a chat completion"),
        (respond(b'data: {"error": {"message": "out of memory"}}\n\n'), "out of memory"),
        (b"HTTP/1.1 200 OK\r\nContent-Type", "broke off its answer"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "broke off its answer"),
        (b"", "broke off its answer"),
    ],
)  # fmt: skip
def test_an_answer_that_is_none(ask, body, words):
    with raw_server(lambda connection, request: connection.sendall(body)) as (url, _):
        failed(*ask(url, "--answer-timeout", 5), words)


@pytest.mark.parametrize(
    "body",
    [
        b'{"choices": [{"message": {"content": 5}}]}',
        b'{"choices": [{"message": "[]"}]}',
        b'{"choices": {"0": 1}}',
        b'{"choices": 7}',
        b"[7]",
    ],
)
def test_an_answer_of_another_form_is_told_the_form(ask, body):
    with raw_server(lambda connection, _: connection.sendall(respond(body, "application/json"))) as (url, _):
        ran, record = ask(url, "--answer-timeout", 5)
    failed(ran, record, "an answer that is not a chat completion; expected {")
    for words in ("concatenate", "has no attribute", "subscriptable", "indices", "'int'"):
        assert words not in ran.out + ran.err + str(record["reasons"])


def test_fifty_megabytes(ask):
    sent = []

    def flood(connection, request):
        connection.sendall(respond(b""))
        piece = events({**chunk(""), "padding": "x" * 4000}).encode()
        for _ in range(50 * 1024 * 1024 // len(piece)):
            connection.sendall(piece)
            sent.append(len(piece))

    with raw_server(flood) as (url, _):
        failed(*ask(url), "sent an answer of more than 8388608 bytes")
    assert sum(sent) < 20 * 1024 * 1024


def test_an_answer_longer_than_was_asked_for_is_cut_off(ask):
    sent = []

    def flood(connection, request):
        connection.sendall(respond(b""))
        for _ in range(2000):
            connection.sendall(events(chunk("x" * 4000)).encode())
            sent.append(4000)

    with raw_server(flood) as (url, _):
        failed(*ask(url), "longer than 4000 tokens can be")
    assert sum(sent) < 4 * 1024 * 1024


BOMBS = {
    "error": ("500 no", "text/plain", b"x" * 1024),
    "comments": ("200 OK", SSE, b": \n\n" * 256),
    "one line": ("200 OK", SSE, b"data: x" * 100),
    "text": ("200 OK", SSE, events(chunk("x" * 200)).encode()),
    "whole": ("200 OK", "application/json", b" " * 1024),
}


@cache
def packed(piece: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packer.compress(piece * 1024) for _ in range(32)) + packer.flush()


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "GZIP", "identity, gzip"])
@pytest.mark.parametrize("bomb", BOMBS)
def test_what_is_compressed_is_not_unpacked(ask, bomb, encoding):
    status, kind, piece = BOMBS[bomb]
    body = packed(piece)
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Encoding: {encoding}\r\n"
    head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with raw_server(lambda c, r: c.sendall(head.encode() + body)) as (url, requests):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        failed(*ask(url), f"sent a compressed answer ({encoding.lower()})")
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 20 * 1024  # KiB; unpacked it has at least 20 MB
    assert all(b"accept-encoding: identity\r\n" in r.lower() for r in requests)
    assert len([r for r in requests if r.startswith(b"POST")]) == 1


def test_fifty_megabytes_in_one_line(ask):
    def flood(connection, request):
        connection.sendall(respond(b"data: "))
        for _ in range(800):
            connection.sendall(b"x" * 65536)

    with raw_server(flood) as (url, _):
        failed(*ask(url), "sent an answer of more than 8388608 bytes")


def test_fifty_megabytes_of_error(ask, serve):
    url, _ = serve(Response(b"x" * 50 * 1024 * 1024, 500, content_type="text/plain"))
    failed(*ask(url), "more than 8388608 bytes")


def test_an_empty_answer(ask, serve):
    url, _ = serve("")
    failed(*ask(url), "gave an empty answer (finish reason stop)")


def test_a_refusal(ask, serve):
    refused = events(chunk(None, refusal="I will not move oranges."), chunk(None, "stop"))
    url, _ = serve(Response(refused, content_type=SSE))
    failed(*ask(url), "the model refused: I will not move oranges.")


def test_a_content_filter(ask, serve):
    url, _ = serve(Response(events(chunk("a", "content_filter")), content_type=SSE))
    failed(*ask(url), "held the answer back")


def test_redirects_are_not_followed_and_the_key_does_not_travel(ask, httpserver, monkeypatch):
    with raw_server(lambda c, r: c.sendall(respond(sse(GOAL).encode()))) as (elsewhere, requests):
        moved = Response("", 307, {"Location": f"{elsewhere}/chat/completions"})
        httpserver.expect_request("/v1/chat/completions").respond_with_response(moved)
        url = httpserver.url_for("/v1")
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        failed(*ask(url), "redirects elsewhere (307)")
    assert requests == []
    assert httpserver.log[-1][0].headers["Authorization"] == f"Bearer {KEY}"


# What a model gets wrong is its mistake, not the server's: another exit code, and the check's words.


def test_a_search_that_answers_nonsense(ask, serve):
    url, script = serve('{"thought": "hm", "action": "look"}')
    _, record = ask(url)
    assert record["outcome"] == "search-exhausted" and len(script.bodies) == 3
    assert "the command must be expand, contract or terminate" in said(script.bodies[1])
    assert "3 answers in a row were not moves" in record["reasons"][0]
    assert [t["command"] for t in record["trace"]] == ["rejected"] * 3


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("(inside_of unicorn7 fridge)", "unicorn7"),
        (
            "goto(kitchen), access(fridge), open(fridge)",
            "expected a formula such as (open fridge), got open(fridge)",
        ),
        ('{"goal": "yes"}', "expected (, got yes"),
        ("[1, 2, 3]", "expected (, got [1"),
        ("I would put the orange into the fridge.", "expected (, got I"),
    ],
    ids=["invented node", "plan", "wrong schema", "list", "prose"],
)
def test_the_same_wrong_goal_is_not_tried_for_ever(ask, serve, wrong, words):
    url, script = serve(*KITCHEN, *[wrong] * 5)
    _, record = ask(url, code=3)
    assert record["outcome"] == "goal-error"
    assert len(record["goals"]) == 2 and len(script.bodies) == 4
    assert "history" in said(script.bodies[3]) and wrong.split()[0].strip('{"') in said(script.bodies[3])
    assert words in record["goals"][0]["feedback"][0]


def test_a_wrong_goal_that_is_repaired(ask, serve):
    url, script = serve(*KITCHEN, "(inside_of unicorn7 fridge)", GOAL)
    _, record = ask(url, code=0)
    assert [g["goal"] for g in record["goals"]] == ["(inside_of unicorn7 fridge)", GOAL]
    assert "unicorn7" in said(script.bodies[3])


def test_a_goal_that_holds_already_is_sent_back(ask, serve):
    url, script = serve(*KITCHEN, "(closed fridge)", GOAL)
    ran, record = ask(url, code=0)
    assert [g["goal"] for g in record["goals"]] == ["(closed fridge)", GOAL]
    assert record["goals"][0]["feedback"] == ["this is so already; say what has to change"]
    assert "this is so already" in said(script.bodies[3])
    assert "but the goal holds before anything is done" in ran.out


def test_nothing_is_verified_with_nothing_done_where_something_was_asked_for(ask, serve):
    url, _ = serve(*KITCHEN, "(closed fridge)", "(closed fridge)")
    ran, record = ask(url, code=3)
    assert (record["outcome"], record["plan"], record["verified"]) == ("goal-error", [], False)
    assert record["reasons"] == ["this is so already; say what has to change"]
    assert ran.err.rstrip().splitlines()[-1].startswith("goal-error: ") and "so already" in ran.err


def test_forms_are_stepped_down_and_the_report_says_so(ask, httpserver):
    script = Script([*KITCHEN, GOAL])

    def picky(request):
        kind = (request.get_json().get("response_format") or {}).get("type")
        if kind == "json_schema":
            return error(400, "response_format json_schema is not supported")
        return script(request)

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(picky)
    _, record = ask(httpserver.url_for("/v1"), code=0)
    assert record["usage"]["forms"] == {"json": 2, "text": 1}
    turned_down = [1 for request, _ in httpserver.log if b"json_schema" in request.data]
    assert len(turned_down) == 2  # once for moves and once for goals
    assert (record["usage"]["calls"], record["usage"]["failed"]) == (5, 2)


def test_what_is_turned_down_for_goals_is_still_used_for_moves(ask, httpserver):
    script = Script([*KITCHEN, '(missing "a window")', move("expand", "cafeteria"), move("terminate"), GOAL])

    def picky(request):
        schema = (request.get_json().get("response_format") or {}).get("json_schema")
        return error(400, "schema too large") if schema and schema["name"] == "goal" else script(request)

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(picky)
    _, record = ask(httpserver.url_for("/v1"), code=0)
    assert record["usage"]["forms"] == {"json-schema": 4, "text": 2}
    assert record["usage"]["failed"] == 1


def whole(text, **usage):
    """A completion that is not streamed."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return Response(json.dumps({**body, "usage": usage or None}), content_type="application/json")


def test_a_server_that_answers_whole_though_asked_to_stream(ask, serve):
    url, script = serve(*(whole(a, prompt_tokens=2000, completion_tokens=20) for a in (*KITCHEN, GOAL)))
    _, record = ask(url, code=0)
    assert record["goals"][-1]["goal"] == GOAL and record["usage"]["counted"] == 0
    assert [t["tokens"] for t in record["trace"]] == [2020, 2020] and len(script.bodies) == 3


LEFT_OUT = {
    "stream": ("streaming is not supported by this model", ["stream"]),
    "stream_options": ("Unrecognized request argument supplied: stream_options", ["stream_options"]),
    "temperature": (
        "Unsupported value: 'temperature' does not support 0.0 with this model.",
        ["temperature"],
    ),
    "seed": ("body.seed: Extra inputs are not permitted", ["seed"]),
}


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_setting_that_a_server_turns_down_is_left_out(ask, httpserver, name, status):
    words, left_out = LEFT_OUT[name]
    script = Script([*KITCHEN, GOAL])
    bodies = []

    def picky(request):
        body = request.get_json()
        bodies.append(body)
        if body.get(name, False) is not False:
            return error(status, words)
        made = script(request)
        return made if body.get("stream") else whole(script.answers[len(script.bodies) - 1])

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(picky)
    _, record = ask(httpserver.url_for("/v1"), code=0)
    assert record["usage"]["left_out"] == left_out and record["usage"]["forms"] == {"json-schema": 3}
    assert (record["usage"]["calls"], record["usage"]["failed"]) == (4, 1)
    assert len(bodies) == 4  # turned down once
    assert ["temperature" in b for b in bodies[1:]] == [name != "temperature"] * 3


def test_what_does_not_help_is_not_left_out(serve):
    url, script = serve(error(400, "the temperature of the room"), error(400), error(400), "x")
    model = OpenAIModel(Profile("m", url, form="text"))
    ask = ChatRequest((Message("user", "hi"),))
    with pytest.raises(ServiceError, match="turned the request down") as found:
        model.ask(ask)
    assert found.value.tries == 3
    assert model.ask(ask).left_out == ()
    assert ["temperature" in b for b in script.bodies] == [True, False, False, True]


def test_calls_count_whatever_came_of_them(ask, serve):
    url, script = serve(error(500), error(500), *KITCHEN, GOAL)
    _, record = ask(url, code=0)
    assert (record["usage"]["calls"], record["usage"]["failed"]) == (5, 2) and len(script.bodies) == 5


def test_calls_of_a_run_that_failed_count(ask, serve):
    url, script = serve(move("expand", "kitchen"), error(500))
    _, record = ask(url)
    assert (record["usage"]["calls"], record["usage"]["failed"]) == (6, 5) and len(script.bodies) == 6


@pytest.mark.parametrize("path", ["/proc/cassette.jsonl", "none/cassette.jsonl", "."])
def test_a_cassette_that_cannot_be_written_costs_no_call(cli, serve, path):
    url, script = serve(*KITCHEN, GOAL)
    arguments = ("plan", INSTRUCTION, "--scene", "office", *DIALOGUE, url)
    ran = cli(*arguments, "--record", path)
    assert ran.code == 2 and script.bodies == []


def test_half_a_character_in_a_name(cli, serve, tmp_path):
    odd = "half\ud800"
    nodes = [
        {"id": "room1", "type": "room", "position": [0, 0, 0]},
        {"id": "pose1", "type": "pose", "position": [1, 0, 0]},
        {"id": "table1", "type": "asset", "parent": "room1", "relation": "in", "affordances": ["release"]},
        {"id": "table2", "type": "asset", "parent": "room1", "relation": "in", "affordances": ["release"]},
        {"id": odd, "type": "object", "parent": "table1", "relation": "ontop_of", "affordances": ["pickup"]},
        {"id": "agent", "type": "agent", "parent": "room1", "at": "pose1"},
    ]
    links = [{"a": "pose1", "b": "room1", "length": 1.0}]
    scene = {"format": "groundplan-scene", "version": 1, "name": "s", "nodes": nodes, "links": links}
    (tmp_path / "s.json").write_text(json.dumps(scene))
    url, script = serve(move("expand", "room1"), move("terminate"), f"(ontop_of {json.dumps(odd)} table2)")
    arguments = ("plan", "x", "--scene", tmp_path / "s.json", *DIALOGUE, url)
    ran = cli(*arguments, "--json")
    assert ran.code == 0 and set(ran.json["usage"]["forms"]) == {"json-schema"}, ran
    # A schema of moves has the names of rooms, one of goals has no name.
    (tmp_path / "s.json").write_text(json.dumps(scene).replace("room1", "room\\ud800"))
    script.bodies.clear()
    ran = cli(*arguments, "--form", "json-schema", "--json")
    assert ran.code == 3 and "half a character (a lone surrogate)" in ran.json["reasons"][0]


def test_a_llama_server_gets_gbnf(ask, httpserver, serve):
    models = {
        "object": "list",
        "data": [{"id": "m", "object": "model", "created": 1, "owned_by": "llamacpp"}],
    }
    httpserver.expect_request("/v1/models").respond_with_json(models)
    url, script = serve(*KITCHEN, GOAL)
    _, record = ask(url, code=0)
    assert record["usage"]["forms"] == {"gbnf": 3}
    assert all("root ::=" in b["grammar"] and "response_format" not in b for b in script.bodies)


def test_a_form_can_be_chosen(ask, serve):
    url, script = serve(*KITCHEN, GOAL)
    _, record = ask(url, "--form", "text", code=0)
    assert record["usage"]["forms"] == {"text": 3}
    assert "response_format" not in script.bodies[0]


def test_what_a_server_does_not_count_is_counted_offline(ask, serve):
    answers = [Response(sse(a, usage=None), content_type=SSE) for a in (*KITCHEN, GOAL)]
    url, _ = serve(*answers)
    _, record = ask(url, code=0)
    assert record["usage"]["counted"] == 3
    assert 600 < record["trace"][0]["tokens"] < 3000


@pytest.mark.parametrize(
    "counts",
    [
        {"prompt_tokens": -(10**6), "completion_tokens": -5},
        {"prompt_tokens": 10**30, "completion_tokens": 20},
        {"prompt_tokens": 1e308, "completion_tokens": 20},
        {"prompt_tokens": None, "completion_tokens": None},
        {"prompt_tokens": "2000", "completion_tokens": True},
        {"prompt_tokens": True, "completion_tokens": True},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": 3, "completion_tokens": 20},
        {"prompt_tokens": 2000, "completion_tokens": 0},
        {},
        [],
        7,
    ],
    ids=repr,
)
def test_what_a_server_counts_is_data(ask, serve, counts):
    url, _ = serve(*(counting(a, counts) for a in (*KITCHEN, GOAL)))
    _, record = ask(url, code=0)
    assert record["usage"]["counted"] == 3
    assert 600 < record["trace"][0]["tokens"] < 3000


def counting(text, counts):
    """An answer with a report of its tokens."""
    body = sse(text, usage=None).replace("data: [DONE]\n\n", "")
    return Response(body + events({**chunk(), "choices": [], "usage": counts}), content_type=SSE)


@pytest.mark.parametrize("prompt", [0, -(10**6)])
def test_a_server_that_counts_nothing_does_not_get_past_the_budget(ask, serve, prompt):
    counts = {"prompt_tokens": prompt, "completion_tokens": 0, "total_tokens": prompt}
    url, script = serve(*(counting(a, counts) for a in (*KITCHEN, GOAL)))
    failed(*ask(url, "--max-tokens", "500"), "the run used its 500 tokens")
    assert len(script.bodies) == 1


def test_parts_of_a_stream_may_be_null(ask, serve):
    def odd(text):
        body = sse(text, usage=(2000, 20)).replace('"choices": []', '"choices": null')
        return Response(body.replace('"delta": {}', '"delta": null'), content_type=SSE)

    url, _ = serve(*map(odd, (*KITCHEN, GOAL)))
    _, record = ask(url, code=0)
    assert record["usage"]["counted"] == 0


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://host/v1", "expected http://HOST/v1"),
        ("localhost:8080", "expected http://HOST/v1"),
        ("http://host:port/v1", "expected http://HOST/v1"),
        ("http://host:99999/v1", "expected http://HOST/v1"),
        ("http://[::1/v1", "expected http://HOST/v1"),
        ("http://[v1.a]:1/v1", "expected http://HOST/v1"),
        ("http://ⓛocalhost:80/v1", "expected http://HOST/v1"),
        ("http://☃/v1", "expected http://HOST/v1"),
        ("http://a..b/v1", "expected http://HOST/v1"),
        (f"http://{'a' * 70}.net/v1", "expected http://HOST/v1"),
        ("http://localhost/" + "v" * 100_000, "an address of at most 2000 characters"),
        (f"http://user:{KEY}@host/v1", "without user, password"),
        (f"http://host/v1?key={KEY}", "without user, password"),
    ],
)
def test_addresses_that_are_none(cli, url, words):
    ran = cli("plan", INSTRUCTION, "--scene", "office", *DIALOGUE, url)
    assert ran.code == 2 and words in ran.err and KEY not in ran.err


def test_search_says_why_it_failed(cli, serve):
    url, _ = serve(error(401))
    arguments = ("search", INSTRUCTION, "--scene", "office", *DIALOGUE, url)
    ran = cli(*arguments)
    assert ran.code == 3 and "does not accept the key" in ran.out + ran.err
    ran = cli(*arguments, "--json")
    assert ran.code == 3 and ran.json["outcome"] == "service-failed" and "key" in ran.json["reason"]


def test_a_search_that_fails_says_why(cli, serve):
    url, _ = serve("no")
    arguments = ("search", INSTRUCTION, "--scene", "office", *DIALOGUE, url)
    ran = cli(*arguments, "--json")
    assert ran.code == 3 and ran.json["outcome"] == "search-exhausted"
    assert "3 answers in a row" in ran.json["reason"]
    assert "search-exhausted in 3 steps: 3 answers in a row" in cli(*arguments).out


def test_control_c_during_a_hang(tmp_path, interruptible):
    with raw_server(lambda connection, request: time.sleep(20)) as (url, requests):
        code = "import sys; from groundplan.commands import main; sys.exit(main(sys.argv[1:]))"
        arguments = ["plan", INSTRUCTION, "--scene", "office", *DIALOGUE, url]
        child = subprocess.Popen(
            [sys.executable, "-P", "-c", code, *arguments, "--out", "out", "--record", "cassette.jsonl"],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        give_up = time.monotonic() + 60
        while not any(r.startswith(b"POST") for r in requests):
            assert time.monotonic() < give_up and child.poll() is None
            time.sleep(0.05)
        started = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
        assert time.monotonic() - started < 15
    assert child.returncode == 130
    assert err.strip() == "cancelled" and "verified" not in out
    assert [path.name for path in Path(tmp_path).iterdir()] == ["out"]  # and no cassette
    record = json.loads((Path(tmp_path) / "out" / "record.json").read_text())
    assert (record["outcome"], record["instruction"]) == ("cancelled", INSTRUCTION)
