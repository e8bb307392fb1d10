from .buildings import Sizes, furnished_building
from .tasks import generated_tasks, pick_and_place

__all__ = ["Sizes", "furnished_building", "generated_tasks", "pick_and_place"]
