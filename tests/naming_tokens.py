"""Tokens of the naming protocol's prompt for the office and for furnished buildings of any size.

Run it: ``python tests/naming_tokens.py`` (a minute; ``python tests/naming_tokens.py 1000`` for one size).
"""

import json
import sys

from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.datasets.scenes import load_scene
from groundplan.language.chat.search.naming import Naming
from groundplan.language.chat.servers.meter import count_tokens
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.simulator.scene import Scene
from groundplan.simulator.view import View

INSTRUCTION = "Put the orange on the kitchen bench into the fridge."


def prompt_tokens(scene: Scene) -> int:
    """Return the tokens of both messages of the request."""
    room = next(iter(scene.by_type["room"]))
    model = ScriptedModel.of(json.dumps({"things": ["orange"], "rooms": [room]}))
    Naming().search(model, INSTRUCTION, View.first(scene), "", lambda event: None)
    return sum(count_tokens(m.content) for m in model.history[0].messages)


if __name__ == "__main__":
    office = prompt_tokens(load_scene("office"))
    print(f"office: {office}")
    for size in map(int, sys.argv[1:] or ("100", "1000", "10000", "100000")):
        scene = furnished_building(Sizes.of_nodes(size), 0)
        tokens = prompt_tokens(scene)
        rooms = len(scene.by_type["room"])
        print(f"{len(scene.nodes)} nodes, {rooms} rooms: {tokens}, {tokens / office:.2f} of the office's")
