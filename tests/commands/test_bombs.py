"""Bombs: each ends with its exit code and its message, in 1300 MB and 10 seconds of the processor at most."""

import pytest
from bombs import BOMBS
from measured import measure

QUICK = [pytest.param(name, marks=() if bomb.quick else pytest.mark.slow) for name, bomb in BOMBS.items()]


@pytest.mark.parametrize("name", QUICK)
def test_a_bomb_goes_off_harmlessly(tmp_path, name):
    bomb = BOMBS[name]
    ran = measure(bomb.make(tmp_path), tmp_path, {"PYTHONPATH": str(tmp_path)})
    assert not ran.hung
    assert (ran.code, "Traceback" in ran.err) == (bomb.code, False), ran.err
    assert bomb.words in ran.err + ran.out
    assert ran.memory < 1300 and ran.seconds < 10
