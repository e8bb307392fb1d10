"""The trace of an execution as a record that can be drawn: what was done, and what was seen and meant when.

A trace has a line for each event (``robot.trace``); here they are put beside the steps that were done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...domains.errors import InputError, clip
from ...robot.trace import SavedTrace
from ...robot.trace_lines import TraceLine
from ...simulator.belief import Belief


def record_of(trace: SavedTrace) -> dict[str, object]:
    """Return the keys of a record that follow from a trace, and under ``story`` and ``seen`` what came when.

    ``story`` has texts, each with the number of the steps that were done before; ``seen`` has for each node
    that was observed the number of the steps after which it first was.
    """
    done: list[str] = []
    story: list[dict[str, object]] = []
    seen: dict[str, int] = {}
    metres: object = 0.0
    for line in trace.lines:
        outcome = line.get("outcome")
        if line["kind"] == "observe" and isinstance(outcome, dict):
            if line["step"] is not None and outcome["done"]:
                done.append(str(line["step"]))
            metres = line["metres"]
            for node in _observed(outcome):
                seen.setdefault(node, len(done))
        story += [{"after": len(done), "text": text} for text in _told(line)]
    last = trace.lines[-1]
    ended = last["kind"] == "end"
    return {
        "outcome": last["outcome"] if ended else "",
        "goal": trace.start["goal"],
        "executed": done,
        "executed_metres": metres,
        "reasons": last["reasons"] if ended else ["the trace has no end: the run was cut off"],
        "engine": trace.settings.get("engine"),
        "story": story,
        "seen": seen,
        "unseen": trace.start["unseen"],
        "hashes": trace.start["hashes"],
    }


def check_world(trace: SavedTrace, belief: Belief, where: str) -> None:
    """Check that a scene is the one that a trace was made in. Raises :class:`InputError` for another one."""
    world, hashes = trace.start.get("world"), trace.start["hashes"]
    allowed = [world["scene"]] if isinstance(world, dict) else []
    allowed += [hashes["scene"]] if isinstance(hashes, dict) else []
    if belief.scene.hash not in allowed:
        hint = "name with --scene what was really there"
        raise InputError(f"{clip(where, 200)}: world", "the scene of the run", belief.scene.name, hint)


def _observed(outcome: Mapping[str, object]) -> Iterator[str]:
    observations = outcome.get("observations")
    nodes = observations.get("nodes") if isinstance(observations, dict) else ()
    for node in nodes or ():
        yield str(node["id"])


def _told(line: TraceLine) -> Iterator[str]:
    """Yield in words what a line says beside the step that was done."""
    match line:
        case {"kind": "look", "look": [str(node), str(relation)]}:
            yield f"looks next: {_spot(node, relation)}"
        case {"kind": "plan" | "repair" as kind, "steps": list(steps)}:
            yield f"{'plans' if kind == 'plan' else 'plans anew'}: {len(steps)} steps"
        case {"kind": "observe", "outcome": dict(outcome), "changes": list(changes)}:
            if not outcome["done"]:
                yield f"{line['step']} failed: {outcome['message']}"
            yield from _changes(changes)
        case {"kind": "give-up", "unreached": [str(node), str(relation)], "reason": reason}:
            yield f"gives up {_spot(node, relation)}: {reason}"
        case {"kind": "again"}:
            yield "looks at all places again"


def _spot(node: str, relation: str) -> str:
    return node if relation == "around" else f"{relation} {node}"


def _changes(changes: Sequence[Mapping[str, object]]) -> Iterator[str]:
    for one in changes:
        now = one["seen"] if one["seen"] is not None else "not there"
        yield f"sees {one['node']}: it was believed {one['believed']}, it is {now}"
