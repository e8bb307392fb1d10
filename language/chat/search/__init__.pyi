from .dialogue import Dialogue, semantic_search
from .protocols import PROTOCOLS, SearchProtocol, protocol_named

__all__ = ["PROTOCOLS", "Dialogue", "SearchProtocol", "protocol_named", "semantic_search"]
