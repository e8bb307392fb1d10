"""A goal in normal form as a Boolean model: one variable for each fact, and the errands that change facts.

The values of a model are a state in which the goal holds: each thing is in one place, facts that the pack
declares exclusive exclude each other, nothing is in itself. A fact that has to change costs an errand; the
errands make a circuit from the robot's place where they are few, else each is driven there and back. Costs
and limits may be changed. A fact that the model leaves out is one that no choice depends on; values are a
proposal, and a model without any is no proof.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from ...compiler.attainable import Attainable
from ...compiler.forms import holds_now, literals
from ...domains.deadline import check_time
from ...domains.formula import And, Atom, Cardinality, Formula, GroundAtom, Not, Or, Sometime, as_ground
from ..optimization.model import Arc, BooleanModel
from .errands import Errand, Estimates

MAX_ARCS = 20_000
"""Most arcs of a circuit of errands; beyond, each errand is driven there and back."""

TAKEN_AWAY = 30_000
"""Millimetres added for taking a thing away and keeping it in the hand; where the robot is then matters."""

ELSEWHERE = 3
"""Number of rooms in which a place is looked for, for a thing that must leave where it is."""


@dataclass
class Encoding:
    """The model of a goal, and which variable stands for what; ``in_turn`` lets errands make a circuit."""

    goal: Formula
    estimates: Estimates
    in_turn: bool = True
    model: BooleanModel = field(default_factory=BooleanModel)
    facts: dict[GroundAtom, int] = field(default_factory=dict)
    """The variable of each fact: whether it holds in the end."""
    parts: dict[Hashable, int] = field(default_factory=dict)
    """The variable of each part of the goal below a disjunction or a count, in any order of its parts."""
    errands: dict[Errand, int] = field(default_factory=dict)
    """The variable of each errand."""
    places: dict[str, list[GroundAtom]] = field(default_factory=dict)
    """The facts about where a thing is, by thing."""

    def __post_init__(self) -> None:
        self.attainable = Attainable(self.estimates.belief, self.estimates.facts)
        self.denied = frozenset(atom for atom, positive in literals(self.goal) if not positive)
        self.require(self.goal)
        self.hand()
        for atom in list(self.facts):
            if self.estimates.is_place(atom):
                self.places.setdefault(atom.args[0], []).append(atom)
        for name in list(self.places):
            self.place(name)
        self.exclude()
        self.change()
        self.drive()

    # What was tried

    def leave_out(self, errands: Sequence[Errand]) -> None:
        """Rule out errands, all of them together."""
        self.model.any_of([~self.errands[e] for e in errands])

    def rule_out(self, part: Formula) -> bool:
        """Rule out literals, all of them together; return whether the model knows them all."""
        signed = [*literals(part)]
        if not signed or not all(atom in self.facts for atom, _ in signed):
            return False
        variables = ((self.facts[a], positive) for a, positive in signed)
        self.model.any_of([~v if positive else v for v, positive in variables])
        return True

    # What the goal asks for

    def require(self, node: Formula, when: int | None = None) -> None:
        """Ask for a part of the goal, while ``when`` is true."""
        check_time("choosing what to bring about")
        match node:
            case And(parts) if when is None:
                for part in parts:
                    self.require(part)
            case And(parts):
                for part in parts:  # each by its own variable, which all parts of the goal share
                    self.model.any_of([self.part(part)], when)
            case Or(parts):
                self.model.any_of([self.part(p) for p in parts], when)
            case Cardinality(_, number, parts):
                self.model.at_least(number, [self.part(p) for p in parts], when)
            case _:
                self.model.any_of([self.part(node)], when)

    def part(self, node: Formula) -> int:
        """A literal that makes a part of the goal true."""
        match node:
            case Atom():
                return self.fact(as_ground(node))
            case Not(Atom() as atom):
                return ~self.fact(as_ground(atom))
        key = (type(node), frozenset(node.parts)) if isinstance(node, And | Or) else node
        if key not in self.parts:
            self.parts[key] = self.model.variable()
            if isinstance(node, Sometime):
                self.pass_by(node)
            else:
                self.require(node, self.parts[key])
        return self.parts[key]

    def fact(self, atom: GroundAtom) -> int:
        """The variable of a fact; one that nothing can make true is false."""
        if atom not in self.facts:
            variable = self.facts[atom] = self.model.variable()
            if not self.attainable.reachable(atom):
                self.model.any_of([~variable])
        return self.facts[atom]

    def pass_by(self, node: Sometime) -> None:
        """Add the errand of making something true in passing."""
        if holds_now(node.body, self.estimates.facts):
            return
        atoms = [atom for atom, positive in literals(node.body) if positive and atom.args]
        if atoms:
            stop = self.estimates.anchor(atoms[0].args[-1])
            self.model.any_of([self.errand(Errand(str(node), stop, stop))], self.parts[node])

    # What a state is

    def hand(self) -> None:
        """Let a hand be free when nothing is held any more, and not free when something near is."""
        estimates, mapping = self.estimates, self.estimates.belief.pack.mapping
        free, holding = mapping.robot_free, mapping.robot_held.predicate
        if free not in self.facts:
            return
        held = [Atom(holding, args) for args in estimates.facts.all(holding)]
        if free in self.denied and not held:
            held = estimates.at_hand(ELSEWHERE)
            self.model.any_of([self.facts[free], *map(self.fact, held)])
        elif held:
            self.denied |= {*held}
            self.model.at_most(1, [self.facts[free], *map(self.fact, held)])

    def place(self, name: str) -> None:
        """Give a thing one place: one that the goal mentions, the present one, or another near by."""
        estimates, atoms = self.estimates, self.places[name]
        pack = estimates.belief.pack
        present: list[GroundAtom] = []
        for predicate in (*pack.locations, pack.mapping.robot_held.predicate):
            present += [Atom(predicate, args) for args in estimates.facts.with_argument(predicate, 0, name)]
        others: list[GroundAtom] = []
        if any(a in self.denied for a in present):
            held = Atom(pack.mapping.robot_held.predicate, (name,))
            if held in atoms and held not in present:
                self.model.costs[self.facts[held]] = TAKEN_AWAY
            others = estimates.elsewhere(name, self.denied, ELSEWHERE)
        atoms += [a for a in (*present, *others) if a not in atoms]
        variables = [self.fact(a) for a in atoms]
        self.model.at_most(1, variables)
        if present:
            self.model.any_of(variables)

    def exclude(self) -> None:
        """Let at most one fact of each exclusive group of the pack hold, and nothing be in what is in it."""
        pack = self.estimates.belief.pack
        for patterns in pack.mapping.exclusive.values():
            predicates = {p.predicate for p in patterns}
            members = [a for a in self.facts if a.predicate in predicates]
            if all(not p.args or "*" in p.args for p in patterns):  # about the robot
                self.model.at_most(1, [self.facts[a] for a in members])
                continue
            by_subject: dict[str, list[GroundAtom]] = {}
            for atom in members:
                by_subject.setdefault(atom.args[0] if atom.args else "", []).append(atom)
            for atoms in by_subject.values():
                if len(atoms) > 1:
                    self.model.at_most(1, [self.facts[a] for a in atoms])
        links = {a.args: v for a, v in self.facts.items() if a.predicate in pack.locations}
        for (inner, outer), variable in links.items():
            if inner == outer:
                self.model.any_of([~variable])
            elif inner < outer and (outer, inner) in links:
                self.model.at_most(1, [variable, links[outer, inner]])

    # What it costs

    def errand(self, errand: Errand) -> int:
        if errand not in self.errands:
            length = self.estimates.distance(errand.source, errand.target)
            self.errands[errand] = self.model.variable(length)
        return self.errands[errand]

    def change(self) -> None:
        """Let each fact that changes cost its handling and an errand."""
        estimates, at = self.estimates, self.estimates.belief.pack.at
        reasons: dict[int, list[int]] = {}
        for atom, variable in list(self.facts.items()):
            now, place = estimates.holds(atom), estimates.is_place(atom)
            if now and place:
                continue  # where a thing goes instead is what costs
            if now and atom.predicate != at:
                reasons.setdefault(self.errand(estimates.errand(atom, False)), []).append(~variable)
            elif place and not estimates.possible(atom):
                self.model.any_of([~variable])
            else:
                self.model.costs[variable] += 0 if now else estimates.handling(atom)
                reasons.setdefault(self.errand(estimates.errand(atom)), []).append(variable)
        for errand, changes in reasons.items():
            for change in changes:
                self.model.any_of([errand, ~change])
            self.model.any_of(
                changes, errand
            )  # no errand for nothing, which would hide that choices are equal

    def drive(self) -> None:
        """Let the drives between errands cost their length, as a circuit or there and back."""
        stops: dict[str | Errand, list[Errand]] = {}
        for errand in self.errands:
            stops.setdefault(errand.subject if errand.carried else errand, []).append(errand)
        groups = list(stops.values())
        if self.in_turn and len(self.errands) * len(groups) <= MAX_ARCS:
            self.circuit(groups)
        else:
            for variable in self.errands.values():
                self.model.costs[variable] *= 2

    def circuit(self, groups: Sequence[Sequence[Errand]]) -> None:
        """One tour from the robot's place through an errand of each group needed, and back for free."""
        model, distance = self.model, self.estimates.distance
        idle = model.variable()
        arcs = [Arc(0, 0, idle)]
        for i, group in enumerate(groups, 1):
            needed = model.variable()
            model.at_most(1, [idle, needed])  # the one tour must not pass the robot by
            model.linear([*((self.errands[e], 1) for e in group), (needed, -1)], 0, 0)
            arcs.append(Arc(i, i, ~needed))
            arcs.append(Arc(0, i, model.variable(distance(self.estimates.start, group[0].source))))
            for errand in group:
                check_time("choosing what to bring about")
                leaving = [Arc(i, 0, model.variable())]
                for j, following in enumerate(groups, 1):
                    if j != i and any(map(errand.before, following)):
                        length = distance(errand.target, following[0].source)
                        leaving.append(Arc(i, j, model.variable(length)))
                arcs += leaving
                model.linear([*((a.literal, 1) for a in leaving), (self.errands[errand], -1)], 0, 0)
        model.circuit(arcs)
