"""Semantic search of a scene by a language model: the paper's Algorithm 1, stage 1 (SayPlan, section 3.3).

The model sees the collapsed scene, expands and contracts nodes one at a time, and ends the search itself.
Each request stands alone: the current view, the memory of what was expanded, the task, and feedback on the
last answer if it was not a move, so the prompt stays about as long as the view. The end of a search in which
nothing was expanded gets feedback once; one that makes no progress ends as ``search-exhausted``, an outcome
and not an error. Of the nodes that are shown, only collapsed ones can be expanded and only expanded ones
contracted, so an answer under the grammar can neither invent a name nor pick a wrong level. :func:`read_move`
checks again, because some models answer without a grammar. Schema, Lark and GBNF admit the same moves and
change together (only the last two bound the thought).

The limits on steps and bad answers may be changed; the data of a request, its grammar (``MAX_THOUGHT`` too)
and the words of feedback may not without new recordings, as a cassette is found by its requests.

:class:`Dialogue` is this search as a protocol. As ``dialogue+`` it does not offer to contract the room that
was opened last, and where the search is exhausted it hands on every node that was ever opened.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....compiler.decoding.dialects import Dialect, GbnfDialect, LarkDialect, literal
from ....compiler.decoding.json_schema import object_schema, one_of
from ....domains.errors import clip, did_you_mean
from ....simulator.view import View
from ...reader import ReaderListener, SearchResult, SearchStep
from ..prompt import messages, static
from ..prompt_form import OwnPrompt
from ..servers.model import ChatModel, ChatRequest, Constraint, ServiceError
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


STEPS_PER_NODE = 3
"""Steps allowed for every node that can be expanded: open it, close it, and once more."""
EXTRA_STEPS = 6
MAX_STEPS = 300
MAX_BAD = 3
"""Bad answers in a row after which a search is given up."""
UNOPENED = (
    "nothing was expanded yet, and rooms show nothing of what is in them: expand the room where the things "
    "of the task may be; terminate again only if the task is about no things, or all of them are shown"
)
"""Feedback, once, for a model that ends a search at once: small ones take a room's name for its contents."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The search as a protocol: ``dialogue``, or ``dialogue+`` where it ``keeps_opened``."""

    keeps_opened: bool = False
    own: tuple[OwnPrompt, ...] = ()

    @property
    def name(self) -> str:
        return "dialogue+" if self.keeps_opened else "dialogue"

    @property
    def prompt(self) -> str:
        return static("search", self.own)

    def search(
        self, model: ChatModel, instruction: str, view: View, reason: str, listen: ReaderListener
    ) -> SearchResult:
        """Search step by step; with ``keeps_opened`` an exhausted search hands on what was opened."""
        result = semantic_search(model, instruction, view, reason, listen, self.keeps_opened, self.own)
        if not self.keeps_opened or result.outcome == "found" or not result.view.memory:
            return result
        view = result.view
        for node in view.memory:
            view = view.expand(node) if node in view.ids else view
        listen(view)
        return SearchResult("found", tuple(n.id for n in view.visible), view, result.trace, result.reason)


def semantic_search(
    model: ChatModel,
    instruction: str,
    view: View,
    reason: str = "",
    listen: ReaderListener = lambda event: None,
    withhold: bool = False,
    own: Sequence[OwnPrompt] = (),
) -> SearchResult:
    """Search until the model terminates or a limit ends it.

    ``reason`` says why a search is taken up again; with ``withhold`` the node that was opened last cannot be
    contracted. Raises :class:`ServiceError` of the model, with what was
    revealed up to then as ``partial_search``.
    """
    trace: list[SearchStep] = []
    feedback, bad, warned = "", 0, bool(reason)
    visited: dict[tuple[str, ...], int] = {}
    closed = sum(view.expandable(node) for node in view.scene.nodes)
    limit = min(MAX_STEPS, EXTRA_STEPS + STEPS_PER_NODE * closed)
    last = ""
    listen(view)
    for _ in range(limit):
        try:
            reply = model.ask(_request(instruction, view, feedback, reason, last, own))
        except ServiceError as error:
            error.partial_search = _exhausted(view, trace, str(error))
            raise
        try:
            step = read_move(reply.text, view, reply.usage.total, last)
        except BadMove as error:
            feedback, bad = reply.cut_off if reply.cut else str(error), bad + 1
            trace.append(SearchStep("rejected", "", reply.usage.total, feedback))
            if bad >= MAX_BAD:
                why = f"{MAX_BAD} answers in a row were not moves; the last: {feedback}"
                ended = _exhausted(view, trace, why)
                return replace(ended, outcome="answer-cut") if reply.cut else ended
            continue
        if step.command == "terminate" and not (view.memory or warned) and view.closed:
            feedback, warned = UNOPENED, True
            trace.append(SearchStep("rejected", "", reply.usage.total, feedback))
            continue
        trace.append(step)
        listen(step)
        feedback = ""
        if step.command == "terminate":
            return SearchResult("found", tuple(n.id for n in view.visible), view, tuple(trace))
        view = view.expand(step.node) if step.command == "expand" else view.contract(step.node)
        last = step.node if withhold and step.command == "expand" else ""
        listen(view)
        key = tuple(sorted(view.expanded))
        visited[key] = visited.get(key, 0) + 1
        if visited[key] > 2:
            feedback = f"you have been here {visited[key]} times; open something new or terminate"
            bad += 1
            if bad >= MAX_BAD:
                return _exhausted(view, trace, "the search went in circles")
        else:
            bad = 0
    return _exhausted(view, trace, f"the search did not end within {limit} steps")


def _exhausted(view: View, trace: list[SearchStep], why: str) -> SearchResult:
    return SearchResult("search-exhausted", tuple(n.id for n in view.visible), view, tuple(trace), why)


def _request(
    instruction: str, view: View, feedback: str, reason: str, withheld: str, own: Sequence[OwnPrompt]
) -> ChatRequest:
    data: dict[str, object] = {
        "scene": view.as_json(),
        "expanded before": list(view.memory),
        "task": instruction,
        "still needed": reason,
        "feedback": feedback,
    }
    return ChatRequest(messages(static("search", own), data), constraint(view, withheld), purpose="search")
