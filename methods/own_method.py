"""Methods of users: a class in a module of theirs, or an entry point of a package that is installed.

``module:Class`` is imported from where the program runs or from what is installed; an entry point stands in
the group :data:`GROUP`. Importing a module runs it: only names that a user gives are looked up here.
"""

from __future__ import annotations

import importlib
import os
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from ..domains.errors import InputError, clip
from .method import Method

GROUP = "groundplan.methods"
"""Group of the entry points by which packages offer methods."""
MAX_NAME = 60
"""Most characters of the name of a method: it stands in every table."""


def offered() -> tuple[str, ...]:
    """Return the names of the methods that installed packages offer."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def own_method(name: str) -> Method | None:
    """Return the method of ``module:Class`` or of an entry point; ``None`` for a name of neither form.

    A class is called without arguments. Raises :class:`InputError` for one that is not there, or is none.
    """
    points = tuple(entry_points(group=GROUP, name=name))
    if ":" not in name and not points:
        return None
    point = points[0] if points else EntryPoint(name, name, GROUP)
    if os.getcwd() not in sys.path:  # as `python -m` has it: the module lies where its user is
        sys.path.insert(0, os.getcwd())
    try:
        value = point.load()
    except (ImportError, AttributeError, SyntaxError, ValueError) as error:
        got = clip(f"{type(error).__name__}: {error}", 200)
        raise InputError(f"method {clip(name)}", "module:Class that can be imported", got) from error
    return _checked(value, name)


def source_of(method: Method) -> Path | None:
    """Return the file of a method's class; ``None`` for those of this package."""
    module = type(method).__module__
    if module.partition(".")[0] == __name__.partition(".")[0]:
        return None
    file = getattr(importlib.import_module(module), "__file__", None)
    return Path(file) if file is not None else None


def _checked(value: object, name: str) -> Method:
    """Return a method, or what a class makes of itself. Raises :class:`InputError` for anything else."""
    where = f"method {clip(name)}"
    if isinstance(value, type):
        try:
            value = value()
        except TypeError as error:
            raise InputError(where, "a class that takes no arguments", clip(str(error), 200)) from error
    called = getattr(value, "name", None)
    if not isinstance(called, str) or not callable(getattr(value, "run", None)):
        expected = "a class with a name and run(request, tools, limits)"
        raise InputError(where, expected, clip(repr(value), 200))
    if not 0 < len(called) <= MAX_NAME or not called.isprintable():
        raise InputError(where, f"a printable name of at most {MAX_NAME} characters", clip(repr(called)))
    method: Method = value  # type: ignore[assignment]
    return method
