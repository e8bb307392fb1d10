"""What tests of planners share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundplan.engines.worker import SHARED


@pytest.fixture(params=["ImportError", "RuntimeError"])
def damaged_or_tools(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Put OR-tools that are found and cannot be imported first on the path."""
    (tmp_path / "ortools").mkdir()
    (tmp_path / "ortools" / "__init__.py").write_text(
        f"raise {request.param}('libortools.so.9 has another version')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    SHARED.close()  # the next one gets the path of now
    yield
    SHARED.close()
