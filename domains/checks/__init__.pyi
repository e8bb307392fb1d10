from .induction import Invariants, Unshown, show_invariants
from .requirements import ExcessRequirement, Requirements, bear_out
from .review import PackFinding

__all__ = [
    "ExcessRequirement",
    "Invariants",
    "PackFinding",
    "Requirements",
    "Unshown",
    "bear_out",
    "show_invariants",
]
