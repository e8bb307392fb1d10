"""Lines of traces with any value anywhere, their hashes made anew: refused by line and place, or replayed."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from groundplan.acting import Episode, act_in
from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains.errors import GroundplanError, InputError, SceneError
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.request import Request
from groundplan.robot import TraceFile, read_trace, replay
from groundplan.robot.trace import trace_of
from groundplan.simulator.belief import ground
from groundplan.simulator.observations import Observations, SeenInPart, Spot, StepOutcome
from groundplan.simulator.scene import Link, Node
from groundplan.simulator.scene_json import scene_from_json
from groundplan.simulator.sensing import Environment, with_hidden
from groundplan.simulator.step import Step

SCENE = {
    "format": "groundplan-scene",
    "version": 1,
    "name": "flat",
    "nodes": [
        {"id": "kitchen", "type": "room"},
        {"id": "hall", "type": "room"},
        {"id": "fridge", "type": "asset", "parent": "kitchen", "affordances": ["open", "close", "release"]},
        {
            "id": "banana2",
            "type": "object",
            "parent": "fridge",
            "relation": "inside_of",
            "affordances": ["pickup"],
        },
        {"id": "mug1", "type": "object", "parent": "kitchen", "relation": "ontop_of"},
        {"id": "robot", "type": "agent", "at": "hall"},
    ],
    "links": [{"a": "kitchen", "b": "hall", "length": 3}],
}
FLAT = ground(scene_from_json(SCENE, "flat"), load_pack())
ENGINE = Engine.named("pyperplan")
REQUEST = Request(with_hidden(FLAT, named=["banana2"]), goal=parse_goal("(holding banana2)"))
ODD = (None, True, -1, 2**60, 1.5, "", "x", "\0\0", "(open ?x)", [], {}, [[1]], [["a", "b"]], {"node": 1})
"""Values of all kinds, for any place."""


class WithOnePicture(Environment):
    """The world as a robot meets it that sees the mug in part."""

    def act(self, step: Step) -> StepOutcome:
        outcome = super().act(step)
        seen = outcome.observations
        if all(node.id != "mug1" for node in seen.nodes):
            return outcome
        return replace(outcome, observations=replace(seen, in_part=(SeenInPart("mug1", ("clean",)),)))


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    """The lines of a run with every kind of them."""
    path = tmp_path_factory.mktemp("traces") / "trace.jsonl"
    with TraceFile(path) as trace:
        robot = WithOnePicture(FLAT, stuck=[Step("open", ("fridge",))])
        act_in(robot, Episode(REQUEST, engine=ENGINE, still=False, recorder=trace))
    read = [json.loads(line) for line in path.read_text().splitlines()]
    assert replay(read_trace(path), REQUEST, engine=ENGINE).replays
    assert {"give-up", "again"} <= {str(line["kind"]) for line in read}
    assert '"in_part":[["mug1",["clean"]]]' in path.read_text()
    return read


def text_of(lines: list[dict[str, object]]) -> bytes:
    """The text of lines, with hashes that fit."""
    chain, texts = "", []
    for line in lines:
        plain = {key: value for key, value in line.items() if key != "chain"}
        text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
        chain = hashlib.sha256(f"{chain}\n{text}".encode("ascii")).hexdigest()
        texts.append(json.dumps({**plain, "chain": chain}).encode("ascii") + b"\n")
    return b"".join(texts)


def changed(
    lines: list[dict[str, object]], number: int, place: tuple[object, ...], value: object
) -> list[dict[str, object]]:
    line = copy.deepcopy(lines[number])
    at: object = line
    for key in place[:-1]:
        at = at[key]  # type: ignore[index]
    at[place[-1]] = value  # type: ignore[index]
    return [*lines[:number], line, *lines[number + 1 :]]


def places(value: object, above: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """The places of all values in a line; of long lists only the first and the last."""
    if above:
        yield above
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*above, key))
    elif isinstance(value, list):
        for number in sorted({0, len(value) - 1}) if value else ():
            yield from places(value[number], (*above, number))


def first(lines: list[dict[str, object]], kind: str) -> int:
    """The first line of a kind; of reports one after which something was seen otherwise."""
    return next(n for n, line in enumerate(lines) if line["kind"] == kind and line.get("changes", True))


def test_any_value_anywhere_is_refused_or_replayed(lines: list[dict[str, object]]) -> None:
    refused = 0
    for kind in dict.fromkeys(str(line["kind"]) for line in lines):
        number = first(lines, kind)
        for place in places(lines[number]):
            for value in ODD:
                other = changed(lines, number, place, value)
                data = text_of(other[: number + 2])
                try:
                    result = replay(trace_of(BytesIO(data), "t"), REQUEST, engine=ENGINE)
                except InputError as error:
                    assert str(error).startswith(f"t:{number + 1}"), error
                    refused += 1
                else:
                    assert not result.replays or text_of(other) == text_of(lines)
    assert refused > 500


@pytest.mark.parametrize(
    ("kind", "place", "value", "said"),
    [
        ("start", ("goal",), 7, "goal: expected a text, got 7"),
        ("start", ("version",), True, "version: expected 1, got True"),
        ("start", ("settings",), [], "settings: expected an object with engine"),
        ("start", ("settings", "max_steps"), "many", "settings: max_steps: expected a whole number from 0"),
        ("start", ("settings", "max_steps"), None, "settings: max_steps: expected a whole number from 0"),
        ("start", ("settings", "max_steps"), 2.5, "settings: max_steps: expected a whole number from 0"),
        ("start", ("settings", "still"), "no", "settings: still: expected true or false"),
        ("start", ("hashes",), None, "hashes: expected an object with pack, scene"),
        (
            "start",
            ("hashes",),
            {"pack": ""},
            "hashes: expected an object with pack, scene, got none of scene",
        ),
        ("start", ("unseen", 0), 1, "unseen[0]: expected a text"),
        ("start", ("looked",), [["fridge"]], "looked[0]: expected a list of 2"),
        ("start", ("world",), 7, "world: expected an object with scene, failure, seed"),
        (
            "start",
            ("world",),
            {"scene": "", "failure": 2, "seed": 1},
            "world: failure: expected a number from 0",
        ),
        ("start", ("world",), {"scene": "", "failure": 1, "seed": True}, "world: seed: expected a whole"),
        ("look", ("steps",), ["goto"], "steps[0]: expected a step"),
        ("look", ("look",), ["\0\0", "around"], "look: expected a node and a relation"),
        ("look", ("any_news",), 1, "any_news: expected true, got 1"),
        ("act", ("step",), None, "step: expected a text"),
        ("act", ("needs",), "(open fridge)", "needs: expected a list"),
        ("observe", ("metres",), -1, "metres: expected a number from 0 to"),
        ("observe", ("metres",), False, "metres: expected a number from 0 to"),
        ("observe", ("metres",), 10**400, "metres: expected a number from 0 to"),
        ("observe", ("replans",), True, "replans: expected a whole number"),
        ("observe", ("changes", 0, "node"), None, "changes[0]: node: expected a text"),
        ("observe", ("outcome", "moved_mm"), 10**400, "outcome: moved_mm: expected a whole number from 0 to"),
        ("observe", ("changes", 0, "node"), "", "changes[0]: node: expected the id of a node"),
        ("give-up", ("reason",), ["x"], "reason: expected a text"),
        ("again", ("again",), 1, "again: expected true"),
        ("end", ("looks",), "2", "looks: expected a whole number"),
        ("end", ("reasons",), {"a": 1}, "reasons: expected a list"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    lines: list[dict[str, object]], kind: str, place: tuple[object, ...], value: object, said: str
) -> None:
    number = first(lines, kind)
    with pytest.raises(InputError) as error:
        trace_of(BytesIO(text_of(changed(lines, number, place, value))), "t")
    assert str(error.value).startswith(f"t:{number + 1}: {said}")


def test_numbers_that_are_none_are_refused(lines: list[dict[str, object]], tmp_path: Path) -> None:
    number = first(lines, "end")
    for written in (b"NaN", b"Infinity", b"1e999", b"-0.5", b"9" * 5000):
        data = text_of(lines).replace(
            b'"metres": ' + str(lines[-1]["metres"]).encode(), b'"metres": ' + written
        )
        with pytest.raises(GroundplanError) as error:
            trace_of(BytesIO(data), "t")
        assert str(error.value).startswith("t:") and number


NAMES = "to be a node that is believed or seen, got zzz"


@pytest.mark.parametrize(
    ("kind", "place", "value", "said"),
    [
        ("observe", ("outcome", "observations", "here"), "zzz", f"here {NAMES}"),
        ("observe", ("outcome", "observations", "spots"), [["zzz", "around"]], f"a spot {NAMES}"),
        (
            "observe",
            ("outcome", "observations", "spots"),
            [["fridge", "zzz"]],
            "a relation of things to fridge",
        ),
        (
            "observe",
            ("outcome", "observations", "ways"),
            [["hall", "zzz", 1]],
            f"an end of a way, or its door, {NAMES}",
        ),
        ("look", ("look", 0), "zzz", f"a spot {NAMES}"),
        ("look", ("look", 1), "zzz", "a relation of things to "),
        ("look", ("steps", -1), "goto(zzz)", f"an argument of a step {NAMES}"),
        ("look", ("steps",), [], "steps that are intended, got none"),
    ],
)
def test_names_of_what_nobody_knows_do_not_replay(
    lines: list[dict[str, object]], kind: str, place: tuple[object, ...], value: object, said: str
) -> None:
    number = next(n for n, line in enumerate(lines) if line["kind"] == kind)
    if place[-1] in ("spots", "ways"):  # where not all of the room is in sight, its ways are not taken over
        lines = changed(lines, number, (*place[:-1], "spots"), [])
    result = replay(trace_of(BytesIO(text_of(changed(lines, number, place, value))), "t"), REQUEST)
    assert result.line == number + 1 and said in str(result.reason), result


@pytest.mark.parametrize(
    ("line", "times", "still", "said"),
    [
        ({"kind": "give-up", "unreached": ["zzz", "around"], "reason": ""}, 1, False, NAMES),
        ({"kind": "again", "again": True}, 1, True, "nobody else moves things"),
        ({"kind": "again", "again": True}, 2, False, "nothing is left to be found so"),
        ({"kind": "look", "look": ["zzz", "around"], "steps": ["goto(hall)"]}, 1, False, NAMES),
        (
            {"kind": "look", "look": ["hall", "around"], "steps": ["goto(hall)"]},
            1,
            False,
            "expected act with the first of the steps",
        ),
    ],
)
def test_lines_that_no_execution_makes_do_not_replay(
    tmp_path: Path, line: dict[str, object], times: int, still: bool, said: str
) -> None:
    """Put before every line at which something is decided."""
    with TraceFile(tmp_path / "trace.jsonl") as trace:
        act_in(Environment(FLAT), Episode(REQUEST, engine=ENGINE, still=still, recorder=trace))
    made = [dict(one) for one in trace.lines]
    assert made[-1]["outcome"] == "verified"
    decided = [n for n, one in enumerate(made) if one["kind"] in ("look", "plan")]
    for number in decided:
        put = line | ({"at": made[number]["at"]} if line["kind"] == "look" else {})
        more = [*made[:number], *[put] * times, *made[number:]]
        result = replay(trace_of(BytesIO(text_of(more)), "t"), REQUEST)
        assert not result.replays and said in str(result.reason), result


def test_a_report_with_a_name_that_nobody_knows_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with TraceFile(path) as trace:
        episode = Episode(REQUEST, engine=ENGINE, recorder=trace)
        data = path.read_bytes()
        for _ in range(2):
            with pytest.raises(SceneError, match=f"expected here {NAMES}"):
                episode.report(StepOutcome(True, 0, Observations("zzz")))
    assert path.read_bytes() == data


def test_what_a_robot_reports_of_its_own_replays(tmp_path: Path) -> None:
    """A room that is seen for the first time, without classes, and with whole numbers for metres."""
    path, hall = tmp_path / "trace.jsonl", FLAT.scene.nodes["hall"]
    attic, ways = Node("attic", "room", position=(0, 0, 3)), (Link("hall", "attic", 3), *FLAT.scene.links)
    seen = Observations("hall", (hall, attic), ways, (Spot("hall"), Spot("attic")))
    with TraceFile(path) as trace:
        episode = Episode(REQUEST, engine=ENGINE, recorder=trace)
        assert [change.node for change in episode.report(StepOutcome(True, 0, seen))] == ["attic"]
        episode.next()
    assert replay(read_trace(path), REQUEST).line is None
    with TraceFile(path, resume=True) as trace:
        assert Episode.resume(REQUEST, trace.entries(), engine=ENGINE, recorder=trace).due is None


def test_a_report_that_no_line_can_say_is_refused(tmp_path: Path) -> None:
    with TraceFile(tmp_path / "trace.jsonl") as trace:
        episode = Episode(REQUEST, engine=ENGINE, recorder=trace)
        seen = Observations("hall", (), (Link("hall", "kitchen", float("nan")),))
        with pytest.raises(InputError, match=r"line 2: outcome: observations: ways\[0\]: expected a length"):
            episode.report(StepOutcome(True, 0, seen))
    assert len(read_trace(tmp_path / "trace.jsonl").lines) == 1
