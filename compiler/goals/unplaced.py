"""Things whose place is not known, in a goal: those that it names, and those that it would range over.

A scene keeps such things (``Scene.unplaced``) though nobody knows where they are. Quantifiers leave them out,
since no plan can reach them, so whatever comes of a goal has to say that it does not mention them: the check
by a diagnostic, a record by its list. The decision is docs/decisions/0021-places-not-known.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...domains.errors import clip
from ...domains.formula import Formula, declared, names, terms, walk
from ...simulator.belief import Belief
from ...simulator.scene import Node, Scene

LISTED = 3
"""Names that a sentence lists; of more it gives the number."""


def unplaced_in(formula: Formula, belief: Belief) -> tuple[str, ...]:
    """Return the things without a known place that a formula names or would range over, in scene order.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal
    >>> unplaced_in(parse_goal("(open fridge)").formula, ground(load_scene("office"), load_pack()))
    ()
    """
    parts = list(walk(formula))
    spoken_of = {name for part in parts for name in terms(part)}
    spoken_of |= {name for part in parts for v in declared(part) for name in belief.unplaced_members(v.type)}
    return tuple(name for name in belief.scene.unplaced if name in spoken_of)


def unplaced_alike(formula: Formula, belief: Belief) -> tuple[str, ...]:
    """Return the things without a known place of which a goal for an instruction leaves out to speak.

    Readers see what has a place, and may write "all cups" as those that they see. So besides
    :func:`unplaced_in`, these are the things of the first class of anything that the formula names.
    """
    nodes = belief.scene.nodes
    spoken_of = frozenset(unplaced_in(formula, belief))
    classes = {nodes[name].classes[:1] for name in names(formula) if name in nodes}
    things = belief.scene.unplaced
    return tuple(i for i in things if i in spoken_of or nodes[i].classes[:1] in classes)


def unplaced_named(instruction: str, scene: Scene) -> tuple[str, ...]:
    """Return the things without a known place whose names stand in an instruction, in scene order.

    A state or an attribute with a class after it ("the dirty cup"), or in a clause behind the class ("the cup
    that is dirty"), stands for a name where nothing of that description has a known place.

    >>> from groundplan import load_scene
    >>> unplaced_named("Bring me the banana.", load_scene("office"))
    ()
    """
    text, nodes = _words(instruction), scene.nodes
    spoken = ((i, _words(i)) for i in scene.unplaced)
    # "a cup" asks for any, also where a thing without a place is called cup.
    named = {i for i, own in spoken if own in text and own not in map(_words, nodes[i].classes)}
    sorts = dict.fromkeys(sort for i in scene.unplaced for sort in nodes[i].classes)
    shared = {sort: _words_of_placed(sort, scene) for sort in sorts}
    return tuple(i for i in scene.unplaced if i in named or _is_described(nodes[i], text, shared))


def _words_of_placed(sort: str, scene: Scene) -> frozenset[str]:
    """Return the states and attributes of the things of a class that have a known place."""
    placed = (scene.nodes[i] for i in scene.by_class.get(sort, ()) if i not in scene.unplaced)
    return frozenset(word for node in placed for word in (*node.state, *node.attributes))


def _is_described(node: Node, text: str, shared: Mapping[str, frozenset[str]]) -> bool:
    """Return whether words of a text fit a thing without a place, and nothing of its class that has one.

    ``shared`` are the words, by class, that also fit things with a known place.
    """
    words = (*node.state, *node.attributes)
    # Single words, each once: of alternatives that match the same, exponentially many ways may be tried.
    apart = {word for phrase in (*words, *node.classes) for word in _words(phrase).split()}
    between, joined = ("|".join(map(re.escape, sorted(some))) for some in (apart, {*apart, "and"}))
    for sort in node.classes:
        for word in words:
            one, thing = (re.escape(_words(w)[:-1]) for w in (word, sort))
            before = rf"{one}(?: (?:{between}))*{thing}(?:s|es)? "
            behind = rf"{thing}(?:s|es)? (?:that|which)(?: is| are| s| re)(?: (?:{joined}))*{one} "
            if one and thing and word not in shared[sort] and re.search(f"{before}|{behind}", text):
                return True
    return False


def _words(text: str) -> str:
    """Return the words and numbers of a text in lower case, with a space around each."""
    return " ".join(("", *re.findall(r"[^\W\d_]+|\d+", text.lower()), ""))


def places_unknown(things: Sequence[str]) -> str:
    """Say of a few things that nobody knows where they are: ``the places of cup2, cup3 are not known``."""
    start, verb = ("the place of", "is") if len(things) == 1 else ("the places of", "are")
    return f"{start} {listed(things)} {verb} not known"


def left_out(things: Sequence[str]) -> str:
    """Say of a verdict which things it leaves out: the goal was checked, and holds, for all others."""
    one = len(things) == 1
    what, stands = ("it", "it stands") if one else ("them", "they stand")
    return f"left out: {listed(things)}. Nobody knows where {stands}, so the verdict says nothing of {what}"


def listed(things: Sequence[str]) -> str:
    """Name a few things in a sentence: ``cup_13, cup_14, cup_15 and 2 more``."""
    shown = ", ".join(clip(name, 40) for name in things[:LISTED])
    return f"{shown} and {len(things) - LISTED} more" if len(things) > LISTED else shown
