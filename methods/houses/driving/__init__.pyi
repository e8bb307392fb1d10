from .driver import Driver, OracleDriver
from .learned import LearnedDriver
from .optimistic import OptimisticDriver

__all__ = [
    "Driver",
    "LearnedDriver",
    "OptimisticDriver",
    "OracleDriver",
]
