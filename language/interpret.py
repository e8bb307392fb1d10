"""From an instruction to readings: formulas about the nodes of one scene, the likeliest first.

Clauses are read in order, each in the context of those before it. Everything that was said must be
used: a clause without a reading, a sentence of context that nothing refers to, a word that fits no node, each
makes a :class:`Gap` instead of a reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..domains.formula import TRUE, Atom, Formula, Sometime, conjunction, conjuncts, walk
from ..domains.pack import Pack
from .candidates import verb as verb_like
from .clauses import Clause, read_clauses
from .context import Context, Meaning
from .frames import CONTEXT, Frame
from .linking import Linker
from .links import Gap
from .meanings import Meanings
from .phrases import Phrase
from .remedies import remedy
from .told import Told
from .verbs import VERBS

MAX_READINGS = 8


@dataclass(frozen=True, slots=True)
class Reading:
    """What an instruction asks for. The formula is true where it only asks to find something."""

    formula: Formula
    nodes: tuple[str, ...]
    confidence: float = 1.0


def phrases(clauses: Sequence[Clause]) -> tuple[Phrase, ...]:
    """Every phrase of the likeliest frames, with those inside them, without repetition."""
    found: dict[Phrase, None] = {}
    stack = [
        p
        for c in reversed(clauses)
        for f in (c.frames if c.frames and c.frames[0].verb in CONTEXT else c.frames[:1])
        for p in (*f.items, f.to, f.told.phrase if f.told else None)
        if p is not None
    ]
    while stack:
        phrase = stack.pop()
        found[phrase] = None
        stack.extend(p for _, p in phrase.places)
    return tuple(found)


def unread(clauses: Sequence[Clause]) -> Clause | None:
    """The first clause that no pattern covers."""
    return next((c for c in clauses if not c.frames), None)


def interpret(instruction: str, linker: Linker, likeliest: bool = False) -> list[Reading]:
    """The readings of an instruction, at most :data:`MAX_READINGS`.

    With ``likeliest`` only the first frame of each clause counts. Raises :class:`Gap` when there is none.
    """
    clauses = read_clauses(instruction)
    strange = unread(clauses)
    if not clauses or strange is not None:
        said = f"'{strange.text}'" if strange is not None else "the empty instruction"
        raise Gap(f"no pattern covers {said}", None)
    # Where the speaker is may be said last.
    order = sorted(clauses, key=lambda c: c.frames[0].verb != "speaker")
    gaps: list[Gap] = []
    found: dict[Formula, Reading] = {}
    for reading in _read(Meanings(linker), order, 0, Context(), (), likeliest, gaps):
        found.setdefault(reading.formula, reading)
        if len(found) == MAX_READINGS:
            break
    if not found:
        raise next((g for g in gaps if g.phrase is not None), gaps[0])
    return list(found.values())


_Part = tuple[Formula, tuple[str, ...], float]


def _read(
    m: Meanings,
    clauses: Sequence[Clause],
    at: int,
    context: Context,
    parts: tuple[_Part, ...],
    likeliest: bool,
    gaps: list[Gap],
) -> Iterator[Reading]:
    if at == len(clauses):
        try:
            yield _whole(m, context, parts)
        except Gap as gap:
            gaps.append(gap)
        return
    frames = clauses[at].frames
    few = likeliest and not any(f.verb in CONTEXT for f in frames)
    for frame in frames[:1] if few else frames:
        inner = replace(context)
        m.touched = frozenset(i for formula, ids, _ in parts for i in ids if formula != TRUE)
        try:
            part = _clause(m, frame, inner, clauses[at + 1 :])
        except Gap as gap:
            gaps.append(gap)
            continue
        yield from _read(m, clauses, at + 1, inner, (*parts, *part), likeliest, gaps)


def _clause(m: Meanings, frame: Frame, context: Context, rest: Sequence[Clause]) -> list[_Part]:
    """What a frame asks for; nothing for a sentence of context, which changes the context."""
    match frame.verb:
        case "nothing":
            return []
        case "speaker":
            context.speaker = frame.to
            return []
        case "person":
            name = " ".join(frame.items[0].words)
            if not m.linker.owner_rooms(name):
                raise Gap(f"it is not known who {name} is", None)
            context.person, context.expected = name, (*context.expected, "person")
            return []
        case "mention" | "source":
            stops = any(f.verb == "stop" for c in rest for f in c.frames)
            if (frame.verb == "source") != stops:
                raise Gap(f"it is not clear what '{frame.items[0]}' is", frame.items[0])
            context.mention, context.expected = frame.items[0], (*context.expected, "mention")
            return []
        case "told":
            assert frame.told is not None
            _told(m, frame.told, context, frame.relation == "or")
            return []
        case "amiss":
            if any(f.verb not in CONTEXT for c in rest for f in c.frames[:1]):
                raise Gap("it is not clear what the first sentence has to do with the rest", None, 0.3)
            meaning = remedy(m, frame, context)
        case "go" if rest and any(f.verb not in CONTEXT for c in rest for f in c.frames[:1]):
            VERBS["go"](m, frame, context)  # on the way to something else
            return []
        case "hold" if any(p.kind == "it" for c in rest for f in c.frames[:1] for p in f.items):
            context.last = m.items(frame.items[-1], context)  # on the way to something else
            return []
        case "?":
            meaning = _by_meaning(m, frame, context)
        case _:
            meaning = VERBS[frame.verb](m, frame, context)
    return [(meaning.formula, meaning.nodes, meaning.confidence)]


def _by_meaning(m: Meanings, frame: Frame, context: Context) -> Meaning:
    """What a command asks for whose verb no pattern knows."""
    found = verb_like(frame.said, m.linker.similarity)
    if found is None or (frame.to is None) == (found[0] in ("put", "go")):
        raise Gap(f"no pattern covers '{frame.said}'", None)
    verb, score = found
    if frame.to is not None and verb not in ("put", "away", "store"):
        raise Gap(f"no pattern covers '{frame.said}'", None)
    meaning = VERBS["put" if frame.to is not None else verb](m, replace(frame, verb=verb), context)
    return replace(meaning, confidence=min(meaning.confidence, score))


def _told(m: Meanings, told: Told, context: Context, only: bool) -> None:
    """A sentence of context: whom and what it speaks of must turn up again, if the scene knows them."""
    known = [n for n in told.people if m.linker.owner_rooms(n)]
    if known:
        context.person = known[0]
    if told.phrase is not None:
        context.mention, context.last = m.said(told.phrase, replace(context)), None
        context.expected = (*context.expected, "mention" if only else "told")
    elif known:
        context.expected = (*context.expected, "person")
    elif any(m.linker.named(n, p) for p in told.all for n in m.linker.things):
        raise Gap("it is not clear what the first sentence has to do with the rest", None, 0.3)


def _whole(m: Meanings, context: Context, parts: Sequence[_Part]) -> Reading:
    if context.pending is not None:
        mug, desks = context.pending
        laid = m.laid(mug, "to", desks)
        parts = [*parts, (laid, (mug.id, *(d.id for d in desks)), 1.0)]
    if not parts:
        raise Gap("it asks for nothing", None)
    for what in context.expected:
        if what not in context.used and not (what == "told" and context.used & {"mention", "person"}):
            raise Gap("it is not clear what the first sentence has to do with the rest", None, 0.3)
    nodes = tuple(dict.fromkeys(i for _, ids, _ in parts for i in ids))
    formula = conjunction(in_order([f for f, _, _ in parts if f != TRUE], m.linker.pack))
    return Reading(formula, nodes, min(c for _, _, c in parts))


def in_order(formulas: Sequence[Formula], pack: Pack) -> list[Formula]:
    """Requests one after the other as one goal: what a later one undoes only has to hold at some time.

    "Open the fridge and close it again" asks for a fridge that is closed in the end and was open once. What
    is fetched and then put somewhere need not be mentioned.
    """
    result: list[Formula] = []
    for index, formula in enumerate(formulas):
        later = {a for f in formulas[index + 1 :] for a in walk(f) if isinstance(a, Atom)}
        for part in conjuncts(formula):
            rival = next((a for a in later if isinstance(part, Atom) and _excludes(part, a, pack)), None)
            if rival is None:
                result.append(part)
            elif isinstance(part, Atom) and part.predicate != pack.mapped.robot_held.predicate:
                result.append(Sometime(part))
    return result


def _excludes(a: Atom, b: Atom, pack: Pack) -> bool:
    """Whether two facts about one thing cannot hold together, as the pack says."""
    if a.predicate == b.predicate or not a.args or not b.args or a.args[0] != b.args[0]:
        return False
    groups = ({p.predicate for p in group} for group in pack.mapped.exclusive.values())
    return any({a.predicate, b.predicate} <= group for group in groups)
