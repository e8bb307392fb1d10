"""Things that an instruction names and nobody has seen: which are supposed, where, and what fits them."""

from __future__ import annotations

import pytest

from groundplan import ground, load_pack, load_scene
from groundplan.language.embedded.supposing import SOMEWHERE, called, fitting, suppose
from groundplan.simulator.belief import Belief
from groundplan.simulator.sensing.hiding import with_hidden

OFFICE = ground(load_scene("office"), load_pack())
FURNITURE = with_hidden(OFFICE)


def where(instruction: str, belief: Belief = FURNITURE) -> dict[str, str | None]:
    supposition = suppose(instruction, belief)
    nodes = supposition.belief.scene.nodes
    return {name: nodes[name].parent for name in supposition.phrases}


@pytest.mark.parametrize(
    ("instruction", "places"),
    [
        ("Put the orange left on the kitchen bench in the fridge.", {"unseen_orange": "kitchen_bench"}),
        ("Place Will's drone on his desk.", {"unseen_drone": "wills_office"}),
        ("Heat the chicken kebab in the fridge.", {"unseen_chicken_kebab": SOMEWHERE}),
        ("Bring me a banana.", {"unseen_banana": SOMEWHERE}),
        (
            "Take the apple to the kitchen and the book to Tobi.",
            {"unseen_apple": SOMEWHERE, "unseen_book": SOMEWHERE},
        ),
        ("Close the fridge.", {}),
        ("Put the oranges in the fridge.", {}),
        ("Put two apples on the lunch table.", {}),
        ("Bring me all the mugs.", {}),
        ("Bring me something to drink.", {"unseen_drink": SOMEWHERE}),
        ("Bring me my phone.", {}),
        ("Take it to Will.", {}),
        ("Bring Zaphod to the kitchen.", {}),
        ("Put the orange on table 9.", {"unseen_orange": SOMEWHERE}),
        ("", {}),
        ("((((", {}),
    ],
)
def test_single_things_that_no_node_is_called_by_are_supposed(
    instruction: str, places: dict[str, str]
) -> None:
    assert where(instruction) == places


def test_nothing_is_supposed_of_what_is_seen() -> None:
    assert suppose("Put the orange in the fridge.", OFFICE).belief is OFFICE
    assert set(where("Put the orange and the unicorn in the fridge.", OFFICE)) == {"unseen_unicorn"}


def test_a_supposed_thing_can_be_taken_and_nothing_else_changes() -> None:
    belief = suppose("Bring me a mug.", FURNITURE).belief
    mug = belief.scene.nodes["unseen_mug"]
    assert belief.facts.holds("can_pickup", (mug.id,)) and belief.facts.holds("vessel", (mug.id,))
    assert belief.routes.connected(SOMEWHERE, "kitchen")
    others = {i: n for i, n in belief.scene.nodes.items() if i not in (mug.id, SOMEWHERE)}
    assert others == dict(FURNITURE.scene.nodes)


def test_many_phrases_are_supposed_up_to_a_bound() -> None:
    things = ", ".join(f"the {word}" for word in "ab cd ef gh ij kl mn op qr st uv".split())
    assert len(where(f"Put {things} and the yz in the fridge.")) <= 8


@pytest.mark.parametrize(
    ("instruction", "fit", "so_called"),
    [
        ("Put the orange on the kitchen bench in the fridge.", ("orange1",), ("orange1",)),
        ("Put the orange in the cafeteria in the fridge.", (), ("orange1",)),
        ("Bring me a fruit.", ("apple1", "apple2", "apple3", "banana1", "banana2", "orange1"), None),
        ("Bring me a healthy snack.", ("apple3", "banana1", "carrot", "greek_salad", "orange1"), None),
        ("Bring me the unicorn.", (), ()),
    ],
)
def test_what_fits_a_phrase_fits_it_in_every_word(
    instruction: str, fit: tuple[str, ...], so_called: tuple[str, ...] | None
) -> None:
    (phrase,) = suppose(instruction, FURNITURE).phrases.values()
    assert set(fit) <= set(fitting(phrase, OFFICE)) and bool(fit) is bool(fitting(phrase, OFFICE))
    assert so_called is None or called(phrase, OFFICE) == so_called
