from .execution import SupposedExecution
from .instructed import Instructed, read_instruction

__all__ = ["Instructed", "SupposedExecution", "read_instruction"]
