"""Goals and planning problems: parse, check, expand, prune, name, and write as PDDL.

The passes in order: ``normal``, ``relevance``, ``problem``, ``symbols``, ``pddl``. A new public name is
listed in ``__init__.pyi``; names that are listed there stay, as programs use them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
