"""Words of an instruction that a goal says nothing of, whoever wrote the goal.

A reader that leaves a word out may have left out what was meant, so the record of a run lists such words
beside the goal. Verbs are not compared, since a goal says what they come to and not how; of nouns and
adjectives each has to describe a node that the goal names, something around that node, a class or a fact.
Reasons ("because Niko is hungry") are listed as well: nothing tells them apart in every sentence. Where a
goal has constraints on the run, what an instruction forbids or orders is compared as the requests that it
comes to ("without ever entering the kitchen": "go to the kitchen"). Nothing is decided here, and a word too
many in the list does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...domains.formula import Atom, Cardinality, Count, Exists, Forall, Formula, constraints, names, walk
from ...simulator.belief import Belief
from ..english import lexicon
from ..english.lexicon import STATES
from ..english.naming import NodeNames
from ..english.phrases import GENERIC, NUMBERS
from ..english.restrictions import restricted
from ..english.thesaurus import synonyms
from ..english.words import alike, content_words, expanded, name_words, singular

MAX_WORDS = 40
"""Most words that are listed."""
_SILENT = (
    lexicon.CLOSED | lexicon.POLITE | lexicon.PARTICLES | frozenset((*GENERIC, *NUMBERS, *STATES, "certain"))
)


def unused(instruction: str, goal: Formula, belief: Belief) -> tuple[str, ...]:
    """Return the words of an instruction that a goal says nothing of, in their order, each once.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal
    >>> office = ground(load_scene("office"), load_pack())
    >>> goal = parse_goal("(inside_of orange1 fridge)").formula
    >>> unused("Put the orange in the fridge, next to the purple lizard.", goal, office)
    ('purple', 'lizard')
    """
    scene = belief.scene
    described = NodeNames(scene)
    named = [i for i in names(goal) if i in scene.nodes]
    # "The book from the bedroom": where a thing comes from describes it.
    nodes = [scene.nodes[a] for a in dict.fromkeys(a for i in named for a in (i, *scene.ancestors(i)))]
    words = {word for name in _said(goal) for word in name_words(name)}
    # An id as it stands: "table1" is one word of the instruction, and two of a name.
    words |= {word for node in nodes for word in content_words(node.id)}
    left: dict[str, None] = {}
    limits = restricted(instruction) if constraints(goal) else None
    text = instruction if limits is None else " ".join(limits.requests)
    for word in content_words(expanded(text)):
        if len(left) == MAX_WORDS:
            break
        if word in _SILENT or singular(word) in _SILENT or lexicon.base(word) is not None:
            continue
        others = {singular(word), *synonyms((word,))}
        if any(alike(word, w) or singular(w) in others for w in words):
            continue
        if not any(described.explained(word, n) or others & set(name_words(n.id)) for n in nodes):
            left[word] = None
    return tuple(left)


def _said(goal: Formula) -> Iterator[str]:
    """The classes, predicates and counts of a goal."""
    for part in walk(goal):
        match part:
            case Exists(variables, _) | Forall(variables, _):
                yield from (v.type for v in variables)
            case Count(kind, number, variables, _):
                yield from (kind, str(number), *(v.type for v in variables))
            case Cardinality(kind, number, _):
                yield from (kind, str(number))
            case Atom(predicate, _):
                yield predicate
