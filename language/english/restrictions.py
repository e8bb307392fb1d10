"""Restrictions of an instruction: what it forbids on the way, and what it wants done first.

A clause that denies ("never go through the lobby", "without opening the fridge") is cut off, as the request
that it denies. Behind it may stand in which state that is forbidden ("while you hold the mug") or what has to
come first ("until the mug is clean"); both are requests, too. "Wash the mug before you put it away" is two
requests in an order, and "on the way to the kitchen, pick up the mug" two of which the last is to go there. A
clause that is not understood to its last word leaves the instruction as it is. Which goals requests have is
not known here: a reader, and what looks for words that a goal leaves out, share this grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from . import lexicon
from .words import plain

MAX_CHARACTERS = 4000
"""Longer texts are left as they are: the time that patterns take grows with the square of them."""
_SURE = r"(?:(?:make|be) sure|be careful|take care|see to it)(?: that)?"
_MODAL = r"(?:must|should|may|can)"
_DENIES = (
    rf"(?:{_SURE} (?:you )?(?:do )?(?:never|not)(?: to)?|(?:(?:you|the robot) )?(?:please )?(?:"
    rf"(?:{_MODAL} )?(?:please )?(?:never|not ever|at no time)|(?:do|{_MODAL}) (?:please )?not"
    rf"|are not (?:allowed|permitted|supposed) to)(?: ever)?|(?:it is |you are )?forbidden to"
    rf"|(?:on no account|under no circumstances)(?: {_MODAL} you)?|without(?: ever)?|no(?= \w+ing\b)"
    r"|not(?= (?:through|via|by|past)\b))"
)
_THING = r"(?:(?:the|my|an?) |[a-z_]+ ?\d+\b)"
_AVOIDS = r"(?:avoid(?:ing)?|(?:stay|keep)(?:ing)? (?:out of|away from|clear of))"
_TO = r"(?:(?:anywhere )?(?:back )?(?:through|into|inside|in|via|by|past|near|to|across|over))"
_ENTER = (
    rf"(?:(?:enter|visit|cross|pass)(?:ing|ed)?(?: {_TO})?|set(?:ting)? foot in|be(?:ing)? (?:in|inside|at)"
    rf"|(?:go|driv|mov|walk|com|travell?|gett?|cutt?|stepp?)(?:ing|e)? {_TO})"
)
_ONCE = rf"{_ENTER} (?P<where>[^,.;!]+?) (?:at most|only|no more than) once"
_CUT = re.compile(
    rf"(?:^|[.;!,]\s*|\s+)(?:(?:but|and|while|though)\s+)?(?P<denial>{_DENIES}\b|{_AVOIDS}\b|{_ONCE}\b)", re.I
)
_CLAUSE = re.compile(
    rf"(?:{_ONCE}|(?:{_DENIES}|(?P<avoids>{_AVOIDS})) (?P<act>.+?)(?P<again> (?:more than once|twice))?"
    r"(?: (?P<link>until|before|without(?: first)?|while|when|whenever|if"
    r"|with(?= .+ in (?:your|the) (?:hand|gripper)\Z)) (?P<condition>.+))?)\Z",
    re.I,
)
_ACT = re.compile(
    rf"(?:{_ENTER}|through|via|by|past|(?:(?:tak|mov)(?:e|ing)|(?:bring|carry)(?:ing)?) (?P<thing>.+?) {_TO})"
    rf" (?P<place>.+?)(?: with (?P<load>{_THING}.+))?\Z"
    r"|(?P<verb>\w+)(?: n?or (?P<other>\w+))?(?P<particle> on| off| up)? (?P<what>.+)\Z",
    re.I,
)
_GOES_ON = re.compile(r"(?P<comma>,?) (?:and|but|then)(?: then)? (?=(?P<verb>[a-z]+) )", re.I)
"""May begin another request behind what is forbidden."""
_STEPS = frozenset(("open", "close", "on", "off", "turn", "get"))
"""Senses of the verbs of which a step can be forbidden."""
_BY_HAND = ("open", "close", "turn on", "turn off", "pick up")
"""What is not done to a thing that is not to be touched."""
_NEXT = r"(?=(?:the|any|an?) |[a-z]+ ?\d+\Z|[a-z]+ ?\d+ (?:and|or) )"
"""Begins another thing that is forbidden, and no other request."""
_BOTH, _EITHER = (re.compile(rf" {word} {_NEXT}", re.I) for word in ("and", "n?or"))
_FURTHER = re.compile(
    r"\b(?:and|or|then|if|when|while|until|unless|except|before|after|with|to|for|from|but|yet|only|just|it|them"
    rf"|again|more|both|all|not|that|which|who|there|this|always|at|by|on(?! {_THING}))\b",
    re.I,
)
"""Words after which a clause says more than where or what."""
_FIRST_THING = re.compile(
    rf"\b{_THING}[\w' -]*?(?= (?:in|on|to|into|onto|from|off|of|at|for|with)\b|\Z)", re.I
)
_YOU = rf"(?:(?:you|the robot) )?(?:(?:have|has|having) (?!{_THING}))?"
_STATE = re.compile(
    r"(?:(?:you|the robot) (?:are |is )?)?(?:hold(?:s|ing)?|carry(?:ing)?|ha(?:ve|s|ving)) "
    rf"(?P<held>{_THING}.*?)(?: in (?:your|the) (?:hand|gripper))?"
    rf"|(?P<thing>{_THING}.*?) (?:is|are) (?P<state>.+)",
    re.I,
)
_NEXT_STEP = r"(?:after that|afterwards?|thereafter|finally|lastly|next(?=,))"
_AFTER = r"(?:(?:only )?(?:after|once)|but not before)"
_ORDERS = (
    re.compile(
        r"(?P<first>[^,;.]+?),? and (?:then,? and )?only (?:then|after that),? (?P<then>[^,;.]+)\Z", re.I
    ),
    re.compile(rf"(?P<first>[^,;.]+?),? before (?P<you>{_YOU})(?P<then>[^,;.]+)\Z", re.I),
    re.compile(rf"before (?P<you>{_YOU})(?P<then>[^,;.]+), (?P<first>[^,;.]+)\Z", re.I),
    re.compile(rf"(?:after|once) (?P<you>{_YOU})(?P<first>[^,;.]+), (?P<then>[^,;.]+)\Z", re.I),
    re.compile(rf"(?P<then>[^,;.]+?),? {_AFTER} (?P<you>{_YOU})(?P<first>[^,;.]+)\Z", re.I),
)
"""Two requests in an order; the one after ``you`` begins with a verb in any form."""
_SEQUENCE = re.compile(rf"[.;,]? (?:and )?(?:then|{_NEXT_STEP}),? ", re.I)
"""Between requests one after the other, of which each may be but a step to the next."""
_LAST = re.compile(rf",? and (?:then )?([^,;.]+?),? {_NEXT_STEP}\Z", re.I)
_PRONOUN = re.compile(r"\b(?:it|them)\b")
_JOINS = re.compile(r"\b(?:before|after|once|until|unless|while|when|if|or)\b", re.I)
_WAY, _GO = r"on (?:the|your) way", r"(?:go|drive|walk|move|come) (?:back )?(?:to|into)"
_WHERE, _ERRAND = r"(?P<place>(?:the |my )?[\w' -]+?)", r"(?P<errand>[^,;.]+?)"
_ON_THE_WAY = (
    re.compile(rf"{_WAY} to {_WHERE}, {_ERRAND}\Z", re.I),
    re.compile(rf"{_GO} {_WHERE},? and {_ERRAND} {_WAY}(?: there)?\Z", re.I),
    re.compile(rf"{_ERRAND} {_WAY} to {_WHERE}\Z", re.I),
    re.compile(rf"{_GO} {_WHERE},? and,? {_WAY}(?: there)?, {_ERRAND}\Z", re.I),
)
_STOP = re.compile(rf"{_ERRAND},? stopping (?:at|by|in) {_WHERE}(?: {_WAY})?\Z", re.I)
_STOPPING = re.compile(r"(?:stop|call|drop|pass) (?:at|by|in at|through|over at)\b", re.I)
_WRITTEN_OUT = (
    (r"\bcan(?:'t|not)\b", "can not"),
    (r"(?<=\w)n't\b", " not"),
    (rf"{_SURE} ((?:the |my )?[\w' -]+?) (?:stays|remains|is kept)\b", r"always keep \1"),
    (
        rf"({_THING}[\w' -]*?) (?:{_MODAL}|is|are) not (?:to )?be ((?!clos)\w+ed|taken)( on| off| up)?",
        r"never \2\3 \1",
    ),
    (rf"({_DENIES}|{_AVOIDS})\b([^,.;!]*?) at (?:any|all) (?:times?|points?)\b", r"\1\2"),
    (
        rf"(?m)^((?:until|while|when|whenever|if) [^,\n]+), ((?:{_DENIES}|{_AVOIDS}) [^,\n]+?)([.;!]?)$",
        r"\2 \1\3",
    ),
    (r"(?m)^((?:without|avoiding) [^,\n]+), (.+?)([.;!]?)$", r"\2 \1\3"),
)
"""Other ways to say the same: short forms, what is made sure of, the passive, a denial that comes first."""
_ALWAYS = re.compile(
    r"((?:^|[.;!,]\s*|\b(?:and|but) )(?:please )?)(?:always )?(keep (?:(?! and\b)[\w' -])+?)"
    r" (?:always )?(closed|shut|open|off|on)"
    r"(?: (?:at all times|all the time|the whole time|always|throughout))?(?=[.;!,]|\Z| and\b)",
    re.I,
)
"""What is kept so, and is so always, whether that is said or not."""


class Forbidden(NamedTuple):
    """Requests that a clause denies: one, or all that can be done to a thing.

    What ``during`` asks for holds while that is forbidden, what ``until`` asks for ends it. With ``once`` it
    may be so once.
    """

    requests: tuple[str, ...]
    during: str = ""
    until: str = ""
    once: bool = False


class Restricted(NamedTuple):
    """The requests of an instruction without what it forbids.

    ``alone`` is the one of two in an order that is read first, and ``begins`` whether it is done first. A
    ``sequence`` has the requests up to each "then": "Pick it up.", "Pick it up, then put it there."
    """

    rest: str
    forbidden: tuple[Forbidden, ...]
    alone: str = ""
    begins: bool = True
    sequence: tuple[str, ...] = ()

    @property
    def requests(self) -> tuple[str, ...]:
        """All that is linked to things, as requests."""
        return (
            self.rest,
            *(r for one in self.forbidden for r in (one.requests[-1], one.during, one.until) if r),
        )


def restricted(instruction: str) -> Restricted | None:
    """Cut off what an instruction forbids; ``None`` where it forbids and keeps nothing that is understood.

    >>> restricted("Bring me the orange, but don't open the fridge.").requests
    ('Bring me the orange.', 'open the fridge.')
    """
    if len(instruction) > MAX_CHARACTERS:
        return None
    text = re.sub(r"(?<=[.;!]) ", "\n", plain(instruction))
    for pattern, full in _WRITTEN_OUT:
        text = re.sub(pattern, full, text, flags=re.I)
    kept_so = _ALWAYS.sub(r"\1\2 \3", text)
    kept: list[str] = []
    denied: list[str] = []
    for sentence in kept_so.splitlines():
        cuts = [(m.start(), m.start("denial")) for m in _CUT.finditer(sentence)]
        # "do not open it without .." is one clause
        cuts = [c for c in cuts if c == cuts[0] or sentence[c[0] : c[1] + 7].lower() != " without"]
        request, *clauses = (
            sentence[a:b] for (_, a), (b, _) in pairwise([(0, 0), *cuts, (len(sentence), 0)])
        )
        kept += [_ended(request)] if request.strip(" ,.;!") else []
        for clause, further in map(_parted, clauses):
            denied.append(clause.strip(" ,.;!"))
            kept += [_ended(further)] if further else []
    each = [tuple(_forbidden(_with_noun(clause, kept))) for clause in denied]
    if not kept or not all(each):
        return None
    forbidden = tuple(one for ones in each for one in ones)
    in_order = _in_order(kept[0].rstrip(".")) if len(kept) == 1 else None
    if (requests := in_order or _in_steps(" ".join(kept).rstrip("."))) is not None:
        return requests._replace(forbidden=forbidden)
    return Restricted(" ".join(kept), forbidden) if forbidden or kept_so != text else None


def _parted(clause: str) -> tuple[str, str]:
    """Return what a clause denies, and the request behind it: "don't touch X, and bring Y".

    Without a comma, "and" may join two things that are denied.
    """
    for joint in _GOES_ON.finditer(clause):
        once = re.search(rf"{_ONCE}\Z", clause[: joint.start()], re.I)
        if (joint["comma"] or once) and lexicon.base(joint["verb"].lower()) == joint["verb"].lower():
            return clause[: joint.start()], clause[joint.end() :]
    return clause, ""


def _with_noun(clause: str, requests: list[str]) -> str:
    """Return a clause with the thing that the only request beside it is about in the place of "it"."""
    pronoun = _PRONOUN.search(clause)
    thing = _FIRST_THING.search(requests[0].rstrip(".")) if len(requests) == 1 else None
    before = clause[: pronoun.start()] if pronoun is not None else ""
    other = re.search(rf"\b{_THING}", before, re.I) and not re.search(
        r"\b(?:hold|carry|hav|with)\w* \Z", before
    )
    if pronoun is None or thing is None or other:
        return clause  # "don't open the box before you weigh it"
    return f"{before}{thing[0]}{clause[pronoun.end() :]}"


def _in_order(sentence: str) -> Restricted | None:
    """Return the two requests of a sentence that says in which order they are done."""
    for way in filter(None, (pattern.match(sentence) for pattern in _ON_THE_WAY)):
        if not _FURTHER.search(way["place"]):
            return Restricted(f"{_STOPPING.sub('go to', way['errand'])} and then go to {way['place']}.", ())
    if (stop := _STOP.match(sentence)) is not None and not _FURTHER.search(stop["place"]):
        way_there = f"Go to {stop['place']}."
        whole = f"{way_there} {_ended(stop['errand'])}"
        return Restricted(whole, (), sequence=(way_there, whole))
    for order in filter(None, (pattern.match(sentence) for pattern in _ORDERS)):
        # The order in which they are done, but where "it" was named in the other.
        begins = order.start("first") < order.start("then") or not _PRONOUN.search(order["first"])
        after = order.end("you") if "you" in order.groupdict() else -1
        keys = ("first", "then") if begins else ("then", "first")
        one, other = (_request(order[k]) if order.start(k) == after else _ended(order[k]) for k in keys)
        if one and other and not _JOINS.search(f"{one} {other}"):
            return Restricted(f"{one} {other}", (), one, begins)
    return None


def _in_steps(text: str) -> Restricted | None:
    """Return the requests of a text that are done one after the other; ``None`` for those in no order."""
    text = _LAST.sub(r" then \1", text)
    parts = [*(text[: joint.start()] for joint in _SEQUENCE.finditer(text)), text]
    return Restricted(_ended(text), (), sequence=tuple(map(_ended, parts))) if parts[1:] else None


def _forbidden(clause: str) -> Iterator[Forbidden]:
    """Yield what a clause denies; nothing where it is not understood to its last word."""
    match = _CLAUSE.match(clause)
    if match is None:
        return
    if match["where"]:
        yield from (Forbidden((f"go to {place}.",), once=True) for place in _things(match["where"], _EITHER))
        return
    link, condition = (match["link"] or "").lower(), match["condition"] or ""
    state = _state(f"you have {condition}" if link == "with" else condition)
    if bool(state) != bool(link):
        return
    ends = link.split()[:1] in (["until"], ["before"], ["without"])
    during, until = ("", state) if ends else (state, "")
    for one in _denied(match["act"], bool(match["avoids"])):
        yield one._replace(during=one.during or during, until=until, once=bool(match["again"]))


def _denied(act: str, avoids: bool) -> Iterator[Forbidden]:
    """Yield what is forbidden by verbs and what follows them, or by a place that is avoided.

    Of several places or things each is forbidden: with "or" behind a denial, which with "and" may be of both
    together, and with "and" behind "avoid".
    """
    several = _BOTH if avoids else _EITHER
    match = _ACT.match(act)
    if match is not None and match["place"]:
        load = match["thing"] or match["load"]
        during = f"pick up {load}." if load else ""
        yield from (Forbidden((f"go to {place}.",), during) for place in _things(match["place"], several))
        return
    particle = (match["particle"] or "") if match is not None else ""
    ways = [_ways(verb.lower()) for verb in match.group("verb", "other") if verb] if match is not None else []
    if match is not None and all(ways):
        things = [re.sub(r"\A(?:any|an?) ", "every ", t, flags=re.I) for t in _things(match["what"], several)]
        yield from (Forbidden(tuple(f"{w}{particle} {t}." for w in way)) for way in ways for t in things)
    elif avoids and not any(ways):
        yield from (Forbidden((f"go to {place}.",)) for place in _things(act, several))


def _ways(verb: str) -> tuple[str, ...]:
    """Return the verbs of the steps that a verb in any form may stand for."""
    base = lexicon.base(verb) or verb
    if base == "move":
        return ("pick up",)
    if base in ("touch", "use", "using"):
        return (*_BY_HAND, "find" if base == "touch" else "go to")
    return () if _STEPS.isdisjoint(lexicon.meanings(base)) else (base,)


def _things(words: str, several: re.Pattern[str]) -> list[str]:
    """Return the things or places that some words name; none where they say more."""
    things = several.split(words)
    return [] if any(map(_FURTHER.search, things)) else things


def _state(words: str) -> str:
    """Return a request for what is so where a condition holds; empty for what no request asks for."""
    so = _STATE.fullmatch(words)
    if so is None:
        return _request(re.sub(rf"\A{_YOU}", "", words, flags=re.I))
    return f"pick up {so['held']}." if so["held"] else f"{so['thing']} should be {so['state']}."


def _request(words: str) -> str:
    """Return words that begin with a verb in any form as a request; empty for others."""
    verb, _, rest = words.partition(" ")
    base = lexicon.base(verb.lower())
    return f"{base.capitalize()} {rest}." if base is not None and rest and lexicon.meanings(base) else ""


def _ended(text: str) -> str:
    text = text.strip(" ,;.!")
    return f"{text[:1].upper()}{text[1:]}."
