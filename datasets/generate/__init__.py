"""Buildings and tasks made from sizes and a seed."""

from typing import TYPE_CHECKING

from ... import on_demand

if TYPE_CHECKING:
    from .buildings import Sizes, furnished_building
    from .tasks import generated_tasks, pick_and_place
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["Sizes", "furnished_building", "generated_tasks", "pick_and_place"]
