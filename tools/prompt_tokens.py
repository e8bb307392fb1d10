"""Tokens of the prompts of search and goal, for the office and for furnished buildings of any size.

A search is asked about once under ``naming`` and ``query``; a goal is asked for with the whole scene open, in
either form, which is the longest prompt that a search can lead to. Run it: ``python tools/prompt_tokens.py``
(half a minute; ``python tools/prompt_tokens.py 1000`` for one size).
"""

import sys

from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.opening import opened
from groundplan.language.chat.servers.meter import count_tokens
from groundplan.language.chat.servers.model import ChatRequest
from groundplan.language.chat.servers.profile import GoalForm
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.simulator.scene import Scene
from groundplan.simulator.view import View

INSTRUCTION = "Put the orange on the kitchen bench into the fridge."
SEARCHES = ("naming", "query")
GOALS: tuple[GoalForm, ...] = ("pddl", "sentences")
PACK = load_pack()


def tokens(request: ChatRequest) -> int:
    return sum(count_tokens(message.content) for message in request.messages)


def search_tokens(protocol: str, scene: Scene) -> int:
    """Return the tokens of a search's first prompt; the answer to it is of no interest."""
    model = ScriptedModel.always(lambda request: "no answer")
    ModelReader(model, PACK, search_protocol=protocol).search(INSTRUCTION, View.first(scene))
    return tokens(model.history[0])


def goal_tokens(form: GoalForm, scene: Scene) -> int:
    """Return the tokens of the prompt for a goal over all of the scene."""
    view, _ = opened(View.first(scene), scene.by_type["room"])
    model = ScriptedModel.always(lambda request: "no answer")
    ModelReader(model, PACK, goal_form=form, search_protocol="dialogue").write(INSTRUCTION, view.subgraph())
    return tokens(model.history[0])


def all_tokens(scene: Scene) -> dict[str, int]:
    """Return the tokens of every prompt by its name."""
    found = {f"search {name}": search_tokens(name, scene) for name in SEARCHES}
    return found | {f"goal {form}": goal_tokens(form, scene) for form in GOALS}


if __name__ == "__main__":
    office = all_tokens(load_scene("office"))
    print(f"office: {office}")
    for size in map(int, sys.argv[1:] or ("100", "1000", "10000", "100000")):
        building = furnished_building(Sizes.of_nodes(size), 0)
        sizes = all_tokens(building)
        ratios = {name: round(count / office[name], 2) for name, count in sizes.items()}
        rooms = len(building.by_type["room"])
        print(f"{len(building.nodes)} nodes, {rooms} rooms: {sizes}, of the office's {ratios}")
