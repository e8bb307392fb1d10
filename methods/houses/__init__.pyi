from .advice import Advisor, ModelAdvisor, RoomContents, RoomOpinion, RoomPlan
from .algorithm import SayNav
from .beliefs import HouseBeliefs, UsualPlaces
from .driving.driver import Driver, OracleDriver
from .explorer import DriveTo, Explorer, GiveUp, Intent, LookAround
from .nearest_door import NearestDoor
from .search import Find, SearchRun, search_house

__all__ = [
    "Advisor",
    "DriveTo",
    "Driver",
    "Explorer",
    "Find",
    "GiveUp",
    "HouseBeliefs",
    "Intent",
    "LookAround",
    "ModelAdvisor",
    "NearestDoor",
    "OracleDriver",
    "RoomContents",
    "RoomOpinion",
    "RoomPlan",
    "SayNav",
    "SearchRun",
    "UsualPlaces",
    "search_house",
]
