"""`groundplan monitor`: lines of reports in, lines of answers out, over standard input and a socket."""

from __future__ import annotations

import json
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from groundplan.commands import cli as verbs
from groundplan.commands.schema import output_schema

ADVICE, REPORT = (Draft202012Validator(output_schema(name)) for name in ("advice", "report"))
GOAL = "(robot_at pose14)"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program of a short drive."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    result = CliRunner().invoke(verbs, ["plan", "--scene", "office", "--goal", GOAL, "--out", str(folder)])
    assert result.exit_code == 0, result.output
    return folder / "program.json"


REPORTS: list[dict[str, object]] = [
    {},
    {"command": 0, "status": "done", "facts": {"(stands_at pose13)": True}},
    {"command": 1, "status": "failed", "reason": "blocked"},
    {"command": 1, "status": "done", "facts": {"(stands_at pose14)": True}},
]


def text_of(reports: list[dict[str, object]]) -> str:
    for report in reports:
        REPORT.validate(report)
    return "".join(json.dumps(report) + "\n" for report in reports)


def test_each_report_is_answered_by_a_line(cli, program: Path) -> None:
    ran = cli("monitor", program, stdin=text_of(REPORTS))
    lines = [json.loads(line) for line in ran.out.splitlines()]
    for line in lines:
        ADVICE.validate(line)
    assert ran.code == 0
    assert [line["answer"] for line in lines] == ["continue", "continue", "retry", "stop"]
    assert [line["report"] for line in lines] == [1, 2, 3, 4]
    assert lines[2]["reason"] == "goto(pose14) failed: blocked" and lines[3]["done"]


def test_what_is_no_report_is_answered_with_an_error_and_passed_over(cli, program: Path) -> None:
    wrong = 'nonsense\n{"facts": 1}\n{"facts": {"(open": true}}\n{"command": 7, "status": "done"}\n'
    wrong += '{"facts": {}, "facts": {}}\n\xff\n'
    ran = cli("monitor", program, stdin=wrong.encode("latin-1") + text_of(REPORTS).encode())
    lines = [json.loads(line) for line in ran.out.splitlines()]
    for line in lines:
        ADVICE.validate(line)
    assert [("error" in line, line["report"]) for line in lines[:6]] == [(True, 0)] * 6
    assert ran.code == 0 and lines[-1]["done"]


def test_without_a_last_word_the_exit_code_says_that_the_goal_is_not_reached(cli, program: Path) -> None:
    assert cli("monitor", program, stdin=text_of(REPORTS[:2])).code == 1
    assert cli("monitor", program, stdin="").code == 1
    given_up = cli(
        "monitor", program, stdin=text_of([{"command": 0, "status": "aborted", "reason": "battery"}])
    )
    assert given_up.code == 1 and "the robot gave up: battery" in given_up.out


def test_a_log_goes_on_where_it_ended(cli, program: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    assert cli("monitor", program, "--log", log, stdin=text_of(REPORTS[:2])).code == 1
    again = cli("monitor", program, "--log", log, stdin=text_of(REPORTS[2:]))
    assert again.code == 2 and "--resume" in again.err
    ran = cli("monitor", program, "--log", log, "--resume", stdin=text_of(REPORTS[2:]))
    assert [json.loads(line)["report"] for line in ran.out.splitlines()] == [2, 3, 4] and ran.code == 0
    ended = cli("monitor", program, "--log", log, "--resume", stdin=text_of(REPORTS))
    assert ended.code == 0 and ended.out.count("\n") == 1, "there is no other answer"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("none.json",), "none.json"),
        (("-",), "name the file of the program"),
        (("PROGRAM", "--resume"), "--log"),
        (("PROGRAM", "--log", "missing/log"), "missing/log"),
        (("PROGRAM", "--log", "none", "--resume"), "none: expected a log that can be written"),
        (("PROGRAM", "--socket", "missing/socket"), "the name of a new socket"),
        (("PROGRAM", "--socket", "x" * 300), "the name of a new socket"),
        (("PROGRAM", "--tries", "0"), "--tries"),
    ],
)
def test_bad_input_is_refused(
    cli, program: Path, tmp_path: Path, arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = cli("monitor", *(program if a == "PROGRAM" else a for a in arguments), stdin="")
    assert ran.code == 2 and said in ran.err


def test_a_program_without_a_goal_is_refused(cli, program: Path, tmp_path: Path) -> None:
    raw = json.loads(program.read_text(encoding="utf-8"))
    bare = tmp_path / "program.json"
    bare.write_text(json.dumps(raw | {"goal": [], "grounds": None} | {"commands": []}), encoding="utf-8")
    ran = cli("monitor", bare, stdin="{}\n")
    assert ran.code == 2 and "give the goal with --goal" in ran.err


def test_clients_of_a_socket_come_one_after_the_other(program: Path, tmp_path: Path) -> None:
    place = tmp_path / "socket"
    command = [sys.executable, "-m", "groundplan", "monitor", str(program), "--socket", str(place)]
    with subprocess.Popen(command) as process:
        for _ in range(100):
            if place.exists():
                break
            time.sleep(0.1)
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        answers = []
        for part in (REPORTS[:2], REPORTS[2:]):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(place))
                client.sendall(text_of(part).encode())
                client.shutdown(socket.SHUT_WR)
                with client.makefile("r") as reader:
                    answers += [json.loads(line) for line in reader]
        assert process.wait(20) == 0
    assert [a["report"] for a in answers] == [1, 2, 2, 3, 4] and answers[-1]["done"]
    assert not place.exists()
