"""GRASIF's tasks (LookPlanGraph, section 5) in its own fields: an instruction, two graphs and a plan.

A record has ``name``, ``human`` (the instruction), ``detailed`` (its meaning in more words), ``init`` and
``goal`` (scene graphs) and ``actions``. Files hold one JSON object a line, or a pickle of such records in a
list or under names; a pickle is decoded as data (``formats.stanford.unpickle``) and never unpickled. A graph
may be in any JSON format of scenes, as an object or as text. The fields are known by name only, since
GRASIF's own files were not to be had. Their names and the rule for pickles stay; what is checked of a value
may change.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from ...domains.errors import SceneError, clip
from ...domains.pack import Pack
from ...domains.storage.json_record import JsonRecord, plain
from ...simulator.belief import ground
from ...simulator.scene import Scene
from ...simulator.scene_json import parse_json, scene_to_json
from ...simulator.sensing.snapshot import scene_now
from ...simulator.step import read_step
from ...simulator.world import Refusal, World
from ..formats.content import Content
from ..formats.document import as_object, object_lines
from ..formats.registry import read_json
from ..formats.stanford.unpickle import decoded

FIELDS = ("name", "human", "detailed", "init", "goal", "actions")
MAX_RECORDS = 100_000
_PICKLES = (b"\x80", b"(", b"]", b"}")
"""First bytes of pickled containers, of any protocol; no JSON object begins so."""


class SceneRecord(JsonRecord):
    """Base of the records of prepared tasks, whose scenes are written in the package's own format."""

    __slots__ = ()

    def as_json(self) -> dict[str, object]:
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {key: scene_to_json(v) if isinstance(v, Scene) else plain(v) for key, v in values.items()}


def record_lines(records: Iterable[SceneRecord]) -> str:
    """Return records as the lines of a prepared file."""
    return "".join(json.dumps(record.as_json(), ensure_ascii=True) + "\n" for record in records)


@dataclass(frozen=True, slots=True)
class TaskRecord(SceneRecord):
    """One task in GRASIF's fields; ``actions`` are as written there, or printed steps."""

    name: str
    human: str
    detailed: str
    init: Scene
    goal: Scene
    actions: tuple[str, ...]


def read_records(path: Path) -> tuple[TaskRecord, ...]:
    """Read the records of a JSONL file or pickle, gzip or not. Raises :class:`SceneError` with the place."""
    records: dict[str, tuple[str, TaskRecord]] = {}
    for at, raw in _raw(path):
        record = _record(raw, at)
        if record.name in records:
            got = f"{clip(record.name)}, as at {records[record.name][0]}"
            raise SceneError(f"{at}: name", "a name of its own", got, "tasks are told apart by their names")
        records[record.name] = at, record
    return tuple(record for _, record in records.values())


def goal_graph(scene: Scene, steps: tuple[str, ...], pack: Pack, where: str) -> Scene:
    """Return the graph after printed steps, as GRASIF made its goal graphs. Raises :class:`SceneError`."""
    world = World(ground(scene, pack))
    for number, text in enumerate(steps, 1):
        done = world.apply(read_step(text, where))
        if isinstance(done, Refusal):
            raise SceneError(f"{where}: step {number}, {clip(text)}", "a step that can be done", done.message)
    return scene_now(world)


def _raw(path: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield every record as parsed data with its place."""
    content = Content(path)
    if content.data[:1] in _PICKLES:
        yield from _listed(decoded(content.data, content.where), content.where)
        return
    for number, record in enumerate(object_lines(content)):
        if number == MAX_RECORDS:
            raise SceneError(content.where, f"at most {MAX_RECORDS} lines", "more")
        yield record


def _listed(value: object, where: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the records of a pickle: one, a list of them, or several under names."""
    if isinstance(value, dict) and "init" in value:
        yield where, value
    elif isinstance(value, dict):
        for name, raw in value.items():
            at = f"{where}: {clip(str(name))}"
            yield at, {"name": str(name), **as_object(raw, at)}
    elif isinstance(value, list):
        for index, raw in enumerate(value):
            yield f"{where}: [{index}]", as_object(raw, f"{where}: [{index}]")
    else:
        raise SceneError(where, "records in a list or under names", type(value).__name__)


def _record(raw: Mapping[str, object], at: str) -> TaskRecord:
    for field in ("name", "init", "goal"):
        if field not in raw:
            got = f"an object with {clip(', '.join(map(str, raw)))}" if raw else "an empty object"
            raise SceneError(at, f"the field {field}", got, f"records have {', '.join(FIELDS)}")
    texts = {}
    for field in ("name", "human", "detailed"):
        value = raw.get(field, "")
        if not isinstance(value, str) or (field == "name" and not value.strip()):
            raise SceneError(f"{at}: {field}", "text", clip(value))
        texts[field] = value
    actions = raw.get("actions", [])
    if not isinstance(actions, list):
        raise SceneError(f"{at}: actions", "a list", type(actions).__name__)
    steps = tuple(a if isinstance(a, str) else json.dumps(a, sort_keys=True) for a in actions)
    init = _graph(raw["init"], f"{at}: init", texts["name"])
    goal = _graph(raw["goal"], f"{at}: goal", f"{texts['name']}: goal")
    return TaskRecord(**texts, init=init, goal=goal, actions=steps)


def _graph(value: object, where: str, name: str) -> Scene:
    if isinstance(value, str):
        value = parse_json(value, where)
    return read_json(value, where, name)
