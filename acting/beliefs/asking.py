"""Beliefs from a chat model: P(room type | thing) and P(furniture type | thing), asked as tables of numbers.

A question has things and places, and a small JSON schema with a number for each pair. Answers are data: a
number counts where it is finite and from 0 to 1; keys that nobody asked for are dropped and counted, each
row is normalized, and a thing without a row that adds up to something is believed to be anywhere. Answers
are kept by the SHA-256 of the question and the model, in memory and, where a folder is given, in a file each.
With equal priors of types of places the weights are P(place | thing) times the number of places, so that 1
is the mean; a share of :data:`DOUBT` is spread evenly, so that nothing is impossible.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ...compiler.decoding.json_schema import object_schema
from ...domains.deadline import paused
from ...domains.errors import InputError
from ...domains.files import parse_json, read_text
from ...domains.storage.own_file import replace_whole
from ...language.chat.prompt import messages
from ...language.chat.prompt_form import OwnPrompt, forms_of
from ...language.chat.servers.model import ChatModel, ChatRequest, Constraint, digest
from .likelihood import ANY, ROOMS, EqualLikelihood, shares

DOUBT = 0.1
"""Share of the probability that the model does not decide."""
MAX_ANSWER = 50_000
"""Characters of an answer that are read."""
BATCH = 8
"""Things in one question."""
TOKENS_EACH = 12
"""Tokens for one number of an answer, with its key."""


USUAL = forms_of(__package__ or "")["usual"]


@dataclass(frozen=True, slots=True)
class LikelihoodTable:
    """Distributions over places that an answer states, one for each thing that has one.

    ``dropped`` counts keys that were not asked for, ``refused`` values that are no probabilities.
    """

    rows: Mapping[str, Mapping[str, float]]
    dropped: int = 0
    refused: int = 0


@dataclass
class AskedLikelihood:
    """The likelihood that a chat model states. Its questions raise :class:`ServiceError`.

    ``folder`` keeps answers for later runs; it is made where it is missing. ``own`` are prompts of a user.
    """

    model: ChatModel
    folder: Path | None = None
    own: tuple[OwnPrompt, ...] = ()
    questions: int = 0
    """Requests that the model answered; those that were kept from before are ``reused``."""
    reused: int = 0
    dropped: int = 0
    refused: int = 0
    missing: int = 0
    """Things for which an answer had no usable numbers."""
    _answers: dict[str, str] = field(default_factory=dict, repr=False)
    _rooms: dict[str, Mapping[str, float]] = field(default_factory=dict, repr=False)
    _furniture: dict[str, Mapping[str, float]] = field(default_factory=dict, repr=False)
    _places: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def prepare(self, things: Sequence[str], rooms: Sequence[str], furniture: Sequence[str]) -> None:
        """Ask for what is not known of these things; a new type of furniture means a new question.

        The rooms of furniture are asked for as well: they tell what type a room is.
        """
        kinds = tuple(sorted({kind for kind in furniture if kind != ANY}))
        self._fill(self._rooms, "rooms", things, tuple(rooms))
        if set(rooms) == set(ROOMS):
            self._fill(self._rooms, "rooms", kinds, tuple(rooms))
        self._fill(self._furniture, "furniture", things, kinds)

    def within(self, thing: str, room: str) -> float:
        """Return P(room | thing) relative to the mean of all rooms."""
        return _relative(self._rooms.get(thing), room)

    def upon(self, thing: str, furniture: str) -> float:
        """Return P(furniture | thing) relative to the mean; 1 for furniture that was not asked for."""
        return _relative(self._furniture.get(thing), furniture)

    def types(self, furniture: Sequence[str]) -> Mapping[str, float]:
        """Return the types of a room by the rooms of its furniture, each piece by itself (naive Bayes)."""
        typed = [kind for kind in furniture if kind in self._rooms]
        if not typed:
            return EqualLikelihood().types(())
        return shares({room: sum(math.log(self.within(kind, room)) for kind in typed) for room in ROOMS})

    def account(self) -> dict[str, object]:
        """Return the model's name, and what the questions came to."""
        counts = ("questions", "reused", "dropped", "refused", "missing")
        return {"source": "model", "model": self.model.name, **{name: getattr(self, name) for name in counts}}

    def _fill(
        self, rows: dict[str, Mapping[str, float]], of: str, things: Sequence[str], places: tuple[str, ...]
    ) -> None:
        """Ask for the rows that are missing or were asked for other places."""
        unanswered = [t for t in dict.fromkeys(things) if self._places.get(f"{of} {t}") != places]
        if not places:
            return
        for start in range(0, len(unanswered), BATCH):
            batch = tuple(sorted(unanswered[start : start + BATCH]))
            table = read_likelihoods(self._answer(batch, places), batch, places)
            self.dropped += table.dropped
            self.refused += table.refused
            for thing in batch:
                self._places[f"{of} {thing}"] = places
                rows.pop(thing, None)
                if thing in table.rows:
                    rows[thing] = table.rows[thing]
                else:
                    self.missing += 1

    def _answer(self, things: tuple[str, ...], places: tuple[str, ...]) -> str:
        """Return the answer to a question, kept or asked for."""
        constraint = Constraint("likelihoods", partial(likelihood_schema, things, places))
        request = ChatRequest(
            messages(USUAL.text(self.own), {"things": list(things), "places": list(places)}),
            constraint,
            max_tokens=64 + TOKENS_EACH * len(things) * len(places),
            purpose="beliefs",
        )
        key = digest(request.canonical(self.model.name, {}) + request.constrained("json-schema"))
        kept = self._answers.get(key)
        if kept is None and self.folder is not None and (self.folder / f"{key}.json").is_file():
            kept = read_text(self.folder / f"{key}.json", 4 * MAX_ANSWER)
        if kept is not None:
            self.reused += 1
        else:
            with paused():
                kept = self.model.ask(request).text[:MAX_ANSWER]
            self.questions += 1
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
                replace_whole(self.folder / f"{key}.json", kept)
        self._answers[key] = kept
        return kept


def likelihood_schema(things: Iterable[str], places: Iterable[str]) -> dict[str, object]:
    """Return the JSON schema of an answer: a probability for each thing and place."""
    number = {"type": "number", "minimum": 0, "maximum": 1}
    row = object_schema({place: number for place in places})
    return object_schema(dict.fromkeys(things, row))


def read_likelihoods(text: str, things: Sequence[str], places: Sequence[str]) -> LikelihoodTable:
    """Read an answer; what is no JSON object, or has no usable number for a thing, gives it no row.

    Names may differ in case and have underscores for spaces.
    """
    begin, end = text.find("{"), text.rfind("}")
    try:
        raw = parse_json(text[begin : end + 1] if begin >= 0 else text, "answer")
    except InputError:
        return LikelihoodTable({}, refused=1)
    if not isinstance(raw, dict):
        return LikelihoodTable({}, refused=1)
    rows: dict[str, Mapping[str, float]] = {}
    dropped = refused = 0
    things_by_name, where = {_plain(t): t for t in things}, {_plain(p): p for p in places}
    for key, value in raw.items():
        thing = things_by_name.get(_plain(key))
        if thing is None:
            dropped += 1
        elif not isinstance(value, dict):
            refused += 1
        else:
            numbers = dict.fromkeys(places, 0.0)
            for name, number in value.items():
                place = where.get(_plain(name))
                if place is None:
                    dropped += 1
                elif _is_probability(number):
                    numbers[place] = float(number)
                else:
                    refused += 1
            total = math.fsum(numbers.values())
            if total > 0:
                rows[thing] = {place: number / total for place, number in numbers.items()}
    return LikelihoodTable(rows, dropped, refused)


def _plain(name: str) -> str:
    return " ".join(name.lower().replace("_", " ").split())


def _is_probability(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _relative(row: Mapping[str, float] | None, place: str) -> float:
    """Return a probability as a multiple of the mean, with the share of doubt; 1 where nothing is known."""
    if row is None or place not in row:
        return 1.0
    return (1 - DOUBT) * row[place] * len(row) + DOUBT
