"""JSON lines of users: each is read by itself."""

from __future__ import annotations

import pytest

from groundplan.domains import files as module
from groundplan.domains.errors import InputError
from groundplan.domains.files import decode_lines, json_lines, read_lines

DATA = (
    b'\xef\xbb\xbf{"a": 1}\n\n{"b": "caf\xe9"}\n{"c": "caf\xc3\xa9"}\n{"d": 1, "d": 2}\n[1]\n'
    b'{"e": NaN}\n{"f": {"g": 1, "g": 2}}\n{'
)


def test_a_line_at_fault_loses_no_other(tmp_path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(DATA)
    lines = dict(json_lines(read_lines(path, 1000), "f", "write one"))
    assert [number for number, row in lines.items() if isinstance(row, dict)] == [1, 4]
    assert lines[1] == {"a": 1} and lines[4] == {"c": "café"}
    messages = [str(row) for row in lines.values() if isinstance(row, InputError)]
    starts = ("f:3:11: expected UTF-8 text, got the byte 0xe9", "f:5: expected keys that an object has once",
              "f:6: expected an object of JSON, got [1]; write one", "f:7: expected JSON of ordinary",
              "f:8: expected keys", "f:9:2: expected JSON")  # fmt: skip
    assert all(map(str.startswith, messages, starts)) and len(messages) == len(starts)


def test_a_file_of_something_else_is_refused_as_a_whole(monkeypatch) -> None:
    monkeypatch.setattr(module, "MAX_FAULTS", 3)
    assert len(list(json_lines(decode_lines(b"\xff\n" * 3), "f"))) == 3
    with pytest.raises(InputError, match="f: expected JSON lines, got more than 3 that are none"):
        list(json_lines("x\n" * 4, "f"))
