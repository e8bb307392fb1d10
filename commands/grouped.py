"""Options that several verbs share as one decorator, in the order in which the help lists them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Command = TypeVar("_Command", bound=Callable[..., Any])


def grouped(*options: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Return the decorator that adds some options, or groups of them, to a command."""

    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add
