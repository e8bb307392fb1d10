"""What a model may answer in a search step, as a grammar: a command and a node for which it makes sense.

Nodes to expand are those that are shown and closed, nodes to contract those that are open, so an answer under
the grammar can neither invent a name nor pick a wrong level.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ...domains.errors import clip, did_you_mean
from ...simulator.view import View
from .servers.model import Constraint

THOUGHT = 240
"""Most characters of the chain of thought under a grammar."""


@dataclass(frozen=True, slots=True)
class Move:
    """One command of a model, with what it said it thought."""

    command: str
    node: str = ""
    thought: str = ""


class BadMove(ValueError):
    """An answer that is no move; the text is feedback for the model."""


def constraint(view: View) -> Constraint:
    """The moves that a view allows, as JSON schema, GBNF and Lark."""
    options = [("expand", view.closed), ("contract", view.expanded), ("terminate", ("",))]
    allowed = [(command, tuple(nodes)) for command, nodes in options if nodes]
    return Constraint("move", lambda: _schema(allowed), lambda: _lark(allowed), lambda: _gbnf(allowed))


Allowed = Sequence[tuple[str, tuple[str, ...]]]


def _schema(allowed: Allowed) -> dict[str, object]:
    def variant(command: str, nodes: tuple[str, ...]) -> dict[str, object]:
        return {
            "type": "object",
            "properties": {
                "chain_of_thought": {"type": "string"},
                "command": {"type": "string", "enum": [command]},
                "node": {"type": "string", "enum": list(nodes)},
            },
            "required": ["chain_of_thought", "command", "node"],
            "additionalProperties": False,
        }

    return {
        "type": "object",
        "properties": {"move": {"anyOf": [variant(c, n) for c, n in allowed]}},
        "required": ["move"],
        "additionalProperties": False,
    }


def _gbnf(allowed: Allowed) -> str:
    """For llama.cpp: the same object, keys in order, the thought bounded."""
    rules = [f"root ::= {' | '.join(_variant(c, 'text', f'{c}-node') for c, _ in allowed)}"]
    rules += [f"{c}-node ::= {' | '.join(_literal(json.dumps(n)) for n in nodes)}" for c, nodes in allowed]
    rules.append(f'text ::= "\\"" [^"\\\\\\x00-\\x1f]{{0,{THOUGHT}}} "\\""')
    return "\n".join(rules) + "\n"


def _lark(allowed: Allowed) -> str:
    """For llguidance, vLLM and OpenAI's custom tools."""
    rules = [f"start: {' | '.join(_variant(c, 'TEXT', f'{c}_node') for c, _ in allowed)}"]
    rules += [f"{c}_node: {' | '.join(_literal(json.dumps(n)) for n in nodes)}" for c, nodes in allowed]
    rules.append(f'TEXT: /"[^"\\\\\\x00-\\x1f]{{0,{THOUGHT}}}"/')
    return "\n".join(rules) + "\n"


def _variant(command: str, text: str, node: str) -> str:
    """One command's object in a grammar, with the rules for its thought and its node."""
    head = _literal('{"move":{"chain_of_thought":')
    middle = _literal(f',"command":{json.dumps(command)},"node":')
    return f"{head} {text} {middle} {node} {_literal('}}')}"


def _literal(text: str) -> str:
    """A literal of a grammar: quotes and backslashes escaped, the rest ASCII already."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def without_thought(text: str) -> str:
    """An answer without the thoughts that some models put before it, between ``<think>`` and ``</think>``.

    Nothing is left of one that was cut off while it was thinking.
    """
    body = text.strip()
    if not body.startswith("<think>"):
        return body
    return body.partition("</think>")[2].strip()


def read_move(text: str, view: View) -> Move:
    """Parse and check an answer. Raises :class:`BadMove` with feedback for the model."""
    text = without_thought(text)
    start, end = text.find("{"), text.rfind("}")
    try:
        raw = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        raw = None
    if isinstance(raw, dict) and isinstance(raw.get("move"), dict):
        raw = raw["move"]
    if not isinstance(raw, dict):
        raise BadMove('answer with one JSON object: {"chain_of_thought": ..., "command": ..., "node": ...}')
    command, node = raw.get("command"), raw.get("node", "")
    thought = raw.get("chain_of_thought", "")
    if command not in ("expand", "contract", "terminate") or not isinstance(node, str):
        raise BadMove(f"the command must be expand, contract or terminate, not {clip(command)}")
    if command != "terminate":
        _check(command, node, view)
    return Move(command, "" if command == "terminate" else node, str(thought)[:2000])


def _check(command: str, node: str, view: View) -> None:
    choices = view.closed if command == "expand" else view.expanded
    if node in choices:
        return
    if node in view.expanded:
        raise BadMove(f"{clip(node)} is expanded already; everything in it is shown")
    if node in view.ids:
        what = "closed" if command == "contract" else "nothing that can be expanded"
        raise BadMove(f"{clip(node)} is {what}")
    hint = did_you_mean(node, choices) or f"nodes to {command}: {', '.join(clip(c) for c in choices[:12])}"
    raise BadMove(f"there is no {clip(node)} shown; {hint}")
