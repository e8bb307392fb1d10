"""A chat model as a grader of runs, so that its grades can be held against the other graders.

It is asked about each run by itself, and sees what such judges see: instruction, reference, goal and plan,
and no state. Its answer is data: one without a readable ``right`` is no grade.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...compiler.decoding.json_schema import object_schema
from ...domains.errors import InputError, clip
from ...domains.files import parse_json
from ...language.chat.prompt import messages
from ...language.chat.prompt_form import OwnPrompt, PromptForm
from ...language.chat.servers.model import ChatModel, ChatRequest, Constraint, ServiceError

MAX_ANSWER = 20_000
"""Characters of an answer that are read."""
ABOUT_THIS = frozenset(("cut", "empty", "malformed", "no-recording", "refusal", "too-large", "too-long"))
"""Kinds of failures of a service that are about one run; with any other the next would fail too."""
JUDGE = PromptForm(
    "judge",
    __package__ or "",
    "whether a run does what was asked (`grade --graders judge`)",
    fields=("instruction", "right run"),
    optional=("goal", "steps"),
)
SCHEMA = object_schema(reason={"type": "string", "maxLength": 400}, right={"type": "boolean"})


@dataclass
class ModelJudge:
    """A judge behind a chat model. ``failure`` says why it was asked no more, where that is so."""

    model: ChatModel
    own: tuple[OwnPrompt, ...] = ()
    failure: str = ""

    def grade(
        self, instruction: str, reference: str, goal: str | None, steps: tuple[str, ...] | None
    ) -> tuple[bool | None, str]:
        """Return a grade and its reason; ``None`` for no grade, with why there is none."""
        if self.failure:
            return None, ""
        data: dict[str, object] = {"instruction": instruction, "right run": reference}
        data |= {"goal": goal} if goal is not None else {}
        data |= {"steps": list(steps) or "none"} if steps is not None else {}
        request = ChatRequest(
            messages(JUDGE.text(self.own), data),
            Constraint("judgement", lambda: SCHEMA),
            max_tokens=1000,
            purpose="judge",
        )
        try:
            return read_judgement(self.model.ask(request).text)
        except ServiceError as error:
            if error.kind not in ABOUT_THIS:
                self.failure = str(error)
            return None, f"no answer: {error}"


def read_judgement(text: str) -> tuple[bool | None, str]:
    """Read an answer: the grade that it gives and its reason.

    >>> read_judgement('Sure! {"reason": "It is shut.", "right": true}')
    (True, 'It is shut.')
    >>> read_judgement("Looks right to me.")
    (None, 'its answer cannot be read: Looks right to me.')
    """
    text = text[:MAX_ANSWER]
    begin, end = text.find("{"), text.rfind("}")
    try:
        raw = parse_json(text[begin : end + 1], "answer", unique=True)
    except InputError:
        raw = None
    if not isinstance(raw, dict) or not isinstance(raw.get("right"), bool):
        return None, f"its answer cannot be read: {clip(text.strip(), 200)}"
    return raw["right"], clip(str(raw.get("reason", "")), 400)
