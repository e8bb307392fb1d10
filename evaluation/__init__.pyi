from .reading import Instruction, ReadingReport, Row, evaluate, load_instructions
from .repairs import FaultRow, RepairTable, count_repairs, repair_table

__all__ = [
    "FaultRow",
    "Instruction",
    "ReadingReport",
    "RepairTable",
    "Row",
    "count_repairs",
    "evaluate",
    "load_instructions",
    "repair_table",
]
