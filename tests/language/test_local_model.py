"""How llama.cpp is set up for a model in a file, with a stand-in for the library: no model is loaded."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import click
import pytest

from groundplan.commands.readers import ModelOptions, reader_named
from groundplan.domains.errors import InputError
from groundplan.domains.pack import Pack, load_pack
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers import local


def test_a_core_is_left_to_others_while_an_answer_is_written() -> None:
    assert [local.threads(cores) for cores in (1, 2, 8)] == [(1, 1), (1, 2), (7, 8)]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[SimpleNamespace]:
    """Parameters of every server that the stand-in was asked for, on a machine of two cores."""
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
    return given


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "small.gguf").write_bytes(b"GGUF")
    return tmp_path / "small.gguf"


def test_prompts_read_before_are_kept_and_no_thread_waits_in_a_loop(
    file: Path, given: list[SimpleNamespace]
) -> None:
    local.LocalModel.serve(file).close()
    (chosen,) = given
    assert (chosen.cpuparams.n_threads, chosen.cpuparams_batch.n_threads) == (1, 2)
    assert chosen.cpuparams.poll == chosen.cpuparams_batch.poll == 0
    assert chosen.cache_ram_mib == local.KEPT_PROMPTS


def test_threads_can_be_fewer_where_others_work(file: Path, given: list[SimpleNamespace]) -> None:
    local.LocalModel.serve(file, threads_used=(1, 1)).close()
    assert (given[0].cpuparams.n_threads, given[0].cpuparams_batch.n_threads) == (1, 1)


def test_a_request_may_have_more_tokens_where_that_is_asked_for(
    file: Path, given: list[SimpleNamespace]
) -> None:
    with ExitStack() as keep:
        reader_named(f"local:{file}", load_pack(), ModelOptions(), keep)
        reader_named(f"local:{file}", load_pack(), ModelOptions(context=16384), keep)
        assert [one.n_ctx for one in given] == [local.CONTEXT, 16384]
        for wrong in (0, local.LEAST_CONTEXT - 1, local.MOST_CONTEXT + 1):
            with pytest.raises(InputError, match="--context"):
                reader_named(f"local:{file}", load_pack(), ModelOptions(context=wrong), keep)
        with pytest.raises(click.UsageError, match="a server has its own"):
            options = ModelOptions(base_url="http://h/v1", context=16384)
            reader_named("openai:m", load_pack(), options, keep)


def test_a_file_is_asked_for_sentences_and_searches_by_names(
    file: Path, given: list[SimpleNamespace], tmp_path: Path
) -> None:
    with ExitStack() as keep:

        def reader(name: str, pack: Pack, **options: object) -> tuple[str, str]:
            chosen = reader_named(name, pack, ModelOptions(**options), keep)  # type: ignore[arg-type]
            assert isinstance(chosen, ModelReader)
            return chosen.search_protocol, chosen.goal_form

        household, wordless = load_pack(), replace(load_pack(), language=None)
        assert reader(f"local:{file}", household) == ("naming", "sentences")
        assert reader(f"local:{file}", household, goal_form="pddl", search="query") == ("query", "pddl")
        assert reader(f"local:{file}", wordless)[1] == "pddl"
        assert reader("openai:m", household, base_url="http://h/v1") == ("words", "pddl")
