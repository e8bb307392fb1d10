"""Method ``llm+p``: LLM+P (Liu et al., 2023, arXiv:2304.11477), where the model writes a problem in PDDL.

The model gets the domain, one worked example (a task in words and its problem), and the scene in sentences
with the instruction. It writes objects, initial state and goal, which an engine solves; nothing is repaired.
As published nothing is searched, so a large scene may not fit, which is a result; with ``subgraph`` the scene
is what a search by ``naming`` has shown. The plan is judged on the scene as
it is; facts of the written initial state that are false there are counted (``init_contradictions``). That a
model writes an initial state is what the paper does, and against the rule of the hybrid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...compiler.symbols import SymbolTable
from ...domains.errors import SceneError
from ...domains.formula import Atom
from ...language.chat.prompt import as_data, messages
from ...language.chat.prompt_form import fill, placeholders
from ...language.chat.servers.model import ChatRequest, Message
from ...pipeline.record import Record
from ...planners.request import Request
from ...simulator.belief import Belief, ground
from ...simulator.scene import Node, Scene
from ..conversations.conversation import Conversation, End, shown_belief
from ..conversations.problem_text import (
    domain_text,
    problem_constraint,
    read_written,
    scene_symbols,
    true_problem,
)
from ..conversations.scene_sentences import scene_sentences
from ..conversations.written_domain import WrittenDomain
from ..conversations.written_plan import WrittenWorld, converse_in_pddl
from ..method import Limits, Needs, Tools, unsupported

EXAMPLE_TASK = "Leave the trowel in the crate."
EXAMPLE_GOAL = (Atom("inside_of", ("trowel1", "crate1")),)


@dataclass(frozen=True, slots=True)
class LlmP:
    """One request, one problem, one plan. ``constrained`` asks for an answer under a grammar of problems.

    ``subgraph`` has the scene searched first, and ``variant`` is the version of the prompt. The sentences
    have ``descriptions`` of nodes or not.
    """

    needs: ClassVar[Needs] = "model"
    tells_as: ClassVar[str] = "sentences"
    prompts: ClassVar[tuple[str, ...]] = ("llm-p",)
    name: str = "llm+p"
    constrained: bool = True
    variant: int = 1
    subgraph: bool = False
    descriptions: bool = True

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Have the problem written, let the engine solve it, and run its plan."""
        try:
            example = ground(_example(), request.belief.pack)
        except SceneError:
            return unsupported(request, f"{self.name} has an example of the household, which the pack is not")

        def talk(conversation: Conversation, written: WrittenWorld) -> End:
            pack = request.belief.pack
            shown = shown_belief(conversation, tools, self.subgraph)
            if isinstance(shown, End):
                return shown
            conversation.chosen = None if self.subgraph else ()
            reply = conversation.ask(self._request(conversation, shown, example))
            written.answers.append(reply)
            problem = read_written(reply.text, pack.domain)
            names = written.names(conversation, problem)
            return written.planned(conversation, WrittenDomain(pack.domain), problem, [problem.goal], names)

        return converse_in_pddl(self.name, request, tools, limits, talk, self.descriptions)

    def _request(self, conversation: Conversation, belief: Belief, example: Belief) -> ChatRequest:
        pack, shown = belief.pack, scene_symbols(example)
        table = scene_symbols(conversation.request.belief, belief.scene.nodes)
        text, domain = conversation.prompt("llm-p", self.variant), domain_text(pack.domain)
        worked = _described(example, shown, EXAMPLE_TASK)
        answer = true_problem(example, EXAMPLE_GOAL, shown)
        data = _described(belief, table, conversation.instruction)
        turns: tuple[Message, ...]
        if placeholders(text):
            plain = {"domain": domain, "example problem": answer}
            data |= {f"example {key}": value for key, value in worked.items()}
            shown_data = {key: as_data(value) for key, value in data.items()}
            turns = (Message("user", fill(text, plain | shown_data)),)
        else:
            system = f"{text}\n{domain}"
            with_example = (*messages(system, worked), Message("assistant", answer))
            turns = (*with_example, messages("", data)[1])
        constraint = (
            problem_constraint(pack.domain, tuple(table.objects.values())) if self.constrained else None
        )
        return ChatRequest(turns, constraint, purpose="problem")


def _described(belief: Belief, table: SymbolTable, task: str) -> dict[str, object]:
    """Return a scene and a task in words, as LLM+P's problems are given."""
    return {"scene": scene_sentences(belief, table), "task": task}


def _example() -> Scene:
    """Return the scene of the worked example, about no scene of a benchmark."""
    nodes = [
        Node("shed", "room"),
        Node("agent1", "agent", at="shed"),
        Node("rack2", "asset", parent="shed", affordances=("release",)),
        Node("crate1", "asset", parent="shed", affordances=("open", "close", "release"), state=("open",)),
        Node("trowel1", "object", parent="rack2", relation="ontop_of", affordances=("pickup",)),
    ]
    return Scene("example", {node.id: node for node in nodes}, ())
