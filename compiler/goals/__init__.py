"""Goals: PDDL goal syntax with exact spans, types, and diagnostics against a scene.

``goal.lark`` is the one grammar; a form that is added there needs a method in ``tree``. A new public name is
listed in ``__init__.pyi``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
