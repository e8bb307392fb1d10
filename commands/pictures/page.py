"""One HTML file of a scene and of a run in it, that works by itself: the drawing, all data, and one script.

The script and the style are the files beside this module, readable as they are. The page may load and run
nothing else, by a policy with their hashes; texts of scenes and models are data in JSON, and the script makes
text nodes of them, never markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files

from ...compiler.goals.checker import check
from ...compiler.goals.goal import GoalSyntaxError, parse_goal
from ...domains.diagnostic import explained_outcomes
from ...domains.files import items, mapping, objects, texts
from ...simulator.belief import Belief
from ...simulator.scene import Scene
from ..console.escape import safe, without_key
from ..console.outcomes import OF_METHODS
from .contents import GOOD, Contents, contents_of, contents_of_scene
from .paper import Paper
from .picture import map_of
from .playback import goal_parts, parts_in_words, played
from .shapes import Drawing
from .svg import svg_of
from .walked import first_seen, legs_of, sought, walked

_PLACE = re.compile(r"<!--(\w+)-->")
LISTED: Mapping[str, tuple[str, ...]] = {
    "goals": ("goal", "by", "trigger", "tokens", "fault", "feedback", "diff"),
    "trace": ("command", "intent", "node", "tokens", "thought"),
    "observations": ("step", "node", "believed", "seen"),
    "attempts": ("text", "feedback"),
    "story": ("after", "text"),
    "losses": ("kind", "id", "reason", "count"),
}
"""Lists of a record that a page shows, with the keys of their entries."""
LISTS, NUMBERS, CHANGES = ("feedback", "added", "dropped"), ("tokens", "step", "after", "count"), "diff"
"""Keys of entries that are lists of texts, numbers, or the changes of a goal; all others are texts."""
FACTS = (
    "hashes", "certificate", "proof", "cost", "bound", "optimal", "order_gap", "engine", "statistics",
    "reader", "usage", "method", "mode", "why", "errands", "solver", "reproducible", "cut_off", "replans",
    "exhausted", "supposed", "compile_form", "beyond_search", "unplaced", "added", "left",
    "dropped_as_impossible", "relaxed", "clarification", "invented", "reading", "house",
)  # fmt: skip
"""Keys of a record that a page lists as they are."""


def page_of_scene(scene: Scene) -> str:
    """Return the page of a scene alone."""
    contents = contents_of_scene(scene)
    return _page(_of_scene(scene, contents), *map_of(scene, contents))


def page_of(
    record: Mapping[str, object],
    belief: Belief,
    truth: Belief | None = None,
    gold: str = "",
    judged: Mapping[str, object] | None = None,
) -> str:
    """Return the page of a run, from the JSON of its record and the scene that it was given.

    With ``truth``, the scene of the true world, what was done is played there. ``gold`` is the goal that its
    task was judged by, of which the page shows the truth as well; ``judged`` is the judgement.
    """
    contents = contents_of(record, belief)
    drawing, paper = map_of(belief.scene, replace(contents, walked=()))
    goal = record.get("goal")
    text = goal if isinstance(goal, str) else ""
    rules = _rules(record)
    parts = tuple(part for one in (text, *rules) for part in goal_parts(one, belief))
    gold_parts = goal_parts(gold, belief)
    tracks = _tracks(record, belief, truth, (text, *rules, gold))
    data: dict[str, object] = _of_scene(belief.scene, contents) | {
        "goal": {
            "text": text,
            "words": contents.goal,
            "parts": parts_in_words((*parts, *gold_parts), belief),
        },
        "asked": len(parts),
        "tracks": tracks,
        "search": _search(record),
        "diagnostics": _diagnostics(record, text, belief),
        "seen": mapping(record.get("seen")),
        "unseen": texts(record.get("unseen")),
        "meaning": _meaning(contents.outcome, record),
        "record": _lists(record),
        "judged": judged or {},
        "facts": {key: value for key in FACTS if (value := _fact(key, record.get(key)))},
    }
    if legs_of(record) and paper.grounds:
        _add_walk(data, tracks, record, belief.scene, paper)
    return _page(data, drawing, paper)


def _add_walk(
    data: dict[str, object],
    tracks: list[dict[str, object]],
    record: Mapping[str, object],
    scene: Scene,
    paper: Paper,
) -> None:
    """Add the search of a house: before an errand in it, or, without one, in place of a plan."""
    moments = walked(record, paper.grounds[0])
    if record.get("plan"):
        moments = [moment | {"goal": ""} for moment in moments]
    else:
        tracks.clear()
        kinds = sought(record)
        data["goal"] = {"text": " ".join(one["formula"] for one in kinds), "words": "", "parts": kinds}
        data["asked"] = len(kinds)
    tracks.insert(0, {"name": "search", "moments": moments, "fog": _fog(paper)})
    data["seen"] = first_seen(record)
    data["unseen"] = sorted({node.type for node in scene.nodes.values()} - {"agent", "building"})


def _fog(paper: Paper) -> list[float]:
    """Return the area of the floor that is covered until it is seen: left, top, width and height."""
    frame = paper.frames[0][1]
    return [round(value, 1) for value in (frame.x, frame.y, frame.width, frame.height)]


def _of_scene(scene: Scene, contents: Contents) -> dict[str, object]:
    place = {node: number for number, node in enumerate(scene.nodes)}
    nodes = scene.nodes.values()
    return {
        "title": contents.heading or contents.goal or scene.name,
        "outcome": contents.outcome,
        "good": contents.outcome in GOOD,
        "relaxed": contents.relaxed,
        "summary": list(contents.facts),
        "reasons": list(contents.reasons),
        "scene": scene.name,
        "nodes": {
            "id": list(scene.nodes),
            "type": [n.type for n in nodes],
            "parent": [place[n.parent] if n.parent is not None else -1 for n in nodes],
            "relation": [n.relation for n in nodes],
            "words": [
                [", ".join(words) for words in (n.classes, n.state, n.attributes, n.affordances)]
                for n in nodes
            ],
        },
        "marked": list(contents.marked),
        "answers": list(contents.answers),
    }


def _rules(record: Mapping[str, object]) -> list[str]:
    """Return the rules of a run, which its plan is shown to keep like parts of its goal."""
    return texts([one.get("rule") for one in objects(record.get("rules"))])


def _tracks(
    record: Mapping[str, object], belief: Belief, truth: Belief | None, goals: Sequence[str]
) -> list[dict[str, object]]:
    """Return what was done, or planned, as moments; and each plan that a model wrote."""
    tracks: list[dict[str, object]] = []
    executed, plan = texts(record.get("executed")), texts(record.get("plan"))
    world = truth or belief
    parts = [part for goal in goals for part in goal_parts(goal, world)]
    if executed:
        tracks.append({"name": "done in the true world", "moments": played(executed, world, parts)})
    for number, attempt in enumerate(items(record.get("attempts")), 1):
        steps = texts(mapping(attempt).get("steps"))
        if steps and steps != plan:
            tracks.append({"name": f"attempt {number}", "moments": played(steps, belief, parts)})
    if not executed and (plan or not tracks):
        tracks.insert(0, {"name": "plan", "moments": played(plan, belief, parts)})
    return tracks


def _fact(key: str, value: object) -> object:
    """Return a value as it is listed; of a house without the walk and the map, which are drawn."""
    if key == "house" and isinstance(value, dict):
        return {name: one for name, one in value.items() if name not in ("walk", "graph")}
    return value


def _meaning(outcome: str, record: Mapping[str, object]) -> str:
    """Return what an outcome means that is no success; where a model wrote the plan, in words of methods."""
    if outcome in GOOD:
        return ""
    if record.get("attempts") and outcome in OF_METHODS:
        return OF_METHODS[outcome]["meaning"]
    return explained_outcomes().get(outcome, "")


def _lists(record: Mapping[str, object]) -> dict[str, object]:
    """Return the lists of a record whose entries are as they should be; a record may be anybody's file."""
    shown: dict[str, object] = {key: texts(record.get(key)) for key in ("notes", "looks")}
    for key, keys in LISTED.items():
        entries = objects(record.get(key))
        shown[key] = [{name: _field(name, one.get(name)) for name in keys} for one in entries]
    return shown


def _field(name: str, value: object) -> object:
    if name == CHANGES:
        return {key: texts(mapping(value).get(key)) for key in ("added", "dropped")}
    if name in LISTS:
        return texts(value)
    if name in NUMBERS:
        return value if isinstance(value, int) and abs(value) < 1 << 53 else 0
    return value if isinstance(value, str) else None


def _search(record: Mapping[str, object]) -> dict[str, object]:
    return {key: texts(record.get(key)) for key in ("opened", "shown", "subgraph")}


def _diagnostics(record: Mapping[str, object], goal: str, belief: Belief) -> Sequence[object]:
    """Return the findings of a record, with their places in the goal as it is printed there."""
    entries = objects(record.get("diagnostics"))
    try:
        found_again = [d.as_json() for d in check(parse_goal(goal), belief).diagnostics]
        spans = {(d["code"], d["message"]): d["span"] for d in found_again}
    except GoalSyntaxError as error:
        spans = {(error.diagnostic.code, error.diagnostic.message): error.diagnostic.as_json()["span"]}
    listed = [{key: _field(key, one.get(key)) for key in ("code", "severity", "message")} for one in entries]
    return [one | {"span": spans.get((one["code"], one["message"]))} for one in listed]


def _page(data: dict[str, object], drawing: Drawing, paper: Paper) -> str:
    data["places"] = {node: [round(x, 1), round(y, 1)] for node, (x, y) in paper.at.items()}
    script, style = (_file(name) for name in ("page.js", "page.css"))
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    filled = {
        "POLICY": escape(policy),
        "TITLE": escape(safe(str(data["title"]))[:200]),
        "STYLE": f"<style>{style}</style>",
        "DRAWING": svg_of(drawing),
        "DATA": f'<script type="application/json" id="data">{_as_data(data)}</script>',
        "SCRIPT": f"<script>{script}</script>",
    }
    return _PLACE.sub(lambda m: filled[m[1]], _file("page.html"))


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _as_data(data: Mapping[str, object]) -> str:
    """Return JSON that ends no element: ``<`` is written as an escape, and so is all that is not ASCII."""
    text = without_key(json.dumps(_visible(data), ensure_ascii=True, separators=(",", ":")))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _visible(value: object) -> object:
    """Return data whose texts have nothing that cannot be seen."""
    match value:
        case str():
            return _clear(value)
        case float() if not math.isfinite(value):
            return str(value)
        case Mapping():
            return {_clear(str(key)): _visible(one) for key, one in value.items()}
        case Sequence():
            return [_visible(one) for one in value]
    return value


def _clear(text: str) -> str:
    return text if text.isprintable() else safe(text, lines=True)
