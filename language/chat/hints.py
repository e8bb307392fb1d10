"""Hints for a repair: what the scene offers in place of what a goal asked for and cannot have.

The words of check and planner say what is wrong; a hint says what there is instead, from what the model was
shown: names like one that is not there, the names that fit an argument, the processes that alone bring a fact
about ("only wash and wipe make it so that bowl is clean"), and what is so already. All of it follows from
pack and scene. Bounds may be changed, kinds added; recorded repairs are found by their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

from ...compiler.decoding.arguments import FittingArguments
from ...compiler.goals.checker import check
from ...compiler.goals.goal import Goal
from ...domains.errors import nearest
from ...domains.formula import Atom, Formula, GroundAtom, conjuncts, is_ground_atom, walk
from ...domains.pack import filled, only_by
from ...simulator.belief import Belief
from ..reader import Tried
from ..sentences.saying import name_of, say
from .search.name_index import NameIndex

MOST_HINTS = 5
MOST_NAMES = 8
"""Most names in one hint."""
MOST_FACTS = 12
"""Most facts of a goal that are looked at."""
MOST_CHARACTERS = 200
"""Characters of the longest name that is looked for."""


class Offer:
    """Offer of one scene, ``belief``, as far as it was shown; facts are sentences of the pack or formulas."""

    def __init__(self, belief: Belief, in_sentences: bool) -> None:
        self.belief, self.pack, self.scene = belief, belief.pack, belief.scene
        self.sentences = self.pack.language.sentences if in_sentences and self.pack.language else {}

    def hints(self, tried: Tried) -> tuple[str, ...]:
        """Return hints about a goal that was turned down; none for an answer that is no goal."""
        hints = self._hints(tried) if isinstance(tried, Goal) else ()
        return tuple(islice(dict.fromkeys(hints), MOST_HINTS))

    def _hints(self, goal: Goal) -> Iterator[str]:
        formula = goal.formula
        public = self.pack.public_predicates()
        ground = filter(is_ground_atom, walk(formula))
        facts = [a for a in ground if public.get(a.predicate) == len(a.args)][:MOST_FACTS]
        for atom in facts:
            yield from self.of_arguments(atom)
        for atom in facts:
            makers = [action for action, _ in self.pack.adders.get(atom.predicate, ())]
            there = all(arg in self.scene.nodes for arg in atom.args)
            if there and makers and all(self.pack.mapping_of(action.name).event for action in makers):
                yield f"{only_by(makers, self.pack)} that {self.pack.words(atom.predicate, atom.args, True)}"
        report = check(goal, self.belief)
        if report.ok and any(d.code == "already-true" for d in report.diagnostics):
            yield from (f"{self.part(part)} is so already" for part in conjuncts(formula))

    def of_arguments(self, atom: GroundAtom) -> Iterator[str]:
        """Yield hints on the arguments that are not there, or do not fit."""
        for index, name in enumerate(atom.args):
            node = self.scene.nodes.get(name)
            fit = self.fitting.get((atom.predicate, index), ())
            if node is None:
                like = self.like(name)
                near = [n for n in like if n in fit] or like
                if near:
                    yield f"{name_of(name)} is not shown; like it: {self.listed(near)}"
            elif name not in fit:
                holes = [name_of(a) if i != index else "X" for i, a in enumerate(atom.args)]
                fact = self.fact(atom, holes)
                if fit:
                    yield f"in {fact} X may be {self.listed(fit)}"
                else:
                    yield f"nothing that is shown can be X in {fact}"

    def like(self, name: str) -> Sequence[str]:
        """Return what may have been meant by a name that is not there: by its words, or by its spelling."""
        if len(name) > MOST_CHARACTERS:
            return ()
        words = name.replace("_", " ").rstrip("0123456789 ")
        return self.index.fitting(words).nodes or nearest(name, self.scene.nodes)

    def fact(self, atom: Atom, holes: Sequence[str]) -> str:
        sentence = self.sentences.get(atom.predicate)
        if sentence is None:
            return f"({' '.join([atom.predicate, *holes])})"
        return f"'{filled(sentence, {str(i): hole for i, hole in enumerate(holes)})}'"

    def listed(self, names: Sequence[str]) -> str:
        shown = [name_of(n) for n in names[:MOST_NAMES]]
        more = [f"{len(names) - len(shown)} more"] if len(names) > len(shown) else []
        last = [*shown, *more]
        return " or ".join(filter(None, [", ".join(last[:-1]), last[-1]]))

    def part(self, formula: Formula) -> str:
        return f"'{say(formula, self.belief)}'" if self.sentences else str(formula)

    @cached_property
    def fitting(self) -> Mapping[tuple[str, int], Sequence[str]]:
        """The names that fit each argument, in the order of the scene."""
        fitting = FittingArguments(self.belief)
        fits: dict[tuple[str, int], list[str]] = {}
        for node in self.scene.nodes.values():
            if node.type in self.pack.mapping.types and node.type != "pose":
                for argument in sorted(fitting.of(node)):
                    fits.setdefault(argument, []).append(node.id)
        return fits

    @cached_property
    def index(self) -> NameIndex:
        return NameIndex(self.scene)
