from .mendable import mendable_errors
from .sightings import Sightings
from .support import Support, unseen_support

__all__ = [
    "Sightings",
    "Support",
    "mendable_errors",
    "unseen_support",
]
