"""Short and idiomatic forms written out, so that the grammar has fewer of them to know.

"I'd", "don't", "wanna"; prepositions of several words as one; "hold on to" as "hold"; and set phrases around
a request ("be so kind as to") as "please".
"""

from __future__ import annotations

import re

from .words import plain

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
        (r"'s (?=(?:been|got|left|gone|too|very|so|not|still|always|never|had|forgotten|run|all|lying"
         r"|hungry|thirsty|tired|starving|parched|working|waiting|sitting|looking|asking)\b)", " is "),
        (r"\bwanna\b", "want to"), (r"\bgotta\b|\bhave got to\b|\bhas got to\b", "must"),
        (r"\bgonna\b", "going to"), (r"\b(?:dont)\b", "do not"), (r"->|→|=>", " to "),
        (r"\bon top of\b|\bonto\b|\bon to\b|\batop\b", "on"),
        (r"\binside of\b|\binside\b|\binto\b|\bwithin\b", "in"), (r"\bout of\b|\boff of\b", "from"),
        (r"\bnext to\b|\bclose to\b|\bbeside\b", "near"), (r"\bunderneath\b|\bbeneath\b", "under"),
        (r"\bin front of\b", "near"), (r"\bas well as\b|&", "and"), (r"\bas well\b|\bat all\b", "too"),
        (r"\b(?:make (?:\w+ )?sure|be sure|see to it|ensure)(?: that)?(?= (?!to\b))", "ensure"),
        (r"\b(?:make sure|be sure|see to it) to\b", "please"),
        (r"\b(?:what|whatever|the (?:thing|item|object)|anything)(?: that)? (?:you|the robot"
         r"|the agent) (?:are|is)"
         r"(?: currently| now)? (?:holding|carrying)", "the heldobject"),
        (r"\b(?:what|whatever|the (?:thing|item|object)) is in your (?:hand|gripper)", "the heldobject"),
        (r"\b(?:the|that|this|a|an|your)(?: \w+){1,3}? (?:that is |which is )?in your (?:hand|gripper)",
         "the heldobject"),
        (r"\bsomewhere\b(?! (?:in|on|near|at)\b)[^.,;!?]*", ""), (r"\bsomewhere (?=in|on|near|at)", ""),
        (r"\b(?:of some|of any) (?:sort|kind|type)\b", ""), (r"\b(?:some|any) (?:sort|kind|type) of\b", "a"),
        (r"\bget(?:ting)? rid of\b|\bdispos(?:e|ing) of\b", "discard"), (r"\bgot rid of\b", "discarded"),
        (r"\b(?:after|following) (?:that|this)\b|\b(?:when|once|after) (?:that is |you are |you have )?"
         r"(?:done|finished)\b", "then"),
        (r"\b(?:nice and|all nice and)\b", ""), (r"\b(?:in|on) (?:the|your) way\b", ""),
        (r"\b(?:whatever|(?<=\w )what|whichever) is (?=in|on|at|under)", "everything "),
        (r"\b(?:whatever|what) (?:is )?(?:making|causing) (?:a|the|that) (?:smell|stink|stench)",
         "the smelly thing"),
        (r"\b(?:whatever|what|whichever thing) (?:is |has |it is that )?(?=(?:smell|stink|reek"
         r"|rott?)\w*)", "the thing that "),
        (r"\b(a|that|the|this|some)(?: \w+)? (?:smell|stench|stink|odou?r)(?: coming)? (?=in\b|from\b|on\b)",
         r"\1 smelly thing "),
        (r"\b(?:be |is )?(?:so |very )?(?:good|kind|nice|sweet|dear"
         r"|helpful)(?: enough)? (?:as )?to\b", "please"),
        (r"\b(?:something|anything)( \w+)? to (?:eat|nibble|snack|munch|chew)(?: on)?\b",
         r"a\1 edible snack"),
        (r"\b(?:something|anything)( \w+)? to drink\b", r"a\1 drink"),
        (r"\b(?:something|anything) to (?:clean|wipe|mop|dry|dust)(?: \w+){0,4}? with\b", "the cleaningtool"),
        (r"\bany ?more\b|\bany longer\b", ""), (r"\bbetter off\b|\bup off\b", "off"),
        (r"\b(?:is|would|will) it (?:be )?(?:at all )?(?:possible|ok|okay|alright|feasible|too much trouble)"
         r"(?: for (?:you|someone))? to\b", "please"),
        (r"\b(?:take|taking) care of\b|\blook after\b", "handle"),
        (r"\bsomething (?:is |that )?(?:smell|stink|reek)\w*(?: (?:bad|awful|funny"
         r"|off)\w*)? (?=in\b|on\b|at\b)",
         "there is a smelly thing "),
        (r"\b(?:i|we) (?:think|believe|guess|suppose|reckon|feel)(?: that)? (?=the|it|my|that|this"
         r"|\w+'s\b)", ""),
        (r"\b(could|can|would|will|should|must) the robot\b", r"\1 you"),
        (r"\bas soon as\b", "once"), (r"\bover to\b|\bback to\b|\bup to\b|\bdown to\b|\balong to\b", "to"),
        (r"\bover (?=in|on|at\b)|\bback (?=in|on|at\b)|\bdown (?=in|on|at\b)|\bup (?=in|on|at\b)", ""),
        (r"\ba (?:bit|little|tad) of\b|\ba (?:pair|piece|slice|stack|bit|set|sheet|pack|bag|load) of\b", "a"),
        (r"\b(?:a couple of|a pair of)\b", "two"), (r"\bevery one of\b", "all of"),
        (r"\b(it|them) all\b", r"\1"),
        (r"\b(?:all|both|each) of (them|these|those|it)\b", r"\1"),
        (r"\b(?:would|could|can|will) you\s*$", ""),
        (r",?\s*(?:would|could|can|will) you(?: please)?(?=[?.!])", ""),
    )
)  # fmt: skip


def expanded(text: str) -> str:
    """A text on one line with its short forms written out."""
    text = plain(text)
    for pattern, full in _CONTRACTIONS:
        text = pattern.sub(full, text)
    return text
