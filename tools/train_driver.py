"""Train the learned point-goal driver, and write its weights with the manifest of their training.

    python tools/train_driver.py OUT [--seed 0] [--expert 3000 --round 3500 --rounds 3 ..]

Three policies are trained, each in two thirds of the bundled houses, and tried in the rest: no house is
driven by weights that saw it. The driver of the package was made by this command with its defaults. One
thread, numpy alone (extra `maps`); the same command on the same machine gives the same bytes.
"""

from __future__ import annotations

import os

os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import hashlib
import json
import platform
import time
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from random import Random

import numpy
from driver_training import Floor, HouseTable, Recipe, drive, path_lengths, trained

from groundplan.datasets.library import load_set
from groundplan.datasets.task import Task
from groundplan.evaluation.walking import path_weighted
from groundplan.methods.houses.driving.learned import FORMAT, MANIFEST, WEIGHTS, packed
from groundplan.methods.houses.driving.policy import RecurrentPolicy
from groundplan.methods.houses.driving.view import LAYOUT

FOLDS = 3
SPLIT = 12345
"""Seed of the folds: the same for every training."""
GOALS, MOVES = 600, 300
"""Point goals in all unseen houses, and the moves for each."""


def folds_of(names: Sequence[str]) -> list[list[str]]:
    """Divide houses into folds, whatever their order."""
    order = sorted(names)
    Random(SPLIT).shuffle(order)
    return [sorted(order[n::FOLDS]) for n in range(FOLDS)]


def tried(policy: RecurrentPolicy, floor: Floor, count: int, seed: int) -> list[tuple[bool, float]]:
    """Drive to point goals; return success and SPL of each."""
    walks = drive(floor, policy, count, numpy.random.default_rng(seed), 0.0, MOVES)
    lengths = path_lengths(floor, walks)
    return [
        (bool(ok), path_weighted(bool(ok), float(shortest), float(driven)))
        for ok, (shortest, driven) in zip(walks.arrived, lengths, strict=True)
    ]


def tables_of(tasks: Sequence[Task]) -> dict[str, HouseTable]:
    """Look around from every cell of every house."""
    return {t.scene: HouseTable.of(t.house.house) for t in tasks if t.house is not None}


def houses_hash(tasks: Sequence[Task]) -> str:
    """Return the hash of the houses' lines."""
    lines = sorted(t.house.house.line for t in tasks if t.house is not None)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--houses", type=int, help="Train in the first houses only: for a trial.")
    for number in fields(Recipe):
        parser.add_argument(f"--{number.name}", type=type(number.default), default=number.default)
    options = vars(parser.parse_args(arguments))
    recipe = Recipe(**{number.name: options[number.name] for number in fields(Recipe)})
    tasks = load_set("multi-object-search")[: options["houses"]]
    tables = tables_of(tasks)
    clock, processor = time.perf_counter(), time.process_time()
    folds = folds_of(list(tables))
    policies, results, states = [], [], []
    for number, unseen in enumerate(folds):
        floor = Floor.of([table for name, table in tables.items() if name not in unseen])

        def tell(line: str, number: int = number) -> None:
            print(f"fold {number}: {line}, {time.perf_counter() - clock:.0f} s", flush=True)

        policy, count = trained(floor, recipe, options["seed"], tell)
        policies.append(policy)
        states.append(count)
        rest = Floor.of([tables[name] for name in unseen])
        results += tried(policy, rest, GOALS // FOLDS, SPLIT + number)
        print(f"fold {number}: {sum(ok for ok, _ in results)} of {len(results)} goals reached", flush=True)
    data = packed(policies)
    manifest = {
        "format": FORMAT,
        "layout": LAYOUT,
        "weights": hashlib.sha256(data).hexdigest(),
        "houses": houses_hash(tasks),
        "seed": options["seed"],
        "recipe": asdict(recipe),
        "episodes": recipe.expert + recipe.rounds * recipe.round,
        "states": states,
        "threads": 1,
        "versions": {"python": platform.python_version(), "numpy": numpy.__version__},
        "minutes_of_training": {
            "processor": round((time.process_time() - processor) / 60, 1),
            "clock": round((time.perf_counter() - clock) / 60, 1),
        },
        "unseen_houses": {
            "n": len(results),
            "success": round(sum(ok for ok, _ in results) / len(results), 3),
            "spl": round(sum(spl for _, spl in results) / len(results), 3),
        },
        "folds": folds,
    }
    options["out"].mkdir(parents=True, exist_ok=True)
    (options["out"] / WEIGHTS).write_bytes(data)
    (options["out"] / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(manifest["unseen_houses"]))


if __name__ == "__main__":
    main()
