"""Questions and searches in plain English: read as a ``find`` over the whole scene, and answered from it.

``reading`` turns a question into a query of ``compiler.query``, or says why it cannot; ``answering`` asks
the scene, a collapsed one as well, and puts the answer into words. No model takes part, and nothing is
planned: whoever reads instructions otherwise, questions are read here first. ``nouns`` turns noun phrases
into classes and conditions of queries, ``descriptions`` what restricts them, and ``context`` has what is
told before a question.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
