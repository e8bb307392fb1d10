"""Things that an activity does not have yet (``future``), each made of one that it has.

Synsets of BEHAVIOR say it by how they begin: a ``half__lime.n.01`` is half a ``lime``, a
``diced__lime.n.01`` is made by dicing it. The beginnings are those of the package's transition rules for one
input. What is mixed of several things has a recipe there, which no pack has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .text import Activity, words_of

_WAYS = (
    ("half__", "halve", ("",)),
    ("diced__", "dice", ("", "half__")),
    ("cooked__", "let_cook", ("",)),
    ("cooked__diced__", "dice_cooked", ("", "half__")),
    ("melted__", "melt", ("",)),
)
"""The beginning of a synset, the affordance for what is made so, and how the synset of its source begins."""


def made_things(activity: Activity) -> Mapping[str, tuple[str, str]]:
    """Return what is made of one thing each, with that and the affordance that says how.

    Of two halves of one, the first one is the first half.
    """
    by_words: dict[str, list[str]] = {}
    for name, synset in activity.objects.items():
        by_words.setdefault(words_of(synset, "__"), []).append(name)
    made: dict[str, tuple[str, str]] = {}
    halved: dict[str, int] = {}
    for fact in activity.init:
        if fact.predicate != "future" or not fact.holds or len(fact.args) != 1:
            continue
        for source, how in _ways(words_of(activity.objects.get(fact.args[0], ""), "__"), by_words):
            if how != "halve":
                made[fact.args[0]] = source, how
            elif halved.get(source, 0) < 2:
                halved[source] = halved.get(source, 0) + 1
                made[fact.args[0]] = source, ("first_half", "second_half")[halved[source] - 1]
            else:
                continue
            break
    return made


def _ways(words: str, by_words: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield the things that something may be made of, each with how."""
    for begins, how, before in _WAYS:
        if words.startswith(begins):
            for beginning in before:
                for source in by_words.get(beginning + words.removeprefix(begins), ()):
                    yield source, how
