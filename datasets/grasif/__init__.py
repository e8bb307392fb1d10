"""GRASIF's tasks: records with an initial and a goal graph, RobotHow's programs, goals from graphs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
