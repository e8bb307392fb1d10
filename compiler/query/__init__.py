"""Questions about a scene and their answers."""

from typing import TYPE_CHECKING

from ... import on_demand

if TYPE_CHECKING:
    from .answers import Answer, Answers, find
    from .query import Query, check_query, parse_query
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["Answer", "Answers", "Query", "check_query", "find", "parse_query"]
