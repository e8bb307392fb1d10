"""Execution traces: all that an episode does, as lines of JSON that can be taken up again and replayed.

Each line is on disk before the robot goes on: what it intends and why, the step that it is about to do with
the facts that the step needs, what was reported and what that changed, and how it ended. The entries of
``acting.log`` are among the keys; the others follow from them and are compared when a trace is
replayed. Every line has a hash of itself and of all before it (``chain``). To add a kind of line, write it in
:meth:`Trace.record` and name its keys in :mod:`.trace_lines` and the schema.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..acting.episode import REJECTED, Episode
from ..acting.finish import CUT_OFF
from ..acting.log import Entry, Intended, LookedAgain, Reported, Unreached, entry_from_json
from ..acting.policies.policy import NearestUnlooked
from ..domains.deadline import check_time
from ..domains.errors import GroundplanError, InputError, clip, did_you_mean
from ..domains.evaluate import evaluate
from ..domains.files import open_regular
from ..domains.mapping import AROUND
from ..domains.storage.json_record import JsonRecord
from ..domains.storage.own_file import ClosedAtEnd, OwnFile
from ..engines.engine import Engine
from ..planners.request import Request
from ..simulator.belief import Belief
from ..simulator.observations.observation import Change, Spot
from ..simulator.step import Step
from ..simulator.world import Refusal
from .expectations import expectation
from .skill import Expectation
from .trace_lines import BEGINS, FORMAT, VERSION, TraceLine, entry_of, lines_of


class TraceDiffers(GroundplanError):
    """A trace that says at a line other than what follows from the lines before, and from the request."""

    def __init__(self, line: int, reason: str) -> None:
        self.line, self.reason = line, reason
        super().__init__(f"line {line}: {reason}")


class Trace:
    """The lines of an episode, made as it goes on; the recorder of an :class:`Episode`.

    ``lines`` are those that there are already: what the episode does is compared with them first, and
    :class:`TraceDiffers` raised at the first that is otherwise. Further lines are kept. ``world`` is what the
    first line is to say of a simulated world, so that nobody goes on in another one.
    """

    def __init__(self, lines: Sequence[TraceLine] = (), world: Mapping[str, object] | None = None) -> None:
        self.lines: list[TraceLine] = list(lines)
        kept = self.lines[0].get("world") if self.lines else world
        self._world = kept if kept is None or world is None else world
        self.made = 0
        """The lines that the episode has come to."""
        self._chain = ""
        self._entries = 0
        self._planned = self._intended = self._acting = self._swept = self._ended = False
        self._expected: Expectation | None = None

    @property
    def ended(self) -> bool:
        """True when the trace has its last line."""
        return bool(self.lines) and self.lines[-1]["kind"] == "end"

    def entries(self) -> tuple[Entry, ...]:
        """Return the log from which an episode is taken up."""
        read = (entry_of(line, f"trace:{number}") for number, line in enumerate(self.lines, 1))
        return tuple(entry for entry in read if entry is not None)

    def record(self, episode: Episode, changes: Sequence[Change]) -> None:
        """Write the lines of what is new. Raises :class:`InputError` for a report that no line can say."""
        if not self.made:
            world = {"world": self._world} if self._world is not None else {}
            self._write("start", _start(episode) | world)
        for entry in episode.log[self._entries :]:
            # What is written is what will be read: numbers, and words that are left out, are as in JSON.
            as_read = entry_from_json(entry.as_json(), f"line {self.made + 1}")
            self._check(as_read, episode)
            self._entry(as_read, episode, changes)
            self._entries += 1
        if episode.due is not None and not self._acting and episode.finish is None:
            self._acting = True
            self._act(episode.due, episode)
        if episode.finish is not None and not self._ended:
            self._ended = True
            finish = episode.finish
            fields = {"outcome": finish.outcome, "reasons": list(finish.reasons)}
            assumes = {"assumes": list(finish.assumes)} if finish.assumes else {}
            fields |= {"places": list(finish.places), **assumes}
            self._write("end", {**fields, **_so_far(episode)})

    def _entry(self, entry: Entry, episode: Episode, changes: Sequence[Change]) -> None:
        match entry:
            case Intended(look):
                kind = "look" if look is not None else "repair" if self._planned else "plan"
                self._planned, self._intended = self._planned or look is None, True
                self._write(kind, entry.as_json() | {"at": episode.knowledge.run.world.state.stands_at})
            case Reported(_, outcome):
                world, expected = episode.knowledge.run.world, self._expected
                after = expected.after if expected is not None and outcome.done else ()
                fields = entry.as_json() | {
                    "changes": [{"node": c.node, "believed": c.believed, "seen": c.seen} for c in changes],
                    "at": world.state.stands_at,
                    "metres": episode.trajectory.executed_mm / 1000,
                    "missed": [str(fact) for fact in after if not evaluate(fact, world)],
                    "replans": episode.trajectory.replans,
                }
                self._acting = self._intended = False
                self._expected = None
                self._write("observe", fields)
            case Unreached():
                self._write("give-up", entry.as_json())
            case LookedAgain():
                self._swept = True
                self._write("again", entry.as_json())

    def _check(self, entry: Entry, episode: Episode) -> None:
        """Refuse an entry that no episode makes, or with names of what is neither believed nor seen.

        Raises :class:`InputError`, for a report at once, and for an entry that was kept when it is replayed.
        """
        belief, where = episode.belief, f"line {self.made + 1}"
        if self._intended and not isinstance(entry, Reported):
            raise InputError(where, "act with the first of the steps that are intended", "something else")
        if isinstance(entry, Intended) and not entry.steps:
            raise InputError(where, "steps that are intended", "none")
        still = episode.knowledge.still
        vain = still or self._swept or not (episode.knowledge.unseen or belief.scene.unplaced)
        if isinstance(entry, LookedAgain) and vain:
            why = "nobody else moves things" if still else "nothing is left to be found so"
            raise InputError(where, f"no looking at all places again: {why}", "again")
        for what, name in _names(entry):
            if name not in belief.scene.nodes:
                hint = did_you_mean(name, belief.scene.nodes)
                raise InputError(where, f"{what} to be a node that is believed or seen", clip(name), hint)
        for spot in _spots(entry):
            if spot.relation != AROUND and spot.relation not in belief.pack.mapping.relations:
                hint = f"relations are {', '.join(belief.pack.mapping.relations)}, and {AROUND} for a room"
                raise InputError(where, f"a relation of things to {spot.node}", clip(spot.relation), hint)

    def _act(self, step: Step, episode: Episode) -> None:
        """Write the step that is handed out, with the facts that it needs and brings about as believed."""
        self._intended = False
        world = episode.knowledge.run.world.fork()
        at = world.state.stands_at
        effect = world.apply(step)
        doubt = effect.message if isinstance(effect, Refusal) else None
        expected = expectation(() if isinstance(effect, Refusal) else effect.actions, world.pack, at)
        self._expected = None if doubt is not None else expected
        needs = [] if doubt is not None else [str(fact) for fact in expected.before]
        brings = [] if doubt is not None else [str(fact) for fact in expected.after]
        self._write("act", {"step": str(step), "at": at, "needs": needs, "brings": brings, "doubt": doubt})

    def _write(self, kind: str, fields: Mapping[str, object]) -> None:
        # What was read has lists in place of tuples; through JSON both are alike.
        plain: dict[str, object] = json.loads(json.dumps({"kind": kind, **fields}))
        self._chain = _hash(self._chain, plain)
        line = plain | {"chain": self._chain}
        self.made += 1
        if self.made <= len(self.lines):
            check_time("going through a trace again")
            if line != self.lines[self.made - 1]:
                raise TraceDiffers(self.made, _difference(self.lines[self.made - 1], line))
            return
        self._keep(line)
        self.lines.append(line)

    def _keep(self, line: TraceLine) -> None:
        """Keep a line for good, where there is a place for it."""


class TraceFile(Trace, ClosedAtEnd):
    """A trace on disk, which an episode writes and from which one can be taken up after any end.

    A line is on the disk before the robot goes on, so a kill in the middle of one loses that line at most.
    Close it, or use it as a context. Raises :class:`InputError` for a file that has something and is not
    meant to be resumed, is no trace, or is written to by another process. ``world`` is as in :class:`Trace`.

    >>> import tempfile
    >>> from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal
    >>> from groundplan.acting import Episode, act_in
    >>> from groundplan.robot import TraceFile, read_trace, replay
    >>> from groundplan.simulator.sensing import Environment
    >>> office = ground(load_scene("office"), load_pack())
    >>> request, engine = Request(office, goal=parse_goal("(closed cabinet5)")), Engine.named("pyperplan")
    >>> with tempfile.TemporaryDirectory() as folder, TraceFile(Path(folder) / "trace.jsonl") as trace:
    ...     finish = act_in(Environment(office), Episode(request, engine=engine, recorder=trace))
    ...     replay(read_trace(trace.path), request, engine=engine).replays
    True
    """

    def __init__(self, path: Path, resume: bool = False, world: Mapping[str, object] | None = None) -> None:
        self.path = path
        try:
            self._file = OwnFile(path, (BEGINS,), "a trace" if resume else "a new file", make=not resume)
        except OSError as error:
            where, got = clip(str(path), 200), error.strerror or ""
            raise InputError(where, "a trace that can be written", got) from error
        with ExitStack() as opening:
            opening.callback(self.close)
            if not resume and not self._file.empty:
                hint = "resume it, or name another file"
                raise InputError(clip(str(path), 200), "a new file", "one with a trace in it", hint)
            with self._file.read() as file:
                lines, self._file.end, _ = lines_of(file, str(path))
            super().__init__(lines, world)
            opening.pop_all()

    def close(self) -> None:
        """Give up the file, and the lock on it; a new one without a line is removed."""
        self._file.close()

    def _keep(self, line: TraceLine) -> None:
        self._file.append(line_text(line).encode("ascii") + b"\n")


@dataclass(frozen=True, slots=True)
class Replay(JsonRecord):
    """Verdict on a trace that was replayed: how many lines were as they follow, and the first that is not."""

    lines: int
    ended: bool
    cut: bool
    outcome: str | None = None
    line: int | None = None
    reason: str | None = None

    @property
    def replays(self) -> bool:
        """True when the trace has an end, and every line is as it follows."""
        return self.line is None and self.ended

    def as_json(self) -> dict[str, object]:
        return {"replays": self.replays, **JsonRecord.as_json(self)}


@dataclass(frozen=True, slots=True)
class SavedTrace:
    """A trace that was read: its whole lines, and whether a part of a line comes after them (``cut``)."""

    lines: tuple[TraceLine, ...]
    cut: bool

    @property
    def start(self) -> TraceLine:
        return self.lines[0]

    @property
    def settings(self) -> Mapping[str, object]:
        """The engine, the policy and the limits of the episode."""
        settings = self.start["settings"]
        assert isinstance(settings, dict)  # checked when it was read
        return settings


def read_trace(path: Path) -> SavedTrace:
    """Read a trace, which may end in the middle of a line.

    Raises :class:`InputError` with the number of a line that is malformed, and for a file without any.
    """
    try:
        with open_regular(path) as file:
            return trace_of(file, str(path))
    except OSError as error:
        raise InputError(clip(str(path), 200), "a readable file", error.strerror or "") from error


def trace_of(file: BinaryIO, where: str) -> SavedTrace:
    """Read a trace from an open file. Raises :class:`InputError` as :func:`read_trace` does."""
    lines, _, cut = lines_of(file, where)
    if not lines:
        raise InputError(
            clip(where, 200), "an execution trace, a line of JSON for each event", "no whole line"
        )
    return SavedTrace(tuple(lines), cut)


def belief_at_start(trace: SavedTrace, beliefs: Sequence[Belief]) -> Belief:
    """Return the one of several beliefs with which a trace begins. Raises :class:`TraceDiffers` for none."""
    for belief in beliefs:
        if all(trace.start[key] == value for key, value in _given(belief).items()):
            return belief
    given = _given(beliefs[0])
    key = next(key for key in given if trace.start[key] != given[key])
    raise TraceDiffers(1, f"the trace is of another belief: {_otherwise(key, trace.start[key], given[key])}")


def replay(trace: SavedTrace, request: Request, *args: Any, **options: Any) -> Replay:
    """Go through a trace again, with the outcomes that it has, and compare every line with what follows.

    Nothing is planned again but what decides the end, and no place to look at is chosen again. That the clock
    or the machine ended it (:data:`CUT_OFF`) is taken as it is written. Further
    arguments are those of :class:`Episode`; those that are not given are the settings of the trace, of
    whose policy the name is enough. ``request`` has the goal and the belief with which the trace began.

    Raises :class:`InputError` where the engine of the trace is not installed, and no other is given.
    """
    compared, settings = Trace(trace.lines), trace.settings
    if not args:
        options = {"policy": NearestUnlooked(str(settings["policy"]))} | options
    if len(args) < 2 and "engine" not in options:
        options["engine"] = Engine.named(str(settings["engine"]))
    options = {key: settings[key] for key in ("still", "confirm", "max_steps")} | options
    outcome = str(trace.lines[-1]["outcome"]) if compared.ended else None
    if outcome == REJECTED:  # the word of who knew the true world, like the outcomes of steps
        options = {"judge": lambda _: False} | options

    def result(line: int | None = None, reason: str | None = None) -> Replay:
        whole = len(trace.lines) if line is None else line - 1
        return Replay(whole, compared.ended, trace.cut, outcome if line is None else None, line, reason)

    try:
        episode = Episode.resume(request, compared.entries(), *args, recorder=compared, **options)
        reasons = trace.lines[-1].get("reasons")
        if (
            outcome is not None
            and outcome in CUT_OFF
            and compared.made == len(trace.lines) - 1
            and isinstance(reasons, list)
        ):
            episode.cut_off(outcome, reasons)
        elif compared.made < len(trace.lines):
            episode.next()
    except TraceDiffers as error:
        return result(error.line, error.reason)
    except InputError as error:
        return result(compared.made + 1, f"expected {error.expected}, got {error.got}")
    if compared.made < len(trace.lines):
        return result(compared.made + 1, "nothing follows here")
    return result()


def line_text(line: TraceLine) -> str:
    """Return a line of a trace as JSON in ASCII."""
    return json.dumps(line, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _start(episode: Episode) -> dict[str, object]:
    settings = {
        "engine": episode.means.engine.name,
        "policy": episode.means.policy.name,
        "still": episode.knowledge.still,
        "confirm": episode.knowledge.confirm,
        "max_steps": episode.means.max_steps,
    }
    kept = {"format": FORMAT, "version": VERSION, "goal": str(episode.goal.formula)}
    return {**kept, **_given(episode.belief), "settings": settings}


def _given(belief: Belief) -> dict[str, object]:
    """Return what the first line of a trace says of the belief."""
    return {
        "scene": belief.scene.name,
        "hashes": {"pack": belief.pack.hash, "scene": belief.scene.hash},
        "at": belief.start,
        "unseen": list(belief.unseen),
        "looked": [[spot.node, spot.relation] for spot in sorted(belief.looked)],
    }


def _spots(entry: Entry) -> tuple[Spot, ...]:
    """Return the spots that an entry names."""
    match entry:
        case Intended(Spot() as spot) | Unreached(spot):
            return (spot,)
        case Reported(_, outcome):
            return outcome.observations.spots
    return ()


def _names(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield the nodes that an entry names, each with what it is there."""
    yield from (("a spot", spot.node) for spot in _spots(entry))
    match entry:
        case Intended(_, steps):
            yield from (("an argument of a step", name) for step in steps for name in step.args)
        case Reported(_, outcome):
            seen = outcome.observations
            yield "here", seen.here
            ways = ((way.a, way.b, *([way.door] if way.door else [])) for way in seen.ways)
            yield from (("an end of a way, or its door,", name) for way in ways for name in way)
            yield from (("what is seen in part", part.node) for part in seen.in_part)


def _so_far(episode: Episode) -> dict[str, object]:
    return {
        "steps": len(episode.trajectory.executed),
        "metres": episode.trajectory.executed_mm / 1000,
        "looks": len(episode.trajectory.looks),
        "replans": episode.trajectory.replans,
    }


def _hash(before: str, line: TraceLine) -> str:
    text = json.dumps(line, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{before}\n{text}".encode("ascii")).hexdigest()


def _difference(kept: TraceLine, made: TraceLine) -> str:
    """Say how a line of a trace differs from the one that follows from those before it."""
    if kept["kind"] != made["kind"]:
        return f"{clip(kept['kind'])} is kept where {clip(made['kind'])} follows"
    for key in (key for key in made if key != "chain"):
        if kept.get(key) != made[key]:
            return _otherwise(key, kept.get(key), made[key])
    return "the line was changed after it was written: its hash is another"


def _otherwise(key: str, kept: object, made: object) -> str:
    if isinstance(kept, dict) and isinstance(made, dict):
        for part in made:
            if kept.get(part) != made[part]:
                return _otherwise(f"{key}.{part}", kept.get(part), made[part])
    shown: Callable[[object], str] = lambda value: clip(json.dumps(value))  # noqa: E731
    return f"{key} is {shown(kept)} in the trace and {shown(made)} now"
