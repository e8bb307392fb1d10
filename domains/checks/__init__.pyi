from .induction import Invariants, Unshown, show_invariants

__all__ = ["Invariants", "Unshown", "show_invariants"]
