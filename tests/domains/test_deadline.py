"""Limits of time and size that all work within one call sees."""

from __future__ import annotations

import pytest

from groundplan.domains import deadline
from groundplan.domains.deadline import (
    LimitReached,
    check_size,
    check_time,
    extended,
    limited,
    note_cut,
    paused,
    share_of_time,
    time_left,
)
from groundplan.domains.ending import Ending


class Clock:
    """A clock that goes on by ``tick`` seconds each time that it is read."""

    def __init__(self, tick: float = 0.0) -> None:
        self.now, self.tick = 0.0, tick

    def __call__(self) -> float:
        self.now += self.tick
        return self.now


def test_without_a_limit_nothing_is_cut_off() -> None:
    check_time("anything")
    note_cut("anything")
    with share_of_time(0.0), extended(1.0), paused():
        check_time("anything")
    assert time_left() is None


def test_work_ends_at_the_limit_and_says_which_work_and_which_limit() -> None:
    clock = Clock()
    with limited(2.0, clock):
        clock.now = 1.9
        check_time("expanding")
        clock.now = 2.0
        with pytest.raises(LimitReached, match="expanding: stopped at the time limit of 2 s") as cut:
            check_time("expanding")
    assert cut.value.ending is Ending.TIMED_OUT and not cut.value.reproducible
    check_time("what comes after")


def test_an_inner_limit_shortens_the_outer_one_and_never_lengthens_it() -> None:
    clock = Clock()
    with limited(10.0, clock):
        with limited(2.0, lambda: 0.0):
            clock.now = 3.0
            with pytest.raises(LimitReached):
                check_time("inner work")
        check_time("outer work")
        with limited(100.0):
            clock.now = 11.0
            with pytest.raises(LimitReached, match="limit of 10 s"):
                check_time("inner work")


def test_a_share_is_of_the_time_that_is_left() -> None:
    clock = Clock()
    with limited(10.0, clock):
        clock.now = 4.0
        with share_of_time(0.5):
            assert time_left() == 3.0


def test_a_pause_stops_every_limit_around_it() -> None:
    clock = Clock()
    with limited(10.0, clock) as outer, limited(5.0) as inner:
        with paused():
            clock.now = 100.0
            check_time("a reader's work")
        check_time("own work")
        assert (outer.remaining(), inner.remaining()) == (10.0, 5.0)


def test_what_is_short_and_must_not_be_lost_gets_a_little_more() -> None:
    clock = Clock()
    with limited(1.0, clock):
        clock.now = 2.0
        with extended(0.5):
            check_time("verifying")
            clock.now = 2.6
            with pytest.raises(LimitReached):
                check_time("verifying")


def test_what_was_cut_off_is_known_to_every_limit_around_it() -> None:
    with limited(10.0) as outer:
        with limited(5.0):
            note_cut("shortening")
            note_cut("shortening")
        note_cut("ordering")
    assert outer.cuts == ["shortening", "ordering"]


def test_a_bound_on_size_ends_alike_on_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "MAX_SIZES", {"literals": 3})
    check_size("literals", 3, "expanding")
    with pytest.raises(LimitReached, match="expanding: stopped at the bound of 3 literals") as cut:
        check_size("literals", 4, "expanding")
    assert cut.value.ending is Ending.OUT_OF_MEMORY and cut.value.reproducible
