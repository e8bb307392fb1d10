"""Files that are gone on with: whatever else has their name is refused, or left, and stays byte for byte."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from in_the_way import WAYS, make_changeable, make_immutable, names_and_kinds

from groundplan.domains.errors import InputError
from groundplan.domains.storage.own_file import OwnFile, is_cut_off, keep_safe, own_folder, replace_whole
from groundplan.evaluation.bench.results import ROW_BEGINS, RunRow, run_key
from groundplan.evaluation.bench.shared import SharedSearch
from groundplan.evaluation.journal import Journal, row_text
from groundplan.language.chat.servers.cassette import RecordingModel
from groundplan.language.chat.servers.model import ChatRequest, Message
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.robot import TraceFile

FOREIGN = {
    "minified": b'{"nodes":[1,2,3]}',
    "note": b"buy milk",
    "note with an end": b"buy milk\n",
    "empty line": b"\n",
    "zeros": b"\0" * 64,
    "binary": b"\x7fELF\x02\xff\n\n",
    "json of another": b'{"kind":"start","format":"other-trace","version":1,"goal":"x"}',
    "lines of another": b'{"level":"info","text":"a"}\n{"level":"info","text":"b"}\n',
    "half of a newer trace": b'{"kind":"start","format":"groundplan-trace","version":2,"go',
    "a bracket": b"{",
    "an object with our first key": b'{"engine":"v8","power":3}',
    "a marked text": b"\xef\xbb\xbf{}",
}


def take_up_trace(path: Path) -> None:
    TraceFile(path, resume=True).close()


def begin_trace(path: Path) -> None:
    TraceFile(path).close()


def open_rows(path: Path) -> None:
    Journal(path, run_key, ROW_BEGINS).close()


def record(path: Path) -> None:
    RecordingModel.open(ScriptedModel.of("one"), path, {})


def asked(folder: Path) -> int:
    """Make the request of a search, and return how often its model was asked."""
    model = ScriptedModel.of("an answer", "another")
    SharedSearch(model, folder / "searches", "task").ask(
        ChatRequest((Message("user", "a view"),), None, 10, "search")
    )
    return len(model.history)


OPENED: dict[str, Callable[[Path], None]] = {
    "trace --resume": take_up_trace,
    "trace": begin_trace,
    "rows": open_rows,
    "cassette": record,
}


@pytest.mark.parametrize("opened", OPENED.values(), ids=OPENED)
@pytest.mark.parametrize("data", FOREIGN.values(), ids=FOREIGN)
def test_what_does_not_begin_as_ours_is_refused_and_stays(
    tmp_path: Path, opened: Callable[[Path], None], data: bytes
) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(InputError, match=str(path)):
        opened(path)
    assert path.read_bytes() == data and os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("opened", [*OPENED.values(), lambda path: replace_whole(path, "new")])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_no_file_of_ours_is_refused(tmp_path: Path, opened: Callable[[Path], None], way: str) -> None:
    path = tmp_path / "file"
    WAYS[way](path)
    before = names_and_kinds(tmp_path)
    with pytest.raises(
        (InputError, OSError), match="permitted|immutable" if way == "immutable" else way.strip()
    ):
        opened(path)
    after = names_and_kinds(tmp_path)
    if WAYS[way] is make_immutable:
        make_changeable(path)
    assert after == before and not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("way", WAYS)
def test_an_answer_is_kept_in_no_file_of_somebody_else(tmp_path: Path, way: str) -> None:
    """Everybody asks then; a link is written to neither as the file nor as the folder of answers."""
    asked(tmp_path)
    (path,) = (tmp_path / "searches").iterdir()
    path.unlink()
    WAYS[way](path)
    before = names_and_kinds(path.parent)
    assert asked(tmp_path) == 1
    assert names_and_kinds(path.parent) == before
    if WAYS[way] is make_immutable:
        make_changeable(path)


def test_a_folder_of_answers_that_is_a_link_is_left(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "searches").symlink_to("mine")
    assert asked(tmp_path) == 1 and not os.listdir(tmp_path / "mine")
    with pytest.raises(OSError), own_folder(tmp_path / "searches"):
        pass


def test_a_note_under_the_name_of_an_answer_stays(tmp_path: Path) -> None:
    asked(tmp_path)
    (path,) = (tmp_path / "searches").iterdir()
    for data in FOREIGN.values():
        path.write_bytes(data)
        assert asked(tmp_path) == 1 and path.read_bytes() == data


def test_a_link_that_comes_while_a_file_is_open_is_not_followed(tmp_path: Path) -> None:
    path, victim = tmp_path / "rows.jsonl", tmp_path / "victim"
    victim.write_text("mine")
    with OwnFile(path, (b"{",), "rows") as file:
        file.append(b"{}\n")
        path.unlink()
        path.symlink_to(victim)
        file.append(b"{}\n")
    assert victim.read_text() == "mine"
    with pytest.raises(InputError, match="a link"):
        OwnFile(path, (b"{",), "rows")


def test_names_that_are_exchanged_all_the_time_hurt_nobody(tmp_path: Path) -> None:
    path, victim, stop = tmp_path / "rows.jsonl", tmp_path / "victim", threading.Event()
    victim.write_bytes(b"{mine}")

    def exchange() -> None:
        number = 0
        while not stop.is_set():
            other = tmp_path / f"other{number}"
            number += 1
            other.symlink_to(victim) if number % 2 else other.write_bytes(b"{")
            other.replace(path)

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        for _ in range(200):
            try:
                with OwnFile(path, (b"{",), "rows", wait=True) as file:
                    file.end = 0
                    file.append(b"{ours}")
            except (InputError, OSError):
                continue
    finally:
        stop.set()
        thread.join()
    assert victim.read_bytes() == b"{mine}"


def test_what_another_program_wrote_meanwhile_is_not_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with OwnFile(path, (b"{",), "rows") as file:
        file.append(b"{}\n")
        with path.open("ab") as other:
            other.write(b"a note\n")
        with pytest.raises(InputError, match="another program"):
            file.append(b"{}\n")
    assert path.read_bytes() == b"{}\na note\n"


def test_a_new_file_without_a_byte_is_removed_and_one_that_was_there_stays(tmp_path: Path) -> None:
    new, there = tmp_path / "new", tmp_path / "there"
    there.touch()
    for path in (new, there):
        with OwnFile(path, (b"{",), "rows") as file:
            assert file.empty
    assert os.listdir(tmp_path) == ["there"]


def test_a_process_that_is_killed_while_it_writes_leaves_what_can_be_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    program = (
        "import sys; from pathlib import Path; from groundplan.domains.storage.own_file import OwnFile\n"
        "file = OwnFile(Path(sys.argv[1]), (b'{',), 'rows')\n"
        "print('ready', flush=True)\n"
        "while True: file.append(b'{' + b'x' * 3_000_000 + b'}\\n')\n"
    )
    with subprocess.Popen([sys.executable, "-P", "-c", program, path], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        while not path.stat().st_size:
            pass
        process.send_signal(signal.SIGKILL)
    with OwnFile(path, (b"{",), "rows") as file:
        data = file.read().read()
        file.end = data.rfind(b"\n") + 1
        file.append(b"{}\n")
    assert path.read_bytes() == data[: data.rfind(b"\n") + 1] + b"{}\n"


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("mount"), reason="only root may mount")
def test_a_full_disk_is_said_with_the_name_of_the_file(tmp_path: Path) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", tmp_path], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no mounts here")
    try:
        with OwnFile(tmp_path / "rows.jsonl", (b"{",), "rows") as file:
            file.append(b"{}\n")
            with pytest.raises(OSError, match="No space") as error:
                file.append(b"{" * 10**6)
            assert error.value.filename == str(tmp_path / "rows.jsonl")
            file.append(b"{}\n")
        assert (tmp_path / "rows.jsonl").read_bytes() == b"{}\n{}\n"
        with pytest.raises(OSError, match="No space") as error:
            replace_whole(tmp_path / "rows.jsonl", "x" * 10**6)
        assert error.value.filename == str(tmp_path / "rows.jsonl")
        assert os.listdir(tmp_path) == ["rows.jsonl"]
    finally:
        subprocess.run(["umount", tmp_path], check=True)


TRACE = (
    b'{"kind":"start","format":"groundplan-trace","version":1,"goal":"(open a)","scene":"s","at":"pose1",'
    b'"hashes":{"pack":"p","scene":"s"},"unseen":[],"looked":[],"settings":{"engine":"pyperplan",'
    b'"policy":"nearest","still":true,"confirm":false,"max_steps":9},"chain":"c"}\n'
)
LINE = (
    json.dumps({"kind": "a", "b": [True, None, -1.5e-07, False], "c": {"d": "\u00e9\\ \ud800"}}).encode()
    + b"\n"
)


def test_a_line_that_was_cut_off_anywhere_is_known_and_a_whole_one_too() -> None:
    begins = LINE[:9]
    assert [n for n in range(len(LINE)) if not is_cut_off(LINE[:n], begins)] == [len(LINE) - 1]
    assert all(is_cut_off(LINE[:n] + b"\0" * 99 + b"\n" * (n % 2), begins) for n in range(len(LINE)))


@pytest.mark.parametrize(
    "tail",
    [
        b"# seen by Ann\n",
        b"# seen by Ann",
        b"\r\nseen",
        b"\n",
        b"\0\0 seen",
        b'{"seen":1}',
        b'{"kind":"a", seen by Ann',
        b'{"kind":"act"} seen',
        b'{"kind":"act"}!',
        b'{"kind":"\xe9',
        b'{"kind":[[[[[[[[[[[[[}',
    ],
)
def test_what_somebody_wrote_after_our_lines_is_never_cut_off(tmp_path: Path, tail: bytes) -> None:
    assert not is_cut_off(tail, b'{"kind":"')
    rows = tmp_path / "rows.jsonl"
    row = RunRow("k", "gold", "pyperplan", "t", "s", "plan", 0, "verified")
    for path, data, take_up in (
        (rows, row_text(row.as_json()).encode() + b"\n", open_rows),
        (tmp_path / "trace.jsonl", TRACE, take_up_trace),
    ):
        path.write_bytes(data)
        take_up(path)
        path.write_bytes(data + tail)
        with pytest.raises(InputError):
            take_up(path)
        assert path.read_bytes() == data + tail


def test_names_in_a_folder_are_waited_for_where_the_disk_can_say_so(tmp_path, monkeypatch):
    def fails(number):
        def fsync(file):
            raise OSError(number, os.strerror(number))

        return fsync

    monkeypatch.setattr(os, "fsync", fails(errno.EINVAL))
    keep_safe(tmp_path)
    monkeypatch.setattr(os, "fsync", fails(errno.EIO))
    with pytest.raises(OSError, match="error"):
        keep_safe(tmp_path)
    monkeypatch.setattr(os, "open", lambda *_: (_ for _ in ()).throw(PermissionError(errno.EACCES, "no")))
    keep_safe(tmp_path)
