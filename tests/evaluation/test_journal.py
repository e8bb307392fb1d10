"""The file of rows: what a kill, a full disk, another process or a user's editor leaves of it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from groundplan.domains.errors import InputError, clip
from groundplan.domains.storage import own_file as module
from groundplan.domains.storage.own_file import replace_whole
from groundplan.evaluation.bench.results import ROWS
from groundplan.evaluation.journal import Journal, read_rows, row_text

ROW_A, ROW_B, ROW_C = ({"key": key, "text": "ü\n\x7f" * 20} for key in "abc")


BEGINS = b'{"key":"'


def key_of(row: Mapping[str, object], where: str) -> str:
    if not isinstance(key := row.get("key"), str):
        raise InputError(where, "a row", clip(row))
    return key


def opened(folder: Path, redact: Callable[[str], str] = str) -> Journal:
    return Journal(folder / ROWS, key_of, BEGINS, redact)


def written(folder: Path, *rows: dict[str, str]) -> bytes:
    journal = opened(folder)
    for row in rows:
        journal.append(row)
    journal.close()
    return (folder / ROWS).read_bytes()


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    data = written(tmp_path, ROW_A, ROW_B)
    assert data == "".join(row_text(row) + "\n" for row in (ROW_A, ROW_B)).encode("ascii")
    with opened(tmp_path) as journal:
        assert list(journal.rows()) == [ROW_A, ROW_B]


def test_a_row_that_was_cut_off_anywhere_is_dropped_and_the_others_stay(tmp_path: Path) -> None:
    data = written(tmp_path, ROW_A, ROW_B)
    first = data.index(b"\n") + 1
    for cut in (0, *range(len(BEGINS), len(data))):
        (tmp_path / ROWS).write_bytes(data[:cut])
        again = written(tmp_path, ROW_C)
        kept = [ROW_A] if first <= cut < len(data) else []
        with opened(tmp_path) as journal:
            assert list(journal.rows()) == [*kept, ROW_C], cut
        assert again == "".join(row_text(r) + "\n" for r in (*kept, ROW_C)).encode()


def test_zeros_that_a_loss_of_power_left_are_dropped(tmp_path: Path) -> None:
    data = written(tmp_path, ROW_A)
    for tail in (b"\0" * 100, b"\0" * 100 + b"\n", BEGINS + b"\0" * 9, BEGINS[:3] + b"\0\n"):
        (tmp_path / ROWS).write_bytes(data + tail)
        with opened(tmp_path) as journal:
            assert list(journal.rows()) == [ROW_A]
            assert (tmp_path / ROWS).read_bytes() == data + tail, "nothing is cut off before a row is written"
            journal.append(ROW_B)
        assert (tmp_path / ROWS).read_bytes().count(b"\n") == 2


@pytest.mark.parametrize(
    "middle", [b"{\n", b"[]\n", b"{}\n", b'{"key":1}\n', b"\n", b'{"key":"x","n":NaN}\n']
)
def test_a_file_that_somebody_changed_is_refused_and_stays(tmp_path: Path, middle: bytes) -> None:
    data = written(tmp_path, ROW_A)
    changed = data + middle + data.replace(b'"a"', b'"b"')
    (tmp_path / ROWS).write_bytes(changed)
    with pytest.raises(InputError, match=r"rows\.jsonl:2"):
        opened(tmp_path)
    assert (tmp_path / ROWS).read_bytes() == changed


def test_one_run_twice_is_refused(tmp_path: Path) -> None:
    data = written(tmp_path, ROW_A)
    (tmp_path / ROWS).write_bytes(data + data)
    with pytest.raises(InputError, match="a twice"):
        opened(tmp_path)


def test_no_key_has_two_rows(tmp_path: Path) -> None:
    data = written(tmp_path, ROW_A)
    with opened(tmp_path) as journal:
        assert "a" in journal and "b" not in journal
        journal.append(ROW_B)
        for row in (ROW_A, ROW_B):
            with pytest.raises(ValueError, match="has a row"):
                journal.append(row)
    assert (tmp_path / ROWS).read_bytes() == data + row_text(ROW_B).encode() + b"\n"


def test_rows_are_read_while_another_process_writes_the_next(tmp_path: Path) -> None:
    assert read_rows(tmp_path / ROWS, key_of, BEGINS) == []
    with opened(tmp_path) as journal:
        journal.append(ROW_A)
        (tmp_path / ROWS).open("ab").write(b'{"key":"b"')
        assert read_rows(tmp_path / ROWS, key_of, BEGINS) == [ROW_A]


def test_only_one_writes_at_a_time(tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(InputError, match="one in use"):
        opened(tmp_path)
    opened(tmp_path).close()


@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_a_disk_that_is_full_loses_no_row_and_keeps_no_half(
    tmp_path: Path, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = written(tmp_path, ROW_A)
    journal = opened(tmp_path)
    whole = os.write

    def half(file: int, data: bytes) -> int:
        if len(data) < 30:
            raise OSError(errno.ENOSPC, "No space left on device")
        return whole(file, data[: len(data) // 2])

    def refused(file: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(module.os, failing, half if failing == "write" else refused)
        with pytest.raises(OSError, match=r"space|error"):
            journal.append(ROW_B)
    assert (tmp_path / ROWS).read_bytes() == data
    journal.append(ROW_C)
    journal.close()
    with opened(tmp_path) as again:
        assert list(again.rows()) == [ROW_A, ROW_C]


def test_secrets_are_taken_out_before_a_row_is_kept(tmp_path: Path) -> None:
    with opened(tmp_path, lambda text: text.replace("sk-secret", "[key]")) as journal:
        journal.append({"key": "a", "said": "my key is sk-secret"})
    with opened(tmp_path) as journal:
        assert list(journal.rows()) == [{"key": "a", "said": "my key is [key]"}]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "manifest.json"
    replace_whole(path, "one")

    def refused(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    for failing in ("write", "fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(module.os, failing, refused)
            with pytest.raises(OSError, match="error"):
                replace_whole(path, "two")
        assert path.read_text() == "one"
    replace_whole(path, "two")
    assert path.read_text() == "two" and [p.name for p in tmp_path.iterdir()] == ["manifest.json"]
