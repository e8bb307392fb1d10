"""Prompt tokens per search step over a search of a whole scene: the paper's figure 3 in numbers.

A scripted model opens every room with contents and closes it again, as SayPlan's does in a long search.
Run with the name of a scene: ``python tools/search_tokens.py office``.
"""

import json
import sys

from groundplan.datasets.scenes import open_scene
from groundplan.language.chat.search import semantic_search
from groundplan.language.chat.servers.meter import count_tokens
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.simulator.scene import Scene
from groundplan.simulator.view import View


def move(command: str, node: str = "") -> str:
    return json.dumps({"move": {"chain_of_thought": "", "command": command, "node": node}})


def prompt_tokens(scene: Scene) -> list[tuple[str, int]]:
    """What is shown (``closed``, or the room that is open) and the tokens of the prompt, a step each."""
    rooms = [r for r in scene.by_type["room"] if scene.children.get(r)]
    answers = [a for r in rooms for a in (move("expand", r), move("contract", r))]
    model = ScriptedModel.of(*answers, move("terminate"))
    semantic_search(model, "Find me a banana.", View.collapsed(scene))
    sizes = [sum(count_tokens(m.content) for m in request.messages) for request in model.history]
    return [(rooms[n // 2] if n % 2 else "closed", size) for n, size in enumerate(sizes)]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    steps = prompt_tokens(open_scene(sys.argv[1]))
    shut = [size for what, size in steps if what == "closed"]
    one = [size for what, size in steps if what != "closed"]
    print(f"{len(steps)} steps; nothing open: {min(shut)} to {max(shut)}", end="; ")
    print(f"one room open: {min(one)} to {max(one)}")
