from .reading import Instruction, ReadingReport, Row, evaluate, load_instructions

__all__ = [
    "Instruction",
    "ReadingReport",
    "Row",
    "evaluate",
    "load_instructions",
]
