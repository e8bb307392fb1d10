"""Print the sizes of decoding grammars and what they cost to make, for docs/benchmarks.md."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "compiler"))

import llguidance
from test_decoding_size import building

from groundplan.compiler.decoding.grammar import decoding_grammar
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Scene
from groundplan.simulator.view import View

TOKENS = llguidance.LLTokenizer("byte")


def least(work: Callable[[], object]) -> float:
    """Processor time in milliseconds, the least of ten rounds."""
    times = []
    for _ in range(10):
        start = process_time()
        work()
        times.append(process_time() - start)
    return 1000 * min(times)


def rooms() -> Scene:
    view = View.collapsed(load_scene("office"))
    for room in ("kitchen", "cafeteria", "lobby"):
        view = view.expand(room)
    return view.subgraph()


def compiled(text: str) -> object:
    return llguidance.LLMatcher(TOKENS, llguidance.LLMatcher.grammar_from_lark(text))


def row(name: str, scene: Scene) -> str:
    belief = ground(scene, load_pack())

    texts = {
        "lark": decoding_grammar(belief, None, "lark"),
        "gbnf": decoding_grammar(belief, None, "gbnf"),
    }
    sizes = [f"{len(t.encode()) / 1000:.0f} KB" for t in texts.values()]
    build = least(partial(decoding_grammar, belief, None, "lark"))
    compiling = least(partial(compiled, texts["lark"]))
    return " | ".join(
        [f"| {name}", str(len(scene.nodes)), *sizes, f"{build:.0f} ms", f"{compiling:.0f} ms |"]
    )


if __name__ == "__main__":
    print(row("three rooms of the office", rooms()))
    print(row("the office", load_scene("office")))
    for nodes in (100, 1000, 10_000):
        print(row("made", building(nodes)))
