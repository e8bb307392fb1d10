from .dialogue import Dialogue, semantic_search
from .naming import Naming
from .protocols import PROTOCOLS, SearchProtocol, protocol_named

__all__ = ["PROTOCOLS", "Dialogue", "Naming", "SearchProtocol", "protocol_named", "semantic_search"]
