"""Fits the confidence of the embedded reader on development sets: ``python -m
groundplan.evaluation.calibration``.

Every reading of every instruction (not only the likeliest) is a sample, right or wrong by the outcome of its
plan. Instructions in which a thing is replaced by one that the scene lacks give samples that are wrong
whatever
is read. A logistic model with a ridge is fitted by Newton's method, and judged by cross-validation over
instructions, so that no instruction is in both parts.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from ..compiler.goals.checker import check
from ..compiler.goals.goal import Goal
from ..domains.errors import GoalError
from ..domains.formula import TRUE
from ..language.embedded.clauses import read_clauses
from ..language.embedded.confidence import FEATURES, features
from ..language.embedded.reader import EmbeddedReader
from ..language.embedded.thesaurus import OTHERS
from ..planners.classical import plan_goal
from ..planners.engines.engine import Engine
from ..simulator.belief import Belief
from ..simulator.verification import verify_plan
from ..simulator.view import View
from .reading import Instruction, belief_of, gold_of, load_instructions

RIDGE = 0.5
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """The features of one reading, whether it is right, and its rank among those of its instruction."""

    instruction: str
    values: tuple[float, ...]
    right: bool
    rank: int


def samples(reader: EmbeddedReader, told: Instruction, belief: Belief, engine: Engine) -> list[Sample]:
    """The readings of an instruction; none where the reader finds none."""
    search = reader.search(told.text, View.first(belief.scene))
    if search.outcome != "found":
        return []
    found = []
    for rank, reading in enumerate(reader.readings(told.text, search.scene)):
        if reading.formula == TRUE:
            continue
        values = features(told.text, reading.formula, reading.frames, reading.doubts, reader.similarity)
        found.append(Sample(told.id, values, _right(told, Goal.of(reading.formula), belief, engine), rank))
    return found


def foil(told: Instruction, number: int) -> Instruction:
    """An instruction about something that the scene does not have: any reading of it is wrong."""
    words = [w for c in read_clauses(told.text) for f in c.frames[:1] for p in f.items for w in p.words[-1:]]
    word = words[number % len(words)] if words else "the"
    thing = OTHERS[number * 7 % len(OTHERS)]
    text = re.sub(rf"\b{re.escape(word)}\b", thing, told.text, flags=re.IGNORECASE)
    return replace(told, id=f"{told.id} foil", text=text, gold=None)


def _right(told: Instruction, goal: Goal, belief: Belief, engine: Engine) -> bool:
    gold = gold_of(told, belief)
    if gold is None:
        return False
    try:
        check(goal, belief).raise_errors()
        planned = plan_goal(goal, belief, engine)
    except GoalError:
        return False
    return planned.verified and verify_plan(planned.steps, belief, gold.formula).verified


def fit(rows: Sequence[Sample]) -> tuple[float, ...]:
    """The intercept and the weights, features only ever counting against a reading."""
    import numpy as np

    x = np.array([(1.0, *s.values) for s in rows])
    y = np.array([float(s.right) for s in rows])
    w = np.zeros(x.shape[1])
    free = np.ones(x.shape[1], dtype=bool)
    while True:
        for _ in range(50):
            p = 1 / (1 + np.exp(-(x @ w)))
            ridge = np.full(len(w), RIDGE)
            ridge[0] = 1e-3
            gradient = (x.T @ (y - p) - ridge * w) * free
            hessian = (x.T * (p * (1 - p))) @ x + np.diag(ridge)
            hessian = hessian * np.outer(free, free) + np.diag(~free)
            step = np.linalg.solve(hessian, gradient)
            w = w + step
            if float(np.abs(step).max()) < 1e-8:
                break
        bad = free & (w > 0)
        bad[0] = False
        if not bad.any():
            return tuple(round(float(v), 4) for v in w)
        free &= ~bad
        w[bad] = 0.0


def predicted(weights: Sequence[float], sample: Sample) -> float:
    """The probability that a sample is right."""
    return 1 / (
        1 + math.exp(-(weights[0] + sum(a * b for a, b in zip(weights[1:], sample.values, strict=True))))
    )


def crossed(rows: Sequence[Sample]) -> list[tuple[Sample, float]]:
    """Every sample with the probability that a model fitted without its instruction gives it."""
    names = list(dict.fromkeys(s.instruction for s in rows))
    found = []
    for fold in range(FOLDS):
        out = set(names[fold::FOLDS])
        model = fit([s for s in rows if s.instruction not in out])
        found += [(s, predicted(model, s)) for s in rows if s.instruction in out]
    return found


@click.command()
@click.argument("sets", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--odd", is_flag=True, help="Of ids that begin with dev2-, only the odd ones.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write the weights as JSON.")
def main(sets: tuple[Path, ...], odd: bool, out: Path | None) -> None:
    """Fit the confidence model on development SETS and report its cross-validation."""
    reader, engine = EmbeddedReader(), Engine.named("pyperplan")
    beliefs: dict[tuple[str, str | None], Belief] = {}
    rows: list[Sample] = []
    for path in sets:
        for told in load_instructions(path):
            if odd and told.id.startswith("dev2-") and int(told.id.rpartition("-")[2]) % 2 == 0:
                continue
            place = (told.scene, told.task)
            if place not in beliefs:
                beliefs[place] = belief_of(told)
            found = samples(reader, told, beliefs[place], engine)
            rows += found
            if found and found[0].right:
                rows += samples(reader, foil(told, len(rows)), beliefs[place], engine)
    best = [(s, p) for s, p in crossed(rows) if s.rank == 0]
    for least in (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        kept = [s for s, p in best if p >= least]
        good = sum(s.right for s in kept)
        click.echo(f"threshold {least}: {len(kept)} answers, {good} right")
    model = fit(rows)
    report = {
        "intercept": model[0],
        "weights": dict(zip(FEATURES, model[1:], strict=True)),
        "samples": len(rows),
        "right": sum(s.right for s in rows),
    }
    text = json.dumps(report, indent=1) + "\n"
    if out is not None:
        out.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
