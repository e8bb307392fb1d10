"""BEHAVIOR's activities as task sets: GRASIF's choice of BEHAVIOR-1K, all of BEHAVIOR-1K, and BEHAVIOR-100.

The problem files come from the archives that their users have (``archive``). A task set is a folder of them,
and each is read as a scene and a goal (``bddl``) when the set is loaded. An activity whose goal says what no
pack can is a task without a goal, and :attr:`Gold.lacking` names the predicates.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ..compiler.goals.checker import check
from ..compiler.goals.goal import parse_goal
from ..domains.errors import InputError
from ..domains.files import read_json, read_text
from ..domains.pack import load_pack
from ..simulator.belief import ground
from .archive import BDDL, BDDL_SHA256, EAI, EAI_SHA256, read_members
from .bddl.goal import bddl_goal, unsaid_predicates
from .bddl.gold import ActivityGold, gold_of
from .bddl.scene import FRAGMENT, bddl_scene
from .bddl.text import MAX_CHARACTERS, Activity, read_bddl
from .task import Gold, Task

Files = dict[str, str]
NOTHING = ActivityGold()
"""Neither an instruction nor a plan."""

GRASIF, ALL, HUNDRED = "grasif-behavior", "behavior-1k", "behavior-100"
SETS = (GRASIF, ALL, HUNDRED)
"""The sets of BDDL files."""
ENDING, SENTENCES = ".bddl", "instructions.json"
LEFT_OUT, LICENSE = "left_out.json", "LICENSE"
MAX_SENTENCES = 1 << 20
"""Most bytes of the instructions of a set."""

_HUNDRED = PurePosixPath("evaluation/transition_modeling/resources/pddl_behavior")
_EAI_SENTENCES = PurePosixPath(
    "evaluation/goal_interpretation/resources/data/instructions_by_activity_name.json"
)
_DEMONSTRATION = re.compile(r"_0_[A-Z]\w*_int_.*\Z")
"""What stands behind the activity in the names of EAI's files: the house and the time."""
_WORDS_BY: Mapping[str, str] = {
    "goal": "the instruction is the goal, said in words",
    "EAI": "the instruction is that of EAI (eai-eval 1.0.5, MIT) for BEHAVIOR-100",
    "name": "the instruction is the name of the activity",
}
"""The source of an instruction, in words."""
_STATED: Mapping[str, str] = {
    GRASIF: "BEHAVIOR-1K, activity_definitions/{}/problem0.bddl (bddl 3.6.0, MIT)",
    ALL: "BEHAVIOR-1K, activity_definitions/{}/problem0.bddl (bddl 3.6.0, MIT)",
    HUNDRED: "BEHAVIOR-100, {} in behavior_eval (eai-eval 1.0.5, MIT)",
}


def prepare_grasif(archive: Path) -> Files:
    """Take the activities of BEHAVIOR-1K within GRASIF's predicates from the source archive of bddl 3.6.0.

    One whose goal does not fit its own scene (a car that is to be moved) is left out as well.
    """
    files: Files = {}
    left_out: Counter[str] = Counter()
    for name, text in prepare_all(archive).items():
        activity = read_bddl(text, name) if name.endswith(ENDING) else None
        if activity is None:
            files[name] = text
        elif not activity.predicates() <= FRAGMENT:
            left_out["predicates"] += 1
        elif not check(parse_goal(str(bddl_goal(activity))), ground(bddl_scene(activity), load_pack())).ok:
            left_out["goal"] += 1
        else:
            files[name] = text
    return {**files, LEFT_OUT: counts_text(left_out)}


def counts_text(left_out: Mapping[str, int]) -> str:
    """Return how many tasks were left out, by reason, as the text of a file."""
    return json.dumps(dict(sorted(left_out.items())), indent=1) + "\n"


def prepare_all(archive: Path) -> Files:
    """Take all activities of BEHAVIOR-1K, and their licence, from the source archive of bddl 3.6.0."""
    selected = read_members(archive, BDDL_SHA256, _is_activity_or_license, BDDL)
    return {
        LICENSE if name.name == LICENSE else f"{name.parts[2]}{ENDING}": data.decode("utf-8")
        for name, data in selected
    }


def prepare_hundred(wheel: Path) -> Files:
    """Take the activities of BEHAVIOR-100 and their instructions from the wheel of EAI."""
    files: Files = {}
    for name, data in read_members(wheel, EAI_SHA256, _of_hundred, EAI):
        activity = _DEMONSTRATION.sub("", name.stem)
        files[SENTENCES if name == _EAI_SENTENCES else f"{activity}{ENDING}"] = data.decode("utf-8")
    return files


def _of_hundred(name: PurePosixPath) -> bool:
    return name == _EAI_SENTENCES or (name.parent == _HUNDRED and name.suffix == ".pddl")


def _is_activity_or_license(name: PurePosixPath) -> bool:
    activity = name.parts[:2] == ("bddl", "activity_definitions") and name.name == "problem0.bddl"
    return activity or name == PurePosixPath(LICENSE)


def behavior_tasks(set_name: str, folder: Path, names: Collection[str]) -> tuple[Task, ...]:
    """Load the tasks of a prepared folder, of its files with these names."""
    paths = [p for p in sorted(folder.glob(f"*{ENDING}")) if p.name in names]
    sentences = folder / SENTENCES
    theirs = read_json(sentences, MAX_SENTENCES) if sentences.is_file() else {}
    if not isinstance(theirs, dict):
        raise InputError(str(sentences), "instructions by activity", type(theirs).__name__)
    return tuple(bddl_task(path, set_name, theirs.get(path.stem)) for path in paths)


def bddl_task(path: Path, set_name: str = GRASIF, sentence: object = None) -> Task:
    """Read a BDDL activity as a task. Raises :class:`InputError` with the place."""
    text = read_text(path, 4 * MAX_CHARACTERS)
    own = gold_of(text)
    if not own.instruction and isinstance(sentence, str):
        own = replace(own, by="EAI", instruction=sentence)
    return activity_task(read_bddl(text, str(path)), path.stem, set_name, own)


def activity_task(activity: Activity, name: str, set_name: str = GRASIF, own: ActivityGold = NOTHING) -> Task:
    """Return an activity as a task, with an instruction and a plan if there are any for it.

    BEHAVIOR has no sentence: where ``own`` has none the instruction is the activity's name.
    """
    words = name.replace("_", " ")
    lacking = unsaid_predicates(activity)
    gold = Gold(
        goal="" if lacking else str(bddl_goal(activity)),
        rationale=f"no goal: it asks for {', '.join(lacking)}"
        if lacking
        else "the activity's own goal, as BDDL's evaluator reads it",
        source=f"Stated: {_STATED.get(set_name, _STATED[ALL]).format(name)}. "
        f"Decided: what a scene graph needs beyond it; {_WORDS_BY[own.by]}. "
        f"See docs/datasets/{'grasif' if set_name == GRASIF else 'behavior'}.md.",
        plan=own.plan,
        lacking=lacking,
    )
    instruction = own.instruction or f"{words[:1].upper()}{words[1:]}."
    pack = "household" if set_name == GRASIF else "behavior"
    scene = bddl_scene(activity)
    return Task(f"{set_name}-{name}", set_name, activity.name, instruction, gold, base=scene, pack=pack)
