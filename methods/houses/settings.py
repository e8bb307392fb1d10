"""Settings of searches of houses: who drives, what is seen, and from how far.

A search with another than the usual setting has it in its name, and is a row of its own in every table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from ...domains.errors import InputError, clip, did_you_mean
from ...simulator.navigation.camera import REACH, Noise
from ..method import Method
from .errand import HouseErrand
from .house_method import DRIVERS, HouseMethod


def with_house_settings(
    methods: Sequence[Method],
    drivers: Sequence[str] = (),
    perceptions: Sequence[str] = (),
    reaches: Sequence[float] = (),
) -> tuple[Method, ...]:
    """Return each search of houses once for each driver, perception and reach; others stay as they are.

    A search with another than the usual one of them has it in its name. Raises :class:`InputError` for the
    name of no driver, a perception that there is not, and where no method searches houses.
    """
    for driver in drivers:
        if driver not in DRIVERS:
            hint = did_you_mean(driver, DRIVERS) or f"there are {', '.join(DRIVERS)}"
            raise InputError("driver", "the name of a driver", clip(driver), hint)
    given = {"driver": drivers, "perception": perceptions, "reach": reaches}
    for option, values in given.items():
        if values and not any(isinstance(m, HouseMethod | HouseErrand) for m in methods):
            raise InputError(option, "a method that searches houses", "none", "such as nearest-door")
    noises = [Noise.read(text) for text in perceptions]
    rows: dict[str, Method] = {}
    for method in methods:
        if not isinstance(method, HouseMethod | HouseErrand):
            rows[method.name] = method
            continue
        for driver, noise, reach in product(drivers or ("oracle",), noises or (None,), reaches or (REACH,)):
            parts = [
                *([f"driver {driver}"] if driver != "oracle" else []),
                *([str(noise)] if noise is not None else []),
                *([f"reach {reach:g}"] if reach != REACH else []),
            ]
            name = " with ".join((method.name, *([", ".join(parts)] if parts else [])))
            search = method.search if isinstance(method, HouseErrand) else method
            search = replace(search, driver=driver, noise=noise, reach=reach)
            changed = (
                replace(method, name=name, search=search)
                if isinstance(method, HouseErrand)
                else replace(search, name=name)
            )
            rows[name] = changed if parts else method
    return tuple(rows.values())
