"""The interface of every reader, which stands between an instruction and a goal.

A reader searches a collapsed scene and reveals what it needs (``search``), writes a goal about what it
revealed (``write``), and mends that goal when the check, the planner or the simulator objects (``repair``).
It writes goals and nothing else; everything that a repair needs is in the history. What else a reader can do
is in its :class:`ReaderTraits`. The keys of ``as_json`` and the names of outcomes stay, as records hold them;
another reader is another class with the methods of :class:`Reader`. Whatever drives a reader imports this
module and none of a particular reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ..compiler.goals.goal import Goal, Missing
from ..domains.errors import GroundplanError
from ..simulator.belief import Belief
from ..simulator.scene import Scene
from ..simulator.view import View

SearchOutcome = Literal["found", "search-exhausted", "not-understood", "answer-cut"]


@dataclass(frozen=True, slots=True)
class SearchStep:
    """One step of a search: ``expand``, ``contract``, ``terminate``, ``name``, ``query``, or ``rejected``.

    ``tokens`` are those of the request and the reply, 0 without a model; ``thought`` is the model's own, the
    names or questions of its answer, or why that was rejected.
    """

    command: str
    node: str
    tokens: int = 0
    thought: str = ""

    def as_json(self) -> dict[str, object]:
        return {"command": self.command, "node": self.node, "tokens": self.tokens, "thought": self.thought}


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a search: ``subgraph`` are ids of nodes that ``view`` shows, in the view's order.

    ``shown`` are nodes that were in it before and are just what the search was taken up again for;
    ``named`` are those that the instruction or the model named, so that no prompt need leave them out.
    """

    outcome: SearchOutcome
    subgraph: tuple[str, ...]
    view: View
    trace: tuple[SearchStep, ...] = ()
    reason: str = ""
    shown: tuple[str, ...] = ()
    named: tuple[str, ...] = ()

    @property
    def scene(self) -> Scene:
        """The subgraph as a scene, with the ancestors of its nodes and the agent."""
        return self.view.subgraph(self.subgraph)

    def as_json(self) -> dict[str, object]:
        trace = [s.as_json() for s in self.trace]
        why = {"reason": self.reason} if self.reason else {}
        shown = {"shown": list(self.shown)} if self.shown else {}
        return {"outcome": self.outcome, "subgraph": list(self.subgraph), "trace": trace, **why, **shown}


@dataclass(frozen=True, slots=True)
class ModelAsked:
    """A request to a model as it is sent; ``purpose`` is what it is for, such as ``search`` or ``repair``."""

    purpose: str


@dataclass(frozen=True, slots=True)
class ReplyPiece:
    """A piece of a model's reply as it comes."""

    text: str


ReaderEvent = View | SearchStep | ModelAsked | ReplyPiece
"""Progress of a reader: what is shown now, a step that was accepted, and text while it is written."""
ReaderListener = Callable[[ReaderEvent], None]


class ReaderError(GroundplanError):
    """A reader whose model or service did not answer; ``partial_search`` is what it had revealed by then."""

    partial_search: SearchResult | None = None

    @property
    def outcome(self) -> str:
        """The outcome of a run that it ends."""
        return "service-failed"


class TokenMeter(Protocol):
    """Account of the tokens of a reader's model."""

    def spent(self, *purposes: str) -> int:
        """Return the tokens of the calls for some purposes (search, goal, repair)."""
        ...

    def as_json(self) -> dict[str, object]:
        """Return the sums over all calls, for records."""
        ...


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Reason why a reader wrote no goal; ``nearest`` are names or goals that came closest, best first.

    ``declined`` is true where the instruction was understood, and the reader says that nothing can be done.
    """

    reason: str
    nearest: tuple[str, ...] = ()
    declined: bool = False

    def __str__(self) -> str:
        if self.declined:
            return f"declined: {self.reason}"
        near = f" (nearest: {', '.join(self.nearest)})" if self.nearest else ""
        return f"not understood: {self.reason}{near}"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An answer that is not a goal, clipped, and the parser's words about it: feedback for a repair.

    ``cut`` is true where the limit of its tokens ended the answer.
    """

    text: str
    feedback: str
    cut: bool = False

    def __str__(self) -> str:
        return self.text


Tried = Goal | Missing | Unreadable
"""Answer that can be judged; its text is ``str`` of it. ``Missing`` asks for more of the scene."""
Written = Tried | NotUnderstood
"""Result of writing or repairing a goal."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A goal that was tried, or an answer in its place, and the words about it.

    They are those of the check, the planner or the simulator; of an answer that is no goal, the parser's.
    """

    goal: Tried
    feedback: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """All attempts so far at one instruction."""

    instruction: str
    subgraph: Scene
    attempts: tuple[Attempt, ...] = ()


SceneText = Literal["own", "sayplan"]
"""Form of a scene in the request for a goal: our listing, or the JSON of SayPlan's paper."""


class ReaderVariants(Protocol):
    """Makes readers with the same model that differ in one thing, to measure what that is worth."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that the reader has, and can do without; which it has depends on its search."""
        ...

    def for_answers(self) -> Reader:
        """Return the reader for a search that is the answer: it looks by itself for what is needed."""
        ...

    def without(self, part: str) -> Reader:
        """Return the reader without one of its parts."""
        ...

    def changed(self, **parameters: object) -> Reader:
        """Return the reader with other parameters, and an account of its own.

        They are ``search_protocol`` and ``search_rounds``, the most requests of a search; ``scene_text``, the
        form of scenes in its requests, and ``scene_tokens``, the bound on these. Raises :class:`InputError`
        for the name of no protocol.
        """
        ...


@dataclass(frozen=True, slots=True)
class GoalReading:
    """A reading of an instruction: the node that each open phrase is taken to mean, and the goal then.

    There are no nodes where readings differ in more than the things that they are about.
    """

    nodes: tuple[str, ...]
    goal: Goal

    @property
    def node(self) -> str | None:
        """The node of the only open phrase."""
        return self.nodes[0] if len(self.nodes) == 1 else None


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """Phrases of an instruction that may mean several things, with the goals, which differ."""

    phrases: tuple[str, ...]
    readings: tuple[GoalReading, ...]


@dataclass(frozen=True, slots=True)
class Readings:
    """All readings of an instruction as a reader wrote them, and the words of it that they are of."""

    phrase: str
    written: tuple[Written, ...]


class Clarifier(Protocol):
    """Finds instructions with several readings."""

    def ambiguity(self, instruction: str, belief: Belief) -> Ambiguity | NotUnderstood | None:
        """Return the readings of an instruction over a whole scene, ``None`` where it has at most one.

        Where they are too many for a question, the reason says so.
        """
        ...


@dataclass(frozen=True, slots=True)
class ReaderTraits:
    """Traits in which readers differ, beside how they search, write and repair.

    A reader that ``guesses`` may name things for no reason, so that each name needs one in the words it has
    read; one that ``forgets`` may leave out what these ask for, and is asked once more. ``place`` is where it
    is told that instructions are given, which "me" and "here" mean. ``variants`` is ``None`` for a reader of
    which no others are made. ``clarifier`` finds what a question back would be about; ``readings`` writes the
    goals of all readings over a subgraph, where a reader can be asked for them in place of one goal.
    """

    guesses: bool = False
    forgets: bool = False
    place: str | None = None
    variants: ReaderVariants | None = None
    clarifier: Clarifier | None = None
    readings: Callable[[str, Scene], Readings] | None = None


PLAIN = ReaderTraits()
"""The traits of a reader that only searches, writes and repairs."""


def name_in(reason: str) -> str:
    """Return the name of what is missing, out of the reason for another search: what follows a colon."""
    return reason.rpartition(": ")[2]


class Reader(Protocol):
    """Turns instructions into goals. ``name`` says honestly what does the reading.

    Every call may raise :class:`ReaderError`.
    """

    @property
    def name(self) -> str: ...

    @property
    def traits(self) -> ReaderTraits:
        """Traits beside its work of reading; :data:`PLAIN` for none."""
        ...

    @property
    def meter(self) -> TokenMeter | None:
        """Account of the reader's model; ``None`` for a reader without one."""
        ...

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        """Expand and contract a view until it shows what the instruction is about.

        ``reason`` says what was missing, when a search is taken up again, with its name behind the use that
        a plan has for it, if any ("something that can wipe: paper towel"). Where the view shows that already,
        nothing is opened, and the result has it as ``shown``.
        """
        ...

    def write(self, instruction: str, subgraph: Scene) -> Written:
        """Write a goal about the nodes of a subgraph only."""
        ...

    def repair(self, history: History, feedback: Sequence[str]) -> Written:
        """Write another goal for the same instruction, after feedback on the last attempt of the history."""
        ...
