"""The least-cost search: beliefs from words, masses of places, what it does first, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from plain_house import furniture, thing

from groundplan.acting import EqualLikelihood, MeaningLikelihood
from groundplan.acting.beliefs.likelihood import ROOMS
from groundplan.methods.houses import HouseBeliefs, OracleDriver, SearchRun, UsualPlaces, search_house
from groundplan.methods.houses.least_cost import LeastCost, PlaceOrder
from groundplan.simulator.navigation import Body, FloorPlan, HouseWorld, Passage, RoomArea, Stance


@dataclass
class Words:
    """Similarity of 1 for pairs that belong together, 0 for others; counts what it is asked."""

    pairs: frozenset[frozenset[str]]
    calls: int = 0

    def scores(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        self.calls += 1
        return tuple(float(frozenset((query, text)) in self.pairs) for text in texts)


def words(*pairs: tuple[str, str]) -> Words:
    return Words(frozenset(frozenset(pair) for pair in pairs))


EQUAL = UsualPlaces(EqualLikelihood())


def meaning(similarity: Words) -> UsualPlaces:
    return UsualPlaces(MeaningLikelihood(similarity))


def wings() -> FloorPlan:
    """A corridor with a kitchen to the left and a bedroom to the right, three pieces of furniture in each."""
    rooms = (
        RoomArea("left", ((-6, 0), (-6, 5), (-1, 5), (-1, 0)), "kitchen"),
        RoomArea("mid", ((-1, 0), (-1, 5), (1, 5), (1, 0)), "corridor"),
        RoomArea("right", ((1, 0), (1, 5), (6, 5), (6, 0)), "bedroom"),
    )
    doors = (
        Passage("l", ("left", "mid"), ((-1, 2), (-1, 3))),
        Passage("r", ("mid", "right"), ((1, 2), (1, 3))),
    )
    bodies: list[Body] = []
    for side, room, kinds in (
        (-1, "left", ("stove", "sink", "shelf")),
        (1, "right", ("bed", "dresser", "desk")),
    ):
        for kind, at in zip(kinds, ((5.4, 4.5), (5.4, 0.5), (2.4, 4.6)), strict=True):
            bodies.append(furniture(kind, kind, room, (side * at[0], at[1]), (0.8, 0.5)))
    bodies += [
        thing("spoon1", "spoon", "left", (-5.4, 4.5), "stove"),
        thing("pillow1", "pillow", "right", (5.4, 4.5), "bed"),
        thing("lamp1", "lamp", "right", (2.4, 4.6), "desk"),
    ]
    return FloorPlan("wings", rooms, doors, tuple(bodies))


def run(beliefs: HouseBeliefs, *targets: str, order: PlaceOrder = "soonest", moves: int = 1000) -> SearchRun:
    world = HouseWorld(wings(), Stance((0, 10), 0))
    return search_house(world, LeastCost(beliefs, order=order), OracleDriver(world.grid), targets, 2.0, moves)


KITCHEN = words(("spoon", "kitchen"), ("stove", "kitchen"), ("sink", "kitchen"), ("spoon", "stove"))
BEDROOM = words(("pillow", "bedroom"), ("bed", "bedroom"), ("dresser", "bedroom"), ("pillow", "bed"))


def test_beliefs_weigh_rooms_and_furniture_by_their_words_and_ask_once() -> None:
    beliefs = meaning(KITCHEN)
    kinds = beliefs.rooms(["stove", "sink"])
    assert max(kinds, key=lambda k: kinds[k]) == "kitchen" and sum(kinds.values()) == pytest.approx(1)
    assert beliefs.rooms([]) == {room: 0.25 for room in ROOMS}
    in_kitchen = beliefs.weight("spoon", "stove", kinds)
    assert (
        in_kitchen > beliefs.weight("spoon", "sink", kinds) > beliefs.weight("spoon", "sink", {"bedroom": 1})
    )
    assert in_kitchen > beliefs.unseen("spoon") > beliefs.weight("spoon", "sink", {"bedroom": 1})
    calls = KITCHEN.calls
    assert beliefs.weight("spoon", "stove", kinds) == in_kitchen and KITCHEN.calls == calls
    assert EQUAL.weight("spoon", "stove", EQUAL.rooms(["stove"])) == EQUAL.unseen("pillow") == 1


def test_the_robot_goes_first_where_the_thing_belongs() -> None:
    """Furniture of both wings shows through the doors: the wing that fits the target is entered first."""
    spoon = run(meaning(KITCHEN), "spoon")
    pillow = run(meaning(BEDROOM), "pillow")
    assert spoon.success and pillow.success
    first = {r.targets: next(i for i in r.intents if "into" in i) for r in (spoon, pillow)}
    assert "into left" in first["spoon",] and "into right" in first["pillow",]
    misled = run(meaning(words(("pillow", "kitchen"), ("stove", "kitchen"), ("sink", "kitchen"))), "pillow")
    # A wrong belief costs metres, and the thing is found all the same.
    assert misled.success and misled.metres > pillow.metres


def test_a_single_search_heeds_no_target_but_the_first_that_is_left() -> None:
    """The pillow belongs into the right wing; looked for after the spoon, it draws nobody there first."""
    both = words(*(tuple(pair) for pair in KITCHEN.pairs | BEDROOM.pairs))  # type: ignore[arg-type]
    firsts = {}
    for targets in (("spoon", "pillow"), ("pillow", "spoon")):
        world = HouseWorld(wings(), Stance((0, 10), 0))
        explorer = LeastCost(meaning(both), single=True)
        single = search_house(world, explorer, OracleDriver(world.grid), targets, 2.0)
        assert single.success and [find.target for find in single.finds] == list(targets)
        firsts[targets[0]] = next(i for i in single.intents if "into" in i)
    assert "into left" in firsts["spoon"] and "into right" in firsts["pillow"]


@pytest.mark.parametrize("order", ["soonest", "expected", "rate", "mass", "way"])
def test_every_order_of_places_ends_with_everything_looked_at(order: PlaceOrder) -> None:
    every = run(EQUAL, "spoon", "pillow", "lamp", order=order)
    assert every.success and every.driven.moves < 400
    none = run(EQUAL, "unicorn", order=order, moves=3000)
    assert none.outcome == "gave-up" and none.driven.moves < 3000
    again = run(EQUAL, "spoon", "pillow", "lamp", order=order)
    assert again == every
