"""What verbs look like: patterns of plain commands, of questions whether something works, and of context.

A pattern names a meaning of ``verbs.py``; the first that fits and can be read is taken. Verbs that are in no
pattern are read by what they mean (``glosses.py``).
"""

from __future__ import annotations

import re

PUT = (
    "drop off|set out|set down|put down|put out|lay out|bring back|take back|put "
    "back|put|place|move|set|lay|leave|carry|bring|take|transfer|deliver|return"
    "|relocate|shift|insert|load|deposit"
    "|position|drop|throw|toss|dump|pop|stick|hand|give|serve|pass|transport|haul|slide|slip"
    "|chuck|tuck|stash|park|rest|add|ferry|pile|keep|stow|store|file|stack|plonk"
)
"""Verbs that put something somewhere, when it is said where."""

_WHO = r"(?P<who>him|her|me|us|them|(?-i:[A-Z][a-z]+)(?: and (?-i:[A-Z][a-z]+))?)"
_SURE = r"(?:make sure|ensure|see to it)(?: that)?"
_CUP = (
    r"(?:a|one|some|another|his|her|my|an|a (?:\w+ )?(?:cup|mug)(?: full)? of"
    r"|the)(?: (?:nice|fresh|hot|quick|strong|good|fresh hot|cup of|mug of))*"
    r" (?:coffee|espresso|cappuccino)"
)
_DESK = r"(?: (?:at|to|on) (?:his|her|their|the|my) (?:desk|office|table))?"
_TAKE = r"take|bring|put|leave|serve|carry|deliver"
_DIRT = r"(?:all )?(?:the |that |any )?(?:dust|dirt|crumbs|stains?|mess|grime|grease)"
_NO_PLACE = r"(?!(?:to|on|in|at|into|onto|back|over|up|off|from) )"
_GIVE = r"bring|get|take|fetch|hand|give|serve|deliver|pass|grab|find|send|offer"
_OFF = r"(?:off|out|down|back|over)"
_GO = r"go|drive|navigate|travel|head|come|move|walk|wander|roll|swing|stop|return|pop|run"


def _table(text: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    lines = [line.strip().partition(": ") for line in text.strip().splitlines()]
    return tuple((verb, re.compile(pattern, re.I)) for verb, _, pattern in lines)


# One meaning a line, the most special first; the first that fits and can be read is taken.
PATTERNS = _table(
    rf"""
    clean: (?:get rid of|clear) {_DIRT} (?:off|from|on) (?P<x>.+)
    away: (?:throw|toss|chuck) (?:away|out) (?P<x>.+)
    away: (?:throw|toss|chuck) (?P<x>.+) (?:away|out)
    away: (?:dispose of|get rid of|discard|trash|bin|ditch|junk) (?P<x>.+)
    on: (?:turn|switch|power|fire|start|boot) (?:on|up) (?P<x>.+)
    on: (?:turn|switch|power|fire|start|boot) (?P<x>.+) (?:on|up)
    on: (?:start|activate) (?P<x>.+)
    off: (?:turn|switch|power|shut) (?:off|down) (?P<x>.+)
    off: (?:turn|switch|power|shut) (?P<x>.+) (?:off|down)
    on: {_SURE} (?P<x>.+?) (?:is|are) (?:turned |switched )?on
    off: {_SURE} (?P<x>.+?) (?:is|are) (?:turned |switched )?off
    open: {_SURE} (?P<x>.+?) (?:is|are) open
    close: {_SURE} (?P<x>.+?) (?:is|are) (?:closed|shut)
    stop: stop (?P<x>.+)
    stop: make (?P<x>.+?) stop
    open: open(?: up)? (?P<x>.+)
    open: open (?P<x>.+) up
    close: (?:close|shut)(?: up)? (?P<x>.+)
    coffee: (?:make|brew|prepare|get|fetch|bring|serve|give|hand|pour|do|fix) (?:{_WHO} )?{_CUP}{_DESK}
    coffee: (?:make|brew|prepare|get|fetch|bring|pour|do|fix) {_CUP} for (?P<who>.+)
    coffee: (?:make|brew|prepare|pour|fix|do) {_WHO} one
    coffee: (?:bring|take|deliver|serve|get|carry) {_CUP} to (?P<who>.+)
    coffee: (?:put|place|leave|set) {_CUP} (?:on|at|in) (?P<who>.+)
    coffee: (?:make|brew|prepare|pour) {_CUP}(?:,| and) (?:then )?(?:{_TAKE}) it (?:to|on|at|in) (?P<who>.+)
    heat: (?:heat|warm|reheat|microwave) (?:up|through) (?P<x>.+)
    heat: (?:heat|warm) (?P<x>.+) (?:up|through)
    heat: (?:heat|warm|reheat|microwave|nuke) (?P<x>.+)
    heat: zap (?P<x>.+) in the microwave
    cool: (?:chill|cool)(?: down)? (?P<x>.+)
    cool: (?:chill|cool) (?P<x>.+) down
    fridge: refrigerate (?P<x>.+)
    wash: (?:wash|rinse)(?: up| off| out)? (?P<x>.+)
    wash: (?:wash|rinse) (?P<x>.+) (?:up|off)
    clean: (?:clean|wipe|dust|scrub|polish)(?: up| off| down)? (?P<x>.+)
    clean: (?:clean|wipe|dust|scrub|polish|wash|rinse) (?P<x>.+) (?:up|off|down|clean)
    clean: (?:get|remove|wipe|clean|brush|take|wash) {_DIRT} (?:off|from|on) (?P<x>.+)
    give: (?:how|what) about (?P<x>.+) for {_WHO}
    care: (?:take care of|deal with|sort out|see to) (?P<x>.+)
    fill: fill(?: up)? (?P<x>.+) with(?: fresh| hot)* coffee
    store: (?:hide|stash away) (?P<x>.+)
    store: (?:store|file|stow|put|lock|pack|stash|tuck) (?:safely )?away (?P<x>.+)
    store: (?:store|file|stow|put|lock|pack|stash|tuck) (?P<x>.+?) away(?P<at> (?:in|inside|into) .+)?
    store: (?:store|file|stow|stash) (?P<x>.+)
    give: (?:{_GIVE}) {_WHO} {_NO_PLACE}(?P<x>.+)
    give: provide {_WHO} with (?P<x>.+)
    give: (?:bring|get|fetch|grab|find) (?P<x>.+) for {_WHO}
    put: (?:{PUT}) (?P<x>.+)
    put: (?:drop|set|put|lay|take|bring) (?P<x>(?:it|them|the .+?)) {_OFF} (?P<to>(?:at|in|on|to|onto) .+)
    put: (?:get|fetch|grab|collect|retrieve|pick up|gather|send) (?P<x>.+ (?:to|into|onto|on) .+)
    hold: (?:take|get|remove) (?P<x>.+?) (?:from|out of) (?P<from>.+)
    find: (?:locate|find|look for|search for|track down)(?: me)? (?P<x>.+)
    empty: (?:empty|unload|clear|clear out|empty out)(?: out)? (?P<x>.+)
    hold: (?:pick up|grab|hold|hold on to|hang on to|fetch|get|take|collect|retrieve) (?P<x>.+)
    hold: pick (?P<x>.+) up
    go: (?:{_GO})(?: (?:over|down|up|back|on|yourself))*? (?:to|by|into|in|at|over to) (?P<x>.+)
    go: make your way (?:over |back |down )?(?:to|into) (?P<x>.+)
    """
)
CHECK = re.compile(
    r"(?:check|test|see|verify|find out|confirm|tell me) (?:if|that|whether) "
    r"(?P<a>.+?) (?:is|are) (?:still |actually )?"
    r"(?:working|functioning|functional|operational|ok|okay|in working order|alright"
    r"|fine)(?: properly| ok| fine)?"
    r"|(?:check|test|see|verify|find out|confirm|make sure|ensure) (?:(?:if|that"
    r"|whether) )?(?P<b>.+?) (?:still |actually )?(?:works?|functions?|runs?|turns "
    r"on)(?: properly| ok| fine)?"
    r"|(?:test|test out|try out|try) (?P<c>(?:the|my|our) .+)"
    r"|(?:run|do|perform|carry out) a (?:\w+ )?(?:test|check)(?: run)? (?:of|on|with) (?P<e>.+)"
    r"|(?:does|is) (?P<d>the .+?) (?:still )?(?:work|working|function|functioning)",
    re.I,
)
SPEAKER = re.compile(
    r"(?:i|we)(?: am| are|'m|'re) (?:currently |just |already |over )*(?:sitting "
    r"|standing |working |waiting |eating |having lunch |seated )?(?:at|in|on|by) "
    r"(?P<x>.+)",
    re.I,
)
HARMLESS = re.compile(
    r"i(?:'m| am) (?:so |very |really )?(?:hungry|thirsty|tired|bored|busy|late|back|cold|starving)", re.I
)
PERSON = re.compile(r"(?P<who>(?-i:[A-Z][a-z]+)) (?:is|was|(?-i:[a-z]+(?:ed|t|s))) .+", re.I)
_LOOKS = r"(?:is|are|looks?|feels?|was)"
MENTIONS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"(?P<x>something) {_LOOKS} (?P<how>\w+)(?: (?P<where>(?:in|on|at|inside|under) .+))?",
        r"(?P<x>something) (?P<how>\w+s)(?: bad| awful| funny)?(?: (?P<where>(?:in|on|at|inside|under) .+))?",
        r"(?P<x>something)(?P<where> (?:in|on|at|inside|under) .+?) (?P<how>smells"
        r"|stinks|reeks|is smelling)(?: .+)?",
        r"(?:there (?:is|are)|what is) (?:a|an|some|that|the|this)(?: \w+)? "
        r"(?P<how>smell|stench|stink|odou?r)(?: coming from)?(?P<where> .+)?",
        r"there (?:is|are) (?P<x>.+?) (?P<doing>\w+ing)(?P<where> (?:all )?(?:in|on|at"
        r"|from|under|over|onto) .+)?",
        r"(?P<x>coffee|water) (?:is|keeps) (?P<doing>\w+ing)(?: (?:all )?(?:over|onto|on|from|out) .+)?",
        r"there (?:is|are) (?:still )?(?P<x>.+)",
        r"(?P<x>(?:my|the|a|an|our) .+?) (?P<how>smells|stinks)(?: bad| awful| funny)?",
        rf"(?P<x>(?:my|the|a|an|our) .+?) {_LOOKS} (?P<where>(?:in|on|at|inside|under) .+)",
        rf"(?P<x>(?:my|the|a|an|our) .+?) {_LOOKS} (?:very |really |so )?(?P<how>\w+)",
        r"(?P<x>(?:my|the|a|an|our) .+?) (?:just |was |got |been |finally )*(?:delivered|arrived|came)",
    )
)
