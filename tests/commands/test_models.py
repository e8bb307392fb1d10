"""`groundplan models` with scripted servers: what they list, which forms they take, what is printed."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import replace

import pytest
from model_server import SSE, error, sse
from werkzeug import Response

from groundplan.language.chat.servers.local import LocalModel
from groundplan.language.chat.servers.model import FORMS
from groundplan.language.chat.servers.openai import OpenAIModel
from groundplan.language.chat.servers.profile import Profile
from groundplan.language.chat.servers.trial import keeps, try_forms
from groundplan.language.english import embedding

KEY = "sk-canary-0123456789abcdef"
EVIL = "m\x1b]52;c;aGk=\x07\nverified: 0 steps\u202e"


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    for name in [n for n in os.environ if n.startswith("OPENAI_")]:
        monkeypatch.delenv(name)


def form_of(body):
    """The form of constraint that a request asks for."""
    if "structured_outputs" in body:
        return "lark"
    if "grammar" in body:
        return "gbnf"
    return body.get("response_format", {"type": "text"})["type"].replace("_object", "").replace("_", "-")


@pytest.fixture
def serve(httpserver):
    """A server with a list of models that answers each form as it is told: its address and the requests."""

    def start(answers, *models):
        asked = []

        def handle(request):
            body = request.get_json()
            asked.append((body, dict(request.headers)))
            answer = answers[form_of(body)] if isinstance(answers, dict) else answers
            return answer if isinstance(answer, Response) else Response(sse(answer), content_type=SSE)

        data = [{"id": name, "object": "model", "created": 1, "owned_by": "vllm"} for name in models]
        if models:
            httpserver.expect_request("/v1/models").respond_with_json({"object": "list", "data": data})
        httpserver.expect_request("/v1/chat/completions").respond_with_handler(handle)
        return httpserver.url_for("/v1"), asked

    return start


GOOD = {
    "lark": "violet", "gbnf": "crimson", "json-schema": '{"colour": "violet"}', "json": '{"colour": "green"}',
    "text": "Green.",
}  # fmt: skip


def results(ran):
    return {one["form"]: one["result"] for one in ran.json["server"]["forms"]}


def test_what_is_installed_is_told_without_asking_anybody(cli, monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", lambda *a: pytest.fail("a connection was opened"))
    ran = cli("models")
    assert ran.code == 0 and "openai:MODEL" in ran.out and "Server" not in ran.out
    told = cli("models", "--json").json
    assert told["server"] is None
    readers = {one["name"]: one for one in told["readers"]}
    assert list(readers) == ["embedded", "openai:MODEL", "local:FILE"]
    assert readers["openai:MODEL"]["installed"] and readers["openai:MODEL"]["version"][0].isdigit()
    assert readers["embedded"]["installed"] is embedding.installed()
    monkeypatch.setattr(embedding, "installed", lambda: False)
    (one,) = [r for r in cli("models", "--json").json["readers"] if r["name"] == "embedded"]
    assert one["version"] is None and one["install"] == "pip install 'groundplan[embedded]'"
    assert "compares words in place of meanings; pip install" in cli("models").out


def test_each_form_is_tried_once(cli, serve):
    url, asked = serve(GOOD, "small")
    ran = cli("models", "--base-url", url, "--json")
    assert ran.code == 0 and results(ran) == dict.fromkeys(FORMS, "kept")
    assert ran.json["server"]["models"] == [{"name": "small", "owner": "vllm"}]
    assert [form_of(body) for body, _ in asked] == list(FORMS)
    assert all(body["model"] == "small" and body["max_tokens"] == 64 for body, _ in asked)
    out = cli("models", "--base-url", url).out
    assert "small  vllm" in out and out.count("kept") == 5


def test_a_form_that_is_taken_and_not_kept_is_told_from_one_that_is_turned_down(cli, serve):
    url, _ = serve({**GOOD, "lark": error(400, "no grammar"), "gbnf": "green", "json-schema": "{}"}, "small")
    ran = cli("models", "--base-url", url, "--json")
    expected = {
        "lark": "refused",
        "gbnf": "not-kept",
        "json-schema": "not-kept",
        "json": "kept",
        "text": "kept",
    }
    assert ran.code == 0 and results(ran) == expected
    notes = {one["form"]: one["note"] for one in ran.json["server"]["forms"]}
    assert "no grammar" in notes["lark"] and notes["gbnf"] == "green"
    out = cli("models", "--base-url", url).out
    assert "turned down" in out and "answered, in no such form" in out


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("violet", {"lark", "gbnf", "text"}),
        (" crimson\n", {"lark", "gbnf", "text"}),
        ("green", {"text"}),
        ('{"colour": "violet"}', {"json-schema", "json", "text"}),
        ('{"colour": "green"}', {"json", "text"}),
        ('{"colour": "violet", "x": 1}', {"json", "text"}),
        ('{"colour": ["violet"]}', {"json", "text"}),
        ('["violet"]', {"text"}),
        ("[" * 100_000, {"text"}),
        ("  ", set()),
    ],
)
def test_what_keeps_to_a_form(text, kept):
    assert {form for form in FORMS if keeps(text, form)} == kept


def test_of_several_models_one_has_to_be_named(cli, serve):
    url, asked = serve(GOOD, "small", "large")
    ran = cli("models", "--base-url", url)
    assert ran.code == 0 and "--model NAME" in ran.out and asked == []
    ran = cli("models", "--base-url", url, "--model", "large", "--json")
    assert {body["model"] for body, _ in asked} == {"large"} and ran.json["server"]["model"] == "large"


def test_a_server_that_is_busy_is_asked_once_a_form(cli, serve):
    url, asked = serve(error(429), "small")
    ran = cli("models", "--base-url", url, "--json")
    assert set(results(ran).values()) == {"failed"} and len(asked) == 5


def test_settings_that_are_turned_down_by_name_are_left_out(serve):
    url, asked = serve(error(400, "stream_options, stream, temperature and seed are not supported"), "small")
    assert {one.result for one in try_forms(Profile("small", url))[0]} == {"refused"}
    assert len(asked) == 35 and not {"seed", "temperature", "stream_options"} & set(asked[4][0])


def test_a_file_is_served_and_tried(cli, serve, tmp_path, monkeypatch):
    url, asked = serve(GOOD, "tiny")
    closed = []

    def served(path, allowance, settings):
        model = OpenAIModel(replace(Profile(path.stem, url), **settings))
        model.close = lambda: closed.append(path)
        return model

    monkeypatch.setattr(LocalModel, "serve", served)
    ran = cli("models", "--file", tmp_path / "tiny.gguf", "--answer-timeout", "9", "--json")
    assert ran.code == 0 and results(ran) == dict.fromkeys(FORMS, "kept")
    assert {body["model"] for body, _ in asked} == {"tiny"} and closed == [tmp_path / "tiny.gguf"]
    assert cli("models", "--file", "tiny.gguf", "--api", "responses").code == 2


def test_after_an_error_that_all_would_meet_the_rest_is_not_tried(cli, serve):
    url, asked = serve(error(401, "bad key"), "small")
    ran = cli("models", "--base-url", url, "--json")
    assert list(results(ran).values()) == ["failed"] + ["not-tried"] * 4 and len(asked) == 1
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    ran = cli("models", "--base-url", f"http://127.0.0.1:{port}/v1", "--model", "m", "--json")
    assert ran.code == 3 and "no connection" in ran.json["server"]["failure"]
    assert cli("models", "--base-url", f"http://127.0.0.1:{port}/v1").code == 3


def test_a_server_without_a_list_is_tried_all_the_same(cli, serve, httpserver):
    url, _ = serve(GOOD)
    httpserver.expect_request("/v1/models").respond_with_data("no", status=404)
    ran = cli("models", "--base-url", url, "--model", "small", "--json")
    assert ran.code == 0 and results(ran) == dict.fromkeys(FORMS, "kept")
    assert ran.json["server"]["failure"].endswith("has no list of models (404)")
    assert "any" not in ran.json["server"]["failure"]


@pytest.mark.parametrize("body", ["", "[]", '{"data": 3}', '{"data": [1, {"x": 2}]}', "[" * 50_000, "null"])
def test_a_list_that_is_none_is_an_error_of_the_server(cli, httpserver, body):
    httpserver.expect_request("/v1/models").respond_with_data(body, content_type="application/json")
    ran = cli("models", "--base-url", httpserver.url_for("/v1"))
    assert ran.code == 3 and "Server" in ran.out


def test_names_and_answers_of_a_server_are_bounded_and_escaped(cli, serve):
    url, _ = serve(EVIL * 100, EVIL, "x" * 5000, *(f"m{i}" for i in range(2000)))
    ran = cli("models", "--base-url", url, "--model", "m7")
    assert not {"\x1b", "\x07", "\u202e"} & set(ran.out) and "\nverified: 0 steps" not in ran.out
    assert max(map(len, ran.out.splitlines())) < 400 and "and 950 others" in ran.out
    told = cli("models", "--base-url", url, "--model", "m7", "--json")
    assert told.out.isascii() and len(told.json["server"]["models"]) == 1000
    assert max(len(one["name"]) for one in told.json["server"]["models"]) == 200
    assert max(len(one["note"]) for one in told.json["server"]["forms"]) <= 300


def test_a_name_that_cannot_be_shown_as_it_is_is_not_asked_for(cli, serve):
    url, asked = serve(GOOD, EVIL)
    assert cli("models", "--base-url", url, "--json").json["server"]["model"] is None and asked == []


def test_the_key_goes_to_its_own_host_and_is_never_shown(cli, serve, tmp_path, monkeypatch):
    url, asked = serve({**GOOD, "text": f"my key is {KEY}", "lark": error(400, KEY)}, f"model-{KEY}", "b")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    cli("models", "--base-url", url, "--model", "b")
    assert asked and all("Authorization" not in headers for _, headers in asked)
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("MINE", KEY)
    table = f'[models.b]\nbase_url = {json.dumps(url)}\nkey_env = "MINE"\n'
    (tmp_path / "models.toml").write_text(table)
    asked.clear()
    for more in ([], ["--json"]):
        ran = cli("models", "--model", "b", "--profiles", tmp_path / "models.toml", *more)
        assert ran.code == 0 and KEY not in ran.out + ran.err and "[key]" in ran.out
    assert {headers["Authorization"] for _, headers in asked} == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--file", "m.gguf", "--model", "m"], "--file is served here"),
        (["--profiles", "p.toml"], "--profiles needs --model"),
        (["--api", "chat"], "name a server"),
        (["--answer-timeout", "3"], "name a server"),
        (["--base-url", "nowhere"], "base URL"),
        (["--base-url", "http://h/v1", "--answer-timeout", "nan"], "timeout"),
        (["--base-url", "http://h/v1", "--api", "soap"], "chat or responses"),
        (["--file", "no-such.gguf"], "gguf"),
    ],
)
def test_options_that_do_not_go_together_are_refused(cli, options, words, monkeypatch):
    ran = cli("models", *options)
    assert (ran.code, ran.out) == (2, "") and (words in ran.err or "groundplan[local]" in ran.err)
