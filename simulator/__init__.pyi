from .belief import Belief, ground
from .facts import Facts
from .printing import print_steps
from .routes import Route, Routes
from .scene import Link, Loss, Node, Scene
from .scene_json import read_scene, scene_text, scene_to_json
from .step import Step, read_steps
from .verification import Verification, Violation, verify_plan
from .view import View
from .world import Effect, Refusal, World, WorldState

__all__ = [
    "Belief",
    "Effect",
    "Facts",
    "Link",
    "Loss",
    "Node",
    "Refusal",
    "Route",
    "Routes",
    "Scene",
    "Step",
    "Verification",
    "View",
    "Violation",
    "World",
    "WorldState",
    "ground",
    "print_steps",
    "read_scene",
    "read_steps",
    "scene_text",
    "scene_to_json",
    "verify_plan",
]
