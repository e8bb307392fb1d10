"""Methods ``delta`` and ``delta-given``: DELTA (Liu et al., 2024, arXiv:2404.03275).

One conversation in four stages, each with the paper's one worked example: the model writes the domain from a
description in words, keeps the items of the scene that matter, writes the problem for what is left, and
splits its goal into an ordered list of sub-goals. An engine plans for each sub-goal from the end of the one
before, in the world that the model wrote. ``delta-given`` gets the pack's domain and leaves the first stage
out. The joined plan is judged on the scene as it is; facts of the written initial state that are false there
are counted, as with ``llm+p``. The scene is written as DELTA has it (``item_graph``), and the examples are
made up. With ``subgraph`` the scene that is pruned is what a search by ``naming`` has shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ...compiler.decoding.json_schema import object_schema, one_of
from ...compiler.symbols import SymbolTable
from ...domains.pack import Pack
from ...language.chat.prompt import messages
from ...language.chat.prompt_form import sections
from ...language.chat.servers.model import ChatRequest, Constraint, Message
from ...pipeline.record import Record
from ...planners.request import Request
from ...simulator.belief import Belief
from ..conversations.answers import MAX_NAME, read_object
from ..conversations.conversation import Conversation, End, repeated, shown_belief
from ..conversations.item_graph import item_graph, shown_items
from ..conversations.problem_text import (
    described,
    domain_text,
    goals_constraint,
    problem_constraint,
    read_goals,
    read_written,
    scene_symbols,
)
from ..conversations.written_domain import WrittenDomain, read_written_domain
from ..conversations.written_plan import WrittenWorld, converse_in_pddl
from ..method import Limits, Needs, Tools


@dataclass(frozen=True, slots=True)
class Delta:
    """Domain, pruning, problem, sub-goals. ``given`` takes the pack's domain.

    ``constrained`` asks for answers that name only what the scene has, in every stage but the domain, which
    has no names to keep to. ``subgraph`` has the scene searched first, and ``variant`` is the version of the
    prompt. The scene has ``descriptions`` of nodes or not.
    """

    needs: ClassVar[Needs] = "model"
    tells_as: ClassVar[str] = "item graph"
    prompts: ClassVar[tuple[str, ...]] = ("delta",)
    name: str = "delta"
    given: bool = False
    constrained: bool = True
    variant: int = 1
    subgraph: bool = False
    descriptions: bool = True

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Have domain, problem and sub-goals written, plan for these one after the other, run the plan."""

        def talk(conversation: Conversation, written: WrittenWorld) -> End:
            shown = shown_belief(conversation, tools, self.subgraph)
            if isinstance(shown, End):
                return shown
            texts = sections(conversation.prompt("delta", self.variant))
            return _Stages(self, conversation, written, texts, shown).all()

        return converse_in_pddl(self.name, request, tools, limits, talk, self.descriptions)


@dataclass
class _Stages:
    """The conversation about what is ``shown``: each stage adds its request and answer to those before."""

    method: Delta
    conversation: Conversation
    written: WrittenWorld
    texts: Mapping[str, str]
    shown: Belief
    turns: list[Message] = field(default_factory=list)

    def all(self) -> End:
        """Go through the stages. Raises :class:`InputError` for PDDL that cannot be read."""
        belief, constrained = self.shown, self.method.constrained
        table = scene_symbols(self.conversation.request.belief, belief.scene.nodes)
        domain = self.domain(belief.pack)
        kept = self.pruned(table)
        self.conversation.chosen = shown = tuple(shown_items(belief, kept))
        graph: dict[str, object] = {"scene": item_graph(belief, table, kept)}
        named = [s for n, s in table.objects.items() if n in shown or _place(belief, n)]
        constraint = problem_constraint(domain.plain, named) if constrained else None
        problem = read_written(self.ask("problem", graph, constraint), domain.plain)
        names = self.written.names(self.conversation, problem)
        constraint = goals_constraint(domain.plain, tuple(problem.objects)) if constrained else None
        goals = read_goals(self.ask("subgoals", {}, constraint), domain.plain, problem.objects)
        self.written.counts["subgoals"] = len(goals)
        return self.written.planned(self.conversation, domain, problem, goals, names)

    def domain(self, pack: Pack) -> WrittenDomain:
        """Return the pack's domain, or the one that the model writes from what is said of that."""
        if self.method.given:
            return WrittenDomain(pack.domain)
        return read_written_domain(self.ask("domain", described(pack), None))

    def pruned(self, table: SymbolTable) -> tuple[str, ...]:
        """Return the items that the model keeps; a name that the scene does not have is *invented*."""
        conversation, belief = self.conversation, self.shown
        items = {symbol: name for name, symbol in table.objects.items() if not _place(belief, name)}
        data: dict[str, object] = {"scene": item_graph(belief, table), "task": conversation.instruction}
        constraint = Constraint("delta-items", lambda: _schema(tuple(items)))
        text = self.ask("prune", data, constraint if self.method.constrained else None)
        listed = read_object(text).get("items")
        kept = [i for i in listed if isinstance(i, str)] if isinstance(listed, list) else []
        places = {symbol for name, symbol in table.objects.items() if _place(belief, name)}
        strange = (i[:MAX_NAME] for i in kept if i not in items and i not in places)
        conversation.invented |= dict.fromkeys(strange)
        return tuple(dict.fromkeys(items[i] for i in kept if i in items))

    def ask(self, stage: str, data: dict[str, object], constraint: Constraint | None) -> str:
        """Ask for the answer of a stage, with all that was said before, and return its text."""
        texts = self.texts
        if not self.turns:
            self.turns.append(Message("system", texts[""]))
        lines = [texts[stage], messages("", data)[1].content]
        if self.method.given and stage == "prune":
            domain = self.conversation.request.belief.pack.domain
            lines = [texts["given"], domain_text(domain), *lines]
        self.turns.append(Message("user", "\n".join(filter(None, lines))))
        request = ChatRequest(tuple(self.turns), constraint, purpose=stage)
        reply = self.conversation.ask(request)
        self.turns.append(repeated(reply))
        self.written.answers.append(reply)
        return reply.text


def _place(belief: Belief, name: str) -> bool:
    """Return whether a node is kept without being asked about: a room, or where the robot is."""
    return belief.scene.nodes[name].type == "room" or name == belief.start


def _schema(items: tuple[str, ...]) -> dict[str, object]:
    return object_schema(items={"type": "array", "items": one_of(items)})
