"""Bounded reading: regular files only, sizes in bytes, JSON counted before it is decoded."""

import json
import os
import tracemalloc

import pytest

from groundplan.domains.errors import InputError, PackError
from groundplan.domains.files import (
    JsonMemory,
    parse_json,
    parse_toml,
    read_bytes,
    read_json,
    read_text,
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1', "scene.json:1:8: expected JSON, got Expecting ',' delimiter (the file may be truncated)"),
        ("[NaN]", "scene.json: expected JSON of ordinary depth and numbers, got NaN is not a JSON number"),
        ("[" * 100_000, "scene.json: expected JSON of ordinary depth and numbers"),
        ("[1 2]", "scene.json:1:4: expected JSON, got Expecting ',' delimiter; look for a comma"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(PackError) as caught:
        parse_json(text, "scene.json", PackError)
    assert str(caught.value).startswith(message)


def test_only_regular_files_of_a_bounded_size_are_read(tmp_path) -> None:
    pipe, large, latin = tmp_path / "pipe", tmp_path / "large", tmp_path / "latin"
    os.mkfifo(pipe)
    large.write_bytes(b"12345")
    latin.write_bytes(b"caf\xe9")
    for path, expected in (
        (pipe, "expected a regular file, got a pipe"),
        (tmp_path, "expected a readable file, got Is a directory"),
        (tmp_path / "none", "expected a readable file, got No such file"),
        (large, "expected a file of at most 4 bytes, got more"),
        (latin, "expected UTF-8 text, got byte 3"),
    ):
        with pytest.raises(PackError, match=expected):
            read_text(path, 4, PackError)
    with pytest.raises(InputError, match="expected the name of a file"):
        read_bytes(tmp_path / "a\0b", 4)
    assert read_bytes(large, 5) == b"12345"
    assert read_json(large, 5) == 12345


MANY = 20_000
KEY = ".".join("a" * MANY)


@pytest.mark.parametrize(
    "text",
    [
        f"{KEY} = 1",
        f"[{KEY}]",
        f"[[{KEY.replace('.', ' . ')}]]",
        f"x = {{{KEY} = 1}}",
        ".".join(['"!"'] * MANY) + " = 1",
        ".".join(["'a b'"] * MANY) + " = 1",
        ".".join(['""'] * MANY) + " = 1",
        "\t.".join(['"\\""'] * MANY) + " = 1",
        ".".join(["b" * 100] * MANY) + " = 1",
        f'a = """ " """ # "\n{KEY} = 1',
        f"a = ''' ' ''' # '\n{KEY} = 1",
    ],
)
def test_a_key_of_very_many_parts_is_refused_before_it_is_read(text: str) -> None:
    with pytest.raises(PackError, match="here: expected keys of at most 64 parts"):
        parse_toml(text, "here", PackError)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        f'a = "{KEY}"',
        f"a = '''{KEY}'''",
        f'a = """\n\\"{KEY}"""',
        f"a = 1 # {KEY}",
        "a = [" + "1.5, " * MANY + "]",
        ".".join("a" * 60) + " = 1",
        "a" * 1_000_000 + " = 0.1 #" + "." * 100,
        'a = "' + '\\"' * 400_000 + '" # ' + "." * 100,
    ],
)
def test_dots_elsewhere_are_no_key(text: str) -> None:
    assert parse_toml(text, "here")


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text", ['"' + '\\"' * 400_000, "'" * 500_000, '"' * 300_001, "a" * 1_000_000, "a." * 60 + "!"]
)
def test_what_is_no_toml_is_refused_in_linear_time(text: str) -> None:
    with pytest.raises(InputError, match="here: expected valid TOML"):
        parse_toml(text + " " + "!." * 100, "here")


@pytest.mark.parametrize(
    "value",
    [
        [[] for _ in range(50_000)],
        [[[]] for _ in range(50_000)],
        [[1000, 2000, 3000] for _ in range(20_000)],
        [{} for _ in range(50_000)],
        [{"a": 0} for _ in range(50_000)],
        [{"abc"[n % 3] + str(n % 7): n for n in range(6)} for _ in range(20_000)],
        [{str(n): n for n in range(43)} for _ in range(3_000)],
        {str(n): n for n in range(50_000)},
        [str(n) for n in range(50_000)],
        [n + 0.1 for n in range(50_000)],
        [10**n for n in range(300)] * 20,
        ["text " * 40 + str(n) for n in range(5_000)],
        ["x" * 100 + "\U0001f600" for _ in range(5_000)],
        ["x" * 100 + "é" for _ in range(5_000)],
    ],
    ids=lambda value: str(value)[:30],
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_memory_is_bounded_from_above(value: object, ascii_only: bool) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":")).encode()
    needed = JsonMemory()
    for start in range(0, len(data), 100_000):
        needed.add(data[start : start + 100_000].decode("latin-1"))
    widest = 1 if data.isascii() else 4
    tracemalloc.start()
    text = data.decode()
    decoded = json.loads(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert decoded == value
    assert peak + len(data) <= needed.total + (widest - 1) * 2 * len(data) + 100_000


def test_a_text_that_needs_too_much_memory_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(InputError, match="here: expected JSON that needs at most 10 MB of memory, got more"):
        parse_json("[" + "[]," * 150_000 + "[]]", "here", memory=10**7)
    assert parse_json("[" + "[]," * 50_000 + "[]]", "here", memory=10**7)


def test_a_toml_text_of_many_dots_is_refused() -> None:
    with pytest.raises(InputError, match="here: expected at most 100000 dots outside of texts"):
        parse_toml("".join(f"a{n}{'.b' * 50} = 1\n" for n in range(2_100)), "here")
