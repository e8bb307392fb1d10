"""English words as rules need them: tokens, plurals, verb forms, short forms, and names of nodes as words.

Everything here works on single words, or on text before it is parsed. A verb form, plural or contraction that
is read wrong is put right here.
"""

from __future__ import annotations

import re
from functools import lru_cache

STOP = frozenset(
    "a an the of to in on at it its is are was were be been am and or that this these those there here"
    " i me my we us our you your he him his she her they them their with for from by into onto some any"
    " please".split()
)

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_DIGITS = re.compile(r"(?<=[^\W\d_])(?=\d)")


def plain(text: str) -> str:
    """A text on one line with straight apostrophes and without hyphens inside words."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub("[\N{RIGHT SINGLE QUOTATION MARK}\N{MODIFIER LETTER APOSTROPHE}`]", "'", text)
    return re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", "", text)


def tokens(text: str) -> list[str]:
    """The words of a text, lower-case, ``'s`` kept."""
    return [t.lower() for t in _TOKEN.findall(plain(text))]


@lru_cache(maxsize=65536)
def name_words(name: str) -> tuple[str, ...]:
    """The words that a node's name is made of: ``meeting_room1`` → meeting, room, 1."""
    if re.search(r"[^\W\d_]\d+[^\W\d_]", name):
        return tuple(t.lower() for t in _TOKEN.findall(name.replace("_", " ")))
    spaced = _DIGITS.sub(" ", _CAMEL.sub(" ", name.replace("_", " ").replace("-", " ")))
    return tuple(t.lower() for t in _TOKEN.findall(spaced))


def content_words(text: str) -> list[str]:
    """The words that carry meaning, possessive endings removed."""
    words = (w.removesuffix("'s") for w in tokens(text.replace("_", " ")))
    return [w for w in words if w not in STOP]


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """A noun without its plural ending, roughly."""
    if word == "loaves":
        return "loaf"
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes", "oes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    if len(word) == 3 and word.endswith("s") and word.isalpha() and not set(word) & set("aeiouy"):
        return word[:-1]  # "cds", "tvs"
    return word


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without the commonest endings: what ``smelling`` and ``smelly`` share."""
    base = singular(word)
    for ending in ("ing", "ed", "en", "y", "e"):
        if base.endswith(ending) and len(base) - len(ending) >= 3:
            base = base.removesuffix(ending)
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "sl":
                base = base[:-1]
            break
    return base


def is_plural(word: str) -> bool:
    return singular(word) != word


def alike(a: str, b: str) -> bool:
    """Return whether two words are forms of one: equal stems, or one cut short (``undergrad``)."""
    if a == b or stem(a) == stem(b):
        return True
    short, long = sorted((a, b), key=len)
    return len(short) >= 6 and long.startswith(short)


IRREGULAR = {
    "taken": "take", "brought": "bring", "thrown": "throw", "put": "put", "set": "set", "made": "make",
    "given": "give", "shut": "shut", "left": "leave", "got": "get", "hung": "hang", "kept": "keep",
    "laid": "lay", "hidden": "hide", "held": "hold", "sent": "send", "found": "find", "dealt": "deal",
    "swept": "sweep", "run": "run", "done": "do", "stuck": "stick", "driven": "drive", "gone": "go",
    "being": "be", "lying": "lie", "took": "take", "threw": "throw", "gave": "give", "went": "go",
    "came": "come", "built": "build", "gathered": "gather", "spilt": "spill", "eaten": "eat",
    "going": "go",
}  # fmt: skip
_NOT_VERBS = frozenset(
    "thing something anything nothing everything morning evening meeting printing recycling building ceiling"
    " string spring ring king during shed red bed need feed seed speed instead hundred sacred".split()
)
_SILENT = re.compile(r"(?:[aeiou](?:v|s|z|c|g|k|t|l|p|d|m|r)|[^aeiou]l|rg|dg|ng|rs|ns|rv|lv|nc|rc|ic)\Z")
_FULL_STEMS = frozenset("deliver power visit deposit".split())


@lru_cache(maxsize=4096)
def lemma(word: str) -> str | None:
    """The base form of a participle or gerund; ``None`` for a word that seems to be neither."""
    word = word.lower()
    if word in IRREGULAR:
        return IRREGULAR[word]
    ending = "ing" if word.endswith("ing") else "ed" if word.endswith("ed") else ""
    stem = word.removesuffix(ending)
    if not ending or word in _NOT_VERBS or len(stem) < 3:
        return None
    if stem in _FULL_STEMS:
        return stem
    if stem[-1] == stem[-2] and stem[-1] not in "ls":
        return stem[:-1]
    if stem.endswith("i") and ending == "ed":
        return stem[:-1] + "y"
    # "mov" and "plac" have lost an e, "warm" and "heat" have not.
    if stem[-1] == stem[-2]:
        return stem
    double = len(stem) > 2 and stem[-3] in "aeiou" and stem[-2] in "aeiou"
    return stem + "e" if _SILENT.search(stem) and not double else stem


_MADE_OF_TWO = (
    "(?:scissors|trousers|pants|jeans|shorts|tights|glasses|sunglasses|spectacles|pliers|tongs|tweezers"
    "|headphones|earphones|pyjamas|socks|shoes|gloves|boots|slippers|sandals|skis)"
)
"""Things that are one although two are counted: a pair of scissors, a pair of shoes."""

_CONTRACTIONS = tuple(
    (re.compile(p, re.I), r)
    for p, r in (
        (r"\b(?:hang|hold) on to\b|\bkeep hold of\b", "hold"),
        (r"\bcannot\b|\bcan'?t\b", "can not"), (r"\bwon'?t\b", "will not"), (r"\b(\w+)n't\b", r"\1 not"),
        (r"\b(do|does|did|is|has|should|would|could|was)nt\b", r"\1 not"),
        (r"\b(i|you|we|they|who|it|he|she|that|there)'d\b", r"\1 would"), (r"\b(\w+)'ll\b", r"\1 will"),
        (r"\b(\w+)'ve\b", r"\1 have"), (r"\b(\w+)'re\b", r"\1 are"), (r"\bi'?m\b", "I am"),
        (r"\blet'?s\b", "let us"),
        (r"\b(it|that|there|here|he|she|what|who|where|how|which|everything|something|someone|somebody)'s\b",
         r"\1 is"),
        (r"'s (?=(?:been|got|left|gone|had|forgotten|run|lying"
         r"|hungry|thirsty|tired|starving|parched|working|waiting|sitting|looking|asking)\b)", " is "),
        (r"\bwanna\b", "want to"), (r"\bgotta\b|\bhave got to\b|\bhas got to\b", "must"),
        (r"\bgonna\b", "going to"), (r"->|→|=>", " to "),
        (r"\bon top of\b|\batop\b", "on"), (r"\bon to\b", "onto"),
        (r"\b(?:would|do|could) (?:you|i|we) (?:rather|sooner)\b", "unread"),
        (r"\binside of\b", "inside"), (r"\bwithin\b", "in"), (r"\bout of\b|\boff of\b", "from"),
        (r"\bnext to\b|\bclose to\b|\bbeside\b", "near"), (r"\bunderneath\b|\bbeneath\b", "under"),
        (r"\b(?:apart|aside) from\b|\bother than\b|\bwith the exception of\b|\bexcluding\b", "except"),
        (r"\b(?:except|but|save) for\b", "except"),
        # What is done already, and not asked for: "thanks for closing it".
        (r"\b(?:thanks|thank you|sorry)(?: \w+){0,2} for (?=(?!\w*thing\b)\w+ing\b)", "except "),
        (r"\s*(?:\.{2,}|\u2026)\s*(?=\w)", " \u2013 "),
        (r"\bin front of\b", "near"), (r"\bas well as\b|&", "and"),
        (r"\bas well\b|\bat all\b|\bat once\b", "too"),
        (r"\b(?:make (?:\w+ )?sure|be sure|see to it|ensure)(?: that)?(?= (?!to\b))", "ensure"),
        (r"\b(?:make sure|be sure|see to it) to\b", "please"),
        (r"\b(?:what|whatever|the (?:thing|item|object)|anything)(?: that)? (?:you|the robot"
         r"|the agent) (?:are|is)"
         r"(?: currently| now)? (?:holding|carrying)", "the heldobject"),
        (r"\b(?:the|that|this|a|an|your)(?: \w+){1,3}? (?:that is |which is )?in your (?:hand|gripper)",
         "the heldobject"),
        (r"\bsomewhere\b(?! (?:in|on|near|at)\b)(?:(?! and\b| then\b)[^.,;!?])*", ""),
        (r"\bsomewhere (?=in|on|near|at)", ""),
        (r"\b(?:of some|of any) (?:sort|kind|type)\b", ""),
        (r"\bget(?:ting)? rid of\b|\bdispos(?:e|ing) of\b", "discard"),
        (r"\b(?:before|prior to) (?:that|this|then)\b", "beforehand"), (r"\bevery one of\b", "all of"),
        (r"\b(?:in case(?: of)?|in the event|on condition|provided|providing|assuming|supposing"
         r"|given|depending on|(?:as|so) long as)"
         r"(?= (?:that|whether|the|it|there|\w+'s|[a-z]+ (?:is|are|am|has))\b)", "if"),
        (r"\b(?:by the time|the (?:moment|minute|second|instant|day)|(?:every|each) time) (?=\w+ )", "when "),
        (r"\b(?:after|following) (?:that|this)\b|\b(?:when|once|after) (?:that is |you are |you have )?"
         r"(?:done|finished)\b(?! with\b)", "then"),
        (r"\b(?:nice and|all nice and)\b", ""), (r"\bin (?:the|your) way\b", ""),
        (r"\b(?:whatever|(?<=\w )what|whichever) is (?=in|on|at|under)", "everything "),
        (r"\b(?:whatever|what|whichever thing) (?:is |has |it is that )?(?=(?:smell|stink|reek"
         r"|rott?)\w*)", "everything that "),
        (r"\b(a|that|the|this|some)(?: \w+)? (?:smell|stench|stink|odou?r)(?: coming)? (?=in\b|from\b|on\b)",
         r"\1 smelly thing "),
        (r"\b(?:be |is )?(?:so |very )?(?:good|kind|nice|sweet|dear"
         r"|helpful)(?: enough)? (?:as )?to\b", "please"),
        (r"\b(?:something|anything)( \w+)? to (?:eat|(?:nibble|snack|munch|chew)(?: on)?)\b",
         r"a\1 edible snack"),
        (r"\b(?:something|anything)( \w+)? to drink\b", r"a\1 drink"),
        (r"\b(?:something|anything) to (?:clean|wipe|mop|dry|dust)(?: \w+){0,4}? with\b", "the cleaningtool"),
                (r"\b(?:is|would|will) it (?:be )?(?:at all )?(?:possible|too much trouble)"
         r"(?: for (?:you|someone))? to\b", "please"),
        (r"\b(?:take|taking) care of\b|\blook after\b", "handle"),
        (r"\bsomething (?:is |that )?(?:smell|stink|reek)\w*(?: (?:bad|awful|funny"
         r"|off)\w*)? (?=in\b|on\b|at\b)",
         "there is a smelly thing "),
        (r"\b(?:i|we) (?:think|believe|guess|suppose|reckon|feel)(?: that)? (?=the|it|my|that|this"
         r"|\w+'s\b)", ""),
        (r"\b(could|can|would|will|should|must) the robot\b", r"\1 you"),
        (r"\b(?:is|are) (?:supposed|meant|intended) to\b", "should"),
        (r"\b(?:have you got|do you have) (?:a |the )?(?:minute|moment|second|time) to\b", "please"),
        (r"\b(is|are) (?=(?:closed|shut|open|off|on|clean|locked|empty) (?:at|in) the end *(?:[.,;!?]|$))",
         "should be "),
        (r",? (?:at|in) the end(?= *(?:[.,;!?]|$))", ""),
        (r"\byesterday's\b", "the"),
        (r"\bkept (?=(?:cold|cool|chilled) *(?:[.,;!?]|$))", ""),
        (r"(?<!floor) (?:in|of|throughout) (?:the|this) (?:(?:whole|entire) )?(?:house|building|flat"
         r"|apartment)(?= *(?:[.,;!?]|$)| (?:and|is|are|should|must|has to|have to|to|in|on)\b)", ""),
        (r"\bas soon as\b", "once"), (r"\bover to\b|\bback to\b|\bup to\b|\bdown to\b|\balong to\b", "to"),
        (r"\bover (?=in|on|at\b)|\bback (?=in|on|at\b)|\bdown (?=in|on|at\b)|\bup (?=in|on|at\b)", ""),
        (rf"\b(?:a pair of|(the) pair of) (?!{_MADE_OF_TWO})(?=\w+(?: \w+)?s\b)", r"\1 two "),
        (r"^\W*\w+ time:", ""),
        (r"\b(a|the) (?:bit|little|tad|pair|piece|slice|stack|roll|set|sheet|pack|bag|loaf) of (?!the\b)",
         r"\1 "),
        (r"\b(?:a couple of|a pair of)\b", "two"),
        (r"\b(it|them) all\b", r"\1"),
        (r"\b(?:all|both|each) of (them|these|those|it)\b", r"\1"),
        (r",?\s*\b(?:would|could|can|will) you(?: please)?\s*(?:\?|(?=[.!])|$)", ""),
    )
)  # fmt: skip


def expanded(text: str) -> str:
    """A text on one line with its short forms written out."""
    text = plain(text)
    for pattern, full in _CONTRACTIONS:
        text = pattern.sub(full, text)
    return text
