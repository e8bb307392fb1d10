"""Profile files and the settings in them: what may stand there, and what is said about all else."""

from __future__ import annotations

import importlib.util
import json
import os

import pytest
from model_server import DIALOGUE, KITCHEN, SSE, Script, sse
from pytest_httpserver import HTTPServer
from werkzeug import Response

from groundplan.domains.errors import InputError
from groundplan.language.chat.servers.local import LocalModel
from groundplan.language.chat.servers.model import ChatRequest, Message
from groundplan.language.chat.servers.openai import OpenAIModel
from groundplan.language.chat.servers.profile import Profile, profile

ASK = ChatRequest((Message("user", "hi"),), max_tokens=300)
PLAN = ("plan", "Put the orange into the fridge.", "--scene", "office")


@pytest.fixture
def profiles(tmp_path):
    def write(text):
        file = tmp_path / "profiles.toml"
        file.write_text(text)
        return file

    return write


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[models.m]\napi_key = "x"', "name the environment variable"),
        ('[models.m]\nkey_env = ["x"]', "models.m.key_env: expected a text, got a list"),
        ('[models.m]\nkey_env = ""', "models.m.key_env: expected a text, got an empty one"),
        ('[models.m]\nbase_url = ""', "models.m.base_url: expected a text, got an empty one"),
        ("[models.m]\nmodel = 3", "models.m.model: expected a text, got 3"),
        ("[models.m]\ntemprature = 1", "got temprature; did you mean 'temperature'?"),
        ("[models.m]\nx = 1", "expected one of base_url, model, key_env"),
        ("[models.m]\ntimeout = -1", "models.m.timeout (--answer-timeout): expected seconds above 0"),
        ("[models.m]\ntimeout = 3601", "at most 3600, got 3601"),
        ("[models.m]\ntimeout = true", "got true"),
        ("[models.m]\ntimeout = nan", "got nan"),
        (f"[models.m]\ntimeout = {'9' * 400}", "expected seconds above 0"),
        ('[models.m]\ntimeout = "soon"', "got another text"),
        ("[models.m]\ntemperature = 2.1", "models.m.temperature (--temperature): expected a number"),
        ("[models.m]\ntemperature = true", "got true"),
        ("[models.m]\ntemperature = nan", "got nan"),
        ('[models.m]\ntemperature = "hot"', "or default, got another text"),
        ("[models.m]\nseed = 1.5", "models.m.seed (--seed): expected a whole number"),
        ("[models.m]\nseed = true", "got true"),
        (f"[models.m]\nseed = {2**63}", "at most 63 bits"),
        (
            "[models.m]\nmax_tokens = 1.5",
            "models.m.max_tokens (--max-answer-tokens): expected a whole number from 1 to 32768",
        ),
        ("[models.m]\nmax_tokens = true", "got true"),
        ("[models.m]\nmax_tokens = 0", "got 0"),
        ("[models.m]\nform = 3", "models.m.form (--form): expected one of lark"),
        ('[models.m]\nform = "jsonschema"', "did you mean 'json-schema'"),
        ('[models.m]\nform = ["lark"]', "got a list"),
        ("[models.m]\napi = {}", "models.m.api (--api): expected chat or responses, got a table"),
        (
            '[models.m]\napi = "responses"\nseed = 1',
            "models.m.seed (--seed): the responses API does not support",
        ),
        ("[models]\nm = 3", "models.m: expected a table, got 3"),
        ("models = 3", "models: expected tables [models.NAME], got 3"),
        ("[model.m]", "expected tables [models.NAME] and nothing else, got model; did you mean 'models'?"),
        ("[models.n]", "expected a table [models.m], got none"),
        ("[models.mm]", "did you mean 'mm'?"),
        ("", "expected a table [models.m], got none"),
        ("[", "readable TOML file, got"),
        ("a = 1\nb =", "got Invalid value (at end of document)"),
        ("a = 1\nb = ]", "got Invalid value (at line 2, column 5)"),
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "{a=" * 3000, "nested too deeply"),
        ("[models.m]\nseed = " + "1" * 5000, "a value that cannot be read"),
        ("a = 1987-13-45", "a readable TOML file"),
        ("[models.m]\n" + ".".join("a" * 20_000) + " = 1", "expected keys of at most 64 parts"),
        ("# " + "x" * 1024 * 1024, "at most 1048576 bytes"),
    ],
)
def test_profiles_that_are_wrong(profiles, text, words):
    with pytest.raises(InputError) as found:
        profile("m", None, profiles(text), {})
    assert words in str(found.value) and "profiles.toml" in str(found.value)


def test_a_file_that_is_no_text(tmp_path):
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe")
    for name, words in (("b.toml", "expected UTF-8 text"), ("none", "No such file")):
        with pytest.raises(InputError, match=words):
            profile("m", None, tmp_path / name, {})


def test_a_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="expected a regular file, got a pipe"):
        profile("m", None, tmp_path / "pipe", {})


@pytest.mark.parametrize("reader", ["recorded:pipe", "local:pipe"])
def test_a_reader_of_a_pipe_is_refused_without_waiting(cli, tmp_path, monkeypatch, reader):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    os.mkfifo("pipe")
    ran = cli(*PLAN, "--reader", reader)
    assert ran.code == 2 and "expected a regular file, got a pipe" in ran.err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--seed", "3"), "--reader embedded takes no model options (found --seed); use openai:MODEL"),
        (("--max-calls", "3", "--api", "chat"), "takes no model options (found --api, --max-calls)"),
        (("--record", "x"), "(found --record)"),
    ],
)
def test_the_embedded_reader_says_which_options_it_does_not_take(cli, flags, words):
    ran = cli(*PLAN, "--reader", "embedded", *flags)
    assert ran.code == 2 and words in " ".join(ran.err.split())


def test_a_local_model_has_its_address_already(cli):
    ran = cli(*PLAN, "--reader", "local:x.gguf", "--base-url", "http://127.0.0.1:1/v1")
    assert ran.code == 2 and "--reader local:FILE takes no --base-url; use openai:MODEL" in ran.err


def test_a_name_that_is_nearly_one_of_the_file_says_so(cli, profiles):
    file = profiles('[models.small]\nbase_url = "http://127.0.0.1:1/v1"')
    ran = cli(*PLAN, "--reader", "openai:smal", "--profiles", file)
    assert ran.code == 2 and "expected a table [models.smal], got none; did you mean 'small'?" in ran.err


def test_a_key_that_is_not_in_the_environment(profiles):
    file = profiles('[models.m]\nkey_env = "MY_SERVER_KEY"')
    for environment in ({}, {"MY_SERVER_KEY": ""}, {"MY_SERVER_KEY": "  "}):
        with pytest.raises(InputError, match=r"models\.m\.key_env: expected a variable .* that is set"):
            profile("m", None, file, environment)
    with pytest.raises(InputError, match="did you mean 'MY_SERVERS_KEY'"):
        profile("m", None, file, {"MY_SERVERS_KEY": "sk-0123456789"})
    assert not profile("m", "http://elsewhere/v1", file, {}).key  # where it is not sent it is not missed


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--answer-timeout", "nan"), "timeout (--answer-timeout): expected seconds above 0"),
        (("--answer-timeout", "0"), "got 0.0"),
        (("--temperature", "nan"), "temperature (--temperature): expected a number from 0 to 2"),
        (("--temperature", "warm"), "--temperature"),
        (("--seed", "9" * 30), "seed (--seed): expected a whole number"),
        (("--api", "responces"), "did you mean 'responses'"),
        (("--api", "responses", "--seed", "1"), "seed (--seed): the responses API does not support a seed"),
        (("--form", ""), "form (--form): expected one of"),
        (("--base-url", ""), "base URL: expected http://HOST/v1 or https://HOST/v1, got an empty one"),
        (("--max-seconds", "nan"), "--max-seconds"),
        (("--max-seconds", "inf"), "--max-seconds"),
    ],
)
def test_options_that_are_wrong(cli, flags, words):
    ran = cli(*PLAN, "--reader", "openai:m", *flags)
    assert ran.code == 2 and words in ran.err


def test_a_local_model_has_the_same_settings(tmp_path):
    with pytest.raises(InputError, match="temperature"):
        LocalModel.serve(tmp_path / "x.gguf", None, {"temperature": 3.0})


def test_a_temperature_can_be_left_to_the_server(cli, profiles):
    script = Script(["x", "x", "x", *KITCHEN, "(inside_of orange1 fridge)"])
    with HTTPServer() as server:
        server.expect_request("/v1/chat/completions").respond_with_handler(script)
        url = server.url_for("/v1")
        file = profiles(f'[models.m]\nbase_url = "{url}"\ntemperature = "default"')
        for given in (profile("m", None, file, {}), Profile("m", url, temperature=None), Profile("m", url)):
            OpenAIModel(given).ask(ASK)
        assert cli(*PLAN, *DIALOGUE, url, "--temperature", "default").code == 0
    assert ["temperature" in b for b in script.bodies] == [False, False, True, False, False, False]
    assert Profile("m", url, temperature=None).settings["temperature"] is None


def test_the_settings_of_a_plain_profile_stay_as_recordings_have_them():
    assert Profile("m").settings == {"temperature": 0.0, "seed": 0, "form": None, "api": "chat"}
    assert Profile("m", api="responses").settings["seed"] is None
    assert Profile("m", max_tokens=7).settings["max_tokens"] == 7


def test_tokens_of_a_profile_count_in_place_of_the_usual_ones(httpserver: HTTPServer):
    script = Script(["x", Response(sse("x" * 4000), content_type=SSE)])
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(script)
    url = httpserver.url_for("/v1")
    for most in (None, 8000):
        OpenAIModel(Profile("m", url, max_tokens=most)).ask(ASK)
    assert [b["max_tokens"] for b in script.bodies] == [300, 8000]


def test_what_a_model_is_called_can_be_shown():
    for name in ("", "a\x1b]52;x\x07", "a\udcff", "a\nb", "x" * 201):
        with pytest.raises(InputError, match="printable name"):
            Profile(name)
    assert json.dumps(Profile("größer").settings)
