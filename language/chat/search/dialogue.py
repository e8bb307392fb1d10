"""Semantic search of a scene by a language model: the paper's Algorithm 1, stage 1 (SayPlan, section 3.3).

The model sees the collapsed scene, expands and contracts nodes one at a time, and ends the search itself.
Each request stands alone: the current view, the memory of what was expanded, the task, and feedback on the
last answer if it was not a move, so the prompt stays about as long as the view. The limits on steps and bad
answers may be changed; the data of a request and the words of feedback may not without new recordings, as a
cassette is found by its requests. The end of a search in which nothing was expanded gets
feedback once; one that makes no progress ends as ``search-exhausted``, an outcome and not an error.

:class:`Dialogue` is this search as a protocol. As ``dialogue+`` it does not offer to contract the room that
was opened last, and where the search is exhausted it hands on every node that was ever opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....simulator.view import View
from ...reader import ReaderListener, SearchResult, SearchStep
from ..prompt import messages, static
from ..prompt_form import OwnPrompt
from ..servers.model import ChatModel, ChatRequest, ServiceError
from .moves import BadMove, constraint, read_move

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
        view = reopened(result.view)
        listen(view)
        return SearchResult("found", tuple(n.id for n in view.visible), view, result.trace, result.reason)


def reopened(view: View) -> View:
    """Return a view in which every node that was ever expanded is expanded."""
    for node in view.memory:
        if node in view.ids:
            view = view.expand(node)
    return view


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
    limit = min(MAX_STEPS, EXTRA_STEPS + STEPS_PER_NODE * _expandable(view))
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


def _expandable(view: View) -> int:
    """Return the number of nodes of the scene that can be expanded."""
    return sum(view.expandable(i) for i in view.scene.nodes)


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
