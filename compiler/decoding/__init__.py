"""Decoding grammars: what a model may write about a scene, as Lark, GBNF or JSON schema.

The modules in the order of the work; each needs only those before it:

1. ``arguments``: the arguments of predicates that each node fits, read from the pack
2. ``vocabulary``: the names, classes and sorts of variables that goals over a subgraph may use
3. ``templates``: the forms of formulas, read from ``goal.lark``
4. ``dialects``: how Lark and GBNF write rules
5. ``terms``: rules for names, variables and declarations
6. ``rules``: rules for formulas, and the grammar as text
7. ``schema``: the same goals as a JSON schema
8. ``grammar``: the entries, ``decoding_grammar`` for text and ``decoding_schema`` for the JSON schema
9. ``json_form``: JSON answers read back as text of the goal language
"""

from typing import TYPE_CHECKING

from ... import on_demand

if TYPE_CHECKING:
    from .grammar import decoding_grammar, decoding_schema
    from .json_form import goal_from_json
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["decoding_grammar", "decoding_schema", "goal_from_json"]
