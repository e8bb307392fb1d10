"""Printed steps carried out without the simulator, by the actions of the :mod:`judge <oracles.judge>`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from groundplan.domains.formula import Formula
from groundplan.simulator.step import Step
from oracles.judge import TOPOLOGY, Ground, Judge
from oracles.meaning import holds
from oracles.states import Fact, State


@dataclass(frozen=True, slots=True)
class Replay:
    """What became of printed steps: a refusal, or the truth of the goal at the end, and the cost."""

    executable: bool
    goal: bool
    cost: int | None
    why: str = ""


def replay(steps: Sequence[Step], goal: Formula, judge: Judge) -> Replay:
    """Carry out printed steps; where a step can mean several actions, all of them are followed.

    The goal is judged true if it holds after one of them.
    """
    return _Replayer(judge).run(steps, goal)


class _Replayer:
    def __init__(self, judge: Judge) -> None:
        self.judge, self.belief = judge, judge.belief

    def run(self, steps: Sequence[Step], goal: Formula) -> Replay:
        """Carry out printed steps; where a step can mean several actions, all of them are followed.

        The goal is judged true if it holds after one of them.
        """
        watched = tuple(dict.fromkeys(self.judge.sometimes(goal)))
        first = self._settled(self.judge.start)
        runs = {(first, self._noted(first, frozenset(), watched)): 0}
        for index, step in enumerate(steps):
            after: dict[tuple[frozenset[Fact], frozenset[Formula]], int] = {}
            for (facts, happened), cost in runs.items():
                for moves in self._meanings(step, facts):
                    now, noted, total = facts, happened, cost
                    for move in moves:
                        now = self._settled((now - set(move.deletes)) | set(move.adds))
                        noted = self._noted(now, noted, watched)
                        total += move.cost
                    key = (now, noted)
                    after[key] = min(total, after.get(key, total))
            if not after:
                return Replay(False, False, None, f"step {index + 1}, {step}")
            runs = after
        ends = [
            cost
            for (facts, happened), cost in runs.items()
            if holds(goal, State(self.belief, facts.__contains__, happened.__contains__))
        ]
        return Replay(True, bool(ends), min(ends or runs.values()))

    def _noted(
        self, facts: frozenset[Fact], happened: frozenset[Formula], watched: Sequence[Formula]
    ) -> frozenset[Formula]:
        if not watched:
            return happened
        state = State(self.belief, facts.__contains__, happened.__contains__)
        return happened | {w for w in watched if w not in happened and holds(w, state)}

    def _settled(self, facts: frozenset[Fact]) -> frozenset[Fact]:
        grown = set(facts)
        size = -1
        while len(grown) != size:
            size = len(grown)
            for event in self.judge.actions:
                if event.event and all(f in grown for f in event.needs):
                    grown.update(event.adds)
        return frozenset(grown)

    def _meanings(self, step: Step, facts: frozenset[Fact]) -> list[list[Ground]]:
        """The sequences of actions that a printed step can stand for in a state."""
        pack, nodes = self.belief.pack, self.belief.scene.nodes
        if step == Step("done"):
            return [[]]
        if step.name in ("goto", "access") and len(step.args) == 1:
            target = step.args[0]
            if target in nodes and (step.name == "goto" or nodes[target].type != "object"):
                return self._drives(step.name, target, facts)
        found: list[list[Ground]] = []
        for one in self._doable(facts):
            pattern = pack.mapping.actions[one.name].step
            if pattern is None or pattern.predicate != step.name or len(pattern.args) != len(step.args):
                continue
            values = dict(
                zip((p.name for p in pack.domain.actions[one.name].parameters), one.args, strict=True)
            )
            printed = tuple(a if isinstance(a, str) else values[a.name] for a in pattern.args)
            if printed == step.args:
                found.append([one])
        return found

    def _doable(self, facts: frozenset[Fact]) -> Iterator[Ground]:
        return (a for a in self.judge.actions if not a.event and all(f in facts for f in a.needs))

    def _drives(self, step: str, target: str, facts: frozenset[Fact]) -> list[list[Ground]]:
        """One drive to a place in the room or next to it, after stepping back from movable things."""
        at, nodes = self.belief.pack.at, self.belief.scene.nodes
        trail: list[Ground] = []
        while True:
            here = next(f[1][0] for f in sorted(facts) if f[0] == at)
            if nodes[here].type != "object":
                break
            state = State(self.belief, facts.__contains__, bool)
            back = (at, (state.above(here) or "",))
            leaving = [a for a in self._doable(facts) if back in a.adds and here in a.args]
            if not leaving:
                return []
            trail.append(leaving[0])
            facts = self._settled((facts - set(leaving[0].deletes)) | set(leaving[0].adds))
        room, there, name = (
            self.judge.anchor(here),
            self.judge.anchor(target),
            self.belief.pack.navigation.name,
        )
        if step == "goto" and nodes[target].type not in TOPOLOGY:
            return []
        if room != there and (step == "access" or there not in self.judge.links.get(room or "", {})):
            return []
        if here == target:
            return [trail]
        stops = [here, target] if room in (there, here) or room is None else [here, room, target]
        for source, stop in pairwise(stops):
            drive = next((a for a in self._doable(facts) if (a.name, a.args) == (name, (source, stop))), None)
            if drive is None:
                return []
            trail.append(drive)
            facts = self._settled((facts - set(drive.deletes)) | set(drive.adds))
        return [trail]
