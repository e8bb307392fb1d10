"""The engines by name, and what is installed.

`get_engine` is the only door: the engines of ``engines.toml``, and every other name as unified-planning knows
it. An entry there adds one; names that exist must stay, since users and records hold them. No engine is
imported here: they run in other processes, over PDDL text; see `worker.py`.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, cast

from ..domains.errors import InputError, did_you_mean
from ..domains.files import parse_toml
from ..domains.storage.json_record import JsonRecord
from .base import TextEngine
from .command import Command, command_words
from .fast_downward import FastDownward, search_named
from .kairos import Kairos
from .pyperplan import Pyperplan
from .unified import Unified, unified_names
from .worker import Worker


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine as `groundplan engines` lists it: how it is made, its package and the modules that it needs.

    ``distribution`` is what pip installs, where that is not the package. ``complete`` says that its word is
    taken that there is no plan, or none that costs less.
    """

    make: Callable[[], TextEngine]
    package: str
    modules: tuple[str, ...]
    licence: str
    supports: str
    distribution: str = ""
    complete: bool = False
    name: str = ""

    @property
    def installed(self) -> bool:
        return all(importlib.util.find_spec(module) is not None for module in self.modules)

    @property
    def version(self) -> str:
        """The version of the package, empty where it is not installed."""
        return importlib.metadata.version(self.package) if self.installed else ""

    @property
    def install(self) -> str:
        """The command to get it."""
        return f"pip install {self.distribution or self.package}"


@dataclass(frozen=True, slots=True)
class EngineOptions(JsonRecord):
    """Use of an engine, where it is not the usual one.

    ``command`` is a planner's command line, with ``{domain}``, ``{problem}`` and ``{plan}`` in it, that runs
    in place of a named engine. ``search`` is an alias or a search of Fast Downward. ``costs`` false gives the
    engine problems without costs. ``environment`` names variables that its process gets, beside the few that
    every engine does. ``whole`` hands it the whole problem in one piece, with everything that may matter;
    ``optimal`` gives it most of the time for a proof that no plan costs less.
    """

    command: str | None = None
    search: str | None = None
    costs: bool = True
    environment: tuple[str, ...] = ()
    whole: bool = False
    optimal: bool = False

    def as_json(self) -> dict[str, object]:
        """Return what differs from the usual; of variables the names alone."""
        usual = JsonRecord.as_json(USUAL)
        return {name: value for name, value in JsonRecord.as_json(self).items() if value != usual[name]}


USUAL = EngineOptions()


_OWN: dict[str, Callable[[], TextEngine]] = {
    "pyperplan": Pyperplan,
    "fast-downward": FastDownward,
    "fast-downward-opt": functools.partial(FastDownward, "fast-downward-opt"),
    "kairos": Kairos,
}


def _listed(name: str, package: str, costs: bool = True, **row: Any) -> EngineInfo:
    """Return an entry of ``engines.toml``; what has no class of its own is one of unified-planning."""
    make = _OWN.get(name) or functools.partial(Unified, name, supports_costs=costs)
    modules = row.pop("modules", ("unified_planning", package.replace("-", "_")))
    return EngineInfo(make, package, modules, **row)


_TABLE = parse_toml(files(__package__).joinpath("engines.toml").read_text("utf-8"), "engines.toml")
ENGINES = {name: _listed(name, **cast(dict[str, Any], row)) for name, row in _TABLE.items()}


def get_engine(name: str, options: EngineOptions = USUAL) -> TextEngine:
    """Return the engine of a name; `InputError` when it is unknown or not installed, or an option is wrong.

    A name that is not listed above is looked up among unified-planning's engines: two seconds, once.
    """
    engine = Command(command_words(options.command)) if options.command is not None else _named(name)
    changed: dict[str, Any] = {}
    if options.search is not None:
        if not isinstance(engine, FastDownward) or name != "fast-downward":
            raise InputError(
                "--engine-search", "the engine fast-downward", repr(name), "leave one of the two out"
            )
        changed["search"] = search_named(options.search)
    if not options.costs:
        changed["supports_costs"] = False
    if options.environment:
        changed["worker"] = Worker(passed_on=options.environment)
    if not changed:
        return engine
    if not isinstance(engine, Command | FastDownward | Kairos | Pyperplan | Unified):
        raise InputError(
            "engine", "an engine without options", repr(name), "leave the options of engines out"
        )
    return replace(engine, **changed)


def _named(name: str) -> TextEngine:
    entry = ENGINES.get(name)
    if entry is not None:
        if not entry.installed:
            raise InputError("engine", "one that is installed", repr(name), f"try {entry.install}")
        return entry.make()
    others = unified_names()
    if name in others:
        return Unified(name, supports_costs=others[name])
    hint = did_you_mean(name, [*ENGINES, *others]) or f"known engines: {', '.join(ENGINES)}"
    raise InputError(
        "engine", "the name of an engine", repr(name), f'{hint}; Fast Downward: pip install "groundplan[fd]"'
    )


def is_complete(name: str) -> bool:
    """Return whether an engine's word that there is no plan is taken; of unlisted engines it is not."""
    return name in ENGINES and ENGINES[name].complete


def available_engines() -> list[EngineInfo]:
    """Every engine that is known by name, installed ones first."""
    listed = (replace(one, name=name) for name, one in ENGINES.items())
    return sorted(listed, key=lambda one: not one.installed)
