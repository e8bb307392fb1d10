"""Skills of a robot are data of its pack: names of ports, where they are done, how long they take."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundplan import Engine, ground, load_pack, parse_goal, plan_goal
from groundplan.domains.errors import PackError
from groundplan.domains.files import parse_json
from groundplan.domains.pack import BUILT_IN, Pack, template_texts
from groundplan.robot import differences, read_program, translate
from groundplan.simulator.scene_json import scene_from_json

TEXTS = template_texts()
MAPPING = TEXTS["mapping.toml"]
TABLES = MAPPING[MAPPING.index("[skills.drive]") : MAPPING.index("# For every predicate the words")]


def lab(folder: Path, mapping: str) -> Pack:
    (folder / "domain.pddl").write_text(TEXTS["domain.pddl"], encoding="utf-8")
    (folder / "mapping.toml").write_text(mapping, encoding="utf-8")
    return load_pack(str(folder))


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_skill_of_a_built_in_pack_names_its_ports_and_is_tried_again(name: str) -> None:
    pack = load_pack(name)
    own = {a.skill for a in pack.mapping.actions.values() if not a.event}
    assert set(pack.mapping.skills) == own | {"approach"}
    for skill in pack.mapping.skills.values():
        assert len(skill.ports) == len(skill.types) and skill.retries == 2
        assert all(len(port) > 2 for port in skill.ports), "the name of a parameter says little"


def test_a_skill_shared_by_actions_of_other_types_takes_both(tmp_path: Path) -> None:
    press = lab(tmp_path, MAPPING).mapping.skills["press"]
    assert (press.ports, press.types, press.duration, press.retries) == (("bench",), ("bench",), 10.0, 0)
    pick = load_pack("grasif").mapping.skills["pick"]
    assert (pick.ports, pick.types) == (("item", "source"), ("item", "object"))


def test_a_drive_takes_its_length_at_its_speed() -> None:
    skills = load_pack().mapping.skills
    assert skills["navigate"].seconds(5_000) == 12.0
    assert skills["open"].seconds(5_000) == 10.0


def test_without_a_table_ports_are_parameters_and_a_drive_ends_at_its_stop(tmp_path: Path) -> None:
    pack = lab(tmp_path, MAPPING.replace(TABLES, ""))
    skills = pack.mapping.skills
    assert skills["pick"].ports == tuple(p.name for p in pack.domain.actions["take"].parameters)
    assert skills["drive"].ports == ("to",) and skills["drive"].pose_ports == ("x", "y", "yaw")
    assert skills["approach"].pose_ports == skills["measure"].pose_ports == ()


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("[skills.pick]", "[skills.pikc]", "skills", "did you mean 'pick'"),
        ('pose = "thing"', 'pose = "things"', "skills.pick.pose", "stop or before or thing"),
        ('pose = "thing"', "pose = 1", "skills.pick.pose", "a string"),
        ('ports = ["item", "bench"]', 'ports = ["item"]', "skills.pick.ports", "2 names"),
        ('ports = ["item", "bench"]', 'ports = ["item", "item"]', "skills.pick.ports", "different names"),
        ('ports = ["item", "bench"]', 'ports = ["x", "bench"]', "skills.pick.ports", "none of them x, y, z"),
        ("retries = 2", "retries = -1", "skills.drive.retries", "from 0 to 1000"),
        ("retries = 2", "retries = true", "skills.drive.retries", "a whole number"),
        ("duration = 15", "duration = 0", "skills.pick.duration", "a number from 0.001"),
        ("distance = 0.6", "distance = nan", "skills.approach.distance", "a number from 0 to 100"),
        ("speed = 0.5", 'speed = "fast"', "skills.drive.speed", "a number"),
        ("speed = 0.5", "sped = 0.5", "skills.drive.sped", "did you mean 'speed'"),
    ],
)
def test_a_skill_that_cannot_be_is_refused(tmp_path: Path, old: str, new: str, place: str, said: str) -> None:
    assert old in TABLES
    with pytest.raises(PackError) as caught:
        lab(tmp_path, MAPPING.replace(TABLES, TABLES.replace(old, new, 1)))
    assert place in caught.value.where and said in str(caught.value)


def test_an_extending_pack_may_give_an_action_another_skill(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text("(define (domain own))", encoding="utf-8")
    own = 'format = "groundplan-pack"\nversion = 1\nname = "own"\nextends = "household"\n'
    more = "".join(f'[actions.{name}]\nskill = "unlatch"\n' for name in ("open", "open_stopped"))
    (tmp_path / "mapping.toml").write_text(own + more + "[skills.pick]\nretries = 7\n", encoding="utf-8")
    skills = load_pack(str(tmp_path)).mapping.skills
    assert "open" not in skills and skills["unlatch"].ports == ("x",)
    assert skills["pick"].retries == 7 and skills["pick"].ports == ("item", "source")


def test_a_program_is_in_the_frame_of_its_pack_and_has_its_skills(tmp_path: Path) -> None:
    mapping = MAPPING.replace('# frame = "map"', 'frame = "lab_floor"').replace(
        'approach = "approach"', 'approach = "stand_before"'
    )
    pack = lab(tmp_path, mapping.replace("[skills.approach]", "[skills.stand_before]"))
    belief = ground(scene_from_json(parse_json(TEXTS["scene.json"], "scene"), "scene"), pack)
    goal = parse_goal("(forall (?v - vial) (measured ?v))")
    program = translate(plan_goal(goal, belief, Engine.named("pyperplan")), belief, goal)
    assert program.as_json()["frame"] == "lab_floor"
    assert {c.skill for c in program.commands} >= {"stand_before", "pick", "measure"}
    assert differences(program, belief) == ()
    elsewhere = read_program(json.dumps(program.as_json()))
    assert elsewhere.frame == "lab_floor"


def test_the_frame_is_a_name(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"robot\.frame: expected a string"):
        lab(tmp_path, MAPPING.replace('# frame = "map"', "frame = 1"))
