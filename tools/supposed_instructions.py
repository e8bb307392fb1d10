"""Instructions about things that nobody has seen, drawn from a scene, and what comes of them.

``python -P tools/supposed_instructions.py --scene office --count 200 --seed 1`` reads each where only the
furniture is known, acts in the true world, and counts the ends: whether the goal holds there, and what comes
of the same sentence where everything is known. The sentences are made from the names of the scene's things
and furniture; some are nonsense, and some say a wrong place.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator

from groundplan import Engine, Request, ground, load_pack, load_scene, run
from groundplan.acting import Episode, LeastExpectedCost, act_in
from groundplan.language.embedded import EmbeddedReader
from groundplan.language.english.words import name_words
from groundplan.methods.looking import read_instruction
from groundplan.simulator.belief import Belief
from groundplan.simulator.sensing import Environment
from groundplan.simulator.sensing.hiding import with_hidden

FORMS = (
    "Put the {thing} in the {asset}.",
    "Put the {thing} on the {asset}.",
    "Bring me the {thing}.",
    "Put the {thing} from the {parent} on the {asset}.",
    "Take a {thing} to the {room}.",
    "Put the {thing} that is in the {near} on the {asset}.",
    "Put the {thing} and the {other} on the {asset}.",
    "Heat the {thing}.",
    "Please take {owner} {thing} to the {room}.",
)


def instructions(truth: Belief, count: int, seed: int) -> Iterator[str]:
    """Yield sentences about the things of a scene; three of ten places are drawn anew."""
    draw, scene = random.Random(seed), truth.scene
    things, rooms = scene.by_type["object"], scene.by_type["room"]
    assets = [name for name in scene.by_type["asset"] if "release" in scene.nodes[name].affordances]

    def spoken(name: str) -> str:
        return " ".join(word for word in name_words(name) if not word.isdigit())

    for _ in range(count):
        thing, other = draw.sample(things, 2)
        near = scene.room_of(thing) if draw.random() < 0.7 else None
        yield draw.choice(FORMS).format(
            thing=spoken(thing),
            other=spoken(other),
            asset=spoken(draw.choice(assets)),
            parent=spoken(scene.nodes[thing].parent or thing),
            room=spoken(draw.choice(rooms)),
            near=spoken(near or draw.choice(rooms)),
            owner=draw.choice(("Will's", "Niko's", "my")),
        )


def end_of(instruction: str, truth: Belief, reader: EmbeddedReader, engine: Engine) -> tuple[str, bool, bool]:
    """Return how a run ended, whether it acted, and whether the goal holds in the true world."""
    belief = with_hidden(truth)
    record, goal, supposition = read_instruction(instruction, belief, reader, engine)
    if goal is None:
        return record.outcome, False, False
    environment = Environment(truth)
    request = Request(belief, goal=goal)
    episode = Episode(request, LeastExpectedCost(), engine, supposition=supposition)
    finish = act_in(environment, episode)
    assert finish is not None
    reached = not episode.knowledge.placeholders.unbound and environment.judge(episode.goal.formula).reached
    return finish.outcome, True, reached


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--scene", default="office")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    truth, engine = ground(load_scene(options.scene), load_pack()), Engine.named("pyperplan")
    counts: Counter[tuple[str, ...]] = Counter()
    for instruction in instructions(truth, options.count, options.seed):
        outcome, acted, reached = end_of(instruction, truth, EmbeddedReader(), engine)
        seen = run(Request(truth, instruction), engine, EmbeddedReader()).outcome
        if outcome == "verified" and not reached:
            print(f"false: {instruction}")
        how = "acted for" if acted else "not acted for"
        counts[how, outcome, "reached" if reached else "not reached", f"with all known: {seen}"] += 1
    for line, count in counts.most_common():
        print(f"{count:5}  {', '.join(line)}")


if __name__ == "__main__":
    main()
