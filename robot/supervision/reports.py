"""Reports of a robot, and the advice that answers them, as values and as JSON.

The keys of both are read and written by robots and stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...compiler.goals.goal import parse_goal
from ...domains.errors import InputError, clip
from ...domains.formula import Formula, GroundAtom, is_ground_atom
from ...domains.storage.json_record import KEY, JsonRecord

Word = Literal["continue", "retry", "replan", "stop"]
Status = Literal["done", "failed", "aborted"]
STATUSES: tuple[Status, ...] = ("done", "failed", "aborted")
KEYS = ("facts", "command", "status", "reason")
MAX_NEWS = 10_000
"""Most facts of one report."""


@dataclass(frozen=True, slots=True)
class RobotReport:
    """News of a robot: facts with their truth as observed, and how the command of an index went."""

    facts: Mapping[GroundAtom, bool] = field(default_factory=dict)
    command: int | None = None
    status: Status | None = None
    reason: str = ""

    def as_json(self) -> dict[str, object]:
        entry: dict[str, object] = {"facts": {str(fact): holds for fact, holds in self.facts.items()}}
        if self.command is not None:
            entry |= {"command": self.command, "status": self.status, "reason": self.reason}
        return entry


@dataclass(frozen=True, slots=True)
class Advice(JsonRecord):
    """An answer: what to do, with the command that is due, what to wait for or look at, and why.

    ``facts`` are, with ``replan``, what is known of the state: observed facts, and those that follow from
    what was done, and ``rules`` what the rules ask of the rest of the run. ``done`` is true only of a
    ``stop`` at the goal.
    """

    word: Word = field(metadata={KEY: "answer"})
    reason: str
    command: int | None = None
    printed: str = ""
    wait_for: tuple[Formula, ...] = ()
    look_at: tuple[Formula, ...] = ()
    facts: tuple[Formula, ...] = ()
    rules: tuple[Formula, ...] = ()
    done: bool = False


def read_report(raw: object, where: str) -> RobotReport:
    """Return a report of its JSON: ``facts`` (a fact and true or false), ``command``, ``status``, ``reason``.

    Raises :class:`InputError` with the key that is wrong.
    """
    if not isinstance(raw, dict) or not set(raw) <= set(KEYS):
        raise InputError(where, f"an object with {', '.join(KEYS)}", clip(raw))
    listed = raw.get("facts", {})
    if not isinstance(listed, dict) or len(listed) > MAX_NEWS:
        raise InputError(f"{where}: facts", f"an object of at most {MAX_NEWS} facts", clip(listed))
    facts: dict[GroundAtom, bool] = {}
    for text, holds in listed.items():
        fact = parse_goal(text, f"{where}: facts").formula
        if not is_ground_atom(fact) or not isinstance(holds, bool):
            raise InputError(f"{where}: facts", '"(open fridge)": true or false', clip(f"{text}: {holds}"))
        facts[fact] = holds
    command, status, reason = raw.get("command"), raw.get("status"), raw.get("reason", "")
    if (command is None) != (status is None):
        raise InputError(where, "command and status together, or neither", clip(raw))
    if command is not None and (isinstance(command, bool) or not isinstance(command, int)):
        raise InputError(f"{where}: command", "the index of a command", clip(command))
    if status is not None and status not in STATUSES:
        raise InputError(f"{where}: status", " or ".join(STATUSES), clip(status))
    if not isinstance(reason, str):
        raise InputError(f"{where}: reason", "a text", clip(reason))
    return RobotReport(facts, command, status, clip(reason, 500))
