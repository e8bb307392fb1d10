"""Complaints ("the shelf is awfully dusty"), read by what words mean.

They are put beside glosses of what can be helped and of what cannot, and the nearest gloss decides. Nouns are
masked. The best gloss must be alike enough and clear of everything with another meaning.
"""

from __future__ import annotations

from collections.abc import Mapping

from .lexical import Lexical
from .links import Similarity

AMISS, AMISS_CLEAR = 0.55, 0.05
"""The same for what is amiss."""

REMEDIES: Mapping[str, str] = {
    "clean": "it is dirty|it is dusty|it is filthy|it is covered in dust|it is covered in "
    "crumbs|it is stained"
    "|it is sticky|it is grubby|it has not been cleaned|it needs cleaning|it is unwashed",
    "away": "it is rotten|it smells bad|it stinks|it has gone off|it is mouldy|it is spoiled|it is trash"
    "|it is smelly|it is no longer good to eat|it is rotting",
    "close": "it is open|it was left open|it is wide open|it is ajar|it is not closed",
    "off": "it is still on|it was left running|it is on|it is running|it is leaking|it is dripping",
    "heat": "it is cold|it has gone cold|it is too cold to eat|it is stone cold|it is not hot|it is chilly",
    "fridge": "it is warm|it is too warm|it is not cold|it will melt|it should be kept cool|it will spoil"
    "|it is going to go off|it is getting warm|it is lukewarm",
    "coffee": "someone is tired|someone is sleepy|someone is falling asleep|someone needs caffeine"
    "|someone is exhausted|someone can hardly keep awake|someone is yawning|someone did not sleep",
    "eat": "someone is hungry|someone is starving|someone has not eaten|someone needs a "
    "snack|someone skipped lunch"
    "|someone is peckish|someone missed lunch",
    "drink": "someone is thirsty|someone is parched|someone needs something to drink|someone's throat is dry",
}
HARMLESS = (
    "it is nice|it is broken|it is here|it is heavy|it is empty|it is full|it is "
    "missing|it is ready|it is new|it is big"
    "|it is mine|it is expensive|it is closed|it is clean|it is over there|it is "
    "red|it is late|it is missing|it is locked"
    "|it is important|it is interesting|it is wonderful|it is fresh|it is finished"
    "|it is old|it is loud|it is beautiful"
    "|someone is busy|someone is late|someone is happy|someone is in a meeting"
    "|someone is at home|someone is ill"
    "|someone is working|someone is cold|someone is hot|someone is sad|someone has "
    "a birthday|someone is here|someone is away"
    "|someone is angry|someone is new|someone is arriving|someone is bored|someone "
    "is waiting|someone is lost|someone is nice"
).split("|")


def _nearest(
    said: str, known: Mapping[str, str], others: list[str], similarity: Similarity, alike: float, clear: float
) -> tuple[str, float] | None:
    if isinstance(similarity, Lexical):
        return None
    meaning = {text: name for name, texts in known.items() for text in texts.split("|")}
    texts = [*meaning, *others]
    best: dict[str, float] = {}
    for score, text in zip(similarity.scores(said, texts), texts, strict=True):
        name = meaning.get(text, "")
        best[name] = max(best.get(name, -1.0), score)
    ranked = sorted(best.items(), key=lambda p: (-p[1], p[0]))
    (name, score), (_, rival) = ranked[:2]
    return (name, score) if name and score >= alike and score - rival >= clear else None


def remedy(said: str, similarity: Similarity) -> tuple[str, float] | None:
    """What helps against what is amiss ("it is filthy"); ``None`` if that is unclear."""
    return _nearest(said, REMEDIES, HARMLESS, similarity, AMISS, AMISS_CLEAR)
