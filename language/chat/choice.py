"""Choice between goals by saying each of them back: one request, answered with a letter.

The model sees the scene as a listing, every goal in words behind a letter, and the task last; it may answer
with one of the letters only. The order is drawn by the task and a seed, since models prefer some positions
to others whatever stands there. The text is ``prompts/choose-1.md``: recorded answers are found by it, so
another text is another file.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from string import ascii_uppercase

from ...compiler.goals.goal import Goal
from ...domains.pack import Pack
from ...simulator.belief import ground
from ...simulator.scene import Scene
from ..sentences.saying import say
from .listing import listing
from .prompt import as_data, static
from .servers.model import Constraint, Message
from .thoughts import without_thought

SYSTEM = "choose-1"
MAX_TOKENS = 16
"""Most tokens of an answer; a letter in JSON has about 7."""
MAX_CHOICES = 8
"""Most goals that are offered at once, of the 26 that there are letters for."""
_LETTER = re.compile(r"\(?([A-Z])[.)]{0,2}")


def shuffled(number: int, task: str, seed: int) -> tuple[int, ...]:
    """Return the order in which so many goals are shown for a task: indexes, the first one behind A."""
    order = list(range(number))
    random.Random(f"{seed} {task}").shuffle(order)
    return tuple(order)


def choice_messages(task: str, subgraph: Scene, goals: Sequence[Goal], pack: Pack) -> tuple[Message, ...]:
    """Return the request to choose between goals, in the order given."""
    belief = ground(subgraph, pack)
    ways = [
        f"{letter}: {as_data(say(goal.formula, belief))}"
        for letter, goal in zip(ascii_uppercase, goals, strict=False)
    ]
    request = "\n\n".join((listing(subgraph), "\n".join(ways), f"Task: {as_data(task)}"))
    return Message("system", static(SYSTEM)), Message("user", request)


def choice_constraint(number: int) -> Constraint:
    """Return the letters of so many choices, in every form of constraint."""
    letters = list(ascii_uppercase[:number])
    either = " | ".join(f'"{letter}"' for letter in letters)
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": letters}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    return Constraint(
        "choice", lambda: schema, lambda: f"start: {either}", lambda: f"root ::= {either}", json_mode=False
    )


def read_choice(text: str, number: int) -> int | None:
    """Return the index of the choice that an answer names; ``None`` for any other text."""
    body = without_thought(text).strip()
    if body.startswith("{"):
        try:
            raw = json.loads(body)
        except (ValueError, RecursionError):
            return None
        body = raw["answer"] if len(raw) == 1 and isinstance(raw.get("answer"), str) else ""
    match = _LETTER.fullmatch(body)
    index = ascii_uppercase.index(match[1]) if match is not None else number
    return index if index < number else None
