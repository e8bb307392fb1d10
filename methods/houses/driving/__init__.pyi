from .driver import Driver, OracleDriver
from .optimistic import OptimisticDriver

__all__ = [
    "Driver",
    "OptimisticDriver",
    "OracleDriver",
]
