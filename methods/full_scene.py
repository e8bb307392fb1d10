"""Method ``full-scene``: the hybrid without a search; the reader gets the whole scene at once.

The ablation that says what the search is worth: in a small scene it costs tokens only, in a large one the
prompt no longer fits, which is a result (``service-failed``, the kind ``too-large``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ..language.reader import (
    History,
    Reader,
    ReaderTraits,
    SearchResult,
    TokenMeter,
    Written,
)
from ..pipeline.hybrid import run
from ..pipeline.record import Record
from ..planners.request import Request
from ..simulator.scene import Scene
from ..simulator.view import LEVELS, View
from .method import Limits, Tools, unsupported
from .scene_texts import as_told, record_of


@dataclass(frozen=True, slots=True)
class WholeScene:
    """A reader that does not search: it opens every room, and writes and repairs as another one does."""

    inner: Reader

    @classmethod
    def of(cls, reader: Reader) -> WholeScene:
        """Return it for a reader, which is shown all of a long scene where it can be."""
        variants = reader.traits.variants
        return cls(variants.seeing_everything() if variants is not None else reader)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def meter(self) -> TokenMeter | None:
        return self.inner.meter

    @property
    def traits(self) -> ReaderTraits:
        """Those of the other reader, but its goals are not doubted: stored comparisons were made so."""
        return replace(self.inner.traits, guesses=False, variants=None)

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        """Open every level at once, without asking anybody."""
        levels = tuple(i for level in LEVELS for i in view.scene.by_type.get(level, ()))
        view = View(view.scene, levels, levels)
        return SearchResult("found", tuple(node.id for node in view.visible), view)

    def write(self, instruction: str, subgraph: Scene) -> Written:
        return self.inner.write(instruction, subgraph)

    def repair(self, history: History, feedback: Sequence[str]) -> Written:
        return self.inner.repair(history, feedback)


@dataclass(frozen=True, slots=True)
class FullScene:
    """The hybrid pipeline on the whole scene, with ``descriptions`` of its nodes or without."""

    tells_as: ClassVar[str] = "listing"
    name: str = "full-scene"
    descriptions: bool = True

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Write a goal from the whole scene, check, plan, verify and repair."""
        if tools.reader is None or tools.engine is None:
            return unsupported(request, f"{self.name} needs a reader and an engine")
        if request.search_only:
            return unsupported(request, f"{self.name} does not search")
        reader = WholeScene.of(tools.reader)
        shown = as_told(request, self.descriptions)
        record = run(shown, tools.engine, reader, limits.budget(), tools.listen)
        return record_of(self.name, request, record)
