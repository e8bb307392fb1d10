"""The log of an episode: what was planned and what came of each step, from which it can be taken up again.

An entry is data; its JSON is fixed, since robots keep logs. Nothing of a log is trusted: it is read within
the bounds of its parts, and replaying one that does not fit the request raises an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..domains.errors import InputError, clip
from ..simulator.observations.observation import Spot, StepOutcome, outcome_from_json, spot_from_json
from ..simulator.step import Step, read_step


@dataclass(frozen=True, slots=True)
class Intended:
    """Steps were planned: to look at a spot, or for the goal where ``look`` is ``None``.

    With ``any_news`` there was no plan for the goal and nothing in particular was lacking, so whatever is
    seen on the way ends the look.
    """

    look: Spot | None
    steps: tuple[Step, ...]
    any_news: bool = False

    def as_json(self) -> dict[str, object]:
        look = [self.look.node, self.look.relation] if self.look is not None else None
        entry: dict[str, object] = {"look": look, "steps": [str(step) for step in self.steps]}
        return entry | ({"any_news": True} if self.any_news else {})


@dataclass(frozen=True, slots=True)
class Reported:
    """The outcome of a step was reported, or of looking alone where ``step`` is ``None``."""

    step: Step | None
    outcome: StepOutcome

    def as_json(self) -> dict[str, object]:
        return {"step": str(self.step) if self.step is not None else None, "outcome": self.outcome.as_json()}


@dataclass(frozen=True, slots=True)
class Unreached:
    """A spot was given up, for a reason."""

    spot: Spot
    reason: str

    def as_json(self) -> dict[str, object]:
        return {"unreached": [self.spot.node, self.spot.relation], "reason": self.reason}


@dataclass(frozen=True, slots=True)
class LookedAgain:
    """All spots count as not looked at once more, since things may have been moved meanwhile."""

    def as_json(self) -> dict[str, object]:
        return {"again": True}


Entry = Intended | Reported | Unreached | LookedAgain


def log_to_json(log: Sequence[Entry]) -> list[dict[str, object]]:
    """Return the JSON of a log: a list of entries."""
    return [entry.as_json() for entry in log]


def log_from_json(raw: object, where: str = "log") -> tuple[Entry, ...]:
    """Read a log. Raises :class:`InputError` with the entry, the expected and the given value."""
    if not isinstance(raw, list):
        raise InputError(where, "a list of entries", clip(raw))
    return tuple(entry_from_json(entry, f"{where}[{number}]") for number, entry in enumerate(raw))


def entry_from_json(raw: object, where: str) -> Entry:
    """Read an entry of a log. Raises :class:`InputError` with its place, the expected and the given value."""
    match raw:
        case {"look": look, "steps": list() as steps, **more}:
            if not isinstance(news := more.get("any_news", False), bool):
                raise InputError(f"{where}: any_news", "true or false", clip(news))
            spot = spot_from_json(look, f"{where}: look") if look is not None else None
            listed = (_step(step, f"{where}: steps[{number}]") for number, step in enumerate(steps))
            return Intended(spot, tuple(listed), news)
        case {"step": step, "outcome": outcome}:
            done = _step(step, f"{where}: step") if step is not None else None
            return Reported(done, outcome_from_json(outcome, f"{where}: outcome"))
        case {"unreached": spot, "reason": str() as reason}:
            return Unreached(spot_from_json(spot, f"{where}: unreached"), reason)
        case {"again": True}:
            return LookedAgain()
    keys = ", ".join(map(str, raw)) if isinstance(raw, Mapping) else raw
    raise InputError(where, "an entry of a log", clip(keys))


def _step(raw: object, where: str) -> Step:
    if not isinstance(raw, str):
        raise InputError(where, "a printed step", clip(raw))
    return read_step(raw, where)
