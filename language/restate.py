"""Requests in other words as plain commands: "Jason's cabinet needs to be closed" is "close Jason's cabinet".

People seldom command. They ask ("would you mind closing ..."), wish ("I'd like the kebab warmed up"), or say
how things should be ("the toolbox belongs in the lab"). Rules of English grammar turn these into commands
that the patterns can read; no rule knows a particular thing, place or errand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .inflection import lemma

_STATES = {
    "open": "open", "opened": "open", "closed": "close", "shut": "close", "on": "turn on",
    "running": "turn on",
    "going": "turn on", "started": "turn on", "off": "turn off", "hot": "heat", "warm": "heat",
    "cold": "cool", "cool": "cool", "chilled": "cool", "clean": "clean", "spotless": "clean", "tidy": "clean",
    "dust free": "clean", "dustfree": "clean", "empty": "empty", "hidden": "hide",
    "out of sight": "hide", "switched on": "turn on", "switched off": "turn off",
}  # fmt: skip
_STATE = "|".join(sorted((re.escape(s) for s in _STATES), key=len, reverse=True))
_HOW = r"(?:(?:nice and|all|properly|fully|completely|really|very|piping|ice|nicely|perfectly|a bit) )?"
_TASKS = {
    "wash": "wash", "clean": "clean", "wipe": "wipe", "wipe down": "wipe", "dusting": "dust", "dust": "dust",
    "rinse": "rinse", "scrub": "scrub", "polish": "polish", "washing": "wash", "cleaning": "clean",
    "wiping": "wipe",
    "test": "test", "test run": "test", "try": "test", "check": "test", "warmup": "heat", "clean up": "clean",
}  # fmt: skip
_TASK = "|".join(sorted(_TASKS, key=len, reverse=True))
_SHOULD = (
    r"(?:needs? to|ha(?:s|ve) (?:got )?to|ought to|(?:is|are) to|should|must|(?:is"
    r"|are) (?:supposed|meant|due) to"
    r"|wants? to|had better|can|could|may|might|will|would)(?: (?:really|please|both"
    r"|all|now|probably|definitely|also))*"
)
_IN = r"(?:on top of|onto|on|inside of|inside|into|in|to|at)"
_WANT = (
    r"(?:wants?|needs?|requires?|likes?|fanc(?:y|ies)|would (?:really |quite |very "
    r"much )?(?:like|love|appreciate|prefer|enjoy|want|need)"
    r"|could (?:really |probably )?(?:do with|use)|(?:is|am|are) (?:really |still "
    r"|just )?(?:after|waiting for|looking for|dying for|craving"
    r"|asking for|in need of|in the mood for|desperate for|longing for)|(?:has|have) "
    r"(?:just )?(?:asked|been asking|ordered|requested)(?: for)?|asked for"
    r"|requested)"
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
_GO = _rule(
    rf"(?P<x>.+?) {_SHOULD} (?:go|be|sit|stay|live|belong|come|stand|return|move)(?: "
    rf"better(?: off)?| safer)?(?P<rest> {_IN} .+)"
)
_BELONGS = _rule(
    rf"(?P<x>.+?) (?:(?:both|all|really|actually) )?(?:belongs?|goes|go"
    rf"|lives?)(?P<rest> {_IN} .+)"
)
_BE = _rule(rf"(?P<x>.+?) {_SHOULD} (?:be|stay|get|go) {_HOW}(?P<s>{_STATE})")
_NEEDS_ING = _rule(
    r"(?P<x>.+?) (?:needs?|wants?|requires?|could do with|could use) (?:(?:a "
    r")?(?:good |bit of |quick )?)(?P<v>\w+ing)(?P<rest> .+)?"
)
_NEEDS_A = _rule(
    rf"(?P<x>.+?) (?:needs?|wants?|requires?|deserves|could (?:really )?(?:do with"
    rf"|use)|(?:is|are) due(?: for)?) (?:a |some )?(?:\w+ )?(?P<n>{_TASK})"
)
_GIVE_A = _rule(
    rf"(?:give|do|have) (?P<x>.+?) (?:a|another|some) (?:\w+ )?(?P<n>{_TASK})(?: "
    rf"(?:down|up|over|through))?"
)
_WANT_DONE = _rule(
    rf"{_WHO} (?:(?:really|also|just) )?(?:{_WANT}) (?:to (?:have|see|get) )?{_THING} "
    rf"(?:(?:to )?(?:be|get) )?{_DONE}(?P<rest> .+)?"
)
_WANT_STATE = _rule(
    rf"{_WHO} (?:{_WANT}) (?:to (?:have|see|get) )?(?P<x>.+?) (?:to )?(?:be "
    rf")?{_HOW}(?P<s>{_STATE})"
)
_WANT_AT = _rule(
    rf"{_WHO} (?:{_WANT}) (?:to (?:have|see|get) )?(?P<x>.+?)(?: to (?:be|go|sit"
    rf"|stay))?(?P<rest> {_IN} .+)"
)
_WANT_IT = _rule(rf"{_WHO} (?:(?:really|also|just) )?(?:{_WANT}) (?:to (?:have|get|eat|drink) )?(?P<x>.+)")
_GET_DONE = _rule(rf"(?:have|get|see) {_THING} {_DONE}(?P<rest> .+)?")
_MAKE = _rule(rf"(?:make|keep|get|leave|have|set|put|swing|push|pull) (?P<x>.+?) {_HOW}(?P<s>{_STATE})")
_LEAVE_IN = _rule(rf"(?:have|get|keep|want|need) (?P<x>.+?)(?P<rest> (?:{_IN}) .+)")
_USE = _rule(r"use (?P<x>.+?) to (?P<rest>.+)")
_SURE = _rule(
    r"(?:make (?:absolutely )?sure|ensure|see(?: to it)?|check|verify|arrange)(?: "
    r"that)? (?P<rest>.+)"
)
_GETS = _rule(
    rf"(?P<x>.+?) (?:gets|ends up|lands|is|are|reach(?:es)?|makes? it|finds its "
    rf"way)(?: (?:back|safely))?(?P<rest> {_IN} .+)"
)
_IS_STATE = _rule(rf"(?P<x>.+?) (?:is|are|gets?|stays?) {_HOW}(?P<s>{_STATE})")
_IS_DONE = _rule(r"(?P<x>.+?) (?:is|are|gets?) (?P<v>\w+)(?P<rest> .+)?")
_GETS_IT = _rule(r"(?P<who>(?-i:[A-Z][a-z]+)) (?:gets|receives|has) (?P<x>.+)")
_BE_AT = _rule(
    r"(?:be|come|appear|show|meet me|wait|stand|park(?: yourself)?) (?:in|at|by|to"
    r"|over to) (?P<x>.+)"
)
_BE_THERE = _rule(r"(?:i|we) (?:need|want|would like) you (?:to be )?(?:in|at|by) (?P<x>.+)")
_FORGOT = _rule(
    r"(?P<who>\S+) (?:has |have )?(?:forgot(?:ten)?|did not|never|has not|have not) "
    r"(?:(?:to|bothered to) )?(?P<v>\w+) (?P<rest>.+)"
)


def _owned(found: re.Match[str], text: str) -> str:
    """A command with the subject's name for "his"."""
    who = found.groupdict().get("who") or ""
    return re.sub(r"\b(?:his|her|their)\b", f"{who}'s", text) if who[:1].isupper() and who != "I" else text


def restate(clause: str) -> Iterator[str]:
    """Commands that say what a declarative clause asks for, the likeliest first. The clause is bare."""
    sure = _SURE.fullmatch(clause)
    if sure is not None:
        yield from _wanted(sure["rest"])
        yield from restate(sure["rest"])
        return
    yield from _commanded(clause)
    yield from _declared(clause)


_QUESTION = _rule(r"(?:can|could|would|may|should|might) (?P<x>.+?) (?:please )?be (?P<rest>.+)")
_FINITE = _rule(
    r".*(?<!that )(?<!which )\b(?:goes|belongs?|needs?|wants?|should|must|is|are|was"
    r"|has|have|had|likes?|could|would|to)\b.*"
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
    asked = _QUESTION.fullmatch(clause)
    if asked is not None:
        yield from _declared(f"{asked['x']} should be {asked['rest']}")
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
