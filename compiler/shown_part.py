"""The part of a scene that a search has shown, as a belief from which a problem can be compiled.

Beside what was shown it holds the structure that every plan rests on: the levels down to rooms, poses and
links, since routes lead along them; the doors on links; the robot with what it holds; and whatever any of
these is in or on. Everything in and about rooms has to be shown. Facts are those of the whole belief, so what
is unseen may still stand in the way, and plans are held against the whole (:attr:`Belief.whole`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, get_args

from ..simulator.belief import Belief
from ..simulator.facts import Facts
from ..simulator.scene import CONTAINERS, Scene
from ..simulator.view import View

CompileForm = Literal["subgraph", "scene"]
"""Part of a scene from which problems for a reader's goal are compiled: what its search showed, or all."""
COMPILE_FORMS: tuple[CompileForm, ...] = get_args(CompileForm)


def known_nodes(scene: Scene, shown: Iterable[str]) -> frozenset[str]:
    """Return what a search has shown, what was shown before it, and the structure of the scene."""
    agents = scene.by_type.get("agent", ())
    start = {*View.first(scene).ids, *shown, *scene.doors.values()}
    start.update(i for kind in (*CONTAINERS, "pose") for i in scene.by_type.get(kind, ()))
    start.update(at for name in agents if (at := scene.nodes[name].at) is not None)
    above = (i for name in start if name in scene.nodes for i in scene.ancestors(name))
    return frozenset((*start, *above))


def beyond_search(names: Iterable[str], scene: Scene, shown: Iterable[str]) -> tuple[str, ...]:
    """Return those of the names that are nodes which no search has shown, each once, in scene order."""
    hidden = {name for name in names if name in scene.nodes} - known_nodes(scene, shown)
    return tuple(name for name in scene.nodes if name in hidden)


def compiled_from(belief: Belief, form: str | None, shown: Iterable[str]) -> Belief:
    """Return the belief from which problems are compiled: for ``subgraph`` a part, in all other cases all."""
    return shown_part(belief, shown) if form == "subgraph" else belief


def shown_part(belief: Belief, shown: Iterable[str]) -> Belief:
    """Return the belief about what a search has shown and the structure of the scene, and nothing else."""
    scene = belief.scene
    hidden = scene.nodes.keys() - known_nodes(scene, shown)
    facts = Facts()
    for predicate in belief.facts.predicates():
        for args in belief.facts.all(predicate):
            if hidden.isdisjoint(args):
                facts.add(predicate, args)
    nodes = {name: node for name, node in scene.nodes.items() if name not in hidden}
    part = replace(
        belief, scene=Scene(scene.name, nodes, scene.links, scene.description), facts=facts, whole=belief
    )
    # What holds of the whole: the ways are the same, and what the actions keep they keep of a part.
    same = {name: getattr(belief, name) for name in ("shut_ways", "invariants", "unused")}
    part.__dict__.update(same, routes=belief.routes.on(part.scene))
    return part
