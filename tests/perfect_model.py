"""A scripted model that answers every request of every method rightly, for tasks whose gold is a few facts.

It knows the gold, and nothing of who asks: a request is told by its system text, as a real server would see
it. What it searches for are the rooms of its own plan.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from model_server import SSE, move, sse
from shipped_prompts import prompt, prompt_names, told
from werkzeug import Request, Response

from groundplan import Engine, parse_goal, plan_goal
from groundplan.domains.formula import Atom, conjuncts
from groundplan.domains.pack import filled
from groundplan.evaluation.judging import JudgedTask
from groundplan.language.chat.prompt import prompts
from groundplan.language.chat.prompt_form import sections
from groundplan.language.chat.search.protocols import PROTOCOLS, protocol_named
from groundplan.methods.conversations.problem_text import (
    domain_text,
    read_written,
    scene_symbols,
    true_problem,
)
from groundplan.methods.lookplangraph.loop import ACTIONS
from groundplan.simulator.scene import Node
from groundplan.simulator.step import read_step


@dataclass
class PerfectModel:
    """Answers for a task, as a handler of requests; ``asked`` are the names of the prompts, in order."""

    case: JudgedTask
    asked: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Response:
        return Response(sse(self.answer(request.get_json()["messages"])), content_type=SSE)

    def answer(self, messages: list[dict[str, str]]) -> str:
        """Return the right answer to the messages of a request."""
        system, user = messages[0]["content"], messages[-1]["content"]
        name = next((n for n, start in self._starts if system.startswith(start)), "none")
        self.asked.append(name)
        return self._answers[name](user)

    @cached_property
    def _starts(self) -> list[tuple[str, str]]:
        """The prompts by name, with what their requests begin with: a method may put more behind."""
        pack = self.case.belief.pack
        texts = {f"search {name}": protocol_named(name, pack).prompt for name in PROTOCOLS[1:]}
        texts["goal"] = prompts(pack)["goal"]
        of_methods = ((name, text(name)) for name in prompt_names() for text in (prompt, told))
        starts = [(name, text.split("{")[0].split("\n## ")[0].strip()) for name, text in of_methods]
        return sorted([*starts, *texts.items()], key=lambda item: -len(item[1]))

    @cached_property
    def _answers(self) -> dict[str, Callable[[str], str]]:
        own: dict[str, Callable[[str], str]] = {
            "search naming": lambda user: json.dumps({"things": self.things, "rooms": self.rooms}),
            "search query": lambda user: "\n".join(f"(find (?x - {kind}))" for kind in self.kinds),
            "search dialogue": self._move,
            "goal": lambda user: str(self.case.gold),
        }
        by_family = {
            "sayplan": self._command,
            "sayplan-star": self._command,
            "sayplan-lite-search": self._command,
            "sayplan-lite-plan": lambda user: json.dumps({"chain_of_thought": [], "plan": self.plan}),
            "llm-p": lambda user: self.problem,
            "delta": self._stage,
            "subgoals": lambda user: "\n".join(self.sentences),
            "lookplangraph": lambda user: next(self._moves),
        }
        families = {name: name.rpartition("-")[0] for name in prompt_names()}
        return own | {name: by_family[family] for name, family in families.items() if family in by_family}

    # What it knows

    @cached_property
    def facts(self) -> list[Atom]:
        parts = conjuncts(parse_goal(self.case.task.gold.goal).formula)
        assert all(isinstance(part, Atom) for part in parts), "a task whose gold is a few facts"
        return [part for part in parts if isinstance(part, Atom)]

    @cached_property
    def things(self) -> list[str]:
        return list(dict.fromkeys(str(a) for fact in self.facts for a in fact.args))

    @cached_property
    def rooms(self) -> list[str]:
        scene = self.case.belief.scene
        return list(dict.fromkeys(scene.room_of(thing) or "" for thing in self.things))

    @cached_property
    def kinds(self) -> list[str]:
        return [self.case.belief.scene.nodes[thing].classes[0] for thing in self.things]

    @cached_property
    def full_plan(self) -> list[str]:
        """The plan with every pose, as the engine's is printed."""
        result = plan_goal(self.case.gold, self.case.belief, Engine.named("pyperplan"))
        return [str(step) for step in result.steps]

    @cached_property
    def plan(self) -> list[str]:
        """The plan in the steps of the pack's own language, between rooms."""
        if not self.case.belief.pack.name.startswith("grasif"):
            return self.full_plan
        rooms = [re.sub(r"^goto\(", "go_to(", step) for step in self.full_plan]
        return [step for step in rooms if not step.startswith("access") and "(pose" not in step]

    @cached_property
    def sentences(self) -> list[str]:
        language = self.case.belief.pack.language
        assert language is not None
        return [
            filled(language.sentences[f.predicate], {str(i): str(a) for i, a in enumerate(f.args)})
            for f in self.facts
        ]

    @cached_property
    def needed(self) -> list[Node]:
        """The nodes that its plan is about: things, what they are in, their rooms, and where the robot is."""
        belief = self.case.belief
        above = (a for thing in self.things for a in (thing, *belief.scene.ancestors(thing)))
        names = dict.fromkeys((*above, belief.start))
        return [
            belief.scene.nodes[n] for n in names if belief.pack.mapping.types.get(belief.scene.nodes[n].type)
        ]

    @cached_property
    def symbols(self) -> dict[str, str]:
        return scene_symbols(self.case.belief).objects

    @cached_property
    def problem(self) -> str:
        """The true problem about what is needed, and no other object."""
        belief = self.case.belief
        whole = read_written(true_problem(belief, self.facts, scene_symbols(belief)), belief.pack.domain)
        kept = {self.symbols[node.id] for node in self.needed}
        objects = " ".join(f"{o} - {kind}" for o, kind in whole.objects.items() if o in kept)
        init = " ".join(str(fact) for fact in whole.init if set(fact.args) <= kept)
        goal = " ".join(str(fact) for fact in whole.goal)
        return f"(define (problem p) (:domain d) (:objects {objects}) (:init {init}) (:goal (and {goal})))"

    # Answers that depend on what is shown

    @cached_property
    def _moves(self) -> Iterator[str]:
        """The moves of LookPlanGraph in turn: the plan, a look before a thing is picked up, and done."""
        moves: list[tuple[str, str]] = []
        for step in map(read_step, self.plan, self.plan):
            if step.name == "pick_up":
                node = self.case.belief.scene.nodes[step.args[0]]
                look = "look_inside" if node.relation == "inside_of" else "look_on"
                moves.append((look, node.parent or ""))
            if step.args and step.name in ACTIONS:
                moves.append((step.name, step.args[0]))
        moves.append(("done", self.case.belief.scene.agent.id))
        for function, target in moves:
            move = {"function_name": function, "function_target": target}
            yield json.dumps({"chain_of_thought": [], "next_move": move})

    def _command(self, user: str) -> str:
        """SayPlan's answer: open the rooms that are needed, then end the search with the plan."""
        data = _fields(user)
        closed = [room for room in self.rooms if room not in data.get("memory", ())]
        command: dict[str, Any] = {"command_name": "verify_plan", "node_name": "", "plan": self.plan}
        mode = data.get("mode", "exploring" if closed else "planning")
        if closed and mode == "exploring":
            command = {"command_name": "expand_node", "node_name": closed[0], "plan": []}
        return json.dumps({"chain_of_thought": [], "reasoning": "so", "mode": mode, "command": command})

    def _move(self, user: str) -> str:
        closed = [room for room in self.rooms if room not in _fields(user).get("expanded before", ())]
        return move("expand", closed[0]) if closed else move("terminate")

    def _stage(self, user: str) -> str:
        """DELTA's answer to one of its stages."""
        belief = self.case.belief
        items = [self.symbols[n.id] for n in self.needed if n.type not in ("room", "pose")]
        goals = [
            f"(:goal (and {' '.join(map(self._symbolic, self.facts[:n]))}))"
            for n in range(1, len(self.facts) + 1)
        ]
        by_stage = {
            "domain": domain_text(belief.pack.domain),
            "prune": json.dumps({"items": items}),
            "problem": self.problem,
            "subgoals": "\n".join(goals),
        }
        texts = {
            sections(prompt(f"delta-{version}"))[stage]: stage for version in (1, 2, 3) for stage in by_stage
        }
        return by_stage[next(stage for text, stage in texts.items() if text in user)]

    def _symbolic(self, fact: Atom) -> str:
        return str(Atom(fact.predicate, tuple(self.symbols[str(a)] for a in fact.args)))


def _fields(user: str) -> dict[str, Any]:
    """Return the fields of a request that is data, one a line."""
    pairs = (line.partition(": ")[::2] for line in user.splitlines() if ": " in line)
    return {key: json.loads(value) for key, value in pairs}
