"""Method ``subgoals``: a sequence of goals, the form of AHAT (arXiv:2602.12244), with a model as it is.

AHAT fine-tunes a model to map a scene graph in text to a sequence of sub-goals, which a solver plans for one
after the other. Here no model is trained: one that is told what to do reads a listing of what the reader's
search has shown, and writes an ordered list of goals, a line each, in sentences of the pack or in PDDL. Each
is checked, and planned for from the state in which the plan before it ends. There is no repair and no goal
for the whole, so a plan that the simulator accepts is *executable*.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ..compiler.certificates.constraints import with_rules
from ..compiler.goals.checker import check
from ..compiler.goals.goal import Goal
from ..domains.errors import GoalError
from ..domains.pack import Pack, filled
from ..language.chat.listing import listing
from ..language.chat.prompt import as_data
from ..language.chat.servers.model import ChatRequest, Message
from ..pipeline.record import PlanAttempt, Record, Round
from ..planners.classical import plan_goal
from ..planners.request import Request
from ..simulator.belief import Belief, ground
from ..simulator.scene import Scene
from ..simulator.sensing.snapshot import scene_now
from ..simulator.step import Step
from ..simulator.verification import verify_plan
from ..simulator.world import World
from .conversations.conversation import Conversation, End, converse, judged, search_by_naming
from .conversations.goal_lines import goals_in_lines, read_goals
from .method import Limits, Needs, Tools, unsupported


@dataclass(frozen=True, slots=True)
class SubGoals:
    """Search, an ordered list of goals, a plan for each from the end of the last.

    ``constrained`` asks for sentences of the pack about what was shown; ``variant`` is the version of the
    prompt. Models search by ``naming``, as in ``hybrid-naming``; other readers as they do. They see
    ``descriptions`` of nodes or not.
    """

    needs: ClassVar[Needs] = "model"
    tells_as: ClassVar[str] = "listing"
    prompts: ClassVar[tuple[str, ...]] = ("subgoals",)
    name: str = "subgoals"
    constrained: bool = True
    variant: int = 1
    descriptions: bool = True

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Search, have the goals written, plan for them in turn, and run the joined plan."""
        language = request.belief.pack.language
        if tools.engine is None or tools.reader is None:
            return unsupported(request, f"{self.name} needs a reader with a model, and an engine")
        if request.search_only:
            return unsupported(request, f"{self.name} has no search of its own: hybrid-naming has it")
        if language is None or not language.sentences:
            return unsupported(request, f"{self.name} needs a pack with sentences")
        turns = _Turns(self, tools, limits)
        record = converse(self.name, request, tools, limits, turns.talk, self.descriptions)
        if record.outcome == "unsupported":
            return record
        goals = tuple(Round(goal) for goal in turns.goals)
        record = replace(record, goals=goals, engine=tools.engine.name, compile_form="scene")
        return replace(record, statistics={"subgoals": len(goals)})


@dataclass
class _Turns:
    """The run of a task; ``goals`` are those that were written."""

    method: SubGoals
    tools: Tools
    limits: Limits
    goals: tuple[Goal, ...] = ()

    def talk(self, conversation: Conversation) -> End:
        """Search, ask, and plan. Raises :class:`ServiceError` and :class:`UnreadableAnswer`."""
        assert self.tools.reader is not None, "a run without a reader is unsupported"
        scene = search_by_naming(conversation, self.tools.reader)
        if isinstance(scene, End):
            return scene
        pack = conversation.request.belief.pack
        text = conversation.prompt("subgoals", self.method.variant)
        request = self.request(text, conversation.instruction, scene, pack)
        reply = conversation.ask(request)
        try:
            self.goals = read_goals(reply.text, pack)
            steps = self.planned(conversation.request.belief)
        except GoalError as error:
            return End("goal-error", (str(error),))
        if isinstance(steps, End):
            return steps
        result = verify_plan(steps, conversation.request.belief)
        conversation.note(PlanAttempt(reply.text, steps, result.feedback(), reply.usage.total))
        return judged(conversation)

    def request(self, prompt: str, task: str, scene: Scene, pack: Pack) -> ChatRequest:
        """Return the request for the goals: the sentences, a listing of what was shown, and the task."""
        language = pack.language
        assert language is not None, "a pack without sentences is unsupported"
        shown = " ".join(filled(text, {"0": "X", "1": "Y"}) for text in language.sentences.values())
        notes = "".join(f"- {note}\n" for note in language.notes)
        system = filled(prompt, {"sentences": shown, "notes": notes})
        user = f"{listing(scene)}\n\nTask: {as_data(task)}"
        constraint = goals_in_lines(scene, pack) if self.method.constrained else None
        messages = (Message("system", system), Message("user", user))
        return ChatRequest(messages, constraint, purpose="subgoals")

    def planned(self, belief: Belief) -> tuple[Step, ...] | End:
        """Plan for each goal from the end of the last; say why one has no plan. Raises ``LimitReached``."""
        steps: list[Step] = []
        engine = self.tools.engine
        assert engine is not None, "a run without an engine is unsupported"
        for number, goal in enumerate(self.goals, 1):
            which = f"goal {number} of {len(self.goals)}"
            report = check(goal, belief)
            if not report.ok:
                errors = (str(d) for d in report.diagnostics if d.severity == "error")
                return End("goal-error", tuple(f"{which}: {error}" for error in errors))
            result = plan_goal(goal, belief, engine, self.limits.budget(), normal=report.normal)
            if not result.verified:
                outcome = "not-found" if result.outcome == "unsolvable" else result.outcome
                return End(outcome, tuple(f"{which}: {reason}" for reason in result.reasons))
            steps += result.steps
            world = World(belief)
            for step in result.steps:
                world.apply(step)
            belief = with_rules(ground(scene_now(world), belief.pack), belief.rules)
        return tuple(steps)
