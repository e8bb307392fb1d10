"""Truth in a world that is known in part: true, false, or open until more was looked at.

A belief that is marked open (``unseen``), or is not taken for true, may lack things of some types. They can
only be at spots that nobody has looked at, what is fixed only in rooms that nobody has been in. So a
quantifier ranges over the things that are known and over *things that there may be*: some at each of those
spots, of which nothing is known but where they are. Then ``forall``, ``not exists``,
``exactly`` and ``at-most`` are true only over places that were exhausted, and each only over those that
matter to it: ``(not (exists (?c - cup) (in_room ?c kitchen)))`` needs the kitchen alone. A thing that is
known by name and has no place may be at any of those spots too.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Hashable, Iterable, Mapping, Sequence

from ...domains.evaluate import truth
from ...domains.formula import (
    And,
    Atom,
    Count,
    Exists,
    Forall,
    Formula,
    Imply,
    Sometime,
    TrajectoryConstraint,
    TypedVar,
    Var,
    rebuild,
    walk,
)
from ...domains.mapping import AROUND, ROOM
from ..belief import Belief
from ..observations.observation import Spot
from ..scene import MOVABLE, RESERVED
from ..world import World
from .spots import SEEN_WHOLE, below, room_of_spot

MAX_COUNT = 20
"""Most things that there may be at one spot for a count; a larger count is open as long as a spot is."""

_MARK = RESERVED
"""Begins the name of a thing that there may be; no node has it."""
_EXISTS = f"{RESERVED}exists"
"""The predicate of a thing that there is; open of one that there may be."""


def _guarded(formula: Formula) -> Formula:
    """Return a formula whose quantifiers say that they range over what there is."""
    match formula:
        case Exists(variables, body):
            return Exists(variables, And((*_there(variables), _guarded(body))))
        case Count(kind, number, variables, body):
            return Count(kind, number, variables, And((*_there(variables), _guarded(body))))
        case Forall(variables, body):
            return Forall(variables, Imply(And(_there(variables)), _guarded(body)))
        case Sometime() | TrajectoryConstraint():
            return formula
    return rebuild(formula, _guarded)


def _there(variables: Iterable[TypedVar]) -> tuple[Formula, ...]:
    return tuple(Atom(_EXISTS, (Var(v.name),)) for v in variables)


class OpenBelief:
    """A belief as an :class:`~groundplan.domains.evaluate.OpenState`; ``unlooked`` are the spots to see.

    ``missing`` are the things of the scene that are somewhere and nobody knows where; ``happened`` are the
    watched literals that have held so far. Of ``unsure`` things among the missing nobody has seen in what
    state they are, and ``doubted`` ones may not be there at all. ``in_part`` are nodes of which not all
    states and attributes were seen, each with the predicates that are sure of it. ``unseen`` are the types of
    which there may be more than is known, where these are others than the belief's own.
    """

    def __init__(
        self,
        belief: Belief,
        unlooked: Sequence[Spot],
        missing: Collection[str] = (),
        happened: Collection[Formula] = (),
        world: World | None = None,
        *,
        unsure: Collection[str] = (),
        doubted: Collection[str] = (),
        in_part: Mapping[str, Container[str]] = SEEN_WHOLE,
        unseen: Collection[str] | None = None,
    ) -> None:
        self.belief, self.unlooked = belief, tuple(unlooked)
        self.missing, self._happened = frozenset(missing), frozenset(happened)
        self.unsure, self.doubted, self.in_part = frozenset(unsure), frozenset(doubted), in_part
        self.unseen = belief.unseen if unseen is None else unseen
        self.world = World(belief) if world is None else world
        self._spot_of: Mapping[str, Spot] = {}

    def decide(self, goal: Formula) -> bool | None:
        """Return the truth of a goal, ``None`` where something is to be seen before."""
        counts = [f.number for f in walk(goal) if isinstance(f, Count)]
        copies = 1 + min(max(counts, default=0), MAX_COUNT)
        numbered = enumerate(self.unlooked)
        self._spot_of = {f"{_MARK}{number}.{i}": spot for number, spot in numbered for i in range(copies)}
        if max(counts, default=0) > MAX_COUNT and self.unlooked and self.unseen:
            return None
        return truth(_guarded(goal), self)

    def matters(self, goal: Formula) -> tuple[Spot, ...]:
        """Return the spots for the sake of which a goal is open, in their order; none if it is not open.

        They are those that leave it open each by itself, or all where none does.
        """
        if self.decide(goal) is not None:
            return ()
        return tuple(s for s in self.unlooked if self._only((s,)).decide(goal) is None) or self.unlooked

    def _only(self, unlooked: Sequence[Spot]) -> OpenBelief:
        return OpenBelief(
            self.belief,
            unlooked,
            self.missing,
            self._happened,
            self.world,
            unsure=self.unsure,
            doubted=self.doubted,
            in_part=self.in_part,
            unseen=self.unseen,
        )

    # Interface of evaluation

    def members(self, type_or_class: str) -> Sequence[str]:
        """Return the things of a type or class that have a place, are missing, or may be there unseen."""
        named = self.known_members(type_or_class)
        if not self._spot_of or not self.belief.may_have_unseen(type_or_class, self.unseen):
            return named
        if self.belief.may_have_unseen(type_or_class, MOVABLE):
            return [*named, *self._spot_of]
        return [*named, *(name for name, spot in self._spot_of.items() if spot.relation == AROUND)]

    def known_members(self, type_or_class: str) -> list[str]:
        """Return the things of a type or class that have a place or are missing."""
        members = list(self.belief.members(type_or_class))
        if self.missing:
            # What was given, was never seen and is at none of all places is not there.
            there = self.missing if self.unlooked else self.missing - self.doubted
            members += [i for i in self.belief.unplaced_members(type_or_class) if i in there]
        return members

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        """Return whether an atom is true, as far as that is known."""
        if predicate == _EXISTS:
            return None if args[0].startswith(_MARK) or args[0] in self.doubted else True
        if any(a.startswith(_MARK) for a in args):
            return self._holds_of_unseen(predicate, args)
        if self.in_part and self._is_open_in_part(predicate, args):
            return None
        if args and (args[0] in self.missing or any(a in self.missing for a in args)):
            return self._holds_of_missing(predicate, args)
        return self.world.holds(predicate, args)

    def happened(self, literal: Formula) -> bool | None:
        """Return whether a watched literal has held, or its world's run keeps a constraint, as believed."""
        if literal in self.world.memory.watched and isinstance(literal, TrajectoryConstraint):
            return self.world.happened(literal)
        return literal in self._happened

    def rivals(self, predicate: str, args: tuple[str, ...]) -> Hashable:
        return None

    def _is_open_in_part(self, predicate: str, args: tuple[str, ...]) -> bool:
        """Return whether an atom is about a state or an attribute that was not seen of a node."""
        if all(a not in self.in_part or predicate in self.in_part[a] for a in args):
            return False
        pack = self.belief.pack
        if predicate in pack.domain.predicates:
            return predicate in pack.state_predicates
        return predicate in self.belief.scene.by_attribute and not any(
            predicate in self.belief.scene.nodes[a].classes for a in args
        )

    # Things that there may be

    def _holds_of_unseen(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        """Return what is known of an unobserved thing: where it is, and that it is not in hand."""
        pack = self.belief.pack
        if predicate == pack.mapping.robot_held.predicate:
            return False
        thing, rest = args[0], args[1:]
        if not thing.startswith(_MARK) or any(a.startswith(_MARK) for a in rest):
            return None
        return self._may_hold_at(predicate, rest, (self._spot_of[thing],))

    def _holds_of_missing(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        pack = self.belief.pack
        sort = predicate not in pack.domain.predicates and not self.belief.is_type(predicate)
        if args[0] in self.unsure and sort and len(args) == 1:  # a class or an attribute that was given
            return None
        if args[0] in self.missing and predicate not in pack.locations and len(args) == 1:
            derived = pack.mapping.derived.get(predicate)
            unsure = args[0] in self.unsure and predicate in pack.state_predicates
            return None if unsure or derived is not None else self.world.holds(predicate, args)
        if args[0] not in self.missing:  # where it is was seen, and it is there
            return self.world.holds(predicate, args)
        if any(a in self.missing for a in args[1:]):
            return None if predicate in pack.locations else self.world.holds(predicate, args)
        if not self.unlooked:
            return False if args[0] in self.doubted else None
        # Where it is was not seen: that no other place is left does not show that it is there.
        return False if self._may_hold_at(predicate, args[1:], self.unlooked) is False else None

    def _may_hold_at(self, predicate: str, rest: tuple[str, ...], where: Sequence[Spot]) -> bool | None:
        """Return whether a relation to a place holds of a thing that is at one of some spots.

        A place that is missing itself may be at any of them, with the thing. Behind a room that nobody has
        entered there may be others, which are no spots yet: a thing that is not seen may be there.
        """
        pack = self.belief.pack
        if rest and rest[0] in self.missing:
            return None
        if pack.mapping.derived.get(predicate) == ROOM:
            rooms = {room_of_spot(spot, self.world) for spot in where}
            beyond = "room" in self.unseen and any(s.relation == AROUND for s in where)
            if rooms == {rest[0]} and not beyond:
                return True
            return None if rest[0] in rooms or None in rooms else False
        if predicate in pack.locations:
            relations = [w for w, a in pack.mapping.relations.items() if a.predicate == predicate]
            return None if any(self._may_be(spot, relations, rest[0]) for spot in where) else False
        return None

    def _may_be(self, spot: Spot, relations: Sequence[str], place: str) -> bool:
        """Return whether a thing at a spot may be in one of some relations to a place."""
        if spot.relation == AROUND:
            return room_of_spot(Spot(place), self.world) == spot.node or place in below(
                self.belief.scene, spot.node
            )
        return spot.node == place and spot.relation in relations
