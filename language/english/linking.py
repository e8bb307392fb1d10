"""Links from noun phrases to nodes of a scene.

A node fits a phrase when its id or one of its classes ends in the phrase's head, and every other word is
explained by its classes, attributes, state, description or by the room and furniture around it; owners and
places narrow further. Where no node has the head's word, what describes a node decides. Nothing is linked to
what is merely alike in meaning: "the phone charger" is no phone. When all was searched, ``relaxed`` leaves
out words that tell nothing. A phrase with a word that fits nothing is a gap: the reader's search of the scene
may fill it, a guess must not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...domains.pack import Pack
from ...simulator.scene import Node, Scene
from .facts import RequestFacts
from .naming import NameMatching, NodeNames
from .phrases import MINE, PEOPLE, SAID, NodeMatch, NoReferent, Phrase, several
from .words import alike, content_words, name_words, singular


def _has_word(node: Node, word: str) -> bool:
    """Return whether an attribute or state of a node has a form of a word."""
    return any(alike(word, w) for name in (*node.attributes, *node.state) for w in name_words(name))


class Linker:
    """Links phrases to the nodes of one scene. ``used`` are all nodes that some phrase was linked to.

    ``here`` is the node where the instruction was given: where the agent stands unless it is said. What is
    in the room of a node that is said is the speaker's, before anything elsewhere is.

    ``relaxed`` matches may be further from what was said, but leave out no word that says which thing is
    meant: for when the whole scene was seen and there is nothing better.
    """

    def __init__(
        self,
        scene: Scene,
        pack: Pack,
        relaxed: bool = False,
        here: str | None = None,
        excluded: frozenset[str] = frozenset(),
    ) -> None:
        self.scene, self.pack, self.relaxed, self.excluded = scene, pack, relaxed, excluded
        self.mine = scene.room_of(here) or here if here is not None and here in scene.nodes else None
        self.here = here or scene.agent.at or scene.agent.parent or ""
        self.names, self.facts = NodeNames(scene), RequestFacts(pack)
        self.matching = NameMatching(self.names, relaxed)
        self.used: dict[str, None] = {}

    def place(self, phrase: Phrase) -> NodeMatch:
        """The rooms, assets or carrying things that a phrase of place means."""
        if phrase.kind == "person" or (phrase.words and singular(phrase.head) in PEOPLE):
            rooms = self.names.owner_rooms(" ".join(phrase.words))
            self.used |= dict.fromkeys(sorted(rooms))
            for _, where in phrase.places if rooms else ():  # "at his desk", and not "at noon"
                place = self.place(where)
                if rooms.isdisjoint(self.names.scene.room_of(n.id) or n.id for n in place.nodes):
                    raise NoReferent(f"it is not known that {phrase.words[0]} is at {place.ids[0]}", where)
            if rooms:
                return NodeMatch(phrase, tuple(r for r in self.names.rooms if r.id in rooms))
        candidates = (
            self.names.rooms if phrase.head.endswith("room") else (*self.names.rooms, *self.names.things)
        )
        return self._link(phrase, candidates, affordance="release")

    def places(self, phrase: Phrase) -> tuple[Node, ...]:
        """Those of :meth:`place`; none for a phrase that fits none."""
        try:
            return self.place(phrase).nodes
        except NoReferent:
            return ()

    # Linking

    def link(
        self, phrase: Phrase, among: Iterable[Node] | None = None, loose: bool = False, affordance: str = ""
    ) -> NodeMatch:
        """The nodes that fit. ``loose`` takes any shared word for the head. Raises :class:`NoReferent`."""
        return self._link(phrase, tuple(among) if among is not None else self.names.things, loose, affordance)

    def _link(
        self, phrase: Phrase, candidates: Sequence[Node], loose: bool = False, affordance: str = ""
    ) -> NodeMatch:
        bare = replace(phrase, words=tuple(w for w in phrase.words if w != SAID))
        match = self._find(bare, candidates, loose, affordance)
        if bare.words != phrase.words and match.nodes[1:]:
            raise several(phrase, match.ids)
        self.used |= dict.fromkeys(match.ids)
        return match

    def _find(
        self, phrase: Phrase, candidates: Sequence[Node], loose: bool, affordance: str = ""
    ) -> NodeMatch:
        if phrase.kind == "held":
            return self._held(phrase)
        if phrase.kind == "tool":
            return self._tool(phrase)
        phrase = self._possessed(phrase)
        candidates = self._placed(phrase, [n for n in candidates if n.id not in self.excluded])
        if phrase.generic:
            return self._whatever(phrase, candidates, affordance)
        similar = [n for n in candidates if loose and self.matching.shares_head(phrase, n)]
        if similar:
            return NodeMatch(phrase, tuple(similar))
        heads = self.matching.called(phrase, candidates)
        if not heads and (short := self.matching.by_proper_name(phrase, candidates)):
            return NodeMatch(phrase, tuple(self._owned(short, phrase)))
        if not heads:
            raise NoReferent(f"nothing known is called '{phrase}'{self.matching.runs_on(phrase)}", phrase)
        fitting = self.matching.in_every_word(phrase, self._owned(heads, phrase))
        return NodeMatch(phrase, tuple(self.matching.just_so(phrase, fitting)))

    def _placed(self, phrase: Phrase, candidates: Sequence[Node]) -> Sequence[Node]:
        """Those at each of the places that a phrase names."""
        for relation, where in phrase.places:
            if phrase.kind in ("the", "a", "count") and where.text.lower().startswith(("each ", "every ")):
                raise NoReferent(f"'{phrase}' is one for each, not one")
            candidates = self._within(candidates, relation, where, phrase)
        return candidates

    def _held(self, phrase: Phrase) -> NodeMatch:
        held = self.scene.children.get(self.scene.agent.id, ())
        if not held:
            raise NoReferent("the robot holds nothing")
        return NodeMatch(phrase, tuple(self.scene.nodes[h] for h in held))

    def _whatever(self, phrase: Phrase, candidates: Sequence[Node], affordance: str) -> NodeMatch:
        """Link what only a state, place or owner describes: all that can be carried, or be used as asked."""
        of_use = (n for n in candidates if n.type == "object" or affordance in n.affordances)
        objects = self._owned(of_use, phrase)
        described = [n for n in objects if self.matching.fits(phrase.words[:-1], n)]
        if phrase.kind == "all":  # what is in one of them goes with it
            outer = {n.id for n in described}
            described = [n for n in described if outer.isdisjoint(self.scene.ancestors(n.id))]
        if described and (len(phrase.words) > 1 or phrase.places or phrase.owner):
            return NodeMatch(phrase, tuple(described))
        raise NoReferent(f"it is not said what '{phrase}' is", phrase)

    def related(self, phrase: Phrase, node: Node) -> bool:
        """Return whether a node may be what a phrase means: reason enough to keep its room in view."""
        if phrase.kind == "tool":
            return self.facts.capable(node, phrase.words[0])
        if not phrase.words:
            return False
        if phrase.generic:
            return bool(phrase.words[:-1]) and self.matching.fits(phrase.words[:-1], node)
        return self.names.named(node, phrase) or self.matching.shares_head(phrase, node)

    def _within(self, candidates: Sequence[Node], relation: str, where: Phrase, thing: Phrase) -> list[Node]:
        """Those in, on or around what a phrase of place means; ``thing`` is what is looked for there."""
        if where.head in ("hand", "gripper") and where.text.lower().startswith(("your", "the robot")):
            return [n for n in candidates if n.parent == self.scene.agent.id]
        if relation == "with":
            return self._having(candidates, where)
        places = frozenset(self.place(where).ids)
        homes = {self.scene.nodes[p].parent for p in places}

        def is_there(node: Node) -> bool:
            if relation == "near":
                return node.parent in homes
            around = places & {node.id, *self.scene.ancestors(node.id)}
            return bool(around) and (relation != "under" or node.relation == "under")

        matching = [n for n in candidates if n.id not in places and is_there(n)]
        if not matching:
            there = {"of": "in", "from": "in"}.get(relation, relation)
            called = f"called '{' '.join(thing.words)}' " if thing.words and not thing.generic else ""
            raise NoReferent(f"nothing {called}is known {there} {where}", where)
        return matching

    def _having(self, candidates: Sequence[Node], part: Phrase) -> list[Node]:
        """Those of which an attribute says what they have ("flowers"), or that such a thing is in or on."""
        own = [n for n in candidates if part.words and all(_has_word(n, w) for w in part.words)]
        if own:
            return own
        things = self.link(part).nodes
        matching = [n for n in candidates if any(n.id in self.scene.ancestors(t.id) for t in things)]
        if not matching:
            raise NoReferent(f"nothing known has {part}", part)
        return matching

    def _tool(self, phrase: Phrase) -> NodeMatch:
        """Something to do a thing with: what the pack says can do it."""
        tools = [n for n in self.names.things if self.facts.capable(n, phrase.words[0])]
        if not tools:
            raise NoReferent(f"nothing known is {phrase}", phrase)
        return NodeMatch(phrase, tuple(tools))

    # Owners

    def _possessed(self, phrase: Phrase) -> Phrase:
        """The phrase with an owner that is a place as that place: "the rack's toolbox" is within the rack."""
        owner = phrase.owner
        if owner is None or owner in (MINE, "his") or not owner.islower():
            return phrase
        words = tuple(content_words(owner))
        if not words or singular(words[-1]) in PEOPLE or self.names.belongs(owner):
            return phrase
        where = Phrase(f"the {owner}", words)
        if self.relaxed and not any(
            self.names.named(n, where) for n in (*self.names.rooms, *self.names.things)
        ):
            raise NoReferent(f"nothing known is {owner}'s", where)  # not what is merely like it
        return replace(phrase, owner=None, places=(("of", where), *phrase.places))

    def _owned(self, nodes: Iterable[Node], phrase: Phrase) -> list[Node]:
        """Those that are the owner's, where the phrase names one."""
        nodes = list(nodes)
        if phrase.owner == MINE:
            return self._mine(nodes, phrase)
        owned = nodes if phrase.owner is None else self.names.owned(nodes, phrase.owner)
        alone = self.relaxed and len(nodes) == 1 and nodes[0].type == "object"
        room = phrase.owner is not None and phrase.owner.islower() and self.names.owner_rooms(phrase.owner)
        if not owned and alone and not room and not self.names.is_somebodys(nodes[0]):
            return nodes  # "his printout": what is meant for him need not be known as his; "the lab's bread"
        if not owned:
            whose = f"{phrase.owner}'s" if phrase.owner is not None else f"called '{phrase}'"
            raise NoReferent(f"nothing known is {whose}", phrase)
        return owned

    def _mine(self, nodes: Sequence[Node], phrase: Phrase) -> list[Node]:
        """The speaker's: what is in the speaker's room, else the only one of its kind."""
        near = [n for n in nodes if self.mine in (n.id, self.scene.room_of(n.id))] if self.mine else []
        if near or len(nodes) == 1:
            return near or list(nodes)
        ids = tuple(n.id for n in nodes[:5])
        raise NoReferent(f"several things could be '{phrase}': say whose is meant, or where", phrase, ids)
