"""Model in a file: a GGUF file served inside this process by llama.cpp, and used like any other server.

Needs the extra ``local`` (``xllamacpp``). The server listens on a free port of this machine only and is
spoken to through the same client as every other. Its context bounds what a request and its answer may have
together; a larger one needs more memory.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....domains.errors import InputError, clip
from ....domains.files import read_regular
from .budget import Allowance
from .openai import OpenAIModel
from .profile import Profile, checked

CONTEXT = 8192
"""Tokens of prompt and answer together, where nothing else is asked for."""
LEAST_CONTEXT, MOST_CONTEXT = 512, 131_072

KEPT_PROMPTS = 1024
"""Megabytes of memory for prompts that were read before: search and goal take turns in the one slot, and each
finds its beginning again. A thousand tokens are 29 MB of Qwen2.5 1.5B, 57 MB of its 7B, by their layers."""

EXTRA = "groundplan[local]"


def threads(cores: int) -> tuple[int, int]:
    """Return how many threads write an answer and how many read a prompt, on a machine with so many cores.

    Writing waits for memory and leaves a core to others; reading a prompt is arithmetic and takes all.
    """
    return max(1, cores - 1), max(1, cores)


class LocalModel(OpenAIModel):
    """A served GGUF file, to be closed after use."""

    _server: Any

    @classmethod
    def serve(
        cls,
        path: Path,
        allowance: Allowance | None = None,
        settings: Mapping[str, Any] | None = None,
        on_piece: Callable[[str], None] = lambda piece: None,
        threads_used: tuple[int, int] | None = None,
        context: int = CONTEXT,
    ) -> LocalModel:
        """Load a file and serve it; ``settings`` are fields of its :class:`Profile`.

        ``threads_used`` are those that write and those that read prompts, by default as :func:`threads` says
        for this machine: fewer where others work on it. ``context`` is tokens of prompt and answer together,
        from :data:`LEAST_CONTEXT` to :data:`MOST_CONTEXT`.

        Raises :class:`InputError` when that cannot be done.
        """
        fields = checked(settings or {})
        if not LEAST_CONTEXT <= context <= MOST_CONTEXT:
            expected = f"a whole number from {LEAST_CONTEXT} to {MOST_CONTEXT}"
            raise InputError("context (--context)", expected, str(context))
        if importlib.util.find_spec("xllamacpp") is None:
            raise InputError("reader local", "the package xllamacpp", "none", f"pip install '{EXTRA}'")
        try:
            magic = read_regular(path, 4)[:4]
        except OSError as error:
            raise InputError(clip(str(path)), "a readable GGUF file", error.strerror or str(error)) from error
        if magic != b"GGUF":
            raise InputError(clip(str(path)), "a GGUF file", f"a file that begins with {magic!r}")
        import xllamacpp

        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.verbosity = -1  # its log would go to our standard error
        parameters.n_ctx = context
        parameters.n_parallel = 1
        parameters.cache_ram_mib = KEPT_PROMPTS
        writing, reading = threads_used or threads(os.cpu_count() or 2)
        parameters.cpuparams.n_threads, parameters.cpuparams_batch.n_threads = writing, reading
        # Threads that wait in a loop take the time of those that work, where the machine has others to serve.
        parameters.cpuparams.poll = parameters.cpuparams_batch.poll = 0
        parameters.sampling.seed = 0
        try:
            server = xllamacpp.Server(parameters)
        except (RuntimeError, ValueError) as error:
            raise InputError(clip(str(path)), "a model that llama.cpp can load", clip(str(error))) from error
        url = f"{server.listening_address}/v1"
        served: Profile = replace(Profile(clip(path.stem), url), **fields)  # type: ignore[arg-type]
        model = cls(served, allowance or Allowance(), on_piece)
        model._server = server
        model._kind = "llamacpp"
        return model

    @property
    def name(self) -> str:
        return f"{self.profile.model} (local)"

    def close(self) -> None:
        super().close()
        self._server = None
