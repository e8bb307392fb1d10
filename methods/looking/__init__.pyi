from .instructed import Instructed, read_instruction

__all__ = [
    "Instructed",
    "read_instruction",
]
