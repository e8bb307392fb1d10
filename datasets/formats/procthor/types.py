"""The object types of AI2-THOR and their abilities (AI2-THOR's documentation, "Object types").

A house in ProcTHOR's own JSON names assets only; the abilities of an asset are in a database that is not part
of the house. The type decides it there for most assets, so this table stands for it. Where a file
states abilities itself (the compact form) the file is followed. The four sets of abilities follow that page;
:data:`CONTAINERS`, :data:`ON_TOP` and the synonyms are ours and may be changed.
"""

from __future__ import annotations

from functools import cache

from ..classes import class_name

PICKUPABLE = frozenset(
    """AlarmClock AluminumFoil Apple BaseballBat BasketBall Book Boots Bottle Bowl Box Bread ButterKnife CD
    Candle CellPhone Cloth CreditCard Cup DishSponge Dumbbell Egg Footstool Fork HandTowel Kettle
    KeyChain Knife Ladle Laptop Lettuce Mug Newspaper Pan PaperTowelRoll Pen Pencil PepperShaker
    Pillow Plate Plunger Pot Potato RemoteControl SaltShaker ScrubBrush SoapBar SoapBottle Spatula
    Spoon SprayBottle Statue TableTopDecor TeddyBear TennisRacket TissueBox ToiletPaper Tomato Towel
    Vase Watch WateringCan WineBottle""".split()
)
OPENABLE = frozenset(
    """Blinds Book Box Cabinet ClothesDryer Drawer Fridge Kettle Laptop LaundryHamper Microwave Safe
    ShowerCurtain ShowerDoor Toilet WashingMachine""".split()
)
TOGGLEABLE = frozenset(
    """Candle CellPhone ClothesDryer CoffeeMachine DeskLamp Desktop Faucet FloorLamp Laptop LightSwitch
    Microwave ShowerHead StoveBurner StoveKnob Television Toaster WashingMachine""".split()
)
RECEPTACLE = frozenset(
    """ArmChair Bathtub BathtubBasin Bed Bowl Box Cabinet Cart Chair ClothesDryer CoffeeMachine CoffeeTable
    CounterTop Cup Desk DiningTable DogBed Drawer Dresser Fridge GarbageCan HandTowelHolder
    LaundryHamper Microwave Mug Ottoman Pan Plate Pot Safe Shelf ShelvingUnit SideTable Sink
    SinkBasin Sofa Stool StoveBurner TVStand Toaster Toilet ToiletPaperHanger TowelHolder
    WashingMachine""".split()
)
OTHER = frozenset(
    "Curtains Floor GarbageBag HousePlant Mirror Painting Poster RoomDecor VacuumCleaner".split()
)

CONTAINERS = frozenset(
    "Bathtub BathtubBasin Bowl Box Cup GarbageCan LaundryHamper Mug Pot Sink SinkBasin".split()
)
"""Receptacles that things go into although they have no door, or with it open."""

ON_TOP = frozenset(("Toilet",))
"""Openable receptacles that things stand on: nothing belongs inside."""


def abilities(kind: str) -> frozenset[str]:
    """Return the abilities of a type: a subset of pickupable, openable, toggleable, receptacle."""
    sets = {
        "pickupable": PICKUPABLE,
        "openable": OPENABLE,
        "toggleable": TOGGLEABLE,
        "receptacle": RECEPTACLE,
    }
    return frozenset(able for able, kinds in sets.items() if kind in kinds)


NAMES = PICKUPABLE | OPENABLE | TOGGLEABLE | RECEPTACLE | OTHER
"""The types of AI2-THOR."""


@cache
def _types_by_word() -> dict[str, str]:
    return {name.lower(): name for name in sorted(NAMES)} | _ASSETS


_ASSETS = {
    "papertowel": "PaperTowelRoll",
    "saltpeppershakerbnydsalt": "SaltShaker",
    "towelstatue": "Statue",
}
"""Words of assets that begin with the name of another type."""

_SYNONYMS = {
    "bin": "GarbageCan",
    "racquet": "TennisRacket",
    "remote": "RemoteControl",
    "decor_photo": "Painting",
}


def kind_of(name: str) -> str:
    """Return the type in an asset's name or in the head of an id; empty where there is none.

    Numbers say which asset of a type it is (``Sink_26``, ``Dresser_315_1``); some assets put the place before
    the type (``Bathroom_Faucet_1``) or a shape after it (``CountertopIx``).
    """
    words = [w for w in class_name(name.replace("_", " ")[:200]).split("_") if w and not w[0].isdigit()]
    types = _types_by_word()
    for start in range(len(words)):
        for end in range(len(words), start, -1):
            kind = types.get("".join(words[start:end]))
            if kind:
                return kind
    joined = "".join(words)
    heads = [word for word in types if len(word) >= 4 and joined.startswith(word)]
    if heads:
        return types[max(heads, key=len)]
    return next((kind for word, kind in _SYNONYMS.items() if word in "_".join(words)), "")
