from .grammar import decoding_grammar, decoding_schema
from .json_form import goal_from_json

__all__ = ["decoding_grammar", "decoding_schema", "goal_from_json"]
