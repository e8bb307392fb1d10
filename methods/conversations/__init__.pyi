from .answers import GraphCommand, UnreadableAnswer
from .conversation import Conversation, End, converse, judged
from .exploration import Exploration

__all__ = ["Conversation", "End", "Exploration", "GraphCommand", "UnreadableAnswer", "converse", "judged"]
