"""How llama.cpp is set up for a model in a file, with a stand-in for the library: no model is loaded."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from groundplan.language.chat.servers import local


def test_a_core_is_left_to_others_while_an_answer_is_written() -> None:
    assert [local.threads(cores) for cores in (1, 2, 8)] == [(1, 1), (1, 2), (7, 8)]


def test_prompts_read_before_are_kept_and_no_thread_waits_in_a_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[SimpleNamespace] = []

    def parameters() -> SimpleNamespace:
        parts = {n: SimpleNamespace(poll=50, n_threads=-1) for n in ("cpuparams", "cpuparams_batch")}
        return SimpleNamespace(model=SimpleNamespace(), sampling=SimpleNamespace(), cache_ram_mib=0, **parts)

    def server(chosen: SimpleNamespace) -> SimpleNamespace:
        given.append(chosen)
        return SimpleNamespace(listening_address="http://127.0.0.1:9")

    library = ModuleType("xllamacpp")
    library.__spec__ = SimpleNamespace()  # type: ignore[assignment]
    library.CommonParams, library.Server = parameters, server  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "xllamacpp", library)
    monkeypatch.setattr(local.os, "cpu_count", lambda: 2)
    (tmp_path / "small.gguf").write_bytes(b"GGUF")
    local.LocalModel.serve(tmp_path / "small.gguf").close()
    (chosen,) = given
    assert (chosen.cpuparams.n_threads, chosen.cpuparams_batch.n_threads) == (1, 2)
    assert chosen.cpuparams.poll == chosen.cpuparams_batch.poll == 0
    assert chosen.cache_ram_mib == local.KEPT_PROMPTS
