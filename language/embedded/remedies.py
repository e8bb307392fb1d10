"""What is asked for by saying what is amiss: "the shelf is awfully dusty", "Peter is thirsty".

The complaint is read by its meaning (``candidates.py``) and believed only where the scene bears it out: a
door is closed that is open, a thing cleaned that is dirty.
"""

from __future__ import annotations

from dataclasses import replace

from . import verbs
from .frames import Frame
from .glosses import remedy as remedy_like
from .links import Gap
from .meanings import Context, Meaning, Meanings
from .phrases import PERSONS, Phrase

_NEEDS = {
    "eat": Phrase("something to eat", ("edible", "snack"), "a"),
    "drink": Phrase("something to drink", ("drink",), "a"),
}


def remedy(m: Meanings, frame: Frame, context: Context) -> Meaning:
    """What helps. Raises :class:`Gap` where nothing known does, or nothing seems to be amiss."""
    thing = frame.items[0]
    person = thing.kind == "person" or (thing.words and thing.words[0] in PERSONS)
    said = frame.said.replace("it ", "someone ", 1) if person else frame.said
    found = remedy_like(said, m.linker.similarity)
    if found is None or (found[0] in ("coffee", "eat", "drink")) != bool(person):
        raise Gap(f"it is not known what to do about '{thing}'", None, 0.3)
    what, score = found
    if what == "coffee":
        meaning = verbs.VERBS["coffee"](m, Frame("coffee", (), "for", thing), context)
    elif what in _NEEDS:
        meaning = verbs.VERBS["give"](m, Frame("give", (_NEEDS[what],), "for", thing), context)
    else:
        borne = {"close": "open", "off": "on"}.get(what)
        link = m.items(thing, replace(context))
        if borne is not None and not any(borne in n.state for n in link.nodes):
            raise Gap(f"{link.ids[0]} is not {borne}", None, 0.3)
        if what == "clean" and not any("dirty" in n.state for n in link.nodes):
            raise Gap(f"{link.ids[0]} is not dirty", None, 0.3)
        meaning = verbs.VERBS[what](m, Frame("wash" if what == "clean" else what, frame.items), context)
    return replace(meaning, confidence=min(meaning.confidence, max(score, 0.6)))
