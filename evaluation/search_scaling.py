"""Requests of a search that never finds what it looks for: SayPlan's figure 3 and appendix H in numbers.

A scripted model expands one room after the other, as long as its context lasts, and contracts each again
where the search lets it. No model is asked: what is measured is the size of the requests. The buildings have
as many rooms as those of appendix H, and two pieces of furniture and two objects a room, as the office has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..datasets.scenes import open_scene
from ..domains.pack import load_pack
from ..language.chat.search.dialogue import semantic_search
from ..language.chat.servers.meter import count_tokens
from ..language.chat.servers.model import ChatModel, ChatRequest, Reply, ServiceError
from ..language.chat.servers.scripted import ScriptedModel
from ..simulator.belief import ground
from ..simulator.scene import Scene
from ..simulator.view import View

ROOMS = (30, 60, 100, 200, 300)
"""Rooms of the buildings in appendix H."""
CONTEXT = 8192
"""Tokens of the context there."""
ANSWER = 500
"""Tokens that are left for an answer of the search, which has some 60."""
DIALOGUE = "dialogue"
FORMS = ("sayplan", "sayplan without contract", "sayplan without memory", DIALOGUE)
"""The searches: SayPlan's with all its parts and without one, and our own protocol of moves."""
WANTED = "Find me a banana."


@dataclass(frozen=True, slots=True)
class SearchRequests:
    """The requests of one search: tokens of each, rooms that were expanded, and the outcome that ended it."""

    scene: str
    rooms: int
    form: str
    outcome: str
    expanded: int
    tokens: tuple[int, ...]

    def as_json(self) -> dict[str, object]:
        return {
            "scene": self.scene,
            "rooms": self.rooms,
            "search": self.form,
            "outcome": self.outcome,
            "expanded": self.expanded,
            "tokens": list(self.tokens),
        }


def building(rooms: int) -> Scene:
    """Return a building with about as many things a room as the office has."""
    return open_scene(f"building-{max(1, rooms // 50)}-{rooms}-{2 * rooms}-{2 * rooms}-0-1")


def search_requests(scene: Scene, form: str, context: int = CONTEXT) -> SearchRequests:
    """Expand every room of a scene within a context, by one of :data:`FORMS`."""
    rooms = scene.by_type.get("room", ())
    part = form.partition(" without ")[2]
    moves = list(_moves(scene, contracts=part != "contract"))
    if form == DIALOGUE:
        model = _Narrow.of([*(_move(*move) for move in moves), _move("terminate")], context)
        outcome, opened = _dialogue(model, scene)
    else:
        commands = (_said(f"{verb}_node", node) for verb, node in moves)
        model = _Narrow.of([*commands, _said("", "", "planning")], context)
        # All methods, which nobody needs who looks at a scene by another verb.
        from ..methods.method import Limits, Tools
        from ..methods.registry import METHODS
        from ..methods.variants import with_ablations
        from ..planners.request import Request

        method = with_ablations([METHODS["sayplan"]], [part] if part else [])[-1]
        request = Request(ground(scene, load_pack()), WANTED, search_only=True)
        record = method.run(request, Tools(model), Limits())
        outcome, opened = record.outcome, record.opened
    expanded = len(set(opened) & set(rooms))
    return SearchRequests(scene.name, len(rooms), form, outcome, expanded, tuple(model.sizes))


def _dialogue(model: ChatModel, scene: Scene) -> tuple[str, Sequence[str]]:
    """Return the outcome of our own search, and what it expanded."""
    try:
        result = semantic_search(model, WANTED, View.first(scene))
    except ServiceError as error:
        trace = error.partial_search.trace if error.partial_search is not None else ()
        outcome = "service-failed"
    else:
        trace, outcome = result.trace, "answered" if result.outcome == "found" else result.outcome
    return outcome, [step.node for step in trace if step.command == "expand"]


@dataclass
class _Narrow:
    """A scripted model with a context: a prompt that does not fit with :data:`ANSWER` tokens is an error."""

    model: ScriptedModel
    context: int
    sizes: list[int] = field(default_factory=list)
    name: str = "scripted"

    @classmethod
    def of(cls, answers: Sequence[str], context: int) -> _Narrow:
        return cls(ScriptedModel.of(*answers), context)

    def ask(self, request: ChatRequest) -> Reply:
        size = sum(count_tokens(message.content) for message in request.messages)
        if size + ANSWER > self.context:
            raise ServiceError("too-large", f"{size} tokens do not fit into {self.context}")
        self.sizes.append(size)
        return self.model.ask(request)


def _moves(scene: Scene, contracts: bool) -> Iterator[tuple[str, str]]:
    """Yield the moves that expand every room, floor by floor where these are the first view."""
    rooms = scene.by_type.get("room", ())
    verbs = ("expand", "contract") if contracts else ("expand",)
    if not rooms or rooms[0] in View.first(scene).ids:
        yield from ((verb, room) for room in rooms for verb in verbs)
        return
    yield from (("expand", top) for top in scene.by_type.get("building", ()))
    for floor in scene.by_type["floor"]:
        of_floor = [room for room in scene.children[floor] if room in rooms]
        yield "expand", floor
        yield from ((verb, room) for room in of_floor for verb in verbs)
        yield from [("contract", floor)] * contracts


def _said(command: str, node: str, mode: str = "exploring") -> str:
    named = {"command_name": command, "node_name": node, "plan": []}
    return json.dumps({"chain_of_thought": [], "reasoning": "", "mode": mode, "command": named})


def _move(command: str, node: str = "") -> str:
    return json.dumps({"move": {"chain_of_thought": "", "command": command, "node": node}})
