"""Search by questions: the model asks ``find`` questions about the scene, and the system answers and opens.

The model sees the rooms and the words that describe what is in them (``query_words``), and asks in a part of
the question language (``query_form``). The system answers by ``compiler.query`` over the whole scene. Rooms
with an answer are opened; a question without an answer, or with answers in more rooms than are opened for
one question, is told so, and the model may ask again, three requests in all. An answer to every question
ends the search. A question asked again ends it for the whole run, as does an answer that something is
missing. Rooms that the instruction ranges over are opened in any case (``ranges``). Where no question had an
answer, the words of the instruction go to the index of names, and where a search is taken up again, those of
what was missing go there first, without a request; for what is shown already none is made.

Heracles (MIT, 2025) lets a model query a scene graph in a database in this way; here the questions are those
of ``groundplan find``, and there is no database. The limits may be changed; what reaches the model may not
without a new version of the prompt, as recorded answers (cassettes) belong to it. The steps of the trace are
``query``, with the tokens, the questions and how many answers they had, ``rejected`` for an answer that is
no question, and an ``expand`` for every node that was opened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ....compiler.goals.goal import Missing, parse_answer
from ....compiler.query.answers import find
from ....compiler.query.query import Query
from ....domains.errors import GoalError, clip, counted
from ....domains.mapping import ROOM
from ....domains.pack import Pack, filled
from ....simulator.belief import Belief, ground
from ....simulator.scene import CONTAINERS, Scene
from ....simulator.view import View
from ...english.lexical import Lexical
from ...reader import ReaderListener, SearchResult, SearchStep
from ...similarity import TextSimilarity
from ..prompt import as_data, static
from ..prompt_form import OwnPrompt
from ..servers.model import ChatModel, ChatRequest, Message, Reply, ServiceError
from .naming import MAX_TASK
from .opening import MAX_ROOMS_A_NAME, Indexes, Opening
from .query_form import BadQuestion, constraint, read_questions
from .query_words import AllWords
from .ranges import ranged_over

PROMPT = "query-1"
MAX_ROUNDS = 3
"""Most requests in one run, those of searches that are taken up again among them."""
MAX_OPENED = 24
"""Most rooms that the questions of one search open; none opens more than ``MAX_ROOMS_A_NAME``."""
MAX_ROWS = 8
"""Most answers to one question that the model is shown; it is told how many there are."""
MOST_SHOWN = 240
"""Most characters of one question, and of the names in its answer, that are shown in the next request."""
MOST_NOTED = 2000
"""Most characters of a step's questions in the trace."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Answer to one question: ``rooms`` with answers, nearest first, and their number in words.

    ``message`` is that with the first answers, for the model; ``settled`` says that there were answers,
    in no more rooms than are opened.
    """

    nodes: tuple[str, ...]
    rooms: tuple[str, ...]
    count: str
    message: str
    settled: bool


class QueryProtocol:
    """The protocol. It keeps the facts and words of the scene that it searched last.

    ``rounds`` is how many requests it makes at most. Raises ``ValueError`` for less than one.
    """

    name = "query"

    def __init__(
        self,
        pack: Pack,
        similarity: TextSimilarity | None = None,
        rounds: int = MAX_ROUNDS,
        by_name: bool = True,
        by_likeness: bool = True,
        own: Sequence[OwnPrompt] = (),
    ) -> None:
        if rounds < 1:
            raise ValueError(f"a search needs at least one request, got {rounds}")
        self.pack, self.most_rounds, self._own = pack, rounds, own
        self._indexes = Indexes(similarity, by_name, by_likeness)
        self._known: tuple[Scene, Belief, AllWords] | None = None
        self._rounds = 0
        """Requests since the search began; taken up again, it has those that are left."""
        self._asked: Mapping[str, str] = {}
        """Questions since it began, with the words about each."""

    @cached_property
    def prompt(self) -> str:
        """The text of the prompt file with predicates of the pack; lines that need another are left out."""
        public = self.pack.public_predicates()
        derived = self.pack.mapping.derived
        names = {"within": next((p for p in public if derived.get(p) == ROOM), "")}
        relations = self.pack.mapping.relations
        holding = (relations[r].predicate for r in ("inside_of", "ontop_of", "under") if r in relations)
        names["relation"] = next((p for p in holding if public.get(p) == 2), "")
        lines = static(PROMPT, self._own).split("\n")
        missing = [f"{{{hole}}}" for hole, name in names.items() if not name]
        return filled("\n".join(li for li in lines if not any(m in li for m in missing)), names)

    def search(
        self, model: ChatModel, instruction: str, view: View, reason: str, listen: ReaderListener
    ) -> SearchResult:
        """Reveal what an instruction needs, with a few requests at most."""
        search = self._indexes.opening(view, reason, listen)
        if reason and search.look_up(reason):
            return search.result()
        if reason and (there := search.shown(reason)):
            return search.result(shown=there)
        if all(room in view.expanded for room in search.rooms.rooms):
            return search.everything(reason)
        if not reason:
            self._rounds, self._asked = 0, {}
        if self._rounds == self.most_rounds:
            requests = counted(self.most_rounds, "request")
            return search.result("search-exhausted", f"nothing was found in {requests}: {reason}")
        belief, words = self._of(view.scene)
        similarity = self._indexes.similarity
        ranked = search.rooms.ranked(instruction, similarity or Lexical(), search.rooms.rooms)
        shown, lines = search.rooms.shown(ranked)
        chosen = words.chosen(instruction, similarity)
        lines = ["Rooms:", *lines, *chosen.lines(), f"Task: {as_data(instruction[:MAX_TASK])}"]
        if reason:
            lines.append(f"Not found yet: {as_data(reason[:MAX_TASK])}")
        answers = constraint(chosen, shown)
        asking = _Asking(belief, search, ranged_over(instruction, search), ranked, self._asked)
        while not asking.ended and self._rounds < self.most_rounds:
            self._rounds += 1
            user = Message("user", "\n".join([*lines, *asking.lines()]))
            request = ChatRequest((Message("system", self.prompt), user), answers, purpose="search")
            try:
                reply = model.ask(request)
            except ServiceError as error:
                error.partial_search = search.result("search-exhausted", str(error))
                raise
            asking.take(reply)
        self._asked = asking.asked
        if asking.gave_up:
            self._rounds = self.most_rounds
            if reason:
                return search.result("search-exhausted", f"the questions found nothing new: {reason}")
        answered = asking.open_rest()
        if not answered:
            search.open_named(search.index.names_in(instruction), ranked)
        search.keep_named_in(instruction)
        search.open(asking.ranged)
        return search.result(reason="" if answered else "none of the questions found anything")

    def _of(self, scene: Scene) -> tuple[Belief, AllWords]:
        if self._known is None or self._known[0] is not scene:
            belief = ground(scene, self.pack)
            self._known = scene, belief, AllWords(belief)
        return self._known[1:]


def _says_missing(text: str) -> bool:
    try:
        return isinstance(parse_answer(text), Missing)
    except GoalError:
        return False


class _Asking:
    """The rounds of one search: what was asked, and what became of it."""

    def __init__(
        self,
        belief: Belief,
        search: Opening,
        ranged: Sequence[str],
        ranked: Sequence[str],
        before: Mapping[str, str],
    ) -> None:
        self.belief, self.search = belief, search
        self.ranged = ranged
        """Rooms that will be opened whatever is asked."""
        self.nearest = {room: number for number, room in enumerate(ranked)}
        """Rooms by their likeness to the task, nearest first."""
        self.chosen: dict[str, None] = {}
        """Rooms that were closed before a question found them."""
        self.ended = False
        self.gave_up = False
        """True once an answer repeats what was asked, or says that something is missing: the last request."""
        self.asked = dict(before)
        """Questions, or answers that were none, and the words about each."""
        self.outcomes: list[Outcome] = []

    def lines(self) -> list[str]:
        """Return the lines of a request about the rounds before."""
        rows = [{"question": clip(q, MOST_SHOWN), "found": message} for q, message in self.asked.items()]
        return ["Asked before:", *map(as_data, rows)] if rows else []

    def take(self, reply: Reply) -> None:
        """Read an answer, open the rooms of what its questions find, and decide whether the search ends."""
        text, tokens = reply.text, reply.usage.total
        try:
            questions = read_questions(text)
        except BadQuestion as error:
            why = reply.cut_off if reply.cut else str(error)
            self.search.note(SearchStep("rejected", "", tokens, why))
            self.ended = self.gave_up = text in self.asked or _says_missing(text)
            self.asked[text] = why
            return
        latest: dict[str, Outcome] = {}
        for question, query in {str(q): q for q in questions}.items():
            if question not in self.asked:
                latest[question] = self._answered(query)
        counts = [f"{q}: {latest[q].count if q in latest else 'asked before'}" for q in map(str, questions)]
        self.search.note(SearchStep("query", "", tokens, clip("; ".join(counts), MOST_NOTED)))
        self.asked |= {question: outcome.message for question, outcome in latest.items()}
        self.outcomes += latest.values()
        for outcome in latest.values():
            if outcome.settled:
                self.search.keep(outcome.nodes)
                self.search.open(room for room in outcome.rooms if room in outcome.nodes)
                self.search.open_in_part(outcome.rooms)
        self.ended, self.gave_up = all(o.settled for o in latest.values()), not latest

    def open_rest(self) -> bool:
        """Open rooms of the last wide question where none was settled; return whether any was answered."""
        wide = next((o for o in reversed(self.outcomes) if o.rooms), None)
        if wide is not None and not any(o.settled for o in self.outcomes):
            self.search.keep(wide.nodes)
            self.search.open_in_part(wide.rooms[:MAX_ROOMS_A_NAME])
        return wide is not None

    def _answered(self, query: Query) -> Outcome:
        """Answer a question about the whole scene; an error is feedback, as are answers in many rooms."""
        try:
            result = find(query, self.belief)
        except GoalError as error:
            return Outcome((), (), "an error", clip(str(error), MOST_SHOWN), False)
        nodes = tuple(dict.fromkeys(n for answer in result.answers for n in answer.nodes))
        if not nodes:
            return Outcome((), (), "nothing", "nothing", False)
        scene, index = self.belief.scene, self.search.index
        places = {n: n if scene.nodes[n].type in CONTAINERS else index.place(n) for n in nodes}
        rooms = list(dict.fromkeys(p for p in places.values() if p is not None))
        if query.nearest_to is None:
            rooms.sort(key=lambda room: self.nearest.get(room, len(self.nearest)))
        opened = {*self.search.view.expanded, *self.ranged, *self.chosen}
        closed = [room for room in rooms if room not in opened]
        wide = len(closed) > MAX_ROOMS_A_NAME or len(closed) + len(self.chosen) > MAX_OPENED
        self.chosen.update(dict.fromkeys(() if wide else closed))
        rows = [n if places[n] in (n, None) else f"{n} in {places[n]}" for n in nodes[:MAX_ROWS]]
        rest = f", and {len(nodes) - MAX_ROWS} more" if len(nodes) > MAX_ROWS else ""
        count = f"{len(nodes)} in {counted(len(rooms), 'room')}" + (", too many to open" if wide else "")
        message = f"{count}: {clip(', '.join(rows), MOST_SHOWN)}{rest}"
        return Outcome(nodes, tuple(rooms), count, message, not wide)
