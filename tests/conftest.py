"""What the tests of several folders share."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let the programs that a test starts be interrupted, also where the tests themselves cannot be.

    Shells start what runs in the background with SIGINT ignored, and that is inherited; a handler is not.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
