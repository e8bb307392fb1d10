"""The readings of an instruction that a model gives in one structured answer, read as goals.

Nothing is put to a vote, and nothing is asked twice: an answer lists each reading once. Whether a reading is
well formed, whether two of them are the same goal, and what each costs is decided by others. The keys of the
answer are part of the prompt ``readings``.
"""

from __future__ import annotations

from collections.abc import Callable

from ...compiler.decoding.json_schema import list_of, object_schema
from ...domains.errors import clip
from ..reader import Readings, Unreadable, Written
from .servers.model import Constraint
from .thoughts import json_object

READINGS = "readings-1"
"""The file of the text that asks for readings, behind that of the prompt ``goal``."""
MAX_READINGS = 8
"""Most readings of one answer."""
MAX_PHRASE = 120

FORM = Constraint(
    "readings",
    lambda: object_schema(
        phrase={"type": "string", "description": "words of the task that can be read in several ways"},
        readings=list_of({"type": "string", "description": "a goal"}, MAX_READINGS),
    ),
)


def read_readings(text: str, instruction: str, read: Callable[[str], Written]) -> Readings:
    """Read an answer; one that is no such JSON is one reading, as any other answer for a goal.

    A phrase that the instruction does not have is not told: then all of it is what may be read in several
    ways.
    """
    raw = json_object(text) or {}
    listed = raw.get("readings")
    if not isinstance(listed, list):
        return Readings("", (read(text),))
    goals = [one for one in listed if isinstance(one, str)][:MAX_READINGS]
    if not goals:
        return Readings("", (Unreadable(clip(text, 400), "expected readings, got none"),))
    words = raw.get("phrase", "")
    quoted = isinstance(words, str) and bool(words.strip()) and words.lower() in instruction.lower()
    phrase = words if quoted else clip(instruction, MAX_PHRASE)
    return Readings(phrase, tuple(map(read, dict.fromkeys(goals))))
