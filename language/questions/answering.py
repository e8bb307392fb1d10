"""Answers to questions that were read: the query asked of the scene, and its answer in words.

The answer mentions the scene as the robot knows it, and says where that is silent: a thing without a known
place, a state of which the scene has neither the fact nor its opposite. The words are for people and may be
changed; the keys of :class:`AnswerPlace` are in records and stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...compiler.query.answers import LEFT_OUT, find
from ...domains.errors import GoalError
from ...domains.pack import Pack
from ...simulator.belief import Belief, ground
from ...simulator.view import View
from ..english.words import name_words
from ..reader import NotUnderstood, SearchResult, SearchStep
from .reading import Question, is_question, read_question

LISTED = 12
"""Most things that the words of an answer list; all are in ``places``."""


@dataclass(frozen=True, slots=True)
class AnswerPlace:
    """A node that fits a question, and where it is: relation to its parent, and the room around it."""

    id: str
    relation: str
    parent: str | None
    room: str | None

    def as_json(self) -> dict[str, object]:
        return {"id": self.id, "relation": self.relation, "parent": self.parent, "room": self.room}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question. ``query`` is what the scene was asked, ``places`` are the nodes that fit it.

    ``value`` is the number for "how many", true or false for yes and no, ``None`` where things were asked
    for. ``words`` is all of it in a sentence, ``notes`` what it leaves out.
    """

    query: str
    places: tuple[AnswerPlace, ...]
    value: int | bool | None
    words: str
    notes: tuple[str, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(p.id for p in self.places)


def ask(text: str, belief: Belief) -> Answer | NotUnderstood | None:
    """Answer a text that is a question about a scene; ``None`` for a text that is none.

    Raises :class:`~groundplan.domains.deadline.LimitReached` where the time is over.

    >>> from groundplan import ground, load_pack, load_scene
    >>> office = ground(load_scene("office"), load_pack())
    >>> ask("Is the fridge open?", office).words
    'No: fridge is closed.'
    >>> ask("Open the fridge.", office) is None
    True
    """
    question = read_question(_of_the_scene(text, belief), belief)
    return answer(question, belief) if isinstance(question, Question) else question


def search_rooms(text: str, view: View, pack: Pack) -> SearchResult | None:
    """Open all that is shut in a view and answer a question from it; ``None`` for what is not read as one.

    A question about all rooms ("an office without a cabinet") is decided by all of them, so that nothing is
    gained by an order. Rooms without an answer are shut again: a measurement shows what was opened.

    >>> from groundplan import load_pack, load_scene
    >>> office = View.first(load_scene("office"))
    >>> search_rooms("Find the office with a toolbox or a drone.", office, load_pack()).subgraph
    ('wills_office',)
    """
    if not is_question(text):
        return None
    trace: list[SearchStep] = []
    while view.closed:
        for name in view.closed:
            view = view.expand(name)
            trace.append(SearchStep("expand", name))
    reply = ask(text, ground(view.scene, pack))
    if not isinstance(reply, Answer):
        return None
    rooms = {view.scene.room_of(node) for node in reply.nodes}
    for name in [e for e in view.expanded if view.scene.nodes[e].type == "room" and e not in rooms]:
        view = view.contract(name)
        trace.append(SearchStep("contract", name))
    ids = tuple(n.id for n in view.visible if n.id in reply.nodes)
    return SearchResult("found" if ids else "search-exhausted", ids, view, tuple(trace), reply.words)


def _of_the_scene(text: str, belief: Belief) -> str:
    """Return a text without "in the office", where the office is the scene and no room of it."""
    words = name_words(belief.scene.name)
    if not words or any(name_words(room) == words for room in belief.scene.by_type.get("room", ())):
        return text
    name = r"[\W_]+".join(map(re.escape, words))
    whole = rf"(\bare)?\s+in (?:the|this)(?: whole| entire)? {name}(?=\s*[?.!]*\s*\Z)"
    return re.sub(whole, lambda match: f"{match[1]} there" if match[1] else "", text, flags=re.IGNORECASE)


def answer(question: Question, belief: Belief) -> Answer | NotUnderstood:
    """Answer a question from a scene; what the scene does not say is not understood."""
    try:
        result = find(question.query, belief)
    except GoalError as error:  # too large, or of a type that a predicate does not take
        return NotUnderstood(f"this cannot be asked of the scene: {error.got}")
    most = question.query.measure is not None and question.query.measure.kind == "most"
    nodes = tuple(a.nodes[0] for a in result.answers if a.count or not most)  # the most of none is none
    say = _Words(belief)
    value: int | bool | None = len(nodes) if question.kind == "how-many" else None
    if question.kind == "whether":
        value = len(nodes) >= question.least
    if (unsure := _unsure(question, nodes, value, result.notes, say)) is not None:
        return unsure
    words = say.answer(question, nodes, value, result.notes)
    notes = (*result.notes, *say.left_out(question), *(f"not read: {s}" for s in question.unread))
    if question.single and not nodes and question.about:
        notes = (*notes, f"elsewhere: {say.places(question.about)}")
    return Answer(str(question.query), tuple(position(i, belief) for i in nodes), value, words, notes)


def _unsure(
    question: Question, nodes: tuple[str, ...], value: int | bool | None, notes: Sequence[str], say: _Words
) -> NotUnderstood | None:
    """The reason why the nodes that fit are no answer; ``None`` where they are one."""
    if not nodes and question.kind != "where" and any(n.startswith(LEFT_OUT) for n in notes):
        return NotUnderstood(f"nothing with a known place fits; {notes[0]}")
    if question.single and len(nodes) > 1:
        more = f"; not read: {'; '.join(question.unread)}" if question.unread else ""
        return NotUnderstood(f"several things fit: which one?{more}", nodes[:LISTED])
    if len(nodes) < question.least and question.taken:  # of another one it may be so
        return NotUnderstood(f"several things fit '{question.taken[0][0]}': which one?", question.besides)
    silent = say.silent(question) if not nodes or value is False else ""
    if silent or (value is False and notes):
        return NotUnderstood(silent or "; ".join(notes), question.about[:3])
    return None


def position(node_id: str, belief: Belief) -> AnswerPlace:
    """Return where a node is."""
    node, room = belief.scene.nodes[node_id], belief.scene.room_of(node_id)
    return AnswerPlace(node_id, node.relation, node.parent, room if room != node_id else None)


def _rest(nodes: tuple[str, ...]) -> str:
    return f"; and {len(nodes) - LISTED} more" if len(nodes) > LISTED else ""


class _Words:
    """Words about the nodes of a scene."""

    def __init__(self, belief: Belief) -> None:
        self.belief, self.scene = belief, belief.scene

    def name(self, node_id: str) -> str:
        """The name of a node, with its class where the name does not say what it is."""
        classes = self.scene.nodes[node_id].classes
        own = set(name_words(node_id))
        return node_id if not classes or own & set(name_words(classes[0])) else f"{node_id} ({classes[0]})"

    def answer(
        self, question: Question, nodes: tuple[str, ...], value: int | bool | None, notes: Sequence[str]
    ) -> str:
        """The answer in a sentence."""
        match question.kind:
            case "how-many":
                return f"{value or 'None'}{': ' + self.listed(nodes) if nodes else ''}."
            case "whether":
                return self.whether(question, nodes, bool(value))
            case "where" if notes and not nodes:
                return f"Nobody knows: {'; '.join(n.removeprefix(LEFT_OUT) for n in notes)}."
            case "where":
                return f"{self.places(nodes) or 'None'}{_rest(nodes)}."
        return f"{self.listed(nodes) or 'None'}."

    def places(self, nodes: tuple[str, ...]) -> str:
        return "; ".join(self.place(i) for i in nodes[:LISTED])

    def listed(self, nodes: tuple[str, ...]) -> str:
        return f"{', '.join(self.name(i) for i in nodes[:LISTED])}{_rest(nodes).replace(';', ',')}"

    def place(self, node_id: str) -> str:
        """Say where a node is."""
        at = position(node_id, self.belief)
        relation, parent, room = at.relation, at.parent, at.room
        if parent is None:
            return f"{self.name(node_id)} is a place of its own"
        pattern = self.belief.pack.mapping.relations.get(relation)
        names = self.name(node_id), self.name(parent)
        where = f"{names[0]} is in {names[1]}"  # a room on a floor
        if pattern is not None and pattern.predicate in self.belief.pack.mapping.words:
            where = self.belief.pack.words(pattern.predicate, names, True)
        return where if room in (None, parent) else f"{where}, in {self.name(str(room))}"

    def whether(self, question: Question, nodes: tuple[str, ...], value: bool) -> str:
        if value:
            return f"Yes: {self.listed(nodes)}."
        others = tuple(i for i in question.about if i not in nodes)
        details = [self.opposite(question.predicate, i) for i in others] if question.predicate else []
        details += [self.place(i) for i in others] if question.placed else []
        detail = "; ".join(k for k in details[:LISTED] if k)
        return f"No: {detail}." if detail else "No."

    def silent(self, question: Question) -> str:
        """Say of what state the scene says nothing; empty where it says enough for a no."""
        held = self.belief.facts
        own = ((question.predicate, question.about),) if question.predicate is not None else ()
        for predicate, about in (*own, *question.states):
            open_ones = tuple(
                i for i in about
                if not held.holds(predicate, (i,)) and not self.belief.classified(predicate, (i,))
                and not self.opposite(predicate, i)
            )  # fmt: skip
            if open_ones:
                verb = "is" if len(open_ones) == 1 else "are"
                return f"the scene does not say whether {self.listed(open_ones)} {verb} {predicate}"
        return ""

    def opposite(self, predicate: str | None, node_id: str) -> str:
        """Say the fact of a node that excludes a state of it, by the pack; empty for none."""
        mapping = self.belief.pack.mapping
        groups = [{a.predicate for a in group} for group in mapping.exclusive.values()]
        groups += [{a, b} for a, b in mapping.instead.items()]
        for group in groups:
            for other in sorted(group - {predicate} if predicate in group else ()):
                if self.belief.facts.holds(other, (node_id,)):
                    return self.belief.pack.words(other, (self.name(node_id),), True)
        return ""

    def left_out(self, question: Question) -> Iterator[str]:
        """Say what the query leaves out: what may be called so too, and furniture."""
        for phrase, node in question.taken:
            yield f"'{phrase}' is taken for {self.name(node)}, which is called just so"
        if question.besides:
            yield f"left out, though it may be called so too: {self.listed(question.besides)}"
        if (
            question.kind not in ("which", "how-many")
            or question.query.variables[0].type != "item"
            or len(question.about) != 1
        ):
            return
        children = self.scene.children.get(question.about[0], ())
        stays = tuple(i for i in children if self.scene.nodes[i].type in ("asset", "part"))
        if stays:
            yield f"besides, of what stays in its place: {self.listed(stays)}"
