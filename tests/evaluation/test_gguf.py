"""The quantisation of a model file, from metadata that somebody else wrote."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundplan.domains.errors import InputError
from groundplan.evaluation.bench.gguf import named_quantisation, quantisation


def text(words: str) -> bytes:
    return struct.pack("<Q", len(words)) + words.encode()


FILE_TYPE = text("general.file_type") + struct.pack("<II", 4, 15)
BEFORE = (
    text("general.name") + struct.pack("<I", 8) + text("a model"),
    text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("bc"),
    text("tokenizer.ggml.scores") + struct.pack("<IIQ", 9, 6, 3) + bytes(12),
    text("llama.rope") + struct.pack("<If", 6, 1.0),
)


def model(*entries: bytes, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(entries)) + b"".join(entries)


def test_the_file_type_is_found_behind_texts_and_lists(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(model(*BEFORE, FILE_TYPE))
    assert quantisation(path) == "Q4_K_M"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GGUF",
        b"not a model of any kind, and long enough",
        model(*BEFORE),
        model(FILE_TYPE, version=9),
        model(*BEFORE, FILE_TYPE)[:-3],
        model(text("general.file_type") + struct.pack("<II", 4, 4_000_000_000)),
        model(text("a") + struct.pack("<IIQ", 9, 8, 2**63), FILE_TYPE),
        model(text("a") + struct.pack("<IIQ", 9, 9, 2), FILE_TYPE),
        model(struct.pack("<Q", 2**62), FILE_TYPE),
    ],
)
def test_a_file_that_does_not_say_has_none(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    assert quantisation(path) == ""


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        quantisation(tmp_path / "none")
    with pytest.raises((InputError, IsADirectoryError)):
        quantisation(tmp_path)


@given(st.binary(max_size=200), st.integers(0, 300))
def test_no_bytes_break_the_reading(tmp_path_factory, content: bytes, cut: int) -> None:
    path = tmp_path_factory.mktemp("models") / "m.gguf"
    path.write_bytes(model(*BEFORE)[:cut] + content)
    assert isinstance(quantisation(path), str)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Llama-3.3-70B-Instruct-Q4_K_M.gguf", "Q4_K_M"),
        ("llama3.3:70b-instruct-q8_0", "Q8_0"),
        ("model.IQ4_XS.gguf", "IQ4_XS"),
        ("model-bf16", "BF16"),
        ("gpt-4o", ""),
        ("Qwen2.5-7B", ""),
        ("seq2seq", ""),
    ],
)
def test_names_of_models_say_it_too(name: str, found: str) -> None:
    assert named_quantisation(name) == found
