"""Goals in words: said back in sentences of the pack, and read from them.

``saying`` puts any goal into plain English; ``reading`` turns sentences that ask for facts into a goal;
``grammar`` constrains a model to such sentences about a subgraph; ``support`` finds what goal and instruction
do not share. What a pack's facts are called stands in its files (``[words]``, ``[sentences]``) and not here.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
