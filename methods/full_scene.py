"""Method ``full-scene``: the hybrid without a search; the reader gets the whole scene at once.

The ablation that says what the search is worth: in a small scene it costs tokens only, in a large one the
prompt no longer fits, which is a result (``service-failed``, the kind ``too-large``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from ..compiler.goals.goal import Goal
from ..language.reader import (
    History,
    Reader,
    SamplingReader,
    SearchResult,
    TokenMeter,
    Voting,
    Written,
)
from ..pipeline.hybrid import run
from ..pipeline.record import Record
from ..planners.request import Request
from ..simulator.scene import Scene
from ..simulator.view import LEVELS, View
from .method import Limits, Tools, unsupported


@runtime_checkable
class SeesEverything(Protocol):
    """A reader that usually sees a long scene in part, such as a chat model, and can be shown all of it."""

    def seeing_everything(self) -> Reader:
        """Return the same reader without a bound on what it is shown."""
        ...


@dataclass(frozen=True, slots=True)
class WholeScene:
    """A reader that does not search: it opens every room, and writes and repairs as another one does."""

    inner: Reader

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def meter(self) -> TokenMeter | None:
        return self.inner.meter

    @property
    def confidence(self) -> float | None:
        return self.inner.confidence

    @property
    def voting(self) -> Voting:
        """Votes as the other reader takes them; none where it takes none."""
        return self.inner.voting if isinstance(self.inner, SamplingReader) else Voting(0)

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        """Open every level at once, without asking anybody."""
        levels = tuple(i for level in LEVELS for i in view.scene.by_type.get(level, ()))
        view = View(view.scene, levels, levels)
        return SearchResult("found", tuple(node.id for node in view.visible), view)

    def write(self, instruction: str, subgraph: Scene) -> Written:
        return self.inner.write(instruction, subgraph)

    def repair(self, history: History, feedback: Sequence[str]) -> Written:
        return self.inner.repair(history, feedback)

    def sample(self, instruction: str, subgraph: Scene, seed: int) -> Written:
        return self._sampling.sample(instruction, subgraph, seed)

    def choose(self, instruction: str, subgraph: Scene, goals: Sequence[Goal]) -> int | None:
        return self._sampling.choose(instruction, subgraph, goals)

    def voted(self, share: float | None) -> None:
        self._sampling.voted(share)

    @property
    def _sampling(self) -> SamplingReader:
        assert isinstance(self.inner, SamplingReader), "there are votes only where it can draw answers"
        return self.inner


@dataclass(frozen=True, slots=True)
class FullScene:
    """The hybrid pipeline on the whole scene."""

    name: str = "full-scene"

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Write a goal from the whole scene, check, plan, verify and repair."""
        if tools.reader is None or tools.engine is None:
            return unsupported(request, f"{self.name} needs a reader and an engine")
        if request.search_only:
            return unsupported(request, f"{self.name} does not search")
        inner = tools.reader
        reader = WholeScene(inner.seeing_everything() if isinstance(inner, SeesEverything) else inner)
        return replace(run(request, tools.engine, reader, limits.budget()), method=self.name)
