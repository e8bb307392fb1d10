"""Sentences that ask for facts, read as a goal: the reverse of ``saying`` for conjunctions of facts.

Each sentence has to be one of the pack's ``[sentences]`` or ``[sometime]``, with names as the scene spells
them; "the" before a name, capitals and spaces are free. Where a text says two places or two states of one
thing, the last counts, as it does for a person who corrects himself. Nothing else is guessed: a text with any
other sentence, or with none, is no goal, since a goal that asks for nothing would be fulfilled at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from ...compiler.goals.goal import MAX_WORDS, Goal, Missing
from ...domains.errors import GoalError, clip, did_you_mean
from ...domains.formula import And, Atom, Formula, Sometime, Term, Var
from ...domains.mapping import ROOM
from ...domains.pack import Pack, filled
from ...domains.wording import SentencePattern

MAX_SENTENCES = 6
"""Most sentences of one answer of a model."""

MAX_LOOK = 120
"""Most characters of what a model may look for under a grammar."""
LOOK_FOR = "Look for"
"""Beginning of the sentence that asks for a part of the scene that is not open."""

_LOOK_FOR = re.compile(rf'\s*{LOOK_FOR}\s+"([^"]*)"\s*\.?\s*\Z', re.I)
_NAME = r'(?:the\s+)?("(?:[^"\\]|\\.)*"|\w(?:[\w-]|[.:](?=\w))*)'


def read_answer(text: str, pack: Pack) -> Goal | Missing:
    """Read an answer: sentences as the goal that they ask for, or ``Look for "words".`` as missing.

    JSON of ``sentence_schema`` is put into sentences first. Raises :class:`GoalError` for any other text.
    """
    plain = _plain(text, pack) if text.lstrip().startswith("{") else text
    look = _LOOK_FOR.match(plain)
    if look is None:
        return Goal.of(goal_of(read_sentences(plain, pack), pack))
    words = " ".join(look[1].split())[:MAX_WORDS]
    if not words:
        raise GoalError("sentence", f'{LOOK_FOR} "what is missing".', "no words")
    return Missing(words)


def _plain(text: str, pack: Pack) -> str:
    """Return an answer in JSON as sentences. Raises :class:`GoalError`."""
    expected = 'an object {"sentences": [..]}'
    try:
        entries = json.loads(text)["sentences"]
        parts = [_filled(entry, pack) for entry in entries]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise GoalError("answer", expected, clip(str(error))) from None
    return " ".join(parts)


def _filled(entry: Mapping[str, str], pack: Pack) -> str:
    """Return one sentence of an answer in JSON."""
    text = entry["say"]
    if text == LOOK_FOR:
        return f'{LOOK_FOR} "{entry["words"].replace(chr(34), " ")}".'
    if text not in _shown(pack):
        raise ValueError(f"no sentence {clip(text)}")
    return filled(text, {key.removeprefix("name"): name for key, name in entry.items() if key != "say"})


def read_sentences(text: str, pack: Pack) -> tuple[Atom | Sometime, ...]:
    """Read every sentence of a text as the fact that it asks for, in their order.

    Raises :class:`GoalError` for a text without sentences, and for one that no sentence of the pack fits.

    >>> from groundplan import load_pack
    >>> [str(fact) for fact in read_sentences("Heat kebab1. Put cup2 on the desk1.", load_pack())]
    ['(hot kebab1)', '(ontop_of cup2 desk1)']
    >>> [str(fact) for fact in read_sentences("Test lamp1.", load_pack())]
    ['(sometime (turned_on lamp1))']
    """
    patterns = _patterns(pack)
    if not patterns:
        hint = "its language.toml has no [sentences]"
        raise GoalError(f"pack {pack.name}", "sentences that ask for facts", "none", hint)
    facts: list[Atom | Sometime] = []
    at = len(text) - len(text.lstrip())
    while at < len(text):
        fits = ((f, match) for f, pattern in patterns if (match := pattern.match(text, at)))
        form, match = next(fits, (None, None))
        if form is None or match is None:
            rest = text[at:]
            first = rest.split(maxsplit=1)[0]
            verbs = list(dict.fromkeys(sentence.split()[0] for sentence in _shown(pack)))
            hint = did_you_mean(first.capitalize(), verbs) or f"sentences begin with {', '.join(verbs)}"
            raise GoalError("sentence", "one of the pack's sentences", clip(rest, 80), hint)
        names = tuple(_name(match, f"h{i}") for i in range(len(match.groupdict())))
        fact = Atom(form.predicate, names)
        facts.append(Sometime(fact) if form.passing else fact)
        at = len(text) - len(text[match.end() :].lstrip())
    if not facts:
        raise GoalError("sentence", "at least one sentence", "none", f"such as {next(iter(_shown(pack)))}")
    return tuple(facts)


Key = tuple[str, Term]
"""A group of facts that exclude each other, and the thing that they are about."""


def goal_of(sentences: Iterable[Atom | Sometime], pack: Pack) -> Formula:
    """Return the goal of sentences: all their facts, of facts that exclude each other the last.

    Those are the facts about one thing in an exclusive group of the pack (its place, its door, its switch),
    two rooms for one thing, and two places for the robot; what is to hold at some time excludes nothing.
    Raises :class:`GoalError` for no fact at all.
    """
    kept: list[tuple[frozenset[Key], Atom | Sometime]] = []
    groups = {
        name: frozenset(fact.predicate for fact in group)
        for name, group in pack.mapping.exclusive.items()
        if all(fact.args[:1] == (Var("x"),) for fact in group)
    }
    for fact in sentences:
        keys: set[Key] = set()
        if isinstance(fact, Atom):
            keys |= {(name, fact.args[0]) for name, group in groups.items() if fact.predicate in group}
            if pack.mapping.derived.get(fact.predicate) == ROOM:
                keys.add((fact.predicate, fact.args[0]))
            if fact.predicate == pack.standing:
                keys.add((fact.predicate, ""))
        kept = [(k, other) for k, other in kept if other != fact and not k & keys]
        kept.append((frozenset(keys), fact))
    facts = tuple(fact for _, fact in kept)
    if not facts:
        raise GoalError("sentences", "at least one", "none")
    return facts[0] if len(facts) == 1 else And(facts)


def _shown(pack: Pack) -> list[str]:
    return [form.text for form in pack.language.patterns] if pack.language is not None else []


def _name(match: re.Match[str], group: str) -> str:
    name = match[group]
    if not name.startswith('"'):
        return name
    try:
        return str(json.loads(name, strict=False))
    except ValueError:
        raise GoalError("sentence", "a name in double quotes, with JSON escapes", clip(name)) from None


def _patterns(pack: Pack) -> tuple[tuple[SentencePattern, re.Pattern[str]], ...]:
    return _compiled(pack.language.patterns if pack.language is not None else ())


@lru_cache(maxsize=16)
def _compiled(sentences: tuple[SentencePattern, ...]) -> tuple[tuple[SentencePattern, re.Pattern[str]], ...]:
    """Return an expression for each sentence, with the groups h0 and h1 for its names."""
    patterns = []
    for form in sentences:
        words = form.text.removesuffix(".").split()
        parts = [
            _NAME.replace('("', f'(?P<h{word[1:-1]}>"', 1) if word.startswith("{") else re.escape(word)
            for word in words
        ]
        patterns.append((form, re.compile(r"\s+".join(parts) + r"\s*(?:\.|\Z)", re.I)))
    return tuple(patterns)
