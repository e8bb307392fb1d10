"""Plans for problems that a model wrote: solved by an engine, goal after goal, and run on the true scene.

The engine gets a domain and a problem under numbered names. Where there are several goals, each is solved
from the state in which the plan for the one before it ends, in the model's own terms. The joined plan comes
back in the names of the scene and is run on the scene as it is, which alone decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...domains.action import PlanAction
from ...domains.ending import Ending
from ...domains.errors import InputError, clip
from ...domains.formula import Atom
from ...engines.base import Budget
from ...engines.engine import Engine
from ...language.chat.servers.model import Reply
from ...pipeline.record import PlanAttempt, Record
from ...planners.request import Request
from ...simulator.belief import Belief
from ...simulator.step import Step
from ...simulator.verification import verify_actions
from ..method import Limits, Tools, unsupported
from .conversation import Conversation, End, converse, judged
from .problem_text import WrittenProblem, scene_symbols, with_defaults
from .written_domain import Numbered, WrittenDomain

Plan = list[tuple[str, tuple[str, ...]]]
"""Actions with their arguments, in the names of the domain and of the problem's objects."""


@dataclass
class WrittenWorld:
    """World that a model writes in PDDL, as an engine plans in it within limits.

    ``answers`` are the model's in this run, and ``counts`` the statistics of its problem.
    """

    engine: Engine
    limits: Limits
    answers: list[Reply] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def names(self, conversation: Conversation, problem: WrittenProblem) -> Mapping[str, str]:
        """Return the scene's names of a problem's objects, and count what its initial state says."""
        belief = conversation.request.belief
        names = conversation.named(problem.objects, scene_symbols(belief))
        self.counts |= stated(problem, names, belief)
        return names

    def planned(
        self,
        conversation: Conversation,
        domain: WrittenDomain,
        problem: WrittenProblem,
        goals: Sequence[tuple[Atom, ...]],
        names: Mapping[str, str],
    ) -> End:
        """Plan for the goals in turn, and run the joined plan on the true scene.

        Raises as :func:`solved_in_turn` does.
        """
        problem = with_defaults(problem, domain.plain, conversation.request.belief.pack)
        plan = solved_in_turn(domain, problem, goals, self.engine, self.limits.budget())
        if isinstance(plan, End):
            return plan
        text = "\n\n".join(reply.text for reply in self.answers)
        tokens = sum(reply.usage.total for reply in self.answers)
        steps = [(action, tuple(names[a] for a in args)) for action, args in plan]
        conversation.note(attempt(text, tokens, steps, conversation.request.belief))
        return judged(conversation)


def converse_in_pddl(
    name: str,
    request: Request,
    tools: Tools,
    limits: Limits,
    talk: Callable[[Conversation, WrittenWorld], End],
    descriptions: bool = True,
) -> Record:
    """Hold a conversation in which the model writes PDDL for an engine; PDDL that cannot be read ends it.

    The model is told of ``descriptions`` of nodes, or not.
    """
    if tools.engine is None:
        return unsupported(request, f"{name} needs an engine and a chat model")
    if request.search_only:
        return unsupported(request, f"{name} does not search")
    written = WrittenWorld(tools.engine, limits)

    def talked(conversation: Conversation) -> End:
        try:
            return talk(conversation, written)
        except InputError as error:
            return End("goal-error", (str(error),))

    record = converse(name, request, tools, limits, talked, descriptions)
    if record.outcome == "unsupported":
        return record
    return replace(record, engine=tools.engine.name, statistics=written.counts)


def solved_in_turn(
    domain: WrittenDomain,
    problem: WrittenProblem,
    goals: Sequence[tuple[Atom, ...]],
    engine: Engine,
    budget: Budget,
) -> Plan | End:
    """Plan for each goal from the end of the last, starting from the problem's initial state.

    Returns the joined plan, or why a goal has none. Raises :class:`InputError` for an initial state that is
    too large, and ``LimitReached``.
    """
    numbered = Numbered.of(domain.domain)
    state = dict.fromkeys(domain.completed(problem).init)
    plan: Plan = []
    for number, goal in enumerate(goals, 1):
        now = numbered.problem(replace(problem, init=tuple(state), goal=goal))
        answer = engine.solve_text(now.text(numbered.domain), budget)
        which = f"goal {number} of {len(goals)} of " if len(goals) > 1 else ""
        if answer.plan is None:
            outcome = "not-found" if answer.ending is Ending.UNSOLVABLE else answer.ending.value
            reason = answer.detail or answer.ending.value
            return End(outcome, (f"no plan for {which}the written problem: {reason}",))
        objects = now.names()
        for name, *args in answer.plan:
            action = domain.domain.actions.get(numbered.actions.get(name, ""))
            if action is None or len(args) != len(action.parameters) or not objects.keys() >= set(args):
                got = clip(" ".join((name, *args)))
                return End("crashed", (f"the engine's plan has a step of no problem: {got}",))
            done = action.ground(tuple(objects[a] for a in args))
            plan.append((done.name, done.args))
            state = {a: None for a in state if a not in done.delete} | dict.fromkeys(done.add)
    return plan


def attempt(text: str, tokens: int, plan: Plan, belief: Belief) -> PlanAttempt:
    """Run a plan up to the first action of which the robot knows nothing, or the scene has no argument."""
    actions, nodes = belief.pack.domain.actions, belief.scene.nodes
    events = {event.name for event in belief.pack.events}
    runs = [_runs(name, args, belief) for name, args in plan]
    end = runs.index(False) if False in runs else len(plan)
    steps, result = verify_actions([PlanAction(n, args, n in events) for n, args in plan[:end]], belief)
    feedback = tuple(f"{v.step}: {v.message}" for v in result.violations)
    if not feedback and end < len(plan):
        name, args = plan[end]
        steps = (*steps, Step(name, args))
        missing = next((a for a in args if a not in nodes), None)
        if name not in actions:
            words = f"the robot has no action {clip(name)}"
        elif missing is not None:
            words = f"there is no {clip(missing)}"
        else:
            words = f"{name} takes {len(actions[name].parameters)} arguments, of its types"
        feedback = (f"{steps[-1]}: {words}",)
    return PlanAttempt(text, steps, feedback, tokens)


def _runs(name: str, args: tuple[str, ...], belief: Belief) -> bool:
    """Return whether an action is one of the robot, with things of the scene as its arguments."""
    action = belief.pack.domain.actions.get(name)
    if action is None or len(args) != len(action.parameters):
        return False
    return all(a in belief.scene.nodes for a in args) and all(
        belief.has_type(a, p.type) for a, p in zip(args, action.parameters, strict=True)
    )


def stated(problem: WrittenProblem, names: Mapping[str, str], belief: Belief) -> dict[str, int]:
    """Count the facts of a written initial state, and those of them that are false in the scene.

    ``names`` are the scene's names of the objects. A fact of a predicate that the pack does not have says
    nothing of the scene, and is counted by itself.
    """
    predicates = belief.pack.domain.predicates
    compared = [a for a in problem.init if a.predicate in predicates]
    false = sum(not belief.facts.holds(a.predicate, tuple(names[str(x)] for x in a.args)) for a in compared)
    counts = {"init_facts": len(problem.init), "init_contradictions": false}
    beyond = len(problem.init) - len(compared)
    return counts | ({"init_not_comparable": beyond} if beyond else {})
