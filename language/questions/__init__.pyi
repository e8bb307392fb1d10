from .answering import Answer, answer, ask, search_rooms
from .reading import Question, is_question, read_question

__all__ = ["Answer", "Question", "answer", "ask", "is_question", "read_question", "search_rooms"]
