"""A plan step by step: where the robot is, what it holds, what changed, and which parts of the goal hold.

Each step is carried out in a world, here the one that the run was given. What cannot be done there is
refused, with the facts that it lacks and what holds of them; the steps after it are listed and not done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from ...compiler.goals.checker import check
from ...compiler.goals.goal import Goal, GoalSyntaxError, parse_goal
from ...domains.action import PlanAction
from ...domains.errors import GoalError, InputError
from ...domains.evaluate import evaluate
from ...domains.formula import Formula, GroundAtom, conjuncts
from ...language.sentences.saying import say
from ...simulator.belief import Belief
from ...simulator.step import DONE, Step, read_step
from ...simulator.verification import watched
from ...simulator.world import Refusal, World

MOST_STEPS = 2000
"""Most steps that are played."""


def goal_parts(text: str, belief: Belief) -> tuple[Formula, ...]:
    """Return the conjuncts of a goal that can be decided in a scene; none for any other text."""
    with suppress(GoalSyntaxError, GoalError):
        goal: Goal = parse_goal(text)
        if check(goal, belief).ok:
            watched(goal.formula, belief)  # refuses what is never decided
            return conjuncts(goal.formula)
    return ()


def parts_in_words(parts: Sequence[Formula], belief: Belief) -> list[dict[str, str]]:
    """Return each part of a goal as a formula and as a sentence."""
    return [{"formula": str(part), "words": say(part, belief)} for part in parts]


def played(steps: Sequence[str], belief: Belief, parts: Sequence[Formula]) -> list[dict[str, object]]:
    """Return the state before the first step and after each of them, as data for a page."""
    world = World(belief, tuple(w for part in parts for w in watched(part, belief)))
    moments = [{"step": "", **_state(world, parts), "changes": []}]
    for text in steps[:MOST_STEPS]:
        step = _step(text)
        if step is None or step == DONE:
            moments.append({"step": text, **_state(world, parts), "changes": []})
            continue
        before = world.fork()
        effect = world.apply(step)
        if isinstance(effect, Refusal):
            moments.append({"step": text, **_state(world, parts), "changes": [], **_refused(effect, world)})
            break
        moments.append({"step": text, **_state(world, parts), **_done(effect.actions, before, world)})
    return moments


def _step(text: str) -> Step | None:
    try:
        return read_step(text, "plan")
    except InputError:
        return None


def _state(world: World, parts: Sequence[Formula]) -> dict[str, object]:
    held = [args[0] for args in world.state.facts.all(world.pack.mapping.robot_held.predicate)]
    truth = "".join("1" if evaluate(part, world) else "0" for part in parts)
    return {"at": world.state.stands_at, "held": sorted(held), "goal": truth}


def _done(actions: Sequence[PlanAction], before: World, after: World) -> dict[str, object]:
    """Return what a step needed, what it changed, and what happened by itself."""
    needed: dict[GroundAtom, None] = {}
    touched: dict[GroundAtom, None] = {}
    for action in actions:
        ground = after.pack.domain.actions[action.name].ground(action.args)
        needed |= dict.fromkeys(() if action.event else ground.precondition)
        touched |= dict.fromkeys((*ground.delete, *ground.add))
    kept = [(a, True) for a in needed if before.state.facts.holds(a.predicate, a.args)]
    return {
        "needs": _facts(kept, after),
        "changes": _facts(_changes(touched, before, after), after),
        "events": [str(a) for a in actions if a.event],
    }


def _facts(facts: Iterable[tuple[GroundAtom, bool]], world: World) -> list[dict[str, object]]:
    """Return facts as data, one of those that are said in the same words: rather what holds than what not."""
    said_once: dict[object, dict[str, object]] = {}
    for atom, holds in facts:
        fact = _fact(atom, holds, world)
        if holds or fact["words"] not in said_once:
            said_once[fact["words"]] = fact
    return list(said_once.values())


def _changes(
    touched: Mapping[GroundAtom, None], before: World, after: World
) -> Iterator[tuple[GroundAtom, bool]]:
    for atom in touched:
        now = after.state.facts.holds(atom.predicate, atom.args)
        if now != before.state.facts.holds(atom.predicate, atom.args):
            yield atom, now


def _refused(refusal: Refusal, world: World) -> dict[str, object]:
    unmet = [_fact(a, False, world) for a in refusal.unmet]
    return {"refused": refusal.message, "unmet": unmet}


def _fact(atom: GroundAtom, holds: bool, world: World) -> dict[str, object]:
    """Return a fact with its words and its nodes; ``holds`` is whether it is true now."""
    nodes = [a for a in atom.args if a in world.scene.nodes]
    words = world.pack.words(atom.predicate, atom.args, holds)
    return {"fact": str(atom), "holds": holds, "words": words, "nodes": nodes}
