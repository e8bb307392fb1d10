"""Searches of a collapsed scene for the answer to a question: every room is opened, and shut where none is.

A question about all rooms ("an office without a cabinet") is decided by all of them. So nothing is gained by
an order here, and whoever measures searches sees what they opened.
"""

from __future__ import annotations

from ...domains.pack import Pack
from ...simulator.belief import ground
from ...simulator.view import View
from ..reader import SearchResult, SearchStep
from .answering import Answer, ask
from .reading import is_question


def search_rooms(text: str, view: View, pack: Pack) -> SearchResult | None:
    """Open all that is shut in a view and answer a question from it; ``None`` for what is not read as one.

    >>> from groundplan import load_pack, load_scene
    >>> office = View.first(load_scene("office"))
    >>> search_rooms("Find the office with a toolbox or a drone.", office, load_pack()).subgraph
    ('wills_office',)
    """
    if not is_question(text):
        return None
    trace: list[SearchStep] = []
    while view.closed:
        for name in view.closed:
            view = view.expand(name)
            trace.append(SearchStep("expand", name))
    reply = ask(text, ground(view.scene, pack))
    if not isinstance(reply, Answer):
        return None
    rooms = {view.scene.room_of(node) for node in reply.nodes}
    for name in [e for e in view.expanded if view.scene.nodes[e].type == "room" and e not in rooms]:
        view = view.contract(name)
        trace.append(SearchStep("contract", name))
    ids = tuple(n.id for n in view.visible if n.id in reply.nodes)
    return SearchResult("found" if ids else "search-exhausted", ids, view, tuple(trace), reply.words)
