from .knowledge import Knowledge
from .mendable import mendable_errors
from .support import Support, unseen_support

__all__ = [
    "Knowledge",
    "Support",
    "mendable_errors",
    "unseen_support",
]
