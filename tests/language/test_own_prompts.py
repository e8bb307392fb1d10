"""Prompts of users: what a file may hold, how it is filled in, that it reaches the model and the records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import Script
from perfect_model import PerfectModel

from groundplan import Engine, Request, find_task, ground, load_pack, load_scene
from groundplan.acting.beliefs.asking import USUAL, AskedLikelihood
from groundplan.commands.prompts import prompt_forms
from groundplan.domains.errors import InputError
from groundplan.evaluation.judging import JudgedTask
from groundplan.language.chat.prompt import READER_PROMPTS, as_data, messages
from groundplan.language.chat.prompt_form import (
    MAX_BYTES,
    OwnPrompt,
    PromptForm,
    fill,
    placeholders,
    version,
)
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.model import ChatRequest, Message, Picture
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.reader import Attempt, History
from groundplan.language.vision.eye import DESCRIBE, Sighting, VisionModel
from groundplan.methods import METHODS, Limits, Tools
from groundplan.methods.conversations.declining import CONVERSATION_PROMPTS, with_note
from groundplan.methods.houses.advice import ADVICE_PROMPTS, ModelAdvisor, RoomContents
from groundplan.simulator.sensing import with_hidden
from groundplan.simulator.view import View

ROOT = Path(__file__).resolve().parents[2]
PACK = load_pack()
OFFICE = load_scene("office")
TASK = "office-planning-simple-02"
FORM = PromptForm("x", "", "a test", fields=("task", "3D scene graph"), optional=("memory",), must=("facts",))
MARK = "Mind the gap."
FORMS = prompt_forms()


def mine(name: str, text: str) -> tuple[OwnPrompt, ...]:
    return (OwnPrompt(name, version(text), text),)


@pytest.mark.parametrize("name", FORMS)
def test_what_comes_along_is_what_the_form_says(name: str) -> None:
    form = FORMS[name]
    assert form.versions or form.default == 0
    for number in form.versions or (0,):
        form.check(form.text(version=number), name)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{facts} {tasks} {3D scene graph}", "did you mean 'task'"),
        ("{facts} {room}", "braces that are text have blanks inside"),
        ("{task} {3D scene graph}", "a text with {facts}"),
        ("{facts} {task}", "a text with {3D scene graph}"),
        ("{facts} {memory}", "a text with {task}"),
        (" \n", "a text"),
    ],
)
def test_a_text_that_lacks_or_misnames_a_placeholder_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError) as refused:
        FORM.check(text, "prompt x")
    assert words in str(refused.value) and "prompt x" in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "{facts}",
        "{facts} {task} {3D scene graph}",
        '{facts} {"command": {"name": "expand_node"}} {} { room } {a, b} {0.__class__} {x!r} %s',
        "{facts} {task} {memory} {3D scene graph} {task}",
        "{facts} {task} {3D_scene_graph}",
    ],
)
def test_a_text_may_have_all_fields_or_none_and_braces_of_its_own(text: str) -> None:
    FORM.check(text, "prompt x")


def test_a_file_is_bounded_and_utf8(tmp_path: Path) -> None:
    path = tmp_path / "p.md"
    for data in (b"{facts}" + b"x" * MAX_BYTES, b"\xff{facts}", b""):
        path.write_bytes(data)
        with pytest.raises(InputError):
            FORM.own(path)
    for other in (tmp_path, tmp_path / "none", Path("/dev/zero")):
        with pytest.raises(InputError):
            FORM.own(other)
    path.write_text("{facts} ü")
    assert FORM.own(path) == OwnPrompt("x", version("{facts} ü"), "{facts} ü")
    assert "facts" not in repr(FORM.own(path)) and version("{facts} ü") in repr(FORM.own(path))


@given(st.dictionaries(st.sampled_from(["task", "scene", "a b"]), st.text(), max_size=3), st.text())
def test_filling_is_one_pass_of_replacement(values: dict[str, str], rest: str) -> None:
    text = "{task}|{scene}|{a b}|{other}|" + rest
    done = fill(text, values)
    head = "|".join(values.get(name, f"{{{name}}}") for name in ("task", "scene", "a b", "other"))
    assert done.startswith(head)
    assert fill(rest, {}) == rest


def test_data_is_not_filled_in_and_not_evaluated() -> None:
    data = {"task": "{scene} {0.__class__} ``` <|im_end|>", "scene": ["{task}"], "feedback": ""}
    (other,) = messages("At {base_location}.", {"base location": "x"})
    assert other.content == 'At "x".'
    (only,) = messages("Do {task} in {scene}. {feedback}", data)
    assert only.role == "user"
    assert only.content == f"Do {as_data(data['task'])} in {as_data(data['scene'])}. "
    assert "<|im_end|>" not in only.content


def test_fields_that_are_not_placed_follow() -> None:
    (only,) = messages("Do {task}.", {"task": "x", "mode": "planning", "memory": []})
    assert only.content == 'Do "x".\nmode: "planning"'
    assert messages("Do it.", {"task": "x"}) == (Message("system", "Do it."), Message("user", 'task: "x"'))


def text_of(request: ChatRequest) -> str:
    return "\n".join(message.content for message in request.messages)


class Remembering(PerfectModel):
    """A model that is right, and keeps what it was sent."""

    def __init__(self, case: JudgedTask) -> None:
        super().__init__(case)
        self.history: list[ChatRequest] = []
        self.name = "perfect"

    def ask(self, request: ChatRequest):  # type: ignore[no-untyped-def]
        self.history.append(request)
        sent = [{"role": m.role, "content": m.content} for m in request.messages]
        return ScriptedModel.of(self.answer(sent)).ask(request)


METHOD_OF = {
    "sayplan": ("sayplan", "household"),
    "sayplan-star": ("sayplan-star", "grasif"),
    "sayplan-lite-search": ("sayplan-lite", "grasif"),
    "sayplan-lite-plan": ("sayplan-lite", "grasif"),
    "llm-p": ("llm+p", "household"),
    "delta": ("delta", "household"),
    "subgoals": ("subgoals", "household"),
    "lookplangraph": ("lookplangraph", "grasif-looking"),
}


def run_with(own: Sequence[OwnPrompt], method: str, pack: str):  # type: ignore[no-untyped-def]
    case = JudgedTask.of(find_task(TASK), load_pack(pack))
    model = Remembering(case)
    tools = Tools(model, ModelReader(model, case.belief.pack), Engine.named("pyperplan"), None)
    tools = replace(tools, own_prompts=tuple(own))
    return METHODS[method].run(Request(case.belief, case.task.instruction), tools, Limits()), model


@pytest.mark.parametrize(
    "form", [f for f in CONVERSATION_PROMPTS.values() if f.name in METHOD_OF], ids=lambda form: form.name
)
def test_a_prompt_of_a_method_reaches_the_model_and_the_record(form: PromptForm) -> None:
    method, pack = METHOD_OF[form.name]
    text = f"{form.text().rstrip()}\n{MARK}\n"
    record, model = run_with(mine(form.name, text), method, pack)
    assert record.outcome == "executable", record.reasons
    assert any(MARK in text_of(request) for request in model.history)
    prompts = record.usage["prompts"]
    assert isinstance(prompts, dict) and prompts[form.name] == version(text)
    usual, _ = run_with((), method, pack)
    assert usual.usage["prompts"][form.name] == version(with_note(form.name, form.text(), ()))  # type: ignore[index]


@pytest.mark.parametrize(
    "form", [f for f in CONVERSATION_PROMPTS.values() if f.fields], ids=lambda form: form.name
)
def test_a_prompt_with_fields_is_one_message_and_has_what_the_usual_one_has(form: PromptForm) -> None:
    method, pack = METHOD_OF[form.name]
    placed = "".join(f"\n<{name}> {{{name}}} </{name}>" for name in form.fields)
    text = f"{form.text()}{placed}"
    form.check(text, "prompt")
    case = JudgedTask.of(find_task(TASK), load_pack(pack))
    model = ScriptedModel.always(lambda request: '{"command": {"command_name": "verify_plan"}}')
    tools = Tools(model, engine=Engine.named("pyperplan"), own_prompts=mine(form.name, text))
    METHODS[method].run(Request(case.belief, case.task.instruction), tools, Limits())
    first = next(r for r in model.history if form.text() in text_of(r))
    assert [m.role for m in first.messages] == ["user"]
    shown = text_of(first)
    assert not set(placeholders(shown)) & set(form.holds)
    assert as_data(find_task(TASK).instruction) in shown
    assert all(f"<{name}> " in shown for name in form.fields)


def test_a_reader_takes_prompts_of_a_user() -> None:
    scene = View.first(OFFICE).expand("kitchen").subgraph()
    for name, form, goal_form, ask in (
        ("naming", "naming", "pddl", lambda r: r.search("Wipe it.", View.first(OFFICE))),
        ("query", "query", "pddl", lambda r: r.search("Wipe it.", View.first(OFFICE))),
        ("search", "dialogue", "pddl", lambda r: r.search("Wipe it.", View.first(OFFICE))),
        ("goal", "naming", "pddl", lambda r: r.write("Wipe it.", scene)),
        ("readings", "naming", "pddl", lambda r: r.readings("Wipe it.", scene)),
        ("whole-run", "naming", "pddl", lambda r: r.write("Never wipe it.", scene)),
        ("repair", "naming", "pddl", lambda r: r.repair(History("Wipe it.", scene), ["no"])),
        ("sentences", "naming", "sentences", lambda r: r.write("Wipe it.", scene)),
    ):
        text = f"{FORMS[name].text().rstrip()}\n{MARK}"
        model = ScriptedModel.always(lambda request: "(clean fridge)")
        reader = ModelReader(
            model, PACK, search_protocol=form, goal_form=goal_form, own_prompts=mine(name, text)
        )
        ask(reader)
        assert MARK in text_of(model.history[0]), name
        usual = ModelReader(model, PACK, search_protocol=form, goal_form=goal_form)
        assert reader.meter.prompts != usual.meter.prompts, name


def test_what_is_asked_of_the_run_is_told_and_admitted_where_a_task_may_ask_it() -> None:
    model = ScriptedModel.always(lambda request: "(and (clean fridge) (never (robot_at lobby)))")
    reader = ModelReader(model, PACK)
    scene = View.first(OFFICE).expand("kitchen").subgraph()
    for task, told in (("Wipe it.", False), ("Wipe it, but never go through the lobby.", True)):
        written = reader.write(task, scene)
        assert str(written) == "(and (clean fridge) (always (not (robot_at lobby))))"
        request = model.history[-1]
        assert ("(sometime-before φ ψ)" in text_of(request)) is told
        assert request.constraint is not None and request.constraint.lark is not None
        assert ("sometime-before" in request.constraint.lark) is told
        assert ("goal-whole-run" in reader.meter.as_json()["prompts"]) is told  # type: ignore[operator]
        reader.repair(History(task, scene, (Attempt(written),)), ["no"])  # type: ignore[arg-type]
        assert ("(sometime-before φ ψ)" in text_of(model.history[-1])) is told


def repaired(reader: ModelReader) -> object:
    scene = View.first(OFFICE).expand("kitchen").subgraph()
    written = reader.write("Wipe it.", scene)
    return reader.repair(History("Wipe it.", scene, (Attempt(written),)), ["no"])  # type: ignore[arg-type]


def test_the_turn_after_refused_sentences_is_the_users() -> None:
    model = ScriptedModel.always(lambda request: "The fridge is clean.")
    own = mine("sentences-repair", f"{{feedback}} {MARK}")
    repaired(ModelReader(model, PACK, goal_form="sentences", own_prompts=own))
    assert model.history[-1].messages[-1].content.endswith(MARK)


def test_a_goal_prompt_with_fields_is_one_message() -> None:
    scene = View.first(OFFICE).expand("kitchen").subgraph()
    model = ScriptedModel.of("(clean fridge)")
    text = "Facts: {facts}\nTask: {task}\nScene: {scene}"
    ModelReader(model, PACK, own_prompts=mine("goal", text)).write("Wipe {scene} it.", scene)
    (message,) = model.history[0].messages
    assert 'Task: "Wipe {scene} it."\nScene: ' in message.content and "inside_of" in message.content


def test_a_prompt_for_another_form_of_goals_is_refused() -> None:
    for name, goal_form in (("goal", "sentences"), ("sentences", "pddl")):
        with pytest.raises(InputError, match=f"prompt {name}"):
            ModelReader(
                ScriptedModel.of(), PACK, goal_form=goal_form, own_prompts=mine(name, "{facts} {sentences}")
            )


def test_saynavs_advice_takes_prompts_of_a_user() -> None:
    contents = RoomContents({"bed": (0.0, 1.0)}, {})
    for form, ask in zip(
        ADVICE_PROMPTS.values(),
        (
            lambda a: a.opinion(contents, ["mug"]),
            lambda a: a.plan(contents, ["mug"], "study"),
            lambda a: a.track("study 1", ["mug"]),
        ),
        strict=True,
    ):
        placed = " ".join(f"{{{name}}}" for name in form.fields)
        text = f"{MARK} {placed}"
        form.check(text, form.name)
        model = ScriptedModel.of("room: study")
        ask(ModelAdvisor(model, mine(form.name, text)))
        assert model.history[0].messages[0].content.startswith(MARK) and "mug" in text_of(model.history[0])
    assert set(METHODS["saynav"].prompts) == ADVICE_PROMPTS.keys()  # type: ignore[attr-defined]


def test_beliefs_and_vision_take_prompts_of_a_user() -> None:
    answer = json.dumps({"mug": {"kitchen": 1.0}})
    model = ScriptedModel.always(lambda request: answer)
    asked = AskedLikelihood(model, own=mine(USUAL.name, f"{MARK} {{things}} {{places}}"))
    asked.prepare(["mug"], ["kitchen"], [])
    assert model.history[0].messages[0].content.startswith(f'{MARK} ["mug"] ["kitchen"]')
    model = ScriptedModel.always(lambda request: '{"objects": []}')
    sighting = Sighting("shelf", picture=Picture("image/png", b""), known_names=("mug1",))
    VisionModel(model, own=mine(DESCRIBE.name, f"Known: {{known}}. {MARK}")).describe(sighting)
    assert model.history[0].messages[0].content == f'Known: - "mug1". {MARK}'
    VisionModel(model, own=mine(DESCRIBE.name, f"{MARK}\n")).describe(sighting)
    assert model.history[1].messages[0].content == f'{MARK}\n- "mug1"'


def test_the_page_of_prompts_is_current() -> None:
    page = (ROOT / "docs" / "prompts.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| [`") or line.startswith("| `")]
    assert len(rows) == len(FORMS)
    for form in FORMS.values():
        assert row_of(form) in rows, f"docs/prompts.md should have\n{row_of(form)}"


def row_of(form: PromptForm) -> str:
    """The row of a prompt on the page: its files, what it is for, and what a text may hold."""
    folder = Path(form.package.removeprefix("groundplan.").replace(".", "/")) / "prompts"
    numbers = form.versions or (0,)
    files = [folder / f"{form.file_of(number)}.md" for number in numbers]
    assert all((ROOT / file).is_file() for file in files)
    links = ", ".join(f"[{n or 'text'}](../{file})" for n, file in zip(numbers, files, strict=True))
    must = " ".join(f"`{{{name}}}`" for name in form.must)
    must += "".join(f" `## {name}`" for name in form.sections)
    may = " ".join(f"`{{{name}}}`" for name in (*form.may, *form.optional))
    fields = " ".join(f"`{{{name}}}`" for name in form.fields)
    return (
        f"| `{form.name}` | {form.about} | {links} | {must.strip() or '-'} | {fields or '-'} | {may or '-'} |"
    )


def test_readers_prompts_have_a_form_each() -> None:
    shipped = {path.stem for path in (ROOT / "language" / "chat" / "prompts").glob("*.md")}
    assert {form.file_of() for form in READER_PROMPTS.values()} == shipped


LONG = "\n".join(
    [
        "Agent role: you plan moves over a graph. { room } and {a, b} are text.",
        *(f'Example: {{"next_move": {{"function_name": "go_to", "target": "hall{n}"}}}}' for n in range(150)),
        "Instruction: {instruction}\nMemory graph:\n```\n{memory graph}\n```\nFeedback: {feedback}",
    ]
)


@pytest.mark.usefixtures("inline_runs")
def test_a_long_prompt_runs_25_tasks(cli_main, httpserver, tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text(LONG)
    done = json.dumps(
        {"chain_of_thought": [], "next_move": {"function_name": "done", "function_target": "x"}}
    )
    script = Script((done,))
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(script)
    words = ("bench", "--methods", "lookplangraph", "--tasks", "grasif-hidden", "--pack", "grasif-looking")
    url = ("--reader", "openai:m", "--base-url", httpserver.url_for("/v1"), "--out", str(tmp_path / "out"))
    assert cli_main([*words, *url, "--prompt", f"lookplangraph={tmp_path / 'long.md'}"]) == 0
    assert len(script.bodies) == 25
    for body in script.bodies:
        (message,) = body["messages"]
        assert (
            message["role"] == "user"
            and "hall149" in message["content"]
            and "{memory" not in message["content"]
        )
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert version(LONG) in json.dumps(manifest)
    rows = [json.loads(line) for line in (tmp_path / "out" / "rows.jsonl").read_text().splitlines()]
    assert len(rows) == 25
    assert {row["record"]["usage"]["prompts"]["lookplangraph"] for row in rows} == {version(LONG)}
    (tmp_path / "long.md").write_text(LONG + "\n")
    assert cli_main([*words, *url, "--prompt", f"lookplangraph={tmp_path / 'long.md'}"]) == 2


@pytest.fixture
def inline_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    from groundplan.evaluation.bench.processes import Inline

    monkeypatch.setattr("groundplan.commands.bench.LocalProcesses", lambda jobs, seconds: Inline())


@pytest.fixture
def cli_main():  # type: ignore[no-untyped-def]
    from groundplan.commands import main

    return main


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sayplan=FILE", "--method", "sayplan"), "{room}"),
        (("sayplam=FILE", "--method", "sayplan"), "did you mean"),
        (("sayplan", "--method", "sayplan"), "NAME=FILE"),
        (("sayplan=9", "--method", "sayplan"), "a version of sayplan"),
        (("sayplan=2",), "which methods have"),
        (("delta=DELTA", "--method", "sayplan"), "a method that uses it"),
        (("goal=NONE",), "No such file"),
        (("goal=GOAL",), "a text with {facts}"),
        (("goal=GOOD",), "--reader embedded takes no model options"),
    ],
)
def test_the_command_line_refuses_by_name(
    cli_main, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "FILE").write_text("go to {room}")
    (tmp_path / "GOAL").write_text("go to the room")
    (tmp_path / "GOOD").write_text("{facts}")
    (tmp_path / "DELTA").write_text(FORMS["delta"].text())
    name, _, file = words[0].partition("=")
    prompt = f"{name}={tmp_path / file}" if file and not file.isdigit() else words[0]
    code = cli_main(["plan", "Wipe it.", "--scene", "office", "--prompt", prompt, *words[1:]])
    assert code == 2 and said in capsys.readouterr().err


def test_a_model_that_is_asked_where_things_are_gets_the_users_prompt() -> None:
    text = f"{USUAL.text()}{MARK}"
    model = ScriptedModel.always(
        lambda request: "{}" if request.purpose == "beliefs" else "(inside_of unseen_orange fridge)"
    )
    belief = ground(OFFICE, PACK)
    tools = Tools(model, ModelReader(model, PACK), Engine.named("pyperplan"), own_prompts=mine("usual", text))
    request = Request(with_hidden(belief), "Put the orange in the fridge.", world=belief)
    record = METHODS["hybrid-looking-asked"].run(request, tools, Limits())
    prompts = record.usage["prompts"]
    assert isinstance(prompts, dict) and prompts["usual"] == version(text)
    assert METHODS["hybrid-looking-asked"].prompts == ("usual",)  # type: ignore[attr-defined]
    assert any(MARK in text_of(request) for request in model.history)
