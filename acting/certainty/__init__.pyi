from .knowledge import Knowledge
from .mendable import mendable_errors
from .run_constraints import RunConstraints
from .support import Support, unseen_support

__all__ = [
    "Knowledge",
    "RunConstraints",
    "Support",
    "mendable_errors",
    "unseen_support",
]
