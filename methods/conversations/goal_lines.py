"""Ordered goals as a model writes them: a line each, in sentences of the pack or as formulas.

Every line is parsed like any other answer with a goal, and judged by the check like any other goal. Under
constraint the lines are sentences about what a scene shows; the search has ended, so none asks for more.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Literal

from ...compiler.decoding.dialects import GbnfDialect, LarkDialect
from ...compiler.decoding.json_schema import object_schema
from ...compiler.goals.goal import Goal, parse_answer
from ...domains.errors import GoalError, clip
from ...domains.pack import Pack
from ...language.chat.servers.model import Constraint
from ...language.chat.thoughts import without_thought
from ...language.sentences.grammar import sentence_grammar, sentence_schema
from ...language.sentences.reading import read_answer
from ...simulator.belief import ground
from ...simulator.scene import Scene
from .answers import MAX_ANSWER, UnreadableAnswer, read_object
from .declining import Declined, declined_text

MAX_GOALS = 32
"""Most sub-goals of a task."""
_NUMBER = re.compile(r"^\s*(?:\d{1,2}[.):]|[-*])\s+")
_FENCE = re.compile(r"```\w*")


def read_goals(text: str, pack: Pack) -> tuple[Goal, ...]:
    """Read goals, one a line, in sentences of the pack or as formulas, or JSON of the schema.

    Raises :class:`Declined` for an empty list, :class:`UnreadableAnswer` for no goal at all, and
    :class:`GoalError` for a line that is none.
    """
    body = without_thought(text).strip()[:MAX_ANSWER]
    lines: list[str] = []
    if body.startswith("{"):
        listed = read_object(body).get("subgoals")
        if listed == []:
            raise Declined("there is no sub-goal")
        for item in listed if isinstance(listed, list) else ():
            lines.append(item if isinstance(item, str) else json.dumps(item))
    else:
        lines = [_NUMBER.sub("", line, count=1).strip() for line in body.splitlines()]
        lines = [line for line in lines if line and not _FENCE.fullmatch(line)]
    if not 0 < len(lines) <= MAX_GOALS:
        raise UnreadableAnswer(f"expected 1 to {MAX_GOALS} sub-goals, a line each, got {len(lines)}")
    goals: list[Goal] = []
    for line in lines:
        goal = parse_answer(line) if line.startswith("(") else read_answer(line, pack)
        if not isinstance(goal, Goal):
            raise GoalError("sub-goal", "a goal about what the scene shows", clip(line))
        goals.append(goal)
    return tuple(goals)


def goals_in_lines(scene: Scene, pack: Pack) -> Constraint:
    """Return lists of goals in sentences about what a scene shows, in every form of constraint."""
    belief = cache(lambda: ground(scene, pack))

    def lines(form: Literal["lark", "gbnf"], start: str, defined: str, most: str) -> str:
        grammar = sentence_grammar(belief(), form, may_look=False)
        one = grammar.removeprefix(f"{start}{defined}")
        declined = declined_text(LarkDialect() if form == "lark" else GbnfDialect())
        return f'{start}{defined} goal ("\\n" goal){most} | {declined}\ngoal{defined}{one}'

    def schema() -> dict[str, object]:
        one = sentence_schema(belief(), may_look=False)
        goals = {"type": "array", "items": one, "maxItems": MAX_GOALS}
        return object_schema(subgoals=goals)

    return Constraint(
        "subgoals",
        schema,
        lambda: lines("lark", "start", ":", f"~0..{MAX_GOALS - 1}"),
        lambda: lines("gbnf", "root", " ::=", f"{{0,{MAX_GOALS - 1}}}"),
        json_mode=False,
    )
