"""What the tests of several folders share."""

import gc
import os
import signal
from collections.abc import Generator, Iterator

import pytest
from draws import BY_DAY
from hypothesis import HealthCheck, settings

# A loaded machine must not fail a property; in continuous integration every run draws the same examples.
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_configure(config: pytest.Config) -> None:
    """Let properties draw few examples where the slow tests are left out."""
    if "not slow" in config.getoption("markexpr"):
        settings.register_profile("by day", settings.default, max_examples=BY_DAY)
        settings.load_profile("by day")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what collecting makes out of the garbage collection: some 700,000 objects that stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True, scope="session")
def unsynced() -> Iterator[None]:
    """Do not wait for the disk: no test cuts the power. What is synced is tested with a failing ``fsync``."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let the programs that a test starts be interrupted, also where the tests themselves cannot be.

    Shells start what runs in the background with SIGINT ignored, and that is inherited; a handler is not.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `bench` run its cells in this process; starting another one takes longer than most runs."""
    from groundplan.commands import bench
    from groundplan.evaluation.bench.processes import Inline

    monkeypatch.setattr(bench, "LocalProcesses", lambda jobs, seconds: Inline())
