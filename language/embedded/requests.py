"""Grammar of requests: from the chunks of a clause to its frames.

A clause is read by its first verb of action and by what stands before it: nothing, "you" or a modal make it a
command, a thing makes it a passive or a wish ("the plate needs washing"), anybody else makes it context.
Clauses without such a verb are read in ``declared.py``. Words in between do not matter, so politeness needs
no list. A form of request may be added here; a verb belongs in ``lexicon.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..english import lexicon
from ..english.chunks import Chunk, acts, kinds
from ..english.lexicon import STATES
from ..english.phrases import NUMBERS
from ..english.words import content_words, lemma, singular
from .arguments import arguments, placements
from .background import absent, context, phrases_of
from .declared import done, located, verbless, wants, wished
from .frames import CONTEXT, Frame
from .senses import command, is_person, plainly, wiped

HELP = frozenset(
    "chance favour favor job task time possibility turn moment minute second trouble hand help way problem"
    " bit thing idea".split()
)


def frames(clause: Sequence[Chunk], subject: Sequence[Chunk] = ()) -> Iterator[Frame]:
    """The readings of a clause; none where it must not or cannot be read. ``subject`` is that of the last."""
    clause = [c for c in clause if c.kind != "j"]
    if _NO_REQUEST.search("".join(f"{c.kind}<{c.base}>" for c in clause)):
        return
    ends = [i for i, c in enumerate(clause) if c.kind not in "c,:"]
    clause = clause[ends[0] : ends[-1] + 1] if ends else []
    if not clause:
        yield Frame("nothing")
        return
    if any(c.kind == "x" for c in clause):
        yield from negated(clause)
        return
    either = next((i for i, c in enumerate(clause) if c.kind == "c" and c.base == "or"), None)
    if either is not None:
        # "An orange or a banana" is one of them; other choices are not made here.
        chosen = choices(clause, either)
        if clause[either + 1 : either + 2] and clause[either + 1].text.lower() in _COMPARED:
            return  # "three or more", "one or two": no number
        for noun in chosen:
            yield from frames([*clause[: chosen[0]], clause[noun], *clause[chosen[-1] + 1 :]], subject)
        return
    at = next((i for i, c in enumerate(clause) if acts(c)), None)
    letters = kinds(clause)
    readings = list(_settling(clause))
    readings = readings or list(verbless(clause, subject) if at is None else _verbal(clause, at, subject))
    if clause[0].base == "let" and letters[1:2] in ("n", "o") and "h" not in letters:
        yield from (f for f in readings if f.verb not in {*CONTEXT, "give", "hold"})
        return  # "let the radio play", "let the pillows lie": nobody is to have them
    yield from readings
    idle = all(
        singular((content_words(c.text) or [c.text.lower()])[-1]) in HELP for c in clause if c.kind == "n"
    ) and all(c.kind != "o" for c in clause)
    if (
        not readings
        and idle
        and (at is None or (clause[at].base not in {*lexicon.OPAQUE, "leave"} and clause[at].kind != "d"))
        and (at is None or "n" in letters or _idle(clause, clause[at]))
    ):
        yield Frame("nothing")


_NO_REQUEST = re.compile(
    rf"x<(?:{'|'.join(sorted(lexicon.LIMITS))}|{lexicon.UNREAD})>"  # "exactly one pen": more would do
    r"|k<[^>]*>s<[^>]*>w<|,<,>(?:[ep]<[^>]*>)?q<"  # "the bowl that I want washed"; "the plate, which"
    r"|v<.*n<[^>]*>(?:[,:]<[^>]*>)+n<(?!.*>c<)"  # "open the fridge, the oven": a correction, or the same
    r"|c<[^>]*>e<back>"  # "take it there and back"
    r"|q<where>s<[^>]*>(?:b<w|d<)"  # "where it was", "where you found it"
    r"|p<by>c<then>|o<that>b<is>[,:]"  # "closed by then", "that is, the other"
    r"|m<[^>]*>(?:s<[^>]*>)?h<[^>]*>(?:b<[^>]*>)?[dv]<"  # "you could have washed it"
    r"|^[,:]<[^>]*>[sno]<[^>]*>[bhfwm]<.*[,:]<[^>]*>p<"  # "(it is heavy) to the lab": a request goes on
    r"|^c<or>|^(?:[c,:]<[^>]*>)*(?:.<forget>"  # another request in place of the one before
    r"|(?!.*<about>)(?:q<|(?!.*<you>)b<[^>]*>[ns]<)"  # "is it on?", but "how about"
    r"|m<shall>s<(?:i|we)>|m<should>[sno]<|m<do(?:es)?>s<you>w<"  # "shall we open it?"
    r"|s<you>m<(?:may|might)>|.<let>r<[^>]*>v<(?!(?:have|see|get|borrow|take|hold)>)"  # "let me open it"
    r"|[mh]<(?:did>s<|ha(?:ve|s|d)>s<(?!.*t<))|s<you>(?:d<|h<had>))"  # "have you opened it?"
)
"""Clauses that are no request or that no rule reads, by the kinds and bases of their chunks."""
_COMPARED = frozenset(("more", "fewer", "less", "above", "over", "so", *NUMBERS))
_ACTIVITIES = frozenset("work read sit eat study sleep rest lie".split())


def _settling(clause: Sequence[Chunk]) -> Iterator[Frame]:
    """Frames for where the speaker is going to be: "I want to work on the sofa"."""
    start = next((i for i, c in enumerate(clause) if c.kind == "t" and i > 1), None)
    if start is None or clause[0].base not in ("i", "we") or "w" not in kinds(clause[:start]):
        return
    rest = clause[start + 1 :]
    placed = kinds(rest[1:3]) == "pn" and rest[1].base in ("on", "in", "at")
    if placed and rest[0].text.lower() in _ACTIVITIES:
        where = phrases_of([c for c in rest[1:] if c.kind in "npo"])
        if where is not None:
            yield Frame("speaker", (), "at", where)


def choices(clause: Sequence[Chunk], at: int) -> list[int]:
    """Return where the noun phrases are that "or" joins: "a pen, a pencil or a marker"; none for others."""
    if kinds(clause[at - 1 : at + 2]) != "ncn":
        return []
    places = [at - 1, at + 1]
    while places[0] >= 2 and kinds(clause[places[0] - 2 : places[0]]) == "n,":
        places.insert(0, places[0] - 2)
    return places


def _idle(clause: Sequence[Chunk], verb: Chunk) -> bool:
    """Return whether a verb without a thing asks for nothing: "go (and close it)", but not "come back"."""
    back = any(c.kind == "e" for c in clause)
    return not lexicon.meanings(verb.base) or (verb.base in ("go", "come", "wait") and not back)


def _verbal(clause: Sequence[Chunk], at: int, subject: Sequence[Chunk]) -> Iterator[Frame]:
    follows = kinds(clause[at + 1 : at + 2])
    if clause[at].base in ("go", "come", "run", "try", "help") and (
        follows == "v" or (follows == "g" and clause[at].base == "try")
    ):
        clause = [*clause[:at], *clause[at + 1 :]]  # "go get the parcel"
    verb, before, after = clause[at], clause[:at], clause[at + 1 :]
    special = list(idiom(clause, at))
    if special:
        yield from special
        return
    yous = [i for i, c in enumerate(clause) if c.kind == "s" and c.base in _ASKED]
    nouns = [c for c in before if c.kind == "n" and singular((content_words(c.text) or [""])[-1]) not in HELP]
    if yous and yous[-1] < at:
        # Whatever leads to "you": "I was wondering if you could".
        nouns = [c for c in before[yous[-1] :] if c.kind == "n"]
        asks = any(c.kind in "mit" or "time" in c.text for c in before[: yous[-1] + 3])
        if not asks and lemma(verb.base) == verb.base:
            return  # "you put it there": is to, or did
        asks = asks or clause[yous[-1]].base == "you"
        since = kinds(before[yous[-1] + 1 :])
        if not nouns and verb.kind in "vdg":
            if not asks or (since.startswith(("h", "b")) and "t" not in since):
                yield from context(clause)
            else:
                yield from command(verb.base, arguments(after))
            return
    if clause[0].kind == "h" and verb.kind == "d" and kinds(before[1:]).strip("npo") == "":
        return  # "have it filled": with what is not said
    owner = next((c for c in before if c.kind == "s"), None)
    lead = kinds(before)
    things = [c for c in before if c.kind in "no"]
    if things and things[0].base in ("it", "this", "that", "them") and things[0].kind == "o":
        nouns = things
    by = owner.base if owner is not None else ""
    if by in ("it", "they", "this", "that") or nouns or (subject and not owner and verb.kind in "dg"):
        yield from _about(clause, at, subject)
        return
    if owner is not None and by in ("i", "we") and lead.startswith("ms") and verb.base in _HAS:
        yield from wants(owner.text, after)
        return
    if owner is None or (owner.base == "we" and ("m" in lead or "t" in lead)):
        passive = any(c.kind in "bh" or c.base in ("mind", "ensure") for c in before)
        if verb.kind == "d" and not passive and arguments(after).object is None:
            return  # "heated": of what is not said
        if owner is None or "w" not in lead or "t" in lead:
            yield from command(verb.base, arguments(after))
            return
    if owner is not None and by in ("i", "we", "he", "she") and "w" in lead:
        yield from wished(clause, owner)
    elif owner is not None and by and kinds([verb]) == "v" and verb.base in ("use", "do") and "m" in lead:
        yield from wants(owner.text, after)
    else:
        yield from context(clause)


_ASKED = frozenset("you someone somebody anyone anybody".split())
_HAS = frozenset("get have see borrow take".split())
_GOES = frozenset("go come stay live return move sit stand end land get run travel belong".split())


def _about(clause: Sequence[Chunk], at: int, inherited: Sequence[Chunk]) -> Iterator[Frame]:
    """A thing is the subject: passives, wishes for others, and what is only told."""
    verb, before, after = clause[at], list(clause[:at]), list(clause[at + 1 :])
    first = next((i for i, c in enumerate(before) if c.kind in "bhmwtf"), len(before))
    subject = [c for c in before[:first] if c.base not in ("ensure",) and c.kind != "i"]
    modal = bool(before) and before[0].kind == "m"
    if modal:
        stop = next((i for i, c in enumerate(before[1:], 1) if c.kind in "bhmwt"), len(before))
        subject, middle = before[1:stop], kinds(before[stop:]) + "m"
    else:
        middle = kinds(before[first:])
    if not any(c.kind in "no" for c in subject):
        owner = next((c for c in before if c.kind == "s"), None)
        subject = [*inherited] if inherited and owner is None else [Chunk("o", "it", "it")]
    ensured = any(c.base == "ensure" for c in before)
    who = subject[0].text if subject and is_person(subject[0].text) else ""
    w = next((i for i, c in enumerate(before) if c.kind == "w"), None)
    if w is not None and any(c.kind in "no" for c in before[w + 1 :]):
        yield from done([*before[w + 1 :], verb, *after], who)
        return
    if verb.kind == "d" and not middle and (who or kinds(after[:1]) in ("n", "o", "r")):
        yield from context(clause)  # "Niko brought the pen": what somebody did
        return
    if verb.kind == "d" and (set(middle) & {"b", "w"} or ensured or not middle):
        is_request = ensured or set(middle) & {"m", "w", "t"} or not set(middle) & {"b", "h"}
        if is_request and (middle or ensured or lexicon.meanings(verb.base)):
            yield from command(verb.base, arguments([*subject, *after]))
            return
    if verb.kind == "g" and ("m" in middle or "t" in middle or ensured) and "b" in middle:
        if STATES.get(verb.text.lower()):
            yield from plainly(STATES[verb.text.lower()], arguments(subject))
        elif verb.base in ("lie", "sit", "stand", "rest", "wait"):
            yield from located(subject, after)
        return
    if verb.kind == "g" and ("w" in middle or ("m" in middle and "p" in middle)):
        yield from command(verb.base, arguments([*subject, *after]))
        return
    if verb.kind == "v" and set(middle) & {"m", "t"} and not who and verb.base in _GOES:
        yield from located(subject, after)
        return
    wipe = wiped(after[-1].text) if after else ""
    if not who and "m" in middle and verb.base in ("use", "do") and wipe:
        yield from plainly(wipe, arguments(subject))
        return
    if who and ("m" in middle or w is not None) and verb.base in ("use", "do"):
        yield from wants(who, after)
        yield from context(clause)
        return
    if verb.kind == "v" and not middle and not who:
        # "oranges go in the fridge"
        yield from located(subject, after) if verb.base in ("go", "live", "belong") else ()
    yield from context(clause)


_TURNED = {
    "open": "close", "on": "off", "running": "off", "closed": "open", "shut": "open", "dirty": "wash",
}  # fmt: skip
"""What is done to a thing that is not to be left in a state."""
_OBLIGES = frozenset("should must may need want ought".split())


def negated(clause: Sequence[Chunk]) -> Iterator[Frame]:
    """Read no prohibition, but context with a "not", and what was forgotten or is not to be left so."""
    at = next(i for i, c in enumerate(clause) if c.kind == "x")
    after, first, before = list(clause[at + 1 :]), clause[0], kinds(clause[:at])
    follows = after[0] if after else Chunk("", "", "")
    if follows.base == "forget" and not any(c.kind in "ns" and c.base != "you" for c in clause[:at]):
        yield from frames([c for c in after[1:] if c.kind != "t"])
        return
    if first.base == "i" and any(c.kind == "w" or c.base in ("mind", "care", "know") for c in clause):
        yield from context(clause)
        return
    keep = next((i for i, c in enumerate(after) if c.base in ("leave", "keep", "let")), None)
    if keep is not None and kinds(after[:keep]).strip("tmn") in ("", "v"):
        args = arguments(after[keep + 1 :])
        turned = _TURNED.get(args.state or " ".join(args.particles & {"on"}))
        if turned is not None:
            for frame in plainly(turned, args):  # to leave none open is to close every one
                every = (replace(p, kind="all") if p.kind == "a" else p for p in frame.items)
                yield replace(frame, items=tuple(every))
            return
    if before in ("m", "") and (follows.kind, follows.base) == ("v", "close"):
        # "Do not open it" forbids more than a goal can: that it is opened on the way, and closed again.
        for frame in plainly("open", arguments(after[1:])):
            yield replace(frame, mood="not")
    elif at == 0:
        yield from _none_there(first, after)
    elif first.base == "there" and "m" in before:
        yield from absent([c for c in after if c.kind not in "bg"])
    elif before.startswith(("s", "n")) and first.base not in ("you", "we"):
        done = next((c for c in after if c.kind == "d"), None)
        if "h" in before and done is not None and lexicon.meanings(done.base) and first.kind == "n":
            subject = [c for c in clause[:at] if c.kind in "npc,"]
            yield from command(done.base, arguments([*subject, *after[after.index(done) + 1 :]]))
            return
        obliges = any(c.base in _OBLIGES for c in clause) and first.base not in ("he", "she")
        needs = any(c.base == "need" for c in clause) or any(c.kind == "g" for c in after)
        if not obliges or (first.kind == "n" and needs):
            yield from context(clause)


def _none_there(word: Chunk, after: Sequence[Chunk]) -> Iterator[Frame]:
    """Frames of a clause that begins with its "no" or "not": "no cup on the desk", "not in it"."""
    if word.base in ("nobody", "none") and any(c.kind in "wf" for c in after[:2]):
        yield from context([word, *after])
    elif word.base == "no" and (kinds(after).startswith("nmb") or not any(c.kind in "vbm" for c in after)):
        yield from absent([c for c in after if c.kind not in "mb"])
    elif word.base == "not" and kinds(after[:1]) == "p":
        it = Chunk("o", "it", "it")  # "on the cabinet, not in it"
        for items, relation, to in placements(arguments([it, *after])):
            yield from (Frame("apart", items, relation, where) for where in to)


_LOOKS = frozenset("see find check look know investigate".split())
_MAKES = frozenset("have get let see make want like need ensure".split())


def idiom(clause: Sequence[Chunk], at: int) -> Iterator[Frame]:
    """Verbs with a clause of their own: "get the microwave going", "see whether it works", "make it stop"."""
    verb, before, after = clause[at], clause[:at], clause[at + 1 :]
    if any(c.kind == "i" and c.base == "whether" for c in clause):
        start = next(i for i, c in enumerate(clause) if c.base == "whether")
        subject = [c for c in clause[start + 1 :] if c.kind in "npco"][:3]
        if subject and subject[0].text.split()[-1] in ("runs", "works", "functions"):
            subject[0] = Chunk("n", " ".join(subject[0].text.split()[:-1]))
        yield from plainly("check", arguments(subject))
        return
    if verb.base in _LOOKS and "q" in kinds(after[:2]):
        yield Frame("nothing")
        return
    lead = [i for i, c in enumerate(before) if c.base in _MAKES and c.kind in "hvzw"]
    inner = next((i for i, c in enumerate(after) if i > 0 and (acts(c) or c.kind == "f")), None)
    makes = verb.base in ("get", "make", "see", "let") and verb.kind in "vg"
    if (
        makes
        and inner is not None
        and re.fullmatch("[npo]*[no]", kinds(after[:inner]))
        and not (verb.base == "get" and after[inner].kind == "v")
    ):
        yield from command(after[inner].base, arguments([*after[:inner], *after[inner + 1 :]]))
        return
    if (
        verb.kind in "dg"
        and lead
        and any(c.kind in "no" for c in before[lead[-1] :])
        and not any(
            c.kind in "nb" or (c.kind == "s" and c.base not in ("you", "i", "we", "someone", "somebody"))
            for c in before[: lead[-1]]
        )
    ):
        yield from done([*before[lead[-1] + 1 :], verb, *after])
        return
    if (
        verb.base in ("look", "ask", "wait", "beg", "call")
        and verb.kind in "gfd"
        and after[:1]
        and after[0].base in ("for", "after")
    ):
        who = " ".join(c.text for c in before if c.kind in "ns")
        if who and who.lower() not in ("you", "we"):
            yield from wants(who, after)
            yield from context(clause)
        return
    if (
        verb.base in ("sit", "stand", "wait", "work", "eat", "read")
        and (verb.kind == "g" or (verb.kind == "v" and kinds(before).endswith("wt")))
        and before[:1]
        and before[0].base in ("i", "we")
    ):
        where = (
            phrases_of([c for c in after if c.kind in "npo"]) if after[:1] and after[0].kind == "p" else None
        )
        if where is not None:
            yield Frame("speaker", (), "at", where)
        yield from context(clause)
        return
    forgot = next((i for i, c in enumerate(before) if c.base in ("forgot", "forget", "forgotten")), None)
    if forgot is not None and any(c.kind == "n" for c in before[:forgot]):
        yield from command(verb.base, arguments(after))
        return
