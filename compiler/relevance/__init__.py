"""The part of a scene that a goal depends on, the modules in the order of the work.

1. ``completeness``: the bindings that a closure relies on, and the test that they lose nothing
2. ``bindings``: the free parameters of actions bound by facts, and where things may be put down
3. ``backward``: the closure, from the goal's literals back over what achieves them

Helpers that are left out may be others; whatever may matter must be noted in ``completeness``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
