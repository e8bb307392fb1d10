from .review import PackFinding

__all__ = [
    "PackFinding",
]
