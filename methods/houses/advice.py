"""Questions of SayNav about a room: its type, what may be in it, a short plan for it, whether to search it.

:class:`ModelAdvisor` asks a chat model, with the prompts of the paper's figures 4, 6 and 8 in our words
(``prompts/``, whose names have versions, as results depend on them). Answers are data: they are parsed line
by line within bounds, types of things that nobody asked for are dropped, and lines of another form refused.

:class:`BelievingAdvisor` answers from the beliefs of `least-cost` instead. The algorithm is the same, so
that a comparison with that search under the same beliefs shows what the way of deciding is worth. A room is
worth a search for a target that is likelier there than in a room of any type; a plan goes to all furniture,
the likeliest first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ...domains.deadline import paused
from ...domains.errors import clip
from ...language.chat.prompt import messages
from ...language.chat.prompt_form import OwnPrompt, forms_of
from ...language.chat.servers.model import ChatModel, ChatRequest, Message
from ...simulator.navigation.floor_plan import Point
from .beliefs import HouseBeliefs

MAX_ANSWER = 20_000
"""Characters of an answer that are read."""
MAX_PLAN = 60
"""Lines of a plan that are kept."""
MAX_KIND = 40
"""Characters of the type of a room."""

Verdict = Literal["search", "later", "skip"]

_NUMBER = r"\s*(-?\d{1,6}(?:\.\d{1,6})?)\s*"
_NAVIGATE = re.compile(rf"-\s*navigate\s*;\s*\({_NUMBER},{_NUMBER}\)\s*(?:;.*)?", re.I)
_LOOK = re.compile(r"-\s*look\s*;\s*\(([^()]*)\)\s*(?:;.*)?", re.I)


@dataclass(frozen=True, slots=True)
class RoomContents:
    """Furniture and small objects that were seen in a room, by name with their coordinates in metres."""

    furniture: Mapping[str, Point]
    objects: Mapping[str, Point]

    def as_data(self) -> dict[str, object]:
        """Return it as a description for a prompt."""
        return {
            key: [{"name": name, "at": [round(x, 2), round(z, 2)]} for name, (x, z) in listed.items()]
            for key, listed in (("furniture", self.furniture), ("objects", self.objects))
        }


@dataclass(frozen=True, slots=True)
class RoomOpinion:
    """The type that a room is taken for, and the targets that are likely to be in it."""

    kind: str
    likely: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Navigate:
    """A line of a plan: go to a place."""

    at: Point


@dataclass(frozen=True, slots=True)
class Look:
    """A line of a plan: look for things."""

    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoomPlan:
    """A plan for a room, and the lines of the answer that are none of it."""

    lines: tuple[Navigate | Look, ...]
    refused: tuple[str, ...] = ()


class Advisor(Protocol):
    """Somebody who knows what is usually where."""

    def opinion(self, contents: RoomContents, targets: Sequence[str]) -> RoomOpinion:
        """Return what a room is, and which targets are likely in it."""
        ...

    def plan(self, contents: RoomContents, targets: Sequence[str], kind: str) -> RoomPlan:
        """Return where to look in a room, in order."""
        ...

    def track(self, room: str, targets: Sequence[str]) -> Verdict:
        """Return whether to search a room now, later, or not again; earlier answers are remembered."""
        ...


ADVICE_PROMPTS = forms_of(__package__ or "")
"""The prompts of SayNav, by name."""


@dataclass
class ModelAdvisor:
    """A chat model as the advisor of one search. Its questions raise :class:`ServiceError`.

    ``own`` are prompts of a user.
    """

    model: ChatModel
    own: tuple[OwnPrompt, ...] = ()
    tracked: list[Message] = field(default_factory=list)
    """The conversation on rooms, the model's memory."""

    def opinion(self, contents: RoomContents, targets: Sequence[str]) -> RoomOpinion:
        """Ask for the type of a room and the targets that are likely in it (figure 6)."""
        seen = [kind_name(name) for name in (*contents.furniture, *contents.objects)]
        data = {"seen": list(dict.fromkeys(seen)), "looked for": [spoken(t) for t in targets]}
        return read_opinion(self._ask("room", data), targets)

    def plan(self, contents: RoomContents, targets: Sequence[str], kind: str) -> RoomPlan:
        """Ask for a plan (figure 4)."""
        goal = f"find {', '.join(spoken(t) for t in targets)}"
        data = {"room description": contents.as_data(), "goal": goal, "base location": kind}
        return read_room_plan(self._ask("plan", data), targets)

    def track(self, room: str, targets: Sequence[str]) -> Verdict:
        """Ask whether to search a room, with all that was asked and answered before (figure 8)."""
        things = ", ".join(spoken(t) for t in targets)
        question = messages("", {"things": things, "room": room})[1]
        request = ChatRequest(
            (Message("system", ADVICE_PROMPTS["saynav-tracking"].text(self.own)), *self.tracked, question),
            purpose="tracking",
        )
        with paused():
            answer = self.model.ask(request).text[:MAX_ANSWER]
        self.tracked += [question, Message("assistant", clip(answer, 200))]
        return read_verdict(answer)

    def _ask(self, purpose: str, data: Mapping[str, object]) -> str:
        text = ADVICE_PROMPTS[f"saynav-{purpose}"].text(self.own)
        request = ChatRequest(messages(text, data), purpose=purpose)
        with paused():
            return self.model.ask(request).text[:MAX_ANSWER]


def spoken(kind: str) -> str:
    """Return a type in words."""
    return kind.replace("_", " ")


def kind_name(name: str) -> str:
    """Return the type in the name of a thing of a description, which may have a number."""
    return name.rstrip("0123456789 ")


def read_opinion(text: str, targets: Sequence[str]) -> RoomOpinion:
    """Read an answer to ``room-1``; without such lines the room is ``unknown`` and nothing likely."""
    fields = {"room": "", "likely": ""}
    for line in text.splitlines():
        key, _, value = line.strip().lstrip("-* ").partition(":")
        if key.strip().lower() in fields and not fields[key.strip().lower()]:
            fields[key.strip().lower()] = value.strip()
    kind = re.sub(r"[^a-z ]", "", fields["room"].lower().replace("_", " ")).strip()[:MAX_KIND]
    return RoomOpinion(kind or "unknown", _named(fields["likely"], targets))


def read_room_plan(text: str, targets: Sequence[str]) -> RoomPlan:
    """Read an answer to ``plan-1``; looks for nothing that is asked for are refused, too."""
    lines: list[Navigate | Look] = []
    refused = []
    for raw in text.splitlines():
        line = raw.strip()
        if not line:
            continue
        if (way := _NAVIGATE.fullmatch(line)) is not None:
            lines.append(Navigate((float(way[1]), float(way[2]))))
        elif (look := _LOOK.fullmatch(line)) is not None and (things := _named(look[1], targets)):
            lines.append(Look(things))
        else:
            refused.append(clip(line, 80))
    return RoomPlan(tuple(lines[:MAX_PLAN]), tuple(refused[:MAX_PLAN]))


def read_verdict(text: str) -> Verdict:
    """Read an answer to ``tracking-1``; whatever is no such line means that the room is searched."""
    words = text.lower()
    if "come back later" in words:
        return "later"
    return "skip" if "skip this room" in words else "search"


def _named(text: str, targets: Sequence[str]) -> tuple[str, ...]:
    """Return the targets that a list with commas names, in their order."""
    names = {part.strip().strip(".'\"").lower().replace("_", " ") for part in text.split(",")}
    squeezed = {name.replace(" ", "") for name in names}
    return tuple(t for t in targets if spoken(t) in names or t.replace("_", "") in squeezed)


@dataclass(frozen=True, slots=True)
class BelievingAdvisor:
    """An advisor by beliefs; it has no memory of rooms."""

    beliefs: HouseBeliefs

    def opinion(self, contents: RoomContents, targets: Sequence[str]) -> RoomOpinion:
        """Return the likeliest type of a room, and the targets that it makes likelier."""
        rooms = self._rooms(contents, targets)
        likely = tuple(
            t for t in targets if self.beliefs.weight(t, "furniture", rooms) >= self.beliefs.unseen(t)
        )
        return RoomOpinion(max(rooms, key=lambda kind: rooms[kind]), likely)

    def plan(self, contents: RoomContents, targets: Sequence[str], kind: str) -> RoomPlan:
        """Return a way to all furniture by the weight of the targets on it."""
        rooms = self._rooms(contents, targets)

        def weight(name: str) -> float:
            return sum(
                self.beliefs.weight(t, kind_name(name), rooms) / self.beliefs.unseen(t) for t in targets
            )

        lines: list[Navigate | Look] = []
        for name in sorted(contents.furniture, key=lambda n: (-weight(n), n)):
            lines += [Navigate(contents.furniture[name]), Look(tuple(targets))]
        return RoomPlan(tuple(lines))

    def track(self, room: str, targets: Sequence[str]) -> Verdict:
        """Return that a room is to be searched."""
        return "search"

    def _rooms(self, contents: RoomContents, targets: Sequence[str]) -> Mapping[str, float]:
        """Return the types of a room by its furniture, with the beliefs ready for what is in it."""
        kinds = [kind_name(name) for name in contents.furniture]
        self.beliefs.prepare(targets, kinds)
        return self.beliefs.rooms(kinds)
