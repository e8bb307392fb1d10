from .buildings import Sizes, furnished_building
from .floor_plans import building_plan
from .tasks import generated_tasks, pick_and_place

__all__ = ["Sizes", "building_plan", "furnished_building", "generated_tasks", "pick_and_place"]
