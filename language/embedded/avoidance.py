"""Restrictions of an instruction: what it forbids on the way, and what it wants done first.

A clause such as "never go through the lobby", "don't open the fridge" or "without passing the kitchen" is cut
off. It is read as the request that it denies ("go to the lobby"), so that things are linked as ever, and its
goal is forbidden: a fact of the robot's place in every state, others as the step that brings them about.
"Wash the mug before you put it away" is two requests with their order, and "on the way to the kitchen, pick
up the mug" two of which the last is to go there. A clause that is not understood to its last word is left
where it is, and the instruction is declined as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ...domains.formula import (
    Atom,
    Exists,
    Forall,
    Formula,
    Not,
    TrajectoryConstraint,
    Var,
    conjunction,
    conjuncts,
    step_atom,
)
from ...domains.pack import Pack
from ..english.facts import RequestFacts

_BEGIN = r"(?:(?:you |the robot )?(?:must |should |may |can )?(?:please )?)"
_DENIES = (
    r"(?:never|not ever|do not|don't|do not ever|don't ever|(?:must|should|may|can) not|mustn't|shouldn't"
    r"|can't|cannot|at no time|on no account|under no circumstances)"
)
_THROUGH = r"(?:go|drive|move|pass|walk|come|travel|get|cut|step|enter|visit|cross)"
_PASSING = r"(?:going|driving|moving|passing|walking|coming|travelling|getting|entering|visiting|crossing)"
_INTO = r"(?:back )?(?:through|into|inside|in|via|by|past|near|to|across|over)?"
_WHAT = r"(?P<what>(?:the |any |an? )?[\w' -]+)"
_PLACE = re.compile(
    rf"(?:{_BEGIN}{_DENIES} {_THROUGH} {_INTO} ?|without (?:ever )?{_PASSING} {_INTO} ?"
    rf"|{_BEGIN}(?P<avoid>avoid(?:ing)?|(?:stay|keep)(?:ing)? (?:out of|away from|clear of))(?: {_PASSING})?"
    rf" ?{_INTO} ?"
    rf"|{_BEGIN}{_DENIES} use ){_WHAT}\Z",
    re.IGNORECASE,
)
_STEP = re.compile(
    rf"(?:{_BEGIN}{_DENIES} (?P<verb>open|close|shut|turn on|turn off|switch on|switch off|take|pick up|grab)"
    r"|without (?:ever )?(?P<doing>opening|closing|shutting|turning on|turning off|switching on|switching off"
    rf"|taking|picking up|grabbing)) {_WHAT}\Z",
    re.IGNORECASE,
)
_NEXT = r"(?=(?:the|any|an?) |[a-z]+ ?\d+\Z|[a-z]+ ?\d+ (?:and|or) )"
"""Begins another thing that is forbidden, and no other request."""
_BOTH, _EITHER = (re.compile(rf" {word} {_NEXT}", re.IGNORECASE) for word in ("and", "n?or"))
_ORDER = re.compile(
    r"(?P<first>[^,;.]+?),? before (?:you |the robot )?"
    r"(?P<then>(?:(?:put|bring|take|place|leave|open|close|heat|turn|switch)"
    r"|(?:putting|bringing|taking|placing|leaving|opening|closing|heating|turning|switching)"
    r"|go(?:ing)? (?:back )?(?:to|into) (?=the |my |[a-z]+ ?\d))[^,;.]*)\Z",
    re.IGNORECASE,
)
_WAY = r"on (?:the|your) way"
_GO = r"(?:go|drive|walk|move|come) (?:back )?(?:to|into)"
_HERE, _ERRAND = r"(?P<{}>(?:the |my )?[\w' -]+?)", r"(?P<{}>[^,;.]+?)"
_ON_THE_WAY = re.compile(
    rf"{_WAY} to {_HERE.format('to1')}, {_ERRAND.format('do1')}\Z"
    rf"|{_GO} {_HERE.format('to2')},? and {_ERRAND.format('do2')} {_WAY}(?: there)?\Z"
    rf"|{_ERRAND.format('do3')} {_WAY} to {_HERE.format('to3')}\Z"
    rf"|{_GO} {_HERE.format('to4')},? and,? {_WAY}(?: there)?, {_ERRAND.format('do4')}\Z",
    re.IGNORECASE,
)
_STOPPING = re.compile(r"(?:stop|call|drop|pass) (?:at|by|in at|through|over at)\b", re.IGNORECASE)
_ALWAYS = re.compile(
    r"(?P<begin>(?:^|[.;!,]\s*|\b(?:and|but) )(?:please )?)(?:always )?(?P<keep>keep (?:(?! and\b)[\w' -])+?)"
    r" (?:always )?(?P<state>closed|shut|open|off|on)"
    r"(?: (?:at all times|all the time|the whole time|always|throughout))?(?=[.;!,]|\Z| and\b)",
    re.IGNORECASE,
)
"""What is kept so, and is so always, whether that is said or not."""
_CUT = re.compile(
    rf"(?:^|[.;!,]\s*|\s+)(?:(?:but|and|while|though)\s+)?{_BEGIN}"
    rf"(?={_DENIES}\b|without\b|avoid(?:ing)?\b|(?:stay|keep)(?:ing)? (?:out of|away from|clear of)\b)",
    re.IGNORECASE,
)
_FURTHER = re.compile(
    r"\b(?:and|or|then|if|when|while|until|unless|except|before|after|with|to|for|from|but|yet|only|just|it|them"
    r"|again|more|not|that|which|who|there|this|always|at|on|by)\b",
    re.IGNORECASE,
)
"""Words after which a clause says more than where or what."""
_FORMS = {"taking": "take", "putting": "put", "placing": "place", "leaving": "leave", "closing": "close",
          "shutting": "shut", "turning": "turn", "switching": "switch", "grabbing": "grab"}  # fmt: skip


class Forbidden(NamedTuple):
    """Request that a clause denies; ``passing`` where it is a place that the robot is not to be at."""

    request: str
    passing: bool


class Restricted(NamedTuple):
    """The requests of an instruction without what it forbids; ``first`` is to be done before the rest."""

    rest: str
    forbidden: tuple[Forbidden, ...]
    first: str = ""

    @property
    def requests(self) -> tuple[str, ...]:
        """All that is linked to things, as requests."""
        return (self.rest, *(one.request for one in self.forbidden))


def restricted(instruction: str) -> Restricted | None:
    """Cut off what an instruction forbids; ``None`` where it forbids and keeps nothing that is understood.

    >>> restricted("Bring me the orange, but don't open the fridge.").requests
    ('Bring me the orange.', 'open the fridge.')
    """
    text = " ".join(instruction.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())
    kept_so = _ALWAYS.sub(r"\g<begin>\g<keep> \g<state>", text)
    always, text = kept_so != text, kept_so
    rest: list[str] = []
    forbidden: list[Forbidden] = []
    for sentence in re.split(r"(?<=[.;!])\s+", text):
        cuts = [match.span() for match in _CUT.finditer(sentence)]
        bounds = [(0, 0), *cuts, (len(sentence), 0)]
        kept, *denied = (sentence[start:end] for (_, start), (end, _) in pairwise(bounds))
        rest.append(kept.strip(" ,"))
        for clause in denied:
            ones = _forbidden(clause.strip(" ,.;!"))
            if not ones:
                return None
            forbidden += ones
    whole = " ".join(_ended(part) for part in rest if part.strip(" .;!"))
    single = whole.rstrip(" .!") if whole.count(".") <= 1 else ""
    if (way := _ON_THE_WAY.match(single)) is not None:
        place, errand = (next(filter(None, (way[f"{key}{n}"] for n in "1234"))) for key in ("to", "do"))
        if not _FURTHER.search(place):
            return Restricted(f"{_STOPPING.sub('go to', errand)} and then go to {place}.", tuple(forbidden))
    order = _ORDER.match(single)
    if order is not None:
        first, then = _ended(order["first"]), _ended(_plain(order["then"]))
        return Restricted(f"{first} {then[0].upper()}{then[1:]}", tuple(forbidden), first)
    return Restricted(whole, tuple(forbidden)) if (forbidden or always) and whole else None


def _forbidden(clause: str) -> list[Forbidden]:
    """Return what a clause denies; nothing where it is not understood to its last word.

    Of several places or things each is forbidden: with "or" behind a denial, which with "and" may be of both
    together, and with "and" behind "avoid".
    """
    place = _PLACE.match(clause)
    step = _STEP.match(clause) if place is None else None
    match = place or step
    if match is None:
        return []
    several = _BOTH if place is not None and place["avoid"] else _EITHER
    things = several.split(match["what"])
    if any(map(_FURTHER.search, things)):
        return []
    if step is None:
        return [Forbidden(f"go to {thing}.", True) for thing in things]
    verb = _plain(step["verb"] or step["doing"])
    every = (re.sub(r"^(?:any|an?) ", "every ", thing, flags=re.IGNORECASE) for thing in things)
    return [Forbidden(f"{verb} {thing}.", False) for thing in every]


def _plain(words: str) -> str:
    """Return a verb in its plain form, with what follows it."""
    verb, _, more = words.partition(" ")
    plain = verb[:-3] if re.search("[aeiou].*ing$", verb, re.IGNORECASE) else verb  # "opening", not "bring"
    form = _FORMS.get(verb.lower(), plain)
    return f"{form} {more}".strip()


def _ended(text: str) -> str:
    text = text.strip(" ,;.!")
    return f"{text}."


def constraints_of(
    limits: Restricted,
    read: Callable[[str], Formula | None],
    whole: Formula,
    holds: Callable[[Formula], bool],
    pack: Pack,
) -> list[Formula] | None:
    """Return the constraints of an instruction; ``None`` where one of its clauses has no such reading.

    ``read`` gives the goal of a request, ``whole`` is that of all requests, and ``holds`` says what is so at
    the start. Of that an order may leave out only what is closed or turned off again. Without anything else
    it would bind a part: of "bring me the orange" that it is held.
    """
    constraints: list[Formula] = []
    for one in limits.forbidden:
        goal = read(one.request)
        denied = None if goal is None else _denied(goal, one.passing, pack)
        if denied is None:
            return None
        constraints.append(denied)
    if limits.first:
        first = read(limits.first)
        again = {RequestFacts(pack).predicate(sense) for sense in ("close", "off")}

        def changed(parts: Sequence[Formula]) -> list[Formula]:
            return [p for p in parts if not (isinstance(p, Atom) and p.predicate in again and holds(p))]

        before = changed(conjuncts(first)) if first is not None else []
        later = [part for part in changed(conjuncts(whole)) if part not in before]
        if len(before) != 1 or len(later) != 1 or before[0] not in conjuncts(whole):
            return None
        if holds(before[0]) or holds(later[0]):
            return None
        constraints.append(TrajectoryConstraint("sometime-before", (later[0], before[0])))
    return constraints


def _denied(goal: Formula, passing: bool, pack: Pack) -> Formula | None:
    match goal:
        case Atom(predicate, _) if passing:
            return TrajectoryConstraint("always", (Not(goal),)) if predicate == pack.standing else None
        case Atom(predicate, args):
            return _no_step(predicate, args, pack)
        case Exists(variables, Atom(predicate, _) as body) if passing:
            own = TrajectoryConstraint("always", (Not(body),))
            return Forall(variables, own) if predicate == pack.standing else None
        case Exists(variables, Atom(predicate, args)) | Forall(variables, Atom(predicate, args)) if len(
            variables
        ) == 1 and args == (Var(variables[0].name),):
            forbidden = _no_step(predicate, args, pack)
            return Forall(variables, forbidden) if forbidden is not None else None
    return None


def _no_step(predicate: str, args: Sequence[str | Var], pack: Pack) -> Formula | None:
    """Return that the printed step of one thing is never done that makes a fact true."""
    steps = {
        step.predicate
        for action in pack.manipulations()
        if (step := pack.mapping_of(action.name).step) is not None and len(step.args) == 1
        for effect in action.add
        if effect.predicate == predicate and effect.args == step.args and len(args) == 1
    }
    if len(steps) != 1:
        return None
    return TrajectoryConstraint("never-do", (step_atom(steps.pop(), tuple(args)), conjunction(())))
