"""The learned driver: a recurrent policy of range readings, trained against A* in other houses.

It has an exact pose and the views of its way to a goal, of which it remembers the floor; no pictures. There
are three policies: each bundled house is driven by the one that was trained without it, a house that is none
of them by the first.
The commands are those of the highest score, so that the same drive gives the same commands. It has no stop of
its own: the robot stops on the cell of the goal.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ....domains.errors import InputError, clip
from ....simulator.navigation.camera import Glimpse
from ....simulator.navigation.floor_plan import EXTRA
from ....simulator.navigation.grid import Cell
from ....simulator.navigation.house_world import Control
from .driver import moves_for
from .policy import SHAPES, RecurrentPolicy
from .view import COMMANDS, LAYOUT, FloorMemory, numbers, ranges_of

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

TRAINED = Path(__file__).parent / "weights"
WEIGHTS, MANIFEST = "weights.npz", "manifest.json"
FORMAT = "groundplan-driver"
MAX_BYTES = 1_000_000


@dataclass(frozen=True, eq=False)
class Trained:
    """Policies, the houses that each was not trained in, and the hash of the weights."""

    policies: tuple[RecurrentPolicy, ...]
    folds: Mapping[str, int]
    hash: str

    def policy(self, house: str) -> RecurrentPolicy:
        """Return the policy that never saw a house."""
        return self.policies[self.folds.get(house, 0)]


@cache
def trained(folder: Path = TRAINED) -> Trained:
    """Read weights and their manifest. Raises :class:`InputError` for others than the manifest's."""
    try:
        import numpy
    except ImportError as error:
        raise InputError("driver", f"the package {error.name}", "none", f'pip install "{EXTRA}"') from error
    where = clip(str(folder), 200)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    if (manifest["format"], manifest["layout"]) != (FORMAT, LAYOUT):
        raise InputError(where, f"weights of layout {LAYOUT}", clip(manifest["layout"]), "train them anew")
    data = (folder / WEIGHTS).read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if len(data) > MAX_BYTES or digest != manifest["weights"]:
        raise InputError(where, f"weights with the hash {manifest['weights']}", digest)
    folds = {house: n for n, houses in enumerate(manifest["folds"]) for house in houses}
    with numpy.load(io.BytesIO(data), allow_pickle=False) as arrays:
        policies = tuple(
            RecurrentPolicy({name: arrays[f"{n}/{name}"].astype(numpy.float32) for name in SHAPES})
            for n in range(len(manifest["folds"]))
        )
    return Trained(policies, folds, digest)


def packed(policies: Sequence[RecurrentPolicy]) -> bytes:
    """Return policies as the bytes of a file, in half precision; the same policies give the same bytes."""
    import numpy

    arrays = {
        f"{n}/{name}": policy.weights[name].astype(numpy.float16)
        for n, policy in enumerate(policies)
        for name in SHAPES
    }
    file = io.BytesIO()
    numpy.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


@dataclass
class LearnedDriver:
    """A driver of one search; its memory is emptied for each goal."""

    policy: RecurrentPolicy
    weights: str = ""
    """The hash of the weights."""
    _state: NDArray[float32] | None = field(default=None, repr=False)
    _last: int = -1
    _memory: FloorMemory = field(default_factory=FloorMemory, repr=False)

    @classmethod
    def of_house(cls, house: str, folder: Path = TRAINED) -> LearnedDriver:
        """Return the driver of a house, with weights that were trained without it. Raises as `trained`."""
        weights = trained(folder)
        return cls(weights.policy(house), weights.hash)

    def account(self) -> Mapping[str, object]:
        return {"name": "learned", "weights": self.weights}

    def observe(self, glimpses: Sequence[Glimpse]) -> None:
        """Learn nothing of views but those on the way to a goal (:meth:`command`)."""

    def begin(self, start: Cell, goal: Cell) -> int:
        """Take up a goal with an empty memory; return the moves after which it is given up."""
        self._state, self._last, self._memory = None, -1, FloorMemory()
        return moves_for(start, goal)

    def command(self, glimpse: Glimpse, goal: Cell) -> Control:
        """Return the command of the highest score, the first of equal ones."""
        import numpy

        (i, j), heading = glimpse.stance.cell, glimpse.stance.heading
        if (i, j) == goal:
            return Control.STOP
        self._memory.add(glimpse)
        given = numbers(
            ranges_of(glimpse)[None],
            numpy.asarray([[goal[0] - i, goal[1] - j]]),
            numpy.asarray([heading]),
            numpy.asarray([self._last]),
            self._memory.numbers(glimpse.stance),
        )
        state = self._state if self._state is not None else self.policy.start()
        scores, self._state = self.policy.step(given, state)
        self._last = int(scores[0].argmax())
        return COMMANDS[self._last]
