"""The command line in this process, as users get it: exit code, standard output, standard error."""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from groundplan.commands import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def last(self) -> str:
        return self.out.rstrip("\n").splitlines()[-1]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    def run(*arguments: object, stdin: str | bytes | None = None) -> Ran:
        if stdin is not None:
            data = stdin.encode() if isinstance(stdin, str) else stdin
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = main([str(a) for a in arguments])
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return Ran(code, said.out, said.err)

    return run
