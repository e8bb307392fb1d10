"""Robot programs read back: what is refused and where, what may be missing, what is not as expected."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from groundplan import Engine, GroundplanError, ground, load_pack, load_scene, parse_goal, plan_goal
from groundplan.robot import deviations, differences, read_program, translate
from groundplan.robot.reading import program_in

BELIEF = ground(load_scene("office"), load_pack())
GOAL = parse_goal("(and (inside_of orange1 fridge) (closed fridge))")


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    result = plan_goal(GOAL, BELIEF, Engine.named("pyperplan"))
    document: dict[str, Any] = translate(result, BELIEF, GOAL).as_json()
    return document


def command(document: dict[str, Any], skill: str) -> dict[str, Any]:
    return next(c for c in document["commands"] if c["skill"] == skill)


def test_a_program_is_the_same_when_it_is_read_back(program: dict[str, Any]) -> None:
    assert read_program(json.dumps(program)).as_json() == json.loads(json.dumps(program))


def test_a_program_of_few_keys_is_read(program: dict[str, Any]) -> None:
    """More keys are left alone."""
    old = {key: program[key] for key in ("format", "version", "goal")}
    kept = ("skill", "arguments", "pose", "position", "step", "printed", "serves")
    old["commands"] = [{key: c[key] for key in kept} | {"speed": 0.3} for c in program["commands"]]
    read = read_program(json.dumps(old))
    assert [str(s) for s in read.steps()] == [c["printed"] for c in program["commands"]]
    assert deviations(read, BELIEF) == ()


def test_other_texts_are_no_programs(program: dict[str, Any]) -> None:
    record = {"plan": ["open(fridge)"], "program": program}
    for text in (json.dumps(record), "goto(kitchen)", "[]", '"groundplan-program"'):
        assert program_in(text, "x") is None
    with pytest.raises(GroundplanError, match="expected a robot program"):
        read_program("{}")


def changed(path: tuple[str | int, ...], value: object) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("version",), 2, "version: expected 1, got 2"),
        (("frame",), 1, "frame: expected a text"),
        (("commands",), {}, "commands: expected a list"),
        (("goal",), "(open fridge)", "goal: expected a list"),
        (("goal",), [1], "goal\\[0\\]: expected a text"),
        (("start", "position"), [1, 2], "start.position: expected a list of 3"),
        (("hashes",), [], "hashes: expected an object"),
        (("commands", 2), "open(fridge)", "commands\\[2\\]: expected an object"),
        (("commands", 0, "printed"), None, "commands\\[0\\].printed: expected a printed step"),
        (("commands", 0, "printed"), "go there", "commands\\[0\\].printed: expected a step"),
        (("commands", 0, "step"), -1, "commands\\[0\\].step: expected a whole number of 0 or more"),
        (("commands", 0, "serves"), True, "commands\\[0\\].serves: expected a whole number of 0 or more"),
        (
            ("commands", 0, "metres"),
            "far",
            "commands\\[0\\].metres: expected a number from 0 to",
        ),
        (("commands", 0, "target", "position"), ["a", 0, 0], "target.position\\[0\\]: expected a number"),
        (("commands", 0, "waypoints"), [1], "waypoints\\[0\\]: expected an object"),
        (("commands", 0, "expects", "before"), ["(or)"], "before\\[0\\]: expected a fact such as"),
        (("commands", 0, "expects", "after"), ["(open ?x)"], "after\\[0\\]"),
        (("commands", 0, "expects", "after"), ["open fridge"], "after\\[0\\]"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    program: dict[str, Any], path: tuple[str | int, ...], value: object, said: str
) -> None:
    document = copy.deepcopy(program)
    changed(path, value)(document)
    with pytest.raises(GroundplanError, match=f"robot.json: .*{said}" if path[0] == "commands" else said):
        read_program(json.dumps(document), "robot.json")


@pytest.mark.parametrize("number", ["NaN", "1e999", "Infinity"])
def test_numbers_are_finite(program: dict[str, Any], number: str) -> None:
    text = json.dumps(program).replace('"metres": 0.0', f'"metres": {number}', 1)
    with pytest.raises(GroundplanError):
        read_program(text)


def test_a_monitor_says_which_fact_is_otherwise_and_when(program: dict[str, Any]) -> None:
    document = copy.deepcopy(program)
    command(document, "open")["expects"]["before"].append("(open fridge)")
    command(document, "pick")["pose"] = "peters_office"
    command(document, "pick")["expects"]["after"].append("(holding apple1)")
    fact = {"event": "heat", "arguments": ["orange1", "fridge"], "facts": ["(hot orange1)"], "words": []}
    command(document, "place_inside")["waits_for"].append(fact)
    command(document, "close")["expects"]["after"] += ["(shut fridge)", "(closed cupboard99)", "(closed)"]
    found = deviations(read_program(json.dumps(document)), BELIEF)
    assert {(d.printed, d.when, d.fact): d.message for d in found} == {
        ("open(fridge)", "before", "(open fridge)"): "fridge is not open",
        ("pickup(orange1)", "after", "(holding apple1)"): "the robot does not hold apple1",
        ("pickup(orange1)", "after", "(robot_at peters_office)"): "the robot is at kitchen",
        ("release(orange1)", "waits_for", "(hot orange1)"): "orange1 has not been heated",
        ("close(fridge)", "after", "(shut fridge)"): "the pack household has no fact (shut fridge)",
        ("close(fridge)", "after", "(closed cupboard99)"): "there is no cupboard99 in office",
        ("close(fridge)", "after", "(closed)"): "the pack household has no fact (closed)",
    }


def test_a_monitor_sees_that_the_world_differs(program: dict[str, Any]) -> None:
    opened = ground(BELIEF.scene.changed(change={"fridge": {"state": ("open",)}}), BELIEF.pack)
    found = deviations(read_program(json.dumps(program)), opened)
    assert [(d.when, d.fact) for d in found] == [("before", "(closed fridge)")]


def test_nothing_after_done_is_carried_out(program: dict[str, Any]) -> None:
    document = copy.deepcopy(program)
    command(document, "open")["expects"]["before"].append("(open fridge)")
    assert len(deviations(read_program(json.dumps(document)), BELIEF)) == 1
    document["commands"].insert(0, {"printed": "done()"})
    for index, entry in enumerate(document["commands"]):
        entry["step"] = index
    assert deviations(read_program(json.dumps(document)), BELIEF) == ()


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every value in a document."""
    if path:
        yield path
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in below:
        yield from places(part, (*path, key))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("commands", 0, "skill"), "approach"),
        (("commands", 0, "arguments"), ["lobby"]),
        (("commands", 0, "target", "node"), "lobby"),
        (("commands", 0, "target", "position"), [0, 0, 0]),
        (("commands", 0, "target"), None),
        (("commands", 0, "pose"), "lobby"),
        (("commands", 0, "position"), [0, 0, 0]),
        (("commands", 0, "metres"), 9999),
        (("commands", 0, "waypoints"), []),
        (("commands", 0, "waypoints", 0, "node"), "lobby"),
        (("commands", 0, "serves"), None),
        (("commands", 0, "expects"), {}),
        (("start", "node"), "lobby"),
        (("scene",), "home"),
        (("hashes", "scene"), "0" * 64),
        (("hashes", "pack"), None),
    ],
)
def test_every_key_is_held_to_the_printed_steps(
    program: dict[str, Any], path: tuple[str | int, ...], value: object
) -> None:
    document = copy.deepcopy(program)
    assert differences(read_program(json.dumps(document)), BELIEF) == ()
    changed(path, value)(document)
    listed = differences(read_program(json.dumps(document)), BELIEF)
    index = path[1] if path[0] == "commands" else None
    key = ".".join(str(part) for part in (path[2:] if path[0] == "commands" else path))
    assert listed and {d.index for d in listed} == {index}
    assert all(key.startswith(d.key) or d.key.startswith(key) for d in listed)


def test_what_is_waited_for_is_held_to_the_printed_steps(program: dict[str, Any]) -> None:
    document = copy.deepcopy(program)
    waits = next(c for c in document["commands"] if c["waits_for"])
    waits["waits_for"] = []
    [one] = differences(read_program(json.dumps(document)), BELIEF)
    assert (one.index, one.key, one.got) == (waits["step"], "waits_for", "[]")


def test_unknown_keys_are_not_otherwise_and_missing_ones_are(program: dict[str, Any]) -> None:
    more = copy.deepcopy(program) | {"speed": 1}
    more["commands"][0]["speed"] = 0.3
    assert differences(read_program(json.dumps(more)), BELIEF) == ()
    del more["commands"][0]["target"]
    assert [d.key for d in differences(read_program(json.dumps(more)), BELIEF)] == ["target"]


@pytest.mark.parametrize(("key", "value"), [("step", 1), ("serves", 99)])
def test_indexes_out_of_place_are_refused(program: dict[str, Any], key: str, value: int) -> None:
    document = copy.deepcopy(program)
    document["commands"][0][key] = value
    with pytest.raises(GroundplanError, match=f"commands\\[0\\].{key}: expected"):
        read_program(json.dumps(document))


ODD = (None, True, -1, 10**400, 1e300, 0.5, "", "x", "\x00", "(open ?x)", [], {}, [[1]], {"node": 1})


def test_a_program_with_any_value_changed_is_read_or_refused(program: dict[str, Any]) -> None:
    short = copy.deepcopy(program)
    short["commands"] = [command(short, "navigate"), command(short, "place_inside"), command(short, "close")]
    for index, entry in enumerate(short["commands"]):
        entry["step"] = index
    short["commands"][0]["waypoints"] = short["commands"][0]["waypoints"][:1]
    refused = 0
    for path in places(short):
        for odd in ODD:
            document = copy.deepcopy(short)
            changed(path, odd)(document)
            try:
                deviations(read_program(json.dumps(document)), BELIEF)
            except GroundplanError as error:
                assert str(error).startswith("program")
                refused += 1
    assert refused > 500
