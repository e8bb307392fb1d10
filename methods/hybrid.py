"""Method ``hybrid``: the reader searches and writes a goal, classical planning does the rest.

Ours, and the subject of the comparison. ``hybrid`` searches as the reader is set to; ``hybrid-naming`` and
its likes fix the protocol by which a model searches, so that protocols stand beside each other in one run.
Problems are compiled from what the search showed; ``hybrid-scene`` compiles them from the whole scene.
``full-scene`` is the ablation that says what the search is worth: the reader gets the whole scene at once. In
a small scene that costs tokens only, in a large one the prompt no longer fits, which is a result
(``service-failed``, the kind ``too-large``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ..compiler.shown_part import CompileForm
from ..language.chat.reader import UNBOUNDED
from ..language.reader import (
    History,
    Reader,
    ReaderTraits,
    SceneText,
    SearchResult,
    TokenMeter,
    Written,
)
from ..pipeline.hybrid import run
from ..pipeline.record import Record
from ..planners.request import ALL_STAGES, Request, Stages
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
        return cls(variants.changed(scene_tokens=UNBOUNDED) if variants is not None else reader)

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


NOTHING_OF: Mapping[str, str] = {
    "index": "no index of names is used",
    "embedding": "no sentence embeddings are used",
    "constrained": "no answer is constrained",
}
"""Ablations that are the reader's, whose model stays the same, with the words for a reader that lacks one."""
STAGES: Mapping[str, Stages] = {
    "check": Stages(check=False),
    "repair": Stages(repair=False),
    "already-so": Stages(already_so=False),
}
"""Ablations of the pipeline's stages."""
ABLATIONS = ("search", *NOTHING_OF, *STAGES, "tidy")
"""Parts of the hybrid that can be switched off, each by itself."""


@dataclass(frozen=True, slots=True)
class Hybrid:
    """The hybrid pipeline; ``protocol`` is one of :data:`PROTOCOLS`, empty for the reader's own search.

    ``rounds`` bounds the requests of a search by ``query``. ``without`` is one of :data:`ABLATIONS`, a part
    that is switched off, or empty; ``scene_text`` is the form of the scene in the request for a goal;
    ``compile_form`` is what problems are compiled from. Without ``descriptions`` of nodes neither the model
    nor the system that searches and checks knows any.
    """

    tells_as: ClassVar[str] = "listing"
    scene_texts: ClassVar[tuple[str, ...]] = ("sayplan",)
    parts: ClassVar[tuple[str, ...]] = ABLATIONS
    name: str = "hybrid"
    protocol: str = ""
    rounds: int | None = None
    without: str = ""
    scene_text: SceneText = "own"
    compile_form: CompileForm = "subgraph"
    descriptions: bool = True

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Search, write, check, plan, verify and repair, as :func:`groundplan.run` does."""
        reader, engine = tools.reader, tools.engine
        if reader is None or engine is None:
            return unsupported(request, f"{self.name} needs a reader and an engine")
        if self.protocol:
            if reader.traits.variants is None:
                return unsupported(request, f"the reader {reader.name} has a search of its own")
            reader = reader.traits.variants.changed(search_protocol=self.protocol, search_rounds=self.rounds)
        if self.scene_text != "own":
            if reader.traits.variants is None:
                return unsupported(request, f"the reader {reader.name} is shown no scene as text")
            reader = reader.traits.variants.changed(scene_text=self.scene_text)
        if self.without == "search":
            if request.search_only:
                return unsupported(request, f"{self.name} does not search")
            reader = WholeScene.of(reader)
        elif self.without in NOTHING_OF:
            variants = reader.traits.variants
            if variants is None or self.without not in variants.parts:
                return unsupported(request, f"{NOTHING_OF[self.without]} by the reader {reader.name}")
            reader = variants.without(self.without)
        stages = STAGES.get(self.without, ALL_STAGES)
        tidy = request.tidy and self.without != "tidy"
        form = self.compile_form if request.world is None else "scene"  # there it goes by all that it sees
        request = replace(request, tidy=tidy, compile_form=form)
        shown = as_told(request, self.descriptions)
        record = run(shown, engine, reader, limits.budget(), listener=tools.listen, stages=stages)
        return record_of(self.name, request, record)
