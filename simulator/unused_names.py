"""Names of a user's pack that nothing in a scene has: a class, affordance, type, or a fact without a word.

Such a name may be a slip of the pen, and then what it gives facts to looks impossible. So does a predicate
that nothing makes true, where its line in the mapping is missing. So no proof rests on
it: what facts it alone would add, or take away by a rule's ``unless``, is open for the checker of
certificates, and whoever has no plan is told of it. Names of built-in packs are known to be right, and so is
what those packs say of a scene without them. States and relations need no such care, since a scene with one
that its pack does not have is refused, and neither do types of nodes, which are the same for all scenes:
another name for one is refused here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..domains.errors import PackError, clip, did_you_mean
from ..domains.files import parse_toml
from ..domains.findings.review import mapping_place, never_true
from ..domains.pack import BUILT_IN, Pack
from .scene import NODE_TYPES, RELATIONS, Scene

LISTED = 8
"""Most names of a scene that a sentence lists."""


@dataclass(frozen=True, slots=True)
class UnusedName:
    """A name of a pack, the predicates whose facts it gives, and a sentence about it."""

    table: str
    name: str
    gives: tuple[str, ...]
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Unused:
    """The unused names of a pack in a scene, and what is open for them.

    ``predicates`` may have more facts than the scene's, ``doubtful`` ones fewer, and ``types`` may be those
    of any node.
    """

    names: tuple[UnusedName, ...] = ()
    predicates: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()


def check_names(pack: Pack) -> None:
    """Check the node types and relations of a pack's mapping. Raises :class:`PackError` for one unknown."""
    for table, names, there in (
        ("types", pack.mapping.types, NODE_TYPES),
        ("relations", pack.mapping.relations, RELATIONS),
        ("parents", pack.mapping.parents, RELATIONS),
    ):
        for name in (n for n in names if n not in there):
            hint = did_you_mean(name, there) or f"there are {', '.join(there)}"
            where = mapping_place(pack, table, name) or f"{pack.where}/mapping.toml: {table}"
            raise PackError(where, "a name that scenes have", clip(name), hint)


def unused_names(pack: Pack, scene: Scene) -> Unused:
    """Return the names of a pack's own files that nothing in a scene has."""
    own, mapping, domain = _own_words(pack), pack.mapping, pack.domain
    used = {
        "classes": dict.fromkeys(scene.by_class),
        "affordances": dict.fromkeys(w for node in scene.nodes.values() for w in node.affordances),
    }
    names: list[UnusedName] = []
    for table, words in (("classes", mapping.classes), ("affordances", mapping.affordances)):
        for word in (w for w in own.get(table, ()) if w in words and w not in used[table]):
            gives = tuple(dict.fromkeys(a.predicate for a in words[word]))
            names.append(UnusedName(table, word, gives, _message(table, word, gives, used[table])))
    kinds = mapping.types.values()
    given = {above for kind in kinds for above in domain.types if domain.is_a(kind, above)}
    types = {t for t in domain.types if _declares(pack, "type", t)} - given
    for kind in sorted(types):
        names.append(UnusedName("types", kind, (), f"types: no node of a scene is a {clip(kind)}"))
    for name, message in never_true(pack).items():
        if _declares(pack, "predicate", name):
            names.append(UnusedName("predicates", name, (name,), f"predicates: {message}"))
    predicates, doubtful = {p for one in names for p in one.gives}, set[str]()
    for rule in mapping.rules:  # in the order in which they are applied
        when, unless = ({a.predicate for a in atoms} for atoms in (rule.when, rule.unless))
        if when & predicates or unless & doubtful:
            predicates.add(rule.add.predicate)
        if when & doubtful or unless & predicates:
            doubtful.add(rule.add.predicate)
    return Unused(tuple(names), frozenset(predicates), frozenset(doubtful), frozenset(types))


def _own_words(pack: Pack) -> Mapping[str, Collection[str]]:
    """Return the names of scenes in the tables of a pack's own mapping; none of a built-in pack."""
    if pack.where in BUILT_IN or not pack.mapping_text:
        return {}
    raw = parse_toml(pack.mapping_text, f"{pack.where}/mapping.toml", PackError)
    return {name: t for name in ("affordances", "classes") if isinstance(t := raw.get(name), dict)}


def _declares(pack: Pack, kind: str, name: str) -> bool:
    """Return whether a ``type`` or ``predicate`` is of a pack's own domain file."""
    place = pack.domain.place(kind, name)
    return place.startswith(f"{pack.where}/") and pack.where not in BUILT_IN


def _message(table: str, word: str, gives: tuple[str, ...], there: Mapping[str, None]) -> str:
    kind = {"classes": "class", "affordances": "affordance"}[table]
    more = ", ..." if len(there) > LISTED else ""
    some = ", ".join(clip(n) for n in sorted(there)[:LISTED])
    listed = f"there are {some}{more}" if there else "it has none"
    says = f"{table}.{clip(word)}: nothing in the scene has this {kind}, for {', '.join(gives)}"
    return f"{says}; {did_you_mean(word, there) or listed}"
