"""Recording of runs of a model in a file, which tests and ``make demo`` play back without it.

Run it: ``make record MODEL=model.gguf`` (some minutes under naming, hours under dialogue). Every protocol has
a cassette of its own, written anew, and beside it what each run came to, in JSON. ``--replies FOLDER`` takes
answers that ``measure_models.py`` kept. A run that takes more calls or processor seconds than are allowed
there is cut off, and recorded so.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from measure_models import CALLS, SECONDS, kept_model

from groundplan.datasets.library import find_task
from groundplan.datasets.scenes import open_scene
from groundplan.domains.pack import load_pack
from groundplan.domains.storage.likeness import refuse_irreplaceable
from groundplan.domains.storage.own_file import replace_whole
from groundplan.engines.engine import Engine
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.cassette import RecordedModel, RecordingModel
from groundplan.language.chat.servers.profile import GoalForm
from groundplan.pipeline.hybrid import Request, run
from groundplan.pipeline.record import Record
from groundplan.simulator.belief import ground

SCENE = "office"
RUNS: Mapping[str, tuple[str, GoalForm, tuple[str, ...]]] = {
    "naming": (
        "naming",
        "sentences",
        (
            *(
                f"office-planning-simple-{n}"
                for n in ("01", "02", "05", "06", "07", "08", "11", "12", "13", "15")
            ),
            *(f"office-planning-long-{n}" for n in ("02", "07", "09", "13")),
            "Would you open the fridge for me? My hands are full.",
            "Tobi can barely keep his eyes open. He could really do with a coffee.",
            "Drop the parcel off with the mobile robotics people.",
            "Whoever is in meeting room 2 asked for an orange juice.",
            "Put the headphones on the table in meeting room 9.",
            "fetch headphones",
        ),
    ),
    "dialogue": ("dialogue", "pddl", tuple(f"office-planning-simple-{n}" for n in ("01", "02", "09"))),
    "dialogue-2": ("dialogue", "pddl", ("office-planning-simple-03", "office-planning-long-05")),
}
"""By cassette: the search protocol, the form of goals, and tasks or instructions about the office."""


def request_of(subject: str) -> Request:
    """Return the run of a task, by its id, or of an instruction about the office."""
    if subject.startswith(f"{SCENE}-"):
        task = find_task(subject)
        return Request(ground(task.load(), load_pack()), task.instruction, task=task.id)
    return Request(ground(open_scene(SCENE), load_pack()), subject)


def summary(record: Record) -> dict[str, object]:
    """Return what a play-back has to come to, whichever engine plans."""
    told = record.as_json()
    return {key: told[key] for key in ("outcome", "goal", "added", "trace", "usage")}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--replies", type=Path)
    parser.add_argument("--only", choices=sorted(RUNS), action="append")
    given = parser.parse_args(arguments)
    with ExitStack() as keep:
        replies = given.replies or Path(keep.enter_context(TemporaryDirectory()))
        inner = kept_model(given.model, replies, 1e9, 1)
        for name in given.only or RUNS:
            protocol, form, subjects = RUNS[name]
            cassette = given.folder / f"{given.model.stem}-{name}.jsonl"
            if cassette.exists():
                RecordedModel.open(cassette)  # what is no cassette is refused, and stays
                refuse_irreplaceable(cassette)
                cassette.unlink()
            told: dict[str, dict[str, object]] = {}
            for subject in subjects:
                inner.begin(CALLS, SECONDS)
                recording = RecordingModel.open(inner, cassette, inner.settings)
                reader = ModelReader(recording, load_pack(), search_protocol=protocol, goal_form=form)
                told[subject] = summary(run(request_of(subject), Engine.named("pyperplan"), reader))
                print(subject, told[subject]["outcome"], told[subject]["goal"], flush=True)
            replace_whole(cassette.with_suffix(".json"), json.dumps(told, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
