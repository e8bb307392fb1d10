"""Names that may have been meant by one that a scene and its pack lack: nearest in meaning, then in letters.

What a predicate means is what its pack says of it: the words by which it is said, its sentences, the senses
that ask for it, and the actions that bring it about. A predicate that does not go with the arguments is kept
only where none does. The order of the ways may be changed; of names that are as good, all are returned.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ...domains.errors import nearest
from ...domains.pack import Pack
from ...simulator.belief import Belief

MOST = 3
"""Most names that are suggested."""
SHARED = 3
"""Most predicates that a word is said of and still tells them apart: "put" and "the robot" do not."""
NEAR = 0.7
"""Likeness in letters of a name that may have been meant; "shut" is no tshirt."""
NEARER = 0.08
"""Likeness in letters by which the nearest name leaves others behind."""
ENDINGS = re.compile(r"(?<=\w\w\w)(?:ing|ed|es|s|e)$")
"""Endings of verbs and plurals; what is left are three letters at least."""


def predicates_like(name: str, belief: Belief, fits: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the predicates, classes and attributes that an unknown predicate may have meant.

    ``fits`` says whether one goes with the arguments. ``(heated x)`` means ``hot``, ``on`` may mean
    ``ontop_of``, ``in`` may mean ``in_room`` or ``inside_of``.
    """
    public = list(belief.pack.public_predicates())
    names = [*public, *belief.scene.by_class, *belief.scene.by_attribute]
    ways = (
        _of_the_same_words(name, belief.pack),
        _of_a_part_of_the_name(name, public),
        closest(name, filter(fits, names)),
        closest(name, names),
    )
    fitting = (tuple(filter(fits, way))[:MOST] for way in ways)
    return next(filter(None, fitting), None) or next(filter(None, map(tuple, ways)), ())[:MOST]


def closest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names closest in spelling, without those that the nearest leaves behind."""
    close = nearest(name, names, MOST)
    likeness = [difflib.SequenceMatcher(None, name.casefold(), one.casefold()).ratio() for one in close]
    least = max([NEAR, *(like - NEARER for like in likeness)])
    return tuple(one for one, like in zip(close, likeness, strict=True) if like >= least)


def _of_the_same_words(name: str, pack: Pack) -> Sequence[str]:
    """Return the predicates of which the pack says words that are in a name, those of most words first."""
    vocabulary = {p: frozenset(map(_stem, _words_of(p, pack))) for p in pack.public_predicates()}
    own = frozenset(map(_stem, _words(name)))
    telling = {w for w in own if sum(w in words for words in vocabulary.values()) <= SHARED}
    shared = {p: len(telling & words) for p, words in vocabulary.items()}
    most = max(shared.values(), default=0)
    return sorted(p for p, number in shared.items() if most and number == most)


def _words_of(predicate: str, pack: Pack) -> Iterator[str]:
    """Yield the words with which a pack says a predicate."""
    wording = pack.language
    texts = [predicate, *pack.mapping.words.get(predicate, ())]
    if wording is not None:
        texts += [p.text for p in wording.patterns if p.predicate == predicate]
        texts += [sense for sense, atom in wording.reads.items() if atom.predicate == predicate]
    texts += [action.name for action, _ in pack.adders.get(predicate, ())]
    for text in texts:
        yield from _words(text)


def _of_a_part_of_the_name(name: str, predicates: Iterable[str]) -> Sequence[str]:
    """Return the predicates that begin with a word of a name, those that have the word itself first."""
    words = _words(name)

    def likeness(predicate: str) -> int:
        """Rank a predicate by the words that it shares with the name: 0 none, 2 most."""
        shared = set(words) & set(predicate.split("_"))
        return 2 if shared else int(any(len(w) > 1 and predicate.startswith(w) for w in words))

    return sorted((p for p in predicates if likeness(p)), key=lambda p: (-likeness(p), p))


def _words(text: str) -> Sequence[str]:
    return re.findall(r"[^\W\d_]+", text.casefold())


def _stem(word: str) -> str:
    return ENDINGS.sub("", word)
