"""Explanations of unsolvability, in the words of the pack: a few lines, and never an expanded formula.

They begin with the actions that could help and the conditions that these lack for ever. The proof is the
certificate; a sentence here may leave things out, so anything may be reworded or made shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ...compiler.certificates.induction import Binding
from ...domains.action import Action, bound_args, extend
from ...domains.errors import clip
from ...domains.evaluate import Part, conjunctive, parts, possible
from ...domains.formula import (
    Atom,
    Equal,
    Exists,
    Formula,
    GroundAtom,
    Not,
    Sometime,
    Term,
    Var,
    as_ground,
    substitute,
)
from ...domains.mapping import ROOM
from ...domains.pack import Pack, only_by
from ...simulator.partial_state import PartialState
from .statements import Statements

T = TypeVar("T")
MAX_LINES = 4
"""Most sentences of one explanation."""
MAX_TOGETHER = 4
"""Most parts of a goal that are said to exclude each other."""
NOTHING = "nothing here"

NO_STATE = "no state of the scene as it is known can satisfy"


def impossible_part(part: Part, state: PartialState, statements: Statements) -> tuple[str, ...]:
    """Say why one part of a goal can never hold."""
    nothing = [f"{NO_STATE} {in_words(part, statements.pack)}"]
    return tuple(_Explainer(state, statements).about(part) or nothing)[:MAX_LINES]


def impossible_together(parts: Sequence[Part], pack: Pack) -> tuple[str, ...]:
    """Say that some parts of a goal exclude each other."""
    words = [in_words(p, pack) for p in parts[:MAX_TOGETHER]]
    more = f"; and {len(parts) - MAX_TOGETHER} more" if len(parts) > MAX_TOGETHER else ""
    if len(words) == 1:
        return (f"this cannot be brought about: {words[0]}",)
    return (f"these facts cannot be brought about together: {'; '.join(words)}{more}",)


def in_words(part: Part, pack: Pack) -> str:
    """Return a part of a goal in the words of the pack, or as a formula where it is no fact."""
    node, positive, binding = part
    names: dict[str, Term] = dict(binding)
    ground = substitute(node, names)
    while isinstance(ground, Not | Sometime):
        positive = positive != isinstance(ground, Not)
        ground = ground.part if isinstance(ground, Not) else ground.body
    if isinstance(ground, Atom) and ground.predicate in pack.public_predicates():
        return pack.words(ground.predicate, as_ground(ground).args, positive)
    whole: Formula = ground if positive else Not(ground)
    return clip(str(whole), 100)


def essential(parts: Sequence[T], contradict: Callable[[Sequence[T]], bool]) -> list[T]:
    """Return parts that contradict each other, none of which can be left out (QuickXplain, Junker 2004)."""

    def core(given: list[T], rest: list[T], grew: bool) -> list[T]:
        if grew and contradict(given):
            return []
        if len(rest) == 1:
            return rest
        first, second = rest[: len(rest) // 2], rest[len(rest) // 2 :]
        late = core([*given, *first], second, bool(first))
        early = core([*given, *late], first, bool(late))
        return [*early, *late]

    return core([], list(parts), False)


def _by_name(part: Part) -> bool:
    """Return whether a part compares two names, or denies that they are one."""
    node = part[0]
    while isinstance(node, Not):
        node = node.part
    return isinstance(node, Equal)


class _Explainer:
    def __init__(self, state: PartialState, statements: Statements) -> None:
        self.state, self.statements, self.pack = state, statements, statements.pack
        self.seen: set[GroundAtom] = set()

    def about(self, part: Part) -> list[str]:
        """Return sentences about the first facts for which a part is impossible.

        There are none where names alone decide: that ``?a`` and ``?b`` are the same is no reason for other
        names.
        """
        node, positive, binding = part
        if isinstance(node, Sometime):
            return self.about((node.body, positive, binding))
        if not isinstance(node, Atom):
            if conjunctive(node, positive) and any(
                _by_name(child) and not possible(child[0], child[1], self.state, child[2])
                for child in parts(node, positive, self.state, binding)
            ):
                return []
            for child in parts(node, positive, self.state, binding):
                impossible = not possible(child[0], child[1], self.state, child[2])
                if impossible and (sentences := self.about(child)):
                    return sentences
            names_alone = isinstance(node, Equal | Exists) or _by_name(part)
            return [] if names_alone else [f"{NO_STATE} {in_words(part, self.pack)}"]
        atom = Atom(node.predicate, tuple(binding[a.name] if isinstance(a, Var) else a for a in node.args))
        meaning = self.pack.mapping.derived.get(atom.predicate)
        if not positive:
            return [f"{self.says(atom, True)}, and nothing in this scene changes that"]
        if meaning == ROOM:
            return self.about_room(atom)
        if meaning is not None:
            atom = Atom(meaning, atom.args)
        if atom.predicate in self.pack.fluents:
            return self.about_fact(atom)
        return [f"{self.says(atom, False)}, and no action changes what it is"]

    def about_room(self, atom: GroundAtom) -> list[str]:
        name, room = atom.args
        held = Atom(self.pack.mapping.robot_held.predicate, (name,))
        if self.state.scene.nodes[name].type != "object":
            return [f"{self.says(atom, False)}, and it cannot be moved"]
        if self.state.fact(held.predicate, (name,)) is False:
            return [f"{self.says(atom, False)}", *self.about_fact(held)]
        return [f"no place in {room} takes {name}, and the robot cannot carry it there"]

    def about_fact(self, atom: GroundAtom) -> list[str]:
        """Return sentences on why no action adds a fact, from the action down to what it lacks."""
        if atom in self.seen:
            return []
        self.seen.add(atom)
        if atom.predicate == self.pack.at:
            start, place = self.statements.belief.start, atom.args[0]
            area_of = self.statements.belief.routes.area
            if area_of(start) != area_of(place):
                return [f"no route leads from {start} to {place}"]
        actions = [
            (action, binding)
            for action, effect in self.pack.adders.get(atom.predicate, ())
            if (binding := extend(effect, atom.args)) is not None
        ]
        if not actions:
            return [f"{self.says(atom, False)}, and nothing in this scene changes that"]
        lacks: dict[str, GroundAtom | None] = {}
        for action, binding in actions:
            sentence, deeper = self.lacking(action, binding)
            lacks.setdefault(sentence, deeper)
        because = "; ".join(s for s in lacks if s)
        first = f"{only_by((a for a, _ in actions), self.pack)} that {self.says(atom, True)}"
        first += f": {because}" if because else ", and that can never happen"
        below = [line for deeper in lacks.values() if deeper for line in self.about_fact(deeper)]
        return [first, *below]

    def lacking(self, action: Action, binding: Binding) -> tuple[str, GroundAtom | None]:
        """Return the first condition that an action lacks for ever, in words, and what to explain next."""
        statements, unmet = self.statements, []
        for parameter in action.parameters:
            name = binding.get(parameter.name)
            if name is not None and not statements.belief.has_type(name, parameter.type):
                return f"{name} is no {parameter.type}", None
        for condition in action.precondition:
            args = bound_args(condition, binding)
            if not statements.limited(condition.predicate, args):
                continue
            if not statements.matching(condition.predicate, args):
                changes = condition.predicate in self.pack.fluents
                rank = (changes, None not in args)
                unmet.append((rank, condition.predicate, args))
        if not unmet:
            for condition in action.precondition:
                args = bound_args(condition, binding)
                if None in args and statements.limited(condition.predicate, args):
                    matching = statements.matching(condition.predicate, args)
                    extended = extend(condition, matching[0], binding)
                    if extended is not None and len(extended) > len(binding):
                        return self.lacking(action, extended)
            return "", None
        (changes, named), predicate, args = min(unmet, key=lambda u: u[0])
        atom = Atom(predicate, tuple(a or NOTHING for a in args))
        if not named:  # where a thing is not says less than what the scene lacks
            return ("" if changes else self.says(atom, True)), None
        return self.says(atom, False), atom if changes else None

    def says(self, atom: GroundAtom, holds: bool) -> str:
        return self.pack.words(atom.predicate, atom.args, holds)
