"""Deciding a BDDL goal on a final state, as BEHAVIOR's own evaluator does and without our goal language.

This is the oracle for goals that were read from BDDL: it walks the goal as it was written, over the facts
that a world ends with, by the rules of ``condition_evaluation.py`` in the ``bddl`` package 3.6.0. It shares
the reader of the text with ``datasets.bddl.goal``, and nothing that interprets it: no formulas, no compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from groundplan.datasets.bddl.text import Activity
from groundplan.domains.sexpr import Expression, Word
from groundplan.simulator.world import World

SUBSTANCES: Mapping[str, tuple[str, str]] = {
    "covered": ("covered", ""),
    "contains": ("contains", ""),
    "filled": ("filled_with", ""),
    "saturated": ("saturated", ""),
    "dusty": ("covered", "dust.n.01"),
    "stained": ("covered", "stain.n.02"),
    "soaked": ("saturated", "water.n.06"),
}
"""BDDL's predicates of substances: the pack's, and the substance where BDDL does not name it."""
MADE = frozenset("first_half second_half dice dice_cooked let_cook melt".split())
"""Affordances of what an activity makes."""

Holds = Callable[[str, tuple[str, ...]], bool]
"""Whether a BDDL atom is true: its predicate, and objects by name."""


def facts_of(world: World) -> Holds:
    """BDDL's atoms in a world over the activity's scene. Raises ``KeyError`` for another predicate."""
    facts = world.state.facts
    gone = {name for name, node in world.scene.nodes.items() if MADE.intersection(node.affordances)}
    judges: Mapping[str, Callable[[tuple[str, ...]], bool]] = {
        **{name: partial(_of_substance, world, *meant) for name, meant in SUBSTANCES.items()},
        **{name: partial(_plain, world, name) for name in ("cooked", "frozen", "hot", "sliced", "under")},
        **{name: partial(_plain, world, name) for name in ("folded", "unfolded")},
        "onfloor": lambda args: facts.holds("ontop_of", args),
        "attached": lambda args: facts.holds("attached_to", args),
        "ontop": lambda args: facts.holds("ontop_of", args),
        "inside": lambda args: _inside(world, *args),
        "open": lambda args: facts.holds("open", args),
        "toggled_on": lambda args: facts.holds("turned_on", args),
        "inroom": lambda args: world.state.room_of(args[0]) == args[1],
        "real": lambda args: args[0] not in gone or facts.holds("real", args),
    }
    return lambda predicate, args: judges[predicate](args)


def _plain(world: World, name: str, args: tuple[str, ...]) -> bool:
    return world.state.facts.holds(name, args)


def _of_substance(world: World, word: str, substance: str, args: tuple[str, ...]) -> bool:
    return world.state.facts.holds(word, (*args, *([substance] if substance else [])))


def _inside(world: World, name: str, container: str) -> bool:
    """Whether a thing, or what carries it, is in a container: BEHAVIOR's simulator goes by volume."""
    state = world.state
    return any(state.facts.holds("inside_of", (carried, container)) for carried in state.around(name))


def satisfied(activity: Activity, holds: Holds) -> bool:
    """Whether the goal of an activity is true."""
    return _Judge(activity, holds).value(activity.goal, {})


class _Judge:
    def __init__(self, activity: Activity, holds: Holds) -> None:
        self.holds = holds
        self.by_synset: dict[str, list[str]] = {}
        for name, synset in activity.objects.items():
            self.by_synset.setdefault(synset, []).append(name)

    def value(self, node: Expression, scope: Mapping[str, str]) -> bool:
        """The truth of a part; ``scope`` binds variables to objects."""
        operator, parts = node.head(), node.items[1:]
        if operator == "and":
            return all([self.value(_list(p), scope) for p in parts])
        if operator == "or":
            return any([self.value(_list(p), scope) for p in parts])
        if operator == "not":
            return not self.value(_list(parts[0]), scope)
        if operator == "imply":
            return not self.value(_list(parts[0]), scope) or self.value(_list(parts[1]), scope)
        if operator in ("forall", "exists", "forn"):
            *before, typed, body = parts
            name, synset = _typed(typed)
            values = [self.value(_list(body), {**scope, name: o}) for o in self.by_synset[synset]]
            if operator == "forn":
                return sum(values) == int(_word(_list(before[0]).items[0]))
            return all(values) if operator == "forall" else any(values)
        if operator in ("forpairs", "fornpairs"):
            return self.pairs(operator, parts, scope)
        return self.holds(operator, tuple(scope.get(n, n) for n in (_word(p).strip("?") for p in parts)))

    def pairs(self, operator: str, parts: tuple[Expression | Word, ...], scope: Mapping[str, str]) -> bool:
        """Count the rows and the columns with a true entry, the table being each object by the others."""
        *before, one, other, body = parts
        (a, first), (b, second) = _typed(one), _typed(other)
        table = [
            [self.value(_list(body), {**scope, a: x, b: y}) for y in self.by_synset[second] if y != x]
            for x in self.by_synset[first]
        ]
        width = len(table[0])
        least = min(len(table), width) if not before else int(_word(_list(before[0]).items[0]))
        rows = sum(any(row) for row in table)
        columns = sum(any(row[k] for row in table) for k in range(width))
        return rows >= least and columns >= least


def _list(item: Expression | Word) -> Expression:
    assert isinstance(item, Expression)  # the reader has checked the goal
    return item


def _word(item: Expression | Word) -> str:
    assert isinstance(item, Word)
    return item.text


def _typed(item: Expression | Word) -> tuple[str, str]:
    name, _, synset = map(_word, _list(item).items)
    return name.strip("?"), synset
