from .camera import Camera, Glimpse, Noise, SeenBody, SeenPassage, Stance
from .floor_plan import Body, FloorPlan, Passage, RoomArea
from .grid import Grid, Raster
from .house_world import Control, Driven, HouseSearch, HouseWorld, Response
from .seen_map import SeenMap, SpatialGraph, complete_graph
from .tours import TargetTour, shortest_sighting, shortest_tour

__all__ = [
    "Body",
    "Camera",
    "Control",
    "Driven",
    "FloorPlan",
    "Glimpse",
    "Grid",
    "HouseSearch",
    "HouseWorld",
    "Noise",
    "Passage",
    "Raster",
    "Response",
    "RoomArea",
    "SeenBody",
    "SeenMap",
    "SeenPassage",
    "SpatialGraph",
    "Stance",
    "TargetTour",
    "complete_graph",
    "shortest_sighting",
    "shortest_tour",
]
