"""A key goes to the host that it belongs to, in one header, and to nobody and nothing else."""

from __future__ import annotations

import html
import json
import logging
import os
import traceback
from collections.abc import Iterator
from dataclasses import asdict, replace
from urllib.parse import quote

import pytest
from draws import draws
from hypothesis import example, given
from hypothesis import strategies as st
from model_server import KITCHEN, error, raw_server, respond, sse

from groundplan.commands import main
from groundplan.domains.errors import InputError
from groundplan.language.chat.servers import openai as openai_chat
from groundplan.language.chat.servers.model import ChatRequest, Message, ServiceError
from groundplan.language.chat.servers.openai import OpenAIModel
from groundplan.language.chat.servers.profile import FLAGS, OPENAI_URL, Profile, profile
from groundplan.language.chat.servers.secret import Secret

KEY, OTHER = "sk-canary-0123456789abcdef", "sk-second-canary-fedcba987654"
GOAL = "(inside_of orange1 fridge)"
PLAN = ("plan", "Put the orange into the fridge.", "--scene", "office", "--search", "dialogue")
ASK = ChatRequest((Message("user", "hi"),))


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    for name in [n for n in os.environ if n.startswith("OPENAI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(openai_chat, "BACKOFF", 0.01)


def answering(*texts: str):
    answers: Iterator[str] = iter(texts)
    return lambda connection, request: connection.sendall(respond(sse(next(answers)).encode()))


AMBIENT = {
    "OPENAI_API_KEY": KEY,
    "OPENAI_ADMIN_KEY": KEY,
    "OPENAI_ORG_ID": "org-canary-0123",
    "OPENAI_PROJECT_ID": "proj-canary-0123",
    "OPENAI_WEBHOOK_SECRET": KEY,
    "OPENAI_CUSTOM_HEADERS": f"Authorization: Bearer {KEY}\nX-Canary: {KEY}",
}


def test_no_other_host_gets_a_key_of_the_environment(monkeypatch, capsys):
    for name, value in AMBIENT.items():
        monkeypatch.setenv(name, value)
    with raw_server(answering(*KITCHEN, GOAL)) as (url, requests):
        assert main([*PLAN, "--reader", "openai:m", "--base-url", url]) == 0
    assert len(requests) == 4  # the list of models, and three questions
    for request in requests:
        assert b"canary" not in request
        head = request.partition(b"\r\n\r\n")[0].lower()
        assert b"authorization" not in head and b"openai" not in head and b"stainless" not in head


def test_the_host_of_the_environment_gets_its_key(monkeypatch):
    with raw_server(answering(*KITCHEN, GOAL)) as (url, requests):
        for name, value in {**AMBIENT, "OPENAI_BASE_URL": url}.items():
            monkeypatch.setenv(name, value)
        assert main([*PLAN, "--reader", "openai:m"]) == 0
    for request in requests:
        head = request.partition(b"\r\n\r\n")[0].decode()
        assert f"Authorization: Bearer {KEY}" in head.replace("authorization:", "Authorization:")
        assert head.count(KEY) == 1 and "X-Canary" not in head and "x-canary" not in head
        assert "org-canary-0123" in head and "proj-canary-0123" in head


def test_no_empty_headers(monkeypatch):
    with raw_server(answering(*KITCHEN, GOAL)) as (url, requests):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "")
        monkeypatch.setenv("OPENAI_ORG_ID", "")
        assert main([*PLAN, "--reader", "openai:m"]) == 0
    assert all(b"authorization" not in r.lower() and b"openai-" not in r.lower() for r in requests)


@pytest.mark.parametrize(
    ("base_url", "environment", "key"),
    [
        (None, {}, KEY),
        (OPENAI_URL, {}, KEY),
        ("https://API.openai.com:443/v2", {}, KEY),
        ("http://api.openai.com/v1", {}, ""),
        ("https://api.openai.com:8443/v1", {}, ""),
        ("https://api.openai.com.evil.example/v1", {}, ""),
        ("https://evil.example/api.openai.com/v1", {}, ""),
        ("https://eu.api.openai.com/v1", {}, ""),
        (None, {"OPENAI_BASE_URL": "http://mine:1/v1"}, KEY),
        ("http://mine:1/v2", {"OPENAI_BASE_URL": "http://mine:1/v1"}, KEY),
        ("http://mine:2/v1", {"OPENAI_BASE_URL": "http://mine:1/v1"}, ""),
        (OPENAI_URL, {"OPENAI_BASE_URL": "http://mine:1/v1"}, ""),
        ("http://[::1]:80/v1", {"OPENAI_BASE_URL": "http://[::1]/v1"}, KEY),
        ("http://[::1:80]/v1", {"OPENAI_BASE_URL": "http://[::1]/v1"}, ""),
    ],
)
def test_whose_key_it_is(base_url, environment, key):
    found = profile("m", base_url, environment={"OPENAI_API_KEY": KEY, **environment})
    assert found.key.reveal() == key
    assert ("Authorization" in found.headers()) == bool(key)


PROFILES = """
[models.mine]
base_url = "http://mine:1/v1"
model = "big"
key_env = "MY_KEY"
temperature = 0.5
[models.plain]
key_env = "MY_KEY"
[models.keyless]
base_url = "http://mine:1/v1"
"""


@pytest.mark.parametrize(
    ("name", "base_url", "environment", "key"),
    [
        ("mine", None, {}, OTHER),
        ("mine", "http://mine:1/v2", {}, OTHER),
        ("mine", "http://other:1/v1", {}, ""),
        ("mine", OPENAI_URL, {}, ""),
        ("plain", None, {}, OTHER),
        ("plain", None, {"OPENAI_BASE_URL": "http://other:1/v1"}, ""),
        ("keyless", None, {}, ""),
    ],
)
def test_a_profile_keeps_its_key_for_its_host(tmp_path, name, base_url, environment, key):
    file = tmp_path / "profiles.toml"
    file.write_text(PROFILES)
    env = {"OPENAI_API_KEY": KEY, "MY_KEY": OTHER, **environment}
    found = profile(name, base_url, file, env)
    assert found.key.reveal() == key
    assert found.account == {}
    if name == "mine":
        assert found.model == "big" and found.temperature == 0.5
        assert profile(name, None, file, env, temperature=1.0).temperature == 1.0


@pytest.mark.parametrize(
    "text",
    [
        f'[models.m]\napi_key = "{KEY}"',
        f'[models.m]\nkey_env = ["{KEY}"]',
        f'[models.m]\nkey_env = "{KEY}"',
        f'[models.m]\n"{KEY}" = 1',
        f'[models.m."{KEY}"]\na = 1',
        f'[models."{KEY}"]\na = 1',
        f'["{KEY}"]\na = 1',
        f'[models.m]\nbase_url = "http://u:{KEY}@h/v1"',
        f'[models.m]\nbase_url = "{KEY}"',
        f'[models.m]\nmodel = "{KEY}\\n"',
        *(f'[models.m]\n{name} = "{KEY}"' for name in FLAGS),
        *(f'[models.m]\n{name} = ["{KEY}"]' for name in FLAGS),
        f'[models.m]\n"{KEY}" = 1\n"{KEY}" = 2',
        f'[models."{KEY}"]\n[models."{KEY}"]',
        f'[models]\nm = {{"{KEY}" = 1, "{KEY}" = 2}}',
        f"[models.m]\nmodel = {KEY}",
        f'[models.m]\nmodel = "{KEY}',
        f'models = "{KEY}"',
        f'[models]\nm = "{KEY}"',
        KEY,
    ],
)
def test_a_key_typed_into_a_profile_is_not_shown(tmp_path, capfd, text):
    file = tmp_path / "profiles.toml"
    file.write_text(text)
    assert main([*PLAN, "--reader", "openai:m", "--profiles", str(file)]) == 2
    said = capfd.readouterr()
    assert "profiles.toml" in said.err or "model: " in said.err or "base URL: " in said.err
    assert KEY not in said.err + said.out
    assert KEY[:12] not in said.err + said.out


@pytest.mark.parametrize("flag", ["--form", "--api", "--base-url", "--temperature", "--seed", "--max-tokens"])
def test_a_key_given_as_an_option_is_not_shown(capfd, flag):
    assert main([*PLAN, "--reader", "openai:m", flag, KEY]) == 2
    said = capfd.readouterr()
    assert said.err and KEY not in said.err + said.out


@pytest.mark.parametrize("key", [f"{KEY}\r\nX: y", f"{KEY} {KEY}", f"{KEY}€", f"{KEY}\0"])
def test_a_key_that_is_none_is_not_shown(key):
    with pytest.raises(InputError) as found:
        profile("m", environment={"OPENAI_API_KEY": key})
    assert "OPENAI_API_KEY" in str(found.value) and KEY not in repr(found.value)


def test_printing_shows_no_key():
    found = profile("m", environment={"OPENAI_API_KEY": KEY, "OPENAI_ORG_ID": "org-canary-1"})
    model = OpenAIModel(found)
    shown = [
        repr(found),
        str(found),
        repr(model),
        repr(asdict(found)["key"]),
        repr(found.key),
        f"{found.key}",
    ]
    shown += [json.dumps(model.settings), model.name, repr(vars(model)), repr(replace(found, seed=1))]
    assert all("canary" not in text for text in shown)


ECHO = f"you sent Authorization: Bearer {KEY}, didn't you? {KEY[:-1]}"
BODY = json.dumps({"error": {"message": ECHO, "param": KEY}}).encode()


def echoes(status: bytes, body: bytes, kind: bytes = b"application/json"):
    head = b"HTTP/1.1 " + status + b"\r\nContent-Type: " + kind + b"\r\nConnection: close\r\n"
    head += b"X-Echo: " + KEY.encode() + b"\r\nRetry-After: 0\r\n\r\n"
    return lambda connection, request: connection.sendall(head + body)


def in_json(text: str) -> str:
    """Every character as an escape of JSON."""
    return "".join(f"\\u{ord(c):04x}" for c in text)


CASES = {
    "escaped answer": lambda c, r: c.sendall(respond(sse(f'(missing "{in_json(KEY)}")').encode())),
    "escaped goal": lambda c, r: c.sendall(
        respond(
            sse(
                f'{{"chain_of_thought": "{in_json(KEY)}", "command": "terminate", "node": ""}}'
                if b"expand" in r
                else f'{{"answer": {{"closed": "\\"{in_json(in_json(KEY))}\\""}}}}'
            ).encode()
        )
    ),
    "escaped move": lambda c, r: c.sendall(
        respond(
            sse(
                f'{{"chain_of_thought": "{in_json(KEY)}", "command": "expand", "node": "{in_json(KEY)}"}}'
            ).encode()
        )
    ),
    "reason": echoes(f"418 {KEY}".encode(), b""),
    "error": echoes(b"400 no", BODY),
    "unauthorized": echoes(b"401 no", BODY),
    "missing": echoes(b"404 no", BODY),
    "server error": echoes(b"500 no", BODY),
    "busy": echoes(b"429 no", BODY),
    "text": echoes(b"400 no", ECHO.encode(), b"text/plain"),
    "no stream": echoes(b"200 ok", ECHO.encode(), b"text/html"),
    "stream error": echoes(b"200 ok", b"data: " + BODY + b"\n\n", b"text/event-stream"),
    "no JSON": echoes(b"200 ok", f'data: {{"{KEY}": {KEY}\n\n'.encode(), b"text/event-stream"),
    "no HTTP": lambda c, r: c.sendall(f"{KEY} is your key\r\n\r\n".encode()),
    "no header": lambda c, r: c.sendall(f"HTTP/1.1 200 OK\r\n{KEY}\r\n\r\n".encode()),
    "redirect": echoes(b"302 no", BODY),
    "answer": lambda c, r: c.sendall(respond(sse(f'(missing "{KEY}")').encode())),
    "thought": lambda c, r: c.sendall(
        respond(sse(json.dumps({"chain_of_thought": KEY, "command": "terminate", "node": KEY})).encode())
    ),
    "finish": lambda c, r: c.sendall(respond(sse("x", KEY).encode())),
    "empty": lambda c, r: c.sendall(respond(sse("", KEY).encode())),
}


@pytest.mark.parametrize("case", CASES)
def test_a_server_that_gives_the_key_away(case, tmp_path, monkeypatch, capfd, caplog):
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx2", "httpcore2", ""):
        logging.getLogger(name).setLevel(logging.DEBUG)
    with raw_server(CASES[case]) as (url, requests):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        for more in (["--json"], ["--out", str(tmp_path / "out")]):
            record = ["--record", str(tmp_path / "cassette.jsonl"), "--answer-timeout", "5"]
            assert main([*PLAN, "--reader", "openai:m", *record, *more]) in (2, 3)
        assert any(KEY.encode() in request for request in requests)
        said = capfd.readouterr()
        try:
            OpenAIModel(profile("m", timeout=5.0)).ask(ASK)
        except ServiceError as caught:
            said_of_it = [str(caught), repr(caught), *traceback.format_exception(caught)]
        else:
            said_of_it = []
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or KEY.encode() not in file.read_bytes(), file
    assert KEY not in said.out + said.err
    assert all(KEY not in text for text in said_of_it)
    ours = [r for r in caplog.records if not r.name.startswith(("httpcore2", "werkzeug"))]
    assert all(KEY not in r.getMessage() for r in ours)


@pytest.mark.parametrize(
    "arguments",
    [
        [
            "plan",
            f"Put {KEY} into the fridge.",
            "--scene",
            "office",
            "--reader",
            "openai:m",
            "--record",
            "c.jsonl",
        ],
        ["plan", f"Put {KEY} into the fridge.", "--scene", "office", "--out", "out"],
        ["search", f"Find {KEY}.", "--scene", "office", "--json"],
        ["plan", "--scene", "office", "--goal", f"(closed {KEY})", "--json"],
        ["check", "--scene", "office", "--goal", f"(closed {KEY})"],
        ["find", f"(find (?x - {KEY}))", "--scene", "office"],
        ["plan", "x", "--scene", KEY],
        ["plan", "x", "--scene", "office", "--reader", KEY],
        ["plan", "x", "--scene", "office", "--reader", f"recorded:{KEY}"],
        ["plan", "x", "--scene", "office", "--reader", f"openai:{KEY}"],
        ["plan", "x", "--scene", "office", "--reader", "openai:m", "--profiles", KEY],
        ["plan", "x", "--scene", "office", "--engine", KEY],
        ["plan", "--task", KEY],
        ["tasks", "list", "--set", KEY],
        [KEY],
        ["plan", f"--{KEY}"],
    ],
    ids=lambda a: " ".join(a).replace(KEY, "KEY"),
)
def test_a_key_typed_where_none_belongs_is_not_shown(arguments, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    with raw_server(answering(*KITCHEN, "no", "no")) as (url, _):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert main(arguments) in (1, 2, 3)
    said = capfd.readouterr()
    assert said.out + said.err and KEY not in said.out + said.err
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or KEY.encode() not in file.read_bytes(), file


def test_the_key_is_held_back_from_a_stream_in_pieces(httpserver):
    told: list[str] = []
    pieces = sse(f"before {KEY} between {KEY[:9]} after")
    httpserver.expect_request("/v1/chat/completions").respond_with_data(
        pieces, content_type="text/event-stream"
    )
    model = OpenAIModel(Profile("m", httpserver.url_for("/v1"), Secret(KEY)), on_piece=told.append)
    assert model.ask(ASK).text == f"before [key] between {KEY[:9]} after"
    assert "".join(told) == f"before [key] between {KEY[:9]} after"


AWKWARD = 'sk-ca\'nary\\0123<"x"&>/456789'


@pytest.mark.parametrize("written", [str, repr, json.dumps, html.escape, quote])
@pytest.mark.parametrize("key", [KEY, AWKWARD, AWKWARD.replace("'", ""), AWKWARD.replace('"', "")])
def test_a_key_is_blotted_out_however_it_is_escaped(key, written):
    secret = Secret(key)
    text = written(f"you sent {key}!")
    assert "[key]" in secret.redact(text)
    shown = ""
    for end in range(len(text)):  # as a stream would show it
        whole = secret.redact(text[: end + 1])
        shown = whole[: len(whole) - secret.partial_length(whole)]
        assert key[:16] not in shown and "nary" not in shown


ESCAPED = {
    "whole": (KEY, f'"{in_json(KEY)}"'),
    "twice": (KEY, f'"{in_json(in_json(KEY))}"'),
    "after a letter": (KEY, f'"sk{in_json(KEY[2:])}"'),
    "in an escape": ("sk-proj-Zq9wXyTrs7", r'"\"\\u\u0030073k-proj-Zq9wXyTrs7\""'),
    "after a percentage": ("abcdefgh1234", r'"%ab\u0063defgh1234"'),
    "after a code": ("abcdefgh1234", r'"\\xab\u0063defgh1234"'),
    "after another escape": ("0f3dabcd5678", r'"\\u0f3d\u0061bcd5678"'),
    "with a backslash": ("ab\\cdefgh", r'"\u0061b\\cdefgh"'),
    "with a backslash, twice": ("ab\\cdefgh", json.dumps(json.dumps("ab\\cdefgh"))),
    "with a percentage": ("ab%41cdefgh", r'"\u0061b%41cdefgh"'),
    "with an entity": ("ab&#65;cdefgh", r'"\u0061b&#65;cdefgh"'),
}


@pytest.mark.parametrize("case", ESCAPED)
def test_no_answer_holds_the_key_however_it_is_read(case, httpserver):
    key, text = ESCAPED[case]
    httpserver.expect_request("/v1/chat/completions").respond_with_data(
        sse(text), content_type="text/event-stream"
    )
    said = OpenAIModel(Profile("m", httpserver.url_for("/v1"), Secret(key))).ask(ASK).text
    for _ in range(3):
        assert key not in said
        try:
            said = json.loads(said)
        except ValueError:
            break


PIECES = st.sampled_from(
    ["\\", "u", "0", "00", "73", '"', "s", "k-", "\\u0073", "\\\\", "x", "/", "\\n", "canary"]
)


@draws(300)
@given(st.lists(PIECES, max_size=40).map("".join))
@example(json.dumps(json.dumps("sk-other")))
def test_what_does_not_hold_the_key_stays_as_it_is(text):
    assert Secret(KEY).redact_json(text) == text


@draws(300)
@given(st.data())
def test_any_mixture_of_escapes_is_seen_through(data):
    text = KEY
    for _ in range(data.draw(st.integers(1, 3))):
        text = "".join(f"\\u{ord(c):04x}" if data.draw(st.booleans()) else json.dumps(c)[1:-1] for c in text)
    assert "[key]" in Secret(KEY).redact_json(f'{{"x": "{text}"}}')


ERRORS = {
    "no message": {"error": {"param": AWKWARD, "code": "x"}},
    "list": {"error": [AWKWARD]},
    "detail": {"detail": [{"msg": AWKWARD, "loc": ["header", AWKWARD]}]},
    "name": {AWKWARD: {AWKWARD: 1}},
    "dictionary": {"error": {"message": {"was": AWKWARD}}},
    "repr": {"error": {"message": repr({"was": AWKWARD})}},
    "deep": {"error": json.loads('{"a":' * 50 + json.dumps(AWKWARD) + "}" * 50)},
    "text": AWKWARD,
}


@pytest.mark.parametrize("case", ERRORS)
def test_an_error_without_a_message_shows_its_fields_and_no_key(httpserver, case):
    httpserver.expect_request("/v1/chat/completions").respond_with_json(ERRORS[case], 400)
    with pytest.raises(ServiceError) as found:
        OpenAIModel(Profile("m", httpserver.url_for("/v1"), Secret(AWKWARD), form="text")).ask(ASK)
    said = str(found.value)
    assert "turned the request down (400): " in said and "nary" not in said
    assert case == "repr" or "{" not in said
    assert case in ("deep", "repr") or "[key]" in said
    if case == "detail":
        assert "msg: [key]; loc: header; loc: [key]" in said


def test_placeholders_are_no_secrets():
    assert Secret("none").redact("(and none)") == "(and none)"
    assert Secret("").redact("x") == "x"


def test_errors_keep_no_key_where_a_debugger_prints_locals(httpserver):
    """Names of variables and their values go into reports of some tools."""
    httpserver.expect_request("/v1/chat/completions").respond_with_response(error(401, ECHO))
    with pytest.raises(ServiceError) as found:
        OpenAIModel(Profile("m", httpserver.url_for("/v1"), Secret(KEY))).ask(ASK)
    trace = found.value.__traceback__
    while trace is not None:
        for name, value in trace.tb_frame.f_locals.items():
            if trace.tb_frame.f_globals.get("__name__", "").startswith("groundplan."):
                assert KEY not in repr(value), (trace.tb_frame.f_code.co_name, name)
        trace = trace.tb_next
