"""The second way to read: not by patterns but by what words mean.

Verbs that are in no pattern, and complaints ("the shelf is awfully dusty"), are put beside glosses of what
can be asked for and of what cannot, and the nearest gloss decides. Nouns are masked, since they drown verbs
in an embedding. The best gloss must be one that the reader knows, alike enough, and clear of everything with
another meaning: verbs and their opposites lie close together.
"""

from __future__ import annotations

from collections.abc import Mapping

from .lexical import Lexical
from .links import Similarity

ALIKE, CLEAR = 0.62, 0.06
"""Least cosine of a verb with its gloss, and how far behind glosses with another meaning must be."""
AMISS, AMISS_CLEAR = 0.55, 0.05
"""The same for what is amiss."""

VERBS: Mapping[str, str] = {
    "put": "move something there|carry something over there|place something on something|drop something off"
    "|return something|transport something|deliver something to somewhere|insert something into something"
    "|put something in something|bring something to somewhere|pop something in something|slide something in"
    "|stick something onto something",
    "away": "throw something away|get rid of something|discard something|dump something"
    "|ditch something|junk it"
    "|scrap something|chuck something out",
    "store": "hide something|put something away|stash something out of sight|store something"
    "|conceal something"
    "|tuck something away|cover up something|secrete something",
    "on": "turn something on|start something|activate something|switch something on|power something up"
    "|boot something up|fire something up|enable something",
    "off": "turn something off|deactivate something|switch something off|shut something down"
    "|power something down|disable something|kill the power of something",
    "open": "open something|open something up|swing something open|crack something open|unseal something",
    "close": "close something|shut something|pull something shut|push something shut|seal something",
    "heat": "heat something up|warm something up|reheat something|make something hot|microwave something"
    "|toast something|nuke something|thaw something",
    "cool": "cool something down|chill something|make something cold|ice something",
    "wash": "wash something|rinse something|wash something up|sanitize something|soap something",
    "clean": "wipe something|dust something|clean something|scrub something|polish something|mop something"
    "|sweep something|sponge something|tidy something",
    "hold": "pick something up|grab something|hold something|lift something|take something|collect something"
    "|retrieve something|snatch something|nab something",
    "go": "go somewhere|drive to somewhere|walk over to somewhere|make your way somewhere|visit somewhere",
    "empty": "empty something|take everything out of something|unload something|clear something out",
    "check": "test something|try something out|check that something works",
}
# What the reader cannot ask for. If one of these is nearest, nothing is planned.
OTHERS = (
    "repair something|fix something|mend something|lock something|unlock something|break something|smash it"
    "|destroy something|demolish something|paint something|draw something|eat something|drink something"
    "|taste something|cut something|slice something|peel something|chop something"
    "|cook something|bake something"
    "|boil something|buy something|sell something|order something|read something|print something"
    "|copy something|write something|scan something|sign something|tell someone something|call someone"
    "|ask someone something|greet someone|inform someone|email someone|look at something|watch something"
    "|photograph something|inspect something|guard something|use something|play something|push something"
    "|kick something|shake something|hit something|throw something at someone|count something"
    "|measure something|weigh something|unplug something|charge something|plug something in"
    "|assemble something|take something apart|build something|unscrew something|tighten something"
    "|swap something with something|avoid something|leave something alone|ignore something|burn something"
    "|fill something|pour something|wait for something|fold something|hang something up|tie something"
    "|find something|search for something|describe something|feed something|water something|touch something"
    "|guess something|learn something|sing something|dance|invite someone|thank someone|spill something"
    "|drop something|label something|decorate something|book something|cancel something|schedule something"
).split("|")

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


def verb(said: str, similarity: Similarity) -> tuple[str, float] | None:
    """The meaning of a masked command ("whisk something away") and how alike it is; ``None`` if unclear."""
    return _nearest(said, VERBS, OTHERS, similarity, ALIKE, CLEAR)


def remedy(said: str, similarity: Similarity) -> tuple[str, float] | None:
    """What helps against what is amiss ("it is filthy"); ``None`` if that is unclear."""
    return _nearest(said, REMEDIES, HARMLESS, similarity, AMISS, AMISS_CLEAR)
