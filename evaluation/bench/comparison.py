"""The plan of a comparison: which methods run on which tasks with which engines, and the manifest of it.

What is compared are systems: each method with each reader and each engine, and a method that asks no reader
once with each engine. A cell is one run of one of them. Cells are in a fixed order, task by task, so that a
comparison that is stopped early has run every system on the same tasks. The manifest holds all that decides
the results: versions, the hashes of the program, scenes, golds, packs and prompts, limits and options. A
folder of rows is continued only under the same manifest, or one that adds systems; the machines that ran it
are listed beside and may differ.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from random import Random

from ... import __version__
from ...compiler.certificates.constraints import rules_hash
from ...compiler.certificates.rules import rules_of
from ...datasets.library import find_task, load_set, names_task
from ...datasets.own_tasks import ENDING, read_own_tasks
from ...datasets.task import Task, original_id
from ...domains.errors import InputError, clip, did_you_mean
from ...domains.pack import Pack, load_pack
from ...engines.engine import Engine
from ...engines.registry import USUAL, EngineOptions, available_engines
from ...methods.method import Limits, Method, needs_of, plans_by_engine
from ...methods.own_method import source_of
from .program import file_hash, program_hash
from .results import FORMAT, NO_ENGINE, NO_READER, System

USUAL_LIMITS = Limits()

SUBJECT = "hybrid-naming"
FAMILY = ("sayplan", "sayplan-lite", "llm+p", "full-scene")
"""The comparisons that were fixed before any run: of :data:`SUBJECT` with each of these."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a comparison; ``repeat`` counts from 1."""

    method: str
    engine: str
    task: str
    repeat: int = 1
    reader: str = NO_READER

    @property
    def key(self) -> str:
        reader = [self.reader] * (self.reader != NO_READER)
        return " ".join((self.method, self.engine, *reader, self.task, str(self.repeat)))


@dataclass(frozen=True)
class Comparison:
    """Methods, tasks, readers and engines, and the limits and options of every run.

    ``engine_commands`` are by name the command lines of engines that are nobody's package, and
    ``without_costs`` the engines that get problems without costs. ``rules`` is the text of rules that every
    run keeps, beside those of the pack. ``readers`` are names, for people;
    ``settings`` are by reader the further options that results depend on, as JSON, and ``reader_limits`` the
    limits of its runs where they are others than ``limits``. ``seed`` is that of a sample of the tasks and of
    a model's sampling in the first repeat; each further repeat adds one. Raises :class:`InputError` for a
    comparison without runs, for two methods of one name, and for ``without_costs`` of no engine of it.
    """

    methods: tuple[Method, ...]
    tasks: tuple[Task, ...]
    engines: tuple[str, ...] = ("pyperplan",)
    readers: tuple[str, ...] = (NO_READER,)
    repeats: int = 1
    seed: int | None = None
    limits: Limits = USUAL_LIMITS
    pack: str = "household"
    one_handed: bool = False
    engine_options: EngineOptions = USUAL
    settings: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    reader_limits: Mapping[str, Limits] = field(default_factory=dict)
    engine_commands: Mapping[str, str] = field(default_factory=dict)
    without_costs: tuple[str, ...] = ()
    rules: str | None = None

    def __post_init__(self) -> None:
        for what, names in (
            ("methods", [m.name for m in self.methods]),
            ("readers", list(self.readers)),
            ("engines", list(self.engines)),
            ("tasks", [t.id for t in self.tasks]),
        ):
            if not names:
                raise InputError(what, f"at least one of the {what}", "none")
            twice = [name for name in names if names.count(name) > 1]
            if twice:
                own = twice[0] in self.engine_commands and what == "engines"
                hint = "--engine-command names it already" if own else ""
                raise InputError(what, "each one once", f"{twice[0]} twice", hint)
        for name in self.without_costs:
            if name not in self.engines:
                hint = did_you_mean(name, self.engines) or f"engines are {', '.join(self.engines)}"
                raise InputError("engines without costs", "an engine of the comparison", clip(name), hint)
        if self.repeats < 1:
            raise InputError("repeats", "a number from 1", str(self.repeats))

    @cached_property
    def systems(self) -> tuple[System, ...]:
        """The systems: each method with each reader, if it asks one, and each engine, if it plans by one."""
        return tuple(
            System(method.name, reader, engine)
            for method in self.methods
            for reader in (self.readers if needs_of(method) != "nothing" else (NO_READER,))
            for engine in (self.engines if plans_by_engine(method) else (NO_ENGINE,))
        )

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The runs, task by task."""
        return tuple(
            Cell(system.method, system.engine, task.id, repeat, system.reader)
            for task in self.tasks
            for repeat in range(1, self.repeats + 1)
            for system in self.systems
        )

    def limits_of(self, cell: Cell) -> Limits:
        """Return the limits of a run."""
        return self.reader_limits.get(cell.reader, self.limits)

    def engine(self, name: str) -> Engine:
        """Return an engine of the comparison. Raises :class:`InputError` for one that cannot be run."""
        command = self.engine_commands.get(name)
        options = replace(self.engine_options, costs=name not in self.without_costs)
        if command is None:
            return Engine.named(name, options)
        return replace(Engine.command(command, options), name=name)

    def domain(self) -> Pack:
        """Load the domain pack of the runs."""
        return load_pack(self.pack, "one-handed" if self.one_handed else None)

    def seed_of(self, cell: Cell) -> int | None:
        """Return the seed of a model's sampling in a run."""
        return None if self.seed is None else self.seed + cell.repeat - 1

    def manifest(self) -> dict[str, object]:
        """Return all that decides the results, as JSON. Raises :class:`InputError` for a scene at fault."""
        pack = self.domain()
        installed = {engine.name: engine.version for engine in available_engines() if engine.installed}
        return {
            "format": FORMAT,
            "version": __version__,
            "program": program_hash(),
            "python": platform.python_version(),
            "methods": {m.name: _described(m) for m in self.methods},
            "engines": {
                name: self.engine_commands.get(name, installed.get(name, ""))
                + (", without costs" if name in self.without_costs else "")
                for name in dict.fromkeys(system.engine for system in self.systems)
            },
            "engine_options": self.engine_options.as_json(),
            "readers": {name: self._reader(name) for name in dict.fromkeys(s.reader for s in self.systems)},
            "systems": [list(system) for system in self.systems],
            "limits": asdict(self.limits),
            "repeats": self.repeats,
            "seed": self.seed,
            "pack": {"name": pack.name, "hash": pack.hash, "one_handed": self.one_handed},
            **self._rules(pack),
            "family": family_of([method.name for method in self.methods]),
            "tasks": {task.id: _task(task) for task in self.tasks},
            "runs": len(self.cells),
        }

    def _rules(self, pack: Pack) -> dict[str, object]:
        """Return the rules that every run keeps with their hash, as JSON; nothing where there are none."""
        if self.rules is None and not pack.mapping.operator_rules:
            return {}
        rules = rules_of(self.rules, pack)
        return {"rules": {"formulas": [str(one) for one in rules], "hash": rules_hash(rules)}}

    def _reader(self, name: str) -> dict[str, object]:
        """Return what decides the results of a reader beside its name, as JSON."""
        limits = asdict(self.reader_limits.get(name, self.limits))
        other = {key: value for key, value in limits.items() if value != getattr(self.limits, key)}
        return dict(self.settings.get(name, {})) | ({"limits": other} if other else {})


def family_of(methods: Sequence[str]) -> list[list[str]]:
    """Return the pairs of methods whose comparison was fixed before any run."""
    return [[SUBJECT, other] for other in FAMILY if {SUBJECT, other} <= set(methods)]


def machine() -> dict[str, object]:
    """Return what is known of this machine, as JSON: no names of hosts or users."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    return {
        "system": platform.system(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "cores": os.cpu_count() or 1,
        "memory_mb": memory,
        "byteorder": sys.byteorder,
    }


def differences(there: object, now: object, where: str) -> list[str]:
    """Say where two values of JSON differ, keys in order."""
    if isinstance(there, dict) and isinstance(now, dict):
        keys = dict.fromkeys([*there, *now])
        parts = [differences(there.get(k), now.get(k), f"{where}.{k}" if where else k) for k in keys]
        order = list(there) != list(now) and set(there) == set(now)
        return [*(d for part in parts for d in part), *([f"{where}: another order"] if order else [])]
    return [] if there == now else [f"{where} was {clip(json.dumps(there))}, now {clip(json.dumps(now))}"]


def chosen_tasks(
    names: str, limit: int | None = None, seed: int | None = None, sealed: bool = False
) -> tuple[Task, ...]:
    """Return the tasks of sets, and single tasks by their ids, named with commas between them, each once.

    A name that ends in ``.jsonl`` is a file of tasks of a user.

    With ``limit`` as many of each set, in its order and with their paraphrases, if the set has those too: the
    first ones, or a sample that ``seed`` draws. Single tasks come after, whatever the limit. Raises
    :class:`InputError` for a name of no set or task, and for a sealed set without ``sealed``.
    """
    listed = dict.fromkeys(filter(None, (n.strip() for n in names.split(","))))
    single = {n: find_task(n) for n in listed if names_task(n) and not n.endswith(ENDING)}
    parts = [
        read_own_tasks(Path(name)) if name.endswith(ENDING) else load_set(name, sealed=sealed)
        for name in listed
        if name not in single
    ]
    sets: dict[str, list[Task]] = {}
    for task in (t for part in parts for t in part):
        sets.setdefault(task.set, [])
        if all(task.id != other.id for other in sets[task.set]):
            sets[task.set].append(task)
    chosen: dict[str, Task] = {}
    for name, tasks in sets.items():
        groups: dict[str, list[Task]] = {}
        for task in tasks:
            groups.setdefault(original_id(task.id), []).append(task)
        originals = list(groups.values())
        count = len(originals) if limit is None else min(limit, len(originals))
        drawn = range(count) if seed is None else sorted(_drawn(name, seed, len(originals))[:count])
        chosen |= {task.id: task for i in drawn for task in originals[i]}
    return tuple((chosen | {t.id: t for t in single.values()}).values())


def _drawn(name: str, seed: int, count: int) -> list[int]:
    """Return a permutation of the tasks of a set; a larger sample contains a smaller one."""
    order = list(range(count))
    Random(f"{name}/{seed}").shuffle(order)
    return order


def _described(method: Method) -> str:
    """Return a method's own parameters, as its ``repr`` has them, and the hash of a user's file."""
    source = source_of(method)
    return repr(method) if source is None else f"{method!r} of {file_hash(source)}"


HASHED = (
    "goal", "rationale", "source", "alternatives", "accepted", "rejected", "query", "answers", "any",
    "published", "plan", "requested",
)  # fmt: skip
"""The fields of a gold that are in its hash even where they are empty: those of the first version."""


def gold_hash(task: Task) -> str:
    """Return the hash of the instruction and the gold of a task, as the manifest has it."""
    gold = asdict(replace(task.gold, rationale="", source=""))
    # A field that came later counts where it says something: so other golds keep their hash.
    gold = {name: value for name, value in gold.items() if value or name in HASHED}
    text = json.dumps([task.instruction, gold], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _task(task: Task) -> dict[str, object]:
    """Return the hashes of what a task consists of, and the number of its scene's nodes."""
    scene = task.load()
    described: dict[str, object] = {
        "set": task.set,
        "scene": scene.hash,
        "nodes": len(scene.nodes),
        "gold": gold_hash(task),
    }
    described |= {"label": task.gold.label} if task.gold.label else {}
    return described | ({"hidden": "movable things"} if task.hidden else {})
