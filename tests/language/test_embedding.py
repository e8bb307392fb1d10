"""Embeddings: the pinned file only, the same vector every time, and meaning that ranks sensibly."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from groundplan.language.english import embedding
from groundplan.language.english.embedding import (
    SHA256,
    EmbeddingsFailed,
    MiniLM,
    installed,
    load,
    locate,
)
from groundplan.language.english.lexical import Lexical

needs_model = pytest.mark.skipif(not installed(), reason="needs the extra 'embedded'")


@needs_model
def test_the_model_file_is_the_pinned_one() -> None:
    assert hashlib.sha256(locate().read_bytes()).hexdigest() == SHA256


@needs_model
def test_locating_the_model_imports_nothing_of_its_package() -> None:
    assert locate().is_file()
    assert embedding.PACKAGE not in sys.modules


@needs_model
def test_vectors_have_length_one_and_do_not_depend_on_the_batch() -> None:
    texts = ["the kitchen", "a dirty plate on the lunch table", "fridge", "", "x" * 500]
    model = load()
    together = model.vectors(texts)
    assert together.shape == (5, 384)
    for text, row in zip(texts, together, strict=True):
        model._kept.clear()
        alone = model.vectors([text])[0]
        assert float(alone @ alone) == pytest.approx(1.0, abs=1e-5)
        assert float(alone @ row) == pytest.approx(1.0, abs=1e-5)


@needs_model
def test_meaning_ranks_above_spelling() -> None:
    rooms = ["This can be found in the kitchen.", "This can be found in the printing zone."]
    scores = load().scores("something cold to drink", rooms)
    assert scores[0] > scores[1]
    assert load().scores("query", []) == ()


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "PACKAGE", "no_such_package_of_ours")
    assert not installed()
    with pytest.raises(EmbeddingsFailed, match=r"groundplan\[embedded\]"):
        locate()


def test_a_model_that_cannot_be_run_is_an_error_of_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("onnxruntime.InferenceSession", full)
    with pytest.raises(EmbeddingsFailed, match=r"cannot be run: MemoryError; it needs 200 MB"):
        MiniLM(b"a model")


def test_another_model_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(b"something else")
    monkeypatch.setattr(embedding, "locate", lambda: other)
    load.cache_clear()
    with pytest.raises(EmbeddingsFailed, match="expected SHA-256"):
        load()


def test_lexical_likeness_counts_shared_rare_words() -> None:
    texts = ["the kitchen bench", "the meeting room", "the kitchen"]
    scores = Lexical().scores("Wipe the bench in the kitchen", texts)
    assert scores[0] == max(scores)
    assert scores[1] == 0.0
    assert Lexical().scores("anything", []) == ()
    assert Lexical().scores("", texts) == (0.0, 0.0, 0.0)


@needs_model
def test_nothing_is_written_into_the_users_home(tmp_path: Path) -> None:
    program = "from groundplan.language.english.embedding import load; load().scores('apple', ['fruit'])"
    environment = {k: v for k, v in os.environ.items() if k != "ORT_DISABLE_TELEMETRY"}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-P", "-c", program], check=True, env=environment, timeout=60)
    assert not list(tmp_path.iterdir())
