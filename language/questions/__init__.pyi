from .answering import Answer, answer, ask
from .reading import Question, read_question

__all__ = ["Answer", "Question", "answer", "ask", "read_question"]
