from .buildings import Sizes, furnished_building

__all__ = [
    "Sizes",
    "furnished_building",
]
