"""Questions about a scene and their answers, the modules in the order of the work.

1. ``query``: the text of a question parsed, and checked against a scene
2. ``lookup``: indexed facts, classes and attributes of the scene as it is
3. ``conjunctive``: quantified formulas as typed variables with conditions that must all hold
4. ``solutions``: the bindings that fulfil the conditions, by backtracking
5. ``answers``: :func:`~groundplan.compiler.query.answers.find`, the entry: bindings counted, ranked and cut
"""

from typing import TYPE_CHECKING

from ... import on_demand

if TYPE_CHECKING:
    from .answers import QueryAnswer, QueryResult, find
    from .query import Query, check_query, diagnosed_query, parse_query
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["Query", "QueryAnswer", "QueryResult", "check_query", "diagnosed_query", "find", "parse_query"]
