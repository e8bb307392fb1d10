"""Certificates of unsolvability and the program that rechecks them from scene, pack and goal alone.

Start reading at ``checker``. It imports no pass of the compiler and no planner; a test sees to that.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
