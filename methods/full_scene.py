"""The whole scene at once in place of a search: ``full-scene``, the hybrid without its search.

The ablation that says what the search is worth: in a small scene it costs tokens only, in a large one the
prompt no longer fits, which is a result (``service-failed``, the kind ``too-large``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..language.reader import (
    History,
    Reader,
    ReaderTraits,
    SearchResult,
    TokenMeter,
    Written,
)
from ..simulator.scene import Scene
from ..simulator.view import LEVELS, View


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
