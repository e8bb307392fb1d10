"""Habits of model servers: what they turn down, how their answers come, which causes are named."""

from __future__ import annotations

import json
import os

import pytest
from model_server import SSE, chunk, events
from pytest_httpserver import HTTPServer
from werkzeug import Response

from groundplan.language.chat.reader import read_goal
from groundplan.language.chat.servers import openai as openai_chat
from groundplan.language.chat.servers.model import ChatRequest, Constraint, Message, ServiceError
from groundplan.language.chat.servers.openai import THINKING_TOKENS, OpenAIModel
from groundplan.language.chat.servers.profile import Profile
from groundplan.language.chat.servers.requests import ServerTerms
from groundplan.language.reader import Unreadable

ANSWER = "(hot cheese)"
REQUEST = ChatRequest((Message("system", "Write a goal."), Message("user", "Heat it.")), max_tokens=160)
FORMS = Constraint("goal", lambda: {"type": "object"}, lambda: 'start: "x"', lambda: 'root ::= "x"')


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    for name in [n for n in os.environ if n.startswith("OPENAI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(openai_chat, "BACKOFF", 0.01)


def told(status, message, **more):
    body = json.dumps({"error": {"message": message, **more}})
    return Response(body, status, content_type="application/json")


def whole(finish="stop", **message):
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": ANSWER} | message,
        "finish_reason": finish,
    }
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def given(body):
    return Response(json.dumps(body), content_type="application/json")


@pytest.fixture
def serve(httpserver: HTTPServer):
    """A server that answers by a function of the body; what it was asked is kept."""

    def start(answer, path="/v1", **profile):
        bodies = []

        def handle(request):
            bodies.append(request.get_json())
            made = answer(bodies[-1])
            return made if isinstance(made, Response) else given(made)

        httpserver.expect_request(f"{path}/chat/completions").respond_with_handler(handle)
        url = httpserver.url_for(path) + profile.pop("query", "")
        return OpenAIModel(Profile("m", url, **profile)), bodies

    return start


def roles(body):
    return [m["role"] for m in body["messages"]]


REFUSED = {
    "a new name for the limit": (
        lambda b: "max_tokens" in b,
        told(400, "max_tokens was retired, send max_reply_tokens"),
        ServerTerms(limit_name="max_reply_tokens"),
    ),
    "no limit at all": (
        lambda b: any("tokens" in name for name in b),
        told(422, "unknown field: max_tokens"),
        ServerTerms(("max_tokens",)),
    ),
    "too small a limit": (
        lambda b: b.get("max_tokens", 999) < 512,
        told(400, "max_tokens must be at least 512"),
        ServerTerms(least=512),
    ),
    "no instructions": (
        lambda b: "system" in roles(b),
        told(400, "System role not supported"),
        ServerTerms(role="developer"),
    ),
    "roles of user and assistant alone": (
        lambda b: set(roles(b)) - {"user", "assistant"},
        told(400, "Conversation roles must alternate user/assistant/user/assistant/..."),
        ServerTerms(role="user"),
    ),
    "a bare request alone, without a word": (
        lambda b: set(b) - {"model", "messages"},
        told(400, "bad input"),
        ServerTerms(("stream_options", "stream", "seed", "temperature", "max_tokens")),
    ),
    "a bare request without roles": (
        lambda b: set(b) - {"model", "messages"} or roles(b) != ["user"],
        Response("no", 400),
        ServerTerms(("stream_options", "stream", "seed", "temperature", "max_tokens"), role="user"),
    ),
    "not implemented": (
        lambda b: b.get("stream"),
        told(501, "streamed answers are not implemented"),
        ServerTerms(("stream",)),
    ),
}


@pytest.mark.parametrize(("refuses", "error", "terms"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("constraint", [None, FORMS], ids=["free", "constrained"])
def test_what_a_server_turns_down_is_asked_for_otherwise_and_remembered(
    serve, refuses, error, terms, constraint
):
    model, bodies = serve(lambda body: error if refuses(body) else whole())
    request = ChatRequest(REQUEST.messages, constraint, 160)
    assert model.ask(request).text == ANSWER and model.terms == terms
    asked = len(bodies)
    assert asked <= 7 and all(words for words in terms.in_words())
    model.ask(request)
    assert len(bodies) == asked + 1
    said = " ".join(m["content"] for m in bodies[-1]["messages"])
    assert "Write a goal." in said and "Heat it." in said


def test_a_form_that_an_error_names_goes_before_anything_else(serve):
    model, bodies = serve(
        lambda b: told(400, "seed: structured schema too big") if "response_format" in b else whole()
    )
    assert model.ask(ChatRequest(REQUEST.messages, FORMS)).form == "text"
    assert model.terms == ServerTerms() and "seed" in bodies[-1]


def test_nothing_is_given_up_for_an_error_that_nothing_helps(serve):
    model, bodies = serve(lambda body: told(400, "no"))
    with pytest.raises(ServiceError):
        model.ask(REQUEST)
    assert model.terms == ServerTerms() and len(bodies) == 3


def thinks_for(tokens):
    def answer(body):
        if body["max_tokens"] < tokens:
            return whole("length", content="", reasoning_content="(cold cheese)? hm")
        return whole(reasoning_content="(cold cheese)? hm")

    return answer


def test_a_model_that_thinks_gets_more_tokens_once_and_from_then_on(serve):
    model, bodies = serve(thinks_for(600))
    assert [model.ask(REQUEST).text for _ in range(2)] == [ANSWER] * 2
    assert [b["max_tokens"] for b in bodies] == [160, THINKING_TOKENS, THINKING_TOKENS]
    fixed = ChatRequest(REQUEST.messages, max_tokens=160, may_grow=False)
    with pytest.raises(ServiceError, match="within 160 tokens"):
        model.ask(fixed)


@pytest.mark.parametrize("forms", [None, FORMS])
def test_an_answer_that_is_cut_off_is_asked_for_once_in_every_form(serve, forms):
    model, bodies = serve(lambda body: whole("length"))
    assert model.ask(ChatRequest(REQUEST.messages, forms, max_tokens=160)).cut and len(bodies) == 1


@pytest.mark.parametrize(("limit", "asked"), [(None, [160, THINKING_TOKENS]), (700, [700])])
def test_a_thought_that_does_not_end_names_the_remedy(serve, limit, asked):
    model, bodies = serve(lambda body: whole("length", content=f"<think>{ANSWER}"), max_tokens=limit)
    with pytest.raises(ServiceError, match="--max-answer-tokens") as raised:
        model.ask(REQUEST)
    assert raised.value.kind == "cut" and [b["max_tokens"] for b in bodies] == asked


def test_a_larger_answer_that_has_no_room_is_asked_for_without_a_limit(serve):
    def answer(body):
        if body.get("max_tokens", 0) > 4000:
            return told(400, "maximum context length is 4096 tokens, you asked for 8300")
        return whole() if "max_tokens" not in body else whole("length", content="")

    model, bodies = serve(answer)
    assert model.ask(REQUEST).text == ANSWER and "max_tokens" not in bodies[-1]


PARTS = [{"type": "reasoning", "text": "(cold cheese)"}, {"type": "output_text", "text": ANSWER}]
CALL = {"type": "function", "function": {"name": "f", "arguments": json.dumps({"formula": ANSWER})}}
ANSWERS = {
    "parts": {"content": PARTS},
    "call": {"content": None, "tool_calls": [CALL]},
    "thoughts beside": {"reasoning": "(cold cheese)"},
}


@pytest.mark.parametrize("message", ANSWERS.values(), ids=ANSWERS)
def test_answers_in_other_places(serve, message):
    model, _ = serve(lambda body: whole(**message))
    assert str(read_goal(model.ask(REQUEST).text)) == ANSWER


def called(name, **arguments):
    return {"type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


NO_ANSWERS = {
    "a tool for thinking": {"content": None, "tool_calls": [called("think", text=ANSWER)]},
    "a thought in a call": {"content": None, "tool_calls": [called("f", thought=ANSWER)]},
    "what a call rejects": {"content": None, "tool_calls": [called("f", wrong=ANSWER)]},
    "a part of thoughts": {"content": [{"type": "reasoning.text", "text": ANSWER}]},
    "a part of a summary": {"content": [{"type": "summary_text", "text": ANSWER}]},
}


@pytest.mark.parametrize("message", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_what_is_said_elsewhere_than_in_an_answer_is_no_goal(serve, message):
    model, _ = serve(lambda body: whole(**message))
    try:
        text = model.ask(REQUEST).text
    except ServiceError as error:
        assert "thoughts and no answer" in str(error)
    else:
        assert isinstance(read_goal(text), Unreadable)


def test_a_tool_for_thinking_that_is_streamed_is_no_answer(serve):
    calls = [{"index": 0, "function": {"name": "think", "arguments": ""}}]
    calls.append({"index": 0, "function": {"arguments": json.dumps({"goal": ANSWER})}})
    pieces = events(*(chunk(None, tool_calls=[call]) for call in calls), chunk(finish="tool_calls"))
    with pytest.raises(ServiceError, match="thoughts and no answer"):
        serve(lambda body: Response(pieces, content_type=SSE))[0].ask(REQUEST)


def test_the_first_of_several_answers_counts(serve):
    def answer(body):
        made = whole()
        other = {
            "index": 2,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "(cold cheese)"},
        }
        return made | {"choices": [other, *made["choices"]]}

    assert serve(answer)[0].ask(REQUEST).text == ANSWER


def test_a_call_that_is_streamed(serve):
    calls = [{"index": 0, "function": {"arguments": part}} for part in ('{"goal": "(hot', ' cheese)"}')]
    pieces = events(*(chunk(None, tool_calls=[call]) for call in calls), chunk(finish="tool_calls"))
    text = serve(lambda body: Response(pieces, content_type=SSE))[0].ask(REQUEST).text
    assert str(read_goal(text)) == ANSWER


CAUSES = {
    "quota": (told(429, "out of credits: see billing"), "no budget left", 1),
    "payment": (told(402, "add funds"), "no budget left", 1),
    "context": (told(400, "prompt exceeds the context window of 1024"), "has no room for the prompt", 1),
    "filter": (told(403, "blocked by content_filter"), "content filter", 1),
    "status of success": (
        given({"error": {"message": "no worker", "code": 500}}),
        "failed (500): no worker",
        5,
    ),
    "text for an error": (given({"error": "model is not loaded"}), "model is not loaded", 5),
    "a web page": (Response("<!DOCTYPE html><title>Login</title>", 400), "a web page (Login)", 3),
    "busy": (told(429, "20 requests a minute"), "is busy (429): 20 requests a minute", 5),
    "thoughts alone": (given(whole(content=None, reasoning_content=ANSWER)), "thoughts and no answer", 1),
    "no choice": (given({"choices": []}), "it has no choice", 1),
    "in a stream": (Response(events({"error": {"message": "gone"}}), content_type=SSE), "gone", 5),
    "refused in a stream": (Response(events({"error": {"code": 410}}), content_type=SSE), "410", 2),
}


@pytest.mark.parametrize(("answer", "words", "calls"), CAUSES.values(), ids=CAUSES)
def test_the_cause_that_a_server_tells_is_named(serve, answer, words, calls):
    model, bodies = serve(lambda body: answer)
    with pytest.raises(ServiceError, match=words.replace("(", r"\(").replace(")", r"\)")):
        model.ask(REQUEST)
    assert len(bodies) == calls


@pytest.mark.parametrize(("counted", "cut"), [(20, True), (500, False), (0, False), (None, False)])
def test_a_prompt_of_which_a_server_read_little_was_cut(serve, counted, cut):
    model, _ = serve(lambda body: whole() | {"usage": {"prompt_tokens": counted, "completion_tokens": 4}})
    request = ChatRequest((Message("user", "Where is the cheese? " * 100),))
    assert model.ask(request).cut_prompt is cut


def test_the_version_of_an_api_is_no_key(serve, httpserver):
    model, _ = serve(lambda body: whole(), query="?api-version=2024-10-21")
    assert model.ask(REQUEST).text == ANSWER
    assert {r.args["api-version"] for r, _ in httpserver.log} == {"2024-10-21"}


def test_models_says_on_which_terms_a_server_answers(cli, httpserver):
    def answer(request):
        named = "seed" in request.get_json()
        return told(400, "no seed here") if named else given(whole(content="violet"))

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(answer)
    ran = cli("models", "--base-url", httpserver.url_for("/v1"), "--model", "m", "--json")
    assert ran.code == 0 and ran.json["server"]["terms"] == ["without seed"]


@pytest.mark.parametrize(
    ("finish", "kind"),
    [("SAFETY", "refusal"), ("content-filter", "refusal"), ("RECITATION", "refusal"), ("error", "malformed"),
     ("aborted", "malformed")],
)  # fmt: skip
def test_an_answer_that_did_not_end_by_itself_is_none(serve, finish, kind):
    model, _ = serve(lambda body: whole(finish))
    with pytest.raises(ServiceError) as raised:
        model.ask(REQUEST)
    assert raised.value.kind == kind


@pytest.mark.parametrize("finish", ["stop", "eos", "end_turn", "tool_calls", "STOP"])
def test_whatever_else_a_server_calls_the_end_is_one(serve, finish):
    assert serve(lambda body: whole(finish))[0].ask(REQUEST).text == ANSWER


@pytest.mark.parametrize("words", ["Request too large for m", "Input tokens exceed the limit of 4096"])
def test_a_request_that_is_too_large_is_told_to_be(serve, words):
    with pytest.raises(ServiceError) as raised:
        serve(lambda body: told(413, words))[0].ask(REQUEST)
    assert raised.value.kind == "too-long"
