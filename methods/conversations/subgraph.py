"""Part of a scene that a search by ``naming`` shows, for methods that have no search of their own."""

from __future__ import annotations

from dataclasses import replace

from ...domains.deadline import paused
from ...language.reader import Reader
from ...simulator.belief import Belief, ground
from ...simulator.scene import Scene
from ..method import Tools
from .conversation import Conversation, End


def search_by_naming(conversation: Conversation, reader: Reader) -> Scene | End:
    """Search the scene with a reader, by ``naming`` where it is a model; say how that ended if not found.

    The time of the search is no part of the limit; its calls and tokens are the method's. Raises
    :class:`ServiceError`.
    """
    if reader.traits.variants is not None:
        reader = reader.traits.variants.searching_by("naming")
    with paused():
        search = reader.search(conversation.instruction, conversation.view)
    conversation.view = search.view
    conversation.trace += search.trace
    if search.outcome != "found":
        return End(search.outcome, (search.reason,) if search.reason else ())
    return search.scene


def shown_belief(conversation: Conversation, tools: Tools, subgraph: bool) -> Belief | End:
    """Return the world of what a search shows, or the whole one where no ``subgraph`` is asked for.

    Its scene has descriptions where the conversation's view has them.
    """
    belief = conversation.request.belief
    if not subgraph:
        conversation.show_all()
        return replace(belief, scene=conversation.view.scene)
    if tools.reader is None:
        return End("unsupported", ("a subgraph needs a reader, which searches for it",))
    scene = search_by_naming(conversation, tools.reader)
    return scene if isinstance(scene, End) else ground(scene, belief.pack)
