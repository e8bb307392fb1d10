"""Orders of many errands, and a scripted model without error that reads them.

An order is a few sentences, each of which wants one thing in or on a place, both by name or by kind and room
("the book in storage room 5"). The model knows the
goal and answers as a careful reader would: it names things and rooms where it is asked for them, asks for
what the prompt of a goal does not show, by the words of the order, and writes the goal once all is there.
What it may say is cut where the request cuts it.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field

from groundplan.domains.formula import Atom, conjunction
from groundplan.language.chat.servers.meter import count_tokens
from groundplan.language.chat.servers.model import ChatRequest, Reply, Usage
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Node


@dataclass(frozen=True)
class Order:
    """An order: its text, the goal, and the words for each thing of it."""

    text: str
    goal: str
    words: dict[str, str]


def order_of(belief: Belief, errands: int, seed: int, by_room: bool = False) -> Order:
    """Draw an order of so many errands about a scene; ``by_room`` says kinds and rooms in place of names."""
    rng = random.Random(seed)
    called = {n.id: _in_room(n, belief) if by_room else _spoken(n.id) for n in belief.scene.nodes.values()}
    nodes = [n for n in belief.scene.nodes.values() if called[n.id]]
    things = [n for n in nodes if n.type == "object" and "pickup" in n.affordances and n.parent]
    places = [n for n in nodes if n.type == "asset" and "release" in n.affordances]
    sentences, facts, words = [], [], {}
    for thing in rng.sample(things, errands):
        place = rng.choice([p for p in places if p.id != thing.parent])
        relation, by = ("inside_of", "into") if "open" in place.affordances else ("ontop_of", "on")
        sentences.append(f"Put the {called[thing.id]} {by} the {called[place.id]}.")
        facts.append(Atom(relation, (thing.id, place.id)))
        words |= {node.id: called[node.id] for node in (thing, place)}
    return Order(" ".join(sentences), str(conjunction(facts)), words)


def _spoken(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=\d)", " ", name.replace("_", " "))


def _in_room(node: Node, belief: Belief) -> str:
    """Return a thing's kind and room; empty where another one in that room is of this kind."""
    scene, room = belief.scene, belief.scene.room_of(node.id)
    alike = [n for n in scene.descendants(room) if scene.nodes[n].classes == node.classes] if room else []
    return f"{_spoken(node.classes[0])} in {_spoken(str(room))}" if len(alike) == 1 else ""


@dataclass
class CarefulModel:
    """A model without error for an order."""

    belief: Belief
    order: Order
    name: str = "careful"
    history: list[ChatRequest] = field(default_factory=list)

    def ask(self, request: ChatRequest) -> Reply:
        """Answer a request for names or for a goal, as far as it may be long."""
        self.history.append(request)
        prompt = "\n".join(m.content for m in request.messages)
        shown = set(re.findall(r"\w+", prompt.rpartition("\ntask: ")[0]))
        text = self._names(prompt) if request.purpose == "search" else self._goal(shown)
        while count_tokens(text) > request.max_tokens:
            text = text[: len(text) * 9 // 10]
        return Reply(text, "text", Usage(count_tokens(prompt), count_tokens(text), "counted"))

    def _goal(self, shown: set[str]) -> str:
        hidden = [words for node, words in self.order.words.items() if node not in shown]
        return f'(missing "{", ".join(hidden)}")' if hidden else self.order.goal

    def _names(self, prompt: str) -> str:
        scene = self.belief.scene
        asked = prompt.rpartition("Not found yet: ")[2] if "Not found yet: " in prompt else prompt
        nodes = [node for node, words in self.order.words.items() if words in asked][:6]
        rooms = dict.fromkeys(room for node in nodes if (room := scene.room_of(node)) and room in prompt)
        return json.dumps({"things": [self.order.words[n] for n in nodes], "rooms": list(rooms)[:4]})
