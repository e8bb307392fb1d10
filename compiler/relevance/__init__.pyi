from .backward import NEAREST, Closure, closure, growing_closure

__all__ = ["NEAREST", "Closure", "closure", "growing_closure"]
