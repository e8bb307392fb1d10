from .answering import Answer, answer, ask
from .reading import Question, is_question, read_question
from .searching import search_rooms

__all__ = ["Answer", "Question", "answer", "ask", "is_question", "read_question", "search_rooms"]
