"""Measurement of a served model as a reader, resumable, with its controls; rows and replies go to a folder.

Run it: ``python tools/measure_models.py model.gguf out --arm naming --take office-planning=12:1``. Started
again, it goes on where it ended. ``--table`` prints what there is. Arms: ``naming``, ``query``, ``dialogue``,
``dialogue+`` (with the model), ``embedded``, and ``index`` (search by the instruction's own words and the two
rooms nearest to it, no model). ``--take SET`` takes all of a set, ``SET=N:SEED`` a sample, ``SET=ID,ID`` the
named ones; sets are task sets and the files of ``tests/language`` (``heldout``: what has a gold;
``heldout-declined``: what should be declined), and ``devset2@odd`` has those with odd numbers.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import get_args

from measuring import (
    ROW_BEGINS,
    BudgetSpent,
    Item,
    KeptModel,
    drawn,
    measured,
    measured_key,
    row_name,
    summaries,
    table,
)
from reading_sets import PACK, load_instructions

from groundplan.datasets.library import SETS, UNIONS, load_set
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.evaluation.journal import Journal, read_rows
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.budget import Allowance
from groundplan.language.chat.servers.local import LocalModel
from groundplan.language.chat.servers.model import ChatModel
from groundplan.language.chat.servers.profile import GoalForm, Profile
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.reader import Reader

FOLDER = Path(__file__).parent.parent / "tests" / "language"
DECLINED = "-declined"
CALLS, SECONDS = 15, 600.0
"""Limits of a run: model calls, and processor seconds of the model."""


def items_of(take: str, without: Sequence[str]) -> list[Item]:
    """Return what ``--take`` names; ``without`` are tasks that were developed on, and paraphrases of them."""
    name, _, which = take.partition("=")
    name, _, only = name.partition("@")
    if name in (*SETS, *UNIONS):
        items = [Item.of_task(t) for t in load_set(name) if t.id not in without]
    else:
        file = name.removesuffix(DECLINED)
        read = [i for i in load_instructions(FOLDER / f"{file}.json") if i.task not in without]
        read = [i for i in read if (i.gold is None) == (file != name) and i.id not in without]
        items = [Item.of_instruction(i, name) for i in read]
    if only:
        rest = {"odd": 1, "even": 0}[only]
        items = [i for i in items if int(re.findall(r"\d+", i.id)[-1]) % 2 == rest]
    if ":" in which:
        number, seed = map(int, which.split(":"))
        return drawn(items, number, seed)
    return [i for i in items if i.id in which.split(",")] if which else items


def in_turn(sets: Sequence[Sequence[Item]]) -> list[Item]:
    """Return the tasks of several sets in turn, shuffled by a seed: what is done is a sample of each."""
    orders = [random.Random(len(items)).sample(list(items), len(items)) for items in sets]
    return [item for turn in zip_longest(*orders) for item in turn if item is not None]


def reader_of(arm: str, model: ChatModel, form: GoalForm) -> Reader:
    """Return a new reader for one task."""
    pack = load_pack(PACK)
    if arm == "embedded":
        return EmbeddedReader(pack=pack)
    if arm == "index":
        silent = ScriptedModel.of(*["no answer"] * CALLS)
        return ModelReader(silent, pack, search_protocol="naming", goal_form="pddl")
    return ModelReader(model, pack, search_protocol=arm, goal_form=form)


def kept_model(path: Path, folder: Path, budget: float, threads: int) -> KeptModel:
    """Return the model of a file, loaded when it is asked something that it was not asked before."""

    def load() -> ChatModel:
        limits = Allowance(10**9, 10**12, 1e9)
        return LocalModel.serve(path, limits, {"timeout": 1200.0}, threads_used=(threads, threads))

    settings = Profile(path.stem, "http://127.0.0.1/v1").settings
    return KeptModel(folder / "replies.jsonl", f"{path.stem} (local)", settings, load, budget)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arm", default="naming")
    parser.add_argument("--label", help="name of the arm in the rows, where the prompts are other ones")
    parser.add_argument("--goal-form", choices=get_args(GoalForm), default="sentences")
    parser.add_argument("--take", action="append", default=[])
    parser.add_argument("--without", default="", help="ids of tasks to leave out, with commas")
    parser.add_argument("--cpu-seconds", type=float, default=3 * 3600)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--in-turn", action="store_true", help="a task of each set after the other")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args(arguments)
    given.folder.mkdir(exist_ok=True)
    path = given.folder / "rows.jsonl"
    if given.table:
        rows = read_rows(path, measured_key, ROW_BEGINS)
        print(table([*summaries(rows), *summaries(rows, "all")]))
        return 0
    without = given.without.split(",")
    kept = kept_model(given.model, given.folder, given.cpu_seconds, given.threads)
    label = given.label or given.arm
    journal = Journal(path, measured_key, ROW_BEGINS)
    try:
        sets = [items_of(take, without) for take in given.take]
        for item in in_turn(sets) if given.in_turn else (i for items in sets for i in items):
            if row_name(item.id, label) in journal:
                continue
            kept.begin(CALLS, SECONDS)
            reader = reader_of(given.arm, kept, given.goal_form)
            # A new engine a task: a worker that a task left in a bad state is no matter of the next.
            row = measured(item, label, reader, Engine.named("pyperplan"), lambda: kept.run_cpu)
            journal.append(row.as_json())
            print(row.id, row.outcome, "right" if row.right else "-", row.goals[-1:], flush=True)
    except BudgetSpent as spent:
        print(spent, file=sys.stderr)
        return 1
    finally:
        journal.close()
        kept.close()
    rows = read_rows(path, measured_key, ROW_BEGINS)
    print(table(summaries(rows)))
    print(f"{kept.spent:.0f} processor seconds of the model, {len(rows)} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
