"""Search protocols of readers that ask a chat model: how what a task needs is found in a collapsed scene.

``protocols`` is the interface and the list of names (``--search``). ``naming`` asks once for names and opens
the rooms itself (``room_list``, ``needs``, ``name_index``, ``ranges``). ``query`` has the model ask
questions, answers them and opens the rooms of the answers (``query_words``, ``query_form``). ``dialogue`` is
the paper's Algorithm 1, step by step, with its ``moves``. Another protocol is a module with a class that has
the methods of :class:`~.protocols.SearchProtocol`, and an entry in
:func:`~.protocols.protocol_named`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
