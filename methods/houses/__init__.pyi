from .explorer import Driver, DriveTo, Explorer, GiveUp, Intent, LookAround, OracleDriver
from .nearest_door import NearestDoor
from .search import Find, SearchRun, search_house

__all__ = [
    "DriveTo",
    "Driver",
    "Explorer",
    "Find",
    "GiveUp",
    "Intent",
    "LookAround",
    "NearestDoor",
    "OracleDriver",
    "SearchRun",
    "search_house",
]
