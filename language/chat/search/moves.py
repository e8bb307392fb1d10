"""Moves in a language model's search of the scene: expand, contract, terminate. Their grammar and reading.

Of the nodes that are shown, only collapsed ones can be expanded and only expanded ones contracted, so an
answer under the grammar can neither invent a name nor pick a wrong level. :func:`read_move` checks again,
because some models answer without a grammar. Schema, Lark and GBNF admit the same moves and change together
(only the last two bound the thought). Any change of them, ``MAX_THOUGHT`` too, makes recorded answers
(cassettes) unusable, as each keeps the hash of its grammar; the words of :class:`BadMove` are feedback in
the next request, and recordings in which a move was turned down are found by them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ....compiler.decoding.dialects import Dialect, GbnfDialect, LarkDialect, literal
from ....compiler.decoding.json_schema import object_schema, one_of
from ....domains.errors import clip, did_you_mean
from ....simulator.view import View
from ...reader import SearchStep
from ..servers.model import Constraint
from ..thoughts import json_object

MAX_THOUGHT = 240
"""Most characters of the chain of thought under a grammar."""

_CHARACTERS = rf'[^"\\\x00-\x1f]{{0,{MAX_THOUGHT}}}'
_LARK_THOUGHT = f'/"{_CHARACTERS}"/'
_GBNF_THOUGHT = rf'"\"" {_CHARACTERS} "\""'


class BadMove(ValueError):
    """An answer that is not a move; the text is feedback for the model."""


def constraint(view: View, withheld: str = "") -> Constraint:
    """Return the moves that a view allows, as JSON schema, Lark and GBNF.

    ``withheld`` is a node that contract is not offered for.
    """
    contractible = tuple(node for node in view.expanded if node != withheld)
    options = [("expand", view.closed), ("contract", contractible), ("terminate", ("",))]
    allowed = [(command, tuple(nodes)) for command, nodes in options if nodes]
    return Constraint(
        "move",
        lambda: _schema(allowed),
        lambda: _grammar(allowed, LarkDialect(), _LARK_THOUGHT),
        lambda: _grammar(allowed, GbnfDialect(), _GBNF_THOUGHT),
    )


Allowed = Sequence[tuple[str, tuple[str, ...]]]
"""Commands, each with its nodes."""


def _schema(allowed: Allowed) -> dict[str, object]:
    def variant(command: str, nodes: tuple[str, ...]) -> dict[str, object]:
        thought = {"type": "string"}
        return object_schema(chain_of_thought=thought, command=one_of((command,)), node=one_of(nodes))

    return object_schema(move={"anyOf": [variant(command, nodes) for command, nodes in allowed]})


def _grammar(allowed: Allowed, dialect: Dialect, thought: str) -> str:
    """Return the object of the schema in a grammar language, its keys in order, the thought bounded."""
    text = dialect.words("text")

    def variant(command: str) -> str:
        head = literal('{"move":{"chain_of_thought":')
        middle = literal(f',"command":{json.dumps(command)},"node":')
        return f"{head} {text} {middle} {dialect.rule(f'{command}_node')} {literal('}}')}"

    lines = [dialect.definition(dialect.start, (variant(command) for command, _ in allowed))]
    for command, nodes in allowed:
        names = (literal(json.dumps(node)) for node in nodes)
        lines.append(dialect.definition(dialect.rule(f"{command}_node"), names))
    return "\n".join([*lines, dialect.definition(text, [thought])]) + "\n"


def read_move(text: str, view: View, tokens: int = 0, withheld: str = "") -> SearchStep:
    """Parse and check an answer of some tokens. Raises :class:`BadMove` with feedback for the model."""
    raw = json_object(text)
    if raw is None:
        raise BadMove('answer with one JSON object: {"chain_of_thought": ..., "command": ..., "node": ...}')
    raw = raw["move"] if isinstance(raw.get("move"), dict) else raw
    command, node = raw.get("command"), raw.get("node", "")
    thought = raw.get("chain_of_thought", "")
    if command not in ("expand", "contract", "terminate") or not isinstance(node, str):
        raise BadMove(f"the command must be expand, contract or terminate, not {clip(command)}")
    if command != "terminate":
        _check(command, node, view)
        if command == "contract" and node == withheld:
            raise BadMove(f"{clip(node)} was opened just now; use what it shows, open another or terminate")
    return SearchStep(command, "" if command == "terminate" else node, tokens, str(thought)[:2000])


def _check(command: str, node: str, view: View) -> None:
    """Refuse a node that the command does nothing with."""
    choices = view.closed if command == "expand" else view.expanded
    if node in choices:
        return
    if node in view.expanded:
        raise BadMove(f"{clip(node)} is expanded already; everything in it is shown")
    if node in view.ids:
        state = "closed" if command == "contract" else "nothing that can be expanded"
        raise BadMove(f"{clip(node)} is {state}")
    hint = did_you_mean(node, choices) or f"nodes to {command}: {', '.join(clip(c) for c in choices[:12])}"
    raise BadMove(f"there is no {clip(node)} shown; {hint}")
