from .answers import GraphCommand, UnreadableAnswer
from .conversation import Conversation, End, converse, judged
from .dialogue import Exploration

__all__ = ["Conversation", "End", "Exploration", "GraphCommand", "UnreadableAnswer", "converse", "judged"]
