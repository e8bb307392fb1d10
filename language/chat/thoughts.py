"""An answer without what a model thinks before it, and without marks of its chat template.

Thoughts stand between markers of any form whose name ends in a word for thinking, or in a channel of that
name; a server may have cut the first marker off, and a limit the last. So what comes before an end is a
thought, and what follows a beginning without an end is one. Nothing is left of an answer that is all thought:
a goal in it was not meant. Words for thinking are added to ``_THINKING``.
"""

from __future__ import annotations

import json
import re
from typing import Any

_THINKING = r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|reflection|scratchpad|rationale)"
_MARKER = re.compile(rf"[<\[\u25c1][|\uff5c]?(?P<end>/|end_)?[\w.:-]*{_THINKING}[|\uff5c]?[>\]\u25b7]", re.I)
"""Beginning or end of a thought: ``<think>``, ``[/THINK]``, ``<|end_of_thought|>``, ``<seed:think>``."""
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>", re.I)
_SPECIAL = re.compile(r"<[|\uff5c][^<>|\uff5c\n]{1,40}[|\uff5c]>|</?s>|<(?:eos|bos)>|<(?:start|end)_of_turn>")
"""Token of a chat template, which ends a turn or begins one."""
_ROLE = re.compile(r"\s*(?:assistant|model)?\s*\Z")
_THOUGHT_KEY = re.compile(rf".*(?:{_THINKING}|explanation|justification)", re.I | re.S)
ANSWERING = "final"
"""The channel of an answer."""


def without_thought(text: str) -> str:
    """Return the answer alone; nothing of one that was cut off while its model was thinking.

    >>> without_thought("<think>(open fridge)? No.</think> (closed fridge)<|im_end|>")
    '(closed fridge)'
    >>> without_thought("[THINK](open fridge)")
    ''
    """
    return text[slice(*answer_place(text))]


def answer_place(text: str) -> tuple[int, int]:
    """Return where the answer begins and ends in a text: what :func:`without_thought` returns."""
    start, end = _stripped(text, 0, len(text))
    if text[start:end].startswith(("{", "[", '"')) and _is_json(text[start:end]):
        return start, end
    if channels := list(_CHANNEL.finditer(text)):
        answers = [match.end() for match in channels if match[1].lower() == ANSWERING]
        start = answers[-1] if answers else end
    start = max((m.end() for m in _MARKER.finditer(text, start, end) if m["end"]), default=start)
    if (begin := _MARKER.search(text, start, end)) is not None:
        end = begin.start()
    depth = 0
    for marker in _MARKER.finditer(text, 0, start):
        depth = max(0, depth - 1) if marker["end"] else depth + 1
    if depth:  # a thought in a thought, of which one was cut off
        start = end
    for token in _SPECIAL.finditer(text, start, end):
        if not _ROLE.match(text[start : token.start()]):
            end = token.start()
            break
        start = token.end()
    return _stripped(text, start, end)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a place without the space at its ends."""
    begin = end - len(text[start:end].lstrip())
    return begin, begin + len(text[begin:end].rstrip())


def json_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object of an answer, words around it or not; ``None`` where there is none."""
    body = without_thought(text)
    try:
        raw = json.loads(body[body.find("{") : body.rfind("}") + 1])
    except (ValueError, RecursionError):
        return None
    return raw if isinstance(raw, dict) else None


def is_thought(key: str) -> bool:
    """Return whether a key of an answer in JSON is one for thoughts."""
    return _THOUGHT_KEY.fullmatch(key) is not None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
