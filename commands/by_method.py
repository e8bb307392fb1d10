"""One run of a method of comparison, as `groundplan plan --method` makes it and tells of it.

The method gets what a comparison would give it (``evaluation.bench.trial``), and is counted alike. Every call
of its model is told as it ends, and kept for the file ``conversation.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace

import click

from ..compiler.goals.goal import Goal
from ..domains.deadline import paused
from ..domains.errors import counted
from ..evaluation.bench.account import Account, CountedModel
from ..evaluation.bench.trial import request_of, run_method
from ..evaluation.judging import JudgedTask, judge_run
from ..language.chat.servers.meter import Meter
from ..language.chat.servers.model import ChatModel, ChatRequest, Reply, Usage
from ..methods.houses.errand import with_house_settings
from ..methods.houses.house_method import HouseMethod
from ..methods.method import Limits, Method, needs_of, takes_goal
from ..methods.registry import group_of, method_named
from ..methods.variants import check_used, with_prompts
from ..pipeline.record import Record
from ..planners.request import Request
from .case import Case
from .console.conversation import tokens
from .console.escape import json_text
from .console.story import RunInput, Story
from .house_options import HouseSettings
from .options import goal_text, gold_goal
from .readers import ModelOptions
from .setting import Make, PlanSetting, Tell
from .tools import check_models, limits_of, tools_of

CONVERSATION = "conversation.json"


@dataclass
class MethodRun:
    """A run of a method, with what its model was asked and answered; ``story`` tells of it, if any does."""

    method: Method
    limits: Limits
    story: Story | None = None
    calls: list[dict[str, object]] = field(default_factory=list)
    meter: Meter = field(default_factory=Meter)

    def __post_init__(self) -> None:
        self.account = Account(self.limits)

    @property
    def title(self) -> str:
        """The name of the method, and its paper."""
        group = group_of(self.method)
        return self.method.name if group is None else f"{self.method.name}: {group.paper}"

    def prepared(self, setting: PlanSetting, keep: ExitStack, tell: Tell) -> tuple[Make, str | None]:
        """Return what makes the run, and the name of its reader. Raises as :func:`reader_named` does."""

        def around(model: ChatModel) -> ChatModel:
            return CountedModel(model, self.account, self._hear)

        check_models([self.method], setting.reader)
        pack = setting.case.belief.pack
        with paused():
            tools = tools_of(setting.reader, pack, setting.reading, keep, around, tell)
        tools = replace(tools, engine=setting.engine, listen=tell)

        def make(goal: Goal | None) -> Record:
            return run_method(self.method, _request(setting, goal), tools, self.account)

        reader = tools.reader if needs_of(self.method) != "nothing" else None
        return make, reader.name if reader is not None else None

    def files(self) -> dict[str, str]:
        """Return the whole conversation as a file; nothing where no model was asked."""
        return {CONVERSATION: json_text({"calls": self.calls}) + "\n"} if self.calls else {}

    def cancelled(self, record: Record | None, setting: PlanSetting) -> Record:
        """Return the record of a run that Ctrl-C ended, with what its model was asked by then."""
        if record is None:
            case, model = setting.case, setting.reader if self.calls else None
            task = case.task.id if case.task is not None else None
            record = Record(
                "cancelled", task, setting.run_input.instruction, engine=setting.engine.name, reader=model
            )
        return replace(record, method=self.method.name, usage=record.usage or self.meter.as_json())

    def sums(self, record: Record, setting: PlanSetting) -> tuple[str, ...]:
        """Return last lines: what the model took, and what the run comes to by the gold of its task."""
        spent = self.account
        calls = f"{counted(len(self.calls), 'call')}: {tokens(spent.prompt, spent.completion)}"
        lines = [calls] if self.calls else []
        case = setting.case
        if case.task is not None and setting.run_input.instruction == case.task.instruction:
            measures = asdict(judge_run(record, JudgedTask(case.task, case.belief)))
            verdict = "right" if measures["success"] else "not right"
            lines.append(f"by the gold of {case.task.id}: {verdict}")
        return tuple(lines)

    def _hear(self, request: ChatRequest, reply: Reply, usage: Usage) -> None:
        self.meter.add(request, reply)
        self.calls.append({
            "purpose": request.purpose,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "answer": reply.text,
            "prompt": usage.prompt,
            "completion": usage.completion,
            "form": reply.form,
            "finish": reply.finish,
        })  # fmt: skip
        if self.story is not None:
            self.story.called(len(self.calls), request, replace(reply, usage=usage))


def method_run(
    name: str,
    versions: Mapping[str, int],
    house: HouseSettings,
    options: ModelOptions,
    seconds: float,
    memory: int,
) -> MethodRun:
    """Return a run of the method of a name, with versions of its prompts, and how it searches houses.

    Raises :class:`InputError` for no such method or version, and for a prompt or a setting that it does not
    use.
    """
    methods = with_house_settings(with_prompts([method_named(name)], versions), *house)
    if len(methods) > 1:
        raise click.UsageError("--driver, --perception and --reach take one value each here")
    (method,) = methods
    check_used(options.prompt or (), [method])
    return MethodRun(method, limits_of(options, seconds, memory))


def method_input(method: Method, instruction: str | None, goal: str | None, case: Case) -> RunInput:
    """Return what a method is given: an instruction, or a goal where it plans for one.

    Raises :class:`click.UsageError` for what the method does not take.
    """
    text = instruction if instruction is not None or case.task is None else case.task.instruction
    if takes_goal(method):
        if goal is not None:
            return RunInput(text, *goal_text(goal))
        if case.task is not None and case.task.gold.goal:
            return RunInput(text, *gold_goal(case.task))
        raise click.UsageError(f"{method.name} is for a goal: give --goal FORMULA, or --task ID for its gold")
    if isinstance(method, HouseMethod) and instruction is not None and case.task is not None:
        raise click.UsageError(f"{method.name} looks for the things of the task: leave out the INSTRUCTION")
    if goal is not None:
        raise click.UsageError(f"{method.name} reads an instruction: leave out --goal")
    if text is None or not text.strip():
        raise click.UsageError("give an INSTRUCTION or --task ID")
    return RunInput(text, None)


def _request(setting: PlanSetting, goal: Goal | None) -> Request:
    """Return the request of a run: that of the task, if there is one, as a comparison would make it."""
    case, instruction = setting.case, setting.run_input.instruction
    if case.task is None:
        return Request(case.belief, instruction, goal, None, setting.truth, tidy=setting.tidy)
    task = replace(case.task, instruction=instruction or "")
    request = request_of(JudgedTask(task, case.belief), False)
    world = setting.truth if setting.truth is not None else request.world
    return replace(request, goal=goal, world=world, tidy=setting.tidy)
