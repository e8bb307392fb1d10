"""Robot programs: verified plans as skills with targets."""

from typing import TYPE_CHECKING

from .. import on_demand

if TYPE_CHECKING:
    from .program import Program, Skill, translate
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["Program", "Skill", "translate"]
