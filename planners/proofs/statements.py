"""Statements that a certificate can rest on, looked for backward from a goal.

The checker asks whether facts of some pattern are ever added. :class:`Statements` answers the same questions
by search: it follows the conditions of every action that could add one, takes all that it meets for never
added, and drops what the actions contradict until nothing changes. What is left is proved, because it is
checked by the very test that the checker makes. Its size depends on the question and not on the building.
The bounds may be changed; they decide only what is proved.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...compiler.certificates.certificate import Pattern, Refused
from ...compiler.certificates.checker import most_steps
from ...compiler.certificates.induction import Binding, Induction, generalisations
from ...domains.action import Action, bound_args, extend
from ...domains.formula import GroundAtom
from ...simulator.belief import Belief, misfits
from ...simulator.partial_state import PartialArgs

MAX_CHOICES = 16
"""Most objects that a static condition is followed for one by one."""
MAX_NOW = 8
"""Most present facts that a condition which may change is followed for one by one."""
MAX_PATTERNS = 100_000
"""Most patterns that are looked at for one goal."""


class Statements(Induction):
    """Proved statements, made on demand; ``used`` are those that answers rested on since it was cleared."""

    def __init__(self, belief: Belief) -> None:
        super().__init__(belief, most_steps(belief))
        self.used: dict[Pattern, None] = {}
        self.used_deleted: dict[GroundAtom, None] = {}
        self._decided: dict[Pattern, None] = {}
        self._kept: dict[GroundAtom, bool] = {}
        self._solving = False

    def limited(self, predicate: str, args: PartialArgs) -> bool:
        if predicate not in self.pack.fluents or predicate in self.open:
            return super().limited(predicate, args)
        if not self._solving and (predicate, args) not in self._decided:
            self._decide([(predicate, args)])
        table = self.added.get(predicate)
        general = next((g for g in generalisations(args) if g in table), None) if table else None
        if general is None:
            return False
        if not self._solving:
            self.used[predicate, general] = None
        return True

    def kept(self, atom: GroundAtom) -> bool:
        answer = False if atom.predicate in self.doubtful else self._kept.get(atom)
        if answer is None:
            deleters = self.pack.deleters.get(atom.predicate, ())
            conditions: dict[Pattern, None] = {}
            for action, effect in deleters:
                binding = extend(effect, atom.args)
                if binding is not None:
                    self._follow(action, binding, conditions)
            self._decide(conditions)
            answer = self.breaks(deleters, atom.args) is None
            self._kept[atom] = answer
        if answer:
            self.used_deleted[atom] = None
        return answer

    def clear(self) -> None:
        self.used, self.used_deleted = {}, {}

    def support(self) -> tuple[tuple[Pattern, ...], tuple[GroundAtom, ...]]:
        """Return the statements that were used, and those that these rest on in turn."""
        done: dict[Pattern, None] = {}
        for atom in list(self.used_deleted):
            self.breaks(self.pack.deleters.get(atom.predicate, ()), atom.args)
        while left := [p for p in self.used if p not in done]:
            for predicate, args in left:
                done[predicate, args] = None
                self._unreachable.clear()  # an answer from memory would not say what it rests on
                self.added_by(predicate, args)
        return tuple(done), tuple(self.used_deleted)

    def _decide(self, questions: Iterable[Pattern]) -> None:
        """Prove what holds of some patterns and of all that they depend on."""
        explored: dict[Pattern, None] = {}
        stack = [q for q in questions if q not in self._decided]
        while stack:
            pattern = stack.pop()
            if pattern in explored or pattern in self._decided:
                continue
            explored[pattern] = None
            if len(self._decided) + len(explored) > MAX_PATTERNS:
                raise Refused(f"more than {MAX_PATTERNS} kinds of facts would have to be looked at")
            predicate, args = pattern
            conditions: dict[Pattern, None] = {}
            for action, effect in self.pack.adders.get(predicate, ()):
                binding = extend(effect, args)
                if binding is not None:
                    self._follow(action, binding, conditions)
            stack += conditions
        self._decided |= explored
        for predicate, args in explored:
            self.added.setdefault(predicate, {})[args] = None
        self._solving = True
        try:
            left = list(explored)
            while True:
                self._unreachable.clear()
                fallen = [p for p in left if self.added_by(*p) is not None]
                if not fallen:
                    break
                for predicate, args in fallen:
                    del self.added[predicate][args]
                left = [p for p in left if p[1] in self.added[p[0]]]
        finally:
            self._solving = False
            self._unreachable.clear()

    def _follow(self, action: Action, binding: Binding, conditions: dict[Pattern, None]) -> None:
        """Add the conditions of an action that may change, as patterns, for each choice of static facts."""
        self.spend()
        if misfits(action, binding, self.belief):
            return
        choices = self._choices(action, binding)
        if choices is None:
            return
        changing = (c for c in action.precondition if c.predicate in self.pack.fluents)
        conditions |= {(c.predicate, bound_args(c, binding)): None for c in changing}
        if action is self.pack.navigation:
            self._follow_drive(action, binding, conditions)
        if choices:
            static = [c for changes, c in choices if not changes]
            followed = [min(static, key=len)] if static else [c for _, c in choices]
            for choice in (c for several in followed for c in several):
                self._follow(action, choice, conditions)

    def _choices(self, action: Action, binding: Binding) -> list[tuple[bool, list[Binding]]] | None:
        """Return for each condition with few matching facts the bindings that these lead to.

        Each comes with whether actions change the condition. ``None`` where a condition can never hold.
        """
        choices: list[tuple[bool, list[Binding]]] = []
        for condition in action.precondition:
            args = bound_args(condition, binding)
            changing = condition.predicate in self.pack.fluents
            if changing and (None not in args or all(a is None for a in args)):
                continue
            matching = self.matching(condition.predicate, args)
            if not changing and not matching and self.limited(condition.predicate, args):
                return None
            if None in args and len(matching) <= (MAX_NOW if changing else MAX_CHOICES):
                extended = (extend(condition, m, binding) for m in matching)
                choices.append((changing, [b for b in extended if b is not None]))
        return choices

    def _follow_drive(self, action: Action, binding: Binding, conditions: dict[Pattern, None]) -> None:
        """Add the places from which a drive leads to a place that is cut off from the robot."""
        target = binding.get(action.parameters[1].name)
        area_of = self.belief.routes.area
        start = area_of(self.belief.start)
        if target is not None and (area := area_of(target)) != start and area is not None:
            nodes = self.belief.scene.nodes
            conditions |= {(self.pack.at, (n,)): None for n in nodes if area_of(n) == area}
