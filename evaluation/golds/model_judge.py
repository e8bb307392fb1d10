"""A chat model as a grader of runs, so that its grades can be held against the other graders.

It is asked about each run by itself, and sees what such judges see: instruction, reference, goal and plan,
and no state. Its answer is data: one in another form than it is asked for is no grade, and is counted.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...compiler.decoding.json_schema import object_schema
from ...domains.errors import InputError, clip
from ...domains.files import parse_json
from ...language.chat.prompt import messages
from ...language.chat.prompt_form import OwnPrompt, forms_of
from ...language.chat.servers.model import ChatModel, ChatRequest, Constraint, ServiceError

MAX_ANSWER = 20_000
"""Characters of an answer that are read."""
ABOUT_THIS = frozenset(("cut", "empty", "malformed", "no-recording", "refusal", "too-large", "too-long"))
"""Kinds of failures of a service that are about one run; with any other the next would fail too."""
JUDGE = forms_of(__package__ or "")["judge"]
MAX_REASON = 400
FORM = '{"reason": "..", "right": true or false}'
SCHEMA = object_schema(reason={"type": "string", "maxLength": MAX_REASON}, right={"type": "boolean"})


@dataclass
class ModelJudge:
    """A judge behind a chat model. ``failure`` says why it was asked no more, where that is so.

    ``answers`` are those that came, ``unreadable`` how many of them are in another form.
    """

    model: ChatModel
    own: tuple[OwnPrompt, ...] = ()
    failure: str = ""
    answers: int = 0
    unreadable: int = 0

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
            text = self.model.ask(request).text
        except ServiceError as error:
            if error.kind not in ABOUT_THIS:
                self.failure = str(error)
            return None, f"no answer: {error}"
        grade, reason = read_judgement(text)
        self.answers += 1
        self.unreadable += grade is None
        return grade, reason


def read_judgement(text: str) -> tuple[bool | None, str]:
    """Read an answer: the grade that it gives and its reason. Words around the object are left out.

    >>> read_judgement('Sure! {"reason": "It is shut.", "right": true}')
    (True, 'It is shut.')
    >>> read_judgement("Yes.")
    (None, 'its answer is not {"reason": "..", "right": true or false}: Yes.')
    """
    text = text[:MAX_ANSWER]
    begin, end = text.find("{"), text.rfind("}")
    try:
        raw = parse_json(text[begin : end + 1], "answer", unique=True)
    except InputError:
        raw = None
    match raw:
        case {"reason": str(reason), "right": bool(right), **more} if not more and len(reason) <= MAX_REASON:
            return right, clip(reason, MAX_REASON)
    return None, f"its answer is not {FORM}: {clip(text.strip(), 200)}"
