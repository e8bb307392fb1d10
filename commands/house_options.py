"""Options of searches of houses that nobody knows: who drives, what is seen, and from how far."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import click

from ..domains.errors import clip
from ..simulator.navigation.camera import REACH
from .grouped import grouped


class HouseSettings(NamedTuple):
    """Settings of searches of houses: drivers, perceptions and reaches, each empty where it was not given."""

    drivers: tuple[str, ...] = ()
    perceptions: tuple[str, ...] = ()
    reaches: tuple[float, ...] = ()


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name for one in (value or "").split(",") if (name := one.strip())))
    if value is not None and not names:
        raise click.BadParameter("give at least one name")
    return names


def _reaches(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[float, ...]:
    """Return metres. Raises :class:`click.BadParameter` for what is none."""
    names = _names(ctx, param, value)
    for name in names:
        if not re.fullmatch(r"\d{1,3}(\.\d{1,3})?", name, re.ASCII) or not float(name):
            raise click.BadParameter(f"give metres from 0.001 to 999, got {clip(name)}")
    return tuple(map(float, names))


house_options = grouped(
    click.option(
        "--driver",
        "drivers",
        metavar="A,B",
        callback=_names,
        help="Who drives, a row each: oracle (the usual), optimistic, learned.",
    ),
    click.option(
        "--perception",
        metavar="exact|noisy:..",
        multiple=True,
        help="What is seen: exact (the usual), or noisy:missed=..,error=..,wrong_door=..,seed=..; may be "
        "given several times, a row each.",
    ),
    click.option(
        "--reach",
        metavar="M,..",
        callback=_reaches,
        help=f"Metres within which small things are seen, a row each ({REACH:g}).",
    ),
)
"""Options that :func:`take_house_settings` takes."""


def take_house_settings(options: dict[str, Any]) -> HouseSettings:
    """Take the options of searches of houses out of a command's keyword arguments."""
    return HouseSettings(options.pop("drivers"), options.pop("perception"), options.pop("reach"))
