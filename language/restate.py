"""Requests in other words as plain commands: "Jason's cabinet needs to be closed" is "close Jason's cabinet".

People seldom command. They ask ("would you mind closing ..."), wish ("I'd like the kebab warmed up"), or say
how things should be ("the toolbox belongs in the lab"). Rules of English grammar turn these into commands
that the patterns can read; no rule knows a particular thing, place or errand. What fits no rule stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .words import plain

_SHORT = (
    (r"\bcan't\b", "cannot"), (r"\bwon't\b", "will not"), (r"(\w)n't\b", r"\1 not"), (r"\blet's\b", "let us"),
    (r"\b(i)'m\b", r"\1 am"), (r"\b(\w+)'re\b", r"\1 are"), (r"\b(\w+)'ll\b", r"\1 will"),
    (r"\b(\w+)'ve\b", r"\1 have"), (r"\b(i|you|he|she|it|we|they|that|there)'d\b", r"\1 would"),
    (r"\b(he|she|it|that|there|here|what|who|where|everything|everyone)'s\b", r"\1 is"),
    (r"\b(the|a|an|his|her|my|\w+'s) ((?!that\b|which\b)\w+(?: (?!that\b|which\b)\w+)?) (?:that|which) (?:is|are|was|were|has|have|had)"
     r"(?: (?:just|been|already|freshly|got))* (?!(?:on|in|at|inside|under|by|from|lying|left|to|not|no|a|the)\b)(\w+)"
     r"(?= (?:on|in|from|at|to|into|onto|and|inside|under|for)\b|[,.]|\Z)", r"\1 \3 \2"),
    (r"\b(?:something|anything) (?:(\w+) )?(?:to|for) (?:eat|nibble(?: on)?|snack on|munch(?: on)?|lunch|have as a snack)\b", r"an edible \1 snack"),
    (r"\b(?:something|anything) (?:(\w+) )?to drink\b", r"a \1 drink"),
    (r"\b(?:a bite|a bit) to eat\b", "an edible snack"),
    (r"\b(?:somewhere|some place) (?:safe|secure|hidden|private|secret|out of sight|(?:where )?(?:it|nobody|no one|others)\b[\w ]*)", "away"),
    (r"\bout of sight\b", "away"),
    (r"\bthe (\w+) (?:that |which )?(?:it|they) (?:is|was|are|were) (?:addressed to|meant for|intended for|for|supposed to go to)", r"the correct \1"),
    (r"\bto ([A-Z][a-z]+) (?:at|on) (?:his|her|their) (desk|office|table)\b", r"to \1's \2"),
    (r"\b(?:for|to) ([A-Z][a-z]+),? (?:who is )?in (?:his|her|their) (desk|office|room)\b", r"to \1's \2"),
    (r"\bwanna\b", "want to"), (r"\bgotta\b", "have to"), (r"\bonto\b", "onto"), (r"\bout of\b", "from"),
    (r"\b(?:off of)\b", "from"), (r"\bplz\b|\bpls\b", "please"),
    (r"\b(?:up|down|over|across|along|round|back|out|straight|right) (?=(?:to|in|into|inside|on|onto|at) )", ""),
    (r"\b(?:in|inside) there\b", "in it"), (r"\bwhere (?:it|they) belongs?\b", "in the correct place"),
)  # fmt: skip
SHORT = tuple((re.compile(p, re.I), r) for p, r in _SHORT)

_MANNER = r"(?:please|kindly|possibly|maybe|perhaps|just|quickly|carefully|safely|gently|quietly|also|then|now|next|go\s+ahead\s+and|go\s+and|properly|immediately)"
_YOU = r"(?:you|someone|somebody|anyone|anybody|we|i|the robot)"
_NICE = r"(?:great|nice|good|lovely|helpful|wonderful|fantastic|best|brilliant|perfect|kind(?:\s+of\s+you)?|ideal|appreciated|grateful|(?:very\s+|so\s+|really\s+)(?:grateful|kind|helpful|nice|good))"
_ASK = re.compile(
    rf"""(?:
    {_MANNER} | and | so | but | first(?:\s+of\s+all)? | finally | afterwards | after(?:\s+that|wards) | lastly | once\s+(?:that\s+is\s+done)
    | when\s+(?:that\s+is|you\s+are)\s+(?:done|finished) | meanwhile | additionally | in\s+addition | ok | okay | hey | hi | hello | robot | well | right
    | oh | quick\s+(?:favou?r|one|thing|request) | sorry | excuse\s+me | while\s+you\s+are\s+(?:at\s+it|there|in\s+[\w\s]+?,)
    | (?:if|when(?:ever)?)\s+(?:you\s+(?:can|could|have|get|find|are|do\s+not|would)|it\s+is|possible|convenient)\b[^,]*,
    | (?:would|do)\s+(?:you|someone|somebody|anyone)\s+mind
    | (?:could|can|would|will|may|might)\s+{_YOU}(?:\s+(?:{_MANNER}|be\s+able\s+to|be\s+so\s+kind\s+(?:as|and)(?:\s+to)?|be\s+a\s+dear\s+and|manage\s+to))*
    | (?:is|would)\s+it\s+(?:be\s+)?(?:possible|ok|okay|alright|all\s+right)\s+(?:for\s+you\s+)?(?:to|if\s+you(?:\s+could)?)
    | (?:any\s+chance|i\s+(?:wonder|was\s+wondering|am\s+wondering)\s+(?:if|whether)|do\s+you\s+think|is\s+there\s+any\s+chance)(?:\s+(?:that\s+)?{_YOU}\s+(?:could|can|would|might)|\s+of)?
    | i\s+(?:need|want|would\s+(?:like|love|want|prefer)|require|expect|ask)\s+(?:for\s+)?(?:you|someone|somebody)\s+to
    | i\s+would\s+(?:really\s+)?(?:appreciate|love|like)\s+it\s+if\s+{_YOU}(?:\s+(?:could|would|can))? | i\s+would\s+be\s+{_NICE}\s+if\s+{_YOU}(?:\s+(?:could|would|can))?
    | it\s+(?:would|will)\s+be\s+{_NICE}\s+(?:if\s+{_YOU}(?:\s+(?:could|would|can))?|to)
    | (?:you|we|someone|somebody)\s+(?:should|must|need\s+to|needs\s+to|have\s+to|has\s+to|ought\s+to|had\s+better|may\s+want\s+to|might\s+want\s+to|can|could)
    | let\s+us | do\s+me\s+a\s+favou?r\s*(?:,|and|:)? | be\s+(?:so\s+)?(?:kind|good|nice)(?:\s+enough)?\s+(?:and|to|as\s+to) | be\s+sure\s+to
    | (?:remember|do\s+not\s+forget|try|feel\s+free|make\s+sure(?:\s+you)?)\s+to | make\s+sure\s+(?:that\s+)?you | your\s+(?:task|job|mission|next\s+task)\s+is\s+to
    | (?:it\s+is\s+)?time\s+to | i\s+need\s+(?:your\s+)?help\s+(?:with\s+)? | help\s+(?:me|us|out)(?:\s+(?:to|by|and|with))? | the\s+(?:task|job|next\s+thing)\s+is\s+to
    )(?![\w'])[\s,:]*""",
    re.I | re.X,
)
_END = re.compile(
    r"""[\s,]+(?:please | thanks(?:\s+a\s+lot|\s+so\s+much)? | thank\s+you(?:\s+very\s+much)? | now | right\s+(?:now|away) | for\s+(?:me|us|a\s+(?:moment|second|minute|bit|while)) | again | too | as\s+well | already
    | (?:nice\s+and\s+)?(?:quickly|carefully|safely|properly|immediately|gently) | asap | (?:would|will|could|can)\s+you | would\s+you\s+mind | (?:today|tonight|afterwards|later|instead|straight\s*away|at\s+once|somewhere)
    | (?:if|when(?:ever)?)\s+(?:you\s+(?:can|could|have|get|find|are\s+(?:free|ready|done)|do\s+not\s+mind|would|like)|it\s+is\s+(?:possible|convenient|no\s+trouble)|possible|that\s+is\s+(?:ok|okay|possible|alright))\b.*
    | (?:so(?:\s+that)?|because|since|as)\s+(?:i|we|he|she|it|they|that|there|everyone|nobody|no\s+one|people|the\s+\w+(?:\s+\w+)?|[A-Z][a-z]+)\s+(?:can|could|will|would|may|might|is|are|was|has|have|does|do|am|need|needs|want|wants|look|looks|stay|stays|keeps?|goes|smells?|did|had|cannot)\b.*
    | before\s+(?:it|they|someone|somebody|anyone|he|she)\s+\w+.* | to\s+(?:keep|stop|avoid|prevent|make\s+sure|save|cheer|help|let)\b.* | once\s+(?:it|they|that)\s+(?:is|are|has|have)\b.*
    | (?:when|once|after)\s+you\s+(?:are|have)\b.* | for\s+(?:a|the|his|her|my|our)\s+(?:lunch|dinner|breakfast|sandwich|meeting|meal|later|break|party|demo|talk|visitors?|guests?)\b(?!\s+table) | for\s+(?:lunch|dinner|breakfast|later|our\s+visitors|the\s+guests)
    | (?<!something\s)(?<!anything\s)(?<!way\s)to\s+(?:wipe|clean|eat|drink|nibble|snack|chill|cool|warm|heat|dry|read|use|write|cut|mop|enjoy|munch|play|prank|cheer|get\s+cold|stay)\b.*
    | in\s+one\s+go | one\s+by\s+one | back | over(?:\s+there)? | all\s+the\s+way | on\s+your\s+way | when\s+done | from\s+(?:there|here) | at\s+the\s+moment | for\s+(?:him|her|them)\b(?=\s*\Z)
    )\Z""",
    re.I | re.X,
)  # fmt: skip

IRREGULAR = {
    "taken": "take", "brought": "bring", "thrown": "throw", "put": "put", "set": "set", "made": "make",
    "given": "give", "shut": "shut", "left": "leave", "got": "get", "hung": "hang", "kept": "keep",
    "laid": "lay", "hidden": "hide", "held": "hold", "sent": "send", "found": "find", "dealt": "deal",
    "swept": "sweep", "run": "run", "done": "do", "stuck": "stick", "driven": "drive", "gone": "go",
    "turning": "turn", "running": "run", "putting": "put", "setting": "set", "getting": "get",
    "shutting": "shut", "being": "be", "lying": "lie", "took": "take", "threw": "throw", "gave": "give",
    "went": "go", "came": "come", "binned": "bin", "popped": "pop", "chilled": "chill", "cleared": "clear",
    "tidied": "tidy", "emptied": "empty", "carried": "carry", "dried": "dry", "passed": "pass", "dusted": "dust",
    "disposed": "dispose", "closed": "close", "opened": "open", "filled": "fill", "rinsed": "rinse", "built": "build",
    "collected": "collect", "delivered": "deliver", "gathered": "gather", "returned": "return", "dumped": "dump",
}  # fmt: skip
_NOT_VERBS = frozenset(
    "thing something anything nothing everything morning evening meeting printing recycling building ceiling"
    " string spring ring king during shed red bed need feed seed speed instead hundred sacred".split()
)
_SILENT = re.compile(r"(?:[aeiou](?:v|s|z|c|g|k|t|l|p|d|m|r)|[^aeiou]l|rg|dg|ng|rs|ns|rv|lv|nc|rc|ic)\Z")
_FULL_STEMS = frozenset(
    "clean load unload heat toast wait turn clear return deliver cool power empty open reheat collect wipe"
    " tidy scrub wash rinse dry fetch visit deposit".split()
)


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
    double = len(stem) > 2 and stem[-3] in "aeiou" and stem[-2] in "aeiou"
    return stem + "e" if _SILENT.search(stem) and not double else stem


_STATES = {
    "open": "open", "opened": "open", "closed": "close", "shut": "close", "on": "turn on", "running": "turn on",
    "going": "turn on", "started": "turn on", "off": "turn off", "hot": "heat", "warm": "heat", "toasty": "heat",
    "cold": "cool", "cool": "cool", "chilled": "cool", "clean": "clean", "spotless": "clean", "tidy": "clean",
    "dust free": "clean", "dustfree": "clean", "empty": "empty", "hidden": "hide",
    "out of sight": "hide", "switched on": "turn on", "switched off": "turn off",
}  # fmt: skip
_STATE = "|".join(sorted((re.escape(s) for s in _STATES), key=len, reverse=True))
_HOW = r"(?:(?:nice and|all|properly|fully|completely|really|very|piping|ice|nicely|perfectly|a bit) )?"
_TASKS = {
    "wash": "wash", "clean": "clean", "wipe": "wipe", "wipe down": "wipe", "dusting": "dust", "dust": "dust",
    "rinse": "rinse", "scrub": "scrub", "polish": "polish", "washing": "wash", "cleaning": "clean", "wiping": "wipe",
    "test": "test", "test run": "test", "try": "test", "check": "test", "warmup": "heat", "clean up": "clean",
}  # fmt: skip
_TASK = "|".join(sorted(_TASKS, key=len, reverse=True))
_SHOULD = (
    r"(?:needs? to|ha(?:s|ve) (?:got )?to|ought to|(?:is|are) to|should|must|(?:is|are) (?:supposed|meant|due) to"
    r"|wants? to|had better|can|could|may|might|will)(?: (?:really|please|both|all|now|probably|definitely|also))*"
)
_IN = r"(?:on top of|onto|on|inside of|inside|into|in|to|at)"
_WANT = (
    r"(?:wants?|needs?|requires?|likes?|fanc(?:y|ies)|would (?:really |quite |very much )?(?:like|love|appreciate|prefer|enjoy|want|need)"
    r"|could (?:really |probably )?(?:do with|use)|(?:is|am|are) (?:really |still |just )?(?:after|waiting for|looking for|dying for|craving"
    r"|asking for|in need of|in the mood for|desperate for|longing for)|(?:has|have) (?:just )?(?:asked|been asking|ordered|requested)(?: for)?|asked for|requested)"
)
_WHO = r"(?P<who>I|we|he|she|they|(?-i:[A-Z][a-z]+))"
_ME = {"i": "me", "we": "us", "he": "him", "she": "her", "they": "them"}


_THING = r"(?P<x>.+?(?<!\bthe)(?<!\ba)(?<!\ban)(?<!'s)(?<!ly)(?<!\bmy))"
_DONE = (
    r"(?P<v>(?!chicken|kitchen|oven\b|open\b|rotten|frozen|broken|seven|ten\b|red\b|bed\b|wooden|garden|need)"
    r"(?:\w+(?:ed|en|wn)|put|set|shut|left|brought|made|sent|held|run|kept|laid|hung))"
)


def _rule(text: str) -> re.Pattern[str]:
    return re.compile(text, re.I)


_PASSIVE = _rule(rf"(?P<x>.+?) {_SHOULD} (?:be|get) (?P<v>\w+)(?P<rest> .+)?")
_GO = _rule(rf"(?P<x>.+?) {_SHOULD} (?:go|be|sit|stay|end|live|belong|come|stand|return|move)(?P<rest> {_IN} .+)")
_BELONGS = _rule(rf"(?P<x>.+?) (?:(?:both|all|really|actually) )?(?:belongs?|goes|go|lives?)(?P<rest> {_IN} .+)")
_BE = _rule(rf"(?P<x>.+?) {_SHOULD} (?:be|stay|get|go) {_HOW}(?P<s>{_STATE})")
_NEEDS_ING = _rule(r"(?P<x>.+?) (?:needs?|wants?|requires?|could do with|could use) (?:(?:a )?(?:good |bit of |quick )?)(?P<v>\w+ing)(?P<rest> .+)?")
_NEEDS_A = _rule(rf"(?P<x>.+?) (?:needs?|wants?|requires?|deserves|could (?:really )?(?:do with|use)|(?:is|are) due(?: for)?) (?:a |some )?(?:\w+ )?(?P<n>{_TASK})")
_GIVE_A = _rule(rf"(?:give|do|have) (?P<x>.+?) (?:a|another|some) (?:\w+ )?(?P<n>{_TASK})(?: (?:down|up|over|through))?")
_WANT_DONE = _rule(rf"{_WHO} (?:(?:really|also|just) )?(?:{_WANT}) (?:to (?:have|see|get) )?{_THING} (?:(?:to )?(?:be|get) )?{_DONE}(?P<rest> .+)?")
_WANT_STATE = _rule(rf"{_WHO} (?:{_WANT}) (?:to (?:have|see|get) )?(?P<x>.+?) (?:to )?(?:be )?{_HOW}(?P<s>{_STATE})")
_WANT_AT = _rule(rf"{_WHO} (?:{_WANT}) (?:to (?:have|see|get) )?(?P<x>.+?)(?: to (?:be|go|sit|stay))?(?P<rest> {_IN} .+)")
_WANT_IT = _rule(rf"{_WHO} (?:(?:really|also|just) )?(?:{_WANT}) (?:to (?:have|get|eat|drink) )?(?P<x>.+)")
_GET_DONE = _rule(rf"(?:have|get|see) {_THING} {_DONE}(?P<rest> .+)?")
_MAKE = _rule(rf"(?:make|keep|get|leave|have|set|put|swing|push|pull) (?P<x>.+?) {_HOW}(?P<s>{_STATE})")
_LEAVE_IN = _rule(rf"(?:have|get|keep|want|need) (?P<x>.+?)(?P<rest> (?:{_IN}) .+)")
_USE = _rule(r"use (?P<x>.+?) to (?P<rest>.+)")
_SURE = _rule(r"(?:make (?:absolutely )?sure|ensure|see(?: to it)?|check|verify|arrange)(?: that)? (?P<rest>.+)")
_GETS = _rule(rf"(?P<x>.+?) (?:gets|ends up|lands|is|are|reach(?:es)?|makes? it|finds its way)(?: (?:back|safely))?(?P<rest> {_IN} .+)")
_IS_STATE = _rule(rf"(?P<x>.+?) (?:is|are|gets?|stays?) {_HOW}(?P<s>{_STATE})")
_IS_DONE = _rule(r"(?P<x>.+?) (?:is|are|gets?) (?P<v>\w+)(?P<rest> .+)?")
_GETS_IT = _rule(r"(?P<who>(?-i:[A-Z][a-z]+)) (?:gets|receives|has) (?P<x>.+)")
_BE_AT = _rule(r"(?:be|come|appear|show|meet me|wait|stand|park(?: yourself)?) (?:in|at|by|to|over to) (?P<x>.+)")
_BE_THERE = _rule(r"(?:i|we) (?:need|want|would like) you (?:to be )?(?:in|at|by) (?P<x>.+)")
_FORGOT = _rule(r"(?P<who>\S+) (?:has |have )?(?:forgot(?:ten)?|did not|never|has not|have not) (?:(?:to|bothered to) )?(?P<v>\w+) (?P<rest>.+)")


def expand(text: str) -> str:
    """A clause with short forms written out, and words of direction that say nothing left out."""
    for pattern, full in SHORT:
        text = pattern.sub(full, text)
    return re.sub(r"\s+", " ", text).strip(" ,:-")


def _owned(found: re.Match[str], text: str) -> str:
    """A command with the subject's name for "his"."""
    who = found.groupdict().get("who") or ""
    return re.sub(r"\b(?:his|her|their)\b", f"{who}'s", text) if who[:1].isupper() and who != "I" else text


def bare(clause: str) -> str:
    """A clause without politeness, hesitation and reasons around it; gerunds as base forms."""
    clause = expand(clause)
    asked = False
    while (found := _ASK.match(clause)) is not None and 0 < found.end() < len(clause):
        asked = asked or "mind" in found[0].lower() or found[0].lower().rstrip().endswith((" of", "help", "with", "by"))
        clause = clause[found.end() :]
    while (found := _END.search(clause)) is not None and found.start() > 0:
        clause = clause[: found.start()].strip(" ,")
    head, _, tail = clause.partition(" ")
    base = lemma(head)
    past = base is not None and (asked or head.lower() in ("took", "threw", "gave", "brought") or head.lower().endswith("ed"))
    return f"{base} {tail}".strip() if base is not None and past and tail else clause


def restate(clause: str) -> Iterator[str]:
    """Commands that say what a declarative clause asks for, the likeliest first. The clause is bare."""
    sure = _SURE.fullmatch(clause)
    if sure is not None:
        yield from _wanted(sure["rest"])
        yield from restate(sure["rest"])
        return
    yield from _commanded(clause)
    yield from _declared(clause)


_FINITE = _rule(
    r".*(?<!that )(?<!which )\b(?:goes|belongs?|needs?|wants?|should|must|is|are|was|has|have|had|likes?|could|would|to)\b.*"
)


def _simple(found: re.Match[str] | None) -> bool:
    """Whether a rule has found one noun phrase before the verb, and not another clause."""
    return found is not None and _FINITE.fullmatch(found["x"]) is None


def _done(found: re.Match[str] | None) -> Iterator[str]:
    if found is None or not _simple(found):
        return
    base = lemma(found["v"])
    if base is not None and base not in ("be", "go", "lie", "have", "hope"):
        rest = found["rest"] or ""
        particle = re.match(r" (?:up|off|away|on|down|out)\b(?! (?:the|a|his|her|my|top)\b)", rest, re.I)
        cut = particle.end() if particle else 0
        yield _owned(found, f"{base}{rest[:cut]} {found['x']}{rest[cut:]}")


def _state(found: re.Match[str] | None) -> Iterator[str]:
    if found is not None and _simple(found):
        yield _owned(found, f"{_STATES[found['s'].lower()]} {found['x']}")


def _put(found: re.Match[str] | None) -> Iterator[str]:
    if found is not None and _simple(found):
        yield _owned(found, f"put {found['x']}{found['rest']}")


def _wanted(clause: str) -> Iterator[str]:
    """What holds when it is made sure: "the door is closed"."""
    yield from _state(_IS_STATE.fullmatch(clause))
    yield from _done(_IS_DONE.fullmatch(clause))
    yield from _put(_GETS.fullmatch(clause))
    found = _GETS_IT.fullmatch(clause)
    if found is not None:
        yield f"bring {found['who']} {found['x']}"


def caused(clause: str) -> Iterator[str]:
    """Commands to bring something about, said with "get", "have" and "make"."""
    yield from _state(_MAKE.fullmatch(clause))
    yield from _done(_GET_DONE.fullmatch(clause))


def _commanded(clause: str) -> Iterator[str]:
    found = _GIVE_A.fullmatch(clause) or _NEEDS_A.fullmatch(clause)
    if found is not None:
        yield f"{_TASKS[found['n'].lower()]} {found['x']}"
    yield from _put(_LEAVE_IN.fullmatch(clause))
    found = _USE.fullmatch(clause)
    if found is not None:
        yield found["rest"]
    found = _BE_AT.fullmatch(clause) or _BE_THERE.fullmatch(clause)
    if found is not None:
        yield f"go to {found['x']}"


def _declared(clause: str) -> Iterator[str]:
    yield from _state(_BE.fullmatch(clause))
    yield from _done(_PASSIVE.fullmatch(clause))
    yield from _put(_GO.fullmatch(clause))
    yield from _put(_BELONGS.fullmatch(clause))
    yield from _done(_NEEDS_ING.fullmatch(clause))
    found = _FORGOT.fullmatch(clause)
    if found is not None:
        yield _owned(found, f"{lemma(found['v']) or found['v']} {found['rest']}")
    yield from _state(_WANT_STATE.fullmatch(clause))
    yield from _done(_WANT_DONE.fullmatch(clause))
    at, it = _WANT_AT.fullmatch(clause), _WANT_IT.fullmatch(clause)
    yield from _put(at)
    if it is not None and not it["x"].startswith(("to ", "you ")):
        who = _ME.get(it["who"].lower(), it["who"])
        yield f"bring {who} {it['x']}"


def tidy(text: str) -> str:
    """Plain text with short forms written out."""
    return expand(plain(text))
