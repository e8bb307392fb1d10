from .induction import Invariants, Unshown, show_invariants
from .requirements import ExcessRequirement, Requirements, bear_out

__all__ = [
    "ExcessRequirement",
    "Invariants",
    "Requirements",
    "Unshown",
    "bear_out",
    "show_invariants",
]
