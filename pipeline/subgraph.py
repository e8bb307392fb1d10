"""Planning with what a search has shown, and the kinds of things that are missing from it.

The problem is compiled from the shown part of the scene. Without a plan in it, the whole scene is planned
for: to prove that there is none at all, or to say which kinds of things such a plan uses that no search has
shown. That plan is never returned, unless it uses shown things alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..compiler.goals.goal import Goal, Missing
from ..compiler.normal import Expanded
from ..compiler.shown_part import beyond_search
from ..domains.action import Plan
from ..domains.deadline import share_of_time
from ..domains.ending import Ending
from ..domains.formula import Atom, Count, Exists, Forall, names, walk
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..language.english.words import name_words
from ..language.reader import SearchResult, Written
from ..planners.classical import plan_goal
from ..simulator.belief import Belief
from ..simulator.scene import default_class
from ..simulator.view import View

SHARE = 0.5
"""The part of the time left in which a plan is looked for with what the search showed."""
NOT_SHOWN = "no plan with what the search showed; needed, and not shown: {}"
SUBJECT = "{0} "
"""Begins the words of a pack for a fact of which the thing is the subject: ``{0} can wipe``."""


def plan_shown(
    goal: Goal, part: Belief, engine: Engine, budget: Budget, normal: Expanded | None = None
) -> tuple[PlanResult, tuple[str, ...]]:
    """Plan for a goal with a part of a belief; without a plan also return the kinds of things that it lacks.

    ``normal`` is the goal's normal form over the whole, where there is one already.
    """
    whole = part.whole
    assert whole is not None, "a belief that is a part of no other has nothing that was not shown"
    with share_of_time(SHARE):
        tried = plan_goal(goal, part, engine, budget)
    if tried.verified:
        return tried, ()
    result = plan_goal(goal, whole, engine, budget, normal=normal)
    unshown = beyond_search(result.names, whole.scene, part.scene.nodes)
    kinds = kinds_lacking(goal, result.plan or (), unshown, whole)
    if kinds:
        result = PlanResult(Ending.NOT_FOUND, reasons=(NOT_SHOWN.format("; ".join(kinds)),))
    cut_off = tuple(dict.fromkeys((*tried.cut_off, *result.cut_off)))
    return replace(result, reproducible=tried.reproducible and result.reproducible, cut_off=cut_off), kinds


def kinds_lacking(goal: Goal, plan: Plan, unshown: Sequence[str], belief: Belief) -> tuple[str, ...]:
    """Return the kinds of what a plan uses and no search has shown: "something that can wipe: paper towel".

    Each is told by its class with the attributes that the goal mentions, never by its place. Of a class that
    the goal does not range over it is also told why: by the rarest of the static facts for which the plan
    uses the thing. What such a thing is in is shown with it, and is no kind of its own.
    """
    above = {place for name in unshown for place in belief.scene.ancestors(name)}
    needed = (name for name in unshown if name not in above)
    parts = list(walk(goal.formula))
    mentioned = {part.predicate for part in parts if isinstance(part, Atom)}
    mentioned |= {
        v.type for part in parts if isinstance(part, Exists | Forall | Count) for v in part.variables
    }
    return tuple(dict.fromkeys(_kind(name, mentioned, plan, belief) for name in needed))


def _kind(name: str, mentioned: set[str], plan: Plan, belief: Belief) -> str:
    node, pack = belief.scene.nodes[name], belief.pack
    kind = node.classes[0] if node.classes else default_class(name)
    called = " ".join((*(a for a in node.attributes if a in mentioned), *name_words(kind)))
    if kind in mentioned:
        return called
    uses = {
        atom.predicate
        for action in plan
        if name in action.args
        for atom in pack.domain.actions[action.name].ground(action.args).precondition
        if atom.args == (name,) and atom.predicate not in pack.fluents
    }
    if not uses:
        return called
    rarest = min(sorted(uses), key=lambda predicate: len(belief.facts.all(predicate)))
    words = pack.mapping.words.get(rarest, ("", ""))[0]
    return f"something that {words.removeprefix(SUBJECT)}: {called}" if words.startswith(SUBJECT) else called


def opened_for(search: SearchResult, opened: tuple[str, ...] = ()) -> SearchResult:
    """Return a search whose view has some nodes expanded, and the rooms in which its subgraph is now."""
    view = search.view
    rooms = (view.scene.room_of(node) for node in search.subgraph if node in view.scene.nodes)
    expanded = dict.fromkeys((*view.expanded, *opened, *filter(None, rooms)))
    view = View(view.scene, tuple(expanded), tuple(dict.fromkeys((*view.memory, *expanded))))
    return replace(search, view=view, subgraph=tuple(n for n in search.subgraph if n in view.ids))


def looked_for_in(written: Written, search: SearchResult) -> str:
    """Return the names to take a search up again for, commas between; empty when there are none."""
    if isinstance(written, Missing):
        return written.words
    scene, shown = search.view.scene, search.scene.nodes
    if not isinstance(written, Goal):
        return ""
    # What has no place can be shown by no search: the check says so.
    return ", ".join(
        n for n in names(written.formula) if n in scene.nodes and n not in shown and n not in scene.unplaced
    )


def shows_more(search: SearchResult, before: SearchResult) -> bool:
    """Return whether a search has nodes that the one before it has not."""
    return not set(search.subgraph) <= set(before.subgraph)
