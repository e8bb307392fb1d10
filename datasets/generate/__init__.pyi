from .buildings import Sizes, furnished_building
from .floor_plans import building_plan

__all__ = [
    "Sizes",
    "building_plan",
    "furnished_building",
]
