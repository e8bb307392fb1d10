"""Chat model as a reader: it searches the scene, writes a goal, and repairs that goal.

Its answers are parsed and checked like any other goal; a plan or a poem comes back as :class:`Unreadable`,
a goal with invented names as a goal for the check to turn down, with feedback. The data of a prompt
(``scene_data`` and the fields beside it) may not change without new recordings: a cassette is found by its
requests. :func:`read_goal` may learn to read other answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...compiler.decoding.grammar import decoding_grammar
from ...compiler.decoding.json_form import goal_from_json
from ...compiler.decoding.json_schema import object_schema
from ...compiler.goals.goal import Goal, GoalSyntaxError, Missing, parse_answer, parse_wrapped
from ...compiler.goals.spelling import known_facts, spelled
from ...compiler.goals.wrapping import Known, marked
from ...domains.errors import InputError, clip
from ...domains.files import unique_keys
from ...domains.pack import Pack
from ...simulator.belief import Belief, ground
from ...simulator.scene import Scene
from ...simulator.view import View
from ..embedded.reader import EmbeddedReader
from ..english import embedding
from ..reader import (
    History,
    NotUnderstood,
    ReaderListener,
    ReaderTraits,
    Readings,
    SceneText,
    SearchResult,
    Unreadable,
    Written,
)
from .doubts import without_reason
from .hints import Offer
from .listing import MOST_TOKENS, scene_data
from .prompt import WHOLE_RUN, asks_of_run, messages, prompts, static, version
from .prompt_form import OwnPrompt
from .readings import FORM, READINGS, read_readings
from .search.name_index import looks_for_shown
from .search.protocols import ASKING, DEFAULT, OPENING, protocol_named
from .sentence_form import (
    NO_LIMITS,
    REPAIR,
    AnswerLimits,
    SentencePrompts,
    read_sentence_answer,
    sentence_constraint,
)
from .servers.cassette import KeepsWay, MadeWith
from .servers.meter import Meter, MeteredModel
from .servers.model import ChatModel, ChatRequest, Constraint, Message
from .servers.profile import GoalForm
from .thoughts import answer_place, is_thought

PARTS = ("index", "embedding", "constrained")
"""Parts that a reader can do without, to measure what each is worth: the index of names and the sentence
embeddings of its search, and the constraints of its answers."""
UNBOUNDED = 10**9
"""Tokens of a scene that is never cut."""


@dataclass
class ModelReader:
    """Reads with a chat model. ``listen`` is called with every step and view while a search goes on.

    ``search_protocol`` is the name of the way in which the scene is searched; ``goal_form`` says whether the
    model writes formulas or sentences of the pack. Raises :class:`GoalError` for a pack without sentences,
    and :class:`InputError` for a cassette that was made with another protocol or form.
    """

    model: ChatModel
    pack: Pack
    listen: ReaderListener = lambda event: None
    search_protocol: str = DEFAULT
    goal_form: GoalForm = "pddl"
    search_rounds: int | None = None
    """Most requests of a search by ``query``; ``None`` for the usual number."""
    scene_tokens: int = MOST_TOKENS
    """Most tokens of the scene in the request for a goal."""
    scene_text: SceneText = "own"
    """Form of the scene in the request for a goal."""
    own_prompts: tuple[OwnPrompt, ...] = ()
    """Prompts of a user in place of those that come along."""
    left_out: frozenset[str] = frozenset()
    """Parts of :data:`PARTS` that it does without."""
    meter: Meter = field(init=False)
    """Account of the calls: their tokens, and how they were constrained."""

    _named: tuple[str, ...] = field(default=(), init=False, repr=False)
    """The nodes that the last search was asked for by name."""
    _data: tuple[Scene, object] | None = field(default=None, init=False, repr=False)
    """The last subgraph as data of a prompt."""
    _belief: tuple[Scene, Belief] | None = field(default=None, init=False, repr=False)
    """The last subgraph with what holds in it."""
    _last: tuple[Scene, AnswerLimits, Constraint] | None = field(default=None, init=False, repr=False)
    """Constraint of the last subgraph, and its limits."""

    def __post_init__(self) -> None:
        by_name, by_likeness = (part not in self.left_out for part in ("index", "embedding"))
        self._protocol = protocol_named(
            self.search_protocol, self.pack, self.search_rounds, by_name, by_likeness, self.own_prompts
        )
        own = self.own_prompts
        self._sentences = SentencePrompts(self.pack, self.scene_tokens, self.scene_text, own)
        self._prompts = prompts(self.pack, own) | {"search": self._protocol.prompt}
        if self.goal_form == "sentences":
            self._prompts |= {"goal": self._sentences.system(), "repair": static(REPAIR, own)}
        others = ("goal", "repair") if self.goal_form == "sentences" else ("sentences", "sentences-repair")
        for unused in (one.name for one in own if one.name in others):
            raise InputError(f"prompt {unused}", f"a prompt for goals as {self.goal_form}", "another")
        versions = {name: version(text) for name, text in self._prompts.items()}
        readings = f"{self._prompts['goal']}\n{static(READINGS, own)}"
        self.meter = Meter(versions | {"readings": version(readings)})
        if isinstance(self.model, KeepsWay):
            self.model.asked_by(MadeWith(self.search_protocol, self.goal_form, versions))
        self._metered = MeteredModel(self.model, self.meter, "constrained" not in self.left_out)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def traits(self) -> ReaderTraits:
        """Others can be made of it; one that writes sentences is small, and puts things anywhere."""
        rules = EmbeddedReader(pack=self.pack)  # which has the rules for what a phrase may mean
        sentences = self.goal_form == "sentences"
        readings = None if sentences else self.readings
        return ReaderTraits(sentences, forgets=True, variants=self, clarifier=rules, readings=readings)

    def changed(self, **parameters: Any) -> ModelReader:
        """Return a reader with the same model and other parameters, and an account of its own.

        Raises :class:`InputError` for the name of no search protocol.
        """
        return replace(self, **parameters)

    def for_answers(self) -> ModelReader:
        """Return a reader for which no goal says what a search by ``words`` has missed: it asks at once."""
        return self if self.search_protocol != DEFAULT else replace(self, search_protocol=ASKING)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of :data:`PARTS` that this reader has, which its search decides."""
        opens = self.search_protocol in OPENING
        has = {"index": opens, "embedding": opens and embedding.installed(), "constrained": True}
        return tuple(part for part in PARTS if has[part] and part not in self.left_out)

    def without(self, part: str) -> ModelReader:
        """Return a reader with the same model that does without one of its :attr:`parts`."""
        return replace(self, left_out=self.left_out | {part})

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        result = self._protocol.search(self._metered, instruction, view, reason, self.listen)
        self._named = result.named
        return result

    def write(self, instruction: str, subgraph: Scene) -> Written:
        limits = AnswerLimits(of_run=asks_of_run(instruction))
        return self._ask(self._first(instruction, subgraph), subgraph, "goal", limits)

    def readings(self, instruction: str, subgraph: Scene) -> Readings:
        """Write the goals of all readings of an instruction, in one answer."""
        text = f"{self._goal_text(instruction)}\n{static(READINGS, self.own_prompts)}"
        prompt = messages(text, {"scene": self._scene(subgraph), "task": instruction})
        reply = self._metered.ask(ChatRequest(prompt, FORM, purpose="readings"))
        belief = self._grounded(subgraph)
        return read_readings(reply.text, instruction, lambda text: _declined(read_goal(text, belief)))

    def repair(self, history: History, feedback: Sequence[str]) -> Written:
        limits = replace(self._limits(history), of_run=asks_of_run(history.instruction))
        return self._ask(self._again(history, feedback), history.subgraph, "repair", limits=limits)

    def _goal_text(self, instruction: str) -> str:
        """Return what a model is told of goals, and of the whole run where a task may ask something of it."""
        if not asks_of_run(instruction):
            return self._prompts["goal"]
        text = static(WHOLE_RUN, self.own_prompts)
        self.meter.prompts = {**self.meter.prompts, "goal-whole-run": version(text)}
        return f"{self._prompts['goal']}\n{text}"

    def _first(self, instruction: str, subgraph: Scene) -> tuple[Message, ...]:
        """Return the request for a goal."""
        if self.goal_form == "sentences":
            return self._sentences.first(instruction, subgraph)
        data = {"scene": self._scene(subgraph), "task": instruction}
        return messages(self._goal_text(instruction), data)

    def _again(self, history: History, feedback: Sequence[str]) -> tuple[Message, ...]:
        """Return the request for another goal after feedback."""
        if self.goal_form == "sentences":
            return self._sentences.again(history, feedback)
        tried = [{"goal": str(a.goal), "feedback": list(a.feedback)} for a in history.attempts]
        data: dict[str, object] = {
            "scene": self._scene(history.subgraph),
            "task": history.instruction,
            "history": tried,
            "feedback": list(feedback),
        }
        offer = Offer(self._grounded(history.subgraph), in_sentences=False)
        hints = offer.hints(history.attempts[-1].goal) if history.attempts else ()
        if hints:
            data["hints"] = list(hints)
        return messages(f"{self._goal_text(history.instruction)}\n{self._prompts['repair']}", data)

    def _limits(self, history: History) -> AnswerLimits:
        """Return the limits of an answer after one that was turned down.

        It may not look again for what is shown, and not name again what the instruction gives no reason for.
        """
        last = history.attempts[-1].goal if history.attempts else None
        if isinstance(last, Missing):
            return AnswerLimits(may_look=not looks_for_shown(last.words, history.subgraph))
        if not isinstance(last, Goal) or not self.traits.guesses:
            return NO_LIMITS
        belief = self._grounded(history.subgraph)
        return AnswerLimits(without=without_reason(history.instruction, last.formula, belief))

    def _grounded(self, subgraph: Scene) -> Belief:
        """Return what holds in a subgraph, which is asked about again and again."""
        if self._belief is None or self._belief[0] != subgraph:
            self._belief = subgraph, ground(subgraph, self.pack)
        return self._belief[1]

    def _scene(self, subgraph: Scene) -> object:
        if self._data is None or self._data[0] != subgraph:
            self._data = subgraph, scene_data(subgraph, self.scene_tokens, self.scene_text, self._named)
        return self._data[1]

    def _ask(
        self,
        prompt: tuple[Message, ...],
        subgraph: Scene,
        purpose: str,
        limits: AnswerLimits = NO_LIMITS,
    ) -> Written:
        if self._last is None or self._last[:2] != (subgraph, limits):
            if self.goal_form == "sentences":
                made = sentence_constraint(subgraph, self.pack, limits)
            else:
                made = goal_constraint(lambda: self._grounded(subgraph), limits)
            self._last = subgraph, limits, made
        reply = self._metered.ask(ChatRequest(prompt, self._last[2], purpose=purpose))
        if self.goal_form == "sentences":
            answer = read_sentence_answer(reply.text, self.pack)
        else:
            answer = read_goal(reply.text, self._grounded(subgraph))
        # Sentences that were cut off may be whole, and still not be all.
        if reply.cut and (self.goal_form == "sentences" or isinstance(answer, Unreadable)):
            return Unreadable(clip(reply.text, 400), reply.cut_off, cut=True)
        return _declined(answer)


def _declined(answer: Written) -> Written:
    """Return an answer, or that nothing can be done where it says so."""
    if isinstance(answer, Missing) and answer.declined:
        return NotUnderstood(answer.declined, declined=True)
    return answer


def goal_constraint(belief: Callable[[], Belief], limits: AnswerLimits = NO_LIMITS) -> Constraint:
    """Return the goals that a subgraph allows as grammars, where any name of it may be said.

    The schema says only that the answer is a text: one with every name is longer than the whole prompt, and
    a server may charge for it. What a schema leaves open the check finds.
    """
    text = "a goal" + (', or (missing "what it needs")' if limits.may_look else "")
    return Constraint(
        "goal",
        lambda: object_schema(goal={"type": "string", "description": text}),
        lambda: decoding_grammar(belief(), None, "lark", limits.may_look, limits.of_run),
        lambda: decoding_grammar(belief(), None, "gbnf", limits.may_look, limits.of_run),
        json_mode=False,
    )


def read_goal(text: str, belief: Belief | None = None) -> Goal | Missing | Unreadable:
    """Read an answer: JSON of the goal schema, or the one goal of a text, whatever that is wrapped in.

    What a model thinks before it answers is left out, so an answer that is all thought is unreadable. With a
    ``belief`` facts are told from other brackets, and names are read whatever their case.
    """
    start, end = answer_place(text)
    if start == end and text.strip():
        return Unreadable(clip(text, 400), "expected a goal, got a thought without an answer")
    is_fact = known_facts(belief) if belief is not None else None
    body = text[start:end]
    answer = marked(body) if not body.startswith(("(", "{")) else body
    try:
        goal = _goal_in_json(answer, is_fact) if answer.startswith("{") else None
        goal = goal or parse_wrapped(text, "answer", is_fact, (start, end))
    except GoalSyntaxError as error:
        return Unreadable(clip(body, 400), str(error))
    except (ValueError, RecursionError) as error:
        return Unreadable(clip(body, 400), f"expected a goal, got {clip(str(error))}")
    return spelled(goal, belief) if isinstance(goal, Goal) and belief is not None else goal


def _goal_in_json(text: str, is_fact: Known | None) -> Goal | Missing | None:
    """Return the goal of an object, of its schema or as a text beside thoughts; ``None`` for a text alone.

    Raises :class:`GoalSyntaxError`, and ``ValueError`` for what is no object.
    """
    raw = json.loads(text, object_pairs_hook=unique_keys)
    rest = {key: value for key, value in raw.items() if not is_thought(key)}
    if raw and not rest:
        raise ValueError("a thought without an answer")
    alone = rest.get("goal", rest.get("answer")) if len(rest) == 1 else None
    if isinstance(alone, str) and "(" not in alone:
        return parse_wrapped(alone, "answer", is_fact)
    if not any(isinstance(value, str) and "(" in value for value in rest.values()):
        return parse_answer(goal_from_json(raw))
    return parse_wrapped(json.dumps(rest), "answer", is_fact) if rest != raw else None
