"""Readings of an instruction: goal conditions about the nodes of one scene, the likeliest first.

Clauses are read in order, each in the context of those before it. A clause without a frame, or a phrase of a
request that fits no node, must raise :class:`NoReferent` instead of being left out. (A relaxed linker may
drop a describing word; a clause that may also be context is read as such last.) The first reading becomes the
goal and the next ones its repairs, so the figures in
``docs/measurements/embedded-reader.md`` hold for this order.

Requests one after the other are one goal, which holds at the end and says no order. What a later one undoes
holds at some time before, where that is all: "open the fridge and close it again". Any other order declines,
since the goal would be true of a plan that does things the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from ...domains.formula import (
    TRUE,
    Atom,
    Exists,
    Formula,
    Not,
    Or,
    Sometime,
    TrajectoryConstraint,
    conjunction,
    conjuncts,
    is_ground_atom,
    walk,
)
from ...domains.pack import Pack
from ...simulator.scene import RELATIONS, Scene
from ..english.facts import RequestFacts
from ..english.lexicon import OBJECTS, STATES, base
from ..english.linking import Linker
from ..english.naming import quoted
from ..english.phrases import GENERIC, NodeMatch, NoReferent, Phrase, is_speaker, several
from ..english.words import content_words, singular, tokens
from .clauses import Clause, read_clauses
from .frames import CONTEXT, Frame
from .meanings import Meaning, Meanings, check_unmoved, together
from .referents import Context
from .requests import HELP
from .verb_rules import COFFEE, CUPS, DIRT, SWITCHES, TESTS, WIPES
from .verbs import VERBS

MAX_READINGS = 8
SENT = ("put", "give")
EVERYWHERE = frozenset(singular(w) for w in GENERIC | DIRT | WIPES | CUPS | TESTS | set(STATES)) - COFFEE
"""Words that a sense reads without a phrase: "a cup of coffee", "a wipe", "a hand"."""
_CONTRARY = (("heat", "cool"), ("cool", "heat"), ("fill", "clean"))
"""Senses of which the later takes back the earlier, whatever the pack says of their facts."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of an instruction. The formula is true where it only asks to find something.

    ``frames`` are the readings of the clauses that it is made of.
    """

    formula: Formula
    nodes: tuple[str, ...]
    frames: tuple[Frame, ...] = ()


def phrases(clauses: Sequence[Clause]) -> tuple[Phrase, ...]:
    """Every phrase of the likeliest frames, with those inside them, without repetition."""
    collected: dict[Phrase, None] = {}
    telling = [f for c in reversed(clauses) for f in _telling(c)]
    stack = [p for f in telling for p in (*f.mentioned, f.background) if p]
    while stack:
        phrase = stack.pop()
        collected[phrase] = None
        stack.extend(p for _, p in phrase.places)
    return tuple(collected)


def _telling(clause: Clause) -> Sequence[Frame]:
    """The frames of a clause whose things matter: the likeliest, and those in which a thing has another."""
    if clause.frames and clause.frames[0].verb in CONTEXT:
        return clause.frames
    rest = clause.frames[1:]
    has = (f for f in rest if any(r == "with" for p in f.mentioned for r, _ in p.places))
    return (*clause.frames[:1], *has)


def unread(clauses: Sequence[Clause], instruction: str) -> str | None:
    """The reason why clauses are not read as requests, in the words of the instruction; ``None`` for none."""
    strange = next((c for c in clauses if not c.frames), None)
    if strange is None:
        return None if clauses else "the instruction is empty"
    text = strange.text.replace(" ,", ",").strip(" ,.:;!?")
    if text not in instruction:  # the sentence as it was written, before short forms were written out
        words = set(tokens(text))
        sentences = re.split(r"(?<=[.;!?])(?<!\.\.)\s+", instruction)
        nearest = max(sentences, key=lambda s: len(words & {*tokens(s)}))
        text = (nearest if words & {*tokens(nearest)} else instruction).strip(" ,.:;!?")
    because = f" (because of '{strange.limit}')" if strange.limit and strange.limit in text else ""
    return f"this is not read as a request: '{text}'{because}"


def interpret(instruction: str, linker: Linker, likeliest: bool = False) -> list[Reading]:
    """The readings of an instruction, at most :data:`MAX_READINGS`.

    With ``likeliest`` only the first frame of each clause counts. Raises :class:`NoReferent` for none.
    """
    clauses = read_clauses(instruction)
    if (reason := unread(clauses, instruction)) is not None:
        raise NoReferent(reason)
    # Where the speaker is may be said last.
    order = sorted(clauses, key=lambda c: c.frames[0].verb != "speaker")
    gaps: list[NoReferent] = []
    readings: dict[Formula, Reading] = {}
    for reading in _read(Meanings(linker), order, 0, Context(), (), likeliest, gaps):
        readings.setdefault(reading.formula, reading)
        if len(readings) == MAX_READINGS:
            break
    impossible = next((g for g in gaps if g.final), None)
    if impossible is not None:
        raise impossible
    whole = [r for r in readings.values() if not _leaves_over(r, order, gaps)]
    if not whole:
        gap = next((g for g in gaps if g.phrase is not None), gaps[0])
        gap.others = tuple(gaps)
        raise gap
    return sorted(whole, key=lambda r: _vague(r, whole, linker))


def _leaves_over(reading: Reading, clauses: Sequence[Clause], gaps: list[NoReferent]) -> bool:
    """Return whether a reading says nothing of some words, and note that as the first gap."""
    left = [w for f, c in zip(reading.frames, clauses, strict=True) for w in left_over(c, f)]
    if left:
        ask = "ask" if left[1:] else "asks"
        gaps.insert(0, NoReferent(f"it is not read what {quoted(left)} {ask} for"))
    return bool(left)


def left_over(clause: Clause, frame: Frame) -> tuple[str, ...]:
    """The content words of a clause that a frame of it says nothing about, in their order.

    Words of nouns alone: the verb of a frame is one of the clause, and what a clause of context says is not
    asked for.
    """
    if frame.verb in CONTEXT:
        silent = frame.verb == "nothing"
        words_read = {w for p in frame.items for w in _all_words(p)}
        return tuple(w for w in clause.nouns if silent and singular(w) not in {*HELP, *GENERIC, *words_read})
    read = {w for p in frame.mentioned for w in (*content_words(p.text), *_all_words(p))}
    stems = {singular(w) for w in read} | EVERYWHERE
    stems |= COFFEE if frame.verb in ("coffee", "fill", "clean") else set()
    written = {t.lower(): t for t in re.findall(r"[^\W_]+", clause.text)}
    return tuple(written.get(w, w) for w in clause.nouns if singular(w) not in stems)


def _all_words(phrase: Phrase) -> Iterator[str]:
    yield from (*phrase.words, *content_words(phrase.owner or ""))
    for _, place in phrase.places:
        yield from _all_words(place)


def _vague(reading: Reading, readings: Iterable[Reading], linker: Linker) -> int:
    """Count the clauses in which a thing goes to a room that another reading takes for where something is.

    "A book on the table in the kitchen" is put onto that table before it is put anywhere in the kitchen, and
    "the remote control in the bedroom" is picked up before it is moved there.
    """
    return sum(
        any(_places_in(other.frames[i], frame.to) for other in readings if other is not reading)
        and all(n.type == "room" for n in linker.place(frame.to).nodes)
        for i, frame in enumerate(reading.frames)
        if frame.verb == "put" and frame.relation == "in" and frame.to is not None
    )


def _places_in(frame: Frame, where: Phrase) -> bool:
    """Return whether a frame says of its thing, or of its place, that it is at ``where``."""
    spoken_of = [
        p for p in frame.mentioned if p.text.split()[0].lower() not in OBJECTS
    ]  # no place is its own
    return any(place.text == where.text for p in spoken_of for _, place in p.places)


def _read(
    meanings: Meanings,
    clauses: Sequence[Clause],
    at: int,
    context: Context,
    parts: tuple[Meaning, ...],
    likeliest: bool,
    gaps: list[NoReferent],
) -> Iterator[Reading]:
    if at == len(clauses):
        try:
            yield _whole(meanings, context, parts)
        except NoReferent as gap:
            gaps.append(gap)
        return
    frames = clauses[at].frames
    few = likeliest and frames[0].verb not in CONTEXT
    for frame in frames[:1] if few else frames:
        inner = replace(context, frames=(*context.frames, frame))
        _meet(meanings, clauses[at], inner)
        meanings.follow(parts)
        try:
            part = _clause(meanings, frame, inner, clauses[at + 1 :])
            _check_another(frame, parts)
        except NoReferent as gap:
            gaps.append(gap)
            continue
        yield from _read(meanings, clauses, at + 1, inner, (*parts, *part), likeliest, gaps)


def _check_another(frame: Frame, before: Sequence[Meaning]) -> None:
    """Raise :class:`NoReferent` where "another" one could be one that was asked for before."""
    phrase = next((p for p in frame.items if p.text.lower().startswith("another ")), None)
    if phrase is not None and (before or len(frame.items) > 1):
        raise NoReferent(f"it is not said how many there are to be with '{phrase}'")


def _meet(meanings: Meanings, clause: Clause, context: Context) -> None:
    """Note who "he" is: a person with a room whom the clause names; an owner only if nobody was named."""
    for name, owner in re.findall(r"\b([A-Z]\w+?)('s)?(?=\W|\Z)", clause.text):
        if meanings.linker.names.owner_rooms(name) and (not owner or context.person is None):
            context.person = name
            return


def _clause(meanings: Meanings, frame: Frame, context: Context, rest: Sequence[Clause]) -> list[Meaning]:
    """The meaning of a frame; none for a sentence of context, which changes the context."""
    if frame.verb in CONTEXT:
        _tell(meanings, frame, context)
        return []
    follow = [f for c in rest for f in c.frames[:1]]
    if frame.verb == "go" and any(f.verb not in CONTEXT for f in follow):
        place = VERBS["go"](meanings, frame, context)  # on the way to something else
        if frame.to is not None and not isinstance(place.formula, Atom):
            raise several(frame.to, place.nodes, "places")
        return [Meaning(Sometime(place.formula), place.nodes, lasts="way")]
    if frame.verb == "hold" and rest and _goes_on(rest[0]):
        raise NoReferent(f"it is not said where '{frame.items[0]}' goes", final=True)
    if frame.verb == "hold" and any(p.kind == "it" for f in follow for p in f.items):
        _take_along(meanings, frame, context)
        return []
    if frame.also:  # what is heated on the way may end where it is
        ids = (i for p in frame.items for i in meanings.referents.items(p, replace(context)).ids)
        meanings.touched |= frozenset(ids)
    again = _again(frame, context)
    lasts = frame.mood if frame.verb in SWITCHES else ""
    meaning = replace(VERBS[frame.verb](meanings, frame, context), again=again, lasts=lasts)
    return [_with_also(meanings, frame, context, meaning) if frame.also else meaning]


def _tell(meanings: Meanings, frame: Frame, context: Context) -> None:
    if frame.verb == "speaker":
        context.speaker = frame.to
    context.spots = (*context.spots, *frame.told)
    mentioned = frame.background
    if mentioned is not None and not meanings.referents.is_somebody(mentioned):
        context.mention = meanings.referents.resolve_owner(mentioned, replace(context))
        context.last = None


def _take_along(meanings: Meanings, frame: Frame, context: Context) -> None:
    """Note what is taken on the way to something else that is asked for of it."""
    matches = [meanings.referents.items(p, context) for p in frame.items]
    nodes = tuple(n for match in matches for n in match.nodes)
    context.last = NodeMatch(Phrase("all", ("all",), "all"), nodes) if matches[1:] else matches[0]
    check_unmoved(meanings, nodes)
    context.many = context.last if matches[1:] else None


def _with_also(meanings: Meanings, frame: Frame, context: Context, meaning: Meaning) -> Meaning:
    """A meaning with what is asked for besides of the same things: "a hot soup on the table".

    Raises :class:`NoReferent` where the two parts might be about different ones.
    """
    for phrase in (p for p in frame.items if p.kind != "all"):
        match = meanings.referents.items(phrase, replace(context))
        if len(match.nodes) > 1:
            raise several(phrase, match.ids)
    also = VERBS[frame.also](meanings, Frame(frame.also, frame.items), replace(context))
    return replace(together([meaning, also]), again=meaning.again)


def _again(frame: Frame, context: Context) -> NodeMatch | None:
    """One of several things that was spoken of before, or where one was put, which a frame is about."""
    for before in (context.last, context.place):
        if before is None or len(before.nodes) == 1 or before.phrase.kind not in ("a", "the"):
            continue
        for phrase in frame.mentioned:
            same = phrase.kind == "the" and phrase.words == before.phrase.words and not phrase.places
            if same or (phrase.kind == "it" and before is context.last):
                return before
    return None


def _goes_on(clause: Clause) -> bool:
    """Return whether a clause has no verb and says where something goes: "and the spoon to Niko"."""
    words = [w for w in tokens(clause.text) if w not in ("and", "then", "also")]
    sent = any(f.verb in SENT and not is_speaker(f.to) for f in clause.frames[:1])
    return sent and bool(words) and base(words[0]) is None


def _whole(meanings: Meanings, context: Context, parts: Sequence[Meaning]) -> Reading:
    """The reading of all clauses. Raises :class:`NoReferent` where they ask for nothing, or not together."""
    if not parts:
        raise NoReferent("no request recognised")
    _check_which(context)
    parts = [p for p in parts if p.lasts != "way" or not _works_at(meanings, p, parts)]
    _check_contrary(meanings, parts)
    _check_lasting(meanings, context, parts)
    formulas = _joined([p for p in parts if p.formula != TRUE], meanings.facts.pack)
    _check_taken_back(formulas, meanings.facts)
    conditions = in_order(formulas, meanings.facts.pack)
    kept = {f for p in parts if _is_kept(p, parts, meanings.scene) for f in conjuncts(p.formula)}
    conditions = [_always(f) if f in kept else f for f in conditions]
    back = _way_back(meanings, context, conditions)
    nodes = tuple(dict.fromkeys(i for p in (*parts, *back) for i in p.nodes))
    return Reading(conjunction([*conditions, *(p.formula for p in back)]), nodes, context.frames)


def _joined(parts: Sequence[Meaning], pack: Pack) -> list[Formula]:
    """The formulas of some parts, where "it" is the same thing in all of them: one ``exists`` for both.

    Raises :class:`NoReferent` where no formula says that it is the same thing.
    """
    result: list[Formula] = []
    for index, part in enumerate(parts):
        again = part.again
        if again is None or all({*again.ids}.isdisjoint(earlier.nodes) for earlier in parts[:index]):
            result.append(part.formula)
            continue
        for condition in conjuncts(part.formula):
            if not isinstance(condition, Exists | Or):
                result.append(condition)
                continue
            both = ((at, _same(result[at], condition, pack)) for at in reversed(range(len(result))))
            at, same = next((one for one in both if one[1] is not None), (0, None))
            if same is None:
                raise several(again.phrase, again.ids)
            result[at] = same
    return result


def _same(earlier: Formula, later: Formula, pack: Pack) -> Formula | None:
    """Both conditions of one thing that may be any of several; ``None`` where that cannot be said."""
    choices = [f for f in conjuncts(earlier) if isinstance(f, Exists | Or)]
    first = choices[0] if len(choices) == 1 else None
    if not isinstance(first, Exists) or not isinstance(later, Exists):
        return None
    atoms = [[a for a in walk(f) if isinstance(a, Atom)] for f in (first.body, later.body)]
    opposed = any(excludes(a, b, pack) for a in atoms[0] for b in atoms[1])
    if first.variables != later.variables or opposed:
        return None
    rest = (f for f in conjuncts(earlier) if f is not first)
    return conjunction([Exists(first.variables, conjunction([first.body, later.body])), *rest])


def _is_kept(part: Meaning, parts: Sequence[Meaning], scene: Scene) -> bool:
    """Return whether a state is so from the start to the end: "keep it closed", and "leave it off" alone.

    What an earlier request changes or needs is left so when that is done.
    """
    alone = _involved(part, parts, scene).isdisjoint(part.nodes)
    return part.lasts == "stay" or (part.lasts == "left" and alone)


def _involved(part: Meaning, parts: Sequence[Meaning], scene: Scene) -> frozenset[str]:
    """Return what the other parts are about, and what that is inside of, which may have to be opened."""
    others = {i for p in parts if p is not part for i in p.nodes}
    chains = (pairwise((i, *scene.ancestors(i))) for i in others if i in scene.nodes)
    return frozenset(others).union(b for c in chains for a, b in c if scene.nodes[a].relation == RELATIONS[0])


def _always(formula: Formula) -> Formula:
    """Return that something holds on the whole way. Raises :class:`NoReferent` for one thing of several."""
    if not isinstance(formula, Atom):
        raise NoReferent("it is not said which one is to stay so", final=True)
    return TrajectoryConstraint("always", (formula,))


def _way_back(meanings: Meanings, context: Context, conditions: Sequence[Formula]) -> list[Meaning]:
    """The way back with what is held for the speaker.

    Raises :class:`NoReferent` where another place to go to is asked for.
    """
    held = meanings.linker.pack.mapping.robot_held.predicate
    if not any(isinstance(a, Atom) and a.predicate == held for f in conditions for a in walk(f)):
        return []
    if any(f.verb == "go" for f in context.frames[1:]):
        if any(is_speaker(f.to) for f in context.frames):
            raise NoReferent("where it is handed over, and where the robot goes then, are two places")
        return []
    here = meanings.destinations.here().id if context.returns else None
    return [Meaning(meanings.fact("go", here), (here,))] if here is not None else []


def _check_which(context: Context) -> None:
    """Raise :class:`NoReferent` where "one lamp" is turned on and "one lamp" off: the same, or another."""
    for first, later in combinations(context.frames, 2):
        kinds = [p.kind for frame in (first, later) for p in frame.items]
        if {first.verb, later.verb} in _BACK and "a" in kinds and "it" not in kinds:
            raise NoReferent("it is not said whether the two are the same", final=True)


def _works_at(meanings: Meanings, stop: Meaning, parts: Sequence[Meaning]) -> bool:
    """Return whether a place to go to first is where something of the other parts is, or goes."""
    ids = [i for p in parts if p is not stop for i in p.nodes]
    around = {a for i in ids for a in (i, *meanings.scene.ancestors(i))}
    return not around.isdisjoint(stop.nodes)


_BACK = ({"on", "off"}, {"open", "close"})
"""Verbs of which each undoes the other."""
_SIMPLE = frozenset({"put", "give", "hold", "go", "absent"}) | SWITCHES | CONTEXT
"""Verbs for which no machine has to run and nothing that they do not name is opened."""


def _check_contrary(meanings: Meanings, parts: Sequence[Meaning]) -> None:
    """Raise :class:`NoReferent` where a state that is to stay is one that an earlier request changes."""
    pack = meanings.linker.pack
    for part, before in ((p, parts[:i]) for i, p in enumerate(parts) if p.lasts in ("stay", "left", "so")):
        after = [g for g in conjuncts(part.formula) if isinstance(g, Atom)]
        for earlier in (p.formula for p in before):
            atoms = [a for a in conjuncts(earlier) if isinstance(a, Atom) and not comes_with(a, earlier)]
            opposite = next((a for g in after for a in atoms if excludes(a, g, pack)), None)
            if opposite is not None:
                reason = f"{opposite.args[0]} is to be changed, and to be left as it is"
                raise NoReferent(reason, final=True)


def _check_lasting(meanings: Meanings, context: Context, parts: Sequence[Meaning]) -> None:
    """Raise :class:`NoReferent` where a state that is to last may be undone on the way for another request.

    Whether it is to last then, or to be so again in the end, is not said.
    """
    scene = meanings.scene
    doors = {link.door for link in scene.links}
    simple = all(f.verb in _SIMPLE for f in context.frames)
    for part in (p for p in parts if p.lasts == "stay"):
        around = _involved(part, parts, scene)
        undone = next((i for i in part.nodes if not simple or i in around or i in doors), None)
        if around and undone is not None:
            raise NoReferent(
                f"it is not said whether {undone} stays so on the way", None, (undone,), final=True
            )


# Requests one after the other


def in_order(formulas: Sequence[Formula], pack: Pack) -> list[Formula]:
    """Hold what a later request undoes at some time: once, and of a thing that is not moved.

    What is fetched and then put somewhere need not be mentioned. Raises :class:`NoReferent` where something
    else is asked for in between, which a goal would not hold in between.
    """
    result: list[Formula] = []
    undone: list[Atom] = []
    for index, formula in enumerate(formulas):
        for part in conjuncts(formula):
            at, rival = _rival(part, formulas, index, pack)
            inner = conjuncts(part.body) if isinstance(part, Exists) else ()
            for atom in (a for a in inner if isinstance(a, Atom) and is_ground_atom(a)):
                if (later := _rival(atom, formulas, index, pack)[1]) is not None:
                    raise out_of_order(atom, later)
            if rival is None or not isinstance(part, Atom):
                result.append(part)
            elif part.predicate != pack.mapping.robot_held.predicate and not comes_with(part, formula):
                undone.append(part)
                between = formulas[index + 1 : at]
                if undone[1:] or (part.args[1:] and not between) or not all(_about(part, f) for f in between):
                    raise out_of_order(undone[0], rival)
                result.append(Sometime(part))
    return result


def _about(part: Atom, formula: Formula) -> bool:
    return any(isinstance(a, Atom) and part.args[0] in a.args for a in walk(formula))


def out_of_order(first: Atom, later: Atom) -> NoReferent:
    """The gap of two requests of which the later undoes the first."""
    return NoReferent(f"no goal says that first {first} is to hold and then {later}", final=True)


def _rival(part: Formula, formulas: Sequence[Formula], index: int, pack: Pack) -> tuple[int, Atom | None]:
    """The last of the later requests that undoes a part, and what of it does."""
    for at in reversed(range(index + 1, len(formulas)) if isinstance(part, Atom) else ()):
        positive = (c for c in conjuncts(formulas[at]) if not isinstance(c, Not))
        for atom in (a for c in positive for a in walk(c) if isinstance(a, Atom)):
            if isinstance(part, Atom) and excludes(part, atom, pack):
                return at, atom
    return 0, None


def _check_taken_back(formulas: Sequence[Formula], facts: RequestFacts) -> None:
    """Raise :class:`NoReferent` where a thing is heated and cooled, or put into what is emptied after it."""
    contrary = {(facts.predicate(a), facts.predicate(b)) for a, b in _CONTRARY}
    inside = facts.predicate("inside")
    for index, formula in enumerate(formulas):
        first = [a for a in conjuncts(formula) if isinstance(a, Atom)]
        after = [c for f in formulas[index + 1 :] for c in conjuncts(f)]
        for a, c in ((a, c) for a in first for c in after):
            b = c.part if isinstance(c, Not) else c
            if not isinstance(b, Atom) or not a.args or not b.args:
                continue
            emptied = isinstance(c, Not) and (a.predicate, b.predicate) == (inside, inside)
            if (emptied and a.args[-1] == b.args[-1]) or (
                (a.predicate, b.predicate) in contrary and a.args[0] == b.args[0]
            ):
                raise out_of_order(a, b)


def comes_with(part: Atom, formula: Formula) -> bool:
    """Return whether a state is of where something goes, and was not asked for: "put it into the chest"."""
    conditions = (c.body if isinstance(c, Exists) else c for c in conjuncts(formula))
    others = (a for c in conditions for a in conjuncts(c) if isinstance(a, Atom) and a.args[1:])
    return not part.args[1:] and any(a.args[-1] == part.args[0] for a in others)


def excludes(a: Atom, b: Atom, pack: Pack) -> bool:
    """Return whether two facts about one thing cannot hold together, as the pack says."""
    if a.predicate == b.predicate or not a.args or not b.args or a.args[0] != b.args[0]:
        return False
    groups = ({p.predicate for p in group} for group in pack.mapping.exclusive.values())
    return any({a.predicate, b.predicate} <= group for group in groups)
