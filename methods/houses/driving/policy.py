"""A small recurrent policy in numpy: a linear layer, a gated recurrent unit (GRU) and a score a command.

    x = relu(W f + b)
    r, z = sigmoid of the first two thirds, n = tanh(Wn x + bn + r (Un h + cn))
    h' = (1 - z) n + z h

as in Cho et al. (2014), with the reset gate after the product (the form of cuDNN). 128 units, 102 numbers in
and 3 scores out: 112,643 weights. Training is ``tools/train_driver.py``; nothing here needs more than numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from .view import NUMBERS

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

UNITS = 128
SHAPES: Mapping[str, tuple[int, ...]] = {
    "in": (NUMBERS, UNITS),
    "in_bias": (UNITS,),
    "gates": (UNITS, 3 * UNITS),
    "gates_bias": (3 * UNITS,),
    "state": (UNITS, 3 * UNITS),
    "state_bias": (3 * UNITS,),
    "out": (UNITS, 3),
    "out_bias": (3,),
}
"""The weights by name. The gates are reset, update and candidate, in this order."""

Weights = Mapping[str, "NDArray[float32]"]


@dataclass(frozen=True, eq=False)
class RecurrentPolicy:
    """Weights of a policy; states of several robots are rows."""

    weights: Weights

    def start(self, count: int = 1) -> NDArray[float32]:
        """Return the state before anything was seen, (count, 128)."""
        import numpy

        return numpy.zeros((count, UNITS), dtype=numpy.float32)

    def step(
        self, numbers: NDArray[float32], state: NDArray[float32]
    ) -> tuple[NDArray[float32], NDArray[float32]]:
        """Return the scores of commands (n, 3) and the next states (n, 128) of n robots."""
        import numpy

        w = self.weights
        inner = numpy.maximum(numbers @ w["in"] + w["in_bias"], 0)
        given = inner @ w["gates"] + w["gates_bias"]
        kept = state @ w["state"] + w["state_bias"]
        two = 2 * UNITS
        reset, update = numpy.split(sigmoid(given[:, :two] + kept[:, :two]), 2, axis=1)
        candidate = numpy.tanh(given[:, two:] + reset * kept[:, two:])
        after = candidate + update * (state - candidate)
        return after @ w["out"] + w["out_bias"], after


def sigmoid(values: NDArray[float32]) -> NDArray[float32]:
    """Return 1 / (1 + exp(-x)), by the hyperbolic tangent: it does not overflow."""
    import numpy

    result: NDArray[float32] = numpy.float32(0.5) * (numpy.tanh(numpy.float32(0.5) * values) + 1)
    return result


def first_weights(seed: int) -> dict[str, Any]:
    """Return weights to begin training with, uniform within 1 / sqrt(inputs), of a seed."""
    import numpy

    draw = numpy.random.default_rng(Random(seed).getrandbits(64))
    spans = {name: shape[0] if len(shape) == 2 else UNITS for name, shape in SHAPES.items()}
    return {
        name: draw.uniform(-(spans[name] ** -0.5), spans[name] ** -0.5, shape).astype(numpy.float32)
        for name, shape in SHAPES.items()
    }
