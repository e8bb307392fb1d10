"""Vision: from a picture of a place to movable things in it, their relations and states.

``description`` reads what a vision model writes in the form of LookPlanGraph's appendix B; ``eye`` asks such
a model, or the simulator's truth with noise, under one interface; ``additions`` matches a description with
what is known, and gives what is new as observations; ``scores`` compares descriptions with annotations. What
a model writes is data, and nothing of it is believed that does not fit.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
