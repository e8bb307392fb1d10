from .grammar import decoding_grammar
from .json_form import goal_from_json

__all__ = ["decoding_grammar", "goal_from_json"]
