"""The predicates of BDDL by what they mean for scenes and goals, from the table of ``predicates.toml``."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

_ROWS: dict[str, dict[str, Any]] = tomllib.loads(
    files(__package__).joinpath("predicates.toml").read_text(encoding="utf-8")
)


def _column(name: str) -> dict[str, Any]:
    return {predicate: row[name] for predicate, row in _ROWS.items() if name in row}


ARITY: dict[str, int] = _column("arity")
AT_FIRST: dict[str, str] = _column("at_first")
"""Places that things may have at first."""
RELATIONS = {predicate: AT_FIRST[predicate] for predicate in _column("moves_along")}
"""Places by which a thing moves along with another."""
SUBSTANCES: dict[str, str] = _column("substance")
"""The predicates of a thing and a substance, with the pack's words for them."""
IMPLIED: dict[str, tuple[str, str]] = {
    predicate: tuple(pair) for predicate, pair in _column("implied").items()
}
"""The predicates of BEHAVIOR-100 that are about a substance, with the pack's word for them and its class."""
STATES: dict[tuple[str, bool], str] = {
    (predicate, holds == "true"): word
    for predicate, words in _column("states").items()
    for holds, word in words.items()
}
PREDICATES = {predicate: (word, ARITY[predicate]) for predicate, word in _column("goal").items()}
PREDICATES |= {predicate: (word, 1) for predicate, (word, _) in IMPLIED.items()}
"""The predicates that goals may have, with the pack's words and the number of arguments."""
USES_OF_PLACES: dict[str, list[str]] = _column("second_uses")
"""What each place says that the second thing is used for."""
FIRST_USES: dict[str, str] = _column("first_use")
"""What a state, or the predicate of a substance, says that the first thing is used for."""
