"""The second way to read a clause: say in plain words what could be meant and take what is most alike.

Used for single clauses about one thing whose verb is not in the table ("deactivate the microwave"). The
thing's name is masked, since nouns drown verbs in an embedding; then every request that the reader knows is
put into words and ranked among others that it does not know. The best must be a known one, alike enough,
and clear of everything with another meaning: verbs and their opposites lie close together.
"""

from __future__ import annotations

from .clauses import Frame, is_bare
from .linking import Gap, Linker
from .meanings import Context, Meaning, Meanings
from .phrases import Phrase, read_phrase
from .verbs import VERBS
from .words import plain

ALIKE = 0.77
"""Least cosine between a clause and the words of the request that it is taken for."""
CLEAR = 0.09
"""How far behind the next request with another meaning must be."""
MOST_WORDS = 12
MASK = "the thing"

REQUESTS = {
    "Open": "open",
    "Close": "close",
    "Turn on": "on",
    "Turn off": "off",
    "Pick up": "hold",
    "Heat": "heat",
    "Cool": "cool",
    "Wash": "wash",
    "Wipe clean": "wash",
    "Throw away": "away",
    "Hide": "store",
    "Put away": "store",
    "Go to": "go",
    "Empty": "empty",
}
# What the reader cannot ask for. If one of these is nearest, nothing is planned.
OTHERS = (
    "Find|Look at|Repair|Push|Use|Eat|Drink|Cut|Avoid|Break|Lock|Unlock|Paint|Buy|Sell|Count|Measure|Weigh"
    "|Read|Fill|Put down|Shake|Guard|Photograph|Talk about|Wait for|Assemble|Cook|Kick|Move"
).split("|")


def mention(clause: str, linker: Linker) -> tuple[Phrase, str] | None:
    """The one phrase of a clause that names something, the longest first, and the clause with it masked."""
    words = plain(clause).strip(" .!?").split(" ")
    spans = [(a, b) for a in range(1, len(words)) for b in range(a + 1, len(words) + 1)]
    for start, end in sorted(spans, key=lambda s: s[0] - s[1]):
        phrase = read_phrase(" ".join(words[start:end]))
        if phrase is None or phrase.kind not in ("the", "all") or phrase.generic:
            continue
        if any(linker.named(n, phrase) for n in (*linker.things, *linker.rooms)):
            masked = " ".join([*words[:start], MASK, *words[end:]])
            return phrase, masked + "."
    return None


def rank(instruction: str, linker: Linker) -> list[tuple[float, Meaning]]:
    """What an instruction most likely means; empty unless one meaning stands out."""
    words = plain(instruction)
    if not is_bare(words) or len(words.split()) > MOST_WORDS:
        return []
    found = mention(words, linker)
    if found is None:
        return []
    phrase, masked = found
    texts = [*REQUESTS, *OTHERS]
    scores = linker.similarity.scores(masked, [f"{t} {MASK}." for t in texts])
    best, text = max(zip(scores, texts, strict=True))
    verb = REQUESTS.get(text)
    rivals = [s for s, t in zip(scores, texts, strict=True) if REQUESTS.get(t, t) != (verb or text)]
    if verb is None or best < ALIKE or best - max(rivals) < CLEAR:
        return []
    frame = Frame(verb, (), "at", phrase) if verb == "go" else Frame(verb, (phrase,))
    try:
        return [(best, VERBS[verb](Meanings(linker), frame, Context()))]
    except Gap:
        return []
