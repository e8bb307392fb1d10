"""A conversation with a model that searches a scene and writes plans, and the record that comes of it.

The baselines of the papers differ in their prompts, in what they show of the scene and in when they stop.
What they share is here: plans run on the simulator with its words as feedback, the part of a scene that a
search by ``naming`` shows where a method has no search of its own, and a record of all that happened by the
time the run ended, also where a service failed in the middle.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...compiler.shown_part import beyond_search
from ...compiler.symbols import SymbolTable
from ...domains.deadline import LimitReached, limited, paused
from ...domains.errors import InputError, clip
from ...language.chat.prompt_form import OwnPrompt, version
from ...language.chat.servers.meter import Meter, MeteredModel
from ...language.chat.servers.model import ChatModel, ChatRequest, Message, Reply, ServiceError
from ...language.reader import Reader, SearchStep
from ...pipeline.events import Listener, PlanJudged, ignore
from ...pipeline.hybrid import given_hashes
from ...pipeline.record import PlanAttempt, Record
from ...planners.classical import cut_off
from ...planners.request import Request
from ...simulator.belief import Belief, ground
from ...simulator.printing import fill_routes
from ...simulator.scene import Scene, undescribed
from ...simulator.step import Step
from ...simulator.verification import verify_plan
from ...simulator.view import LEVELS, View
from ..method import Limits, Tools, unsupported
from .answers import CutAnswer, UnreadableAnswer, read_plan
from .declining import CONVERSATION_PROMPTS, MAX_REASON, Declined, reason_of, with_note

_ROLES = re.compile(r"<\||\|>|\[/?INST|<</?SYS|```")


def repeated(reply: Reply) -> Message:
    """Return an answer as a turn of the conversation, in which nothing can look like the end of a turn.

    A model may have copied a name of the scene that is made to look like one.
    """
    return Message("assistant", _ROLES.sub(lambda marker: " ".join(marker.group()), reply.text))


@dataclass(frozen=True, slots=True)
class End:
    """The end of a run: an outcome of :data:`~groundplan.pipeline.record.OUTCOMES`, and why."""

    outcome: str
    reasons: tuple[str, ...] = ()


@dataclass
class Conversation:
    """A run so far: what was searched, shown, written and answered."""

    request: Request
    model: ChatModel
    view: View
    listen: Listener = ignore
    own: tuple[OwnPrompt, ...] = ()
    """Prompts of a user."""
    prompts: dict[str, str] = field(default_factory=dict)
    """The versions of the prompts that were used, by name."""
    trace: list[SearchStep] = field(default_factory=list)
    invented: dict[str, None] = field(default_factory=dict)
    attempts: list[PlanAttempt] = field(default_factory=list)
    chosen: tuple[str, ...] | None = None
    """The nodes that the model chose; ``None`` where these are the ones that the view shows."""
    meter: Meter = field(default_factory=Meter)

    @property
    def instruction(self) -> str:
        return self.request.instruction or ""

    def prompt(self, name: str, variant: int = 1) -> str:
        """Return the text of a prompt: a user's, or a version that comes along; the record has its hash.

        Those that come along tell of declining.
        """
        text = CONVERSATION_PROMPTS[name].text(self.own, variant)
        if all(one.name != name for one in self.own):
            text = with_note(name, text, self.own)
        self.prompts[name] = version(text)
        return text

    def ask(self, request: ChatRequest) -> Reply:
        """Ask the model; its time is no part of the limit.

        Raises :class:`ServiceError`, :class:`CutAnswer`, and :class:`Declined`.
        """
        with paused():
            reply = MeteredModel(self.model, self.meter).ask(request)
        if reply.cut:
            raise CutAnswer(f"{request.purpose}: {reply.cut_off}")
        if (reason := reason_of(reply.text)) is not None:
            raise Declined(reason)
        return reply

    def show_all(self) -> None:
        """Note that the model sees the whole scene, for a method without a search."""
        scene = self.view.scene
        levels = tuple(i for level in LEVELS for i in scene.by_type.get(level, ()))
        self.view = View(scene, levels, levels)

    def named(self, symbols: Iterable[str], table: SymbolTable) -> Mapping[str, str]:
        """Return the scene's names of a written problem's objects; what has none is *invented*."""
        names = {symbol: name for name, symbol in table.objects.items()}
        self.invented |= dict.fromkeys(s for s in symbols if s not in names)
        return {symbol: names.get(symbol, symbol) for symbol in symbols}

    def attempt(self, reply: Reply, texts: Sequence[str], routed: bool) -> PlanAttempt:
        """Run a plan that the model wrote on the simulator, and note it with what the simulator says.

        With ``routed`` the path planner fills in the way between rooms (SayPlan, Algorithm 1, line 11).
        """
        steps: tuple[Step, ...] = ()
        feedback: tuple[str, ...]
        try:
            steps = read_plan(texts)
        except InputError as error:
            feedback = (str(error),)
        else:
            if routed:
                steps = fill_routes(steps, self.request.belief)
            result = verify_plan(steps, self.request.belief)
            refused = tuple(f"{clip(str(v.step), 200)}: {v.message}" for v in result.violations)
            feedback = refused or result.unsatisfied  # without a goal these are broken rules
            if not texts:
                feedback = ("the answer has no plan",)
        attempt = PlanAttempt(reply.text, steps, feedback, reply.usage.total)
        self.note(attempt)
        return attempt

    def note(self, attempt: PlanAttempt) -> None:
        """Note a plan that was run, and say what came of it."""
        self.attempts.append(attempt)
        self.listen(PlanJudged(attempt.steps, attempt.feedback))

    def record(self, method: str, end: End) -> Record:
        """Return the record of the run as it ended."""
        scene, given = self.request.belief.scene, given_hashes(self.request)
        hashes = {f"{name}_{when}": value for when in ("before", "after") for name, value in given.items()}
        written = (name for step in (self.attempts[-1].steps if self.attempts else ()) for name in step.args)
        return Record(
            end.outcome,
            task=self.request.task,
            instruction=self.request.instruction,
            failures=end.reasons,
            subgraph=tuple(n.id for n in self.view.visible) if self.chosen is None else self.chosen,
            trace=tuple(step.as_json() for step in self.trace),
            reader=self.model.name,
            usage={**self.meter.as_json(), "prompts": dict(self.prompts)},
            hashes=hashes,
            losses=scene.losses,
            method=method,
            attempts=tuple(self.attempts),
            opened=self.view.memory,
            shown=self.view.ever_shown,
            invented=tuple(self.invented),
            beyond_search=beyond_search(written, scene, self.view.ever_shown) if self.trace else None,
        )


def converse(
    method: str,
    request: Request,
    tools: Tools,
    limits: Limits,
    talk: Callable[[Conversation], End],
    descriptions: bool = True,
) -> Record:
    """Let ``talk`` hold a conversation, and return its record whatever ends it.

    Without ``descriptions`` the view is one of the scene without those of its nodes.
    """
    if tools.model is None or request.instruction is None:
        return unsupported(request, f"{method} needs a chat model and an instruction")
    scene = request.belief.scene
    view = View.first(scene if descriptions else undescribed(scene))
    conversation = Conversation(request, tools.model, view, tools.listen, tools.own_prompts)
    try:
        with limited(limits.seconds):
            end = talk(conversation)
    except CutAnswer as error:
        end = End("answer-cut", (str(error),))
    except Declined as error:
        end = End("declined", (f"declined: {clip(str(error), MAX_REASON) or 'no reason was given'}",))
    except UnreadableAnswer as error:
        end = End("answer-unreadable", (str(error),))
    except ServiceError as error:
        end = End(error.outcome, (str(error),))
    except LimitReached as cut:
        return replace(conversation.record(method, End(cut.ending.value)), planning=cut_off(cut))
    return conversation.record(method, end)


def judged(conversation: Conversation) -> End:
    """Return the end of a run by its last plan: *executable*, or *rejected* with the simulator's words."""
    last = conversation.attempts[-1]
    return End("rejected", last.feedback) if last.feedback else End("executable")


def search_by_naming(conversation: Conversation, reader: Reader) -> Scene | End:
    """Search the scene with a reader, by ``naming`` where it is a model; say how that ended if not found.

    The time of the search is no part of the limit; its calls and tokens are the method's. Raises
    :class:`ServiceError`.
    """
    if reader.traits.variants is not None:
        reader = reader.traits.variants.changed(search_protocol="naming")
    with paused():
        search = reader.search(conversation.instruction, conversation.view)
    conversation.view = search.view
    conversation.trace += search.trace
    if search.outcome != "found":
        return End(search.outcome, (search.reason,) if search.reason else ())
    return search.scene


def shown_belief(conversation: Conversation, tools: Tools, subgraph: bool) -> Belief | End:
    """Return the world of what a search shows, or the whole one where no ``subgraph`` is asked for.

    Its scene has descriptions where the conversation's view has them.
    """
    belief = conversation.request.belief
    if not subgraph:
        conversation.show_all()
        return replace(belief, scene=conversation.view.scene)
    if tools.reader is None:
        return End("unsupported", ("a subgraph needs a reader, which searches for it",))
    scene = search_by_naming(conversation, tools.reader)
    return scene if isinstance(scene, End) else ground(scene, belief.pack)
