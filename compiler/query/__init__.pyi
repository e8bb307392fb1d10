from .answers import QueryAnswer, QueryResult, find
from .query import Query, check_query, diagnosed_query, parse_query

__all__ = ["Query", "QueryAnswer", "QueryResult", "check_query", "diagnosed_query", "find", "parse_query"]
