"""How long the embedded reader takes on the office: at most 0.1 s for a reading once it is loaded."""

from pathlib import Path
from typing import Any

import pytest

from groundplan.compiler.goals.goal import Goal
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.english import embedding
from groundplan.simulator.scene_json import read_scene
from groundplan.simulator.view import View

OFFICE = read_scene(Path(__file__).parents[2] / "datasets" / "scenes" / "office.json")

needs_model = pytest.mark.skipif(not embedding.installed(), reason="needs the extra 'embedded'")


@needs_model
@pytest.mark.parametrize(
    "instruction",
    ["Put the orange on the kitchen bench into the fridge.", "Hand Jason the marker.", "Hide the unicorn."],
)
def test_reading(instruction: str, benchmark: Any) -> None:
    reader = EmbeddedReader()

    def read() -> object:
        search = reader.search(instruction, View.collapsed(OFFICE))
        return reader.write(instruction, search.scene)

    read()
    answer = benchmark(read)
    assert isinstance(answer, Goal) == ("unicorn" not in instruction)


@needs_model
def test_loading(benchmark: Any) -> None:
    model = embedding.locate().read_bytes()
    loaded = benchmark.pedantic(embedding.MiniLM, args=(model,), rounds=3)
    assert loaded.scores("a", ["a"])[0] > 0.99
