"""How far SayPlan's search gets within a context of 8,192 tokens: its figure 3 and appendix H in numbers.

A scripted model expands one room after the other, as long as its context lasts: with every part of the
search it contracts each room again; without ``contract`` rooms stay open. Buildings have as many rooms as
those of appendix H, and two pieces of furniture and two objects a room, as the office has. No model is asked:
what is measured is the size of the requests. ``python tools/scaling.py`` prints the figures of
docs/benchmarks.md, ``python tools/scaling.py SCENE`` those of one scene.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field

from groundplan import ground, load_pack
from groundplan.datasets.scenes import open_scene
from groundplan.language.chat.servers.meter import count_tokens
from groundplan.language.chat.servers.model import ChatRequest, Reply, ServiceError
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods import METHODS, Limits, Tools
from groundplan.methods.variants import with_ablations
from groundplan.planners.request import Request
from groundplan.simulator.scene import Scene
from groundplan.simulator.view import View

ROOMS = (30, 60, 100, 200, 300)
CONTEXT = 8192
ANSWER = 500
"""Tokens that are left for an answer of the search, which has some 60."""


def building(rooms: int) -> str:
    """Return the name of a building with about as many things a room as the office has."""
    return f"building-{max(1, rooms // 50)}-{rooms}-{2 * rooms}-{2 * rooms}-0-1"


@dataclass
class Narrow:
    """A scripted model with a context: a prompt that does not fit with :data:`ANSWER` tokens is an error."""

    model: ScriptedModel
    sizes: list[int] = field(default_factory=list)
    name: str = "scripted"

    def ask(self, request: ChatRequest) -> Reply:
        size = sum(count_tokens(message.content) for message in request.messages)
        if size + ANSWER > CONTEXT:
            raise ServiceError("too-large", f"{size} tokens do not fit into {CONTEXT}")
        self.sizes.append(size)
        return self.model.ask(request)


def said(command: str, node: str, mode: str = "exploring") -> str:
    named = {"command_name": command, "node_name": node, "plan": []}
    return json.dumps({"chain_of_thought": [], "reasoning": "", "mode": mode, "command": named})


def searched(scene: Scene, without: str) -> tuple[str, int, list[int]]:
    """Expand every room; return the outcome, the rooms expanded, and the tokens of each request."""
    rooms = scene.by_type["room"]
    moves = ("expand_node",) if without == "contract" else ("expand_node", "contract_node")
    answers = [said(move, room) for room in rooms for move in moves]
    if rooms[0] not in View.first(scene).ids:  # floors are the collapsed view of a building this large
        answers = [said("expand_node", top) for top in scene.by_type.get("building", ())]
        for floor in scene.by_type["floor"]:
            of_floor = [room for room in scene.children[floor] if room in rooms]
            answers.append(said("expand_node", floor))
            answers += [said(move, room) for room in of_floor for move in moves]
            answers += [said("contract_node", floor)] if "contract_node" in moves else []
    model = Narrow(ScriptedModel.of(*answers, said("", "", "planning")))
    method = with_ablations([METHODS["sayplan"]], [without] if without else [])[-1]
    request = Request(ground(scene, load_pack()), "Find me a banana.", search_only=True)
    record = method.run(request, Tools(model), Limits())
    return record.outcome, len(set(record.opened) & set(rooms)), model.sizes


if __name__ == "__main__":
    for name in sys.argv[1:] or [building(rooms) for rooms in ROOMS]:
        scene = open_scene(name)
        print(name, {kind: len(nodes) for kind, nodes in scene.by_type.items()})
        for without in ("", "contract", "memory"):
            outcome, opened, sizes = searched(scene, without)
            span = f"{sizes[0]} to {max(sizes)} tokens" if sizes else "none fits"
            ended = f"{outcome}, {opened} rooms, {len(sizes)} requests, {span}"
            print(f"  without {without or 'nothing'}: {ended}")
