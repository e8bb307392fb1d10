"""Interface of the methods that a comparison runs: what they get, and the record that they return.

A method gets a :class:`Request` without the task that it comes from, because a task holds the gold: whoever
runs a comparison turns a task into a request, and hands a gold goal to the method ``gold`` alone. A method
returns the record of its run and judges nothing; every plan is judged in ``evaluation/``, by one definition
for all. What a run may spend is in :class:`Limits`. Calls and tokens are counted, and ended, by the model
that a method is given, and expanded states by its engine, so that no method can forget to; a method need not
look at them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from ..domains.pack import Pack
from ..engines.base import Budget
from ..engines.engine import Engine
from ..language.chat.prompt_form import OwnPrompt
from ..language.chat.servers.model import ChatModel
from ..language.reader import Reader
from ..language.similarity import TextSimilarity
from ..pipeline.events import Listener, ignore
from ..pipeline.record import Record
from ..planners.request import Request


@dataclass(frozen=True, slots=True)
class Tools:
    """Means of a run; ``None`` where the comparison has none, and a method that needs it is unsupported.

    ``model`` answers requests; ``reader`` searches and writes goals, with that model or without one;
    ``engine`` plans; ``similarity`` compares texts. All are of one run: nothing is remembered in them.
    ``listen`` hears of what happens, and may only look; ``own_prompts`` are those of a user.
    """

    model: ChatModel | None = None
    reader: Reader | None = None
    engine: Engine | None = None
    similarity: TextSimilarity | None = None
    listen: Listener = ignore
    own_prompts: tuple[OwnPrompt, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a run: seconds, megabytes and expanded states for planning, calls and tokens for a model.

    The seconds are of the clock, and leave out what a model takes, as in :func:`~groundplan.run`.
    ``expansions`` is the most states that the engine may expand in all, if there is a limit: with it no clock
    decides how a run ends, provided that the seconds suffice. ``answer`` is the most tokens of one answer,
    where a method would allow more. Raises ``ValueError`` for what is not positive.
    """

    seconds: float = 30.0
    memory_mb: int = 2048
    calls: int = 100
    tokens: int = 400_000
    expansions: int | None = None
    answer: int | None = None

    def __post_init__(self) -> None:
        self.budget()
        for name in ("calls", "tokens", "expansions", "answer"):
            number = getattr(self, name)
            if number is not None and number <= 0:
                unit = "tokens of an answer" if name == "answer" else name
                raise ValueError(f"a run needs a positive number of {unit}, got {number}")

    def budget(self) -> Budget:
        """Return the limits of planning."""
        return Budget(self.seconds, self.memory_mb)


Needs = Literal["model", "reader", "nothing"]
"""What a method needs to read an instruction: a reader with a chat model, any reader, or nothing of both."""


class Method(Protocol):
    """A way from an instruction to a plan, by name. It is a value that other processes can be sent.

    What it ``needs`` of a reader may stand beside its name (:data:`Needs`; a reader where nothing is said).
    One that needs nothing runs once beside those that run with each reader. Of a request with ``search_only``
    the answer is the ``subgraph`` of the record.
    """

    @property
    def name(self) -> str: ...

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Run once. What goes wrong is an outcome of the record; only faults of the program are raised."""
        ...


@dataclass(frozen=True, slots=True)
class PackActions:
    """Printed steps that few packs have, with a drive between rooms; ``pack`` names one that has them."""

    pack: str
    steps: frozenset[str]

    def are_in(self, pack: Pack) -> bool:
        """Return whether a pack has the actions."""
        steps = {a.step.predicate for a in pack.mapping.actions.values() if a.step is not None}
        return pack.mapping.room_step == "go_to" and steps >= self.steps

    def lacking(self, method: str, request: Request) -> Record | None:
        """Return the record of a run whose pack lacks them; ``None`` where it has them."""
        if self.are_in(request.belief.pack):
            return None
        return unsupported(request, f"{method} needs the actions of the pack {self.pack}")


def actions_of(method: Method) -> PackActions | None:
    """Return the actions that a method plans in, where few packs have them."""
    return getattr(method, "actions", None)


def needs_of(method: Method) -> Needs:
    """Return what a method needs to read an instruction."""
    return getattr(method, "needs", "reader")


def acts(method: Method) -> bool:
    """Return whether a method acts in the true world of a request, of which it knows a part."""
    return getattr(method, "acts", False)


def takes_goal(method: Method) -> bool:
    """Return whether a method is compared by what it does for a goal, which it is given."""
    return getattr(method, "takes_gold", False)


def plans_by_engine(method: Method) -> bool:
    """Return whether a method is given an engine; one that never plans has ``plans`` false."""
    return getattr(method, "plans", True)


def unsupported(request: Request, reason: str) -> Record:
    """Return the record of a run that its method cannot make, such as one without the tools it needs."""
    return Record("unsupported", task=request.task, instruction=request.instruction, failures=(reason,))
