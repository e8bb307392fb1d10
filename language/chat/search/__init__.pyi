from .dialogue import Dialogue, semantic_search
from .naming import Naming
from .protocols import PROTOCOLS, SearchProtocol, protocol_named
from .query import QueryProtocol

__all__ = [
    "PROTOCOLS",
    "Dialogue",
    "Naming",
    "QueryProtocol",
    "SearchProtocol",
    "protocol_named",
    "semantic_search",
]
